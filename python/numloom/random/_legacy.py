"""numpy.random.RandomState and the module functions, whose draws are arrays of ours."""

import numpy
import numpy.random

from numloom import _fallback
from numloom._registry import NATIVE, native
from numloom.random import _choices, _distributions, _rows
from numloom.random._calls import Signature, dressed, quick
from numloom.random._generator import Kind, host_methods, methods
from numloom.random._streams import Free, NotNative, Stream, entropy

_BASE = numpy.random.RandomState
_UTILITIES = frozenset(("get_state", "set_state", "seed"))
_STATE = ("seed", "get_state", "set_state", "get_bit_generator", "set_bit_generator")


def _sized(implementation):
    """rand and randn: the size as arguments."""
    return lambda stream, *size: implementation(stream, size or None)


class _Any:
    """The signature of rand and randn."""

    @staticmethod
    def bound(args, kwargs):
        if kwargs:
            raise NotNative
        return args


def implementations():
    """name -> (signature, implementation) of what the library draws."""
    size = Signature("size=None")
    found = {name: _distributions.plain(name, True) for name in _distributions.PLAIN}
    found |= {
        name: getattr(_distributions, name)(True)
        for name in ("uniform", "normal", "binomial", "negative_binomial", "hypergeometric")
    }
    flat, normal = _distributions.flat, _distributions.legacy_standard_normal
    found |= {
        "random": (size, flat),
        "random_sample": (size, flat),
        "rand": (_Any, _sized(flat)),
        "standard_normal": (size, normal),
        "randn": (_Any, _sized(normal)),
        "standard_exponential": (size, _distributions.legacy_standard_exponential),
        "standard_gamma": (Signature("shape size=None"), _distributions.one("legacy_standard_gamma", (False,))),
        "tomaxint": (size, _distributions.tomaxint),
        "randint": _distributions.integers(True),
        "random_integers": (Signature("low high=None size=None"), _distributions.random_integers),
        "triangular": (Signature("left mode right size=None"), _distributions.triangular),
        "shuffle": (Signature("x"), _choices.legacy_shuffle),
        "permutation": (Signature("x"), _choices.legacy_permutation),
        "choice": (Signature("a size=None replace=True p=None"), _choices.legacy_choice),
        "multinomial": (Signature("n pvals size=None"), _rows.multinomial(True)),
        "dirichlet": (Signature("alpha size=None"), _rows.dirichlet(True)),
        "multivariate_normal": (
            Signature("mean cov size=None check_valid=None tol=1e-8", check_valid="warn"),
            lambda stream, *arguments: _multivariate_normal(stream, *arguments, "svd"),
        ),
    }
    return found


_multivariate_normal = _rows.multivariate_normal(_distributions.legacy_standard_normal)


def _make_state(bit_generator):
    return RandomState(bit_generator)


class RandomState(_BASE, metaclass=Kind):
    """numpy.random.RandomState whose draws are our arrays.

    The library draws NumPy's numbers from NumPy's bit generator; without a seed, long draws come from a counter-based
    stream, by all threads, until someone seeds it, asks for its state or for its bit generator.
    """

    _on_host = host_methods(_BASE, _UTILITIES)
    locals().update(_on_host)
    locals().update(methods(_BASE, implementations(), True))

    def __init__(self, seed=None):
        unseeded = seed is None
        if unseeded:
            drawn = entropy()
            seed = drawn if drawn is None else drawn % 2**32
        super().__init__(_fallback.plain(seed))
        self._stream = Stream(super()._bit_generator, self)
        self._stream.free = Free() if unseeded else None

    def _now(self):
        if not self._stream.kept:
            raise NotNative
        return self._stream

    def _host(self, name):
        return self._on_host[name].__get__(self)

    @property
    def _bit_generator(self):
        self._stream.free = None
        return super()._bit_generator

    def get_state(self, legacy=True):
        self._stream.free = None
        return (
            _fallback.Session().from_host(super().get_state(legacy=legacy))
            if legacy
            else super().get_state(legacy=False)
        )

    def set_state(self, state):
        self._stream.free = None
        return super().set_state(_fallback.plain(state))

    def seed(self, seed=None):
        self._stream.free = None
        return super().seed(_fallback.plain(seed))

    def __setstate__(self, state):
        self.set_state(state)

    def __reduce__(self):
        return _make_state, (self._bit_generator,), super().get_state(legacy=False)


RandomState.__module__ = "numloom.random"


class Module:
    """The module functions' hidden RandomState, which is NumPy's, so that seeds set there count here too."""

    def __init__(self):
        self._hidden = numpy.random.mtrand._rand
        self._stream, self._free, self._owed = None, None, False

    def _now(self):
        bits = self._hidden._bit_generator
        stream = self._stream
        if stream is None or stream.bits is not bits:
            stream = self._stream = Stream(bits, self._hidden)
        if not stream.kept:
            raise NotNative
        # Seeding a bit generator afresh takes the seed sequence away that it was made with.
        if self._owed or getattr(bits, "_seed_seq", None) is None:
            stream.free = None
        else:
            if self._free is None:
                self._free = Free()
            stream.free = self._free
        return stream

    def owing(self, name):
        """NumPy's function of that name, which lets users look at the state, or set it."""
        function = _fallback.wrap(getattr(numpy.random, name), f"random.{name}")
        oracle = getattr(numpy.random, name)

        def call(*args, **kwargs):
            self._owed = True
            return function(*args, **kwargs)

        dressed(call, oracle)
        call.__module__ = "numloom"
        call.__numloom_oracle__ = oracle
        return _fallback.unbound(call, oracle)

    def drawing(self, name, signature, implementation):
        """The function of that name, registered as one that the engine does."""

        def call(*args, **kwargs):
            return implementation(self._now(), *signature.bound(args, kwargs))

        made = native(call, name=f"random.{name}", oracle=getattr(numpy.random, name))
        fast = _distributions.everyday(True).get("random_sample" if name in ("ranf", "sample") else name)
        if fast is not None:
            made = NATIVE[f"random.{name}"] = quick(made, *fast, self, self._hidden)
        return made


def module_functions():
    """name -> function: numpy.random.normal and its like, methods of one hidden RandomState."""
    module, drawn, found = Module(), implementations(), {}
    drawn["ranf"] = drawn["sample"] = drawn["random_sample"]
    for name in numpy.random.__all__:
        value = getattr(numpy.random, name)
        if isinstance(value, type) or not callable(value):
            continue
        if name in drawn:
            found[name] = module.drawing(name, *drawn[name])
        elif name in _STATE:
            found[name] = module.owing(name)
        else:
            found[name] = _fallback.wrap(value, f"random.{name}")
    return found
