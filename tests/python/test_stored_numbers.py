"""Numbers that do not fit where they are stored: refused, cast or warned of as NumPy does, in every way of storing."""

import warnings

import numpy
import pytest

np = pytest.importorskip("numloom")

STORES = [
    "a[0] = v",
    "a[:2] = v",
    "a[...] = v",
    "a[[0]] = v",
    "a[np.array([0, 1])] = v",
    "a[np.array([True, False, True])] = v",
    "a.fill(v)",
    "a.flat[0] = v",
    "a.flat[:] = v",
    "np.put(a, [0], v)",
    "np.putmask(a, np.array([True, False, True]), v)",
    "np.place(a, np.array([True, False, True]), v)",
    "np.copyto(a, v)",
    "np.copyto(a, v, casting='unsafe')",
    "np.copyto(a, v, casting='unsafe', where=np.array([True, False, True]))",
    "a[:] = np.full(3, v, dtype=a.dtype)",
    "a[:] = np.full_like(a, v)",
    "a[:1] = np.array([v], dtype=a.dtype)",
    "a[:1] = np.asarray(v, dtype=a.dtype)",
    "b = np.zeros((3, 3), a.dtype); np.fill_diagonal(b, v); a[:] = b.diagonal()",
    "np.put_along_axis(a, np.array([0]), v, 0)",
    "a[:] = np.insert(a, 1, v)[:3]",
    "r = np.append(a, v)",
    "a[:] = np.pad(a, 1, constant_values=v)[:3]",
    "r = np.where(np.array([True, False, True]), a, v)",
    "r = np.select([np.array([True, False, True])], [a], v)",
    "a += v",
    "r = a < v",
    "r = np.sum(a, initial=v)",
    "r = np.max(a, initial=v)",
    "r = np.r_[a, v]",
]
NUMBERS = [
    *("70000", "-1", "300", "10**100", "70000.0", "1e300", "float('nan')", "2**63", "True", "1 + 2j"),
    *("np.float64(70000.0)", "np.float32(70000)", "np.float64(1e300)", "np.int64(70000)", "np.int64(-1)", "np.True_"),
    *("[70000]", "[1.5]", "[float('nan')]", "[np.int64(70000)]", "(1e300,)", "[[1]]", "[1, 2]", "[1, 2, 3]"),
    *("np.array(70000)", "np.array([70000])", "np.array([float('nan')])", "np.array([2.5])"),
    *("np.array(70000).sum()", "np.array([1e300]).sum()", "np.array(-1).sum()", "'x'", "'3'", "None"),
]
# NumPy says more often what we say once, or the other way round; or refuses for a boolean what it takes elsewhere.
ONCE = ("np.pad", "np.select")
HUGE = ("10**100", "2**63")


def outcome(module, store, number, code):
    names = {"np": module, "a": module.zeros(3, code)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            names["v"] = eval(number, names)
            exec(store, names)
            result = [numpy.asarray(names.get("r", names["a"])).tolist(), str(names.get("r", names["a"]).dtype)]
        except Exception as error:
            result = [type(error).__name__, str(error)]
        said = sorted(str(w.message) for w in caught)
    return repr(result), said


@pytest.mark.parametrize("code", list("efdFbBilL?"))
@pytest.mark.parametrize("store", STORES)
def test_stores(store, code):
    for number in NUMBERS:
        if code == "?" and number in HUGE:
            continue
        got, want = outcome(np, store, number, code), outcome(numpy, store, number, code)
        if any(name in store for name in ONCE):
            got, want = (got[0], set(got[1])), (want[0], set(want[1]))
        assert got == want, f"{store} with v = {number}"


DIVISIONS = [
    *("a // b", "a % b", "divmod(a, b)", "np.floor_divide(a, b)", "np.remainder(a, b)", "np.fmod(a, b)", "a // -1"),
    *("a % -1", "a // b[0]", "a[0] // b", "-a", "abs(a)", "a // 0", "a % 0", "divmod(a, c)", "divmod(a, 0)"),
    *("divmod(a, -1)", "divmod(1, c)", "np.divmod(a, c)", "np.divmod(a, b)", "a // c", "np.gcd(a, b)"),
    *(
        "np.floor_divide(a, b, out=c)",
        "np.floor_divide(a, b, where=a < 0, out=c)",
        "a // both",
        "a // wide",
        "np.lcm(a, b)",
    ),
    *("np.floor_divide.accumulate(a)", "np.floor_divide.reduce(both)", "(a + 1) // b", "a[::2] // b[::2]", "b // a"),
]


@pytest.mark.parametrize("code", "bhilBL")
@pytest.mark.parametrize("text", DIVISIONS)
def test_integer_divisions_that_overflow(text, code):
    least = int(numpy.iinfo(code).min)
    for action in ("warn", "raise", "ignore"):
        found = []
        for module in (np, numpy):
            names = {"np": module, "a": module.full(5, least, code), "c": module.zeros(5, code)}
            names["b"] = module.full(5, -1 if least else 1, code)
            names["both"] = module.array([least, -1 if least else 1, 0, 1, 2]).astype(code)
            names["wide"] = module.full(5, -1 if least else 1, "i8" if least else "u8")
            with warnings.catch_warnings(record=True) as caught, module.errstate(all=action):
                warnings.simplefilter("always")
                try:
                    result = repr(eval(text, names))
                except Exception as error:
                    result = type(error).__name__, str(error)
            found.append((result, [str(w.message) for w in caught]))
        assert found[0] == found[1], (action, text)
