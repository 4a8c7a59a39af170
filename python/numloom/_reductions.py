"""Reductions: sums, extremes, means, counts, and what is composed of them. All fuse, because all are recorded."""

import operator

import numpy

from numloom import _core
from numloom._base import (
    BOOL,
    DIVIDE,
    FLOAT,
    HALF,
    INT,
    INVALID,
    NO_VALUE,
    SCALAR,
    SINGLE,
    NotNative,
    asnative,
    astype,
    axis_tuple,
    broadcast,
    broadcast_shapes,
    copy,
    fresh_like,
    is_contiguous,
    native_dtype,
    ndarray,
    reduced_axes,
    said,
    scalar,
    scalar_or_array,
)
from numloom._base import (
    where as select,
)
from numloom._registry import native
from numloom._ufunc import reduce_op, reduce_type, sum_type


def own_or_refuse(out):
    """`out` must be an array of ours (or absent)."""
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    if out is not None and type(out) is not ndarray:
        raise NotNative
    return out


def kept(keepdims):
    """keepdims as a bool; NotNative (so NumPy's error) for what is no number."""
    if keepdims is NO_VALUE:
        return False
    if type(keepdims) is not bool and not hasattr(keepdims, "__index__"):
        raise NotNative
    return bool(keepdims)


def fold(name, a, axis, dtype, out, keepdims, initial, where):
    """The frame of sum, prod, min, max, any and all."""
    if axis is dtype is out is None and keepdims is initial is where is NO_VALUE and type(a) is ndarray and a.size:
        return _core.reduce_new(name, reduce_type(name, a, None, None), a, (1 << a.ndim) - 1)
    if type(a) is not ndarray:
        a = asnative(a)
    axes = reduced_axes(axis, a.ndim)
    if dtype is None and out is None:
        kind = reduce_type(name, a, None, None)
    else:
        out = own_or_refuse(out)
        kind = reduce_type(name, a, None if dtype is None else native_dtype(dtype), out)
    return reduce_op(name, a, axes, kind, kept(keepdims), out, initial, where)


@native(name="sum")
def sum_(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    if not isinstance(a, (numpy.ndarray, list, tuple, numpy.generic, int, float, complex)) and type(a) is not ndarray:
        raise NotNative  # a generator: NumPy warns and sums by Python
    return fold("add", a, axis, dtype, out, keepdims, initial, where)


@native
def prod(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    return fold("multiply", a, axis, dtype, out, keepdims, initial, where)


def extreme(name, a, axis, out, keepdims, initial, where):
    return fold(name, a, axis, None, out, keepdims, initial, where)


@native
def amin(a, axis=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    return extreme("minimum", a, axis, out, keepdims, initial, where)


@native
def amax(a, axis=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    return extreme("maximum", a, axis, out, keepdims, initial, where)


@native(name="min")
def min_(a, axis=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    return extreme("minimum", a, axis, out, keepdims, initial, where)


@native(name="max")
def max_(a, axis=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    return extreme("maximum", a, axis, out, keepdims, initial, where)


def truth(name, a, axis, out, keepdims, where):
    """any and all: an `out` of any dtype takes the values of a boolean result."""
    out = own_or_refuse(out)
    result = fold(name, a, axis, None, None, keepdims, NO_VALUE, where)
    if out is None:
        return result
    if out.shape != result.shape or not out.flags.writeable:
        raise NotNative
    _core.assign(out, result)
    return out


@native(name="any")
def any_(a, axis=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    return truth("logical_or", a, axis, out, keepdims, where)


@native(name="all")
def all_(a, axis=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    return truth("logical_and", a, axis, out, keepdims, where)


# ------------------------------------------------------------------------------------------- mean and variance
def product(numbers):
    n = 1
    for i in numbers:
        n *= i
    return n


def reduced_count(a, axes):
    return product(a.shape[i] for i in axes)


def moment_axes(axis, ndim, where):
    """The axes of mean and var: NumPy counts elements, and so refuses axis 0 of a 0-d array, unless a mask counts."""
    if type(axis) is list:
        return reduced_axes(axis, ndim)  # refused
    return axis_tuple(axis, ndim) if where is NO_VALUE or where is True else reduced_axes(axis, ndim)


def moment_types(a, dtype):
    """(dtype to add up in, dtype of the result) as NumPy's mean and var choose them."""
    if dtype is not None:
        dtype = native_dtype(dtype)
        return dtype, dtype
    if a.dtype.kind in "biu":
        return FLOAT, FLOAT
    if a.dtype == HALF:
        return SINGLE, HALF
    return a.dtype, a.dtype


def divided(total, count, dtype):
    """total / count in NumPy's loop (with an intp divisor), in `dtype`."""
    if type(count) is int:
        count = numpy.intp(count)
        if dtype.kind in "biu":
            raise NotNative
    loop = numpy.result_type(total.dtype, numpy.intp)
    out = fresh_like(total, dtype)
    _core.elementwise("divide", loop, out, total, count if type(count) is ndarray else int(count))
    return out


def as_array(x):
    """A lazy or NumPy scalar as a 0-d array; arrays as they are."""
    return x if type(x) is ndarray else asnative(x)


def counted(a, axes, mask, keepdims):
    """How many elements a mask selects along axes, as an array; an int without a mask."""
    if mask is NO_VALUE or mask is True:
        n = reduced_count(a, axes)
        if n == 0:
            raise NotNative  # NumPy warns
        return n
    mask = asnative(mask)
    if mask.dtype != BOOL or broadcast_shapes(mask.shape, a.shape) != a.shape:
        raise NotNative
    count = as_array(reduce_op("add", broadcast(mask, a.shape), axes, INT, keepdims))
    if bool((count == 0).any()):
        raise NotNative  # NumPy warns
    return count


def finish(result, final, keepdims, out):
    """Result in its last dtype, in `out` where given, a scalar where it has no axes."""
    if result.dtype != final:
        result = astype(result, final)
    if out is None:
        return scalar_or_array(result)
    if out.shape != result.shape or out.dtype != final or not out.flags.writeable:
        raise NotNative
    _core.assign(out, result)
    return out


@native
def mean(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    if type(a) is not ndarray:
        a = asnative(a)
    out = own_or_refuse(out)
    axes = moment_axes(axis, a.ndim, where)
    keepdims = kept(keepdims)
    add_type, final = moment_types(a, dtype)
    if add_type.kind in "biu":
        raise NotNative
    count = counted(a, axes, where, keepdims)
    total = as_array(reduce_op("add", a, axes, add_type, keepdims, None, NO_VALUE, where))
    quotient = said(SCALAR if total.ndim == 0 and out is None else 0, divided, total, count, add_type)
    return finish(quotient, final, keepdims, out)


SQUARE = _core.report_as("square")


def squared(x):
    """x * x, which folds faster than a square, by NumPy's name of it."""
    return said(SQUARE, operator.mul, x, x)


def variance(a, axis, dtype, out, ddof, keepdims, where, given_mean, correction):
    """(the variance as an array, its final dtype, out)."""
    if type(a) is not ndarray:
        a = asnative(a)
    out = own_or_refuse(out)
    if correction is not NO_VALUE:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    axes = moment_axes(axis, a.ndim, where)
    add_type, final = moment_types(a, dtype)
    if add_type.kind in "biu" or type(ddof) not in (int, float):
        raise NotNative
    real = numpy.dtype(add_type.char.lower()) if add_type.kind == "c" else add_type
    if dtype is None and final.kind == "c":
        final = real
    count = counted(a, axes, where, True)
    if given_mean is NO_VALUE:
        total = as_array(reduce_op("add", a, axes, add_type, True, None, NO_VALUE, where))
        center = divided(total, count, add_type)
    else:
        center = asnative(given_mean)
    deviation = a - center
    if deviation.dtype.kind == "c":
        deviation = squared(deviation.real) + squared(deviation.imag)
        add_type = real
    else:
        deviation = squared(deviation)
    if type(count) is int:
        if count - ddof <= 0 or type(ddof) is float:
            raise NotNative
        count -= ddof
    else:
        count = count - ddof
        if bool((count <= 0).any()):
            raise NotNative
    keepdims = kept(keepdims)
    total = as_array(reduce_op("add", deviation, axes, add_type, True, None, NO_VALUE, where))
    result = divided(total, count, add_type)
    if not keepdims:
        result = _core.reshape_view(result, tuple([n for i, n in enumerate(a.shape) if i not in axes]))
    return result, final, keepdims, out


@native
def var(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=NO_VALUE, *, where=NO_VALUE, mean=NO_VALUE, correction=NO_VALUE
):
    return finish(*variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction))


@native
def std(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=NO_VALUE, *, where=NO_VALUE, mean=NO_VALUE, correction=NO_VALUE
):
    result, final, keepdims, out = variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction)
    root = fresh_like(result)
    _core.elementwise("sqrt", result.dtype, root, result)
    return finish(root, final, keepdims, out)


# ------------------------------------------------------------------------------------------ positions, counts
def position(name, a, axis, out, keepdims):
    """argmin and argmax: the first place of the extreme value (of the first NaN where there is one)."""
    if axis is not None and not isinstance(axis, (int, numpy.integer)):
        raise NotNative
    a = asnative(a)
    operation = "argmax" if name == "maximum" else "argmin"
    if axis is out is None and keepdims is NO_VALUE and a.ndim == 1 and a.size and a.dtype.kind != "c":
        place = _core.empty((), INT)
        _core.library(operation, (1, a.size, 1), place, a if is_contiguous(a) else copy(a))
        return _core.to_scalar(place)
    out = own_or_refuse(out)
    keepdims = kept(keepdims)
    if axis is None:
        axes, length = tuple(range(a.ndim)), a.size
    else:
        axes = reduced_axes(axis, a.ndim)
        if len(axes) != 1:
            raise NotNative
        length = a.shape[axes[0]]
    if length == 0 or a.dtype.kind == "c" or a.ndim == 0:
        raise NotNative
    places = _core.empty(a.shape[: axes[0]] + a.shape[axes[-1] + 1 :], INT)
    if places.size:
        lines = (product(a.shape[: axes[0]]), length, product(a.shape[axes[-1] + 1 :]))
        _core.library(operation, lines, places, a if is_contiguous(a) else copy(a))
    if keepdims:
        places = _core.reshape_view(places, tuple([1 if i in axes else n for i, n in enumerate(a.shape)]))
    result = scalar_or_array(places)
    if out is None:
        return result
    if out.shape != result.shape or out.dtype != INT or not out.flags.writeable:
        raise NotNative
    _core.assign(out, result)
    return out


@native
def argmax(a, axis=None, out=None, *, keepdims=NO_VALUE):
    return position("maximum", a, axis, out, keepdims)


@native
def argmin(a, axis=None, out=None, *, keepdims=NO_VALUE):
    return position("minimum", a, axis, out, keepdims)


@native
def ptp(a, axis=None, out=None, keepdims=NO_VALUE):
    if out is not None:
        raise NotNative
    a = asnative(a)
    axes = reduced_axes(axis, a.ndim)
    keepdims = kept(keepdims)
    if a.dtype == BOOL:
        raise NotNative
    high, low = (reduce_op(name, a, axes, a.dtype, keepdims) for name in ("maximum", "minimum"))
    if type(high) is ndarray:
        return high - low
    return _core.to_scalar(_core.elementwise_new("subtract", a.dtype, high, low))  # not of scalars, to NumPy


@native
def count_nonzero(a, axis=None, *, keepdims=False):
    a = asnative(a)
    axes = reduced_axes(axis, a.ndim)
    truth = a if a.dtype == BOOL else a != 0
    if type(truth) is scalar:
        truth = as_array(truth)
    return reduce_op("add", truth, axes, INT, bool(keepdims))


# ---------------------------------------------------------------------------------------------------- NaN forms
def without_nan(a, fill):
    """(a with NaN replaced, mask of NaN or None where the dtype has none)."""
    a = asnative(a)
    if a.dtype.kind not in "fc":
        return a, None
    mask = _core.empty(a.shape, BOOL)
    _core.elementwise("isnan", a.dtype, mask, a)
    return select(mask, fill, a, a.dtype), mask


@native
def nansum(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    a, _ = without_nan(a, 0)
    return fold("add", a, axis, dtype, out, keepdims, initial, where)


@native
def nanprod(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    a, _ = without_nan(a, 1)
    return fold("multiply", a, axis, dtype, out, keepdims, initial, where)


# NumPy divides by counts that may be 0 with these two kinds ignored.
ONLY_RANGE = _core.report_as("", DIVIDE | INVALID)


@native
def nanmean(a, axis=None, dtype=None, out=None, keepdims=NO_VALUE, *, where=NO_VALUE):
    a = asnative(a)
    if a.dtype.kind not in "fc":
        return mean.__numloom_native__(a, axis, dtype, out, keepdims, where=where)
    if dtype is not None or a.dtype == HALF:
        raise NotNative
    out = own_or_refuse(out)
    filled, mask = without_nan(a, 0)
    if where is not NO_VALUE:
        chosen = asnative(where)
        if chosen.dtype != BOOL or broadcast_shapes(chosen.shape, a.shape) != a.shape:
            raise NotNative
        filled, mask = select(chosen, filled, 0, a.dtype), mask | ~chosen
    axes = reduced_axes(axis, a.ndim)
    keepdims = kept(keepdims)
    count = as_array(reduce_op("add", ~mask, axes, INT, keepdims))
    if bool((count == 0).any()):
        raise NotNative  # NumPy warns
    total = as_array(reduce_op("add", filled, axes, a.dtype, keepdims))
    return finish(said(ONLY_RANGE, divided, total, count, a.dtype), a.dtype, keepdims, out)


def nan_extreme(name, a, axis, out, keepdims, initial, where):
    a = asnative(a)
    if a.size == 0 or a.dtype.kind == "c":
        raise NotNative
    result = fold(name, a, axis, None, out, keepdims, initial, where)
    if a.dtype.kind == "f" and bool(result.size) and bool((result != result).any()):
        raise NotNative  # an all-NaN slice: NumPy warns
    return result


@native
def nanmin(a, axis=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    return nan_extreme("fmin", a, axis, out, keepdims, initial, where)


@native
def nanmax(a, axis=None, out=None, keepdims=NO_VALUE, initial=NO_VALUE, where=NO_VALUE):
    return nan_extreme("fmax", a, axis, out, keepdims, initial, where)


def nan_position(function, fill, a, axis, out, keepdims):
    a = asnative(a)
    if a.dtype.kind == "c":
        raise NotNative
    if a.size == 0:
        raise NotNative
    filled, mask = without_nan(a, fill)
    if mask is not None and bool(all_(mask, axis=axis).any()):
        raise ValueError("All-NaN slice encountered")
    return function(filled, axis=axis, out=out, keepdims=keepdims)


@native
def nanargmin(a, axis=None, out=None, *, keepdims=NO_VALUE):
    return nan_position(argmin, numpy.inf, a, axis, out, keepdims)


@native
def nanargmax(a, axis=None, out=None, *, keepdims=NO_VALUE):
    return nan_position(argmax, -numpy.inf, a, axis, out, keepdims)


# ------------------------------------------------------------------------------------------------- averages
@native
def average(a, axis=None, weights=None, returned=False, *, keepdims=NO_VALUE):
    a = asnative(a)
    axis = axis if axis is None or type(axis) in (int, tuple) else axis_tuple(axis, a.ndim)
    if weights is None:
        result = mean(a, axis, keepdims=keepdims) if keepdims is not NO_VALUE else mean(a, axis)
        if not result.size:
            raise ZeroDivisionError("division by zero")
        if not returned:
            return result
        scale = _core.full(result.shape, result.dtype, a.size / result.size)
        return result, scalar_or_array(scale)
    weights = asnative(weights)
    if weights.shape != a.shape:
        weights = weights_along(a, weights, axis)
    kind = (
        numpy.result_type(a.dtype, weights.dtype, "f8")
        if a.dtype.kind in "biu"
        else numpy.result_type(a.dtype, weights.dtype)
    )
    axes = reduced_axes(axis, a.ndim)
    keep = keepdims is not NO_VALUE and bool(keepdims)
    scale = reduce_op("add", weights, axes, numpy.result_type(sum_type(weights.dtype), kind), keep)
    if bool((as_array(scale) == 0).any()):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    weighted = multiply_as(a, weights, kind)
    result = reduce_op("add", weighted, axes, kind, keep) / scale
    if not returned:
        return result
    if scale.shape != result.shape:
        raise NotNative
    return result, scale


def weights_along(a, weights, axis):
    """One-dimensional weights of an axis, for all its lines."""
    if (
        type(axis) is not int
        or weights.ndim != 1
        or not -a.ndim <= axis < a.ndim
        or (weights.shape[0] != a.shape[axis])
    ):
        raise NotNative  # NumPy's errors
    shape = [1] * a.ndim
    shape[axis] = weights.shape[0]
    return _core.broadcast_view(_core.reshape_view(weights, tuple(shape)), a.shape)


def multiply_as(a, b, dtype):
    out = _core.empty(broadcast_shapes(a.shape, b.shape), dtype)
    _core.elementwise("multiply", dtype, out, a, b)
    return out
