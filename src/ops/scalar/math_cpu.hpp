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
