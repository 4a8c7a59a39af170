"""Random programs under NumPy and under Numloom.

./loom fuzz --programs 20000 --seed 1 --config all --jobs 2
./loom fuzz --coverage --programs 20000      counts of operation x dtype x feature, nothing is run
./loom fuzz --module numpy                   NumPy against itself
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import sys
import time

from . import coverage, generate, operations
from .configurations import CONFIGURATIONS, available
from .minimise import Minimiser, shortest_history
from .program import to_source
from .runner import PROGRAM_LIMIT, Failure, Settings, run_range


def parse(arguments=None):
    parser = argparse.ArgumentParser(
        prog="loom fuzz", description="Random programs under NumPy and under Numloom, compared."
    )
    parser.add_argument("--programs", type=int, default=1000, metavar="N", help="programs in each configuration (1000)")
    parser.add_argument("--seed", type=int, default=1, help="the series; a program is given by seed and number (1)")
    parser.add_argument("--first", type=int, default=0, metavar="K", help="number of the first program (0)")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="processes at a time (1)")
    parser.add_argument("--config", "--configuration", default="plain", metavar="NAMES",
                        help=f"comma-separated, or 'all': {', '.join(CONFIGURATIONS)} (plain)")  # fmt: skip
    parser.add_argument("--module", default="numloom", help="the module under test; numpy, or mutant:FAULT (numloom)")
    parser.add_argument(
        "--pure-exact", action="store_true", help="only operations with a prescribed result: long lazy chains"
    )
    parser.add_argument("--engine-only", action="store_true", help="only the engine's own operations")
    parser.add_argument(
        "--dtypes", default="", metavar="LIST", help="comma-separated dtypes, or 'all' (the engine's six)"
    )
    parser.add_argument("--lazy", choices=["0", "1", "mixed"], default="mixed",
                        help="judge inexact results at the end, at once, or in turns (mixed)")  # fmt: skip
    parser.add_argument(
        "--minimise", action=argparse.BooleanOptionalAction, default=True, help="shrink failing programs"
    )
    parser.add_argument("--most", type=int, default=10, metavar="N", help="stop a configuration after N failures (10)")
    parser.add_argument("--limit", type=float, default=PROGRAM_LIMIT, metavar="S", help="seconds before a hang (60)")
    parser.add_argument("--coverage", action="store_true", help="print what the programs exercise, run nothing")
    parser.add_argument("--show", type=int, metavar="K", help="print program K as Python and end")
    parser.add_argument("--json", metavar="FILE", help="write results to FILE ('-': standard output)")
    return parser.parse_args(arguments)


class Progress:
    """A bar on a terminal; elsewhere a line every half minute."""

    def __init__(self, label: str, total: int):
        self.label, self.total = label, total
        self.done = 0
        self.begin = self.told = time.monotonic()
        self.bar = None
        if sys.stderr.isatty():
            from rich.progress import Progress as Bar

            self.bar = Bar(transient=True)
            self.task = self.bar.add_task(label, total=total)
            self.bar.start()

    def __call__(self, done: int, failures: int) -> None:
        self.done = max(self.done, done)
        now = time.monotonic()
        if self.bar:
            self.bar.update(self.task, completed=done, description=f"{failures} failed" if failures else None)
        elif now - self.told > 30:
            self.told = now
            text = f"{self.label}: {done} of {self.total}, {failures} failed, {now - self.begin:.0f} s"
            print(text, file=sys.stderr, flush=True)

    def close(self) -> None:
        if self.bar:
            self.bar.stop()


def regenerate(settings: Settings, index: int):
    options = generate.Options(pure_exact=settings.pure_exact, further=not settings.engine_only)
    options.dtypes = settings.dtypes or options.dtypes
    return generate.program(settings.seed, index, options)


def explain(settings: Settings, configuration, failure: Failure, minimise: bool) -> str:
    """The report of one failure: what differs, and the program as Python."""
    program = regenerate(settings, failure.index)
    lines = [f"[{configuration.name}] {program.label}: {failure.difference}"]
    if failure.statement is not None:
        lines.append(f"  at: {program.statements[failure.statement].text}")
    if not minimise:
        return "\n".join(lines)
    if settings.lazy == "mixed":  # as it was when it failed: alone, the program has another number
        settings = dataclasses.replace(settings, lazy="01"[failure.index % 2 == 0])
    small = Minimiser(settings, configuration, failure)
    programs = [program]
    if small.reproduces(program):
        programs = [small.shrink(program)]
        lines.append(f"  smallest program found: {small.last.difference}")
    else:
        history = [regenerate(settings, k) for k in range(failure.first, failure.index + 1)]
        programs = shortest_history(settings, configuration, failure, history)
        lines.append(f"  passes alone; fails after {len(programs) - 1} other programs in the same process")
    text = "\n\n# ------ next program, same process\n".join(to_source(p, settings.module) for p in programs[-3:])
    return "\n".join(lines) + "\n\n" + text


def run_configuration(args, settings: Settings, name: str) -> dict:
    """All programs in one configuration: a record for --json, failures printed on the way."""
    configuration = CONFIGURATIONS[name]
    missing = available(configuration)
    if missing:
        print(f"{name}: not run, {missing}")
        return {"configuration": name, "missing": missing, "passed": 0, "failures": []}
    begin = time.monotonic()
    progress = Progress(name, args.programs)
    try:
        failures = run_range(settings, configuration, args.first, args.programs, progress, args.most, args.jobs)
    finally:
        progress.close()
    reports = []
    for failure in failures:
        reports.append(explain(settings, configuration, failure, args.minimise))
        print(reports[-1], end="\n\n", flush=True)
    seconds = time.monotonic() - begin
    passed = progress.done - len({f.index for f in failures})
    print(f"{name}: {passed} passed, {len(failures)} failed, {seconds:.0f} s", flush=True)
    return {"configuration": name, "passed": passed, "seconds": round(seconds, 1), "failures": reports}


def main(arguments=None) -> int:
    args = parse(arguments)
    every = [name for name, c in CONFIGURATIONS.items() if not c.gpu or available(c) is None]
    names = every if args.config == "all" else args.config.split(",")
    unknown = [n for n in names if n not in CONFIGURATIONS]
    if unknown:
        print(f"unknown configuration {unknown[0]!r}; there are: {', '.join(CONFIGURATIONS)}", file=sys.stderr)
        return 2
    dtypes = tuple(operations.ALL_DTYPES) if args.dtypes == "all" else tuple(filter(None, args.dtypes.split(",")))
    settings = Settings(args.module, args.seed, args.pure_exact, dtypes, args.engine_only, args.lazy, args.limit)
    if args.show is not None:
        print(to_source(regenerate(settings, args.show), args.module))
        return 0
    if args.coverage:
        return coverage.report(args.programs, settings, args.json)
    records = [run_configuration(args, settings, name) for name in names]
    failed = sum(len(r["failures"]) for r in records)
    if args.json:
        text = json.dumps({"seed": args.seed, "programs": args.programs, "results": records}, indent=1)
        if args.json == "-":
            print(text)
        else:
            with open(args.json, "w") as file:
                file.write(text + "\n")
    print(f"{sum(r['passed'] for r in records)} passed, {failed} failed")
    return 1 if failed or any("missing" in r for r in records) and os.environ.get("CI") else 0


if __name__ == "__main__":
    sys.exit(main())
