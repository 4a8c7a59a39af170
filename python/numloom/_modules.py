"""NumPy's public modules under our name: functions take and give our arrays, everything else is NumPy's own object.

`numloom.linalg`, `numloom.fft` and `numloom.random` are packages of ours; any other module that NumPy has
(`numloom.lib.stride_tricks`, `numloom.polynomial`, `numloom.char`, ...) is made here when it is imported.
"""

import importlib
import importlib.machinery
import sys
import types

import numpy

from numloom import _fallback
from numloom._registry import NATIVE

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, type(numpy.sum))

# Modules that are NumPy's own object under our name: they hold classes, constants and helpers of tests.
_SAME = frozenset(("testing", "exceptions", "dtypes", "typing", "ctypeslib", "version", "core", "f2py", "matlib"))


def adapted(name, value):
    """What `numloom.<name>` is, for NumPy's object of that dotted name."""
    ours = NATIVE.get(name)
    if ours is not None:
        return ours
    if isinstance(value, _FUNCTIONS):
        known = by_oracle().get(id(value))
        return known if known is not None else _fallback.wrap(value, name)
    if type(value) is numpy.ufunc:
        from numloom._ufunc import OBJECTS, HostUfunc

        return OBJECTS.get(value.__name__) or HostUfunc(value, name)
    if isinstance(value, types.ModuleType) and value.__name__.startswith("numpy"):
        short = value.__name__.removeprefix("numpy.")
        if not short.startswith("_") and not any(part.startswith("_") for part in short.split(".")):
            try:
                return importlib.import_module("numloom." + short)
            except ImportError:
                pass
    return value


_by_oracle = {}


def by_oracle():
    """id(NumPy's function) -> our native one."""
    if not _by_oracle:
        for name, function in NATIVE.items():
            oracle = getattr(function, "__numloom_oracle__", None)
            if oracle is not None and not name.startswith("ndarray."):
                _by_oracle[id(oracle)] = function
    return _by_oracle


def attribute_getter(module, dotted, original):
    """A module's __getattr__: NumPy's attributes, adapted once and kept."""

    def getter(name):
        if name.startswith("__"):
            raise AttributeError(f"module '{module.__name__}' has no attribute {name!r}")
        try:
            value = getattr(original, name)
        except AttributeError:
            raise AttributeError(f"module '{module.__name__}' has no attribute {name!r}") from None
        value = adapted(f"{dotted}.{name}", value)
        module.__dict__[name] = value
        return value

    return getter


def equip(module, dotted):
    """Gives a module of ours the names that NumPy's module has and it lacks."""
    original = importlib.import_module("numpy." + dotted)
    module.__getattr__ = attribute_getter(module, dotted, original)
    public = list(getattr(original, "__all__", [n for n in dir(original) if not n.startswith("_")]))
    module.__all__ = public
    module.__dir__ = lambda: sorted({*dir(original), *module.__dict__})


class Finder:
    """Makes numloom.<module> for NumPy's public modules that are not files of ours."""

    def find_spec(self, fullname, path=None, target=None):
        if not fullname.startswith("numloom."):
            return None
        short = fullname.removeprefix("numloom.")
        parts = short.split(".")
        if any(p.startswith("_") for p in parts) or parts[0] in ("linalg", "fft", "random") and len(parts) == 1:
            return None
        try:
            importlib.import_module("numpy." + short)
        except ImportError:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        short = spec.name.removeprefix("numloom.")
        original = importlib.import_module("numpy." + short)
        if short.split(".")[0] in _SAME:
            return None
        module = types.ModuleType(spec.name, original.__doc__)
        return module

    def exec_module(self, module):
        short = module.__name__.removeprefix("numloom.")
        if short.split(".")[0] in _SAME:
            sys.modules[module.__name__] = importlib.import_module("numpy." + short)
            return
        module.__path__ = []
        equip(module, short)


def install():
    sys.meta_path.append(Finder())
