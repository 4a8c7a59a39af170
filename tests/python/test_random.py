"""Long draws: NumPy's stream where it was seeded, the right distribution where it was not."""

import math

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
