"""Discrete Fourier transforms."""

import sys as _sys

from numloom import _modules

_modules.equip(_sys.modules[__name__], "fft")
