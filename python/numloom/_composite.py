"""Ufuncs of several outputs, or of inputs of two types: divmod, modf, frexp, ldexp; an operation for each output."""

import numpy

from numloom import _core
from numloom._base import (
    BOOL,
    NotNative,
    asnative,
    broadcast_shapes,
    is_native,
    known_order,
    ndarray,
    reported,
    scalar,
)
from numloom._ufunc import OBJECTS, constant, harmless, loop_of, new_output, operand, oracle, refuse_strict, weak_type

PARTS = {
    "divmod": ("floor_divide", "remainder"),
    "modf": ("modf_fraction", "trunc"),
    "frexp": ("frexp_mantissa", "frexp_exponent"),
    "ldexp": ("ldexp_float",),
}


def given_outs(u, args, kwargs):
    """(inputs, one array of ours or None for each output)."""
    nin, nout = u.nin, u.nout
    out = kwargs.pop("out", None)
    if not nin <= len(args) <= nin + nout:
        raise NotNative
    if len(args) > nin:
        if out is not None:
            raise NotNative
        out = tuple(args[nin:]) + (None,) * (nin + nout - len(args))
    if out is None:
        out = (None,) * nout
    if type(out) is not tuple:
        if nout > 1:
            raise NotNative
        out = (out,)
    if len(out) != nout or any(x is not None and (type(x) is not ndarray or not x.flags.writeable) for x in out):
        raise NotNative
    return args[:nin], out


def signature_of(u, kwargs):
    """resolve_dtypes' signature from dtype=, signature= or sig=."""
    given = [kwargs.pop(k) for k in ("signature", "sig") if kwargs.get(k) is not None]
    dtype = kwargs.pop("dtype", None)
    for k in ("signature", "sig"):
        kwargs.pop(k, None)
    if len(given) + (dtype is not None) > 1:
        raise NotNative
    if dtype is not None:
        return (None,) * u.nin + (numpy.dtype(dtype),) * u.nout
    if given and (type(given[0]) is not tuple or len(given[0]) != u.nargs):
        raise NotNative
    return given[0] if given else None


def plain_floats(a, b):
    """Whether the two ufuncs of divmod take these operands without a look at their values."""
    return (
        type(a) is ndarray
        and a.dtype.kind == "f"
        and (type(b) is float or type(b) is int or type(b) is ndarray and b.dtype.kind == "f")
    )


def contains(x, value):
    return bool((x == value).any() if type(x) is ndarray and x.ndim else x == value)


def refuse_division(dividend, divisor, loop):
    """An integer division by zero, or of the least number by -1, warns or raises: NumPy's to do."""
    if contains(divisor, 0):
        raise NotNative
    if loop.kind == "i" and contains(divisor, -1) and contains(dividend, int(numpy.iinfo(loop).min)):
        raise NotNative


@reported("divmod")
def divmod_of(a, b):
    return OBJECTS["floor_divide"](a, b), OBJECTS["remainder"](a, b)


def call(u, args, kwargs):
    """A call of one of these ufuncs by the engine."""
    name = u.__name__
    if name == "divmod" and not kwargs and len(args) == 2 and plain_floats(*args):
        return divmod_of(*args)
    kwargs = dict(kwargs)
    args, outs = given_outs(u, args, kwargs)
    mask = kwargs.pop("where", True)
    casting = kwargs.pop("casting", "same_kind")
    order = known_order(kwargs.pop("order", "K"), "K")
    kwargs.pop("subok", None)
    signature = signature_of(u, kwargs)
    if kwargs:
        raise NotNative
    inputs = [operand(x) for x in args]
    refuse_strict(casting, inputs)
    asked = tuple([weak_type(x) for x in inputs]) + tuple([None if x is None else x.dtype for x in outs])
    rest = {} if signature is None else {"signature": signature}
    dtypes = oracle(name).resolve_dtypes(asked, casting=casting, **rest)
    loop = loop_of(PARTS[name][0], dtypes, 1 if name == "ldexp" else u.nin)
    if any(not is_native(d) for d in dtypes):
        raise NotNative
    operands = [
        x if type(x) is ndarray or type(x) is scalar else constant(x, d) for x, d in zip(inputs, dtypes, strict=False)
    ]
    if name == "divmod" and loop.kind in "iu":
        refuse_division(*operands, loop)
    if name == "ldexp" and type(operands[1]) is int:
        operands[1] = float(operands[1])
    shape = broadcast_shapes((), *[x.shape for x in inputs if type(x) is ndarray])
    if mask is not True:
        mask = asnative(mask)
        if mask.dtype != BOOL or any(x is None for x in outs):
            raise NotNative
        shape = broadcast_shapes(shape, mask.shape)
    for out in outs:
        if out is not None:
            shape = broadcast_shapes(shape, out.shape)
    if any(out is not None and out.shape != shape for out in outs):
        raise NotNative
    made = [new_output(shape, dtype, operands, order) for dtype in dtypes[u.nin :]]
    given = operands if mask is True else harmless(name, loop, operands, mask)
    (compute_divmod if name == "divmod" else compute_parts)(name, loop, made, given)
    return delivered(made, outs, mask)


def compute_parts(name, loop, made, operands):
    for part, out in zip(PARTS[name], made, strict=True):
        _core.elementwise(part, loop, out, *operands)


compute_divmod = reported("divmod")(compute_parts)


def delivered(made, outs, mask):
    """The results, in `outs` where given (all were computed before anything is written)."""
    results = []
    for array, out in zip(made, outs, strict=True):
        if out is None:
            results.append(array if array.ndim else _core.to_scalar(array))
            continue
        if mask is True:
            _core.assign(out, array)
        else:
            _core.elementwise("where", out.dtype, out, mask, array, out)
        results.append(out)
    return results[0] if len(results) == 1 else tuple(results)
