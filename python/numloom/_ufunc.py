"""Universal functions: the calls that the bindings' fast path leaves to Python, and the methods of ufunc objects.

dtypes are resolved by NumPy's own rules (``ufunc.resolve_dtypes``); a call that is not valid, or that needs a loop
which the engine lacks, goes to NumPy on the host, which then raises NumPy's errors.
"""

import math
import sys
import warnings

import numpy

from numloom import _core, _fallback
from numloom._base import (
    BOOL,
    NO_VALUE,
    PYTHON_NUMBERS,
    NotNative,
    asnative,
    axis_tuple,
    broadcast_shapes,
    converted,
    host,
    is_contiguous,
    is_native,
    known_order,
    native_dtype,
    ndarray,
    scalar,
)
from numloom._registry import NATIVE

ufunc = _core.ufunc
LOOPS = {row["name"]: row["loops"] for row in _core.operations()}
OBJECTS = {}  # NumPy's name -> our object
_ORACLES = {}  # name -> NumPy's or SciPy's ufunc

ALIASES = {
    "abs": "absolute",
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_not": "invert",
    "bitwise_right_shift": "right_shift",
    "concat": "concatenate",
    "conj": "conjugate",
    "mod": "remainder",
    "permute_dims": "transpose",
    "pow": "power",
    "true_divide": "divide",
}

COMPOSITE = frozenset(("divmod", "modf", "frexp", "ldexp"))  # of several operations: _composite.py
COMPARISONS = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))
NO_IDENTITY = frozenset(("minimum", "maximum", "fmin", "fmax"))
IDENTITIES = {
    "add": 0,
    "multiply": 1,
    "logical_and": True,
    "logical_or": False,
    "logical_xor": False,
    "bitwise_and": -1,
    "bitwise_or": 0,
    "bitwise_xor": 0,
}
REDUCIBLE = frozenset((*IDENTITIES, *NO_IDENTITY))
_SUM_TYPES = {numpy.dtype(c): numpy.dtype("l" if c in "?bhi" else "L") for c in "?bhiBHI"}


def oracle(name):
    """NumPy's ufunc of that name, or scipy.special's."""
    found = _ORACLES.get(name)
    if found is None:
        found = getattr(numpy, name, None)
        if found is None:
            import scipy.special

            found = getattr(scipy.special, name)
        _ORACLES[name] = found
    return found


# ------------------------------------------------------------------------------------------------------- calls
def operand(x):
    """An input of a ufunc: an array of ours, a lazy scalar, a NumPy scalar or a Python number."""
    kind = type(x)
    if kind is ndarray or kind is scalar or kind in PYTHON_NUMBERS:
        return x
    if isinstance(x, numpy.generic):
        if not is_native(x.dtype):
            raise NotNative
        return x
    if hasattr(kind, "__array_ufunc__") and kind is not numpy.ndarray:
        raise NotNative
    return asnative(x)


def weak_type(x):
    """What resolve_dtypes takes for an operand."""
    kind = type(x)
    if kind in PYTHON_NUMBERS:
        return BOOL if kind is bool else kind
    return x.dtype


def constant(x, dtype):
    """A NumPy or Python number as the Python number that the loop for `dtype` sees; OverflowError as NumPy's."""
    if type(x) in PYTHON_NUMBERS:
        return numpy.array(x, dtype=dtype).item()
    return x.astype(dtype).item()


def loop_of(name, dtypes, nin):
    """The dtype of the engine's loop for resolved dtypes; NotNative where there is none."""
    loop = dtypes[0]
    for d in dtypes[1:nin]:
        if d != loop:
            raise NotNative
    if not is_native(loop):
        raise NotNative
    code = loop.char
    code = {"q": "l", "Q": "L"}.get(code, code)
    if code not in LOOPS[name]:
        raise NotNative
    return loop


_EXTREMES_TAKE_TWO = numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0"


def given_out(u, args, kwargs):
    """(inputs, out or None) of a call; NotNative for anything but one array of ours."""
    nin = u.nin
    if not nin <= len(args) <= nin + 1:
        raise NotNative
    if len(args) > nin and u.__name__ in ("maximum", "minimum") and _EXTREMES_TAKE_TWO:
        warnings.warn(
            "Passing more than 2 positional arguments to np.maximum and np.minimum is deprecated. If you "
            "meant to use the third argument as an output, use the `out` keyword argument instead. If you "
            "hoped to work with more than 2 inputs, combine them into a single array and get the extrema "
            "for the relevant axis.",
            DeprecationWarning,
            stacklevel=4,
        )
    out = kwargs.pop("out", None)
    if len(args) > nin:
        if out is not None:
            raise NotNative
        out = args[nin]
    if type(out) is tuple:
        if len(out) != 1:
            raise NotNative
        out = out[0]
    if out is not None and type(out) is not ndarray:
        raise NotNative
    return args[:nin], out


def signature_of(u, kwargs):
    """resolve_dtypes' signature from dtype=, signature= or sig=."""
    signature = kwargs.pop("signature", None)
    sig = kwargs.pop("sig", None)
    if sig is not None:
        if signature is not None:
            raise NotNative
        signature = sig
    dtype = kwargs.pop("dtype", None)
    if dtype is not None:
        if signature is not None:
            raise NotNative
        signature = (None,) * u.nin + (numpy.dtype(dtype),)
    if isinstance(signature, str) or (type(signature) is tuple and len(signature) != u.nin + 1):
        raise NotNative
    return signature


def new_output(shape, dtype, inputs, order):
    """The array for a result: in C or Fortran order, or (K) in the order that the inputs lie in memory."""
    if order in ("C", "F"):
        return _core.empty(shape, dtype, order)
    arrays = [x for x in inputs if type(x) is ndarray and x.ndim > 1]
    if order == "A":
        dense = all(is_contiguous(x, "F") for x in arrays) and not all(is_contiguous(x) for x in arrays)
        return _core.empty(shape, dtype, "F" if arrays and dense else "C")
    return _core.output_like(dtype, shape, arrays)


def call(u, args, kwargs):
    """A ufunc called with keywords, or with operands that the fast path does not know."""
    name = u.__name__
    try:
        if name in COMPOSITE:
            from numloom import _composite

            return _composite.call(u, args, kwargs or {})
        return call_native(u, args, dict(kwargs) if kwargs else {})
    except NotNative:
        pass
    return _fallback.call(name, oracle(name), args, kwargs or {})


_DIVISIONS = frozenset(("floor_divide", "remainder", "fmod", "reciprocal"))


def call_native(u, args, kwargs):
    name = u.__name__
    if name not in LOOPS:
        raise NotNative
    args, out = given_out(u, args, kwargs)
    mask = kwargs.pop("where", True)
    casting = kwargs.pop("casting", "same_kind")
    order = kwargs.pop("order", "K")
    kwargs.pop("subok", None)
    signature = signature_of(u, kwargs)
    order = known_order(order, "K")
    if kwargs:
        raise NotNative
    inputs = [operand(x) for x in args]
    refuse_strict(casting, inputs)
    rules = oracle(name)
    if not hasattr(rules, "resolve_dtypes"):
        raise NotNative
    asked = tuple([weak_type(x) for x in inputs]) + (None if out is None else out.dtype,)
    rest = {} if signature is None else {"signature": signature}
    dtypes = rules.resolve_dtypes(asked, casting=casting, **rest)
    loop = loop_of(name, dtypes, u.nin)
    result = dtypes[-1]
    if not is_native(result):
        raise NotNative
    refuse_bad_power(name, loop, inputs)
    if name in _DIVISIONS and loop.kind in "iu" and (mask is not True or not divides_quietly(inputs[-1])):
        raise NotNative  # whether it is by zero or overflows, and what errstate wants then, NumPy decides
    try:
        operands = [x if type(x) is ndarray or type(x) is scalar else constant(x, loop) for x in inputs]
    except OverflowError:
        if name in COMPARISONS:
            raise NotNative from None
        raise
    shape = broadcast_shapes((), *[x.shape for x in inputs if type(x) is ndarray])
    if mask is not True:
        mask = asnative(mask)
        if mask.dtype != BOOL or out is None:
            raise NotNative  # without out=, NumPy warns of the elements that nobody writes
        shape = broadcast_shapes(shape, mask.shape)
    if out is not None:
        if not out.flags.writeable or broadcast_shapes(shape, out.shape) != out.shape:
            raise NotNative
        shape = out.shape
    return record(name, loop, result, operands, shape, mask, out, order)


def divides_quietly(divisor):
    return type(divisor) in PYTHON_NUMBERS and divisor not in (0, -1)


def refuse_strict(casting, inputs):
    """NumPy asks the dtype that a Python number would have, where no cast is allowed; resolve_dtypes does not."""
    if casting in ("no", "equiv", "safe") and any(type(x) in PYTHON_NUMBERS for x in inputs):
        raise NotNative


def record(name, loop, result, operands, shape, mask, out, order):
    """Records a checked call and returns its result: `out`, a fresh array or a lazy scalar."""
    target = new_output(shape, result, operands, order) if out is None else out
    if mask is True:
        _core.elementwise(name, loop, target, *operands)
    else:
        computed = _core.empty(shape, target.dtype)
        _core.elementwise(name, loop, computed, *harmless(name, loop, operands, mask))
        _core.elementwise("where", target.dtype, target, mask, computed, target)
    if out is None and not shape:
        return _core.to_scalar(target)
    return target


def harmless(name, loop, operands, mask):
    """Operands with a number that nothing is reported for where the mask is false: those are not computed in NumPy."""
    if loop.kind not in "fc":
        return operands
    number = constant({"arctanh": 0.5, "ldexp": 0.0}.get(name, 1.0), loop)
    masked = []
    for k, x in enumerate(operands):
        if name == "ldexp" and k == 1:
            masked.append(x)  # 0 times any power of 2 is harmless
            continue
        if name == "power" and type(x) is not ndarray:
            masked.append(x)  # 1.0 to any power is harmless, and by a number power has short cuts
            continue
        chosen = _core.empty(broadcast_shapes(getattr(x, "shape", ()), mask.shape), loop)
        _core.elementwise("where", loop, chosen, mask, x, number)
        masked.append(chosen)
    return masked


def refuse_bad_power(name, loop, inputs):
    """Integers to negative integer powers raise, depending on values: NumPy decides unless the power is a number."""
    if name == "power" and loop.kind == "i":
        exponent = inputs[1]
        if type(exponent) is ndarray or type(exponent) is scalar or exponent < 0:
            raise NotNative


# ----------------------------------------------------------------------------------------------------- methods
def sum_type(dtype):
    """The dtype in which NumPy adds or multiplies up elements of `dtype`."""
    return _SUM_TYPES.get(dtype, dtype)


def reduce_type(name, a, dtype, out):
    """The dtype of a reduction; errors as NumPy's."""
    if dtype is None and out is None:
        if name == "add" or name == "multiply":
            return sum_type(a.dtype)
        if name.startswith("logical"):
            return BOOL
        if name.startswith("bitwise") and a.dtype.kind not in "biu":
            raise NotNative
        return a.dtype
    u = oracle(name)
    signature = {} if dtype is None else {"signature": (numpy.dtype(dtype), None, None)}
    if name.startswith("logical"):
        if dtype is not None and numpy.dtype(dtype) != BOOL:
            raise NotNative
        return BOOL
    asked = (None if out is None else out.dtype, a.dtype, None)
    dtypes = u.resolve_dtypes(asked, casting="unsafe", reduction=True, **signature)
    if dtypes[0] != dtypes[1] or not is_native(dtypes[0]):
        raise NotNative
    return dtypes[0]


def identity_of(name, dtype):
    if name == "bitwise_and":  # all bits set
        return True if dtype == BOOL else -1 if dtype.kind == "i" else int(numpy.iinfo(dtype).max)
    return IDENTITIES[name]


def warn_of_parts():
    """That a reduction adds up real parts alone, at the first line outside of this package."""
    frame, level = sys._getframe(1), 2
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == "numloom":
        frame, level = frame.f_back, level + 1
    message = "Casting complex values to real discards the imaginary part"
    warnings.warn(message, numpy.exceptions.ComplexWarning, stacklevel=level)


def reduce_op(name, a, axes, dtype, keepdims=False, out=None, initial=NO_VALUE, where=True):
    """`a` folded over `axes` (non-negative ints) in `dtype`: `out` where given, else an array or a lazy scalar.

    As NumPy's, a new array has its axes in memory in the order of those of `a` and the mask.
    """
    unmasked = where is True or where is NO_VALUE
    if name == "add" and initial is not NO_VALUE and negative_zero(initial):
        raise NotNative
    if type(a) is not ndarray:  # a lazy scalar
        a = asnative(a)
    if dtype.kind in "iuf" and a.dtype.kind == "c":
        warn_of_parts()
    if out is None and initial is NO_VALUE and unmasked and a.size:
        return _core.reduce_new(name, dtype, a, axes, keepdims)
    shape = a.shape
    kept = tuple([1 if i in axes else n for i, n in enumerate(shape)])
    final = kept if keepdims else tuple([n for i, n in enumerate(shape) if i not in axes])
    has_identity = name in IDENTITIES
    if not unmasked:
        a = asnative(masked(name, a, where, initial if initial is not NO_VALUE else None, dtype))
    if out is None:
        target = _core.reduced_like(a, axes, dtype)
    else:
        if out.shape != final or not out.flags.writeable or not numpy.can_cast(dtype, out.dtype, "same_kind"):
            raise NotNative
        target = out if out.shape == kept else _core.reshape_view(out, kept)
    if a.size == 0:
        if initial is NO_VALUE or initial is None:
            if not has_identity and any(shape[i] == 0 for i in axes):
                raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
            start = identity_of(name, dtype) if has_identity else 0
        else:
            start = initial
        _core.assign(target, start)
    else:
        _core.reduce(name, dtype, target, a, axes)
        if initial is not NO_VALUE and initial is not None:
            _core.elementwise(name, dtype, target, first_value(initial, dtype), target)
    if out is not None:
        return out
    if final != kept:
        target = _core.reshape_view(target, final)
    return target if final else _core.to_scalar(target)


def negative_zero(initial):
    """Whether a sum of negative zeros from there is one; the engine's begins with +0."""
    if initial is None or not isinstance(initial, (float, complex, numpy.inexact)) or initial != 0:
        return False
    return math.copysign(1, initial.real) < 0


def first_value(x, dtype):
    """`initial` in the loop's dtype, by the rules of an assignment to an element."""
    if type(x) is ndarray:
        if x.ndim:
            raise NotNative
        return converted(x, dtype)
    x = host(x)
    if not isinstance(x, (bool, int, float, complex, numpy.generic)):
        raise NotNative
    one = numpy.empty((), dtype)
    one[()] = x
    return one.item()


def masked(name, a, mask, initial, dtype):
    """`a` in `dtype` with the operation's identity where the mask is false."""
    mask = asnative(mask)
    if mask.dtype != BOOL or broadcast_shapes(mask.shape, a.shape) != a.shape:
        raise NotNative
    if name in IDENTITIES:
        fill = identity_of(name, dtype)
    elif initial is None:
        raise ValueError(
            f"reduction operation '{name}' does not have an identity, so to use a where mask one has to "
            "specify 'initial'"
        )
    else:
        fill = first_value(initial, dtype)
    out = _core.output_like(dtype, a.shape, [a, mask])
    _core.elementwise("where", dtype, out, mask, a, fill)
    return out


def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=NO_VALUE, where=True):
    """numpy.ufunc.reduce."""
    try:
        if self.__name__ not in REDUCIBLE:
            from numloom import _folds

            return _folds.reduce(self.__name__, array, axis, dtype, out, bool(keepdims), initial, where)
        return reduce_native(self.__name__, array, axis, dtype, out, keepdims, initial, where)
    except NotNative:
        pass
    kwargs = {"axis": axis, "dtype": dtype, "out": out, "keepdims": keepdims, "initial": initial, "where": where}
    return method_on_host(self, "reduce", (array,), {k: v for k, v in kwargs.items() if v is not NO_VALUE})


def reduce_native(name, array, axis, dtype, out, keepdims, initial, where):
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    if out is not None and type(out) is not ndarray:
        raise NotNative
    if type(array) is not ndarray and hasattr(type(array), "__array_ufunc__") and type(array) is not numpy.ndarray:
        raise NotNative
    a = asnative(array)
    if dtype is not None:
        dtype = native_dtype(dtype)
        if a.dtype.kind == "c" and dtype.kind not in "cb":
            raise NotNative  # NumPy warns that imaginary parts are lost
    if a.ndim == 0 and axis in (0, -1):
        axis = None
    if type(axis) is list:
        raise NotNative
    axes = axis_tuple(axis, a.ndim)
    if initial is None and name not in NO_IDENTITY and a.size == 0:
        raise NotNative
    return reduce_op(name, a, axes, reduce_type(name, a, dtype, out), bool(keepdims), out, initial, where)


def method_on_host(u, method, args, kwargs):
    name = u.__name__
    return _fallback.call(f"{name}.{method}", getattr(oracle(name), method), args, kwargs)


def outer(self, *args, **kwargs):
    """numpy.ufunc.outer."""
    if self.nin == 2 == len(args):
        a, b = args
        try:
            x, y = asnative(a), asnative(b)
        except NotNative:
            pass
        else:
            if x.ndim + y.ndim > 64:
                raise ValueError("maximum supported dimension for an ndarray is 64")
            return self(_core.reshape_view(x, x.shape + (1,) * y.ndim), y, **kwargs)
    return method_on_host(self, "outer", args, kwargs)


def accumulate(self, array, axis=0, dtype=None, out=None):
    """numpy.ufunc.accumulate."""
    from numloom import _folds, _library

    for attempt in (_library.accumulate, _folds.accumulate):
        try:
            return attempt(self.__name__, array, axis, dtype, out)
        except NotNative:
            pass
    return method_on_host(self, "accumulate", (array,), {"axis": axis, "dtype": dtype, "out": out})


def reduceat(self, array, indices, axis=0, dtype=None, out=None):
    """numpy.ufunc.reduceat."""
    from numloom import _folds

    try:
        return _folds.reduceat(self.__name__, array, indices, axis, dtype, out)
    except NotNative:
        pass
    return method_on_host(self, "reduceat", (array, indices), {"axis": axis, "dtype": dtype, "out": out})


def at(self, a, indices, b=NO_VALUE, /):
    """numpy.ufunc.at."""
    from numloom import _folds

    try:
        return _folds.at(self, a, indices, b)
    except (NotNative, ValueError):  # nothing is written then; the words are NumPy's
        pass
    return method_on_host(self, "at", (a, indices) if b is NO_VALUE else (a, indices, b), {})


def resolve_dtypes(self, *args, **kwargs):
    """numpy.ufunc.resolve_dtypes."""
    return oracle(self.__name__).resolve_dtypes(*args, **kwargs)


# ----------------------------------------------------------------------------------------- ufuncs on the host
class HostUfunc:
    """A ufunc of NumPy whose calls a subclass takes to the engine; the rest runs on the host."""

    __class__ = property(lambda self: ufunc)  # isinstance(np.matmul, np.ufunc)

    def __init__(self, function, name=None):
        self.__numpy__ = function
        self.__name__ = self.__qualname__ = function.__name__
        self.__doc__ = function.__doc__
        self.public = name or function.__name__

    def __call__(self, *args, **kwargs):
        return _fallback.call(self.public, self.__numpy__, args, kwargs)

    def __getattr__(self, name):
        return getattr(self.__numpy__, name)

    def __repr__(self):
        return repr(self.__numpy__)

    def __reduce__(self):
        return _ufunc_by_name, (self.public,)

    @staticmethod
    def __numloom_host__(x):
        return x.__numpy__

    reduce, accumulate, reduceat, outer, at = (
        (lambda method: lambda self, *args, **kwargs: method_on_host(self.__numpy__, method, args, kwargs))(m)
        for m in ("reduce", "accumulate", "reduceat", "outer", "at")
    )


def _ufunc_by_name(name):
    import numloom

    return getattr(numloom, name)


def install():
    """Attaches the methods to the bindings' ufunc type, sets the hook and makes the objects of the namespace."""
    for function in (reduce, accumulate, reduceat, at, outer, resolve_dtypes):
        setattr(ufunc, function.__name__, function)
    _core.set_hook("ufunc_call", call)
    for name, value in list(vars(numpy).items()):  # not getattr: that would import NumPy's lazy modules
        if type(value) is numpy.ufunc:
            made = _core.ufuncs.get(ALIASES.get(name, name))
            if type(made) is not ufunc or made.__name__ != value.__name__:
                made = OBJECTS.get(value.__name__) or ufunc(value)
                if value.__name__ in COMPOSITE:
                    NATIVE[name] = made
            else:
                NATIVE[name] = made
            OBJECTS[name] = made


def array_ufunc(self, u, method, *inputs, **kwargs):
    """__array_ufunc__ of our array: a ufunc of NumPy or SciPy met one of our arrays."""
    for x in (*inputs, *(kwargs.get("out") or ())):
        override = getattr(type(x), "__array_ufunc__", None)
        if (
            override is not None
            and type(x) is not ndarray
            and type(x) is not scalar
            and (override is not numpy.ndarray.__array_ufunc__)
        ):
            return NotImplemented
    name = u.__name__
    ours = OBJECTS.get(name)
    if ours is None and name in LOOPS and name in SPECIAL:
        ours = _core.ufuncs.get(name)
    out = kwargs.get("out")
    if out is not None and any(x is not None and type(x) is not ndarray for x in out):
        ours = None  # the result belongs into NumPy's memory
    if ours is None or (ours.__name__ not in SPECIAL and oracle(ours.__name__) is not u):
        return _fallback.call(name, u if method == "__call__" else getattr(u, method), inputs, kwargs)
    if out is not None and len(out) == 1:
        kwargs["out"] = out[0]
    return ours(*inputs, **kwargs) if method == "__call__" else getattr(ours, method)(*inputs, **kwargs)


SPECIAL = frozenset(
    row["name"]
    for row in _core.operations()
    if getattr(numpy, row["name"], None) is None and row["name"] not in ("copy", "where", "real", "imag")
)
