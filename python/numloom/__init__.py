"""NumPy's array, once, for every machine: `import numloom as np`.

Calls are recorded and run, fused, when somebody needs values. What the engine has no operation for runs through NumPy
on the host; `coverage()` tells what did.
"""

import numpy as _numpy

from numloom import (
    _core,
    _creation,  # noqa: F401 (each of these registers its functions)
    _differences,  # noqa: F401
    _editing,  # noqa: F401
    _functions,  # noqa: F401
    _histograms,  # noqa: F401
    _indexing,
    _library,  # noqa: F401
    _manipulation,  # noqa: F401
    _methods,
    _modules,
    _polynomials,  # noqa: F401
    _positions,  # noqa: F401
    _processes,
    _products,  # noqa: F401
    _quantiles,  # noqa: F401
    _reductions,  # noqa: F401
    _sets,  # noqa: F401
    _special,  # noqa: F401
    _statistics,  # noqa: F401
    _ufunc,
)
from numloom._classes import CLASSES as _CLASSES
from numloom._registry import NATIVE as _NATIVE
from numloom._tools import (  # noqa: F401 (public names; __all__ is computed)
    asnumpy,
    cmake_dir,
    coverage,
    eval,
    get_array_module,
    mesh,
    plan,
    stats,
)

__version__ = "0.1.0"

ndarray = _core.ndarray
ufunc = _core.ufunc

_ufunc.install()
_indexing.install()
_methods.install()
_modules.install()
_processes.install()

_OWN = ("asnumpy", "cmake_dir", "coverage", "eval", "get_array_module", "mesh", "plan", "stats")
__all__ = [*_numpy.__all__, *_OWN]
__array_api_version__ = _numpy.__array_api_version__


def __getattr__(name):
    if name.startswith("__") and name not in ("__array_namespace_info__", "__config__"):
        raise AttributeError(f"module 'numloom' has no attribute {name!r}")
    value = _ufunc.OBJECTS.get(name)
    if value is None:
        value = _CLASSES.get(name)
    if value is None:
        try:
            original = getattr(_numpy, name)
        except AttributeError as error:
            raise AttributeError(str(error).replace("module 'numpy'", "module 'numloom'")) from None
        value = _NATIVE.get(_ufunc.ALIASES.get(name, name)) or _modules.adapted(name, original)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*dir(_numpy), *globals()})


def _ours_for(function):
    """Our function for NumPy's; None where it runs on the host."""
    return _modules.by_oracle().get(id(function))
