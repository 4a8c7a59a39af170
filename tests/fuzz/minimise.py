"""Makes a failing program small: statements, expressions, shapes, as long as it still fails in the same way."""

from __future__ import annotations

import ast
import re
import time
import warnings
from dataclasses import replace

import numpy

from .configurations import Configuration
from .program import Program, Session, Statement
from .runner import Failure, Settings, run_programs


def signature(failure: Failure) -> str:
    """The coarse kind of a failure; a smaller program has to fail in the same way."""
    text = failure.difference
    for kind in ("hang", "the process ended", "raised", "no error", "the comparison raised", "inexact"):
        if text.startswith(kind):
            return kind
    return "value"


class Minimiser:
    """Shrinks one program.

    Parameters
    ----------
    settings, configuration
        How the failure was found.
    failure : Failure
    seconds : float
        After this time the smallest program so far has to do.
    """

    def __init__(self, settings: Settings, configuration: Configuration, failure: Failure, seconds: float = 90.0):
        lazy = "1" if failure.index % 2 == 0 else "0"
        self.settings = replace(settings, lazy=lazy if settings.lazy == "mixed" else settings.lazy)
        self.settings.limit = min(settings.limit, 15.0)
        self.settings.pure_exact = False
        self.configuration = configuration
        self.kind = signature(failure)
        self.deadline = time.monotonic() + seconds
        self.last: Failure | None = None

    def failing(self, candidates: list[Program]) -> Program | None:
        """The first of the candidates that fails in the same way."""
        rest = list(candidates)
        while rest and time.monotonic() < self.deadline:
            found = run_programs(self.settings, self.configuration, rest)
            if found is None:
                return None
            if signature(found) == self.kind:
                self.last = found
                return rest[found.index]
            rest = rest[found.index + 1 :]
        return None

    def reproduces(self, program: Program) -> bool:
        """Whether the program fails on its own, in a process without history."""
        return self.failing([program]) is not None

    def shrink(self, program: Program) -> Program:
        """The smallest failing program found; `program` itself must fail."""
        while time.monotonic() < self.deadline:
            before = program.to_json()
            program = self._statements(program)
            for candidates in (frozen, simpler_expressions, smaller_shapes):
                program = self._greedy(program, candidates)
            if program.to_json() == before:
                break
        return program

    def _statements(self, program: Program) -> Program:
        """Leave out runs of statements, halving their length."""
        size = max(len(program.statements) // 2, 1)
        while True:
            candidates = []
            for at in reversed(range(0, len(program.statements), size)):
                kept = program.statements[:at] + program.statements[at + size :]
                if kept:
                    candidates.append(program.with_statements(kept))
            found = self.failing(candidates)
            if found is not None:
                program = found
                size = min(size, max(len(program.statements), 1))
            elif size == 1:
                return program
            else:
                size = max(size // 2, 1)

    def _greedy(self, program: Program, candidates_of) -> Program:
        while True:
            found = self.failing(candidates_of(program))
            if found is None:
                return program
            program = found


def _changed(program: Program, k: int, text: str) -> Program:
    statements = list(program.statements)
    statements[k] = Statement(text, program.statements[k].rule)
    return program.with_statements(statements)


def frozen(program: Program) -> list[Program]:
    """An assignment to a name replaced by fresh values of the same dtype and shape."""
    session = Session(numpy)
    found = []
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for k, s in enumerate(program.statements):
            try:
                session.execute(s.text)
            except Exception:
                continue
            name = re.match(r"(a\d+) = (?!make)", s.text)
            value = session.names.get(name.group(1)) if name else None
            if isinstance(value, numpy.ndarray):
                text = f"{name.group(1)} = make({str(value.dtype)!r}, {value.shape}, {k}, 'whole')"
                statements = list(program.statements)
                statements[k] = Statement(text)
                found.append(program.with_statements(statements))
    return found


def smaller_shapes(program: Program) -> list[Program]:
    """One extent of one input made smaller."""
    found = []
    for k, s in enumerate(program.statements):
        match = re.search(r"make\('\w+', (\([\d, ]*\))", s.text)
        if not match:
            continue
        shape = ast.literal_eval(match.group(1))
        for axis, n in enumerate(shape):
            for m in sorted({1, 2, 3, n // 2, n - 1}):
                if 0 < m < n:
                    smaller = (*shape[:axis], m, *shape[axis + 1 :])
                    found.append(_changed(program, k, s.text.replace(match.group(1), str(smaller), 1)))
        if len(shape) > 1:
            found.append(_changed(program, k, s.text.replace(match.group(1), str(shape[1:]), 1)))
    return found


def simpler_expressions(program: Program) -> list[Program]:
    """One expression of one statement replaced by a part of it; rules name their operands, so theirs stay."""
    found = []
    for k, s in enumerate(program.statements):
        if s.rule is None and "make(" not in s.text:
            found += [_changed(program, k, text) for text in simpler_texts(s.text)]
    return found


def simpler_texts(text: str) -> list[str]:
    """All texts with one node replaced by one of its parts."""
    found = []
    count = sum(1 for _ in ast.walk(ast.parse(text)))
    for at in range(count):
        for part in range(6):
            tree = ast.parse(text)
            if _simplify(tree, list(ast.walk(tree))[at], part):
                new = ast.unparse(ast.fix_missing_locations(tree))
                if len(new) < len(text) and new not in found:
                    found.append(new)
    return found


def _parts(node) -> list:
    """What can stand for an expression."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.Call):
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) and node.args == [] else []
        method = isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Name)
        return owner + list(node.args) + ([node.func.value] if method else [])
    if isinstance(node, (ast.Subscript, ast.Attribute)):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return []


def _simplify(tree, node, part: int) -> bool:
    """Replace `node` inside `tree` by its part number `part`; keywords of calls and loops can go too."""
    if isinstance(node, ast.For) and part == 0:
        at = tree.body.index(node)
        tree.body[at : at + 1] = node.body
        return True
    parts = _parts(node)
    if part >= len(parts):
        extra = part - len(parts)
        if isinstance(node, ast.Call) and extra < len(node.keywords):
            del node.keywords[extra]
            return True
        return False
    return _replace(tree, node, parts[part])


def _replace(tree, old, new) -> bool:
    if isinstance(getattr(old, "ctx", None), ast.Store):
        return False
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, name, new)
                return True
            if isinstance(value, list) and any(v is old for v in value):
                value[[v is old for v in value].index(True)] = new
                return True
    return False


def shortest_history(
    settings: Settings, configuration: Configuration, failure: Failure, programs: list[Program], seconds: float = 60.0
) -> list[Program]:
    """For a failure that needs what ran before it in its process: as few programs before it as were found to do."""
    deadline = time.monotonic() + seconds

    def fails(sequence):
        found = run_programs(settings, configuration, sequence)
        return found is not None and found.index == len(sequence) - 1

    kept = programs
    size = max(len(kept) // 2, 1)
    while size and time.monotonic() < deadline:
        for at in range(0, len(kept) - 1, size):
            shorter = kept[:at] + kept[min(at + size, len(kept) - 1) :]
            if len(shorter) < len(kept) and fails(shorter):
                kept = shorter
                break
        else:
            size = size // 2 if size > 1 else 0
    return kept
