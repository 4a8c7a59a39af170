// Numbers as unsigned keys of the same order. In a namespace named after NUMLOOM_TARGET, so that the linker
// never merges code made for different processors.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#ifndef NUMLOOM_TARGET
#define NUMLOOM_TARGET generic
#endif

namespace numloom::library {
inline namespace NUMLOOM_TARGET {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

// Both zeros are equal, NaN of either sign comes last. Without branches, which the processor could not
// predict.
template <class T>
Bits<T> to_key(T value) {
    using Key = Bits<T>;
    constexpr Key top = Key{1} << (8 * sizeof(T) - 1);
    if constexpr (std::is_floating_point_v<T>) {
        constexpr Key infinity = std::bit_cast<Key>(std::numeric_limits<T>::infinity());
        const Key bits = std::bit_cast<Key>(value + T{0});  // -0 + 0 is +0
        const Key negative = Key{0} - (bits >> (8 * sizeof(T) - 1));
        const Key nan = Key{0} - static_cast<Key>((bits & ~top) > infinity);
        return bits ^ ((negative & ~nan) | (top & ~(bits & nan)));
    } else if constexpr (std::is_signed_v<T>) {
        return static_cast<Key>(value) ^ top;
    } else {
        return value;
    }
}
template <class T>
T from_key(Bits<T> key) {
    constexpr Bits<T> top = Bits<T>{1} << (8 * sizeof(T) - 1);
    if constexpr (std::is_floating_point_v<T>)
        return std::bit_cast<T>(key ^ (((key >> (8 * sizeof(T) - 1)) - 1) | top));
    else if constexpr (std::is_signed_v<T>)
        return static_cast<T>(key ^ top);
    else
        return key;
}

}  // namespace NUMLOOM_TARGET
}  // namespace numloom::library
