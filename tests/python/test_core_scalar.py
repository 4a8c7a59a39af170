"""Lazy scalars: to Python code they are NumPy's scalars."""

import copy
import json
import math
import numbers
import operator
import pickle

import core_cases as cases
import numloom
import numpy as np
import pytest
from core_cases import CODES, outcome, same
from numloom import _core


def lazy(value, dtype=None):
    """A scalar that nobody has looked at."""
    a = np.asarray(value, dtype)
    return _core.reduce_new("add", a.dtype, _core.from_host(a.reshape(1)), (0,))


PLAIN = {
    "b": 5,
    "B": 6,
    "h": -7,
    "H": 8,
    "i": 9,
    "I": 10,
    "l": -11,
    "L": 12,
    "e": 1.5,
    "f": 2.5,
    "d": -3.25,
    "F": 1 + 2j,
    "D": 2 - 1j,
}


@pytest.mark.parametrize("code", PLAIN)
def test_it_is_the_numpy_scalar(code):
    want = np.dtype(code).type(PLAIN[code])
    s = lazy(want)
    assert _core.is_scalar(s)
    assert s.dtype == want.dtype
    assert s.shape == ()
    assert s.ndim == 0
    assert s.size == 1
    assert s.__class__ is type(want)
    for kind in (
        np.generic,
        np.number,
        np.floating,
        np.integer,
        np.complexfloating,
        type(want),
        numbers.Number,
        numbers.Real,
    ):
        assert isinstance(s, kind) == isinstance(want, kind), kind
    assert not isinstance(s, np.ndarray)
    before = _core.stats()["evaluations"]
    assert hash(lazy(want)) == hash(want)
    assert _core.stats()["evaluations"] > before
    assert repr(lazy(want)) == repr(want)
    assert str(lazy(want)) == str(want)
    assert f"{lazy(want)}" == f"{want}"
    assert {lazy(want): 1}[want] == 1
    assert type(s._value()) is type(want)
    assert s.item() == want.item()
    assert type(s.item()) is type(want.item())
    same(np.asarray(lazy(want)), np.asarray(want))
    assert type(np.asarray(lazy(want), dtype=complex)) is np.ndarray
    for f in (float, int, complex, bool, operator.index, abs, operator.neg, round, math.floor, math.trunc):
        same(outcome(lambda f=f: f(lazy(want))), outcome(lambda f=f: f(want)), f.__name__)


@pytest.mark.parametrize("code", PLAIN)
def test_copies_and_pickles(code):
    want = np.dtype(code).type(PLAIN[code])
    s = lazy(want)
    assert pickle.loads(pickle.dumps(s)) == want
    assert type(pickle.loads(pickle.dumps(s))) is type(want)
    assert copy.copy(s) is s
    assert copy.deepcopy([s])[0] == want


@pytest.mark.parametrize("op", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "eq", "ne", "ge"])
def test_arithmetic(op):
    f = getattr(operator, op)
    for a in PLAIN:
        for b in PLAIN:
            x, y = (
                np.dtype(a).type(PLAIN[a]),
                np.dtype(b).type(abs(PLAIN[b]) if not b.isupper() or b in "BHIL" else PLAIN[b]),
            )
            want = outcome(lambda x=x, y=y: f(x, y))
            if isinstance(want, tuple):
                assert outcome(lambda x=x, y=y: f(lazy(x), lazy(y)))[0] is want[0]
                continue
            same(f(lazy(x), lazy(y)), want, f"{a} {op} {b}", 8)
            same(f(lazy(x), y), want, f"{a} {op} {b}", 8)
            same(f(x, lazy(y)), want, f"{a} {op} {b}", 8)
    for n in (3, 2.5, True, 1 + 1j):
        for code in ("l", "f", "d", "D"):
            x = np.dtype(code).type(PLAIN[code])
            for want, got in (
                (outcome(lambda x=x, n=n: f(x, n)), outcome(lambda x=x, n=n: f(lazy(x), n))),
                (outcome(lambda x=x, n=n: f(n, x)), outcome(lambda x=x, n=n: f(n, lazy(x)))),
            ):
                if isinstance(want, tuple):
                    assert got[0] is want[0]
                else:  # Python's complex takes float64 for a float of its own and gives a Python complex
                    same(got, np.complex128(want) if type(want) is complex else want, f"{code} {op} {n}", 8)


def test_arithmetic_stays_lazy():
    _core.flush()
    before = _core.stats()["evaluations"]
    s = lazy(2.0)
    t = s * 3 + lazy(1.0) - np.float64(0.5)
    x = numloom.ones(5) * t
    u = np.float64(2) * t
    assert _core.is_scalar(t)
    assert _core.is_scalar(u)
    assert _core.stats()["evaluations"] == before
    assert float(u) == 13.0
    same(x, np.full(5, 6.5))


def test_a_snapshot():
    x = numloom.ones(10)
    s = x.sum()
    x += 1
    t = x.sum()
    assert float(s) == 10.0
    assert float(t) == 20.0


def test_in_place_makes_a_new_one():
    s = lazy(2.0)
    t = s
    s += 1
    assert float(s) == 3.0
    assert float(t) == 2.0


def test_division_by_zero():
    with np.errstate(all="ignore"):
        assert np.isinf(float(lazy(1.0) / lazy(0.0)))
        assert np.isnan(float(lazy(0.0) / 0))
        assert int(lazy(1) // lazy(0)) == 0


def test_everyday_use():
    x = numloom.arange(5.0)
    assert json.dumps(float(x.sum())) == "10.0"
    assert f"{x.mean():.3f}" == "2.000"
    assert f"{x.sum():8.2e}" == f"{np.float64(10):8.2e}"
    assert "%d %s %.1f" % (x.sum(), x.sum(), x.sum()) == "10 10.0 10.0"  # noqa: UP031
    assert list(range(numloom.arange(4).max())) == [0, 1, 2]
    assert math.sqrt(x.sum()) == math.sqrt(10)
    assert [1, 2] * numloom.array([2]).sum() == [1, 2, 1, 2]
    assert np.float64(x.sum()) == 10.0
    assert np.sqrt(x.sum()) == np.sqrt(10.0)
    assert x.sum().astype(int) == 10
    assert x.sum().real == 10.0
    assert x.sum().is_integer()
    assert (x.sum() > 9 and x.sum() < 11) is not False
    assert np.zeros(3)[numloom.array([1]).sum()] == 0
    assert x[numloom.array([1]).sum()] == 1.0
    assert str(x.sum() == "text") == "False"
    assert (x.sum() == None) is not True  # noqa: E711
    with pytest.raises(AttributeError):
        x.sum().nothing_of_the_kind  # noqa: B018
    with pytest.raises(TypeError):
        x.sum() + "text"
    with pytest.raises(TypeError):
        _core.scalar()


def test_bool_scalars():
    x = numloom.arange(5)
    s = x.max() > 3
    assert _core.is_scalar(s)
    assert isinstance(s, np.bool_)
    assert s
    assert not (x.max() > 4)
    assert (s & True) == np.True_
    assert (~s) == np.False_
    assert cases.host(numloom.array([1, 2, 3])[numloom.array([True, False, True])]).tolist() == [1, 3]


def test_all_dtypes_round_trip():
    for code in CODES:
        a = np.ones(3, code)
        s = _core.to_scalar(_core.view(_core.from_host(a), (), (), 0))
        assert type(s._value()) is a.dtype.type
