"""Which public names the engine does itself. One table, filled by decorators; coverage() and the tests read it."""

import functools

import numpy

from numloom import _core
from numloom._base import NotNative

REFUSALS = (TypeError, ValueError, IndexError, OverflowError)  # what calls with bad arguments raise

NATIVE = {}  # dotted name below numpy ("sum", "linalg.norm", "ndarray.sum") -> the function


# Names whose everyday calls the bindings do in C, and what they fold with.
QUICK = {
    "sum": "add",
    "prod": "multiply",
    "min": "minimum",
    "max": "maximum",
    "amin": "minimum",
    "amax": "maximum",
    "any": "logical_or",
    "all": "logical_and",
    "asarray": "array",
    "linalg.norm": "norm",
}
QUICK |= {
    name: name
    for name in (
        "mean",
        "var",
        "std",
        "argmax",
        "argmin",
        "where",
        "zeros",
        "ones",
        "empty",
        "array",
        "reshape",
        "copy",
        "astype",
        "item",
        "sort",
        "argsort",
        "cumsum",
        "repeat",
    )
}


def quick(name, function):
    """`function`, its everyday calls done in C where the bindings know them."""
    if name not in QUICK:
        return function
    return _core.quick(QUICK[name], function, not isinstance(function, staticmethod))


def native(function=None, *, name=None, oracle=None):
    """Registers a function that the engine does; calls that it refuses by NotNative go to NumPy's of that name.

    Parameters
    ----------
    name : str, optional
        The dotted public name; the function's own unless given.
    oracle : callable, optional
        NumPy's function; numpy's attribute of that name unless given.
    """
    if function is None:
        return functools.partial(native, name=name, oracle=oracle)
    name = name or function.__name__.rstrip("_")
    if oracle is None:
        oracle = numpy
        for part in name.split("."):
            oracle = getattr(oracle, part)

    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except NotNative:
            error = None
        except REFUSALS as e:
            error = e
        from numloom import _fallback

        return _fallback.call_after(error, name, oracle, args, kwargs)

    functools.update_wrapper(call, oracle, assigned=("__name__", "__qualname__", "__doc__"), updated=())
    call.__module__ = "numloom"
    call.__numloom_oracle__ = oracle
    call.__numloom_native__ = function
    from numloom._fallback import unbound

    NATIVE[name] = quick(name, unbound(call, oracle))
    return NATIVE[name]


def method(function=None, *, name=None):
    """Registers a method of the array that the engine does; refused calls go to NumPy's method on the host."""
    if function is None:
        return functools.partial(method, name=name)
    name = name or function.__name__.rstrip("_")

    oracle = getattr(numpy.ndarray, name)

    def call(self, *args, **kwargs):
        try:
            return function(self, *args, **kwargs)
        except NotNative:
            error = None
        except REFUSALS as e:
            error = e
        from numloom import _fallback

        return _fallback.call_after(error, "ndarray." + name, oracle, (self, *args), kwargs)

    call.__name__ = name
    call.__qualname__ = "ndarray." + name
    call.__doc__ = oracle.__doc__
    call.__module__ = "numloom"
    call.__wrapped__ = oracle  # where inspect and help() find the signature
    if name != "sort":  # the method sorts in place
        call = quick(name, call)
    NATIVE["ndarray." + name] = call
    return call
