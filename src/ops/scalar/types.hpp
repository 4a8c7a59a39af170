// Value types and conversions. Header-free text: compiled as C++ by the CPU loops and as CUDA source by
// NVRTC, after a prologue that defines the integer types, NL_FN, NL_ROUNDED, NL_SCALAR_BEGIN/END, the bit
// casts and the namespace `m` of mathematical functions.

NL_SCALAR_BEGIN

// IEEE binary16 as stored; arithmetic happens in float.
struct Half {
    uint16_t bits;
};

template <class T>
struct Complex {
    T re, im;
};

template <class A, class B>
struct Same {
    static constexpr bool value = false;
};
template <class A>
struct Same<A, A> {
    static constexpr bool value = true;
};

// What the definitions ask about a type. `wide` is the type in which + - * are computed: unsigned where C's
// signed arithmetic would overflow, so that integers wrap as NumPy's do.
template <class T, class Wide, bool is_float, bool is_signed, int kind>
struct TraitsOf {
    using wide = Wide;
    using real = T;
    static constexpr bool floating = is_float;
    static constexpr bool has_sign = is_signed;
    static constexpr bool integer = kind == 1;
    static constexpr bool complex = false;
    static constexpr bool boolean = kind == 0;
};
template <class T>
struct Traits;
template <>
struct Traits<bool> : TraitsOf<bool, int, false, false, 0> {};
template <>
struct Traits<int8_t> : TraitsOf<int8_t, int, false, true, 1> {};
template <>
struct Traits<uint8_t> : TraitsOf<uint8_t, unsigned, false, false, 1> {};
template <>
struct Traits<int16_t> : TraitsOf<int16_t, int, false, true, 1> {};
template <>
struct Traits<uint16_t> : TraitsOf<uint16_t, unsigned, false, false, 1> {};
template <>
struct Traits<int32_t> : TraitsOf<int32_t, uint32_t, false, true, 1> {};
template <>
struct Traits<uint32_t> : TraitsOf<uint32_t, uint32_t, false, false, 1> {};
template <>
struct Traits<int64_t> : TraitsOf<int64_t, uint64_t, false, true, 1> {};
template <>
struct Traits<uint64_t> : TraitsOf<uint64_t, uint64_t, false, false, 1> {};
template <>
struct Traits<float> : TraitsOf<float, float, true, true, 2> {};
template <>
struct Traits<double> : TraitsOf<double, double, true, true, 2> {};
template <>
struct Traits<Half> : TraitsOf<Half, float, true, true, 2> {};
template <class T>
struct Traits<Complex<T>> {
    using wide = Complex<T>;
    using real = T;
    static constexpr bool floating = false;
    static constexpr bool has_sign = true;
    static constexpr bool integer = false;
    static constexpr bool complex = true;
    static constexpr bool boolean = false;
};
template <class T>
using Wide = typename Traits<T>::wide;
template <class T>
using Real = typename Traits<T>::real;
template <class T>
constexpr bool is_bool = Traits<T>::boolean;
template <class T>
constexpr bool is_int = Traits<T>::integer;
template <class T>
constexpr bool is_float = Traits<T>::floating;
template <class T>
constexpr bool is_complex = Traits<T>::complex;

template <class T>
NL_FN bool is_nan(T a) {
    if constexpr (is_complex<T>) {
        return a.re != a.re || a.im != a.im;
    } else if constexpr (is_float<T>) {
        return a != a;
    } else {
        return false;
    }
}

NL_FN float abs_of(float a) { return float_of(bits_of(a) & 0x7fffffffu); }
NL_FN double abs_of(double a) { return double_of(bits_of(a) & 0x7fffffffffffffffull); }
NL_FN bool sign_of(float a) { return (bits_of(a) >> 31) != 0; }
NL_FN bool sign_of(double a) { return (bits_of(a) >> 63) != 0; }
NL_FN float with_sign(float a, float s) {
    return float_of((bits_of(a) & 0x7fffffffu) | (bits_of(s) & 0x80000000u));
}
NL_FN double with_sign(double a, double s) {
    return double_of((bits_of(a) & 0x7fffffffffffffffull) | (bits_of(s) & 0x8000000000000000ull));
}
template <class T>
NL_FN T infinity();
template <>
NL_FN float infinity<float>() {
    return float_of(0x7f800000u);
}
template <>
NL_FN double infinity<double>() {
    return double_of(0x7ff0000000000000ull);
}
template <class T>
NL_FN T quiet_nan();
template <>
NL_FN float quiet_nan<float>() {
    return float_of(0x7fc00000u);
}
template <>
NL_FN double quiet_nan<double>() {
    return double_of(0x7ff8000000000000ull);
}

// --- half precision ---

NL_FN float to_float(Half h) {
    const uint32_t sign = (h.bits & 0x8000u) << 16;
    const uint32_t magnitude = h.bits & 0x7fffu;
    const uint32_t normal = (magnitude << 13) + 0x38000000u;
    const uint32_t special = normal + 0x38000000u;
    const uint32_t tiny = bits_of((float)(int32_t)magnitude * 0x1p-24f);
    const uint32_t bits = magnitude < 0x400u ? tiny : (magnitude >= 0x7c00u ? special : normal);
    return float_of(bits | sign);
}

// Rounds to nearest, ties to even; a NaN keeps the upper bits of its payload.
NL_FN Half to_half(float f) {
    const uint32_t bits = bits_of(f);
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t rounded = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
    // Doubled where float has its last exponent, so that what is too large for half raises the flag.
    const bool in_range = magnitude >= 0x38800000u && magnitude < 0x7f800000u;
    const uint32_t clipped = in_range ? (rounded < 0x7c00u ? rounded : 0x7c00u) : 0u;
    const float last = float_of((clipped << 13) + 0x6f800000u);
    const uint32_t normal = in_range ? (bits_of(last + last) >> 13) - 0x38000u : 0x7c00u;
    const uint32_t tiny = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;
    const uint32_t payload = (magnitude >> 13) & 0x3ffu;
    const uint32_t nan = 0x7c00u | (payload == 0u ? 1u : payload);
    const uint32_t finite = magnitude < 0x38800000u ? tiny : normal;
    const uint32_t all = magnitude > 0x7f800000u ? nan : finite;
    return Half{(uint16_t)(all | ((bits >> 16) & 0x8000u))};
}

// Directly from double: going through float would round twice.
NL_FN Half to_half(double d) {
    const uint64_t bits = bits_of(d);
    const uint64_t magnitude = bits & 0x7fffffffffffffffull;
    const uint64_t rounded =
        (magnitude - 0x3f00000000000000ull + 0x1ffffffffffull + ((magnitude >> 42) & 1ull)) >> 42;
    const uint64_t normal = rounded < 0x7c00ull ? rounded : 0x7c00ull;
    const uint64_t tiny = bits_of(double_of(magnitude) + 0x1p28) - 0x41b0000000000000ull;
    const uint64_t payload = (magnitude >> 42) & 0x3ffull;
    const uint64_t nan = 0x7c00ull | (payload == 0ull ? 1ull : payload);
    const uint64_t finite = magnitude < 0x3f10000000000000ull ? tiny : normal;
    const uint64_t all = magnitude > 0x7ff0000000000000ull ? nan : finite;
    return Half{(uint16_t)(all | ((bits >> 48) & 0x8000ull))};
}

// --- casts ---

// Out-of-range values and NaN become what x86-64 gives: the smallest integer of the width of the conversion
// instruction, cut to the width asked for. NumPy's casts do the same there.
template <class To, class F>
NL_FN To float_to_int(F f) {
    if constexpr (Same<To, uint64_t>::value) {
        const bool big = f >= (F)0x1p63;
        const F low = big ? f - (F)0x1p63 : f;
        return (uint64_t)truncate_to_int64(low) ^ (big ? 0x8000000000000000ull : 0ull);
    } else if constexpr (sizeof(To) >= 8 || Same<To, uint32_t>::value) {
        return (To)truncate_to_int64(f);
    } else {
        return (To)truncate_to_int32(f);
    }
}

// `value` as type To, as an unsafe NumPy cast.
template <class To, class From>
NL_FN To cast_to(From value) {
    if constexpr (Same<To, From>::value) {
        return value;
    } else if constexpr (Same<From, Half>::value) {
        if constexpr (Same<To, bool>::value) {
            return (value.bits & 0x7fffu) != 0;
        } else {
            return cast_to<To>(to_float(value));
        }
    } else if constexpr (is_complex<From>) {
        if constexpr (is_complex<To>) {
            return To{cast_to<Real<To>>(value.re), cast_to<Real<To>>(value.im)};
        } else if constexpr (is_bool<To>) {
            return value.re != 0 || value.im != 0;
        } else {
            return cast_to<To>(value.re);
        }
    } else if constexpr (is_complex<To>) {
        return To{cast_to<Real<To>>(value), (Real<To>)0};
    } else if constexpr (is_bool<To>) {
        return value != 0;
    } else if constexpr (Same<To, Half>::value) {
        if constexpr (Same<From, double>::value) {
            return to_half(value);
        } else {
            return to_half((float)value);
        }
    } else if constexpr (is_float<From> && is_int<To>) {
        return float_to_int<To>(value);
    } else {
        return (To)value;
    }
}

// Applies the definition Op to values of type T: what generated code calls. Half precision computes in float
// and rounds once.
template <template <class> class Op, class T>
struct Apply {
    template <class... Args>
    NL_DEF auto run(Args... args) {
        return Op<T>::apply(args...);
    }
};
NL_FN float widen(Half h) { return to_float(h); }
template <class T>
NL_FN T widen(T v) {
    return v;
}
NL_FN Half narrow(float f) { return to_half(f); }
template <class T>
NL_FN T narrow(T v) {
    return v;
}
template <template <class> class Op>
struct Apply<Op, Half> {
    template <class... Args>
    NL_DEF auto run(Args... args) {
        return narrow(Op<float>::apply(widen(args)...));
    }
};

NL_SCALAR_END
