"""Native names against NumPy: values, dtypes, shapes, returned types, and that NumPy did none of the work."""

import warnings

import numpy
import pytest
from native_expressions import STATEMENTS, expressions, inputs

np = pytest.importorskip("numloom")


def same(got, want, exact, ties=False):
    """Asserts that two results agree in kind, dtype, shape and values; with ties either zero may come out."""
    if isinstance(want, (list, tuple)) and not hasattr(want, "dtype"):
        assert type(got) is type(want) and len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            same(g, w, exact, ties)
        return
    if not hasattr(want, "shape") or isinstance(want, numpy.dtype | type):
        assert got == want
        return
    if isinstance(want, numpy.ndarray):
        assert type(got) is np.ndarray, type(got)
    else:
        assert isinstance(got, type(want))
    assert got.dtype == want.dtype and got.shape == want.shape
    host = numpy.asarray(got)
    if exact or want.dtype.kind in "biu":
        numpy.testing.assert_array_equal(host, want, strict=True)
        if want.dtype.kind == "f" and not ties:
            numpy.testing.assert_array_equal(numpy.signbit(host), numpy.signbit(want))
    else:
        tolerance = {"e": 2e-3, "f": 2e-6, "F": 2e-6}.get(want.dtype.char, 1e-14)
        numpy.testing.assert_allclose(host, want, rtol=tolerance, atol=tolerance)


def run(text, names):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return eval(text, names)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize(("text", "exact"), expressions())
def test_expression(text, exact, dtype):
    want = run(text, inputs(numpy, dtype))
    ours = inputs(np, dtype)
    before = np.stats()["host_calls"]
    got = run(text, ours)
    assert np.stats()["host_calls"] == before, f"NumPy did it: {np.coverage()}"
    same(got, want, exact, ties="min(" in text or "max(" in text)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("text", STATEMENTS)
def test_statement(text, dtype):
    theirs, ours = inputs(numpy, dtype), inputs(np, dtype)
    before = np.stats()["host_calls"]
    with numpy.errstate(all="ignore"):
        exec(text, theirs)
        exec(text, ours)
    assert np.stats()["host_calls"] == before, f"NumPy did it: {np.coverage()}"
    for name in "xyvijwmcn":
        same(ours[name], theirs[name], exact="mean" not in text)


def test_every_native_name_has_an_expression():
    from numloom._registry import NATIVE

    texts = " ".join([e for e, _ in expressions()] + STATEMENTS)
    missing = [
        name
        for name in NATIVE
        if name.split(".")[-1] + "(" not in texts
        and name not in np._ufunc.ALIASES
        and name not in np._ufunc.OBJECTS
        and not name.startswith("random.")  # test_random_streams.py generates their calls
    ]
    assert missing == []
