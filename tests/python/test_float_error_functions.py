"""Functions and methods report the floating-point conditions that NumPy's report, by the same names.

Each expression is evaluated for lines and matrices of ordinary, infinite, huge, NaN, zero and negative numbers.
"""

import warnings

import numloom
import numpy
import pytest

EXPRESSIONS = """
    np.dot(a, b) | np.dot(m, a) | np.dot(m, n) | np.dot(a, s) | np.dot(s, a) | np.dot(s, s) | np.dot(m, s)
    np.dot(c, m) | np.inner(a, b) | np.inner(a, s) | np.inner(m, n) | np.inner(c, m) | np.vdot(a, b)
    np.vdot(m, n) |np.outer(a, b) | np.tensordot(m, n) | np.tensordot(m, n, 1) | np.tensordot(m, n, 0)
    np.kron(m, n) | np.kron(a, b) | np.trace(m) | np.trace(c) | np.einsum('ij, jk', m, n) | np.einsum('ij->i', m)
    np.einsum('i, i', a, b) |np.matmul(m, n) | np.matmul(a, b) | np.matmul(c, m) | m @ n | a @ n | m @ b
    np.vecdot(a, b) | np.vecdot(m, n) | np.matvec(m, a) | np.vecmat(a, m) | np.matvec(c, a) | np.linalg.matmul(m, n)
    np.linalg.vecdot(a, b) | np.linalg.vecdot(m, n) | np.linalg.tensordot(m, n, axes=1) | np.linalg.outer(a, b)
    np.linalg.cross(a[:3], b[:3]) |np.cross(a[:3], b[:3]) | np.convolve(a, b) | np.convolve(a, b, 'same')
    np.correlate(a, b) | np.correlate(a, b, 'full') | np.linalg.matrix_power(m, 2) | np.linalg.matrix_power(m, 3)
    np.linalg.multi_dot([m, n, m]) |np.polyval(a, b) | np.polyval([1, 2, 3], a) | np.polyval(a, 2) | np.poly(a)
    np.poly(m) | np.polyadd(a, b) | np.polysub(a, b) | np.polymul(a, b) | np.polyder(a) | np.polyint(a)
    np.polydiv(a, b) | np.roots(a) | np.vander(a) | np.vander(a, 3) | np.vander(a, 2)
    np.polyfit([0, 1, 2, 3.], a, 1) |np.linalg.norm(a) | np.linalg.norm(m) | np.linalg.norm(m, axis=0)
    np.linalg.norm(a, 1) | np.linalg.norm(a, np.inf) | np.linalg.norm(a, 0) | np.linalg.norm(a, 3)
    np.linalg.norm(a, -1) | np.linalg.norm(m, 'fro') | np.linalg.norm(m, 1) | np.linalg.norm(m, 2)
    np.linalg.norm(m, 'nuc') | np.linalg.norm(m, axis=(0, 1)) | np.linalg.vector_norm(a)
    np.linalg.vector_norm(m, axis=0, ord=1) | np.linalg.vector_norm(a, ord=3) | np.linalg.matrix_norm(m)
    np.linalg.matrix_norm(m, ord=1) |np.linalg.det(m) | np.linalg.slogdet(m) | np.linalg.inv(m)
    np.linalg.solve(m, a) | np.linalg.solve(m, n) | np.linalg.eig(m) | np.linalg.eigh(m) | np.linalg.eigvals(m)
    np.linalg.eigvalsh(m) | np.linalg.svd(m) | np.linalg.svdvals(m) | np.linalg.qr(m) | np.linalg.qr(m, 'r')
    np.linalg.cholesky(m) | np.linalg.cholesky(m@m.T) | np.linalg.lstsq(m, a) | np.linalg.pinv(m)
    np.linalg.cond(m) | np.linalg.cond(m, 1) | np.linalg.matrix_rank(m) | np.linalg.trace(m)
    np.linalg.tensorinv(m.reshape(4, 2, 2), 1) | np.linalg.tensorsolve(m, a) | np.linalg.det(c)
    np.linalg.inv(c) |np.fft.fft(a) | np.fft.ifft(a) | np.fft.rfft(a) | np.fft.irfft(a) | np.fft.fft2(m)
    np.fft.fftn(m) | np.fft.hfft(a) | np.fft.ihfft(a) | np.fft.rfft2(m) | np.fft.fftshift(a) | np.fft.fft(a, 7)
    np.fft.fft(a, norm='ortho') | np.fft.ifft(a, norm='forward') | np.fft.irfft2(m) |np.sum(a) | np.prod(a)
    np.cumsum(a) | np.cumprod(a) | np.mean(a) | np.var(a) | np.std(a) | np.median(a) | np.average(a)
    np.average(a, weights=b) | np.nansum(a) | np.nanprod(a) | np.nanmean(a) | np.nanvar(a) | np.nanstd(a)
    np.nanmedian(a) | np.nanmax(a) | np.nanmin(a) | np.nancumsum(a) | np.nancumprod(a) | np.ptp(a) | np.max(a)
    np.argmax(a) | np.nanargmax(a) | np.percentile(a, 30) | np.quantile(a, [.2, .7]) | np.nanpercentile(a, 30)
    np.nanquantile(a, .4) |m.mean(0) | m.var(1) | m.std(0) | m.sum(0) | m.prod(1) | np.var(a, ddof=1)
    np.var(a, ddof=4) | np.cumulative_sum(a) | np.cumulative_prod(a) | np.diff(a) | np.diff(a, 2) | np.ediff1d(a)
    np.gradient(a) | np.gradient(a, b) | np.gradient(m) | np.trapezoid(a) | np.trapezoid(a, b)
    np.interp(a, [0, 1, 2], [3, 1, 2]) | np.interp([.5, 1], [0, 1, 2, 3], a) | np.cov(a) | np.cov(m)
    np.corrcoef(m) | np.corrcoef(a, b) | np.histogram(a) | np.histogram(a, [0, 1, 2]) | np.histogram2d(a, b)
    np.histogramdd(m) | np.digitize(a, [0, 1]) | np.bincount([0, 1, 1, 2], a) | np.unwrap(a) | np.angle(a)
    np.sinc(a) | np.i0(a) | np.nan_to_num(a) | np.real_if_close(a) | np.clip(a, 0, 1) | np.round(a, 2) | np.round(a)
    np.around(a, -1) | np.fix(a) | np.isclose(a, b) | np.allclose(a, b) | np.array_equal(a, b)
    np.array_equiv(a, b) | np.sort(a) | np.unique(a) | np.searchsorted(np.sort(a), b) | np.partition(a, 1)
    np.linspace(a[0], b[0], 4) | np.linspace(a, b, 4) | np.logspace(a[1], b[1], 4) | np.geomspace(a[1], b[1], 4)
    np.arange(a[0], b[0]) | np.meshgrid(a, b) | np.where(a>0, a, b) | np.select([a>0], [a], b)
    np.piecewise(a, [a>0], [1, 2]) | np.apply_along_axis(np.sum, 0, m) | np.apply_over_axes(np.sum, m, 0)
    np.heaviside(a, b) | np.float_power(a, b) | np.frexp(a) | np.modf(a) | np.ldexp(a, 2) | np.ldexp(a, 3000)
    np.divmod(a, b) | np.copysign(a, b) | np.nextafter(a, b) | np.spacing(a) | np.signbit(a) | np.absolute(a)
    np.sign(a) | np.rint(a) | np.floor_divide(a, b) | np.remainder(a, b) | np.fmod(a, b) | np.logaddexp(a, b)
    np.pad(a, 1, mode='mean') | np.pad(a, 2, mode='linear_ramp') | np.pad(a, 1, mode='maximum') |np.add.reduce(a)
    np.add.accumulate(a) | np.multiply.accumulate(a) | np.subtract.accumulate(a) | np.divide.accumulate(a)
    np.power.accumulate(a) | np.hypot.accumulate(a) | np.subtract.reduce(a) | np.divide.reduce(a)
    np.multiply.reduce(m, axis=0) | np.hypot.reduce(a) | np.add.reduceat(a, [0, 2])
    np.multiply.reduceat(a, [0, 2]) | np.divide.reduceat(a, [0, 2]) | np.logaddexp.reduce(a) | np.add.outer(a, b)
    np.multiply.outer(a, b) | np.divide.outer(a, b) | np.maximum.accumulate(a) | np.less.accumulate(a)
    np.add.reduce(m, axis=1) | np.add.accumulate(m, axis=0) | np.add.accumulate(m, axis=1) |a.astype('f4')
    a.astype('e') | a.astype('i8') | a.astype('i1') | a.astype('u1') | a.astype('u8') | a.astype('F')
    a.astype(bool) | a.tolist() | m.trace() | abs(a) | a**2 | a**0.5 | a**-1 | a**3 | 2**a | a//b | a%b | a<b | a==b
    -a | a/b | round(float(a[0])) | np.array2string(a) | a.round(1) | a.cumsum() | a.dot(b) | a.clip(0, 1)
    a.conj() | a.argmax() | a.sort() | a.searchsorted(1) | a.fill(1e300) | np.full(3, 1e300, 'f4')
    np.full_like(a, 1e300) | np.asarray(a, 'f4') | np.array(a, 'e')
    np.concatenate([a, b], dtype='f4', casting='unsafe') | np.copyto(np.zeros(4, 'f4'), a, casting='unsafe')
    np.putmask(a, a>0, 1e300) | np.place(a, a>0, [1e300]) | a.put([0], 1e300) | a.__setitem__(0, 1e300)
    a.__setitem__([0], 1e300) | a.__setitem__(a>0, 1e300) | a.__iadd__(1e300) | a.__imul__(10) | a.__itruediv__(0)
    a.__ipow__(2) | m.__imatmul__(m) | np.polynomial.chebyshev.chebval(a, b) | np.polynomial.Polynomial(a)(b)
    np.emath.sqrt(a) | np.emath.log(a) | np.emath.power(a, 2) | np.nan_to_num(a/b) | np.trim_zeros(a)
    np.isin(a, b) | np.union1d(a, b) | np.lexsort((a, )) | np.choose([0, 1, 0, 1], [a, b])
    np.compress([1, 0, 1, 1], a) | np.fromiter(a, 'f4') | np.sum(a, dtype='f4') | np.mean(a, dtype='f4')
    np.sum(a, where=a>0) | np.prod(m, axis=1) | np.hanning(4)*a | np.mod(a, np.inf) | np.sum(a)/np.sum(b)
    np.sum(a)*np.max(a) | a[0]/b[1] | a[0]*a[0] | a.sum()-a.sum() | np.sqrt(a[0]) | np.float64(1)/a | np.exp(a)
    np.expm1(a) | np.sinh(a) | np.arctanh(a) | np.log1p(a) | np.deg2rad(a) | np.rad2deg(a) | np.degrees(a)
    np.square(a) | np.reciprocal(a) | np.cbrt(a) | np.lcm.reduce([1, 2])
"""
HUGE = {"e": 6e4, "f": 3e38, "d": 1.7e308, "D": 1.7e308}
CASES = {
    "ordinary": ([0, 1, 2, 3], [3, 2, 1, 0]),
    "infinite": ([numpy.inf, 1, 2, -1], [0, 2, 1, 3]),
    "huge": (["h", "h", "-h", "h"], ["h", "h", 2, "-h"]),
    "nan": ([numpy.nan, 1, 2, 3], [1, 0, numpy.nan, 2]),
    "infinities": ([numpy.inf, -numpy.inf, numpy.inf, 1], [1, 2, numpy.inf, numpy.inf]),
    "zeros": ([0, 0, 0, 0], [0, 0, 0, -0.0]),
    "negative": ([-1, -2, -0.5, -3], [0.5, -1, 0, 2]),
}

# (expressions, dtypes, cases) that are not compared, by reason.
NOT_COMPARED = {
    # Huge terms of both signs: which sum overflows, and whether infinities then meet, is up to BLAS's order.
    """np.dot(m, n) | np.dot(c, m) | np.inner(m, n) | np.inner(c, m) | np.tensordot(m, n, 1) | np.matmul(c, m)
    np.matmul(m, n) | m @ n | m.__imatmul__(m) | np.linalg.matmul(m, n) | np.linalg.tensordot(m, n, axes=1)
    np.linalg.matrix_power(m, 2) | np.linalg.matrix_power(m, 3) | np.linalg.cholesky(m@m.T)
    np.linalg.multi_dot([m, n, m])""": ("efdD", "huge"),
    # NumPy transforms single precision in double.
    """np.fft.ifft(a) | np.fft.rfft(a) | np.fft.irfft(a) | np.fft.fft2(m) | np.fft.fftn(m) | np.fft.hfft(a)
    np.fft.fft(a, 7) | np.fft.fft(a, norm='ortho') | np.fft.ifft(a, norm='forward') | np.fft.fft(a)
    np.fft.ihfft(a)""": ("f", "huge"),
    # Of transforms over several axes one name is said, whichever axis met the condition.
    "np.fft.rfft2(m) | np.fft.irfft2(m)": ("efdD", "huge infinities infinite"),
    # Half precision: variances are computed in single precision here, sums in another order.
    """np.var(a) | np.std(a) | np.var(a, ddof=1) | np.var(a, ddof=4) | m.var(1) | m.std(0)
    np.average(a, weights=b) | np.sum(a)/np.sum(b) | a.sum()-a.sum()""": ("e", "huge"),
    # NumPy refuses a range whose width is infinite, at a place further on.
    "np.histogram2d(a, b) | np.histogramdd(m)": ("efd", "huge"),
    # NumPy's vectors of complex numbers multiply with the zero of an imaginary part.
    "np.polyder(a)": ("D", "huge"),
}
SKIPPED = {
    (text.strip(), code, case)
    for texts, (codes, cases) in NOT_COMPARED.items()
    for line in texts.splitlines()
    for text in line.split(" | ")
    for code in codes
    for case in cases.split()
}


def expressions():
    return [text.strip() for line in EXPRESSIONS.strip().splitlines() for text in line.split(" | ") if text.strip()]


def operands(np, code, case):
    def number(x):
        return x if not isinstance(x, str) else HUGE[code] * (-1 if x[0] == "-" else 1)

    a, b = ([number(x) for x in line] for line in CASES[case])
    with numpy.errstate(all="ignore"):
        m = numpy.resize(numpy.array(a, code), (4, 4)).copy()
        m[1] = numpy.array(a[::-1], code)
        m[2, 1] = 1
        given = {"a": numpy.array(a, code), "b": numpy.array(b, code), "m": m, "n": m.T.copy(), "s": m[0, 0]}
        given["c"] = numpy.stack([m, m.T])
        return {name: np.array(x) for name, x in given.items()} | {"np": np}


def told(np, text, code, case):
    """What a module warns of, or the class of what it raises."""
    names = operands(np, code, case)
    with warnings.catch_warnings(record=True) as caught, numpy.errstate(all="warn", under="ignore"):
        warnings.simplefilter("always")
        try:
            str(eval(text, names))
        except Exception as raised:
            return type(raised).__name__
    return sorted({(w.category.__name__, str(w.message)) for w in caught})


@pytest.mark.parametrize("text", expressions())
def test_functions_report_as_numpy_does(text):
    for code in HUGE:
        for case in CASES:
            if (text, code, case) not in SKIPPED:
                assert told(numloom, text, code, case) == told(numpy, text, code, case), (code, case)
