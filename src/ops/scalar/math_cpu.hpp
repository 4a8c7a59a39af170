// The namespace `m` of the scalar definitions on the CPU: the C library's functions, real and complex.

NL_SCALAR_BEGIN
namespace m {

#define NL_REAL1(name)                                          \
    NL_FN double name(double a) { return __builtin_##name(a); } \
    NL_FN float name(float a) { return __builtin_##name##f(a); }
// Of these the C library's single precision is off by more than 1 ulp.
#define NL_BY_DOUBLE1(name)                                     \
    NL_FN double name(double a) { return __builtin_##name(a); } \
    NL_FN float name(float a) { return (float)__builtin_##name((double)a); }
#define NL_REAL2(name)                                                       \
    NL_FN double name(double a, double b) { return __builtin_##name(a, b); } \
    NL_FN float name(float a, float b) { return __builtin_##name##f(a, b); }
#define NL_COMPLEX1(name)                                                                       \
    NL_FN Complex<double> name(Complex<double> a) { return from_c(__builtin_##name(to_c(a))); } \
    NL_FN Complex<float> name(Complex<float> a) { return from_c(__builtin_##name##f(to_c(a))); }

NL_FN __complex__ double to_c(Complex<double> a) {
    __complex__ double c;
    __real__ c = a.re;
    __imag__ c = a.im;
    return c;
}
NL_FN __complex__ float to_c(Complex<float> a) {
    __complex__ float c;
    __real__ c = a.re;
    __imag__ c = a.im;
    return c;
}
NL_FN Complex<double> from_c(__complex__ double c) { return {__real__ c, __imag__ c}; }
NL_FN Complex<float> from_c(__complex__ float c) { return {__real__ c, __imag__ c}; }

NL_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
NL_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
NL_REAL1(floor)
NL_REAL1(ceil)
NL_REAL1(trunc)
NL_REAL1(rint)
NL_REAL1(sqrt)
NL_REAL1(exp)
NL_REAL1(exp2)
NL_REAL1(log)
NL_REAL1(log2)
NL_REAL1(sin)
NL_REAL1(cos)
NL_BY_DOUBLE1(cbrt)
NL_BY_DOUBLE1(expm1)
NL_BY_DOUBLE1(log10)
NL_BY_DOUBLE1(log1p)
NL_BY_DOUBLE1(tan)
NL_BY_DOUBLE1(asin)
NL_BY_DOUBLE1(acos)
NL_BY_DOUBLE1(atan)
NL_BY_DOUBLE1(sinh)
NL_BY_DOUBLE1(cosh)
NL_BY_DOUBLE1(tanh)
NL_BY_DOUBLE1(asinh)
NL_BY_DOUBLE1(acosh)
NL_BY_DOUBLE1(atanh)
NL_BY_DOUBLE1(erf)
NL_BY_DOUBLE1(erfc)
NL_REAL2(fmod)
NL_REAL2(pow)
NL_REAL2(hypot)
NL_FN double atan2(double a, double b) { return __builtin_atan2(a, b); }
NL_FN float atan2(float a, float b) { return (float)__builtin_atan2((double)a, (double)b); }

// The size of a complex number, in arithmetic that the compiler can do for many at once: hypot is a call.
// An infinite part wins over NaN; it is selected before the arithmetic, which would move into a branch
// otherwise.
NL_FN float magnitude(float re, float im) {
    const uint32_t infinity = 0x7f800000u;
    const uint32_t a = __builtin_bit_cast(uint32_t, re) & 0x7fffffffu;
    const uint32_t b = __builtin_bit_cast(uint32_t, im) & 0x7fffffffu;
    const uint32_t either = 0u - ((uint32_t)(a == infinity) | (uint32_t)(b == infinity));
    const double x = (double)__builtin_bit_cast(float, (a & ~either) | (infinity & either));
    const double y = (double)__builtin_bit_cast(float, b & ~either);
    return (float)__builtin_sqrt(x * x + y * y);
}
// x * x as a sum of two doubles, without fma (Dekker 1971).
NL_FN double square_error(double x, double product) {
    const double c = 134217729.0 * x, high = c - (c - x), low = x - high;
    return ((high * high - product) + 2.0 * high * low) + low * low;
}
// sqrt(x*x + y*y), scaled by a power of two, then one Newton step with the exact residual: within 0.51 ulp.
NL_FN double magnitude(double re, double im) {
    const uint64_t infinity = 0x7ff0000000000000u, sign = 0x8000000000000000u;
    const uint64_t a = __builtin_bit_cast(uint64_t, re) & ~sign, b = __builtin_bit_cast(uint64_t, im) & ~sign;
    const uint64_t either = uint64_t{0} - ((uint64_t)(a == infinity) | (uint64_t)(b == infinity));
    const uint64_t large = a > b ? a : b,
                   small = a > b ? b : a;  // the larger of two sizes has the larger bits
    const uint64_t high = uint64_t{0} - (uint64_t)(large >= 0x5f30000000000000u);  // 2^500
    const uint64_t low = uint64_t{0} - (uint64_t)(large < 0x26f0000000000000u);    // 2^-400
    const uint64_t one = 0x3ff0000000000000u, up = 0x6570000000000000u,
                   down = 0x1a70000000000000u;  // 2^600, 2^-600
    const uint64_t same = ~(high | low);
    const double scale = __builtin_bit_cast(double, (down & high) | (up & low) | (one & same));
    const uint64_t undo = (up & high) | (down & low) | (one & same);
    const double x = __builtin_bit_cast(double, (large & ~either) | (up & either)) * scale;
    const double y = __builtin_bit_cast(double, small & ~either) * scale;
    const double xx = x * x, yy = y * y;
    const double size = __builtin_sqrt(xx + yy), square = size * size;
    const double errors = square_error(size, square) - square_error(x, xx) - square_error(y, yy);
    const double step = ((square - xx) - yy + errors) / (2.0 * size + 0x1p-1000);
    return (size - step) * __builtin_bit_cast(double, (undo & ~either) | (infinity & either));
}

NL_COMPLEX1(csqrt)
NL_COMPLEX1(cexp)
NL_COMPLEX1(clog)
NL_COMPLEX1(csin)
NL_COMPLEX1(ccos)
NL_COMPLEX1(ctanh)
NL_COMPLEX1(ctan)
NL_COMPLEX1(casin)
NL_COMPLEX1(cacos)
NL_COMPLEX1(catan)
NL_COMPLEX1(csinh)
NL_COMPLEX1(ccosh)
NL_COMPLEX1(casinh)
NL_COMPLEX1(cacosh)
NL_COMPLEX1(catanh)
NL_FN Complex<double> cpow(Complex<double> a, Complex<double> b) {
    return from_c(__builtin_cpow(to_c(a), to_c(b)));
}
NL_FN Complex<float> cpow(Complex<float> a, Complex<float> b) {
    return from_c(__builtin_cpowf(to_c(a), to_c(b)));
}

}  // namespace m
NL_SCALAR_END
