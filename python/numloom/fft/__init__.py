"""Discrete Fourier transforms."""

import sys as _sys

from numloom import _modules
from numloom.fft import _frequencies  # noqa: F401 (registers its functions)

_modules.equip(_sys.modules[__name__], "fft")
