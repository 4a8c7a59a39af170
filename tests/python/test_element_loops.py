"""Loops that store single elements: into one array, into several in turn, with reads of all kinds between."""

import itertools

import numloom
import numpy
import pytest


def filled(module, arrays, reads, n=60):
    rng = numpy.random.default_rng(arrays)
    made = [module.zeros(n) + k for k in range(arrays)]
    source = module.arange(float(n)) * 0.5
    seen = []
    for i in range(1, n):
        for k, a in enumerate(made):
            a[i] = source[i - 1] + 0.25 * k
            if reads == "element":
                seen.append(float(a[i - 1]))
            elif reads == "sum" and rng.random() < 0.1:
                seen.append(float(a.sum()))
            elif reads == "operation" and rng.random() < 0.2:
                made[(k + 1) % arrays] += a * 0.5
            elif reads == "view" and rng.random() < 0.2:
                a[2:i:3] -= made[(k + 1) % arrays][::-1][2:i:3]
    return [numpy.asarray(a) for a in made] + [seen]


READS = ["none", "element", "sum", "operation", "view"]


@pytest.mark.parametrize("arrays, reads", list(itertools.product([1, 2, 3, 6], READS)))
def test_stores_in_turn(arrays, reads):
    for want, got in zip(filled(numpy, arrays, reads), filled(numloom, arrays, reads), strict=True):
        assert numpy.array_equal(want, got)


@pytest.mark.skipif(numloom.mesh().size > 1, reason="several devices record every store")
@pytest.mark.parametrize("arrays", [1, 2, 4])
def test_most_stores_are_not_recorded(arrays):
    numloom.eval()
    before = numloom.stats()["instructions"]
    filled(numloom, arrays, "none", 500)
    assert numloom.stats()["instructions"] - before < 20 * arrays + 20


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "power", "maximum", "less", "arctan2"])
def test_scalars_of_numpy_on_the_left(name):
    theirs = numpy.linspace(0.5, 3, 6)
    ours = numloom.array(theirs)
    numbers = (numpy.float64(1.5), numpy.float32(1.5), numpy.int64(2), numpy.uint8(2), numpy.complex64(1 + 2j), True)
    for number in numbers:
        if name in ("arctan2",) and isinstance(number, numpy.complexfloating):
            continue
        for a, b in (
            (theirs, ours),
            (theirs.astype("f4"), numloom.array(theirs.astype("f4"))),
            (numpy.arange(1, 5, dtype="i2"), numloom.arange(1, 5, dtype="i2")),
        ):
            if name == "power" and b.dtype == "i2" and isinstance(number, bool):
                continue
            want, got = getattr(numpy, name)(number, a), getattr(numpy, name)(number, b)
            assert type(got) is numloom.ndarray and got.dtype == want.dtype
            assert numpy.allclose(want, numpy.asarray(got), rtol=1e-6 if want.dtype.char in "fF" else 1e-14)
