"""Discrete Fourier transforms."""

import sys as _sys

import numpy.fft as _numpy_fft

from numloom import _fallback, _modules
from numloom.fft import (
    _frequencies,  # noqa: F401 (registers its functions)
    _threads,
)

for _name in _threads.TRANSFORMS:
    _made = _fallback.wrap(_threads.threaded(_name), f"fft.{_name}")
    _made.__numloom_oracle__ = getattr(_numpy_fft, _name)
    globals()[_name] = _made
del _name, _made

_modules.equip(_sys.modules[__name__], "fft")
