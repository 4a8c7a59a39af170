"""Every public name of NumPy is there, can be called where NumPy's can, and the share of native names is printed."""

import re
import types
import warnings
from pathlib import Path

import numpy
import pytest

np = pytest.importorskip("numloom")

MODULES = ("", "linalg", "fft", "random")

# Public callables that compute nothing with numeric arrays, by reason; the rest are the numeric names.
NOT_NUMERIC = {
    "settings, information and texts": """array2string array_repr array_str base_repr binary_repr errstate
        format_float_positional format_float_scientific get_include get_printoptions getbufsize geterr geterrcall info
        mintypecode printoptions set_printoptions setbufsize seterr seterrcall show_config show_runtime typename
        test""",
    "types": """broadcast_shapes isdtype issubdtype promote_types iterable isscalar""",
    "dates": """busday_count busday_offset datetime_as_string datetime_data is_busday isnat""",
    "files and buffers of bytes": """from_dlpack fromfile fromregex fromstring genfromtxt load loadtxt packbits save
        savetxt savez savez_compressed unpackbits""",
    "calls a Python function": """apply_along_axis apply_over_axes frompyfunc fromiter piecewise""",
    "subclasses of ndarray": """asmatrix bmat""",
    "memory": """may_share_memory nested_iters require shares_memory""",
    "plans a contraction, computes nothing": "einsum_path",
}
NOT_NUMERIC_RANDOM = {
    "the generator and its state": "default_rng get_state seed set_state",
    "bytes": "bytes",
}
LEFT_OUT = frozenset(" ".join(NOT_NUMERIC.values()).split())
LEFT_OUT_RANDOM = frozenset(" ".join(NOT_NUMERIC_RANDOM.values()).split())
LIST = Path(__file__).with_name("numeric_names.txt")  # the rest, checked in

# A call of each name that has no expression among those of the native names.
RANDOM = """beta(1, 2, 3) binomial(5, 0.5, 3) chisquare(2, 3) choice(5, 3) dirichlet([1, 2]) exponential(1, 3)
    f(1, 2, 3) gamma(1, 2, 3) geometric(0.5, 3) gumbel(0, 1, 3) hypergeometric(3, 4, 5, 2)
    laplace(0, 1, 3) logistic(0, 1, 3)
    lognormal(0, 1, 3) logseries(0.5, 3) multinomial(3, [0.5, 0.5]) multivariate_normal([0, 0], np.eye(2))
    negative_binomial(3, 0.5, 2) noncentral_chisquare(2, 1, 3) noncentral_f(2, 3, 1, 2) normal(0, 1, 3) pareto(2, 3)
    permutation(5) poisson(2, 3) power(2, 3) rand(3) randint(5, size=3) randn(3) random(3) random_integers(5, size=3)
    random_sample(3) ranf(3) rayleigh(1, 3) sample(3) shuffle(np.arange(5)) standard_cauchy(3) standard_exponential(3)
    standard_gamma(2, 3) standard_normal(3) standard_t(3, 2) triangular(0, 1, 2, 3) uniform(0, 1, 3)
    vonmises(0, 1, 3) wald(1, 1, 3) weibull(2, 3) zipf(3, 3)"""
FFT = {
    name: f"np.fft.{name}(x)"
    for name in ("fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn").split()
}
INTEGERS = ("gcd", "lcm", "ldexp", "invert")  # ufuncs that the test calls with integers, and those on bits


def calls_of_names():
    """A call for each numeric name."""
    from native_expressions import STATEMENTS, expressions

    found = {"fft." + name: text for name, text in FFT.items()}
    found |= {"concat": "np.concat([x, y])", "permute_dims": "np.permute_dims(x, (1, 0))"}
    found["vecmat"] = "np.vecmat(x, y.T)"
    for text in re.findall(r"\w+\((?:[^()]|\([^()]*\))*\)", RANDOM):
        found["random." + text.split("(")[0]] = "np.random." + text
    for text in [*(e for e, _ in expressions()), *STATEMENTS]:
        for name in re.findall(r"\bnp\.((?:linalg\.|fft\.)?\w+)\(", text):
            found.setdefault(name, text)
    for name in dir(numpy):
        if isinstance(getattr(numpy, name), numpy.ufunc):
            arguments = "ij" if "shift" in name or "bitwise" in name or name in INTEGERS else "xy"
            found.setdefault(name, f"np.{name}({', '.join(arguments[: getattr(numpy, name).nin])})")
    return found


CALLS = calls_of_names()


def namespaces(part):
    if not part:
        return numpy, np
    return getattr(numpy, part), getattr(np, part)


def public(module):
    """Names and values that NumPy documents."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(name, getattr(module, name)) for name in module.__all__]


@pytest.mark.parametrize("part", MODULES)
def test_every_name_is_there(part):
    theirs, ours = namespaces(part)
    for name, value in public(theirs):
        got = getattr(ours, name)
        assert callable(got) == callable(value), name
        assert isinstance(got, types.ModuleType) == isinstance(value, types.ModuleType), name
    assert set(theirs.__all__) <= set(dir(ours))


def test_types_and_constants_are_numpys():
    for name in ("float64", "int32", "dtype", "bool_", "generic", "integer", "finfo", "pi", "newaxis", "nan", "inf"):
        assert getattr(np, name) is getattr(numpy, name)
    assert np.ndarray is not numpy.ndarray and isinstance(numpy.ones(3), np.ndarray)
    with pytest.raises(AttributeError, match="module 'numloom' has no attribute 'no_such_name'"):
        _ = np.no_such_name


@pytest.mark.parametrize("name", ["lib.stride_tricks", "testing", "polynomial.polynomial", "char", "exceptions", "ma"])
def test_modules_can_be_imported(name):
    import importlib

    assert importlib.import_module("numloom." + name) is not None


def numeric_names():
    """The public functions of NumPy that compute with numeric arrays, from `__all__`: dotted below numpy."""
    found = []
    for part in MODULES:
        left_out = LEFT_OUT if part != "random" else LEFT_OUT_RANDOM
        found += [
            (part + "." if part else "") + name
            for name, value in public(namespaces(part)[0])
            if callable(value) and not isinstance(value, type | types.ModuleType) and name not in left_out
        ]
    return sorted(found)


def test_list_of_numeric_names_is_up_to_date():
    """numeric_names.txt has them all; names that the installed NumPy does not have yet, or no more, may be missing."""
    listed = set(LIST.read_text().split())
    assert set(numeric_names()) <= listed, "new names of NumPy: add them to numeric_names.txt, or leave them out"
    everything = {(part + "." if part else "") + name for part in MODULES for name, _ in public(namespaces(part)[0])}
    assert set(numeric_names()) == listed & everything


def runs(name, names):
    """Whether a call of `name` gives a result."""
    try:
        return eval(CALLS[name], dict(names)) is not NotImplemented
    except Exception as error:
        print(name, CALLS.get(name), repr(error))
        return False


def test_share_of_callable_and_native_names(capsys):
    """Every numeric name is called once; at least 85 % of them are done by the engine."""
    from native_expressions import inputs
    from numloom._registry import NATIVE
    from numloom._ufunc import ALIASES

    names = numeric_names()
    arrays = inputs(np)
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        called = [name for name in names if runs(name, arrays)]
    native = [name for name in names if name in NATIVE or ALIASES.get(name, name) in NATIVE]
    rows = []
    for part in MODULES:
        own = [n for n in names if n.rpartition(".")[0] == part]
        rows.append(f"{part or 'numpy'} {len(set(native) & set(own))} of {len(own)}")
    with capsys.disabled():
        print(
            f"\nnumeric names of NumPy: {len(called)} of {len(names)} can be called "
            f"({len(called) / len(names):.1%}), {len(native)} native ({len(native) / len(names):.1%}): "
            + ", ".join(rows)
        )
    assert called == names
    assert len(native) / len(names) >= 0.85


def test_results_of_host_functions_are_ours():
    for made in (
        np.bincount(np.array([1, 2, 2])),
        np.fft.fft(np.ones(4)),
        np.linalg.inv(np.eye(2)),
        np.r_[1, 2.0],
        np.random.default_rng(1).random(3),
        np.random.rand(2),
        np.histogram(np.arange(4))[0],
        np.linalg.eigh(np.eye(2)).eigenvectors,
        np.interp([1.5], [1, 2], [3.0, 4.0]),
        np.mgrid[:2, :2],
    ):
        assert type(made) is np.ndarray


def test_views_that_numpy_makes_are_views_of_ours():
    if np.mesh().size > 1:
        pytest.skip("memory over several devices is not in one piece: NumPy gets copies, written back")
    a = np.arange(12.0)
    windows = np.lib.stride_tricks.sliding_window_view(a, 3)
    a[1] = 50
    assert windows[0, 1] == 50 and windows[1, 0] == 50
    b = np.zeros((2, 2))
    np.put(b, [0, 3], 7)
    np.random.default_rng(0).shuffle(a)
    assert b.tolist() == [[7, 0], [0, 7]] and sorted(a.tolist()) != a.tolist()


def test_coverage_lists_what_ran_on_the_host():
    before = np.stats()["host_calls"]
    np.packbits(np.array([1, 0, 1], "u1"))
    assert np.stats()["host_calls"] == before + 1
    row = next(r for r in np.coverage() if r["name"] == "packbits")
    assert row["calls"] >= 1 and row["seconds"] > 0 and "sum" in np.coverage().native
    assert "packbits" in repr(np.coverage())


def test_callbacks_get_our_arrays():
    seen = []

    def total(line):
        seen.append(type(line))
        line[0] = -1
        return line.sum()

    made = np.apply_along_axis(total, 1, np.ones((2, 3)))
    assert made.tolist() == [1.0, 1.0] and set(seen) == {np.ndarray}
    padded = np.pad(np.ones(2), 1, lambda v, width, axis, kw: v.__setitem__(slice(0, width[0]), 77))
    assert padded.tolist() == [77, 1, 1, 0]


def test_ufuncs_are_ufuncs():
    for name in dir(numpy):
        if isinstance(getattr(numpy, name), numpy.ufunc):
            ours, theirs = getattr(np, name), getattr(numpy, name)
            assert isinstance(ours, np.ufunc) and ours.__name__ == theirs.__name__
            for attribute in ("nin", "nout", "nargs", "ntypes", "types", "identity", "signature"):
                assert getattr(ours, attribute) == getattr(theirs, attribute), (name, attribute)


def test_foreign_ufuncs_on_our_arrays():
    special = pytest.importorskip("scipy.special")
    x = np.linspace(-1, 1, 5)
    before = np.stats()["host_calls"]
    made = special.erf(x)
    assert type(made) is np.ndarray and np.stats()["host_calls"] == before
    numpy.testing.assert_allclose(numpy.asarray(made), special.erf(numpy.asarray(x)), rtol=1e-14)
    assert type(numpy.add(x, 1)) is np.ndarray and type(numpy.sum(x)) is not numpy.ndarray
    assert type(numpy.concatenate([x, x])) is np.ndarray


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("np.full(3, 300, dtype='u1')", OverflowError),
        ("np.full_like(np.ones(3, 'i1'), 1000)", OverflowError),
        ("np.zeros((2, -1))", ValueError),
        ("np.ones(3).reshape(2, 2)", ValueError),
        ("np.ones(3).reshape(3, order='x')", ValueError),
        ("np.ones((2, 3)).sum(axis=2)", ValueError),
        ("np.max(np.ones((0, 2)), axis=0)", ValueError),
        ("np.concatenate([np.ones(2), np.ones((2, 2))])", ValueError),
        ("np.ones(3)[[0, 3]]", IndexError),
        ("np.ones((2, 2))[np.ones(3, bool)]", IndexError),
        ("np.add(np.ones(3), 1, out=np.ones(3, int))", TypeError),
        ("np.ones((4, 1)) @ np.ones(3)", ValueError),
        ("np.linalg.inv(np.zeros((1, 1)))", ValueError),
        ("np.arange(3).astype('f8', casting='no')", TypeError),
        ("np.split(np.arange(5), 2)", ValueError),
        ("np.stack([np.ones(2), np.ones(3)])", ValueError),
        ("np.ones(3).take([5])", IndexError),
        ("np.broadcast_to(np.ones(3), (2, 2))", ValueError),
        ("np.zeros(2**62, 'f8')", (ValueError, MemoryError)),
    ],
)
def test_errors_are_numpys(text, error):
    raised = []
    for module in (numpy, np):
        with pytest.raises(error) as caught:
            eval(text, {"np": module})
        raised.append((type(caught.value).__name__, str(caught.value)))
    assert raised[0] == raised[1]
