"""Order statistics: partitions, and quantiles by every method of NumPy's, also of lines with NaN left out.

A line is put in order where it is looked at; a method gives the place of a quantile as a number between positions
(Hyndman and Fan, Sample quantiles in statistical packages, The American Statistician 50, 1996), and the value lies
between its neighbours.
"""

import math
import operator

import numpy

from numloom import _core
from numloom._base import (
    FLOAT,
    INT,
    NO_VALUE,
    SCALAR,
    NotNative,
    asnative,
    astype,
    axis_index,
    axis_tuple,
    ndarray,
    said,
    where,
)
from numloom._library import along_lines, dense, product, sorted_along, taken
from numloom._manipulation import permuted, raveled
from numloom._reductions import as_array
from numloom._registry import native
from numloom._ufunc import reduce_op

REDUCE = _core.report_as("reduce")


# -------------------------------------------------------------------------------------------------- partitions
def partitioned(name, a, kth, axis, dtype):
    """partition or argpartition along an axis, as a fresh array."""
    if axis is None:
        a, axis = raveled(a), 0
    kth = asnative(kth)
    if a.ndim == 0 or kth.ndim > 1 or kth.dtype.kind not in "iu":
        raise NotNative
    axis = axis_index(axis, a.ndim)
    n = a.shape[axis]
    places = [int(k) for k in raveled(kth).tolist()]
    if any(not -n <= k < n for k in places):
        raise NotNative
    return along_lines(name, a, axis, dtype, sorted({k % n for k in places}))


def plain_kind(kind, order):
    if kind != "introselect" or order is not None:
        raise NotNative


@native
def partition(a, kth, axis=-1, kind="introselect", order=None):
    plain_kind(kind, order)
    a = asnative(a)
    return partitioned("partition", a, kth, axis, a.dtype)


@native
def argpartition(a, kth, axis=-1, kind="introselect", order=None):
    plain_kind(kind, order)
    return partitioned("argpartition", asnative(a), kth, axis, INT)


def partition_in_place(a, kth, axis=-1, kind="introselect", order=None):
    """ndarray.partition."""
    plain_kind(kind, order)
    if not _core.writeable(a) or axis is None:
        raise NotNative
    _core.assign(a, partitioned("partition", a, kth, axis, a.dtype))


# ------------------------------------------------------------------------------------------------------ places
# The continuous methods by alpha and beta: the place of q among n is n q + alpha + q (1 - alpha - beta) - 1.
CONTINUOUS = {
    "interpolated_inverted_cdf": (0, 1),
    "hazen": (0.5, 0.5),
    "weibull": (0, 0),
    "median_unbiased": (1 / 3.0, 1 / 3.0),
    "normal_unbiased": (3 / 8.0, 3 / 8.0),
}
WHOLE = frozenset(("inverted_cdf", "closest_observation", "lower", "higher", "nearest"))  # no interpolation
METHODS = frozenset((*CONTINUOUS, *WHOLE, "linear", "averaged_inverted_cdf", "midpoint"))


class Numbers:
    """What the formulas need of mathematics, for a number of elements that is one for all lines."""

    floor = staticmethod(lambda x: type(x)(math.floor(x)))
    ceil = staticmethod(lambda x: type(x)(math.ceil(x)))
    rint = staticmethod(lambda x: type(x)(round(float(x))))
    choose = staticmethod(lambda condition, yes, no: yes if condition else no)
    whole = staticmethod(int)


class Lines:
    """The same where every line has its own number of elements: arrays of the engine."""

    floor = staticmethod(lambda x: _core.elementwise_new("floor", x.dtype, x))
    ceil = staticmethod(lambda x: _core.elementwise_new("ceil", x.dtype, x))
    rint = staticmethod(lambda x: _core.elementwise_new("rint", x.dtype, x))
    choose = staticmethod(where)
    whole = staticmethod(lambda x: astype(x, INT))


def boundary(m, index, stay):
    """A whole position: the one below `index` where stay(fraction, one below), else the next; never below 0."""
    low = m.floor(index)
    place = m.choose(stay(index - low, low), low, low + 1)
    return m.whole(m.choose(place < 0, low * 0, place))


def whole_place(m, method, n, q):
    """The position that a method without interpolation takes."""
    if method == "inverted_cdf":
        return boundary(m, n * q - 1, lambda part, low: part == 0)
    if method == "closest_observation":
        return boundary(m, n * q - 1 - 0.5, lambda part, low: (part == 0) & (low % 2 == 1))
    place = (n - 1) * q
    return m.whole({"lower": m.floor, "higher": m.ceil, "nearest": m.rint}[method](place))


def place_between(m, method, n, q):
    """(position below, position above, how far between them) for the methods that interpolate."""
    if method == "linear":
        place = (n - 1) * q
    elif method == "averaged_inverted_cdf":
        place = n * q - 1
    elif method == "midpoint":
        place = 0.5 * (m.floor((n - 1) * q) + m.ceil((n - 1) * q))
    else:
        alpha, beta = CONTINUOUS[method]
        place = n * q + (alpha + q * (1 - alpha - beta)) - 1
    last = n - 1
    low = m.floor(place)
    part = place - low
    if method == "averaged_inverted_cdf":
        part = m.choose(part == 0, part * 0 + 0.5, part * 0 + 1)
    elif method == "midpoint":
        part = m.choose(part == 0, part * 0, part * 0 + 0.5)
    high = low + 1
    above, below = place >= last, place < 0
    low = m.choose(above, low * 0 + last, m.choose(below, low * 0, low))
    high = m.choose(above, low * 0 + last, m.choose(below, low * 0, high))
    return m.whole(low), m.whole(high), part


def between(low, high, part, rest, how):
    """The value `part` of the way from low to high, `rest` = 1 - part, from the nearer end, as NumPy computes it:
    always from below, whose conditions are reported, and from above where that is nearer. `how`: SCALAR where NumPy
    has scalars at hand."""
    gap = said(how, operator.sub, high, low)
    near = low + said(how, operator.mul, gap, part)
    if type(part) is not ndarray:
        return near if part < 0.5 else high - said(how, operator.mul, gap, rest)
    upper, step = part >= 0.5, gap * rest
    return where(upper, where(upper, high, 0, high.dtype) - where(upper, step, 0, step.dtype), near, near.dtype)


# ------------------------------------------------------------------------------------------------------ levels
class Levels:
    """The q of a call: numbers in [0, 1] of one dtype, the shape they came in, and whether that is a plain number."""

    def __init__(self, q, scale):
        self.weak = type(q) in (int, float)
        given = asnative(q)
        if given.ndim > 1 or given.dtype.kind not in "iuf":
            raise NotNative
        self.shape = given.shape
        kind = given.dtype
        if scale != 1:
            given = given / numpy.int64(scale) if kind.kind != "f" else given / scale
            given = as_array(given)
            kind = given.dtype
        number = float if kind == FLOAT else kind.type if kind.kind == "f" else int
        self.dtype = kind
        self.values = [number(x) for x in raveled(given).tolist()]
        if not all(0 <= x <= 1 for x in self.values):
            raise NotNative


def line_first(a, axis):
    """(a with the axes of a quantile merged into one in front, its shape with and without these axes kept)."""
    axes = axis_tuple(axis, a.ndim)
    rest = tuple([i for i in range(a.ndim) if i not in axes])
    shape = tuple([a.shape[i] for i in rest])
    kept = tuple([1 if i in axes else n for i, n in enumerate(a.shape)])
    if axis is None or axes and len(axes) == a.ndim:
        lines = raveled(a)
    else:
        lines = permuted(a, (*axes, *rest))
        if len(axes) != 1:
            lines = _core.reshape_view(dense(lines), (product([a.shape[i] for i in axes]), *shape))
    return lines, shape, kept


def rows(ordered, places):
    """The rows at whole positions, one behind the other."""
    if len(places) == 1:
        return ordered[places[0] : places[0] + 1]
    return taken(ordered, _core.from_host(numpy.array(places, INT)), 0)


def along(values, dtype, ndim):
    """Numbers as an array of ours along the first of ndim axes."""
    made = _core.from_host(numpy.array(values, dtype))
    return _core.reshape_view(made, (len(values),) + (1,) * (ndim - 1))


def ordered_at(lines, places):
    """Lines along axis 0 whose elements at these positions, and at the last one, are where a sort would put them."""
    n = lines.shape[0]
    if len(places) > 16:
        return sorted_along("sort", lines, 0, lines.dtype)
    return along_lines("partition", lines, 0, lines.dtype, sorted({*places, n - 1}))


def quantiles_of(lines, levels, method):
    """(the quantiles of lines along axis 0, a row for each level; the lines with what was looked at in its place)."""
    n = lines.shape[0]
    if method in WHOLE or method == "linear" and levels.dtype.kind != "f":
        if method == "linear":
            places = [(n - 1) * q for q in levels.values]
        else:
            places = [min(whole_place(Numbers, method, n, q), n - 1) for q in levels.values]
        ordered = ordered_at(lines, places)
        return rows(ordered, places), ordered
    if lines.dtype.kind == "b":
        raise NotNative  # NumPy subtracts booleans, which it refuses
    found = [place_between(Numbers, method, n, q if levels.dtype.kind == "f" else float(q)) for q in levels.values]
    low, high, part = zip(*found, strict=True)
    ordered = ordered_at(lines, (*low, *high))
    work = levels.dtype if levels.dtype.kind == "f" else FLOAT
    part = float(part[0]) if levels.weak else along(part, work, ordered.ndim)
    how = SCALAR if levels.shape == () and lines.ndim == 1 else 0
    return between(rows(ordered, low), rows(ordered, high), part, 1 - part, how), ordered


def finished(made, levels, shape, kept, keepdims, out, last):
    """Rows of quantiles as the result of the call: NaN where a line holds one, shaped, in `out` where given."""
    if last is not None:
        if out is None and levels.shape == shape == () and made.dtype != last.dtype and bool((last != last).all()):
            made = last  # one NaN keeps its dtype in NumPy
        made = where(last != last, last, made, made.dtype)
    final = (*levels.shape, *(kept if keepdims else shape))
    made = made if made.shape == final else _core.reshape_view(dense(made), final)
    if out is None:
        return made if final else _core.to_scalar(made if type(made) is ndarray else asnative(made))
    if type(out) is not ndarray or out.shape != final or out.dtype != made.dtype or not _core.writeable(out):
        raise NotNative
    _core.assign(out, made)
    return out


def checked_call(a, out, method, weights):
    a = asnative(a)
    if method not in METHODS or weights is not None or a.dtype.kind == "c" or a.size == 0:
        raise NotNative
    return a


def quantile_of(a, q, axis, out, method, keepdims, weights, scale):
    a = checked_call(a, out, method, weights)
    levels = Levels(q, scale)
    if not levels.values:
        raise NotNative
    lines, shape, kept = line_first(a, axis)
    made, ordered = quantiles_of(lines, levels, method)
    n = ordered.shape[0]
    return finished(made, levels, shape, kept, keepdims, out, ordered[n - 1 :] if a.dtype.kind == "f" else None)


@native
def quantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    return quantile_of(a, q, axis, out, method, keepdims, weights, 1)


@native
def percentile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *, weights=None):
    return quantile_of(a, q, axis, out, method, keepdims, weights, 100)


# ------------------------------------------------------------------------------------------------- without NaN
def counted_lines(a, axis):
    """(sorted lines, NaN last; how many numbers each has; shape; shape with the axes kept); NotNative: all NaN."""
    lines, shape, kept = line_first(a, axis)
    ordered = sorted_along("sort", lines, 0, a.dtype)
    number = _core.elementwise_new("isnan", a.dtype, ordered)
    count = as_array(reduce_op("add", ~number, (0,), INT))
    if bool((count == 0).any()):
        raise NotNative  # NumPy warns
    return dense(ordered), count, shape, kept


def picked(ordered, place):
    """The elements of each line at its own position."""
    width = product(ordered.shape[1:])
    line = _core.reshape_view(_core.ramp(width, 0, 1), ordered.shape[1:])
    return taken(raveled(ordered), as_array(place * width + line), 0)


def nan_quantile_of(a, q, axis, out, method, keepdims, weights, scale):
    a = checked_call(a, out, method, weights)
    keepdims = keepdims is not NO_VALUE and bool(keepdims)
    if a.dtype.kind != "f":
        return quantile_of(a, q, axis, out, method, keepdims, weights, scale)
    levels = Levels(q, scale)
    if not levels.values or levels.dtype != FLOAT:
        raise NotNative
    ordered, count, shape, kept = counted_lines(a, axis)
    made = []
    for x in levels.values:
        if method in WHOLE:
            place = whole_place(Lines, method, astype(count, FLOAT), x)
            made.append(picked(ordered, _core.elementwise_new("minimum", INT, place, count - 1)))
            continue
        low, high, part = place_between(Lines, method, astype(count, FLOAT), x)
        rest = 1 - part
        if levels.weak and a.dtype != FLOAT:
            part, rest = astype(part, a.dtype), astype(rest, a.dtype)
        how = SCALAR if levels.shape == () else 0
        made.append(between(picked(ordered, low), picked(ordered, high), part, rest, how))
    stacked = _core.empty((len(made), *shape), made[0].dtype)
    for i, row in enumerate(made):
        _core.assign(stacked[i : i + 1], row)
    return finished(stacked, levels, shape, kept, keepdims, out, None)


@native
def nanquantile(a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=NO_VALUE, *, weights=None):
    return nan_quantile_of(a, q, axis, out, method, keepdims, weights, 1)


@native
def nanpercentile(
    a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=NO_VALUE, *, weights=None
):
    return nan_quantile_of(a, q, axis, out, method, keepdims, weights, 100)


def middle(low, high, odd, dtype):
    """The mean of two elements, or the one element, in the dtype in which NumPy takes a mean."""
    final = dtype if dtype.kind == "f" else FLOAT
    if odd is True:
        return low if low.dtype == final else astype(low, final)
    wide = numpy.promote_types(final, "f4")
    other = where(odd, 0, high, high.dtype) if type(odd) is ndarray else high  # one element overflows nowhere
    total = said(REDUCE, _core.elementwise_new, "add", wide, low, other)
    made = _core.elementwise_new("divide", wide, total, 2)
    return where(odd, low, made, final)


@native
def median(a, axis=None, out=None, overwrite_input=False, keepdims=False):
    a = checked_call(a, out, "linear", None)
    if a.dtype.kind == "b":
        raise NotNative
    lines, shape, kept = line_first(a, axis)
    n = lines.shape[0]
    low = (n - 1) // 2
    ordered = ordered_at(lines, (low, n // 2))
    made = middle(ordered[low : low + 1], ordered[n // 2 : n // 2 + 1], n % 2 == 1, a.dtype)
    return finished(made, _One, shape, kept, keepdims, out, ordered[n - 1 :] if a.dtype.kind == "f" else None)


@native
def nanmedian(a, axis=None, out=None, overwrite_input=False, keepdims=NO_VALUE):
    keepdims = keepdims is not NO_VALUE and bool(keepdims)
    a = checked_call(a, out, "linear", None)
    if a.dtype.kind != "f":
        return median(a, axis, out, overwrite_input, keepdims)
    ordered, count, shape, kept = counted_lines(a, axis)
    low, high = picked(ordered, (count - 1) // 2), picked(ordered, count // 2)
    made = middle(low, high, count % 2 == 1, a.dtype)
    return finished(_core.reshape_view(dense(made), (1, *shape)), _One, shape, kept, keepdims, out, None)


class _One:
    """The levels of a median: one, and no axis for it."""

    shape = ()
