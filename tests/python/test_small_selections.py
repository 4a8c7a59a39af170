"""nonzero, where and take of small arrays, found at the call, agree with those of large ones and with NumPy."""

import numloom
import numpy
import pytest


@pytest.mark.parametrize("scale", [1, 40])
@pytest.mark.parametrize("shape", [(0,), (7,), (3, 4), (2, 0, 3), (2, 3, 4), (2, 2, 3, 2), (2, 1, 2, 3, 2)])
def test_nonzero(shape, scale):
    rng = numpy.random.default_rng(1)
    shape = (shape[0] * scale**2, *shape[1:])
    theirs = rng.integers(0, 2, shape).astype(bool)
    for mask in (theirs, theirs[::-1], theirs.T, theirs & False, theirs | True):
        ours = numloom.array(mask)
        for f in ("nonzero", "where", "flatnonzero", "argwhere"):
            want, got = getattr(numpy, f)(mask), getattr(numloom, f)(ours)
            pairs = zip(want, got, strict=True) if isinstance(want, tuple) else [(want, got)]
            for a, b in pairs:
                assert type(b) is numloom.ndarray and b.dtype == a.dtype and b.shape == a.shape
                assert numpy.array_equal(a, numpy.asarray(b))


@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("shape", [(5,), (5, 3), (4, 2, 3)])
def test_take(shape, axis):
    theirs = numpy.arange(numpy.prod(shape)).reshape(shape)
    index = numpy.array([[0, -1], [2, 1]])
    ours = numloom.array(theirs)
    for a, b in ((theirs, ours), (theirs[::-1], ours[::-1]), (theirs.T, ours.T)):
        want = numpy.take(a, index, axis=axis)
        for got in (numloom.take(b, numloom.array(index), axis=axis), b.take(numloom.array(index), axis=axis)):
            assert got.shape == want.shape and numpy.array_equal(numpy.asarray(got), want)
    with pytest.raises(IndexError, match="out of bounds"):
        numloom.take(ours, numloom.array([99]), axis=axis)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("dtype", ["?", "i2", "f4", "i8", "F", "D"])
def test_values_into_a_mask(dtype, width):
    rng = numpy.random.default_rng(3)
    for rows in (6, 5000, 100_000):
        theirs = rng.integers(0, 9, (rows, width)[: 1 + (width > 1)]).astype(dtype)
        for share in (0.0, 0.1, 0.5, 1.0):
            mask = rng.random(rows) < share
            ours, values = numloom.array(theirs), rng.integers(0, 9, theirs[mask].shape).astype(dtype)
            ours[numloom.array(mask)] = numloom.array(values)
            want = theirs.copy()
            want[mask] = values
            assert numpy.array_equal(numpy.asarray(ours), want)


@pytest.mark.parametrize("dtype", ["F", "D"])
def test_size_of_complex_numbers(dtype):
    rng = numpy.random.default_rng(4)
    real = numpy.dtype(dtype).char.lower()
    parts = [0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, 1.0, numpy.finfo(real).max, numpy.finfo(real).tiny, 3e-40]
    special = numpy.array([complex(a, b) for a in parts for b in parts]).astype(dtype)
    with numpy.errstate(all="ignore"):
        want, got = numpy.abs(special), numpy.asarray(abs(numloom.array(special)))
        spacing = numpy.spacing(numpy.where(numpy.isfinite(want), want, 1))
        near = abs(numpy.where(numpy.isfinite(want), got - want, 0)) <= 2 * spacing
        assert numpy.array_equal(got[~numpy.isfinite(want)], want[~numpy.isfinite(want)], equal_nan=True)
        assert near.all()
    limit = 300 if dtype == "D" else 35
    powers = 10.0 ** rng.uniform(-limit, limit, 20_000)
    values = (powers * rng.standard_normal(20_000) + 1j * powers * 10.0 ** rng.uniform(-3, 3, 20_000)).astype(dtype)
    exact = numpy.hypot(values.real.astype(numpy.longdouble), values.imag.astype(numpy.longdouble))
    got = numpy.asarray(abs(numloom.array(values)))
    error = abs(got - exact) / numpy.spacing(exact.astype(real)).astype(numpy.longdouble)
    assert got.dtype == real and float(error.max()) <= 0.51
