"""Diagonals, and differences of neighbours."""

import numpy

from numloom import _core
from numloom._base import (
    NO_VALUE,
    SCALAR,
    NotNative,
    asnative,
    astype,
    axis_index,
    axis_tuple,
    element_values,
    host,
    integer,
    native_dtype,
    ndarray,
    said,
)
from numloom._creation import diagonal_view
from numloom._manipulation import concatenate, raveled
from numloom._registry import native
from numloom._ufunc import reduce_op, sum_type


# --------------------------------------------------------------------------------------------------- diagonals
def diagonal_of(a, offset, axis1, axis2):
    """The diagonals over two axes as a writeable view, the diagonal last."""
    if a.ndim < 2:
        raise ValueError("diag requires an array of at least two dimensions")
    one, two = axis_index(axis1, a.ndim), axis_index(axis2, a.ndim)
    if one == two:
        raise ValueError("axis1 and axis2 cannot be the same")
    rows, cols = a.shape[one], a.shape[two]
    down, right = a.strides[one], a.strides[two]
    n = max(0, min(rows, cols - offset) if offset >= 0 else min(rows + offset, cols))
    shift = (offset * right if offset >= 0 else -offset * down) if n else 0
    rest = [i for i in range(a.ndim) if i not in (one, two)]
    return _core.view(a, (*[a.shape[i] for i in rest], n), (*[a.strides[i] for i in rest], down + right), shift)


@native
def diagonal(a, offset=0, axis1=0, axis2=1):
    view = diagonal_of(asnative(a), integer(offset), axis1, axis2)
    return _core.view(view, view.shape, view.strides, 0, None, False)


@native
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    a = asnative(a)
    if out is not None and type(out) is not ndarray:
        raise NotNative
    view = diagonal_of(a, integer(offset), axis1, axis2)
    kind = sum_type(a.dtype) if dtype is None else native_dtype(dtype)
    return reduce_op("add", view, (view.ndim - 1,), kind, False, out)


@native
def fill_diagonal(a, val, wrap=False):
    if type(a) is not ndarray or a.ndim < 2 or wrap or not a.flags.writeable or a.ndim > 2 and len(set(a.shape)) != 1:
        raise NotNative
    n = min(a.shape)
    view = diagonal_view(a) if a.ndim == 2 else _core.view(a, (n,), (sum(a.strides),), 0)
    if type(val) not in (int, float, complex, bool):
        val = raveled(element_values(val, a.dtype))
        if val.dtype.kind == "c" and a.dtype.kind != "c" or not val.size:
            raise NotNative
        if val.shape[0] != n:
            val = concatenate([val] * -(-n // val.shape[0]))[:n]
    elif type(val) is complex and a.dtype.kind != "c":
        raise NotNative
    _core.assign(view, val)


# ------------------------------------------------------------------------------------------------- differences
@native
def diff(a, n=1, axis=-1, prepend=NO_VALUE, append=NO_VALUE):
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = asnative(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = axis_index(axis, a.ndim)
    parts = []
    for extra in (prepend, None, append):
        if extra is None:
            parts.append(a)
        elif extra is not NO_VALUE:
            extra = asnative(extra)
            if extra.ndim == 0:
                extra = _core.broadcast_view(extra, (*a.shape[:axis], 1, *a.shape[axis + 1 :]))
            parts.append(extra)
    if len(parts) > 1:
        a = concatenate(parts, axis)
    front = (slice(None),) * axis
    for _ in range(n):
        high, low = a[(*front, slice(1, None))], a[(*front, slice(None, -1))]
        a = high != low if a.dtype.kind == "b" else high - low
    return a


@native
def ediff1d(ary, to_end=None, to_begin=None):
    a = raveled(asnative(ary))
    if a.dtype.kind == "b":
        raise NotNative
    parts = [a[1:] - a[:-1]]
    for extra, at in ((to_begin, 0), (to_end, 1 + (to_begin is not None))):
        if extra is None:
            continue
        extra = raveled(asnative(extra))
        if not numpy.can_cast(extra.dtype, a.dtype, "same_kind"):
            raise NotNative
        parts.insert(at, extra if extra.dtype == a.dtype else astype(extra, a.dtype))
    return parts[0] if len(parts) == 1 else concatenate(parts)


def gradient_axis(f, h, axis, edge_order):
    """Second order differences inside, one-sided of edge_order at both ends, for a constant spacing."""
    n = f.shape[axis]
    if n < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) "
            "elements are required."
        )
    front = (slice(None),) * axis

    def part(*bounds):
        return f[(*front, slice(*bounds))]

    def ends():
        if edge_order == 1:
            out[(*front, slice(0, 1))] = (part(1, 2) - part(0, 1)) / h
            out[(*front, slice(n - 1, n))] = (part(n - 1, n) - part(n - 2, n - 1)) / h
            return
        a, b, c = -1.5 / h, 2.0 / h, -0.5 / h
        out[(*front, slice(0, 1))] = a * part(0, 1) + b * part(1, 2) + c * part(2, 3)
        a, b, c = 0.5 / h, -2.0 / h, 1.5 / h
        out[(*front, slice(n - 1, n))] = a * part(n - 3, n - 2) + b * part(n - 2, n - 1) + c * part(n - 1, n)

    out = _core.empty(f.shape, f.dtype)
    out[(*front, slice(1, -1))] = (part(2, None) - part(None, -2)) / (2.0 * h)
    said(SCALAR if f.ndim == 1 else 0, ends)
    return out


def gradient_at(f, x, axis, edge_order):
    """The same for values at the places `x` of an axis."""
    n = f.shape[axis]
    if x.ndim != 1 or x.shape[0] != n or x.dtype.kind not in "iuf" or n < edge_order + 1:
        raise NotNative
    x = x if x.dtype.kind == "f" else astype(x, numpy.dtype(float))
    steps = x[1:] - x[:-1]
    if bool((steps == steps[:1]).all()):
        return gradient_axis(f, steps[0].item() if x.dtype.char == "d" else steps[0], axis, edge_order)
    front = (slice(None),) * axis
    shape = [1] * f.ndim

    def part(*bounds):
        return f[(*front, slice(*bounds))]

    def factor(values):
        shape[axis] = values.shape[0]
        return _core.reshape_view(values, tuple(shape))

    def ends():
        if edge_order == 1:
            out[(*front, slice(0, 1))] = (part(1, 2) - part(0, 1)) / factor(steps[:1])
            out[(*front, slice(n - 1, n))] = (part(n - 1, n) - part(n - 2, n - 1)) / factor(steps[n - 2 :])
            return
        one, two = steps[:1], steps[1:2]
        a, b, c = -(2.0 * one + two) / (one * (one + two)), (one + two) / (one * two), -one / (two * (one + two))
        out[(*front, slice(0, 1))] = factor(a) * part(0, 1) + factor(b) * part(1, 2) + factor(c) * part(2, 3)
        one, two = steps[n - 3 : n - 2], steps[n - 2 :]
        a, b, c = two / (one * (one + two)), -(two + one) / (one * two), (2.0 * two + one) / (two * (one + two))
        out[(*front, slice(n - 1, n))] = (
            factor(a) * part(n - 3, n - 2) + factor(b) * part(n - 2, n - 1) + factor(c) * part(n - 1, n)
        )

    one, two = steps[:-1], steps[1:]
    a, b, c = -two / (one * (one + two)), (two - one) / (one * two), one / (two * (one + two))
    out = _core.empty(f.shape, f.dtype)
    out[(*front, slice(1, -1))] = factor(a) * part(None, -2) + factor(b) * part(1, -1) + factor(c) * part(2, None)
    said(SCALAR if f.ndim == 1 else 0, ends)
    return out


@native
def gradient(f, *varargs, axis=None, edge_order=1):
    f = asnative(f)
    axes = axis_tuple(axis, f.ndim)
    if f.ndim == 0 or edge_order not in (1, 2) or len(varargs) not in (0, 1, len(axes)):
        raise NotNative
    if len(varargs) == 1 and len(axes) > 1 and numpy.ndim(host(varargs[0])):
        raise NotNative
    steps = list(varargs) if len(varargs) == len(axes) else list(varargs or (1.0,)) * len(axes)
    if f.dtype.kind in "iu":
        f = astype(f, numpy.dtype(float))
    elif f.dtype.kind not in "fc":
        raise NotNative
    out = [
        gradient_axis(f, h, axis, edge_order)
        if type(h) in (int, float)
        else gradient_at(f, asnative(h), axis, edge_order)
        for h, axis in zip(steps, axes, strict=False)
    ]
    return out[0] if len(out) == 1 else tuple(out)
