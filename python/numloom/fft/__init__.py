"""Discrete Fourier transforms."""

import sys as _sys

from numloom import _modules
from numloom.fft import _frequencies, _transforms  # noqa: F401 (they register their functions)

_modules.equip(_sys.modules[__name__], "fft")
