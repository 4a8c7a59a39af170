"""The same program in one process on one device, on several devices, and in several processes: the same bits, once."""

import pytest
from conftest import CONFIGURATIONS, ROOT

pytest.importorskip("numloom._core", reason="the extension is not built")

SPREAD = [name for name in CONFIGURATIONS if name != "one device"]

PROGRAMS = {
    "elementwise": """
        x = values((37, 53))
        y = values((37, 53))
        show(x * 2.5 + y / x - np.sqrt(np.abs(y)))
        show(np.where(x > y, x, y).astype(np.float32))
        show(np.exp(x) + np.sin(y))
        """,
    "stencil": """
        grid = values((64, 48))
        for _ in range(7):
            work = 0.2 * (grid[1:-1, 1:-1] + grid[2:, 1:-1] + grid[:-2, 1:-1] + grid[1:-1, 2:] + grid[1:-1, :-2])
            grid[1:-1, 1:-1] = work
        show(grid)
        """,
    "reductions": """
        x = values((41, 30, 17))
        show(x.sum()); show(x.sum(0)); show(x.sum(1)); show(x.sum(2)); show(x.sum((0, 2)))
        show(x.mean(axis=1)); show(x.std(axis=0)); show(x.max((1, 2))); show(x.min()); show((x > 0).all(0))
        show(((x - x.mean(0)) ** 2).sum())
        """,
    "long reduction": """
        x = values(100_003)
        show(x.sum()); show((x * x).sum()); show(x.prod()); show(x[::-3].sum())
        """,
    "views with steps": """
        x = values((30, 31, 5))
        y = x[::-2, 3::4] + x[1::2, :-3:4]
        show(y)
        x[::3, ::-1] = x[::3] * 2.0
        x[1:] += x[:-1]
        x[:, 1:] -= x[:, :-1]
        show(x); show(x.T + x.T[:, :1]); show(x[..., ::-1].reshape(30, -1)[:, ::7])
        """,
    "overlapping writes": """
        d = values(10_000)
        d[1:] += d[:-1]
        d[1:] *= 0.5
        d[::2] = d[::-2]
        d[100:5100] = d[:5000]
        show(d)
        a = values((50, 50))
        a[...] = a.T
        a += a[::-1, ::-1]
        show(a)
        """,
    "broadcasting": """
        x, row, column = values((40, 24)), values(24), values((40, 1))
        show(x * row + column); show((x - x.mean(0)) / x.std(0)); show(row[None, :] + column)
        """,
    "integers and masks": """
        x = values((33, 44))
        i = (x * 100).astype(np.int64)
        show(i // 7); show(i % 5); show((i & 12) ^ 3); show(x[x > 0.5]); show((i == 3).sum())
        """,
    "scalars in a loop": """
        x = values((25, 40))
        dt = 0.1
        for _ in range(20):
            x = x + dt * (1.0 - x * x)
            dt = 0.9 * dt + 0.001 * float(abs(x).max())
        show(x); print(dt.hex())
        """,
    "small and empty": """
        show(np.ones(1) + 1); show(np.zeros((0, 3)) + 1); show(np.zeros((0, 3)).sum(0)); show(np.ones((1, 1, 1)).sum(2))
        """,
}

PREAMBLE = """
import hashlib
import numpy
import numloom as np
generator = numpy.random.default_rng(5)
def values(shape):
    return np.array(generator.standard_normal(shape))
def show(x):
    x = numpy.asarray(x)
    print(x.dtype, x.shape, hashlib.sha256(x.tobytes()).hexdigest()[:16])
"""


def whole(name):
    """A program's text with the preamble that makes its values and prints its results' bits."""
    return PREAMBLE + "\n".join(line[8:] for line in PROGRAMS[name].splitlines()) + "\n"


def succeeded(result):
    """The output of a run that ended well."""
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("configuration", SPREAD)
@pytest.mark.parametrize("name", PROGRAMS)
def test_same_bits_and_printed_once(job, name, configuration):
    one = succeeded(job(whole(name), "one device"))
    assert one.count("\n") >= 1
    assert succeeded(job(whole(name), configuration)) == one


@pytest.mark.parametrize("configuration", SPREAD)
def test_the_work_is_spread(job, configuration):
    program = """
        import numloom as np
        x = np.ones((100, 100))
        for _ in range(3):
            x[1:-1] = x[2:] + x[:-2]
        print(float(x.sum()) > 0)
        mesh, stats = np.mesh(), np.stats()
        print(mesh.size, mesh.processes, stats["messages"] > 0, stats["bytes_moved"] > 0)
        """
    processes, settings = CONFIGURATIONS[configuration]
    devices = processes * int(settings["NUMLOOM_DEVICES"].partition(":")[2] or 1)
    lines = succeeded(job(program, configuration)).splitlines()
    assert lines == ["True", f"{devices} {processes} True True"]


def test_an_exception_in_all_processes_ends_the_job(job):
    result = job("import numloom as np\nx = np.ones(100)\nx.reshape(3, 7)", "two processes")
    assert result.returncode != 0
    assert "cannot reshape array of size 100 into shape (3,7)" in result.stderr


def test_a_caught_exception_in_one_process_needs_no_other(job):
    program = """
        import numloom as np
        x = np.ones(1000)
        x[1:] += x[:-1]
        if np.mesh().rank == 1:
            for bad in (lambda: np.sum(x, axis=5), lambda: np.concatenate([x, x], axis=3), lambda: x[5:] + x):
                try:
                    bad()
                except ValueError:
                    pass
                else:
                    raise AssertionError
        print(float(x.sum()))
        """
    assert succeeded(job(program, "two processes")) == "1999.0\n"


@pytest.mark.parametrize(
    ("failure", "message"),
    [('raise RuntimeError("only here")', "only here"), ("os.kill(os.getpid(), signal.SIGKILL)", "")],
)
def test_a_failure_in_one_process_ends_the_job(job, failure, message):
    program = f"""
        import os, signal, numloom as np
        x = np.ones(1000)
        x[1:] += x[:-1]
        print(float(x.sum()))
        if np.mesh().rank == 1:
            {failure}
        for _ in range(1000):
            x[1:] += x[:-1]
            float(x.sum())
        """
    result = job(program, "two processes")
    assert result.returncode != 0
    assert message in result.stderr


@pytest.mark.parametrize("early", [0, 1])
def test_a_process_that_ends_early_ends_the_job(job, early):
    program = f"""
        import sys, numloom as np
        x = np.ones(1000)
        print(float(x.sum()))
        if np.mesh().rank == {early}:
            sys.exit(0)
        for _ in range(10):
            x[1:] += x[:-1]
            float(x.sum())
        """
    result = job(program, "two processes")
    assert result.returncode != 0
    assert "the processes recorded different operations" in result.stderr
    assert f"process {early}: its program has ended" in result.stderr
    assert "program.py:9" in result.stderr


def test_processes_that_record_different_operations_end_the_job(job):
    program = """
        import numloom as np
        x = np.ones(1000)
        if np.mesh().rank == 1:
            x += 2
        else:
            x -= 3
        print(float(x.sum()))
        """
    result = job(program, "two processes")
    assert result.returncode != 0
    assert "the processes recorded different operations" in result.stderr
    assert "process 0: " in result.stderr and "process 1: " in result.stderr


def test_an_interrupt_ends_the_job(job):
    program = """
        import os, signal, threading, numloom as np
        x = np.ones(1000)
        print(float(x.sum()))
        if np.mesh().rank == 1:
            threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        while True:
            x[1:] -= x[:-1]
            float(x.sum())
        """
    result = job(program, "two processes", timeout=60)
    assert result.returncode != 0
    assert "KeyboardInterrupt" in result.stderr


def test_exit_status_of_the_program(job):
    program = "import sys, numloom as np\nfloat(np.ones(9).sum())\nsys.exit(3)"
    assert job(program, "two processes").returncode == 3


@pytest.mark.parametrize("configuration", SPREAD)
def test_the_flood_has_the_same_bits(job, tmp_path, configuration):
    program = f"""
        import sys
        from numloom._run import run_program
        options = ["--steps", "6", "--refine", "1", "--save", sys.argv[1]]
        run_program({str(ROOT / "examples" / "flood.py")!r}, options)
        """
    heights = []
    for number, name in enumerate(("one device", configuration)):
        file = tmp_path / f"heights{number}.npy"
        succeeded(job(program, name, str(file)))
        heights.append(file.read_bytes())
    assert heights[0] == heights[1]


def test_one_process_loads_no_mpi(job):
    program = """
        import numloom as np
        print(float(np.ones(5).sum()), np.mesh().processes, "libmpi" in open("/proc/self/maps").read())
        """
    assert succeeded(job(program, "one device")) == "5.0 1 False\n"
