"""Axes, lengths and numbers that are no plain int: which function takes True or 2.0, and which raises what."""

import operator

import numpy
import pytest
from test_right_values import outcome

np = pytest.importorskip("numloom")


NUMBERS = {
    "True": True,
    "False": False,
    "numpy.True_": numpy.True_,
    "1.0": 1.0,
    "numpy.float64(1)": numpy.float64(1),
    "numpy.int64(1)": numpy.int64(1),
    "numpy.uint8(1)": numpy.uint8(1),
    "array(1)": numpy.array(1),
    "array([1])": numpy.array([1]),
    "(1,)": (1,),
    "[1]": [1],
}
# `n` is the number, `x` has shape (2, 2, 2), `b` is made of bytes.
OVER_AXES = (
    "sum prod mean std var max min argmax argmin all any cumsum cumprod ptp sort argsort count_nonzero median nansum "
    "nanmean nanmax nanmedian flip expand_dims unique diff gradient average cumulative_sum trapezoid fft.fft fft.fftn "
    "linalg.norm logical_and.reduce add.accumulate fliplr"
).split()
METHODS = "sum mean max argmax cumsum argsort squeeze".split()
TEXTS = [
    *[f"np.{name}(x, axis=n)" for name in OVER_AXES if name != "fliplr"],
    *[f"x.{name}(n)" for name in METHODS],
    *[f"np.{name}([x, x], axis=n)" for name in ("stack", "concatenate")],
    *[f"np.{name}(x, 2, axis=n)" for name in ("split", "array_split", "repeat")],
    *[f"np.{name}(x, n)" for name in ("repeat", "roll", "rot90", "diagonal", "trace", "tile", "triu", "tril", "pad")],
    *[f"np.{name}(n).shape" for name in ("eye", "zeros", "ones", "empty", "identity", "hanning", "arange", "tri")],
    *[f"np.{name}((2, n)).shape" for name in ("zeros", "empty", "indices")],
    *[f"np.{name}(x, 1, axis=n)" for name in ("roll", "partition", "argpartition", "percentile")],
    *[f"np.{name}(b, axis=n)" for name in ("packbits", "unpackbits")],
    "np.insert(x, 0, 1, axis=n)",
    "np.delete(x, 0, axis=n)",
    "np.append(x, x, axis=n)",
    "np.take(x, [0], axis=n)",
    "x.take([0], n)",
    "np.compress([True], x, axis=n)",
    "np.swapaxes(x, 0, n)",
    "x.swapaxes(0, n)",
    "np.moveaxis(x, 0, n)",
    "np.rollaxis(x, n)",
    "x.transpose(0, n, 2)",
    "np.take_along_axis(x, np.zeros((2, 2, 2), int), axis=n)",
    "np.squeeze(np.ones((2, 1)), axis=n)",
    "np.full(n, 3.0)",
    "np.reshape(x, (n, -1))",
    "np.reshape(x[0, 0, :1], n)",
    "x.reshape(n, -1)",
    "np.resize(x, (n, 3))",
    "np.broadcast_to(np.ones(1), (3, n))",
    "np.linspace(0, 1, n)",
    "np.vander([1, 2], n)",
    "np.unravel_index(n, (3, 3))",
    "np.unravel_index(1, (n, 3))",
    "np.ravel_multi_index(([0], [0]), (n, 3))",
    "np.bincount([1], minlength=n)",
    "np.array(3, ndmin=n)",
    "np.cross(np.ones((3, 3)), np.ones((3, 3)), axis=n)",
    "np.tensordot(x, x, n)",
    "np.histogram(x, n)",
    "np.histogramdd(np.ones((5, 2)), [n, 3])",
    "np.histogram2d([1.0, 2], [1.0, 2], n)",
    "np.fft.fft(x, n)",
    "np.fft.fftfreq(n)",
    "np.diff(x, n)",
    "np.arange(start=n)",
    "np.arange(stop=n)",
    "np.lib.stride_tricks.sliding_window_view(x, n, axis=0)",
    "np.lib.stride_tricks.sliding_window_view(x, (1, 1), axis=(n, 1))",
    "np.lib.stride_tricks.sliding_window_view(x, (1, 2), axis=(0, 0))",
    "np.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=(1, 1))",
]


@pytest.mark.parametrize("text", TEXTS)
def test_numbers_of_every_kind(text):
    x = numpy.arange(8.0).reshape(2, 2, 2)
    for name, n in NUMBERS.items():
        names = {"x": x, "b": x.astype(numpy.uint8)}
        got, want = ({"n": n} | names for _ in range(2))
        ours = outcome(np, text, **{**got, "n": np.array(n) if isinstance(n, numpy.ndarray) else n})
        theirs = outcome(numpy, text, **want)
        assert ours == theirs, f"{text} with n = {name}"


@pytest.mark.parametrize(
    "text", ["np.arange()", "np.arange(step=3)", "np.arange(dtype='i8')", "np.arange(1, 2, 3, start=0)"]
)
def test_ramps_need_an_end(text):
    assert outcome(np, text) == outcome(numpy, text)


@pytest.mark.parametrize("code", "bBhHiIlL")
def test_numbers_beside_small_integers_are_not_wrapped(code):
    info = numpy.iinfo(code)
    a = numpy.arange(3).astype(code)
    for number in (0, int(info.min), int(info.max), int(info.min) - 1, int(info.max) + 1, 2**70, 2.5, True):
        for text in (
            f"np.r_[a, {number}]",
            f"np.c_[a, a][:, 0] + 0 * np.r_[{number}, a][1]",
            f"np.r_[{number}, a, 1.5]",
        ):
            assert outcome(np, text, a=a) == outcome(numpy, text, a=a), (code, text)


class Holder:
    """Not an array, but gives one: of the module that made it."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize("key", [slice(None), slice(None, None, -1), 0, (slice(None), 1), [0, 1], Ellipsis])
@pytest.mark.parametrize("dtype", ["f8", "i4", "c8", "?"])
def test_assigning_what_gives_our_arrays(key, dtype):
    results = []
    for module in (np, numpy):
        source = module.arange(3)
        out = []
        for value in (Holder(source), Holder(source[::-1]), Holder(source * 0.5), [Holder(source)]):
            a = module.ones((3, 3), dtype)
            try:
                a[key] = value
                out.append(numpy.asarray(a).tolist())
            except Exception as error:
                out.append((type(error).__name__, str(error)))
        a = module.arange(3)
        a[:] = Holder(a[::-1])  # its own memory
        results.append([*out, a.tolist()])
    assert results[0] == results[1]


def test_concatenation_is_refused():
    for left, right in ([1, 2], [3]), ([1.5], [[1.0, 2]]):
        messages = []
        for module in (np, numpy):
            with pytest.raises(TypeError) as caught:
                operator.concat(module.array(left), module.array(right))
            messages.append(str(caught.value))
        assert messages[0] == messages[1]


@pytest.mark.parametrize("dtype", ["e", "f", "d", "F", "D"])
def test_sums_from_negative_zero(dtype):
    for n in (0, 1, 7, 150, 3000):
        a = numpy.full(n, -0.0, dtype)
        for text in (
            "np.sum(a, initial=z)",
            "np.add.reduce(a, initial=z)",
            "a.sum(initial=z, keepdims=True)",
            "np.sum(a)",
        ):
            for zero in (-0.0, 0.0, numpy.dtype(dtype).type(-0.0)):
                assert outcome(np, text, a=a, z=zero) == outcome(numpy, text, a=a, z=zero), (text, n, zero)
