"""The calls that the bindings do in C agree with the Python functions behind them, and with NumPy."""

import inspect
import itertools
import math
import pickle

import numloom
import numpy as np
import pytest
from core_cases import CODES, ours, outcome, random_pair, same, values
from numloom import _core

REDUCTIONS = ["sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "argmax", "argmin"]


def strides(a):
    """Those that matter."""
    return [s for s, n in zip(a.strides, a.shape, strict=True) if n > 1 and a.size]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("code", CODES)
def test_reductions(name, code):
    rng = np.random.default_rng(1)
    for _ in range(12):
        a, b = random_pair(rng, code)
        calls = [
            {},
            {"axis": None},
            {"axis": 0},
            {"axis": -1},
            {"axis": 7},
            {"axis": (0,)},
            {"axis": 0, "keepdims": True},
        ]
        for kwargs in calls:
            what = f"{name} {code} {a.shape} {kwargs}"
            want = outcome(lambda a=a, k=kwargs: getattr(np, name)(a, **k))
            for got in (
                outcome(lambda b=b, k=kwargs: getattr(numloom, name)(b, **k)),
                outcome(lambda b=b, k=kwargs: getattr(b, name)(**k)),
                outcome(lambda b=b, k=kwargs: getattr(numloom, name).__wrapped__(b, **k)),
            ):
                if isinstance(want, tuple):
                    assert got[0] is want[0], (what, got)
                else:
                    same(got, want, what, 64)
                    if isinstance(want, np.ndarray) and want.size:
                        keep = [i for i in range(want.ndim) if want.shape[i] > 1]
                        assert [got.strides[i] for i in keep] == [want.strides[i] for i in keep], what
        if a.ndim:
            same(getattr(b, name)(0), getattr(a, name)(0), name, 64) if a.shape[0] else None


@pytest.mark.parametrize("code", CODES)
def test_where(code):
    rng = np.random.default_rng(2)
    for other in CODES:
        m, a, b = rng.integers(0, 2, (3, 4)).astype(bool), values(rng, code, (3, 4)), values(rng, other, (4,))
        same(numloom.where(ours(m), ours(a), ours(b)), np.where(m, a, b), f"{code} {other}")
        same(numloom.where(ours(a), ours(b), ours(a.T.copy()).T), np.where(a, b, a), f"{code} {other}")
    for n in (1, 2.5, 300, -1, 2**70, True):
        same(
            outcome(lambda n=n: numloom.where(ours(m), ours(a), n)),
            outcome(lambda n=n: np.where(m, a, n)),
            f"{code} {n}",
        )
        same(
            outcome(lambda n=n: numloom.where(ours(m), n, ours(a))),
            outcome(lambda n=n: np.where(m, n, a)),
            f"{code} {n}",
        )
    x = ours(a)
    same(numloom.where(x > 1, x.sum(), x), np.where(a > 1, a.sum(), a), code, 16)
    assert outcome(lambda: numloom.where(ours(m), ours(a), numloom.ones(7)))[0] is ValueError


def test_order_of_results():
    a, m = np.asfortranarray(np.arange(12.0).reshape(3, 4)), np.asfortranarray(np.ones((3, 4), bool))
    x = numloom.where(ours(m.T.copy()).T, ours(a.T.copy()).T, 0.0)
    assert x.strides == np.where(m, a, 0.0).strides


def test_nothing_evaluates():
    x = numloom.ones((4, 5))
    _core.flush()
    before = _core.stats()
    y = numloom.where(x > x.mean(0), x, 2.0) + x.sum() + numloom.max(x, axis=1)[:, None]
    after = _core.stats()
    assert (after["evaluations"], after["host_calls"]) == (before["evaluations"], before["host_calls"])
    same(y, np.full((4, 5), 2.0 + 20 + 1))


def test_making():
    for name in ("zeros", "ones", "empty"):
        f, g = getattr(numloom, name), getattr(np, name)
        for args in ((3,), ((2, 3),), ((),), (0,), ((2, 0),), (3, int), (3, np.float32), (3, "f4"), (3,
             np.dtype("?")), (-1,),
                     ((2, -1),), (2**62,), (2.5,), ([2, 3],), (np.int64(3),), (3, object), ((2,) * 65,), (3,
                     "F")):  # fmt: skip
            for kwargs in ({}, {"dtype": complex}, {"dtype": ">f8"}, {"order": "F"}):
                want, got = outcome(lambda: g(*args, **kwargs)), outcome(lambda: f(*args, **kwargs))  # noqa: B023
                what = f"{name} {args} {kwargs}"
                if isinstance(want, tuple):
                    assert got[0] is want[0], what
                elif name == "empty" or want.dtype == object or not want.dtype.isnative:
                    assert (got.shape, got.dtype) == (want.shape, want.dtype), what
                else:
                    same(got, want, what)


def test_arrays_of_lists():
    x = numloom.arange(3.0)
    lists = [[], [1], [1, 2.5], [True, False], [[1, 2], [3, 4]], [[1, 2], [3]], [1, None], ["a"], [1 + 2j], [[[[1]]]],
             [2**70], [np.float32(1), np.float32(2)], [np.int8(1), 300], [np.float64(1), 2], [[], []],
             [2**63]]  # fmt: skip
    for values_ in lists:
        for name in ("array", "asarray"):
            want = outcome(lambda v=values_, n=name: getattr(np, n)(v))
            got = outcome(lambda v=values_, n=name: getattr(numloom, n)(v))
            if isinstance(want, tuple):
                assert got[0] is want[0], values_
            else:
                same(got, want, f"{values_}")
    same(numloom.array([x[0], x[1] + 1, x.sum()]), np.array([0.0, 2.0, 3.0]))
    same(numloom.array([x, x]), np.array([[0.0, 1, 2], [0.0, 1, 2]]))


def test_shapes_and_copies():
    rng = np.random.default_rng(5)
    for code in CODES:
        for _ in range(10):
            a, b = random_pair(rng, code)
            for shape in (-1, (-1,), (1, -1), a.shape, a.shape[::-1], (-1, 2), (7, 7), (-1, -1), (a.size,), (-2,)):
                want, got = outcome(lambda a=a, s=shape: a.reshape(s)), outcome(lambda b=b, s=shape: b.reshape(s))
                same(got, want, f"{a.shape} {shape}") if not isinstance(want, tuple) else None
                if isinstance(want, tuple):
                    assert got == want
                elif want.size:
                    assert np.shares_memory(want, a) == _core.shares_storage(got, b)
                same(outcome(lambda b=b, s=shape: numloom.reshape(b, s)), want) if not isinstance(want, tuple) else None
            for name in ("copy",):
                got, want = getattr(b, name)(), getattr(a, name)()
                same(got, want)
                assert strides(got) == strides(want)
                got, want = numloom.copy(b), np.copy(a)
                assert strides(got) == strides(want)
                assert not _core.shares_storage(got, b)
            for other in (*CODES, float, int, bool, complex, np.float32, "i8"):
                got, want = outcome(lambda b=b, o=other: b.astype(o)), outcome(lambda a=a, o=other: a.astype(o))
                same(got, want, f"{code} {other}")
                assert strides(got) == strides(want)
            same(
                outcome(lambda b=b: b.item())[:1] if a.size != 1 else b.item(),
                outcome(lambda a=a: a.item())[:1] if a.size != 1 else a.item(),
            )
            if a.size == 1:
                assert type(b.item()) is type(a.item())
    same(numloom.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3))
    same(numloom.arange(6).reshape(2, -1), np.arange(6).reshape(2, -1))


def test_every_negative_extent_is_unknown():
    """Also those that are no -1; and what does not fit is told in NumPy's words."""

    def new_shape(x, shape):
        x = x.copy()
        x.shape = shape
        return x

    def shape_of(f):
        result = outcome(f)
        return result if isinstance(result, tuple) else result.shape

    for base in ((6,), (0, 3), (), (3, 4)):
        a = np.arange(math.prod(base)).reshape(base)
        b = ours(a)
        for shape in itertools.chain.from_iterable(
            itertools.product((-3, -2, -1, 0, 1, 2, 3), repeat=r) for r in (1, 2, 3)
        ):
            want = shape_of(lambda a=a, s=shape: a.reshape(s))
            assert shape_of(lambda b=b, s=shape: b.reshape(s)) == want, (base, shape)
            assert shape_of(lambda b=b, s=shape: new_shape(b, s)) == want, (base, shape)


def test_they_look_like_the_functions():
    for name in (*REDUCTIONS, "where"):
        f = getattr(numloom, name)
        assert f.__name__ == getattr(np, name).__name__
        assert f.__doc__ == getattr(np, name).__doc__
        assert f.__module__ == "numloom"
        assert pickle.loads(pickle.dumps(f)) is f
        assert repr(f).startswith("<function") or repr(f).startswith("<staticmethod")
    assert inspect.signature(numloom.sum)
    assert numloom.ndarray.sum.__name__ == "sum"

    class Holder:
        total = numloom.sum

    with pytest.raises(TypeError):
        Holder().total(numloom.ones(3))  # binds, as NumPy's function does
    with pytest.raises(ValueError, match="no quick form"):
        _core.quick("subtract", print)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("name", ["sort", "argsort", "cumsum"])
def test_sorting_and_running_totals(name, code):
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = random_pair(rng, code)
        for kwargs in ({}, {"axis": 0}, {"axis": -1}, {"axis": None}, {"axis": 9}):
            more = {"kind": "stable"} if name == "argsort" else {}  # ours are always stable
            want = outcome(lambda a=a, k=kwargs | more: getattr(np, name)(a, **k))
            calls = [
                lambda b=b, k=kwargs: getattr(numloom, name)(b, **k),
                lambda b=b, k=kwargs: getattr(numloom, name).__wrapped__(b, **k),
            ]
            if name != "sort":
                calls.append(lambda b=b, k=kwargs: getattr(b, name)(**k))
            for call in calls:
                got = outcome(call)
                if isinstance(want, tuple):
                    assert got[0] is want[0], (name, code, a.shape, kwargs, got)
                else:
                    same(got, want, f"{name} {code} {a.shape} {kwargs}", 64)


@pytest.mark.parametrize("code", CODES)
def test_norm_and_repeat(code):
    rng = np.random.default_rng(4)
    for _ in range(20):
        a, b = random_pair(rng, code)
        for call in (
            lambda xp, x: xp.linalg.norm(x),
            lambda xp, x: xp.repeat(x, 3),
            lambda xp, x: x.repeat(2),
            lambda xp, x: xp.repeat(x, 0),
            lambda xp, x: xp.repeat(x, -1),
            lambda xp, x: x.repeat(2, 0),
        ):
            want, got = outcome(lambda a=a, call=call: call(np, a)), outcome(lambda b=b, call=call: call(numloom, b))
            if isinstance(want, tuple):
                assert got[0] is want[0], (code, a.shape, got)
            else:
                same(got, want, f"{code} {a.shape}", 64)


@pytest.mark.parametrize("code", CODES)
def test_positions_of_extremes_in_long_lines(code):
    rng = np.random.default_rng(5)
    for n in (15, 31, 64, 65, 127, 200, 2047, 2049, 5000, 70_001):
        for few in (False, True):
            a = values(rng, code, (n,))
            if few:
                a = a[rng.integers(0, min(n, 4), n)]
            b = ours(a)
            numloom.eval(b)
            for name in ("argmax", "argmin"):
                assert getattr(b, name)() == getattr(a, name)(), (name, n, few)
                if n % 5 == 0:
                    for axis in (0, 1):
                        same(getattr(b.reshape(5, -1), name)(axis), getattr(a.reshape(5, -1), name)(axis), name)


def test_iteration_sees_what_the_body_writes():
    for xp in (np, numloom):
        x = xp.arange(6.0)[::-1]
        seen = []
        for i, v in enumerate(x):
            seen.append(float(v))
            x[(i + 1) % 6] = v + 10
        assert seen == [5.0, 15.0, 25.0, 35.0, 45.0, 55.0]
        assert all(type(v) is np.float64 for v in xp.arange(3.0))
