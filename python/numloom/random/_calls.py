"""How the methods of generators are made: arguments bound as NumPy's functions take them, and who does the call."""

import functools
import sys
import warnings

from numloom import _core
from numloom._base import NotNative

REQUIRED = object()


class Signature:
    """Names and defaults of arguments: "low high=None", or with values for the defaults."""

    def __init__(self, text, **defaults):
        self.names, self.defaults = [], []
        for word in text.split():
            name, equals, default = word.partition("=")
            self.names.append(name)
            known = {"None": None, "True": True, "False": False}
            value = REQUIRED
            if equals:
                value = defaults[name] if name in defaults else known[default] if default in known else float(default)
            self.defaults.append(value)
        self.defaults = tuple(self.defaults)
        self.most = len(self.names)
        self.required = sum(d is REQUIRED for d in self.defaults)

    def bound(self, args, kwargs):
        """The arguments in order; NotNative (so NumPy's TypeError) where they don't fit."""
        given = len(args)
        if given > self.most:
            raise NotNative
        if not kwargs and given >= self.required:
            return args + self.defaults[given:]
        values = list(args + self.defaults[given:])
        for name, value in kwargs.items():
            if name not in self.names[given:]:
                raise NotNative
            values[self.names.index(name)] = value
        if any(v is REQUIRED for v in values):
            raise NotNative
        return values


def method(name, signature, implementation):
    """A method: implementation(stream, *arguments), or NumPy's where that raises NotNative."""

    def call(self, *args, **kwargs):
        try:
            return implementation(self._now(), *signature.bound(args, kwargs))
        except NotNative:
            pass
        return self._host(name)(*args, **kwargs)

    return call


# How C reads the everyday form of a call.
PLAIN, ARGUMENTS, INTEGERS, LEGACY_INTEGERS, BETWEEN = range(5)


def quick(call, form, number, defaults, holder=None, hidden=None):
    """`call`, its everyday form (numbers as parameters, a size, nothing else) done in C."""
    return _core.draw_quick(call, form, number, defaults, holder, hidden)


def dressed(call, oracle):
    """`call` with the name and the text of NumPy's."""
    functools.update_wrapper(call, oracle, updated=())
    return call


def warn(text, category):
    """A warning at the user's line."""
    frame, depth = sys._getframe(1), 3
    while frame.f_back is not None and frame.f_back.f_globals.get("__name__", "").startswith("numloom."):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, category, stacklevel=depth)
