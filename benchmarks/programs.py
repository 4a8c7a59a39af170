"""The programs of the headline benchmark. The list is fixed: a row's text is plain NumPy that takes the module `xp`.

A program is a function of the module and of its input arrays, which are its own: it may change them. It returns an
array or scalar or a tuple of them; the harness ends each run with a read of every one. Programs in `ENGINE` are those
of the engine, programs in `ARRAY` those of the whole array; the small programs are in small.py.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import erf


@dataclasses.dataclass(frozen=True)
class Program:
    """One row of the headline.

    Attributes
    ----------
    name, dtype : str
        As in the JSON file; several rows may share a name and differ in dtype or size.
    run : callable
        ``run(xp, *arrays)``.
    inputs : callable
        ``inputs(rng, size)`` returns the input arrays, of NumPy.
    size, quick_size : tuple of int
        Length of the axes that the row states, and those of a quick run.
    target : float
        Ratio over NumPy that the row must reach.
    times : int
        Repetitions inside `run`; the row states the time of one.
    streams : tuple of (reads, writes, bytes) or None
        The memory traffic of one repetition that nobody can avoid, each stream of `bytes` bytes an element; None where
        memory is not what limits the row.
    tolerance : float
        Largest accepted difference from NumPy's result, relative to the result's largest value.
    check : callable or None
        ``check(results)`` raises AssertionError, in place of the comparison with NumPy.
    """

    name: str
    run: Callable[..., Any]
    inputs: Callable[..., tuple]
    size: tuple[int, ...]
    quick_size: tuple[int, ...]
    target: float
    dtype: str = "float64"
    times: int = 1
    streams: tuple[float, float, int] | None = None
    tolerance: float = 0.0
    check: Callable[[tuple], None] | None = None

    def label(self, size) -> str:
        return "x".join(map(str, size))


# --- the engine's rows ---------------------------------------------------------------------------------------------


def sweep(xp, grid, fifth, steps):
    for _ in range(int(steps)):
        work = fifth * (grid[1:-1, 1:-1] + grid[:-2, 1:-1] + grid[1:-1, 2:] + grid[2:, 1:-1] + grid[1:-1, :-2])
        grid[1:-1, 1:-1] = work
    return grid


def sweep_inputs(dtype, steps):
    def inputs(rng, size):
        return rng.random(size).astype(dtype), np.dtype(dtype).type(0.2), steps

    return inputs


def black_scholes(xp, price, strike, years):
    root = 0.3 * xp.sqrt(years)
    d1 = (xp.log(price / strike) + (0.02 + 0.045) * years) / root
    d2 = d1 - root
    discounted = strike * xp.exp(-0.02 * years)
    n1 = 0.5 * (1.0 + erf(0.7071067811865476 * d1))
    n2 = 0.5 * (1.0 + erf(0.7071067811865476 * d2))
    call = price * n1 - discounted * n2
    put = discounted * (1.0 - n2) - price * (1.0 - n1)
    return call, put


def black_scholes_inputs(dtype):
    def inputs(rng, size):
        return tuple(
            rng.uniform(low, high, size).astype(dtype) for low, high in ((50.0, 150.0), (50.0, 150.0), (0.1, 3.0))
        )

    return inputs


def chain(xp, a, b, c, x, y, z):
    return a * x + y * b - c * z


def sum_squares(xp, a, b):
    return ((a - b) ** 2).sum()


def where_mixed(xp, mask, i, f, d):
    return xp.where(mask, i * f, d)


def where_mixed_inputs(rng, size):
    i = rng.integers(1, 1000, size, dtype=np.int32)
    f = rng.random(size, dtype=np.float32)
    return f > 0.5, i, f, rng.random(size)


def add10(xp, x, y, times):
    for _ in range(int(times)):
        x = x + y
    return x


def axpy1024(xp, x, y, times):
    for _ in range(int(times)):
        x += 2 * y
    return x


def loop_with_read(xp, grid, steps):
    for _ in range(int(steps)):
        new = grid.copy()
        new[1:-1, 1:-1] = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
        change = float(abs(new - grid).max())
        grid = new
    return grid, change


def uniform(count, *numbers):
    """Make `count` arrays of the row's size, uniform in [0, 1), followed by these numbers."""

    def inputs(rng, size):
        return *(rng.random(size) for _ in range(count)), *numbers

    return inputs


ENGINE = (
    Program(
        "sweep",
        sweep,
        sweep_inputs("float64", 10),
        (4000, 4000),
        (1000, 1000),
        6.0,
        times=10,
        streams=(1, 1, 8),
    ),
    Program(
        "sweep",
        sweep,
        sweep_inputs("float32", 10),
        (4000, 4000),
        (1000, 1000),
        6.0,
        dtype="float32",
        times=10,
        streams=(1, 1, 4),
    ),
    Program(
        "sweep_cached", sweep, sweep_inputs("float64", 200), (300, 300), (300, 300), 5.0, times=200, streams=(1, 1, 8)
    ),
    Program(
        "black_scholes",
        black_scholes,
        black_scholes_inputs("float64"),
        (10_000_000,),
        (1_000_000,),
        7.0,
        streams=(3, 2, 8),
        tolerance=1e-12,
    ),
    Program(
        "black_scholes",
        black_scholes,
        black_scholes_inputs("float32"),
        (10_000_000,),
        (1_000_000,),
        8.0,
        dtype="float32",
        streams=(3, 2, 4),
        tolerance=1e-5,
    ),
    Program("chain", chain, uniform(6), (20_000_000,), (2_000_000,), 2.7, streams=(6, 1, 8)),
    Program(
        "sum_squares", sum_squares, uniform(2), (50_000_000,), (5_000_000,), 3.5, streams=(2, 0, 8), tolerance=1e-12
    ),
    Program(
        "where_mixed",
        where_mixed,
        where_mixed_inputs,
        (10_000_000,),
        (1_000_000,),
        6.0,
        dtype="mixed",
        streams=(17 / 8, 1, 8),
    ),
    Program("add10", add10, uniform(2, 100_000), (10,), (10,), 1.5, times=100_000),
    Program("axpy1024", axpy1024, uniform(2, 100_000), (1024,), (1024,), 2.0, times=100_000),
    Program("loop_with_read", loop_with_read, uniform(1, 200), (500, 500), (500, 500), 3.0, times=200),
)

# --- the rows of the whole array -----------------------------------------------------------------------------------


def sort(xp, x):
    return xp.sort(x)


def argsort(xp, x):
    return xp.argsort(x)


def cumsum(xp, x):
    return xp.cumsum(x)


def mask(xp, x):
    return x[x > 0.5]


def gather(xp, x, index):
    return x[index]


def gather_inputs(rng, size):
    return rng.random(size), rng.integers(0, size[0], size)


def sum_axes(xp, x):
    return x.sum(axis=0), x.sum(axis=1)


def transpose(xp, x):
    return x.T + x


def normalise(xp, x):
    return (x - x.mean(0)) / x.std(0)


def nbody(xp, position, mass):
    delta = position[None, :, :] - position[:, None, :]
    inverse = ((delta**2).sum(axis=2) + 0.01) ** -1.5
    return (delta * (inverse * mass[None, :])[:, :, None]).sum(axis=1)


def nbody_inputs(rng, size):
    return rng.random((*size, 3)), rng.random(size)


def mandelbrot(xp, x, y):
    c = x[None, :] + 1j * y[:, None]
    z = xp.zeros_like(c)
    count = xp.zeros(c.shape, dtype=int)
    for _ in range(20):
        inside = z.real * z.real + z.imag * z.imag < 4.0
        z = xp.where(inside, z * z + c, z)
        count += inside
    return count


def mandelbrot_inputs(rng, size):
    return np.linspace(-2.0, 0.5, size[1]), np.linspace(-1.25, 1.25, size[0])


def matmul(xp, a, b):
    return a @ b


def fft2(xp, x):
    return xp.fft.fft2(x)


def random(xp, count):
    rng = xp.random.default_rng()
    return rng.standard_normal(int(count)), rng.random(int(count))


def random_check(results):
    normal, flat = results
    bound = 6.0 / np.sqrt(normal.size)  # six standard deviations
    assert abs(normal.mean()) < bound and abs(normal.var() - 1.0) < 1.5 * bound, "not a normal distribution"
    assert abs(flat.mean() - 0.5) < bound and flat.min() >= 0.0 and flat.max() < 1.0, "not a uniform distribution"
    assert np.unique(flat[:1000]).size > 990, "the numbers repeat"


def random_seeded(xp, count):
    return xp.random.default_rng(1).random(int(count))


def count_only(rng, size):
    return size


TWENTY, TWO = (20_000_000,), (2_000_000,)

ARRAY = (
    Program("sort", sort, uniform(1), TWENTY, TWO, 1.6),
    Program("argsort", argsort, uniform(1), TWENTY, TWO, 3.0, dtype="int64"),
    Program("cumsum", cumsum, uniform(1), TWENTY, TWO, 4.0, streams=(1, 1, 8), tolerance=1e-12),
    Program("mask", mask, uniform(1), TWENTY, TWO, 4.0, streams=(1, 0.5, 8)),
    Program("gather", gather, gather_inputs, TWENTY, TWO, 1.5),
    Program("sum_axes", sum_axes, uniform(1), (5000, 5000), (1000, 1000), 1.5, streams=(1, 0, 8), tolerance=1e-12),
    Program("transpose", transpose, uniform(1), (4000, 4000), (1000, 1000), 3.0, streams=(1, 1, 8)),
    Program("normalise", normalise, uniform(1), (200_000, 100), (20_000, 100), 4.0, streams=(2, 1, 8), tolerance=1e-11),
    Program("nbody", nbody, nbody_inputs, (400,), (400,), 4.0, tolerance=1e-12),
    Program("mandelbrot", mandelbrot, mandelbrot_inputs, (1000, 1000), (300, 300), 5.0, dtype="complex128"),
    Program("matmul", matmul, uniform(2), (1500, 1500), (500, 500), 0.95, tolerance=1e-12),
    Program("fft2", fft2, uniform(1), (2048, 2048), (512, 512), 1.5, dtype="complex128", tolerance=1e-12),
    Program("random", random, count_only, TWENTY, TWO, 4.0, check=random_check),
    Program("random_seeded", random_seeded, count_only, TWENTY, TWO, 2.0),
)
