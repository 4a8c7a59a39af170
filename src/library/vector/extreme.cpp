// The first position of the largest or smallest number of a line; the first NaN where there is one. A line is
// looked at in blocks: their extremes are found lane by lane, and only the block that holds the line's is
// searched for it.
#include "library/vector/extreme.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

// Vectors wider than the processor's are never passed to functions that are not inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace numloom::library::NUMLOOM_TARGET {
namespace {

constexpr int64_t kBlock = 2048;

template <class T>
inline constexpr bool kHasVectors = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <bool Largest, class V>
inline __attribute__((always_inline)) void keep(V& best, const V& v) {
    best = (Largest ? v > best : v < best) ? v : best;
}

template <bool Largest, class T>
T better(T a, T b) {
    return (Largest ? b > a : b < a) ? b : a;
}

// The extreme of n numbers that are not NaN; *nan where some are.
template <bool Largest, class T>
T block_extreme(const T* line, int64_t n, bool* nan) {
    typedef T V __attribute__((vector_size(64)));  // an alias declaration loses the attribute
    constexpr int64_t lanes = 64 / sizeof(T), step = 4 * lanes;
    T best = line[0];
    bool odd = best != best;
    int64_t i = 0;
    if (n >= step) {
        V v[4], top[4];
        std::memcpy(top, line, sizeof top);
        auto unordered = (top[0] != top[0]) | (top[1] != top[1]) | (top[2] != top[2]) | (top[3] != top[3]);
        for (i = step; i + step <= n; i += step) {
            std::memcpy(v, line + i, sizeof v);
            for (int k = 0; k < 4; ++k) {
                if constexpr (std::is_floating_point_v<T>) unordered |= v[k] != v[k];
                keep<Largest>(top[k], v[k]);
            }
        }
        for (int k = 1; k < 4; ++k) keep<Largest>(top[0], top[k]);
        best = top[0][0];
        for (int64_t k = 0; k < lanes; ++k) {
            best = better<Largest>(best, static_cast<T>(top[0][k]));
            odd |= unordered[k] != 0;
        }
    }
    for (; i < n; ++i) {
        odd |= line[i] != line[i];
        best = better<Largest>(best, line[i]);
    }
    *nan = odd;
    return best;
}

// The first position of a number that is there.
template <class T>
int64_t position(const T* line, int64_t n, T value) {
    constexpr int64_t part = 64;
    int64_t i = 0;
    for (; i + part < n; i += part) {
        unsigned found = 0;
        for (int64_t k = 0; k < part; ++k) found |= line[i + k] == value;
        if (found) break;
    }
    while (!(line[i] == value)) ++i;
    return i;
}

template <bool Largest, class T>
int64_t find(const T* line, int64_t n) {
    T best{};
    int64_t block = -1;
    for (int64_t begin = 0; begin < n; begin += kBlock) {
        const int64_t count = std::min(kBlock, n - begin);
        bool nan;
        const T top = block_extreme<Largest>(line + begin, count, &nan);
        if (nan)
            return begin + (std::find_if(line + begin, line + begin + count, [](T x) { return x != x; }) -
                            (line + begin));
        if (block < 0 || (Largest ? top > best : top < best)) best = top, block = begin;
    }
    return block + position(line + block, n - block, best);
}

}  // namespace

int64_t find_extreme(DType d, bool largest, const void* line, int64_t n) {
    return dispatch(d, [&](auto type) -> int64_t {
        using T = typename decltype(type)::type;
        if constexpr (kHasVectors<T>) {
            const T* numbers = static_cast<const T*>(line);
            return largest ? find<true>(numbers, n) : find<false>(numbers, n);
        } else {
            return -1;
        }
    });
}

}  // namespace numloom::library::NUMLOOM_TARGET
