"""Starts workers, watches them, and lays every difference, crash and hang to one program."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from .configurations import Configuration, command
from .program import Program

PROGRAM_LIMIT = 60.0  # seconds without progress
BATCH = 2000  # programs a process: plan caches and pools get well used, a leak does not pile up for ever


@dataclass
class Failure:
    """One program that went wrong: its number, what was seen, the statement where known, and the process's history."""

    index: int
    difference: str
    statement: int | None = None
    first: int = 0  # the number of the first program of the same process


@dataclass
class Settings:
    """What the workers are told.

    Attributes
    ----------
    module, seed, pure_exact, dtypes, engine_only, lazy
        As on the command line.
    limit : float
        Seconds one program may take.
    """

    module: str = "numloom"
    seed: int = 1
    pure_exact: bool = False
    dtypes: tuple[str, ...] = ()
    engine_only: bool = False
    lazy: str = "mixed"
    limit: float = PROGRAM_LIMIT

    def arguments(self) -> list[str]:
        found = ["--module", self.module, "--seed", str(self.seed), "--lazy", self.lazy]
        if self.pure_exact:
            found.append("--pure-exact")
        if self.engine_only:
            found.append("--engine-only")
        if self.dtypes:
            found += ["--dtypes", ",".join(self.dtypes)]
        return found


@dataclass
class _Watched:
    """What the ranks of one worker have written so far."""

    folder: Path
    ranks: int
    offsets: dict = field(default_factory=dict)
    started: dict = field(default_factory=dict)
    finished: dict = field(default_factory=dict)
    ended: set = field(default_factory=set)
    results: dict = field(default_factory=dict)

    def poll(self) -> bool:
        """Read new lines; true if there were any."""
        news = False
        for rank in range(self.ranks):
            path = self.folder / f"progress.{rank}"
            if not path.exists():
                continue
            with open(path) as file:
                file.seek(self.offsets.get(rank, 0))
                text = file.read()
            complete = text.rfind("\n") + 1
            self.offsets[rank] = self.offsets.get(rank, 0) + complete
            for line in text[:complete].splitlines():
                news = True
                self._line(rank, json.loads(line))
        return news

    def _line(self, rank: int, item: dict) -> None:
        if "start" in item:
            self.started[rank] = item["start"]
        elif "done" in item:
            self.finished[rank] = item["done"]
            if item["difference"] is not None:
                where = f" (rank {rank})" if rank else ""
                self.results.setdefault(item["done"], (item["difference"] + where, item["statement"]))
        else:
            self.ended.add(rank)

    def passed(self) -> int | None:
        """The last program that every rank has finished."""
        return min(self.finished.values()) if len(self.finished) == self.ranks else None

    def open_program(self) -> int | None:
        """The first program that some rank has begun and not finished."""
        unfinished = [k for r, k in self.started.items() if self.finished.get(r) != k]
        return min(unfinished) if unfinished else None


def _run_process(settings, configuration, first, count, programs, on_progress, stop_at_first):
    """One worker process: (failures, number of the next program to run)."""
    with tempfile.TemporaryDirectory(prefix="numloom-fuzz-") as folder:
        arguments = [*settings.arguments(), "--config", configuration.name, "--progress", f"{folder}/progress",
                     "--first", str(first), "--count", str(count)]  # fmt: skip
        if programs is not None:
            path = Path(folder) / "programs"
            path.write_text("".join(p.to_json() + "\n" for p in programs))
            arguments += ["--programs", str(path)]
        line, environment = command(configuration, arguments)
        with open(f"{folder}/output", "w") as output:
            process = subprocess.Popen(line, env=environment, stdout=output, stderr=output, stdin=subprocess.DEVNULL,
                                       start_new_session=True)  # fmt: skip
            watched = _Watched(Path(folder), configuration.processes)
            hung = _watch(process, watched, settings.limit, on_progress, stop_at_first)
        failures = [Failure(k, d, s, first) for k, (d, s) in sorted(watched.results.items())]
        if len(watched.ended) == watched.ranks and process.returncode == 0:
            return failures, first + count
        if stop_at_first and failures:
            return failures, failures[0].index + 1
        text = Path(f"{folder}/output").read_text(errors="replace")
    return _attributed(watched, failures, process.returncode, hung, text, first, count)


def _watch(process, watched, limit, on_progress, stop_at_first) -> bool:
    """Wait for the end; true when nothing moved for `limit` seconds."""
    last = time.monotonic()
    try:
        while process.poll() is None:
            time.sleep(0.02 if last > time.monotonic() - 1 else 0.1)
            if watched.poll():
                last = time.monotonic()
                on_progress(watched)
            elif time.monotonic() - last > limit:
                return True
            if stop_at_first and watched.results:
                return False
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        watched.poll()
        on_progress(watched)
    return False


def _attributed(watched, failures, code, hung, text, first, count):
    """A process that did not come to its end: blame the program that was running."""
    culprit = watched.open_program()
    lines = [
        line for line in text.strip().splitlines() if line and "_mod" not in line and "Extension modules" not in line
    ]
    tail = "\n".join(lines[-12:])
    what = "hang" if hung else f"the process ended with status {code}"
    if culprit is None and watched.passed() is None:
        raise RuntimeError(f"the worker did not start ({what}):\n{text.strip()[-3000:]}")
    if culprit is None:  # after the last program: at exit
        culprit = watched.passed()
        what += " after its last program"
    if not any(f.index == culprit for f in failures):
        failures.append(Failure(culprit, f"{what}: {tail[-1500:]}", None, first))
    failures = [f for f in failures if f.index <= culprit]
    return failures, min(culprit + 1, first + count)


def run_range(
    settings: Settings,
    configuration: Configuration,
    first: int,
    count: int,
    on_progress: Callable = lambda done, failures: None,
    most_failures: int = 20,
    jobs: int = 1,
) -> list[Failure]:
    """Run programs `first` to `first + count`, restarting after crashes, until `most_failures` are found.

    `jobs` processes run at a time (one launch, where a configuration has several processes of its own).
    """
    batches = [(k, min(BATCH, first + count - k)) for k in range(first, first + count, BATCH)]
    done = dict.fromkeys(batches, 0)
    failed = dict.fromkeys(batches, 0)
    failures: list[Failure] = []

    def run_batch(batch):
        begin, size = batch
        k = begin

        def progress(watched):
            passed = watched.passed()
            if passed is not None:
                done[batch] = max(done[batch], passed + 1 - begin)
                failed[batch] = len(watched.results)
                on_progress(sum(done.values()), len(failures) + sum(failed.values()))

        while k < begin + size and len(failures) < most_failures:
            found, k = _run_process(settings, configuration, k, begin + size - k, None, progress, most_failures == 1)
            failed[batch] = 0
            failures.extend(found)
            done[batch] = max(done[batch], k - begin)
            on_progress(sum(done.values()), len(failures))

    if jobs == 1 or configuration.processes > 1:
        for batch in batches:
            run_batch(batch)
    else:
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(run_batch, batches))
    return sorted(failures, key=lambda f: f.index)


def run_programs(settings: Settings, configuration: Configuration, programs: list[Program]) -> Failure | None:
    """Run these programs in one process and return the first failure."""
    found, _ = _run_process(settings, configuration, 0, len(programs), programs, lambda watched: None, True)
    return min(found, key=lambda f: f.index, default=None)
