// Arithmetic, comparison, logic and bits. Header-free text, see types.hpp.

NL_SCALAR_BEGIN

// --- helpers ---

template <class T>
NL_FN T abs_any(T a) {
    if constexpr (is_float<T>) {
        return abs_of(a);
    } else if constexpr (Traits<T>::has_sign) {
        return a < 0 ? (T)((Wide<T>)0 - (Wide<T>)a) : a;
    } else {
        return a;
    }
}

// The smaller of two complex numbers is the one with the smaller real part; ties go to the imaginary part. A
// NaN makes `<` false.
template <class T>
NL_FN bool complex_less(Complex<T> a, Complex<T> b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im < b.im);
}
template <class T>
NL_FN bool complex_less_equal(Complex<T> a, Complex<T> b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im <= b.im);
}
// NumPy's array loops fuse one product of each part on processors with FMA; its bits are the specification
// here.
template <class T>
NL_FN Complex<T> complex_multiply(Complex<T> a, Complex<T> b) {
    return {m::fma(a.re, b.re, -(a.im * b.im)), m::fma(a.re, b.im, a.im * b.re)};
}
// By the book, each product rounded: what NumPy's complex power is made of.
template <class T>
NL_FN Complex<T> complex_product(Complex<T> a, Complex<T> b) {
    return {NL_ROUNDED(a.re * b.re) - NL_ROUNDED(a.im * b.im),
            NL_ROUNDED(a.re * b.im) + NL_ROUNDED(a.im * b.re)};
}
// Smith's method (R. L. Smith, Algorithm 116, 1962): the larger part of the divisor is divided out first.
// Products pass through NL_ROUNDED, since GCC 12 contracts a*b-c, a*b+c pairs of complex numbers whatever
// -ffp-contract says.
template <class T>
NL_FN Complex<T> complex_divide(Complex<T> a, Complex<T> b) {
    const T re = abs_of(b.re), im = abs_of(b.im);
    const bool by_real = re >= im;
    const T large = by_real ? b.re : b.im, small = by_real ? b.im : b.re;
    const bool by_zero = by_real && re == 0;
    const T divisor = by_zero ? (T)1 : large;  // 0/0 would be invalid
    const T ratio = small / divisor;
    const T scale = (T)1 / (divisor + NL_ROUNDED(small * ratio));
    const T p = by_real ? a.re : a.im, q = by_real ? a.im : a.re;
    const T first = (p + NL_ROUNDED(q * ratio)) * scale;
    const T product = NL_ROUNDED(p * ratio);
    const T second = (by_real ? q - product : product - q) * scale;
    return {by_zero ? a.re / re : first, by_zero ? a.im / re : second};
}

// --- + - * / ---

template <class T>
struct Op_Add {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_bool<T>) {
            return a | b;
        } else if constexpr (is_complex<T>) {
            return {a.re + b.re, a.im + b.im};
        } else {
            return (T)((Wide<T>)a + (Wide<T>)b);
        }
    }
};
template <class T>
struct Op_Subtract {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_complex<T>) {
            return {a.re - b.re, a.im - b.im};
        } else {
            return (T)((Wide<T>)a - (Wide<T>)b);
        }
    }
};
template <class T>
struct Op_Multiply {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_bool<T>) {
            return a & b;
        } else if constexpr (is_complex<T>) {
            return complex_multiply(a, b);
        } else {
            return (T)((Wide<T>)a * (Wide<T>)b);
        }
    }
};
template <class T>
struct Op_Divide {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_complex<T>) {
            return complex_divide(a, b);
        } else {
            return a / b;
        }
    }
};
template <class T>
struct Op_Negative {
    NL_DEF T apply(T a) {
        if constexpr (is_complex<T>) {
            return {-a.re, -a.im};
        } else if constexpr (is_float<T>) {
            return -a;
        } else {
            return (T)((Wide<T>)0 - (Wide<T>)a);
        }
    }
};
template <class T>
struct Op_Positive {
    NL_DEF T apply(T a) { return a; }
};
template <class T>
struct Op_Copy {
    NL_DEF T apply(T a) { return a; }
};
template <class T>
struct Op_Square {
    NL_DEF T apply(T a) { return Op_Multiply<T>::apply(a, a); }
};

// --- division with remainder ---

// a / b as C has it, for b other than 0 and -1. Narrow integers divide as floats, which vectors can do: the
// nearest quotient that is not whole is 1/|b| away from a whole number, far more than the rounding of these
// formats.
template <class T>
NL_FN T plain_quotient(T a, T b) {
    if constexpr (sizeof(T) <= 2) {
        return (T)(int32_t)((float)a / (float)b);
    } else if constexpr (Same<T, int32_t>::value) {
        return (T)((double)a / (double)b);
    } else {
        return (T)(a / b);
    }
}
// Quotient for divisors that may be 0 or -1, where the processor would trap: x/0 = 0.
template <class T>
NL_FN T safe_quotient(T a, T b) {
    if constexpr (Traits<T>::has_sign) {
        const bool plain = b != 0 && b != (T)-1;
        const T q = plain_quotient<T>(a, plain ? b : (T)1);
        return b == 0 ? (T)0 : (plain ? q : (T)((Wide<T>)0 - (Wide<T>)a));
    } else {
        const T q = plain_quotient<T>(a, b != 0 ? b : (T)1);
        return b == 0 ? (T)0 : q;
    }
}
// Remainder likewise: x%0 = x%-1 = 0.
template <class T>
NL_FN T safe_remainder(T a, T b) {
    const bool plain = b != 0 && (!Traits<T>::has_sign || b != (T)-1);
    const T divisor = plain ? b : (T)1;
    if constexpr (sizeof(T) <= 2 || Same<T, int32_t>::value) {
        return (T)((Wide<T>)a - (Wide<T>)plain_quotient<T>(a, divisor) * (Wide<T>)divisor);
    } else {
        return (T)(a % divisor);
    }
}

template <class T>
struct QuotientRemainder {
    T quotient, remainder;
};

// Python's divmod for floats: the remainder is exact (fmod) and has the sign of the divisor; the quotient is
// rounded from it.
template <class T>
NL_FN QuotientRemainder<T> float_divmod(T a, T b) {
    const T mod = m::fmod(a, b);
    const T div = (a - mod) / b;
    const bool zero = mod == 0;
    const bool adjust = !zero && sign_of(b) != sign_of(mod);  // by the sign: comparing NaN would be invalid
    const T remainder = zero ? with_sign((T)0, b) : (adjust ? mod + b : mod);
    const T exact = adjust ? div - (T)1 : div;
    const T floor = m::floor(exact);
    const T part = exact - floor;
    const T rounded = !is_nan(part) && part > (T)0.5 ? floor + (T)1 : floor;
    const T quotient = exact == 0 ? with_sign((T)0, a / b) : rounded;
    return {b == 0 ? a / b : quotient, b == 0 ? mod : remainder};
}

template <class T>
struct Op_FloorDivide {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_float<T>) {
            // By zero only the division is done: what else there is would be invalid.
            const bool by_zero = b == 0;
            const T quotient = float_divmod(by_zero ? (T)0 : a, by_zero ? (T)1 : b).quotient;
            return by_zero ? a / b : quotient;
        } else if constexpr (Traits<T>::has_sign) {
            const T q = safe_quotient(a, b), r = safe_remainder(a, b);
            return (T)(q - (T)((r != 0) & ((a < 0) != (b < 0)) & (b != 0)));
        } else {
            return safe_quotient(a, b);
        }
    }
};
template <class T>
struct Op_Remainder {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_float<T>) {
            return float_divmod(a, b).remainder;
        } else if constexpr (Traits<T>::has_sign) {
            const T r = safe_remainder(a, b);
            return (T)((r != 0) & ((a < 0) != (b < 0)) ? r + b : r);
        } else {
            return safe_remainder(a, b);
        }
    }
};
template <class T>
struct Op_Fmod {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_float<T>) {
            return m::fmod(a, b);
        } else {
            return safe_remainder(a, b);
        }
    }
};

// --- powers ---

// Integer powers wrap; the caller has refused negative exponents.
template <class T>
NL_FN T integer_power(T base, T exponent) {
    Wide<T> result = 1, factor = (Wide<T>)base;
    T left = exponent;
    while (left > 0) {
        result = (left & 1) ? (Wide<T>)(T)(result * factor) : result;
        factor = (Wide<T>)(T)(factor * factor);
        left = (T)(left >> 1);
    }
    return (T)result;
}
// Small integral exponents are multiplied out, as in NumPy; zero bases and exponents are exact.
template <class T>
NL_FN Complex<T> complex_power(Complex<T> a, Complex<T> b) {
    if (b.re == 0 && b.im == 0) return {1, 0};
    if (a.re == 0 && a.im == 0) {
        if (b.re > 0) return {0, 0};
        const T invalid = a.re / a.re;
        return {invalid, invalid};
    }
    if (b.im == 0 && b.re > (T)-100 && b.re < (T)100 && (T)(int)b.re == b.re) {
        const int n = (int)b.re;
        if (n == 1) return a;
        if (n == 2) return complex_product(a, a);
        if (n == 3) return complex_product(a, complex_product(a, a));
        Complex<T> result = {1, 0}, factor = a;
        for (int left = n < 0 ? -n : n;;) {
            if (left & 1) result = complex_product(result, factor);
            left >>= 1;
            if (left == 0) break;
            factor = complex_product(factor, factor);
        }
        return n < 0 ? complex_divide(Complex<T>{1, 0}, result) : result;
    }
    return m::cpow(a, b);
}
template <class T>
struct Op_Power {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_complex<T>) {
            return complex_power(a, b);
        } else if constexpr (is_float<T>) {
            return m::pow(a, b);
        } else {
            return integer_power(a, b);
        }
    }
};
template <class T>
struct Op_FloatPower : Op_Power<T> {};

// --- sign and size ---

template <class T>
struct Op_Absolute {
    NL_DEF Real<T> apply(T a) {
        if constexpr (is_complex<T>) {
            return m::magnitude(a.re, a.im);
        } else {
            return abs_any(a);
        }
    }
};
template <class T>
struct Op_Fabs {
    NL_DEF T apply(T a) { return abs_of(a); }
};
// z/|z| for complex numbers; an infinite part wins, two of them have no direction.
template <class T>
NL_FN Complex<T> complex_sign(Complex<T> z) {
    const T size = m::hypot(z.re, z.im);
    const bool infinite_re = abs_of(z.re) == infinity<T>(), infinite_im = abs_of(z.im) == infinity<T>();
    const T nan = quiet_nan<T>();
    T re = size == 0 ? (T)0 : z.re / size, im = size == 0 ? (T)0 : z.im / size;
    re = infinite_re ? with_sign((T)1, z.re) : (infinite_im ? (T)0 : re);
    im = infinite_im ? with_sign((T)1, z.im) : (infinite_re ? (T)0 : im);
    const bool none = size != size || (infinite_re && infinite_im);
    return {none ? nan : re, none ? nan : im};
}
template <class T>
struct Op_Sign {
    NL_DEF T apply(T a) {
        if constexpr (is_complex<T>) {
            return complex_sign(a);
        } else if constexpr (is_float<T>) {
            return a > 0 ? (T)1 : (a < 0 ? (T)-1 : (a == 0 ? (T)0 : a));
        } else if constexpr (Traits<T>::has_sign) {
            return a > 0 ? (T)1 : (a < 0 ? (T)-1 : (T)0);
        } else {
            return a > 0 ? (T)1 : (T)0;
        }
    }
};
template <class T>
struct Op_Reciprocal {
    NL_DEF T apply(T a) {
        if constexpr (is_complex<T>) {
            const bool by_real = abs_of(a.im) <= abs_of(a.re);
            const Real<T> ratio = by_real ? a.im / a.re : a.re / a.im;
            const Real<T> scale = by_real ? a.re + NL_ROUNDED(a.im * ratio) : NL_ROUNDED(a.re * ratio) + a.im;
            return {by_real ? (Real<T>)1 / scale : ratio / scale,
                    by_real ? -ratio / scale : (Real<T>)-1 / scale};
        } else if constexpr (is_float<T>) {
            return (T)1 / a;
        } else {
            // 1/0 is infinity converted to the type on x86-64: the smallest integer from 32 bits on, 0 below
            // and without sign.
            constexpr bool smallest = Traits<T>::has_sign && sizeof(T) >= 4;
            const T of_zero = smallest ? (T)((Wide<T>)1 << (8 * sizeof(T) - 1)) : (T)0;
            const T inverse = a == (T)1 ? (T)1 : (Traits<T>::has_sign && a == (T)-1 ? a : (T)0);
            return a == 0 ? of_zero : inverse;
        }
    }
};
template <class T>
struct Op_Conjugate {
    NL_DEF T apply(T a) {
        if constexpr (is_complex<T>) {
            return {a.re, -a.im};
        } else {
            return a;
        }
    }
};
template <class T>
struct Op_RealPart {
    NL_DEF Real<T> apply(T a) { return a.re; }
};
template <class T>
struct Op_ImagPart {
    NL_DEF Real<T> apply(T a) { return a.im; }
};

// --- extrema: minimum and maximum carry NaN on, fmin and fmax pass over it ---
// Of two equal zeros minimum and maximum give the second, fmin and fmax the first; half precision always the
// first.

template <class T>
struct Op_Minimum {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_complex<T>) {
            return complex_less_equal(a, b) || is_nan(a) ? a : b;
        } else {
            const T smaller = a < b ? a : b;
            return is_nan(a) ? a : smaller;
        }
    }
};
template <class T>
struct Op_Maximum {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_complex<T>) {
            return complex_less_equal(b, a) || is_nan(a) ? a : b;
        } else {
            const T larger = a > b ? a : b;
            return is_nan(a) ? a : larger;
        }
    }
};
template <class T>
struct Op_Fmin {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_complex<T>) {
            return complex_less_equal(a, b) || is_nan(b) ? a : b;
        } else {
            return a <= b || is_nan(b) ? a : b;
        }
    }
};
template <class T>
struct Op_Fmax {
    NL_DEF T apply(T a, T b) {
        if constexpr (is_complex<T>) {
            return complex_less_equal(b, a) || is_nan(b) ? a : b;
        } else {
            return a >= b || is_nan(b) ? a : b;
        }
    }
};

template <>
struct Apply<Op_Minimum, Half> {
    NL_DEF Half run(Half a, Half b) { return to_half(Op_Minimum<float>::apply(to_float(b), to_float(a))); }
};
template <>
struct Apply<Op_Maximum, Half> {
    NL_DEF Half run(Half a, Half b) { return to_half(Op_Maximum<float>::apply(to_float(b), to_float(a))); }
};

// --- comparison ---

template <class T>
struct Op_Equal {
    NL_DEF bool apply(T a, T b) {
        if constexpr (is_complex<T>) {
            return a.re == b.re && a.im == b.im;
        } else {
            return a == b;
        }
    }
};
template <class T>
struct Op_NotEqual {
    NL_DEF bool apply(T a, T b) { return !Op_Equal<T>::apply(a, b); }
};
template <class T>
struct Op_Less {
    NL_DEF bool apply(T a, T b) {
        if constexpr (is_complex<T>) {
            return complex_less(a, b);
        } else {
            return a < b;
        }
    }
};
template <class T>
struct Op_LessEqual {
    NL_DEF bool apply(T a, T b) {
        if constexpr (is_complex<T>) {
            return complex_less_equal(a, b);
        } else {
            return a <= b;
        }
    }
};
template <class T>
struct Op_Greater {
    NL_DEF bool apply(T a, T b) { return Op_Less<T>::apply(b, a); }
};
template <class T>
struct Op_GreaterEqual {
    NL_DEF bool apply(T a, T b) { return Op_LessEqual<T>::apply(b, a); }
};

// --- logic ---

template <class T>
NL_FN bool truth(T a) {
    if constexpr (is_complex<T>) {
        return a.re != 0 || a.im != 0;
    } else {
        return a != 0;
    }
}
template <class T>
struct Op_LogicalAnd {
    NL_DEF bool apply(T a, T b) { return truth(a) & truth(b); }
};
template <class T>
struct Op_LogicalOr {
    NL_DEF bool apply(T a, T b) { return truth(a) | truth(b); }
};
template <class T>
struct Op_LogicalXor {
    NL_DEF bool apply(T a, T b) { return truth(a) != truth(b); }
};
template <class T>
struct Op_LogicalNot {
    NL_DEF bool apply(T a) { return !truth(a); }
};
template <class T>
struct Op_Where {
    NL_DEF T apply(bool mask, T a, T b) { return mask ? a : b; }
};

// --- bits ---

template <class T>
struct Op_BitwiseAnd {
    NL_DEF T apply(T a, T b) { return (T)(a & b); }
};
template <class T>
struct Op_BitwiseOr {
    NL_DEF T apply(T a, T b) { return (T)(a | b); }
};
template <class T>
struct Op_BitwiseXor {
    NL_DEF T apply(T a, T b) { return (T)(a ^ b); }
};
template <class T>
struct Op_Invert {
    NL_DEF T apply(T a) {
        if constexpr (is_bool<T>) {
            return !a;
        } else {
            return (T)~a;
        }
    }
};
// Shifts by the width or more, or by a negative amount, shift everything out.
template <class T>
struct Op_LeftShift {
    NL_DEF T apply(T a, T b) {
        constexpr Wide<T> width = 8 * sizeof(T);
        const bool inside = b >= 0 && (Wide<T>)b < width;
        return (T)(inside ? (Wide<T>)a << (inside ? b : (T)0) : (Wide<T>)0);
    }
};
template <class T>
struct Op_RightShift {
    NL_DEF T apply(T a, T b) {
        constexpr Wide<T> width = 8 * sizeof(T);
        const bool inside = b >= 0 && (Wide<T>)b < width;
        return (T)(a >> (inside ? b : (T)(width - 1))) & (T)(inside || Traits<T>::has_sign ? (T)-1 : (T)0);
    }
};

// --- whole numbers ---

template <class T>
NL_FN Wide<T> magnitude_of(T a) {
    if constexpr (Traits<T>::has_sign) {
        return a < 0 ? (Wide<T>)0 - (Wide<T>)a : (Wide<T>)a;
    } else {
        return a;
    }
}
template <class T>
NL_FN Wide<T> gcd_of(Wide<T> a, Wide<T> b) {
    while (b != 0) {
        const Wide<T> r = a % b;
        a = b;
        b = r;
    }
    return a;
}
template <class T>
struct Op_Gcd {
    NL_DEF T apply(T a, T b) { return (T)gcd_of<T>(magnitude_of(a), magnitude_of(b)); }
};
template <class T>
struct Op_Lcm {
    NL_DEF T apply(T a, T b) {
        const Wide<T> p = magnitude_of(a), q = magnitude_of(b), g = gcd_of<T>(p, q);
        return g == 0 ? (T)0 : (T)(p / g * q);
    }
};
// Bits of the absolute value.
template <class T>
struct Op_BitwiseCount {
    NL_DEF uint8_t apply(T a) {
        uint64_t v = magnitude_of(a);
        v = v - ((v >> 1) & 0x5555555555555555ull);
        v = (v & 0x3333333333333333ull) + ((v >> 2) & 0x3333333333333333ull);
        v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0full;
        return (uint8_t)((v * 0x0101010101010101ull) >> 56);
    }
};

NL_SCALAR_END
