"""Making arrays."""

import math

import numpy

from numloom import _core, _fallback
from numloom._base import (
    BOOL,
    FLOAT,
    INT,
    LEAVES,
    NO_VALUE,
    PYTHON_NUMBERS,
    SINGLE,
    NotNative,
    asnative,
    astype,
    broadcast,
    fortran,
    fresh_like,
    from_scalar,
    host,
    host_item,
    host_list,
    integer,
    integers,
    is_contiguous,
    is_native,
    known_order,
    native_dtype,
    ndarray,
    scalar,
    share,
)
from numloom._base import (
    copy as copy_of,
)
from numloom._base import (
    where as select,
)
from numloom._registry import native

_LARGEST = 2**63 - 1
COPY_MODE = numpy._CopyMode


def shape_tuple(shape, itemsize=1):
    """A shape argument as a tuple of ints; NumPy's errors for negative and too large ones."""
    if type(shape) is int:
        shape = (shape,)
    elif type(shape) is not tuple or any(type(n) is not int for n in shape):
        if type(shape) is ndarray or type(shape) is scalar:
            shape = host(shape).tolist()
        shape = integers(shape)
    size = itemsize
    for n in shape:
        if n < 0:
            raise ValueError("negative dimensions are not allowed")
        size *= max(n, 1)
    if len(shape) > 64:
        raise ValueError(f"maximum supported dimension for an ndarray is currently 64, found {len(shape)}")
    if size > _LARGEST and 0 not in shape:
        raise ValueError(
            "Maximum allowed dimension exceeded"
            if max(shape) > _LARGEST
            else "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."
        )
    return shape


def refuse(like, device=None):
    """NumPy answers for like= and for devices other than its own."""
    if like is not None or device not in (None, "cpu"):
        raise NotNative


def memory_order(order):
    if order is None:
        return "C"
    if order not in ("C", "F", "c", "f"):
        raise NotNative
    return order.upper()


@native
def empty(shape, dtype=float, order="C", *, device=None, like=None):
    refuse(like, device)
    dtype = native_dtype(dtype)
    return _core.empty(shape_tuple(shape, dtype.itemsize), dtype, memory_order(order))


def filled(shape, value, dtype, order="C"):
    if order == "C":
        return _core.full(shape, dtype, value)
    out = _core.empty(shape, dtype, order)
    _core.assign(out, value)
    return out


@native
def zeros(shape, dtype=float, order="C", *, device=None, like=None):
    if type(shape) is int and dtype is float and order == "C" and device is like is None:
        return _core.full(shape, FLOAT, 0)
    refuse(like, device)
    dtype = native_dtype(dtype)
    return filled(shape_tuple(shape, dtype.itemsize), 0, dtype, memory_order(order))


@native
def ones(shape, dtype=None, order="C", *, device=None, like=None):
    refuse(like, device)
    dtype = native_dtype(dtype)
    return filled(shape_tuple(shape, dtype.itemsize), 1, dtype, memory_order(order))


@native
def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    refuse(like, device)
    if type(fill_value) in PYTHON_NUMBERS and dtype is not None:
        fill_value = filling(fill_value, native_dtype(dtype))
    elif type(fill_value) is not scalar and type(fill_value) is not ndarray:
        fill_value = numpy.asarray(host_item(fill_value))
    dtype = native_dtype(fill_value.dtype if dtype is None else dtype)
    shape = shape_tuple(shape, dtype.itemsize)
    order = memory_order(order)
    if type(fill_value) is numpy.ndarray and fill_value.ndim == 0 and fill_value.dtype.kind in "biufc":
        return filled(shape, fill_value.astype(dtype).item(), dtype, order)
    out = _core.empty(shape, dtype, order)
    _core.assign(out, asnative(fill_value))
    return out


def like(a, dtype, order, shape, device):
    """An uninitialised array after `a`."""
    refuse(None, device)
    order = known_order(order, "K")
    a = asnative(a)
    dtype = a.dtype if dtype is None else native_dtype(dtype)
    if shape is not None:
        shape = shape_tuple(shape, dtype.itemsize)
        if order == "K":
            return fresh_like(a, dtype, shape) if len(shape) == a.ndim else _core.empty(shape, dtype)
        return _core.empty(shape, dtype, "F" if order == "F" or (order == "A" and fortran(a)) else "C")
    if order == "K":
        return fresh_like(a, dtype)
    if order == "A":
        order = "F" if fortran(a) else "C"
    return _core.empty(a.shape, dtype, memory_order(order))


@native
def empty_like(prototype, /, dtype=None, order="K", subok=True, shape=None, *, device=None):
    return like(prototype, dtype, order, shape, device)


@native
def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    out = like(a, dtype, order, shape, device)
    _core.assign(out, 0)
    return out


@native
def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    out = like(a, dtype, order, shape, device)
    _core.assign(out, 1)
    return out


def filling(value, dtype):
    """A Python object as a host array of `dtype`: Python integers must fit, as numpy.full says; floats are cast."""
    value = host_item(value)
    if type(value) is complex and dtype.kind != "c":
        raise NotNative  # NumPy drops the imaginary part with a warning
    return numpy.array(value, dtype) if type(value) in (bool, int) else numpy.asarray(value).astype(dtype)


@native
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    out = like(a, dtype, order, shape, device)
    if isinstance(fill_value, complex) and out.dtype.kind != "c":
        raise NotNative  # NumPy drops the imaginary part with a warning
    given = isinstance(fill_value, ndarray) or type(fill_value) is scalar
    _core.assign(out, asnative(fill_value if given else filling(fill_value, out.dtype)))
    return out


# ------------------------------------------------------------------------------------------ from other objects
def imported(r):
    """A fresh NumPy array, which nobody else holds, as one of ours."""
    if type(r) is not numpy.ndarray or not is_native(r.dtype):
        return r
    if r.nbytes <= 4096 and r.flags.c_contiguous:
        return _core.from_host(r)
    return _fallback.import_array(r)


def stacked(items, dtype):
    """A list of our arrays of one shape and dtype as a new array, without leaving the engine; else None."""
    first = items[0]
    if type(first) is not ndarray:
        return None
    for x in items:
        if type(x) is not ndarray or x.shape != first.shape or x.dtype != first.dtype:
            return None
    out = _core.empty((len(items), *first.shape), first.dtype if dtype is None else dtype)
    for i, x in enumerate(items):
        _core.assign(out[i : i + 1], x)
    return out


def no_copy_error():
    raise ValueError(
        "Unable to avoid copy while creating an array as requested.\nIf using `np.array(obj, copy=False)`"
        " replace it with `np.asarray(obj)` to allow a copy when needed (no behavior change in NumPy "
        "1.x).\n"
        "For more details, see https://numpy.org/devdocs/numpy_2_0_migration_guide.html"
        "#adapting-to-changes-in-the-copy-keyword."
    )


def with_ndim(a, ndmin):
    return _core.reshape_view(a, (1,) * (ndmin - a.ndim) + a.shape) if a.ndim < ndmin else a


def wanted_order(a, order):
    """Whether `a` already lies in memory as asked."""
    if order == "C":
        return is_contiguous(a)
    if order == "F":
        return is_contiguous(a, "F")
    return order == "K" or order == "A" and (is_contiguous(a) or is_contiguous(a, "F")) or order == "A"


def array_of_ours(a, dtype, copy, order):
    """array() of one of our arrays."""
    if dtype is not None and dtype != a.dtype:
        if copy is False:
            no_copy_error()
        if not is_native(dtype):
            raise NotNative
        return convert(a, dtype, order)
    if copy or not wanted_order(a, order):
        if copy is False:
            no_copy_error()
        return copy_of(a, order)
    return a


def convert(a, dtype, order):
    """A copy of `a` in another dtype and memory order."""
    if order == "K":
        out = fresh_like(a, dtype)
    else:
        if order == "A":
            order = "F" if fortran(a) else "C"
        out = _core.empty(a.shape, dtype, order)
    _core.assign(out, a)
    return out


def protocol_array(x, dtype, copy):
    """x.__array__() where that gives one of our arrays, which NumPy would not take; else None."""
    try:
        made = x.__array__(dtype, copy=copy) if dtype is not None else x.__array__(copy=copy)
    except TypeError:
        return None
    return made if type(made) is ndarray else None


@native
def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=NO_VALUE, like=None):
    if (
        type(object) is list
        and object
        and type(object[0]) in LEAVES
        and dtype is like is None
        and order == "K"
        and (ndmin == 0 and copy is True and ndmax is NO_VALUE)
    ):
        result = numpy.array(host_list(object))
        return _core.from_host(result) if is_native(result.dtype) else result
    refuse(like)
    order = known_order(order, "K")
    if ndmax is not NO_VALUE:
        raise NotNative
    if isinstance(copy, COPY_MODE):
        copy = {"ALWAYS": True, "NEVER": False}.get(copy.name)
    if dtype is not None:
        dtype = numpy.dtype(dtype)
        if not is_native(dtype):
            raise NotNative
    kind = type(object)
    if kind is scalar:
        object, copy, kind = from_scalar(object), None, ndarray
    if kind is ndarray:
        if type(ndmin) is not int or ndmin > 64:
            raise NotNative
        return with_ndim(array_of_ours(object, dtype, copy, order), ndmin)
    if kind is list or kind is tuple:
        if object and ndmin == 0 and order in "KC" and (dtype is None or is_native(dtype)) and copy is not False:
            made = stacked(object, dtype)
            if made is not None:
                return made
        object = host_list(object)
    elif hasattr(kind, "__array__") and not isinstance(object, numpy.ndarray | numpy.generic):
        made = protocol_array(object, dtype, copy)
        if type(made) is ndarray:
            return with_ndim(array_of_ours(made, dtype, None, order), ndmin)
    if (
        kind is numpy.ndarray
        and copy is not False
        and type(ndmin) is int
        and ndmin <= object.ndim
        and order in "KCA"
        and is_native(object.dtype)
        and dtype in (None, object.dtype)
        and is_contiguous(object)
    ):
        return _core.from_host(object)
    shares = copy is not True and isinstance(object, numpy.ndarray)
    result = numpy.array(object, dtype=dtype, copy=copy, order=order, subok=subok, ndmin=ndmin)
    if type(result) is not numpy.ndarray or not is_native(result.dtype):
        return result
    if copy is False:
        return share(result)
    return (
        _core.from_host(result)
        if shares and is_contiguous(result)
        else (_core.adopt(result.copy("K")) if shares else imported(result))
    )


@native
def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    if type(a) is ndarray and dtype is None and order is None and copy is None:
        return a
    refuse(like, device)
    return array(a, dtype, copy=copy, order=order or "K")


@native
def asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    if type(a) is ndarray and dtype is None and order is None and copy is None:
        return a
    refuse(like, device)
    if isinstance(a, numpy.ndarray) and type(a) is not numpy.ndarray:
        return numpy.asanyarray(a, dtype, order, copy=copy)
    return array(a, dtype, copy=copy, order=order or "K", subok=True)


@native
def ascontiguousarray(a, dtype=None, *, like=None):
    refuse(like)
    return array(a, dtype, copy=None, order="C", ndmin=1)


@native
def asfortranarray(a, dtype=None, *, like=None):
    refuse(like)
    return array(a, dtype, copy=None, order="F", ndmin=1)


@native
def asarray_chkfinite(a, dtype=None, order=None):
    a = asarray(a, dtype=dtype, order=order)
    if type(a) is not ndarray:
        return numpy.asarray_chkfinite(a)
    if a.dtype.kind in "fc":
        finite = _core.empty(a.shape, BOOL)
        _core.elementwise("isfinite", a.dtype, finite, a)
        if not bool(finite.all()):
            raise ValueError("array must not contain infs or NaNs")
    return a


@native
def copy(a, order="K", subok=False):
    if subok and isinstance(a, numpy.ndarray):
        raise NotNative
    return array(a, order=order, copy=True)


@native
def frombuffer(buffer, dtype=float, count=-1, offset=0, *, like=None):
    refuse(like)
    if type(buffer) is ndarray:
        raise NotNative
    result = numpy.frombuffer(buffer, dtype, count, offset)
    return share(result) if is_native(result.dtype) else result


# ------------------------------------------------------------------------------------------------------ ranges
def number(x):
    """A range's bound as (Python number, NumPy dtype); NotNative for anything else."""
    kind = type(x)
    if kind is int or kind is float:
        return x, INT if kind is int else FLOAT
    if isinstance(x, float):
        return float(x), FLOAT
    if kind is scalar:
        x = x._value()
    if isinstance(x, (numpy.integer, numpy.floating)) and is_native(x.dtype):
        return x.item(), x.dtype
    if isinstance(x, (numpy.ndarray, ndarray)) and x.ndim == 0 and x.dtype.kind in "iuf" and is_native(x.dtype):
        return x.item(), x.dtype
    raise NotNative


def _arange_whole(start, stop, step, dtype):
    n = max(0, -((start - stop) // step))
    limits = numpy.iinfo(dtype)
    last = start + max(n - 1, 0) * step
    inside = limits.min <= min(start, last) and max(start, last) <= min(limits.max, _LARGEST)
    if n >= 2**60 or not inside or abs(step) > _LARGEST:
        raise NotNative
    out = _core.ramp(n, start, step)
    return out if dtype == INT else astype(out, dtype)


@native
def arange(*args, dtype=None, device=None, like=None, **bounds):
    if len(args) == 1 and type(args[0]) is int and dtype is device is like is None and not bounds:
        if args[0] >= 2**60:
            raise NotNative
        return _core.ramp(max(args[0], 0), 0, 1)
    refuse(like, device)
    if bounds:
        if not set(bounds) <= {"start", "stop", "step"} or not args and "stop" not in bounds:
            raise NotNative
        if len(args) > 1 or (args and "start" in bounds and "stop" in bounds):
            raise NotNative
        if args and "stop" in bounds:
            args = (args[0], bounds["stop"], bounds.get("step", 1))
        elif args and "start" in bounds:
            raise NotNative
        elif args:
            args = (0, args[0], bounds.get("step", 1))
        else:
            args = (bounds.get("start", 0), bounds["stop"], bounds.get("step", 1))
    if not 1 <= len(args) <= 4:
        raise NotNative
    if len(args) == 4:
        dtype, args = args[3], args[:3]
    if len(args) == 1:
        args = (0, args[0], 1)
    start, stop = args[0], args[1]
    step = args[2] if len(args) == 3 else 1
    if stop is None:
        start, stop = 0, start
    (start, a), (stop, b), (step, c) = (
        number(0 if start is None else start),
        number(stop),
        number(1 if step is None else step),
    )
    found = numpy.result_type(INT, a, b, c)
    dtype = found if dtype is None else native_dtype(dtype)
    if step == 0:
        raise ZeroDivisionError("division by zero") if found.kind in "iu" else NotNative
    if dtype.kind in "iu" and found.kind in "iu":
        return _arange_whole(start, stop, step, dtype)
    if dtype.char not in "fd":
        raise NotNative
    length = (stop - start) / step
    if not math.isfinite(length) or not math.isfinite(step):
        raise NotNative
    n = max(0, math.ceil(length))
    if length == 0 and stop != start:
        n = 0 if math.copysign(1.0, length) < 0 else 1  # the quotient is too small for a float
    return _ramp_in(dtype, n, start, step)


def _ramp_in(dtype, n, start, step):
    """NumPy's fill: the first two values in the dtype fix start and step, the rest is start + i * step."""
    with numpy.errstate(all="ignore"):
        first, second = dtype.type(start), dtype.type(start + step)
        step = second - first
        exact = first + step == second
    if not math.isfinite(step):  # they overflow in the dtype
        raise NotNative
    out = _core.empty((n,), dtype)
    if n:
        scaled = _core.empty((n,), dtype)
        _core.elementwise("multiply", dtype, scaled, _core.ramp(n, 0, 1), step.item())
        _core.elementwise("add", dtype, out, scaled, first.item())
        if n > 1 and not exact:
            out[1] = second
    return out


@native
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    refuse(None, device)
    num = integer(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    (low, a), (high, b) = number_or_bool(start), number_or_bool(stop)
    work = (
        numpy.result_type(a, b, FLOAT)
        if type(start) not in PYTHON_NUMBERS or type(stop) not in PYTHON_NUMBERS
        else FLOAT
    )
    if type(start) in PYTHON_NUMBERS and type(stop) not in PYTHON_NUMBERS:
        work = numpy.result_type(b, 1.0)
    elif type(stop) in PYTHON_NUMBERS and type(start) not in PYTHON_NUMBERS:
        work = numpy.result_type(a, 1.0)
    elif type(start) not in PYTHON_NUMBERS:
        work = numpy.result_type(a, b, 1.0)
    if work not in (FLOAT, SINGLE) or axis not in (0, -1):
        raise NotNative
    final = work if dtype is None else native_dtype(dtype)
    div = num - 1 if endpoint else num
    low, high = work.type(low), work.type(high)
    with numpy.errstate(all="ignore"):
        delta = high - low
        step = delta / div if div > 0 else work.type("nan")
    y = _core.empty((num,), work)
    index = _core.ramp(num, 0, 1)
    if div > 0 and step == 0:
        part = _core.empty((num,), work)
        _core.elementwise("divide", work, part, index, div)
        _core.elementwise("multiply", work, y, part, delta.item())
    else:
        _core.elementwise("multiply", work, y, index, step.item() if div > 0 else delta.item())
    y += low.item()
    if endpoint and num > 1:
        y[-1] = high
    if final.kind in "iu":
        floor = _core.empty((num,), work)
        _core.elementwise("floor", work, floor, y)
        y = floor
    if final != work:
        y = astype(y, final)
    return (y, step) if retstep else y


def number_or_bool(x):
    if type(x) is bool:
        return int(x), INT
    return number(x)


@native
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    (base_value, _), _ = number(base), number(start)
    number(stop)
    y = linspace.__numloom_native__(start, stop, num, endpoint=endpoint)
    out = _core.empty(y.shape, FLOAT)
    _core.elementwise("power", FLOAT, out, float(base_value), y)
    return out if dtype is None else astype(out, native_dtype(dtype))


@native
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    if any(type(x) not in (int, float) for x in (start, stop)) or start * stop <= 0 or axis not in (0, -1):
        raise NotNative
    sign = -1 if start < 0 else 1
    out = logspace.__numloom_native__(math.log10(sign * start), math.log10(sign * stop), num, endpoint)
    if out.size:
        out[:1] = sign * start
    if out.size > 1 and endpoint:
        out[-1:] = sign * stop
    out = -out if sign < 0 else out
    return out if dtype is None else astype(out, native_dtype(dtype))


# ---------------------------------------------------------------------------------------------- matrices, grids
def diagonal_view(a, k=0):
    """The k-th diagonal of a matrix as a writeable view."""
    rows, cols = a.shape
    down, right = a.strides
    n = max(0, min(rows, cols - k) if k >= 0 else min(rows + k, cols))
    shift = (k * right if k >= 0 else -k * down) if n else 0
    return _core.view(a, (n,), (down + right,), shift)


@native
def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    refuse(like, device)
    out = zeros((integer(N), integer(N if M is None else M)), dtype, order)
    if type(out) is not ndarray:
        raise NotNative
    _core.assign(diagonal_view(out, integer(k)), 1)
    return out


@native
def identity(n, dtype=None, *, like=None):
    refuse(like)
    return eye(n, dtype=float if dtype is None else dtype)


@native
def diag(v, k=0):
    v = asnative(v)
    if v.ndim == 1:
        n = v.shape[0] + abs(k)
        out = zeros((n, n), v.dtype)
        _core.assign(diagonal_view(out, k), v)
        return out
    if v.ndim != 2:
        raise ValueError("Input must be 1- or 2-d.")
    view = diagonal_view(v, k)
    return _core.view(view, view.shape, view.strides, 0, None, False)


@native
def diagflat(v, k=0):
    v = asnative(v)
    n = v.size + abs(k)
    out = zeros((n, n), v.dtype)
    _core.assign(diagonal_view(out, k), v.reshape(-1))
    return out


def lower_mask(rows, cols, k):
    """True on and below the k-th diagonal."""
    down = _core.reshape_view(_core.ramp(rows, k, 1), (rows, 1))
    out = _core.empty((rows, cols), BOOL)
    _core.elementwise("greater_equal", INT, out, down, _core.ramp(cols, 0, 1))
    return out


@native
def tri(N, M=None, k=0, dtype=float, *, like=None):
    refuse(like)
    if type(N) not in (int, numpy.int64):
        raise NotNative
    return astype(lower_mask(integer(N), integer(N if M is None else M), integer(k)), native_dtype(dtype))


def triangle(m, k, keep_lower):
    m = asnative(m)
    if m.ndim < 2:
        raise NotNative
    mask = lower_mask(m.shape[-2], m.shape[-1], integer(k) if keep_lower else integer(k) - 1)
    return select(mask, m, 0, m.dtype) if keep_lower else select(mask, 0, m, m.dtype)


@native
def tril(m, k=0):
    return triangle(m, k, True)


@native
def triu(m, k=0):
    return triangle(m, k, False)


@native
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    if indexing not in ("xy", "ij"):
        raise ValueError("Valid values for `indexing` are 'xy' and 'ij'.")
    n = len(xi)
    arrays = [asnative(x) for x in xi]
    if any(a.ndim > 1 for a in arrays):
        raise NotNative
    order = list(range(n))
    if indexing == "xy" and n > 1:
        order[0], order[1] = 1, 0
    out = []
    for i, a in enumerate(arrays):
        shape = [1] * n
        shape[order[i]] = a.size
        out.append(_core.reshape_view(a, tuple(shape)))
    if not sparse:
        full_shape = [1] * n
        for i, a in enumerate(arrays):
            full_shape[order[i]] = a.size
        out = [broadcast(a, tuple(full_shape)) for a in out]
    if copy:
        out = [copy_of(a) for a in out]
    return tuple(out)


@native
def indices(dimensions, dtype=int, sparse=False):
    if type(dimensions) not in (tuple, list):
        raise NotNative
    dimensions = integers(dimensions)
    n = len(dimensions)
    dtype = native_dtype(dtype)
    ramps = []
    for i, extent in enumerate(dimensions):
        shape = [1] * n
        shape[i] = extent
        line = _core.ramp(extent, 0, 1)
        ramps.append(_core.reshape_view(line if dtype == INT else astype(line, dtype), tuple(shape)))
    if sparse:
        return tuple(ramps)
    out = _core.empty((n, *dimensions), dtype)
    for i, r in enumerate(ramps):
        _core.assign(out[i : i + 1], r)
    return out


@native
def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    refuse(like)
    return function(*indices(shape, dtype=dtype), **kwargs)
