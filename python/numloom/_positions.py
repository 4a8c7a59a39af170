"""Index arrays: of diagonals and triangles, to and from flat positions; writing and choosing by position."""

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
    integer,
    integers,
    is_contiguous,
    ndarray,
)
from numloom._creation import lower_mask
from numloom._library import (
    broadcast_shapes_or_refuse,
    checked,
    count_of,
    dense,
    expanded,
    flat_positions,
    index_array,
    line_ramp,
    product,
    run,
    truth,
    unraveled,
)
from numloom._manipulation import concatenate, raveled
from numloom._registry import native


@native
def diag_indices(n, ndim=2):
    if type(n) not in (int, numpy.int64):
        raise NotNative
    return (_core.ramp(integer(n), 0, 1),) * ndim


@native
def diag_indices_from(arr):
    a = asnative(arr)
    if a.ndim < 2 or len(set(a.shape)) != 1:
        raise NotNative
    return diag_indices(a.shape[0], a.ndim)


def refuse():
    raise NotNative


def triangle_indices(n, m, k, lower):
    if type(n) is not int or type(k) is not int or type(m) not in (int, type(None)):
        raise NotNative
    n = integer(n)
    mask = lower_mask(n, n if m is None else integer(m), k if lower else k - 1)
    return unraveled(flat_positions(mask if lower else ~mask), mask.shape)


@native
def tril_indices(n, k=0, m=None):
    return triangle_indices(n, m, k, True)


@native
def triu_indices(n, k=0, m=None):
    return triangle_indices(n, m, k, False)


@native
def tril_indices_from(arr, k=0):
    a = asnative(arr) if hasattr(arr, "ndim") else refuse()
    if a.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triangle_indices(a.shape[0], a.shape[1], k, True)


@native
def triu_indices_from(arr, k=0):
    a = asnative(arr) if hasattr(arr, "ndim") else refuse()
    if a.ndim != 2:
        raise ValueError("input array must be 2-d")
    return triangle_indices(a.shape[0], a.shape[1], k, False)


@native
def mask_indices(n, mask_func, k=0):
    made = mask_func(_core.full((integer(n),) * 2, INT, 1), k)
    if type(made) is not ndarray or made.ndim == 0:
        raise NotNative
    return unraveled(flat_positions(made if made.dtype == BOOL else made != 0), made.shape)


@native(name="ix_")
def ix_(*args):
    out = []
    for i, x in enumerate(args):
        a = asnative(x)
        if type(x) is not ndarray and a.size == 0:
            a = _core.empty(a.shape, INT)
        if a.ndim != 1:
            raise ValueError("Cross index must be 1 dimensional")
        if a.dtype == BOOL:
            a = flat_positions(a)
        out.append(_core.reshape_view(a, (1,) * i + (a.shape[0],) + (1,) * (len(args) - i - 1)))
    return tuple(out)


@native
def unravel_index(indices, shape, order="C"):
    if order not in ("C", "F"):
        raise NotNative
    single = type(indices) is int
    shape = integers(shape)
    index = index_array(indices)
    if not shape or not index.size or product(shape) >= 2**62 or index.min() < 0 or index.max() >= product(shape):
        raise NotNative
    found = unraveled(index, shape[::-1] if order == "F" else shape)
    found = found[::-1] if order == "F" else found
    return tuple([_core.to_scalar(asnative(x)) for x in found]) if single or index.ndim == 0 else found


@native
def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    dims = integers(dims)
    if mode != "raise" or order != "C" or len(multi_index) != len(dims) or product(dims) >= 2**62:
        raise NotNative
    if any(type(x) is list and not x for x in multi_index):  # floats, to NumPy
        raise NotNative
    parts = [index_array(x) for x in multi_index]
    if any(p.size and (p.min() < 0 or p.max() >= n) for p, n in zip(parts, dims, strict=True)):
        raise NotNative
    flat, step = None, 1
    for part, n in zip(reversed(parts), reversed(dims), strict=True):
        flat = part * step if flat is None else flat + part * step
        step *= n
    return flat


# ---------------------------------------------------------------------------------------------------- writing
def bounded(index, n, mode):
    """Positions brought into [0, n): wrapped round, or clipped."""
    if n == 0:
        raise NotNative
    if mode == "wrap":
        return index % n
    return _core.elementwise_new("minimum", INT, _core.elementwise_new("maximum", INT, index, 0), n - 1)


@native
def put(a, ind, v, mode="raise"):
    if type(a) is not ndarray or not _core.writeable(a) or mode not in ("raise", "wrap", "clip"):
        raise NotNative
    index = raveled(index_array(ind))
    index = checked(index, a.size) if mode == "raise" else bounded(index, a.size, mode)
    values = raveled(element_values(v, a.dtype))
    if index.size == 0:
        return
    if values.size == 0 or values.dtype.kind == "c" and a.dtype.kind != "c":
        raise NotNative
    n = index.shape[0]
    given = _core.empty((n,), a.dtype)
    if values.shape[0] < n and values.shape[0] != 1:
        values = concatenate([values] * -(-n // values.shape[0]))
    _core.assign(given, values[:n] if values.shape[0] != 1 else values)
    target = a if is_contiguous(a) else copy(a)
    flat = _core.reshape_view(target, (a.size,))
    run("put", (1,), flat, copy(index) if _core.shares_storage(index, a) else dense(index), given, flat)
    if target is not a:
        _core.assign(a, target)


@native
def place(arr, mask, vals):
    if type(arr) is not ndarray or not _core.writeable(arr):
        raise NotNative
    mask, values = truth(asnative(mask)), raveled(element_values(vals, arr.dtype))
    if not numpy.can_cast(values.dtype, arr.dtype, "safe"):
        raise NotNative
    if mask.size != arr.size or values.dtype.kind == "c" and arr.dtype.kind != "c":
        raise NotNative
    values = values if values.dtype == arr.dtype else astype(values, arr.dtype)
    mask = mask if mask.shape == arr.shape else _core.reshape_view(dense(mask), arr.shape)
    n = count_of(mask)
    if n == 0:
        return
    if values.shape[0] == 0:
        raise NotNative
    if values.shape[0] < n:
        values = concatenate([values] * -(-n // values.shape[0]))
    expanded(arr, mask, values[:n])


@native
def put_along_axis(arr, indices, values, axis):
    if type(arr) is not ndarray or not _core.writeable(arr) or axis is None or not is_contiguous(arr):
        raise NotNative
    index = index_array(indices)
    axis = axis_index(axis, arr.ndim)
    if index.ndim != arr.ndim:
        raise NotNative
    index = checked(index, arr.shape[axis])
    shape = broadcast_shapes(tuple([1 if i == axis else n for i, n in enumerate(arr.shape)]), index.shape)
    if shape != index.shape:
        raise NotNative
    flat, step = None, 1
    for i in range(arr.ndim - 1, -1, -1):
        part = (index if i == axis else line_ramp(index, i)) * step
        flat = part if flat is None else flat + part
        step *= arr.shape[i]
    given = _core.empty(index.shape, arr.dtype)
    values = element_values(values, arr.dtype)
    if broadcast_shapes_or_refuse(values.shape, index.shape) != index.shape:
        raise NotNative
    if values.dtype.kind == "c" and arr.dtype.kind != "c":
        raise NotNative
    _core.assign(given, values)
    target = _core.reshape_view(arr, (arr.size,))
    if flat.size:
        run("put", (1,), target, dense(flat), given, target)


@native
def choose(a, choices, out=None, mode="raise"):
    if type(choices) is ndarray and choices.ndim:
        rest = choices.shape[1:]
        choices = [_core.reshape_view(dense(choices[i : i + 1]), rest) for i in range(choices.shape[0])]
    choices = choices if type(choices) in (list, tuple) else list(asnative(choices))
    if out is not None or mode not in ("raise", "wrap", "clip") or not 0 < len(choices) < 32:
        raise NotNative
    index = index_array(a)
    kinds = [c if type(c) in (int, float, complex) else None for c in choices]  # plain numbers take the others' dtype
    choices = [asnative(c) for c in choices]
    if index.ndim == 0:
        raise NotNative
    if mode != "raise":
        index = bounded(index, len(choices), mode)
    dtype = numpy.result_type(*[c.dtype if kind is None else kind for c, kind in zip(choices, kinds, strict=True)])
    shape = broadcast_shapes(index.shape, *[c.shape for c in choices])
    if index.size and (index.min() < 0 or index.max() >= len(choices)):
        raise NotNative
    made = _core.empty(shape, dtype)
    _core.assign(made, choices[0])
    for i, c in enumerate(choices[1:], 1):
        _core.elementwise("where", dtype, made, index == i, c, made)
    return made


@native
def trim_zeros(filt, trim="fb", axis=None):
    a = asnative(filt) if type(filt) is ndarray else None
    if a is None or a.ndim != 1 or axis not in (None, 0) or trim not in ("fb", "bf", "f", "b"):
        raise NotNative
    places = flat_positions(a)
    if places.size == 0:
        return a[:0]
    first = int(places[0]) if "f" in trim else 0
    last = int(places[-1]) + 1 if "b" in trim else a.shape[0]
    return a[first:last]
