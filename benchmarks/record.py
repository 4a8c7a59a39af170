"""Nanoseconds to record one operator, and to record and run it, beside NumPy's whole operator."""

from __future__ import annotations

import importlib
import statistics
import time

import machine
import numpy as np

ROUNDS = 9
CHAINS = (1, 5, 100, 10_000)


def empty_loop(count: int) -> float:
    begin = time.perf_counter_ns()
    for _ in range(count):
        pass
    return time.perf_counter_ns() - begin


def recorded(x, y, count: int) -> float:
    """Time `count` operators whose results nobody reads before the clock stops."""
    begin = time.perf_counter_ns()
    for _ in range(count):
        z = x + y
    seconds = time.perf_counter_ns() - begin
    float(z[0])
    return seconds


def chained(x, y, length: int, count: int) -> float:
    """Time chains of `length` dependent operators, each ending with a read, until `count` operators are done."""
    begin = time.perf_counter_ns()
    for _ in range(max(count // length, 1)):
        z = x
        for _ in range(length):
            z = z + y
        float(z[0])
    return time.perf_counter_ns() - begin


def run(module_name: str) -> int:
    module = importlib.import_module(module_name)
    print(machine.describe(machine.available_cores(), [module_name]), "\n")
    print(f"{'nanoseconds an operator':46s} {'NumPy':>9s} {module_name:>9s} {'ratio':>7s}")
    for size in (1, 10, 1000):
        rng = np.random.default_rng(1)
        values = rng.random(size), rng.random(size)
        sides = [tuple(xp.array(v) for v in values) for xp in (np, module)]
        for label, call, count in cases():
            samples = ([], [])
            for _ in range(ROUNDS):
                for (x, y), found in zip(sides, samples, strict=True):
                    found.append((call(x, y) - empty_loop(count)) / count)
            theirs, ours = map(statistics.median, samples)
            print(f"{label + f', {size} elements':46s} {theirs:9.1f} {ours:9.1f} {theirs / ours:7.2f}", flush=True)
    return 0


def cases():
    """Yield a label, a function of two arrays that returns nanoseconds, and the number of operators in it."""
    yield "x + y recorded, not read", lambda x, y: recorded(x, y, 1000), 1000
    for length in CHAINS:
        count = max(10_000, length)
        yield f"chain of {length}, then a read", lambda x, y, n=length, c=count: chained(x, y, n, c), count
