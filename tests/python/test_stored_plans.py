"""Plans of small programs, compared with stored ones, so that a refactoring shows what it changed.

`NUMLOOM_STORE_PLANS=1 ./loom python -m pytest tests/python/test_stored_plans.py` writes them anew; look at the
difference before committing it.
"""

import os
import pathlib

import numloom as np
import numpy
import pytest

FOLDER = pathlib.Path(__file__).parent / "plans"

pytestmark = pytest.mark.skipif(
    np.mesh().size > 1 or "cpu" not in np.mesh().devices[0] or os.environ.get("NUMLOOM_FUSION") == "0",
    reason="stored plans are those of one CPU device with fusion",
)


def data(*shape, dtype="float64"):
    return np.asarray(numpy.random.default_rng(len(shape)).random(shape).astype(dtype))


def sweep():
    g = data(12, 10)
    np.eval()
    g[1:-1, 1:-1] = 0.2 * (g[1:-1, 1:-1] + g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:])
    return g


def two_sweeps_and_a_border():
    g = data(12, 10)
    np.eval()
    for _ in range(2):
        g[1:-1, 1:-1] = 0.25 * (g[:-2, 1:-1] + g[2:, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:])
        g[0], g[:, -1] = g[1], g[:, -2]
    return g


def overlapping_updates():
    d, e = data(100), data(100)
    np.eval()
    d[1:] += d[:-1]
    e[10:40] = e[5:35]
    e[::2] *= d[::2]
    return d, e


def normalise():
    x = data(50, 7)
    np.eval()
    return (x - x.mean(0)) / x.std(0)


def reductions_of_one_array():
    x = data(30, 20)
    np.eval()
    return x.sum(), x.min(), x.max(), (x * x).mean()


def mixed_types():
    m, i, f, d = data(40) > 0.5, np.arange(40, dtype="int32"), data(40, dtype="float32"), data(40)
    np.eval()
    return np.where(m, i * f, d)


def reduction_feeds_a_map():
    x, y = data(30, 20), data(30, 20)
    np.eval()
    scale = 0.9 / np.maximum(abs(x), abs(y)).max()
    x *= scale
    return x + scale * y


def reversed_and_transposed():
    a, b = data(6, 8), data(8, 6)
    np.eval()
    a[::-1, ::2] = b.T[:, 1::2] + 1
    return a


def dead_and_donated():
    x = data(64)
    np.eval()
    unused = np.exp(x)  # its work must not be done
    del unused
    y = x * 2
    np.eval()
    z = y + 1
    del y
    return z


def parts_of_complex():
    a, b = data(9, 5), data(9, 5)
    np.eval()
    z = a + 1j * b
    inside = z.real * z.real + z.imag * z.imag < 2
    return np.where(inside, z * z, z)


PROGRAMS = [
    sweep, two_sweeps_and_a_border, overlapping_updates, normalise, reductions_of_one_array, mixed_types,
    reduction_feeds_a_map, reversed_and_transposed, dead_and_donated, parts_of_complex,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_plan_is_the_stored_one(program):
    def run():
        result = program()
        np.eval()
        return result

    text = np.plan(run)
    file = FOLDER / f"{program.__name__}.txt"
    if os.environ.get("NUMLOOM_STORE_PLANS"):
        FOLDER.mkdir(exist_ok=True)
        file.write_text(text)
    assert text == file.read_text()
