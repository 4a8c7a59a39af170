"""The methods of ufuncs that go element by element: accumulate, reduceat, at, and reduce where there is no tree."""

import numpy

from numloom import _core
from numloom._base import (
    INT,
    NATIVE_CODES,
    NO_VALUE,
    NotNative,
    asnative,
    astype,
    axis_index,
    copy,
    is_contiguous,
    is_native,
    native_dtype,
    ndarray,
    reduced_axes,
    said,
    scalar,
)
from numloom._library import (
    Key,
    around_axis,
    broadcast_shapes_or_refuse,
    check_masks,
    checked,
    dense,
    index_array,
    product,
    run,
)
from numloom._manipulation import moveaxis
from numloom._ufunc import LOOPS, oracle, reduce_type, warn_of_parts

NUMBERS = {row["name"]: i for i, row in enumerate(_core.operations())}  # the engine's code of an operation
INPUTS = {row["name"]: row["inputs"] for row in _core.operations()}
TRAITS = {row["name"]: row["traits"] for row in _core.operations()}
REDUCE, AT = _core.report_as("reduce"), _core.report_as("at")
# At positions along one axis these have loops of their own in NumPy, which report by the operation's name.
NAMED_AT = {"add": "efdFD", "subtract": "efdFD", "multiply": "efdFD", "divide": "efd", "floor_divide": "efd"}
WARNS = 1 << 6  # the trait: integer loops may report division by zero
REORDERABLE = frozenset(("hypot", "logaddexp", "logaddexp2", "gcd", "lcm"))


def loop_or_refuse(name, dtype):
    """`dtype` where the engine has an operation of that name with a loop for it that can't fail on the way."""
    if name not in LOOPS or not is_native(dtype) or {"q": "l", "Q": "L"}.get(dtype.char, dtype.char) not in LOOPS[name]:
        raise NotNative
    if dtype.kind in "iu" and (name == "power" or TRAITS[name] & WARNS):
        raise NotNative  # NumPy raises or warns, depending on values
    return dtype


def fold_type(name, a, dtype, out):
    """The dtype in which `a` is folded; NotNative where that is not one loop from and to it."""
    if INPUTS.get(name) != 2:
        raise NotNative
    if dtype is not None:
        dtype = native_dtype(dtype)
    if name in ("add", "multiply") or name.startswith("logical"):
        kind = reduce_type(name, a, dtype, out)
    else:
        signature = {} if dtype is None else {"signature": (dtype, None, None)}
        asked = (None if out is None else out.dtype, a.dtype, None)
        try:
            kinds = oracle(name).resolve_dtypes(asked, casting="unsafe", reduction=True, **signature)
        except TypeError:
            raise NotNative from None
        if kinds[0] != kinds[1] or kinds[1] != kinds[2]:
            raise NotNative
        kind = kinds[0]
    return loop_or_refuse(name, kind)


def target_of(out, shape, dtype):
    """`out` of a call as one array of ours or None; NotNative where the result does not go there as it is."""
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    if out is not None and (
        type(out) is not ndarray
        or out.shape != shape
        or not _core.writeable(out)
        or not numpy.can_cast(dtype, out.dtype, "same_kind")
    ):
        raise NotNative
    return out


def operand(x):
    kind = type(x)
    if (
        kind is not ndarray
        and kind is not numpy.ndarray
        and kind is not scalar
        and hasattr(kind, "__array_ufunc__")
        and (not isinstance(x, numpy.generic))
    ):
        raise NotNative
    return asnative(x)


def folded(call, name, a, axis, dtype, m, out, *inputs):
    """Runs accumulate or reduceat along an axis, which comes out with extent m."""
    shape = (*a.shape[:axis], m, *a.shape[axis + 1 :])
    out = target_of(out, shape, dtype)
    made = _core.empty(shape, dtype)
    source = a if a.dtype == dtype else astype(a, dtype)
    if made.size:
        run(call, (NUMBERS[name], *around_axis(a.shape, axis)), made, dense(source), *inputs)
    if out is None:
        return made
    _core.assign(out, made)
    return out


def accumulate(name, array, axis, dtype, out):
    """numpy.ufunc.accumulate."""
    a = operand(array)
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    if a.ndim == 0 or axis is None or out is not None and type(out) is not ndarray:
        raise NotNative
    axis = axis_index(axis, a.ndim)
    return folded("accumulate", name, a, axis, fold_type(name, a, dtype, out), a.shape[axis], out)


def reduceat(name, array, indices, axis, dtype, out):
    """numpy.ufunc.reduceat."""
    a, index = operand(array), index_array(indices)
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    if a.ndim == 0 or index.ndim != 1 or type(axis) is not int or out is not None and type(out) is not ndarray:
        raise NotNative
    axis = axis_index(axis, a.ndim)
    if index.size and int(index.min()) < 0:
        raise NotNative
    index = checked(index, a.shape[axis])
    kind = fold_type(name, a, dtype, out)
    return folded("reduceat", name, a, axis, kind, index.shape[0], out, dense(index))


def reduce(name, array, axis, dtype, out, keepdims, initial, where):
    """numpy.ufunc.reduce of an operation that is not associative: folded from the first element on."""
    a = operand(array)
    if initial is not NO_VALUE or where is not True or a.size == 0:
        raise NotNative
    if type(out) is tuple and len(out) == 1:
        out = out[0]
    axes = reduced_axes(axis, a.ndim)
    if out is not None and type(out) is not ndarray or a.ndim == 0 or len(axes) != 1 and name not in REORDERABLE:
        raise NotNative
    kind = fold_type(name, a, dtype, out)
    kept = tuple([1 if i in axes else n for i, n in enumerate(a.shape)])
    final = kept if keepdims else tuple([n for i, n in enumerate(a.shape) if i not in axes])
    out = target_of(out, final, kind)
    made, first = a, _core.full((1,), INT, 0)
    for i in axes:
        made = said(REDUCE, folded, "reduceat", name, made, i, kind, 1, None, first)
    if name in ("hypot", "gcd"):  # NumPy starts from the identity, which makes a single element positive
        made = _core.elementwise_new("absolute", kind, made)
    made = _core.reshape_view(made, final)
    if out is not None:
        _core.assign(out, made)
        return out
    return made if final else _core.to_scalar(made)


# ---------------------------------------------------------------------------------------------------------- at
def is_basic(key):
    """Whether a key selects a view."""
    parts = key if type(key) is tuple else (key,)
    return all(type(k) in (slice, int, type(None), type(Ellipsis)) for k in parts)


def at_types(name, a, b):
    """The loop's dtype for a[...] = operation(a[...], b); NumPy takes the result back into `a` whatever it is."""
    asked = (a.dtype, None) if b is None else (a.dtype, b.dtype, None)
    try:
        kinds = oracle(name).resolve_dtypes(asked, casting="unsafe")
    except TypeError:
        raise NotNative from None
    if any(k != kinds[0] for k in kinds[:-1]) or kinds[0].kind == "c" != a.dtype.kind:
        raise NotNative  # also where NumPy warns of the imaginary parts that it drops
    return loop_or_refuse(name, kinds[0])


# Operations with a loop for every number's dtype that gives the same dtype again.
_CLOSED = frozenset(("add", "subtract", "multiply", "maximum", "minimum"))


def at(u, a, indices, b=NO_VALUE):
    """numpy.ufunc.at: unbuffered, so that equal positions follow one another."""
    name = u.__name__
    if type(a) is ndarray and name in _CLOSED and _core.writeable(a) and _core.at_line(NUMBERS[name], a, indices, b):
        return
    if type(a) is not ndarray or not _core.writeable(a) or u.nout != 1 or u.nin != (1 if b is NO_VALUE else 2):
        raise NotNative
    given = b = None if b is NO_VALUE else operand(b)
    loop = at_types(name, a, b)
    if loop.kind == "c" and a.dtype.kind in "iuf":
        warn_of_parts()
    if is_basic(indices):
        parts = indices if type(indices) is tuple else (indices,)
        view = a[parts if any(part is ... for part in parts) else (*parts, ...)]  # also of one element
        if b is not None and broadcast_shapes_or_refuse(b.shape, view.shape) != view.shape:
            raise NotNative
        operands = () if b is None else (b,)
        how = reported_at(type(indices) is int and a.ndim == 1, name, a, given, loop)
        said(how, _core.elementwise, name, loop, view, view, *operands)
        return
    check_masks(a, indices)
    key = Key(a, indices)
    front, flat = key.flat()
    n = len(key.axes)
    rest = front.shape[n:]
    how = reported_at(a.ndim == 1, name, a, b, loop)
    given = () if b is None else (said(how, ordered, key, b, rest, loop, a),)
    if flat.size == 0 or product(rest) == 0:
        return
    target = front if is_contiguous(front) else copy(front)
    flat = copy(flat) if _core.shares_storage(flat, a) else dense(flat)
    rows = _core.reshape_view(target, (product(front.shape[:n]), *rest))
    code = NATIVE_CODES.index({"q": "l", "Q": "L"}.get(loop.char, loop.char))
    said(how, run, "at", (NUMBERS[name], code, product(rest)), rows, flat, *given, rows)
    if target is not front:
        _core.assign(front, target)


def reported_at(one_axis, name, a, b, loop):
    """As what NumPy reports: by the operation's name only for positions along one axis, without conversions."""
    plain = b is not None and a.dtype == b.dtype == loop
    return 0 if one_axis and plain and loop.char in NAMED_AT.get(name, "") else AT


def ordered(key, b, rest, loop, a):
    """`b` in the loop's dtype, broadcast to the indexed elements, the axes of the index in front; apart from `a`."""
    start = key.axes[0] if key.adjacent else 0
    full = (*rest[:start], *key.shape, *rest[start:])
    if broadcast_shapes_or_refuse(b.shape, full) != full:
        raise NotNative
    if b.size == 1 and product(rest) == 1:  # the library takes it again for each position
        b = _core.reshape_view(b, (1,))
    elif b.shape != full:
        b = _core.broadcast_view(b, full)
    if b.ndim == len(full) and start and key.shape:
        b = moveaxis(b, list(range(start, start + len(key.shape))), list(range(len(key.shape))))
    if b.dtype == loop and is_contiguous(b) and not _core.shares_storage(b, a):
        return b
    made = _core.empty(b.shape, loop)
    _core.assign(made, b)
    return made
