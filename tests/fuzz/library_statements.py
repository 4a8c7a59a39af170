"""Statements that are the engine's library calls: sorting, scans, gathering and scattering by positions, selection.

Operands are views of any kind, targets overlap their sources, and what a call reads or writes may still be pending.
"""

from __future__ import annotations

import numpy

from .generate import Builder, Operand, Retry, use
from .program import Rule

MOST = 20000  # elements of a result

# Calls with an exact result: {x} an operand, {y} another of its kind, {m} a mask of its shape, {axis} one of its axes,
# {p} positions along its first axis, {n} how many elements that axis has.
READS = {
    "sort": ("np.sort({x}, axis={axis})", "biu"),
    "argsort": ("np.argsort({x}, axis={axis}, kind='stable')", "biufc"),
    "partition": ("np.sort(np.partition({x}, 0, axis=0), axis=0)", "biu"),
    "lexsort": ("np.lexsort(({x}.ravel(), {x}.ravel()[::-1]))", "biuf"),
    "searchsorted": ("np.searchsorted(np.sort({x}.ravel()), {y})", "iu"),
    "digitize": ("np.digitize({x}, [S(-1), S(0), S(2)])", "iuf"),
    "unique": ("np.unique({x}, return_counts=True)[1]", "biu"),
    "unique_inverse": ("np.unique({x}, return_inverse=True)[1]", "biu"),
    "cumsum": ("np.cumsum({x}, axis={axis})", "biu"),
    "cumprod": ("np.cumprod({x}, axis={axis})", "biu"),
    "accumulate_max": ("np.maximum.accumulate({x}, axis={axis})", "biu"),
    "accumulate_xor": ("np.bitwise_xor.accumulate({x}, axis={axis})", "biu"),
    "accumulate_sub": ("np.subtract.accumulate({x}, axis={axis})", "iufc"),
    "accumulate_or": ("np.logical_or.accumulate({x}, axis={axis})", "biufc"),
    "reduceat": ("np.add.reduceat({x}, {p}, axis=0)", "biu"),
    "reduce_sub": ("np.subtract.reduce({x}, axis={axis})", "iu"),
    "take": ("np.take({x}, {p}, axis=0)", "biufc"),
    "take_wrap": ("np.take({x}, [S(9), S(-7), S(0)], mode='wrap')", "biufc"),
    "gather": ("{x}[{p}]", "biufc"),
    "gather_pairs": ("{x}[{p}, 0]", "biufc"),
    "gather_last": ("{x}[..., [0, -1]]", "biufc"),
    "take_along": ("np.take_along_axis({x}, np.argsort({x}, axis=-1, kind='stable'), axis=-1)", "biuf"),
    "compress": ("np.compress([True, False, True], {x}, axis=0)", "biufc"),
    "mask_rows": ("{x}[{x}[..., 0] > S(0)] if {x}.ndim > 1 else {x}[{x} > S(0)]", "biuf"),
    "extract": ("np.extract({m}, {x})", "biufc"),
    "nonzero": ("np.nonzero({x})[-1]", "biufc"),
    "argwhere": ("np.argwhere({x})", "biufc"),
    "argmax": ("np.argmax({x}, axis={axis})", "biuf"),
    "argmin": ("{x}.argmin(axis={axis}, keepdims=True)", "biuf"),
    "bincount": ("np.bincount(np.abs({x}.ravel()) % 50)", "iu"),
    "choose": ("np.choose(({m}).astype(int), [{x}, {y}])", "biufc"),
    "concatenate": ("np.concatenate([{x}, {y}, {x}], axis=None)", "biufc"),
    "stack": ("np.stack([{x}, {x}[::-1]], axis={axis})", "biufc"),
    "matmul": ("{x}.reshape(-1)[:6].reshape(2, 3) @ {x}.reshape(-1)[:6].reshape(3, 2)", "iu"),
    "matvec": ("{x} @ np.arange({x}.shape[-1])", "iu"),
    "repeat": ("np.repeat({x}, 3, axis={axis})", "biufc"),
    "isin": ("np.isin({x}, {y})", "iu"),
    "divmod": ("np.divmod({x}, S(3))[1]", "iuf"),
    "frexp": ("np.frexp({x})[0]", "f"),
    "modf": ("np.modf({x})[1]", "f"),
}

# Writes into the target {t}, which often overlaps the source {y}; {v}: as many numbers as there are positions.
WRITES = {
    "scatter": ("{t}[{p}] = {v}", "biuf"),
    "scatter_number": ("{t}[{p}] = {s}", "biufc"),
    "scatter_rows": ("{t}[{p}] = {t}[::-1][{p}]", "biufc"),
    "scatter_add": ("{t}[{p}] += {s}", "iufc"),
    "add_at": ("np.add.at({t}, {p}, {s})", "iufc"),
    "maximum_at": ("np.maximum.at({t}, {p}, {s})", "iu"),
    "subtract_at": ("np.subtract.at({t}, {p}, {t}[0])", "iu"),
    "negative_at": ("np.negative.at({t}, {p})", "iufc"),
    "put": ("np.put({t}, [0, -1], [{s}, 2])", "biuf"),
    "place": ("np.place({t}, {t} > S(0), [{s}, 1])", "iuf"),
    "put_along": ("np.put_along_axis({t}, np.argmax({t}, axis=0, keepdims=True), {s}, axis=0)", "iuf"),
    "sort": ("{t}.sort(axis={axis})", "biu"),
    "mask_values": ("{t}[{t} > S(0)] = {t}[{t} > S(0)][::-1]", "iuf"),
    "mask_number": ("{t}[{m}] = {s}", "biufc"),
    "cumsum_into": ("np.cumsum({t}, axis=0, out={t})", "iu"),
    "take_into": ("{t}[...] = {t}[{p}][:1]", "biufc"),
}


def _axis(b: Builder, value) -> int:
    if not numpy.ndim(value):
        raise Retry
    return b.rng.randrange(-value.ndim, value.ndim)


def _positions(b: Builder, value) -> tuple[list[int], int]:
    """Some positions along the first axis, of either sign, possibly the same ones; seldom one outside."""
    if not numpy.ndim(value) or not value.shape[0]:
        raise Retry
    n = value.shape[0]
    found = [b.rng.randrange(-n, n) for _ in range(b.rng.randint(1, 5))]
    if b.rng.random() < 0.01:
        found[-1] = n
    return found, len(found)


def library_read(b: Builder) -> None:
    """name = a library call of a view"""
    if not b.options.further:
        raise Retry
    name, (template, kinds) = b.rng.choice(list(READS.items()))
    x = b.operand(kinds)
    y = b.partner(x, kinds)
    positions = _positions(b, x.value)[0] if "{p}" in template else []
    if name == "reduceat":
        positions = [k % x.value.shape[0] for k in positions if -x.value.shape[0] <= k < x.value.shape[0]] or [0]
    text = template.format(x=x.text, y=y.text, m=b.mask(x.shape).text, axis=_axis(b, x.value), p=positions)
    if numpy.size(b.value(text)) > MOST:
        raise Retry
    # Which of two equal zeros comes out is free where NumPy's result depends on its vectors.
    b.run(f"{b.target_name()} = {text}", None, [use("library_" + name, [x])])


def library_write(b: Builder) -> None:
    """A target written by positions, by a mask, or in another order."""
    if not b.options.further:
        raise Retry
    name, (template, kinds) = b.rng.choice(list(WRITES.items()))
    t = b.target(kinds)
    if t.name != t.text:  # a view with a name of its own: it is read and written
        own = b.fresh()
        b.run(f"{own} = {t.text}")
        value = b.session.names.get(own)
        if not isinstance(value, numpy.ndarray):
            raise Retry
        t = Operand(own, value, t.name)
    if not t.value.size or len(set(t.value.strides)) != t.value.ndim and "cumsum" in name:
        raise Retry
    if any(s == 0 and n > 1 for s, n in zip(t.value.strides, t.value.shape, strict=True)):
        raise Retry  # several elements are one
    positions, many = _positions(b, t.value)
    number = b.scalar("b" if t.kind == "b" else "u" if t.kind in "iu" else "f")
    values = f"np.arange({many}).reshape({(many,) + (1,) * (t.value.ndim - 1)})"
    mask = b.mask(t.shape)
    if isinstance(mask.value, numpy.ndarray) and numpy.may_share_memory(mask.value, t.value):
        mask.text = f"({mask.text}).copy()"  # NumPy (2.5 at least) reads what it wrote: no oracle there
    text = template.format(t=t.text, p=positions, s=number.text, v=values, axis=_axis(b, t.value), m=mask.text)
    b.run(text, None, [use("library_" + name, [t], {"in-place"})])


def library_sum(b: Builder) -> None:
    """Products of float matrices: judged by the bound of a sum."""
    if not b.options.further or b.options.pure_exact:
        raise Retry
    x = b.operand("f")
    if x.value.ndim != 1 or x.value.size > 2000:
        raise Retry
    name = b.target_name()
    b.run(
        f"{name} = (np.ones(({x.value.size},), {x.value.dtype.name!r}) @ {x.text})",
        Rule("sum", name, "sum", [x.text]),
        [use("library_dot", [x])],
    )
