"""Distributions of several numbers that belong together: multinomial, Dirichlet, hypergeometric, normal."""

import operator

import numpy

from numloom import _core
from numloom._base import (
    FLOAT,
    INT,
    NotNative,
    asnative,
    broadcast,
    broadcast_shapes,
    converted,
    ndarray,
)
from numloom._library import dense
from numloom._ufunc import reduce_op
from numloom.random._calls import warn
from numloom.random._distributions import finite, some
from numloom.random._streams import parameter, shape_of

MULTINOMIAL, LEGACY_MULTINOMIAL, DIRICHLET, LEGACY_DIRICHLET, MARGINALS, COUNTS = range(6)


def rows(stream, kind, shape, n, weights):
    """Rows of the library; weights and, where there is one for each row, n are arrays of ours."""
    if 0 in shape:
        return _core.empty(shape, FLOAT if kind in (DIRICHLET, LEGACY_DIRICHLET) else INT)
    n = _core.to_host(n) if type(n) is ndarray else n
    with stream.lock:
        drawn = _core.draw_rows(stream.capsule, stream.kept, kind, shape, n, _core.to_host(dense(weights)))
    if drawn is NotImplemented:
        raise NotNative
    return drawn


def multinomial(legacy):
    kind = LEGACY_MULTINOMIAL if legacy else MULTINOMIAL

    def implementation(stream, n, pvals, size):
        n, p = parameter(n, True), asnative(pvals)
        if p.dtype.kind not in "biuf" or p.ndim == 0 or p.shape[-1] == 0:
            raise NotNative
        p = converted(p, FLOAT)
        if some(p < 0) or some(~(p <= 1)) or some(n < 0):
            raise NotNative
        # Near NumPy's bound for the sum, NumPy looks itself.
        if some(reduce_op("add", p[..., :-1], (p.ndim - 1,), FLOAT) > 1.0):
            raise NotNative
        if legacy and (type(n) is ndarray or p.ndim > 1):
            raise NotNative
        width = p.shape[-1]
        if type(n) is not ndarray and p.ndim == 1:
            shape = () if size is None else shape_of(size)
            return rows(stream, kind, (*shape, width), n, p)
        try:
            shape = broadcast_shapes(n.shape if type(n) is ndarray else (), p.shape[:-1])
        except ValueError:
            raise NotNative from None
        if size is not None:
            wanted = shape_of(size)
            try:
                if broadcast_shapes(shape, wanted) != wanted:
                    raise NotNative
            except ValueError:
                raise NotNative from None
            shape = wanted
        n = dense(broadcast(n, shape)) if type(n) is ndarray else n
        return rows(stream, kind, (*shape, width), n, dense(broadcast(p, (*shape, width))))

    return implementation


def dirichlet(legacy):
    def implementation(stream, alpha, size):
        if type(alpha) not in (list, tuple, ndarray):
            raise NotNative
        a = asnative(alpha)
        if a.ndim != 1 or a.size == 0 or a.dtype.kind not in "biuf":
            raise NotNative
        a = converted(a, FLOAT)
        if some(a <= 0 if legacy else a < 0):
            raise NotNative
        shape = () if size is None else shape_of(size)
        return rows(stream, LEGACY_DIRICHLET if legacy else DIRICHLET, (*shape, a.size), 0, a)

    return implementation


def multivariate_hypergeometric(stream, colors, nsample, size, method):
    c = asnative(colors)
    if method not in ("count", "marginals") or c.ndim != 1 or c.size == 0:
        raise NotNative
    try:
        n = operator.index(nsample)
    except TypeError:
        raise NotNative from None
    if c.dtype.kind not in "iu" or c.dtype.char in "LQ" or some(c < 0) or some(c > 10**9):
        raise NotNative
    c = converted(c, INT)
    total = int(reduce_op("add", c, (0,), INT))
    if not 0 <= n <= total or total >= 10**9:
        raise NotNative
    shape = () if size is None else shape_of(size)
    return rows(stream, COUNTS if method == "count" else MARGINALS, (*shape, c.size), n, c)


# --------------------------------------------------------------------------------------------- multivariate normal
def factor_of(cov, method, check_valid, tol):
    """A matrix whose product with its transpose is `cov`, and whether there is one (None: Cholesky raises)."""
    from numloom import linalg

    if method == "cholesky":
        return linalg.cholesky(cov), None
    if check_valid not in ("warn", "raise", "ignore"):
        raise NotNative
    if method == "svd":
        u, s, vh = linalg.svd(cov)
        difference = abs((vh.T * s) @ vh - cov)
        valid = not some(~(difference <= tol + tol * abs(cov)))
        return u * s**0.5, valid
    s, u = linalg.eigh(cov)
    return u * abs(s) ** 0.5, not some(s < -tol)


def multivariate_normal(standard_normal):
    """Of generators that owe nobody a stream: the last bits of the factors are ours, not NumPy's."""

    def implementation(stream, mean, cov, size, check_valid, tol, method):
        if stream.free is None or method not in ("eigh", "svd", "cholesky"):
            raise NotNative
        mean, cov = asnative(mean), asnative(cov)
        n = mean.size
        if mean.ndim != 1 or cov.shape != (n, n) or n == 0 or {mean.dtype.kind, cov.dtype.kind} - set("biuf"):
            raise NotNative
        shape = () if size is None else shape_of(size)
        cov = converted(cov, FLOAT)
        if not finite(cov):
            raise NotNative
        try:
            factor, valid = factor_of(cov, method, check_valid, tol)
        except numpy.linalg.LinAlgError:
            raise NotNative from None
        if valid is False and check_valid != "ignore":
            if check_valid == "raise":
                raise ValueError("covariance is not symmetric positive-semidefinite.")
            warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning)
        x = standard_normal(stream, (*shape, n)).reshape(-1, n)
        return (mean + x @ factor.T).reshape((*shape, n))

    return implementation
