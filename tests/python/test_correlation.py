"""convolve and correlate of short and long lines, against NumPy: exact for integers, within a bound for the rest."""

import os
import subprocess
import sys

import numloom as nl
import numpy
import pytest

EXACT = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
ROUNDED = ("f4", "f8", "F", "D")
SIZES = ((1, 1), (2, 1), (3, 3), (7, 2), (5, 9), (16, 16), (31, 17), (40, 64), (100, 10), (129, 128), (300, 5))
LONG = ((1000, 1000), (700, 2100), (5000, 33), (3001, 257), (2000, 600))


def line(dtype, n, rng):
    dtype = numpy.dtype(dtype)
    if dtype.kind in "iub":
        return rng.integers(0, 2 if dtype.kind == "b" else 200, n).astype(dtype)
    x = rng.standard_normal(n) * 10.0 ** rng.integers(-2, 3, n)
    return (x + 1j * rng.standard_normal(n) if dtype.kind == "c" else x).astype(dtype)


def views(x):
    yield nl.array(x)
    yield nl.array(x[::-1].copy())[::-1]
    wide = numpy.zeros(2 * x.size, x.dtype)
    wide[::2] = x
    yield nl.array(wide)[::2]


@pytest.mark.parametrize("mode", ("full", "same", "valid"))
@pytest.mark.parametrize("dtype", (*EXACT, *ROUNDED))
def test_products_of_lines(dtype, mode):
    rng = numpy.random.default_rng(len(mode))
    for n, m in (*SIZES, *LONG):
        a, v = line(dtype, n, rng), line(dtype, m, rng)
        for name in ("convolve", "correlate"):
            want = getattr(numpy, name)(a, v, mode)
            for x, y in zip(views(a), views(v), strict=True):
                ours = numpy.asarray(getattr(nl, name)(x, y, mode))
                assert ours.dtype == want.dtype and ours.shape == want.shape
                if dtype in EXACT:
                    numpy.testing.assert_array_equal(ours, want, err_msg=f"{name} {n} {m}")
                    continue
                size = getattr(numpy, name)(numpy.abs(a).astype("f8"), numpy.abs(v).astype("f8"), mode)
                bound = 4 * (min(n, m) + 2) * numpy.finfo(a.dtype).eps * size
                assert (numpy.abs(ours - want) <= bound).all(), f"{name} {n} {m}"


@pytest.mark.parametrize("dtype", ROUNDED)
def test_sums_near_the_ends_hold_nothing_else(dtype):
    """What lies beyond a line is left out, not zero: times infinity it would be NaN."""
    rng = numpy.random.default_rng(6)
    for n, m in ((5, 3), (40, 20), (300, 40), (900, 300)):
        a, v = line(dtype, n, rng), line(dtype, m, rng)
        for odd in (numpy.inf, -numpy.inf, numpy.nan):
            for place in (0, m // 2, m - 1):
                w = v.copy()
                w[place] = odd
                with numpy.errstate(all="ignore"), nl.errstate(all="ignore"):
                    for x, y in ((a, w), (w, a)):
                        want, ours = numpy.convolve(x, y), numpy.asarray(nl.convolve(nl.array(x), nl.array(y)))
                        if numpy.dtype(dtype).kind == "f":
                            numpy.testing.assert_array_equal(numpy.isnan(ours), numpy.isnan(want))
                        numpy.testing.assert_array_equal(numpy.isfinite(ours), numpy.isfinite(want))
    zeros = numpy.asarray(nl.convolve(nl.array([-0.0, 0.0], dtype), nl.array([1.0, 1.0], dtype)))
    assert not numpy.signbit(zeros.real).any()


def test_the_same_bits_for_every_instruction_set_and_number_of_threads():
    program = (
        "import numloom as nl, numpy, hashlib\n"
        "rng = numpy.random.default_rng(1)\n"
        "h = hashlib.sha256()\n"
        "for n, m in ((9, 3), (500, 70), (20_000, 1500), (100_000, 9)):\n"
        "    for dtype in ('f4', 'f8', 'D', 'i2', 'u8'):\n"
        "        a, v = (100 * rng.standard_normal(n)).astype(dtype), (100 * rng.standard_normal(m)).astype(dtype)\n"
        "        h.update(numpy.ascontiguousarray(nl.convolve(nl.array(a), nl.array(v))).tobytes())\n"
        "print(h.hexdigest())\n"
    )
    seen = set()
    for cpu in ("baseline", "avx2", "avx512"):
        for threads in ("1", "3"):
            environment = {**os.environ, "NUMLOOM_CPU": cpu, "NUMLOOM_THREADS": threads}
            run = subprocess.run(
                [sys.executable, "-W", "ignore", "-c", program], env=environment, check=True, capture_output=True
            )
            seen.add(run.stdout)
    assert len(seen) == 1
