"""Functions of NumPy's namespace that are a few operations of the engine."""

import math
import warnings

import numpy

from numloom import _core
from numloom._base import (
    BOOL,
    FLOAT,
    INVALID,
    NO_VALUE,
    PYTHON_NUMBERS,
    NotNative,
    asnative,
    astype,
    axis_index,
    axis_tuple,
    broadcast_shapes,
    converted,
    copy,
    element_values,
    host,
    integer,
    is_contiguous,
    is_native,
    native_dtype,
    ndarray,
    operand_type,
    reported,
    scalar,
    scalar_or_array,
)
from numloom._creation import array as make_array
from numloom._manipulation import concatenate, moveaxis, raveled
from numloom._registry import native
from numloom._ufunc import OBJECTS, constant, new_output, reduce_op, sum_type


def number_or_array(x):
    """An operand: Python numbers and lazy scalars as they are, the rest as arrays of ours."""
    kind = type(x)
    if kind is ndarray or kind is scalar or kind in PYTHON_NUMBERS:
        return x
    if isinstance(x, numpy.generic):
        if not is_native(x.dtype):
            raise NotNative
        return x
    return asnative(x)


def value_for(x, dtype):
    """An operand for a loop of `dtype`."""
    return x if type(x) is ndarray or type(x) is scalar else constant(x, dtype)


def shapes_of(*operands):
    return [x.shape for x in operands if type(x) is ndarray]


def apply(name, dtype, *operands, result=None):
    """One elementwise operation over broadcast operands, with the loop for `dtype`: always an array."""
    shape = broadcast_shapes((), *shapes_of(*operands))
    out = new_output(shape, dtype if result is None else result, operands, "K")
    _core.elementwise(name, dtype, out, *operands)
    return out


# -------------------------------------------------------------------------------------------------- selections
@native
def where(condition, x=NO_VALUE, y=NO_VALUE, /):
    if x is NO_VALUE and y is NO_VALUE:
        from numloom._library import nonzero

        return nonzero.__numloom_native__(condition)
    if x is NO_VALUE or y is NO_VALUE:
        raise NotNative
    mask, x, y = number_or_array(condition), number_or_array(x), number_or_array(y)
    dtype = native_dtype(numpy.result_type(operand_type(x), operand_type(y)))
    try:
        x, y = value_for(x, dtype), value_for(y, dtype)
    except OverflowError:
        raise NotNative from None  # NumPy before 2.5 wraps the number
    if type(mask) is not ndarray and type(mask) is not scalar:
        mask = bool(mask)
    shape = broadcast_or_refuse(mask, x, y)
    out = new_output(shape, dtype, (mask, x, y), "K")
    _core.elementwise("where", dtype, out, mask, x, y)
    return out


def broadcast_or_refuse(*operands):
    """The shape of all operands together; NotNative where there is none, since each function words it differently."""
    try:
        return broadcast_shapes((), *shapes_of(*operands))
    except ValueError:
        raise NotNative from None


@native
def select(condlist, choicelist, default=0):
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    masks = [asnative(c) for c in condlist]
    choices = [number_or_array(c) for c in choicelist]
    rest = number_or_array(default)
    if any(m.dtype != BOOL for m in masks):
        raise NotNative
    dtype = native_dtype(numpy.result_type(*[operand_type(c) for c in choices], operand_type(rest)))
    shape = broadcast_or_refuse(*masks, *choices, rest)
    try:
        rest, *choices = (value_for(x, dtype) for x in (rest, *choices))
    except OverflowError:
        raise NotNative from None  # NumPy wraps the number
    out = _core.empty(shape, dtype)
    _core.assign(out, rest)
    for mask, choice in zip(reversed(masks), reversed(choices), strict=False):
        _core.elementwise("where", dtype, out, mask, choice, out)
    return out


@native
def clip(a, a_min=NO_VALUE, a_max=NO_VALUE, out=None, *, min=NO_VALUE, max=NO_VALUE, **kwargs):
    if kwargs or (a_min is not NO_VALUE and min is not NO_VALUE) or (a_max is not NO_VALUE and max is not NO_VALUE):
        raise NotNative
    if (a_min is NO_VALUE) != (a_max is NO_VALUE) and min is NO_VALUE and max is NO_VALUE:
        raise NotNative  # NumPy misses the other bound
    low = min if a_min is NO_VALUE else a_min
    high = max if a_max is NO_VALUE else a_max
    low, high = (None if x is NO_VALUE else x for x in (low, high))
    if out is None and type(a) is ndarray and plain_bounds(a, low, high):
        result = a if low is None else OBJECTS["maximum"](a, low)
        return result if high is None else OBJECTS["minimum"](result, high)
    if low is None and high is None or out is not None and type(out) is not ndarray:
        raise NotNative
    was_scalar = type(a) is scalar or isinstance(a, numpy.generic) or type(a) in PYTHON_NUMBERS
    a = asnative(a)
    bounds = [None if x is None else number_or_array(x) for x in (low, high)]
    dtype = native_dtype(numpy.result_type(a.dtype, *[operand_type(x) for x in bounds if x is not None]))
    if dtype == BOOL:
        raise NotNative
    try:
        bounds = [x if x is None else value_for(x, dtype) for x in bounds]
    except OverflowError:
        raise NotNative from None
    shape = broadcast_shapes(a.shape, *shapes_of(*bounds))
    if out is not None and (
        out.shape != shape or not numpy.can_cast(dtype, out.dtype, "same_kind") or not out.flags.writeable
    ):
        raise NotNative
    result = a
    for name, bound in zip(("maximum", "minimum"), bounds, strict=False):
        if bound is not None:
            result = apply(name, dtype, result, bound)
    if out is not None:
        _core.assign(out, result)
        return out
    return scalar_or_array(result) if was_scalar or not shape else result


def plain_bounds(a, low, high):
    """Whether the bounds are Python numbers that leave a float array's dtype as it is."""
    return (
        a.dtype.kind == "f"
        and not (low is high is None)
        and all(x is None or type(x) is float or type(x) is int for x in (low, high))
    )


@native
def copyto(dst, src, casting="same_kind", where=True):
    if type(dst) is not ndarray or not dst.flags.writeable:
        raise NotNative
    src = number_or_array(src)
    if type(src) in PYTHON_NUMBERS:
        if not numpy.can_cast(numpy.result_type(src, dst.dtype), dst.dtype, casting):
            raise NotNative
        src = constant(src, dst.dtype) if type(src) in (int, bool) else asnative(src)
    elif not numpy.can_cast(src.dtype, dst.dtype, casting):
        raise NotNative
    else:
        src = asnative(src)  # cast as an array, also where it is one number
    if type(src) is ndarray and broadcast_or_refuse(src, dst) != dst.shape:
        raise NotNative
    if where is True:
        _core.assign(dst, src)
        return
    mask = asnative(where)
    if mask.dtype != BOOL or broadcast_shapes(mask.shape, dst.shape) != dst.shape:
        raise NotNative
    if type(src) is ndarray:
        src = converted(src, dst.dtype)  # reported as a cast
    _core.elementwise("where", dst.dtype, dst, mask, src, dst)


@native
def putmask(a, /, mask, values):
    if type(a) is not ndarray or not a.flags.writeable:
        raise NotNative
    arrays = type(values) in (ndarray, numpy.ndarray)
    values, mask = element_values(values, a.dtype), asnative(mask)
    if mask.shape != a.shape or values.size == 0:
        raise NotNative
    if not numpy.can_cast(values.dtype, a.dtype, "safe" if arrays else "same_kind"):
        raise NotNative
    values = converted(repeated_over(values, a) if values.ndim else values, a.dtype)
    _core.elementwise("where", a.dtype, a, truth_of(mask), values, a)


def repeated_over(values, a):
    """Values in the shape of `a`, repeated along its flat order."""
    flat = raveled(values)
    if flat.shape[0] < a.size:
        flat = concatenate([flat] * -(-a.size // flat.shape[0]))
    return _core.reshape_view(flat[: a.size], a.shape)


def truth_of(mask):
    return mask if mask.dtype == BOOL else mask != 0


# ---------------------------------------------------------------------------------------------------- rounding
@native(name="round")
def round_(a, decimals=0, out=None):
    a = asnative(a)
    if type(decimals) is not int:
        raise NotNative
    if out is not None:
        if type(out) is not ndarray or not out.flags.writeable or out.shape != a.shape or out.dtype != a.dtype:
            raise NotNative
        _core.assign(out, round_.__numloom_native__(a, decimals))
        return out
    kind = a.dtype.kind
    if kind == "c" and a.ndim:
        made = new_output(a.shape, a.dtype, (a,), "K")
        made.real, made.imag = (round_.__numloom_native__(copy(part), decimals) for part in (a.real, a.imag))
        return made
    if kind == "b" or kind == "c":
        raise NotNative
    if kind in "iu":
        if decimals < 0:
            raise NotNative
        return scalar_or_array(copy(a, "K"))
    if decimals == 0:
        return scalar_or_array(apply("rint", a.dtype, a))
    if not -300 < decimals < 300:
        raise NotNative
    factor = 10.0 ** abs(decimals)
    if a.dtype == numpy.dtype("e"):
        raise NotNative
    first, last = ("multiply", "divide") if decimals > 0 else ("divide", "multiply")
    scaled = apply("rint", a.dtype, apply(first, a.dtype, a, factor))
    return scalar_or_array(apply(last, a.dtype, scaled, factor))


@native
def around(a, decimals=0, out=None):
    return round_(a, decimals, out)


_FIX_IS_DEPRECATED = numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0"


@native
def fix(x, out=None):
    if hasattr(type(x), "__array_ufunc__") and type(x) not in (ndarray, numpy.ndarray, scalar):
        raise NotNative
    if _FIX_IS_DEPRECATED:
        warnings.warn(
            "numpy.fix is deprecated. Use numpy.trunc instead, which is faster and follows the Array API standard.",
            DeprecationWarning,
            stacklevel=3,
        )
    return OBJECTS["trunc"](x) if out is None else OBJECTS["trunc"](x, out=out)


@native
def real_if_close(a, tol=100):
    a = asnative(a)
    if a.dtype.kind != "c":
        return a
    if type(tol) not in (int, float):
        raise NotNative
    if tol > 1:
        tol = float(numpy.finfo(a.dtype).eps) * tol
    return a.real if bool((abs(a.imag) < tol).all()) else a


@native
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if type(x) is not ndarray and not copy:
        raise NotNative
    if type(x) is not ndarray and numpy.ndim(host_nested(host(x))) == 0:
        raise NotNative
    a = asnative(x)
    if a.dtype.kind not in "f":
        if a.dtype.kind == "c":
            if not a.ndim or not copy:
                raise NotNative
            made = _core.empty(a.shape, a.dtype)
            for part in ("real", "imag"):
                given = make_array(getattr(a, part), copy=True)
                setattr(made, part, nan_to_num.__numloom_native__(given, True, nan, posinf, neginf))
            return made
        return make_array(a, copy=copy) if a.ndim else scalar_or_array(make_array(a, copy=True))
    if (
        nan is None
        or any(type(v) not in (int, float, type(None)) for v in (nan, posinf, neginf))
        or (not copy and not a.flags.writeable)
    ):
        raise NotNative
    limits = numpy.finfo(a.dtype)
    top = float(limits.max) if posinf is None else posinf
    bottom = float(limits.min) if neginf is None else neginf
    out = make_array(a, copy=True) if copy else a
    source = out
    for mask, value in ((source != source, nan), (source == math.inf, top), (source == -math.inf, bottom)):
        _core.elementwise("where", a.dtype, out, mask, value, out)
    return scalar_or_array(out) if copy else out


# ----------------------------------------------------------------------------------------------- classification
@native
def isneginf(x, out=None):
    if type(x) is not ndarray:
        raise NotNative
    if out is not None or x.dtype.kind != "f":
        raise NotNative
    return x == -math.inf if x.ndim == 0 else apply("equal", x.dtype, x, -math.inf, result=BOOL)


@native
def isposinf(x, out=None):
    if type(x) is not ndarray:
        raise NotNative
    if out is not None or x.dtype.kind != "f":
        raise NotNative
    return x == math.inf if x.ndim == 0 else apply("equal", x.dtype, x, math.inf, result=BOOL)


@native
def iscomplex(x):
    x = asnative(x)
    if x.dtype.kind == "c":
        return scalar_or_array(apply("not_equal", x.imag.dtype, x.imag, 0, result=BOOL))
    return scalar_or_array(_core.full(x.shape, BOOL, False))


@native
def isreal(x):
    if type(x) in PYTHON_NUMBERS:
        raise NotNative  # a Python bool
    x = asnative(x)
    if x.dtype.kind == "c":
        return scalar_or_array(asnative(apply("equal", x.imag.dtype, x.imag, 0, result=BOOL)))
    return scalar_or_array(_core.full(x.shape, BOOL, True))


@native
def real(val):
    return part(val, "real")


@native
def imag(val):
    return part(val, "imag")


def part(val, name):
    if type(val) in (list, tuple) or type(val) is numpy.ndarray:
        val = asnative(val)
    if not hasattr(val, name):
        raise NotNative
    return getattr(val, name)


@native
@reported(_core.report_as("", INVALID))
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    if type(rtol) not in (int, float) or type(atol) not in (int, float):
        raise NotNative
    x, y = number_or_array(a), number_or_array(b)
    if type(x) is not ndarray and type(y) is not ndarray:
        raise NotNative
    if type(y) is ndarray:
        work = numpy.result_type(y.dtype, 1.0) if y.dtype.kind != "b" else FLOAT
        y = y if y.dtype == work else astype(y, work)
    elif not isinstance(y, float | complex | numpy.inexact) and type(y) is not scalar:
        y = float(y)
    with_nan = bool(equal_nan)
    gap, size = abs(x - y), abs(y)
    near = (gap <= (atol + rtol * size)) & OBJECTS["isfinite"](y) | (x == y)
    if with_nan:
        near = near | ((x != x) & (y != y))
    return near


@native
@reported(_core.report_as("", INVALID))
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    near = isclose(a, b, rtol, atol, equal_nan)
    return bool(near.all())


@native
def array_equal(a1, a2, equal_nan=False):
    try:
        x, y = asnative(a1), asnative(a2)
    except (ValueError, TypeError):
        raise NotNative from None
    if x.shape != y.shape:
        return False
    same = x == y
    if equal_nan:
        same = same | ((x != x) & (y != y))
    return bool(same.all())


@native
def array_equiv(a1, a2):
    try:
        x, y = asnative(a1), asnative(a2)
        broadcast_shapes(x.shape, y.shape)
    except (ValueError, TypeError):
        raise NotNative from None
    return bool((x == y).all())


# ----------------------------------------------------------------------------------------------- small algebra
@native
def outer(a, b, out=None):
    x, y = raveled(asnative(a)), raveled(asnative(b))
    more = {} if out is None else {"out": out}
    return OBJECTS["multiply"](_core.reshape_view(x, (x.size, 1)), _core.reshape_view(y, (1, y.size)), **more)


@native
def kron(a, b):
    a, b = asnative(a), asnative(b)
    ndim = max(a.ndim, b.ndim)
    if ndim == 0 or a.size == 0 or b.size == 0:
        raise NotNative
    one, two = (1,) * (ndim - a.ndim) + a.shape, (1,) * (ndim - b.ndim) + b.shape
    left = tuple([n for pair in zip(one, (1,) * ndim, strict=False) for n in pair])
    right = tuple([n for pair in zip((1,) * ndim, two, strict=False) for n in pair])
    dtype = numpy.result_type(a.dtype, b.dtype)
    out = _core.empty(tuple([n for pair in zip(one, two, strict=False) for n in pair]), dtype)
    _core.elementwise("multiply", dtype, out, raw_reshape(a, left), raw_reshape(b, right))
    return _core.reshape_view(out, tuple([m * n for m, n in zip(one, two, strict=False)]))


def raw_reshape(a, shape):
    view = _core.reshape_view(a, shape)
    return _core.reshape_view(copy(a), shape) if view is None else view


@native
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = asnative(a), asnative(b)
    if a.ndim == 0 or b.ndim == 0:
        raise NotNative
    a = moveaxis(a, axis_index(axisa, a.ndim), -1)
    b = moveaxis(b, axis_index(axisb, b.ndim), -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise NotNative
    shape = broadcast_shapes(a.shape[:-1], b.shape[:-1])
    dtype = numpy.promote_types(a.dtype, b.dtype)
    if dtype == BOOL:
        raise NotNative
    out = _core.empty((*shape, 3), dtype)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[..., i : i + 1] = a[..., j : j + 1] * b[..., k : k + 1] - a[..., k : k + 1] * b[..., j : j + 1]
    return moveaxis(out, -1, axis_index(axisc, out.ndim))


@native
def trapezoid(y, x=None, dx=1.0, axis=-1):
    y = asnative(y)
    if y.ndim == 0 or not -y.ndim <= integer(axis) < y.ndim:
        raise NotNative
    axis = axis_index(axis, y.ndim)
    front = (slice(None),) * axis
    if x is None:
        step = dx
        if type(dx) not in (int, float):
            raise NotNative
    else:
        x = asnative(x)
        if x.ndim == 1:
            step = x[1:] - x[:-1]
            shape = [1] * y.ndim
            shape[axis] = step.shape[0]
            step = _core.reshape_view(step, tuple(shape))
        else:
            line = (slice(None),) * axis_index(axis - y.ndim, x.ndim)
            step = x[(*line, slice(1, None))] - x[(*line, slice(None, -1))]
    if y.dtype.kind == "b":
        raise NotNative
    parts = step * (y[(*front, slice(1, None))] + y[(*front, slice(None, -1))]) / 2.0
    if type(parts) is not ndarray:
        raise NotNative
    return reduce_op("add", parts, (axis,), sum_type(parts.dtype))


@native
def sinc(x):
    x = asnative(x)
    if x.dtype.kind == "c":
        raise NotNative
    if x.dtype.kind in "biu":
        x = astype(x, FLOAT)
    y = math.pi * x
    if type(y) is not ndarray:
        raise NotNative
    y = where(y == 0, float(numpy.finfo(y.dtype).eps), y)
    return apply("sin", y.dtype, y) / y


# --------------------------------------------------------------------------------------------- facts of arrays
@native
def shape(a):
    return a.shape if type(a) in (ndarray, scalar) else numpy.shape(host_nested(a))


@native
def ndim(a):
    return a.ndim if type(a) in (ndarray, scalar) else numpy.ndim(host_nested(a))


@native
def size(a, axis=None):
    if type(a) is not ndarray:
        return numpy.size(host_nested(a), axis)
    if axis is None:
        return a.size
    n = 1
    for i in axis_tuple(axis, a.ndim):
        n *= a.shape[i]
    return n


def host_nested(a):
    from numloom._base import host_list

    return host_list(a) if type(a) in (list, tuple) else a


@native
def iscomplexobj(x):
    return x.dtype.kind == "c" if type(x) is ndarray else numpy.iscomplexobj(host_nested(host(x)))


@native
def isrealobj(x):
    return not iscomplexobj(x)


@native
def isfortran(a):
    if type(a) is not ndarray:
        raise NotNative
    return is_contiguous(a, "F") and not is_contiguous(a)


def overlap(a, b):
    """Whether two arrays of ours share memory, by their layouts: for those that NumPy can't see in one piece."""
    if type(a) is not ndarray or type(b) is not ndarray:
        raise NotNative
    if not _core.shares_storage(a, b):
        return False
    if _core.host_view(a, None) is not None:
        raise NotNative
    return _core.relation(a, b) != "disjoint"


@native
def shares_memory(a, b, /, max_work=-1):
    return overlap(a, b)


@native
def may_share_memory(a, b, /, max_work=0):
    return overlap(a, b)


def dtype_like(x):
    """Our arrays as dtypes, for the functions that only ask about types."""
    if type(x) is ndarray:
        return x.dtype
    return x._value() if type(x) is scalar else x


@native
def result_type(*arrays_and_dtypes):
    return numpy.result_type(*[dtype_like(x) for x in arrays_and_dtypes])


@native
def can_cast(from_, to, casting="safe"):
    return numpy.can_cast(dtype_like(from_), to, casting)


@native
def min_scalar_type(a, /):
    if type(a) is ndarray and a.ndim:
        return a.dtype
    return numpy.min_scalar_type(host(a))


@native
def common_type(*arrays):
    return numpy.common_type(*[numpy.empty(0, x.dtype) if type(x) is ndarray else x for x in arrays])


@native
def astype_(x, dtype, /, *, copy=True, device=None):
    if type(x) is not ndarray or device not in (None, "cpu"):
        raise NotNative
    return x.astype(dtype, copy=copy)
