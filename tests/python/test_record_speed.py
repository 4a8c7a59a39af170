"""What keeps recording cheap, as counts: no timing decides a test (benchmarks/record.py measures)."""

import core_cases as cases
import numloom
import numpy as np
import pytest
from numloom import _core

PROGRAMS = {
    "x + y": 1,
    "x * 2.0": 1,
    "2.0 * x": 1,
    "x + s": 1,
    "x - f": 1,
    "-x": 1,
    "x ** 2": 1,
    "x < y": 1,
    "np.add(x, y)": 1,
    "np.sqrt(x)": 1,
    "x[1:-1]": 0,
    "x[::-1]": 0,
    "x.T": 0,
    "g[1:, 1:]": 0,
    "g[0]": 0,
    "x[:5] + y[:5]": 1,
}
STATEMENTS = {"x += y": 1, "x[1:3] = 2.5": 1, "x[1:-1] = y[1:-1]": 1, "x[2:] *= 3": 1, "np.multiply(x, y, out=x)": 1}


@pytest.fixture
def names():
    space = {
        "np": numloom,
        "x": numloom.ones(10),
        "y": numloom.ones(10),
        "g": numloom.ones((4, 4)),
        "f": np.float64(2),
        "s": numloom.ones(3).sum(),
    }
    _core.flush()
    return space


@pytest.mark.parametrize("text", [*PROGRAMS, *STATEMENTS])
def test_instructions_recorded(text, names):
    """One instruction an operation, none a view; nothing evaluates and nothing goes through NumPy."""
    code = compile(text, text, "exec" if text in STATEMENTS else "eval")
    kept = eval(code, names)
    kept = None
    _core.flush()
    before = _core.stats()
    kept = eval(code, names)
    after = _core.stats()
    assert after["instructions"] - before["instructions"] == (PROGRAMS | STATEMENTS)[text]
    assert after["evaluations"] == before["evaluations"]
    assert after["host_calls"] == before["host_calls"]
    del kept


@pytest.mark.skipif(numloom.mesh().size > 1, reason="several devices: stores are recorded")
def test_element_access_records_nothing():
    x = numloom.arange(20.0)
    _core.flush()
    before = _core.stats()
    for i in range(20):
        x[i] = x[i] + 1
    assert _core.stats() == before
    np.testing.assert_array_equal(cases.host(x), np.arange(20.0) + 1)
