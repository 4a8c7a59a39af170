"""Products of matrices and tensors: shapes and transposes here, the sums in the library's matmul."""

import glob
import math
import os
import string

import numpy

from numloom import _core
from numloom._base import (
    SILENT,
    NotNative,
    asnative,
    astype,
    axis_index,
    broadcast_shapes,
    copy,
    integer,
    is_contiguous,
    is_native,
    ndarray,
    reported,
    said,
    scalar_or_array,
)
from numloom._library import dense, product, run
from numloom._manipulation import moveaxis, permuted, raveled
from numloom._registry import NATIVE, native
from numloom._ufunc import OBJECTS, HostUfunc, reduce_op

DOT = _core.report_as("dot")
plain = _core.matmul  # the product of two plain arrays, or None


def find_blas():
    """The OpenBLAS with 64-bit integers that comes with NumPy's or SciPy's wheels, or Debian's; None without one.

    NUMLOOM_BLAS names another file, or is "off".
    """
    asked = os.environ.get("NUMLOOM_BLAS")
    if asked:
        return None if asked == "off" else asked
    here = os.path.dirname(os.path.dirname(os.path.abspath(numpy.__file__)))
    patterns = (
        os.path.join(here, "numpy.libs", "libscipy_openblas64*"),
        os.path.join(here, "scipy_openblas64", "lib", "libscipy_openblas64*"),
        "/usr/lib/*/libopenblas64.so.0",
    )
    return next((path for pattern in patterns for path in sorted(glob.glob(pattern))), None)


_blas = find_blas()
if _blas is not None:
    _core.load_blas(_blas)


def common(a, b):
    """Both factors in one dtype."""
    dtype = numpy.promote_types(a.dtype, b.dtype)
    if not is_native(dtype):
        raise NotNative
    return (a if a.dtype == dtype else astype(a, dtype)), (b if b.dtype == dtype else astype(b, dtype))


def stored(a):
    """(a C-contiguous array, whether it holds the transposed matrices): without a copy where that can be."""
    if is_contiguous(a):
        return a, False
    turned = permuted(a, (*range(a.ndim - 2), a.ndim - 1, a.ndim - 2))
    return (turned, True) if is_contiguous(turned) else (copy(a), False)


def batched(a, b):
    """a @ b for arrays of at least two axes, the first ones broadcast."""
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    try:
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise NotNative from None  # NumPy words it as of the whole operands
    out = _core.empty((*batch, m, n), a.dtype)
    if out.size == 0 or k == 0:
        _core.assign(out, 0)
        return out
    steps, factors, turned = [], [], []
    for x in (a, b):
        if x.shape[:-2] != batch and product(x.shape[:-2]) != 1:
            x = _core.broadcast_view(x, (*batch, *x.shape[-2:]))
        x, transposed = stored(x)
        steps.append(0 if product(x.shape[:-2]) == 1 else x.shape[-1] * x.shape[-2])
        factors.append(x)
        turned.append(int(transposed))
    run("matmul", (product(batch), m, k, n, *steps, *turned), out, *factors)
    return out


def matrix_product(a, b):
    """numpy.matmul of two arrays of ours."""
    if a.ndim == 0 or b.ndim == 0:
        raise NotNative
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise NotNative
    a, b = common(a, b)
    made = plain(a, b)
    if made is not None:
        return made
    left = a if a.ndim > 1 else _core.reshape_view(a, (1, a.shape[0]))
    right = b if b.ndim > 1 else _core.reshape_view(b, (b.shape[0], 1))
    out = batched(left, right)
    shape = out.shape[:-2] + (out.shape[-2:-1] if a.ndim > 1 else ()) + (out.shape[-1:] if b.ndim > 1 else ())
    return scalar_or_array(_core.reshape_view(out, shape))


class Matmul(HostUfunc):
    """matmul as a ufunc: calls without keywords are the engine's, out= too where it takes the result as it is."""

    def __call__(self, *args, out=None, **kwargs):
        if len(args) == 2 and not kwargs:
            if out is None:
                made = plain(*args)
                if made is not None:
                    return made
            try:
                return self.native(*args, out)
            except NotNative:
                pass
        if out is not None:
            kwargs["out"] = out
        return super().__call__(*args, **kwargs)

    @staticmethod
    def native(a, b, out):
        if type(out) is tuple and len(out) == 1:
            out = out[0]
        if any(hasattr(type(x), "__array_ufunc__") and type(x) not in (ndarray, numpy.ndarray) for x in (a, b)):
            raise NotNative
        made = matrix_product(asnative(a), asnative(b))
        if out is None:
            return made
        if type(out) is not ndarray or made.shape != out.shape or made.dtype != out.dtype or not _core.writeable(out):
            raise NotNative
        _core.assign(out, made)
        return out


matmul = Matmul(numpy.matmul, "matmul")
OBJECTS["matmul"] = matmul
NATIVE["matmul"] = NATIVE["linalg.matmul"] = matmul


def operator_matmul(a, b):
    """a @ b, where one of them is ours; defers as NumPy's operator does."""
    made = plain(a, b)
    if made is not None:
        return made
    return NotImplemented if operator_matmul_defers(a, b) else matmul(a, b)


def operator_matmul_defers(a, b):
    """Whether the operator leaves the product to the other operand's class."""
    other = b if type(a) is ndarray else a
    kind = type(other)
    if kind is ndarray or isinstance(other, (numpy.ndarray, list, tuple, int, float, complex)):
        return False
    override = getattr(kind, "__array_ufunc__", False)
    return override is None or override is False and hasattr(kind, "__rmatmul__")


def checked_out(made, out):
    if out is None:
        return made
    if (
        type(out) is not ndarray
        or out.shape != made.shape
        or out.dtype != made.dtype
        or not is_contiguous(out)
        or (not _core.writeable(out))
    ):
        raise NotNative
    _core.assign(out, made)
    return out


@native
@reported("dot")
def dot(a, b, out=None):
    if out is None:
        made = plain(a, b)
        if made is not None:
            return made
    a, b = asnative(a), asnative(b)
    if a.ndim == 0 or b.ndim == 0:
        return checked_out(scaled(a, b), out)
    if a.ndim <= 2 and b.ndim <= 2:
        return checked_out(matrix_product(a, b), out)
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise NotNative
    return checked_out(contracted(a, [a.ndim - 1], b, [b.ndim - 2 if b.ndim > 1 else 0]), out)


def scaled(a, b):
    """A product with a number: BLAS's to NumPy where that knows the dtype."""
    single = numpy.promote_types(a.dtype, b.dtype).char in "fdFD"
    return said(DOT if single else 0, OBJECTS["multiply"], a, b)


def contracted(a, over_a, b, over_b):
    """Sums over pairs of axes of the products; a's other axes come first."""
    a, b = common(a, b)
    rest_a = [i for i in range(a.ndim) if i not in over_a]
    rest_b = [i for i in range(b.ndim) if i not in over_b]
    shape_a, shape_b = [a.shape[i] for i in rest_a], [b.shape[i] for i in rest_b]
    k = product(a.shape[i] for i in over_a)
    left = flattened(permuted(a, (*rest_a, *over_a)), (product(shape_a), k))
    right = flattened(permuted(b, (*over_b, *rest_b)), (k, product(shape_b)))
    return _core.reshape_view(batched(left, right), (*shape_a, *shape_b))


def flattened(a, shape):
    view = _core.reshape_view(a, shape)
    return _core.reshape_view(copy(a), shape) if view is None else view


@native
@reported("dot")
def inner(a, b, /):
    a, b = asnative(a), asnative(b)
    if a.ndim == 0 or b.ndim == 0:
        return scaled(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise NotNative
    return scalar_or_array(contracted(a, [a.ndim - 1], b, [b.ndim - 1]))


@native
@reported(SILENT)
def vdot(a, b, /):
    a, b = raveled(asnative(a)), raveled(asnative(b))
    if a.size != b.size:
        raise NotNative
    return matrix_product(OBJECTS["conjugate"](a) if a.dtype.kind == "c" else a, b)


@native
@reported("dot")
def tensordot(a, b, axes=2):
    a, b = asnative(a), asnative(b)
    if not hasattr(axes, "__len__") or getattr(axes, "ndim", 1) == 0:
        if isinstance(axes, numpy.unsignedinteger):
            raise NotNative  # which NumPy negates
        axes = integer(axes)
        if axes > min(a.ndim, b.ndim) or axes < 0:
            raise NotNative
        over_a, over_b = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        over_a, over_b = (list(x) if hasattr(x, "__len__") else [x] for x in axes)
        if len(over_a) != len(over_b):
            raise NotNative
        over_a = [axis_index(i, a.ndim) for i in over_a]
        over_b = [axis_index(i, b.ndim) for i in over_b]
    if any(a.shape[i] != b.shape[j] for i, j in zip(over_a, over_b, strict=True)) or len(set(over_a)) != len(over_a):
        raise NotNative
    return contracted(a, over_a, b, over_b)


@native(name="linalg.tensordot")
def linalg_tensordot(x1, x2, /, *, axes=2):
    return tensordot.__numloom_native__(x1, x2, axes)


def vector_product(a, b, axis):
    """Sums of conj(a) * b along an axis of both, the others broadcast."""
    a, b = common(asnative(a), asnative(b))
    if a.ndim == 0 or b.ndim == 0:
        raise NotNative
    a, b = moveaxis(a, axis, -1), moveaxis(b, axis, -1)
    if a.shape[-1] != b.shape[-1]:
        raise NotNative
    if a.dtype.kind == "c":  # BLAS multiplies matrices with a factor of 1 + 0j too, which makes NaN of infinities
        terms = OBJECTS["conjugate"](a) * b
        return reduce_op("add", terms, (terms.ndim - 1,), terms.dtype)
    left = _core.reshape_view(dense(a), (*a.shape[:-1], 1, a.shape[-1]))
    right = _core.reshape_view(dense(b), (*b.shape, 1))
    out = batched(left, right)
    return scalar_or_array(_core.reshape_view(out, out.shape[:-2]))


@native(name="linalg.vecdot")
@reported("vecdot")
def vecdot(x1, x2, /, *, axis=-1):
    return vector_product(x1, x2, axis)


class VectorUfunc(HostUfunc):
    """vecdot, matvec and vecmat: calls without keywords are the engine's."""

    def __init__(self, function, native):
        super().__init__(function)
        self.native = reported(function.__name__)(native)

    def __call__(self, *args, **kwargs):
        if len(args) == 2 and not kwargs and all(isinstance(x, (ndarray, list, tuple)) for x in args):
            try:
                return self.native(*args)
            except NotNative:
                pass
        return super().__call__(*args, **kwargs)


def matrix_vector(a, b):
    a, b = asnative(a), asnative(b)
    if a.ndim < 2 or b.ndim < 1 or a.shape[-1] != b.shape[-1]:
        raise NotNative
    a, b = common(a, b)
    out = batched(a, _core.reshape_view(dense(b), (*b.shape, 1)))
    return _core.reshape_view(out, out.shape[:-1])


def vector_matrix(a, b):
    a, b = asnative(a), asnative(b)
    if a.ndim < 1 or b.ndim < 2 or a.shape[-1] != b.shape[-2]:
        raise NotNative
    a, b = common(a, b)
    if a.dtype.kind == "c":
        a = OBJECTS["conjugate"](a)
    out = batched(_core.reshape_view(dense(a), (*a.shape[:-1], 1, a.shape[-1])), b)
    return _core.reshape_view(out, (*out.shape[:-2], out.shape[-1]))


for _name, _native in (
    ("vecdot", lambda a, b: vector_product(a, b, -1)),
    ("matvec", matrix_vector),
    ("vecmat", vector_matrix),
):
    if hasattr(numpy, _name):
        OBJECTS[_name] = NATIVE[_name] = VectorUfunc(getattr(numpy, _name), _native)


# ------------------------------------------------------------------------------------------------------ einsum
def parsed(subscripts, operands):
    """([letters of each operand], letters of the result) of an einsum string, an ellipsis spelt out."""
    text = subscripts.replace(" ", "")
    given, arrow, result = text.partition("->")
    terms = given.split(",")
    if len(terms) != len(operands):
        raise NotNative
    spare = [c for c in string.ascii_letters if c not in text]
    width = 0
    for term, a in zip(terms, operands, strict=True):
        if "..." in term:
            width = max(width, a.ndim - len(term) + 3)
    dots = "".join(spare[:width])
    for i, (term, a) in enumerate(zip(terms, operands, strict=True)):
        if "..." in term:
            n = a.ndim - len(term) + 3
            terms[i] = term.replace("...", dots[width - n :])
        if len(terms[i]) != a.ndim or not all(c in string.ascii_letters for c in terms[i]):
            raise NotNative
    if not arrow:
        letters = "".join(terms)
        result = dots + "".join(sorted(c for c in set(letters) - set(dots) if letters.count(c) == 1))
    else:
        result = result.replace("...", dots)
    if len(set(result)) != len(result) or not set(result) <= set("".join(terms)):
        raise NotNative
    return terms, result


def diagonal_term(a, term):
    """Repeated letters of one operand as one axis: a view of the diagonal."""
    letters, shape, strides = "", [], []
    for c, n, s in zip(term, a.shape, a.strides, strict=True):
        if c in letters:
            i = letters.index(c)
            if shape[i] != n:
                raise NotNative
            strides[i] += s
        else:
            letters += c
            shape.append(n)
            strides.append(s)
    return _core.view(a, tuple(shape), tuple(strides), 0), letters


def reduced_term(a, letters, keep):
    """Axes that nobody else needs are summed at once."""
    axes = tuple([i for i, c in enumerate(letters) if c not in keep])
    if not axes:
        return a, letters
    made = reduce_op("add", a, axes, a.dtype)
    return asnative(made), "".join(c for c in letters if c in keep)


def ordered(a, letters, wanted):
    return permuted(a, [letters.index(c) for c in wanted])


def pair(a, x, b, y, keep):
    """The product of two terms, summed over the letters that only they have."""
    both = [c for c in x if c in y]
    batch = [c for c in both if c in keep]
    summed = [c for c in both if c not in keep]
    only_a, only_b = [c for c in x if c not in y], [c for c in y if c not in x]
    extent = {c: n for letters, t in ((x, a), (y, b)) for c, n in zip(letters, t.shape, strict=True) if n != 1}
    for letters, t in ((x, a), (y, b)):
        if any(n != 1 and n != extent[c] for c, n in zip(letters, t.shape, strict=True)):
            raise NotNative
    if any(t.shape[letters.index(c)] != extent.get(c, 1) for letters, t in ((x, a), (y, b)) for c in both):
        raise NotNative  # a summed axis of one element against more
    sizes = [[extent.get(c, 1) for c in group] for group in (batch, only_a, summed, only_b)]
    left = flattened(ordered(a, x, batch + only_a + summed), (*sizes[0], product(sizes[1]), product(sizes[2])))
    right = flattened(ordered(b, y, batch + summed + only_b), (*sizes[0], product(sizes[2]), product(sizes[3])))
    made = _core.reshape_view(batched(left, right), (*sizes[0], *sizes[1], *sizes[3]))
    return made, "".join(batch + only_a + only_b)


@native
@reported(SILENT)
def einsum(*operands, out=None, optimize=False, **kwargs):
    if kwargs or not operands or not isinstance(operands[0], str) or optimize not in (False, True, "greedy", "optimal"):
        raise NotNative
    arrays = [asnative(a) for a in operands[1:]]
    terms, result = parsed(operands[0], arrays)
    if len(arrays) == 1 and out is None:
        view, letters = diagonal_term(arrays[0], terms[0])
        if set(letters) == set(result):
            return scalar_or_array(ordered(view, letters, result))  # nothing to add up: a view, as NumPy gives it
    dtype = numpy.result_type(*[a.dtype for a in arrays])
    if not is_native(dtype) or dtype.char in "?e":
        raise NotNative
    done = []
    for i, (a, term) in enumerate(zip(arrays, terms, strict=True)):
        a, letters = diagonal_term(a if a.dtype == dtype else astype(a, dtype), term)
        others = set(result).union(*[terms[j] for j in range(len(terms)) if j != i])
        done.append(reduced_term(a, letters, others))
    a, letters = done[0]
    for i, (b, other) in enumerate(done[1:], 1):
        keep = set(result).union(*[t for _, t in done[i + 1 :]])
        a, letters = pair(a, letters, b, other, keep)
    if set(letters) != set(result):
        a, letters = reduced_term(a, letters, set(result))
    made = ordered(a, letters, result)
    if out is not None:
        return checked_out(made, out)
    return scalar_or_array(made if is_contiguous(made) and len(done) > 1 else copy(made))


# ------------------------------------------------------------------------------------------------------- powers
@native(name="linalg.matrix_power")
def matrix_power(a, n):
    a = asnative(a)
    n = integer(n)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise NotNative
    if n < 0:
        a, n = NATIVE["linalg.inv"](a), -n
    if n == 0:
        out = _core.empty(a.shape, a.dtype)
        _core.assign(out, 0)
        strides = (*out.strides[:-2], out.strides[-1] + out.strides[-2])
        _core.assign(_core.view(out, (*a.shape[:-2], a.shape[-1]), strides, 0), 1)
        return out
    power, square = None, a
    while n:
        if n & 1:
            power = square if power is None else matrix_product(power, square)
        n >>= 1
        if n:
            square = matrix_product(square, square)
    return copy(power) if power is a else power


@native(name="linalg.multi_dot")
def multi_dot(arrays, *, out=None):
    arrays = [asnative(a) for a in arrays]
    n = len(arrays)
    if (
        n < 2
        or out is not None
        or any(a.ndim != 2 for a in arrays[1:-1])
        or not (arrays[0].ndim in (1, 2) and arrays[-1].ndim in (1, 2))
    ):
        raise NotNative
    sizes = (
        [a.shape[0] if a.ndim == 2 else 1 for a in arrays[:1]]
        + [a.shape[0] for a in arrays[1:]]
        + [arrays[-1].shape[1] if arrays[-1].ndim == 2 else 1]
    )
    cost = [[0] * n for _ in range(n)]
    cut = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j] = math.inf
            for k in range(i, j):
                total = cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if total < cost[i][j]:
                    cost[i][j], cut[i][j] = total, k

    def chain(i, j):
        return arrays[i] if i == j else matrix_product(chain(i, cut[i][j]), chain(cut[i][j] + 1, j))

    return chain(0, n - 1)
