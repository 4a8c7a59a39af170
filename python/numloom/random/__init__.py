"""Random numbers: NumPy's generators and their streams, bit for bit; what they draw comes back as our arrays."""

import functools as _functools
import math as _math
import os
import sys as _sys

import numpy as _numpy
import numpy.random as _numpy_random

from numloom import _core, _fallback, _modules
from numloom._tools import mesh

_UTILITIES = frozenset(("bit_generator", "spawn", "get_state", "set_state", "seed"))


def _forward(base, name):
    method = getattr(base, name)
    label = f"random.{base.__name__}.{name}"

    @_functools.wraps(method, updated=())
    def call(self, *args, **kwargs):
        return _fallback.call(label, method.__get__(self), args, kwargs)

    return call


def _methods(base):
    return {
        name: _forward(base, name)
        for name in dir(base)
        if not name.startswith("_") and name not in _UTILITIES and callable(getattr(base, name))
    }


def _is_double(dtype):
    try:
        return _numpy.dtype(dtype) == float
    except TypeError:
        return False


def _make_generator(bit_generator):
    return Generator(bit_generator)


class _Kind(type):
    """A class whose instances include those of the NumPy class that it extends."""

    def __instancecheck__(cls, x):
        return isinstance(x, cls.__mro__[1]) if cls.__module__ == "numloom.random" else type.__instancecheck__(cls, x)


_LONG = 1 << 15  # numbers from which a draw is made by the engine
_WORD = 2**64 - 1
_MULTIPLIER = 0x2360ED051FC65DA44385DF649FCCF645  # of PCG64
_GROUP = 16  # the draws of a counter-based stream begin at multiples of it


def _advanced(state, increment, draws):
    """PCG64's state after a number of draws."""
    multiplier, plus = 1, 0
    factor, term = _MULTIPLIER, increment
    while draws:
        if draws & 1:
            multiplier, plus = multiplier * factor % 2**128, (plus * factor + term) % 2**128
        factor, term = factor * factor % 2**128, (factor + 1) * term % 2**128
        draws >>= 1
    return (multiplier * state + plus) % 2**128


def _length(size):
    """How many numbers `size` asks for; 0 where that isn't an integer or a tuple of them."""
    sizes = size if type(size) is tuple else (size,)
    if not sizes or not all(type(n) is int and n >= 0 for n in sizes):
        return 0
    return _math.prod(sizes)


def _made(name, size, words):
    """A library call that makes random numbers of one shape from a few words."""
    out = _core.empty(size if type(size) is tuple else (size,), _numpy.dtype(float))
    _core.library(name, (), out, _core.from_host(_numpy.array(words, dtype=_numpy.uint64)))
    return out


def _pcg64_draw(bit_generator, size, n):
    """Draw n uniform numbers of NumPy's stream by the engine, and move the generator on."""
    with bit_generator.lock:
        whole = bit_generator.state
        state, increment = whole["state"]["state"], whole["state"]["inc"]
        out = _made("pcg64_uniform", size, [state >> 64, state & _WORD, increment >> 64, increment & _WORD])
        whole["state"]["state"] = _advanced(state, increment, n)
        bit_generator.state = whole
    return out


def _mt19937_draw(bit_generator, size):
    """Draw uniform numbers of NumPy's legacy stream by the engine, and move the generator on; None where it can't."""
    with bit_generator.lock:
        whole = bit_generator.state
        out = _core.empty(size if type(size) is tuple else (size,), _numpy.dtype(float))
        position = _core.mt19937(whole["state"]["key"], whole["state"]["pos"], out)
        if position is None:
            return None
        whole["state"]["pos"] = position
        bit_generator.state = whole
    return out


class _Free:
    """The counter-based stream of a generator that owes nobody a stream: Philox, keyed by entropy of process 0."""

    def __init__(self):
        entropy = _entropy()
        if entropy is None:
            entropy = int.from_bytes(os.urandom(16), "little")
        self.key, self.name, self.position = entropy & _WORD, entropy >> 64 & 0xFFFFFFFF, 0

    def draw(self, name, size, n):
        first = self.position
        self.position += -(-n // _GROUP) * _GROUP
        return _made(name, size, [self.key, self.name, first])


class Generator(_numpy_random.Generator, metaclass=_Kind):
    """numpy.random.Generator whose draws are our arrays.

    Long draws of `random` and `uniform` from PCG64 are made by the engine, in NumPy's stream. A generator that was made
    without a seed owes nobody a stream: its long draws, normal numbers too, come from a counter-based one, until
    someone asks for its bit generator.
    """

    locals().update(_methods(_numpy_random.Generator))

    _free = None  # a _Free while nobody has a right to NumPy's stream
    _random_on_host, _uniform_on_host = random, uniform  # noqa: F821 (set by locals().update)
    _normal_on_host, _standard_normal_on_host = normal, standard_normal  # noqa: F821

    @property
    def bit_generator(self):
        """The bit generator. Who asks for it may look at its state: from then on all draws come from its stream."""
        self._free = None
        return super().bit_generator

    def _uniform_draw(self, size):
        n = _length(size)
        if n < _LONG:
            return None
        if self._free is not None:
            return self._free.draw("philox_uniform", size, n)
        bits = super().bit_generator
        return _pcg64_draw(bits, size, n) if isinstance(bits, _numpy_random.PCG64) else None

    def _normal_draw(self, size):
        n = _length(size)
        return None if n < _LONG or self._free is None else self._free.draw("philox_normal", size, n)

    def random(self, size=None, dtype=float, out=None):
        if size is None and out is None and dtype is float:
            return self._random_on_host()
        drawn = self._uniform_draw(size) if out is None and _is_double(dtype) else None
        return self._random_on_host(size, dtype, out) if drawn is None else drawn

    def uniform(self, low=0.0, high=1.0, size=None):
        if size is not None and _real(low, high) and 0.0 <= high - low < _math.inf:
            drawn = self._uniform_draw(size)
            if drawn is not None:
                return float(low) + float(high - low) * drawn
        return self._uniform_on_host(low, high, size)

    def standard_normal(self, size=None, dtype=float, out=None):
        drawn = self._normal_draw(size) if size is not None and out is None and _is_double(dtype) else None
        return self._standard_normal_on_host(size, dtype, out) if drawn is None else drawn

    def normal(self, loc=0.0, scale=1.0, size=None):
        if size is not None and _real(loc, scale) and scale >= 0:
            drawn = self._normal_draw(size)
            if drawn is not None:
                return float(loc) + float(scale) * drawn
        return self._normal_on_host(loc, scale, size)

    def __reduce__(self):
        return _make_generator, (self.bit_generator,), None

    def __deepcopy__(self, memo):
        import copy

        return Generator(copy.deepcopy(self.bit_generator, memo))

    def spawn(self, n_children):
        return [Generator(g.bit_generator) for g in super().spawn(n_children)]


def _make_state(bit_generator):
    return RandomState(bit_generator)


def _long(size):
    return _length(size) >= _LONG


def _real(*numbers):
    return all(type(x) in (int, float) for x in numbers)


class _Long:
    """The legacy names whose long draws the engine makes, over `_now()`: a _Free or None, and the bit generator."""

    def _uniform_draw(self, size):
        if size is None or not _long(size):
            return None
        free, bits = self._now()
        if free is not None:
            return free.draw("philox_uniform", size, _length(size))
        return _mt19937_draw(bits, size) if isinstance(bits, _numpy_random.MT19937) else None

    def _normal_draw(self, size):
        free = self._now()[0] if size is not None and _long(size) else None
        return None if free is None else free.draw("philox_normal", size, _length(size))

    def random_sample(self, size=None):
        drawn = self._uniform_draw(size)
        return self._host("random_sample")(size) if drawn is None else drawn

    def random(self, size=None):
        drawn = self._uniform_draw(size)
        return self._host("random")(size) if drawn is None else drawn

    def rand(self, *args):
        drawn = self._uniform_draw(args)
        return self._host("rand")(*args) if drawn is None else drawn

    def uniform(self, low=0.0, high=1.0, size=None):
        if _long(size) and _real(low, high) and 0.0 <= high - low < _math.inf:
            drawn = self._uniform_draw(size)
            if drawn is not None:
                return float(low) + float(high - low) * drawn
        return self._host("uniform")(low, high, size)

    def standard_normal(self, size=None):
        drawn = self._normal_draw(size)
        return self._host("standard_normal")(size) if drawn is None else drawn

    def randn(self, *args):
        drawn = self._normal_draw(args)
        return self._host("randn")(*args) if drawn is None else drawn

    def normal(self, loc=0.0, scale=1.0, size=None):
        if _long(size) and _real(loc, scale) and scale >= 0:
            drawn = self._normal_draw(size)
            if drawn is not None:
                return float(loc) + float(scale) * drawn
        return self._host("normal")(loc, scale, size)


_LONG_METHODS = {name: value for name, value in vars(_Long).items() if not name.startswith("__")}
_LONG_NAMES = tuple(name for name in _LONG_METHODS if not name.startswith("_"))


class RandomState(_numpy_random.RandomState, metaclass=_Kind):
    """numpy.random.RandomState whose draws are our arrays.

    Long draws of uniform numbers are made by the engine, in NumPy's stream; without a seed, those of normal numbers
    too, from a counter-based stream, until someone seeds it, asks for its state or for its bit generator.
    """

    _on_host = _methods(_numpy_random.RandomState)
    locals().update(_on_host, **_LONG_METHODS)
    _free = None

    def __init__(self, seed=None):
        unseeded = seed is None
        if unseeded:
            drawn = _entropy()
            seed = drawn if drawn is None else drawn % 2**32
        super().__init__(_fallback.plain(seed))
        self._free = _Free() if unseeded else None

    def _now(self):
        return self._free, super()._bit_generator

    def _host(self, name):
        return self._on_host[name].__get__(self)

    @property
    def _bit_generator(self):
        self._free = None
        return super()._bit_generator

    def get_state(self, legacy=True):
        self._free = None
        return (
            _fallback.Session().from_host(super().get_state(legacy=legacy))
            if legacy
            else super().get_state(legacy=False)
        )

    def set_state(self, state):
        self._free = None
        return super().set_state(_fallback.plain(state))

    def seed(self, seed=None):
        self._free = None
        return super().seed(_fallback.plain(seed))

    def __setstate__(self, state):
        self.set_state(state)

    def __reduce__(self):
        return _make_state, (self._bit_generator,), super().get_state(legacy=False)


def _bit_generator(base):
    """NumPy's bit generator whose seed may be one of our arrays."""

    def __init__(self, *args, **kwargs):
        if not args and kwargs.get("seed") is None and not set(kwargs) - {"seed"}:
            kwargs["seed"] = _entropy()
        base.__init__(self, *map(_fallback.plain, args), **{k: _fallback.plain(v) for k, v in kwargs.items()})

    return _Kind(
        base.__name__, (base,), {"__init__": __init__, "__doc__": base.__doc__, "__module__": "numloom.random"}
    )


MT19937, PCG64, PCG64DXSM, Philox, SFC64 = map(
    _bit_generator,
    (_numpy_random.MT19937, _numpy_random.PCG64, _numpy_random.PCG64DXSM, _numpy_random.Philox, _numpy_random.SFC64),
)

Generator.__module__ = RandomState.__module__ = "numloom.random"


def default_rng(seed=None):
    """numpy.random.default_rng: the same stream for the same seed."""
    if isinstance(seed, _numpy_random.Generator):
        return seed
    if isinstance(seed, _numpy_random.BitGenerator):
        return Generator(seed)
    if isinstance(seed, _numpy_random.RandomState):
        return Generator(seed._bit_generator)
    made = Generator(PCG64(_entropy() if seed is None else seed))
    made._free = _Free() if seed is None else None
    return made


def _entropy():
    """None, or process 0's entropy where several processes must draw the same numbers."""
    if mesh().processes == 1:
        return None
    return int.from_bytes(_core.broadcast(os.urandom(16)), "little")


if mesh().processes > 1:
    _numpy_random.seed(_entropy() % 2**32)  # noqa: NPY002 (the stream of the module functions)


class _Module(_Long):
    """The module functions' hidden RandomState, which is NumPy's, so that seeds set there count here too."""

    def __init__(self):
        self._hidden = _numpy_random.mtrand._rand
        self._free, self._owed = None, False
        self._on_host = {name: _fallback.wrap(getattr(_numpy_random, name), f"random.{name}") for name in _LONG_NAMES}

    def _now(self):
        bits = self._hidden._bit_generator
        # Seeding a bit generator afresh takes the seed sequence away that it was made with.
        if self._owed or getattr(bits, "_seed_seq", None) is None:
            return None, bits
        if self._free is None:
            self._free = _Free()
        return self._free, bits

    def _host(self, name):
        return self._on_host[name]

    def owing(self, name):
        """NumPy's function of that name, which lets users look at the state, or set it."""
        function = _fallback.wrap(getattr(_numpy_random, name), f"random.{name}")

        def call(*args, **kwargs):
            self._owed = True
            return function(*args, **kwargs)

        return self._dressed(name, call)

    def long(self, name):
        function = getattr(self, name)

        def call(*args, **kwargs):
            return function(*args, **kwargs)

        return self._dressed(name, call)

    def _dressed(self, name, call):
        value = getattr(_numpy_random, name)
        _functools.update_wrapper(call, value, updated=())
        call.__module__ = "numloom"
        call.__numloom_oracle__ = value
        return _fallback.unbound(call, value)


def _module_functions():
    """numpy.random.normal and its like: methods of one hidden RandomState."""
    module = _Module()
    for name in _numpy_random.__all__:
        value = getattr(_numpy_random, name)
        if isinstance(value, type) or not callable(value) or name in globals():
            continue
        if name in _LONG_NAMES:
            globals()[name] = module.long(name)
        elif name in ("seed", "get_state", "set_state", "get_bit_generator", "set_bit_generator"):
            globals()[name] = module.owing(name)
        else:
            globals()[name] = _fallback.wrap(value, f"random.{name}")
    globals()["ranf"] = globals()["sample"] = globals()["random_sample"]


_module_functions()
_modules.equip(_sys.modules[__name__], "random")
