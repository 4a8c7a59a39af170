"""Reproducible input values: the same for every module, process and Python."""

from __future__ import annotations

import functools

import numpy

WILD = [0.0, -0.0, 1.0, -1.0, numpy.inf, -numpy.inf, numpy.nan, 1e-310, -1e-310, 1e300, -1e300, 0.5, 3.0, 1e-40, 1e38]


@functools.lru_cache(maxsize=256)
def _fill(dtype: str, shape: tuple, seed: int, kind: str) -> numpy.ndarray:
    rng = numpy.random.RandomState(seed % 2**31)
    dt = numpy.dtype(dtype)
    if dt.kind == "b":
        return rng.randint(0, 2, size=shape).astype(bool)
    if dt.kind in "iu":
        low = 0 if dt.kind == "u" else -30
        if kind == "wild":
            info = numpy.iinfo(dt)
            edge = numpy.array([info.min, info.max, 0, 1, info.max - 1, info.min + 1], dtype=dt)
            return numpy.where(
                rng.random_sample(shape) < 0.3,
                edge[rng.randint(0, 6, size=shape)],
                rng.randint(low, 31, size=shape).astype(dt),
            ).astype(dt)
        return rng.randint(low, 31, size=shape).astype(dt)
    parts = [_floats(rng, shape, kind) for _ in range(2 if dt.kind == "c" else 1)]
    with numpy.errstate(all="ignore"):
        if dt.kind == "c":
            out = numpy.empty(shape, dt)
            out.real, out.imag = parts
            return out
        return numpy.asarray(parts[0]).astype(dt)


def _floats(rng, shape, kind):
    if kind == "whole":  # sums and products of these are exact
        return rng.randint(-20, 21, size=shape).astype(float)
    if kind == "unit":
        return rng.random_sample(shape) * 4 - 2
    if kind == "positive":
        return rng.random_sample(shape) * 4 + 0.125
    if kind == "wild":
        plain = rng.random_sample(shape) * 4 - 2
        edge = numpy.array(WILD)[rng.randint(0, len(WILD), size=shape)]
        return numpy.where(rng.random_sample(shape) < 0.15, edge, plain)
    raise ValueError(f"unknown kind of values {kind!r}")


def fill(dtype: str, shape, seed: int, kind: str = "whole") -> numpy.ndarray:
    """Values for an input.

    Parameters
    ----------
    dtype : str
        NumPy's name of the dtype.
    shape : tuple of int
    seed : int
    kind : {'whole', 'unit', 'positive', 'wild'}
        Small whole numbers; uniform in [-2, 2); uniform in [0.125, 4.125); uniform with NaN, infinities, signed
        zeros and extreme magnitudes strewn in (limits of the type for integers).

    Returns
    -------
    numpy.ndarray
        A fresh array.
    """
    return _fill(str(dtype), tuple(shape), int(seed), kind).copy()


class Special:
    """scipy.special where it is installed; the import is put off because it takes longer than a program."""

    def __getattr__(self, name):
        from scipy import special

        return getattr(special, name)
