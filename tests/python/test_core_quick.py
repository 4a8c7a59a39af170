"""The calls that the bindings do in C agree with the Python functions behind them, and with NumPy."""

import inspect
import pickle

import numloom
import numpy as np
import pytest
from core_cases import CODES, ours, outcome, random_pair, same, values
from numloom import _core

REDUCTIONS = ["sum", "prod", "min", "max", "any", "all", "mean", "var", "std", "argmax", "argmin"]


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
