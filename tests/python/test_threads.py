"""Several threads record at once; evaluations run one at a time, in the order of the log, without the GIL."""

import subprocess
import sys
import threading

import numloom as np
import numpy
import pytest


def run_threads(work, count=4):
    failures = []

    def guarded(k):
        try:
            work(k)
        except BaseException as error:
            failures.append((k, error))

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(120)
        assert not t.is_alive(), "a thread hangs"
    assert not failures, failures


def test_each_thread_computes_its_own():
    # 800 kB arrays: heavy enough that evaluations let go of the GIL.
    start = numpy.random.default_rng(0).random((4, 100_000))

    def steps(xp, k):
        x = xp.asarray(start[k].copy())
        total = 0.0
        for i in range(60):
            x = x * 0.5 + (i + k)
            x[1:] += x[:-1]
            if i % 7 == 0:
                total += float(x[i])
        return numpy.asarray(x), total

    def work(k):
        want, want_total = steps(numpy, k)
        got, got_total = steps(np, k)
        assert numpy.array_equal(got, want) and got_total == want_total

    run_threads(work)


def test_threads_read_what_others_made():
    shared = np.asarray(numpy.arange(200_000.0))
    doubled = shared * 2  # pending when the threads begin
    want = numpy.arange(200_000.0) * 2

    def work(k):
        for i in range(20):
            assert float(doubled[i * 1000 + k]) == want[i * 1000 + k]
            assert numpy.array_equal(numpy.asarray(doubled + k), want + k)

    run_threads(work)


def test_arrays_dropped_by_other_threads_while_one_evaluates():
    def work(k):
        for i in range(300):
            x = np.ones(50_000) * (i + k)
            y = x + 1
            del x
            if i % 50 == 0:
                assert float(y.sum()) == 50_000.0 * (i + k + 1)

    run_threads(work)
    np.eval()


ENDS = """
import sys, threading, time
import numloom as np

def work(n):
    while True:
        a = np.arange(float(n))
        a += a[::-1]
        float(a.sum())
        np.linalg.inv(np.eye(90))
        np.apply_along_axis(lambda row: row.sum(), 0, np.ones((3, 3)))
        np.random.default_rng(1).random(n)

class Last:
    def __del__(self):
        try:
            float((values * 2).sum())
        except RuntimeError:
            pass  # a thread that sleeps had begun an evaluation

values, last = np.ones(300_000), Last()
for n in (10, 2000, 300_000):
    threading.Thread(target=work, args=(n,), daemon=True).start()
time.sleep(float(sys.argv[1]))
"""


@pytest.mark.parametrize("seconds", [0.05, 0.1, 0.15, 0.2])
def test_a_program_ends_beside_daemon_threads_that_compute(seconds):
    result = subprocess.run(
        [sys.executable, "-c", ENDS, str(seconds)], capture_output=True, text=True, timeout=120, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
