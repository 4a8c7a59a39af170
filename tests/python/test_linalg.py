"""Linear algebra against NumPy: stacks, dtypes, strides, empty matrices, error classes and words."""

import numpy
import pytest

np = pytest.importorskip("numloom")

if not np._core.has_lapack():
    pytest.skip("no LAPACK with 64-bit integers was found", allow_module_level=True)

DTYPES = "fdFDib"
BATCHES = ((), (2,), (2, 3), (0,))


def matrix(rng, shape, dtype):
    x = rng.standard_normal(shape) * 3
    if numpy.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def turned(a):
    return numpy.swapaxes(a, -1, -2)


def views(x):
    """The same values as arrays of ours that lie in memory in different ways."""
    yield np.array(x)
    yield np.array(turned(x).copy()).swapaxes(-1, -2) if x.ndim > 1 else np.array(x[::-1].copy())[::-1]
    wide = numpy.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    yield np.array(wide)[..., ::2]


def same(got, want):
    if isinstance(want, tuple):
        assert type(got) is type(want) and len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            same(g, w)
        return
    if isinstance(want, numpy.ndarray):
        assert type(got) is np.ndarray
    host, want = numpy.asarray(got), numpy.asarray(want)
    assert host.dtype == want.dtype and host.shape == want.shape
    tolerance = 2e-4 if want.dtype.char in "fF" else 1e-9
    numpy.testing.assert_allclose(host, want, rtol=tolerance, atol=tolerance)


def outcome(function, args, options):
    try:
        with numpy.errstate(all="ignore"):
            return function(*args, **options)
    except Exception as error:
        return error


def compare(name, args, options=None, sort=False):
    """Both modules' results or errors, for every way that the arguments may lie in memory."""
    options = options or {}
    want = outcome(getattr(numpy.linalg, name), args, options)
    arrays = [a for a in args if isinstance(a, numpy.ndarray)]
    for given in zip(*[views(a) for a in arrays], strict=True):
        got = outcome(getattr(np.linalg, name), [*given, *args[len(arrays) :]], options)
        if isinstance(want, Exception):
            assert type(got) is type(want) and str(got) == str(want)
        elif sort:
            same(np.array(numpy.sort_complex(numpy.asarray(got))), numpy.sort_complex(want))
        else:
            assert not isinstance(got, Exception), repr(got)
            same(got, want)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_square_matrices(dtype, batch):
    rng = numpy.random.default_rng(len(batch))
    for n in (0, 1, 3, 6):
        a = matrix(rng, (*batch, n, n), dtype)
        symmetric = a + turned(a).conj()
        positive = (a @ turned(a).conj() + 5 * n * numpy.eye(n)).astype(dtype)
        for name in ("det", "slogdet", "inv", "svdvals", "matrix_rank", "qr"):
            compare(name, [a])
        compare("eigvals", [a], sort=n > 1)
        for name, options in (("eigvalsh", {}), ("eigvalsh", {"UPLO": "u"}), ("matrix_rank", {"hermitian": True})):
            compare(name, [symmetric], options)
        for p in (None, -2, 1, numpy.inf, "fro", "nuc"):
            compare("cond", [positive], {"p": p})
        for upper in (False, True):
            compare("cholesky", [positive], {"upper": upper})
        compare("pinv", [a])
        compare("solve", [a, matrix(rng, (*batch, n, 2), dtype)])
        compare("solve", [a, matrix(rng, (n,), "d")])


def test_stacks_broadcast():
    rng = numpy.random.default_rng(0)
    for left, right in (((3, 1), (4,)), ((), (2, 3)), ((2,), ())):
        compare("solve", [matrix(rng, (*left, 3, 3), "d"), matrix(rng, (*right, 3, 2), "F")])
    compare("solve", [matrix(rng, (2, 3, 3), "d"), matrix(rng, (3, 3, 2), "d")])


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (0, 3), (3, 0), (2, 4, 2), (2, 0, 3)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rectangular_matrices(dtype, shape):
    rng = numpy.random.default_rng(1)
    a = matrix(rng, shape, dtype)
    for mode in ("reduced", "complete", "r", "raw"):
        compare("qr", [a], {"mode": mode})
    for options in ({}, {"full_matrices": False}, {"compute_uv": False}):
        compare("svd", [a], options)
    compare("pinv", [a], {"rcond": 0.1})
    compare("matrix_rank", [a], {"tol": 0.5})
    compare("lstsq", [a, matrix(rng, (*shape[:-1], 2), dtype)])
    compare("lstsq", [a, matrix(rng, (shape[-2],), dtype)], {"rcond": 1e-2})
    for p in (2, -2, "nuc"):
        compare("norm", [a], {"ord": p, "axis": (-1, -2)})


@pytest.mark.parametrize("dtype", "fdFD")
def test_factors_give_the_matrix_back(dtype):
    rng = numpy.random.default_rng(2)
    a = np.array(matrix(rng, (3, 5, 5), dtype))
    h = a + a.swapaxes(1, 2).conj()
    tolerance = 1e-4 if dtype in "fF" else 1e-11
    w, v = np.linalg.eig(a)
    numpy.testing.assert_allclose(a @ v, v * w[:, None, :], atol=tolerance)
    w, v = np.linalg.eigh(h, "U")
    numpy.testing.assert_allclose((v * w[:, None, :]) @ v.swapaxes(1, 2).conj(), h, atol=tolerance)
    for full in (False, True):
        for hermitian, x in ((False, a), (True, h)):
            u, s, vh = np.linalg.svd(x, full_matrices=full, hermitian=hermitian)
            numpy.testing.assert_allclose((u * s[:, None, :]) @ vh, x, atol=tolerance)
    q, r = np.linalg.qr(a)
    numpy.testing.assert_allclose(q @ r, a, atol=tolerance)


def test_failures_are_raised_at_the_call():
    zero, negative = np.zeros((2, 2)), -np.eye(3)
    for name, args in (
        ("inv", [zero]),
        ("solve", [zero, np.ones(2)]),
        ("cholesky", [negative]),
        ("eig", [np.full((2, 2), np.nan)]),
        ("eigvals", [np.full((2, 2), np.inf)]),
        ("svd", [np.full((2, 2), np.nan)]),
        ("inv", [np.ones((2, 3))]),
        ("eigh", [np.ones(3)]),
        ("solve", [np.eye(2), np.ones(3)]),
        ("det", [np.ones((2, 2), "e")]),
        ("qr", [np.eye(2), "x"]),
        ("lstsq", [np.eye(2), np.ones(3)]),
        ("inv", [np.stack([np.eye(2), zero])]),
    ):
        errors = []
        for module in (numpy, np):
            given = [
                numpy.asarray(a) if isinstance(a, numpy.ndarray | np.ndarray) and module is numpy else a for a in args
            ]
            with pytest.raises(Exception) as caught:
                getattr(module.linalg, name)(*given)
            errors.append((type(caught.value), str(caught.value)))
        assert errors[0] == errors[1]
    try:
        np.linalg.cholesky(negative)
    except np.linalg.LinAlgError:
        negative = negative + 2 * np.eye(3)
    assert numpy.allclose(np.linalg.cholesky(negative), numpy.eye(3))


def test_recorded_work_is_seen_and_later_writes_are_not():
    a = np.eye(3)
    a[0, 0] = 4
    a += np.ones((3, 3))
    made = np.linalg.inv(a)
    want = numpy.linalg.inv(numpy.array([[5.0, 1, 1], [1, 2, 1], [1, 1, 2]]))
    a[:] = 0
    numpy.testing.assert_allclose(made, want, atol=1e-14)
    made[0, 0] = 7
    assert made[0, 0] == 7 and made.flags.owndata and made.flags.writeable


def test_large_stacks_use_all_threads_and_stay_right():
    rng = numpy.random.default_rng(5)
    a = matrix(rng, (4000, 8, 8), "d") + 20 * numpy.eye(8)
    numpy.testing.assert_allclose(np.linalg.inv(np.array(a)), numpy.linalg.inv(a), atol=1e-11)
    numpy.testing.assert_allclose(np.linalg.det(np.array(a)), numpy.linalg.det(a), rtol=1e-10)
    b = matrix(rng, (4000, 8), "D")
    numpy.testing.assert_allclose(
        np.linalg.solve(np.array(a), np.array(b)[..., None]), numpy.linalg.solve(a, b[..., None]), atol=1e-11
    )


def test_without_a_library_the_host_does_it():
    import subprocess
    import sys

    text = (
        "import os; os.environ['NUMLOOM_BLAS'] = 'off'; import numloom as np; a = np.eye(3) * 2;"
        "b = np.linalg.inv(a); print(type(b) is np.ndarray, b[1, 1], np.stats()['host_calls'], (a @ a)[2, 2],"
        "round(float(np.linalg.det(a)), 9))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["True", "0.5", "1", "4.0", "8.0"]


@pytest.mark.parametrize("code", "fdFD")
@pytest.mark.parametrize("value", [numpy.inf, -numpy.inf, numpy.nan])
def test_singular_values_of_what_is_not_finite(code, value):
    a = numpy.ones((3, 3), code)
    a[0, 0] = value
    x = np.array(a)
    for call in (
        lambda: np.linalg.svd(x),
        lambda: np.linalg.svd(x, full_matrices=False),
        lambda: np.linalg.svd(x, compute_uv=False),
        lambda: np.linalg.svd(np.stack([np.eye(3, dtype=code), x])),
        lambda: np.linalg.pinv(x),
        lambda: np.linalg.lstsq(x, np.ones(3, code)),
    ):
        with pytest.raises(numpy.linalg.LinAlgError, match="SVD did not converge"):
            call()
