"""Memory shared with NumPy and others: buffers, __array__, DLPack, host views, adopted arrays."""

import gc
import weakref

import numloom
import numpy as np
import pytest
from core_cases import CODES, ours, random_pair, same, values
from numloom import _core

# With several devices a storage is in pieces: it exports read-only copies and shares nobody's memory.
SHARDED = numloom.mesh().size > 1
one_piece = pytest.mark.skipif(SHARDED, reason="several devices: a sharded storage exports a copy")


@pytest.mark.parametrize("code", CODES)
def test_there_and_back(code):
    rng = np.random.default_rng(1)
    for _ in range(20):
        a, b = random_pair(rng, code)
        same(_core.to_host(b), np.ascontiguousarray(a).reshape(a.shape))
        same(np.array(b), a)
        same(np.asarray(b), a)
        same(np.asarray(memoryview(b)), a)
        same(_core.from_host(a), a)
        assert memoryview(b).nbytes == a.nbytes
        assert memoryview(b).shape == a.shape


@one_piece
def test_asarray_shares_memory():
    x = numloom.arange(6.0)
    a = np.asarray(x)
    x += 1
    assert a.tolist() == [1, 2, 3, 4, 5, 6]
    a[0] = 10
    same(x * 2, np.array([20.0, 4, 6, 8, 10, 12]))
    x[1] = 7
    assert a[1] == 7
    x[2:] = 0
    assert a.sum() == 17


@pytest.mark.skipif(not SHARDED, reason="one device: memory is shared")
def test_sharded_arrays_export_read_only_copies():
    x = numloom.arange(600_000.0)
    x += 1
    a = np.asarray(x)
    same(a, np.arange(600_000.0) + 1)
    assert not a.flags.writeable
    assert memoryview(x).readonly
    assert _core.host_view(x) is None
    with pytest.raises(ValueError, match="can be shared only"):
        _core.adopt(np.arange(3.0), shared=True)
    same(_core.adopt(np.arange(3.0)), np.arange(3.0))


def test_copies_do_not_share():
    x = numloom.arange(3.0)
    a = np.array(x)
    a[0] = 9
    assert float(x[0]) == 0
    assert np.asarray(x, dtype="f").dtype == np.dtype("f")
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        x.__array__(np.dtype("f"), copy=False)
    assert x.__array__(copy=True) is not x.__array__()


@one_piece
def test_read_only_views_export_read_only():
    x = numloom.broadcast_to(numloom.arange(3.0), (2, 3))
    assert memoryview(x).readonly
    assert not np.asarray(x).flags.writeable
    with pytest.raises(BufferError):
        np.frombuffer(memoryview(numloom.arange(6.0)[::2]), "d")


def test_buffers_keep_memory_alive():
    x = numloom.arange(100_000.0)
    m = memoryview(x)
    del x
    gc.collect()
    junk = [numloom.ones(100_000) for _ in range(5)]
    _core.flush()
    assert m[99_999] == 99_999.0
    assert len(junk) == 5


@one_piece
def test_host_views():
    rng = np.random.default_rng(2)
    for code in CODES:
        a, b = random_pair(rng, code)
        same(_core.host_view(b), a)
    x = numloom.zeros((3, 4))
    v = _core.host_view(x[1:, ::-2], True)
    v[...] = 5
    same(x, np.array([[0, 0, 0, 0], [0, 5, 0, 5], [0, 5, 0, 5]], float))
    assert not _core.host_view(x, False).flags.writeable
    assert isinstance(v.base, _core.pin)


@one_piece
def test_adopt():
    a = np.arange(12.0).reshape(3, 4)[:, ::-1]
    x = _core.adopt(a, shared=True)
    assert x.strides == a.strides
    same(x, a)
    a[0, 0] = 100
    assert float(x[0, 0]) == 100
    x[1] = 7
    _core.flush()
    assert a[1].tolist() == [7] * 4
    same(x.T + 1, a.T + 1)

    owner = np.arange(1000.0)
    alive = weakref.ref(owner)
    y = _core.adopt(owner)
    del owner
    same(y, np.arange(1000.0))
    del y
    _core.flush()
    gc.collect()
    assert alive() is None

    frozen = np.arange(3.0)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        _core.adopt(frozen, shared=True)[0] = 1


def test_foreign_dtypes_are_refused():
    for a in (np.array(["a"]), np.array([None]), np.zeros(2, "M8[s]"), np.zeros(2, ">f8"), np.zeros(2, "g")):
        with pytest.raises(TypeError):
            _core.from_host(a)
    with pytest.raises(TypeError):
        _core.from_host([1, 2])


def test_dlpack():
    x = numloom.arange(6.0).reshape(2, 3)
    a = np.from_dlpack(x)
    same(a, np.arange(6.0).reshape(2, 3))
    x += 1
    _core.flush()
    assert a[0, 0] == (0 if SHARDED else 1)
    assert x.__dlpack_device__() == (1, 0)


def test_views():
    a = np.arange(24.0).reshape(2, 3, 4)
    x = ours(a)
    same(_core.permute_view(x, (2, 0, 1)), a.transpose(2, 0, 1))
    same(_core.reshape_view(x, (4, 6)), a.reshape(4, 6))
    assert _core.reshape_view(x.T, (24,)) is None
    same(_core.broadcast_view(x[0, 0], (5, 4)), np.broadcast_to(a[0, 0], (5, 4)))
    same(_core.view(x, (2, 2), (96, 16), 8), np.lib.stride_tricks.as_strided(a.ravel()[1:], (2, 2), (96, 16)))
    for bad in ((100,), (8,), 0), ((2,), (8,), -8), ((2,), (8,), 184):
        with pytest.raises(ValueError, match="outside"):
            _core.view(x, *bad)
    same(_core.view(ours(np.arange(4, dtype="i4")), (2,), (8,), 0, np.dtype("i8")), np.arange(4, dtype="i4").view("i8"))
    assert _core.relation(x[0], x[1]) == "disjoint"
    assert _core.relation(x, x) == "equal"
    assert _core.relation(x[:, 1:], x[:, :-1]) == "shift"
    assert _core.relation(x, x[::-1]) == "other"


def test_attributes():
    rng = np.random.default_rng(3)
    for code in CODES:
        a, b = random_pair(rng, code)
        for name in ("shape", "strides", "dtype", "ndim", "size", "itemsize", "nbytes"):
            if name != "strides" or a.size:
                assert getattr(b, name) == getattr(a, name), name
        same(b.T, a.T)
        same(b.real, a.real)
        same(b.imag, a.imag)
    z, w = np.arange(4) * (1 + 2j), ours(np.arange(4) * (1 + 2j))
    for x in (z, w):
        x.real = 7
        x.imag[1:] += 1
    same(w, z)
    assert _core.shares_storage(w.real, w)
    x = numloom.arange(6)
    x.shape = 2, -1
    assert x.shape == (2, 3)
    with pytest.raises(ValueError, match="cannot reshape array of size 6 into shape"):
        x.shape = 4
    with pytest.raises(AttributeError):
        x.T.shape = 6
    assert x.base is None
    assert x[1:][:, 1:].base is x


def test_shapes_that_are_too_large():
    with pytest.raises(ValueError, match="array is too big"):
        _core.empty((2**40, 2**40), np.dtype("d"))
    with pytest.raises(MemoryError, match="Unable to allocate"):
        _core.empty((2**45,), np.dtype("d"))
    with pytest.raises(ValueError, match="negative dimensions"):
        _core.empty((-1,), np.dtype("d"))
    with pytest.raises(ValueError, match="array is too big"):
        _core.empty((2**40, 0, 2**40), np.dtype("d"))
    assert _core.empty((2**40, 0), np.dtype("d")).size == 0


def test_values_of_every_dtype_by_full():
    rng = np.random.default_rng(4)
    for code in CODES:
        v = values(rng, code, ())[()]
        same(_core.full((2, 3), np.dtype(code), v), np.full((2, 3), v, code))
