"""Sorting, selecting and gathering: values, ties, zeros of both signs and NaN, against NumPy."""

import os
import subprocess
import sys

import numpy
import pytest

nl = pytest.importorskip("numloom")

LENGTHS = (16384, 16385, 70001, 300007)
DTYPES = ("f8", "f4", "i8", "u8", "i4", "u4")


def rows(dtype, n):
    """Name rows that each strain another part of the sort."""
    rng = numpy.random.default_rng(n)
    dtype = numpy.dtype(dtype)
    if dtype.kind == "f":
        ties = rng.integers(-20, 20, n).astype(dtype)
        ties[rng.random(n) < 0.1] = numpy.nan
        ties[rng.random(n) < 0.05] = -numpy.nan
        ties[rng.random(n) < 0.1] = -0.0
        yield "uniform", rng.random(n).astype(dtype)
        yield "normal", rng.standard_normal(n).astype(dtype)
        yield "ties", ties
        yield "far apart", (rng.standard_cauchy(n) ** 5).astype(dtype)
        yield "infinite", numpy.where(rng.random(n) < 0.01, -numpy.inf, rng.random(n)).astype(dtype)
    else:
        limits = numpy.iinfo(dtype)
        few = rng.integers(0, 1000, n).astype(dtype)
        yield "all values", rng.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)
        yield "ties", rng.integers(0, 5, n).astype(dtype)
        yield "outliers", numpy.where(rng.random(n) < 1e-3, dtype.type(limits.max), few)
    yield "equal", numpy.full(n, 3, dtype)
    yield "sorted", numpy.arange(n).astype(dtype)
    yield "reversed", numpy.arange(n)[::-1].astype(dtype)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_long_rows(dtype, n):
    for name, x in rows(dtype, n):
        ours = numpy.asarray(nl.sort(nl.array(x)))
        want = numpy.sort(x, kind="stable")
        assert ours.dtype == want.dtype
        numpy.testing.assert_array_equal(ours, want, err_msg=name)
        numbers = ~numpy.isnan(want) if want.dtype.kind == "f" else slice(None)
        assert numpy.array_equal(numpy.signbit(ours[numbers]), numpy.signbit(want[numbers])), name
        order = numpy.asarray(nl.argsort(nl.array(x), kind="stable"))
        numpy.testing.assert_array_equal(order, numpy.argsort(x, kind="stable"), err_msg=name)


@pytest.mark.parametrize("dtype", DTYPES)
def test_short_rows(dtype):
    for n in (*range(1, 40), 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 1000, 2047, 2049, 5000):
        for name, x in rows(dtype, n):
            ours = numpy.asarray(nl.sort(nl.array(x)))
            want = numpy.sort(x, kind="stable")
            numpy.testing.assert_array_equal(ours, want, err_msg=f"{name} {n}")
            numbers = ~numpy.isnan(want) if want.dtype.kind == "f" else slice(None)
            assert numpy.array_equal(numpy.signbit(ours[numbers]), numpy.signbit(want[numbers])), (name, n)


@pytest.mark.parametrize("dtype", ("?", "i1", "u1", "i2", "u2", "f2"))
def test_narrow_numbers(dtype):
    rng = numpy.random.default_rng(9)
    for n in (1, 5, 16, 17, 31, 32, 33, 100, 1000, 8191, 8192, 20_000, 70_001, 1_100_000):
        if dtype == "f2":
            x = (rng.standard_normal(n) * 50).astype(dtype)
            x[rng.random(n) < 0.1] = numpy.nan
            x[rng.random(n) < 0.1] = -numpy.inf
            x[rng.random(n) < 0.1] = 0.0
            x[rng.random(n) < 0.1] = -0.0
        else:
            x = rng.integers(0, 2**16, n).astype(dtype)
        want, ours = numpy.sort(x, kind="stable"), numpy.asarray(nl.sort(nl.array(x)))
        assert ours.dtype == want.dtype
        numpy.testing.assert_array_equal(ours, want)
        if dtype == "f2":
            numbers = ~numpy.isnan(want)
            assert numpy.array_equal(numpy.signbit(ours[numbers]), numpy.signbit(want[numbers]))
        order = numpy.asarray(nl.argsort(nl.array(x)))
        numpy.testing.assert_array_equal(order, numpy.argsort(x, kind="stable"))
        again = nl.array(x)
        again.sort()
        numpy.testing.assert_array_equal(numpy.asarray(again), want)
        if n % 4 == 0:
            rows = x.reshape(4, -1)
            want = numpy.sort(rows, kind="stable")  # the other kind misplaces some float16 on AVX-512 (NumPy 2.5.5)
            numpy.testing.assert_array_equal(numpy.asarray(nl.sort(nl.array(rows))), want)


@pytest.mark.parametrize("dtype", ("?", "u1", "i2", "f4", "i4", "f8", "i8", "F", "D"))
def test_selection_by_long_masks(dtype):
    """Lengths about whole vectors, and masks whose pieces end in the middle of one."""
    rng = numpy.random.default_rng(8)
    for n in (16_385, 16_448, 65_536, 65_599, 300_007):
        x = rng.integers(0, 100, n).astype(dtype)
        for share in (0.0, 0.01, 0.5, 0.99, 1.0):
            mask = rng.random(n) < share
            ours, by = nl.array(x), nl.array(mask)
            numpy.testing.assert_array_equal(numpy.asarray(ours[by]), x[mask])
            numpy.testing.assert_array_equal(numpy.asarray(nl.flatnonzero(by)), numpy.flatnonzero(mask))
            assert int(nl.count_nonzero(by)) == numpy.count_nonzero(mask)


@pytest.mark.parametrize("dtype", ("u1", "i2", "f4", "f8", "D"))
def test_gathering_from_arrays_beyond_the_caches(dtype):
    rng = numpy.random.default_rng(7)
    x = rng.integers(0, 100, 5_000_000).astype(dtype)
    for count in (1, 100, 128, 129, 40_000, 300_001):
        index = rng.integers(-x.size, x.size, count)
        numpy.testing.assert_array_equal(numpy.asarray(nl.array(x)[nl.array(index)]), x[index])
    rows, index = x[:2_100_000].reshape(3, -1), rng.integers(0, 700_000, 90_001)
    ours = nl.take(nl.array(rows), nl.array(index), axis=1)
    numpy.testing.assert_array_equal(numpy.asarray(ours), numpy.take(rows, index, axis=1))


@pytest.mark.parametrize("instructions", ("baseline", "avx2", "avx512"))
def test_every_instruction_set_and_number_of_threads(instructions):
    """The same values in the same order; what the processor lacks falls back to what it has."""
    program = (
        "import numloom as nl, numpy\n"
        "rng = numpy.random.default_rng(3)\n"
        "for n in (100, 5000, 200_001):\n"
        "    for x in (rng.random(n), rng.integers(0, 9, n), rng.standard_normal(n).astype('f4')):\n"
        "        assert numpy.array_equal(numpy.asarray(nl.sort(nl.array(x))), numpy.sort(x)), (n, x.dtype)\n"
        "        order = numpy.argsort(x, kind='stable')\n"
        "        assert numpy.array_equal(numpy.asarray(nl.argsort(nl.array(x))), order), (n, x.dtype)\n"
    )
    for threads in ("1", "3"):
        environment = {**os.environ, "NUMLOOM_CPU": instructions, "NUMLOOM_THREADS": threads}
        subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def test_an_input_that_defeats_pivots_takes_no_longer_than_n_log_n():
    """Organ pipes, sawteeth and few values: shapes on which naive quicksorts fall to n**2."""
    n = 1 << 18
    up = numpy.arange(n // 2)
    for x in (numpy.r_[up, up[::-1]], numpy.arange(n) % 1000, numpy.arange(n) // 1000 % 7, numpy.arange(n) * -1):
        numpy.testing.assert_array_equal(numpy.asarray(nl.sort(nl.array(x))), numpy.sort(x))


@pytest.mark.parametrize("dtype", (*DTYPES, "i2", "f2"))
def test_partitions_and_what_rests_on_them(dtype):
    rng = numpy.random.default_rng(4)
    for n in (1, 2, 5, 17, 100, 129, 300, 1000, 9000, 70_000):
        few, line = rng.integers(0, 5, n), numpy.arange(n)
        for x in (rng.standard_normal(n) * 50, few, line, line[::-1], numpy.where(few == 0, -0.0, few)):
            x = x.astype(dtype)
            if x.dtype.kind == "f" and x[-1] == 0:
                x[rng.random(n) < 0.05] = numpy.nan
            places = sorted({int(k) for k in rng.integers(0, n, 3)})
            ours, want = numpy.asarray(nl.partition(nl.array(x), places)), numpy.sort(x, kind="stable")
            numpy.testing.assert_array_equal(numpy.sort(ours, kind="stable"), want)
            assert numpy.signbit(ours[ours == 0]).sum() == numpy.signbit(x[x == 0]).sum()
            for k in places:
                numpy.testing.assert_array_equal(ours[k], want[k])
                below, above = (numpy.nan_to_num(part.astype("f8"), nan=numpy.inf) for part in (ours[:k], ours[k:]))
                assert k == 0 or below.max() <= above.min()
            if dtype != "f2":
                numpy.testing.assert_array_equal(numpy.asarray(nl.median(nl.array(x))), numpy.median(x))
                for method in ("linear", "nearest", "hazen"):
                    ours = nl.percentile(nl.array(x), [3, 50, 99.5], method=method)
                    want = numpy.percentile(x, [3, 50, 99.5], method=method)
                    numpy.testing.assert_array_equal(numpy.asarray(ours), want)


@pytest.mark.parametrize("dtype", DTYPES)
def test_in_place_and_along_an_axis(dtype):
    x = next(rows(dtype, 3 * 20000))[1].reshape(3, 20000)
    ours = nl.array(x)
    ours.sort()
    numpy.testing.assert_array_equal(numpy.asarray(ours), numpy.sort(x))
    numpy.testing.assert_array_equal(numpy.asarray(nl.sort(nl.array(x.T), axis=0)), numpy.sort(x.T, axis=0))
