"""Sorting, ordering and partitioning many lines along any axis, short and long, against NumPy's stable sort."""

import os
import subprocess
import sys

import numloom as nl
import numpy
import pytest

DTYPES = ("f8", "f4", "f2", "i8", "u8", "i4", "u4", "i2", "u2", "i1", "u1", "?", "D", "F")
SHAPES = (
    *((40, n) for n in (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 50, 63, 64, 65)),
    *((n, 70) for n in (1, 2, 6, 8, 11, 32, 64, 66, 300)),
    *((5, n, 7) for n in (1, 4, 9, 64, 65, 200)),
    (11, 8),
    (12, 8),
    (64, 64),
    (3, 600),
    (600, 3),
    (7, 33, 40),
)


def values(dtype, shape, seed):
    """Numbers with ties, both zeros, infinities and NaN of both signs."""
    rng = numpy.random.default_rng(seed)
    dtype = numpy.dtype(dtype)
    if dtype.kind in "iub":
        spread = rng.integers(-3, 4, shape) if seed % 2 else rng.integers(-(2**62), 2**62, shape)
        return spread.astype(dtype)
    x = (
        numpy.round(rng.standard_normal(shape) * 3)
        if seed % 2
        else rng.standard_normal(shape) * 10.0 ** rng.integers(-4, 4, shape)
    )
    special = (0.0, -0.0, numpy.inf, -numpy.inf, numpy.nan, -numpy.nan)
    x = numpy.where(rng.random(shape) < 0.3, rng.choice(special, shape), x)
    if dtype.kind == "c":
        x = x + 1j * numpy.round(rng.standard_normal(shape))
    return x.astype(dtype)


def same(ours, want):
    """Equal values in the same places, zeros with their signs."""
    ours = numpy.asarray(ours)
    assert ours.dtype == want.dtype and ours.shape == want.shape
    numpy.testing.assert_array_equal(ours, want)
    if want.dtype.kind == "f":
        zeros = want == 0
        assert numpy.array_equal(numpy.signbit(ours[zeros]), numpy.signbit(want[zeros]))


def views(x):
    """The same numbers lying in other ways."""
    yield "plain", nl.array(x)
    yield "Fortran", nl.array(x.T.copy()).T
    yield "reversed", nl.array(x[..., ::-1].copy())[..., ::-1]


@pytest.mark.parametrize("dtype", DTYPES)
def test_lines_along_every_axis(dtype):
    for seed, shape in enumerate(SHAPES):
        for spread in (2 * seed, 2 * seed + 1):
            x = values(dtype, shape, spread)
            for axis in range(len(shape)):
                order = numpy.argsort(x, axis=axis, kind="stable")
                want = numpy.take_along_axis(x, order, axis)
                for name, ours in views(x):
                    what = f"{name} {shape} axis={axis}"
                    same(nl.sort(ours, axis=axis), want)
                    numpy.testing.assert_array_equal(numpy.asarray(nl.argsort(ours, axis=axis)), order, err_msg=what)
                again = nl.array(x)
                again.sort(axis=axis)
                same(again, want)


def check_partition(made, x, want, places, axis):
    made = numpy.moveaxis(made, axis, -1)
    want, x = numpy.moveaxis(want, axis, -1), numpy.moveaxis(x, axis, -1)
    numpy.testing.assert_array_equal(numpy.sort(made, axis=-1, kind="stable"), want)
    for k in places:
        numpy.testing.assert_array_equal(made[..., k], want[..., k])
        if numpy.isnan(want).any():
            continue
        for part, sign in ((made[..., :k], 1), (made[..., k + 1 :], -1)):
            if part.shape[-1]:
                edge = part.max(axis=-1) if sign > 0 else part.min(axis=-1)
                assert (edge <= made[..., k]).all() if sign > 0 else (edge >= made[..., k]).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_partitions_along_every_axis(dtype):
    for seed, shape in enumerate(SHAPES):
        x = values(dtype, shape, seed)
        for axis in range(len(shape)):
            n = shape[axis]
            want = numpy.sort(x, axis=axis, kind="stable")
            for places in ([n // 2], sorted({0, n // 3, n - 1})):
                ours = numpy.asarray(nl.partition(nl.array(x), places, axis=axis))
                check_partition(ours, x, want, places, axis)
                order = numpy.asarray(nl.argpartition(nl.array(x), places, axis=axis))
                assert (numpy.sort(order, axis=axis) == numpy.sort(numpy.argsort(x, axis=axis), axis=axis)).all()
                check_partition(numpy.take_along_axis(x, order, axis), x, want, places, axis)


@pytest.mark.parametrize("n", (20, 100, 511, 4096, 20_000))
def test_positions_of_numbers_that_differ_in_their_last_bits(n):
    """The keys of such rows do not fit above their positions: outliers, neighbours, ties among both."""
    rng = numpy.random.default_rng(n)
    near = 1.0 + numpy.finfo(float).eps * rng.integers(0, 50, n)
    rows = (
        near,
        numpy.where(rng.random(n) < 0.1, -1e300, near),
        numpy.where(rng.random(n) < 0.1, numpy.nan, near),
        numpy.where(numpy.arange(n) == n // 2, 1e300, near),
    )
    whole = numpy.where(numpy.arange(n) == 3, -(2**63), 2**62 + rng.integers(0, 20, n))
    for x in (*rows, whole):
        same(nl.argsort(nl.array(x)), numpy.argsort(x, kind="stable"))
        want = numpy.sort(x)
        for places in ([n // 2], [0, n // 2, n - 1], list(range(20))):
            order = numpy.asarray(nl.argpartition(nl.array(x), places))
            numpy.testing.assert_array_equal(numpy.sort(order), numpy.arange(n))
            check_partition(x[order], x, want, places, 0)


@pytest.mark.parametrize("instructions", ("baseline", "avx2", "avx512"))
def test_lines_on_every_instruction_set(instructions):
    program = (
        "import sys, numpy\n"
        f"sys.path.insert(0, {os.path.dirname(__file__)!r})\n"
        "import test_sort_lines as tests\n"
        "for dtype in ('f8', 'f4', 'f2', 'i8', 'u8', 'u4', 'i2', '?', 'D'):\n"
        "    tests.test_lines_along_every_axis(dtype)\n"
        "    tests.test_partitions_along_every_axis(dtype)\n"
        "for n in (100, 4096):\n"
        "    tests.test_positions_of_numbers_that_differ_in_their_last_bits(n)\n"
    )
    environment = {**os.environ, "NUMLOOM_CPU": instructions}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
