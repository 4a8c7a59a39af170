"""Generated differential tests of single operations: one call under NumPy and under the module, everything compared.

A case is a tiny program of the fuzzer: a few inputs of random dtype, rank 0 to 5 and size (also none at all), then one
call on random views of them (any step, negative and zero strides), with out=, where=, axis=, keepdims=, scalars, and
targets that overlap the operands. Values, dtypes, shapes, error classes, what a failed call left behind and
warnings, with their text, must be NumPy's.

    python tests/python/differential.py --cases 20000 --seed 3 --module numloom
"""

from __future__ import annotations

import argparse
import importlib
import random
import re
import sys
import warnings
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from differential_calls import Calls

from tests.fuzz import bounds, goals, operations, oracle
from tests.fuzz.generate import Builder, Options, Retry
from tests.fuzz.program import Program, Rule, Session, Statement, public_class, to_host, to_source

INEXACT = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh "
    "arctan2 acos acosh asin asinh atan atanh atan2 hypot cbrt power float_power logaddexp logaddexp2 deg2rad rad2deg "
    "degrees radians"
).split()
# Results that no rule prescribes here: products of matrices are sums in BLAS's order.
SUMMED = "matmul vecdot matvec vecmat".split()
COMPARISONS = "equal not_equal less less_equal greater greater_equal".split()
LOOSE_ZERO = "minimum maximum fmin fmax".split()
UFUNCS = sorted(n for n in dir(numpy) if isinstance(getattr(numpy, n), numpy.ufunc))

# Functions and methods, by how the result is judged. {x}, {y}: operands; {m}: a mask; {axis}, {k}, {n}: integers.
EXACT = """
    {x}.argmin(axis={axis}) | {x}.argmax(axis={axis}) | np.argmax({x}, keepdims=True)
    np.count_nonzero({x}, axis={axis}) | np.sort({x}, axis={axis}) | np.argsort({x}, axis={axis}, kind='stable')
    np.partition({x}.ravel(), 0)[:1] | np.unique({x}) | np.flip({x}, {axis}) | np.fliplr({x}) | np.flipud({x})
    np.rot90({x}, {k}) | np.roll({x}, {k}, {axis}) | np.roll({x}, {k}) | np.squeeze({x})
    np.expand_dims({x}, {axis}) | np.moveaxis({x}, 0, {axis}) | np.swapaxes({x}, 0, {axis}) | {x}.T
    np.concatenate([{x}, {x}], axis={axis}) | np.stack([{x}, {x}], axis={axis}) | np.vstack([{x}, {x}])
    np.hstack([{x}, {x}]) | np.tile({x}, 2) | np.repeat({x}, 2, axis={axis}) | np.split({x}, 1)
    np.array_split({x}, 3) | np.pad({x}, 1) | np.take({x}, [0, -1], axis={axis}) | {x}[[0, -1, 0]] | {x}[..., [0]]
    {x}[{m}] | np.compress([True, False], {x}, axis={axis}) | np.extract({m}, {x}) | np.nonzero({x})
    np.argwhere({x}) | np.flatnonzero({x}) | np.where({m}, {x}, {y}) | np.where({x})
    np.choose({m}.astype(int), [{x}, {y}]) | np.select([{m}], [{x}], 7) | np.clip({x}, None, S(1))
    {x}.clip(S(-1), S(2)) | np.diagonal({x}) | np.diag({x}) | np.tril({x}) | np.triu({x}, {k}) | np.ravel({x})
    {x}.flatten() | {x}.reshape(-1) | np.atleast_2d({x}) | np.broadcast_to({x}, (2, *{x}.shape)) | np.copy({x})
    np.ascontiguousarray({x}) | np.asfortranarray({x}) | np.zeros_like({x}) | np.ones_like({x})
    np.full_like({x}, 3) | np.empty_like({x}).shape | np.shape({x}) | np.size({x}) | np.ndim({x})
    np.array_equal({x}, {y}) | np.array_equal({x}, {x}) | np.isclose({x}, {x}) | np.any({x}, axis={axis})
    np.all({x}, axis={axis}) | {x}.tolist() | {x}.item() | float({x}) | int({x}) | bool({x}) | complex({x})
    len({x}) | str({x}) | repr({x}) | list({x}.flat)[:5] | {x}.real | {x}.imag | np.conj({x}) | np.iscomplexobj({x})
    np.isreal({x}) | {x}.dtype | {x}.nbytes | {x}.itemsize | {x}.flags.c_contiguous
    {x}.flags.f_contiguous | {x}.flags.writeable | {x}.view('uint8') | {x}.view({x}.dtype) | {x}.byteswap()
    np.maximum.accumulate({x}, axis={axis}) | np.logical_and.reduce({x}, axis={axis}) | np.logical_or.reduce({x})
    np.bitwise_or.reduce({x}, axis={axis}) | np.equal.outer({x}, {y}) | np.append({x}, {y}) | np.insert({x}, 0, 1)
    np.delete({x}, 0) | np.trim_zeros({x}.ravel()) | np.searchsorted(np.sort({x}.ravel()), {x}) | np.isin({x}, {y})
    np.bincount(np.abs({x}.ravel()) % 1000) | np.digitize({x}, [0, 1, 2]) | np.round({x}) | np.fix({x})
    np.nan_to_num({x}) | np.signbit({x}) | np.isposinf({x}) | np.ediff1d({x}) | np.diff({x}, axis={axis})
    np.take_along_axis({x}, np.argsort({x}, axis=-1, kind='stable'), axis=-1) | np.lexsort(({x},))
    np.indices({x}.shape) | {x}.swapaxes(0, {axis}) | np.result_type({x}, {y}) | np.can_cast({x}.dtype, {y}.dtype)
    np.min_scalar_type({n}) | np.broadcast_shapes({x}.shape, {y}.shape)
    np.meshgrid({x}.ravel()[:3], {y}.ravel()[:2]) | np.add.reduceat({x}.astype('int64').ravel(), [0])
    np.ptp({x}.astype('int64')) | {x}[...] | {x}[()] | {x}[None] | {x}[{k}] | {x}[{k}:] | {x}[::-1] | {x}[..., {k}]
    {x}[{k}, ...] | {x}[:, {k}] | {x}[{x} == {x}] | {x}[True] | {x}[[]]
"""
REDUCED = [
    "{x}.%s(axis={axis})", "{x}.%s()", "np.%s({x}, axis={axes})", "np.%s({x}, axis={axis}, keepdims=True)",
    "np.%s({x}, axis={axis}, where={m})",
]  # fmt: skip
CLOSE = """
    np.median({x}, axis={axis}) | np.average({x}) | np.cumsum({x}, axis={axis}) | np.cumprod({x}.ravel()[:9])
    np.nansum({x}, axis={axis}) | np.nanmean({x}) | np.nanmax({x}, axis={axis}) | np.nanmin({x}) | np.nanstd({x})
    np.gradient({x}) | np.interp({x}, [0, 1, 2], [3, 1, 2]) | np.percentile({x}, 30) | np.trapezoid({x})
    np.dot({x}.ravel(), {x}.ravel()) | np.outer({x}, {y}) | np.trace({x}) | np.convolve({x}.ravel(), [1, 2, 1])
    np.linalg.norm({x}) | np.kron({x}, [1, 2]) | np.vdot({x}, {x}) | np.inner({x}, {x}) | np.cov({x})
    np.multiply.outer({x}, {y}) | np.linspace(0, {n}, 7) | np.arange(0, {n}, 0.3) | np.logspace(0, 1, 4)
    np.einsum('...i->...', {x}) | np.tensordot({x}, {x}, axes={n}) | np.add.accumulate({x}, axis={axis})
    np.multiply.reduce({x}, axis={axis}) | np.hypot.reduce({x}) | np.sinc({x}) | np.angle({x}) | np.unwrap({x})
"""
IN_PLACE = """
    {t}[...] = {y} | {t}[{k}] = 1 | {t}[{m2}] = 0 | {t}[::2] = {t}[::-2] | {t} += {y} | {t} *= 2 | {t} -= {t}[::-1]
    {t}[1:] += {t}[:-1] | {t}.fill(3) | {t}[[0, -1]] = 5 | np.copyto({t}, {y}) | np.copyto({t}, 1, where={m2})
    np.put({t}, [0], 9) | np.putmask({t}, {m2}, 4) | {t}.sort() | {t}[...] = {t}.T | np.add.at({t}, 0, 1)
    {t} //= 2 | {t} **= 2 | {t} <<= 1 | {t} &= 3 | {t} /= 2 | {t} |= {y} | {t}.shape = (-1,)
    {t}[..., 0] = {t}[..., -1] | {t} @= 2 | np.fill_diagonal({t}, 1) | {t}[None, ...] += 1 | {t}.flat[0] = 2
    {t}.real = 1 | {t}.T[...] = 3 | {t}[0:0] = 5 | np.place({t}, {m2}, [1, 2]) | {t}.partition(0); {t}[..., 1:].sort()
"""


def templates(text: str) -> list[str]:
    """The entries of a table above."""
    return [entry.strip() for line in text.strip().splitlines() for entry in line.split(" | ") if entry.strip()]


def close(rule, operands, result):
    """Functions that sum or divide in an order of their own: a multiple of the spacing at the largest value met."""
    if result.dtype.kind not in "fc":
        return None
    info = numpy.finfo(result.dtype)
    with numpy.errstate(all="ignore"):
        sizes = [numpy.abs(numpy.asarray(x, dtype=numpy.complex128)) for x in (*operands, result)]
        finite = [s[numpy.isfinite(s)].max(initial=0.0) for s in sizes]
        count = max([8, *(numpy.size(x) for x in operands)])
        bound = 8 * count * info.eps * max(finite) + info.smallest_subnormal
        odd = ~numpy.isfinite(result) | any((~numpy.isfinite(s)).any() for s in sizes[:-1])
        free = odd | (max(finite) > float(info.max) ** 0.4)
        wide = result.astype(bounds.WIDE[result.dtype.kind])

    def judge(got):
        with numpy.errstate(all="ignore"):
            return (numpy.abs(got.astype(wide.dtype) - wide) <= bound) | free, wide

    return judge


bounds.RULES["close"] = close


class Case(Calls, Builder):
    """Builds one case; `build_case` returns it as a program whose last statement is the call."""

    def __init__(self, seed: int, index: int, dtypes):
        rng = random.Random(f"differential/{seed}/{index}")
        super().__init__(rng, Options(dtypes=tuple(dtypes)), goals.Goals(rng.choice(dtypes), False, []))
        if self.rng.random() < 0.1:
            self.base = tuple(self.rng.randint(1, 3) for _ in range(5))
        self.label = f"seed {seed}, case {index}"

    def build_case(self) -> Program:
        """The case; building starts anew when its parts do not fit together."""
        for _ in range(100):
            try:
                self._inputs()
                self.rng.choices(*zip(*self.makers(), strict=True))[0]()
                return Program(self.statements, self.label)
            except Retry:
                self.session, self.statements, self.next_name = Session(numpy), [], 0
        raise AssertionError(f"no case for {self.label}")

    def makers(self):
        """What a case may be, and how often."""
        return [
            (self.ufunc, 35),
            (self.function, 20),
            (self.reduction, 12),
            (self.in_place, 13),
            (self.keywords, 6),
            (self.method, 6),
            (self.scatter, 4),
            (self.statistic, 8),
        ]

    def _inputs(self):
        for _ in range(self.rng.randint(1, 3)):
            self.new_input()

    def keep(self, text: str, rule=None) -> None:
        """The last statement, whatever it does."""
        self.statements.append(Statement(text, rule))

    def ufunc(self) -> None:
        name = self.rng.choice(UFUNCS)
        function = getattr(numpy, name)
        args = [self.operand()]
        while len(args) < function.nin:
            number = self.rng.random() < 0.1
            args.append(self.scalar(self.rng.choice("iufc")) if number else self.partner(args[0], "biufc"))
        if name in ("power", "float_power", "ldexp", "left_shift", "right_shift") and self.rng.random() < 0.5:
            args[1] = self.scalar("u")
        texts = [a.text for a in args]
        rule = _ufunc_rule(name, texts)
        if function.nout > 1 or self.rng.random() < 0.4 or name in SUMMED:
            self.keep(f"a50 = np.{name}({', '.join(texts)})", rule)
            return
        self._with_out(name, function, args, texts, rule)

    def _with_out(self, name, function, args, texts, rule) -> None:
        try:
            result = function(*[a.value for a in args])
        except Exception:
            raise Retry from None
        out = self.room(numpy.shape(result), numpy.asarray(result).dtype, True, args[0].name)
        if name in ("isnan", "isinf", "isfinite", "signbit") and not out.value.flags.c_contiguous:
            raise Retry  # NumPy (2.5 at least) reads other elements where the output has gaps
        extra = f", out={out.text}"
        if rule:
            rule.target = out.text
        if self.rng.random() < 0.4:
            if name in COMPARISONS and any(not hasattr(a.value, "dtype") for a in args):
                raise Retry  # NumPy (2.5 at least) crashes on numbers outside of the dtype
            mask = self.mask(numpy.shape(result))
            extra += f", where={mask.text}"
            if rule:
                rule.options["mask"] = mask.text
        self.keep(f"np.{name}({', '.join(texts)}{extra})", rule)

    def _fields(self, x) -> dict:
        rng = self.rng
        ndim = numpy.ndim(x.value)
        y = self.partner(x, "biufc")
        axes = tuple(rng.sample(range(ndim), rng.randint(0, ndim))) if ndim else None
        axis = self.rng.randrange(-ndim, ndim) if ndim else None
        return {
            "x": x.text,
            "y": y.text,
            "m": self.mask(x.shape).text,
            "axis": rng.choice([None, -1, 0, rng.randint(-ndim - 1, ndim)]) if rng.random() < 0.3 else axis,
            "axes": axes,
            "k": rng.randint(-3, 3),
            "n": rng.randint(0, 3),
        }

    def function(self) -> None:
        x = self.operand()
        if self.rng.random() < 0.25:
            text = self.rng.choice(templates(CLOSE)).format(**self._fields(x))
            self.keep(f"a50 = {text}", Rule("close", "a50", "", [x.text]))
            return
        text = self.rng.choice(templates(EXACT)).format(**self._fields(x))
        # Zeros of both signs are equal, and NumPy's vector sort takes them in any order.
        loose = any(word in text for word in ("np.sort(", "unique", "partition"))
        self.keep(f"a50 = {text}", Rule("zero_sign", "a50", "", [x.text]) if loose else None)

    def reduction(self) -> None:
        x = self.operand()
        red = self.rng.choice(operations.REDUCTIONS)
        fields = self._fields(x)
        template = self.rng.choice(REDUCED)
        options = {}
        operands = [x.text]
        if "{axis}" in template:
            options["axis"] = fields["axis"]
        if "{axes}" in template:
            options["axis"] = fields["axes"]
        if "{m}" in template:
            operands.append(fields["m"])
            if red.name in ("min", "max"):
                template = template[:-1] + ", initial=1)"
        if "keepdims" in template:
            options["keepdims"] = True
        rule = Rule(red.rule, "a50", red.name, operands, options) if red.rule else None
        self.keep("a50 = " + (template % red.name).format(**fields), rule)

    def in_place(self) -> None:
        target = self.target(plain=0.5)
        fields = self._fields(target)
        name = self.fresh()
        self.run(f"{name} = {target.text}")
        if not isinstance(self.session.names.get(name), numpy.ndarray):
            raise Retry
        text = self.rng.choice(templates(IN_PLACE)).format(t=name, m2=f"({name} > 1)", **fields)
        value = self.session.names[name]
        if value.dtype.kind in "biu" and ("{y}" in text or fields["y"] in text):  # no undefined casts
            other = numpy.asarray(self.value(fields["y"]))
            if other.dtype.kind in "fc":
                raise Retry
        if value.dtype.kind == "c" and ("**=" in text or "/=" in text):  # not prescribed to the last bit
            raise Retry
        other = self.value(fields["y"])
        if ("sort" in text or "partition" in text) and value.dtype.kind in "fc" and (value == 0).any():
            raise Retry  # zeros of both signs come in any order
        skewed = value.ndim == 1 and numpy.may_share_memory(other, value) and numpy.shape(other) != ()
        if skewed and other.strides[-1] != value.strides[0]:
            raise Retry  # NumPy (2.5 at least) copies between such overlapping lines as it goes
        self.keep(text)


def _ufunc_rule(name: str, texts: list[str]):
    if name in SUMMED:
        return Rule("close", "a50", name, texts)
    if name in LOOSE_ZERO:
        return Rule("zero_sign", "a50", name, texts)
    if name in ("power", "pow", "float_power"):
        return Rule("power", "a50", name, texts)
    if name in ("logaddexp", "logaddexp2"):
        return Rule("close", "a50", name, texts)
    if name in INEXACT:
        return Rule("function", "a50", name, texts)
    return Rule("arithmetic", "a50", name, texts)


def function_rule(rule, operands, result):
    """Elementwise functions of any dtype."""
    return bounds.ulp(rule, operands, result) if result.dtype.kind in "fc" else None


def arithmetic(rule, operands, result):
    """Prescribed exactly but for complex products, quotients and moduli."""
    kinds = {numpy.asarray(x).dtype.kind for x in operands}
    if "c" in kinds and rule.function in statements_inexact():
        return bounds.complex_(rule, operands, result)
    return None


def statements_inexact() -> set[str]:
    """Names of operations whose complex results are not prescribed."""
    found = {o.name for o in operations.ENGINE + operations.FURTHER if "c" in o.inexact}
    return found | {"abs", "true_divide", "divide", "reciprocal", "sign", "float_power"}


bounds.RULES["function"] = function_rule
bounds.RULES["arithmetic"] = arithmetic


def run_last(module, program: Program, with_warnings: bool):
    """Execute a case: (session, error class or None, sorted [(class, text)] of warnings)."""
    session = Session(module)
    for s in program.statements[:-1]:
        session.execute(s.text)
    error = None
    with (
        warnings.catch_warnings(record=True) as caught,
        numpy.errstate(
            all="warn" if with_warnings else "ignore",
            under="ignore",  # NumPy's own setting
        ),
    ):
        warnings.simplefilter("always")
        try:
            session.execute(program.statements[-1].text)
            to_host(module, session.names.get("a50"))
        except Exception as raised:
            error = public_class(raised)
        for value in session.variables().values():
            to_host(module, value)
    return session, error, sorted({(w.category.__name__, str(w.message)) for w in caught})


# Sums and products of many terms. One that leaves the finite numbers does so on the way or not, depending on the order
# of its terms, which is the tree's here and NumPy's vector lanes' or BLAS's there: then values are not compared, nor
# warnings, which tell of the way. accumulate and at have one order everywhere.
FOLDS = re.compile(
    r"sum\b|prod\b|mean|var\b|std|average|median|\.reduce\(|reduceat|trace|trapezoid|dot|einsum|inner|outer|kron|matmul"
    r"|matvec|vecmat|cov|corr|conv|poly|norm|cross|@"
)


# NumPy's loops of extrema clear the processor's flags, with them those of conversions around earlier elements.
CLEARED = re.compile(r"(maximum|minimum|fmax|fmin)\.at\(")
# NumPy's integer scalars report that they wrap; here the same step is one of arrays, which say nothing in NumPy either.
WRAPPED = re.compile(r"quantile|percentile|polyval")


def in_some_order(program: Program, *results) -> bool:
    """Whether the order of a case's terms may decide what it warns of."""
    text = program.statements[-1].text
    return bool(FOLDS.search(text)) and any(not_finite(x) for x in results) or CLEARED.search(text) is not None


def not_finite(result) -> bool:
    values = numpy.asarray(result)
    return values.dtype.kind in "fc" and not numpy.isfinite(values).all()


def compare_case(program: Program, module, with_warnings: bool = True) -> str | None:
    """None, or what differs between NumPy and the module."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        trace = oracle.reference(program)
        session, error, seen = run_last(module, program, with_warnings)
    step = trace.steps[-1]
    if error != step.error:
        return f"raised {error}, NumPy {step.error}"
    if with_warnings:
        _, _, expected = run_last(numpy, program, True)
        if WRAPPED.search(program.statements[-1].text):
            expected = [w for w in expected if w in seen or not w[1].startswith("overflow encountered in scalar ")]
        if seen != expected and not in_some_order(program, step.saved, to_host(module, session.names.get("a50"))):
            return f"warnings {seen}, NumPy {expected}"
    if step.judge is not None and not hasattr(step.saved, "dtype"):
        return oracle.difference(to_host(module, session.evaluate(step_target(program))), step.saved)
    if step.judge is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            problem = step.judged(to_host(module, session.evaluate(step_target(program))))
        if problem:
            return problem
    names = set(trace.variables) - ({"a50"} if step.judge is not None else set())
    if step.judge is not None and program.statements[-1].rule.target != "a50":
        names -= {step_target(program).split("[")[0].split(".")[0]}
    for name in sorted(names):
        problem = oracle.difference(to_host(module, session.names.get(name)), trace.variables[name])
        if problem:
            return f"{name}: {problem}"
    return None


def step_target(program: Program) -> str:
    return program.statements[-1].rule.target


def case(seed: int, index: int, dtypes=operations.ALL_DTYPES) -> Program:
    """Case number `index` of the series `seed`."""
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return Case(seed, index, dtypes).build_case()


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--module", default="numloom")
    parser.add_argument("--no-warnings", action="store_true", help="do not compare warnings")
    parser.add_argument("--dtypes", default=",".join(operations.ALL_DTYPES))
    parser.add_argument("--most", type=int, default=20, help="stop after so many differences (20)")
    parser.add_argument("--verbose", action="store_true", help="print each failing case as a script")
    args = parser.parse_args(arguments)
    module = importlib.import_module(args.module)
    if args.module == "numpy":
        bounds.allow_numpy()
    failed = 0
    k = args.first
    for k in range(args.first, args.first + args.cases):
        program = case(args.seed, k, args.dtypes.split(","))
        problem = compare_case(program, module, not args.no_warnings)
        if problem:
            failed += 1
            print(f"case {k}: {program.statements[-1].text}\n    {problem}", flush=True)
            if args.verbose:
                print(to_source(program, args.module))
            if failed >= args.most:
                break
    print(f"{k + 1 - args.first - failed} cases passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
