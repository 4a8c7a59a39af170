"""What the tests of the bindings share: dtypes, sample values, comparison with NumPy's results and errors."""

import warnings

import numloom
import numpy as np
from numloom import _core

CODES = "?bBhHiIlLefdFD"
DTYPES = [np.dtype(c) for c in CODES]


def values(rng, dtype, shape):
    """Random values that no arithmetic of the tests turns into undefined casts."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        drawn = rng.integers(0, 2, shape)
    elif dtype.kind in "iu":
        drawn = rng.integers(1 if dtype.kind == "u" else -9, 10, shape)
    else:
        drawn = rng.integers(-40, 41, shape) / 8
        if dtype.kind == "c":
            drawn = drawn + 1j * rng.integers(-40, 41, shape) / 8
    return np.asarray(drawn).astype(dtype)


def ours(array):
    """A numloom array with the same elements and, up to sign, the same memory order."""
    return _core.from_host(np.asarray(array))


def host(x):
    """Our arrays and lazy scalars as NumPy's."""
    if _core.is_scalar(x):
        return x._value()
    return _core.to_host(x) if type(x) is numloom.ndarray else x


def outcome(f):
    """The result of f(), or the exception's class and text."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return f()
        except Exception as e:
            return type(e), str(e)


def same(got, want, what="", ulp=0):
    """Asserts equal dtype, shape and values (NaN equal, signed zeros told apart where exact)."""
    if isinstance(want, tuple) and len(want) == 2 and isinstance(want[0], type):
        assert got == want, f"{what}: {got!r} instead of {want!r}"
        return
    assert not (isinstance(got, tuple) and len(got) == 2 and isinstance(got[0], type)), f"{what}: {got!r}"
    got = host(got)
    assert np.shape(got) == np.shape(want), what
    if isinstance(want, np.ndarray | np.generic):
        assert got.dtype == want.dtype, f"{what}: {got.dtype} instead of {want.dtype}"
        assert isinstance(got, np.ndarray) == isinstance(want, np.ndarray), what
    if ulp and np.asarray(want).dtype.kind in "fc":
        np.testing.assert_allclose(got, want, rtol=ulp * np.finfo(want.dtype).eps, atol=0, err_msg=what)
    else:
        np.testing.assert_array_equal(got, want, err_msg=what)
        if np.asarray(want).dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(got), np.signbit(want), err_msg=what)


def random_slice(rng, n):
    """A slice of an axis of length n: any step, sometimes out of bounds or empty."""

    def bound():
        return None if rng.random() < 0.3 else int(rng.integers(-n - 2, n + 3))

    return slice(bound(), bound(), [None, 1, 2, 3, -1, -2][rng.integers(6)])


def random_key(rng, shape, integers=0.3):
    """A basic index into an array of that shape."""
    key = []
    for n in shape[: rng.integers(len(shape) + 1)]:
        if rng.random() < integers and n:
            i = int(rng.integers(-n, n))
            key.append(np.int64(i) if rng.random() < 0.2 else i)
        else:
            key.append(random_slice(rng, n))
        if rng.random() < 0.15:
            key.append(None)
    if rng.random() < 0.3:
        key.insert(rng.integers(len(key) + 1), Ellipsis)
    if len(key) == 1 and rng.random() < 0.7:
        return key[0]
    return tuple(key)


def random_pair(rng, dtype, rank=None):
    """One array as (NumPy's, ours), seen through the same random view: steps, reversed and transposed axes."""
    shape = tuple(rng.integers(0, 6, rng.integers(0, 5) if rank is None else rank).tolist())
    a = values(rng, dtype, shape)
    b = ours(a)
    if rng.random() < 0.5:
        key = tuple(slice(None, None, int(rng.choice([1, 2, -1, -2]))) for _ in shape) or ...
        a, b = a[key], b[key]
    if rng.random() < 0.4:
        a, b = a.T, b.T
    return a, b
