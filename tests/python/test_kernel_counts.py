"""What programs become: kernels, bytes read and written, plan cache hits, memory. Counters, no timings."""

import gc
import resource

import numloom as np
import numpy
import pytest


def counts(f, *args):
    """Counters of what f(*args) adds, with everything before it evaluated, and its result evaluated."""
    np.eval()
    before = np.stats()
    result = f(*args)
    np.eval()
    after = np.stats()
    return {k: after[k] - before[k] for k in after}, result


def data(*shape, dtype="float64", seed=0):
    return np.asarray(numpy.random.default_rng(seed).random(shape).astype(dtype) + 0.5)


one_device = pytest.mark.skipif(np.mesh().size > 1, reason="fusion is restricted where outputs are cut over devices")


def sweep(grid, steps=1):
    center, north, south = grid[1:-1, 1:-1], grid[:-2, 1:-1], grid[2:, 1:-1]
    east, west = grid[1:-1, 2:], grid[1:-1, :-2]
    for _ in range(steps):
        work = 0.2 * (center + north + east + west + south)
        center[:] = work
        del work


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_five_point_sweep_is_one_kernel_that_reads_and_writes_the_grid_once(dtype):
    grid = data(130, 120, dtype=dtype)
    for steps in (1, 4):
        c, _ = counts(sweep, grid, steps)
        assert c["kernels"] == steps
        assert c["bytes_read"] == steps * grid.nbytes
        assert c["bytes_written"] == steps * grid[1:-1, 1:-1].nbytes


def test_sweep_over_a_reshaped_array_needs_no_temporary_either():
    grid = (np.arange(130 * 120) * 0.25).reshape(130, 120)
    want = (numpy.arange(130 * 120) * 0.25).reshape(130, 120)
    c, _ = counts(sweep, grid, 3)
    sweep(want, 3)
    assert c["kernels"] == 3
    assert c["bytes_read"] == 3 * grid.nbytes
    assert numpy.array_equal(numpy.asarray(grid), want)


def test_sweep_that_keeps_its_work_array_writes_it_once_more():
    grid = data(130, 120)
    kept = []

    def run():
        work = 0.25 * (grid[:-2, 1:-1] + grid[2:, 1:-1])
        grid[1:-1, 1:-1] = work
        kept.append(work)

    c, _ = counts(run)
    assert c["kernels"] == 1
    assert c["bytes_written"] == 2 * kept[0].nbytes


def black_scholes(s, k, t, erf):
    root = np.sqrt(t)
    d1 = (np.log(s / k) + 0.065 * t) / (0.3 * root)
    d2 = d1 - 0.3 * root
    n1, n2 = 0.5 + 0.5 * erf(d1 / 2**0.5), 0.5 + 0.5 * erf(d2 / 2**0.5)
    discount = k * np.exp(-0.02 * t)
    call = s * n1 - discount * n2
    put = discount * (1 - n2) - s * (1 - n1)
    return call, put


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_black_scholes_is_one_kernel(dtype):
    special = pytest.importorskip("scipy.special")
    s, k, t = (data(5000, dtype=dtype, seed=i) for i in range(3))
    c, (call, put) = counts(black_scholes, s, k, t, special.erf)
    assert c["kernels"] == 1 and c["host_calls"] == 0
    assert c["bytes_read"] == 3 * s.nbytes and c["bytes_written"] == 2 * s.nbytes
    assert call.dtype == put.dtype == dtype


def test_sum_of_squared_differences_is_one_kernel():
    a, b = data(300, 50), data(300, 50, seed=1)
    c, r = counts(lambda: ((a - b) ** 2).sum())
    assert c["kernels"] == 1
    assert c["bytes_read"] == a.nbytes + b.nbytes and c["bytes_written"] == 8
    assert numpy.isclose(float(r), ((numpy.asarray(a) - numpy.asarray(b)) ** 2).sum(), rtol=1e-14)


def test_normalising_columns_is_at_most_three_kernels():
    x = data(400, 30)
    c, r = counts(lambda: (x - x.mean(0)) / x.std(0))
    assert c["kernels"] <= (3 if np.mesh().size == 1 else 5)
    h = numpy.asarray(x)
    assert numpy.allclose(numpy.asarray(r), (h - h.mean(0)) / h.std(0), rtol=1e-12)


@one_device
def test_several_reductions_of_one_array_share_a_kernel():
    x = data(200, 40)
    c, _ = counts(lambda: (x.sum(), x.min(), x.max(), (x * x).sum()))
    assert c["kernels"] == 1 and c["bytes_read"] == x.nbytes


@one_device
def test_normalising_columns_writes_no_array_but_the_result():
    x = data(500, 40)
    c, r = counts(lambda: (x - x.mean(0)) / x.std(0))
    assert c["bytes_written"] < 1.2 * r.nbytes and c["bytes_read"] < 3.2 * x.nbytes
    c, r = counts(lambda: ((x * 2 - 1) ** 2 + x) / x.sum(1)[:, None])
    assert c["kernels"] == 2 and c["bytes_written"] < 1.2 * r.nbytes


def test_a_temporary_does_not_sink_past_a_write_of_what_it_reads():
    x = data(60, 50)
    h = numpy.asarray(x).copy()

    def program(a):
        t = a * 3 - 1
        a[5:] += 1
        s = a.sum(0)
        u = a - 2
        a *= 2
        return t / s, u * a.max()

    for got, want in zip(program(x), program(h), strict=True):
        assert numpy.allclose(numpy.asarray(got), want, rtol=1e-13)


@one_device
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_parts_of_a_complex_result_are_read_in_its_kernel(dtype):
    a = data(40, 30, dtype=dtype)

    def escape():
        z = a * a + 0.25
        for _ in range(4):
            inside = z.real * z.real + z.imag * z.imag < 4
            z = np.where(inside, z * z + a, z)
        return z

    c, z = counts(escape)
    assert c["kernels"] == 1 and c["bytes_written"] == z.nbytes


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_parts_of_complex_arrays_between_writes(dtype):
    start = numpy.random.default_rng(3).random((20, 16)).astype(dtype)

    def program(np):
        z = np.asarray(start) * (1 + 2j)
        a = z.real + 1
        z[2:].imag[...] = z[:-2].real * 2
        b = z.imag[::-1] - z.real
        z.real[:] = z.imag + z.T.real[0, 0]
        c = z.imag[:, 1:] * z.real[:, :-1] + z[:, 0].imag[:, None]
        z.real += z.imag
        return a, b, c, z, z.imag.sum(0), (z.real**2).max()

    for got, want in zip(program(np), program(numpy), strict=True):
        assert got.dtype == want.dtype
        assert numpy.array_equal(numpy.asarray(got), want) or numpy.allclose(got, want, rtol=1e-6)


def test_mean_is_finished_in_its_kernel():
    x = data(100, 40)
    for axis in (None, 0, 1):
        c, _ = counts(lambda axis=axis: x.mean(axis))
        assert c["kernels"] == 1


def test_a_chain_of_operations_is_one_kernel_without_temporaries():
    a, b, c, x, y, z = (data(1000, seed=i) for i in range(6))
    n, _ = counts(lambda: a * x + y * b - c * z)
    assert n["kernels"] == 1
    assert n["bytes_read"] == 6 * a.nbytes and n["bytes_written"] == a.nbytes


def test_dead_results_cost_nothing():
    x = data(1000)

    def run():
        y = np.exp(x)
        z = y + 1
        del y, z

    c, _ = counts(run)
    assert c["kernels"] == 0


def test_overlapping_update_is_one_kernel_when_it_covers_most_of_the_array():
    x = data(1000)

    def run():
        x[1:] += x[:-1]

    c, _ = counts(run)
    assert c["kernels"] == 1


def test_nothing_is_evaluated_before_somebody_asks():
    x = data(1000)
    np.eval()
    before = np.stats()["evaluations"]
    y = (x + 1).reshape(10, 100).T[::2] * 2
    z = y.sum(axis=0)
    y[1:] = y[:-1]
    assert z.shape == (10,) and y.dtype == "float64" and len(y) == 50
    assert np.stats()["evaluations"] == before


def steady(steps, body):
    """Plan misses and hits of the second half of a loop."""
    for i in range(steps):
        body(i)
    np.eval()
    before = np.stats()
    for i in range(steps, 2 * steps):
        body(i)
    np.eval()
    after = np.stats()
    return after["plan_misses"] - before["plan_misses"], after["plan_hits"] - before["plan_hits"]


def test_a_steady_loop_finds_its_plans():
    state = {"x": data(50, 40)}

    def body(i):
        state["x"] = state["x"] * 0.99 + (0.5 + i)  # the number changes each time
        state["x"][1:-1] += 0.1 * state["x"][:-2]

    misses, hits = steady(20_000, body)
    assert hits > 20 and misses <= 0.01 * (hits + misses)


def test_a_loop_that_reads_each_step_finds_its_plans():
    x = data(64, 64)
    new = x.copy()

    def body(i):
        new[1:-1, 1:-1] = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])
        change = float(abs(new - x).max())
        x[:] = new + 0.0 * change

    misses, hits = steady(300, body)
    assert misses <= 0.01 * (hits + misses)


def test_a_moving_window_does_not_need_new_plans():
    x, y = data(5000), data(5000)

    def body(i):
        k = i % 4000
        y[k : k + 100] = x[k + 7 : k + 107] * 2.0
        float(y[k])

    misses, hits = steady(400, body)
    assert misses <= 0.01 * (hits + misses)


def resident():
    gc.collect()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_a_million_operations_that_nobody_reads_stay_in_bounded_memory():
    x, y = data(16), data(16, seed=1)
    for _ in range(20_000):
        x = x + y
        x *= 0.5
    before = resident()
    for _ in range(480_000):
        x = x + y
        x *= 0.5
    assert resident() - before < 50
    assert numpy.allclose(numpy.asarray(x), numpy.asarray(y), rtol=1e-12)


def test_a_recurrence_through_host_numbers_stays_in_bounded_memory():
    x = data(1000)
    scale = 1.0
    for _ in range(500):
        scale = float((x * scale).mean()) * 0.9
    before = resident()
    for _ in range(5000):
        scale = float((x * scale).mean()) * 0.9
    assert resident() - before < 50


def test_changing_shapes_do_not_pile_up():
    for n in range(1, 400):
        float((data(2, n)[:, ::-1] * 2).sum())
    before = resident()
    for n in range(400, 2400):
        float((data(2, n)[:, ::-1] * 2).sum())
    assert resident() - before < 120


def test_a_printed_plan_names_its_steps():
    x = data(10)
    text = np.plan(lambda: float((x * 2).sum()))
    assert "kernel" in text and "multiply" in text and "reads" in text
