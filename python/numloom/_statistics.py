"""Statistics and signals made of reductions, sorting and search: quantiles, histograms, interpolation, convolution."""

import math
import operator
import struct

import numpy

from numloom import _core
from numloom._base import (
    FLOAT,
    INT,
    NO_VALUE,
    SILENT,
    NotNative,
    asnative,
    astype,
    axis_index,
    axis_tuple,
    converted,
    integer,
    ndarray,
    reported,
    said,
    scalar_or_array,
    where,
)
from numloom._library import cumprod, cumsum, dense, run, sorted_along, taken
from numloom._manipulation import concatenate, raveled
from numloom._reductions import as_array, divided, without_nan
from numloom._registry import native
from numloom._ufunc import reduce_op

ACCUMULATE, DOT = _core.report_as("accumulate"), _core.report_as("dot")


def apply(name, dtype, *operands):
    return _core.elementwise_new(name, dtype, *operands)


def nan_variance(a, axis, dtype, out, ddof, keepdims, where_, mean, correction):
    a = asnative(a)
    if correction is not NO_VALUE:
        if ddof != 0:
            raise NotNative
        ddof = correction
    if (
        a.ndim == 0
        or a.dtype.char not in "fd"
        or out is not None
        or dtype is not None
        or (type(ddof) not in (int, float) or where_ is not NO_VALUE or mean is not NO_VALUE)
    ):
        raise NotNative
    keep = keepdims is not NO_VALUE and bool(keepdims)
    axes = axis_tuple(axis, a.ndim)
    filled, mask = without_nan(a, 0)
    count = as_array(reduce_op("add", ~mask, axes, INT, True))
    if bool((count <= ddof).any()):
        raise NotNative  # NumPy warns
    center = divided(as_array(reduce_op("add", filled, axes, a.dtype, True)), count, a.dtype)
    apart = where(mask, 0, a - center, a.dtype)
    total = as_array(reduce_op("add", apart * apart, axes, a.dtype, keep))
    count = count - ddof
    if not keep:
        count = _core.reshape_view(dense(count), total.shape)
    return divided(total, count, a.dtype)


@native
def nanvar(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=NO_VALUE, *, where=NO_VALUE, mean=NO_VALUE, correction=NO_VALUE
):
    return scalar_or_array(nan_variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction))


@native
def nanstd(
    a, axis=None, dtype=None, out=None, ddof=0, keepdims=NO_VALUE, *, where=NO_VALUE, mean=NO_VALUE, correction=NO_VALUE
):
    squared = nan_variance(a, axis, dtype, out, ddof, keepdims, where, mean, correction)
    return scalar_or_array(apply("sqrt", squared.dtype, squared))


def variables(m, rowvar):
    """Observations as a matrix with a row for each variable."""
    if m.ndim > 2 or m.size == 0:
        raise NotNative
    rows = _core.reshape_view(m, (1, m.size)) if m.ndim < 2 else m
    return rows if rowvar or rows.shape[0] == 1 and m.ndim < 2 else rows.T


def observation_weights(fweights, aweights, n):
    """The weights of n observations as an array of float64, or None; and those that the bias takes squared."""
    parts = []
    for given, kinds in ((fweights, "iu"), (aweights, "iuf")):
        w = None if given is None else asnative(given)
        if w is not None and (w.shape != (n,) or w.dtype.kind not in kinds or bool((w < 0).any())):
            raise NotNative
        parts.append(None if w is None else converted(w, FLOAT))
    f, w = parts
    return (f if w is None else w if f is None else f * w), w


@native
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, *, dtype=None):
    given = [asnative(x) for x in (m, y) if x is not None]
    if dtype is not None or ddof is not None and type(ddof) is not int:
        raise NotNative
    work = numpy.result_type(*[x.dtype for x in given], FLOAT)
    rows = [converted(variables(x, rowvar), work) for x in given]
    x = rows[0] if len(rows) == 1 else concatenate(rows, 0)
    n = x.shape[1]
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights, squared = observation_weights(fweights, aweights, n)
    if weights is None:
        center, factor = x.mean(axis=1, keepdims=True), n - ddof
    else:
        total = float(weights.sum())
        if total == 0:
            raise NotNative
        center = (x * weights).sum(axis=1, keepdims=True) / total
        share = 1 if squared is None else float((weights * squared).sum()) / total
        factor = total - ddof * share
    if factor <= 0:
        raise NotNative  # NumPy warns
    apart = x - center
    other = (apart if weights is None else apart * weights).T
    if work.kind == "c":
        other = _core.elementwise_new("conjugate", work, other)
    made = said(DOT, operator.matmul, apart, other) * (1 / factor)
    return _core.reshape_view(dense(made), tuple([k for k in made.shape if k != 1])) if 1 in made.shape else made


@native
def corrcoef(x, y=None, rowvar=True, *, dtype=None):
    c = cov.__numloom_native__(x, y, rowvar, dtype=dtype)
    if c.ndim != 2 or c.dtype.kind == "c":
        raise NotNative
    n = c.shape[0]
    spread = apply("sqrt", FLOAT, _core.view(c, (n,), (c.strides[0] + c.strides[1],), 0))
    made = c / _core.reshape_view(spread, (n, 1)) / spread
    return made.clip(-1, 1)


# -------------------------------------------------------------------------------------------------- histograms
@native
def bincount(x, /, weights=None, minlength=0):
    x = asnative(x)
    if x.dtype.char in "LQ" and x.size and int(x.max()) >= 2**63:
        raise NotNative
    if x.ndim != 1 or x.dtype.kind not in "biu" or type(minlength) is not int or minlength < 0:
        raise NotNative
    index = x if x.dtype == INT else astype(x, INT)
    n = minlength
    if index.size:
        low, high = int(index.min()), int(index.max())
        if low < 0:
            raise NotNative
        n = max(n, high + 1)
    if weights is None:
        made = _core.empty((n,), INT)
        given = ()
    else:
        weights = asnative(weights)
        if weights.shape != index.shape or weights.dtype.kind == "c":
            raise NotNative
        made = _core.empty((n,), FLOAT)
        given = (dense(weights if weights.dtype == FLOAT else astype(weights, FLOAT)),)
    if not index.size:
        _core.assign(made, 0)
    else:
        run("bincount", (), made, dense(index), *given)
    return made


def bits_of(side):
    """Whether a value is given, and its bits."""
    return (0, 0) if side is None else (1, struct.unpack("<q", struct.pack("<d", float(side)))[0])


def interpolated(x, points, values, left, right):
    """Real values between given points, for arrays of float64."""
    made = _core.empty(x.shape, FLOAT)
    if made.size:
        run("interpolate", (*bits_of(left), *bits_of(right)), made, dense(x), dense(points), dense(values))
    return made


def periodic(x, points, values, period):
    """All three turned into one period, which is continued by a point at either end."""
    if not period or type(period) not in (int, float):
        raise NotNative
    period = float(abs(period))
    x, points = x % period, points % period
    order = sorted_along("argsort", points, 0, INT)
    points, values = taken(points, order, 0), taken(values, order, 0)
    return (
        x,
        concatenate([points[-1:] - period, points, points[:1] + period]),
        concatenate([values[-1:], values, values[:1]]),
    )


@native
def interp(x, xp, fp, left=None, right=None, period=None):
    x, points, values = asnative(x), asnative(xp), asnative(fp)
    if (
        points.ndim != 1
        or points.shape != values.shape
        or not points.shape[0]
        or "c" in (x.dtype.kind, points.dtype.kind)
    ):
        raise NotNative
    if any(type(side) not in (int, float, complex, type(None)) for side in (left, right)):
        raise NotNative
    shape = x.shape
    whole = numpy.dtype("D") if values.dtype.kind == "c" else FLOAT
    x, points, values = converted(x, FLOAT), converted(points, FLOAT), converted(values, whole)
    x = x if shape else _core.reshape_view(x, (1,))
    if period is not None:
        left = right = None
        x, points, values = periodic(x, points, values, period)
    if whole == FLOAT:
        if complex in (type(left), type(right)):
            raise NotNative
        made = interpolated(x, points, values, left, right)
    else:
        made = _core.empty(x.shape, whole)
        for part in ("real", "imag"):
            ends = [None if side is None else getattr(complex(side), part) for side in (left, right)]
            setattr(made, part, interpolated(x, points, dense(getattr(values, part)), *ends))
    return made if shape else scalar_or_array(_core.reshape_view(made, ()))


# ---------------------------------------------------------------------------------------------------- signals
def convolution(a, v, mode, swapped=False):
    """Sums of shifted products; `swapped`: the second operand was the longer one (of a correlation)."""
    dtype = numpy.promote_types(a.dtype, v.dtype)
    a, v = (x if x.dtype == dtype else astype(x, dtype) for x in (a, v))
    if v.shape[0] > a.shape[0]:
        a, v = v, a
    n, m = a.shape[0], v.shape[0]
    first, count = 0, n + m - 1
    if mode == "same":
        first, count = (m // 2 if swapped else (m - 1) // 2), n
    elif mode == "valid":
        first, count = m - 1, n - m + 1
    made = _core.empty((count,), dtype)
    run("correlate", (first,), made, dense(a), dense(v[::-1]))
    return made


@native
@reported(SILENT)
def convolve(a, v, mode="full"):
    a, v = asnative(a), asnative(v)
    if a.ndim > 1 or v.ndim > 1 or a.size == 0 or v.size == 0 or mode not in ("full", "same", "valid"):
        raise NotNative
    return convolution(raveled(a), raveled(v), mode)


@native
@reported(SILENT)
def correlate(a, v, mode="valid"):
    a, v = asnative(a), asnative(v)
    if a.ndim != 1 or v.ndim != 1 or a.size == 0 or v.size == 0 or mode not in ("full", "same", "valid"):
        raise NotNative
    if v.dtype.kind == "c":
        v = _core.elementwise_new("conjugate", v.dtype, v)
    return convolution(a, v[::-1], mode, v.shape[0] > a.shape[0])


def cumulative(function, x, axis, dtype, out, include_initial, start):
    x = asnative(x)
    x = x if x.ndim else _core.reshape_view(x, (1,))
    if axis is None:
        if x.ndim != 1:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0
    if out is not None or x.ndim == 0:
        raise NotNative
    made = function.__numloom_native__(x, axis, dtype)
    if not include_initial:
        return made
    axis = axis_index(axis, x.ndim)
    first = _core.full((*x.shape[:axis], 1, *x.shape[axis + 1 :]), made.dtype, start)
    return concatenate([first, made], axis)


@native
def cumulative_sum(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return cumulative(cumsum, x, axis, dtype, out, include_initial, 0)


@native
def cumulative_prod(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
    return cumulative(cumprod, x, axis, dtype, out, include_initial, 1)


def window(m, weights):
    """A window of cosines over 0 .. m - 1; ones for a single point, nothing for none."""
    if type(m) is not int:
        raise NotNative
    if m < 1:
        return _core.empty((0,), FLOAT)
    if m == 1:
        return _core.full((1,), FLOAT, 1.0)
    n = _core.ramp(m, 1 - m, 2)
    made = None
    for k, weight in enumerate(weights):
        if k == 0:
            made = weight
        else:
            angle = math.pi * k * n / (m - 1) if k > 1 else math.pi * n / (m - 1)
            made = made + weight * apply("cos", FLOAT, angle)
    return made


@native
def hanning(M):
    return window(M, (0.5, 0.5))


@native
def hamming(M):
    return window(M, (0.54, 0.46))


@native
def blackman(M):
    return window(M, (0.42, 0.5, 0.08))


@native
def vander(x, N=None, increasing=False):
    x = asnative(x)
    if x.ndim != 1 or x.dtype.kind == "b":
        raise NotNative
    n = x.shape[0] if N is None else integer(N)
    out = _core.empty((x.shape[0], n), numpy.promote_types(x.dtype, int))
    power = None
    for i in range(n):
        column = i if increasing else n - 1 - i
        power = 1 if power is None else (astype(x, out.dtype) if i == 1 else said(ACCUMULATE, operator.mul, power, x))
        out[:, column] = power
    return out


@native
def polyval(p, x):
    if isinstance(x, numpy.poly1d) or type(x) is not ndarray:
        raise NotNative
    p = asnative(p)
    if p.ndim != 1:
        raise NotNative
    made = _core.empty(x.shape, x.dtype)
    _core.assign(made, 0)
    for i in range(p.shape[0]):
        made = made * x + p[i : i + 1] if x.ndim else as_array(made * x) + p[i : i + 1].reshape(())
    return made


@native
def angle(z, deg=False):
    if type(z) is not ndarray or z.dtype.char not in "fdFD":
        raise NotNative
    dtype = numpy.result_type(z.dtype, 1.0)
    if dtype.kind == "c":
        re, im = z.real, z.imag
    else:
        re, im = (z if z.dtype == dtype else astype(z, dtype)), 0
    made = scalar_or_array(apply("arctan2", re.dtype, im, re))
    return made * (180 / math.pi) if deg else made


@native
def unwrap(p, discont=None, axis=-1, *, period=2 * math.pi):
    a = asnative(p)
    if a.ndim == 0 or a.dtype.char not in "fd" or not isinstance(period, float) or discont is not None:
        raise NotNative
    at = axis_index(axis, a.ndim)
    front = (slice(None),) * at
    half = period / 2
    steps = a[(*front, slice(1, None))] - a[(*front, slice(None, -1))]
    turned = (steps + half) % period - half
    turned = where((turned == -half) & (steps > 0), half, turned, turned.dtype)
    fix = where(abs(steps) < half, 0, turned - steps, a.dtype)
    out = _core.empty(a.shape, a.dtype)
    _core.assign(out, a)
    out[(*front, slice(1, None))] += cumsum(fix, axis=at)
    return out
