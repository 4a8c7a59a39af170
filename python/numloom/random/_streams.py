"""Where random numbers come from: NumPy's bit generators, drawn from by the library, and counter-based streams.

A bit generator stays NumPy's object. The library draws from its memory by NumPy's algorithms, so that its stream may be
drawn by NumPy and by us in any order.
"""

import math
import operator
import os

import numpy
import numpy.random

from numloom import _core
from numloom._base import FLOAT, INT, NotNative, asnative, broadcast, broadcast_shapes, converted, ndarray, scalar
from numloom._library import dense
from numloom._tools import mesh

LONG = 1 << 15  # numbers from which a draw is left to all threads
WORD = 2**64 - 1
_GROUP = 16  # the draws of a counter-based stream begin at multiples of it

NUMBER = {name: i for i, name in enumerate(_core.distributions())}

for _kind in (numpy.random.PCG64, numpy.random.MT19937):
    _core.know_bits(_kind.__name__, _kind(1).capsule)


def entropy():
    """None, or process 0's entropy where several processes must draw the same numbers."""
    if mesh().processes == 1:
        return None
    return int.from_bytes(_core.broadcast(os.urandom(16)), "little")


class Free:
    """The counter-based stream of a generator that owes nobody a stream: Philox, keyed by entropy of process 0."""

    def __init__(self):
        bits = entropy()
        if bits is None:
            bits = int.from_bytes(os.urandom(16), "little")
        self.key, self.name, self.position = bits & WORD, bits >> 64 & 0xFFFFFFFF, 0

    def take(self, n):
        """The number that is first in a draw of n."""
        first = self.position
        self.position += -(-n // _GROUP) * _GROUP
        return first

    def draw(self, name, size):
        """Uniform or normal numbers, by the library's fastest loops."""
        words = [self.key, self.name, self.take(length(size))]
        out = _core.empty(size if type(size) is tuple else (size,), FLOAT)
        _core.library(name, (), out, _core.from_host(numpy.array(words, dtype=numpy.uint64)))
        return out


# Stream(bits, state=None): a bit generator (`bits`, `capsule`, `lock`), the normal number that a RandomState keeps
# (`kept`, an address or 0), and a Free where nobody has a right to the bits (`free`, else None).
Stream = _core.stream


def length(size):
    """How many numbers `size` asks for; 0 where that isn't an integer or a tuple of them."""
    if type(size) is int:
        return max(size, 0)
    if type(size) is not tuple or not all(type(n) is int and n >= 0 for n in size):
        return 0
    return math.prod(size)


def shape_of(size):
    """`size` as a tuple of ints; NotNative for what NumPy refuses."""
    try:
        if type(size) in (tuple, list):
            dims = tuple([operator.index(n) for n in size])
        else:
            try:
                dims = (operator.index(size),)
            except TypeError:
                dims = tuple([operator.index(n) for n in size])
    except TypeError:
        raise NotNative from None
    if any(n < 0 for n in dims):
        raise NotNative
    return dims


def parameter(x, whole):
    """A parameter as a Python number or an array of ours (float64; int64 where `whole`)."""
    kind = type(x)
    if kind is int or (kind is float and not whole):
        return x
    if kind is scalar:
        x = x._value()
        kind = type(x)
    if isinstance(x, bool | int | float | numpy.generic):
        code = numpy.dtype(kind).kind if isinstance(x, numpy.generic) else "f" if isinstance(x, float) else "i"
        if code not in ("biu" if whole else "biuf"):
            raise NotNative
        return int(x) if whole else float(x)
    a = asnative(x)
    if a.dtype.kind not in ("biu" if whole else "biuf") or whole and a.dtype.char in "LQ":
        raise NotNative
    a = converted(a, INT if whole else FLOAT)
    return a.item() if a.ndim == 0 else a


def settled(parameters, wholes, size):
    """Parameters and the shape of what is drawn (None: one number), arrays broadcast to that shape."""
    values = [parameter(x, whole) for x, whole in zip(parameters, wholes, strict=True)]
    shapes = [v.shape for v in values if type(v) is ndarray]
    shape = None if size is None else shape_of(size)
    if shapes:
        try:
            whole_shape = broadcast_shapes(*shapes) if shape is None else broadcast_shapes(shape, *shapes)
        except ValueError:
            raise NotNative from None
        if shape is not None and shape != whole_shape:
            raise NotNative
        shape = whole_shape
    return values, shape


def lent(v, shape):
    """A parameter as the library takes it: a number, or a NumPy array with one value for each number drawn."""
    return _core.to_host(dense(broadcast(v, shape))) if type(v) is ndarray else v


def draw_settled(stream, number, values, shape, dtype=None):
    """Numbers of a distribution whose parameters are settled; NotNative where one is not allowed."""
    values = [lent(v, shape) for v in values]
    if stream.free is not None and shape is not None:
        n = math.prod(shape)
        if n >= LONG:
            free = stream.free
            drawn = _core.draw_free(free.key, free.name, free.position, number, dtype, shape, *values)
            if drawn is NotImplemented:
                raise NotNative
            free.take(n)
            return drawn
    with stream.lock:
        drawn = _core.draw(stream.capsule, stream.kept, number, dtype, shape, *values)
    if drawn is NotImplemented:
        raise NotNative
    return drawn


def draw(stream, number, wholes, parameters, size):
    """Numbers of a distribution, for parameters and a size as NumPy takes them."""
    if stream.free is None or length(size) < LONG:
        with stream.lock:
            drawn = _core.draw(stream.capsule, stream.kept, number, None, size, *parameters)
        if drawn is not NotImplemented:
            return drawn
    values, shape = settled(parameters, wholes, size)
    return draw_settled(stream, number, values, shape)


def draw_flat(stream, size):
    """Uniform numbers in [0, 1), recorded where there are many of them."""
    if length(size) >= LONG:
        if stream.free is not None:
            return stream.free.draw("philox_uniform", size)
        with stream.lock:
            drawn = _core.draw_later(stream.capsule, size)
        if drawn is not NotImplemented:
            return drawn
    return draw(stream, NUMBER["random"], (), (), size)
