"""Matrix products of small and strided factors: computed at the call where the values are there, else recorded."""

import itertools

import numloom
import numpy
import pytest

DTYPES = ["?", "i1", "i4", "i8", "u2", "f2", "f4", "f8", "c8", "c16"]


def values(rng, shape, dtype):
    made = rng.integers(-3, 4, shape)
    if numpy.dtype(dtype).kind == "c":
        made = made + 1j * rng.integers(-3, 4, shape)
    return made.astype(dtype)


VIEWS = {
    "row": lambda x: x[3, 1:9],
    "column": lambda x: x[1:9, 3],
    "reversed": lambda x: x[4, 8:0:-1],
    "stepped": lambda x: x[::2, 5][:8],
    "constant": lambda x: (
        numpy.broadcast_to(x[0, 0], (8,)) if isinstance(x, numpy.ndarray) else numloom.broadcast_to(x[0, 0], (8,))
    ),
    "block": lambda x: x[1:9, 2:10],
    "transposed block": lambda x: x[1:9, 2:10].T,
    "dense": lambda x: x[:8],
    "flipped": lambda x: x[8:0:-1, 10:2:-1],
    "turned": lambda x: x.T[:, :8],
}


def square(view):
    """Eight by eight, or eight."""
    return view[..., :8] if view.ndim == 2 else view


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_factors_of_any_layout(dtype, pending):
    rng = numpy.random.default_rng(5)
    memory = values(rng, (16, 12), dtype)
    for first, second in itertools.product(VIEWS, VIEWS):
        ours = numloom.array(memory)
        theirs = memory
        if pending:  # values that are not there yet
            ours, theirs = ours + ours, memory + memory
        want = square(VIEWS[first](theirs))[:8] @ square(VIEWS[second](theirs))[:8]
        made = square(VIEWS[first](ours))[:8] @ square(VIEWS[second](ours))[:8]
        got = numpy.asarray(made)
        assert got.dtype == want.dtype and got.shape == want.shape, (first, second)
        assert numpy.array_equal(got, want), (first, second)
        assert (want.ndim == 0) == isinstance(made, numpy.generic), (first, second)


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 1, 5), (40, 3, 2), (2, 900, 1), (100, 100, 100), (300, 5, 7)])
def test_same_bits_pending_or_not(shape):
    m, k, n = shape
    rng = numpy.random.default_rng(m)
    a, b = rng.standard_normal((m, 2 * k))[:, ::2], rng.standard_normal((2 * n, k)).T[:, ::2]
    x, y = numloom.array(rng.standard_normal((m, 2 * k))), numloom.array(rng.standard_normal((2 * n, k)))
    x[:, ::2], y[::2] = a, b.T
    numloom.eval()
    now = numpy.asarray(x[:, ::2] @ y.T[:, ::2])
    x[:, ::2], y[::2] = a, b.T  # not yet run
    later = numpy.asarray(x[:, ::2] @ y.T[:, ::2])
    assert now.tobytes() == later.tobytes()
    assert numpy.allclose(now, a @ b, rtol=1e-12, atol=1e-12)


def test_a_product_is_a_snapshot():
    a = numloom.array(numpy.arange(16.0).reshape(4, 4))
    made = a[:, 1] @ a[:, 2:]
    a[...] = 0
    assert (
        numpy.asarray(made).tolist()
        == (numpy.arange(16.0).reshape(4, 4)[:, 1] @ numpy.arange(16.0).reshape(4, 4)[:, 2:]).tolist()
    )


def test_views_of_small_arrays_record_nothing():
    a = numloom.array(numpy.arange(16.0).reshape(4, 4))
    numloom.eval()
    before = numloom.stats()["instructions"]
    assert float(a[:, 1] @ a[2]) == float(numpy.arange(1.0, 16.0, 4.0) @ numpy.arange(8.0, 12.0))
    assert numloom.mesh().size > 1 or numloom.stats()["instructions"] == before


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shapes",
    [
        ((0,), (0,)),
        ((3, 0), (0,)),
        ((0,), (0, 2)),
        ((3, 0), (0, 2)),
        ((0, 4), (4, 2)),
        ((0, 4), (4,)),
        ((2, 4), (4, 0)),
    ],
)
def test_sums_of_nothing(dtype, shapes):
    a, b = (numpy.ones(shape, dtype) for shape in shapes)
    x, y = numloom.array(a), numloom.array(b)
    for function in ("matmul", "dot"):
        want, got = getattr(numpy, function)(a, b), getattr(numloom, function)(x, y)
        assert numpy.asarray(got).dtype == want.dtype and got.shape == want.shape
        assert numpy.array_equal(numpy.asarray(got), want)


def test_elimination_by_elements_stays_at_the_call():
    rng = numpy.random.default_rng(2)
    memory = rng.random((12, 12)) + 12 * numpy.eye(12)
    made = []
    for module in (numpy, numloom):
        a = module.array(memory)
        for i in range(12):
            for j in range(i):
                a[i, j] -= a[i, :j] @ a[:j, j]
                a[i, j] /= a[j, j]
            for j in range(i, 12):
                a[i, j] -= a[i, :i] @ a[:i, j]
        made.append(numpy.asarray(a))
    assert numpy.allclose(*made, rtol=1e-12, atol=0)
