"""Thirty small programs: what people write on arrays of 1 to 1000 elements, where the cost of a call is all there is.

Each is a function of the module and of its own copies of the inputs, as in programs.py. `SMALL` maps its name to it and
to a function that makes the inputs.
"""

from __future__ import annotations

import numpy as np

SMALL: dict[str, tuple] = {}


def small(*shapes):
    """Register a program whose inputs are arrays of these shapes, uniform in [0, 1)."""

    def register(program):
        SMALL[program.__name__] = (program, lambda rng: tuple(rng.random(shape) for shape in shapes))
        return program

    return register


# --- scalar loops over elements ---


@small(1000)
def sum_by_element(xp, a):
    total = 0.0
    for i in range(len(a)):
        total += a[i]
    return total


@small(1000)
def write_by_element(xp, a):
    for i in range(len(a)):
        a[i] = 0.5 * i
    return a


@small(1000)
def change_by_element(xp, a):
    for i in range(len(a)):
        a[i] += 1.0
    return a


@small((30, 30))
def trace_by_element(xp, a):
    rows, columns = a.shape
    total = 0.0
    for i in range(rows):
        for j in range(columns):
            if i != j:
                total += a[i, j]
    return total


@small(500, 500)
def recurrence(xp, a, b):
    for i in range(1, len(a)):
        a[i] = 0.5 * a[i - 1] + b[i]
    return a


@small(100)
def newton_on_scalars(xp, a):
    for i in range(len(a)):
        x = a[i] + 1.0
        for _ in range(5):
            x = x - (x * x - 2.0) / (2.0 * x)
        a[i] = x
    return a


@small(60)
def insertion_sort(xp, a):
    for i in range(1, len(a)):
        j = i
        while j > 0 and a[j - 1] > a[j]:
            a[j - 1], a[j] = a[j], a[j - 1]
            j -= 1
    return a


@small(500)
def count_bins(xp, a):
    count = xp.zeros(10, dtype=int)
    for x in a:
        count[int(x * 10)] += 1
    return count


@small((40, 40))
def edit_distance(xp, cost):
    rows, columns = cost.shape
    best = xp.zeros((rows, columns))
    for i in range(1, rows):
        for j in range(1, columns):
            best[i, j] = cost[i, j] + min(best[i - 1, j], best[i, j - 1], best[i - 1, j - 1])
    return best


@small(300)
def print_numbers(xp, a):
    return float(sum(len(f"{x:.3f}") for x in a) + len(str(a.tolist())))


# --- dot products and small solves ---


@small(10, 10)
def dot_10(xp, a, b):
    total = 0.0
    for _ in range(100):
        total += a @ b
    return total


@small(1000, 1000)
def dot_1000(xp, a, b):
    total = 0.0
    for _ in range(100):
        total += xp.dot(a, b)
    return total


@small((3, 3), 3)
def rotate_3(xp, m, v):
    for _ in range(100):
        v = m @ v
        v = v / xp.sqrt(v @ v)
    return v


@small((8, 8), (8, 8))
def matmul_8(xp, a, b):
    for _ in range(100):
        a = 0.2 * (a @ b)
    return a


@small((4, 4), 4)
def solve_4(xp, a, b):
    a = a + 4.0 * xp.eye(4)
    for _ in range(50):
        b = xp.linalg.solve(a, b)
    return b


@small((20, 20), 20)
def solve_20(xp, a, b):
    a = a + 20.0 * xp.eye(20)
    for _ in range(30):
        b = xp.linalg.solve(a, b)
    return b


@small((3, 3))
def inverse_and_determinant_3(xp, a):
    a = a + 3.0 * xp.eye(3)
    total = 0.0
    for _ in range(30):
        total += xp.linalg.det(xp.linalg.inv(a))
    return total


@small((3, 100))
def norms(xp, points):
    total = 0.0
    for i in range(100):
        total += xp.linalg.norm(points[:, i])
    return total


@small((10, 3))
def pair_forces(xp, position):
    force = xp.zeros_like(position)
    for i in range(10):
        for j in range(i):
            d = position[j] - position[i]
            f = d / ((d * d).sum() + 0.1)
            force[i] += f
            force[j] -= f
    return force


# --- slices ---


@small(100)
def differences(xp, a):
    for _ in range(100):
        d = a[1:] - a[:-1]
    return d


@small(1000)
def running_mean(xp, a):
    for _ in range(50):
        a[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3.0
    return a


@small((30, 30))
def heat_30(xp, t):
    for _ in range(50):
        t[1:-1, 1:-1] += 0.1 * (t[2:, 1:-1] + t[:-2, 1:-1] + t[1:-1, 2:] + t[1:-1, :-2] - 4.0 * t[1:-1, 1:-1])
    return t


@small(1)
def sieve(xp, unused):
    prime = xp.ones(1000, dtype=bool)
    prime[:2] = False
    for i in range(2, 32):
        if prime[i]:
            prime[i * i :: i] = False
    return prime


@small((50, 10))
def rows_one_by_one(xp, m):
    total = 0.0
    for row in m:
        total += row[::-1].sum()
    return total


@small(64, 64)
def join_and_split(xp, a, b):
    for _ in range(50):
        both = xp.concatenate([a[:32], b[32:]])
        a, b = both[::2].repeat(2), both[1::2].repeat(2)
    return a, b


# --- reductions and elementwise work ---


@small(10)
def sum_10(xp, a):
    total = 0.0
    for _ in range(200):
        total += a.sum()
    return total


@small(100)
def mean_and_deviation(xp, a):
    total = 0.0
    for i in range(50):
        part = a[: 50 + i]
        total += part.mean() / part.std()
    return total


@small(1000)
def largest(xp, a):
    total = 0.0
    for _ in range(50):
        total += a[a.argmax()] + a.min()
    return total


@small(200)
def masks(xp, a):
    total = 0.0
    for i in range(50):
        chosen = a[a > i / 100.0]
        total += chosen.sum() / max(len(chosen), 1) + xp.where(a > 0.5, a, 0.0).sum()
    return total


@small(3)
def lorenz(xp, state):
    def slope(s):
        return xp.array([10.0 * (s[1] - s[0]), s[0] * (28.0 - s[2]) - s[1], s[0] * s[1] - 8.0 / 3.0 * s[2]])

    step = 0.01
    for _ in range(25):
        k1 = slope(state)
        k2 = slope(state + 0.5 * step * k1)
        k3 = slope(state + 0.5 * step * k2)
        k4 = slope(state + step * k3)
        state = state + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return state


assert len(SMALL) == 30


if __name__ == "__main__":
    import time

    for name, (program, inputs) in SMALL.items():
        arrays = inputs(np.random.default_rng(1))
        begin = time.perf_counter()
        program(np, *arrays)
        print(f"{name:28s}{(time.perf_counter() - begin) * 1e6:10.0f} us")
