"""Polynomials given by their coefficients, highest power first."""

import collections
import operator

import numpy

from numloom import _core
from numloom._base import FLOAT, SCALAR, SILENT, NotNative, asnative, astype, said
from numloom._functions import allclose
from numloom._library import dense, flat_positions, sorted_along
from numloom._manipulation import concatenate
from numloom._reductions import as_array
from numloom._registry import native
from numloom._statistics import convolution, vander
from numloom._ufunc import reduce_op

Arrays = collections.namedtuple("Arrays", "first second")


def line(p):
    """Coefficients as a line; NotNative for NumPy's polynomial objects, whose results are objects too."""
    if isinstance(p, numpy.poly1d):
        raise NotNative
    a = asnative(p)
    if a.ndim != 1:
        raise NotNative
    return a


def both(a, b):
    return Arrays(line(a), line(b))


def inexact(a):
    """`a` + 0.0: in a floating dtype."""
    return a if a.dtype.kind in "fc" else astype(a, FLOAT)


def aligned(a, n):
    """`a` with leading zeros up to n coefficients."""
    short = n - a.shape[0]
    return concatenate([_core.full((short,), a.dtype, 0), a]) if short else a


@native
def polyadd(a1, a2):
    a, b = both(a1, a2)
    n = max(a.shape[0], b.shape[0])
    return aligned(a, n) + aligned(b, n)


@native
def polysub(a1, a2):
    a, b = both(a1, a2)
    n = max(a.shape[0], b.shape[0])
    return aligned(a, n) - aligned(b, n)


def trimmed(a):
    """Without leading zeros, but for the last one."""
    places = flat_positions(a)
    return a[int(places[0]) :] if places.size else _core.full((1,), a.dtype, 0)


@native
def polymul(a1, a2):
    a, b = (trimmed(x) for x in both(a1, a2))
    if not a.size or not b.size:
        raise NotNative
    return said(SILENT, convolution, a, b, "full")


@native
def polydiv(u, v):
    u, v = (inexact(x) for x in both(u, v))
    m, n = u.shape[0] - 1, v.shape[0] - 1
    if m < 0 or n < 0 or float(abs(v[:1]).max()) == 0:
        raise NotNative
    dtype = numpy.promote_types(u.dtype, v.dtype)
    said(SCALAR, operator.add, u[:1], v[:1])  # how NumPy finds the dtype
    scale = said(SCALAR, operator.truediv, 1.0, v[:1])
    quotient = _core.full((max(m - n + 1, 1),), dtype, 0)
    rest = astype(u, dtype)
    for k in range(m - n + 1):
        step = said(SCALAR, operator.mul, scale, rest[k : k + 1])
        quotient[k : k + 1] = step
        rest[k : k + n + 1] -= step * v
    while rest.shape[0] > 1 and allclose(rest[:1], 0, rtol=1e-14):
        rest = rest[1:]
    return quotient, rest


@native
def polyder(p, m=1):
    a = line(p)
    if type(m) is not int or m < 0:
        raise NotNative
    for _ in range(m):
        n = a.shape[0] - 1
        a = a[:-1] * _core.ramp(max(n, 0), n, -1)
    return a


@native
def polyint(p, m=1, k=None):
    a = line(p)
    if type(m) is not int or m < 0:
        raise NotNative
    constants = [0.0] * m if k is None else line(k).tolist()
    if len(constants) == 1 and m > 1:
        constants = constants * m
    if len(constants) < m:
        raise NotNative
    for i in range(m):
        n = a.shape[0]
        last = _core.from_host(numpy.array([constants[i]]))
        a = concatenate([a / _core.ramp(n, n, -1), last])
    return a


@native
def poly(seq_of_zeros):
    zeros = asnative(seq_of_zeros)
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] and zeros.size:
        from numloom import linalg

        zeros = linalg.eigvals(zeros)
    elif zeros.ndim != 1 or zeros.dtype.char == "e":
        raise NotNative
    if not zeros.size:
        return 1.0
    zeros = inexact(zeros)
    made = _core.full((1,), zeros.dtype, 1)
    for i in range(zeros.shape[0]):
        factor = concatenate([_core.full((1,), zeros.dtype, 1), -zeros[i : i + 1]])
        made = said(SILENT, convolution, made, factor, "full")
    if zeros.dtype.kind == "c":
        mirrored = _core.elementwise_new("conjugate", zeros.dtype, zeros)
        orders = [sorted_along("sort", x, 0, zeros.dtype) for x in (zeros, mirrored)]
        if bool((orders[0] == orders[1]).all()):
            made = dense(made.real)
    return made


@native
def roots(p):
    a = line(p)
    places = flat_positions(a)
    if places.size == 0:
        return _core.empty((0,), FLOAT)
    first, last = int(places[0]), int(places[-1])
    trailing = a.shape[0] - last - 1
    a = inexact(a[first : last + 1])
    n = a.shape[0]
    if n > 1:
        from numloom import linalg

        companion = _core.full((n - 1, n - 1), a.dtype, 0)
        below = companion[1:]
        if n > 2:
            _core.assign(_core.view(below, (n - 2,), (below.strides[0] + below.strides[1],), 0), 1)
        companion[:1] = -a[1:] / a[:1]
        found = linalg.eigvals(companion)
        if a.dtype.kind != "c" and found.dtype.kind == "c" and bool((found.imag == 0).all()):
            found = dense(found.real)
    else:
        found = _core.empty((0,), FLOAT)
    return concatenate([found, _core.full((trailing,), found.dtype, 0)])


# --------------------------------------------------------------------------------------------------------- fits
def fit_sides(x, y, w, order):
    """(matrix of powers, right side) of a least-squares problem, weighted."""
    left, right = vander.__numloom_native__(x, order), y
    if w is None:
        return left, right
    w = inexact(asnative(w))
    if w.ndim != 1 or w.shape[0] != y.shape[0]:
        raise NotNative
    column = _core.reshape_view(w, (w.shape[0], 1))
    return left * column, right * (column if y.ndim == 2 else w)


def covariance(left, scale, residues, x, order, cov, y):
    """The covariance of the coefficients; NumPy's errors where there are too few points."""
    from numloom import linalg

    base = linalg.inv(left.T @ left)
    base = base / (_core.reshape_view(scale, (order, 1)) * scale)
    if cov == "unscaled":
        factor = 1
    else:
        if x.shape[0] <= order:
            raise NotNative
        factor = residues / (x.shape[0] - order)
    return base * factor if y.ndim == 1 else _core.reshape_view(dense(base), (order, order, 1)) * factor


@native
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    from numloom import linalg

    x, y = inexact(asnative(x)), inexact(asnative(y))
    if (
        type(deg) is not int
        or deg < 0
        or x.ndim != 1
        or x.size == 0
        or not 1 <= y.ndim <= 2
        or (x.shape[0] != y.shape[0] or "e" in (x.dtype.char, y.dtype.char))
    ):
        raise NotNative
    order = deg + 1
    if rcond is None:
        rcond = x.shape[0] * numpy.finfo(x.dtype).eps
    left, right = fit_sides(x, y, w, order)
    squares = left * left
    scale = as_array(reduce_op("add", squares, (0,), squares.dtype))
    scale = _core.elementwise_new("sqrt", scale.dtype, scale)
    left = left / scale
    found, residues, rank, singular = linalg.lstsq(left, right, float(rcond))
    found = found / (scale if found.ndim == 1 else _core.reshape_view(scale, (order, 1)))
    if full:
        return found, residues, rank, singular, rcond
    if int(rank) != order:
        raise NotNative  # NumPy warns
    if cov:
        return found, covariance(left, scale, residues, x, order, cov, y)
    return found
