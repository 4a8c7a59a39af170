"""Arrays with elements added and taken away along axes: padding, insertion, deletion, repetition by counts."""

import numpy

from numloom import _core
from numloom._base import (
    BOOL,
    FLOAT,
    INT,
    NotNative,
    asnative,
    astype,
    axis_index,
    broadcast_shapes,
    copy,
    element_values,
    fortran,
    integer,
    ndarray,
)
from numloom._library import around_axis, checked, compressed, dense, flat_positions, run, taken
from numloom._manipulation import concatenate, moveaxis, raveled, repeat
from numloom._registry import native


def along(a, axis, *bounds):
    """The part of `a` in a slice of one axis."""
    return a[(*(slice(None),) * axis, slice(*bounds))]


# ------------------------------------------------------------------------------------------------------ padding
def pad_pairs(width, ndim):
    """pad_width as ((before, after), ...)."""
    if isinstance(width, dict):
        given = [(0, 0)] * ndim
        for axis, pair in width.items():
            given[axis_index(axis, ndim)] = pair if type(pair) is tuple else (pair, pair)
        width = given
    pairs = numpy.broadcast_to(numpy.asarray(width), (ndim, 2))
    if pairs.dtype.kind != "i":
        raise NotNative
    pairs = pairs.tolist()
    if any(n < 0 for pair in pairs for n in pair):
        raise ValueError("index can't contain negative values")
    return pairs


def number_pairs(values, ndim):
    """An argument as two numbers for each axis."""
    given = numpy.asarray(values)
    if given.dtype.kind not in "biufc":
        raise NotNative
    if given.size == 1:
        return ((given.ravel()[0],) * 2,) * ndim  # NumPy's scalars stay, since they fit into elements by other rules
    return numpy.broadcast_to(given, (ndim, 2)).tolist()


def constant_parts(a, axis, before, after, values):
    """A block of one value on either side."""
    parts = []
    for n, value in zip((before, after), values, strict=True):
        shape = (*a.shape[:axis], n, *a.shape[axis + 1 :])
        part = _core.empty(shape, a.dtype)
        part[...] = value
        parts.append(part)
    return parts


def mirrored_index(n, before, after, mode):
    """Where the elements around [0, n) come from: the periodic continuation of the mode."""
    place = _core.ramp(before + n + after, -before, 1)
    if mode == "wrap":
        return place % n
    if n == 1:
        return place * 0
    period = 2 * n - 2 if mode == "reflect" else 2 * n
    place = place % period
    return _core.elementwise_new("minimum", INT, place, (period if mode == "reflect" else period - 1) - place)


def odd_parts(a, axis, before, after, mode):
    """Mirror images turned about the edge value as well."""
    n = a.shape[axis]
    skip = 1 if mode == "reflect" else 0
    if max(before, after) > n - skip or a.dtype == BOOL:
        raise NotNative
    back = (*(slice(None),) * axis, slice(None, None, -1))
    left = along(a, axis, skip, skip + before)[back]
    right = along(a, axis, n - skip - after, n - skip)[back]
    return 2 * along(a, axis, 0, 1) - left, 2 * along(a, axis, n - 1, n) - right


def ramp_part(a, axis, n, end, edge, reverse):
    """n values from `end` towards the edge, which is not among them."""
    if n == 0 or a.dtype.kind == "c":
        return None if n == 0 else refuse()
    edge = astype(edge, FLOAT)
    gap = edge - end
    step = gap / n
    shape = [1] * a.ndim
    shape[axis] = n
    count = _core.reshape_view(_core.ramp(n, 0, 1), tuple(shape))
    flat = bool((step == 0).any())  # NumPy's linspace then divides first
    made = count / n * gap + end if flat else count * step + end
    if a.dtype.kind in "iu":
        made = _core.elementwise_new("floor", FLOAT, made)
    made = astype(made, a.dtype)
    return made[(*(slice(None),) * axis, slice(None, None, -1))] if reverse else made


def refuse():
    raise NotNative


def statistic_part(a, axis, n, mode, length, first):
    """n times the statistic of the elements nearest to one side."""
    size = a.shape[axis]
    length = size if length is None else min(length, size)
    if length <= 0 or n and a.dtype.kind == "c":
        raise NotNative
    part = along(a, axis, 0, length) if first else along(a, axis, size - length, size)
    if mode in ("maximum", "minimum"):
        made = part.max(axis=axis, keepdims=True) if mode == "maximum" else part.min(axis=axis, keepdims=True)
    elif mode == "mean":
        made = part.mean(axis=axis, keepdims=True)
    else:
        from numloom._quantiles import median

        made = median(part, axis=axis, keepdims=True)
    if a.dtype.kind in "iu" and made.dtype.kind == "f":
        made = _core.elementwise_new("rint", made.dtype, made)
    return _core.broadcast_view(astype(made, a.dtype), (*a.shape[:axis], n, *a.shape[axis + 1 :]))


def padded_axis(a, axis, before, after, mode, options):
    """`a` with one axis padded."""
    n = a.shape[axis]
    if before == 0 and after == 0:
        return a
    if mode in ("constant", "empty"):
        values = options["constant_values"][axis] if mode == "constant" else (0, 0)
        left, right = constant_parts(a, axis, before, after, values)
        return concatenate([left, a, right], axis)
    if n == 0:
        raise NotNative
    if mode == "edge":
        return concatenate(
            [repeat(along(a, axis, 0, 1), before, axis), a, repeat(along(a, axis, n - 1, n), after, axis)], axis
        )
    if mode in ("maximum", "minimum", "mean", "median"):
        lengths = options["stat_length"][axis]
        left, right = (
            statistic_part(a, axis, k, mode, length, first)
            for k, length, first in ((before, lengths[0], True), (after, lengths[1], False))
        )
        return concatenate([left, a, right], axis)
    if mode == "linear_ramp":
        ends = options["end_values"][axis]
        left = ramp_part(a, axis, before, ends[0], along(a, axis, 0, 1), False)
        right = ramp_part(a, axis, after, ends[1], along(a, axis, n - 1, n), True)
        return concatenate([part for part in (left, a, right) if part is not None], axis)
    if options.get("reflect_type", "even") == "odd" and mode != "wrap":
        left, right = odd_parts(a, axis, before, after, mode)
        return concatenate([left, a, right], axis)
    skip = 1 if mode == "reflect" else 0
    if max(before, after) > n - skip:
        return taken(a, mirrored_index(n, before, after, mode), axis)
    if mode == "wrap":
        return concatenate([along(a, axis, n - before, n), a, along(a, axis, 0, after)], axis)
    back = (*(slice(None),) * axis, slice(None, None, -1))
    left = along(a, axis, skip, skip + before)[back]
    right = along(a, axis, n - skip - after, n - skip)[back]
    return concatenate([left, a, right], axis)


# The keyword of each mode, and what it is when it is not given.
PAD_OPTIONS = {
    "constant": {"constant_values": 0},
    "edge": {},
    "empty": {},
    "wrap": {},
    "linear_ramp": {"end_values": 0},
    "reflect": {"reflect_type": "even"},
    "symmetric": {"reflect_type": "even"},
    **{mode: {"stat_length": None} for mode in ("maximum", "minimum", "mean", "median")},
}


def pad_options(mode, kwargs, ndim):
    if mode not in PAD_OPTIONS or set(kwargs) - set(PAD_OPTIONS[mode]):
        raise NotNative
    options = PAD_OPTIONS[mode] | kwargs
    for name, value in options.items():
        if name == "stat_length" and value is None:
            options[name] = [(None, None)] * ndim
        elif name == "reflect_type":
            if value not in ("even", "odd"):
                raise NotNative
        else:
            options[name] = number_pairs(value, ndim)
    return options


@native
def pad(array, pad_width, mode="constant", **kwargs):
    a = asnative(array)
    pairs = pad_pairs(pad_width, a.ndim)
    if not isinstance(mode, str):
        raise NotNative
    options = pad_options(mode, kwargs, a.ndim)
    if mode in ("maximum", "minimum") and any(n == 0 for pair in options["stat_length"] for n in pair):
        raise NotNative  # refused, whatever the widths
    if mode == "constant" and all(v == options["constant_values"][0][0] for p in options["constant_values"] for v in p):
        value = options["constant_values"][0][0] if a.ndim else 0
        out = _core.empty(
            tuple([n + b + e for n, (b, e) in zip(a.shape, pairs, strict=True)]), a.dtype, "F" if fortran(a) else "C"
        )
        if any(n for pair in pairs for n in pair):
            out[...] = value
        out[tuple([slice(b, b + n) for n, (b, _) in zip(a.shape, pairs, strict=False)])] = a
        return out
    if fortran(a):
        raise NotNative  # the result keeps that order
    out = a
    for axis, (before, after) in enumerate(pairs):
        out = padded_axis(out, axis, before, after, mode, options)
    return copy(out) if out is a else out


# ---------------------------------------------------------------------------------------- insertion and deletion
def whole_positions(obj, n):
    """Positions given by a slice, a mask or integers: (a list of ints in [0, n], whether it was one number)."""
    if type(obj) is slice:
        return list(range(*obj.indices(n))), False
    if isinstance(obj, int) and type(obj) is not bool:
        return [integer(obj)], True
    given = asnative(obj)
    if given.dtype == BOOL:
        if given.ndim != 1 or given.shape[0] != n:
            raise NotNative
        return flat_positions(given).tolist(), False
    if given.size == 0 and type(obj) is not ndarray:
        return [], False
    if given.dtype.kind not in "iu" or given.ndim > 1:
        raise NotNative
    return raveled(given).tolist(), given.ndim == 0


def line_of(arr, axis):
    """(the array, its axis as a number): raveled where no axis is given."""
    a = asnative(arr)
    if axis is None:
        a, axis = raveled(a), 0
    if a.ndim == 0 or fortran(a):
        raise NotNative
    return a, axis_index(axis, a.ndim)


@native
def insert(arr, obj, values, axis=None):
    a, axis = line_of(arr, axis)
    n = a.shape[axis]
    places, single = whole_positions(obj, n)
    if any(not -n <= k <= n for k in places):
        if single:
            raise IndexError(f"index {places[0]} is out of bounds for axis {axis} with size {n}")
        raise NotNative
    places = [k + n if k < 0 else k for k in places]
    values = element_values(values, a.dtype)
    if values.dtype.kind == "c" and a.dtype.kind != "c":
        raise NotNative
    values = (
        _core.reshape_view(dense(values), (1,) * (a.ndim - values.ndim) + values.shape)
        if (values.ndim < a.ndim)
        else values
    )
    if values.ndim != a.ndim:
        raise NotNative
    if single:
        values = moveaxis(values, 0, axis)
    width = values.shape[axis] if len(places) == 1 else len(places)
    shape = (*a.shape[:axis], width, *a.shape[axis + 1 :])
    if broadcast_shapes(values.shape, shape) != shape:
        raise NotNative
    given = astype(_core.broadcast_view(values, shape), a.dtype)
    if len(places) == 1:
        k = places[0]
        return concatenate([along(a, axis, 0, k), given, along(a, axis, k, None)], axis)
    order = sorted(range(len(places)), key=places.__getitem__)
    source, last = [], 0
    for k in order:
        source.append(_core.ramp(places[k] - last, last, 1))
        source.append(_core.full((1,), INT, n + k))
        last = places[k]
    source.append(_core.ramp(n - last, last, 1))
    return taken(concatenate([a, given], axis), concatenate(source), axis)


@native
def delete(arr, obj, axis=None):
    a, axis = line_of(arr, axis)
    n = a.shape[axis]
    if type(obj) is slice and (obj.step or 1) in (1, -1):
        places = range(*obj.indices(n))
        if len(places) == 0:
            return copy(a)
        low, high = min(places[0], places[-1]), max(places[0], places[-1]) + 1
        return concatenate([along(a, axis, 0, low), along(a, axis, high, None)], axis)
    places, single = whole_positions(obj, n)
    if single:
        k = places[0]
        if not -n <= k < n:
            raise IndexError(f"index {k} is out of bounds for axis {axis} with size {n}")
        return concatenate([along(a, axis, 0, k % n), along(a, axis, k % n + 1, None)], axis)
    keep = _core.full((n,), BOOL, True)
    if places:
        index = checked(_core.from_host(numpy.array(places, INT)), n)
        run("put", (1,), keep, index, _core.full((len(places),), BOOL, False), keep)
    return compressed(a, keep) if axis == 0 else taken(a, flat_positions(keep), axis)


def repeated_by_counts(a, counts, axis):
    """Each element along an axis as often as its count says."""
    counts = counts if counts.dtype == INT else astype(counts, INT)
    if counts.ndim != 1 or counts.shape[0] != a.shape[axis] or counts.size and int(counts.min()) < 0:
        raise NotNative
    total = int(counts.sum()) if counts.size else 0
    out = _core.empty((*a.shape[:axis], total, *a.shape[axis + 1 :]), a.dtype)
    if out.size:
        run("repeat", around_axis(a.shape, axis), out, dense(a), dense(counts))
    return out
