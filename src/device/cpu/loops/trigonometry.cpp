// Sine, cosine and tangent on processors with fused multiply-add: one path for every argument below 2^40, so
// that a value depends on nothing but itself and a whole block is done in vectors. Larger arguments,
// infinities and NaN go to the C library.
//
// The argument is reduced by multiples of pi/2 in three parts (W. J. Cody and W. Waite, Software Manual for
// the Elementary Functions, 1980); doubles keep the remainder as an unevaluated sum of two. The polynomials
// interpolate at Chebyshev's nodes on |r| <= pi/4. Errors found: up to 0.9 ulp for doubles, 0.51 for floats.
#include "device/cpu/loops/vector_math.hpp"

#if defined(NL_OWN_TRIGONOMETRY)

namespace numloom::cpu::NUMLOOM_TARGET {

namespace {

[[gnu::always_inline]] inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kHalfPi1 = 0x1.921fb54442d18p+0, kHalfPi2 = 0x1.1a62633145c07p-54,
                 kHalfPi3 = -0x1.f1976b7ed8fbcp-110;
// Adding this rounds to an integer and leaves it in the lowest bits.
constexpr double kRounder = 0x1.8p52;
constexpr double kLimit = 0x1p40;

// Horner's rule, unrolled here: the vectoriser takes no inner loop.
template <size_t first = 0, size_t terms>
[[gnu::always_inline]] inline double polynomial(const double (&c)[terms], double u) {
    if constexpr (first + 1 == terms) {
        return c[first];
    } else {
        return fma(polynomial<first + 1>(c, u), u, c[first]);
    }
}

// sin(r)/r - 1 over r^2, and cos(r) - 1 + r^2/2 over r^4, in r^2.
constexpr double kSine[] = {-0x1.5555555555555p-3, 0x1.1111111111110p-7,   -0x1.a01a01a019936p-13,
                            0x1.71de3a54605eep-19, -0x1.ae64541266374p-26, 0x1.61217ec0171a7p-33,
                            -0x1.ab17a7921fffep-41};
constexpr double kCosine[] = {0x1.5555555555555p-5,   -0x1.6c16c16c16966p-10, 0x1.a01a019f4e867p-16,
                              -0x1.27e4fa17a41b1p-22, 0x1.1eeb68b108f2bp-29,  -0x1.907d7aebc05d2p-37};
constexpr double kShortSine[] = {-0x1.555555545dd83p-3, 0x1.11110deeb33a8p-7, -0x1.a013a6edc8779p-13,
                                 0x1.6dbdd26f3a324p-19};
constexpr double kShortCosine[] = {0x1.5555555502be6p-5, -0x1.6c16bf549517fp-10, 0x1.a015c40ec60c3p-16,
                                   -0x1.25242a3a04168p-22};

// An argument as quadrant * pi/2 + (high + low).
struct Reduced {
    double high, low;
    uint64_t quadrant;
};
[[gnu::always_inline]] inline Reduced reduce(double x) {
    const double shifted = fma(x, kTwoOverPi, kRounder);
    const double k = shifted - kRounder;
    const double first = fma(-k, kHalfPi1, x);  // exact
    const double product = k * kHalfPi2;
    const double product_low = fma(k, kHalfPi2, -product);
    const double difference = first - product;
    const double part = difference - first;
    const double lost = (first - (difference - part)) + (-product - part);
    const double rest = fma(-k, kHalfPi3, lost - product_low);
    const double high = difference + rest;
    return {high, (difference - high) + rest, scalar::bits_of(shifted)};
}

struct Pair {
    double high, low;
};
// Sine and cosine of the reduced argument, each a sum of a large and a small part.
[[gnu::always_inline]] inline Pair sine_of(const Reduced& r) {
    const double u = r.high * r.high;
    return {r.high, fma(r.high * u, polynomial(kSine, u), fma(-0.5 * u, r.low, r.low))};
}
[[gnu::always_inline]] inline Pair cosine_of(const Reduced& r) {
    const double u = r.high * r.high;
    const double u_low = fma(r.high, r.high, -u);
    const double half = 0.5 * u;
    const double large = 1.0 - half;
    const double small = ((1.0 - large) - half) - fma(0.5, u_low, r.high * r.low);
    return {large, fma(u * u, polynomial(kCosine, u), small)};
}

// By bits: a conditional expression would become a branch around the polynomial that is not chosen.
[[gnu::always_inline]] inline double choose(uint64_t quadrant, double odd, double even) {
    const uint64_t mask = 0u - (quadrant & 1u);
    return scalar::double_of((scalar::bits_of(odd) & mask) | (scalar::bits_of(even) & ~mask));
}
[[gnu::always_inline]] inline double signed_by(double value, uint64_t quadrant) {
    return scalar::double_of(scalar::bits_of(value) ^ ((quadrant & 2u) << 62));
}

// The reduction loses the sign of a zero; no other argument has a sine or tangent of zero.
[[gnu::always_inline]] inline double with_zero_of(double value, double x) {
    const uint64_t sign = scalar::bits_of(x) & 0x8000000000000000u;
    return scalar::double_of(scalar::bits_of(value) | (value == 0 ? sign : 0u));
}

struct Sine {
    [[gnu::always_inline]] static double run(double x) {
        const Reduced r = reduce(x);
        const Pair s = sine_of(r), c = cosine_of(r);
        const double value =
            signed_by(choose(r.quadrant, c.high, s.high) + choose(r.quadrant, c.low, s.low), r.quadrant);
        return with_zero_of(value, x);
    }
    static double exact(double x) { return __builtin_sin(x); }
};
struct Cosine {
    [[gnu::always_inline]] static double run(double x) {
        const Reduced r = reduce(x);
        const Pair s = sine_of(r), c = cosine_of(r);
        return signed_by(choose(r.quadrant, s.high, c.high) + choose(r.quadrant, s.low, c.low),
                         r.quadrant + 1u);
    }
    static double exact(double x) { return __builtin_cos(x); }
};
struct Tangent {
    [[gnu::always_inline]] static double run(double x) {
        const Reduced r = reduce(x);
        const Pair s = sine_of(r), c = cosine_of(r);
        const double top = choose(r.quadrant, -c.high, s.high), top_low = choose(r.quadrant, -c.low, s.low);
        const double bottom = choose(r.quadrant, s.high, c.high),
                     bottom_low = choose(r.quadrant, s.low, c.low);
        // The quotient of the sums: one division, then one step with what it left.
        const double t = top + top_low, t_low = (top - t) + top_low;
        const double b = bottom + bottom_low, b_low = (bottom - b) + bottom_low;
        const double inverse = 1.0 / b;
        const double quotient = t * inverse;
        const double left = fma(-quotient, b, t) + fma(-quotient, b_low, t_low);
        const double value = fma(left, inverse, quotient);
        return with_zero_of(value, x);
    }
    static double exact(double x) { return __builtin_tan(x); }
};

// Floats are done in double: two parts of pi/2 and short polynomials give all 24 bits.
template <class F>
struct Short {
    [[gnu::always_inline]] static float run(float value) {
        const double x = value;
        const double shifted = fma(x, kTwoOverPi, kRounder);
        const double k = shifted - kRounder;
        const double r = fma(-k, kHalfPi2, fma(-k, kHalfPi1, x));
        const double u = r * r;
        const double s = fma(r * u, polynomial(kShortSine, u), r);
        const double c = fma(u * u, polynomial(kShortCosine, u), fma(-0.5, u, 1.0));
        const uint64_t quadrant = scalar::bits_of(shifted);
        if constexpr (std::is_same_v<F, Sine>) {
            return static_cast<float>(with_zero_of(signed_by(choose(quadrant, c, s), quadrant), x));
        } else if constexpr (std::is_same_v<F, Cosine>) {
            return static_cast<float>(signed_by(choose(quadrant, s, c), quadrant + 1u));
        } else {
            return static_cast<float>(with_zero_of(choose(quadrant, -c, s) / choose(quadrant, s, c), x));
        }
    }
};

template <class F, class T>
[[gnu::always_inline]] inline T evaluate(T x) {
    if constexpr (std::is_same_v<T, float>) {
        return Short<F>::run(x);
    } else {
        return F::run(x);
    }
}

template <class F, class T>
void run_block(T* o, const T* a, int64_t n) {
    NL_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) o[i] = evaluate<F, T>(a[i]);
}

template <class F, class T>
void run_loop(void* out, const void* const* in, int64_t n) {
    constexpr int64_t kBlock = 256;
    T* o = static_cast<T*>(out);
    const T* a = input<T>(in, 0);
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t count = n - first < kBlock ? n - first : kBlock;
        const unsigned saved = save_flags();  // comparisons flag NaN
        int64_t beyond = 0;
        for (int64_t i = 0; i < count; ++i)
            beyond += scalar::abs_of(a[first + i]) < static_cast<T>(kLimit) ? 0 : 1;
        if (beyond == 0) {
            run_block<F, T>(o + first, a + first, count);
            continue;
        }
        // The output may be the input.
        T arguments[kBlock];
        std::memcpy(arguments, a + first, static_cast<size_t>(count) * sizeof(T));
        run_block<F, T>(o + first, arguments, count);
        bool infinite = false;
        for (int64_t i = 0; i < count; ++i) {
            if (!(scalar::abs_of(arguments[i]) < static_cast<T>(kLimit)))
                o[first + i] = static_cast<T>(F::exact(static_cast<double>(arguments[i])));
            infinite |= scalar::abs_of(arguments[i]) == scalar::infinity<T>();
        }
        restore_flags(saved, infinite ? F_INVALID : 0);
    }
}

}  // namespace

void sine_loop(void* out, const void* const* in, int64_t n, double) { run_loop<Sine, double>(out, in, n); }
void sine_loop(void* out, const void* const* in, int64_t n, float) { run_loop<Sine, float>(out, in, n); }
void cosine_loop(void* out, const void* const* in, int64_t n, double) {
    run_loop<Cosine, double>(out, in, n);
}
void cosine_loop(void* out, const void* const* in, int64_t n, float) { run_loop<Cosine, float>(out, in, n); }
void tangent_loop(void* out, const void* const* in, int64_t n, double) {
    run_loop<Tangent, double>(out, in, n);
}
void tangent_loop(void* out, const void* const* in, int64_t n, float) {
    run_loop<Tangent, float>(out, in, n);
}

}  // namespace numloom::cpu::NUMLOOM_TARGET

#endif
