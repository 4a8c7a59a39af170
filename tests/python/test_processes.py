"""Forks and call sites."""

import multiprocessing
import os
import subprocess
import sys

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


BUSY = """
import os, threading, time
import numloom as np

def work():
    while not done:
        a = np.arange(200_000.0)
        a += a[::-1]
        assert float(a.sum()) == 200_000 * 199_999.0

done = False
threads = [threading.Thread(target=work, daemon=True) for _ in range(3)]
for t in threads:
    t.start()
total = np.zeros(100_000)
for k in range(30):
    total += 1
    child = os.fork()
    if child == 0:
        good = float(total.sum()) == 100_000.0 * (k + 1) and float(np.sort(np.arange(50_000.0)[::-1])[7]) == 7
        os._exit(0 if good else 1)
    limit = time.time() + 60
    while (end := os.waitpid(child, os.WNOHANG))[0] == 0:
        time.sleep(0.001)
        if time.time() > limit:
            os.kill(child, 9)
    assert end[1] == 0, f"child {k}: {end[1]}"
done = True
"""


def test_forks_beside_threads_that_compute():
    """The child waits for no thread that it lacks: nothing is executed while the process forks."""
    result = subprocess.run([sys.executable, "-c", BUSY], capture_output=True, text=True, timeout=240, check=False)
    assert result.returncode == 0, result.stderr[-2000:]


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
