"""Shapes, orders of axes, joining and splitting: views exactly where NumPy gives views, else copies through views."""

import itertools

import numpy

from numloom import _core
from numloom._base import (
    PYTHON_NUMBERS,
    NotNative,
    asnative,
    axis_index,
    axis_tuple,
    broadcast_shapes,
    copy,
    fortran,
    integer,
    integers,
    is_contiguous,
    known_order,
    native_dtype,
    ndarray,
    scalar,
)
from numloom._creation import shape_tuple
from numloom._registry import native


# ------------------------------------------------------------------------------------------------------ shapes
def resolve_shape(a, shape):
    """A shape with at most one negative extent (any: NumPy asks for no -1) as the shape for `a`; NotNative (so NumPy's
    error) where it does not fit."""
    shape = integers(shape)
    size, unknown = 1, -1
    for i, n in enumerate(shape):
        if n < 0:
            if unknown >= 0:
                raise NotNative
            unknown = i
        else:
            size *= n
    if unknown >= 0:
        if size == 0 or a.size % size:
            raise NotNative
        return (*shape[:unknown], a.size // size, *shape[unknown + 1 :])
    if size != a.size or len(shape) > 64:
        raise NotNative
    return shape


def reshaped(a, shape, order="C", copy_wanted=None):
    """reshape: a view where the memory order allows."""
    shape = resolve_shape(a, shape)
    order = known_order(order)
    if order == "A":
        order = "F" if fortran(a) else "C"
    if order == "F":
        return permuted(reshaped(permuted(a), shape[::-1], "C", copy_wanted))
    if order != "C":
        raise NotNative
    if copy_wanted is True:
        return _core.reshape_view(copy(a), shape)
    view = _core.reshape_view(a, shape)
    if view is None:
        if copy_wanted is False:
            raise ValueError("Unable to avoid creating a copy while reshaping.")
        view = _core.reshape_view(copy(a), shape)
    return view


def permuted(a, axes=None):
    """A view with the axes in another order; all reversed unless given."""
    if axes is None:
        axes = range(a.ndim - 1, -1, -1)
    return _core.permute_view(a, tuple(axes))


@native
def reshape(a, /, shape, order="C", *, copy=None):
    return reshaped(asnative(a), shape, order, copy)


def raveled(a, order="C"):
    order = known_order(order)
    if order == "K":
        if is_contiguous(a):
            order = "C"
        else:
            axes = sorted(range(a.ndim), key=lambda i: (-abs(a.strides[i]), i))
            if any(a.strides[i] < 0 for i in range(a.ndim) if a.shape[i] > 1):
                raise NotNative
            a = permuted(a, axes)
    elif order == "A":
        order = "F" if fortran(a) else "C"
    if order == "F":
        a = permuted(a)
    if is_contiguous(a):
        return _core.reshape_view(a, (a.size,))
    return _core.reshape_view(copy(a), (a.size,))


@native
def ravel(a, order="C"):
    return raveled(asnative(a), order)


@native
def transpose(a, axes=None):
    if is_scalar(a) and axes is None:
        return a
    a = asnative(a)
    return permuted(a, check_axes(a, axes))


def is_scalar(x):
    """Whether this is a NumPy scalar, or a lazy one, which methods that change shapes give back."""
    return type(x) is scalar or isinstance(x, numpy.generic)


def check_axes(a, axes):
    """A permutation as a tuple; NumPy's errors."""
    if axes is None:
        return None
    if type(axes) is int:
        axes = (axes,)
    axes = [integer(i) for i in axes]
    if len(axes) != a.ndim:
        raise ValueError("axes don't match array")
    axes = [axis_index(i, a.ndim) for i in axes]
    if len(set(axes)) != len(axes):
        raise ValueError("repeated axis in transpose")
    return axes


@native
def matrix_transpose(x, /):
    x = asnative(x)
    if x.ndim < 2:
        raise ValueError(f"Input array must be at least 2-dimensional, but it is {x.ndim}")
    return swapaxes(x, -1, -2)


@native
def swapaxes(a, axis1, axis2):
    a = asnative(a)
    axis1, axis2 = integer(axis1), integer(axis2)
    one, two = axis_index(axis1, a.ndim), axis_index(axis2, a.ndim)
    axes = list(range(a.ndim))
    axes[one], axes[two] = axes[two], axes[one]
    return permuted(a, axes)


@native
def moveaxis(a, source, destination):
    a = asnative(a)
    source = numpy.lib.array_utils.normalize_axis_tuple(source, a.ndim, "source")
    destination = numpy.lib.array_utils.normalize_axis_tuple(destination, a.ndim, "destination")
    if len(source) != len(destination):
        raise ValueError("`source` and `destination` arguments must have the same number of elements")
    order = [i for i in range(a.ndim) if i not in source]
    for where, axis in sorted(zip(destination, source, strict=False)):
        order.insert(where, axis)
    return permuted(a, order)


@native
def rollaxis(a, axis, start=0):
    if not hasattr(a, "ndim"):
        raise NotNative
    a = asnative(a)
    n = a.ndim
    axis = axis_index(axis, n)
    if start < 0:
        start += n
    if not 0 <= start < n + 1:
        raise NotNative
    order = list(range(n))
    order.remove(axis)
    order.insert(start - 1 if axis < start else start, axis)
    return permuted(a, order)


def reshape_exact(a, shape, strides):
    """A view with these strides: for axes of one element added or dropped."""
    return _core.view(a, shape, strides, 0)


@native
def squeeze(a, axis=None):
    if type(axis) is list:
        raise NotNative
    if is_scalar(a) and axis is None:
        return a
    a = asnative(a)
    shape, strides = a.shape, a.strides
    if axis is None:
        drop = [i for i, n in enumerate(shape) if n == 1]
    else:
        drop = axis_tuple(axis, a.ndim)
        if any(shape[i] != 1 for i in drop):
            raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
    keep = [i for i in range(a.ndim) if i not in drop]
    return reshape_exact(a, tuple([shape[i] for i in keep]), tuple([strides[i] for i in keep]))


@native
def expand_dims(a, axis):
    a = asnative(a)
    if type(axis) not in (tuple, list):
        axis = (axis,)
    ndim = len(axis) + a.ndim
    axes = axis_tuple(tuple(axis), ndim)
    rest = iter(zip(a.shape, a.strides, strict=False))
    pairs = [(1, 0) if i in axes else next(rest) for i in range(ndim)]
    return _core.reshape_view(a, tuple([n for n, _ in pairs]))


@native
def atleast_1d(*arys):
    return at_least(arys, lambda a: a if a.ndim else _core.reshape_view(a, (1,)))


@native
def atleast_2d(*arys):
    def grow(a):
        return a if a.ndim >= 2 else _core.reshape_view(a, (1, a.size))

    return at_least(arys, grow)


@native
def atleast_3d(*arys):
    def grow(a):
        if a.ndim >= 3:
            return a
        return _core.reshape_view(a, (*a.shape, 1) if a.ndim == 2 else (1, a.size, 1))

    return at_least(arys, grow)


def at_least(arrays, grow):
    out = [grow(asnative(a)) for a in arrays]
    return out[0] if len(out) == 1 else tuple(out)


# ------------------------------------------------------------------------------------------------- directions
@native
def flip(m, axis=None):
    m = asnative(m)
    axes = axis_tuple(axis, m.ndim)
    if not axes:
        return m[()] if m.ndim == 0 else m[...]
    return m[tuple([slice(None, None, -1) if i in axes else slice(None) for i in range(m.ndim)])]


@native
def flipud(m):
    m = asnative(m)
    if m.ndim < 1:
        raise ValueError("Input must be >= 1-d.")
    return m[::-1, ...]


@native
def fliplr(m):
    m = asnative(m)
    if m.ndim < 2:
        raise ValueError("Input must be >= 2-d.")
    return m[:, ::-1]


@native
def rot90(m, k=1, axes=(0, 1)):
    m = asnative(m)
    if type(k) is not int:
        raise NotNative
    axes = tuple(axes)
    if len(axes) != 2:
        raise ValueError("len(axes) must be 2.")
    n = m.ndim
    if axes[0] == axes[1] or abs(axes[0] - axes[1]) == n:
        raise ValueError("Axes must be different.")
    if not (-n <= axes[0] < n and -n <= axes[1] < n):
        raise ValueError(f"Axes={axes} out of range for array of ndim={n}.")
    k %= 4
    if k == 0:
        return m[...]
    if k == 2:
        return flip(flip(m, axes[0]), axes[1])
    order = list(range(n))
    order[axes[0]], order[axes[1]] = order[axes[1]], order[axes[0]]
    if k == 1:
        return permuted(flip(m, axes[1]), order)
    return flip(permuted(m, order), axes[1])


@native
def roll(a, shift, axis=None):
    a = asnative(a)
    if axis is None:
        return reshaped(roll(raveled(a), shift, 0), a.shape)
    axes = axis if type(axis) in (tuple, list) else (axis,)
    shifts = shift if type(shift) in (tuple, list) else (shift,)
    if type(shift) in (numpy.ndarray, ndarray):
        shifts = numpy.asarray(shift).ravel().tolist()
    if len(axes) != len(shifts) and 1 not in (len(axes), len(shifts)):
        raise NotNative
    total = dict.fromkeys(range(a.ndim), 0)
    for position in range(max(len(axes), len(shifts))):
        i = axes[position if len(axes) > 1 else 0]
        total[axis_index(i, a.ndim)] += integer(shifts[position if len(shifts) > 1 else 0])
    out = _core.empty(a.shape, a.dtype)
    moves = []
    for i, n in enumerate(a.shape):
        s = total[i] % n if n else 0
        moves.append(
            [(slice(None), slice(None))]
            if s == 0
            else [(slice(None, -s), slice(s, None)), (slice(-s, None), slice(None, s))]
        )
    for pieces in itertools.product(*moves):
        out[tuple([to for _, to in pieces])] = a[tuple([source for source, _ in pieces])]
    return out


# --------------------------------------------------------------------------------------------------- broadcast
@native
def broadcast_to(array, shape, subok=False):
    if subok and isinstance(array, numpy.ndarray):
        raise NotNative
    a = asnative(array)
    if type(shape) is tuple and not all(type(n) is int and n >= 0 for n in shape):
        raise NotNative
    try:
        shape = shape_tuple(shape)
        if broadcast_shapes(a.shape, shape) != shape:
            raise NotNative
    except ValueError:
        raise NotNative from None  # it does not fit, or is too large
    view = _core.broadcast_view(a, shape)
    return _core.view(view, view.shape, view.strides, 0, None, False)


@native
def broadcast_arrays(*args, subok=False):
    if subok:
        raise NotNative
    arrays = [asnative(a) for a in args]
    if not arrays:
        return ()
    try:
        shape = broadcast_shapes(*[a.shape for a in arrays])
    except ValueError:
        raise NotNative from None
    return tuple([a if a.shape == shape else _core.broadcast_view(a, shape) for a in arrays])


@native(name="resize")
def resize_(a, new_shape):
    a = asnative(a)
    new_shape = integers(new_shape)
    size = 1
    for n in new_shape:
        size *= n
        if n < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
    if a.size == 0 or size == 0:
        out = _core.empty(new_shape, a.dtype)
        _core.assign(out, 0)
        return out
    flat = raveled(a)
    parts = [flat] * (-(-size // a.size))
    return reshaped(concatenate(parts)[:size], new_shape)


# ------------------------------------------------------------------------------------------------------ joining
def joined_dtype(arrays, dtype, casting, out):
    if dtype is not None and out is not None:
        raise TypeError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
    found = numpy.result_type(*[a.dtype for a in arrays])
    target = native_dtype(dtype) if dtype is not None else out.dtype if out is not None else found
    for a in arrays:
        if not numpy.can_cast(a.dtype, target, casting):
            raise NotNative
    return target


@native
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    if out is dtype is None and type(axis) is int:
        joined = _core.join(arrays, axis) if casting == "same_kind" else None
        if joined is not None:
            return joined
    if type(arrays) is ndarray:
        if arrays.ndim == 0:
            raise NotNative
        arrays = list(arrays)
    elif type(arrays) not in (list, tuple) or any(type(a) in PYTHON_NUMBERS for a in arrays):
        raise NotNative
    arrays = [asnative(a) for a in arrays]
    if not arrays or out is not None and type(out) is not ndarray:
        raise NotNative
    if axis is None:
        arrays, axis = [raveled(a) for a in arrays], 0
    ndim = arrays[0].ndim
    if ndim == 0 or any(a.ndim != ndim for a in arrays):
        raise NotNative
    axis = axis_index(axis, ndim)
    rest = arrays[0].shape[:axis] + arrays[0].shape[axis + 1 :]
    if any(a.shape[:axis] + a.shape[axis + 1 :] != rest for a in arrays):
        raise NotNative
    target = joined_dtype(arrays, dtype, casting, out)
    total = sum(a.shape[axis] for a in arrays)
    shape = (*rest[:axis], total, *rest[axis:])
    if out is None:
        order = "F" if ndim > 1 and all(fortran(a) for a in arrays) else "C"
        out = _core.empty(shape, target, order)
    elif out.shape != shape or not out.flags.writeable:
        raise NotNative
    start = 0
    before = (slice(None),) * axis
    for a in arrays:
        n = a.shape[axis]
        if n:
            out[(*before, slice(start, start + n))] = a
        start += n
    return out


@native
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    arrays = [asnative(a) for a in sequence(arrays)]
    if not arrays:
        raise ValueError("need at least one array to stack")
    if any(a.shape != arrays[0].shape for a in arrays):
        raise ValueError("all input arrays must have the same shape")
    axis = axis_index(axis, arrays[0].ndim + 1)
    shape = arrays[0].shape
    grown = (*shape[:axis], 1, *shape[axis:])
    return concatenate([_core.reshape_view(a, grown) for a in arrays], axis=axis, out=out, dtype=dtype, casting=casting)


def sequence(tup):
    if not hasattr(tup, "__getitem__") or type(tup) is scalar:
        raise TypeError('arrays to stack must be passed as a "sequence" type such as list or tuple.')
    return list(tup)


@native
def vstack(tup, *, dtype=None, casting="same_kind"):
    arrays = [atleast_2d(a) for a in sequence(tup)]
    return concatenate(arrays, 0, dtype=dtype, casting=casting)


@native
def hstack(tup, *, dtype=None, casting="same_kind"):
    arrays = [atleast_1d(a) for a in sequence(tup)]
    return concatenate(arrays, 0 if arrays and arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


@native
def dstack(tup):
    return concatenate([atleast_3d(a) for a in sequence(tup)], 2)


@native
def column_stack(tup):
    arrays = []
    for a in sequence(tup):
        a = asnative(a)
        arrays.append(a if a.ndim >= 2 else _core.reshape_view(a, (a.size, 1)))
    return concatenate(arrays, 1)


def block_depth(item):
    depth = 0
    while type(item) is list:
        if not item:
            raise NotNative
        depth, item = depth + 1, item[0]
    return depth


def block_part(item, depth, level, ndim):
    if level == depth:
        if type(item) is list:
            raise NotNative
        a = asnative(item)
        return _core.reshape_view(a, (1,) * (ndim - a.ndim) + a.shape)
    if type(item) is not list or not item:
        raise NotNative
    parts = [block_part(x, depth, level + 1, ndim) for x in item]
    return concatenate(parts, axis=level - depth)


def largest_ndim(item):
    if type(item) is tuple or type(item) is list and not item:
        raise NotNative
    return max(map(largest_ndim, item)) if type(item) is list else asnative(item).ndim


@native
def block(arrays):
    depth = block_depth(arrays)
    ndim = max(depth, largest_ndim(arrays))
    return copy(block_part(arrays, depth, 0, ndim)) if depth == 0 else block_part(arrays, depth, 0, ndim)


@native
def append(arr, values, axis=None):
    a = asnative(arr)
    if axis is None:
        return concatenate((raveled(a), raveled(asnative(values))), 0)
    return concatenate((a, asnative(values)), axis)


@native
def unstack(x, /, *, axis=0):
    if not hasattr(x, "ndim"):
        raise NotNative
    x = asnative(x)
    if x.ndim == 0:
        raise ValueError("Input array must be at least 1-d.")
    x = moveaxis(x, axis, 0)
    return (
        tuple([x[i : i + 1].reshape(x.shape[1:]) if x.ndim == 1 else x[i] for i in range(x.shape[0])])
        if x.ndim > 1
        else tuple(x)
    )


# ---------------------------------------------------------------------------------------------------- splitting
def cuts(a, indices, axis):
    """The positions at which array_split cuts an axis."""
    n = a.shape[axis]
    try:
        sections = len(indices)
    except TypeError:
        sections = int(indices)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.") from None
        each, extra = divmod(n, sections)
        sizes = extra * [each + 1] + (sections - extra) * [each]
        return [0, *itertools.accumulate(sizes)]
    return [0, *[integer(i) for i in indices], n]


@native
def array_split(ary, indices_or_sections, axis=0):
    a = asnative(ary)
    if not -a.ndim <= integer(axis) < a.ndim:
        raise IndexError("tuple index out of range")
    axis = axis_index(axis, a.ndim)
    points = cuts(a, indices_or_sections, axis)
    before = (slice(None),) * axis
    return [a[(*before, slice(start, stop))] for start, stop in zip(points, points[1:], strict=False)]


@native
def split(ary, indices_or_sections, axis=0):
    a = asnative(ary)
    if a.ndim == 0:
        raise NotNative
    if not hasattr(indices_or_sections, "__len__"):
        if a.shape[axis_index(axis, a.ndim)] % indices_or_sections:
            raise ValueError("array split does not result in an equal division")
    return array_split(a, indices_or_sections, axis)


@native
def hsplit(ary, indices_or_sections):
    a = asnative(ary)
    if a.ndim == 0:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(a, indices_or_sections, 1 if a.ndim > 1 else 0)


@native
def vsplit(ary, indices_or_sections):
    a = asnative(ary)
    if a.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(a, indices_or_sections, 0)


@native
def dsplit(ary, indices_or_sections):
    a = asnative(ary)
    if a.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(a, indices_or_sections, 2)


# ---------------------------------------------------------------------------------------------------- repeating
@native
def tile(A, reps):
    a = asnative(A)
    reps = integers(reps)
    ndim = max(len(reps), a.ndim)
    reps = (1,) * (ndim - len(reps)) + reps
    if any(r < 0 for r in reps):
        raise NotNative
    shape = (1,) * (ndim - a.ndim) + a.shape
    pairs = tuple(itertools.chain.from_iterable(zip(reps, shape, strict=False)))
    out = _core.empty(pairs, a.dtype)
    _core.assign(out, _core.reshape_view(a, tuple(itertools.chain.from_iterable((1, n) for n in shape))))
    return _core.reshape_view(out, tuple([r * n for r, n in zip(reps, shape, strict=False)]))


@native
def repeat(a, repeats, axis=None):
    a = asnative(a)
    if type(repeats) is int and repeats > 0 and a.ndim == 1 and axis in (None, 0, -1):
        n = a.shape[0]
        out = _core.empty((n, repeats), a.dtype)
        _core.assign(out, _core.reshape_view(a, (n, 1)))
        return _core.reshape_view(out, (n * repeats,))
    if type(repeats) is not int:
        counts = asnative(repeats)
        if counts.dtype.kind not in "biu" or counts.dtype.char in "LQ" or counts.ndim > 1:
            raise NotNative
        if counts.size != 1:
            from numloom._editing import repeated_by_counts

            if axis is None or a.ndim == 0:
                a, axis = raveled(a), 0 if axis is None else axis
            return repeated_by_counts(a, counts, axis_index(axis, a.ndim))
        repeats = int(counts.item())
    if repeats < 0:
        raise NotNative
    if axis is None or a.ndim == 0 and axis in (0, -1):
        a, axis = raveled(a), 0
    axis = axis_index(axis, a.ndim)
    shape = a.shape
    out = _core.empty((*shape[: axis + 1], repeats, *shape[axis + 1 :]), a.dtype)
    _core.assign(out, _core.reshape_view(a, (*shape[: axis + 1], 1, *shape[axis + 1 :])))
    return _core.reshape_view(out, (*shape[:axis], shape[axis] * repeats, *shape[axis + 1 :]))
