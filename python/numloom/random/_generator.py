"""numpy.random.Generator whose draws are arrays of ours."""

import copy

import numpy
import numpy.random

from numloom import _fallback
from numloom.random import _choices, _distributions, _rows
from numloom.random._calls import Signature, dressed, method, quick
from numloom.random._streams import Stream

_BASE = numpy.random.Generator
_UTILITIES = frozenset(("bit_generator", "spawn"))
_DTYPE = "size=None dtype=None out=None"
# Methods whose numbers NumPy 2.5 changed; the library has those from then on, and NumPy itself draws its former ones.
_CHANGED = {"wald": (2, 5), "binomial": (2, 5), "multinomial": (2, 5)}
_INSTALLED = tuple(int(part) for part in numpy.__version__.split(".")[:2])


class Kind(type):
    """A class whose instances include those of the NumPy class that it extends."""

    def __instancecheck__(cls, x):
        return isinstance(x, cls.__mro__[1]) if cls.__module__ == "numloom.random" else type.__instancecheck__(cls, x)


def forwarded(base, name):
    """NumPy's method for our arrays, done on the host."""
    oracle = getattr(base, name)
    label = f"random.{base.__name__}.{name}"

    def call(self, *args, **kwargs):
        return _fallback.call(label, oracle.__get__(self), args, kwargs)

    return dressed(call, oracle)


def host_methods(base, utilities):
    return {
        name: forwarded(base, name)
        for name in dir(base)
        if not name.startswith("_") and name not in utilities and callable(getattr(base, name))
    }


def implementations():
    """name -> (signature, implementation) of what the library draws."""
    found = {name: _distributions.plain(name, False) for name in _distributions.PLAIN}
    found |= {name: getattr(_distributions, name)(False) for name in ("uniform", "normal", "integers")}
    found |= {
        name: getattr(_distributions, name)(False) for name in ("binomial", "negative_binomial", "hypergeometric")
    }
    with_dtype, one = _distributions.with_dtype, _distributions.one
    found |= {
        "random": (Signature(_DTYPE, dtype=float), with_dtype(_distributions.flat, one("random_f"))),
        "standard_normal": (
            Signature(_DTYPE, dtype=float),
            with_dtype(_distributions.standard_normal, one("standard_normal_f")),
        ),
        "standard_exponential": (
            Signature("size=None dtype=None method=None out=None", dtype=float, method="zig"),
            _distributions.standard_exponential,
        ),
        "standard_gamma": (
            Signature("shape " + _DTYPE, dtype=float),
            with_dtype(one("standard_gamma", (False,)), one("standard_gamma_f", (False,))),
        ),
        "triangular": (Signature("left mode right size=None"), _distributions.triangular),
        "shuffle": (Signature("x axis=None", axis=0), _choices.shuffle),
        "permutation": (Signature("x axis=None", axis=0), _choices.permutation),
        "choice": (Signature("a size=None replace=True p=None axis=None shuffle=True", axis=0), _choices.choice(False)),
        "multinomial": (Signature("n pvals size=None"), _rows.multinomial(False)),
        "dirichlet": (Signature("alpha size=None"), _rows.dirichlet(False)),
        "multivariate_hypergeometric": (
            Signature("colors nsample size=None method=None", method="marginals"),
            _rows.multivariate_hypergeometric,
        ),
        "multivariate_normal": (
            Signature("mean cov size=None check_valid=None tol=1e-8 method=None", check_valid="warn", method="svd"),
            _rows.multivariate_normal(_distributions.standard_normal),
        ),
    }
    return {name: how for name, how in found.items() if _CHANGED.get(name, (0, 0)) <= _INSTALLED}


def methods(base, drawn, legacy):
    """name -> method of what the library draws, its everyday calls in C."""
    made = {name: dressed(method(name, *how), getattr(base, name)) for name, how in drawn.items()}
    fast = _distributions.everyday(legacy)
    return {name: quick(call, *fast[name]) if name in fast else call for name, call in made.items()}


def _make_generator(bit_generator):
    return Generator(bit_generator)


class Generator(_BASE, metaclass=Kind):
    """numpy.random.Generator whose draws are our arrays.

    The library draws NumPy's numbers from NumPy's bit generator. A generator that was made without a seed owes nobody a
    stream: its long draws come from a counter-based one, by all threads, until someone asks for its bit generator.
    """

    _on_host = host_methods(_BASE, _UTILITIES)
    locals().update(_on_host)
    locals().update(methods(_BASE, implementations(), False))

    def __init__(self, bit_generator):
        super().__init__(bit_generator)
        self._stream = Stream(bit_generator)

    @property
    def bit_generator(self):
        """The bit generator. Who asks for it may look at its state: from then on all draws come from its stream."""
        self._stream.free = None
        return super().bit_generator

    def _now(self):
        return self._stream

    def _host(self, name):
        return self._on_host[name].__get__(self)

    def __reduce__(self):
        return _make_generator, (self.bit_generator,), None

    def __deepcopy__(self, memo):
        return Generator(copy.deepcopy(self.bit_generator, memo))

    def spawn(self, n_children):
        return [Generator(g.bit_generator) for g in super().spawn(n_children)]


Generator.__module__ = "numloom.random"
