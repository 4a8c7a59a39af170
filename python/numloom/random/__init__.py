"""Random numbers: NumPy's generators and their streams, bit for bit; what they draw comes back as our arrays."""

import functools as _functools
import sys as _sys

import numpy.random as _numpy_random

from numloom import _fallback, _modules

_UTILITIES = frozenset(("bit_generator", "spawn", "get_state", "set_state", "seed"))


def _forward(base, name):
    method = getattr(base, name)
    label = f"random.{base.__name__}.{name}"

    @_functools.wraps(method, updated=())
    def call(self, *args, **kwargs):
        return _fallback.call(label, method, (self, *args), kwargs)

    return call


def _methods(base):
    return {name: _forward(base, name) for name in dir(base) if not name.startswith("_") and name not in _UTILITIES
            and callable(getattr(base, name))}


def _make_generator(bit_generator):
    return Generator(bit_generator)


class Generator(_numpy_random.Generator):
    """numpy.random.Generator whose draws are our arrays."""

    locals().update(_methods(_numpy_random.Generator))

    def __reduce__(self):
        return _make_generator, (self.bit_generator,)

    def __deepcopy__(self, memo):
        import copy

        return Generator(copy.deepcopy(self.bit_generator, memo))

    def spawn(self, n_children):
        return [Generator(g.bit_generator) for g in super().spawn(n_children)]


def _make_state(bit_generator, state):
    made = RandomState(bit_generator)
    made.set_state(state)
    return made


class RandomState(_numpy_random.RandomState):
    """numpy.random.RandomState whose draws are our arrays."""

    locals().update(_methods(_numpy_random.RandomState))

    def get_state(self, legacy=True):
        return _fallback.Session().from_host(super().get_state(legacy=legacy)) if legacy else super().get_state(
            legacy=False)

    def set_state(self, state):
        return super().set_state(_fallback.plain(state))

    def seed(self, seed=None):
        return super().seed(_fallback.plain(seed))

    def __reduce__(self):
        return _make_state, (self._bit_generator, super().get_state(legacy=False))


def _bit_generator(base):
    """NumPy's bit generator whose seed may be one of our arrays."""

    def __init__(self, seed=None):
        base.__init__(self, _fallback.plain(seed))

    return type(base.__name__, (base,), {"__init__": __init__, "__doc__": base.__doc__, "__module__": "numloom.random"})


MT19937, PCG64, PCG64DXSM, Philox, SFC64 = map(_bit_generator, (
    _numpy_random.MT19937, _numpy_random.PCG64, _numpy_random.PCG64DXSM, _numpy_random.Philox, _numpy_random.SFC64))

Generator.__module__ = RandomState.__module__ = "numloom.random"


def default_rng(seed=None):
    """numpy.random.default_rng: the same stream for the same seed."""
    if isinstance(seed, Generator):
        return seed
    made = _numpy_random.default_rng(_fallback.plain(seed))
    if isinstance(seed, _numpy_random.RandomState | _numpy_random.Generator) and made is seed:
        return made
    return Generator(made.bit_generator)


_modules.equip(_sys.modules[__name__], "random")
