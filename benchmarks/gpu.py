"""The headline programs on one GPU: NumPy's text under Numloom, against CuPy in the same process.

The arrays are made on the device by the module that uses them, from the same formula. All contestants of a row run in
turn, round after round; a run ends with a read of one number of each result, and a row states the medians.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib
import json
import os
import pathlib
import platform
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import programs

ROUNDS, QUICK_ROUNDS = 9, 3


@dataclasses.dataclass(frozen=True)
class Row:
    """One row of the table.

    Attributes
    ----------
    name, dtype : str
        As in the JSON file.
    run : callable
        ``run(xp, *arrays)``, NumPy's text.
    arrays : callable
        ``arrays(xp, size)`` makes the inputs on the device.
    size, quick_size : int
        Length of every axis or number of elements.
    streams : float
        Bytes of memory traffic of one repetition that nobody can avoid, for each element of the size; 0: not stated.
    most : float
        Milliseconds that Numloom may take on an H200.
    times : int
        Repetitions inside `run`.
    tolerance : float
        Accepted relative difference between the contestants' results.
    """

    name: str
    run: Callable[..., Any]
    arrays: Callable[..., tuple]
    size: int
    quick_size: int
    streams: float
    most: float
    dtype: str = "float64"
    times: int = 1
    tolerance: float = 1e-11
    square: bool = False

    def elements(self, quick: bool) -> int:
        n = self.quick_size if quick else self.size
        return n * n if self.square else n

    def label(self, quick: bool) -> str:
        n = self.quick_size if quick else self.size
        return f"{n}x{n}" if self.square else str(n)


def numbers(xp, n: int, dtype: str, low: float = 0.0, high: float = 1.0, step: float = 0.6180339887498949):
    """Make n numbers in [low, high) that look random and are the same for every module."""
    return (low + (high - low) * ((xp.arange(n, dtype="float64") * step) % 1.0)).astype(dtype)


def grid(dtype: str, steps: int):
    def arrays(xp, n):
        return numbers(xp, n * n, dtype).reshape(n, n), np.dtype(dtype).type(0.2), steps

    return arrays


def options_data(dtype: str):
    def arrays(xp, n):
        return tuple(
            numbers(xp, n, dtype, low, high, step)
            for low, high, step in ((50.0, 150.0, 0.618), (50.0, 150.0, 0.414), (0.1, 3.0, 0.732))
        )

    return arrays


def vectors(count: int, *rest, dtype: str = "float64"):
    def arrays(xp, n):
        return tuple(numbers(xp, n, dtype, step=0.618 + 0.1 * i) for i in range(count)) + rest

    return arrays


def matrix(xp, n):
    return (numbers(xp, n * n, "float64").reshape(n, n),)


def sum_rows(xp, x):
    return x.sum(axis=1)


def sum_columns(xp, x):
    return x.sum(axis=0)


def total(xp, x):
    return x.sum()


def transposed(xp, x):
    return x.T.copy()


def standardise(xp, x):
    return (x - x.mean(axis=0)) / x.std(axis=0)


ROWS = (
    Row("sweep", programs.sweep, grid("float64", 20), 20000, 2000, 16, 2.2, times=20, square=True),
    Row("sweep", programs.sweep, grid("float32", 20), 20000, 2000, 8, 1.1, "float32", 20, 1e-5, square=True),
    Row("sweep", programs.sweep, grid("float64", 200), 1000, 500, 16, 0.03, times=200, square=True),
    Row("black_scholes", programs.black_scholes, options_data("float64"), 50_000_000, 5_000_000, 40, 1.3),
    Row(
        "black_scholes",
        programs.black_scholes,
        options_data("float32"),
        50_000_000,
        5_000_000,
        20,
        0.7,
        "float32",
        1,
        1e-3,
    ),
    Row("chain", programs.chain, vectors(6), 1 << 26, 1 << 22, 56, 1.0),
    Row("sum_squares", programs.sum_squares, vectors(2), 1 << 28, 1 << 22, 16, 1.4),
    Row("sum", total, vectors(1), 1 << 28, 1 << 22, 8, 0.7),
    Row("sum_axis0", sum_columns, matrix, 1 << 14, 1 << 11, 8, 0.7, square=True),
    Row("sum_axis1", sum_rows, matrix, 1 << 14, 1 << 11, 8, 0.7, square=True),
    Row("standardise", standardise, matrix, 1 << 14, 1 << 11, 0, 4.0, square=True),
    Row("transpose", transposed, matrix, 1 << 14, 1 << 11, 16, 1.6, square=True),
    Row("add65536", programs.add10, vectors(2, 10_000), 1 << 16, 1 << 16, 0, 0.003, times=10_000),
)


class Contestant:
    """A module, with what it needs to run the programs' text."""

    def __init__(self, name: str, module: str, erf: str):
        self.name = name
        self.xp = importlib.import_module(module)
        where, attribute = erf.rsplit(".", 1)
        self.erf = getattr(importlib.import_module(where), attribute)

    def run(self, row: Row, arrays: tuple):
        programs.erf = self.erf
        return row.run(self.xp, *arrays)


def contestants() -> list[Contestant]:
    """Numloom, and CuPy where it is installed."""
    found = [Contestant("numloom", "numloom", "scipy.special.erf")]
    try:
        found.append(Contestant("cupy", "cupy", "cupyx.scipy.special.erf"))
    except ImportError as error:
        print(f"CuPy is left out: {error}", file=sys.stderr)
    return found


def read(result) -> list[float]:
    """One number of every array and scalar of a result."""
    values = []
    for part in result if isinstance(result, tuple) else (result,):
        if getattr(part, "ndim", 0):
            part = part[tuple(n // 3 for n in part.shape)]
        values.append(float(part))
    return values


def seconds(contestant: Contestant, row: Row, arrays: tuple) -> float:
    start = time.perf_counter()
    read(contestant.run(row, arrays))
    return time.perf_counter() - start


def measure(row: Row, players: list[Contestant], quick: bool) -> dict:
    """Times of one row by contestant, and what each read of its result."""
    n = row.quick_size if quick else row.size
    inputs = {p.name: row.arrays(p.xp, n) for p in players}
    found = {p.name: read(p.run(row, inputs[p.name])) for p in players}
    for name, values in found.items():
        for got, want in zip(values, found[players[-1].name], strict=True):
            if abs(got - want) > row.tolerance * max(1.0, abs(want)):
                raise AssertionError(f"{row.name} {row.dtype}: {name} gives {got!r}, {players[-1].name} {want!r}")
    times: dict[str, list[float]] = {p.name: [] for p in players}
    for p in players:
        seconds(p, row, inputs[p.name])
    for _ in range(QUICK_ROUNDS if quick else ROUNDS):
        for p in players:
            times[p.name].append(seconds(p, row, inputs[p.name]))
    return {name: statistics.median(t) / row.times for name, t in times.items()}


def free(players: list[Contestant]) -> None:
    gc.collect()
    for p in players:
        if p.name == "cupy":
            p.xp.get_default_memory_pool().free_all_blocks()


def copy_bandwidth(players: list[Contestant]) -> float | None:
    """Bytes a second of a copy of 4 GiB on the device, by CuPy; None without it."""
    for p in players:
        if p.name != "cupy":
            continue
        a = p.xp.ones(1 << 29)
        b = p.xp.empty_like(a)
        best = float("inf")
        for _ in range(6):
            p.xp.cuda.Device().synchronize()
            start = time.perf_counter()
            p.xp.copyto(b, a)
            p.xp.cuda.Device().synchronize()
            best = min(best, time.perf_counter() - start)
        return 2 * a.nbytes / best
    return None


def run(options) -> int:
    """Print the table; write the JSON file and the report where asked for."""
    os.environ.setdefault("NUMLOOM_DEVICES", "cuda")
    players = contestants()
    devices = players[0].xp.mesh().devices
    limit = copy_bandwidth(players)
    head = f"{', '.join(devices)}; Python {platform.python_version()}, " + ", ".join(
        f"{name} {importlib.import_module(name).__version__}" for name in ["numpy", *(p.name for p in players)]
    )
    lines = [f"{'program':14s} {'size':>12s} {'dtype':8s} {'numloom':>11s} {'cupy':>11s} {'ratio':>6s} {'of copy':>8s}"]
    print(head + "\n" + lines[0], flush=True)
    rows, slow = [], []
    for row in ROWS:
        if options.only and row.name not in options.only:
            continue
        free(players)
        t = measure(row, players, options.quick)
        ours, peer = t["numloom"], t.get("cupy")
        share = row.streams * row.elements(options.quick) / ours / limit if limit and row.streams else None
        rows.append(
            {
                "name": row.name,
                "size": row.label(options.quick),
                "dtype": row.dtype,
                "peer": "cupy",
                "peer_seconds": peer,
                "seconds": ours,
                "ratio": peer / ours if peer else None,
                "bandwidth_share": share,
            }
        )
        peer_text = f"{peer * 1e3:8.4f} ms" if peer else "-"
        lines.append(
            f"{row.name:14s} {row.label(options.quick):>12s} {row.dtype:8s} {ours * 1e3:8.4f} ms {peer_text:>11s} "
            f"{f'{peer / ours:.1f}x' if peer else '-':>6s} {f'{share:.2f}' if share else '-':>8s}"
        )
        print(lines[-1], flush=True)
        if ours * 1e3 > row.most:
            slow.append(
                f"{row.name} {row.dtype} {row.label(False)}: {ours * 1e3:.4f} ms, at most {row.most} ms on an H200"
            )
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    if options.report:
        pathlib.Path(options.report).write_text("\n".join(["# One GPU", "", head, "", "```text", *lines, "```", ""]))
    for text in slow if not options.quick else ():
        print("too slow: " + text)
    return 0
