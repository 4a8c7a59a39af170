"""Single operations, generated: NumPy against itself (the generator's own test) and Numloom against NumPy."""

import os
import sys
from pathlib import Path

import numloom
import numpy
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import differential

SEEDS = range(8)
CASES = int(os.environ.get("NUMLOOM_DIFFERENTIAL_CASES", "2000")) // len(SEEDS)  # for each seed


def differences(module, seed, cases):
    """Up to five differences, as text."""
    found = []
    for k in range(cases):
        program = differential.case(seed, k)
        problem = differential.compare_case(program, module)
        if problem:
            found.append(f"seed {seed}, case {k}: {program.statements[-1].text}: {problem}")
            if len(found) == 5:
                break
    return found


def test_numpy_agrees_with_itself(monkeypatch):
    monkeypatch.setattr(differential.bounds, "ulps_allowed", differential.bounds.NUMPY_ULPS)
    assert not differences(numpy, 100, 300)


def test_cases_are_mostly_calls_that_work():
    """A generator whose cases mostly raise would test little."""
    errors = 0
    for k in range(300):
        trace_error = differential.run_last(numpy, differential.case(102, k), False)[1]
        errors += trace_error is not None
    assert errors < 100, errors


def test_every_ufunc_and_template_occurs():
    texts = [differential.case(103, k).statements[-1].text for k in range(4000)]
    missing = [n for n in differential.UFUNCS if not any(f"np.{n}(" in t for t in texts)]
    assert not missing


@pytest.mark.parametrize("seed", SEEDS)
def test_numloom(seed):
    found = differences(numloom, seed, CASES)
    assert not found, "\n".join(found)
