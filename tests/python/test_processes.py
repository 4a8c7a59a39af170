"""Forks and call sites."""

import multiprocessing
import os

import numloom as np
import pytest
from numloom import _core


def _total(k):
    return float((np.ones(100_000) * k).sum())


def test_a_fork_finds_everything_evaluated_and_the_child_works_on():
    x = np.arange(1000.0)
    y = x * 3
    assert _core.pending(y)
    child = os.fork()
    if child == 0:
        good = float(y.sum()) == 3 * 999 * 500 and _total(2) == 200_000.0
        os._exit(0 if good else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert float(y.sum()) == 3 * 999 * 500


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes(method):
    assert _total(1) == 100_000.0
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(_total, [1, 2, 3]) == [100_000.0, 200_000.0, 300_000.0]


def test_operations_are_recorded_at_the_users_line():
    file, line, name = _core.resolve_site(*_core.here())
    here = test_operations_are_recorded_at_the_users_line
    assert (os.path.basename(file), name) == (os.path.basename(__file__), here.__qualname__)
    assert line == here.__code__.co_firstlineno + 1
