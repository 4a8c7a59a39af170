"""Histograms in one, two and more dimensions: positions of the bins by arithmetic or search, then counts."""

import math

import numpy

from numloom import _core
from numloom._base import (
    FLOAT,
    INT,
    NotNative,
    asnative,
    astype,
    converted,
    host,
    integer,
    ndarray,
)
from numloom._creation import linspace
from numloom._library import compressed, dense, product, run, searchsorted, sorted_along, taken
from numloom._manipulation import concatenate, raveled
from numloom._quantiles import percentile
from numloom._reductions import as_array
from numloom._registry import native


def real_values(a, weights):
    """The values and weights as one line each; NotNative for what histograms do not take, or warn of."""
    a = asnative(a)
    if a.dtype.kind in "bc":
        raise NotNative
    if weights is None:
        return raveled(a), None
    weights = asnative(weights)
    if weights.shape != a.shape:
        raise NotNative
    return raveled(a), raveled(weights)


# ------------------------------------------------------------------------------------------------------- edges
def refuse_other_edges(a, range):
    """Edges that are NumPy's numbers bring their dtype into NumPy's arithmetic; ours is that of float64, or of `a`."""
    if isinstance(range, tuple | list | ndarray | numpy.ndarray):
        kinds = {x.dtype for x in map(host, range) if isinstance(x, numpy.generic)}
        if kinds and (kinds != {FLOAT} or a.dtype.kind == "f" and a.dtype != FLOAT):
            raise NotNative


def outer_edges(a, range):
    """The first and last edge, as NumPy or Python numbers."""
    if range is not None:
        first, last = range
        if type(first) not in (int, float) or type(last) not in (int, float):
            first, last = (x.item() if hasattr(x, "item") else x for x in (first, last))
        if first > last:
            raise NotNative
    elif a.size == 0:
        first, last = 0, 1
    else:
        first, last = a.dtype.type(a.min()), a.dtype.type(a.max())
    if not (math.isfinite(first) and math.isfinite(last)):
        raise NotNative
    if first == last:
        first, last = first - 0.5, last + 0.5
    return first, last


def roots_of_size(a, power):
    return float(a.size) ** power


def spread(a):
    low, high = float(a.min()), float(a.max())
    return high - low


def width_fd(a):
    low, high = percentile(a, [25, 75]).tolist()
    return 2.0 * (high - low) * roots_of_size(a, -1.0 / 3.0)


def width_sqrt(a):
    return spread(a) / math.sqrt(a.size)


def width_sturges(a):
    return spread(a) / (math.log2(a.size) + 1.0)


def width_rice(a):
    return spread(a) / (2.0 * roots_of_size(a, 1.0 / 3))


def width_scott(a):
    return (24.0 * math.pi**0.5 / a.size) ** (1.0 / 3.0) * float(a.std())


def width_auto(a):
    return min(max(width_fd(a), width_sqrt(a) / 2), width_sturges(a))


WIDTHS = {
    "fd": width_fd,
    "sqrt": width_sqrt,
    "sturges": width_sturges,
    "rice": width_rice,
    "scott": width_scott,
    "auto": width_auto,
}


def number_by_rule(a, rule, range, weights, first, last):
    """How many bins a rule of thumb makes."""
    if rule not in WIDTHS or weights is not None or a.dtype.char == "e":
        raise NotNative
    if range is not None:
        a = compressed(a, (a >= first) & (a <= last))
    if a.size == 0:
        return 1
    width = WIDTHS[rule](a)
    if not width:
        return 1
    if a.dtype.kind in "iu" and width < 1:
        width = 1
    return (
        max(1, math.ceil((last - first) / width))
        if a.dtype.kind == "f" or range is not None
        else max(1, math.ceil((int(last) - int(first)) / width))
    )


def bin_edges(a, bins, range, weights):
    """(edges, (first, last, number) where the bins are equal, else None)."""
    if isinstance(bins, str):
        first, last = outer_edges(a, range)
        n = number_by_rule(a, bins, range, weights, first, last)
    elif not isinstance(bins, ndarray | numpy.ndarray | list | tuple):
        n = integer(bins)
        if n < 1:
            raise NotNative
        first, last = outer_edges(a, range)
    else:
        edges = asnative(bins)
        if edges.ndim != 1 or edges.shape[0] < 2 or edges.dtype.kind in "bc" or bool((edges[:-1] > edges[1:]).any()):
            raise NotNative
        return edges, None
    dtype = numpy.result_type(first, last, a.dtype)
    if dtype.kind in "iu":
        dtype = numpy.result_type(dtype, float)
    edges = linspace(first, last, n + 1, dtype=dtype)
    if type(edges) is not ndarray or bool((edges[:-1] >= edges[1:]).any()):
        raise NotNative
    return edges, (first, last, n)


# ------------------------------------------------------------------------------------------------------ counts
def count_positions(place, n, weights):
    """How often, or with what weights, each position in [0, n) occurs."""
    if weights is None:
        made = _core.empty((n,), INT)
        given = ()
    else:
        made = _core.empty((n,), FLOAT)
        given = (dense(converted(weights, FLOAT)),)
    if place.size:
        run("bincount", (), made, dense(place), *given)
    else:
        _core.assign(made, 0)
    return made


def equal_bins(a, edges, first, last, n, weights):
    """Counts in bins of one width: the bin by arithmetic, put right by the edges beside it."""
    keep = (a >= first) & (a <= last)
    if not bool(keep.all()):
        a = compressed(a, keep)
        weights = None if weights is None else compressed(weights, keep)
    whole = a.dtype.kind in "iu" and edges.dtype.kind == "f"
    a = converted(a, edges.dtype)
    width = (
        int(last) - int(first)
        if whole and type(first) not in (float, int) and hasattr(first, "item") and (first.dtype.kind in "iu")
        else last - first
    )
    place = astype((a - first) / width * n, INT)
    place = _core.elementwise_new("minimum", INT, place, n - 1)
    place = place - (a < taken(edges, place, 0))
    place = place + ((a >= taken(edges, place + 1, 0)) & (place != n - 1))
    return count_positions(place, n, weights)


def below_edges(ordered, edges):
    """How many of the sorted values lie before each edge; those on the last one too."""
    inside = searchsorted(ordered, edges[:-1], "left")
    return concatenate([as_array(inside), as_array(searchsorted(ordered, edges[-1:], "right"))])


def uneven_bins(a, edges, weights):
    """Counts between any edges, from running totals over the sorted values."""
    if weights is None:
        total = below_edges(sorted_along("sort", a, 0, a.dtype), edges)
    else:
        order = sorted_along("argsort", a, 0, INT)
        running = taken(weights, order, 0).cumsum(dtype=weights.dtype)
        running = concatenate([_core.full((1,), weights.dtype, 0), running])
        total = taken(running, below_edges(taken(a, order, 0), edges), 0)
    return total[1:] - total[:-1]


@native
def histogram(a, bins=10, range=None, density=None, weights=None):
    a, weights = real_values(a, weights)
    refuse_other_edges(a, range)
    if weights is not None and weights.dtype.kind not in "iuf":
        raise NotNative
    edges, equal = bin_edges(a, bins, range, weights)
    if equal is not None:
        made = equal_bins(a, edges, *equal, weights)
        if weights is not None and weights.dtype != FLOAT:
            made = astype(made, weights.dtype)
    else:
        made = uneven_bins(a, edges, weights)
    if density:
        made = made / converted(edges[1:] - edges[:-1], FLOAT) / made.sum()
    return made, edges


@native
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    a, weights = real_values(a, weights)
    refuse_other_edges(a, range)
    return bin_edges(a, bins, range, weights)[0]


# ------------------------------------------------------------------------------------------------ more dimensions
def columns_of(sample):
    """The coordinates of a sample as one array each."""
    if type(sample) in (ndarray, numpy.ndarray):
        a = asnative(sample)
        if a.ndim == 1:
            return [a]
        if a.ndim != 2:
            raise NotNative
        return [a[:, i] for i in range_of(a.shape[1])]
    if type(sample) not in (list, tuple):
        raise NotNative
    columns = [asnative(x) for x in sample]
    if any(c.ndim != 1 or c.shape != columns[0].shape for c in columns):
        raise NotNative
    return columns


range_of = range  # the name is an argument of NumPy's functions


def column_edges(x, bins, limits):
    """The edges along one dimension."""
    if isinstance(bins, ndarray | numpy.ndarray | list | tuple):
        edges = asnative(bins)
        if edges.ndim != 1 or edges.shape[0] < 2 or edges.dtype.kind in "bc" or bool((edges[:-1] > edges[1:]).any()):
            raise NotNative
        return edges
    n = integer(bins)
    if n < 1:
        raise NotNative
    first, last = outer_edges(x, limits)
    edges = linspace(first, last, n + 1)
    if type(edges) is not ndarray:
        raise NotNative
    return edges


def column_places(x, edges):
    """The bin of each value, 0 below the first edge and len(edges) from above the last one on."""
    place = as_array(searchsorted(edges, x, "right"))
    return place - (x == edges[-1:])


def sample_histogram(columns, bins, limits, density, weights):
    d = len(columns)
    dtype = numpy.result_type(*[c.dtype for c in columns])
    columns = [converted(c, dtype) for c in columns]
    if any(c.dtype.kind in "bc" for c in columns):
        raise NotNative
    if not isinstance(bins, ndarray | numpy.ndarray | list | tuple):
        bins = [bins] * d
    if len(bins) != d or limits is not None and len(limits) != d:
        raise NotNative
    limits = [None] * d if limits is None else limits
    edges = [column_edges(*each) for each in zip(columns, bins, limits, strict=True)]
    shape = tuple([e.shape[0] + 1 for e in edges])
    flat = None
    for x, e, n in zip(columns, edges, shape, strict=True):
        place = column_places(x, e)
        flat = place if flat is None else flat * n + place
    if weights is not None:
        weights = asnative(weights)
        if weights.shape != flat.shape or weights.dtype.kind == "c":
            raise NotNative
    counts = _core.reshape_view(count_positions(flat, product(shape), weights), shape)
    made = converted(counts[(slice(1, -1),) * d], FLOAT)
    if density:
        total = made.sum()
        for i, e in enumerate(edges):
            made = made / _core.reshape_view(dense(e[1:] - e[:-1]), (1,) * i + (e.shape[0] - 1,) + (1,) * (d - i - 1))
        made = made / total
    return dense(made), edges


@native
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    return sample_histogram(columns_of(sample), bins, range, density, weights)


@native
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    x, y = asnative(x), asnative(y)
    if x.ndim != 1 or x.shape != y.shape or isinstance(bins, ndarray | numpy.ndarray) and bins.ndim == 0:
        raise NotNative
    if isinstance(bins, ndarray | numpy.ndarray | list | tuple) and len(bins) not in (1, 2):
        bins = [bins, bins]
    made, edges = sample_histogram([x, y], bins, range, density, weights)
    return made, *edges
