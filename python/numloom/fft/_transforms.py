"""The transforms: arguments, lengths and dtypes here, the sums in the library's `fft`.

Without the library's module they run on the host (`_threads`). Calls that NumPy refuses, or warns of, are NumPy's.
"""

import functools
import math

import numpy

from numloom import _core, _fallback
from numloom._base import (
    NotNative,
    asnative,
    astype,
    fresh_like,
    integer,
    ndarray,
    said,
)
from numloom._library import product
from numloom._registry import native
from numloom.fft import _threads

COMPLEX, HALF_SPECTRUM, REAL, FULL_SPECTRUM = range(4)
SINGLE, DOUBLE, COMPLEX64, COMPLEX128 = (numpy.dtype(c) for c in "fdFD")
REPORTED = {name: _core.report_as(name) for name in ("fft", "ifft", "irfft", "rfft_n_even", "rfft_n_odd")}
NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}


def factor(count, forward, norm):
    """What the sums over `count` points are multiplied with."""
    try:
        norm = NORMS[norm]
    except (KeyError, TypeError):
        raise NotNative from None
    if norm == 1:
        return 1 / math.sqrt(count)
    return 1.0 if forward == (norm == 0) else 1 / count


def fitted(a, dtype, axes, extents):
    """`a` in `dtype`, cut or continued by zeros to the extents along the axes."""
    if len(axes) == 1 and a.ndim == 1 and a.shape[0] == extents[0] and a.dtype == dtype and a.strides[0] == a.itemsize:
        return a
    shape = list(a.shape)
    for axis, n in zip(axes, extents, strict=True):
        shape[axis] = n
    wanted, given = tuple(shape), a.shape
    if wanted != given:
        common = tuple([slice(min(n, m)) for n, m in zip(wanted, given, strict=True)])
        a = a[common]
        if a.shape != wanted:
            padded = _core.empty(wanted, dtype)
            _core.assign(padded, 0)
            _core.assign(padded[common], a)
            return padded
    size = a.itemsize
    return a if a.dtype == dtype and not any(s % size for s in a.strides) else astype(a, dtype)


def transformed(kind, forward, a, axes, lengths, norm, out):
    """The transform of `a` over different axes; the last of them is the one that is real on one side."""
    char = a.dtype.char
    single = char in "efF"
    if min(lengths) < 1:
        raise NotNative
    count = product(lengths)
    scale = factor(count, forward, norm)
    if char == "e" and (kind == REAL or scale != 1):
        raise NotNative  # NumPy rounds the results or the factor to half precision
    of_complex = char in "FD"
    if kind == HALF_SPECTRUM and of_complex:
        raise NotNative
    if kind == COMPLEX and not of_complex:
        kind = FULL_SPECTRUM
    real, whole = (SINGLE, COMPLEX64) if single else (DOUBLE, COMPLEX128)
    last = lengths[-1]
    source = fitted(
        a, whole if kind in (COMPLEX, REAL) else real, axes, [*lengths[:-1], last // 2 + 1] if kind == REAL else lengths
    )
    shape = list(source.shape)
    shape[axes[-1]] = last // 2 + 1 if kind == HALF_SPECTRUM else last
    dtype = real if kind == REAL else whole
    shape = tuple(shape)
    target = out
    if out is None:
        target = fresh_like(a, dtype, shape)
    elif type(out) is not ndarray or out.dtype != dtype or out.shape != shape or not _core.writeable(out):
        raise NotNative
    elif _core.shares_storage(out, source) or any(s % out.itemsize for s in out.strides):
        target = _core.empty(shape, dtype)
    if target.size:
        parameters = (kind, int(forward), scale, *in_numpys_order(kind, axes))
        said(REPORTED[reported_name(kind, forward, lengths)], _core.library, "fft", parameters, target, source)
    if out is not None and target is not out:
        _core.assign(out, target)
        return out
    return target


def reported_name(kind, forward, lengths):
    """The loop of NumPy's whose conditions count: of several, the last one along one axis."""
    if kind == REAL:
        return "irfft"
    if kind == HALF_SPECTRUM and len(lengths) == 1:
        return "rfft_n_odd" if lengths[0] % 2 else "rfft_n_even"
    return "fft" if forward else "ifft"


def in_numpys_order(kind, axes):
    """The axes as the library takes them: in their order, but the last one first where it makes the spectrum of reals
    and last where it makes reals. NumPy begins with the last axis, but for transforms to reals."""
    if len(axes) == 1 or kind == REAL:
        return axes
    if kind == COMPLEX:
        return axes[::-1]
    return [*axes[-2::-1], axes[-1]]


def one_axis(kind, forward, a, n, axis, norm, out):
    a = asnative(a)
    ndim = a.ndim
    axis = integer(axis)
    if not -ndim <= axis < ndim:
        raise NotNative
    axis %= ndim
    if n is None:
        n = a.shape[axis]
        if kind == REAL:
            n = 2 * (n - 1)
    else:
        n = integer(n)
    return transformed(kind, forward, a, (axis,), (n,), norm, unpacked(out))


def unpacked(out):
    return out[0] if type(out) is tuple and len(out) == 1 else out


def several_axes(kind, forward, a, s, axes, norm, out):
    a = asnative(a)
    ndim = a.ndim
    if axes is None:
        if s is not None:
            raise NotNative  # NumPy warns
        axes = range(ndim)
    axes = [integer(i) for i in axes]
    if not axes or any(not -ndim <= i < ndim for i in axes):
        raise NotNative
    axes = [i % ndim for i in axes]
    lengths = [a.shape[i] for i in axes]
    if s is not None:
        s = list(s)
        if len(s) != len(axes) or None in s:
            raise NotNative
        s = [integer(n) for n in s]
        lengths = [m if n == -1 else n for n, m in zip(s, lengths, strict=True)]
    elif kind == REAL:
        lengths[-1] = 2 * (lengths[-1] - 1)
    if len(set(axes)) != len(axes) or out is not None and s is not None:
        raise NotNative
    return transformed(kind, forward, a, axes, lengths, norm, unpacked(out))


def register(name, run, *head, defaults):
    """`fft.<name>`, whose arguments after the array have these names and defaults."""
    on_host = _threads.threaded(name)
    first, first_default, second, second_default = defaults

    def call(a, *args, **kwargs):
        if not available():
            return _fallback.call("fft." + name, on_host, (a, *args), kwargs)
        if len(args) > 4:
            raise NotNative
        values = [first_default, second_default, None, None]
        values[: len(args)] = args
        for key, value in kwargs.items():
            try:
                place = (first, second, "norm", "out").index(key)
            except ValueError:
                raise NotNative from None
            if place < len(args):
                raise NotNative
            values[place] = value
        return run(*head, a, *values)

    call.__name__ = name
    return native(call, name="fft." + name)


@functools.cache
def available():
    """Whether the build holds the transforms."""
    return _core.load_fft()


ONE = "n", None, "axis", -1
ALL = "s", None, "axes", None
TWO = "s", None, "axes", (-2, -1)
FUNCTIONS = {
    name: register(name, run, kind, forward, defaults=defaults)
    for name, run, kind, forward, defaults in (
        ("fft", one_axis, COMPLEX, True, ONE),
        ("ifft", one_axis, COMPLEX, False, ONE),
        ("rfft", one_axis, HALF_SPECTRUM, True, ONE),
        ("irfft", one_axis, REAL, False, ONE),
        ("hfft", one_axis, REAL, True, ONE),
        ("ihfft", one_axis, HALF_SPECTRUM, False, ONE),
        ("fft2", several_axes, COMPLEX, True, TWO),
        ("ifft2", several_axes, COMPLEX, False, TWO),
        ("rfft2", several_axes, HALF_SPECTRUM, True, TWO),
        ("irfft2", several_axes, REAL, False, TWO),
        ("fftn", several_axes, COMPLEX, True, ALL),
        ("ifftn", several_axes, COMPLEX, False, ALL),
        ("rfftn", several_axes, HALF_SPECTRUM, True, ALL),
        ("irfftn", several_axes, REAL, False, ALL),
    )
}
