"""Public NumPy programs under NumPy and under `numloom run`: same results, how much faster, what ran on the host.

    ./loom python benchmarks/public_programs FOLDER --json FILE --report FILE

FOLDER holds clones of the repositories that manifest.toml names, as OWNER/NAME (`--missing` prints the commands). Each
program is copied to a scratch folder and run from there in processes of its own, NumPy and Numloom in turn; its text
stays as it is but for the sizes that the manifest states. Exit status 1 if a program fails or differs.

`--agree` compares the results alone, one call a side and no times: for several devices in one process
(`NUMLOOM_DEVICES=cpu:3 NUMLOOM_SHARD_MIN=1`) and for busy machines.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

import compare  # noqa: E402
import machine  # noqa: E402
import manifest  # noqa: E402

UNWANTED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def environment(record: pathlib.Path, once: bool) -> dict:
    """Return the variables that a program runs with."""
    result = {key: value for key, value in os.environ.items() if key not in UNWANTED}
    paths = [str(HERE), str(HERE.parent.parent / "python")]
    result["PYTHONPATH"] = os.pathsep.join(paths)
    result["PROGRAM_RECORD"] = str(record)
    result["MPLBACKEND"] = "Agg"
    result["PYTHONDONTWRITEBYTECODE"] = "1"
    result["PYTHONHASHSEED"] = "0"
    result["PYTHONWARNINGS"] = "ignore"
    result["PROGRAM_ONCE"] = str(int(once))
    return result


def execute(folder: pathlib.Path, numloom: bool, limit: float, once: bool) -> dict:
    """Run the prepared program once; return its record, or {"error": text}."""
    record = folder / "record.pickle"
    record.unlink(missing_ok=True)
    arguments = [sys.executable, *(["-m", "numloom", "run"] if numloom else []), "program.py"]
    try:
        done = subprocess.run(
            arguments, cwd=folder, env=environment(record, once), capture_output=True, text=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return {"error": f"more than {limit:.0f} s"}
    if done.returncode or not record.exists():
        lines = done.stderr.strip().splitlines()
        return {"error": lines[-1] if lines else f"exit status {done.returncode}", "log": done.stderr}
    with record.open("rb") as file:
        return pickle.load(file)  # written by our own process a moment ago


def measure(program: manifest.Program, sources: pathlib.Path, arguments: argparse.Namespace) -> dict:
    """Run a program under both, in turn, and return its row."""
    row = {"name": program.name, "source": program.source.url, "commit": program.source.commit, "path": program.path}
    row["size"] = program.size
    with tempfile.TemporaryDirectory(prefix="public-program-") as scratch:
        folder = pathlib.Path(scratch)
        try:
            program.prepare(sources, folder)
        except OSError as error:
            return row | {"status": "absent", "reason": str(error)}
        row["size"] = program.size
        best = {False: math.inf, True: math.inf}
        records = {}
        for _ in range(1 if arguments.agree else arguments.rounds):
            for numloom in (False, True):
                records[numloom] = record = execute(folder, numloom, arguments.limit, arguments.agree)
                if "error" in record:
                    if arguments.logs:
                        print(record.get("log", ""), file=sys.stderr)
                    return row | {"status": "fails" if numloom else "NumPy fails", "reason": record["error"]}
                best[numloom] = min(best[numloom], *record["seconds"])
    if not arguments.agree:
        row |= {"peer_seconds": best[False], "seconds": best[True], "ratio": best[False] / best[True]}
        row["cold_seconds"] = records[True]["seconds"][0]
    row["host"] = [list(entry) for entry in records[True]["host"]]
    difference, fault = compare.compare(records[False]["results"], records[True]["results"], program.tolerance)
    row |= {"difference": difference, "status": "differs" if fault else "same"}
    if fault:
        row["reason"] = fault
    elif program.slow and row.get("ratio", 1) < 0.8:
        row["reason"] = program.slow
    return row


def line(row: dict) -> str:
    """Return a row as one line of the report's table."""
    host = ", ".join(f"{name} {calls}" for name, calls, _ in row.get("host", [])[:4]) or "-"
    if "difference" not in row:
        return f"| {row['name']} | {row['size']} | | | | {row['status']}: {row['reason']} | |"
    outcome = f"{row['difference']:.1g}" if row["status"] == "same" else row["status"]
    if "ratio" not in row:
        return f"| {row['name']} | {row['size']} | | | | {outcome} | {host} |"
    return (
        f"| {row['name']} | {row['size']} | {row['peer_seconds'] * 1e3:.3g} | {row['seconds'] * 1e3:.3g} "
        f"| {row['ratio']:.2f} | {outcome} | {host} |"
    )


def geometric(values) -> float:
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def report(rows: list[dict]) -> str:
    """Return the results as a page of Markdown."""
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    same = sum(row["status"] == "same" for row in rows)
    slow = [row for row in rows if row.get("ratio", 1) < 0.8]
    lines = [
        "# Public NumPy programs",
        "",
        f"{len(rows)} programs of others, run by `numloom run`: {same} give NumPy's results, geometric mean "
        f"{geometric(ratios):.2f}x NumPy, {sum(r >= 1 for r in ratios)} at least as fast, {len(slow)} below 0.8x.",
        "",
        "    ./loom python benchmarks/public_programs FOLDER --json FILE --report FILE",
        "",
        "The programs, their commits and sizes are in `benchmarks/public_programs/manifest.toml`; nothing of them is "
        "kept here. Both sides run in processes of their own, in turn; times are the least of all calls, without "
        "imports and drawing. For scripts that call is the first in its process, planning included. The difference is "
        "the largest of all results, relative to the largest value of the array. Host: what NumPy did for Numloom.",
        "",
        *machine.describe(len(os.sched_getaffinity(0)), []).splitlines(),
        "",
        "| program | size | NumPy, ms | Numloom, ms | ratio | difference | on the host (calls) |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
        *map(line, rows),
        "",
    ]
    if slow:
        lines += ["## Below 0.8x, and why", ""]
        lines += [f"- {row['name']} ({row['ratio']:.2f}x): {row.get('reason', 'not explained yet')}" for row in slow]
        lines.append("")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path, help="clones of the repositories, as OWNER/NAME")
    parser.add_argument("--manifest", type=pathlib.Path, default=HERE / "manifest.toml", help=argparse.SUPPRESS)
    parser.add_argument(
        "--only", metavar="WORDS", help="programs whose name contains one of these, separated by commas"
    )
    parser.add_argument("--rounds", type=int, default=2, help="processes of each kind for each program")
    parser.add_argument("--agree", action="store_true", help="compare the results alone: one call a side, no times")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds for one process")
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path, help="write the rows, a list of objects")
    parser.add_argument("--report", metavar="FILE", type=pathlib.Path, help="write the table as Markdown")
    parser.add_argument("--logs", action="store_true", help="print what a failing program wrote to stderr")
    parser.add_argument("--keep", metavar="DIR", type=pathlib.Path, help="write the prepared programs there and stop")
    parser.add_argument("--missing", action="store_true", help="print how to clone what FOLDER lacks, and stop")
    arguments = parser.parse_args()
    if arguments.agree and arguments.report:
        parser.error("a report is of times: it can't be made with --agree")
    return arguments


def main() -> int:
    arguments = parse()
    programs, sources = manifest.load(arguments.manifest)
    if arguments.missing:
        for source in sources:
            if not (arguments.folder / source.folder).is_dir():
                place = arguments.folder / source.folder
                print(f"git clone {source.url} {place} && git -C {place} checkout {source.commit}")
        return 0
    if arguments.only:
        words = arguments.only.split(",")
        programs = [program for program in programs if any(word in program.name for word in words)]
    if arguments.keep:
        for program in programs:
            shutil.rmtree(arguments.keep / program.name, ignore_errors=True)
            (arguments.keep / program.name).mkdir(parents=True)
            program.prepare(arguments.folder, arguments.keep / program.name)
        return 0
    rows = []
    for program in programs:
        rows.append(measure(program, arguments.folder, arguments))
        print(line(rows[-1]), flush=True)
        if rows[-1]["status"] == "differs":
            print(f"    {rows[-1]['reason']}", flush=True)
        if arguments.json:
            arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    if arguments.report:
        arguments.report.write_text(report(rows))
    ratios = [row["ratio"] for row in rows if "ratio" in row]
    same = sum(row["status"] == "same" for row in rows)
    speed = f"; geometric mean {geometric(ratios):.2f}x; least {min(ratios):.2f}x" if ratios else ""
    print(f"{same} of {len(rows)} the same{speed}")
    return 0 if same == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
