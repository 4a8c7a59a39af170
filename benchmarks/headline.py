"""The headline benchmark: NumPy's text under Numloom, against NumPy and what a user would pick instead.

All contestants of a row run in one process, in turn, round after round; a row states the medians. Each run ends with a
read of the result. Before a row counts, every contestant's result is compared with NumPy's.
"""

from __future__ import annotations

import dataclasses
import gc
import importlib
import json
import math
import pathlib
import statistics
import sys
import time

import limits
import machine
import numpy as np
import peers
from programs import ARRAY, ENGINE, Program
from small import SMALL

ROUNDS, QUICK_ROUNDS = 15, 3  # at most
LEAST_ROUNDS = 5
ROW_SECONDS = 8.0  # after the least rounds a row ends when it has taken so long
PAUSE, MOST_PAUSES = 0.005, 100  # between contestants


@dataclasses.dataclass
class Result:
    """What the JSON file holds for one row and one peer: times are seconds."""

    name: str
    size: str
    dtype: str
    peer: str
    peer_seconds: float
    seconds: float
    ratio: float
    bandwidth_share: float | None
    cold_seconds: float


def rest() -> None:
    """Wait until the threads that spin after a contestant's work (OpenBLAS's for long) have gone to sleep."""
    for _ in range(MOST_PAUSES):
        begin = time.process_time()
        time.sleep(PAUSE)
        if time.process_time() - begin < 0.1 * PAUSE:
            return


def parts(result) -> tuple:
    return result if isinstance(result, tuple) else (result,)


def read(result) -> None:
    """Read one number of every array and scalar of a result: a lazy implementation has to compute it now."""
    for part in parts(result):
        if getattr(part, "ndim", 0):
            part = part[(-1,) * part.ndim]
        complex(part)


def compare(program: Program, got, expected) -> None:
    """Raise AssertionError unless a result is NumPy's within the program's tolerance."""
    got = tuple(np.asarray(part) for part in parts(got))
    if program.check is not None:
        program.check(got)
        return
    for ours, theirs in zip(got, expected, strict=True):
        assert ours.shape == theirs.shape, f"shape {ours.shape}, expected {theirs.shape}"
        difference = np.abs(ours - theirs).max() if ours.dtype != bool else float((ours != theirs).any())
        bound = program.tolerance * max(float(np.abs(theirs).max()), 1.0)
        assert difference <= bound, f"differs from NumPy by {difference:.3g}, allowed {bound:.3g}"


class Contestant:
    def __init__(self, name: str, program: Program, run):
        self.name, self.program, self.run, self.times = name, program, run, []
        self.cold = 0.0

    def first(self):
        begin = time.perf_counter()
        result = self.run()
        self.cold = (time.perf_counter() - begin) / self.program.times
        return result

    def sample(self) -> None:
        rest()
        begin = time.perf_counter()
        self.run()
        self.times.append((time.perf_counter() - begin) / self.program.times)

    @property
    def seconds(self) -> float:
        return statistics.median(self.times)


def module_runner(xp, program: Program, inputs: tuple):
    """Return a function that runs the row's text with the module `xp` on its own copies of the inputs."""
    own = [xp.array(a) if isinstance(a, np.ndarray) else a for a in inputs]

    def run():
        result = program.run(xp, *own)
        read(result)
        return result

    return run


def contestants(program: Program, inputs: tuple, module, peer_names) -> list[Contestant]:
    """Make the contestants of a row, NumPy and the module first, and check what each computes."""
    reference = Contestant("numpy", program, module_runner(np, program, inputs))
    expected = tuple(np.array(part) for part in parts(reference.first()))
    ours = Contestant(module.__name__, program, module_runner(module, program, inputs))
    compare(program, ours.first(), expected)
    found = [reference, ours]
    for name in peer_names:
        if name == "numpy":
            continue
        try:
            own = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in inputs)
            run = peers.build(name, program, own)
            if run is None:
                continue
            peer = Contestant(name, program, run)
            compare(dataclasses.replace(program, tolerance=max(program.tolerance, 1e-4)), peer.first(), expected)
            found.append(peer)
        except Exception as error:  # a peer's failure is its own: say so and go on
            print(f"  {name} on {program.name}: {type(error).__name__}: {str(error)[:150]}", file=sys.stderr)
    return found


def measure(program: Program, size, module, options, library) -> list[Result]:
    """Measure one row: a result for each peer."""
    inputs = program.inputs(np.random.default_rng(1), size)
    found = contestants(program, inputs, module, options.peers)
    limit = None
    if program.streams and library is not None:
        reads, writes, width = program.streams
        limit = limits.Limit(library, options.cores, reads, writes, math.prod(size) * width, program.times)
    begin = time.perf_counter()
    most = QUICK_ROUNDS if options.quick else ROUNDS
    least = min(most, LEAST_ROUNDS)
    for done in range(most):
        if done >= least and time.perf_counter() - begin > ROW_SECONDS:
            break
        if limit:
            limit.sample()
        for one in found:
            one.sample()
        gc.collect()
    reference, ours = found[0], found[1]
    share = limit.seconds / ours.seconds if limit else None
    if limit:
        limit.close()
    return [
        Result(
            program.name,
            program.label(size),
            program.dtype,
            peer.name,
            peer.seconds,
            ours.seconds,
            peer.seconds / ours.seconds,
            share,
            ours.cold,
        )
        for peer in [reference, *found[2:]]
    ]


def measure_small(module, options) -> tuple[Result, list[Result]]:
    """Measure the small programs; return the row of their geometric mean, and each one."""
    singles = []
    for name, (function, make) in SMALL.items():
        program = Program(name, function, lambda rng, size, make=make: make(rng), (), (), 0.5, tolerance=1e-9)
        inputs = make(np.random.default_rng(1))

        def once(xp, program=program, inputs=inputs):
            own = [xp.array(a) for a in inputs]

            def run():
                result = program.run(xp, *own)
                read(result)
                return result

            return run

        reference, ours = Contestant("numpy", program, once(np)), Contestant(module.__name__, program, once(module))
        expected = tuple(np.array(part) for part in parts(reference.first()))
        compare(program, ours.first(), expected)
        for _ in range(10 if options.quick else 40):
            # The programs change their inputs, so each sample starts from fresh ones.
            for one, xp in ((reference, np), (ours, module)):
                one.run = once(xp)
                begin = time.perf_counter()
                one.run()
                one.times.append(time.perf_counter() - begin)
        ratio = reference.seconds / ours.seconds
        singles.append(
            Result(f"small:{name}", "", "float64", "numpy", reference.seconds, ours.seconds, ratio, None, ours.cold)
        )

    def mean(values):
        return math.exp(statistics.fmean(math.log(v) for v in values))

    row = Result(
        "small",
        "1-1000",
        "float64",
        "numpy",
        mean(s.peer_seconds for s in singles),
        mean(s.seconds for s in singles),
        mean(s.ratio for s in singles),
        None,
        mean(s.cold_seconds for s in singles),
    )
    return row, singles


def measure_flood(module, options) -> Result:
    """Run examples/flood.py under NumPy and under the module, each in a process of its own."""
    import flood_pair

    steps = 10 if options.quick else None
    pair = flood_pair.run_pair(module.__name__, steps=steps)
    numpy_run, our_run = pair
    flood_pair.compare_heights(numpy_run, our_run)
    print(
        f"  flood: peak memory {our_run.peak_bytes / 2**20:.0f} MiB, "
        f"NumPy's {numpy_run.peak_bytes / 2**20:.0f} MiB ({numpy_run.steps} steps, heights bit for bit the same)"
    )
    return Result(
        "flood",
        f"2059x2413x{numpy_run.steps}",
        "float64",
        "numpy",
        numpy_run.seconds,
        our_run.seconds,
        numpy_run.seconds / our_run.seconds,
        None,
        our_run.seconds,
    )


def target(name: str, dtype: str) -> float | None:
    """Return the ratio over NumPy that a row must reach on this machine."""
    if name == "sort" and not machine.numpy_sorts_by_avx512():
        return 5.0
    if name in ("flood", "small"):
        return {"flood": 4.0, "small": 1.0}[name]
    for program in ENGINE + ARRAY:
        if program.name == name and program.dtype == dtype:
            return program.target
    return 0.5 if name.startswith("small:") else None


def line(result: Result) -> str:
    share = f"{result.bandwidth_share:6.2f}" if result.bandwidth_share is not None else "     -"
    text = f"{result.name:31s} {result.size:>14s} {result.dtype:>10s} {result.peer:>11s}"
    text += f" {result.peer_seconds * 1e3:12.4f} {result.seconds * 1e3:12.4f} {result.ratio:8.2f} {share}"
    text += f" {result.cold_seconds * 1e3:11.3f}"
    wanted = target(result.name, result.dtype) if result.peer == "numpy" else None
    return text + (f"   {'ok' if result.ratio >= wanted else 'below'} {wanted:g}" if wanted else "")


HEADER = (
    f"{'':31s} {'size':>14s} {'dtype':>10s} {'peer':>11s} {'peer ms':>12s} {'ms':>12s} {'ratio':>8s} {'share':>6s}"
    f" {'cold ms':>11s}"
)


def wanted_names(options) -> list[str]:
    groups = {"engine": [p.name for p in ENGINE] + ["flood"], "array": [p.name for p in ARRAY] + ["small"]}
    names = [n for group in groups if options.group in (group, "all") for n in groups[group]]
    if options.only:
        every = groups["engine"] + groups["array"]
        unknown = [n for n in options.only if n not in every]
        if unknown:
            raise SystemExit(f"no row called {', '.join(unknown)}; there are: {', '.join(dict.fromkeys(every))}")
        names = [n for n in every if n in options.only]
    return list(dict.fromkeys(names))


def write(options, description: str, results: list[Result], details: list[Result]) -> None:
    """Write the files asked for; after each row, so that a run that is stopped leaves what it has."""
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps([dataclasses.asdict(r) for r in results], indent=1) + "\n")
    if options.report:
        text = [description, "", "```", HEADER, *(line(r) for r in results + details), "```", ""]
        pathlib.Path(options.report).write_text("\n".join(text))


def run(options) -> int:
    """Run the headline with the parsed options; return the exit status: 1 where a row failed."""
    module = importlib.import_module(options.module)
    library = limits.load_library()
    description = machine.describe(options.cores, [options.module, *options.peers])
    print(description + "\n\n" + HEADER, flush=True)
    results, details, failed = [], [], []
    for name in wanted_names(options):
        for program in [p for p in ENGINE + ARRAY if p.name == name] or [name]:
            try:
                if program == "flood":
                    new = [measure_flood(module, options)]
                elif program == "small":
                    row, singles = measure_small(module, options)
                    new, details = [row], singles
                else:
                    size = program.quick_size if options.quick else program.size
                    new = measure(program, size, module, options, library)
            except Exception as error:
                failed.append(name)
                print(f"{name:31s} FAILED {type(error).__name__}: {error}", flush=True)
                continue
            results += new
            for result in [*new, *(details if name == "small" else [])]:
                print(line(result), flush=True)
            write(options, description, results, details)
    over_numpy = [r.ratio for r in results if r.peer == "numpy"]
    if over_numpy:
        mean = math.exp(statistics.fmean(map(math.log, over_numpy)))
        print(f"\ngeometric mean over NumPy, {len(over_numpy)} rows: {mean:.2f}")
    return 1 if failed else 0
