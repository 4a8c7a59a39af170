"""Matrix products against NumPy: dtypes, shapes on both sides of every way of cutting them, views, and equal bits."""

import os
import subprocess
import sys

import numpy
import pytest

np = pytest.importorskip("numloom")

DTYPES = "?bBhHiIlLefdFD"
# (m, k, n): single calls, tiles over rows, over columns and over both, sums in slices, vectors, edges of stripes.
SHAPES = (
    (1, 1, 1),
    (2, 3, 4),
    (5, 5, 5),
    (6, 7, 8),
    (33, 17, 65),
    (129, 70, 131),
    (400, 60, 385),
    (300, 64, 700),
    (3000, 40, 50),
    (7, 40000, 9),
    (1, 3_000_000, 1),
    (1, 700, 4000),
    (4000, 700, 1),
    (2, 30000, 100),
    (577, 577, 577),
    (97, 300, 121),
    (40, 1100, 33),
    (200, 257, 9000),
)


def numbers(shape, dtype, seed):
    rng = numpy.random.default_rng(seed)
    kind = numpy.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.02
    if kind in "iu":
        info = numpy.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    x = rng.integers(-3, 4, shape).astype("d" if kind == "f" else "D")
    if dtype == "e":
        return x.astype("e")
    x += rng.random(shape)
    return (x + 1j * rng.random(shape) if kind == "c" else x).astype(dtype)


def layouts(x):
    """The same matrix in C order, in Fortran order, with gaps between its rows, and backwards."""
    yield np.array(x)
    yield np.array(x.T.copy()).T
    yield np.array(numpy.hstack([x, x]))[:, : x.shape[1]]
    yield np.array(numpy.vstack([x.T, x.T]))[: x.shape[1]].T
    yield np.array(x[::-1, ::-1].copy())[::-1, ::-1]


def agree(got, want, depth):
    got = numpy.asarray(got)
    assert got.dtype == want.dtype and got.shape == want.shape
    if want.dtype.kind in "biu":
        numpy.testing.assert_array_equal(got, want)
        return
    accuracy = float(numpy.finfo(want.dtype).eps)
    bound = accuracy * (4 * depth**0.5 * 16 + 16) if want.dtype.char != "e" else 2e-3 * 16 * depth**0.5 + 2e-3
    numpy.testing.assert_allclose(got, want, rtol=accuracy * 64, atol=bound)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products(dtype):
    for number, (m, k, n) in enumerate(SHAPES):
        if dtype not in "fdFD":
            m, n, k = min(m, 40), min(n, 300), min(k, {"l": 30_000, "e": 500}.get(dtype, 3000))
        a, b = numbers((m, k), dtype, number), numbers((k, n), dtype, number + 50)
        with numpy.errstate(all="ignore"):
            want = a @ b
        pairs = list(zip(layouts(a), layouts(b), strict=True))
        if m * k * n < 1_000_000:
            pairs += [(x, y) for x, _ in pairs for _, y in pairs]
        for x, y in pairs:
            agree(x @ y, want, k)
        if m == 1:
            agree(np.array(a[0]) @ np.array(b), want[0], k)
        if n == 1:
            agree(np.matmul(np.array(a), np.array(b[:, 0])), want[:, 0], k)


@pytest.mark.parametrize("dtype", "?ilefdFD")
def test_stacks(dtype):
    for left, right in (((3,), (3,)), ((), (4,)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((500,), (500,))):
        for m, k, n in ((2, 3, 2), (9, 8, 33), (5, 7, 1)):
            a, b = numbers((*left, m, k), dtype, 1), numbers((*right, k, n), dtype, 2)
            with numpy.errstate(all="ignore"):
                want = a @ b
            agree(np.array(a) @ np.array(b), want, k)
            turned = np.array(numpy.swapaxes(a, -1, -2).copy()).swapaxes(-1, -2)
            agree(turned @ np.array(numpy.swapaxes(b, -1, -2).copy()).swapaxes(-1, -2), want, k)
            agree(np.array(numpy.concatenate([a, a], -1))[..., :k] @ np.array(b), want, k)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("n", [5, 150, 700])
def test_a_matrix_and_its_transpose(dtype, n):
    a = numbers((n, 90), dtype, 3)
    x = np.array(a)
    agree(x @ x.T, a @ a.T, 90)
    agree(x.T @ x, a.T @ a, n)
    made = numpy.asarray(x @ x.T)
    numpy.testing.assert_array_equal(made, made.T)
    agree(x @ x[::-1].T, a @ a[::-1].T, 90)


BITS = """
import hashlib, numpy, numloom as np
rng = numpy.random.default_rng(0)
made = []
for dtype in "fdD":
    for m, k, n in ((500, 300, 700), (577, 577, 577), (7, 50000, 9), (1, 3000000, 1), (3000, 700, 1), (1, 700, 4000)):
        a, b = np.array(rng.random((m, k)).astype(dtype)), np.array(rng.random((k, n)).astype(dtype))
        made += [a @ b, np.dot(b.T, a.T)]
    a = np.array(rng.random((600, 200)).astype(dtype))
    made += [a @ a.T, np.array(rng.random((300, 20, 30)).astype(dtype)) @ np.array(rng.random((30, 40)).astype(dtype))]
print(hashlib.sha256(b"".join(numpy.asarray(x).tobytes() for x in made)).hexdigest())
"""


def test_the_same_bits_for_any_number_of_threads_and_devices():
    made = set()
    for settings in (
        {"NUMLOOM_THREADS": "1"},
        {"NUMLOOM_THREADS": "2"},
        {"NUMLOOM_THREADS": "5"},
        {"NUMLOOM_DEVICES": "cpu:3", "NUMLOOM_SHARD_MIN": "1"},
        {"OPENBLAS_NUM_THREADS": "1"},
    ):
        made.add(
            subprocess.run(
                [sys.executable, "-c", BITS],
                capture_output=True,
                text=True,
                check=True,
                timeout=120,
                env=dict(os.environ, **settings),
            ).stdout
        )
    assert len(made) == 1 and len(made.pop()) == 65
