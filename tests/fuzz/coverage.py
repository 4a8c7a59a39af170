"""Counts of what generated programs exercise: operation x dtype x feature.

Rules that follow from NumPy decide here which cells there are: a feature that an operation cannot have on a dtype is no
cell. The programs are generated and not run.
"""

from __future__ import annotations

import collections
import functools
import json

import numpy

from . import generate, operations

# What can be special about an operand of anything: see views.features.
OPERAND = ("negative", "zero-stride", "step", "transposed", "0-d", "empty", "large")
# Calls beside the ufuncs and reductions, with the kinds of dtype they take and the features they add.
CALLS = {
    "where": ("biufc", ("scalar", "broadcast")),
    "clip": ("iuf", ("scalar", "broadcast")),
    "astype": ("biufc", ()),
    "mask_read": ("biufc", ()),
}


@functools.lru_cache(maxsize=1024)
def result_dtype(name: str, namespace: str, arity: int, dtype: str) -> str:
    """The dtype of an elementwise operation's result where all operands are of `dtype`."""
    if namespace == "special":
        return dtype
    return str(getattr(numpy, name)(*[numpy.ones(2, dtype)] * arity).dtype)


def features_of_elementwise(o: operations.Operation, dtype: str) -> tuple[str, ...]:
    """All can go into an out= or through a where=; into an operand only where the result has the operand's dtype."""
    found = (*OPERAND, "out", "where")
    if o.arity == 2:
        found += ("scalar", "broadcast")
    if result_dtype(o.name, o.namespace, o.arity, dtype) == dtype:
        found += ("in-place", "overlap")
    return found


@functools.lru_cache(maxsize=8)
def required(dtypes: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """The cells to reach: every operation of the engine with every dtype it takes and every feature it can have."""
    cells = []
    for d in dtypes:
        kind = numpy.dtype(d).kind
        for o in operations.ENGINE:
            if kind in o.kinds:
                cells += [(o.name, d, f) for f in features_of_elementwise(o, d)]
        for r in operations.REDUCTIONS:
            if kind in r.kinds:
                found = (*OPERAND, "full", "axis", "axes", "keepdims", "where", *(("out",) if r.has_out else ()))
                cells += [(r.name, d, f) for f in found]
        for name, (kinds, further) in CALLS.items():
            if kind in kinds:
                cells += [(name, d, f) for f in (*OPERAND, *further)]
    return tuple(c for c in cells if c[0] != "mask_read" or c[2] != "0-d")  # x[mask] of one element reads elsewhere


def count(programs: int, seed: int, options: generate.Options, first: int = 0) -> collections.Counter:
    """How often each cell occurs in `programs` programs of a series."""
    counts: collections.Counter = collections.Counter()
    for k in range(first, first + programs):
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
    cells = sorted(required(tuple(options.dtypes)), key=lambda c: counts[c])
    for cell in cells[:40]:
        print(f"{counts[cell]:7d}  {' '.join(cell)}")
    least = counts[cells[0]]
    print(f"{len(cells)} cells in {programs} programs; the rarest occurs {least} times")
    if json_file and json_file != "-":
        with open(json_file, "w") as file:
            json.dump({" ".join(c): counts[c] for c in cells}, file, indent=1)
    return 0
