"""One expression or more for every name that the engine does itself: what the tests of native names run.

An expression sees `np`, the module, and arrays made by `inputs`: x, y (floats, 2-D, strided views), v (floats, 1-D),
i, j (integers, 2-D), w (integers, 1-D), m (booleans, 2-D), c (complex, 2-D), n (floats with NaN and infinities).
"""

import numpy

# fmt: off


def inputs(xp, dtype="f8", seed=0):
    """The arrays of the expressions, the same values for every module."""
    rng = numpy.random.RandomState(seed)

    def give(a):
        return xp.array(numpy.ascontiguousarray(a))

    x = give(rng.randint(-8, 9, (6, 10)).astype(dtype) / 4)[::-2, 1:9:2]
    y = give(rng.randint(1, 9, (4, 3)).astype(dtype) / 4).T
    i = give(rng.randint(-9, 9, (3, 8)))[:, ::-2]
    j = give(rng.randint(1, 6, (3, 4)))
    n = give(numpy.array("1.5 nan -0 2 inf -1 0 -inf 3 4 5 -2.5".split()).astype(dtype).reshape(3, 4))
    return {"np": xp, "x": x, "y": y, "v": give(rng.randint(-20, 20, 25).astype(dtype) / 8)[3:22:2],
            "i": i, "j": j, "w": give(rng.randint(0, 9, 12))[::-1], "m": give(rng.rand(3, 4) > 0.4), "n": n,
            "c": give((rng.randint(-4, 5, (3, 4)) + 1j * rng.randint(-4, 5, (3, 4))).astype(
                "F" if dtype == "f4" else "D"))}


UFUNCS = {
    (2, "floats"): """add subtract multiply divide floor_divide remainder fmod power float_power minimum maximum fmin
        fmax equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor
        copysign""",
    (2, "ints"): """add subtract multiply divide floor_divide remainder fmod minimum maximum fmin fmax equal
        not_equal less less_equal greater greater_equal logical_and logical_or logical_xor bitwise_and
        bitwise_or bitwise_xor left_shift right_shift""",
    (1, "floats"): """negative positive absolute fabs sign square conjugate logical_not floor ceil trunc rint isnan
        isinf isfinite signbit sin cos tanh""",
    (1, "ints"): "negative positive absolute sign square invert floor ceil trunc isfinite logical_not",
    (1, "positive"): "sqrt exp log reciprocal",
}


def ufunc_expressions():
    """Calls of every elementwise operation, also with out=, where= and dtype=."""
    for name in UFUNCS[2, "floats"].split():
        left = "abs(x)" if "power" in name else "x"
        yield name, f"np.{name}({left}, y)"
        yield name, f"np.{name}(y, 2)"
    for name in UFUNCS[2, "ints"].split():
        left = "abs(i)" if "shift" in name else "i"
        yield name, f"np.{name}({left}, j)"
    for name in UFUNCS[1, "floats"].split():
        yield name, f"np.{name}(x)"
    for name in UFUNCS[1, "ints"].split():
        yield name, f"np.{name}(i)"
    for name in UFUNCS[1, "positive"].split():
        yield name, f"np.{name}(y)"
    yield "add", "np.add(x, y, out=np.zeros((3, 4)))"
    yield "add", "np.add(x, y, dtype='f4')"
    yield "add", "np.add(i, 1, dtype='f8', casting='unsafe')"
    yield "multiply", "np.multiply(x, y, where=m, out=np.ones((3, 4)))"
    yield "maximum", "np.maximum(x, 0, order='F')"
    yield "add", "np.add.reduce(x)"
    yield "add", "np.add.reduce(i, axis=None, dtype='f8')"
    yield "multiply", "np.multiply.reduce(j, axis=1, keepdims=True, initial=2)"
    yield "maximum", "np.maximum.reduce(x, axis=1, where=m, initial=-9.0)"
    yield "add", "np.add.outer(v, w)"
    for text in METHODS:
        yield text.split(".")[1], text


METHODS = [
    "np.divmod(x, y)", "np.divmod(i, 3)", "np.divmod(x, 0.75, out=(np.zeros((3, 4)), None))", "np.modf(n)",
    "np.modf(x, where=m, out=(np.ones((3, 4)), np.ones((3, 4))))", "np.frexp(x)", "np.frexp(n, order='F')",
    "np.frexp(w)", "np.ldexp(x, j)", "np.ldexp(v, -3)", "np.ldexp(y, j, out=np.zeros((3, 4), 'f4'))",
    "np.subtract.reduce(x, axis=1)", "np.divide.reduce(y, keepdims=True)", "np.hypot.reduce(x, axis=None)",
    "np.gcd.reduce(i, axis=1)", "np.logaddexp.reduce(v)", "np.less.reduce(m)", "np.copysign.reduce(x, axis=1)",
    "np.bitwise_xor.accumulate(i, axis=1)", "np.logical_or.accumulate(m)", "np.subtract.accumulate(v, dtype='f4')",
    "np.fmin.accumulate(n[:, ::3], axis=0)", "np.left_shift.accumulate(j % 3, axis=1)",
    "np.divide.accumulate(c, axis=1)",
    "np.add.accumulate(x, out=np.zeros((3, 4)))", "np.logaddexp2.accumulate(x, axis=0)",
    "np.add.reduceat(w, [0, 4, 2, 7])", "np.multiply.reduceat(j, [1, 0, 2], axis=1)", "np.maximum.reduceat(x, [2, 0])",
    "np.logical_and.reduceat(m, [0, 2], axis=1)", "np.subtract.reduceat(c, [0, 1], axis=1)",
    "np.add.reduceat(m, [0, 3], axis=1, dtype='f8')", "np.hypot.reduceat(v, w[:3])",
]

REDUCTIONS = [
    "np.sum(x)", "np.sum(x, axis=0)", "np.sum(i, axis=-1, keepdims=True)", "np.sum(m)", "np.sum(x, where=m)",
    "np.sum(i, dtype='f4')", "np.sum(j, axis=(0, 1), initial=5)", "np.sum(x, 0, out=np.zeros(4))", "x.sum()",
    "x.sum(1)", "np.prod(j)", "np.prod(y, axis=1)", "j.prod(0)", "np.amin(x)", "np.amax(x, 1)", "np.min(i, axis=0)",
    "np.max(x)", "x.min(axis=1)", "i.max()", "np.max(x, initial=3, where=m)", "np.any(m)", "np.all(m, axis=0)",
    "m.any(1)", "m.all()", "np.any(x, axis=0, keepdims=True)", "np.mean(x)", "np.mean(i, axis=0)",
    "x.mean(1, keepdims=True)", "np.mean(x, where=m)", "np.mean(y.astype('f2'), axis=0)", "np.var(x)",
    "np.var(x, axis=0, ddof=1)", "c.var(axis=1)", "x.var(1)", "np.var(i)", "np.std(x, axis=1)", "x.std()",
    "np.std(x, 0, correction=1)", "np.argmax(x)", "np.argmin(x, axis=1)", "x.argmax(0)", "i.argmin()", "np.argmax(n)",
    "np.ptp(x, axis=0)", "np.ptp(i)", "np.count_nonzero(i)", "np.count_nonzero(m, axis=1)", "np.nansum(n[:, :2])",
    "np.nanprod(n[::2])", "np.nanmean(n[2])", "np.nanmin(n, axis=0)", "np.nanmax(n, axis=1)", "np.nanargmax(n)",
    "np.nanargmin(n[2])", "np.average(x, axis=0)", "np.average(x, weights=y, axis=1)",
]

CREATION = [
    "np.array(x)", "np.array([[1, 2], [3, 4.5]])", "np.array(x, dtype='f4', order='F')", "np.array([v, v])",
    "np.array(v, ndmin=3)", "np.asarray(x)", "np.asanyarray(i, dtype='f8')", "np.ascontiguousarray(x)",
    "np.asfortranarray(x)", "np.asarray_chkfinite(x)", "np.copy(x)", "np.zeros((2, 3))", "np.zeros(3, 'i4')",
    "np.ones((2, 3), order='F')", "np.full((2, 3), 7)", "np.full((2, 2), [1, 2])", "np.full(3, 1.5, 'f4')",
    "np.zeros_like(x)", "np.ones_like(i, dtype='f8')", "np.full_like(x, 2)", "np.empty((3, 0))",
    "np.empty_like(x[:0])", "np.arange(10)", "np.arange(2, 20, 3)", "np.arange(5, -5, -2)", "np.arange(1, 3, .1)",
    "np.arange(3.0, dtype='f4')", "np.arange(0, 7, dtype='u1')", "np.linspace(0, 1, 7)",
    "np.linspace(2.0, -3, 5, endpoint=False)", "np.linspace(0, 10, 4, dtype=int)",
    "np.linspace(1, 1, 3, retstep=True)", "np.linspace(True, False, 3)", "np.logspace(0, 3, 4)", "np.eye(3)",
    "np.eye(3, 5, 1, dtype=int)", "np.eye(4, k=-2)", "np.identity(2)", "np.diag(v)", "np.diag(x)", "np.diag(v, -1)",
    "np.diag(x, 1)", "np.diagflat(x)", "np.tri(3, 4, 1)", "np.tril(x)", "np.triu(x, 1)", "np.tril(i, -1)",
    "np.meshgrid(v, w)", "np.meshgrid(v, w, indexing='ij', sparse=True)", "np.indices((2, 3))",
    "np.indices((2, 3), dtype='f4', sparse=True)", "np.fromfunction(lambda a, b: a + 2 * b, (3, 4))",
    "np.frombuffer(b'abcdefgh', dtype='u1')",
]

MANIPULATION = [
    "np.reshape(x, (2, 6))", "np.reshape(j, -1)", "x.reshape(4, 3, order='F')", "j.reshape((2, -1))", "np.ravel(x)",
    "x.ravel('F')", "x.flatten('f')", "x.reshape((4, 3), order='f')",
    "np.array(x, order='f')", "x.copy(order='f').T", "j.ravel('K')", "x.flatten()", "np.transpose(x)",
    "x.transpose(1, 0)", "np.matrix_transpose(x)",
    "np.swapaxes(x, 0, 1)", "np.moveaxis(np.zeros((2, 3, 4)), 0, -1)", "np.rollaxis(np.zeros((2, 3, 4)), 2)",
    "np.squeeze(np.zeros((1, 3, 1)))", "np.expand_dims(x, (0, 2))", "np.atleast_1d(3)", "np.atleast_2d(v)",
    "np.atleast_3d(x)", "np.flip(x)", "np.flip(x, 1)", "np.flipud(x)", "np.fliplr(x)", "np.rot90(x)",
    "np.rot90(x, 2)", "np.rot90(x, 3)", "np.roll(v, 3)", "np.roll(x, 1, axis=0)", "np.roll(x, (1, -2), axis=(0, 1))",
    "np.roll(x, 5)", "np.broadcast_to(v, (2, 10))", "np.broadcast_arrays(x, 1.0)", "np.resize(x, (4, 5))",
    "np.concatenate([x, y])", "np.concatenate([x, i], axis=1)", "np.concatenate([x, v], axis=None)",
    "np.stack([x, y])", "np.stack([x, y], axis=-1)", "np.vstack([v, v])", "np.hstack([x, i])", "np.dstack([x, y])",
    "np.column_stack([v, v])", "np.block([[x, y], [i, j]])", "np.append(x, y)", "np.append(x, y, axis=1)",
    "np.unstack(x)", "np.array_split(v, 3)", "np.split(x, 2, axis=1)", "np.split(v, [2, 5])", "np.hsplit(x, 2)",
    "np.vsplit(x, 3)", "np.dsplit(np.zeros((2, 2, 4)), 2)", "np.tile(v, 3)", "np.tile(x, (2, 1, 2))",
    "np.repeat(x, 2)", "np.repeat(x, 3, axis=0)", "x.repeat(2, axis=1)", "np.pad(x, 2)",
    "np.pad(x, ((1, 2), (0, 3)), 'edge')", "np.pad(v, 3, mode='reflect')", "np.pad(v, (2, 1), mode='symmetric')",
    "np.pad(v, 2, mode='wrap')", "np.pad(x, 1, constant_values=5)",
    "np.pad(x, 1, constant_values=((1, 2), (3, 4)))", "np.pad(x, {-1: (1, 2)}, 'linear_ramp')", "np.pad(v, 25, 'wrap')",
    "np.pad(i, 2, 'linear_ramp', end_values=(5, -4))", "np.pad(x, 2, 'maximum')", "np.pad(i, 1, 'mean', stat_length=2)",
    "np.pad(x, (1, 2), 'minimum', stat_length=((2, 1), (1, 3)))", "np.pad(w, 3, 'median')", "np.pad(v, 25, 'reflect')",
    "np.pad(v, 3, 'reflect', reflect_type='odd')", "np.pad(x, 1, 'symmetric', reflect_type='odd')",
    "np.pad(v, 23, mode='symmetric')", "np.pad(v, 2, 'empty')[2:-2]", "np.insert(v, [1, 3, 1], [7, 8, 9])",
    "np.insert(x, 1, v[:4], axis=0)", "np.insert(x, [0, 2], 9, axis=1)", "np.insert(v, slice(0, 4, 2), 5)",
    "np.insert(x, 1, [[1], [2], [3]], axis=1)", "np.delete(v, [1, -3])", "np.delete(x, [0, 2], axis=1)",
    "np.delete(v, v > 0)", "np.delete(x, slice(None, None, 2), axis=0)", "np.repeat(v, w[:10] % 3)",
    "np.repeat(x, [1, 2, 0], axis=0)", "np.delete(v, 3)",
    "np.delete(x, slice(0, 2), axis=1)", "np.diagonal(x)", "x.diagonal(1)", "np.trace(x)", "x.trace(1)", "np.diff(v)",
    "np.diff(x, axis=0)", "np.diff(v, 2, prepend=0)", "np.diff(m)", "np.ediff1d(w)", "np.gradient(v)",
    "np.gradient(x, 2.0, axis=1)", "np.gradient(v, edge_order=2)", "np.gradient(x)", "x.swapaxes(0, 1)",
    "x.squeeze()", "x.view()", "j.view('u8')", "v.copy().view('u1')",
]

FUNCTIONS = [
    "np.where(m, x, y)", "np.where(m, i, x)", "np.where(m, 1, 0.5)", "np.where(i, x, 0)",
    "np.select([m, ~m], [x, y], 7)", "np.select([x > 0, x < -1], [x, i])", "np.clip(x, -1, 1)",
    "np.clip(np.arange(10), 9, 5)", "np.clip(np.arange(10), 5, 8.5)", "x.clip(0)", "x.clip(max=y)", "np.round(x, 1)",
    "x.round()", "np.around(x * 3, 0)", "np.nan_to_num(n)", "np.nan_to_num(n, nan=7.0, posinf=1.0)", "np.isneginf(n)",
    "np.isposinf(n)", "np.iscomplex(c)", "np.isreal(c)", "np.iscomplex(x)", "np.real(c)", "np.imag(c)", "np.imag(x)",
    "c.real", "c.imag", "np.isclose(x, y)", "np.isclose(n, n, equal_nan=True)", "np.allclose(x, x)",
    "np.array_equal(x, y)", "np.array_equal(n, n, equal_nan=True)", "np.array_equiv(x, x[:1])", "np.outer(v, w)",
    "np.kron(x, j)", "np.cross(x[:, :3], y[:, :3])", "np.trapezoid(v)", "np.trapezoid(x, dx=0.5, axis=0)",
    "np.trapezoid(v, np.arange(10.))", "np.sinc(x)", "np.shape(x)", "np.ndim(x)", "np.size(x, 1)",
    "np.iscomplexobj(c)", "np.isrealobj(x)", "np.isfortran(x.T)",
    "np.shares_memory(x, y)", "np.may_share_memory(v, w)", "np.result_type(x, i)", "np.can_cast('i4', 'f8')",
    "np.min_scalar_type(i)", "np.common_type(x, i)", "x.astype('f4')", "c.conj()", "c.conjugate()",
    "np.astype(x, 'i4')", "x + y", "x * 2", "1 - x", "x // y", "x % y", "-x", "abs(x)", "x ** 2", "y ** 0.5",
    "i << 2", "j >> 1", "i & j", "i | j", "i ^ j", "~i", "x < y", "x == y", "x != 0", "x >= i", "divmod(x, y)[0]",
    "x[1:, ::2]", "x[-1]", "x[..., None]", "x.T", "x.copy('F')",
]

STATEMENTS = [
    "x[:] = 3", "x[1:] += x[:-1]", "x += y", "x *= 2", "i -= j", "i //= 3", "x[::2] = v[:4]", "np.copyto(x, y)",
    "np.copyto(x, 1.5, where=m)", "np.putmask(x, m, 2.0)", "np.putmask(x, m, [1, 2, 3])", "np.putmask(i, j, j * 2)",
    "x.fill(2)", "x[m] = 5", "np.fill_diagonal(x, 9)",
    "np.fill_diagonal(x, v[:2])",
    "np.put(x, [0, 99, -99], [7, 8, 9], mode='clip')", "np.put(x, [0, 99], 1, mode='wrap')",
    "np.add(x, y, out=x)", "x.T[1:, 2:] = x[:-2, :-1].T", "c.real = 2", "c.imag[0] = 1",
    "x[0], x[1] = x[1].copy(), 4", "i %= 4", "x /= y", "i <<= 1", "m |= x > 0", "m &= y > 1", "x -= x.mean(0)",
    "x[...] = x.T.T[::-1]", "x.sort()", "w.partition(3); w[:3].sort(); w[4:].sort()", "j.sort(axis=0)", "v.sort()",
    "x[m] = v[:m.sum()]", "j[[0, 2]] = 7",
    "j[[0, 1], [2, 2]] = [5, 6]", "j[[1, 1]] = j[:2] + 1", "c[m] = 0", "np.put(x, [0, 5, -1], [7, 8])",
    "j.put([1, 1, 2], [4, 5, 6])", "np.place(x, m, [1, 2])",
    "np.divmod(x, y, out=(x, y))", "np.divmod(y, x + 9, y, x)", "np.modf(x, x, y)", "np.frexp(x, out=(x, i))",
    "np.add.at(v, [1, 1, 2], 5)", "np.subtract.at(x, (m, ), 0.5)", "np.maximum.at(j, [[0, 2], [0, 1]], np.arange(4))",
    "np.negative.at(x, [0, 0, 2])", "np.multiply.at(x, (slice(None), [1, 1, 3]), y[:, :3])", "np.square.at(i, 1)",
    "np.add.at(w, w % 12, 1.75)", "np.sqrt.at(j, m)", "np.logical_not.at(m, [0, 0, 1])",
    "np.add.at(c, ([0, 1], [2, 2]), x[0, :2])",
    "np.bitwise_or.at(i, np.s_[::2, 1:], 8)", "np.divide.at(x, ([0, 0, 0], [1, 1, 2]), [2, 4, 8])",
    "np.put_along_axis(j, np.array([[0], [2], [1]]), 9, 1)",
]

LINALG = [
    "np.linalg.norm(x)", "np.linalg.norm(v, 1)", "np.linalg.norm(v, np.inf)", "np.linalg.norm(v, 3)",
    "np.linalg.norm(x, axis=0)", "np.linalg.norm(x, 1)", "np.linalg.norm(x, axis=(1, 0))",
    "np.linalg.norm(x, -np.inf, keepdims=True)", "np.linalg.norm(c)", "np.linalg.vector_norm(x, axis=1)",
    "np.linalg.matrix_norm(x)", "np.linalg.matrix_transpose(x)", "np.linalg.diagonal(x)", "np.linalg.trace(x)",
    "np.linalg.outer(v, w)", "np.linalg.cross(x[:, :3], y[:, :3])", "np.linalg.norm(x, 2)",
    "np.linalg.norm(x, 'nuc')", "np.linalg.matrix_norm(np.stack([x, y]), ord=-2, keepdims=True)",
]

# In the expressions below $S is a square matrix far from singular, $H a symmetric one, $C a complex one.
SQUARE = "(x @ y.T + 9 * np.eye(3))"
SYMMETRIC = "(x @ x.T + 2 * np.eye(3))"
COMPLEX = "(c[:, :3] + 9 * np.eye(3))"
FACTORISATIONS = [text.replace("$S", SQUARE).replace("$H", SYMMETRIC).replace("$C", COMPLEX) for text in (
    "np.linalg.solve($S, v[:3])", "np.linalg.solve($S.T, y)", "np.linalg.solve($C, v[:3])",
    "np.linalg.solve(np.stack([$S, $H]), x)", "np.linalg.inv($S)", "np.linalg.inv($C)", "np.linalg.det($S)",
    "np.linalg.det(np.stack([$S, $H]))", "np.linalg.slogdet($S)", "np.linalg.slogdet(-$C)", "np.linalg.cholesky($H)",
    "np.linalg.cholesky($H, upper=True)", "np.linalg.qr(x)", "np.linalg.qr(x.T, 'complete')", "np.linalg.qr(x, 'r')",
    "np.linalg.qr(x.T, mode='raw')", "np.linalg.eigvalsh($H)", "np.linalg.eigh($H).eigenvalues",
    "np.linalg.eigh($C + $C.conj().T, 'U')[0]", "np.linalg.eigvals($H)", "np.linalg.eig($H)[0]",
    "np.linalg.svd(x).S", "np.linalg.svd(x, compute_uv=False)", "np.linalg.svd($H, hermitian=True)[1]",
    "np.linalg.svdvals(c)", "np.linalg.pinv(x)", "np.linalg.pinv($H, hermitian=True)", "np.linalg.matrix_rank(x)",
    "np.linalg.matrix_rank($H, hermitian=True)", "np.linalg.matrix_rank(np.stack([x, x * 0]))", "np.linalg.cond($S)",
    "np.linalg.cond($S, 1)", "np.linalg.cond($S, 'fro')", "np.linalg.lstsq(x.T, y.T)[0]",
    "np.linalg.lstsq(x.T, np.arange(4), rcond=1e-6)[:3]", "np.linalg.tensorinv(np.eye(6).reshape(2, 3, 3, 2) + 1)",
    "np.linalg.tensorsolve(np.eye(6).reshape(2, 3, 6) + 1, x[:2, :3])", "np.linalg.matrix_power($S, -2)")]

LIBRARY = [
    "np.cumsum(v)", "np.cumsum(x, axis=0)", "x.cumsum(1)", "np.cumsum(m)", "np.cumsum(i, dtype='f4')",
    "np.cumprod(j, axis=1)", "j.cumprod()", "np.nancumsum(n[2])", "np.nancumprod(n, axis=0)",
    "np.add.accumulate(x, 1)", "np.maximum.accumulate(v)", "np.sort(v)", "np.sort(x, axis=0)",
    "np.sort(n, axis=None)", "np.sort(c, axis=1)", "np.argsort(i, kind='stable')", "np.argsort(w)", "x.argsort(0)",
    "np.searchsorted(np.sort(v), x)", "np.searchsorted(np.arange(5), 2, side='right')",
    "np.arange(9).searchsorted(w)", "np.digitize(x, np.array([-1.0, 0.0, 1.0]))", "np.median(x)",
    "np.median(x, axis=1)", "np.median(n, axis=0)", "np.nonzero(m)", "np.nonzero(i)", "m.nonzero()",
    "np.flatnonzero(v)", "np.argwhere(m)", "np.where(m)", "np.extract(m, x)",
    "np.compress([True, False, True], x, axis=0)", "x.compress(w[:4] > 2, axis=1)", "np.take(v, [0, 3, -1])",
    "np.take(x, w[:3] % 3, axis=0)", "x.take([[0, 1], [2, 3]], axis=1)", "np.take(v, w + 7, mode='wrap')",
    "np.take(v, w + 7, mode='clip')", "np.take_along_axis(x, np.argsort(x, axis=1), axis=1)", "np.unique(i)",
    "np.unique(n)", "np.unique(w, return_index=True, return_inverse=True, return_counts=True)", "np.isin(i, w)",
    "np.isin(w, [1, 2], invert=True)", "x[m]", "x[x > 0]", "x[m[:, 0]]", "i[i % 2 == 0]", "v[[1, 2, 5]]", "v[w]",
    "x[[0, 2]]", "x[:, [3, 1]]", "x[[0, 1], [2, -1]]", "x[m[:, 1], 1:]", "x[1, [0, 2]]",
    "np.zeros((2, 3, 4))[:, [0, 1], [1, 2]]", "np.arange(24).reshape(2, 3, 4)[[1, 0], :, [0, 3]]", "x[None, [0, 1]]",
    "x[..., [1, 1, 0]]", "v[np.zeros((0,), int)]", "v[[]]", "x[[[0, 1], [1, 2]]]",
]

PRODUCTS = [
    "x @ y.T", "x.T @ y", "x @ v[:4]", "v @ w[:10]", "np.matmul(x, y.T)", "np.matmul(np.ones((2, 3, 4)), x.T)",
    "np.matmul(i, j.T)", "np.dot(x, y.T)", "x.dot(y.T)", "np.dot(v, v)", "np.dot(np.ones((2, 3, 4)), y.T)",
    "np.inner(x, y)", "np.inner(v, v)", "np.vdot(x, y)", "np.vdot(c, c)", "np.tensordot(x, y, ([0, 1], [0, 1]))",
    "np.tensordot(x, y, ([1], [1]))", "np.vecdot(x, y)", "np.einsum('ij,kj->ik', x, y)", "np.einsum('ij->j', x)",
    "np.einsum('ij->ji', x)", "np.einsum('ij,ij->i', x, y)", "np.einsum('ij,jk,kl', x, y.T, x)",
    "np.einsum('...j,...j', x, y)", "np.einsum('ii', x @ y.T)", "np.linalg.matmul(x, y.T)",
    "np.linalg.tensordot(x, y.T, axes=1)", "np.linalg.vecdot(x, y)", "np.linalg.matrix_power(x @ y.T, 3)",
    "np.linalg.multi_dot([x, y.T, x, y.T])",
]

MORE = [
    "np.union1d(i, j)", "np.setdiff1d(i, j)", "np.intersect1d(i, j)", "np.setxor1d(i, w)", "np.unique_counts(i)",
    "np.unique_inverse(w)", "np.unique_all(i)", "np.sort_complex(i)", "np.lexsort((w, w[::-1]))",
    "np.diag_indices(3)", "np.diag_indices_from(x[:, :3])", "np.tril_indices(3, 1)", "np.triu_indices(3, -1, 4)",
    "np.tril_indices_from(x)", "np.triu_indices_from(x, 1)", "np.ix_([0, 2], m[0])", "np.unravel_index(w, (3, 4))",
    "np.ravel_multi_index((w % 3, w % 4), (3, 4))", "np.choose(w % 3, [w, w + 1, w * 2])",
    "np.choose(m.astype(int), [x, y])",
    "w.choose(np.arange(10) * 2)", "np.insert(v, 2, 9)", "np.insert(v, -1, [1, 2, 3])", "np.insert(x, 1, 5, axis=1)",
    "np.trim_zeros(np.array([0, 0, 1, 0, 2, 0]))", "np.quantile(v, 0.3)", "np.quantile(i, [0.0, 0.25, 1.0], axis=1)",
    "np.percentile(x, 40.0, axis=0)", "np.percentile(i, [10.0, 90.0])",
    "np.quantile(n, [0.2, 0.5], axis=0, keepdims=True)", "np.quantile(x, 1)", "np.percentile(v, np.float64(30))",
    *[f"np.quantile({a}, [0.1, 0.5, 0.77], axis={axis}, method='{method}')" for a, axis in (("x", 0), ("i", None))
      for method in ("inverted_cdf averaged_inverted_cdf closest_observation interpolated_inverted_cdf hazen weibull"
                     " linear median_unbiased normal_unbiased lower higher midpoint nearest").split()],
    *[f"np.nanpercentile(n[:, [0, 2]], 35.0, axis=0, method='{method}')" for method in (
        "inverted_cdf averaged_inverted_cdf closest_observation hazen linear lower higher midpoint nearest").split()],
    "np.nanquantile(n[[0, 2]], [0.25, 0.5], axis=1)", "np.nanquantile(i, 0.4)", "np.nanmedian(n[::2], axis=1)",
    "np.nanmedian(n[0])", "np.nanmedian(x, axis=(0, 1), keepdims=True)", "np.median(np.ones((2, 3, 4)), axis=(0, 2))",
    "np.partition(v, 3)[3]", "np.partition(x, [1, 2], axis=1)[:, 1:3]", "np.sort(np.partition(w, -2)[-2:])",
    "v[np.argpartition(v, 4)][4]", "np.sort(x.argpartition(2, axis=0), axis=0)", "np.partition(c, 1)[:, 1]",
    "np.nanvar(n[::2], axis=1)", "np.nanstd(x)",
    "np.cov(x)", "np.corrcoef(x)", "np.cov(v)", "np.bincount(w)", "np.bincount(w, minlength=20)",
    "np.bincount(w[:10], weights=v)", "np.interp(x, np.array([-1.0, 0.0, 1.5]), np.array([1.0, 3.0, 2.0]))",
    "np.interp(v, np.arange(4), np.arange(4) ** 2, left=-1)", "np.convolve(v, x[0])",
    "np.convolve(w, [1, 2, 1], 'same')", "np.convolve(v, [0.5, 0.25], 'valid')", "np.correlate(v, x[0, :3])",
    "np.correlate(v, [1, 2, 3.0], 'full')", "np.cumulative_sum(v)",
    "np.cumulative_sum(x, axis=1, include_initial=True)", "np.cumulative_prod(j, axis=0)", "np.hanning(7)",
    "np.unravel_index(5, (2, 3))", "np.unravel_index(w, (4, 3), order='F')", "np.bincount(w.astype('u8'))",
    "np.compress([1, 0, 1], x, axis=0, out=np.zeros((2, 4), x.dtype))", "np.outer(v, w, out=np.zeros((10, 12)))",
    "np.searchsorted([3, 1, 2], [1, 2, 2.5], sorter=[1, 2, 0])",
    "np.r_[1:5, 7]", "np.r_[v, 0.5, x[0]]", "np.r_[w, 1:3]", "np.c_[v, w[:10]]", "np.c_[x, y]", "np.r_[0:1:5j, 2]",
    "np.mgrid[0:3, 0:4]", "np.mgrid[0:1:5j, -1:2:0.5]", "np.mgrid[1:7:2]", "np.ogrid[0:3, 1:5:2]", "np.ogrid[0:1:3j]",
    "np.lib.stride_tricks.sliding_window_view(v, 3)", "np.lib.stride_tricks.sliding_window_view(x, (2, 2)).sum((2, 3))",
    "np.lib.stride_tricks.sliding_window_view(x, 2, axis=1)", "np.lib.stride_tricks.as_strided(w, (3, 4), (-8, -16))",
    "np.piecewise(v, [v < 0, v > 1], [-1, lambda t: t * 2, 7])", "x[[True, False, True]]",
    "np.choose(j % 2, [1, 2])", "np.choose(j, [x, y], mode='clip')", "np.choose(j, [x, y], mode='wrap')",
    "np.take(x, [0, 1], out=np.zeros(2, x.dtype))", "np.ediff1d(w, [1, 2], 0)", "np.trace(i, out=np.array(0))",
    "np.round(c * 1.3, 1)", "np.round(x, 1, out=np.zeros((3, 4), x.dtype))", "np.nan_to_num(c * np.inf)",
    "np.nanmean(n[0], where=m[0] | m[1])", "np.nanmean(n[::2], axis=1, out=np.zeros(2, n.dtype))",
    "np.interp(1.5, [1, 2, 3], [3, 2, 0])", "np.interp(v, [1, 2, 3], [3, 2, 0], period=4)",
    "np.interp(v, [-1, 2.0], [3j, 2])", "np.interp(v, [1.0], [2.0], left=0)", "np.interp([1, 2], [1, 3], [4, 5])",
    "np.convolve(np.arange(40.0), np.arange(30.0))", "np.convolve(w, w * 2, 'same')", "np.correlate(v, v[:4], 'same')",
    "np.correlate(v[:3], v, 'full')", "np.correlate(c[0], c[1], 'full')", "np.convolve(m[0], m[1])",
    "np.gradient(v, np.arange(10) ** 2)", "np.gradient(x, np.array([0, 1, 4]), 2.0)",
    "np.gradient(x, np.array([0, 1, 4.5]), axis=0, edge_order=2)", "np.unique(i % 2, axis=0)",
    "np.unique(i % 3, axis=1, return_index=True, return_counts=True)", "np.unique(c)", "np.unique(n, equal_nan=False)",
    "np.unique_counts(x)", "np.average(x, axis=1, weights=[1, 2, 3, 4])", "np.average(x, axis=0, returned=True)",
    "np.cov(x, y)", "np.cov(c)", "np.cov(x, aweights=[1, 2, 3, 4], fweights=[1, 2, 1, 1])", "np.cov(v, v * v, ddof=0)",
    "np.corrcoef(v, v * v)", "np.nanvar(n[::2], axis=1, ddof=0.5)",
    "np.hamming(6)", "np.blackman(5)", "np.vander(v[:4])", "np.vander(w[:3], 4, increasing=True)",
    "np.polyval([1, 2, 3.0], x)",
    "np.polyadd(v[:3], w[:5])", "np.polysub(v[:3], w[:5])", "np.polymul(v[:4], w[:3])", "np.polydiv(v[:5], [1, 2.0])",
    "np.polyder(v)", "np.polyder(w, 2)", "np.polyint(v)", "np.polyint(w[:4], 2, [1, 2])", "np.poly(v[:4])",
    "np.poly(c[0])", "np.poly(x[:, :3])", "np.roots([0, 1, -3, 2, 0])", "np.roots(v[:2])",
    "np.polyfit(v, w[:10], 2)", "np.polyfit(v, w[:10], 1, full=True)[:3]",
    "np.polyfit(np.arange(10.0), v, 2, w=y.sum() + v * v, cov=True)", "np.polyfit(np.arange(4.0), x.T, 1)",
    "np.histogram(v)", "np.histogram(w, 4, range=(1, 7))", "np.histogram(x, [-2, -1, 0.5, 3])",
    "np.histogram(v, 5, density=True)", "np.histogram(w[:10], 3, weights=v)", "np.histogram(v, 'auto')",
    "np.histogram_bin_edges(v, 'scott')", "np.histogram_bin_edges(w, 3)", "np.histogram2d(v, w[:10], 3)",
    "np.histogram2d(v, w[:10], [[-3, 0, 3], 2], density=True)", "np.histogramdd(x, (2, 3, 2, 1))",
    "np.histogramdd((v, w[:10]), 3, weights=v)", "np.i0(x)", "np.i0(np.arange(0, 700, 23.5))", "np.kaiser(9, 8.6)",
    "np.bartlett(8)", "np.bartlett(0)", "np.geomspace(1, 1000, 7)", "np.geomspace(-2, -256, 5)", "np.fix(x)",
    "np.real_if_close(c)", "np.real_if_close(x + 1e-16j)", "np.mask_indices(4, np.triu, 1)",
    "np.sort(np.unique_values(i))",
    "np.linspace(np.float32(0.1), np.float32(2.7), 9)", "np.angle(c)", "np.angle(x, deg=True)", "np.unwrap(v * 3)",
    "np.unwrap(x, axis=0)",
    "np.fft.fftshift(v)", "np.fft.fftshift(x, axes=1)", "np.fft.ifftshift(x)", "np.fft.fftfreq(7, 0.5)",
    "np.fft.rfftfreq(8)", "np.fft.fft(v)", "np.fft.fft(c, axis=0)", "np.fft.ifft(c, 6)", "np.fft.rfft(x, axis=0)",
    "np.fft.irfft(c, norm='ortho')", "np.fft.hfft(c, 7)", "np.fft.ihfft(v)", "np.fft.fft2(x)", "np.fft.ifft2(c)",
    "np.fft.rfft2(x, norm='forward')", "np.fft.irfft2(c)", "np.fft.fftn(np.stack([x, y]))",
    "np.fft.ifftn(c, axes=(1, 0))", "np.fft.rfftn(x, (5, 3), (0, 1))", "np.fft.irfftn(c, axes=(0,))",
    "np.fft.fft(i)", "np.fft.fft(c, out=np.empty((3, 4), c.dtype))",
]

# Names whose last place may differ from NumPy's: sums in another order, vector mathematics.
INEXACT = ("sum", "prod", "mean", "var", "std", "average", "norm", "exp", "log", "sin", "cos", "tanh", "power", "sinc",
           "trapezoid", "trace", "median",
           "@", "matmul", "dot(", "inner", "tensordot", "einsum", "matrix_power", "vecdot", "logspace", "reduce",
           "quantile", "percentile", "cov", "corrcoef", "convolve", "correlate", "ning", "blackman", "angle", "unwrap",
           "interp", "poly", "roots", "histogram", "i0", "kaiser", "geomspace",
           "**", "isclose", "linalg.", "fft.")


def expressions():
    """All (expression, exact) pairs."""
    lists = (REDUCTIONS, CREATION, MANIPULATION, FUNCTIONS, LIBRARY, PRODUCTS, MORE, LINALG, FACTORISATIONS)
    texts = [e for _, e in ufunc_expressions()] + [e for group in lists for e in group]
    return [(e, not any(word in e for word in INEXACT)) for e in texts]
