"""NumPy's arrays beside ours: results that belong into NumPy's memory go there, and the caller keeps that array."""

import operator

import numloom
import numpy
import pytest
from numloom import _fallback

INPLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv]


def structured(shape):
    """A field of a structured array: NumPy's memory with a step."""
    return numpy.zeros(shape, [("a", "f8"), ("b", "f8")])["b"]


@pytest.mark.parametrize("function", INPLACE)
@pytest.mark.parametrize("make", [numpy.zeros, structured, lambda shape: numpy.zeros((9, 9))[2:6, ::-3]])
def test_in_place_into_an_array_of_numpy(function, make):
    target = make((4, 3))
    target[...] = numpy.arange(12.0).reshape(4, 3) + 1
    want = target.copy()
    same = target
    for k in range(3):
        step = numpy.linspace(1, 2 + k, 3)
        target = function(target, numloom.array(step) * 2)
        function(want, step * 2)
        assert target is same
        assert numpy.array_equal(same, want)


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "arctan2"])
def test_out_of_numpy(name):
    a, b, out = numloom.arange(6.0), numpy.arange(6.0)[::-1], numpy.zeros(6)
    for module in (numpy, numloom):
        out[...] = -1
        assert getattr(module, name)(a, b, out=out) is out
        assert numpy.array_equal(out, getattr(numpy, name)(numpy.arange(6.0), b))
        assert getattr(module, name)(a, b, out=out, where=b > 3) is out


def test_several_outputs_of_numpy():
    whole, part = numpy.zeros(4), numpy.zeros(4)
    made = numpy.modf(numloom.array([1.5, -2.25, 3.0, 0.5]), out=(part, whole))
    assert made[0] is part and made[1] is whole
    assert part.tolist() == [0.5, -0.25, 0.0, 0.5] and whole.tolist() == [1.0, -2.0, 3.0, 0.0]


def test_cumsum_into_numpy():
    out = numpy.zeros(5)
    assert numloom.cumsum(numloom.ones(5), out=out) is out
    assert out.tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("key", [slice(None), slice(None, None, -2), (slice(1, None), slice(None, None, 3))])
def test_what_the_host_returns_of_an_argument_is_a_view(key):
    """Also where the argument's memory is not in one piece, so that NumPy got a copy."""
    make = [lambda x: x, lambda x: x[::-1, 1:], lambda x: x.T, lambda x: x.reshape(2, -1), lambda x: x[1]]
    for f in make:
        want, a = numpy.arange(40.0).reshape(8, 5), numloom.arange(40.0).reshape(8, 5)
        want_view = f(want[key])
        view = _fallback.call("f", f, (a[key],), {})
        assert type(view) is numloom.ndarray
        if numpy.shares_memory(want_view, want):
            assert view.strides == want_view.strides
            view += 0.5
            want_view += 0.5
        assert numpy.array_equal(view, want_view)
        assert numpy.array_equal(a, want)
