"""Runs a program under NumPy and under the module, and compares.

NumPy runs first and remembers the bits of every inexact result. The module then runs the whole program as it stands,
lazily; right after an inexact statement the result is put aside, to be judged, and overwritten in place with NumPy's
bits. So everything after it is exact again, the program is never cut, and one wrong bit anywhere shows.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy

from . import bounds
from .program import Program, Session, public_class, to_host


@dataclass
class Step:
    """What NumPy did at one statement: the exception's class, or the inexact result and its judge."""

    error: str | None = None
    saved: object = None
    judge: object = None
    mask: object = True

    def judged(self, got) -> str | None:
        """None for NumPy's own bits and what the rule allows; what a where= left alone must be NumPy's."""
        if kind_of(got) != kind_of(self.saved):
            return f"got {kind_of(got)} {short(got)}, want {kind_of(self.saved)} {short(self.saved)}"
        problem = _form(got, self.saved)
        if problem:
            return problem
        got = numpy.asarray(got)
        agree, reference_ = self.judge(got)
        agree = agree & self.mask | bounds.same_bits(got, numpy.asarray(self.saved))
        return bounds.first_difference(got, reference_, agree)


@dataclass
class Trace:
    """What NumPy did in the whole program."""

    steps: list[Step]
    reads: list
    variables: dict
    pins: list


@dataclass
class Outcome:
    """The result of one program: None or the first difference, and the statement it belongs to."""

    difference: str | None
    statement: int | None = None
    types: dict = field(default_factory=dict)


def short(x) -> str:
    """The beginning of a value's text."""
    text = " ".join(repr(x).split())
    return text if len(text) < 160 else text[:160] + "..."


def kind_of(x) -> str:
    """Array, NumPy scalar, or the name of a Python type."""
    if isinstance(x, numpy.ndarray):
        return "array"
    if isinstance(x, numpy.generic):
        return "scalar"
    return type(x).__name__


def difference(got, want) -> str | None:
    """None when two host values have the same kind, dtype, shape and bits."""
    if kind_of(got) != kind_of(want):
        return f"got {kind_of(got)} {short(got)}, want {kind_of(want)} {short(want)}"
    if isinstance(want, (list, tuple)) and any(isinstance(x, (list, tuple, numpy.ndarray)) for x in want):
        if len(got) != len(want):
            return f"got {len(got)} items, want {len(want)}"
        return next((f"item {k}: {d}" for k, d in enumerate(map(difference, got, want)) if d), None)
    if isinstance(want, (list, float, complex)) and not isinstance(want, numpy.generic):
        got, want = numpy.asarray(got), numpy.asarray(want)
    if not isinstance(want, (numpy.ndarray, numpy.generic)):
        return None if got == want else f"got {short(got)}, want {short(want)}"
    return _form(got, want) or _values(numpy.asarray(got), numpy.asarray(want))


def _form(got, want) -> str | None:
    if got.dtype != want.dtype:
        return f"dtype: got {got.dtype}, want {want.dtype}"
    if got.shape != want.shape:
        return f"shape: got {got.shape}, want {want.shape}"
    return None


def _values(got, want) -> str | None:
    if want.dtype.kind in "fc":
        return bounds.first_difference(got, want, bounds.same_bits(got, want))
    return bounds.first_difference(got, want, got == want)


def reference(program: Program, salt: int = 0, pure_exact: bool = False) -> Trace:
    """Run the program under NumPy.

    Raises
    ------
    AssertionError
        If `pure_exact` is asked for and a result was not exact.
    """
    session = Session(numpy, salt)
    steps = []
    for s in program.statements:
        step = Step()
        try:
            operands = [_copy(session.evaluate(text)) for text in s.rule.operands] if s.rule else None
            mask = _copy(session.evaluate(s.rule.options["mask"])) if s.rule and "mask" in s.rule.options else True
        except Exception:  # the statement will say what is wrong
            operands = None
        reads = len(session.reads)
        try:
            session.execute(s.text)
        except Exception as error:
            step.error = public_class(error)
        else:
            if operands is not None:
                result = session.evaluate(s.rule.target) if s.rule.target else session.reads[reads]
                step.saved, step.mask = _copy(result), mask
                if isinstance(result, (list, tuple, str)):
                    steps.append(step)
                    continue
                saved = numpy.asarray(step.saved)
                if saved.dtype.kind in "fc":  # with other scalars it may be integers, which are exact
                    step.judge = bounds.RULES[s.rule.name](s.rule, operands, saved)
                assert not (pure_exact and step.judge), f"not exact: {s.text}"
        steps.append(step)
    variables = {k: _copy(v) for k, v in session.variables().items()}
    return Trace(steps, session.reads, variables, [_copy(p) for p in session.pins])


def _copy(x):
    return x.copy() if isinstance(x, numpy.ndarray) else x


class Subject:
    """The module's run of a program against NumPy's trace.

    Parameters
    ----------
    module : module
    trace : Trace
    salt : int
    lazy : bool
        Judge inexact results at the end (a lazy copy is put aside) instead of at once.
    shared_pins : bool
        Whether exported memory follows later writes (not where arrays are sharded).
    """

    def __init__(self, module, trace: Trace, salt: int = 0, lazy: bool = True, shared_pins: bool = True):
        self.module, self.trace, self.lazy, self.shared_pins = module, trace, lazy, shared_pins
        self.session = Session(module, salt)
        self.pending: list = []
        self.read_judges: dict = {}

    def run(self, program: Program) -> Outcome:
        for i, (s, step) in enumerate(zip(program.statements, self.trace.steps, strict=False)):
            problem = self._statement(i, s, step)
            if problem:
                return Outcome(problem, i)
        for i, step, aside in self.pending:
            problem = self._judged(step, aside)
            if problem:
                return Outcome(problem, i)
        problem = self._reads() or self._variables() or self._pins()
        return Outcome(problem)

    def _statement(self, i, s, step) -> str | None:
        reads = len(self.session.reads)
        try:
            self.session.execute(s.text)
        except Exception as error:
            if step.error == public_class(error):
                return None
            return f"raised {public_class(error)}: {str(error)[:300]}; NumPy: {step.error or 'no error'}"
        if step.error:
            return f"no error; NumPy raised {step.error}"
        if step.judge is None:
            return None
        if s.rule.target is None:
            self.read_judges[reads] = step
            return None
        return self._go_on_from_numpy(i, s, step)

    def _go_on_from_numpy(self, i, s, step) -> str | None:
        target = self.session.evaluate(s.rule.target)
        problem = None
        is_array = isinstance(target, (numpy.ndarray, self.module.ndarray))
        if self.lazy:
            self.pending.append((i, step, target.copy() if is_array else target))
        else:
            problem = self._judged(step, target)
        if is_array:
            target[...] = step.saved
        else:
            self.session.names["saved"] = step.saved
            self.session.execute(f"{s.rule.target} = saved")
        return problem

    def _judged(self, step, x) -> str | None:
        problem = step.judged(to_host(self.module, x))
        return problem and f"inexact result: {problem}"

    def _reads(self) -> str | None:
        if len(self.session.reads) != len(self.trace.reads):
            return f"{len(self.session.reads)} reads, want {len(self.trace.reads)}"
        for k, (got, want) in enumerate(zip(self.session.reads, self.trace.reads, strict=False)):
            step = self.read_judges.get(k)
            problem = difference(got, want) if step is None else step.judged(_copy(got))
            if problem:
                return f"read {k}: {problem}"
        return None

    def _variables(self) -> str | None:
        got = self.session.variables()
        want = self.trace.variables
        if got.keys() != want.keys():
            return f"variables {sorted(got)}, want {sorted(want)}"
        own = getattr(self.module, "ndarray", numpy.ndarray)
        for name in sorted(want, key=lambda n: int(n[1:])):
            if kind_of(want[name]) == "array" and not issubclass(type(got[name]), own):
                return f"{name}: of type {type(got[name]).__name__}, not {self.module.__name__}.ndarray"
            problem = difference(to_host(self.module, got[name]), want[name])
            if problem:
                return f"{name}: {problem}"
        return None

    def _pins(self) -> str | None:
        if not self.shared_pins:
            return None
        for k, (got, want) in enumerate(zip(self.session.pins, self.trace.pins, strict=False)):
            problem = difference(got, want)
            if problem:
                return f"pin {k}: {problem}"
        return None


def compare(
    program: Program, module, salts=(0,), lazy: bool = True, shared_pins: bool = True, pure_exact=False
) -> Outcome:
    """Run the program once for each salt and return the first difference."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        errors = None
        for salt in salts:
            trace = reference(program, salt, pure_exact and salt == 0)
            # Where other values raise elsewhere, variables are of other kinds from there on, and the rules of the
            # statements, made for the first run, do not fit: it is another program, which is left out.
            errors = errors or [step.error for step in trace.steps]
            if [step.error for step in trace.steps] != errors:
                continue
            subject = Subject(module, trace, salt, lazy, shared_pins)
            outcome = subject.run(program)
            if outcome.difference:
                if salt:
                    outcome.difference += f" (run with salt {salt})"
                return outcome
    return Outcome(None)
