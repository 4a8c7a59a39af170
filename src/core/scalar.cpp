#include "core/scalar.hpp"

#include <bit>
#include <limits>
#include <type_traits>

namespace numloom {

float half_to_float(Half h) {
    const uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000u) << 16;
    const uint32_t magnitude = h.bits & 0x7fffu;
    uint32_t bits;
    if (magnitude < 0x400u) {
        bits = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
    } else {
        // The exponent's bias grows from 15 to 127; infinity and NaN move to the top exponent.
        bits = (magnitude << 13) + (magnitude >= 0x7c00u ? 0x70000000u : 0x38000000u);
    }
    return std::bit_cast<float>(bits | sign);
}

namespace {

// The processor's flag, as of a conversion that it makes itself.
[[gnu::noinline]] void raise_overflow() {
    volatile float largest = std::numeric_limits<float>::max();
    largest = largest * 2;
}

// To binary16, to nearest even, from a float type with `kMantissa` bits after the point and bits `U`.
template <class F, class U, int kMantissa, U kBias>
Half round_to_half(F value) {
    constexpr int kShift = kMantissa - 10;
    constexpr U kSignBit = U{1} << (8 * sizeof(U) - 1);
    constexpr U kInfinity = (2 * kBias + 1) << kMantissa;
    constexpr U kSmallestNormal = (kBias - 14) << kMantissa;
    const U bits = std::bit_cast<U>(value);
    const U magnitude = bits & ~kSignBit;
    U result;
    if (magnitude > kInfinity) {
        const U payload = (magnitude >> kShift) & 0x3ffu;
        result = 0x7c00u | (payload == 0 ? U{1} : payload);
    } else if (magnitude < kSmallestNormal) {
        // Adding the number whose last place is 2^-24 lets the processor round.
        const U magic = (kBias + kMantissa - 24) << kMantissa;
        result = std::bit_cast<U>(std::bit_cast<F>(magnitude) + std::bit_cast<F>(magic)) - magic;
    } else {
        const U rounding = ((U{1} << (kShift - 1)) - 1) + ((magnitude >> kShift) & 1u);
        result = (magnitude - ((kBias - 15) << kMantissa) + rounding) >> kShift;
        if (result >= 0x7c00u) {
            if (magnitude < kInfinity) raise_overflow();
            result = 0x7c00u;
        }
    }
    const U sign = bits >> (8 * sizeof(U) - 16) & 0x8000u;
    return Half{static_cast<uint16_t>(result | sign)};
}

Half double_to_half(double d) { return round_to_half<double, uint64_t, 52, 1023>(d); }

template <class T>
inline constexpr bool is_complex_v = false;
template <class T>
inline constexpr bool is_complex_v<std::complex<T>> = true;

// What x86-64's conversion instructions give: the smallest integer of their width for NaN and everything out
// of range. Written out, since C++ leaves it undefined.
template <class I, class F>
I truncate_to(F f) {
    constexpr F kLimit = sizeof(I) == 4 ? static_cast<F>(0x1p31) : static_cast<F>(0x1p63);
    const bool fits = f < kLimit && (f >= -kLimit || (sizeof(I) < sizeof(F) && f > -kLimit - F{1}));
    return fits ? static_cast<I>(f) : std::numeric_limits<I>::min();
}
template <class To, class F>
To float_to_integer(F f) {
    if constexpr (std::is_same_v<To, uint64_t>) {
        const bool big = f >= static_cast<F>(0x1p63);
        const auto low = static_cast<uint64_t>(truncate_to<int64_t>(big ? f - static_cast<F>(0x1p63) : f));
        return low ^ (big ? uint64_t{1} << 63 : uint64_t{0});
    } else if constexpr (sizeof(To) == 8 || std::is_same_v<To, uint32_t>) {
        return static_cast<To>(truncate_to<int64_t>(f));
    } else {
        return static_cast<To>(truncate_to<int32_t>(f));
    }
}

template <class To, class From>
To convert(From value) {
    if constexpr (std::is_same_v<To, From>) {
        return value;
    } else if constexpr (std::is_same_v<From, Half>) {
        return convert<To>(half_to_float(value));
    } else if constexpr (is_complex_v<From>) {
        using R = typename From::value_type;
        if constexpr (is_complex_v<To>) {
            using S = typename To::value_type;
            return To(static_cast<S>(value.real()), static_cast<S>(value.imag()));
        } else if constexpr (std::is_same_v<To, bool>) {
            return value != From{};
        } else {
            return convert<To, R>(value.real());
        }
    } else if constexpr (is_complex_v<To>) {
        return To(convert<typename To::value_type>(value), 0);
    } else if constexpr (std::is_same_v<To, bool>) {
        return value != From{0};
    } else if constexpr (std::is_same_v<To, Half>) {
        if constexpr (std::is_same_v<From, double>) {
            return double_to_half(value);
        } else {
            return float_to_half(static_cast<float>(value));
        }
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        return float_to_integer<To>(value);
    } else {
        return static_cast<To>(value);
    }
}

}  // namespace

Half float_to_half(float f) { return round_to_half<float, uint32_t, 23, 127>(f); }

Scalar cast_scalar(const Scalar& value, DType from, DType to) {
    return dispatch(from, [&](auto source) {
        using From = typename decltype(source)::type;
        const From v = value.as<From>();
        return dispatch(to, [&](auto target) {
            using To = typename decltype(target)::type;
            return Scalar::of(convert<To>(v));
        });
    });
}

}  // namespace numloom
