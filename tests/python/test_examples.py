"""The examples do what they say, under NumPy: the flood keeps a lake at rest, loses no water, has no depth below 0."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture(scope="module")
def flood():
    pytest.importorskip("matplotlib")
    sys.path.insert(0, str(EXAMPLES))
    try:
        import flood
    finally:
        sys.path.remove(str(EXAMPLES))
    return flood


def run(name, *arguments):
    found = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / name, *arguments], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def start(flood, bed, level):
    h = np.maximum(level - bed, 0.0)
    return h, np.zeros_like(h), np.zeros_like(h)


def test_flood_keeps_a_lake_at_rest(flood, monkeypatch):
    monkeypatch.setattr(flood, "RAIN", 0.0)
    rng = np.random.default_rng(1)
    bed = 10.0 * rng.random((30, 40))
    bed[[0, -1]], bed[:, [0, -1]] = bed[[1, -2]], bed[:, [1, -2]]
    h, hu, hv = start(flood, bed, 7.0)  # islands stand out of it
    before = h[flood.INNER].copy()
    for _ in range(20):
        flood.advance(h, hu, hv, bed, *flood.sills(bed), 1.0)
    np.testing.assert_allclose(h[flood.INNER], before, atol=1e-12)
    np.testing.assert_allclose(hu[flood.INNER], 0.0, atol=1e-12)


def test_flood_dam_break_follows_ritter(flood, monkeypatch):
    """A dam break on a dry flat bed: Ritter's solution h = (2 sqrt(g h0) - x / t)^2 / 9 g."""
    monkeypatch.setattr(flood, "RAIN", 0.0)
    monkeypatch.setattr(flood, "DRAG", 0.0)
    cells, dx, depth = 2000, 0.5, 2.0
    bed = np.zeros((5, cells))
    h, hu, hv = start(flood, bed, 0.0)
    h[:, : cells // 2] = depth
    time = 0.0
    while time < 20.0:
        dt, _ = flood.advance(h, hu, hv, bed, *flood.sills(bed), dx)
        time += dt
    x = (np.arange(cells) + 0.5 - cells // 2) * dx
    wave = np.sqrt(flood.GRAVITY * depth)
    fan = np.clip((2.0 * wave - x / time) ** 2 / (9.0 * flood.GRAVITY), 0.0, depth)
    exact = np.where(x < -wave * time, depth, np.where(x > 2.0 * wave * time, 0.0, fan))
    assert np.abs(h[2] - exact).mean() < 0.01 * depth
    assert np.array_equal(h[1], h[3])


def test_flood_loses_no_water_and_stays_wet_or_dry(flood):
    bed = flood.read_ground(1)
    h, bed, dam = flood.place_lake_and_dam(bed, 1)
    bed = flood.read_ground(1)  # the dam is gone from the start
    hu, hv = np.zeros_like(h), np.zeros_like(h)
    volume = h[flood.INNER].sum()
    time = left = 0.0
    for _ in range(200):
        dt, out = flood.advance(h, hu, hv, bed, *flood.sills(bed), flood.SPACING)
        time, left = time + dt, left + out
    end = h[flood.INNER].sum()
    assert h.min() >= 0.0
    assert abs(volume + flood.RAIN * time * h[flood.INNER].size - left / flood.SPACING**2 - end) < 1e-12 * end


def test_flood_lake_is_closed_by_the_map_and_the_dam(flood):
    """Nothing but the dam holds water: until it breaks the lake doesn't move."""
    for factor in 1, 6:
        ground = flood.read_ground(factor)
        h, bed, _ = flood.place_lake_and_dam(ground, factor)
        wet = h > 0.0
        level = bed + h
        for axis in 0, 1:
            low = [slice(None)] * 2
            high = [slice(None)] * 2
            low[axis], high[axis] = slice(None, -1), slice(1, None)
            for one, other in ((tuple(low), tuple(high)), (tuple(high), tuple(low))):
                shore = wet[one] & ~wet[other]
                assert (level[other][shore] >= flood.LAKE_LEVEL).all()


def test_flood_program(tmp_path):
    text = run(
        "flood.py", "--refine", "1", "--steps", "12", "--save", tmp_path / "h.npy", "--picture", tmp_path / "p.png"
    )
    assert "344 x 403 cells of 90 m, 12 steps" in text
    assert float(text.split("missing")[1].split()[0]) < 1e-12
    assert np.load(tmp_path / "h.npy").shape == (344, 403)
    assert (tmp_path / "p.png").stat().st_size > 10_000


def test_black_scholes_program():
    pytest.importorskip("scipy")
    text = run("black_scholes.py", "--options", "1000")
    assert float(text.split("holds to")[1]) < 1e-10


def test_life_program():
    text = run("life.py", "--size", "60", "--generations", "40", "--show")
    board = text.splitlines()[2:]
    # after 40 generations the glider of rows and columns 1 to 3 has gone 10 cells down and right
    assert [row[11:14] for row in board[11:14]] == [".#.", "..#", "###"]
