"""Single calls that were once slower than NumPy's: many short rows, changes at positions, lines slid along lines.

Each spot is a function of the module and of its inputs. Medians of interleaved rounds in one run; a round ends with a
read of the result. The ratio of the best rounds tells what is possible where other programs take turns on the cores.
"""

from __future__ import annotations

import importlib
import json
import pathlib
import statistics
import time

import machine
import numpy as np

ROUNDS = 15
SPOTS: dict[str, tuple] = {}


def spot(name, call, *inputs):
    SPOTS[name] = (call, inputs)


def numbers(shape, dtype):
    return lambda rng: (rng.random(shape) * 1e6).astype(dtype)


def positions(below, count):
    return lambda rng: rng.integers(0, below, count)


def along(function, axis):
    return lambda xp, a: getattr(xp, function)(a, axis=axis)


def middle(function):
    return lambda xp, a: getattr(xp, function)(a, a.shape[1] // 2, axis=1)


def changed(operation):
    def call(xp, x, index, values):
        getattr(xp, operation).at(x, index, values)
        return x

    return call


def counted(xp, x, index):
    xp.add.at(x, index, 1)
    return x


def eliminated(xp, a):
    """Gaussian elimination on a copy: every step has sizes of its own."""
    a = a.copy()
    for k in range(a.shape[0] - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= xp.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


for kind in ("float64", "float32", "int64", "int32"):
    for rows, n in ((100_000, 8), (20_000, 50), (2_000, 500)):
        for name in ("sort", "argsort"):
            spot(f"{name} {rows} rows of {n} {kind}", along(name, 1), numbers((rows, n), kind))
        for name in ("partition", "argpartition"):
            spot(f"{name} {rows} rows of {n} {kind}", middle(name), numbers((rows, n), kind))
    spot(f"sort 100000 columns of 8 {kind}", along("sort", 0), numbers((8, 100_000), kind))
    spot(f"argsort 100000 columns of 8 {kind}", along("argsort", 0), numbers((8, 100_000), kind))
for targets in (10, 1_000, 1_000_000):
    for name in ("add", "maximum"):
        call = changed(name)
        spot(f"{name}.at {targets}", call, numbers(targets, float), positions(targets, 10**6), numbers(10**6, float))
    spot(f"add.at {targets} counts", counted, numbers(targets, int), positions(targets, 10**6))
for n, m in ((20_000, 2_000), (20_000, 200), (100_000, 9), (1_000, 1_000)):
    for kind in ("float64", "float32", "int64"):
        spot(f"convolve {n} {m} {kind}", lambda xp, a, v: xp.convolve(a, v), numbers(n, kind), numbers(m, kind))
for n in (100, 300, 1_000):
    spot(f"elimination {n}", eliminated, lambda rng, n=n: rng.random((n, n)) + n * np.eye(n))


def timed(xp, call, inputs) -> float:
    begin = time.perf_counter()
    np.asarray(call(xp, *inputs))
    return time.perf_counter() - begin


def measure(module, name) -> dict:
    call, makers = SPOTS[name]
    rng = np.random.default_rng(1)
    theirs = [make(rng) for make in makers]
    ours = [module.array(a) for a in theirs]
    expected, got = np.asarray(call(np, *theirs)), np.asarray(call(module, *ours))
    if not name.startswith("arg") and "partition" not in name:
        np.testing.assert_allclose(got, expected, rtol=1e-4)
    samples = [(timed(np, call, theirs), timed(module, call, ours)) for _ in range(ROUNDS)]
    (peer, own), (peer_best, best) = (
        [f(side) for side in zip(*samples, strict=True)] for f in (statistics.median, min)
    )
    times = {"peer_seconds": peer, "seconds": own, "ratio": peer / own}
    return {"name": name, "peer": "numpy", **times, "best_ratio": peer_best / best}


def run(options) -> int:
    module = importlib.import_module(options.module)
    print(machine.describe(machine.use_cores(options.cores), [options.module]), "\n")
    print(f"{'':44s} {'NumPy ms':>10s} {options.module + ' ms':>12s} {'ratio':>7s} {'of best rounds':>15s}")
    rows = []
    for name in SPOTS:
        if options.only and not any(part in name for part in options.only):
            continue
        row = measure(module, name)
        rows.append(row)
        times = f"{row['peer_seconds'] * 1e3:10.3f} {row['seconds'] * 1e3:12.3f}"
        print(f"{name:44s} {times} {row['ratio']:7.2f} {row['best_ratio']:15.2f}", flush=True)
    ratio, best = (statistics.geometric_mean(row[key] for row in rows) for key in ("ratio", "best_ratio"))
    print(f"{'geometric mean':67s} {ratio:7.2f} {best:15.2f}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    return 0
