"""Every distribution of NumPy's generators, drawn by the library: the same numbers, types, states and errors."""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import pytest
import random_calls

nl = pytest.importorskip("numloom")

BITS = ("PCG64", "MT19937", "Philox", "SFC64", "PCG64DXSM")
PLAIN_TYPES = (int, float, bool, numpy.generic)


def same(got, want):
    """What ours gave is what NumPy gave: type of scalars, shape, dtype, bits."""
    if want is None:
        return got is None
    if isinstance(want, numpy.ndarray):
        if type(got) is not nl.ndarray:
            return False
        got = numpy.asarray(got)
        return got.dtype == want.dtype and got.shape == want.shape and numpy.array_equal(got, want, equal_nan=True)
    return type(got) is type(want) and (got == want or got != got and want != want)


def generators(module, bits, seed, legacy):
    made = getattr(module.random, bits)(seed)
    return (module.random.RandomState if legacy else module.random.Generator)(made)


def state(generator, legacy):
    return str(generator.get_state(legacy=False) if legacy else generator.bit_generator.state)


def called(generator, call):
    name, args, keywords = call
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(generator, name)(*args, **keywords)


@pytest.mark.parametrize("legacy", (False, True))
@pytest.mark.parametrize("bits", BITS)
def test_random_sequences_of_draws(bits, legacy):
    """Draws of ours and of NumPy's code from one bit generator, in any order."""
    for seed in range(3):
        theirs, ours = generators(numpy, bits, seed, legacy), generators(nl, bits, seed, legacy)
        mixed = generators(nl, bits, seed, legacy)  # every third draw by NumPy's code
        base = numpy.random.RandomState if legacy else numpy.random.Generator
        wanted, given = (random_calls.calls(seed, 60, m, legacy) for m in (numpy, nl))
        for i, (want_call, call) in enumerate(zip(wanted, given, strict=True)):
            want = called(theirs, want_call)
            got = called(ours, call)
            assert same(got, want), (seed, i, call, got, want)
            if i % 3:
                assert same(called(mixed, call), want), (seed, i, call)
            else:
                name, args, keywords = want_call
                getattr(base, name)(mixed, *args, **keywords)
            assert state(ours, legacy) == state(theirs, legacy) == state(mixed, legacy), (seed, i, call)


def test_module_functions_draw_numpys_numbers():
    numpy.random.seed(11)  # noqa: NPY002 (the stream of the module functions)
    theirs = numpy.random.RandomState(11)
    for want_call, call in zip(*(random_calls.calls(3, 150, m, True) for m in (numpy, nl)), strict=True):
        if hasattr(nl.random, call[0]):
            assert same(called(nl.random, call), called(theirs, want_call)), call
    numpy.testing.assert_array_equal(nl.random.get_state()[1], theirs.get_state()[1])


@pytest.mark.parametrize("n", (1, 2047, 2048, 40_001))
@pytest.mark.parametrize("bits", ("PCG64", "MT19937"))
def test_long_draws(bits, n):
    for legacy in (False, True):
        theirs, ours = generators(numpy, bits, 5, legacy), generators(nl, bits, 5, legacy)
        for name, kinds in random_calls.CONTINUOUS.items():
            args = [random_calls.VALUES[k][2] for k in kinds]
            want, got = getattr(theirs, name)(*args, size=n), getattr(ours, name)(*args, size=n)
            assert same(got, want), (name, legacy)
        if not legacy:
            for name in ("random", "standard_normal", "standard_exponential"):
                for _ in range(2):
                    assert same(getattr(ours, name)(n, "f4"), getattr(theirs, name)(n, "f4")), name
        for dtype in random_calls.DTYPES:
            name = "randint" if legacy else "integers"
            assert same(getattr(ours, name)(0, 2, n, dtype), getattr(theirs, name)(0, 2, n, dtype)), dtype
            if dtype != "?":
                assert same(getattr(ours, name)(3, 120, n, dtype), getattr(theirs, name)(3, 120, n, dtype)), dtype
        x, y = nl.arange(n), numpy.arange(n)
        ours.shuffle(x)
        theirs.shuffle(y)
        assert same(x, y)
        assert state(ours, legacy) == state(theirs, legacy)


def test_shuffles_of_views():
    for axis in (0, 1, -1):
        theirs, ours = numpy.random.default_rng(2), nl.random.default_rng(2)
        y = numpy.arange(60.0).reshape(3, 5, 4)
        x = nl.array(y)
        ours.shuffle(x[::-1, ::2, 1:], axis=axis)
        theirs.shuffle(y[::-1, ::2, 1:], axis=axis)
        assert same(x, y)
        assert same(ours.permutation(x[:, ::-2], axis=axis), theirs.permutation(y[:, ::-2], axis=axis))


def test_warnings_are_at_the_users_line():
    for function in (nl.random.random_integers, nl.random.RandomState(1).random_integers):
        with pytest.warns(DeprecationWarning, match=r"deprecated. Please call randint\(1, 5 \+ 1\)") as seen:
            function(5)
        assert seen[0].filename == __file__


def test_out():
    for dtype in ("f8", "f4"):
        for name in ("random", "standard_normal", "standard_exponential", "standard_gamma"):
            theirs, ours = numpy.random.default_rng(4), nl.random.default_rng(4)
            args = (2.0,) if name == "standard_gamma" else ()
            y, x = numpy.zeros((3, 4), dtype), nl.zeros((3, 4), dtype)
            want = getattr(theirs, name)(*args, dtype=dtype, out=y)
            assert getattr(ours, name)(*args, dtype=dtype, out=x) is x and want is y
            assert same(x, y)
            for bad in (x[::2], x[:, ::2], nl.zeros((3, 4), "i4")):
                with pytest.raises((ValueError, TypeError)):
                    getattr(ours, name)(*args, dtype=dtype, out=bad)


def raised(function, args, keywords):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*args, **keywords)
    except Exception as error:
        return type(error).__name__, str(error)
    return None


def test_errors_are_numpys():
    for legacy in (False, True):
        theirs, ours = generators(numpy, "MT19937", 1, legacy), generators(nl, "MT19937", 1, legacy)
        integers = "randint" if legacy else "integers"
        refused = random_calls.REFUSED + [(integers, *rest) for rest in random_calls.REFUSED_INTEGERS]
        for name, args, keywords in refused:
            want = raised(getattr(theirs, name), args, keywords)
            assert raised(getattr(ours, name), args, keywords) == want, (name, args, keywords)
            arrays = [nl.array(a) if type(a) is list else a for a in args]
            if name != "dirichlet":
                assert raised(getattr(ours, name), arrays, keywords) == raised(
                    getattr(theirs, name), [numpy.array(a) if type(a) is list else a for a in args], keywords
                ), (name, args, keywords)
        assert state(ours, legacy) == state(theirs, legacy)
    unseeded = nl.random.default_rng()
    for name, args, keywords in random_calls.REFUSED:
        if not args or len(args) < 3:
            many = {**keywords, "size": 40_000} if name not in ("shuffle", "choice") else keywords
            assert raised(getattr(unseeded, name), args, many) == raised(
                getattr(numpy.random.default_rng(), name), args, many
            ), (name, args)


@pytest.mark.parametrize(
    "draw", ("normal()", "standard_exponential()", "exponential(size=3)", "gamma(3.0)", "wald(1, 2)")
)
def test_the_first_draw_of_a_process(draw):
    program = f"""if True:
        import numpy, numloom
        want, got = [m.random.default_rng(7).{draw} for m in (numpy, numloom)]
        assert numpy.array_equal(want, got), (want, got)
        want, got = [m.random.RandomState(7).{draw} for m in (numpy, numloom)]
        assert numpy.array_equal(want, got), (want, got)
    """
    subprocess.run([sys.executable, "-c", program], check=True)


HONEST = """
import sys, types, warnings
sys.path.insert(0, sys.argv[1])
warnings.simplefilter("ignore")
import numpy, json
import numloom as np
import numloom._fallback, random_calls

work = []
for legacy in (False, True):
    for seed in range(3):
        work += [(seed, legacy, call) for call in random_calls.calls(seed, 120, np, legacy)]

seeded = {True: np.random.RandomState(3), False: np.random.Generator(np.random.PCG64(3))}
free = {True: np.random.RandomState(), False: np.random.default_rng()}

def refuse(name):
    def raising(*args, **kwargs):
        raise AssertionError("numpy." + name + " was called")
    return raising

allowed = set(json.loads(sys.argv[2]))
modules = (numpy, numpy.linalg, numpy.fft, numpy.random)
for module, name, value in [(m, name, getattr(m, name)) for m in modules for name in m.__all__]:
    if not isinstance(value, (type, types.ModuleType)) and callable(value) and name not in allowed:
        stub = refuse(name)
        if isinstance(value, numpy.ufunc):
            stub.resolve_dtypes = value.resolve_dtypes
        setattr(module, name, stub)
numloom._fallback.call = refuse("(the fallback)")

failed = 0
for seed, legacy, (name, args, keywords) in work:
    for generator in (seeded[legacy], free[legacy]):
        try:
            made = getattr(generator, name)(*args, **keywords)
            np.eval(*([made] if type(made) is np.ndarray else []))
        except Exception as error:
            failed += 1
            args = [type(a) if hasattr(a, "dtype") else a for a in args]
            print(name, args, list(keywords.items()), repr(error), file=sys.stderr)
assert np.stats()["host_calls"] == 0
sys.exit(failed != 0)
"""


def test_draws_do_without_numpys_code():
    from test_no_numpy_inside import ALLOWED

    command = [sys.executable, "-c", HONEST, str(Path(__file__).parent), json.dumps(ALLOWED)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


# ------------------------------------------------------------------------------------------- counter-based streams
NUMBERS = nl._core.distributions()
FREE = [
    (
        name,
        [
            random_calls.VALUES[k][3 if k not in ("few", "many") else 1]
            if len(random_calls.VALUES[k]) > 3
            else random_calls.VALUES[k][1]
            for k in kinds
        ],
    )
    for name, kinds in random_calls.CONTINUOUS.items()
]


def free(name, parameters, n, first=0, key=2**63 + 12345):
    return numpy.asarray(nl._core.draw_free(key, 7, first, NUMBERS.index(name), None, n, *parameters))


def distance(x, y):
    """Kolmogorov and Smirnov's distance of two samples, times the root of half their size."""
    both = numpy.sort(numpy.concatenate([x, y]))
    below = [numpy.searchsorted(numpy.sort(z), both, "right") / z.size for z in (x, y)]
    return abs(below[0] - below[1]).max() * (x.size / 2) ** 0.5


@pytest.mark.parametrize(("name", "parameters"), FREE)
def test_free_numbers_have_the_distribution_of_numpys(name, parameters):
    """The streams are fixed, so that this passes always or never."""
    n = 200_000
    theirs = getattr(numpy.random.default_rng(99), name)(*parameters, size=n)
    if name == "uniform":
        parameters = (parameters[0], parameters[1] - parameters[0])
    whole = [i for i, k in enumerate(random_calls.CONTINUOUS[name]) if k in ("n", "many", "few")]
    parameters = [x if i in whole else float(x) for i, x in enumerate(parameters)]
    ours = free(name, parameters, n)
    assert ours.dtype == theirs.dtype and distance(ours.astype(float), theirs.astype(float)) < 2.0
    flat = ours - ours.mean()
    if numpy.isfinite(ours).all() and name not in ("standard_cauchy", "zipf", "pareto", "wald", "f") and ours.std() > 0:
        for lag in (1, 2, 64, 16384):
            assert abs((flat[:-lag] * flat[lag:]).mean()) < 6.0 * ours.var() / n**0.5, lag


@pytest.mark.parametrize("dtype", ("i1", "u2", "i4", "u8", "?"))
def test_free_integers_are_even(dtype):
    n, count = 300_000, 2 if dtype == "?" else 100
    x = numpy.asarray(nl.random.default_rng().integers(0, count, n, dtype))
    assert x.dtype == dtype
    found = numpy.bincount(x.astype(int), minlength=count)
    assert found.size == count
    chi2 = ((found - n / count) ** 2 / (n / count)).sum()
    assert abs(chi2 - (count - 1)) < 8.0 * (2.0 * (count - 1)) ** 0.5 + 3


def test_free_numbers_depend_on_their_position_alone():
    whole = free("gamma", (2.5, 1.0), 100_000)
    numpy.testing.assert_array_equal(free("gamma", (2.5, 1.0), 20_000, 16384), whole[16384:36384])
    scales = numpy.linspace(1.0, 2.0, 100_000)
    numpy.testing.assert_array_equal(free("gamma", (2.5, scales), 100_000), whole * scales)


def test_unseeded_draws_of_everything_long():
    before = nl.stats()["host_calls"]
    for generator in (nl.random.default_rng(), nl.random.RandomState()):
        for name, parameters in FREE:
            x = getattr(generator, name)(*parameters, size=(200, 200))
            y = getattr(generator, name)(*[nl.full((200, 200), p) for p in parameters], size=(200, 200))
            assert type(x) is type(y) is nl.ndarray and x.shape == y.shape and x.dtype == y.dtype
            assert name in ("binomial",) or not numpy.array_equal(numpy.asarray(x), numpy.asarray(y)), name
    assert nl.stats()["host_calls"] == before


def test_unseeded_multivariate_normal():
    generator, cov = nl.random.default_rng(), [[2.0, 0.6], [0.6, 1.0]]
    for method in ("svd", "eigh", "cholesky"):
        x = numpy.asarray(generator.multivariate_normal([1.0, -2.0], cov, 100_000, method=method))
        assert x.shape == (100_000, 2) and abs(x.mean(0) - [1, -2]).max() < 0.05
        assert abs(numpy.cov(x.T) - cov).max() < 0.08
    with pytest.warns(RuntimeWarning, match="covariance is not symmetric positive-semidefinite."):
        generator.multivariate_normal([0, 0], [[1, 2], [2, 1]])
    with pytest.raises(ValueError, match="covariance is not symmetric positive-semidefinite."):
        generator.multivariate_normal([0, 0], [[1, 2], [2, 1]], check_valid="raise", method="eigh")
