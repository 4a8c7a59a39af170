"""The process that runs programs: many in a row, one line of progress before and one after each.

    python -m tests.fuzz.worker --module numloom --config plain --progress FILE --seed 1 --first 0 --count 100

Every rank appends to a file of its own (FILE.RANK), so that a crash, a hang or a difference on any rank can be laid to
one program.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os

from . import bounds, generate, oracle
from .configurations import CONFIGURATIONS, PLANTED
from .program import Program


def rank() -> int:
    """The process's number under MPI, 0 elsewhere."""
    return int(os.environ.get("OMPI_COMM_WORLD_RANK", os.environ.get("PMI_RANK", "0")))


def load_module(name: str):
    """The module under test; 'mutant:FAULT' is NumPy with a fault planted."""
    if name.startswith("mutant:"):
        from . import mutant

        bounds.allow_numpy()
        return mutant.module(name.split(":", 1)[1])
    if name == "numpy":
        bounds.allow_numpy()
    return importlib.import_module(name)


def run_one(program: Program, module, configuration, lazy: bool, pure_exact: bool) -> dict:
    """Compare one program; what goes wrong in the comparison itself is reported like a difference."""
    try:
        outcome = oracle.compare(program, module, configuration.salts, lazy, configuration.shared_pins, pure_exact)
    except Exception as error:  # an evaluation that fails where NumPy's succeeded
        return {"difference": f"the comparison raised {type(error).__name__}: {str(error)[:400]}", "statement": None}
    return {"difference": outcome.difference, "statement": outcome.statement}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", default="numloom")
    parser.add_argument("--config", default="plain", choices=[*CONFIGURATIONS, *PLANTED])
    parser.add_argument("--progress", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--programs", help="a file of programs, one JSON text a line, instead of generated ones")
    parser.add_argument("--lazy", choices=["0", "1", "mixed"], default="mixed")
    parser.add_argument("--pure-exact", action="store_true")
    parser.add_argument("--engine-only", action="store_true")
    parser.add_argument("--dtypes", default="")
    args = parser.parse_args()

    configuration = {**CONFIGURATIONS, **PLANTED}[args.config]
    if configuration.gpu:
        bounds.allow_gpu()
    options = generate.Options(pure_exact=args.pure_exact, further=not args.engine_only)
    if args.dtypes:
        options.dtypes = tuple(args.dtypes.split(","))
    listed = None
    if args.programs:
        with open(args.programs) as file:
            listed = [Program.from_json(line) for line in file]
    # Opened first: under MPI the module sends what further processes open for writing to a folder of their own.
    with open(f"{args.progress}.{rank()}", "a", buffering=1) as progress:
        module = load_module(args.module)
        for k in range(args.first, args.first + args.count):
            progress.write(json.dumps({"start": k}) + "\n")
            program = listed[k] if listed is not None else generate.program(args.seed, k, options)
            lazy = k % 2 == 0 if args.lazy == "mixed" else args.lazy == "1"
            result = run_one(program, module, configuration, lazy, args.pure_exact)
            progress.write(json.dumps({"done": k, **result}) + "\n")
        progress.write(json.dumps({"end": True}) + "\n")


if __name__ == "__main__":
    main()
