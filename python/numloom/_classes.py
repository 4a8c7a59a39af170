"""Classes and index helpers of NumPy's namespace that take our arrays."""

import functools

import numpy

from numloom import _core, _fallback
from numloom._base import NotNative, ndarray, scalar
from numloom._display import flatiter
from numloom._grids import INDEXERS


def arrays_of(x):
    """Arguments for a class of NumPy: our arrays as NumPy views of their memory."""
    return _fallback.Session().to_host(x)


class nditer:
    """numpy.nditer over our arrays: its operands are NumPy views of their memory."""

    def __new__(cls, *args, **kwargs):
        return numpy.nditer(*[arrays_of(x) for x in args], **{k: arrays_of(v) for k, v in kwargs.items()})


class broadcast:
    """numpy.broadcast."""

    def __new__(cls, *args):
        return numpy.broadcast(*[arrays_of(x) for x in args])


class ndenumerate(numpy.ndenumerate):
    """numpy.ndenumerate."""

    def __init__(self, arr):
        super().__init__(arrays_of(arr))


class vectorize(numpy.vectorize):
    """numpy.vectorize: the function sees NumPy's scalars; results are our arrays."""

    def __call__(self, *args, **kwargs):
        return _fallback.call("vectorize", super().__call__, args, kwargs)


class Indexer:
    """r_, c_, mgrid and ogrid: NumPy's object, our arrays."""

    def __init__(self, name, original):
        self._name, self._original = name, original

    def __getitem__(self, key):
        try:
            return INDEXERS[self._name](key)
        except NotNative:
            pass
        return _fallback.call(self._name, self._original.__getitem__, (key,), {})

    def __getattr__(self, name):
        return getattr(self._original, name)

    def __len__(self):
        return len(self._original)


def display(function):
    """A function that turns arrays into text: no work of the engine, and not counted as work of the host."""

    @functools.wraps(function, updated=())
    def call(*args, **kwargs):
        return function(*[arrays_of(x) for x in args], **{k: arrays_of(v) for k, v in kwargs.items()})

    return call


CLASSES = {
    "ndarray": ndarray,
    "ufunc": _core.ufunc,
    "flatiter": flatiter,
    "nditer": nditer,
    "broadcast": broadcast,
    "ndenumerate": ndenumerate,
    "vectorize": vectorize,
}
CLASSES.update({name: Indexer(name, getattr(numpy, name)) for name in ("r_", "c_", "mgrid", "ogrid")})
CLASSES.update({name: display(getattr(numpy, name)) for name in ("array2string", "array_repr", "array_str")})

# These see no arrays, or only print: NumPy's own objects.
CLASSES.update(
    {
        name: getattr(numpy, name)
        for name in (
            "base_repr",
            "binary_repr",
            "broadcast_shapes",
            "errstate",
            "format_float_positional",
            "format_float_scientific",
            "get_include",
            "get_printoptions",
            "getbufsize",
            "geterr",
            "geterrcall",
            "isdtype",
            "issubdtype",
            "iterable",
            "mintypecode",
            "printoptions",
            "promote_types",
            "set_printoptions",
            "setbufsize",
            "seterr",
            "seterrcall",
            "show_config",
            "show_runtime",
            "test",
            "typename",
            "info",
        )
        if hasattr(numpy, name)
    }
)


def isscalar(element):
    """numpy.isscalar."""
    return type(element) is scalar or numpy.isscalar(element)


CLASSES["isscalar"] = isscalar
