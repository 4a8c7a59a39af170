"""Norms, and linalg's names for what the main namespace has."""

import numpy

from numloom import _core, _differences, _functions, _manipulation
from numloom._base import (
    FLOAT,
    NotNative,
    asnative,
    astype,
    axis_tuple,
    copy,
    said,
    scalar_or_array,
)
from numloom._manipulation import moveaxis
from numloom._reductions import as_array
from numloom._registry import native
from numloom._ufunc import reduce_op
from numloom.linalg._lapack import singular_values

DOT = _core.report_as("dot")


def magnitude_squared(x):
    if x.dtype.kind == "c":  # as NumPy multiplies, infinities with zeros too
        return as_array((_core.elementwise_new("conjugate", x.dtype, x) * x).real)
    return as_array(x * x)


def euclidean(x, axes, keepdims):
    """The norm over all axes, for which NumPy takes the product of the parts with themselves."""
    squares = as_array(x.real * x.real + x.imag * x.imag if x.dtype.kind == "c" else x * x)
    return unary("sqrt", reduce_op("add", squares, axes, squares.dtype, keepdims))


def unary(name, x):
    x = as_array(x)
    out = _core.empty(x.shape, x.dtype)
    _core.elementwise(name, x.dtype, out, x)
    return out


def vector_norm_along(x, order, axes, keepdims):
    """The norm of vectors along axes, as an array."""
    if order is None or order == 2:
        squares = magnitude_squared(x)
        return unary("sqrt", reduce_op("add", squares, axes, squares.dtype, keepdims))
    size = as_array(abs(x))
    if order == numpy.inf:
        return as_array(reduce_op("maximum", size, axes, size.dtype, keepdims))
    if order == -numpy.inf:
        return as_array(reduce_op("minimum", size, axes, size.dtype, keepdims))
    if order == 1:
        return as_array(reduce_op("add", size, axes, size.dtype, keepdims))
    if order == 0:
        return as_array(reduce_op("add", as_array(x != 0), axes, size.dtype, keepdims))
    if type(order) not in (int, float):
        raise NotNative
    total = as_array(reduce_op("add", as_array(size**order), axes, size.dtype, keepdims))
    return as_array(total ** (1 / order))


def singular_value_norm(x, order, axes, keepdims):
    """The largest (2), the smallest (-2) or the sum ("nuc") of the singular values."""
    if x.dtype.kind not in "fc":
        raise NotNative
    s = singular_values(moveaxis(x, axes, (-2, -1)))
    if s.shape[-1] == 0:
        if order == -2:
            raise NotNative
        result = _core.full(s.shape[:-1], s.dtype, 0)
    elif order == "nuc":
        result = as_array(reduce_op("add", s, (s.ndim - 1,), s.dtype))
    else:
        result = s[..., 0 if order == 2 else -1]
    return _core.reshape_view(copy(result), kept(x.shape, axes)) if keepdims else copy(result)


def kept(shape, axes):
    return tuple([1 if i in axes else n for i, n in enumerate(shape)])


def matrix_norm_along(x, order, axes, keepdims):
    rows, cols = axes
    if rows == cols:
        raise ValueError("Duplicate axes given.")
    if order in (None, "fro", "f"):
        return vector_norm_along(x, None, axes, keepdims)
    if order in (2, -2, "nuc"):
        return singular_value_norm(x, order, axes, keepdims)
    if order not in (1, -1, numpy.inf, -numpy.inf):
        raise NotNative
    inner, other = (rows, cols) if order in (1, -1) else (cols, rows)
    sums = as_array(reduce_op("add", as_array(abs(x)), (inner,), abs(x).dtype, True))
    name = "maximum" if order > 0 else "minimum"
    result = as_array(reduce_op(name, sums, (other,), sums.dtype, True))
    if keepdims:
        return result
    return _core.reshape_view(result, tuple([n for i, n in enumerate(result.shape) if i not in axes]))


def floating(x):
    x = asnative(x)
    return x if x.dtype.kind in "fc" else astype(x, FLOAT)


@native(name="linalg.norm")
def norm(x, ord=None, axis=None, keepdims=False):
    x = floating(x)
    keepdims = bool(keepdims)
    if axis is None:
        if ord is None or ord in ("fro", "f") and x.ndim == 2 or ord == 2 and x.ndim == 1:
            return scalar_or_array(said(DOT, euclidean, x, tuple(range(x.ndim)), keepdims))
        axes = tuple(range(x.ndim))
    else:
        if type(axis) is list:
            raise NotNative
        try:
            axes = axis_tuple(axis, x.ndim)
        except ValueError:
            raise NotNative from None  # NumPy looks at the order of the norm first
    if x.size == 0:
        raise NotNative
    if len(axes) == 1:
        return scalar_or_array(vector_norm_along(x, ord, axes, keepdims))
    if len(axes) == 2:
        return scalar_or_array(matrix_norm_along(x, ord, axes, keepdims))
    raise ValueError("Improper number of dimensions to norm.")


@native(name="linalg.vector_norm")
def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    x = floating(x)
    axes = axis_tuple(axis, x.ndim)
    if x.size == 0 or ord in ("fro", "nuc"):
        raise NotNative
    return scalar_or_array(vector_norm_along(x, ord, axes, bool(keepdims)))


@native(name="linalg.matrix_norm")
def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    x = floating(x)
    if x.ndim < 2 or x.size == 0:
        raise NotNative
    return scalar_or_array(matrix_norm_along(x, ord, (x.ndim - 2, x.ndim - 1), bool(keepdims)))


@native(name="linalg.matrix_transpose")
def matrix_transpose(x, /):
    return _manipulation.matrix_transpose.__numloom_native__(x)


@native(name="linalg.diagonal")
def diagonal(x, /, *, offset=0):
    return _differences.diagonal.__numloom_native__(x, offset, -2, -1)


@native(name="linalg.trace")
def trace(x, /, *, offset=0, dtype=None):
    return _differences.trace.__numloom_native__(x, offset, -2, -1, dtype)


@native(name="linalg.outer")
def outer(x1, x2, /):
    x1, x2 = asnative(x1), asnative(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(
            f"Input arrays must be one-dimensional, but they are x1.ndim={x1.ndim!r} and x2.ndim={x2.ndim!r}."
        )
    return _functions.outer.__numloom_native__(x1, x2)


@native(name="linalg.cross")
def cross(x1, x2, /, *, axis=-1):
    x1, x2 = asnative(x1), asnative(x2)
    if not x1.ndim or not x2.ndim:
        raise NotNative
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise NotNative
    return _functions.cross.__numloom_native__(x1, x2, axis=axis)
