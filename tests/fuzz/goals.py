"""Cells of the coverage table (coverage.py) that a program reaches on purpose: which ones, and a statement for each.

A program's number alone decides them, so that a series of programs passes through the whole table again and again.
"""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass

import numpy

from . import coverage, operations, statements, views
from .generate import Builder, Operand, Options, Retry

GOALS = 13  # in a program
LARGE_EVERY = 5  # of the programs of one dtype, one has large arrays and the cells that want them
# How often a cell stands in the list: those that the other statements reach by themselves once.
TIMES = {
    "in-place": 4,
    "where": 4,
    "overlap": 4,
    "full": 1,
    "axis": 1,
    "axes": 1,
    "keepdims": 1,
    "broadcast": 1,
    "negative": 2,
    "scalar": 2,
    "out": 2,
}
SELDOM = ("astype", "mask_read")  # in other statements


@dataclass
class Goals:
    """The cells of one program: all of one dtype, and all or none of them with large arrays."""

    dtype: str
    large: bool
    cells: list[tuple[str, str, str]]


def of_program(index: int, options: Options) -> Goals:
    """The goals of program `index` of every series."""
    turn, which = divmod(index, len(options.dtypes))
    dtype = options.dtypes[which]
    large = turn % LARGE_EVERY == 0
    number = turn // LARGE_EVERY if large else turn - turn // LARGE_EVERY - 1
    cells = _cells(tuple(options.dtypes), dtype, large)
    return Goals(dtype, large, [cells[(number * GOALS + i) % len(cells)] for i in range(GOALS)])


@functools.lru_cache(maxsize=64)
def _cells(dtypes: tuple[str, ...], dtype: str, large: bool) -> list[tuple[str, str, str]]:
    cells = [c for c in coverage.required(dtypes) if c[1] == dtype and (c[2] == "large") == large]
    cells = [c for c in cells for _ in range(TIMES.get(c[2], 3) + 2 * (c[0] in SELDOM))]
    random.Random(0).shuffle(cells)
    return cells


def reached(b: Builder, cell: tuple[str, str, str], first: int) -> bool:
    """Whether a statement from number `first` on exercises the cell."""
    name, dtype, feature = cell
    uses = (u for s in b.statements[first:] for u in s.uses)
    return any(u[:2] == (name, dtype) and feature in u[2] for u in uses)


def reach(b: Builder, cell: tuple[str, str, str]) -> None:
    """A statement that should exercise the cell."""
    name, dtype, feature = cell
    op = next((o for o in operations.ENGINE if o.name == name), None)
    red = next((r for r in operations.REDUCTIONS if r.name == name), None)
    if op:
        _elementwise(b, op, dtype, feature)
    elif red:
        statements.reduction(b, _operand(b, dtype, "axis" if feature == "axes" else feature), red, feature)
    elif name == "astype":
        statements.cast(b, _operand(b, dtype, feature))
    elif name == "mask_read":
        statements.mask_read(b, _operand(b, dtype, feature))
    else:
        x = _operand(b, dtype, feature)
        y = _second(b, x, "biufc" if name == "where" else x.kind, feature)
        (statements.where_function if name == "where" else statements.clip)(b, x, y)


def _elementwise(b: Builder, op: operations.Operation, dtype: str, feature: str) -> None:
    if feature == "overlap":
        x, out = _overlapping(b, dtype)
        return statements.out_argument(b, x, op, feature, out)
    x = _operand(b, dtype, feature)
    if feature == "in-place" and op.arity == 2 and op.operator and b.rng.random() < 0.5:
        return statements.in_place(b, x, op)
    if feature in ("in-place", "out", "where"):
        return statements.out_argument(b, x, op, feature)
    if feature in ("scalar", "broadcast"):
        y = _second(b, x, op.kinds, feature)
        if op.name == "power" and x.kind in "iu":
            y = b.scalar("u") if feature == "scalar" else statements.small_exponent(b, y)
        return statements.elementwise(b, x, op, y)
    return statements.elementwise(b, x, op)


def _second(b: Builder, x: Operand, kinds: str, feature: str) -> Operand | None:
    """A second operand that is a number or is stretched over `x`, where that is the feature."""
    rng = b.rng
    if feature == "scalar":
        return b.scalar(x.kind if x.kind in kinds else kinds[0])
    if feature != "broadcast":
        return None
    long = [i for i, n in enumerate(x.shape) if n != 1]
    stretched = rng.choice(long)
    shape = tuple(1 if i == stretched or rng.random() < 0.3 else n for i, n in enumerate(x.shape))
    shape = shape[rng.randint(0, stretched + 1) :] if rng.random() < 0.4 else shape
    names = b.arrays(kinds)
    rng.shuffle(names)
    for name in names[:4]:
        text = views.fit(rng, name, b.session.names[name], shape)
        value = b.value(text) if text else None
        if text and numpy.shape(value) not in (x.shape, ()):
            return Operand(text, value, name)
    name = b.new_input(shape or (1,), rng.choice([d for d in b.options.dtypes if numpy.dtype(d).kind in kinds]))
    return Operand(name, b.session.names[name], name)


# ---------------------------------------------------------------------------------------------------- first operands
def _operand(b: Builder, dtype: str, feature: str) -> Operand:
    """An operand of the dtype that has the feature, or to which a call can give it."""
    rng = b.rng
    names = [n for n in b.arrays() if b.session.names[n].dtype == dtype]
    rng.shuffle(names)
    for name in names[:3]:
        x = b.operand_of(name, plain=1.0 if feature == "in-place" else 0.1)
        if _suits(x, feature):
            return x
    for name in names:
        x = _made_to_suit(b, name, feature)
        if x:
            return x
    x = _made_to_suit(b, b.new_input(_shape(b, feature), dtype), feature)
    if x is None:
        raise Retry
    return x


def _suits(x: Operand, feature: str) -> bool:
    value = x.value
    if not isinstance(value, numpy.ndarray):
        return False
    if feature in coverage.OPERAND:
        return feature in views.features(value)
    if feature == "in-place":
        return x.text == x.name and value.flags.writeable and not {"zero-stride"} & views.features(value)
    if feature == "broadcast":
        return any(n != 1 for n in value.shape)
    return value.ndim > 0 or feature not in ("axis", "keepdims")


def _made_to_suit(b: Builder, name: str, feature: str) -> Operand | None:
    """A view of the variable with the feature, if it has one."""
    text = _text(b.rng, name, b.session.names[name], feature)
    if text is None:
        return None
    x = Operand(text, b.value(text), name)
    return x if _suits(x, feature) else None


def _text(rng: random.Random, name: str, value: numpy.ndarray, feature: str) -> str | None:
    long = [i for i, n in enumerate(value.shape) if n > 1]
    if feature == "negative" and long:
        return f"{name}[{', '.join([':'] * rng.choice(long) + ['::-1'])}]"
    if feature == "step" and long:
        axis = min(long, key=lambda i: abs(value.strides[i]))
        return f"{name}[{', '.join([':'] * axis + ['::2' if value.shape[axis] > 2 else '0'])}]"
    if feature == "zero-stride" and value.size < 5000:
        return views.broadcast_text(rng, name, value)
    if feature == "transposed" and len(long) > 1:
        return f"{name}.swapaxes({long[0]}, {long[-1]})" if rng.random() < 0.5 else f"{name}.T"
    if feature == "0-d" and value.size:
        return name + views.element_index(rng, value, keep_array=True)
    if feature == "empty" and value.ndim:
        axis = rng.randrange(value.ndim)
        k = rng.randint(0, value.shape[axis])
        return f"{name}[{', '.join([':'] * axis + [f'{k}:{k}'])}]"
    return name


def _shape(b: Builder, feature: str) -> tuple[int, ...]:
    """The shape of an input made for a feature."""
    rng = b.rng
    if feature == "large":
        return rng.choice(views.LARGE)
    if sum(n > 1 for n in b.base) > 1 and rng.random() < 0.5:
        return b.base
    return tuple(rng.randint(2, 6) for _ in range(rng.choice([2, 2, 3])))


def _overlapping(b: Builder, dtype: str) -> tuple[Operand, Operand]:
    """Two views of one array that share elements and have the same shape: an operand and a place for the result."""
    rng = b.rng

    def fits(value):
        return value.dtype == dtype and value.flags.writeable and max(value.shape, default=0) > 2 and value.size

    names = [n for n in b.arrays() if fits(b.session.names[n])]
    name = rng.choice(names) if names else b.new_input((rng.randint(3, 9), rng.randint(1, 6)), dtype)
    value = b.session.names[name]
    axis = rng.choice([i for i, n in enumerate(value.shape) if n > 2])
    n, before = value.shape[axis], [":"] * axis
    if rng.random() < 0.3:
        texts = [name, f"{name}[{', '.join([*before, '::-1'])}]"]
    else:
        k = rng.randint(1, (n - 1) // 2)
        texts = [f"{name}[{', '.join([*before, cut])}]" for cut in (f":{n - k}", f"{k}:")]
    rng.shuffle(texts)
    x, out = (Operand(text, b.value(text), name) for text in texts)
    return x, out
