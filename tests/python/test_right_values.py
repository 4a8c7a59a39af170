"""Values that array libraries get wrong: the corners of each kind of operation, against NumPy, bit for bit.

Every list is one kind; where an error is right, its class and its words are compared.
"""

import json
import warnings

import numpy
import pytest

np = pytest.importorskip("numloom")

INTEGERS = "bBhHiIlL"
FLOATS = "efd"


def outcome(module, text, **names):
    """What an expression gives: (kind, dtype, shape, bytes), a plain Python value, or the error's class and text."""
    names = {"np": module, **{k: module.array(v) if isinstance(v, numpy.ndarray) else v for k, v in names.items()}}
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = eval(text, names)
        except Exception as error:
            return type(error).__name__, str(error)
        return described(result)


def described(x):
    if isinstance(x, (tuple, list)):
        return type(x).__name__, [described(item) for item in x]
    if not hasattr(x, "dtype") or not hasattr(x, "shape"):
        return type(x).__name__, repr(x)
    host = numpy.array(x)
    if host.dtype.kind in "fc":
        host = numpy.where(host != host, numpy.full((), numpy.nan, host.dtype), host)  # any NaN for any other
    return isinstance(x, numpy.generic), str(host.dtype), host.shape, host.tobytes()


def check(text, **names):
    got, want = outcome(np, text, **names), outcome(numpy, text, **names)
    assert got == want, f"{text} {names}"


def special(dtype):
    """Zeros of both signs, ones, halves, large and tiny numbers, infinities and NaN."""
    info = numpy.finfo(dtype)
    values = [0.0, -0.0, 1, -1, 0.5, -2.5, 3, -7, float(info.max), float(info.tiny), numpy.inf, -numpy.inf, numpy.nan]
    return numpy.array(values, dtype)


def corners(dtype):
    """The ends of an integer type, zero and numbers around it."""
    info = numpy.iinfo(dtype)
    return numpy.array(
        [
            v
            for v in (info.min, info.min + 1, -7, -1, 0, 1, 2, 3, 64, info.max - 1, info.max)
            if info.min <= v <= info.max
        ],
        dtype,
    )


# ------------------------------------------------------------------------------------------------- arithmetic
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "name",
    [
        "remainder",
        "floor_divide",
        "fmod",
        "divmod",
        "divide",
        "copysign",
        "nextafter",
        "heaviside",
        "maximum",
        "fmin",
        "less",
        "equal",
    ],
)
def test_floats_with_infinities_and_signed_zeros(name, dtype):
    x = special(dtype)
    if name in ("maximum", "fmin"):
        x = x[[0, *range(2, 13)]]  # which of two zeros comes out depends on NumPy's vectors
    check(f"np.{name}(x[:, None], x)", x=x)


@pytest.mark.parametrize(
    "text",
    [
        "np.mod(1., np.inf)",
        "np.mod(-1., np.inf)",
        "np.array([-4.4, 5.665, 105.88], 'f4') // np.float32(0.1)",
        "np.array([1.0]) // 0.1",
        "np.float64(1.0) // 0.1",
        "np.array(-0.0) % 3",
        "np.array([5., -5.]) % -np.inf",
    ],
)
def test_quotients(text):
    check(text)
    assert np.mod(1.0, np.inf) == 1 and np.mod(-1.0, np.inf) == np.inf
    assert (np.array([-4.4, 5.665, 105.88], "f4") // np.float32(0.1)).tolist() == [-45, 56, 1058]
    assert (np.array([1.0]) // 0.1).tolist() == [9]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "name",
    [
        "sign",
        "absolute",
        "negative",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "sqrt",
        "signbit",
        "isnan",
        "isinf",
        "isfinite",
        "square",
        "reciprocal",
        "spacing",
        "modf",
        "frexp",
    ],
)
def test_functions_of_special_numbers(name, dtype):
    check(f"np.{name}(x)", x=special(dtype))


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize(
    "name",
    [
        "add",
        "subtract",
        "multiply",
        "floor_divide",
        "remainder",
        "fmod",
        "divmod",
        "gcd",
        "lcm",
        "minimum",
        "bitwise_xor",
        "left_shift",
        "right_shift",
    ],
)
def test_ends_of_integers(name, dtype):
    x = corners(dtype)
    check(f"np.{name}(x[:, None], x)", x=x)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_beyond_the_width(dtype):
    x = corners(dtype)
    width = 8 * x.itemsize
    for by in (0, 1, width - 1, width, min(width + 1, 127)):
        check("np.right_shift(x, s)", x=x, s=numpy.array(by, dtype))
        check("np.left_shift(x, s)", x=x, s=numpy.array(by, dtype))
    assert np.right_shift(np.array([1, -1]), 64).tolist() == [0, -1]


@pytest.mark.parametrize(
    "text",
    [
        "np.array(2) ** -1",
        "np.power(np.arange(3), -1)",
        "np.power(2, np.array([1, -1]))",
        "np.array([2]) ** np.int8(-2)",
        "np.array([2.0]) ** -1",
        "np.power(np.array([2], 'u1'), 9)",
        "np.power(np.array([], int), -1)",
        "np.float_power(np.array(2), -1)",
        "np.power(np.array([0, 1, -1, 2]), 3)",
        "np.arange(3) ** np.arange(3)",
    ],
)
def test_integer_powers(text):
    check(text)


# --------------------------------------------------------------------------------------------------- creation
@pytest.mark.parametrize(
    "text",
    [
        "np.arange(1, 3, .1)",
        "np.arange(1, 3, .1)[10]",
        "np.arange(0, 1, 0.1)",
        "np.arange(5, 0)",
        "np.arange(3, dtype='f2')",
        "np.arange(-3, 3, 2, 'i1')",
        "np.linspace(True, False, 3)",
        "np.linspace(0, 1, 1)",
        "np.linspace(0, 1, 0)",
        "np.linspace(0, 10, 5, dtype=int)",
        "np.linspace(-1, 0, 3)",
        "np.linspace(1e308, -1e308, 3)",
        "np.array([1], ndmin=10).shape",
        "np.full((2, 2), [1, 2])",
        "np.full(3, [[1], [2]])",
        "np.full((2, 3), np.arange(3.))",
        "np.zeros((2, 2**62))",
        "np.ones((2**32, 2**32))",
        "np.empty((2**63,))",
        "np.zeros(-1)",
        "np.zeros((2, 2**62, 0)).shape",
        "np.arange(2**63)",
        "np.eye(0).shape",
        "np.array([[], []]).shape",
        "np.broadcast_to(1, (2**40, 2**40)).size",
        "np.full((1,), 256, 'u1')",
        "np.full(2, -1.25, 'u4')",
        "np.full(2, 2.7, 'i8')",
        "np.full(2, 300.7, 'u1')",
        "np.full(2, 1e300, 'f4')",
        "np.full(2, -1, 'u4')",
        "np.full_like(np.zeros(2, 'u1'), -1.5)",
        "np.full(2, np.nan, bool)",
        "np.full(2, 2**70, 'f4')",
        "np.full_like(np.zeros(1), 1j)",
        "np.array(-1.25, 'u4')",
        "np.zeros(2, 'u1').fill(300.)",
        "np.array([300], 'i1')",
        "np.array(1e400)",
    ],
)
def test_creation(text):
    check(text)


def test_zero_keeps_its_sign():
    for dtype in FLOATS + "FD":
        for module in (numpy, np):
            a = module.zeros(4, dtype)
            a[1] = -0.0
            a[2:] = module.array([-0.0, 0.0])
            assert [numpy.signbit(x.real) for x in a.tolist()] == [False, True, True, False], (module, dtype)
        check("np.signbit((-x).real)", x=numpy.zeros(3, dtype))


# ----------------------------------------------------------------------------------------------------- linalg
EMPTY = [
    "inv(e)",
    "det(e)",
    "slogdet(e)",
    "solve(e, e)",
    "cholesky(e)",
    "qr(e)",
    "svd(e)",
    "eigvalsh(e)",
    "eigvals(e)",
    "matrix_rank(e)",
    "pinv(e)",
    "matrix_power(e, 3)",
    "norm(e)",
    "lstsq(e, np.zeros(0))",
    "eigh(e)",
    "matrix_transpose(e)",
    "trace(e)",
    "cond(e)",
    "multi_dot([e, e])",
    "svdvals(e)",
]


@pytest.mark.parametrize("call", EMPTY)
@pytest.mark.parametrize("shape", [(0, 0), (0, 3, 3), (2, 0, 0)])
def test_empty_matrices(call, shape):
    check("np.linalg." + call, e=numpy.zeros(shape))


@pytest.mark.parametrize(
    "text",
    [
        "np.linalg.inv(np.array([[0.]]))",
        "np.linalg.inv(np.zeros((2, 2)))",
        "np.linalg.solve(np.zeros((2, 2)), np.ones(2))",
        "np.linalg.inv(np.zeros((2, 3)))",
        "np.linalg.det(np.zeros((2, 2)))",
        "np.linalg.cholesky(-np.eye(2))",
        "np.linalg.inv(np.array([[0]]))",
        "np.linalg.matrix_power(np.zeros((2, 2)), -1)",
        "np.linalg.det(np.ones(3))",
        "np.linalg.solve(np.eye(2), np.ones(3))",
    ],
)
def test_matrices_without_an_answer(text):
    check(text)


@pytest.mark.parametrize("axis", [(1, 0), (0, 1), (-1, 0), (2, 0), 0, -1, None, (0, 0), 5])
@pytest.mark.parametrize("kind", [None, 1, numpy.inf, -1, "fro"])
def test_norm_along_any_axes(axis, kind):
    x = numpy.arange(24.0).reshape(2, 3, 4)
    got, want = (
        outcome(np, "np.linalg.norm(x, k, a)", x=x, k=kind, a=axis),
        outcome(numpy, "np.linalg.norm(x, k, a)", x=x, k=kind, a=axis),
    )
    if isinstance(want[0], bool):
        assert got[:3] == want[:3]
        numpy.testing.assert_allclose(numpy.frombuffer(got[3]), numpy.frombuffer(want[3]), rtol=1e-14)
    else:
        assert got == want


@pytest.mark.parametrize(
    "text",
    [
        "np.matmul(np.ones((4, 1)), np.ones(3))",
        "np.ones((4, 1)) @ np.ones(3)",
        "np.dot(np.ones((2, 3)), np.ones(2))",
        "np.matmul(np.ones((2, 3)), np.ones((2, 3)))",
        "np.matmul(2, np.ones(2))",
        "np.vdot(np.ones(2), np.ones(3))",
        "np.inner(np.ones(2), np.ones(3))",
        "np.matmul(np.ones((2, 3, 3)), np.ones((3, 3, 3)))",
        "np.cross([1, 2], [3, 4])",
        "np.einsum('ij,jk', np.ones((2, 3)), np.ones((2, 3)))",
        "np.matmul(np.ones((0, 3)), np.ones((3, 2)))",
        "np.matmul(np.ones((2, 0)), np.ones((0, 2)))",
        "np.dot(np.ones(0), np.ones(0))",
    ],
)
def test_products_that_do_not_fit(text):
    check(text)


# -------------------------------------------------------------------------------------- order, extremes, clipping
@pytest.mark.parametrize("dtype", FLOATS)
def test_order_with_nan(dtype):
    x = numpy.array([3, numpy.nan, -1, numpy.inf, numpy.nan, -numpy.inf, 2, 5], dtype)
    for text in (
        "np.sort(x)",
        "np.argsort(x, kind='stable')",
        "np.sort(x[::-2])",
        "np.unique(x)",
        "np.argmax(x)",
        "np.argmin(x)",
        "np.max(x)",
        "np.nanmax(x)",
        "np.nanargmin(x)",
        "np.median(x)",
        "np.searchsorted(np.sort(x), x)",
        "np.partition(x, 2)[2]",
        "np.sort(x.reshape(2, 4), axis=0)",
        "np.quantile(x, 0.5)",
        "np.isin(x, [np.nan, 2])",
    ):
        check(text, x=x)


@pytest.mark.parametrize(
    "text",
    [
        "np.argmax(np.array([-np.inf]))",
        "np.argmax(np.full(9, -np.inf))",
        "np.argmin(np.full(3000, np.inf))",
        "np.min(np.array([np.inf, np.inf]))",
        "np.max(np.full((3, 70), -np.inf), axis=1)",
        "np.argmax([False, False])",
        "np.argmax(np.zeros((0, 2)), axis=1)",
        "np.argmax(np.zeros((2, 0)), axis=1)",
        "np.max(np.zeros((0, 2)), axis=1)",
        "np.max(np.zeros((2, 0)), axis=1)",
        "np.min([])",
        "np.argmax(np.array([1, 3, 3]))",
        "np.min(np.array([-128, 127], 'i1'))",
        "np.max(np.array([2**63, 5], 'u8'))",
        "np.ptp(np.array([-128, 127], 'i1'))",
    ],
)
def test_extremes(text):
    check(text)


@pytest.mark.parametrize(
    "text",
    [
        "np.clip(np.arange(10), 9, 5)",
        "np.clip(np.arange(10), 5, 8.5)",
        "np.clip(np.arange(10), None, 3)",
        "np.clip(np.array([np.nan, 1.0]), 0, 2)",
        "np.clip(np.arange(5.), np.nan, 3)",
        "np.clip(np.arange(4, dtype='u1'), -1, 2)",
        "np.clip(np.arange(4, dtype='i1'), 0, 300)",
        "np.arange(6).reshape(2, 3).clip([1, 2, 3], 4)",
        "np.clip(5, 1, 3)",
        "np.clip(np.arange(3), 1, 2, out=np.zeros(3, 'i2'))",
        "np.clip(np.arange(3.0), 1, 2, dtype='f4')",
        "np.clip(np.array([True]), 0, 1)",
        "np.clip(np.arange(3), None, None)",
    ],
)
def test_clipping(text):
    check(text)


# --------------------------------------------------------------------------------------------------- reductions
@pytest.mark.parametrize("dtype", "?bBhHiIlLefd")
def test_types_of_reductions(dtype):
    x = numpy.array([1, 0, 1, 1] if dtype == "?" else [100, 27, 100, 100], dtype)
    for text in (
        "x.sum()",
        "x.prod()",
        "np.cumsum(x)",
        "x.mean()",
        "np.add.reduce(x)",
        "x.sum(dtype=x.dtype)",
        "x.var()",
        "np.trace(x.reshape(2, 2))",
        "np.add.accumulate(x)",
        "np.nansum(x)",
        "np.average(x)",
        "np.ediff1d(x[:1])",
    ):
        check(text, x=x)


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
@pytest.mark.parametrize(
    "name",
    [
        "add",
        "multiply",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "logical_and",
        "logical_or",
        "logical_xor",
        "maximum",
        "minimum",
        "hypot",
        "subtract",
        "gcd",
    ],
)
def test_reductions_over_nothing(name, dtype):
    x = numpy.zeros((2, 0, 3), dtype)
    for text in (
        "reduce(x, axis=1)",
        "reduce(x)",
        "reduce(x, axis=2)",
        "accumulate(x, axis=1)",
        "reduce(x, axis=(0, 1))",
        "reduce(x, axis=1, initial=3)",
        "reduceat(x, [0], axis=0)",
        "reduce(x, axis=1, keepdims=True)",
    ):
        check(f"np.{name}.{text}", x=x)
    check(f"np.{name}.reduce(x, where=False, axis=0)", x=numpy.ones((2, 3), dtype))


@pytest.mark.parametrize("n", [1, 2, 8, 1000, 10_000, 20_000, 1_000_000])
def test_in_place_sums_of_shifted_views(n):
    for module in (numpy, np):
        d = module.ones(n)
        d[1:] += d[:-1]
        d[1:] *= 0.5
        assert bool((d == 1).all()), (module, n)


@pytest.mark.parametrize("n", [3, 8, 1000, 4097])
@pytest.mark.parametrize(
    "statement",
    [
        "a[:, 0] = a[:, 2]",
        "a[1:] = a[:-1]",
        "a[:-1] = a[1:]",
        "a[:, ::-1] = a",
        "a[...] = a[::-1]",
        "a[:, 1:] -= a[:, :-1]",
        "a[0] = a[:, 0].sum()",
        "a[::2], a[1::2] = a[1::2].copy()[:1], 7",
        "a[:, 1] += a[:, 0]; a[:, 0] = a[:, 1]",
    ],
)
def test_assignments_between_overlapping_views(statement, n):
    made = []
    for module in (numpy, np):
        names = {"a": module.arange(float(n * 3)).reshape(n, 3), "np": module}
        exec(statement, names)
        made.append(numpy.asarray(names["a"]).tolist())
    assert made[0] == made[1]


# ----------------------------------------------------------------------------------------------------- indexing
@pytest.mark.parametrize(
    "text",
    [
        "c[[0, 1, 2], [1, 2, 3]]",
        "c[[0, 3]]",
        "c[[-4]]",
        "c[:, [3]]",
        "c[3]",
        "c[0, 3]",
        "c[..., -4]",
        "c.take([9])",
        "np.take(c, [3], axis=1)",
        "c[np.array([0, 1]), 5]",
        "c[[[0], [9]], [0, 1]]",
        "np.take_along_axis(c, c + 1, 1)",
        "c[np.ones(2, bool)]",
        "c[:, np.ones((3, 3), bool)]",
        "c[[0.0]]",
        "c['a']",
        "c[0, 0, 0]",
        "np.put(c, [9], 1)",
        "np.choose([0, 2], [[1, 2], [3, 4]])",
        "np.unravel_index([9], (3, 3))",
        "np.ravel_multi_index(([3], [0]), (3, 3))",
        "np.delete(c, 5, axis=0)",
        "np.insert(c, 9, 1, axis=0)",
        "np.bincount([-1])",
        "c[[True, False, True]]",
        "c[2, [-3, 2]]",
        "np.add.at(c, [3], 1)",
        "np.add.reduceat(c, [0, 3])",
        "c[10:20].shape",
        "c[[0, 1], [2, -3]]",
    ],
)
def test_indices_out_of_range(text):
    check(text, c=numpy.arange(9).reshape(3, 3))


def test_last_of_equal_targets_wins():
    for n in (10, 5000):
        for module in (numpy, np):
            a = module.zeros(5, int)
            a[module.arange(n) % 5] = module.arange(n)
            assert a.tolist() == [n - 5, n - 4, n - 3, n - 2, n - 1]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("m", [1, 2, 3, 7])
def test_convolution_of_flipped_views(mode, m):
    a, b = numpy.arange(40.0) % 7, numpy.arange(1.0, 2 * m + 1)
    ours = np.convolve(np.flip(np.array(a)), np.array(b)[::2], mode)
    assert ours.tolist() == np.convolve(np.array(a[::-1].copy()), np.array(b[::2].copy()), mode).tolist()
    numpy.testing.assert_allclose(numpy.asarray(ours), numpy.convolve(a[::-1], b[::2], mode), rtol=1e-14)


# ------------------------------------------------------------------------------------------------------- scalars
def test_results_of_reductions_are_numpys_scalars():
    x, i = np.array([0.5, 1.5, 3.0]), np.array([3, 1, 2])
    assert json.dumps(float(x.sum())) == "5.0"
    assert json.dumps(i.tolist()) == "[3, 1, 2]"
    assert isinstance(x.sum(), numpy.floating) and isinstance(x.sum(), float) and isinstance(i.max(), numpy.integer)
    assert isinstance(np.any(x), numpy.bool_) and isinstance((x + 1j).sum(), numpy.complexfloating)
    assert {x.sum(): 1} == {numpy.float64(5.0): 1} and {numpy.int64(3): "a"}[i.max()] == "a"
    assert f"{x.mean():.3f}" == "1.667" and f"{i.sum():04d}" == "0006" and str(x.max()) == "3.0"
    assert list(range(i.max())) == [0, 1, 2] and [10, 11, 12, 13][i.argmin()] == 11
    assert repr(x.sum()) == repr(numpy.float64(5.0)) and "abc" * i.min() == "abc"
    assert round(float(x.mean()), 2) == 1.67 and divmod(i.sum(), 4) == (1, 2) and x.sum().is_integer()
    assert numpy.isscalar(x.sum()) and np.isscalar(x.sum()) and hash(i.max()) == hash(3)


@pytest.mark.parametrize(
    "statement",
    [
        "a.shape = 6",
        "a.strides = (8, 8)",
        "a.dtype = 'i8'",
        "np.fix(a)",
        "np.maximum(a, 1, a)",
        "np.cross([1, 2], [3, 4])",
    ],
)
def test_deprecations_warn_as_numpys(statement):
    seen = []
    for module in (numpy, np):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                exec(statement, {"a": module.zeros((2, 3)), "np": module})
            except Exception as error:
                seen.append(type(error).__name__)
        seen.append([(w.category, str(w.message), w.filename) for w in caught])
    half = len(seen) // 2
    assert seen[:half] == seen[half:]


SCALARS = [
    "3",
    "True",
    "numpy.float64(2.5)",
    "numpy.int8(3)",
    "np.array([4, 5]).sum()",
    "np.array([1.5, 2.5])[1]",
    "np.array(2.0)",
]


@pytest.mark.parametrize("given", SCALARS)
@pytest.mark.parametrize(
    "name",
    """squeeze transpose permute_dims ravel copy sum mean std max argmax any cumsum
    cumulative_sum median average clip round real imag conj angle isreal iscomplex nan_to_num sqrt negative sort unique
    flip atleast_1d atleast_2d expand_dims repeat tile concatenate stack vstack hstack full_like zeros_like nonzero
    count_nonzero ptp var prod diff trace diagonal searchsorted histogram polyval poly polyint roots indices tri
    diag_indices histogramdd fix isclose take where select interp percentile nanmax nanmean sinc i0 heaviside modf
    frexp divmod ldexp array asarray allclose broadcast_to reshape shape size ndim""".split(),
)
def test_scalars_in_every_function(name, given):
    for more in ("", ", 2", ", [0, 1]"):
        text = f"np.{name}({given}{more})"
        got, want = outcome(np, text, numpy=numpy), outcome(numpy, text, numpy=numpy)
        if isinstance(want[0], str) and want[0].endswith("Error"):
            assert got[0] == want[0], text  # the words tell of Python's own calls
        elif name in ("angle", "sinc", "i0", "sqrt", "std", "histogramdd"):
            assert got[:3] == want[:3], text  # the last place may differ
        else:
            assert got == want, text


@pytest.mark.parametrize("value", [numpy.nan, numpy.inf, -numpy.inf, 1e30])
def test_scalars_that_are_no_integers_are_refused_as_elements_of_integers(value):
    for module in (numpy, np):
        a, total = module.arange(10), (module.asarray([value]) * 1.0).sum()
        with pytest.raises((ValueError, OverflowError)):
            a[3] = total
        with pytest.raises((ValueError, OverflowError)):
            a[4:6] = total
        assert numpy.array_equal(numpy.asarray(a), numpy.arange(10))


@pytest.mark.parametrize("to", "bBhHiIlL")
@pytest.mark.parametrize("dtype", "?bBhHiIlL")
def test_lazy_integers_as_elements_of_others(dtype, to):
    ends = [False, True] if dtype == "?" else [numpy.iinfo(dtype).min, 1, numpy.iinfo(dtype).max]
    for number in ends:
        results = []
        for module in (numpy, np):
            values, a = module.asarray(numpy.array([number], dtype)), module.zeros(6, to)
            for place in (1, slice(2, 4), Ellipsis):
                try:
                    a[place] = values[0]
                    a[place] = values.max()
                    results.append(numpy.asarray(a).tolist())
                except OverflowError as error:
                    results.append(str(error))
            a[[4, 5]] = values[0]  # here and below NumPy wraps
            filled = module.full(2, values[0], to)
            module.copyto(a[:1], values[0], casting="unsafe")
            results.append(numpy.asarray(a).tolist() + numpy.asarray(filled).tolist())
        assert results[:4] == results[4:], number


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 7])
def test_interpolation_between_special_points(n):
    nan, inf = numpy.nan, numpy.inf
    x = numpy.array([-1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, nan, inf, -inf])
    for seed in range(100):
        rng = numpy.random.default_rng([n, seed])
        points, values = numpy.sort(rng.integers(0, 6, n)).astype(float), rng.integers(0, 4, n).astype(float)
        for special, places in ((nan, (0, n - 1)), (-inf, (0,)), (inf, (n - 1,))):  # the points stay in order
            if rng.random() < 0.2:
                points[rng.choice(places)] = special
            if rng.random() < 0.2:
                values[rng.integers(n)] = special
        # one at a time: NumPy divides beforehand where there are many, and its search begins where the last one ended
        want = numpy.array([numpy.interp(p, points, values) for p in x])
        for got in (np.interp(np.array(x), points, values), [np.interp(float(p), points, values) for p in x]):
            assert numpy.array_equal(numpy.array(got), want, equal_nan=True), (points, values)


@pytest.mark.parametrize("a", ["e", "f", "d", "i"])
@pytest.mark.parametrize("edge", ["e", "f", "d", "i"])
def test_histograms_between_edges_of_other_types(a, edge):
    step = numpy.finfo(edge).eps if edge != "i" else 0
    for low, high in ((1, 2), (1 + step, 2), (0, 1 - step), (0, 3), (-1, 1)):
        for bins in (1, 7):
            for value in (numpy.array([low, high], edge), (numpy.dtype(edge).type(low), 2.5), [0.25, high]):
                for text in ("np.histogram(a, bins=n, range=r)", "np.histogram_bin_edges(a, n, r)"):
                    check(text, a=numpy.array([0.5, 1, 1.5, 2, 0, 3]).astype(a), n=bins, r=value)
    check("np.histogram(a, range=3)", a=numpy.ones(3, a))


@pytest.mark.parametrize(
    "text",
    [
        *("np.add.at(z, (), 5), z", "np.add.at(z, (), z), z", "np.negative.at(z, ()), z", "np.add.at(z, ..., 2), z"),
        *(
            "np.add.at(z, 0, 1)",
            "np.add.at(z, [], 1)",
            "np.add.at(m, (0, 1), 5), m",
            "np.subtract.at(m, (-1, 0), m[0, 1]), m",
        ),
        *("np.multiply.at(m, (..., 0), 3), m", "np.negative.at(m, (1, 2)), m", "np.add.at(m, 1, 1.0), m"),
        *("np.gradient(m, h)", "np.gradient(m, h, axis=(0, 1))", "np.gradient(m, h, h[:2])", "np.gradient(m, 1, 1, 1)"),
        *(
            "np.gradient(m, h, axis=1)",
            "np.gradient(m, np.array(2.0))",
            "np.gradient(m, h[:2], h)",
            "np.gradient(m, 2)",
        ),
        *("np.round(c.T, 1).strides", "np.round(c, -1).strides", "np.round(c[:, ::-1].T, 1).strides"),
        *("np.unique(h, axis=0.0)", "np.unique(h, axis=0)", "np.unique(h, axis=-1)", "np.unique(h, axis=1)"),
        *("np.pad(h, 0, 'minimum', stat_length=0)", "np.pad(h, 1, 'maximum', stat_length=(1, 0))"),
        *("np.pad(h, 2, 'minimum', stat_length=1)", "np.pad(h, (0, 1), 'mean', stat_length=(0, 2))"),
    ],
)
def test_corners_of_functions(text):
    m = numpy.arange(6.0).reshape(2, 3)
    check(text, m=m, z=numpy.array(3), h=numpy.array([1.0, 2.0, 4.0]), c=m + 1j * m[::-1])


@pytest.mark.parametrize("fold", ["sum", "prod", "nansum", "nanprod"])
@pytest.mark.parametrize("values", [[6e4, 6e4, -6e4], [300, 300, 0.001], [6e-8, 6e-8, 1e4], [2048] + [1] * 999])
def test_half_precision_is_folded_in_single(fold, values):
    for dtype in (None, "e"):
        made = []
        for module in (numpy, np):
            a = module.asarray(numpy.array(values, "e" if dtype is None else "d"))
            function = getattr(module, fold)
            made += [
                (float(function(a, dtype=dtype)), function(a, dtype=dtype).dtype.char),
                (numpy.asarray(function(module.stack([a, a]), axis=1, dtype=dtype)).tolist(),),
            ]
        assert made[:2] == made[2:]


def permuted(rng, shape, dtype):
    """An array of that shape whose axes lie in memory in random order."""
    order = rng.permutation(len(shape))
    made = rng.integers(0, 2 if dtype == "?" else 9, [shape[i] for i in order]).astype(dtype)
    return made, [int(i) for i in numpy.argsort(order)]


@pytest.mark.parametrize("fold", ["sum", "prod", "mean", "var", "std", "any", "all", "max", "min"])
def test_memory_order_of_masked_reductions(fold):
    rng = numpy.random.default_rng(3)
    options = {"initial": 4} if fold in ("max", "min") else {}
    for _ in range(200):
        shape = [int(n) for n in rng.integers(1, 4, rng.integers(1, 5))]
        mask_shape = [n if rng.random() < 0.7 else 1 for n in shape]
        (a, turn), (mask, turn_mask) = permuted(rng, shape, "d"), permuted(rng, mask_shape, "?")
        axes = tuple(i for i in range(len(shape)) if rng.random() < 0.5) or (0,)
        made = []
        for module in (numpy, np):
            x, where = module.asarray(a).transpose(turn), module.asarray(mask).transpose(turn_mask)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made.append(getattr(module, fold)(x, axis=axes, where=where, **options))
        want, got = made
        numpy.testing.assert_allclose(numpy.asarray(got), want, rtol=1e-13)
        if want.ndim and want.size:
            long = [i for i in range(want.ndim) if want.shape[i] > 1]
            assert [want.strides[i] for i in long] == [got.strides[i] for i in long]
