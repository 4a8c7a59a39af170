"""Operands that lie across the walk are transposed a panel at a time: every element size, sizes that are no
multiple of anything, offsets, several operands across, more dimensions."""

import numloom as nl
import numpy as np
import pytest

DTYPES = ("bool", "int8", "float16", "int32", "float32", "int64", "float64", "complex64", "complex128")


def numbers(dtype, shape, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(-100, 100, shape)
    if np.dtype(dtype).kind == "c":
        return (a + 1j * rng.integers(-100, 100, shape)).astype(dtype)
    return (a % 2 if dtype == "bool" else a).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(64, 64), (65, 203), (300, 71), (513, 530), (3, 100, 90), (2, 3, 65, 130)])
def test_sum_with_the_transposed(dtype, shape):
    x = numbers(dtype, shape)
    y = numbers(dtype, (*shape[:-2], shape[-1], shape[-2]), 1)
    across = np.swapaxes(x, -1, -2)
    got = nl.swapaxes(nl.asarray(x), -1, -2)
    for a, b in ((across + y, got + nl.asarray(y)), (across.copy(), got.copy()), (across * across, got * got)):
        assert b.dtype == a.dtype
        np.testing.assert_array_equal(np.asarray(b), a)


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex128"])
def test_parts_and_steps(dtype):
    x, y = numbers(dtype, (210, 190)), numbers(dtype, (400, 420), 1)
    u, v = nl.asarray(x), nl.asarray(y)
    for rows, columns in (
        (slice(3, None), slice(None, 181)),
        (slice(None, None, -1), slice(5, None)),
        (slice(None), slice(None, None, -1)),
        (slice(None, None, 2), slice(1, None, 2)),
    ):
        a, b = x[rows, columns], u[rows, columns]
        into, onto = y[: a.shape[1], : a.shape[0]], v[: a.shape[1], : a.shape[0]]
        np.testing.assert_array_equal(np.asarray(b.T + onto), a.T + into)
        into += a.T
        onto += b.T
        np.testing.assert_array_equal(np.asarray(v), y)


def test_two_operands_across_and_one_along():
    x, y, z = numbers("float64", (150, 333)), numbers("float32", (150, 333), 1), numbers("int32", (333, 150), 2)
    u, v, w = nl.asarray(x), nl.asarray(y), nl.asarray(z)
    np.testing.assert_array_equal(np.asarray(u.T * w - v.T), x.T * z - y.T)
    np.testing.assert_array_equal(np.asarray((u.T * w).sum(0)), (x.T * z).sum(0))


def test_in_place_over_the_transposed():
    x = numbers("float64", (257, 257))
    u = nl.asarray(x.copy())
    x[:] = x.T - x
    u[:] = u.T - u
    np.testing.assert_array_equal(np.asarray(u), x)
    x += x.T
    u += u.T
    np.testing.assert_array_equal(np.asarray(u), x)
