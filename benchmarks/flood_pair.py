"""Runs examples/flood.py under NumPy and under Numloom, each in a process of its own, and compares the heights."""

from __future__ import annotations

import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

FLOOD = pathlib.Path(__file__).resolve().parent.parent / "examples" / "flood.py"
STEP = re.compile(r"step (\d+) of (\d+)")
PEAK = re.compile(r"peak memory (\d+) KiB")
# Runs a command and reports its peak memory. From a process in between, since a process counts as its own what its
# parent held when it was started.
MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:])
_, status, usage = os.wait4(process.pid, 0)
print(f"peak memory {usage.ru_maxrss} KiB", file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""


class FloodError(RuntimeError):
    """The flood didn't run, or not with the same result."""


@dataclasses.dataclass
class FloodRun:
    module: str
    steps: int
    seconds: float  # of the whole process
    peak_bytes: int
    heights: pathlib.Path
    text: str  # what it printed


def command(module: str) -> list[str]:
    """Return the command that runs a program with `module` in NumPy's place."""
    return [sys.executable] if module == "numpy" else [sys.executable, "-m", module, "run"]


def run_flood(
    module: str,
    folder: pathlib.Path,
    steps: int | None = None,
    refine: int | None = None,
    on_step: Callable[[int, int], None] | None = None,
) -> FloodRun:
    """Run the flood in a process of its own; `on_step(done, all)` is called for each step where given."""
    heights = folder / f"{module}.npy"
    arguments = [*command(module), str(FLOOD), "--save", str(heights)]
    arguments += ["--steps", str(steps)] if steps else []
    arguments += ["--refine", str(refine)] if refine else []
    arguments += ["--progress"] if on_step else []
    begin = time.perf_counter()
    with (
        tempfile.TemporaryFile("w+") as output,
        subprocess.Popen(
            [sys.executable, "-c", MEASURE, *arguments], stdout=output, stderr=subprocess.PIPE, text=True
        ) as process,
    ):
        errors, peak = [], 0
        for text in process.stderr:
            if match := STEP.match(text):
                if on_step:
                    on_step(int(match[1]), int(match[2]))
            elif match := PEAK.match(text):
                peak = int(match[1]) * 1024
            else:
                errors.append(text)
        process.wait()
        seconds = time.perf_counter() - begin
        output.seek(0)
        printed = output.read()
    if process.returncode != 0:
        raise FloodError(f"{' '.join(arguments)} failed ({process.returncode}):\n{''.join(errors)[-2000:]}")
    done = int(re.search(r"(\d+) steps", printed)[1])
    return FloodRun(module, done, seconds, peak, heights, printed)


def run_pair(module: str, **settings) -> tuple[FloodRun, FloodRun]:
    """Run NumPy, then the module; the heights stay in a folder that goes when the process ends."""
    folder = tempfile.TemporaryDirectory(prefix="flood-")
    KEPT.append(folder)
    path = pathlib.Path(folder.name)
    return run_flood("numpy", path, **settings), run_flood(module, path, **settings)


KEPT: list = []


def compare_heights(first: FloodRun, second: FloodRun) -> float:
    """Return the largest difference; raise FloodError where the heights don't agree bit for bit."""
    import numpy as np

    one, other = np.load(first.heights, mmap_mode="r"), np.load(second.heights, mmap_mode="r")
    if one.shape != other.shape or one.dtype != other.dtype:
        raise FloodError(f"{second.module}: {other.dtype}{other.shape}, {first.module}: {one.dtype}{one.shape}")
    largest = float(np.abs(one - other).max())
    if not np.array_equal(one.view(np.int64), other.view(np.int64)):
        raise FloodError(f"the heights differ: by {largest:.3g} m at most")
    return largest
