"""Comparison of a program's results under two modules."""

from __future__ import annotations

import numpy as np

EPSILON = {"f": 1e-5, "d": 1e-10, "F": 1e-5, "D": 1e-10, "e": 1e-2, "g": 1e-10, "G": 1e-10}


def compare(want, got, tolerance: float | None, place: str = "") -> tuple[float, str | None]:
    """Compare nested results.

    Parameters
    ----------
    want, got : array, list, dict or None
        What the recorder wrote under NumPy and under Numloom.
    tolerance : float or None
        Largest difference of floating-point values relative to the largest magnitude of the array; None: the dtype's.
    place : str
        Where in the results this is, for the message.

    Returns
    -------
    tuple of float and (str or None)
        The largest relative difference, and what is wrong if anything is.
    """
    if type(want) is not type(got):
        return 0.0, f"{place}: {type(want).__name__} and {type(got).__name__}"
    if want is None:
        return 0.0, None
    if isinstance(want, dict):
        if want.keys() != got.keys():
            return 0.0, f"{place}: names {sorted(want)} and {sorted(got)}"
        pairs = [(f"{place}.{key}" if place else key, want[key], got[key]) for key in want]
    elif isinstance(want, list):
        if len(want) != len(got):
            return 0.0, f"{place}: {len(want)} and {len(got)} items"
        pairs = [(f"{place}[{i}]", *pair) for i, pair in enumerate(zip(want, got, strict=True))]
    else:
        return compare_arrays(want, got, tolerance, place)
    worst = 0.0
    for inner, a, b in pairs:
        difference, fault = compare(a, b, tolerance, inner)
        worst = max(worst, difference)
        if fault:
            return worst, fault
    return worst, None


def compare_arrays(want, got, tolerance, place):
    """Compare two arrays: dtype and shape, exact values for anything but floating point."""
    if want.dtype != got.dtype or want.shape != got.shape:
        return 0.0, f"{place}: {want.dtype}{want.shape} and {got.dtype}{got.shape}"
    if want.dtype.names:
        return compare({n: want[n] for n in want.dtype.names}, {n: got[n] for n in got.dtype.names}, tolerance, place)
    if want.dtype.char not in EPSILON:
        return 0.0, None if np.array_equal(want, got) else f"{place}: different {want.dtype}"
    if not want.size:
        return 0.0, None
    with np.errstate(all="ignore"):
        finite = np.isfinite(want)
        if not np.array_equal(finite, np.isfinite(got)):
            return np.inf, f"{place}: NaN or infinities in other places"
        if not np.array_equal(np.nan_to_num(want[~finite], nan=3), np.nan_to_num(got[~finite], nan=3)):
            return np.inf, f"{place}: other infinities"
        scale = np.abs(want[finite]).max(initial=0.0)
        difference = float(np.abs(want[finite] - got[finite]).max(initial=0.0) / (scale or 1.0))
    if difference > (EPSILON[want.dtype.char] if tolerance is None else tolerance):
        return difference, f"{place}: relative difference {difference:.2g}"
    return difference, None
