"""Long draws: NumPy's stream where it was seeded, the right distribution where it was not."""

import math
import os
import pickle
import subprocess
import sys

import numpy
import pytest

nl = pytest.importorskip("numloom")

SIZES = (32768, 100_003, (300, 400), (2, 0, 5), 7)


@pytest.mark.parametrize("size", SIZES)
def test_seeded_draws_are_numpys_bit_for_bit(size):
    theirs, ours = numpy.random.default_rng(5), nl.random.default_rng(5)
    draws = (
        lambda r: r.integers(0, 10, 3, dtype="i4"),  # leaves half a word behind
        lambda r: r.random(size),
        lambda r: r.uniform(-2, 5.5, size),
        lambda r: r.integers(0, 1000, 7, dtype="i4"),
        lambda r: r.random(size, dtype="f4"),
        lambda r: r.standard_normal(size),
        lambda r: r.normal(1.0, 2.0, size),
        lambda r: r.random(),
    )
    for draw in draws:
        want, got = draw(theirs), numpy.asarray(draw(ours))
        assert got.shape == numpy.shape(want) and got.dtype == numpy.asarray(want).dtype
        numpy.testing.assert_array_equal(got, want)
    assert theirs.bit_generator.state == ours.bit_generator.state


def test_long_draws_are_made_by_the_engine():
    before = nl.stats()["host_calls"]
    seeded, free = nl.random.default_rng(1), nl.random.default_rng()
    for x in (seeded.random(40_000), seeded.uniform(1, 2, 40_000), free.random(40_000), free.standard_normal(40_000)):
        assert type(x) is nl.ndarray
        float(x[-1])
    assert nl.stats()["host_calls"] == before


def normal_below(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def test_unseeded_normal_numbers_are_normal():
    n = 1_000_000
    x = numpy.asarray(nl.random.default_rng().standard_normal(n))
    edges = numpy.array([-numpy.inf, *numpy.linspace(-4.0, 4.0, 81), numpy.inf])
    expected = n * numpy.diff([normal_below(e) for e in edges])
    found = numpy.histogram(x, edges)[0]
    chi2 = ((found - expected) ** 2 / expected).sum()
    degrees = len(expected) - 1
    assert abs(chi2 - degrees) < 6.0 * math.sqrt(2.0 * degrees)
    assert abs(x.mean()) < 6.0 / math.sqrt(n)
    assert abs((x**4).mean() - 3.0) < 6.0 * math.sqrt(96.0 / n)
    neighbours = numpy.corrcoef(x[:-1], x[1:])[0, 1]
    assert abs(neighbours) < 6.0 / math.sqrt(n)


def test_unseeded_generators_differ_and_go_on():
    one, other = nl.random.default_rng(), nl.random.default_rng()
    draws = [numpy.asarray(r.standard_normal(40_000)) for r in (one, one, other)]
    draws += [numpy.asarray(r.random(40_000)) for r in (one, one, other)]
    for i, a in enumerate(draws):
        for b in draws[:i]:
            assert not numpy.array_equal(a, b)
    shifted = numpy.asarray(one.normal(5.0, 0.5, 200_000))
    assert abs(shifted.mean() - 5.0) < 0.01 and abs(shifted.std() - 0.5) < 0.01


def kolmogorov_smirnov(sample, distribution):
    """The largest distance between two distribution functions, times the root of the sample's size."""
    x = numpy.sort(sample)
    below = distribution(x)
    ranks = numpy.arange(x.size + 1) / x.size
    return math.sqrt(x.size) * max((ranks[1:] - below).max(), (below - ranks[:-1]).max())


def free_draws(n):
    generator = nl.random.default_rng()
    return numpy.asarray(generator.random(n)), numpy.asarray(generator.standard_normal(n))


def test_unseeded_distributions_by_kolmogorov_and_smirnov():
    flat, normal = free_draws(1_000_000)
    cumulative = numpy.vectorize(normal_below)
    assert flat.min() >= 0.0 and flat.max() < 1.0
    assert kolmogorov_smirnov(flat, lambda x: x) < 2.6  # passed by chance once in 370,000 samples
    assert kolmogorov_smirnov(normal, cumulative) < 2.6


def test_unseeded_numbers_use_all_bits_and_reach_into_the_tails():
    flat, normal = free_draws(4_000_000)
    bits = (flat * 2.0**53).astype(numpy.int64)
    for i in range(53):
        assert abs((bits >> i & 1).mean() - 0.5) < 6.0 * 0.5 / math.sqrt(flat.size), i
    n = normal.size
    for edge in (3.0, 3.6541528853610088, 4.0, 4.5):  # the second is where the tail is drawn in another way
        for x in (normal, -normal):
            expected = n * normal_below(-edge)
            assert abs((x > edge).sum() - expected) < 6.0 * math.sqrt(expected) + 3, edge
    assert (normal > 0).mean() == pytest.approx(0.5, abs=6.0 * 0.5 / math.sqrt(n))
    assert numpy.unique(normal).size > n - 100


def test_unseeded_numbers_are_independent():
    flat, normal = free_draws(1_000_000)
    for x in (flat - 0.5, normal):
        x = (x - x.mean()) / x.std()
        for lag in (1, 2, 7, 8, 15, 16, 17, 32, 1024, 16384):
            assert abs((x[:-lag] * x[lag:]).mean()) < 6.0 / math.sqrt(x.size), lag
    pairs = numpy.histogram2d(flat[::2], flat[1::2], bins=32, range=((0, 1), (0, 1)))[0]
    expected = flat.size / 2 / 1024
    assert abs(((pairs - expected) ** 2 / expected).sum() - 1023) < 6.0 * math.sqrt(2.0 * 1023)


def philox_word(key, name, number):
    """The 64 random bits of a number of a stream: Philox4x32-10 in Python's integers."""
    counter = number // 16 * 8 + number % 8
    c = [counter & 0xFFFFFFFF, counter >> 32, 0, name]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(q >> 32) ^ c[1] ^ k[0], q & 0xFFFFFFFF, (p >> 32) ^ c[3] ^ k[1], p & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    low = number % 16 < 8
    return c[0] | c[1] << 32 if low else c[2] | c[3] << 32


def stream(name, key, label, first, n):
    out = nl._core.empty((n,), numpy.dtype(float))
    words = nl._core.from_host(numpy.array([key, label, first], dtype=numpy.uint64))
    return numpy.asarray(nl._core.library(name, (), out, words))


def test_the_counter_based_generator_is_philox():
    assert philox_word(0, 0, 0) == 0xE169C58D6627E8D5  # of the paper's known answers
    for key, name, first in ((0, 0, 0), (0x0123456789ABCDEF, 77, 2**40), (2**64 - 1, 2**32 - 1, 2**33 - 32)):
        got = stream("philox_uniform", key, name, first, 77)
        want = [(philox_word(key, name, first + i) >> 11) * 2.0**-53 for i in range(77)]
        assert got.tolist() == want


@pytest.mark.parametrize("name", ("philox_uniform", "philox_normal"))
def test_a_number_depends_on_its_position_alone(name):
    whole = stream(name, 5, 6, 0, 100_000)
    for first, n in ((0, 3), (16, 1000), (32768, 40_000), (99_984, 16)):
        numpy.testing.assert_array_equal(stream(name, 5, 6, first, n), whole[first : first + n])


def test_the_same_numbers_for_every_instruction_set_and_number_of_threads():
    program = (
        "import hashlib, numpy, numloom as nl\n"
        "def made(name, words, n):\n"
        "    out = nl._core.empty((n,), numpy.dtype(float))\n"
        "    words = nl._core.from_host(numpy.array(words, dtype=numpy.uint64))\n"
        "    return numpy.asarray(nl._core.library(name, (), out, words)).tobytes()\n"
        "for n in (1000, 300_003, 5_000_000):\n"
        "    for name, words in (('philox_uniform', (1, 2, 16)), ('philox_normal', (1, 2, 16)),\n"
        "                        ('pcg64_uniform', (1, 2, 3, 5))):\n"
        "        print(hashlib.sha256(made(name, words, n)).hexdigest())\n"
    )
    found = set()
    for instructions, threads in (("baseline", "1"), ("avx2", "2"), ("avx512", "1"), ("avx512", "3")):
        environment = {**os.environ, "NUMLOOM_CPU": instructions, "NUMLOOM_THREADS": threads}
        done = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True)
        found.add(done.stdout)
    assert len(found) == 1


def test_who_asks_for_the_state_gets_numpys_stream():
    for draw in (lambda r: r.random(50_000), lambda r: r.standard_normal(50_000), lambda r: r.normal(2, 3, 50_000)):
        generator = nl.random.default_rng()
        numpy.asarray(draw(generator))
        theirs = numpy.random.default_rng()
        theirs.bit_generator.state = generator.bit_generator.state
        for _ in range(2):
            numpy.testing.assert_array_equal(numpy.asarray(draw(generator)), draw(theirs))
        assert generator.bit_generator.state == theirs.bit_generator.state
        generator = nl.random.default_rng()
        copied = pickle.loads(pickle.dumps(generator))
        numpy.testing.assert_array_equal(numpy.asarray(draw(generator)), numpy.asarray(draw(copied)))


LEGACY = (
    lambda r: r.random_sample(50_001),
    lambda r: r.randint(0, 9, 3),
    lambda r: r.rand(3, 20_000),
    lambda r: r.bytes(2) and r.rand(70_000),  # an odd number of words before
    lambda r: r.uniform(-2.5, 3, (200, 201)),
    lambda r: r.randn(40_000),
    lambda r: r.random(65_536),
    lambda r: r.rand(5),
    lambda r: r.normal(1, 2, 50_000),
    lambda r: r.rand(),
)


@pytest.mark.parametrize("seed", (0, 1, 12345))
def test_seeded_legacy_draws_are_numpys_bit_for_bit(seed):
    theirs, ours = numpy.random.RandomState(seed), nl.random.RandomState(seed)
    for _ in range(2):
        for draw in LEGACY:
            want, got = draw(theirs), numpy.asarray(draw(ours))
            assert got.shape == numpy.shape(want) and got.dtype == numpy.asarray(want).dtype
            numpy.testing.assert_array_equal(got, want)
    numpy.testing.assert_array_equal(numpy.asarray(ours.get_state()[1]), theirs.get_state()[1])


def test_seeded_module_functions_are_numpys_bit_for_bit():
    theirs = numpy.random.RandomState(7)
    for module in (nl.random, numpy.random):  # a seed that is set in NumPy counts too
        module.seed(7)
        theirs.seed(7)
        for draw in LEGACY:
            numpy.testing.assert_array_equal(numpy.asarray(draw(nl.random)), draw(theirs))
    kept = nl.random.get_state()
    first = numpy.asarray(nl.random.rand(40_000))
    nl.random.set_state(kept)
    numpy.testing.assert_array_equal(numpy.asarray(nl.random.rand(40_000)), first)


def test_unseeded_legacy_draws_are_made_by_the_engine():
    program = (
        "import numloom as nl, numpy\n"
        "x = [nl.random.rand(40_000), nl.random.randn(40_000), nl.random.uniform(1, 2, 40_000)]\n"
        "state = nl.random.RandomState()\n"
        "x += [state.random_sample(40_000), state.normal(5, 0.5, 40_000)]\n"
        "nl.eval(*x)\n"
        "assert nl.stats()['host_calls'] == 0, nl.stats()\n"
        "means = [float(a.mean()) for a in x]\n"
        "assert all(abs(a - b) < 0.05 for a, b in zip(means, [0.5, 0, 1.5, 0.5, 5])), means\n"
        "numpy.random.seed(3)\n"
        "want = numpy.random.RandomState(3)\n"
        "assert numpy.array_equal(numpy.asarray(nl.random.rand(40_000)), want.rand(40_000))\n"
        "state.get_state()\n"
        "theirs = numpy.random.RandomState(); theirs.set_state(state.get_state(legacy=False))\n"
        "assert numpy.array_equal(numpy.asarray(state.rand(40_000)), theirs.rand(40_000))\n"
        "assert numpy.array_equal(numpy.asarray(state.randn(40_000)), theirs.randn(40_000))\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    "draw",
    [
        lambda r, np: r.multinomial(np.empty((10, 0, 6), "i8"), [1 / 6] * 6),
        lambda r, np: r.multinomial(12, np.empty((10, 0, 10))),
        lambda r, np: r.multinomial(np.empty((3, 0, 7), "i8"), np.empty((3, 0, 7, 4))),
        lambda r, np: r.multinomial(3, [0.5, 0.5], size=(2, 0)),
        lambda r, np: r.dirichlet([1.0, 2.0], size=0),
        lambda r, np: r.multivariate_hypergeometric([2, 3], 2, size=(0, 3)),
        lambda r, np: r.multivariate_normal([0.0, 1.0], np.eye(2), size=0),
    ],
)
def test_rows_of_numbers_that_nobody_wants(draw):
    shapes = [draw(module.random.default_rng(3), module).shape for module in (nl, numpy)]
    assert shapes[0] == shapes[1]
