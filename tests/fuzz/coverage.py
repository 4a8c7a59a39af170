"""Counts of what generated programs exercise: operation x dtype x feature."""

from __future__ import annotations

import collections
import json

import numpy

from . import generate, operations

FEATURES = ["negative", "zero-stride", "step", "transposed", "0-d", "empty", "large", "out", "where"]


def required(dtypes) -> list[tuple[str, str, str]]:
    """The cells to reach: every engine operation with every dtype it takes and every feature it can have."""
    cells = []
    for o in operations.ENGINE:
        for d in dtypes:
            kind = numpy.dtype(d).kind
            if kind not in o.kinds:
                continue
            features = list(FEATURES)
            if o.arity == 2:
                features += ["scalar", "broadcast"]
            if o.result == "same" or (o.result in ("float", "real") and kind == "f"):
                features += ["in-place", "overlap"]
            cells += [(o.name, d, f) for f in features]
    for r in operations.REDUCTIONS:
        features = [
            "negative",
            "zero-stride",
            "step",
            "transposed",
            "0-d",
            "empty",
            "large",
            "full",
            "axis",
            "axes",
            "keepdims",
        ]
        cells += [(r.name, d, f) for d in dtypes for f in features if numpy.dtype(d).kind in r.kinds]
    # a program of one element each has few axes to choose from, and an empty maximum is an error: those two stay out
    return [c for c in cells if not (c[0] in ("min", "max") and c[2] == "empty")]


def count(programs: int, seed: int, options: generate.Options) -> collections.Counter:
    """How often each cell occurs in the first `programs` programs of a series."""
    counts: collections.Counter = collections.Counter()
    for k in range(programs):
        for statement in generate.program(seed, k, options).statements:
            for name, dtype, features in statement.uses:
                for feature in features:
                    counts[name, dtype, feature] += 1
    return counts


def report(programs: int, settings, json_file: str | None) -> int:
    """Print the table, rarest cells first."""
    options = generate.Options(pure_exact=settings.pure_exact, further=not settings.engine_only)
    options.dtypes = settings.dtypes or options.dtypes
    counts = count(programs, settings.seed, options)
    cells = sorted(required(options.dtypes), key=lambda c: counts[c])
    for cell in cells[:40]:
        print(f"{counts[cell]:7d}  {' '.join(cell)}")
    least = counts[cells[0]]
    print(f"{len(cells)} cells in {programs} programs; the rarest occurs {least} times")
    if json_file and json_file != "-":
        with open(json_file, "w") as file:
            json.dump({" ".join(c): counts[c] for c in cells}, file, indent=1)
    return 0
