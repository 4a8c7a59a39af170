"""iter() over arrays: elements or rows, in order, until the end, also when pickled half way."""

import copy
import pickle

import numloom
import numpy
import pytest


@pytest.mark.parametrize("shape", [(0,), (1,), (5,), (3, 2), (2, 0), (4, 1, 2)])
@pytest.mark.parametrize("dtype", ["f8", "i4", "?", "c16"])
def test_the_same_items(shape, dtype):
    theirs = numpy.arange(numpy.prod(shape)).reshape(shape).astype(dtype)
    for ours in (numloom.array(theirs), ~~numloom.array(theirs) if dtype == "?" else numloom.array(theirs) * 1):
        items = list(ours)
        assert len(items) == shape[0]
        for got, want in zip(items, theirs, strict=True):
            assert type(numpy.asarray(got)[()]) is type(numpy.asarray(want)[()])
            assert numpy.array_equal(numpy.asarray(got), want)


def test_rows_are_views():
    a = numloom.zeros((3, 2))
    for k, row in enumerate(a):
        row += k
    assert a.tolist() == [[0, 0], [1, 1], [2, 2]]


def test_the_iterator_itself():
    it = iter(numloom.arange(4))
    assert iter(it) is it and it.__length_hint__() == 4 and next(it) == 0
    for other in (copy.copy(it), pickle.loads(pickle.dumps(it))):
        assert [int(x) for x in other] == [1, 2, 3]
    assert [int(x) for x in it] == [1, 2, 3]
    assert list(it) == [] and it.__length_hint__() == 0 and list(copy.copy(it)) == []
    with pytest.raises(TypeError, match="0-d"):
        iter(numloom.array(1.0))
