"""Factorisations: checks and types here, LAPACK in the library. They run at the call, since failures depend on values.

What NumPy refuses (shapes, dtypes, options) is left to it, so that errors are its own.
"""

import numpy
from numpy.linalg import LinAlgError
from numpy.linalg import _linalg as _numpy_linalg

from numloom import _core
from numloom._base import NotNative, asnative, broadcast_shapes, converted
from numloom._library import argsort, sort, take_along_axis
from numloom._manipulation import matrix_transpose
from numloom._registry import native
from numloom._ufunc import OBJECTS

DONE, FAILED, NOT_FINITE, ALL_REAL = 0, 1, 2, 3

SINGLE, DOUBLE, COMPLEX64, COMPLEX128 = (numpy.dtype(c) for c in "fdFD")
REAL = {SINGLE: SINGLE, DOUBLE: DOUBLE, COMPLEX64: SINGLE, COMPLEX128: DOUBLE}
COMPLEX = {SINGLE: COMPLEX64, DOUBLE: COMPLEX128, COMPLEX64: COMPLEX64, COMPLEX128: COMPLEX128}
RESULT = {"f": SINGLE, "d": DOUBLE, "F": COMPLEX64, "D": COMPLEX128}  # of an operand; integers count as double
# From 2.5 on eigenvalues are complex whatever their values.
ALWAYS_COMPLEX = numpy.lib.NumpyVersion(numpy.__version__) >= "2.5.0b1"

EigResult, EighResult = _numpy_linalg.EigResult, _numpy_linalg.EighResult
QRResult, SlogdetResult, SVDResult = _numpy_linalg.QRResult, _numpy_linalg.SlogdetResult, _numpy_linalg.SVDResult


def result_type(a):
    """The dtype of results of one operand; NotNative for half precision."""
    char = a.dtype.char
    if char == "e":
        raise NotNative
    return RESULT.get(char, DOUBLE)


def common_type(a, b):
    """The dtype of results of two operands."""
    a, b = result_type(a), result_type(b)
    return a if a is b else RESULT[numpy.promote_types(a, b).char]


def matrices(a):
    """`a` as an array of ours with at least two axes."""
    a = asnative(a)
    if a.ndim < 2:
        raise NotNative
    return a


def square(a):
    """`a` as an array of ours that holds square matrices."""
    a = asnative(a)
    shape = a.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise NotNative
    return a


def value_or_array(a):
    """A 0-d result as NumPy's scalar: it is computed already."""
    return _core.to_scalar(a)._value() if a.ndim == 0 else a


WIDER = {"f": numpy.dtype("d"), "F": numpy.dtype("D")}


def compute(failure, name, parameters, outputs, *inputs):
    """[status, *results] of a library operation; LinAlgError with the text `failure` where a matrix has no result."""
    single = outputs[0][0].char in "fF"
    wide = tuple([(WIDER.get(d.char, d), shape) for d, shape in outputs]) if single else outputs
    made = _core.linalg(name, parameters, wide, *inputs)
    if made[0] == FAILED and failure is not None:
        raise LinAlgError(failure)
    if made[0] < 0:
        raise NotNative
    # Results in single precision are conversions of NumPy's too, which report that they overflow.
    return [made[0], *[converted(a, d) for a, (d, _) in zip(made[1:], outputs, strict=True)]] if single else made


@native(name="linalg.solve")
def solve(a, b):
    a, b = square(a), asnative(b)
    dtype = common_type(a, b)
    shape, columns = a.shape, b.shape
    if len(columns) == 1:
        if columns[0] != shape[-1]:
            raise NotNative
        made = compute("Singular matrix", "solve", (1,), ((dtype, shape[:-1]),), a, b)
        return made[1]
    if len(columns) < 2 or columns[-2] != shape[-1]:
        raise NotNative
    batch = shape[:-2]
    if columns[:-2] != batch:
        try:
            batch = broadcast_shapes(batch, columns[:-2])
        except ValueError:
            raise NotNative from None
    return compute("Singular matrix", "solve", (0,), ((dtype, (*batch, *columns[-2:])),), a, b)[1]


@native(name="linalg.inv")
def inv(a):
    a = square(a)
    return compute("Singular matrix", "inv", (), ((result_type(a), a.shape),), a)[1]


@native(name="linalg.det")
def det(a):
    a = square(a)
    return value_or_array(compute(None, "det", (), ((result_type(a), a.shape[:-2]),), a)[1])


@native(name="linalg.slogdet")
def slogdet(a):
    a = square(a)
    dtype, shape = result_type(a), a.shape[:-2]
    _, sign, logarithm = compute(None, "slogdet", (), ((dtype, shape), (REAL[dtype], shape)), a)
    return SlogdetResult(value_or_array(sign), value_or_array(logarithm))


@native(name="linalg.cholesky")
def cholesky(a, /, *, upper=False):
    a = square(a)
    return compute("Matrix is not positive definite", "cholesky", (int(bool(upper)),), ((result_type(a), a.shape),), a)[
        1
    ]


@native(name="linalg.qr")
def qr(a, mode="reduced"):
    if mode not in ("reduced", "complete", "r", "raw"):
        raise NotNative
    a = matrices(a)
    dtype = result_type(a)
    *batch, m, n = a.shape
    k = min(m, n)
    failure = "Incorrect argument found while performing QR factorization"
    if mode == "r":
        return compute(failure, "qr_r", (), ((dtype, (*batch, k, n)),), a)[1]
    if mode == "raw":
        return tuple(compute(failure, "qr_raw", (), ((dtype, (*batch, n, m)), (dtype, (*batch, k))), a)[1:])
    columns = m if mode == "complete" else k
    return QRResult(*compute(failure, "qr", (), ((dtype, (*batch, m, columns)), (dtype, (*batch, columns, n))), a)[1:])


def triangle(uplo):
    """1 for the upper triangle; NotNative, so NumPy's error, for anything but a letter that names one."""
    if type(uplo) is not str or uplo.upper() not in ("L", "U"):
        raise NotNative
    return int(uplo.upper() == "U")


UNCONVERGED = "Eigenvalues did not converge"


@native(name="linalg.eigh")
def eigh(a, UPLO="L"):
    upper = triangle(UPLO)
    a = square(a)
    dtype = result_type(a)
    outputs = (REAL[dtype], a.shape[:-1]), (dtype, a.shape)
    return EighResult(*compute(UNCONVERGED, "eigh", (upper,), outputs, a)[1:])


@native(name="linalg.eigvalsh")
def eigvalsh(a, UPLO="L"):
    upper = triangle(UPLO)
    a = square(a)
    return compute(UNCONVERGED, "eigvalsh", (upper,), ((REAL[result_type(a)], a.shape[:-1]),), a)[1]


def general(name, a, vectors):
    """Eigenvalues, and vectors where asked for, of any square matrices."""
    a = square(a)
    dtype = result_type(a)
    whole = COMPLEX[dtype]
    outputs = ((whole, a.shape[:-1]), (whole, a.shape))[: 1 + vectors]
    status, *made = compute(UNCONVERGED, name, (), outputs, a)
    if status == NOT_FINITE:
        raise LinAlgError("Array must not contain infs or NaNs")
    if status == ALL_REAL and not ALWAYS_COMPLEX:
        made = [x.real.copy() for x in made]
    return made


@native(name="linalg.eig")
def eig(a):
    return EigResult(*general("eig", a, 1))


@native(name="linalg.eigvals")
def eigvals(a):
    return general("eigvals", a, 0)[0]


UNDECOMPOSED = "SVD did not converge"


def singular_values(a, failure=UNDECOMPOSED):
    """The singular values of matrices of ours, descending; NaN for those that fail where `failure` is None."""
    *batch, m, n = a.shape
    return compute(failure, "svdvals", (), ((REAL[result_type(a)], (*batch, min(m, n))),), a)[1]


def decomposed(a, full):
    """U, s and Vh of matrices of ours."""
    dtype = result_type(a)
    *batch, m, n = a.shape
    k = min(m, n)
    outputs = (
        (dtype, (*batch, m, m if full else k)),
        (REAL[dtype], (*batch, k)),
        (dtype, (*batch, n if full else k, n)),
    )
    return compute(UNDECOMPOSED, "svd", (), outputs, a)[1:]


def hermitian_decomposed(a, vectors):
    """U, s, Vh of Hermitian matrices by their eigenvalues; s alone without `vectors`."""
    if not vectors:
        values = abs(eigvalsh.__numloom_native__(a))
        return sort(values)[..., ::-1]
    values, u = eigh.__numloom_native__(a)
    sign, values = OBJECTS["copysign"](1.0, values), abs(values)
    order = argsort(values)[..., ::-1]
    sign, values = take_along_axis(sign, order, -1), take_along_axis(values, order, -1)
    n = u.shape[-1]
    rows = _core.broadcast_view(order[..., None, :], (*order.shape[:-1], n, n))
    u = take_along_axis(u, rows, -1)
    return u, values, matrix_transpose(u * sign[..., None, :]).conjugate()


@native(name="linalg.svd")
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        a = square(a)
        made = hermitian_decomposed(a, bool(compute_uv))
        return SVDResult(*made) if compute_uv else made
    a = matrices(a)
    return SVDResult(*decomposed(a, bool(full_matrices))) if compute_uv else singular_values(a)


@native(name="linalg.svdvals")
def svdvals(x, /):
    return singular_values(matrices(x))


@native(name="linalg.lstsq")
def lstsq(a, b, rcond=None):
    a, b = asnative(a), asnative(b)
    if a.ndim != 2 or b.ndim not in (1, 2) or a.shape[0] != b.shape[0] or b.ndim == 2 and b.shape[1] == 0:
        raise NotNative
    dtype = common_type(a, b)
    vector = b.ndim == 1
    if vector:
        b = _core.reshape_view(b if b.strides[0] else b.copy(), (b.shape[0], 1))
    m, n = a.shape
    if rcond is None:
        rcond = numpy.finfo(float).eps * max(n, m)
    if not isinstance(rcond, (int, float, numpy.floating)):
        raise NotNative
    real = REAL[dtype]
    columns = b.shape[1]
    outputs = (dtype, (n, columns)), (real, (columns,)), (numpy.dtype("i"), ()), (real, (min(m, n),))
    _, x, residuals, rank, s = compute(
        "SVD did not converge in Linear Least Squares", "lstsq", (float(rcond),), outputs, a, b
    )
    rank = _core.to_scalar(rank)
    if rank != n or m <= n:
        residuals = _core.empty((0,), real)
    return _core.reshape_view(x, (n,)) if vector else x, residuals, rank._value(), s
