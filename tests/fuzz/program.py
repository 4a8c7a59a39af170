"""A program as data: statements in source text over the variables a0, a1, ..., the same text for every module.

Names that a statement can use:

    np       the module the program runs under
    special  scipy.special
    make     make(dtype, shape, seed, kind): an array filled with reproducible values
    S        S(x): the Python number x (another one of its type in a varied run)
    read     read(x): looks at x now; what it saw is compared
    pin      pin(x): keeps x exported to NumPy until the end, so that its memory can't be moved or renamed
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy

from . import values


@dataclass
class Rule:
    """How the result of an inexact statement is judged.

    Attributes
    ----------
    name : str
        Key into `bounds.RULES`.
    target : str or None
        Expression that holds the result; None when the statement is a read.
    function : str
        The operation, where the rule needs to know it.
    operands : list of str
        Expressions evaluated before the statement runs.
    options : dict
        Further arguments, for example ``axis`` of a reduction.
    """

    name: str
    target: str | None
    function: str
    operands: list[str]
    options: dict = field(default_factory=dict)


@dataclass
class Statement:
    """One statement: its text, the rule for an inexact result, and what it exercises (operation, dtype, features)."""

    text: str
    rule: Rule | None = None
    uses: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)


@dataclass
class Program:
    """Statements in order. `label` says where the program came from."""

    statements: list[Statement]
    label: str = ""

    def to_json(self) -> str:
        items = []
        for s in self.statements:
            item = {"text": s.text}
            if s.rule:
                item["rule"] = vars(s.rule)
            items.append(item)
        return json.dumps({"label": self.label, "statements": items})

    @staticmethod
    def from_json(text: str) -> Program:
        data = json.loads(text)
        statements = [Statement(s["text"], Rule(**s["rule"]) if "rule" in s else None) for s in data["statements"]]
        return Program(statements, data["label"])

    def with_statements(self, statements: list[Statement]) -> Program:
        return Program(list(statements), self.label)


def to_host(module, x):
    """`x`, of any module, as what NumPy would have: arrays become numpy.ndarray, everything else stays."""
    export = getattr(module, "_fuzz_export", None)
    if export is not None:
        return export(x)
    if isinstance(x, (numpy.ndarray, module.ndarray)):
        return numpy.asarray(x)
    return type(x)(to_host(module, y) for y in x) if type(x) in (list, tuple) else x


class Session:
    """One run of a program's statements under one module.

    Parameters
    ----------
    module : module
        NumPy, or what stands in its place.
    salt : int
        0 runs the text as it stands. Another number varies what a cached plan must take as an argument: input
        values, the place of each input inside its storage, and scalars.
    """

    def __init__(self, module, salt: int = 0):
        self.module = module
        self.salt = salt
        self.reads: list = []
        self.pins: list = []
        self.names = {"np": module, "make": self._make, "S": self._scalar, "read": self._read, "pin": self._pin}
        self.names["special"] = values.Special()

    def _make(self, dtype, shape, seed, kind="whole"):
        host = values.fill(dtype, shape, seed + 7919 * self.salt, kind)
        if self.salt == 0:
            return self.module.array(host)
        offset = self.salt * 3 + seed % 2
        store = numpy.concatenate([host.ravel()[:1]] * offset + [host.ravel()]) if host.size else host.ravel()
        whole = self.module.array(store)
        return (whole[offset:] if host.size else whole).reshape(shape)

    def _scalar(self, x):
        if isinstance(x, bool) or self.salt == 0:
            return x
        return x + self.salt if isinstance(x, int) else x + 0.5 * self.salt

    def _read(self, x):
        seen = to_host(self.module, x)
        self.reads.append(seen.copy() if isinstance(seen, numpy.ndarray) else seen)

    def _pin(self, x):
        self.pins.append(to_host(self.module, x))

    def execute(self, text: str):
        exec(compiled(text, "exec"), self.names)

    def evaluate(self, text: str):
        return eval(compiled(text, "eval"), self.names)

    def variables(self) -> dict:
        return {k: v for k, v in self.names.items() if k[0] == "a" and k[1:].isdigit()}


_CODE: dict = {}


def compiled(text: str, mode: str):
    """Compiled code of `text`, remembered because several sessions run the same statement."""
    code = _CODE.get((text, mode))
    if code is None:
        if len(_CODE) > 4096:
            _CODE.clear()
        code = _CODE[(text, mode)] = compile(text, text.splitlines()[0][:100], mode)
    return code


PREAMBLE = """\
import numpy
import {module} as np
from scipy import special
from tests.fuzz.values import fill

numpy.seterr(all="ignore")
pins = []


def make(dtype, shape, seed, kind="whole"):
    return np.array(fill(dtype, shape, seed, kind))


def S(x):
    return x


def read(x):
    print("read", repr(numpy.asarray(x)))


def pin(x):
    pins.append(numpy.asarray(x))


"""


def to_source(program: Program, module: str) -> str:
    """The program as a script that runs from the repository's root and prints every variable at its end."""
    session = Session(numpy)
    lines = []
    with numpy.errstate(all="ignore"):
        for s in program.statements:
            try:
                session.execute(s.text)
                lines.append(s.text)
            except Exception as error:
                body = "\n".join("    " + line for line in s.text.splitlines())
                lines.append(f"try:\n{body}\n    print('no error')\nexcept {public_class(error)}:\n    pass")
    preamble = PREAMBLE.format(module=module)
    body = "\n".join(lines)
    for name, marker in (("special", "special."), ("fill", "make("), ("S", "S("), ("pin", "pin("), ("read", "read(")):
        if marker not in body:
            preamble = _without(preamble, name)
    if "make(" not in body:
        preamble = _without(preamble, "make")
    names = sorted(session.variables(), key=lambda n: int(n[1:]))
    tail = "\n".join(f'print("{n}", repr(numpy.asarray({n})))' for n in names)
    return f"{preamble.rstrip()}\n\n{body}\n{tail}\n"


def _without(preamble: str, name: str) -> str:
    """The preamble without the import or the function called `name`."""
    kept, skipping = [], False
    for line in preamble.splitlines():
        if line.startswith(f"def {name}("):
            skipping = True
            continue
        if skipping and line and not line.startswith(" "):
            skipping = False
        if skipping or line.endswith(f" import {name}") or (name == "pin" and line == "pins = []"):
            continue
        kept.append(line)
    return "\n".join(kept) + "\n"


def public_class(error: BaseException) -> str:
    """The nearest ancestor that a user can name: a builtin, or one of NumPy's public errors."""
    for cls in type(error).__mro__:
        if cls.__module__ == "builtins" or cls.__name__ in ("AxisError", "LinAlgError"):
            return cls.__name__
    return type(error).__name__
