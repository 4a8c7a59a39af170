"""Fourier transforms against NumPy: values, dtypes, shapes, errors, for every way an array may lie in memory."""

import subprocess
import sys

import numpy
import pytest

np = pytest.importorskip("numloom")

from numloom.fft import _transforms  # noqa: E402

ONE_AXIS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")
SHAPES = ((1,), (2,), (7,), (16,), (3, 5), (8, 6), (4, 1), (2, 3, 4), (0, 4), (3, 64, 65))


def array(shape, dtype, seed=0):
    rng = numpy.random.default_rng(seed)
    x = rng.standard_normal(shape) * 4
    return (x + 1j * rng.standard_normal(shape) if numpy.dtype(dtype).kind == "c" else x).astype(dtype)


def views(x):
    yield np.array(x)
    yield np.array(x.T.copy()).T
    yield np.array(numpy.flip(x).repeat(2, -1))[tuple([slice(None, None, -1)] * (x.ndim - 1) + [slice(None, None, -2)])]


def outcome(function, *args, **options):
    try:
        return function(*args, **options)
    except Exception as error:
        return error


def check(got, want):
    if isinstance(want, Exception):
        assert type(got) is type(want) and str(got) == str(want)
        return
    assert type(got) is np.ndarray, repr(got)
    host = numpy.asarray(got)
    assert host.dtype == want.dtype and host.shape == want.shape
    accuracy = 40 * numpy.finfo(want.dtype).eps * max(1.0, numpy.abs(want).max() if want.size else 1.0)
    numpy.testing.assert_allclose(host, want, rtol=0, atol=accuracy)


def compare(name, x, options):
    if x.size == 0 and options.keys() & {"n", "s"}:
        return  # NumPy's real transforms read memory outside of an empty axis
    want = outcome(getattr(numpy.fft, name), x, **options)
    for ours in views(x):
        before = np.stats()["host_calls"]
        got = outcome(getattr(np.fft, name), ours, **options)
        check(got, want)
        if not isinstance(want, Exception) and x.dtype != numpy.float16 and _transforms.available():
            assert np.stats()["host_calls"] == before


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", "fdFDibe")
@pytest.mark.parametrize("name", ONE_AXIS)
def test_one_axis(name, dtype):
    for shape in SHAPES:
        x = array(shape, dtype)
        for options in (
            {},
            {"norm": "ortho"},
            {"norm": "forward"},
            {"axis": 0},
            {"n": 5},
            {"n": 4, "axis": 0},
            {"n": 0},
            {"n": -1},
            {"axis": 3},
            {"norm": "none"},
            {"unknown": 1},
        ):
            compare(name, x, options)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", "fdFDibe")
@pytest.mark.parametrize("name", SEVERAL)
def test_several_axes(name, dtype):
    for shape in SHAPES:
        if len(shape) < 2:
            continue
        x = array(shape, dtype)
        for options in (
            {},
            {"norm": "ortho"},
            {"norm": "forward"},
            {"axes": (0,)},
            {"s": (3, 6), "axes": (0, 1)},
            {"s": (-1, 4), "axes": (-1, 0)},
            {"axes": (1, 0), "norm": "ortho"},
            {"axes": (5, 0)},
            {"axes": (0, 1), "s": (2,)},
        ):
            compare(name, x, options)


@pytest.mark.parametrize("dtype", "fD")
@pytest.mark.parametrize("shape", [(100_003,), (1 << 17,), (600, 257), (257, 600), (20, 60, 64)])
def test_long_transforms_over_threads(shape, dtype):
    x = array(shape, dtype)
    for name in ("fft", "irfft", "fftn", "irfftn") + (("rfft", "rfftn") if dtype == "f" else ()):
        compare(name, x, {})
        if name in ONE_AXIS:
            compare(name, x, {"axis": 0})


def test_out_is_written_and_returned():
    x = array((6, 8), "D")
    for make in (lambda: np.empty((6, 8), "D"), lambda: np.empty((8, 6), "D").T, lambda: np.empty((12, 8), "D")[::2]):
        out = make()
        assert np.fft.fft2(np.array(x), out=out) is out
        check(out.copy(), numpy.fft.fft2(x))
    same = np.array(x)
    assert np.fft.ifft(same, axis=0, out=same) is same
    check(same, numpy.fft.ifft(x, axis=0))
    for wrong in ("d", "i"):
        errors = []
        for module in (numpy, np):
            with pytest.raises(TypeError) as caught:
                module.fft.fft(module.ones(4), out=module.empty(4, wrong))
            errors.append(str(caught.value))
        assert errors[0] == errors[1]


def test_transforms_are_recorded_in_order():
    x = np.array(array((32, 32), "d"))
    want = numpy.fft.ifft2(numpy.fft.fft2(numpy.asarray(x)) * 2).real
    spectrum = np.fft.fft2(x)
    x[:] = 0
    spectrum *= 2
    numpy.testing.assert_allclose(np.fft.ifft2(spectrum).real, want, atol=1e-12)


def test_the_same_bits_for_any_number_of_threads():
    if not _transforms.available():
        pytest.skip("this build holds no transforms")
    text = (
        "import numloom as np, hashlib; x = np.arange(600.0 * 500).reshape(600, 500) % 17;"
        "y = [np.fft.fft2(x), np.fft.rfft(x, axis=0), np.fft.irfft(np.fft.rfft(x))];"
        "print(hashlib.sha256(b''.join(a.tobytes() for a in y)).hexdigest())"
    )
    import os

    made = {
        subprocess.run(
            [sys.executable, "-c", text],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            env=dict(os.environ, NUMLOOM_THREADS=str(n)),
        ).stdout
        for n in (1, 2, 3)
    }
    assert len(made) == 1
