// The namespace `m` of the scalar definitions on CUDA: real functions are CUDA's (at most 2 ulp), complex ones are made of them.
// Complex functions of single precision compute in double.

NL_SCALAR_BEGIN
namespace m {

#define NL_REAL1(name)                                   \
    NL_FN double name(double a) { return ::name(a); }    \
    NL_FN float name(float a) { return ::name##f(a); }
#define NL_REAL2(name)                                                    \
    NL_FN double name(double a, double b) { return ::name(a, b); }        \
    NL_FN float name(float a, float b) { return ::name##f(a, b); }

NL_REAL1(floor)
NL_REAL1(ceil)
NL_REAL1(trunc)
NL_REAL1(rint)
NL_REAL1(sqrt)
NL_REAL1(exp)
NL_REAL1(exp2)
NL_REAL1(expm1)
NL_REAL1(log)
NL_REAL1(log2)
NL_REAL1(log10)
NL_REAL1(log1p)
NL_REAL1(cbrt)
NL_REAL1(sin)
NL_REAL1(cos)
NL_REAL1(tan)
NL_REAL1(asin)
NL_REAL1(acos)
NL_REAL1(atan)
NL_REAL1(sinh)
NL_REAL1(cosh)
NL_REAL1(tanh)
NL_REAL1(asinh)
NL_REAL1(acosh)
NL_REAL1(atanh)
NL_REAL1(erf)
NL_REAL1(erfc)
NL_REAL1(lgamma)
NL_REAL1(tgamma)
NL_REAL2(fmod)
NL_REAL2(hypot)
NL_FN double magnitude(double a, double b) { return ::hypot(a, b); }
NL_FN float magnitude(float a, float b) { return ::hypotf(a, b); }
NL_REAL2(atan2)
NL_REAL2(nextafter)
NL_FN double pow(double a, double b) { return ::pow(a, b); }
NL_FN double fma(double a, double b, double c) { return ::fma(a, b, c); }
NL_FN float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
// powf is off by up to 4 ulp.
NL_FN float pow(float a, float b) { return (float)::pow((double)a, (double)b); }

typedef Complex<double> Z;

NL_FN bool finite(double a) { return ::fabs(a) < infinity<double>(); }
NL_FN Z times_i(Z a) { return {-a.im, a.re}; }
NL_FN Z over_i(Z a) { return {a.im, -a.re}; }

// W. Kahan, Branch Cuts for Complex Elementary Functions, 1987, for the formulas and the special values below (C99 annex G).
NL_FN Z csqrt(Z z) {
    const double x = z.re, y = z.im;
    if (x == 0 && y == 0) return {0.0, y};
    if (::fabs(y) == infinity<double>()) return {infinity<double>(), y};
    if (x != x) return {x, x};
    if (::fabs(x) == infinity<double>()) {
        const double other = y != y ? y : ::copysign(0.0, y);
        if (x > 0) return {x, other};
        return {y != y ? y : 0.0, ::copysign(infinity<double>(), y)};
    }
    if (y != y) return {y, y};
    const bool big = ::fabs(x) > 0x1p1020 || ::fabs(y) > 0x1p1020;
    const bool tiny = ::fabs(x) < 0x1p-1000 && ::fabs(y) < 0x1p-1000;
    const double in = big ? 0.0625 : tiny ? 0x1p108 : 1.0, out = big ? 4.0 : tiny ? 0x1p-54 : 1.0;
    const double a = x * in, b = y * in;
    const double t = ::sqrt(0.5 * (::fabs(a) + ::hypot(a, b)));
    const double other = b / (2 * t);
    if (x >= 0) return {t * out, other * out};
    return {::fabs(other) * out, ::copysign(t, y) * out};
}

NL_FN Z cexp(Z z) {
    const double x = z.re, y = z.im;
    if (y == 0) return {::exp(x), y};
    if (!finite(y)) {
        if (x == infinity<double>()) return {x, y - y};
        if (x == -infinity<double>()) return {0.0, 0.0};
        return {y - y, y - y};
    }
    double s, c;
    ::sincos(y, &s, &c);
    // The exponential alone may overflow where the product does not.
    const double part = ::fmin(x - 700.0, 700.0);
    const double scale = x > 700 ? ::exp(part) : 1.0;
    const double e = x > 700 ? 1.0142320547350045e304 : ::exp(x);
    return {c * e * scale, s * e * scale};
}

NL_FN Z clog(Z z) {
    const double a = ::fabs(z.re), b = ::fabs(z.im);
    const double large = ::fmax(a, b), small = ::fmin(a, b);
    double re;
    if (a == infinity<double>() || b == infinity<double>()) {
        re = infinity<double>();
    } else if (large > 0.5 && large < 2 && small < 2) {
        // Near the unit circle the logarithm of the modulus cancels.
        const double d = ::fma(large - 1, large + 1, small * small);
        re = ::fabs(d) < 0.75 ? 0.5 * ::log1p(d) : ::log(::hypot(a, b));
    } else {
        const double scale = large > 0x1p1000 ? 0x1p-100 : large < 0x1p-900 ? 0x1p100 : 1.0;
        const double shift = large > 0x1p1000 ? 100.0 : large < 0x1p-900 ? -100.0 : 0.0;
        re = ::log(::hypot(a * scale, b * scale)) + shift * 0.693147180559945309417;
    }
    return {re, ::atan2(z.im, z.re)};
}

NL_FN Z csinh(Z z) {
    const double x = z.re, y = z.im;
    if (y == 0) return {::sinh(x), y};
    if (x == 0) return {finite(y) ? ::copysign(0.0, x) * ::cos(y) : x, ::sin(y)};
    if (!finite(y)) return {::fabs(x) == infinity<double>() ? x : y - y, y - y};
    double s, c;
    ::sincos(y, &s, &c);
    if (::fabs(x) > 700) {
        const Z e = cexp(Z{::fabs(x), ::fabs(y) == y ? y : y});
        return {::copysign(0.5, x) * e.re, 0.5 * e.im};
    }
    return {::sinh(x) * c, ::cosh(x) * s};
}
NL_FN Z ccosh(Z z) {
    const double x = z.re, y = z.im;
    if (y == 0) return {::cosh(x), x * y == 0 ? ::copysign(0.0, x) * ::copysign(1.0, y) : 0.0};
    if (x == 0) return {::cos(y), finite(y) ? ::copysign(0.0, x) * ::sin(y) : 0.0};
    if (!finite(y)) return {::fabs(x) == infinity<double>() ? ::fabs(x) : y - y, y - y};
    double s, c;
    ::sincos(y, &s, &c);
    if (::fabs(x) > 700) {
        const Z e = cexp(Z{::fabs(x), y});
        return {0.5 * e.re, ::copysign(0.5, x) * e.im};
    }
    return {::cosh(x) * c, ::sinh(x) * s};
}
NL_FN Z ctanh(Z z) {
    const double x = z.re, y = z.im;
    if (y == 0) return {::tanh(x), y};
    if (::fabs(x) == infinity<double>())
        return {::copysign(1.0, x), finite(y) ? ::copysign(0.0, ::sin(2 * y)) : ::copysign(0.0, y)};
    if (!finite(y)) return {x == 0 ? x : y - y, y - y};
    if (x != x) return {x, x};
    double s, c;
    ::sincos(y, &s, &c);
    if (::fabs(x) > 22) return {::copysign(1.0, x), 4 * s * c * ::exp(-2 * ::fabs(x))};
    const double t = s / c, beta = 1 + t * t, sh = ::sinh(x), rho = ::sqrt(1 + sh * sh);
    const double scale = 1 + beta * sh * sh;
    return {beta * rho * sh / scale, t / scale};
}
NL_FN Z csin(Z z) { return over_i(csinh(times_i(z))); }
NL_FN Z ccos(Z z) { return ccosh(times_i(z)); }
NL_FN Z ctan(Z z) { return over_i(ctanh(times_i(z))); }

// Kahan's inverse functions: products of square roots keep both sides of a branch cut apart.
NL_FN Z casin(Z z) {
    const Z p = csqrt(Z{1 - z.re, -z.im}), q = csqrt(Z{1 + z.re, z.im});
    return {::atan2(z.re, p.re * q.re - p.im * q.im), ::asinh(p.re * q.im - p.im * q.re)};
}
NL_FN Z cacos(Z z) {
    const Z p = csqrt(Z{1 - z.re, -z.im}), q = csqrt(Z{1 + z.re, z.im});
    return {2 * ::atan2(p.re, q.re), ::asinh(q.re * p.im - q.im * p.re)};
}
NL_FN Z cacosh(Z z) {
    const Z p = csqrt(Z{z.re - 1, z.im}), q = csqrt(Z{z.re + 1, z.im});
    return {::asinh(p.re * q.re + p.im * q.im), 2 * ::atan2(p.im, q.re)};
}
NL_FN Z catanh(Z z) {
    const double x = z.re, y = z.im;
    if (::fabs(x) > 1e150 || ::fabs(y) > 1e150) {
        const double size = ::hypot(x, y);
        return {finite(size) ? x / size / size : ::copysign(0.0, x), ::copysign(1.5707963267948966, y)};
    }
    const double d = 1 - ::fabs(x);
    const double re = 0.25 * ::log1p(4 * ::fabs(x) / (d * d + y * y));
    return {::copysign(re, x), 0.5 * ::atan2(2 * y, d * (1 + ::fabs(x)) - y * y)};
}
NL_FN Z casinh(Z z) { return over_i(casin(times_i(z))); }
NL_FN Z catan(Z z) { return over_i(catanh(times_i(z))); }

NL_FN Z multiply(Z a, Z b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
NL_FN Z invert(Z a) {
    const bool by_real = ::fabs(a.re) >= ::fabs(a.im);
    const double ratio = by_real ? a.im / a.re : a.re / a.im;
    const double scale = 1 / (by_real ? a.re + a.im * ratio : a.im + a.re * ratio);
    return by_real ? Z{scale, -ratio * scale} : Z{ratio * scale, -scale};
}
// Small whole powers by multiplication, as NumPy does; else exp(b log a).
NL_FN Z cpow(Z a, Z b) {
    if (b.re == 0 && b.im == 0) return {1.0, 0.0};
    if (a.re == 0 && a.im == 0) {
        if (b.re > 0 && b.im == 0) return {0.0, 0.0};
        return {double_of(0x7ff8000000000000ull), double_of(0x7ff8000000000000ull)};
    }
    if (b.im == 0 && b.re == ::trunc(b.re) && ::fabs(b.re) < 100) {
        int n = (int)::fabs(b.re);
        Z power = a, result = {1.0, 0.0};
        for (;; power = multiply(power, power)) {
            if (n & 1) result = multiply(result, power);
            n >>= 1;
            if (!n) break;
        }
        return b.re < 0 ? invert(result) : result;
    }
    return cexp(multiply(b, clog(a)));
}

#define NL_COMPLEX1(name)                                            \
    NL_FN Complex<float> name(Complex<float> a) {                    \
        const Z z = name(Z{(double)a.re, (double)a.im});             \
        return {(float)z.re, (float)z.im};                           \
    }
NL_COMPLEX1(csqrt)
NL_COMPLEX1(cexp)
NL_COMPLEX1(clog)
NL_COMPLEX1(csin)
NL_COMPLEX1(ccos)
NL_COMPLEX1(ctan)
NL_COMPLEX1(csinh)
NL_COMPLEX1(ccosh)
NL_COMPLEX1(ctanh)
NL_COMPLEX1(casin)
NL_COMPLEX1(cacos)
NL_COMPLEX1(catan)
NL_COMPLEX1(casinh)
NL_COMPLEX1(cacosh)
NL_COMPLEX1(catanh)
NL_FN Complex<float> cpow(Complex<float> a, Complex<float> b) {
    const Z z = cpow(Z{(double)a.re, (double)a.im}, Z{(double)b.re, (double)b.im});
    return {(float)z.re, (float)z.im};
}

}  // namespace m
NL_SCALAR_END
