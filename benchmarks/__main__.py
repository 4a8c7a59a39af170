"""`./loom bench`: the benchmarks of Numloom.

./loom bench headline --json FILE       NumPy's text under Numloom, against NumPy
./loom bench record                     nanoseconds to record one operator
./loom bench spots --json FILE          single calls that were once slower than NumPy's
./loom bench gpu --json FILE            NumPy's text on one GPU, against CuPy where it is installed
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys

# NumPy's OpenBLAS reads these when it is loaded; figures are of the kernels that it picks itself.
UNWANTED = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
GROUPS = ("engine", "array", "all")


def restart_without_unwanted() -> None:
    if any(name in os.environ for name in UNWANTED):
        environment = {k: v for k, v in os.environ.items() if k not in UNWANTED}
        os.execve(sys.executable, [sys.executable, str(pathlib.Path(__file__).resolve()), *sys.argv[1:]], environment)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="./loom bench", description=__doc__.split("\n")[0])
    commands = top.add_subparsers(dest="command", required=True)
    head = commands.add_parser("headline", help="NumPy's text under Numloom, against NumPy and its peers")
    head.add_argument("--json", metavar="FILE", help="write the rows, a list of objects")
    head.add_argument("--report", metavar="FILE", help="write the table as Markdown, with the processor and versions")
    head.add_argument("--group", choices=GROUPS, default="all", help="which rows (default: %(default)s)")
    head.add_argument("--only", metavar="NAMES", type=names, help="only these rows, separated by commas")
    head.add_argument(
        "--peers",
        metavar="NAMES",
        type=names,
        default=["numpy"],
        help="what to compare with, separated by commas: numpy, numexpr, numba, jax, cupynumeric; those that aren't "
        "installed are left out with a note (default: numpy)",
    )
    head.add_argument("--quick", action="store_true", help="small sizes and three rounds: a trial, not a measurement")
    head.add_argument("--cores", type=int, default=2, help="run on so many cores (default: %(default)s)")
    head.add_argument("--module", default="numloom", help=argparse.SUPPRESS)
    record = commands.add_parser("record", help="nanoseconds to record one operator, and to record and run it")
    record.add_argument("--module", default="numloom", help=argparse.SUPPRESS)
    gpu = commands.add_parser("gpu", help="NumPy's text on one GPU, against CuPy where it is installed")
    gpu.add_argument("--json", metavar="FILE", help="write the rows, a list of objects")
    gpu.add_argument("--report", metavar="FILE", help="write the table as Markdown")
    gpu.add_argument("--only", metavar="NAMES", type=names, help="only these rows, separated by commas")
    gpu.add_argument("--quick", action="store_true", help="small sizes and three rounds: a trial, not a measurement")
    spots = commands.add_parser("spots", help="single calls that were once slower than NumPy's")
    spots.add_argument("--json", metavar="FILE", help="write the rows, a list of objects")
    spots.add_argument("--only", metavar="TEXTS", type=names, help="only rows whose names hold one of these")
    spots.add_argument("--cores", type=int, default=2, help="run on so many cores (default: %(default)s)")
    spots.add_argument("--module", default="numloom", help=argparse.SUPPRESS)
    return top


def names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def main() -> int:
    restart_without_unwanted()
    options = parser().parse_args()
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
    import peers

    if options.command == "record":
        import record

        return record.run(options.module)
    if options.command == "spots":
        import spots

        return spots.run(options)
    if options.command == "gpu":
        import gpu

        return gpu.run(options)
    unknown = [peer for peer in options.peers if peer not in peers.KNOWN]
    if unknown:
        raise SystemExit(f"no peer called {', '.join(unknown)}; there are: {', '.join(peers.KNOWN)}")
    import machine

    options.cores = machine.use_cores(options.cores)
    peers.prepare_environment(options.cores)
    missing = [peer for peer in options.peers if peers.version(peer) is None]
    if missing:
        print(f"not installed, left out: {', '.join(missing)}", file=sys.stderr)
    options.peers = [peer for peer in options.peers if peer not in missing]
    import headline

    return headline.run(options)


if __name__ == "__main__":
    sys.exit(main())
