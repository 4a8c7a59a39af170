"""Transforms that are long enough for threads give NumPy's values, dtypes and errors."""

import numpy
import pytest

nl = pytest.importorskip("numloom")

from numloom.fft._threads import LONG, ONE_AXIS, TRANSFORMS  # noqa: E402

SHAPES = ((LONG + 3,), (300, 257), (20, 60, 64))


def close(ours, theirs, scale):
    assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
    accuracy = numpy.finfo(theirs.dtype).eps
    numpy.testing.assert_allclose(ours, theirs, rtol=0, atol=40 * accuracy * max(scale, numpy.abs(theirs).max()))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i4"])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_long_transforms(name, dtype):
    rng = numpy.random.default_rng(3)
    for shape in SHAPES:
        if len(shape) == 1 and "2" in name:
            continue
        x = (rng.standard_normal(shape) * 10).astype(dtype)
        if numpy.dtype(dtype).kind == "c":
            if name.startswith(("rfft", "ihfft")):
                continue
            x += (1j * rng.standard_normal(shape)).astype(dtype)
        for options in (
            {},
            {"norm": "ortho"},
            {"axis": 0} if name in ONE_AXIS else {"axes": tuple(range(x.ndim))[-2:]},
        ):
            theirs = getattr(numpy.fft, name)(x, **options)
            ours = getattr(nl.fft, name)(nl.array(x), **options)
            assert type(ours) is nl.ndarray
            close(numpy.asarray(ours), theirs, 0.0)


@pytest.mark.parametrize("options", [{"axis": 3}, {"norm": "none"}, {"n": 0}, {"n": -1}])
def test_errors_are_numpys(options):
    x = numpy.ones(LONG)
    with pytest.raises(Exception) as theirs:
        numpy.fft.fft(x, **options)
    with pytest.raises(theirs.type) as ours:
        nl.fft.fft(nl.array(x), **options)
    assert str(ours.value) == str(theirs.value)
