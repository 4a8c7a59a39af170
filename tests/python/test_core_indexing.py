"""Basic indexing for reading and writing against NumPy: values, views, errors."""

import core_cases as cases
import numloom
import numpy as np
import pytest
from core_cases import CODES, ours, outcome, random_key, random_pair, same, values
from numloom import _core


@pytest.mark.parametrize("seed", range(20))
def test_random_reads(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        a, b = random_pair(rng, rng.choice(list(CODES)))
        key = random_key(rng, a.shape)
        want, got = outcome(lambda a=a, k=key: a[k]), outcome(lambda b=b, k=key: b[k])
        same(got, want, f"{a.shape}[{key}]")
        if isinstance(want, tuple):
            continue
        assert type(want) is np.ndarray or type(got) is type(want) or _core.is_scalar(got)
        if type(want) is np.ndarray:
            assert got.strides == want.strides or want.size == 0, (a.shape, a.strides, key)
            assert _core.shares_storage(got, b)
            assert got.base is b or got.base is b.base


@pytest.mark.parametrize("seed", range(20))
def test_random_writes(seed):
    rng = np.random.default_rng(100 + seed)
    for _ in range(60):
        a, b = random_pair(rng, rng.choice(list(CODES)))
        a = a.copy()
        b = ours(a)
        key = random_key(rng, a.shape)
        picked = outcome(lambda a=a, k=key: a[k])
        shape = np.shape(picked) if not isinstance(picked, tuple) else ()
        kind = rng.integers(5)
        if kind == 0:
            value = other = [3, 2.5, True, np.float32(1.5), np.int8(4)][rng.integers(5)]
        else:
            if kind == 1 and len(shape):
                shape = tuple(1 if rng.random() < 0.5 else n for n in shape)
            elif kind == 2 and len(shape):
                shape = shape[rng.integers(len(shape)) :]
            elif kind == 3:
                shape = (1,) * int(rng.integers(1, 3)) + shape
            value = values(rng, rng.choice(list(CODES)), shape)
            other = ours(value) if rng.random() < 0.7 else value

        def write(x, v, key=key):
            x[key] = v

        want, got = outcome(lambda a=a, v=value: write(a, v)), outcome(lambda b=b, v=other: write(b, v))
        same(b, a, f"{a.shape}[{key}] = {value!r}")
        if want is not None:
            assert got[0] is want[0], (got, want)


def test_errors_in_numpys_words():
    shapes = [(), (3,), (2, 3)]
    keys = [
        5,
        -4,
        (0, 7),
        (1, 2),
        (0, 0, 0),
        "a",
        1.0,
        (Ellipsis, Ellipsis),
        slice(None, None, 0),
        slice("a", None),
        np.float64(1),
        1j,
        (None, 9),
        {},
        b"x",
    ]
    for shape in shapes:
        a = np.arange(int(np.prod(shape))).reshape(shape)
        b = ours(a)
        for key in keys:

            def write(x, key=key):
                x[key] = 1

            same(outcome(lambda b=b, k=key: b[k]), outcome(lambda a=a, k=key: a[k]), f"{shape}[{key!r}]")
            same(outcome(lambda b=b: write(b)), outcome(lambda a=a: write(a)), f"{shape}[{key!r}] = 1")


def test_values_that_do_not_fit():
    for code, value in (
        ("l", np.nan),
        ("l", np.inf),
        ("l", 1j),
        ("l", "a"),
        ("B", 300),
        ("b", -129),
        ("B", -1),
        ("d", 1j),
        ("d", "x"),
        ("d", [1, 2]),
        ("l", 2**70),
        ("d", None),
        ("B", np.int64(300)),
        ("l", 2.7),
        ("?", 7),
        ("d", "1.5"),
        ("d", [[1]]),
        ("d", np.ones(1)),
        ("d", np.ones(2)),
    ):
        for key in (0, slice(0, 1), slice(None), Ellipsis):
            a = values(np.random.default_rng(1), code, (2,))
            b = ours(a)

            def write(x, v, key=key):
                x[key] = v

            want = outcome(lambda a=a, v=value: write(a, v))
            other = ours(value) if isinstance(value, np.ndarray) else value
            got = outcome(lambda b=b, v=other: write(b, v))
            if want is None:
                assert got is None, (code, value, key, got)
            else:
                assert got[0] is want[0], (code, value, key, got, want)
            same(b, a, f"{code}[{key}] = {value!r}")


def test_wrong_shapes():
    x = numloom.zeros(3)
    with pytest.raises(ValueError, match=r"could not broadcast input array from shape \(7,\) into shape \(2,\)"):
        x[0:2] = numloom.ones(7)
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        numloom.broadcast_to(x, (2, 3))[0] = 1


def test_complex_into_real_warns():
    x = numloom.zeros(3)
    with pytest.warns(np.exceptions.ComplexWarning):
        x[:] = numloom.ones(3, dtype=complex)


def test_writes_through_views_reach_the_array():
    a, b = np.zeros((4, 5)), numloom.zeros((4, 5))
    for x in (a, b):
        v = x[::2, 1:][::-1]
        v += 2
        x.T[3] = [1, 2, 3, 4]
        x[1:][:, 0] -= x[:-1][:, 1]
        x[1:-1] *= x[2:]
    same(b, a)


def test_overlapping_in_place():
    for n in (8, 1000, 1025):
        a, b = np.arange(float(n)), numloom.arange(float(n))
        for x in (a, b):
            x[1:] += x[:-1]
            x[:] = x[::-1]
            x[2:] = x[:-2]
        same(b, a)


def test_loop_over_elements():
    # Mixes direct stores, recorded stores and reads of the same storage.
    a, b = np.zeros(50), numloom.zeros(50)
    for x in (a, b):
        for i in range(50):
            x[i] = i * 0.5
            if i % 7 == 0:
                x[i // 2] += 1
        for i in range(1, 50):
            x[i] = x[i - 1] * 0.5 + x[i]
        x += 1
        x[3] = 9
        x += x[3]
    same(b, a)


def test_elements_are_numpy_scalars():
    for code in CODES:
        a = values(np.random.default_rng(2), code, (2, 3))
        b = ours(a)
        for i in range(2):
            for j in range(3):
                assert type(b[i, j]) is type(a[i, j])
                assert b[i, j] == a[i, j]
        same(b[()], a[()])
    zero = numloom.array(1.5)
    assert type(zero[()]) is np.float64
    assert type(zero[...]) is numloom.ndarray


def test_pending_elements_of_large_arrays_are_snapshots():
    x = numloom.zeros(100_000)
    x += 3
    s = x[7]
    x[7] = 5
    x += 1
    assert _core.is_scalar(s)
    assert float(s) == 3.0
    assert float(x[7]) == 6.0


def test_iteration_and_membership():
    a = np.arange(6).reshape(2, 3)
    b = ours(a)
    for want, got in zip(a, b, strict=True):
        same(got, want)
    assert list(b[0]) == [0, 1, 2]
    assert len(b) == 2
    assert 4 in b
    assert 9 not in b
    same(outcome(lambda: len(numloom.array(1))), outcome(lambda: len(np.array(1))))
    same(outcome(lambda: iter(numloom.array(1))), outcome(lambda: iter(np.array(1))))


def test_sixty_four_dimensions():
    a = np.ones((1,) * 64)
    b = ours(a)
    same(b[(0,) * 63], a[(0,) * 63])
    same(b[(0,) * 64], a[(0,) * 64])
    assert outcome(lambda: b[None])[0] is outcome(lambda: a[None])[0]
    assert cases.host(b + b).shape == a.shape
