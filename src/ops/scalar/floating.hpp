// Rounding, classification and mathematical functions. Header-free text, see types.hpp.

NL_SCALAR_BEGIN

// --- rounding ---

template <class T>
struct Op_Floor {
    NL_DEF T apply(T a) {
        if constexpr (is_float<T>) {
            return m::floor(a);
        } else {
            return a;
        }
    }
};
template <class T>
struct Op_Ceil {
    NL_DEF T apply(T a) {
        if constexpr (is_float<T>) {
            return m::ceil(a);
        } else {
            return a;
        }
    }
};
template <class T>
struct Op_Trunc {
    NL_DEF T apply(T a) {
        if constexpr (is_float<T>) {
            return m::trunc(a);
        } else {
            return a;
        }
    }
};
template <class T>
struct Op_Rint {
    NL_DEF T apply(T a) {
        if constexpr (is_complex<T>) {
            return {m::rint(a.re), m::rint(a.im)};
        } else {
            return m::rint(a);
        }
    }
};

// --- classification ---

template <class T>
struct Op_IsNan {
    NL_DEF bool apply(T a) { return is_nan(a); }
};
template <class T>
struct Op_IsInf {
    NL_DEF bool apply(T a) {
        if constexpr (is_complex<T>) {
            return Op_IsInf<Real<T>>::apply(a.re) || Op_IsInf<Real<T>>::apply(a.im);
        } else if constexpr (is_float<T>) {
            return abs_of(a) == infinity<T>();
        } else {
            return false;
        }
    }
};
template <class T>
struct Op_IsFinite {
    NL_DEF bool apply(T a) {
        if constexpr (is_complex<T>) {
            return Op_IsFinite<Real<T>>::apply(a.re) && Op_IsFinite<Real<T>>::apply(a.im);
        } else if constexpr (is_float<T>) {
            return abs_of(a) < infinity<T>();
        } else {
            return true;
        }
    }
};
template <class T>
struct Op_SignBit {
    NL_DEF bool apply(T a) { return sign_of(a); }
};
template <class T>
struct Op_CopySign {
    NL_DEF T apply(T a, T b) { return with_sign(a, b); }
};

// --- functions: of the real type from `m`, of complex numbers from `m` with a c in front ---

#define NL_FUNCTION(id, name)              \
    template <class T>                     \
    struct Op_##id {                       \
        NL_DEF T apply(T a) {              \
            if constexpr (is_complex<T>) { \
                return m::c##name(a);      \
            } else {                       \
                return m::name(a);         \
            }                              \
        }                                  \
    };
#define NL_REAL_FUNCTION(id, name)                 \
    template <class T>                             \
    struct Op_##id {                               \
        NL_DEF T apply(T a) { return m::name(a); } \
    };
NL_FUNCTION(Sqrt, sqrt)
NL_REAL_FUNCTION(Cbrt, cbrt)
NL_FUNCTION(Exp, exp)
NL_FUNCTION(Exp2, exp2)
NL_FUNCTION(Expm1, expm1)
NL_FUNCTION(Log, log)
NL_FUNCTION(Log2, log2)
NL_FUNCTION(Log10, log10)
NL_FUNCTION(Log1p, log1p)
NL_FUNCTION(Sin, sin)
NL_FUNCTION(Cos, cos)
NL_FUNCTION(Tan, tan)
NL_FUNCTION(ArcSin, asin)
NL_FUNCTION(ArcCos, acos)
NL_FUNCTION(ArcTan, atan)
NL_FUNCTION(Sinh, sinh)
NL_FUNCTION(Cosh, cosh)
NL_FUNCTION(Tanh, tanh)
NL_FUNCTION(ArcSinh, asinh)
NL_FUNCTION(ArcCosh, acosh)
NL_FUNCTION(ArcTanh, atanh)
NL_REAL_FUNCTION(Erf, erf)
NL_REAL_FUNCTION(Erfc, erfc)
#undef NL_FUNCTION
#undef NL_REAL_FUNCTION

template <class T>
struct Op_Hypot {
    NL_DEF T apply(T a, T b) { return m::hypot(a, b); }
};
template <class T>
struct Op_ArcTan2 {
    NL_DEF T apply(T a, T b) { return m::atan2(a, b); }
};
// log(exp(a) + exp(b)) from the larger one, so that nothing overflows; equal infinities stay.
template <class T>
struct Op_LogAddExp {
    NL_DEF T apply(T a, T b) {
        const T difference = a == b ? (T)0 : a - b;
        const T larger = difference > 0 ? a : b;
        const T sum = larger + m::log1p(m::exp(-abs_of(difference)));
        const T equal = a + (T)0.693147180559945309417232121458176568;
        return a == b ? equal : (is_nan(difference) ? difference : sum);
    }
};
template <class T>
struct Op_LogAddExp2 {
    NL_DEF T apply(T a, T b) {
        const T difference = a == b ? (T)0 : a - b;
        const T larger = difference > 0 ? a : b;
        const T log2e = (T)1.442695040888963407359924681001892137;
        const T sum = larger + log2e * m::log1p(m::exp2(-abs_of(difference)));
        const T equal = a + (T)1;
        return a == b ? equal : (is_nan(difference) ? difference : sum);
    }
};
template <class T>
struct Op_Expit {
    NL_DEF T apply(T a) { return (T)1 / ((T)1 + m::exp(-a)); }
};
template <class T>
struct Op_Radians {
    NL_DEF T apply(T a) { return a * ((T)3.141592653589793238462643383279502884 / (T)180); }
};
template <class T>
struct Op_Degrees {
    NL_DEF T apply(T a) { return a * ((T)180 / (T)3.141592653589793238462643383279502884); }
};
template <class T>
struct Op_Deg2Rad : Op_Radians<T> {};
template <class T>
struct Op_Rad2Deg : Op_Degrees<T> {};

// --- the number format ---

template <class T>
struct Op_Heaviside {
    NL_DEF T apply(T a, T at_zero) { return is_nan(a) ? a : (a == 0 ? at_zero : (a < 0 ? (T)0 : (T)1)); }
};

// The parts of a float's format that the definitions below need, for each width.
template <class T>
struct Format;
template <>
struct Format<double> {
    using Bits = uint64_t;
    using Signed = int64_t;
    static constexpr int mantissa = 52, bias = 1023;
    static constexpr double scale = 0x1p54, unscale = 0x1p-54;
};
template <>
struct Format<float> {
    using Bits = uint32_t;
    using Signed = int32_t;
    static constexpr int mantissa = 23, bias = 127;
    static constexpr float scale = 0x1p54f, unscale = 0x1p-54f;
};
NL_FN double from_bits(uint64_t u) { return double_of(u); }
NL_FN float from_bits(uint32_t u) { return float_of(u); }

// The neighbour of `a` away from zero or towards it, by one step of its bits.
template <class Bits>
NL_FN Bits next_bits(Bits a, Bits towards, Bits sign_bit) {
    const Bits magnitude = a & ~sign_bit, target = towards & ~sign_bit;
    const bool same_sign = ((a ^ towards) & sign_bit) == 0;
    const Bits outwards = (Bits)(a + 1), inwards = (Bits)(a - 1);
    const Bits smallest = (towards & sign_bit) | (Bits)1;
    const Bits step = same_sign && target > magnitude ? outwards : inwards;
    return magnitude == 0 ? smallest : step;
}
template <class T>
struct Op_NextAfter {
    NL_DEF T apply(T a, T b) {
        using Bits = typename Format<T>::Bits;
        const T stepped = from_bits(next_bits<Bits>(bits_of(a), bits_of(b), (Bits)1 << (8 * sizeof(T) - 1)));
        return is_nan(a) || is_nan(b) ? a + b : (a == b ? b : stepped);
    }
};
// The distance to the neighbour away from zero, with the sign of `a`; positive for both zeros.
template <class T>
struct Op_Spacing {
    NL_DEF T apply(T a) {
        using Bits = typename Format<T>::Bits;
        const T outwards = from_bits((Bits)(bits_of(a) + 1));
        const T finite = a == 0 ? abs_of(outwards) : outwards - a;
        return abs_of(a) == infinity<T>() ? quiet_nan<T>() : (is_nan(a) ? a : finite);
    }
};
template <>
struct Apply<Op_NextAfter, Half> {
    NL_DEF Half run(Half a, Half b) {
        const bool nan = (a.bits & 0x7fffu) > 0x7c00u || (b.bits & 0x7fffu) > 0x7c00u;
        const bool equal = to_float(a) == to_float(b);
        const uint16_t stepped = next_bits<uint16_t>(a.bits, b.bits, (uint16_t)0x8000u);
        return Half{nan ? (uint16_t)0x7e00u : (equal ? b.bits : stepped)};
    }
};
// In half precision: to the next number upwards, as NumPy has it.
template <>
struct Apply<Op_Spacing, Half> {
    NL_DEF Half run(Half a) {
        const Half next = Half{next_bits<uint16_t>(a.bits, (uint16_t)0x7c00u, (uint16_t)0x8000u)};
        const bool finite = (a.bits & 0x7fffu) < 0x7c00u;
        const Half distance = to_half(to_float(next) - to_float(a));
        return Half{finite ? distance.bits : (uint16_t)0x7e00u};
    }
};

template <class T>
struct Op_ModfFraction {
    NL_DEF T apply(T a) {
        const T fraction = abs_of(a) == infinity<T>() ? (T)0 : a - m::trunc(a);
        return is_nan(a) ? a : with_sign(fraction, a);
    }
};
// a = mantissa * 2^exponent with 0.5 <= |mantissa| < 1; denormals are scaled up first.
template <class T>
struct Op_FrexpMantissa {
    NL_DEF T apply(T a) {
        using F = Format<T>;
        using Bits = typename F::Bits;
        const bool tiny = abs_of(a) < from_bits((Bits)1 << F::mantissa);
        const Bits bits = bits_of(tiny ? a * F::scale : a);
        const Bits keep = (((Bits)1 << F::mantissa) - 1) | ((Bits)1 << (8 * sizeof(T) - 1));
        const T mantissa = from_bits((bits & keep) | ((Bits)(F::bias - 1) << F::mantissa));
        return a == 0 || is_nan(a) || abs_of(a) == infinity<T>() ? a : mantissa;
    }
};
template <class T>
struct Op_FrexpExponent {
    NL_DEF int32_t apply(T a) {
        using F = Format<T>;
        using Bits = typename F::Bits;
        const bool tiny = abs_of(a) < from_bits((Bits)1 << F::mantissa);
        const Bits bits = bits_of(tiny ? a * F::scale : a) & ~((Bits)1 << (8 * sizeof(T) - 1));
        const int32_t exponent = (int32_t)(bits >> F::mantissa) - (F::bias - 1) - (tiny ? 54 : 0);
        return a == 0 || is_nan(a) || abs_of(a) == infinity<T>() ? 0 : exponent;
    }
};
// a * 2^n, rounded once: in three steps, each a power of two that exists; the last one may round. Zeros,
// infinities and NaN are left out of the steps, so that they set no flag.
template <class T>
struct Op_Ldexp {
    NL_DEF T apply(T number, T n) {
        using F = Format<T>;
        using Bits = typename F::Bits;
        constexpr T limit = (T)(3 * (F::bias - 1));
        const bool special = number == 0 || is_nan(number) || abs_of(number) == infinity<T>();
        const T a = special ? (T)1 : number;
        const T clamped = special ? (T)0 : (n > limit ? limit : (n >= -limit ? n : -limit));
        const int32_t e = (int32_t)clamped;
        // Normalised first, so that a step on the way down is exact until the last.
        const bool tiny = abs_of(a) < from_bits((Bits)1 << F::mantissa);
        const T start = tiny ? a * F::scale : a;
        const int32_t total = tiny ? e - 54 : e;
        const int32_t own =
            (int32_t)((bits_of(start) & ~((Bits)1 << (8 * sizeof(T) - 1))) >> F::mantissa) - F::bias;
        // As far as possible by the exponent itself, between 2^-bias+1 and 2^bias.
        const int32_t to = own + total;
        const int32_t inside = to > F::bias ? F::bias : (to < 1 - F::bias ? 1 - F::bias : to);
        const Bits keep = (((Bits)1 << F::mantissa) - 1) | ((Bits)1 << (8 * sizeof(T) - 1));
        const Bits bits = (bits_of(start) & keep) | ((Bits)(inside + F::bias) << F::mantissa);
        const int32_t rest = to - inside;
        const int32_t last = rest > F::bias ? F::bias : (rest < -F::mantissa - 2 ? -F::mantissa - 2 : rest);
        const T factor = from_bits((Bits)(last + F::bias) << F::mantissa);
        const T result = from_bits(bits) * factor;
        return special ? number : result;
    }
};

NL_SCALAR_END
