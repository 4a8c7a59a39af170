"""Operators of the array type against NumPy: pairs of dtypes, Python numbers, broadcasting, memory order, in place."""

import operator
import warnings

import core_cases as cases
import numloom
import numpy as np
import pytest
from core_cases import CODES, DTYPES, ours, outcome, random_pair, same, values
from numloom import _core

BINARY = [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "and_",
    "or_",
    "xor",
    "lshift",
    "rshift",
    "lt",
    "le",
    "eq",
    "ne",
    "gt",
    "ge",
]
UNARY = ["neg", "pos", "abs", "invert"]
IN_PLACE = ["iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "iand", "ior", "ixor", "ilshift", "irshift"]
NUMBERS = [
    0,
    1,
    2,
    3,
    -1,
    True,
    0.5,
    2.0,
    -1.0,
    1.5,
    2j,
    1 + 1j,
    300,
    70000,
    2**40,
    -129,
    2**63,
    -(2**63),
    2**64,
    2**70,
]
# Not exact: powers, and NumPy's complex division, whose scaling is its own.
ULP = {"pow": 16, "truediv": 4}


def both(op, a, b, x, y, what):
    f = getattr(operator, op)
    same(outcome(lambda: f(x, y)), outcome(lambda: f(a, b)), what, ULP.get(op, 0))


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("code", CODES)
def test_pairs_of_dtypes(op, code):
    rng = np.random.default_rng(1)
    for other in DTYPES:
        a, b = values(rng, code, (3, 4)), values(rng, other, (4,))
        if op in ("lshift", "rshift", "pow"):
            b = abs(b) if b.dtype.kind != "b" else b
        if op in ("floordiv", "mod"):
            b[b == 0] = 1
        both(op, a, b, ours(a), ours(b), f"{op} {code} {other}")
        both(op, b, a, ours(b), ours(a), f"{op} {other} {code}") if op not in (
            "lshift",
            "rshift",
            "pow",
            "floordiv",
            "mod",
        ) else None


@pytest.mark.parametrize("op", BINARY)
@pytest.mark.parametrize("code", CODES)
def test_python_numbers(op, code):
    rng = np.random.default_rng(2)
    a = values(rng, code, (5,))
    a[a == 0] = 1
    for n in NUMBERS:
        if op in ("lshift", "rshift") and isinstance(n, int) and not 0 <= n < 8:
            continue
        if op in ("floordiv", "mod") and n == 0:
            continue
        if op == "pow" and isinstance(n, int) and abs(n) > 3:
            continue
        both(op, a, n, ours(a), n, f"{code} {op} {n!r}")
        if op not in ("lshift", "rshift", "pow"):
            both(op, n, a, n, ours(a), f"{n!r} {op} {code}")


@pytest.mark.parametrize("op", ["add", "mul", "truediv", "lt", "eq"])
@pytest.mark.parametrize("code", CODES)
def test_numpy_operands(op, code):
    rng = np.random.default_rng(3)
    a = values(rng, code, (5,))
    for other in DTYPES:
        s = values(rng, other, ())[()]
        both(op, a, s, ours(a), s, f"{code} {op} scalar {other}")
        b = values(rng, other, (2, 5))
        same(
            outcome(lambda b=b: getattr(operator, op)(ours(a), b)),
            outcome(lambda b=b: getattr(operator, op)(a, b)),
            "array",
            4,
        )
        same(
            outcome(lambda b=b: getattr(operator, op)(b, ours(a))),
            outcome(lambda b=b: getattr(operator, op)(b, a)),
            "array",
            4,
        )
    both(op, a, [1, 2, 3, 4, 5], ours(a), [1, 2, 3, 4, 5], "list")


@pytest.mark.parametrize("op", UNARY)
@pytest.mark.parametrize("code", CODES)
def test_unary(op, code):
    rng = np.random.default_rng(4)
    for _ in range(8):
        a, b = random_pair(rng, code)
        f = getattr(operator, op)
        same(
            outcome(lambda b=b, f=f: f(b)),
            outcome(lambda a=a, f=f: f(a)),
            f"{op} {code}",
            4 if a.dtype.kind == "c" else 0,
        )


@pytest.mark.parametrize("op", IN_PLACE)
@pytest.mark.parametrize("code", CODES)
def test_in_place(op, code):
    rng = np.random.default_rng(5)
    f = getattr(operator, op)
    operands = [values(rng, other, (4,)) for other in CODES] + [
        2,
        1.5,
        300,
        values(rng, code, (2, 4)),
        values(rng, code, (3,)),
    ]
    for other in operands:
        if isinstance(other, np.ndarray):
            other = np.where(other == 0, other.dtype.type(1), other)
            if op in ("ilshift", "irshift") and other.dtype.kind != "b":
                other = abs(other)
        if op in ("ilshift", "irshift") and not isinstance(other, np.ndarray) and other == 300:
            continue
        a = values(rng, code, (4,))
        b = ours(a)
        right = ours(other) if isinstance(other, np.ndarray) else other
        want = outcome(lambda a=a, other=other: f(a, other))
        got = outcome(lambda b=b, right=right: f(b, right))
        if not isinstance(want, tuple):
            assert got is b
            want = a
        same(got, want, f"{op} {code} {other!r}", 4)
        same(b, a, "the array itself", 4)


def test_memory_order_of_results():
    rng = np.random.default_rng(6)
    for _ in range(300):
        a, b = random_pair(rng, "d")
        c, d = random_pair(rng, "f", a.ndim) if rng.random() < 0.5 else (a, b)
        if rng.random() < 0.5 and a.ndim > 1:
            axes = rng.permutation(a.ndim).tolist()
            a, b = a.transpose(axes), _core.permute_view(b, axes)
        want, got = outcome(lambda a=a, c=c: a + c), outcome(lambda b=b, d=d: b + d)
        same(got, want)
        if isinstance(want, np.ndarray) and want.size:
            keep = [i for i in range(want.ndim) if want.shape[i] > 1]
            assert [got.strides[i] for i in keep] == [want.strides[i] for i in keep], (
                a.strides,
                c.strides,
                a.shape,
                c.shape,
            )


def test_power_short_cuts():
    rng = np.random.default_rng(7)
    for code in "bilefdFD":
        a = abs(values(rng, code, (9,))) + 1
        a = a.astype(code)
        for e in (0, 1, 2, 3, -1, 0.5, 2.0, 1.0, -1.0, 0.0):
            want, got = outcome(lambda a=a, e=e: a**e), outcome(lambda a=a, e=e: ours(a) ** e)
            same(got, want, f"{code}**{e}", 16)


def test_integers_to_negative_powers():
    text = (ValueError, "Integers to negative integer powers are not allowed.")
    x = numloom.array([1, 2, 3])
    assert outcome(lambda: x**-1) == text
    assert outcome(lambda: 2 ** numloom.array([1, -1])) == text
    assert outcome(lambda: x ** numloom.array([1, 2, -3])) == text
    assert outcome(lambda: operator.ipow(x, -2)) == text
    same(x, np.array([1, 2, 3]))
    same(2 ** numloom.array([0, 3]), np.array([1, 8]))


def test_divmod():
    rng = np.random.default_rng(8)
    for code in "bBlfd":
        a, b = values(rng, code, (6,)), values(rng, code, (6,))
        b[b == 0] = 2
        for got, want in zip(divmod(ours(a), ours(b)), divmod(a, b), strict=True):
            same(got, want)
        for got, want in zip(divmod(7, ours(b)), divmod(7, b), strict=True):
            same(got, want)


def test_errors():
    x, y = np.ones(3), np.ones(4)
    for f in (
        lambda a, b: a + b,
        lambda a, b: a.__iadd__(b),
        lambda a, b: b < a,
        lambda a, b: a.__iadd__(np.ones((2, 3))),
        lambda a, b: np.add(a, a, out=b),
    ):
        want = outcome(lambda f=f: f(x.copy(), y.copy()))
        assert outcome(lambda f=f: f(ours(x), ours(y))) == want
    r = numloom.broadcast_to(numloom.ones(3), (2, 3))
    assert outcome(lambda: operator.iadd(r, 1)) == (ValueError, "output array is read-only")


def test_foreign_operands():
    class Deferring:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "mine"

        def __add__(self, other):
            return "mine too"

    class Prior:
        __array_priority__ = 10

        def __rmul__(self, other):
            return "prior"

    x = numloom.arange(3)
    assert x + Deferring() == "mine"
    assert Deferring() + x == "mine too"
    assert x * Prior() == "prior"
    for other in (None, "text", object):
        same(outcome(lambda o=other: x == o), outcome(lambda o=other: np.arange(3) == o))
        same(outcome(lambda o=other: x + o)[0], outcome(lambda o=other: np.arange(3) + o)[0])
    masked = np.ma.masked_array([1, 2, 3], [0, 1, 0])
    assert isinstance(x * masked, np.ma.MaskedArray)


def test_mixed_sign_comparisons_are_exact():
    big = np.array([2**63, 2**63 + 1, 5], "u8")
    small = np.array([-1, 5, 5], "i8")
    for op in ("lt", "le", "eq", "ne", "gt", "ge"):
        both(op, big, small, ours(big), ours(small), op)
    for n in (-1, 2**63, 2**64, 2**70):
        for op in ("lt", "eq", "ge"):
            both(op, big, n, ours(big), n, f"{op} {n}")


def test_recording_evaluates_nothing():
    x = numloom.ones((20, 20))
    _core.flush()
    before = _core.stats()
    y = x + x * 2.0 - x[::-1]
    y += 1
    z = y[1:, 1:] + (y < 3)[:-1, :-1]
    z[2:4] = 7
    after = _core.stats()
    assert after["evaluations"] == before["evaluations"]
    assert after["host_calls"] == before["host_calls"]
    want = np.ones((20, 20)) * 2.0 + 1
    want += 1 - 1
    assert cases.host(z)[0, 0] == 3.0
    assert cases.host(z)[2, 0] == 7.0


@pytest.mark.parametrize("code", "bBhHiIlL")
def test_integer_division_by_zero(code):
    a, b = np.array([4, 5, 6], code), np.array([2, 0, 1], code)
    calls = {
        "x // y": 1,
        "x % y": 1,
        "x // 0": 1,
        "7 // y": 1,
        "np.fmod(x, y)": 1,
        "np.reciprocal(y)": 2,
        "x // 2": 0,
        "x // x": 0,
        "x[:0] // 0": 0,
        "operator.ifloordiv(x.copy(), y)": 1,
    }
    for text, count in calls.items():
        found = []
        for module, pair in ((np, (a.copy(), b)), (numloom, (ours(a), ours(b)))):
            names = {"np": module, "operator": operator, "x": pair[0], "y": pair[1]}
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = eval(text, names)
            found.append([(w.category, str(w.message)) for w in caught])
            with np.errstate(divide="raise"):
                raised = outcome_raised(text, names)
            found.append(raised)
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("error")
                eval(text, names)
            if module is np:
                want = result
        same(result, want, text)
        assert found[0] == found[2], text
        assert found[1] == found[3], text
        assert len(found[0]) == count, text


def outcome_raised(text, names):
    try:
        eval(text, names)
    except FloatingPointError as e:
        return str(e)
    return None


@pytest.mark.parametrize("dtype", ["?", "b", "i", "l", "f", "d", "D"])
def test_in_place_matrix_product_casts_as_numpy(dtype):
    for other in (2, 2.0, np.ones((2, 2)), np.ones(2), np.ones((2, 2), "i"), np.ones((2, 3), dtype)):
        outcomes = []
        for module in (np, numloom):
            a = module.ones((2, 2), dtype)
            given = module.array(other) if isinstance(other, np.ndarray) else other
            kept = a
            try:
                a @= given
                outcomes.append((a is kept, np.asarray(a).tolist()))
            except Exception as error:
                outcomes.append((type(error).__name__, np.asarray(a).tolist()))
        assert outcomes[0] == outcomes[1], (dtype, other)


def test_flat_is_written_through_however_memory_lies():
    for a in (numloom.arange(6.0), numloom.arange(12).reshape(3, 4)[:, ::-2]):
        want = np.array(np.asarray(a))
        for x in (a, want):
            x.flat[0] = 7
            x.flat[1:4:2] = [8, 9]
            x.flat[[-1]] = 5
        assert np.asarray(a).tolist() == want.tolist() and a.flat[0] == 7 and list(a.flat) == list(want.flat)
