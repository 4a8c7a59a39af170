"""Sets: sorted unique values and what is made of them."""

import collections

import numpy

from numloom import _core
from numloom._base import BOOL, INT, PYTHON_NUMBERS, NotNative, asnative, astype
from numloom._library import compressed, isin, sorted_along, taken, unique
from numloom._manipulation import concatenate, raveled
from numloom._registry import native


def values(x):
    """The sorted unique values of anything with one real native dtype."""
    a = asnative(x)
    if a.dtype.kind == "c":
        raise NotNative
    return unique.__numloom_native__(a)


def pair(a, b):
    a, b = asnative(a), asnative(b)
    dtype = numpy.promote_types(a.dtype, b.dtype)
    if dtype.kind not in "biuf":
        raise NotNative
    return tuple([raveled(x if x.dtype == dtype else astype(x, dtype)) for x in (a, b)])


@native
def union1d(ar1, ar2):
    if type(ar1) in PYTHON_NUMBERS or type(ar2) in PYTHON_NUMBERS:
        raise NotNative  # numbers take the other's dtype here
    return values(concatenate(list(pair(ar1, ar2))))


@native
def setdiff1d(ar1, ar2, assume_unique=False):
    a, b = asnative(ar1), asnative(ar2)
    if a.dtype.kind == "c" or b.dtype.kind == "c":
        raise NotNative
    a = raveled(a) if assume_unique else values(a)
    return compressed(a, isin.__numloom_native__(a, b, invert=True))


@native
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    if return_indices:
        raise NotNative
    a, b = pair(ar1, ar2)
    if not assume_unique:
        a, b = values(a), values(b)
    both = sorted_along("sort", concatenate([a, b]), 0, a.dtype)
    return compressed(both[:-1], both[1:] == both[:-1]) if both.shape[0] > 1 else both[:0]


@native
def setxor1d(ar1, ar2, assume_unique=False):
    a, b = pair(ar1, ar2)
    if not assume_unique:
        a, b = values(a), values(b)
    both = sorted_along("sort", concatenate([a, b]), 0, a.dtype)
    n = both.shape[0]
    if n == 0:
        return both
    new = _core.full((n + 1,), BOOL, True)
    new[1:-1] = both[1:] != both[:-1]
    return compressed(both, new[1:] & new[:-1])


def named(name):
    """NumPy's result type of that name."""
    import numpy.lib._arraysetops_impl as sets

    return getattr(sets, name, None) or collections.namedtuple(name, ())


@native
def unique_values(x):
    return unique.__numloom_native__(x, equal_nan=False)


@native
def unique_counts(x):
    return named("UniqueCountsResult")(*unique.__numloom_native__(x, equal_nan=False, return_counts=True))


@native
def unique_inverse(x):
    return named("UniqueInverseResult")(*unique.__numloom_native__(x, equal_nan=False, return_inverse=True))


@native
def unique_all(x):
    return named("UniqueAllResult")(
        *unique.__numloom_native__(x, equal_nan=False, return_index=True, return_inverse=True, return_counts=True)
    )


@native
def sort_complex(a):
    a = asnative(a)
    made = sorted_along("sort", a, -1, a.dtype)
    if a.dtype.kind == "c":
        return made
    return astype(made, numpy.dtype("F" if a.dtype.char in "bhBH" else "D"))


@native
def lexsort(keys, axis=-1):
    keys = [asnative(k) for k in (keys if type(keys) in (list, tuple) else list(asnative(keys)))]
    if not keys or any(k.ndim != 1 or k.shape != keys[0].shape for k in keys) or axis not in (0, -1):
        raise NotNative
    order = None
    for key in keys:  # the last key counts most: stable sorts from the first on
        if order is None:
            order = sorted_along("argsort", key, 0, INT)
        else:
            order = taken(order, sorted_along("argsort", taken(key, order, 0), 0, INT), 0)
    return order
