"""Seeded random programs: 10 to 40 operations on aliased views.

The generator runs NumPy as it goes, so it knows every shape and value and writes programs that mostly make sense: one
statement in twenty is wrong on purpose (the module must raise what NumPy raises and change nothing).
"""

from __future__ import annotations

import functools
import itertools
import random
import warnings
from dataclasses import dataclass

import numpy

from . import operations, views
from .operations import Operation
from .program import Program, Session, Statement

# Results of functions and comparisons are float64, complex128 and bool: inputs make up for it.
DTYPE_WEIGHTS = {"bool": 0.65, "int32": 1.4, "int64": 1.25, "float32": 1.25, "float64": 1.0, "complex128": 1.2}


class Retry(Exception):
    """The statement under construction doesn't work out; try another."""


@dataclass
class Operand:
    """Text and value of an operand, and the variable it comes from."""

    text: str
    value: object
    name: str = ""

    @property
    def kind(self) -> str:
        return numpy.asarray(self.value).dtype.kind

    @property
    def shape(self) -> tuple[int, ...]:
        return numpy.shape(self.value)


@dataclass
class Options:
    """What to generate.

    Attributes
    ----------
    dtypes : list of str
    pure_exact : bool
        Leave out every operation whose result is not exactly prescribed.
    further : bool
        Besides the engine's operations, further functions of NumPy.
    """

    dtypes: tuple[str, ...] = tuple(operations.PLAIN_DTYPES)
    pure_exact: bool = False
    further: bool = True


def program(seed: int, index: int, options: Options | None = None) -> Program:
    """Program number `index` of the series `seed`."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        from . import goals

        options = options or Options()
        made = Builder(random.Random(f"{seed}/{index}"), options, goals.of_program(index, options)).build()
    made.label = f"seed {seed}, program {index}"
    return made


class Builder:
    """Builds one program. The statements themselves are made in statements.py."""

    def __init__(self, rng: random.Random, options: Options, goals):
        self.rng = rng
        self.options = options
        self.session = Session(numpy)
        self.statements: list[Statement] = []
        self.next_name = 0
        self.goals = goals
        self.family = "large" if goals.large else rng.choices(["small", "empty"], [80, 20])[0]
        self.base = views.shape(rng, self.family)
        weights = [DTYPE_WEIGHTS.get(d, 1.0) for d in options.dtypes]
        self.palette = rng.choices(options.dtypes, weights, k=rng.choice([1, 1, 1, 2])) + [goals.dtype]

    # ------------------------------------------------------------------------------------------------ the program
    def build(self) -> Program:
        from . import statements

        for _ in range(self.rng.randint(2, 4)):
            self.new_input()
        length = self.rng.randint(12, 40)
        makers, weights = zip(*statements.WEIGHTS.items(), strict=False)
        todo = list(self.goals.cells)
        tries = 0
        while len(self.statements) < length and tries < 8 * length:
            tries += 1
            if len(self.arrays()) < 2:
                self.new_input()
                continue
            if todo and self.rng.random() * (length - len(self.statements)) < len(todo):
                self.reach(todo.pop())
                continue
            self.attempt(self.rng.choices(makers, weights)[0])
        for cell in todo:
            self.reach(cell)
        return Program(self.statements)

    def reach(self, cell: tuple[str, str, str]) -> None:
        """A statement that exercises the cell of the coverage table, if one is found."""
        from . import goals

        first = len(self.statements)
        for _ in range(6):
            if self.attempt(goals.reach, cell) and goals.reached(self, cell, first):
                return

    def attempt(self, maker, *args) -> bool:
        """Whether a statement worked out; one that did not leaves nothing."""
        before, next_name = len(self.statements), self.next_name
        try:
            maker(self, *args)
        except Retry:
            del self.statements[before:]  # what ran for them has left only names that nobody mentions
            for k in range(next_name, self.next_name):
                self.session.names.pop(f"a{k}", None)
            self.next_name = next_name
            return False
        return True

    def new_input(self, shape=None, dtype=None) -> str:
        """A statement that makes an input array."""
        rng = self.rng
        dtype = dtype or rng.choice(self.palette)
        if shape is None:
            shape = self.base if not self.statements else views.related(rng, self.base)
        name = self.fresh()
        kinds = ["whole", "unit", "positive", "wild"]
        kind = rng.choices(kinds, [40, 35, 15, 10])[0]
        kind = kind if numpy.dtype(dtype).kind in "fciu" else "whole"
        self.run(f"{name} = make({dtype!r}, {tuple(shape)}, {rng.randint(0, 999)}, {kind!r})")
        return name

    # ------------------------------------------------------------------------------------------------ statements
    def run(self, text: str, rule=None, uses=(), may_fail: float = 0.12) -> None:
        """Execute a statement and keep it; when it raises, keep it only now and then."""
        if self.options.pure_exact and rule is not None:
            raise Retry
        try:
            self.session.execute(text)
        except Exception:
            if self.rng.random() > may_fail and not text.startswith("for"):  # a loop may have done some of its work
                raise Retry from None
            rule = None
        self.statements.append(Statement(text, rule, list(uses)))
        target = text.split(" ", 1)[0]
        if target in self.session.names and "make(" not in text:
            self.tame(target)

    def tame(self, name: str) -> None:
        """Delete a variable most of whose values are no longer finite or very large: it can't show differences."""
        value = self.session.names[name]
        if not isinstance(value, numpy.ndarray) or value.dtype.kind not in "fc" or value.size == 0:
            return
        size = numpy.abs(value)
        limit = 1e4 if value.dtype == numpy.float16 else 1e25
        if (numpy.isfinite(size) & (size < limit)).mean() < 0.6 and len(self.arrays()) > 2 and self.rng.random() < 0.8:
            self.run(f"del {name}")

    def fresh(self) -> str:
        name = f"a{self.next_name}"
        self.next_name += 1
        return name

    def target_name(self) -> str:
        """A new name, or now and then an old one that is bound again."""
        if self.rng.random() < 0.2 and len(self.arrays()) > 3:
            return self.rng.choice(self.arrays())
        return self.fresh()

    # ------------------------------------------------------------------------------------------------ operands
    def arrays(self, kinds: str = "biufc") -> list[str]:
        """Names of arrays (and, rarely useful but allowed, of NumPy scalars) with these kinds of dtype."""
        found = self.session.variables().items()
        return [n for n, v in found if isinstance(v, numpy.ndarray) and v.dtype.kind in kinds]

    def value(self, text: str):
        try:
            return self.session.evaluate(text)
        except Exception:
            raise Retry from None

    def operand(self, kinds: str = "biufc", plain: float = 0.2, spread: bool = False) -> Operand:
        """A variable or an inline view of one; with `spread` all dtypes at hand are equally likely."""
        rng = self.rng
        names = self.arrays(kinds)
        if not names:
            if rng.random() < 0.5 or not any(numpy.dtype(d).kind in kinds for d in self.options.dtypes):
                raise Retry
            name = self.new_input(dtype=rng.choice([d for d in self.options.dtypes if numpy.dtype(d).kind in kinds]))
        else:
            name = rng.choice(self.of_one_dtype(names, spread))
        return self.operand_of(name, plain)

    def operand_of(self, name: str, plain: float = 0.2) -> Operand:
        """The variable `name` or an inline view of it."""
        rng = self.rng
        value = self.session.names[name]
        what = rng.random()
        if what < plain:
            return Operand(name, value, name)
        if what < plain + 0.09 and value.size:
            text = name + views.element_index(rng, value, keep_array=True)
        elif what < plain + 0.27 and value.size < 5000:
            text = views.broadcast_text(rng, name, value)
        elif what < plain + 0.38:
            text = name + views.view_text(rng, value)
        elif value.ndim > 1 and rng.random() < 0.55:
            text = f"{name}.T" + views.index_text(rng, value.T)
        else:
            text = name + views.index_text(rng, value)
        return Operand(text, self.value(text), name)

    def of_one_dtype(self, names: list[str], spread: bool = False) -> list[str]:
        """Those of one dtype, so that the many results of comparisons and functions don't crowd out the others."""
        dtypes = {str(self.session.names[n].dtype) for n in names}
        dtype = self.rng.choice(sorted(dtypes if spread else dtypes & set(self.palette) or dtypes))
        if self.rng.random() < 0.15:
            return names
        return [n for n in names if self.session.names[n].dtype == dtype]

    def partner(self, x: Operand, kinds: str, scalars: float = 0.2) -> Operand:
        """A second operand for `x`: best another view of the same array, else one that broadcasts, or a number."""
        rng = self.rng
        if rng.random() < scalars:
            return self.scalar(x.kind if x.kind in kinds else kinds[0])
        names = self.arrays(kinds)
        rng.shuffle(names)
        if x.name in names and rng.random() < 0.5:
            names.insert(0, x.name)
        shape = x.shape
        if rng.random() < 0.15:
            shape = tuple(1 if rng.random() < 0.5 else d for d in shape)[rng.randint(0, len(shape)) :]
        for name in names[:6]:
            text = views.fit(rng, name, self.session.names[name], shape)
            if text is not None:
                return Operand(text, self.value(text), name)
        return self.scalar(x.kind if x.kind in kinds else kinds[0])

    def scalar(self, kind: str) -> Operand:
        """A Python number of the kind or below, now and then a NumPy scalar."""
        rng = self.rng
        if kind == "b":
            text = rng.choice(["True", "False"])
        elif kind in "iu":
            text = f"S({rng.randint(0 if kind == 'u' else -3, 5)})"
        elif kind == "f":
            text = rng.choice(["S(0.5)", "S(-1.25)", "S(2)", "S(3.0)", "S(-1)", "S(0.1)"])
        else:
            text = rng.choice(["S(0.5)", "(1+2j)", "S(2)", "(-0.5j)"])
        if rng.random() < 0.12:
            allowed = [d for d in self.options.dtypes if numpy.dtype(d).kind == kind]
            if allowed:
                text = f"np.{rng.choice(allowed)}({text})" if kind != "b" else f"np.bool_({text})"
        return Operand(text, self.value(text))

    def mask(self, shape: tuple[int, ...]) -> Operand:
        """A boolean operand that broadcasts to `shape`: a boolean array, or a comparison."""
        rng = self.rng
        names = self.arrays()
        rng.shuffle(names)
        names.sort(key=lambda n: self.session.names[n].dtype.kind != "b")
        for name in names[:5]:
            text = views.fit(rng, name, self.session.names[name], shape)
            if text is None:
                continue
            if self.session.names[name].dtype.kind != "b":
                text = f"({text} {rng.choice(['>', '<', '>=', '!='])} S({rng.randint(0, 2)}))"
            return Operand(text, self.value(text), name)
        return Operand("True", True)

    def target(self, kinds: str = "biufc", plain: float = 0.3) -> Operand:
        """Something that can be written in place: a name, or a subscript of a view."""
        rng = self.rng
        names = self.arrays(kinds)
        if not names:
            raise Retry
        name = rng.choice(self.of_one_dtype(names))
        value = self.session.names[name]
        if not value.flags.writeable and rng.random() < 0.9:
            raise Retry
        if rng.random() < plain:
            return Operand(name, value, name)
        text = name
        if rng.random() < 0.15 and value.ndim > 1:
            text, value = f"{name}.T", value.T
        text += views.index_text(rng, value)
        found = self.value(text)
        if not isinstance(found, numpy.ndarray):
            found = numpy.asarray(found)
        return Operand(text, found, name)

    def room(self, shape: tuple[int, ...], dtype, exact_dtype: bool = True, near: str = "") -> Operand:
        """A writable place of this shape for out=: a view of an existing array (best `near`), or of one made for it."""
        rng = self.rng
        names = [n for n in self.arrays() if self.session.names[n].flags.writeable]
        rng.shuffle(names)
        if near in names and rng.random() < 0.8:
            names.insert(0, near)
        for name in names:
            value = self.session.names[name]
            fits = value.dtype == dtype or (not exact_dtype and numpy.can_cast(dtype, value.dtype, "same_kind"))
            text = views.fit(rng, name, value, shape, exact=True) if fits else None
            if text and "None" not in text:
                return Operand(text, self.value(text), name)
        big = tuple(d + rng.randint(0, 2) if d < 500 else d for d in shape)
        name = self.new_input(big, str(numpy.dtype(dtype)))
        text = views.fit(rng, name, self.session.names[name], shape, exact=True)
        return Operand(text, self.value(text), name)

    # ------------------------------------------------------------------------------------------------ helpers
    def pick(self, kind: str | None = None, exact: bool = False, arity: int | None = None) -> Operation:
        """An operation that takes operands of this kind; with `exact` one whose result is prescribed for it."""
        found, weights = choices(self.options.further, kind, exact, arity)
        return self.rng.choices(found, cum_weights=weights)[0]


@functools.lru_cache(maxsize=256)
def choices(further: bool, kind: str | None, exact: bool, arity: int | None) -> tuple[list[Operation], list[float]]:
    """The operations that `pick` chooses from, and their weights, added up."""
    found, weights = [], []
    for o in operations.ENGINE + (operations.FURTHER if further else []):
        if (kind is None or kind in o.kinds) and not (exact and kind in o.inexact) and arity in (None, o.arity):
            found.append(o)
            weight = 2.5 if kind in o.inexact else 2.0 - 0.5 * o.arity  # the former don't occur in expressions
            weight *= 3 if o.name == "power" else 1  # nor does this one
            weights.append(weight if o in operations.ENGINE else 0.2 * weight)
    return found, list(itertools.accumulate(weights))


def use(name: str, operands: list[Operand], extra=()) -> tuple[str, str, tuple[str, ...]]:
    """What a statement exercises: the operation, the dtype of its first operand, the features of all."""
    found = set(extra)
    arrays = [o for o in operands if o is not None]
    for o in arrays:
        found |= views.features(o.value)
    shapes = {o.shape for o in arrays if o.shape != ()}
    if len(shapes) > 1:
        found |= {"broadcast", "zero-stride"} if "empty" not in found else {"broadcast"}
    if not found:
        found.add("plain")
    return name, str(numpy.asarray(arrays[0].value).dtype), tuple(sorted(found))
