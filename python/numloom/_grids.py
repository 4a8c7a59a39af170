"""Grids and joins by index (mgrid, ogrid, r_, c_), windows onto arrays as views, and functions given in pieces."""

import math

import numpy

from numloom import _core
from numloom._base import (
    BOOL,
    FLOAT,
    INT,
    NotNative,
    asnative,
    axis_index,
    converted,
    integers,
    native_dtype,
    ndarray,
    scalar,
)
from numloom._creation import arange
from numloom._manipulation import concatenate
from numloom._registry import native

_NUMBERS = (int, float)


def points_of(key):
    """(start, step, number of points, dtype) of a slice; a complex step counts the points, both ends among them."""
    start, stop, step = key.start or 0, key.stop, 1 if key.step is None else key.step
    if type(start) not in _NUMBERS or type(stop) not in _NUMBERS or type(step) not in (*_NUMBERS, complex):
        raise NotNative
    if type(step) is complex:
        n = int(abs(step))
        return start, (stop - start) / float(n - 1) if n != 1 else 1, n, FLOAT
    if step == 0:
        raise NotNative
    whole = all(type(x) is int for x in (start, stop, step))
    return start, step, max(0, math.ceil((stop - start) / (step * 1.0))), INT if whole else FLOAT


def line_of(key):
    """The points of a slice as an array."""
    if type(key.step) is not complex:
        start, stop, step = key.start or 0, key.stop, 1 if key.step is None else key.step
        if any(type(x) not in _NUMBERS for x in (start, stop, step)):
            raise NotNative
        return arange(start, stop, step)
    start, step, n, dtype = points_of(key)
    return converted(_core.ramp(n, 0, 1), dtype) * step + start


def axes_of(key):
    """The points of each slice of a grid, along an axis of its own, in one dtype."""
    parts = [points_of(k) for k in key if type(k) is slice]
    if len(parts) != len(key) or not parts:
        raise NotNative
    dtype = FLOAT if any(p[3] == FLOAT for p in parts) else INT
    made = []
    for i, (start, step, n, _) in enumerate(parts):
        line = converted(_core.ramp(n, 0, 1), dtype)
        if step != 1 or start != 0:
            line = line * step + start
        made.append(_core.reshape_view(line, (1,) * i + (n,) + (1,) * (len(parts) - i - 1)))
    return made, tuple([p[2] for p in parts]), dtype


def mgrid(key):
    if type(key) is slice:
        return line_of(key)
    if type(key) is not tuple:
        raise NotNative
    lines, shape, dtype = axes_of(key)
    out = _core.empty((len(lines), *shape), dtype)
    for i, line in enumerate(lines):
        out[i : i + 1] = line
    return out


def ogrid(key):
    if type(key) is slice:
        return line_of(key)
    if type(key) is not tuple:
        raise NotNative
    return tuple(axes_of(key)[0])


def fits(n, dtype):
    bounds = numpy.iinfo(dtype)
    return bounds.min <= n <= bounds.max


def joined(key, columns):
    """r_ or c_ without directives: parts joined along the first or the last axis."""
    parts, kinds = [], []
    for item in key if type(key) is tuple else (key,):
        if isinstance(item, str) or isinstance(item, numpy.matrix):
            raise NotNative
        part = line_of(item) if type(item) is slice else asnative(item)
        number = type(item) in (bool, int, float, complex)
        kinds.append(item if number and type(item) is not bool else part.dtype)
        if part.ndim == 0:
            part = _core.reshape_view(part, (1,))
        if columns and part.ndim == 1:
            part = _core.reshape_view(part, (part.shape[0], 1))
        parts.append(part)
    dtype = native_dtype(numpy.result_type(*kinds))
    if dtype.kind in "iu" and any(type(k) is int and not fits(k, dtype) for k in kinds):
        raise NotNative
    return concatenate([converted(p, dtype) for p in parts], -1 if columns else 0)


INDEXERS = {"mgrid": mgrid, "ogrid": ogrid, "r_": lambda key: joined(key, False), "c_": lambda key: joined(key, True)}


# ---------------------------------------------------------------------------------------------------------- views
@native(name="lib.stride_tricks.sliding_window_view")
def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    a = asnative(x)
    window = tuple(window_shape) if isinstance(window_shape, (tuple, list)) else (window_shape,)
    if subok or any(type(n) is not int or n < 0 for n in window):
        raise NotNative
    axes = range(a.ndim) if axis is None else [axis_index(i, a.ndim) for i in integers(axis)]
    if len(axes) != len(window):
        raise NotNative
    shape = list(a.shape)
    for at, n in zip(axes, window, strict=True):  # an axis may come twice: windows of windows
        if shape[at] < n:
            raise NotNative
        shape[at] -= n - 1
    strides = (*a.strides, *[a.strides[at] for at in axes])
    return _core.view(a, (*shape, *window), strides, 0, None, bool(writeable) and _core.writeable(a))


@native(name="lib.stride_tricks.as_strided")
def as_strided(x, shape=None, strides=None, subok=False, writeable=True, **newer):
    if type(x) is not ndarray or subok or newer:
        raise NotNative
    shape = x.shape if shape is None else tuple(shape)
    strides = x.strides if strides is None else tuple(strides)
    if len(shape) != len(strides) or any(type(n) is not int for n in (*shape, *strides)) or min(shape, default=0) < 0:
        raise NotNative
    try:
        return _core.view(x, shape, strides, 0, None, bool(writeable) and _core.writeable(x))
    except ValueError:
        raise NotNative from None  # outside of our memory


# --------------------------------------------------------------------------------------------------------- pieces
@native
def piecewise(x, condlist, funclist, *args, **kw):
    a = asnative(x)
    masks = list(condlist) if isinstance(condlist, (list, tuple)) else [condlist]
    masks = [asnative(m) for m in masks]
    if not masks or any(m.dtype != BOOL or m.shape != a.shape for m in masks) or a.ndim == 0:
        raise NotNative
    if len(funclist) == len(masks) + 1:
        rest = masks[0]
        for m in masks[1:]:
            rest = rest | m
        masks.append(~rest)
    if len(funclist) != len(masks):
        raise NotNative
    out = _core.empty(a.shape, a.dtype)
    _core.assign(out, 0)
    for mask, function in zip(masks, funclist, strict=True):
        if not callable(function):
            if type(function) is complex and a.dtype.kind != "c" or type(function) is scalar:
                raise NotNative
            out[mask] = function
            continue
        values = a[mask]
        if values.size:
            out[mask] = function(values, *args, **kw)
    return out
