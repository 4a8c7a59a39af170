"""Linear algebra."""

import sys as _sys

from numloom import _modules
from numloom.linalg import _composed, _lapack, _norm  # noqa: F401 (they register their functions)

_modules.equip(_sys.modules[__name__], "linalg")
