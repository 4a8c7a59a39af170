// Numbers as signed keys of the same order: 64 bits for numbers of eight bytes, 32 for smaller ones. Both
// zeros are 0, NaN of either sign comes last.
#pragma once

#include <bit>
#include <limits>
#include <type_traits>

#include "core/dtype.hpp"
#include "library/keys.hpp"

// Vectors wider than the processor's are never passed to functions that are not inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace numloom::library::NUMLOOM_TARGET {

template <class T>
using Lane = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
template <class T>
inline constexpr bool kWide = sizeof(T) >= 4;
// Whether numbers of this type have such keys.
template <class T>
inline constexpr bool kHasLane = std::is_arithmetic_v<T> || std::is_same_v<T, Half>;

// Sign and magnitude become one number, of bits or of vectors of them.
template <class V, class S>
inline __attribute__((always_inline)) V signed_key(V bits, S infinity) {
    const V magnitude = bits & std::numeric_limits<S>::max();
    const V negative = (bits >> (8 * sizeof(S) - 1)) & ~((infinity - magnitude) >> (8 * sizeof(S) - 1));
    return (magnitude ^ negative) - negative;
}
template <class S, class V>
inline __attribute__((always_inline)) V signed_bits(V key) {
    const V negative = key >> (8 * sizeof(S) - 1);
    return ((key ^ negative) - negative) | (negative & std::numeric_limits<S>::min());
}

// What lane_key() and lane_number() do, on the bits of numbers of four and eight bytes.
template <class T, class V>
inline __attribute__((always_inline)) V bits_to_key(V bits) {
    using S = Lane<T>;
    if constexpr (std::is_floating_point_v<T>)
        return signed_key(bits, std::bit_cast<S>(std::numeric_limits<T>::infinity()));
    else if constexpr (std::is_unsigned_v<T>)
        return bits ^ std::numeric_limits<S>::min();
    else
        return bits;
}
template <class T, class V>
inline __attribute__((always_inline)) V key_to_bits(V key) {
    using S = Lane<T>;
    if constexpr (std::is_floating_point_v<T>)
        return signed_bits<S>(key);
    else if constexpr (std::is_unsigned_v<T>)
        return key ^ std::numeric_limits<S>::min();
    else
        return key;
}

template <class T>
Lane<T> lane_key(T value) {
    if constexpr (std::is_same_v<T, Half>) {
        const int32_t magnitude = value.bits & 0x7FFF;
        return (value.bits >> 15) != 0 && magnitude <= 0x7C00 ? -magnitude : magnitude;
    } else if constexpr (kWide<T>) {
        return bits_to_key<T>(std::bit_cast<Lane<T>>(value));
    } else {
        return value;
    }
}
template <class T>
T lane_number(Lane<T> key) {
    if constexpr (std::is_same_v<T, Half>)
        return Half{static_cast<uint16_t>(key < 0 ? 0x8000 - key : key)};
    else if constexpr (kWide<T>)
        return std::bit_cast<T>(key_to_bits<T>(key));
    else
        return static_cast<T>(key);
}

}  // namespace numloom::library::NUMLOOM_TARGET
