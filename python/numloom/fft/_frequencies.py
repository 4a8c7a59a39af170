"""Frequencies and shifts of spectra."""

import numpy

from numloom import _core
from numloom._base import (
    FLOAT,
    NotNative,
    asnative,
    axis_tuple,
    integer,
)
from numloom._manipulation import roll
from numloom._registry import native


def shifted(x, axes, sign):
    x = asnative(x)
    axes = tuple(range(x.ndim)) if axes is None else axis_tuple(axes if isinstance(axes, int) else tuple(axes), x.ndim)
    half = [x.shape[i] // 2 if sign > 0 else -(x.shape[i] // 2) for i in axes]
    return roll.__numloom_native__(x, tuple(half), axes)


@native(name="fft.fftshift")
def fftshift(x, axes=None):
    return shifted(x, axes, 1)


@native(name="fft.ifftshift")
def ifftshift(x, axes=None):
    return shifted(x, axes, -1)


def count(n, d):
    if not isinstance(n, (int, numpy.integer)) or not isinstance(d, (int, float)):
        raise NotNative
    n = integer(n)
    if n < 1:
        raise NotNative
    return n


@native(name="fft.fftfreq")
def fftfreq(n, d=1.0, device=None):
    n = count(n, d)
    made = _core.empty((n,), FLOAT)
    half = (n - 1) // 2 + 1
    made[:half] = _core.ramp(half, 0, 1)
    made[half:] = _core.ramp(n - half, -(n // 2), 1)
    made *= 1.0 / (n * d)
    return made


@native(name="fft.rfftfreq")
def rfftfreq(n, d=1.0, device=None):
    n = count(n, d)
    return _core.ramp(n // 2 + 1, 0, 1) * 1.0 / (n * d)
