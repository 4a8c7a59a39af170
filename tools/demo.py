"""`./loom demo`: a flood under NumPy and under Numloom, from one program text.

Runs examples/flood.py twice, each time in a process of its own, compares the water's depth bit for bit, prints one
table and draws a picture. The exit status is 1 where the results differ and 2 where something is missing.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "examples")]

from flood_pair import FloodError, FloodRun, compare_heights, run_flood  # noqa: E402


def missing_parts(module: str) -> list[str]:
    """Return what the demo needs and doesn't find, with what to do about it."""
    found = []
    for name, advice in (
        ("numpy", "./loom build installs it"),
        ("matplotlib", "./loom build installs it; it brings the elevation map"),
        (module, "./loom build makes it"),
    ):
        if importlib.util.find_spec(name) is None:
            found.append(f"the Python package {name} is missing ({advice})")
    return found


@contextlib.contextmanager
def progress_bars():
    """Yield a function that returns, for a label, a function to call with the steps done and the steps in all."""
    try:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    except ImportError:
        yield plain_progress
        return
    columns = TextColumn("{task.description:10s}"), BarColumn(40), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns) as progress:

        def start(label: str):
            task = progress.add_task(label, total=None)
            return lambda done, total: progress.update(task, completed=done, total=total)

        yield start


def plain_progress(label: str):
    def show(done: int, total: int) -> None:
        if done == total or done % max(total // 10, 1) == 0:
            print(f"{label}: step {done} of {total}", flush=True)

    return show


def table(runs: list[FloodRun], largest: float) -> str:
    first = runs[0].seconds
    lines = [f"{'':10s} {'time':>9s} {'speed-up':>9s} {'peak memory':>12s}"]
    for run in runs:
        lines.append(
            f"{NAMES.get(run.module, run.module):10s} {run.seconds:7.1f} s {first / run.seconds:8.2f}x "
            f"{run.peak_bytes / 2**20:8.0f} MiB"
        )
    lines.append(f"largest difference of the depths: {largest:g} m (bit for bit the same)")
    return "\n".join(lines)


NAMES = {"numpy": "NumPy", "numloom": "Numloom"}


def draw_picture(file: str, run: FloodRun, refine: int, seconds: float) -> None:
    import flood
    import numpy as np

    ground = flood.read_ground(refine)[flood.INNER]
    flood.draw(file, ground, np.load(run.heights), seconds)


def simulated_seconds(run: FloodRun) -> float:
    """Return the time that the flood ran for, from the first line that it printed."""
    return float(run.text.splitlines()[0].rsplit(",", 1)[1].split()[0])


def main() -> int:
    parser = argparse.ArgumentParser(prog="./loom demo", description=__doc__.split("\n")[0])
    parser.add_argument("--steps", type=int, help="time steps (default: those of examples/flood.py)")
    parser.add_argument("--refine", type=int, default=6, help="cells per point of the map (default: %(default)s)")
    parser.add_argument("--picture", default="flood.png", metavar="FILE", help="(default: %(default)s)")
    parser.add_argument("--module", default="numloom", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if missing := missing_parts(options.module):
        print("The demo can't run:\n  " + "\n  ".join(missing), file=sys.stderr)
        return 2

    with tempfile.TemporaryDirectory(prefix="flood-") as folder:
        try:
            with progress_bars() as start:
                runs = [
                    run_flood(
                        module, pathlib.Path(folder), options.steps, options.refine, start(NAMES.get(module, module))
                    )
                    for module in ("numpy", options.module)
                ]
            print("\n" + runs[-1].text)
            largest = compare_heights(*runs)
        except FloodError as error:
            print(f"\nThe demo failed: {error}", file=sys.stderr)
            return 1
        print(table(runs, largest))
        draw_picture(options.picture, runs[-1], options.refine, simulated_seconds(runs[-1]))
    print(f"picture: {os.path.abspath(options.picture)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
