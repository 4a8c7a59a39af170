"""The distributions whose numbers each stand alone, and bounded integers."""

import math

import numpy

from numloom import _core
from numloom._base import NotNative, broadcast_shapes, ndarray
from numloom._ufunc import reduce_op
from numloom.random import _calls
from numloom.random._calls import REQUIRED, Signature, warn
from numloom.random._streams import (
    LONG,
    NUMBER,
    WORD,
    draw,
    draw_flat,
    draw_settled,
    length,
    parameter,
    settled,
    shape_of,
)

# Parameters of the distributions that need nothing but NumPy's checks of one parameter each.
PLAIN = {
    "beta": "a b",
    "exponential": "scale=1.0",
    "gamma": "shape scale=1.0",
    "f": "dfnum dfden",
    "noncentral_f": "dfnum dfden nonc",
    "chisquare": "df",
    "noncentral_chisquare": "df nonc",
    "standard_t": "df",
    "vonmises": "mu kappa",
    "pareto": "a",
    "weibull": "a",
    "power": "a",
    "laplace": "loc=0.0 scale=1.0",
    "gumbel": "loc=0.0 scale=1.0",
    "logistic": "loc=0.0 scale=1.0",
    "lognormal": "mean=0.0 sigma=1.0",
    "rayleigh": "scale=1.0",
    "wald": "mean scale",
    "standard_cauchy": "",
    "poisson": "lam=1.0",
    "zipf": "a",
    "geometric": "p",
    "logseries": "p",
}
WHOLE = {"binomial": (True, False), "hypergeometric": (True, True, True)}
_SIZE = " size=None"
_MOST_POISSON = float(2**63 - 1) - math.sqrt(float(2**63 - 1)) * 10


def some(a):
    """Whether an array of ours, or a Python truth value, holds a true one."""
    return bool(reduce_op("logical_or", a, tuple(range(a.ndim)), numpy.dtype(bool))) if type(a) is ndarray else bool(a)


def finite(a):
    """Whether all elements are finite."""
    ok = abs(a) < math.inf
    return bool(reduce_op("logical_and", ok, tuple(range(ok.ndim)), numpy.dtype(bool)))


def numbers(name, legacy):
    """The number of a distribution; of the legacy one where it has one of its own."""
    return NUMBER.get("legacy_" + name, NUMBER[name]) if legacy else NUMBER[name]


def plain(name, legacy):
    """(signature, implementation) of a distribution of PLAIN."""
    number = numbers(name, legacy)
    signature = Signature(PLAIN[name] + _SIZE)
    wholes = (False,) * (signature.most - 1)

    def implementation(stream, *values):
        return draw(stream, number, wholes, values[:-1], values[-1])

    return signature, implementation


# --------------------------------------------------------------------------------------- uniform and normal numbers
def flat(stream, size):
    return draw_flat(stream, size)


def uniform(legacy):
    number = NUMBER["uniform"]

    def implementation(stream, low, high, size):
        (low, high), shape = settled((low, high), (False, False), size)
        span = high - low
        if type(span) is not ndarray:
            if not math.isfinite(span) or (not legacy and span < 0):
                raise NotNative
            if length(shape) >= LONG:
                return float(low) + float(span) * draw_flat(stream, shape)
        elif not finite(span) or (not legacy and some(span < 0)):
            raise NotNative
        return draw_settled(stream, number, (low, span), shape)

    return Signature("low=0.0 high=1.0" + _SIZE), implementation


def normal(legacy):
    number = numbers("normal", legacy)

    def implementation(stream, loc, scale, size):
        if stream.free is not None and length(size) >= LONG and type(loc) in _REAL and type(scale) in _REAL:
            if not scale >= 0 or math.copysign(1.0, scale) < 0:
                raise NotNative
            return float(loc) + float(scale) * stream.free.draw("philox_normal", size)
        return draw(stream, number, (False, False), (loc, scale), size)

    return Signature("loc=0.0 scale=1.0" + _SIZE), implementation


_REAL = (int, float)


def standard_normal(stream, size):
    if stream.free is not None and length(size) >= LONG:
        return stream.free.draw("philox_normal", size)
    return draw(stream, NUMBER["standard_normal"], (), (), size)


def legacy_standard_normal(stream, size):
    if stream.free is not None and length(size) >= LONG:
        return stream.free.draw("philox_normal", size)
    return draw(stream, NUMBER["legacy_standard_normal"], (), (), size)


def legacy_standard_exponential(stream, size):
    return draw(stream, NUMBER["legacy_standard_exponential"], (), (), size)


def tomaxint(stream, size):
    return draw(stream, NUMBER["positive"], (), (), size)


def with_dtype(double, single, *parameters):
    """implementation(stream, *parameters, size, dtype, out) of a Generator's method that also draws float32."""

    def implementation(stream, *arguments):
        *values, size, dtype, out = arguments
        try:
            wanted = numpy.dtype(dtype)
        except TypeError:
            raise NotNative from None
        if wanted == numpy.float64:
            how = double
        elif wanted == numpy.float32:
            how = single
        else:
            raise NotNative
        if out is None:
            return how(stream, *values, size)
        if type(out) is not ndarray or out.dtype != wanted or not _core.writeable(out) or not _core.is_contiguous(out):
            raise NotNative
        if size is not None and shape_of(size) != out.shape:
            raise NotNative
        _core.assign(out, how(stream, *values, out.shape))
        return out

    return implementation


def one(name, wholes=()):
    """draw() of one distribution with its parameters before the size."""
    number = NUMBER[name]

    def how(stream, *values):
        return draw(stream, number, wholes, values[:-1], values[-1])

    return how


_exponentials = {
    method: with_dtype(one(prefix + "exponential"), one(prefix + "exponential_f"))
    for method, prefix in (("zig", "standard_"), ("inv", "inverse_"))
}


def standard_exponential(stream, size, dtype, method, out):
    return _exponentials["zig" if isinstance(method, str) and method == "zig" else "inv"](stream, size, dtype, out)


# ------------------------------------------------------------------------------------- checks of several parameters
def triangular(stream, left, mode, right, size):
    (left, mode, right), shape = settled((left, mode, right), (False,) * 3, size)
    if some(left > mode) or some(mode > right) or some(left == right):
        raise NotNative
    return draw_settled(stream, NUMBER["triangular"], (left, mode, right), shape)


def binomial(legacy):
    number = numbers("binomial", legacy)

    def implementation(stream, n, p, size):
        return draw(stream, number, (True, False), (n, p), size)

    return Signature("n p" + _SIZE), implementation


def negative_binomial(legacy):
    number = numbers("negative_binomial", legacy)

    def implementation(stream, n, p, size):
        (n, p), shape = settled((n, p), (False, False), size)
        if not legacy:
            if some(n <= 0) or some(p <= 0) or some(p > 1):
                raise NotNative
            if some((1 - p) / p * (n + 10 * (n**0.5)) > _MOST_POISSON):
                raise NotNative
        return draw_settled(stream, number, (n, p), shape)

    return Signature("n p" + _SIZE), implementation


def hypergeometric(legacy):
    number = numbers("hypergeometric", legacy)

    def implementation(stream, ngood, nbad, nsample, size):
        values, shape = settled((ngood, nbad, nsample), (True,) * 3, size)
        good, bad, sample = values
        if not legacy and (some(good >= 10**9) or some(bad >= 10**9)) or some(good + bad < sample):
            raise NotNative
        return draw_settled(stream, number, values, shape)

    return Signature("ngood nbad nsample" + _SIZE), implementation


# ------------------------------------------------------------------------------------------------- bounded integers
_INTEGERS = {numpy.dtype(c): numpy.dtype(c) for c in "?bBhHiIlL"}


def bounds_of(low, high, dtype, closed):
    """(offset, range) of integers in [low, high), or [low, high] if `closed`: Python's, or arrays of int64."""
    info = (0, 1) if dtype.char == "?" else (int(numpy.iinfo(dtype).min), int(numpy.iinfo(dtype).max))
    if type(low) is not ndarray and type(high) is not ndarray:
        high -= not closed
        if low < info[0] or high > info[1] or low > high:
            raise NotNative
        return low & WORD, high - low
    for x in (low, high):
        if type(x) is not ndarray and not -(2**63) <= x < 2**63:
            raise NotNative
    info = max(info[0], -(2**63)), min(info[1], 2**63 - 1)
    if not closed:
        if some(high == -(2**63)):
            raise NotNative
        high = high - 1
    if some(low < info[0]) or some(high > info[1]) or some(low > high):
        raise NotNative
    return low, high - low


def bound_of(x):
    """A bound as a Python integer or an int64 array; floats are cut off, as NumPy does."""
    if type(x) is float or isinstance(x, numpy.floating):
        if not math.isfinite(x):
            raise NotNative
        return int(x)
    return parameter(x, True)


def integers(legacy):
    prefix = "legacy_" if legacy else ""

    def implementation(stream, low, high, size, dtype, endpoint):
        if high is None:
            low, high = 0, low
        try:
            wanted = _INTEGERS[numpy.dtype("long" if legacy and dtype is int else dtype)]
        except (KeyError, TypeError):
            raise NotNative from None
        shape = None if size is None else shape_of(size)
        if shape is not None and 0 in shape:
            return _core.empty(shape, wanted)
        low, high = bound_of(low), bound_of(high)
        if type(low) is ndarray or type(high) is ndarray:
            arrays = [x for x in (low, high) if type(x) is ndarray]
            whole = broadcast_shapes(*[a.shape for a in arrays], *(() if shape is None else (shape,)))
            if shape is not None and whole != shape:
                raise NotNative
            shape = whole
        offset, span = bounds_of(low, high, wanted, endpoint)
        name = "integers_bool" if wanted.char == "?" else f"{prefix}integers_{wanted.itemsize}"
        drawn = draw_settled(stream, NUMBER[name], (offset, span), shape, wanted)
        if shape is not None:
            return drawn
        return dtype(drawn) if dtype is bool or dtype is int else wanted.type(drawn)

    if legacy:
        return Signature("low high=None size=None dtype=None", dtype=int), lambda stream, *a: implementation(
            stream, *a, False
        )
    return Signature("low high=None size=None dtype=None endpoint=False", dtype=numpy.int64), implementation


def random_integers(stream, low, high, size):
    draw_integers = integers(True)[1]
    if high is None:
        text, low, high = f"This function is deprecated. Please call randint(1, {low} + 1) instead", 1, low
    else:
        text = f"This function is deprecated. Please call randint({low}, {high} + 1) instead"
    bound = int(high) + 1
    if type(low) is ndarray:
        raise NotNative
    warn(text, DeprecationWarning)
    return draw_integers(stream, low, bound, size, int)


# ------------------------------------------------------------------------------------------------- everyday calls
def everyday(legacy):
    """name -> (form, number, defaults) of what C draws where a call has nothing but numbers and a size."""
    found = {}
    for name, text in {**PLAIN, "normal": PLAIN["laplace"], "binomial": "n p", "standard_gamma": "shape"}.items():
        defaults = tuple(d for d in Signature(text).defaults if d is not REQUIRED)
        found[name] = (_calls.PLAIN, numbers(name, legacy), defaults)
    found["uniform"] = (_calls.BETWEEN, NUMBER["uniform"], (0.0, 1.0))
    found["standard_normal"] = (_calls.PLAIN, numbers("standard_normal", legacy), ())
    found["standard_exponential"] = (_calls.PLAIN, numbers("standard_exponential", legacy), ())
    found["random"] = found["random_sample"] = (_calls.PLAIN, NUMBER["random"], ())
    found["rand"] = (_calls.ARGUMENTS, NUMBER["random"], ())
    found["randn"] = (_calls.ARGUMENTS, NUMBER["legacy_standard_normal"], ())
    found["integers"] = (_calls.INTEGERS, NUMBER["integers_8"], (None,))
    found["randint"] = (_calls.LEGACY_INTEGERS, NUMBER["legacy_integers_8"], (None,))
    return found
