"""The kinds of statements that random programs are made of, each with its weight."""

from __future__ import annotations

import numpy

from . import operations, views
from .generate import Builder, Operand, Retry, use
from .library_statements import library_read, library_sum, library_write
from .operations import Operation, Reduction
from .program import Rule


# ---------------------------------------------------------------------------------------------------- calls as text
def call(b: Builder, op: Operation, args: list[Operand], **keywords) -> str:
    """Text of a call, as an operator where there is one and nothing speaks against it."""
    texts = [a.text for a in args]
    if op.operator and not keywords and b.rng.random() < 0.7 and any(isinstance(a.value, numpy.ndarray) for a in args):
        if op.operator == "abs":
            return f"abs({texts[0]})"
        return f"({op.operator}{texts[0]})" if op.arity == 1 else f"({texts[0]} {op.operator} {texts[1]})"
    extra = "".join(f", {k}={v}" for k, v in keywords.items())
    return f"{op.namespace}.{op.name}({', '.join(texts)}{extra})"


def apply(op: Operation, values: list):
    """NumPy's result, to know dtype and shape."""
    try:
        if op.namespace == "special":
            return numpy.asarray(values[0], dtype=values[0].dtype) * 1
        return getattr(numpy, op.name)(*values)
    except Exception:
        raise Retry from None


def arguments(b: Builder, op: Operation, x: Operand) -> list[Operand]:
    """The operands of a call whose first one is `x`."""
    if op.arity == 1:
        return [x]
    if op.name == "power":
        if x.kind in "iu":
            return [x, b.scalar("u") if b.rng.random() < 0.6 else small_exponent(b, b.partner(x, "iu", scalars=0))]
        return [x, b.partner(x, "f", scalars=0.5)]
    y = b.partner(x, op.kinds)
    return [y, x] if not isinstance(y.value, numpy.ndarray) and b.rng.random() < 0.3 else [x, y]


def small_exponent(b: Builder, y: Operand) -> Operand:
    """`y` cut down to powers that integers take."""
    text = f"({y.text} & 3)"
    return Operand(text, b.value(text), y.name)


def rule_for(op: Operation, args: list[Operand], target: str | None) -> Rule | None:
    """The rule for the result, by the kinds of the operands."""
    kinds = {a.kind for a in args}
    if op.zero_sign and kinds & set("fc"):
        return Rule("zero_sign", target, op.name, [a.text for a in args])
    if kinds & set(op.inexact):
        return Rule(op.rule, target, op.name, [a.text for a in args])
    return None


# ---------------------------------------------------------------------------------------------------- elementwise
def elementwise(b: Builder, x: Operand | None = None, op: Operation | None = None, y: Operand | None = None) -> None:
    """name = op(x, y)"""
    x = x or b.operand()
    op = op or b.pick(x.kind)
    args = [x, y] if y else arguments(b, op, x)
    name = b.target_name()
    b.run(f"{name} = {call(b, op, args)}", rule_for(op, args, name), [use(op.name, args)])


def in_place(b: Builder, x: Operand | None = None, op: Operation | None = None) -> None:
    """x op= y, with y often another view of what x is a view of."""
    x = x or b.target()
    op = op or b.pick(x.kind, arity=2)
    if not op.operator or op.result == "bool" or (op.result == "float" and x.kind not in "fc"):
        raise Retry
    args = arguments(b, op, x)
    if args[0] is not x:
        args.reverse()
    rule = rule_for(op, args, x.text)
    if rule and apply(op, [a.value for a in args]).dtype != x.value.dtype:
        raise Retry
    extra = {"in-place", *_overlap(x, args[1])}
    if "overlap" in extra:
        _no_cast_across(x, apply(op, [a.value for a in args]))
    b.run(f"{x.text} {op.operator}= {args[1].text}", rule, [use(op.name, args, extra)])


def _overlap(target: Operand, *sources: Operand) -> set[str]:
    for s in sources:
        if (
            isinstance(s.value, numpy.ndarray)
            and s.text != target.text
            and numpy.may_share_memory(s.value, target.value)
        ):
            return {"overlap"}
    return set()


def _no_cast_across(target: Operand, result) -> None:
    """NumPy (2.5 at least) reads what it wrote where a result is cast into an overlapping target: no oracle there."""
    if numpy.asarray(result).dtype != target.value.dtype:
        raise Retry


def out_argument(
    b: Builder,
    x: Operand | None = None,
    op: Operation | None = None,
    wanted: str = "",
    out: Operand | None = None,
) -> None:
    """np.op(x, y, out=view) with or without where=."""
    x = x or b.operand()
    op = op or b.pick(x.kind)
    args = arguments(b, op, x)
    result = apply(op, [a.value for a in args])
    inexact = rule_for(op, args, "") is not None
    if out is None:
        out = b.room(numpy.shape(result), result.dtype, inexact or b.rng.random() < 0.7, x.name)
        likely = {"in-place": 1.0, "out": 0.0}.get(wanted, 0.3 if op.operator else 0.6)
        if x.value is not None and _writable(x, result) and b.rng.random() < likely:
            out = x
    keywords, extra = {"out": out.text}, {"in-place" if out is x else "out", *_overlap(out, *args)}
    if "overlap" in extra:
        _no_cast_across(out, result)
    if op.name in ("isnan", "isinf", "isfinite") and {"negative", "step", "transposed"} & views.features(out.value):
        raise Retry  # NumPy (2.5 at least) reads other elements where the output has gaps: no oracle there
    rule = rule_for(op, args, out.text)
    if wanted == "where" or b.rng.random() < 0.5:
        mask = b.mask(numpy.shape(result))
        keywords["where"] = mask.text
        extra.add("where")
        if rule:
            rule.options["mask"] = mask.text
    b.run(call(b, op, args, **keywords), rule, [use(op.name, args, extra)])


def _writable(x: Operand, result) -> bool:
    """Whether `x`, a plain view, can take this result in place."""
    value = x.value
    if not isinstance(value, numpy.ndarray) or not value.flags.writeable or "(" in x.text:
        return False
    return value.shape == result.shape and value.dtype == result.dtype


# ---------------------------------------------------------------------------------------------------- expressions
def expression(b: Builder, depth: int, shape: tuple[int, ...], kind: str, uses: list, prefer: str = "") -> Operand:
    """A tree of exact operations of this shape."""
    rng = b.rng
    if depth == 0 or rng.random() < 0.08:
        return _leaf(b, shape, kind, prefer)
    x = expression(b, depth - 1, shape, kind, uses, prefer)
    what = rng.random()
    if what < 0.08:
        mask = b.mask(shape)
        y = expression(b, depth - 1, shape, x.kind, uses, prefer)
        text = f"np.where({mask.text}, {x.text}, {y.text})"
        uses.append(use("where", [x, mask, y]))
        return Operand(text, b.value(text), x.name)
    if what < 0.13 and x.kind in "biuf" and isinstance(x.value, numpy.ndarray) and x.value.size:
        return _reduced(b, x, uses)
    op = b.pick(x.kind, exact=True)
    if op.name == "power":
        raise Retry
    args = [x]
    if op.arity == 2:
        y = expression(b, depth - 1, shape, kind, uses, prefer)
        if y.kind not in op.kinds or y.kind in op.inexact:
            raise Retry
        args.append(y)
    result = apply(op, [a.value for a in args])
    text = call(b, op, [_no_negative_zero(op, a) for a in args])
    uses.append(use(op.name, args))
    return Operand(text, result, x.name)


def _no_negative_zero(op: Operation, a: Operand) -> Operand:
    """Adding 0.0 makes every zero positive: after that the sign of a minimum's zero is prescribed."""
    return Operand(f"({a.text} + 0.0)", a.value) if op.zero_sign and a.kind in "fc" else a


def _leaf(b: Builder, shape, kind: str, prefer: str) -> Operand:
    rng = b.rng
    if rng.random() < 0.15:
        return b.scalar(kind)
    near = [n for n in b.arrays() if b.session.names[n].dtype.kind == kind]
    names = near if near and rng.random() < 0.8 else b.arrays()
    rng.shuffle(names)
    if prefer in b.session.names and rng.random() < 0.6:
        names.insert(0, prefer)
    stretched = len(shape) > 0 and 0 not in shape and rng.random() < 0.15  # a stride of zero
    axis = rng.randrange(len(shape)) if stretched else 0
    wanted = (*shape[:axis], 1, *shape[axis + 1 :]) if stretched else shape
    for name in names[:6]:
        text = views.fit(rng, name, b.session.names[name], wanted)
        if text is not None:
            text = f"np.broadcast_to({text}, {shape})" if stretched else text
            return Operand(text, b.value(text), name)
    return b.scalar(kind)


def _reduced(b: Builder, x: Operand, uses: list) -> Operand:
    """An exact reduction inside an expression, its axes kept so that it broadcasts."""
    rng = b.rng
    kind = x.kind
    name = rng.choice(
        ["any", "all"] if kind == "b" else ["min", "max", "any", "all"] + (["sum"] if kind in "iu" else [])
    )
    inner = f"({x.text} + 0.0)" if kind == "f" else x.text
    axis = rng.randrange(-x.value.ndim, x.value.ndim) if x.value.ndim and rng.random() < 0.7 else None
    text = f"np.{name}({inner}, axis={axis}, keepdims=True)"
    uses.append(use(name, [x], {"keepdims", "axis" if axis is not None else "full"}))
    return Operand(text, b.value(text), x.name)


def new_from_expression(b: Builder) -> None:
    """name = a tree of operations whose temporaries nobody sees"""
    uses: list = []
    x = b.operand()
    made = expression(b, b.rng.randint(2, 5), x.shape, x.kind, uses, x.name)
    b.run(f"{b.target_name()} = {made.text}", None, uses)


def assign_expression(b: Builder) -> None:
    """view[...] = a tree over (also overlapping) views; now and then in a loop, or with a name for the work array."""
    rng = b.rng
    x = b.target(plain=0.1)
    uses: list = []
    made = expression(b, rng.randint(0, 4), x.shape, x.kind, uses, x.name)
    text = made.text
    if x.kind in "biu" and made.kind in "fc":
        text = _whole_number(text, x.kind, made.kind)
    elif x.kind == "f" and made.kind == "c":
        text = f"({text}).real"
    uses.append(use("assign", [x, made], {"in-place", *_overlap(x, made)}))
    if not uses[:-1]:
        _not_a_skewed_copy(x, made)
    subscript = x.text if x.text != x.name else f"{x.text}[...]"
    what = rng.random()
    times = rng.randint(2, 4)
    if what < 0.2:
        b.run(f"for _ in range({times}):\n    {subscript} = {text}", None, uses)
    elif what < 0.4 and isinstance(made.value, numpy.ndarray):
        b.run(f"for _ in range({times}):\n    work = {text}\n    {subscript} = work", None, uses)
    else:
        b.run(f"{subscript} = {text}", None, uses)


def _not_a_skewed_copy(target: Operand, source: Operand) -> None:
    """NumPy (2.5 at least) copies between overlapping lines of different positive steps as it goes: no oracle there."""
    if target.value.ndim == 1 and isinstance(source.value, numpy.ndarray) and _overlap(target, source):
        if source.value.ndim == 0 or source.value.strides[-1] != target.value.strides[0]:
            raise Retry


def _whole_number(text: str, to: str, kind: str = "f") -> str:
    """Text whose values fit every integer type: casts of others to integers are undefined."""
    if to == "b":
        return f"(({text}) != 0)"
    text = f"({text}).real" if kind == "c" else f"({text})"
    guarded = f"np.where(np.abs({text}) < 100, {text}, 7)"
    return f"np.abs({guarded})" if to == "u" else guarded


def two_buffers(b: Builder) -> None:
    """A loop that computes one array from another and swaps the names."""
    rng = b.rng
    x = b.operand("iuf", plain=1.0)
    same = [
        n
        for n in b.arrays()
        if n != x.name and b.session.names[n].shape == x.shape and b.session.names[n].flags.writeable
    ]
    if not same:
        raise Retry
    y = rng.choice(same)
    uses: list = []
    made = expression(b, 2, x.shape, x.kind, uses, x.name)
    if made.kind in "fc" and b.session.names[y].dtype.kind in "biu" or made.kind == "c":
        raise Retry
    if not uses:
        _not_a_skewed_copy(Operand(y, b.session.names[y]), made)
    loop = f"for _ in range({rng.randint(2, 4)}):\n    {y}[...] = {made.text}\n    {x.name}, {y} = {y}, {x.name}"
    b.run(loop, None, uses)


def exchange(b: Builder) -> None:
    """Names exchanged."""
    names = b.arrays()
    x, y = b.rng.sample(names, 2)
    b.run(f"{x}, {y} = {y}, {x}")


# ---------------------------------------------------------------------------------------------------- views, copies
def new_view(b: Builder) -> None:
    """name = a view of a view"""
    rng = b.rng
    name = rng.choice(b.arrays())
    value = b.session.names[name]
    what = rng.random()
    if what < 0.12 and value.size < 2000:
        text = views.broadcast_text(rng, name, value)
    elif what < 0.2 and value.dtype.kind == "c":
        text = f"{name}.{rng.choice(['real', 'imag'])}"
    elif what < 0.25:
        text = f"np.flip({name})"
    else:
        text = name + views.view_text(rng, value)
    b.run(f"{b.target_name()} = {text}")


def copies(b: Builder) -> None:
    """name = a copy or a cast"""
    rng = b.rng
    x = b.operand()
    name = b.target_name()
    if rng.random() < 0.3:
        text = rng.choice(
            [f"{x.text}.copy()", f"np.array({x.text})", f"np.ascontiguousarray({x.text})", f"{x.text} + 0"]
        )
        if text.endswith("+ 0") and x.kind == "b":
            raise Retry
        b.run(f"{name} = {text}", None, [use("copy", [x])])
        return
    cast(b, x, name)


def cast(b: Builder, x: Operand, name: str = "") -> None:
    """name = x.astype(dtype)"""
    name = name or b.target_name()
    to = b.rng.choice(b.options.dtypes)
    kind = numpy.dtype(to).kind
    text = x.text
    if x.kind in "fc" and kind in "biu":
        text = _whole_number(text, kind, x.kind)
    elif x.kind == "c" and kind == "f":
        text = f"({text}).real"
    b.run(f"{name} = ({text}).astype({to!r})", None, [use("astype", [x], {"to " + to})])


def created(b: Builder) -> None:
    """name = zeros, ones, full, arange, ..._like"""
    rng = b.rng
    dtype = rng.choice(b.palette)
    shape = views.related(rng, b.base)
    like = rng.choice(b.arrays())
    value = b.scalar(numpy.dtype(dtype).kind).text
    n = int(numpy.prod(shape)) if shape else 1
    texts = [
        f"np.zeros({shape}, {dtype!r})",
        f"np.ones({shape}, dtype={dtype!r})",
        f"np.full({shape}, {value}, dtype={dtype!r})",
        f"np.zeros_like({like})",
        f"np.ones_like({like})",
        f"np.full_like({like}, {value})",
        f"np.eye({rng.randint(0, 5)}, dtype={dtype!r})",
    ]
    if dtype not in ("bool", "int8", "uint8", "float16"):
        texts.append(f"np.arange({n}, dtype={dtype!r}).reshape({shape})")
    b.run(f"{b.target_name()} = {rng.choice(texts)}")


def new_input(b: Builder) -> None:
    """name = fresh values"""
    b.new_input()


# ---------------------------------------------------------------------------------------------------- reductions
def reduction(b: Builder, x: Operand | None = None, red: Reduction | None = None, wanted: str = "") -> None:
    """name = x.sum(axis=...) and the like, or a read of one"""
    rng = b.rng
    x = x or _reduced_operand(b)
    red = red or rng.choice([r for r in operations.REDUCTIONS if x.kind in r.kinds])
    keywords, extra, mask = {}, set(), None
    axis = _axis(b, x.shape, wanted)
    if wanted == "empty" and red.name in ("min", "max"):  # of nothing there is none; of no rows there are none
        axis = rng.choice([i for i, n in enumerate(x.shape) if n] or [None])
    if axis is not None or rng.random() < 0.3:
        keywords["axis"] = axis
    extra.add("full" if axis is None else "axis" if isinstance(axis, int) else "axes")
    if wanted == "keepdims" or rng.random() < 0.25:
        keywords["keepdims"] = True
        extra.add("keepdims")
    if red.name in ("std", "var") and rng.random() < 0.2:
        keywords["ddof"] = 1
    if red.name in ("sum", "prod", "mean") and x.kind in "iuf" and rng.random() < 0.1:
        keywords["dtype"] = repr(rng.choice(["float64", "float32"]))
    options = {
        k: list(v) if isinstance(v, tuple) else v for k, v in keywords.items() if k in ("axis", "keepdims", "ddof")
    }
    operands = [x.text]
    if wanted == "where" or rng.random() < 0.12:
        mask = b.mask(x.shape)
        keywords["where"] = mask.text
        operands.append(mask.text)
        extra.add("where")
        if red.name in ("min", "max"):
            keywords["initial"] = "True" if x.kind == "b" else "S(1)"
    method = f"{x.text}.{red.name}(" if rng.random() < 0.6 else f"np.{red.name}({x.text}, "
    args = ", ".join(f"{k}={v}" for k, v in keywords.items())
    text = (method + args + ")").replace(", )", ")")
    rule = Rule(red.rule, None, red.name, operands, options) if red.rule and x.kind in "fc" else None
    if red.rule in ("mean", "var", "std") or "dtype" in keywords:
        rule = Rule(red.rule, None, red.name, operands, options)
    _finish_reduction(b, red, x, text, rule, extra, wanted)


def _reduced_operand(b: Builder) -> Operand:
    rng = b.rng
    x = b.operand(plain=0.1, spread=True)
    if x.value.ndim == 1 and rng.random() < 0.4:
        x = b.operand(plain=0.1, spread=True)
    if rng.random() < 0.06 and x.name and b.session.names[x.name].size:  # a full index kept as a view
        text = x.name + views.element_index(rng, b.session.names[x.name], keep_array=True)
        x = Operand(text, b.value(text), x.name)
    return x


def _finish_reduction(b: Builder, red: Reduction, x: Operand, text: str, rule, extra: set, wanted: str) -> None:
    """Where the result goes: out=, a read, or a name."""
    rng = b.rng
    what = 0 if wanted == "out" else rng.random()
    if what < 0.14 and red.has_out and isinstance(x.value, numpy.ndarray):
        result = b.value(text)
        out = b.room(numpy.shape(result), result.dtype, near=x.name)
        text = (text[:-1] + f", out={out.text})").replace("(, ", "(")
        extra |= {"out", *_overlap(out, x)}
        if rule:
            rule.target = out.text
        b.run(text, rule, [use(red.name, [x], extra)])
    elif what < 0.3:
        b.run(f"read({text})", rule, [use(red.name, [x], extra | {"read"})])
    else:
        name = b.target_name()
        if rule:
            rule.target = name
        b.run(f"{name} = {text}", rule, [use(red.name, [x], extra)])


def _axis(b: Builder, shape: tuple[int, ...], wanted: str):
    rng = b.rng
    ndim = len(shape)
    what = {"full": 0.0, "axis": 0.5, "axes": 0.9}.get(wanted, rng.random())
    if ndim == 0 or what < 0.35:
        return None
    if what < 0.75 or (ndim == 1 and wanted != "axes"):
        return rng.randrange(-ndim, ndim)
    axes = rng.sample(range(ndim), rng.randint(1, ndim))
    return tuple(a - ndim if rng.random() < 0.3 else a for a in axes)


# ---------------------------------------------------------------------------------------------------- selection
def where_function(b: Builder, x: Operand | None = None, y: Operand | None = None) -> None:
    """name = np.where(mask, x, y)"""
    x = x or b.operand()
    y = y or b.partner(x, "biufc", scalars=0.3)
    mask = b.mask(x.shape)
    args = [mask, x, y] if b.rng.random() < 0.7 else [mask, y, x]
    b.run(f"{b.target_name()} = np.where({', '.join(a.text for a in args)})", None, [use("where", [x, mask, y])])


def clip(b: Builder, x: Operand | None = None, low: Operand | None = None) -> None:
    """name = np.clip(x, low, high)"""
    rng = b.rng
    x = x or b.operand("iuf")
    low = low or b.partner(x, x.kind, scalars=0.6)
    high = b.partner(x, x.kind, scalars=0.6)
    name = b.target_name()
    rule = Rule("zero_sign", name, "clip", [x.text, low.text, high.text]) if x.kind == "f" else None
    text = (
        f"np.clip({x.text}, {low.text}, {high.text})"
        if rng.random() < 0.6
        else f"{x.text}.clip({low.text}, {high.text})"
    )
    b.run(f"{name} = {text}", rule, [use("clip", [x, low, high])])


def mask_read(b: Builder, x: Operand | None = None) -> None:
    """name = x[mask]"""
    x = x or b.operand()
    if not isinstance(x.value, numpy.ndarray) or x.value.ndim == 0:
        raise Retry
    rng = b.rng
    if rng.random() < 0.5:
        mask = Operand(f"{x.text} {rng.choice(['>', '<=', '!='])} S(1)", None)
    else:
        shape = x.shape if rng.random() < 0.7 else x.shape[: rng.randint(1, x.value.ndim)]
        names = [n for n in b.arrays("b")]
        rng.shuffle(names)
        texts = [t for t in (views.fit(rng, n, b.session.names[n], shape, exact=True) for n in names) if t]
        if not texts:
            raise Retry
        mask = Operand(texts[0], None)
    b.run(f"{b.target_name()} = {x.text}[{mask.text}]", None, [use("mask_read", [x])])


def mask_assign(b: Builder) -> None:
    """x[x > 0] = number"""
    x = b.target()
    if x.value.ndim == 0:
        raise Retry
    value = b.scalar(x.kind)
    b.run(f"{x.text}[{x.text} > S(1)] = {value.text}", None, [use("mask_assign", [x], {"in-place"})])


def element_assign(b: Builder) -> None:
    """x[i, j] = number or element"""
    rng = b.rng
    names = [n for n in b.arrays() if b.session.names[n].size and b.session.names[n].flags.writeable]
    if not names:
        raise Retry
    name = rng.choice(names)
    value = b.session.names[name]
    other = rng.choice(names)
    source = b.session.names[other]
    same = source.dtype.kind in {"b": "b", "i": "bi", "u": "bu", "f": "biuf", "c": "biufc"}[value.dtype.kind]
    text = other + views.element_index(rng, source) if same and rng.random() < 0.6 else b.scalar(value.dtype.kind).text
    operator = rng.choice(["=", "=", "+="]) if value.dtype.kind != "b" else "="
    b.run(
        f"{name}{views.element_index(rng, value)} {operator} {text}",
        None,
        [use("assign", [Operand(name, value)], {"element"})],
    )


# ---------------------------------------------------------------------------------------------------- other functions
FUNCTIONS = {
    "roll": ("np.roll({x}, {k})", "biufc"),
    "cumsum": ("np.cumsum({x})", "iu"),
    "sort": ("np.sort({x}, axis=-1)", "biu"),
    "argsort": ("np.argsort({x}, kind='stable')", "biuf"),
    "concatenate": ("np.concatenate([{x}, {x}[::-1]])", "biufc"),
    "stack": ("np.stack([{x}, {x}], axis=-1)", "biufc"),
    "take": ("{x}[[0, -1, 0]]", "biufc"),
    "repeat": ("np.repeat({x}, 2)", "biufc"),
    "tile": ("np.tile({x}, 2)", "biufc"),
    "diff": ("np.diff({x})", "iuf"),
    "argmax": ("{x}.argmax()", "biuf"),
    "argmin": ("{x}.argmin(axis=-1)", "biuf"),
    "ptp": ("np.ptp({x})", "iu"),
    "count_nonzero": ("np.count_nonzero({x})", "biufc"),
    "nonzero": ("np.nonzero({x})[0]", "biufc"),
    "matmul": ("{x} @ {x}.T", "i"),
    "unique": ("np.unique({x})", "biu"),
    "pad": ("np.pad({x}, 1)", "biufc"),
    "outer": ("np.multiply.outer({x}[:3], {x}[:2])", "iuf"),
    "accumulate": ("np.maximum.accumulate({x})", "iu"),
    "reduceat": ("np.add.reduce({x})", "iu"),
}


def function(b: Builder) -> None:
    """name = some other function of NumPy with an exact result"""
    if not b.options.further:
        raise Retry
    name, (template, kinds) = b.rng.choice(list(FUNCTIONS.items()))
    x = b.operand(kinds)
    text = template.format(x=x.text, k=b.rng.randint(-3, 3))
    result = b.value(text)
    if numpy.size(result) > 20000:
        raise Retry
    b.run(f"{b.target_name()} = {text}", None, [use(name, [x])])


# ---------------------------------------------------------------------------------------------------- reads, deletes
def read(b: Builder) -> None:
    """Look at something now."""
    rng = b.rng
    name = rng.choice(b.arrays())
    value = b.session.names[name]
    index = views.element_index(rng, value)
    python = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}[value.dtype.kind]
    texts = [f"read({name})", f"read({name}{views.index_text(rng, value)})", f"read(len({name}.shape))"]
    if index:
        texts += [
            f"read({python}({name}{index}))",
            f"read({name}{index})",
            f"read({name}.item({rng.randrange(value.size)}))",
        ]
        if value.dtype.kind in "iub":
            texts.append(f"read(int({name}.sum()))")
        texts.append(f"read(bool(({name} == {name}).all()))")
    if value.size < 50:
        texts += [f"read({name}.tolist())", f"read(str({name}))", f"read(repr({name}))"]
    b.run(rng.choice(texts))


def branch(b: Builder) -> None:
    """A statement that depends on a value."""
    name = b.rng.choice(b.arrays())
    if b.session.names[name].size == 0:
        raise Retry
    x = b.operand("iufc")
    test = (
        f"{name}.any()"
        if b.rng.random() < 0.5
        else f"bool({name}{views.element_index(b.rng, b.session.names[name])} == 0)"
    )
    b.run(f"{b.target_name()} = {x.text} + S(1) if {test} else {x.text} - S(1)")


def pin(b: Builder) -> None:
    """Memory that NumPy keeps a view of."""
    b.run(f"pin({b.rng.choice(b.arrays())})")


def delete(b: Builder) -> None:
    """del name"""
    names = list(b.session.variables())
    if len(names) < 4:
        raise Retry
    b.run(f"del {b.rng.choice(names)}")


def mistake(b: Builder) -> None:
    """A statement that NumPy refuses."""
    rng = b.rng
    name, other = rng.choice(b.arrays()), rng.choice(b.arrays())
    value = b.session.names[name]
    texts = [
        f"{name}[{value.shape[0] + 3 if value.ndim else 0}] = 1",
        f"a99 = {name}[{', '.join(['0'] * (value.ndim + 1))}]",
        f"{name}.reshape({value.size + 1}, 1)",
        f"a99 = {name} @ 3",
        f"{name}.sum(axis={value.ndim})",
        f"np.add({name}, {other}, out=np.zeros((7, 11, 13), 'int8'))",
        f"np.broadcast_to({name}, (2, *{name}.shape))[...] = 1",
        f"{name}[...] = np.zeros({(*value.shape, 5)})",
        f"{name} += np.zeros({(5, *value.shape)})",
        f"{name}['x']",
        f"a99 = {name} @ np.zeros(({(value.shape[-1] if value.ndim else 1) + 1}, 2))",
        "a99 = np.zeros(3) + np.zeros(4)",
        f"{name}.transpose(0, 0)",
        f"np.arange(6).reshape(2, 3)[{name}.ndim + 5]",
    ]  # fmt: skip
    if value.dtype.kind in "iu":
        texts += [f"{name} += 0.5", f"{name} /= 2"]
    if value.dtype.kind == "b":
        texts += [f"{name} - {name}", f"-{name}"]
    b.run(rng.choice(texts), may_fail=1.0)


WEIGHTS = {
    elementwise: 34,
    in_place: 18,
    out_argument: 48,
    new_from_expression: 34,
    assign_expression: 30,
    two_buffers: 1.5,
    exchange: 0.7,
    new_view: 6,
    copies: 3,
    created: 1.5,
    new_input: 1,
    reduction: 75,
    where_function: 1.5,
    clip: 2,
    mask_read: 2,
    mask_assign: 0.8,
    element_assign: 2,
    function: 2,
    library_read: 12,
    library_write: 9,
    library_sum: 0.7,
    read: 3.5,
    branch: 0.7,
    pin: 0.25,
    delete: 3,
    mistake: 1.5,
}
