"""What an inexact result may be: each rule turns NumPy's operands and result into a judge of another result.

A rule returns None where the result is exact after all (a sum of small whole numbers is, in any order): the program
then goes on without a break in its chain. Otherwise it returns `judge(got)`, which is given a result of the right dtype
and shape and returns where it is allowed, and the reference. References are computed in 80-bit precision.

Bounds, with u the spacing of 1.0 in the result's dtype and n the number of elements that meet in one result:

    sum     n u sum|x|                    any order of additions (Higham, Accuracy and Stability, 4.2)
    mean    (n + 2) u mean|x|             the same and a division
    prod    n u |prod|                    any order
    var     (2n + 8) u (var + d**2) + 2 d**2 with d = n u mean|x|, the error of the mean
    std     from var: min(sqrt(b), b / std) + 2 u std
    ulp     1 spacing (of the result's dtype) off the correctly rounded value (2.5 for special functions)
    complex 16 u |z|, normwise
"""

from __future__ import annotations

import math

import numpy

WIDE = {"f": numpy.longdouble, "c": numpy.clongdouble}
ULPS = {"erf": 3.5}  # 2.5, and 1 for the reference itself
NUMPY_ULPS = 4.0  # NumPy's own float32 functions, where NumPy is run against itself

GPU_ULPS = 3.0


def allow_numpy() -> None:
    """Widen the bound of elementwise functions to NumPy's own accuracy."""
    global ulps_allowed
    ulps_allowed = NUMPY_ULPS


def allow_gpu() -> None:
    """Widen the bound of elementwise functions to that of CUDA devices, and 1 for rounding the reference."""
    global ulps_allowed
    ulps_allowed = GPU_ULPS


ulps_allowed = 1.0


def same_bits(got: numpy.ndarray, want: numpy.ndarray) -> numpy.ndarray:
    """Where two arrays of one inexact dtype agree: equal with the same sign of zero, or both NaN; by component."""
    if got.dtype.kind == "c":
        return same_bits(got.real, want.real) & same_bits(got.imag, want.imag)
    both_nan = numpy.isnan(got) & numpy.isnan(want)
    return both_nan | ((got == want) & (numpy.signbit(got) == numpy.signbit(want)))


def first_difference(got, want, agree) -> str | None:
    """None if all agree, else a description of the first place that does not."""
    agree = numpy.asarray(agree)
    if agree.all():
        return None
    where = numpy.argwhere(~agree)
    index = tuple(int(i) for i in where[0])
    return f"{len(where)} of {agree.size} elements differ, first at {index}: got {got[index]!r}, want {want[index]!r}"


def _wide(x, dtype):
    """`x` rounded to `dtype`, then widened: what an exact evaluation of the same call would start from."""
    return numpy.asarray(x).astype(dtype).astype(WIDE[numpy.dtype(dtype).kind])


def _close(reference, bound, ignore=None):
    """A judge: |got - reference| <= bound; the same infinities and NaNs; nothing where `ignore` is true."""

    def judge(got):
        reference_ = numpy.asarray(reference)
        with numpy.errstate(all="ignore"):
            wide = got.astype(reference_.dtype)
            near = numpy.abs(wide - reference_) <= bound
            agree = near | (wide == reference_) | (numpy.isnan(wide) & numpy.isnan(reference_))
        return agree if ignore is None else agree | ignore, reference_

    return judge


def ulp(rule, operands, result):
    """Elementwise functions: spacings off the correctly rounded value."""
    dtype = result.dtype
    if dtype.kind == "c":
        return complex_(rule, operands, result)
    with numpy.errstate(all="ignore"):
        wide = [_wide(x, dtype) for x in operands]
        if rule.function == "erf":
            exact = numpy.vectorize(math.erf, otypes=[float])(wide[0].astype(float))
        else:
            exact = getattr(numpy, rule.function)(*wide)
        rounded = numpy.asarray(exact).astype(dtype)
        spacing = numpy.spacing(numpy.abs(rounded)).astype(numpy.longdouble)
    allowed = max(ULPS.get(rule.function, 0.0), ulps_allowed)
    if not any(isinstance(x, numpy.ndarray) for x in operands):
        allowed = max(allowed, NUMPY_ULPS)  # NumPy scalars are NumPy's business
    return _close(rounded.astype(numpy.longdouble), allowed * spacing)


def power(rule, operands, result):
    """Powers: integers are exact, complex normwise, else as any function."""
    if result.dtype.kind in "biu":
        return None
    judge = ulp(rule, operands, result)
    if result.dtype.kind == "c" or numpy.ndim(operands[1]) or operands[1] != 0.5:
        return judge
    with numpy.errstate(all="ignore"):  # NumPy's short cut for the number 0.5 differs from pow at -inf and -0.0
        root = numpy.sqrt(numpy.asarray(operands[0]).astype(result.dtype))

    # A number is known when the call is recorded; an array without axes is not, and its power may be pow's there too.
    pow_too = True if isinstance(operands[1], numpy.ndarray) else numpy.isfinite(root)

    def either(got):
        agree, reference = judge(got)
        return agree & pow_too | same_bits(got, root), reference

    return either


def complex_(rule, operands, result):
    """Complex arithmetic and functions, normwise; free where a part is not finite or leaves the range on the way."""
    dtype = result.dtype
    info = numpy.finfo(dtype)
    operand_dtype = numpy.result_type(*operands, dtype)
    with numpy.errstate(all="ignore"):
        wide = [_wide(x, operand_dtype) for x in operands]
        exact = numpy.asarray(getattr(numpy, rule.function)(*wide))
        size = numpy.abs(exact)
        free = ~numpy.isfinite(size) | (size > info.max / 8) | (size < info.tiny * 2**20)
        for x in wide:  # scaled quotients and squares of such parts may overflow or vanish
            part = numpy.abs(x)
            free = free | ~numpy.isfinite(part) | (part > numpy.sqrt(info.max) / 8)
            free = free | ((part < numpy.sqrt(info.tiny) * 8) & (part != 0))
        if rule.name in ("ulp", "function"):  # rounding an argument turns the result by as much
            size = size * (1 + numpy.abs(wide[0]))
        if rule.function in ("power", "pow", "float_power"):  # exp(b log a): rounding in the exponent is magnified
            size = size * (1 + numpy.abs(wide[1] * numpy.log(numpy.where(wide[0] == 0, 1, wide[0]))))
    return _close(exact, 16 * info.eps * size, numpy.broadcast_to(free, exact.shape) & (size != 0))


def zero_sign(rule, operands, result):
    """minimum and its like: exact but for the sign of a zero, and that only when zeros of both signs can meet."""
    if result.dtype.kind not in "fc" or not any(_negative_zeros(numpy.asarray(x)) for x in operands):
        return None
    return _loose(result)


def _negative_zeros(x) -> bool:
    if x.dtype.kind == "c":
        return _negative_zeros(x.real) or _negative_zeros(x.imag)
    return x.dtype.kind == "f" and bool((numpy.signbit(x) & (x == 0)).any())


def _loose(result):
    want = numpy.array(result)

    def judge(got):
        return (got == want) | (numpy.isnan(got) & numpy.isnan(want)), want

    return judge


def extremum(rule, operands, result):
    """min and max of many: as `zero_sign`; which of several complex NaNs comes out is nobody's business."""
    x = operands[0]
    if x.dtype.kind == "c" and numpy.isnan(x).any():
        return _loose(result)
    return zero_sign(rule, operands, result)


def _whole(x, dtype) -> bool:
    """Whole numbers so small that sums of them are exact in any order."""
    if x.dtype.kind in "biu" and numpy.dtype(dtype).kind in "biu":
        return True
    if x.dtype.kind == "c":
        return _whole(x.real, dtype) and _whole(x.imag, dtype)
    if x.size == 0:
        return True
    with numpy.errstate(all="ignore"):
        x = x.astype(numpy.longdouble)
        if not (numpy.isfinite(x).all() and (x == numpy.rint(x)).all()):
            return False
        return float(numpy.abs(x).sum()) < 2.0 ** numpy.finfo(dtype).nmant


class _Reduced:
    """Operand, precision and count of a reduction."""

    def __init__(self, rule, operands, result):
        dtype = result.dtype
        self.options = {k: rule.options[k] for k in ("axis", "keepdims") if k in rule.options}
        if isinstance(self.options.get("axis"), list):
            self.options["axis"] = tuple(self.options["axis"])
        x = numpy.asarray(operands[0])
        kind = x.dtype.kind
        if kind not in "fc" or dtype.kind == "c":
            x = x.astype(dtype)
        elif numpy.dtype(dtype).itemsize < x.dtype.itemsize // (2 if kind == "c" else 1):
            x = x.astype(dtype)
        self.x = x
        self.wide = x.astype(WIDE["c" if x.dtype.kind == "c" else "f"])
        mask = operands[1] if len(operands) > 1 else True
        self.options["where"] = mask
        self.info = numpy.finfo(dtype)
        self.eps = self.info.eps
        count = numpy.broadcast_to(mask, x.shape)
        self.count = count.sum(**{k: v for k, v in self.options.items() if k != "where"})

    def sum_of(self, x):
        return x.sum(**self.options)

    def too_big(self, x):
        """Where partial sums of the non-negative `x` may overflow."""
        with numpy.errstate(all="ignore"):
            finite = numpy.where(numpy.isfinite(x), x, 0)
            return self.sum_of(finite) > self.info.max / 8


def _sums(r, divisor, terms):
    """A judge for real or complex sums divided by `divisor` (or not), where `terms` roundings count; by component."""
    by = 1 if divisor is None else divisor

    def judge_of(x):
        size = r.sum_of(numpy.abs(x)) / by
        bound = (r.count + terms) * r.eps * size + r.info.smallest_subnormal
        return _close(r.sum_of(x) / by, bound, r.too_big(numpy.abs(x)))

    with numpy.errstate(all="ignore"):
        if r.wide.dtype.kind != "c":
            return judge_of(r.wide)
        real, imag = judge_of(r.wide.real), judge_of(r.wide.imag)

    def both(got):
        (agree, x), (agree_too, y) = real(got.real), imag(got.imag)
        odd = (~numpy.isfinite(x) | ~numpy.isfinite(y)) & (divisor is not None)  # a quotient by n + 0j mixes the parts
        return agree & agree_too | odd, x + 1j * y

    return both


def sum_(rule, operands, result):
    """Sums."""
    if result.dtype.kind in "biu" or _whole(numpy.asarray(operands[0]), result.dtype):
        return None
    return _sums(_Reduced(rule, operands, result), None, 1)


def mean(rule, operands, result):
    """Means."""
    x = numpy.asarray(operands[0])
    if result.dtype.kind == "f" and result.dtype != numpy.float16 and _whole(x, result.dtype):
        return None
    r = _Reduced(rule, operands, result)
    return _sums(r, r.count, 4)


def prod(rule, operands, result):
    """Products; free where partial products may leave the range."""
    if result.dtype.kind in "biu":
        return None
    r = _Reduced(rule, operands, result)
    with numpy.errstate(all="ignore"):
        size = numpy.abs(r.wide)
        usual = numpy.where(numpy.isfinite(size) & (size != 0), size, 1)
        most = numpy.maximum(usual, 1).prod(**r.options)
        least = numpy.minimum(usual, 1).prod(**r.options)
        whole = r.x.dtype.kind == "f" and bool((r.wide == numpy.rint(r.wide)).all()) and not numpy.isnan(size).any()
        if whole and bool((most < 2.0**r.info.nmant).all()) and bool(numpy.isfinite(size).all()):
            return None
        free = (most > r.info.max / 8) | (least < r.info.tiny * 8)
        exact = r.wide.prod(**r.options)
        if r.x.dtype.kind == "c":
            odd = (~numpy.isfinite(size)).any(**r.options)
            return _close(exact, (r.count + 1) * 8 * r.eps * numpy.abs(exact), free | odd)
        return _close(exact, (r.count + 1) * r.eps * numpy.abs(exact), free)


def _variance(rule, operands, result):
    r = _Reduced(rule, operands, result)
    keep = dict(r.options, keepdims=True)
    ddof = rule.options.get("ddof", 0)
    count = r.sum_of(numpy.ones(r.x.shape, numpy.longdouble))
    with numpy.errstate(all="ignore"):
        centre = r.wide.sum(**keep) / numpy.ones(r.x.shape, numpy.longdouble).sum(**keep)
        square = numpy.abs(r.wide - centre) ** 2
        low = numpy.maximum(count - ddof, 0)
        variance = r.sum_of(square) / low
        shift = (count + 2) * r.eps * r.sum_of(numpy.abs(r.wide)) / count
        scale = count / low
        bound = (2 * count + 8) * r.eps * (variance + scale * shift**2) + 2 * scale * shift**2
        free = r.too_big(numpy.abs(r.wide)) | r.too_big(numpy.abs(r.wide) ** 2 * 4)
    return r, variance, bound + r.info.smallest_subnormal * 4, free


def var(rule, operands, result):
    """Variances."""
    _, variance, bound, free = _variance(rule, operands, result)
    return _close(variance, bound, free)


def std(rule, operands, result):
    """Standard deviations."""
    r, variance, bound, free = _variance(rule, operands, result)
    with numpy.errstate(all="ignore"):
        root = numpy.sqrt(variance)
        slack = numpy.where(root > 0, numpy.minimum(numpy.sqrt(bound), bound / root), numpy.sqrt(bound))
        return _close(root, slack + 2 * r.eps * root, free)


RULES = {
    "ulp": ulp,
    "power": power,
    "complex": complex_,
    "zero_sign": zero_sign,
    "extremum": extremum,
    "sum": sum_,
    "mean": mean,
    "prod": prod,
    "var": var,
    "std": std,
}
