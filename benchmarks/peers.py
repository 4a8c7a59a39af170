"""What a user would pick instead: the headline programs in the best idiom of numexpr, Numba and JAX.

``build(peer, program, arrays)`` returns a function without arguments that runs the program to its end and returns the
result, or None where the peer has no idiom for it. The peers' own loops are compiled before they are timed.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import math
import os

import numpy as np
from programs import Program

KNOWN = ("numpy", "numexpr", "numba", "jax", "cupynumeric")


def prepare_environment(cores: int) -> None:
    """Tell the peers how many cores there are; they read it when they are imported."""
    for name in ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMEXPR_MAX_THREADS"):
        os.environ.setdefault(name, str(cores))
    os.environ.setdefault("XLA_FLAGS", f"--xla_cpu_multi_thread_eigen=true intra_op_parallelism_threads={cores}")
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("JAX_ENABLE_X64", "1")


def version(peer: str) -> str | None:
    """Return the version of a peer, or None where it isn't installed."""
    try:
        return importlib.metadata.version({"cupynumeric": "nvidia-cupynumeric"}.get(peer, peer))
    except importlib.metadata.PackageNotFoundError:
        return None


def build(peer: str, program: Program, arrays: tuple):
    return {"numexpr": build_numexpr, "numba": build_numba, "jax": build_jax, "cupynumeric": build_cupynumeric}[peer](
        program, arrays
    )


# --- cuPyNumeric: NumPy's text -------------------------------------------------------------------------------------


def build_cupynumeric(program: Program, arrays: tuple):
    import cupynumeric

    own = [cupynumeric.array(a) if isinstance(a, np.ndarray) else a for a in arrays]

    def run():
        result = program.run(cupynumeric, *own)
        for part in result if isinstance(result, tuple) else (result,):
            if getattr(part, "ndim", 0):
                float(part[(-1,) * part.ndim].real)
        return result

    return run


# --- numexpr -------------------------------------------------------------------------------------------------------


def build_numexpr(program: Program, arrays: tuple):
    import numexpr

    def evaluate(text, names):
        values = dict(zip(names.split(), arrays, strict=True))
        return lambda: numexpr.evaluate(text, local_dict=values)

    match program.name:
        case "chain":
            return evaluate("a * x + y * b - c * z", "a b c x y z")
        case "sum_squares":
            return evaluate("sum((a - b) ** 2)", "a b")
        case "where_mixed":
            # numexpr multiplies int32 and float32 to float64, as NumPy does
            return evaluate("where(mask, i * f, d)", "mask i f d")
        case "sweep" | "sweep_cached":
            return numexpr_sweep(numexpr, *arrays)
        case "axpy1024":
            x, y, times = arrays

            def run():
                for _ in range(times):
                    numexpr.evaluate("x + 2 * y", local_dict={"x": x, "y": y}, out=x)
                return x

            return run
    return None


def numexpr_sweep(numexpr, grid, fifth, steps):
    inner = grid[1:-1, 1:-1]
    names = {"c": inner, "n": grid[:-2, 1:-1], "e": grid[1:-1, 2:], "s": grid[2:, 1:-1], "w": grid[1:-1, :-2]}
    names["fifth"] = fifth

    def run():
        for _ in range(steps):
            inner[...] = numexpr.evaluate("fifth * (c + n + e + s + w)", local_dict=names)
        return grid

    return run


# --- Numba ---------------------------------------------------------------------------------------------------------


def build_numba(program: Program, arrays: tuple):
    import numba

    parallel = numba.njit(parallel=True)
    match program.name:
        case "sweep" | "sweep_cached":
            return numba_sweep(numba, parallel, *arrays)
        case "black_scholes":
            return numba_black_scholes(numba, parallel, *arrays)
        case "add10":
            return numba_add10(numba, *arrays)
        case "axpy1024":
            return numba_axpy(numba, *arrays)
        case "loop_with_read":
            return numba_jacobi(numba, parallel, *arrays)
        case "chain":
            compiled = parallel(lambda a, b, c, x, y, z: a * x + y * b - c * z)
        case "sum_squares":
            compiled = parallel(lambda a, b: ((a - b) ** 2).sum())
        case "where_mixed":
            compiled = parallel(lambda mask, i, f, d: np.where(mask, i * f, d))
        case "transpose":
            compiled = parallel(lambda x: x.T + x)
        case "mask":
            compiled = numba.njit(lambda x: x[x > 0.5])
        case "gather":
            compiled = parallel(lambda x, index: x[index])
        case "cumsum":
            compiled = numba.njit(lambda x: np.cumsum(x))
        case "sort":
            compiled = numba.njit(lambda x: np.sort(x))
        case "sum_axes":
            compiled = parallel(lambda x: (x.sum(axis=0), x.sum(axis=1)))
        case _:
            return None
    return lambda: compiled(*arrays)


def numba_sweep(numba, parallel, grid, fifth, steps):
    @parallel
    def step(old, new):
        for i in numba.prange(1, old.shape[0] - 1):
            for j in range(1, old.shape[1] - 1):
                new[i, j] = fifth * (old[i, j] + old[i - 1, j] + old[i, j + 1] + old[i + 1, j] + old[i, j - 1])

    grids = [grid, grid.copy()]

    def run():
        for _ in range(steps):
            step(*grids)
            grids.reverse()
        return grids[0]

    return run


def numba_black_scholes(numba, parallel, price, strike, years):
    scalar = price.dtype.type
    volatility, drift, rate = scalar(0.3), scalar(0.065), scalar(0.02)
    half, one, root_half = scalar(0.5), scalar(1.0), scalar(math.sqrt(0.5))

    @parallel
    def prices(price, strike, years):
        call, put = np.empty_like(price), np.empty_like(price)
        for i in numba.prange(price.size):
            root = volatility * np.sqrt(years[i])
            d1 = (np.log(price[i] / strike[i]) + drift * years[i]) / root
            d2 = d1 - root
            discounted = strike[i] * np.exp(-rate * years[i])
            n1 = half * (one + math.erf(root_half * d1))
            n2 = half * (one + math.erf(root_half * d2))
            call[i] = price[i] * n1 - discounted * n2
            put[i] = discounted * (one - n2) - price[i] * (one - n1)
        return call, put

    return lambda: prices(price, strike, years)


def numba_add10(numba, x, y, times):
    add = numba.njit(lambda x, y: x + y)

    def run():
        total = x
        for _ in range(times):
            total = add(total, y)
        return total

    return run


def numba_axpy(numba, x, y, times):
    @numba.njit
    def axpy(x, y):
        x += 2 * y

    def run():
        for _ in range(times):
            axpy(x, y)
        return x

    return run


def numba_jacobi(numba, parallel, grid, steps):
    @parallel
    def step(old, new):
        change = 0.0
        for i in numba.prange(1, old.shape[0] - 1):
            largest = 0.0
            for j in range(1, old.shape[1] - 1):
                value = 0.25 * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1])
                largest = max(largest, abs(value - old[i, j]))
                new[i, j] = value
            change = max(change, largest)
        return change

    def run():
        old, new = grid.copy(), grid.copy()
        for _ in range(steps):
            change = step(old, new)
            old, new = new, old
        return old, change

    return run


# --- JAX -----------------------------------------------------------------------------------------------------------


def build_jax(program: Program, arrays: tuple):
    import jax
    import jax.numpy as jnp

    held = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in arrays]
    match program.name:
        case "sweep" | "sweep_cached":
            return jax_sweep(jax, jnp, *held)
        case "black_scholes":
            return jax_compiled(jax, jax_black_scholes(jax, jnp), held)
        case "add10":
            return jax_steps(jax, lambda x, y: x + y, *held)
        case "axpy1024":
            return jax_steps(jax, lambda x, y: x + 2 * y, *held)
        case "loop_with_read":
            return jax_jacobi(jax, jnp, *held)
        case "mask":
            return lambda: held[0][held[0] > 0.5].block_until_ready()
        case "fft2":
            return jax_compiled(jax, jnp.fft.fft2, held)
        case "random" | "random_seeded":
            return jax_random(jax, program.name, held[0])
        case "mandelbrot":
            return jax_compiled(jax, lambda x, y: program.run(jnp, x, y), held)
    return jax_compiled(jax, lambda *a: program.run(jnp, *a), held)


def jax_compiled(jax, function, held):
    compiled = jax.jit(function)
    return lambda: jax.block_until_ready(compiled(*held))


def jax_sweep(jax, jnp, grid, fifth, steps):
    def step(_, g):
        work = fifth * (g[1:-1, 1:-1] + g[:-2, 1:-1] + g[1:-1, 2:] + g[2:, 1:-1] + g[1:-1, :-2])
        return g.at[1:-1, 1:-1].set(work)

    return jax_compiled(jax, lambda g: jax.lax.fori_loop(0, steps, step, g), [grid])


def jax_black_scholes(jax, jnp):
    erf = jax.scipy.special.erf

    def prices(price, strike, years):
        root = 0.3 * jnp.sqrt(years)
        d1 = (jnp.log(price / strike) + 0.065 * years) / root
        d2 = d1 - root
        discounted = strike * jnp.exp(-0.02 * years)
        n1 = 0.5 * (1.0 + erf(0.7071067811865476 * d1))
        n2 = 0.5 * (1.0 + erf(0.7071067811865476 * d2))
        return price * n1 - discounted * n2, discounted * (1.0 - n2) - price * (1.0 - n1)

    return prices


def jax_steps(jax, function, x, y, times):
    compiled = jax.jit(function)

    def run():
        total = x
        for _ in range(times):
            total = compiled(total, y)
        return total.block_until_ready()

    return run


def jax_jacobi(jax, jnp, grid, steps):
    @jax.jit
    def step(old):
        new = old.at[1:-1, 1:-1].set(0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:]))
        return new, jnp.abs(new - old).max()

    def run():
        current = grid
        for _ in range(steps):
            current, change = step(current)
            change = float(change)
        return current, change

    return run


def jax_random(jax, name, count):
    count = int(count)
    if name == "random_seeded":
        return None  # no other system gives NumPy's own stream
    keys = iter(jax.random.split(jax.random.key(0), 1000))
    numbers = jax.jit(lambda key: (jax.random.normal(key, count, "float64"), jax.random.uniform(key, count, "float64")))
    return lambda: jax.block_until_ready(numbers(next(keys)))
