"""Linear algebra."""

import sys as _sys

from numloom import _modules
from numloom.linalg import _norm  # noqa: F401 (registers its functions)

_modules.equip(_sys.modules[__name__], "linalg")
