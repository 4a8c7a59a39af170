// Bounded integers as numpy.random draws them: offset + [0, range], by Lemire's multiplication ("Fast random
// integer generation in an interval", 2019) or, for the legacy generator, by masks. Integers of less than 32
// bits are cut from words that last from one number of a call to the next.
#pragma once

#include <algorithm>
#include <limits>

#include "library/draws/sources.hpp"

namespace numloom::library::draws {

// The smallest number of ones only that is not below max.
template <class U>
U mask_of(U max) {
    return max == 0 ? 0 : static_cast<U>(~uint64_t{0} >> std::countl_zero(uint64_t{max}));
}

// The next bits of the width of U.
template <class U, class S>
U small_bits(S& s) {
    if constexpr (sizeof(U) == 8) {
        return s.next64();
    } else if constexpr (sizeof(U) == 4) {
        return s.next32();
    } else {
        constexpr int kBits = std::numeric_limits<U>::digits;
        if (s.left == 0) {
            s.small = s.next32();
            s.left = 32 / kBits - 1;
        } else {
            s.small >>= kBits;
            --s.left;
        }
        return static_cast<U>(s.small);
    }
}

template <class U>
struct Wider;
template <>
struct Wider<uint8_t> {
    using type = uint32_t;
};
template <>
struct Wider<uint16_t> {
    using type = uint32_t;
};
template <>
struct Wider<uint32_t> {
    using type = uint64_t;
};
template <>
struct Wider<uint64_t> {
    using type = Wide;
};

// A number of [0, range]; range is not the largest U.
template <class U, class S>
U lemire(S& s, U range) {
    using W = typename Wider<U>::type;
    const U count = static_cast<U>(range + 1);
    W product = W{small_bits<U>(s)} * count;
    if (static_cast<U>(product) < count) {
        const U threshold = static_cast<U>(static_cast<U>(std::numeric_limits<U>::max() - range) % count);
        while (static_cast<U>(product) < threshold) product = W{small_bits<U>(s)} * count;
    }
    return static_cast<U>(product >> std::numeric_limits<U>::digits);
}
template <class U, class S>
U masked(S& s, U range) {
    const U mask = mask_of(range);
    U value;
    do value = static_cast<U>(small_bits<U>(s) & mask);
    while (value > range);
    return value;
}

template <class U, bool by_mask, class S>
U bounded(S& s, uint64_t offset, uint64_t wide_range) {
    const U range = static_cast<U>(wide_range);
    if (range == 0) return static_cast<U>(offset);
    if constexpr (sizeof(U) == 8)
        if (range <= 0xFFFFFFFFu) return offset + bounded<uint32_t, by_mask>(s, 0, range);
    if (range == std::numeric_limits<U>::max()) return static_cast<U>(offset + small_bits<U>(s));
    return static_cast<U>(offset + (by_mask ? masked<U>(s, range) : lemire<U>(s, range)));
}

template <class S>
uint64_t integers_8(S& s, uint64_t offset, uint64_t range) {
    return bounded<uint64_t, false>(s, offset, range);
}
template <class S>
uint32_t integers_4(S& s, uint64_t offset, uint64_t range) {
    return bounded<uint32_t, false>(s, offset, range);
}
template <class S>
uint16_t integers_2(S& s, uint64_t offset, uint64_t range) {
    return bounded<uint16_t, false>(s, offset, range);
}
template <class S>
uint8_t integers_1(S& s, uint64_t offset, uint64_t range) {
    return bounded<uint8_t, false>(s, offset, range);
}
template <class S>
uint64_t legacy_integers_8(S& s, uint64_t offset, uint64_t range) {
    return bounded<uint64_t, true>(s, offset, range);
}
template <class S>
uint32_t legacy_integers_4(S& s, uint64_t offset, uint64_t range) {
    return bounded<uint32_t, true>(s, offset, range);
}
template <class S>
uint16_t legacy_integers_2(S& s, uint64_t offset, uint64_t range) {
    return bounded<uint16_t, true>(s, offset, range);
}
template <class S>
uint8_t legacy_integers_1(S& s, uint64_t offset, uint64_t range) {
    return bounded<uint8_t, true>(s, offset, range);
}
template <class S>
bool integers_bool(S& s, uint64_t offset, uint64_t range) {
    if (range == 0) return offset != 0;
    if (s.left == 0) {
        s.small = s.next32();
        s.left = 31;
    } else {
        s.small >>= 1;
        --s.left;
    }
    return s.small & 1;
}
// A number of [0, 2^63).
template <class S>
int64_t positive(S& s) {
    return static_cast<int64_t>(s.next64() >> 1);
}

// n numbers with one offset and one range, which is neither 0 nor the largest U. A word that is refused is
// written too, and then the next over it: whether it is can't be predicted.
template <class U, bool by_mask, class S>
void bounded_line(S& s, U offset, U range, U* out, int64_t n) {
    using W = typename Wider<U>::type;
    const U count = static_cast<U>(range + 1), mask = mask_of(range);
    const U threshold = static_cast<U>(static_cast<U>(std::numeric_limits<U>::max() - range) % count);
    for (int64_t i = 0; i < n;) {
        const U bits = small_bits<U>(s);
        if constexpr (by_mask) {
            const U value = bits & mask;
            out[i] = static_cast<U>(offset + value);
            i += value <= range;
        } else {
            const W product = W{bits} * count;
            out[i] = static_cast<U>(offset + static_cast<U>(product >> std::numeric_limits<U>::digits));
            i += static_cast<U>(product) >= threshold;
        }
    }
}
template <class U, bool by_mask, class S>
void fill_bounded(S& s, uint64_t offset, uint64_t wide_range, U* out, int64_t n) {
    const U range = static_cast<U>(wide_range);
    if (range == 0 || range == std::numeric_limits<U>::max()) {
        for (int64_t i = 0; i < n; ++i) out[i] = bounded<U, by_mask>(s, offset, range);
    } else if (sizeof(U) == 8 && range <= 0xFFFFFFFFu) {
        // Words of 32 bits, a few numbers at a time.
        constexpr int64_t kSome = 512;
        uint32_t some[kSome];
        for (int64_t i = 0; i < n; i += kSome) {
            const int64_t m = std::min(kSome, n - i);
            fill_bounded<uint32_t, by_mask>(s, 0, range, some, m);
            for (int64_t k = 0; k < m; ++k) out[i + k] = static_cast<U>(offset + some[k]);
        }
    } else {
        bounded_line<U, by_mask>(s, static_cast<U>(offset), range, out, n);
    }
}
// n bits, 32 a word.
template <class S>
void fill_bits(S& s, bool* out, int64_t n) {
    for (int64_t i = 0; i < n; i += 32) {
        const uint32_t word = s.next32();
        const int m = static_cast<int>(std::min<int64_t>(32, n - i));
        for (int k = 0; k < m; ++k) out[i + k] = word >> k & 1;
    }
}

// A number of [0, max] by masks, whatever the generator.
template <class S>
uint64_t interval(S& s, uint64_t max) {
    if (max == 0) return 0;
    const uint64_t mask = mask_of(max);
    uint64_t value;
    if (max <= 0xFFFFFFFFu) {
        do value = s.next32() & mask;
        while (value > max);
    } else {
        do value = s.next64() & mask;
        while (value > max);
    }
    return value;
}

}  // namespace numloom::library::draws
