"""Operations that are not loops: selection, gathering, scans and sorting by the engine's library calls.

The library takes C-contiguous operands of fitting dtypes and checked indices; this module sees to both.
"""

import numpy

from numloom import _core
from numloom._base import (
    BOOL,
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
    is_contiguous,
    native_dtype,
    ndarray,
    where,
)
from numloom._manipulation import moveaxis, permuted, raveled
from numloom._registry import native
from numloom._ufunc import reduce_op, sum_type

run = _core.library


def dense(a):
    """`a` where it is C-contiguous, else a copy that is."""
    return a if is_contiguous(a) else copy(a)


def product(numbers):
    n = 1
    for i in numbers:
        n *= i
    return n


def around_axis(shape, axis):
    """(elements before, along, behind) an axis."""
    return product(shape[:axis]), shape[axis], product(shape[axis + 1 :])


# --------------------------------------------------------------------------------------------- masks, positions
def count_of(mask):
    """How many elements of a boolean array are true: evaluates."""
    return int(reduce_op("add", mask, tuple(range(mask.ndim)), INT)) if mask.size else 0


def compressed(a, mask):
    """a[mask] for a boolean array over the first axes of `a`."""
    if mask.ndim == 0 or mask.shape != a.shape[: mask.ndim]:
        raise NotNative
    rest = a.shape[mask.ndim :]
    mask = dense(mask)
    out = _core.empty((count_of(mask), *rest), a.dtype)
    if out.size:
        run("compress", (product(rest),), out, dense(a), mask)
    return out


def truth(a):
    """`a` as a boolean array."""
    if a.dtype == BOOL:
        return a
    out = _core.empty(a.shape, BOOL)
    _core.assign(out, a)
    return out


def flat_positions(a):
    """The flat C-order positions of the true elements, int64."""
    mask = dense(truth(a))
    out = _core.empty((count_of(mask),), INT)
    if out.size:
        run("nonzero", (), out, mask)
    return out


def unraveled(flat, shape):
    """Flat positions as one array of positions per axis."""
    out = []
    for i in range(len(shape) - 1, 0, -1):
        part = _core.empty(flat.shape, INT)
        _core.elementwise("remainder", INT, part, flat, max(shape[i], 1))
        rest = _core.empty(flat.shape, INT)
        _core.elementwise("floor_divide", INT, rest, flat, max(shape[i], 1))
        out.append(part)
        flat = rest
    out.append(flat)
    return tuple(reversed(out))


@native
def nonzero(a):
    made = _core.positions(a)
    if made is not None:
        return made
    a = asnative(a)
    if a.ndim == 0:
        raise NotNative
    return unraveled(flat_positions(a), a.shape)


@native
def flatnonzero(a):
    return flat_positions(asnative(a))


@native
def argwhere(a):
    a = asnative(a)
    if a.ndim == 0:
        raise NotNative
    parts = unraveled(flat_positions(a), a.shape)
    out = _core.empty((parts[0].shape[0], a.ndim), INT)
    for i, part in enumerate(parts):
        out[:, i] = part
    return out


@native
def extract(condition, arr):
    mask, a = raveled(truth(asnative(condition))), raveled(asnative(arr))
    return compressed(a, mask)


@native
def compress(condition, a, axis=None, out=None):
    mask, a = truth(asnative(condition)), asnative(a)
    if out is not None:
        made = compress.__numloom_native__(condition, a, axis)
        if type(out) is not ndarray or out.shape != made.shape or out.dtype != made.dtype or not _core.writeable(out):
            raise NotNative
        _core.assign(out, made)
        return out
    if mask.ndim != 1:
        raise NotNative
    if axis is None or a.ndim == 0:
        a, axis = raveled(a), 0 if axis is None else axis
    axis = axis_index(axis, a.ndim)
    if mask.shape[0] != a.shape[axis]:
        raise NotNative
    if a.ndim == 1:
        return compressed(a, mask)
    return taken(a, flat_positions(mask), axis)


# --------------------------------------------------------------------------------------------------- gathering
def index_array(key):
    """An integer index as an int64 array; NotNative for what is none."""
    if type(key) is not ndarray:
        if type(key) is list and not key:
            return _core.empty((0,), INT)
        key = asnative(key)
    if key.dtype == INT:
        return key
    if key.dtype.kind not in "iu" or key.dtype.char in "LQ":
        raise NotNative
    return astype(key, INT)


def checked(index, n):
    """An index array with negative positions made positive; NotNative (so NumPy's error) where one is outside."""
    if index.size == 0:
        return index
    axes = tuple(range(index.ndim))
    low, high = reduce_op("minimum", index, axes, INT), reduce_op("maximum", index, axes, INT)
    if high >= n or low < -n:
        raise NotNative
    return where(index < 0, index + n, index, INT) if low < 0 else index


def taken(a, index, axis):
    """a.take(index, axis) for checked positions."""
    outer, n, inner = around_axis(a.shape, axis)
    out = _core.empty((*a.shape[:axis], *index.shape, *a.shape[axis + 1 :]), a.dtype)
    if out.size:
        run("take", (outer, n, inner), out, dense(a), dense(index))
    return out


@native
def take(a, indices, axis=None, out=None, mode="raise"):
    if (
        out is None
        and mode == "raise"
        and type(a) is ndarray
        and type(indices) is ndarray
        and (a.ndim == 1 if axis is None else axis == 0)
        and indices.dtype == INT
    ):
        made = _core.pick(a, indices)
        if made is not None:
            return made
    a = asnative(a)
    if (
        mode not in ("raise", "wrap", "clip")
        or out is not None
        and (type(out) is not ndarray or out.dtype != a.dtype or not _core.writeable(out))
    ):
        raise NotNative
    scalar_index = not isinstance(indices, (ndarray, numpy.ndarray, list, tuple))
    index = index_array(indices)
    if axis is None or (a.ndim == 0 and axis in (0, -1)):
        a, axis = raveled(a), 0
    axis = axis_index(axis, a.ndim)
    n = a.shape[axis]
    if n == 0:
        raise NotNative
    if mode == "raise":
        index = checked(index, n)
    elif mode == "wrap":
        index = _core.elementwise_new("remainder", INT, index, n)
    else:
        index = _core.elementwise_new("minimum", INT, _core.elementwise_new("maximum", INT, index, 0), n - 1)
    result = taken(a, index, axis)
    if out is not None:
        if out.shape != result.shape:
            raise NotNative
        _core.assign(out, result)
        return out
    return _core.to_scalar(result) if result.ndim == 0 and scalar_index else result


@native
def take_along_axis(arr, indices, axis=-1):
    a, index = asnative(arr), index_array(indices)
    if axis is None:
        if index.ndim != 1:
            raise NotNative
        a, axis = raveled(a), 0
    axis = axis_index(axis, a.ndim)
    if a.ndim != index.ndim:
        raise NotNative
    index = checked(index, a.shape[axis])
    shape = list(a.shape)
    shape[axis] = index.shape[axis]
    if tuple(shape) != index.shape:
        raise NotNative
    # The flat position of each element wanted: that of its line's start, and the index along the line.
    flat = None
    step = 1
    for i in range(a.ndim - 1, -1, -1):
        part = index if i == axis else line_ramp(index, i)
        if step != 1:
            part = part * step
        flat = part if flat is None else flat + part
        step *= a.shape[i]
    return taken(raveled(a), flat, 0)


def line_ramp(index, axis):
    """0, 1, 2 ... along an axis, broadcast against `index`."""
    shape = [1] * index.ndim
    shape[axis] = index.shape[axis]
    return _core.reshape_view(_core.ramp(index.shape[axis], 0, 1), tuple(shape))


class Key:
    """An advanced index taken apart: a view by its basic part, and index arrays for some of the view's axes."""

    def __init__(self, a, key):
        entries = list(key) if type(key) is tuple else [key]
        if len(entries) > 30:
            raise NotNative
        entries = [self.entry(e) for e in entries]
        used = sum(len(e) if isinstance(e, tuple) else 1 for e in entries if e is not None and e is not Ellipsis)
        if entries.count(Ellipsis) > 1 or used > a.ndim:
            raise NotNative
        if Ellipsis not in entries:
            entries.append(Ellipsis)
        at = entries.index(Ellipsis)
        entries[at : at + 1] = [slice(None)] * (a.ndim - used)
        basic, self.arrays, self.axes, places = [], [], [], []
        axis = 0
        for place, e in enumerate(entries):
            if type(e) is int:
                e = (e,)
            if isinstance(e, tuple):
                for index in e:
                    self.arrays.append(index)
                    self.axes.append(axis)
                    basic.append(slice(None))
                    axis += 1
                places.append(place)
            else:
                basic.append(e)
                axis += 1
        self.view = a[tuple(basic)]
        self.adjacent = places == list(range(places[0], places[0] + len(places)))
        self.arrays = [self.position(e, self.view.shape[i]) for e, i in zip(self.arrays, self.axes, strict=True)]
        try:
            self.shape = broadcast_shapes(*[i.shape for i in self.arrays if type(i) is ndarray])
        except ValueError:
            raise NotNative from None

    @staticmethod
    def entry(e):
        """None, Ellipsis, a slice, an int, or a tuple of index arrays (one for each axis that it uses up)."""
        if e is None or e is Ellipsis or type(e) is slice:
            return e
        if isinstance(e, (bool, numpy.bool_)):
            raise NotNative
        if isinstance(e, (int, numpy.integer)):
            return int(e)
        if type(e) is not ndarray:
            if isinstance(e, numpy.ndarray) or type(e) in (list, tuple):
                e = _core.empty((0,), INT) if type(e) in (list, tuple) and len(e) == 0 else asnative(e)
            else:
                raise NotNative
        if e.dtype == BOOL:
            if e.ndim == 0:
                raise NotNative
            return BoolIndex(unraveled(flat_positions(e), e.shape), e.shape)
        return (index_array(e),)

    @staticmethod
    def position(e, n):
        if type(e) is int:
            if not -n <= e < n:
                raise NotNative
            return e % n
        return checked(e, n)

    def flat(self):
        """(the view with its indexed axes in front, one flat position along them per element wanted)."""
        rest = [i for i in range(self.view.ndim) if i not in self.axes]
        front = permuted(self.view, (*self.axes, *rest))
        flat, step = None, 1
        for index, axis in zip(reversed(self.arrays), reversed(self.axes), strict=True):
            part = index * step if step != 1 else index
            flat = part if flat is None else flat + part
            step *= self.view.shape[axis]
        if type(flat) is not ndarray:
            flat = _core.full(self.shape, INT, flat)
        if flat.shape != self.shape:
            flat = _core.broadcast_view(flat, self.shape)
        return front, flat

    def result_axes(self, ndim):
        """Where NumPy puts the axes of the index: at the first indexed place where all are adjacent, else in front."""
        start = self.axes[0] if self.adjacent else 0
        return list(range(len(self.shape))), list(range(start, start + len(self.shape)))


class BoolIndex(tuple):
    """The positions of a boolean index, with its shape, which must be that of the axes it stands for."""

    def __new__(cls, parts, shape):
        made = super().__new__(cls, parts)
        made.extents = shape
        return made


def gathered(a, key):
    """a[key] for integer arrays, slices, None, Ellipsis and boolean arrays."""
    check_masks(a, key)
    k = Key(a, key)
    k_axes = k.axes
    if len(k_axes) == 1 and type(k.arrays[0]) is ndarray:
        index, axis = k.arrays[0], k_axes[0]
        if fortran(index) and k.view.ndim == 1:  # the result lies in memory as its index does
            return permuted(taken(k.view, permuted(index), axis))
        return taken(k.view, index, axis)
    front, flat = k.flat()
    n = len(k_axes)
    merged = _core.reshape_view(dense(front), (product(front.shape[:n]), *front.shape[n:]))
    out = taken(merged, flat, 0)
    source, target = k.result_axes(out.ndim)
    return out if source == target else moveaxis(out, source, target)


def check_masks(a, key):
    """Masks must have the extents of the axes that they index; NotNative otherwise, for NumPy's error."""
    axis = 0
    entries = key if type(key) is tuple else (key,)
    seen_ellipsis = False
    for e in entries:
        if e is None:
            continue
        if e is Ellipsis:
            seen_ellipsis = True
            continue
        if isinstance(e, (ndarray, numpy.ndarray)) and e.dtype == BOOL and e.ndim:
            if seen_ellipsis or e.shape != a.shape[axis : axis + e.ndim]:
                raise NotNative
            axis += e.ndim
        elif type(e) is list and e and type(e[0]) in (bool, numpy.bool_):
            if seen_ellipsis or len(e) != a.shape[axis] or any(type(k) not in (bool, numpy.bool_) for k in e):
                raise NotNative
            axis += 1
        else:
            axis += 1


def scattered(a, key, value):
    """a[key] = value for integer arrays, where the indexed axes are the first of a C-contiguous array."""
    check_masks(a, key)
    k = Key(a, key)
    front, flat = k.flat()
    n = len(k.axes)
    if k.axes != list(range(n)) or not is_contiguous(front) or not _core.writeable(a):
        raise NotNative
    rest = front.shape[n:]
    value = element_values(value, a.dtype)
    shape = (*k.shape, *rest)
    if value.dtype.kind == "c" and a.dtype.kind != "c":
        raise NotNative
    if not k.adjacent or broadcast_shapes_or_refuse(value.shape, shape) != shape:
        raise NotNative
    if flat.size == 0:
        return
    values = _core.empty(shape, a.dtype)
    _core.assign(values, value)
    target = _core.reshape_view(front, (product(front.shape[:n]), *rest))
    flat = copy(flat) if _core.shares_storage(flat, a) else dense(flat)  # positions are read before anything is written
    run("put", (product(rest),), target, flat, values, target)


def broadcast_shapes_or_refuse(*shapes):
    try:
        return broadcast_shapes(*shapes)
    except ValueError:
        raise NotNative from None


def expanded(a, mask, value):
    """a[mask] = value for as many values as the mask selects, in a C-contiguous array."""
    if mask.ndim == 0 or mask.shape != a.shape[: mask.ndim] or not _core.writeable(a):
        raise NotNative
    rest = a.shape[mask.ndim :]
    mask = copy(mask) if _core.shares_storage(mask, a) else dense(mask)
    value = element_values(value, a.dtype)
    if value.dtype.kind == "c" and a.dtype.kind != "c":
        raise NotNative
    shape = (count_of(mask), *rest)
    if broadcast_shapes_or_refuse(value.shape, shape) != shape:
        raise NotNative
    if not product(shape):
        return
    values = _core.empty(shape, a.dtype)
    _core.assign(values, value)
    target = dense(a)
    run("expand", (product(rest),), target, mask, values, target)
    if target is not a:
        _core.assign(a, target)


# ------------------------------------------------------------------------------------------------------- scans
def scan(name, a, axis, dtype, out=None):
    """Running totals of `a` along an axis in `dtype`."""
    if axis is None:
        a, axis = raveled(a), 0
    axis = axis_index(axis, a.ndim)
    if out is not None and (
        type(out) is not ndarray
        or out.shape != a.shape
        or not _core.writeable(out)
        or not numpy.can_cast(dtype, out.dtype, "same_kind")
    ):
        raise NotNative
    source = a if a.dtype == dtype else astype(a, dtype)
    made = _core.empty(a.shape, dtype)
    if made.size:
        run("scan_" + name, around_axis(a.shape, axis), made, dense(source))
    if out is None:
        return made
    _core.assign(out, made)
    return out


def cumulative(name, a, axis, dtype, out):
    a = asnative(a)
    if out is not None and type(out) is not ndarray:
        raise NotNative
    dtype = sum_type(a.dtype) if dtype is None else native_dtype(dtype)
    if a.ndim == 0:
        raise NotNative
    return scan(name, a, axis, dtype, out)


@native
def cumsum(a, axis=None, dtype=None, out=None):
    return cumulative("add", a, axis, dtype, out)


@native
def cumprod(a, axis=None, dtype=None, out=None):
    return cumulative("multiply", a, axis, dtype, out)


def nan_cumulative(name, fill, a, axis, dtype, out):
    a = asnative(a)
    if a.dtype.kind in "fc":
        mask = _core.elementwise_new("isnan", a.dtype, a)
        a = where(mask, fill, a, a.dtype)
    return cumulative(name, a, axis, dtype, out)


@native
def nancumsum(a, axis=None, dtype=None, out=None):
    return nan_cumulative("add", 0, a, axis, dtype, out)


@native
def nancumprod(a, axis=None, dtype=None, out=None):
    return nan_cumulative("multiply", 1, a, axis, dtype, out)


SCANS = frozenset(("add", "multiply", "minimum", "maximum"))


def accumulate(name, a, axis, dtype, out):
    """ufunc.accumulate for the operations that the library scans."""
    if name not in SCANS:
        raise NotNative
    a = asnative(a)
    if a.ndim == 0 or axis is None or out is not None and type(out) is not ndarray:
        raise NotNative
    if dtype is not None:
        dtype = native_dtype(dtype)
    elif out is not None:
        raise NotNative
    else:
        dtype = sum_type(a.dtype) if name in ("add", "multiply") else a.dtype
    return scan(name, a, axis, dtype, out)


# ----------------------------------------------------------------------------------------------------- sorting
_LONG_LINE = 1 << 14  # elements from which a line gathered from far apart no longer fits a core's cache


def along_lines(name, a, axis, dtype, places=()):
    """A library call on the lines of `a` along an axis, as a fresh array of its shape."""
    n, inner = around_axis(a.shape, axis)[1:]
    last = moveaxis(a, axis, -1) if inner > 1 and n > _LONG_LINE else a
    out = _core.empty(last.shape, dtype)
    if out.size:
        run(name, (n, inner if last is a else 1, *places), out, dense(last))
    return out if last is a else copy(moveaxis(out, -1, axis))


def sorted_along(name, a, axis, dtype):
    """sort or argsort along an axis, as a fresh array."""
    if axis is None:
        a, axis = raveled(a), 0
    if a.ndim == 0:
        raise NotNative
    axis = axis_index(axis, a.ndim)
    return along_lines(name, a, axis, dtype)


def sort_kind(kind, order, stable, newer):
    if (
        newer
        or order is not None
        or kind not in (None, "quicksort", "mergesort", "heapsort", "stable")
        or (kind is not None and stable is not None)
        or stable not in (None, True, False)
    ):
        raise NotNative


@native
def sort(a, axis=-1, kind=None, order=None, *, stable=None, **newer):
    sort_kind(kind, order, stable, newer)
    a = asnative(a)
    return sorted_along("sort", a, axis, a.dtype)


@native
def argsort(a, axis=-1, kind=None, order=None, *, stable=None, **newer):
    sort_kind(kind, order, stable, newer)
    return sorted_along("argsort", asnative(a), axis, INT)


def sort_in_place(a, axis=-1, kind=None, order=None, *, stable=None, **newer):
    """ndarray.sort."""
    sort_kind(kind, order, stable, newer)
    if not _core.writeable(a) or axis is None:
        raise NotNative
    _core.assign(a, sorted_along("sort", a, axis, a.dtype))


@native
def searchsorted(a, v, side="left", sorter=None):
    a, v = asnative(a), asnative(v)
    if a.ndim != 1 or side not in ("left", "right"):
        raise NotNative
    if sorter is not None:
        order = index_array(sorter)
        if order.shape != a.shape:
            raise NotNative
        a = taken(a, checked(order, a.shape[0]), 0)
    dtype = numpy.promote_types(a.dtype, v.dtype)
    a, wanted = (x if x.dtype == dtype else astype(x, dtype) for x in (a, v))
    out = _core.empty(v.shape, INT)
    if out.size:
        run("searchsorted", (int(side == "right"),), out, dense(a), dense(wanted))
    return out if out.ndim else _core.to_scalar(out)


@native
def digitize(x, bins, right=False):
    x, bins = asnative(x), asnative(bins)
    if bins.ndim != 1 or "c" in (x.dtype.kind, bins.dtype.kind):
        raise NotNative
    if bins.shape[0] > 1:
        if bool((bins[1:] < bins[:-1]).any()):
            if bool((bins[1:] > bins[:-1]).any()):
                raise ValueError("bins must be monotonically increasing or decreasing")
            return bins.shape[0] - searchsorted(bins[::-1], x, "left" if right else "right")
    return searchsorted(bins, x, "left" if right else "right")


# ------------------------------------------------------------------------------------------------------ uniques
@native
def unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True
):
    a = asnative(ar)
    if axis is not None and a.ndim > 1:
        return unique_lines(a, axis_index(axis, a.ndim), return_index, return_inverse, return_counts)
    if axis is not None and (integer(axis) not in (0, -1) or a.ndim == 0):
        raise NotNative
    if a.dtype.kind == "c" and equal_nan and bool((a != a).any()):
        raise NotNative
    flat = raveled(a)
    need_order = return_index or return_inverse
    order = sorted_along("argsort", flat, 0, INT) if need_order else None
    ordered = taken(flat, order, 0) if need_order else sorted_along("sort", flat, 0, flat.dtype)
    n = flat.shape[0]
    first = _core.full((n,), BOOL, True)
    if n > 1:
        new = ordered[1:] != ordered[:-1]
        if a.dtype.kind == "f" and equal_nan:
            new = new & ~((ordered[1:] != ordered[1:]) & (ordered[:-1] != ordered[:-1]))
        first[1:] = new
    out = [compressed(ordered, first)]
    if return_index:
        out.append(compressed(order, first))
    if return_inverse:
        rank = scan("add", first, 0, INT) - 1
        inverse = _core.empty((n,), INT)
        if n:
            run("put", (1,), inverse, order, rank, inverse)
        out.append(_core.reshape_view(inverse, a.shape))
    if return_counts:
        starts = flat_positions(first)
        ends = _core.empty(starts.shape, INT)
        if n:
            ends[:-1] = starts[1:]
            ends[-1:] = n
        out.append(ends - starts)
    return out[0] if len(out) == 1 else tuple(out)


def unique_lines(a, axis, return_index, return_inverse, return_counts):
    """The different lines along an axis, in lexicographic order: stable sorts from the last column on."""
    if return_inverse or a.size == 0 or a.dtype.kind not in "biu" and bool((a != a).any()):
        raise NotNative
    lines = moveaxis(a, axis, 0)
    n = lines.shape[0]
    table = _core.reshape_view(dense(lines), (n, product(lines.shape[1:])))
    if table.shape[1] > _MOST_COLUMNS:
        raise NotNative
    order = _core.ramp(n, 0, 1)
    for i in range(table.shape[1] - 1, -1, -1):
        column = taken(copy(table[:, i]), order, 0)
        order = taken(order, sorted_along("argsort", column, 0, INT), 0)
    ordered = taken(table, order, 0)
    first = _core.full((n,), BOOL, True)
    if n > 1:
        first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    chosen = compressed(ordered, first)
    made = _core.reshape_view(chosen, (chosen.shape[0], *lines.shape[1:]))
    out = [made if axis == 0 else copy(moveaxis(made, 0, axis))]
    if return_index:
        out.append(compressed(order, first))
    if return_counts:
        starts = concatenate_ends(flat_positions(first), n)
        out.append(starts[1:] - starts[:-1])
    return out[0] if len(out) == 1 else tuple(out)


_MOST_COLUMNS = 64


def concatenate_ends(starts, n):
    """`starts` with n behind them."""
    made = _core.empty((starts.shape[0] + 1,), INT)
    made[:-1] = starts
    made[-1:] = n
    return made


@native
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    a, b = asnative(element), asnative(test_elements)
    if kind is not None or a.dtype.kind not in "biuf" or b.dtype.kind not in "biuf":
        raise NotNative
    dtype = numpy.promote_types(a.dtype, b.dtype)
    a, b = (x if x.dtype == dtype else astype(x, dtype) for x in (a, raveled(b)))
    if b.shape[0] == 0:
        return _core.full(a.shape, BOOL, bool(invert))
    ordered = sorted_along("sort", b, 0, dtype)
    place = _core.empty(a.shape, INT)
    if place.size:
        run("searchsorted", (0,), place, ordered, dense(a))
    place = _core.elementwise_new("minimum", INT, place, b.shape[0] - 1)
    found = _core.elementwise_new("equal", dtype, taken(ordered, place, 0), a)
    return ~found if invert else found
