"""What every module of the package stands on: the array type, what is native, conversions.

Inside the package an array of ours is recognised by its exact type (``type(x) is ndarray``), because
``isinstance(x, ndarray)`` also says yes to NumPy's arrays.
"""

import functools
import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from numloom import _core

ndarray = _core.ndarray
scalar = _core.scalar
newaxis = None

# The element types that the engine stores; arrays of any other stay NumPy's.
NATIVE_CODES = "?bBhHiIlLefdFD"
NATIVE = frozenset(numpy.dtype(c) for c in NATIVE_CODES)
NATIVE_CHARS = frozenset(NATIVE_CODES + "qQ")

BOOL = numpy.dtype(bool)
INT = numpy.dtype(int)
FLOAT = numpy.dtype(float)
HALF = numpy.dtype("e")
SINGLE = numpy.dtype("f")

PYTHON_NUMBERS = frozenset((bool, int, float, complex))
# What lists of numbers hold: nothing in them needs a second look.
LEAVES = frozenset(
    (
        bool,
        int,
        float,
        complex,
        str,
        bytes,
        type(None),
        numpy.ndarray,
        numpy.float64,
        numpy.float32,
        numpy.int64,
        numpy.int32,
        numpy.bool_,
        numpy.complex128,
    )
)
NO_VALUE = numpy._NoValue  # what NumPy's functions use for "not given"


class NotNative(Exception):
    """This call can't be done by the engine. Raised before anything is written; NumPy does it on the host."""


ALL_KINDS, DIVIDE, INVALID = 15, 1, 8  # floating-point conditions, with NumPy's numbers
SCALAR = _core.report_as("", 0, True)
SILENT = _core.report_as("", ALL_KINDS)  # for those of NumPy's functions that look at no conditions


def said(how, function, *args, **kwargs):
    """function(...), with the floating-point conditions of what it records reported as `how` (of report_as) says."""
    before = _core.reporting(how)
    try:
        return function(*args, **kwargs)
    finally:
        _core.reporting(before)


def reported(how):
    """A decorator: floating-point conditions of what the function records are reported as of another function of
    NumPy's (its name), or as `how` (of report_as) says."""
    if isinstance(how, str):
        how = _core.report_as(how)

    def decorate(function):
        return functools.wraps(function)(functools.partial(said, how, function))

    return decorate


def is_native(dtype):
    """Whether the engine stores elements of this dtype."""
    return dtype.char in NATIVE_CHARS and dtype.isnative


def native_dtype(dtype):
    """`dtype` (anything that numpy.dtype takes) as a dtype of the engine; NotNative where there is none."""
    dtype = numpy.dtype(dtype)
    if not is_native(dtype):
        raise NotNative
    return dtype


def from_scalar(x):
    """A lazy scalar as a fresh 0-d array."""
    out = _core.empty((), x.dtype)
    _core.assign(out, x)
    return out


def asnative(x):
    """`x` as an array of ours, without a copy where it is one; NotNative for subclasses and foreign dtypes."""
    kind = type(x)
    if kind is ndarray:
        return x
    if kind is scalar:
        return from_scalar(x)
    if kind is not numpy.ndarray:
        if isinstance(x, numpy.ndarray) or hasattr(kind, "__array_function__"):
            raise NotNative
        if kind is list or kind is tuple:
            x = host_list(x)
        elif hasattr(kind, "__array__") and not isinstance(x, numpy.generic):
            x = x.__array__()
            if type(x) is ndarray:
                return x
        x = numpy.asanyarray(x)
        if type(x) is not numpy.ndarray:
            raise NotNative
    if not is_native(x.dtype):
        raise NotNative
    return _core.from_host(x)


def host_list(x):
    """A copy of a nested list in which our arrays and lazy scalars are NumPy's; the list itself where it holds none."""
    for item in x:
        kind = type(item)
        if kind not in LEAVES:
            return type(x)([host_item(i) for i in x]) if type(x) in (list, tuple) else x
    return x


def host_item(item):
    kind = type(item)
    if kind is ndarray:
        return to_numpy(item)
    if kind is scalar:
        return item._value()
    if kind is list or kind is tuple:
        return host_list(item)
    if kind not in LEAVES and hasattr(kind, "__array__") and not isinstance(item, numpy.ndarray | numpy.generic):
        made = item.__array__()
        if type(made) is ndarray:
            return to_numpy(made)
    return item


def element_values(value, dtype):
    """What is assigned to elements of `dtype`, as an array of ours: Python's numbers, alone and in lists, raise where
    they are out of bounds; arrays and NumPy's scalars are cast later.
    """
    if type(value) is list or type(value) is tuple:
        return asnative(numpy.asarray(host_list(value), dtype))
    return asnative(numpy.asarray(value, dtype) if type(value) in PYTHON_NUMBERS else value)


def to_numpy(a):
    """The values of our array as a NumPy array: a view of its memory where that is in one piece, else a copy."""
    view = _core.host_view(a, False)
    return _core.to_host(a) if view is None else view


def share(x):
    """A NumPy array as one of ours over its memory; a copy where several devices keep the engine from using it."""
    try:
        return _core.adopt(x, True)
    except ValueError:
        made = _core.from_host(x)
        if not x.flags.writeable:
            made.flags.writeable = False
        return made


def host(x):
    """Anything as NumPy sees it: our arrays as NumPy arrays, lazy scalars as NumPy scalars."""
    kind = type(x)
    if kind is ndarray:
        return to_numpy(x)
    if kind is scalar:
        return x._value()
    return x


def astype(a, dtype):
    """A fresh C-contiguous copy of `a` in `dtype`."""
    out = _core.empty(a.shape, dtype)
    _core.assign(out, a)
    return out


def converted(a, dtype):
    """`a` itself where it has the dtype, else a converted copy."""
    return a if a.dtype == dtype else astype(a, dtype)


def fresh_like(a, dtype=None, shape=None):
    """An uninitialised array with `a`'s memory order (NumPy's order 'K'), and its shape unless one is given."""
    dtype = a.dtype if dtype is None else dtype
    shape = a.shape if shape is None else shape
    ndim = len(shape)
    if ndim < 2:
        return _core.empty(shape, dtype)
    strides = a.strides
    order = sorted(range(ndim), key=lambda i: (-abs(strides[i]), i))
    if order == list(range(ndim)):
        return _core.empty(shape, dtype)
    out = _core.empty(tuple(shape[i] for i in order), dtype)
    inverse = [0] * ndim
    for position, axis in enumerate(order):
        inverse[axis] = position
    return _core.permute_view(out, tuple(inverse))


ORDERS = {"C": "C", "F": "F", "A": "A", "K": "K", "c": "C", "f": "F", "a": "A", "k": "K"}


def own_error(kind, text):
    """An exception whose words are NumPy's already: the call is not repeated there."""
    error = kind(text)
    error.numloom_own = True
    return error


def known_order(order, default="C"):
    """A memory order as one of C, F, A and K; NotNative (so NumPy's error) for anything else."""
    try:
        return default if order is None else ORDERS[order]
    except (KeyError, TypeError):
        raise NotNative from None


def copy(a, order="C"):
    """A fresh copy of `a` in memory order C, F, A or K."""
    if order == "K":
        out = fresh_like(a)
    else:
        if order == "A":
            order = "F" if fortran(a) else "C"
        out = _core.empty(a.shape, a.dtype, order)
    _core.assign(out, a)
    return out


is_contiguous = _core.is_contiguous  # (a, order="C"): NumPy's C_CONTIGUOUS or F_CONTIGUOUS flag


def fortran(a):
    """In Fortran order and not also in C order."""
    return is_contiguous(a, "F") and not is_contiguous(a, "C")


def integer(n):
    """`n` as an int where it is an integer. NotNative where it isn't: what a function makes of True or 2.0 as a length,
    an axis or a number of things (one takes it, another raises) NumPy knows.
    """
    if type(n) is int:
        return n
    if type(n) is bool:
        raise NotNative
    try:
        return operator.index(n)
    except TypeError:
        raise NotNative from None


def integers(shape):
    """A shape, or one length, as a tuple of ints."""
    if type(shape) is int:
        return (shape,)
    try:
        parts = tuple(shape)
    except TypeError:
        parts = (shape,)
    return tuple([integer(n) for n in parts])


def axis_index(axis, ndim):
    return normalize_axis_index(integer(axis), ndim)


def axis_tuple(axis, ndim):
    """The axes as a tuple of non-negative ints; None: all."""
    if axis is None:
        return tuple(range(ndim))
    if type(axis) is int:
        if -ndim <= axis < ndim:
            return (axis % ndim,)
        return (normalize_axis_index(axis, ndim),)
    if type(axis) in (tuple, list):
        return normalize_axis_tuple([integer(i) for i in axis], ndim)
    return (normalize_axis_index(integer(axis), ndim),)


def reduced_axes(axis, ndim):
    """`axis_tuple` for reductions, which take axis 0 and -1 of a 0-d array too."""
    if type(axis) is list:
        raise NotNative
    return () if ndim == 0 and type(axis) is int and axis in (0, -1) else axis_tuple(axis, ndim)


def scalar_or_array(a):
    """A 0-d result as NumPy returns it from functions: a scalar, here a lazy one."""
    return _core.to_scalar(a) if a.ndim == 0 else a


def broadcast(a, shape):
    """A read-only view of `a` with `shape`; ValueError as numpy.broadcast_to."""
    if a.shape == shape:
        return a
    return _core.broadcast_view(a, shape)


def broadcast_shapes(*shapes):
    """The shape that all broadcast to; NumPy's ValueError otherwise."""
    first = shapes[0]
    for s in shapes:
        if s != first:
            break
    else:
        return first
    try:
        return numpy.broadcast_shapes(*shapes)
    except ValueError:
        raise ValueError(
            "operands could not be broadcast together with shapes " + " ".join(shape_text(s) for s in shapes) + " "
        ) from None


def shape_text(shape):
    """A shape as NumPy's errors write it: (3,) or (2,3)."""
    return "(" + ",".join(map(str, shape)) + (",)" if len(shape) == 1 else ")")


def where(mask, yes, no, dtype=None):
    """A fresh array of yes where mask, else no: the engine's select over broadcast operands."""
    if dtype is None:
        dtype = numpy.result_type(operand_type(yes), operand_type(no))
    shape = broadcast_shapes(*[x.shape for x in (mask, yes, no) if type(x) is ndarray or type(x) is scalar])
    out = _core.empty(shape, dtype)
    _core.elementwise("where", dtype, out, mask, yes, no)
    return out


def operand_type(x):
    """What numpy.result_type should see: a dtype for arrays, the value itself for Python numbers."""
    return x if type(x) in PYTHON_NUMBERS else x.dtype


def ramp(n, start=0, step=1):
    """An int64 array of start + i * step."""
    return _core.ramp(n, start, step)
