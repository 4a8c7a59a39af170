"""The benchmark of public programs: how they are prepared, run on both sides and compared, on programs of our own."""

import json
import pathlib
import subprocess
import sys

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "benchmarks" / "public_programs"

SCRIPT = """\
from __future__ import annotations
import numpy as np
import matplotlib.pyplot as plt


def main():
    n = 1000
    field = np.random.rand(n)
    for _ in range(10):
        field[1:-1] = 0.5 * (field[2:] + field[:-2])
    plt.plot(field)
    plt.savefig("field.png")


if __name__ == "__main__":
    main()
"""
SNIPPET = """\
#setup: import numpy as np; N = 200; x = np.linspace(0, 1, N)
#run: twice(x)
import numpy as np


def twice(x):
    return np.sqrt(x) * 2
"""
KERNEL = "import numpy as np\n\n\ndef kernel(STEPS, a):\n    for _ in range(STEPS):\n        a += a[::-1]\n"
INIT = "import numpy as np\n\n\ndef initialize(N, datatype=np.float64):\n    return np.arange(N).astype(datatype)\n"
MANIFEST = """
[sources.ours]
url = "https://example.org/someone/programs"
commit = "0"

[[program]]
name = "script"
source = "ours"
kind = "script"
path = "script.py"
size = "n=300"
replace = { "n = 1000" = "n = 300" }
captured = ["field"]

[[program]]
name = "snippet"
source = "ours"
kind = "snippet"
path = "snippet.py"

[[program]]
name = "notebook"
source = "ours"
kind = "notebook"
path = "book.ipynb"
results = ["u", "k"]

[[program]]
name = "kernel"
source = "ours"
kind = "npbench"
path = "kernel"
size = "S"
"""


@pytest.fixture
def programs(tmp_path):
    """A folder with one program of each kind, and the manifest."""
    root = tmp_path / "someone" / "programs"
    place = root / "npbench" / "benchmarks" / "k"
    place.mkdir(parents=True)
    (root / "bench_info").mkdir()
    (root / "script.py").write_text(SCRIPT)
    (root / "snippet.py").write_text(SNIPPET)
    cells = ["%matplotlib inline\nimport numpy", "from IPython.display import HTML", "k = 3\nu = numpy.ones(5) * k"]
    book = {"cells": [{"cell_type": "code", "source": [cell]} for cell in cells]}
    (root / "book.ipynb").write_text(json.dumps(book))
    (place / "kernel_numpy.py").write_text(KERNEL)
    (place / "kernel.py").write_text(INIT)
    info = {
        "relative_path": "k",
        "module_name": "kernel",
        "func_name": "kernel",
        "parameters": {"S": {"N": 50, "STEPS": 3}},
        "init": {"func_name": "initialize", "input_args": ["N"], "output_args": ["a"]},
        "input_args": ["STEPS", "a"],
    }
    (root / "bench_info" / "kernel.json").write_text(json.dumps({"benchmark": info}))
    (tmp_path / "manifest.toml").write_text(MANIFEST)
    return tmp_path


def run(programs, *arguments):
    command = [sys.executable, TOOL, programs, "--manifest", programs / "manifest.toml", "--rounds", "1", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_every_kind_runs_on_both_sides(programs):
    done = run(programs, "--json", programs / "rows.json", "--report", programs / "report.md")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = {row["name"]: row for row in json.loads((programs / "rows.json").read_text())}
    assert set(rows) == {"script", "snippet", "notebook", "kernel"}
    for row in rows.values():
        assert row["status"] == "same" and row["seconds"] > 0 and row["ratio"] == row["peer_seconds"] / row["seconds"]
    assert rows["kernel"]["size"] == "N=50, STEPS=3"
    report = (programs / "report.md").read_text()
    assert "4 give NumPy's results" in report and "| script | n=300 |" in report


def test_results_alone(programs):
    done = run(programs, "--agree", "--json", programs / "rows.json")
    assert done.returncode == 0 and "4 of 4 the same\n" in done.stdout, done.stdout + done.stderr
    rows = json.loads((programs / "rows.json").read_text())
    assert all(row["status"] == "same" and "ratio" not in row for row in rows)


def test_a_wrong_result_and_a_failure_are_told(programs):
    root = programs / "someone" / "programs"
    (root / "snippet.py").write_text(SNIPPET.replace("* 2", "* (2 if np.__name__ == 'numpy' else 3)"))
    (root / "script.py").write_text(SCRIPT.replace("n = 1000", "n = 1000 if np.__name__ == 'numpy' else 1 / 0"))
    done = run(programs, "--only", "snippet,script", "--json", programs / "rows.json")
    assert done.returncode == 1
    rows = {row["name"]: row for row in json.loads((programs / "rows.json").read_text())}
    assert rows["snippet"]["status"] == "differs" and "relative difference 0.5" in rows["snippet"]["reason"]
    assert rows["script"]["status"] == "fails" and "ZeroDivisionError" in rows["script"]["reason"]


def test_what_is_missing(programs):
    command = [sys.executable, TOOL, programs / "nowhere", "--missing"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "git clone https://github.com/spcl/npbench" in done.stdout


@pytest.fixture
def compare():
    sys.path.insert(0, str(TOOL))
    try:
        import compare

        yield compare.compare
    finally:
        sys.path.remove(str(TOOL))
        sys.modules.pop("compare", None)


@pytest.mark.parametrize(
    "want, got, fault",
    [
        (numpy.arange(3.0), numpy.arange(3.0) + 1e-13, None),
        (numpy.arange(3.0), numpy.arange(3.0) + 1e-3, "relative difference"),
        (numpy.arange(3), numpy.arange(3) + 1, "different int64"),
        (numpy.arange(3.0), numpy.arange(3), "float64"),
        (numpy.zeros((2, 1)), numpy.zeros(2), "(2, 1)"),
        (numpy.array([numpy.nan, 1]), numpy.array([numpy.nan, 1]), None),
        (numpy.array([numpy.nan, 1]), numpy.array([1, numpy.nan]), "NaN"),
        (numpy.array([numpy.inf]), numpy.array([-numpy.inf]), "infinities"),
        ([numpy.ones(2), None], [numpy.ones(2), None], None),
        ([numpy.ones(2)], [numpy.ones(2), None], "items"),
        ({"a": numpy.ones(1)}, {"b": numpy.ones(1)}, "names"),
    ],
)
def test_comparison(compare, want, got, fault):
    found = compare(want, got, None)[1]
    assert found is None if fault is None else fault in found
