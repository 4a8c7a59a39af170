"""The modified Bessel function of order zero, and the windows that are not sums of cosines."""

from numloom import _core
from numloom._base import FLOAT, NotNative, asnative, converted, scalar_or_array
from numloom._registry import native

# exp(-x) I0(x) on [0, 8] in Chebyshev polynomials of x / 4 - 1, and exp(-x) sqrt(x) I0(x) from 8 on in those of
# 16 / x - 1: computed by interpolation at 80 Chebyshev points with 40 digits.
NEAR = (
    0.6767952744094761,
    -0.3046826723431984,
    0.17162090152220877,
    -0.09490109704804764,
    0.04930528423967071,
    -0.02373741480589947,
    0.010546460394594998,
    -0.004324309995050576,
    0.0016394756169413357,
    -0.0005763755745385824,
    0.00018850288509584165,
    -5.754195010082104e-05,
    1.6448448070728896e-05,
    -4.4167383584587505e-06,
    1.1173875391201037e-06,
    -2.670793853940612e-07,
    6.046995022541919e-08,
    -1.300025009986248e-08,
    2.6598237246823866e-09,
    -5.189795601635263e-10,
    9.675809035373237e-11,
    -1.726826291441556e-11,
    2.95505266312964e-12,
    -4.856446783111929e-13,
    7.676185498604936e-14,
    -1.1685332877993451e-14,
    1.715391285555133e-15,
    -2.431279846547955e-16,
    3.3307945188222384e-17,
    -4.4153416464793395e-18,
)
FAR = (
    0.8044904110141088,
    0.0033691164782556943,
    6.889758346916825e-05,
    2.8913705208347567e-06,
    2.0489185894690638e-07,
    2.266668990498178e-08,
    3.3962320257083865e-09,
    4.94060238822497e-10,
    1.1889147107846439e-11,
    -3.1499165279632416e-11,
    -1.3215811840447713e-11,
    -1.7941785315068062e-12,
    7.180124451383666e-13,
    3.8527783827421426e-13,
    1.54008621752141e-14,
    -4.150569347287222e-14,
    -9.554846698828307e-15,
    3.8116806693526224e-15,
    1.7725601330565263e-15,
    -3.425485619677219e-16,
    -2.8276239805165836e-16,
    3.461222867697461e-17,
    4.46562142029676e-17,
    -4.830504485944182e-18,
    -7.233180487874754e-18,
    9.921475412173699e-19,
    1.193650890845982e-18,
)


def chebyshev(coefficients, t):
    """The sum of c_k T_k(t), the first one halved, by Clenshaw's recurrence."""
    twice = t + t
    one = two = 0.0
    for c in reversed(coefficients[1:]):
        one, two = twice * one - two + c, one
    return t * one - two + coefficients[0] / 2


def bessel(x):
    """I0 of an array of floats, in their dtype."""
    size = _core.elementwise_new("absolute", x.dtype, x)
    far = size > 8.0
    inside = _core.elementwise_new("minimum", x.dtype, size, 8.0)
    outside = _core.elementwise_new("maximum", x.dtype, size, 8.0)
    near_value = chebyshev(NEAR, inside * 0.25 - 1.0)
    far_value = chebyshev(FAR, 16.0 / outside - 1.0)
    chosen = _core.elementwise_new("where", x.dtype, far, far_value, near_value)
    divisor = _core.elementwise_new("where", x.dtype, far, _core.elementwise_new("sqrt", x.dtype, outside), 1.0)
    return _core.elementwise_new("exp", x.dtype, size) * chosen / divisor


@native
def i0(x):
    a = asnative(x)
    if a.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    if a.ndim == 0:
        raise NotNative
    return scalar_or_array(bessel(a if a.dtype.kind == "f" else converted(a, FLOAT)))


def points(m):
    """The number of points of a window."""
    if type(m) is not int:
        raise NotNative
    return m


@native
def bartlett(M):
    m = points(M)
    if m < 1:
        return _core.empty((0,), FLOAT)
    if m == 1:
        return _core.full((1,), FLOAT, 1.0)
    n = _core.ramp(m, 1 - m, 2)
    return _core.elementwise_new("where", FLOAT, n <= 0, 1 + n / (m - 1), 1 - n / (m - 1))


@native
def kaiser(M, beta):
    m = points(M)
    if type(beta) not in (int, float):
        raise NotNative
    if m == 1:
        return _core.full((1,), FLOAT, 1.0)
    if m < 1:
        return _core.empty((0,), FLOAT)
    half = (m - 1) / 2.0
    part = (_core.ramp(m, 0, 1) - half) / half
    root = _core.elementwise_new("sqrt", FLOAT, 1 - part * part)
    whole = bessel(_core.full((1,), FLOAT, float(beta)))
    return bessel(beta * root) / whole
