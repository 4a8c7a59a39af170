"""The methods of the array, attached to the bindings' type."""

import operator
import warnings

import numpy

from numloom import (
    _core,
    _creation,
    _differences,
    _display,
    _fallback,
    _functions,
    _library,
    _manipulation,
    _positions,
    _products,
    _quantiles,
    _reductions,
)
from numloom._base import (
    NO_VALUE,
    NotNative,
    asnative,
    integer,
    integers,
    is_contiguous,
    is_native,
    known_order,
    ndarray,
    own_error,
    scalar,
    to_numpy,
)
from numloom._base import (
    copy as copy_of,
)
from numloom._registry import method
from numloom._ufunc import OBJECTS, array_ufunc

METHODS = {}


def attach(function):
    METHODS[function.__name__] = function
    return function


def native_method(function):
    return attach(method(function))


# --------------------------------------------------------------------------------------------- of the namespace
def _reduction(name, function):
    def reduction(self, *args, **kwargs):
        return function(self, *args, **kwargs)

    reduction.__name__ = name
    native_method(reduction)


for _name, _function in (
    ("sum", _reductions.sum_),
    ("prod", _reductions.prod),
    ("min", _reductions.min_),
    ("max", _reductions.max_),
    ("any", _reductions.any_),
    ("all", _reductions.all_),
    ("mean", _reductions.mean),
    ("var", _reductions.var),
    ("std", _reductions.std),
    ("argmin", _reductions.argmin),
    ("argmax", _reductions.argmax),
    ("cumsum", _library.cumsum),
    ("cumprod", _library.cumprod),
    ("take", _library.take),
    ("dot", _products.dot),
    ("put", _positions.put),
    ("nonzero", _library.nonzero),
    ("argsort", _library.argsort),
    ("argpartition", _quantiles.argpartition),
    ("searchsorted", _library.searchsorted),
):
    _reduction(_name, _function.__numloom_native__)


@native_method
def sort(self, axis=-1, kind=None, order=None, *, stable=None, **newer):
    return _library.sort_in_place(self, axis, kind, order, stable=stable, **newer)


@native_method
def partition(self, kth, axis=-1, kind="introselect", order=None):
    return _quantiles.partition_in_place(self, kth, axis, kind, order)


@native_method
def choose(self, *choices, out=None, mode="raise"):
    if len(choices) != 1:
        raise NotNative
    return _positions.choose.__numloom_native__(self, choices[0], out, mode)


@native_method
def compress(self, condition, axis=None, out=None):
    return _library.compress.__numloom_native__(condition, self, axis, out)


# ------------------------------------------------------------------------------------------------------ shapes
@native_method
def reshape(self, *shape, order="C", copy=None):
    if len(shape) == 1 and not isinstance(shape[0], (int, numpy.integer)):
        shape = shape[0]
        if shape is None:
            raise NotNative
    return _manipulation.reshaped(self, shape, order, copy)


@native_method
def ravel(self, order="C"):
    return _manipulation.raveled(self, order)


@native_method
def flatten(self, order="C"):
    flat = _manipulation.raveled(self, order)
    return copy_of(flat) if _core.shares_storage(flat, self) else flat


@native_method
def transpose(self, *axes):
    if len(axes) == 1 and (axes[0] is None or hasattr(axes[0], "__len__")):
        axes = axes[0]
    elif not axes:
        axes = None
    return _manipulation.permuted(self, _manipulation.check_axes(self, axes))


@native_method
def swapaxes(self, axis1, axis2, /):
    return _manipulation.swapaxes.__numloom_native__(self, axis1, axis2)


@native_method
def squeeze(self, axis=None):
    return _manipulation.squeeze.__numloom_native__(self, axis)


@native_method
def diagonal(self, offset=0, axis1=0, axis2=1):
    return _differences.diagonal.__numloom_native__(self, offset, axis1, axis2)


@native_method
def trace(self, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return _differences.trace.__numloom_native__(self, offset, axis1, axis2, dtype, out)


@native_method
def repeat(self, repeats, axis=None):
    return _manipulation.repeat.__numloom_native__(self, repeats, axis)


@native_method
def resize(self, *new_shape, refcheck=True):
    operator.index(refcheck)
    empty = new_shape == ()
    if len(new_shape) == 1:
        new_shape = new_shape[0]
        if new_shape is None:
            return
        new_shape = (new_shape,) if isinstance(new_shape, (int, numpy.integer)) else tuple(new_shape)
    if empty:
        return
    new_shape = tuple([integer(n) for n in new_shape])
    size = 1
    for n in new_shape:
        if n < 0:
            raise ValueError("negative dimensions not allowed")
        size *= n
    if not is_contiguous(self) and not is_contiguous(self, "F"):
        raise ValueError("resize only works on single-segment arrays")
    if size == self.size:
        _core.become(self, _core.reshape_view(_manipulation.raveled(self, "A"), new_shape))
        return
    if self.base is not None:
        raise ValueError("cannot resize this array: it does not own its data")
    if refcheck and _core.viewed(self):
        raise own_error(
            ValueError,
            "cannot resize an array that references or is referenced\n"
            "by another object in this way.\n"
            "Use the np.resize function to get a new resized copy or\n"
            " set refcheck=False to disable this check",
        )
    grown = _core.full((size,), self.dtype, 0)
    keep = min(size, self.size)
    flat = _manipulation.raveled(self, "A")
    grown[:keep] = flat[:keep]
    _core.become(self, _core.reshape_view(grown, new_shape))


# ------------------------------------------------------------------------------------------------ element types
def checked_cast(a, dtype, casting):
    if not numpy.can_cast(a.dtype, dtype, casting):
        raise TypeError(f"Cannot cast array data from {a.dtype!r} to {dtype!r} according to the rule '{casting}'")


@native_method
def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    dtype, order = numpy.dtype(dtype), known_order(order, "K")
    if not is_native(dtype) or copy not in (True, False):
        raise NotNative
    if dtype == self.dtype:
        if not copy and _creation.wanted_order(self, order):
            return self
        return copy_of(self, order)
    if casting != "unsafe":
        checked_cast(self, dtype, casting)
    return _creation.convert(self, dtype, order)


@native_method
def view(self, dtype=NO_VALUE, type=NO_VALUE):
    if type is NO_VALUE and isinstance(dtype, builtin_type) and issubclass(dtype, numpy.ndarray):
        type, dtype = dtype, NO_VALUE
    if type is not NO_VALUE and type is not ndarray:
        raise NotNative
    if dtype is NO_VALUE or dtype is ndarray:
        return _core.view(self, self.shape, self.strides, 0)
    dtype = numpy.dtype(dtype)
    if not is_native(dtype):
        raise NotNative
    old, new = self.itemsize, dtype.itemsize
    if old == new:
        return _core.view(self, self.shape, self.strides, 0, dtype)
    shape, strides = self.shape, self.strides
    if not shape or strides[-1] != old or shape[-1] * old % new:
        raise NotNative
    return _core.view(self, (*shape[:-1], shape[-1] * old // new), (*strides[:-1], new), 0, dtype)


builtin_type = type


def deprecated(version, text):
    """NumPy's warning about an attribute that is set, from that version on, at the user's line."""
    if numpy.lib.NumpyVersion(numpy.__version__) >= version + ".0":
        warnings.warn(text, DeprecationWarning, stacklevel=3)


def set_dtype(a, dtype):
    """a.dtype = dtype."""
    deprecated(
        "2.5",
        "Setting the dtype on a NumPy array has been deprecated in NumPy 2.5.\n"
        "Instead of changing the dtype on an array x, create a new array with x.view(new_dtype)",
    )
    try:
        dtype = numpy.dtype(dtype)
    except TypeError:
        raise TypeError("invalid data-type for array") from None
    other = view(a, dtype)
    if type(other) is not ndarray:
        raise TypeError("the dtype of an array can only be set to another native dtype")
    _core.become(a, other)


def set_strides(a, strides):
    """a.strides = strides."""
    deprecated(
        "2.4",
        "Setting the strides on a NumPy array has been deprecated in NumPy 2.4.\n"
        "As an alternative, you can create a new view using np.lib.stride_tricks.as_strided.",
    )
    host = _display.exported(a)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numpy.lib.stride_tricks.as_strided(host, host.shape, host.strides)
        host.strides = strides  # raises where the memory does not reach
    _core.become(a, _core.view(a, a.shape, integers(strides), 0))


# ---------------------------------------------------------------------------------------------- values, copies
@native_method
def copy(self, order="C"):
    return copy_of(self, known_order(order))


@native_method
def fill(self, value):
    if not _core.writeable(self):
        raise NotNative
    kind = type(value)
    if kind is ndarray:
        if value.ndim:
            raise NotNative
    elif kind is scalar:
        self[...] = value  # refused where it is out of bounds
        return
    else:
        if not isinstance(value, (bool, int, float, complex, numpy.generic)):
            raise NotNative
        made = numpy.empty((), self.dtype)
        made.fill(value)
        value = made.item()
    _core.assign(self, value)


@attach
def item(self, *args):
    return to_numpy(self).item(*args)


@attach
def tolist(self):
    return to_numpy(self).tolist()


@attach
def tobytes(self, order="C"):
    return to_numpy(self).tobytes(order)


@attach
def tofile(self, fid, sep="", format="%s"):
    to_numpy(self).tofile(fid, sep, format)


@attach
def dump(self, file):
    import pickle

    if hasattr(file, "write"):
        pickle.dump(self, file, protocol=2)
    else:
        with open(file, "wb") as f:
            pickle.dump(self, f, protocol=2)


@attach
def dumps(self):
    import pickle

    return pickle.dumps(self, protocol=2)


@attach
def get(self, *args, **kwargs):
    """A NumPy array with the values (CuPy's name for it)."""
    return _core.to_host(self)


@native_method
def conj(self, out=None):
    if out is None:
        return OBJECTS["conjugate"](self) if self.dtype.kind == "c" else self
    return OBJECTS["conjugate"](self, out=out)


@native_method
def conjugate(self, out=None):
    return conj(self, out)


@native_method
def clip(self, min=None, max=None, out=None, **kwargs):
    if kwargs:
        raise NotNative
    return _functions.clip.__numloom_native__(self, min, max, out)


@native_method
def round(self, decimals=0, out=None):
    return _functions.round_.__numloom_native__(self, decimals, out)


@attach
def setflags(self, write=None, align=None, uic=None, **unknown):
    if unknown:
        numpy.empty(0).setflags(**unknown)  # NumPy's error, whose words are the Python version's
    flags = self.flags
    if write is not None:
        flags.writeable = bool(write)
    if align is not None:
        flags.aligned = bool(align)
    if uic:
        flags.writebackifcopy = True


@attach
def to_device(self, device, /, *, stream=None):
    if device != "cpu":
        raise ValueError(f'Unsupported device: {device}. Only "cpu" is accepted.')
    if stream is not None:
        raise ValueError("The stream argument in to_device() is not supported")
    return self


# --------------------------------------------------------------------------------------------------- protocols
def _rebuild(host):
    return _core.from_host(host) if is_native(host.dtype) else host


@attach
def __reduce__(self):
    return _rebuild, (_core.to_host(self),)


@attach
def __reduce_ex__(self, protocol):
    host = _core.to_host(self)
    order = sorted(range(self.ndim), key=lambda i: -abs(self.strides[i]))
    permuted = _manipulation.permuted(self, order)
    if order != list(range(self.ndim)) and is_contiguous(permuted):
        return _rebuild_permuted, (_core.to_host(permuted), order)
    if not is_contiguous(self):
        return _rebuild_state, host.__reduce__()  # as NumPy: only memory in one piece goes out of band
    return _rebuild, (host,)


def _rebuild_state(make, args, state):
    host = make(*args)
    host.__setstate__(state)
    return _rebuild(host)


def _rebuild_permuted(host, order):
    inverse = sorted(range(len(order)), key=order.__getitem__)
    return _core.permute_view(_core.from_host(host), tuple(inverse))


@attach
def __copy__(self):
    return copy_of(self, "K")


@attach
def __deepcopy__(self, memo, /):
    out = copy_of(self, "K")
    memo[id(self)] = out
    return out


@attach
def __array_wrap__(self, array, context=None, return_scalar=False):
    if type(array) is numpy.ndarray:
        if return_scalar and array.ndim == 0:
            return array[()]
        return _fallback.import_array(array) if is_native(array.dtype) else array
    return array


@attach
def __array_namespace__(self, /, *, api_version=None):
    import numloom

    if api_version is not None and api_version not in ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
        raise ValueError(f'Version "{api_version}" of the Array API Standard is not supported.')
    return numloom


@attach
def __sizeof__(self):
    return object.__sizeof__(self) + (self.nbytes if self.base is None else 0)


@attach
def __array_function__(self, func, types, args, kwargs):
    function = func
    for t in types:
        if t is not ndarray and t is not scalar and not issubclass(t, numpy.ndarray):
            return NotImplemented
    import numloom

    name = function.__module__.removeprefix("numpy").lstrip(".")
    ours = numloom._ours_for(function)
    if ours is not None:
        return ours(*args, **kwargs)
    return _fallback.call(
        (name + "." if name else "") + function.__name__,
        function._implementation if hasattr(function, "_implementation") else function,
        args,
        kwargs,
    )


@attach
def __setstate__(self, state):
    host = numpy.empty(0)
    host.__setstate__(state)
    _core.become(self, asnative(host))


# ------------------------------------------------------------------------------------------ what NumPy does
ON_HOST = ("byteswap", "getfield", "setfield")


def matmul(a, b):
    """The operator @."""
    return _products.operator_matmul(a, b)


def inplace_matmul(a, b):
    """The operator @=; what is not a matrix product of fitting shape and dtype is NumPy's to refuse."""
    if type(b) is ndarray and b.ndim > 1 and a.ndim and numpy.promote_types(a.dtype, b.dtype) == a.dtype:
        made = _products.operator_matmul(a, b)
        if made is not NotImplemented and made.shape == a.shape:
            _core.assign(a, made)
            return a
    elif type(b) is not ndarray and _products.operator_matmul_defers(a, b):
        return NotImplemented
    return _fallback.call("imatmul", operator.imatmul, (a, b), {})


def binary_on_host(name, a, b):
    """A ufunc ("add") or operator ("operator.add") whose operands the engine does not take, by NumPy's rules."""
    module, _, part = name.rpartition(".")
    return _fallback.call(part, getattr(operator if module else numpy, part), (a, b), {})


def new_array(cls, shape, dtype=float, buffer=None, offset=0, strides=None, order=None):
    """ndarray(shape, dtype, buffer, offset, strides, order)."""
    made = _fallback.call("ndarray", numpy.ndarray, (shape, dtype, buffer, offset, strides, order), {})
    return made


def install():
    for name in ON_HOST:
        METHODS[name] = _fallback.wrap_method(name)
    for name, function in METHODS.items():
        setattr(ndarray, name, function)
    for name, made in OBJECTS.items():
        theirs = getattr(numpy, name, None)
        if type(made) is _core.ufunc and made.nin == 2 and type(theirs) is numpy.ufunc:
            _core.pair_ufunc(theirs, made)
    ndarray.__array_ufunc__ = _core.quick("array_ufunc", array_ufunc, True)
    ndarray.__hash__ = None
    ndarray.__doc__ = numpy.ndarray.__doc__
    scalar.__getitem__ = lambda self, key: self._value()[key]
    ndarray.__class_getitem__ = classmethod(lambda cls, item: numpy.ndarray[item])
    for name, function in (
        ("matmul", matmul),
        ("inplace_matmul", inplace_matmul),
        ("fallback_binary", binary_on_host),
        ("new", new_array),
        ("set_dtype", set_dtype),
        ("set_strides", set_strides),
    ):
        _core.set_hook(name, function)
    _display.install()
