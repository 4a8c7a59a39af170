"""The benchmark's programs, its JSON fields, its guards, and the demo, with NumPy in Numloom's place."""

import json
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("scipy")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FIELDS = {
    "name",
    "size",
    "dtype",
    "peer",
    "peer_seconds",
    "seconds",
    "ratio",
    "bandwidth_share",
    "cold_seconds",
}
ENGINE_ROWS = [
    ("sweep", "float64"),
    ("sweep", "float32"),
    ("sweep_cached", "float64"),
    ("black_scholes", "float64"),
    ("black_scholes", "float32"),
    ("chain", "float64"),
    ("sum_squares", "float64"),
    ("where_mixed", "mixed"),
    ("add10", "float64"),
    ("axpy1024", "float64"),
    ("loop_with_read", "float64"),
]


@pytest.fixture(scope="module")
def benchmarks():
    """Give the benchmark's modules under their own names, and take them away again."""
    folder = str(ROOT / "benchmarks")
    names = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - {"__main__"}
    sys.path.insert(0, folder)
    try:
        import headline

        yield headline
    finally:
        sys.path.remove(folder)
        for name in names:
            sys.modules.pop(name, None)


def bench(*arguments):
    return subprocess.run(
        [sys.executable, ROOT / "benchmarks", *arguments], capture_output=True, text=True, check=False
    )


def test_json_has_the_named_fields_and_no_others(tmp_path):
    found = bench(
        "headline", "--module", "numpy", "--quick", "--only", "chain,mask,fft2", "--json", tmp_path / "rows.json"
    )
    assert found.returncode == 0, found.stderr
    rows = json.loads((tmp_path / "rows.json").read_text())
    assert [row["name"] for row in rows] == ["chain", "mask", "fft2"]
    for row in rows:
        assert set(row) == FIELDS
        assert row["ratio"] == pytest.approx(row["peer_seconds"] / row["seconds"])
        assert row["bandwidth_share"] is None or 0.0 < row["bandwidth_share"]
    assert "processor:" in found.stdout


def test_rows_of_the_engine_are_fixed(benchmarks):
    assert [(p.name, p.dtype) for p in benchmarks.ENGINE] == ENGINE_ROWS
    assert len(benchmarks.SMALL) == 30


def test_unknown_row_is_refused():
    found = bench("headline", "--module", "numpy", "--only", "chian")
    assert found.returncode != 0
    assert "no row called chian" in found.stderr


def test_guard_refuses_a_wrong_result(benchmarks):
    import numpy as np

    program = next(p for p in benchmarks.ENGINE if p.name == "chain")
    arrays = program.inputs(np.random.default_rng(1), (100,))
    right = program.run(np, *arrays)
    benchmarks.compare(program, right, (right,))
    wrong = right.copy()
    wrong[50] = np.nextafter(wrong[50], 2.0)
    with pytest.raises(AssertionError, match="differs from NumPy"):
        benchmarks.compare(program, wrong, (right,))


def test_nothing_is_timed_on_zeros(benchmarks):
    import numpy as np

    for program in benchmarks.ENGINE + benchmarks.ARRAY:
        arrays = [a for a in program.inputs(np.random.default_rng(1), program.quick_size) if isinstance(a, np.ndarray)]
        assert all(np.count_nonzero(a) > 0.4 * a.size for a in arrays), program.name


def test_demo_compares_and_draws(tmp_path):
    pytest.importorskip("matplotlib")
    found = subprocess.run(
        [sys.executable, ROOT / "tools" / "demo.py", "--module", "numpy", "--refine", "1", "--steps", "7"]
        + ["--picture", tmp_path / "flood.png"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert "bit for bit the same" in found.stdout
    assert (tmp_path / "flood.png").stat().st_size > 10_000


def test_demo_fails_where_the_heights_differ(benchmarks, tmp_path):
    import flood_pair
    import numpy as np

    runs = []
    for name, change in (("a", 0.0), ("b", 1e-15)):
        heights = np.full((5, 5), 1.0)
        heights[2, 2] += change
        np.save(tmp_path / f"{name}.npy", heights)
        runs.append(flood_pair.FloodRun(name, 1, 1.0, 1, tmp_path / f"{name}.npy", ""))
    with pytest.raises(flood_pair.FloodError, match="the heights differ"):
        flood_pair.compare_heights(*runs)


def test_demo_says_what_is_missing():
    found = subprocess.run(
        [sys.executable, ROOT / "tools" / "demo.py", "--module", "no_such_module"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 2
    assert "no_such_module is missing" in found.stderr


def test_spots_are_measured_and_written(tmp_path):
    file = tmp_path / "spots.json"
    ran = bench("spots", "--only", "convolve 1000 1000 int64,elimination 100", "--json", str(file))
    assert ran.returncode == 0, ran.stderr
    rows = json.loads(file.read_text())
    assert [row["name"] for row in rows] == ["convolve 1000 1000 int64", "elimination 100", "elimination 1000"]
    assert all(row["ratio"] == row["peer_seconds"] / row["seconds"] > 0 for row in rows)
