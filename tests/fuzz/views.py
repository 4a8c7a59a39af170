"""Shapes, slices and views as text: the aliasing that the programs are about."""

from __future__ import annotations

import random

import numpy

LARGE = [
    (1023,), (1024,), (1025,), (2047,), (2049,), (4097,), (33, 40), (65, 63), (3, 1025), (1025, 2), (1, 2049),
    (5, 17, 19), (2, 3, 257), (9, 1, 130), (40, 40), (17, 64), (2, 2, 2, 129),
]  # fmt: skip


def shape(rng: random.Random, family: str) -> tuple[int, ...]:
    """A shape of the family 'small', 'empty' or 'large' (around the engine's block sizes)."""
    if family == "large":
        return rng.choice(LARGE)
    rank = rng.choices(range(5), [3, 22, 43, 23, 9])[0]
    if family == "empty":
        rank = max(rank, 1)
    top = {1: 20, 2: 7, 3: 5}.get(rank, 4)
    dims = [rng.randint(1, top) for _ in range(rank)]
    if family == "empty":
        dims[rng.randrange(rank)] = 0
    if rank == 2 and rng.random() < 0.45:
        dims[1] = dims[0]
    return tuple(dims)


def related(rng: random.Random, base: tuple[int, ...]) -> tuple[int, ...]:
    """A shape that combines with `base`: larger, transposed, broadcastable, or the same."""
    dims = list(base)
    what = rng.random()
    if what < 0.35:
        return base
    if what < 0.6:
        grow = 3 if numpy.prod(base, dtype=float) > 200 else 5
        return tuple(d + rng.randint(0, grow) if d else d for d in dims)
    if what < 0.72:
        return tuple(reversed(dims))
    if what < 0.87:
        return tuple(1 if rng.random() < 0.4 else d for d in dims)[
            rng.randint(0, len(dims)) if rng.random() < 0.3 else 0 :
        ]
    if what < 0.94 and numpy.prod(base, dtype=float) < 400:
        return (rng.randint(1, 4), *dims)
    return ()


def slice_text(rng: random.Random, n: int, m: int) -> str:
    """A slice that takes `m` of `n` elements: any start, any step, forwards or backwards."""
    if m == 0:
        k = rng.randint(0, n)
        return rng.choice([f"{k}:{k}", f"{n}:", "0:0"])
    if m == n and rng.random() < 0.7:
        return ":" if rng.random() < 0.65 else "::-1"
    most = (n - 1) // (m - 1) if m > 1 else rng.randint(1, max(n, 1))
    step = rng.choice([1, 1, most, rng.randint(1, most)])
    start = rng.randint(0, n - 1 - (m - 1) * step)
    last = start + (m - 1) * step
    if rng.random() < 0.35:
        start, last, step = last, start, -step
    stop = last + (1 if step > 0 else -1)
    first = "" if start == (0 if step > 0 else n - 1) and rng.random() < 0.7 else _position(rng, start, n)
    if stop < 0 or (stop >= n and rng.random() < 0.7):
        end = ""
    elif stop >= n:
        end = str(stop)
    else:
        end = _position(rng, stop, n)
    return f"{first}:{end}" + (f":{step}" if step != 1 else "")


def _position(rng, k, n):
    return str(k - n) if rng.random() < 0.3 and k < n else str(k)


def index_text(rng: random.Random, value: numpy.ndarray) -> str:
    """A random basic index for `value`: slices, integers, new axes, an ellipsis."""
    parts = []
    for n in value.shape:
        what = rng.random()
        if what < 0.1 and n:
            parts.append(str(rng.randint(-n, n - 1)))
        elif what < 0.25:
            parts.append(":")
        elif what < 0.35 and n:
            parts.append("::-1")
        elif what < 0.47 and n > 1:
            parts.append(rng.choice(["::2", "1::2", "::-2", "::3"]))
        else:
            low = 0 if rng.random() < 0.04 else min(1, n)
            parts.append(
                slice_text(rng, n, rng.randint(low, n) if rng.random() < 0.4 else max(n - rng.randint(0, 2), low))
            )
    if rng.random() < 0.12:
        parts.insert(rng.randint(0, len(parts)), "None")
    if rng.random() < 0.15:
        k = rng.randint(0, len(parts))
        while k < len(parts) and parts[k:] and all(p == ":" for p in parts[k:]):
            parts.pop()
        parts.insert(k, "...")
    elif not parts or rng.random() < 0.04:
        parts.append("...")
    return "[" + ", ".join(parts) + "]"


def element_index(rng: random.Random, value: numpy.ndarray, keep_array: bool = False) -> str | None:
    """An index of one element; with `keep_array` as a 0-d view. None where there is no element."""
    if value.size == 0:
        return None
    parts = [str(rng.randint(-n, n - 1)) for n in value.shape]
    if keep_array or not parts:
        parts.append("..." if keep_array else "()")
    return "[" + ", ".join(parts) + "]"


def fit(
    rng: random.Random, name: str, value: numpy.ndarray, target: tuple[int, ...], exact: bool = False
) -> str | None:
    """A view of `name` that broadcasts to the shape `target`, or, when `exact`, has it. None if there is none."""
    text = name
    if value.ndim >= 2 and value.shape != target and value.shape[::-1] == target and rng.random() < 0.8:
        return f"{name}.T"
    if value.ndim >= 2 and rng.random() < 0.3:
        text, value = f"{name}.T", value.T
    parts = []
    extra = value.ndim - len(target)
    if extra < 0:
        if exact:
            if any(d != 1 for d in target[:-extra]):
                return None
            parts += ["None"] * -extra
        target = target[-extra:]
        extra = 0
    for n in value.shape[:extra]:
        if n == 0:
            return None
        parts.append(str(rng.randint(-n, n - 1)))
    for n, m in zip(value.shape[extra:], target, strict=False):
        if n == m:
            parts.append(":" if rng.random() < 0.7 else "::-1")
        elif n > m:
            parts.append(slice_text(rng, n, m))
        elif n == 1 and not exact:
            parts.append(":")
        elif n == 0 or exact:
            return None
        else:
            k = rng.randrange(n)
            parts.append(f"{k}:{k + 1}")
    if all(p == ":" for p in parts):
        return text if parts or not extra else None
    if "None" not in parts and value.ndim == len(parts) and all(":" not in p for p in parts):
        parts.append("...")
    return f"{text}[{', '.join(parts)}]"


def broadcast_text(rng: random.Random, name: str, value: numpy.ndarray) -> str:
    """A read-only view with a stride of zero: a new leading axis, or an axis cut to one element and stretched."""
    if value.ndim == 0 or rng.random() < 0.4 or value.size == 0:
        return f"np.broadcast_to({name}, {(rng.randint(2, 4), *value.shape)})"
    axis = rng.randrange(value.ndim)
    k = rng.randrange(value.shape[axis])
    cut = ", ".join([":"] * axis + [f"{k}:{k + 1}"])
    return f"np.broadcast_to({name}[{cut}], {value.shape})"


def reshape_text(rng: random.Random, value: numpy.ndarray) -> str:
    """A reshape of `value`, as a method call."""
    size = value.size
    if size == 0:
        return rng.choice([".reshape(-1)", f".reshape{(0, 3)}", f".reshape{(2, 0)}"])
    dims = []
    rest = size
    for _ in range(rng.randint(0, 2)):
        divisors = [d for d in range(1, min(rest, 40) + 1) if rest % d == 0]
        d = rng.choice(divisors)
        dims.append(d)
        rest //= d
    dims.insert(rng.randint(0, len(dims)), -1 if rng.random() < 0.4 else rest)
    order = ", order='F'" if rng.random() < 0.1 else ""
    return f".reshape({tuple(dims)}{order})"


def view_text(rng: random.Random, value: numpy.ndarray) -> str:
    """What to write after a name to get another view (or, for some reshapes, a copy) of it."""
    what = rng.random()
    if what < 0.3:
        return index_text(rng, value)
    if what < 0.45:
        return reshape_text(rng, value)
    if what < 0.53 or value.ndim < 2:
        return rng.choice([".T", ".ravel()", "[...]", "[None]", "[..., None]", ".view()", ".squeeze()"])
    if what < 0.85:
        order = list(range(value.ndim))
        rng.shuffle(order)
        return f".transpose({tuple(order)})"
    i, j = rng.sample(range(value.ndim), 2)
    return rng.choice([f".swapaxes({i}, {j})", f".swapaxes({j}, {-1})", ".T"])


def features(value) -> set[str]:
    """What is special about an operand: its strides, rank and size."""
    if not isinstance(value, numpy.ndarray):
        return {"scalar"}
    found = set()
    if value.ndim == 0:
        found.add("0-d")
    if value.size == 0:
        found.add("empty")
        return found
    if value.size >= 1000:
        found.add("large")
    long = [(n, s) for n, s in zip(value.shape, value.strides, strict=False) if n > 1]
    if any(s < 0 for _, s in long):
        found.add("negative")
    if any(s == 0 for _, s in long):
        found.add("zero-stride")
    sizes = [abs(s) for _, s in long if s]
    if any(a < b for a, b in zip(sizes, sizes[1:], strict=False)):
        found.add("transposed")
    if sizes and min(sizes) > value.itemsize:
        found.add("step")
    return found
