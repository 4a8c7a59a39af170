"""Random numbers: NumPy's generators and their streams, bit for bit; what they draw comes back as our arrays."""

import sys as _sys

import numpy.random as _numpy_random

from numloom import _fallback, _modules
from numloom._tools import mesh
from numloom.random import _legacy
from numloom.random._generator import Generator, Kind
from numloom.random._legacy import RandomState  # noqa: F401 (a public name)
from numloom.random._streams import Free, entropy


def _bit_generator(base):
    """NumPy's bit generator whose seed may be one of our arrays."""

    def __init__(self, *args, **kwargs):
        if not args and kwargs.get("seed") is None and not set(kwargs) - {"seed"}:
            kwargs["seed"] = entropy()
        base.__init__(self, *map(_fallback.plain, args), **{k: _fallback.plain(v) for k, v in kwargs.items()})

    return Kind(base.__name__, (base,), {"__init__": __init__, "__doc__": base.__doc__, "__module__": "numloom.random"})


MT19937, PCG64, PCG64DXSM, Philox, SFC64 = map(
    _bit_generator,
    (_numpy_random.MT19937, _numpy_random.PCG64, _numpy_random.PCG64DXSM, _numpy_random.Philox, _numpy_random.SFC64),
)


def default_rng(seed=None):
    """numpy.random.default_rng: the same stream for the same seed."""
    if isinstance(seed, _numpy_random.Generator):
        return seed
    if isinstance(seed, _numpy_random.BitGenerator):
        return Generator(seed)
    if isinstance(seed, _numpy_random.RandomState):
        return Generator(seed._bit_generator)
    made = Generator(PCG64(entropy() if seed is None else seed))
    made._stream.free = Free() if seed is None else None
    return made


if mesh().processes > 1:
    _numpy_random.seed(entropy() % 2**32)  # noqa: NPY002 (the stream of the module functions)

globals().update({name: made for name, made in _legacy.module_functions().items() if name != "default_rng"})
_modules.equip(_sys.modules[__name__], "random")
