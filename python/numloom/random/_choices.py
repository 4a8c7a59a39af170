"""Random order and random choice: positions are drawn by the library, elements move by the engine."""

import math
import operator

import numpy

from numloom import _core
from numloom._base import FLOAT, INT, NotNative, asnative, axis_index, converted, ndarray, to_numpy
from numloom._library import dense, taken
from numloom._registry import NATIVE
from numloom._ufunc import reduce_op
from numloom.random._distributions import some
from numloom.random._streams import NUMBER, draw_flat, draw_settled, shape_of

_MANY = 10_000  # a population from which a sample is drawn out of a shuffled one if it is large


def shuffled(stream, n, first=1, lemire=False):
    """The positions below n in random order."""
    with stream.lock:
        return _core.draw_shuffled(stream.capsule, n, first, lemire)


def ordered(a, axis):
    """The axis of an array as NumPy counts it."""
    try:
        return axis_index(operator.index(axis), a.ndim)
    except (TypeError, ValueError):
        raise NotNative from None


def shuffle(stream, x, axis):
    if type(x) is not ndarray or not _core.writeable(x) or x.ndim == 0:
        raise NotNative
    axis = ordered(x, axis)
    if x.size == 0:
        return
    index = shuffled(stream, x.shape[axis])
    _core.assign(x, taken(x, index, axis))


def legacy_shuffle(stream, x):
    return shuffle(stream, x, 0)


def permutation(stream, x, axis):
    if isinstance(x, int | numpy.integer) and not isinstance(x, numpy.uint64):
        return shuffled(stream, int(x)) if x > 0 else _core.empty((0,), INT)
    a = asnative(x)
    if a.ndim == 0 and type(x) is ndarray:
        raise NotNative
    axis = ordered(a, axis)
    if a.size == 0:
        raise NotNative
    return taken(a, shuffled(stream, a.shape[axis]), axis)


def legacy_permutation(stream, x):
    return permutation(stream, x, 0)


def probabilities(p, population):
    """p as float64 in [0, 1] that sums to one, and its running sum divided by the last; NotNative for errors."""
    tolerance = 1.5e-8 if numpy.dtype(getattr(p, "dtype", FLOAT)).itemsize >= 8 else 3.4e-4
    p = asnative(p)
    if p.dtype.kind not in "biuf":
        raise NotNative
    tolerance = max(tolerance, 3.2e-2) if p.dtype.itemsize < 4 and p.dtype.kind == "f" else tolerance
    p = converted(p, FLOAT)
    if p.shape != (population,) or population == 0:
        raise NotNative
    total = float(reduce_op("add", p, (0,), FLOAT))
    # What is near the tolerance is left to NumPy, whose sum is another.
    if not abs(total - 1.0) < tolerance * 0.99 or some(p < 0):
        raise NotNative
    return p


def distribution_function(p):
    """The running sum of p divided by its last element, added in order."""
    sums = NATIVE["cumsum"](p)
    return sums / float(sums[-1])


def places(p, flat):
    """Where uniform numbers fall in the distribution function of p."""
    out = _core.empty(flat.shape, INT)
    if out.size:
        _core.library("searchsorted", (1,), out, dense(distribution_function(p)), dense(flat))
    return out


def without_replacement(stream, p, n):
    """n different positions with probabilities p, as NumPy draws them: again and again those that are still missing."""
    if n > int(reduce_op("add", converted(p > 0, INT), (0,), INT)):
        raise NotNative
    p = p.copy()
    found = numpy.empty(n, dtype=numpy.int64)  # a small host array that grows
    have = 0
    while have < n:
        flat = draw_flat(stream, (n - have,))
        if have:
            p[_core.from_host(found[:have])] = 0.0
        new = to_numpy(places(p, flat)).tolist()
        for place in dict.fromkeys(new):
            found[have] = place
            have += 1
    return _core.from_host(found)


def different(stream, population, n, shuffle, legacy):
    """n different positions below `population`."""
    if legacy:
        return shuffled(stream, population)[:n]
    if population > _MANY and n > population // (50 if shuffle else 20):
        index = shuffled(stream, population, max(population - n, 1), True)
        return index[population - n :].copy()
    with stream.lock:
        return _core.draw_sample(stream.capsule, population, n, bool(shuffle))


def choice(legacy):
    integers = NUMBER["legacy_integers_8" if legacy else "integers_8"]

    def implementation(stream, a, size, replace, p, axis, shuffle):
        elements = None
        if type(a) is int or isinstance(a, numpy.integer):
            population = int(a)
        else:
            elements = asnative(a)
            if elements.ndim == 0 or legacy and elements.ndim != 1:
                raise NotNative
            axis = ordered(elements, axis)
            population = elements.shape[axis]
        shape = None if size is None else shape_of(size)
        n = 1 if shape is None else math.prod(shape)
        if population <= 0 or n == 0:
            raise NotNative
        if p is not None:
            p = probabilities(p, population)
        if replace:
            index = (
                draw_settled(stream, integers, (0, population - 1), shape or (), INT)
                if p is None
                else places(p, draw_flat(stream, shape) if shape else one_flat(stream))
            )
        else:
            if n > population:
                raise NotNative
            index = (
                different(stream, population, n, shuffle, legacy) if p is None else without_replacement(stream, p, n)
            )
            index = index.reshape(shape or ())
        return chosen(index, elements, axis, shape is None)

    return implementation


def one_flat(stream):
    """A uniform number as a 0-d array."""
    return draw_settled(stream, NUMBER["random"], (), ())


def chosen(index, elements, axis, is_scalar):
    """What `choice` returns for the positions that were drawn."""
    if elements is None:
        return index.item() if is_scalar else index
    if is_scalar and elements.ndim == 1:
        return elements[index.item()]
    return taken(elements, index, axis)


def legacy_choice(stream, a, size, replace, p):
    return _legacy_choice(stream, a, size, replace, p, 0, True)


_legacy_choice = choice(True)
