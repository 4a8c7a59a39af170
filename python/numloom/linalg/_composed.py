"""What follows from the factorisations: rank, condition, pseudo-inverses, systems of tensors."""

import numpy

from numloom import _core
from numloom._base import INT, NotNative, asnative, scalar_or_array, where
from numloom._library import product
from numloom._manipulation import matrix_transpose
from numloom._products import matrix_product
from numloom._reductions import as_array
from numloom._registry import native
from numloom._ufunc import reduce_op
from numloom.linalg._lapack import (
    REAL,
    compute,
    hermitian_decomposed,
    inv,
    matrices,
    result_type,
    singular_values,
    solve,
    square,
    svd,
)


def per_matrix(x):
    """A tolerance, one or one a matrix, beside the singular values: with an axis of one element behind."""
    if isinstance(x, (int, float, numpy.floating)):
        return x
    x = asnative(x)
    return _core.reshape_view(x, (*x.shape, 1))


def largest(s):
    """The largest of each row of singular values, as a column; 0 of none."""
    if s.shape[-1] == 0:
        return _core.full((*s.shape[:-1], 1), s.dtype, 0)
    return as_array(reduce_op("maximum", s, (s.ndim - 1,), s.dtype, True))


@native(name="linalg.matrix_rank")
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    if rtol is not None and tol is not None:
        raise NotNative
    a = asnative(A)
    if a.ndim < 2:
        return int(bool((a != 0).any()))
    s = as_array(hermitian_decomposed(square(a), False)) if hermitian else singular_values(a)
    if tol is None:
        rtol = max(a.shape[-2:]) * float(numpy.finfo(s.dtype).eps) if rtol is None else per_matrix(rtol)
        tol = largest(s) * rtol
    else:
        tol = per_matrix(tol)
    above = as_array(s > tol)
    if above.shape[-1] == 0:
        return scalar_or_array(_core.full(above.shape[:-1], INT, 0))
    return reduce_op("add", above, (above.ndim - 1,), INT)


@native(name="linalg.pinv")
def pinv(a, rcond=None, hermitian=False, *, rtol=numpy._NoValue):
    if rcond is not None and rtol is not numpy._NoValue:
        raise NotNative
    a = asnative(a)
    if a.ndim < 2:
        raise NotNative
    *batch, m, n = a.shape
    if rcond is None:
        rcond = rtol
        if rtol is numpy._NoValue:
            rcond = 1e-15
        elif rtol is None:
            rcond = max(m, n) * float(numpy.finfo(result_type(a)).eps) if a.dtype.kind in "fc" else _refuse()
    if m == 0 or n == 0:
        return _core.empty((*batch, n, m), a.dtype)
    u, s, vh = svd.__numloom_native__(a.conjugate() if a.dtype.kind == "c" else a, False, True, hermitian)
    keep = as_array(s > per_matrix(rcond) * largest(s))
    inverse = where(keep, 1 / where(keep, s, 1, s.dtype), 0, s.dtype)
    return matrix_product(matrix_transpose(vh), as_array(inverse[..., None] * matrix_transpose(u)))


def _refuse():
    raise NotNative


def inverse_or_nan(a):
    """Inverses; NaN for matrices that have none."""
    return compute(None, "inv", (), ((result_type(a), a.shape),), a)[1]


@native(name="linalg.cond")
def cond(x, p=None):
    from numloom.linalg._norm import matrix_norm_along

    a = asnative(x)
    if product(a.shape[-2:]) == 0:
        raise NotNative
    if p is None or p in (2, -2):
        s = singular_values(matrices(a), None)
        low, high = s[..., -1], s[..., 0]
        with numpy.errstate(all="ignore"):
            r = as_array(low / high if p == -2 else high / low)
    else:
        a = square(a)
        inverse = inverse_or_nan(a)
        axes = (a.ndim - 2, a.ndim - 1)
        with numpy.errstate(all="ignore"):
            if p == "nuc":
                r = as_array(singular_values(a, None).sum(axis=-1) * singular_values(inverse, None).sum(axis=-1))
            else:
                r = as_array(
                    as_array(matrix_norm_along(a if a.dtype.kind in "fc" else a.astype(float), p, axes, False))
                    * matrix_norm_along(inverse, p, axes, False)
                )
        r = r.astype(REAL[result_type(a)], copy=False)
    unknown = as_array(r != r)
    if bool(unknown.any()):
        given = as_array((a != a).any(axis=(-2, -1)))
        r = where(as_array(unknown & ~given), numpy.inf, r, r.dtype)
    return scalar_or_array(r)


@native(name="linalg.tensorsolve")
def tensorsolve(a, b, axes=None):
    a, b = asnative(a), asnative(b)
    n = a.ndim
    if axes is not None:
        order = list(range(n))
        for k in axes:
            order.remove(k)
            order.insert(n, k)
        a = a.transpose(order)
    shape = a.shape[-(n - b.ndim) :]
    unknowns = product(shape)
    if a.size != unknowns**2:
        raise NotNative
    return solve(a.reshape(unknowns, unknowns), b.ravel()).reshape(shape)


@native(name="linalg.tensorinv")
def tensorinv(a, ind=2):
    a = asnative(a)
    if not ind > 0:
        raise NotNative
    rows = product(a.shape[ind:])
    return inv(a.reshape(rows, -1)).reshape(*a.shape[ind:], *a.shape[:ind])
