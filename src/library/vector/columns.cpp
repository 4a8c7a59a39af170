// Many short lines are sorted at once: each lane of the vectors holds a line of its own, so that the steps of
// a sorting network (Batcher, "Sorting networks and their applications", 1968) need neither shuffles nor
// branches. Positions go along for argsort and break ties, which makes it stable.
#include "library/vector/columns.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "library/vector.hpp"
#include "library/vector/lane_keys.hpp"

namespace numloom::library::NUMLOOM_TARGET {
namespace {

constexpr int64_t kStrip = 32;  // lines side by side

// --- the network
// --------------------------------------------------------------------------------------------------------

struct Network {
    struct Pair {
        uint8_t low, high;
    };
    Pair pairs[543];  // what 64 numbers need
    int count = 0;

    explicit Network(int n) {
        for (int p = 1; p < n; p *= 2)
            for (int k = p; k >= 1; k /= 2)
                for (int j = k % p; j + k < n; j += 2 * k)
                    for (int i = 0; i < k && i + j + k < n; ++i)
                        if ((i + j) / (2 * p) == (i + j + k) / (2 * p))
                            pairs[count++] = {static_cast<uint8_t>(i + j), static_cast<uint8_t>(i + j + k)};
    }
};

template <class S>
void sort_lanes(const Network& network, S* keys) {
    typedef S V __attribute__((vector_size(64)));
    constexpr int64_t lanes = 64 / static_cast<int64_t>(sizeof(S));
    for (int c = 0; c < network.count; ++c) {
        S* low = keys + network.pairs[c].low * kStrip;
        S* high = keys + network.pairs[c].high * kStrip;
#pragma GCC unroll 4
        for (int64_t l = 0; l < kStrip; l += lanes) {
            V a, b;
            std::memcpy(&a, low + l, sizeof a);
            std::memcpy(&b, high + l, sizeof b);
            const V least = a < b ? a : b, most = a < b ? b : a;
            std::memcpy(low + l, &least, sizeof a);
            std::memcpy(high + l, &most, sizeof b);
        }
    }
}

void order_lanes(const Network& network, int64_t* keys, int64_t* positions) {
    typedef int64_t V __attribute__((vector_size(64)));
    for (int c = 0; c < network.count; ++c) {
        const int64_t low = network.pairs[c].low * kStrip, high = network.pairs[c].high * kStrip;
#pragma GCC unroll 4
        for (int64_t l = 0; l < kStrip; l += 8) {
            V a, b, at_a, at_b;
            std::memcpy(&a, keys + low + l, sizeof a);
            std::memcpy(&b, keys + high + l, sizeof b);
            std::memcpy(&at_a, positions + low + l, sizeof a);
            std::memcpy(&at_b, positions + high + l, sizeof b);
            const V swap = (b < a) | ((b == a) & (at_b < at_a));
            const V least = a < b ? a : b, most = a < b ? b : a;
            const V at_least = swap ? at_b : at_a, at_most = swap ? at_a : at_b;
            std::memcpy(keys + low + l, &least, sizeof a);
            std::memcpy(keys + high + l, &most, sizeof b);
            std::memcpy(positions + low + l, &at_least, sizeof a);
            std::memcpy(positions + high + l, &at_most, sizeof b);
        }
    }
}

// --- between memory and lanes
// --------------------------------------------------------------------------------------------------------

// Eight vectors of eight numbers change rows with columns.
template <class V>
inline __attribute__((always_inline)) void transpose(V* v) {
    V a[8], b[8];
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        a[2 * i] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[2 * i + 1] = __builtin_shufflevector(v[2 * i], v[2 * i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
#pragma GCC unroll 2
    for (int h = 0; h < 8; h += 4) {
#pragma GCC unroll 2
        for (int i = 0; i < 2; ++i) {
            b[h + i] = __builtin_shufflevector(a[h + i], a[h + 2 + i], 0, 1, 8, 9, 4, 5, 12, 13);
            b[h + 2 + i] = __builtin_shufflevector(a[h + i], a[h + 2 + i], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        v[i] = __builtin_shufflevector(b[i], b[4 + i], 0, 1, 2, 3, 8, 9, 10, 11);
        v[4 + i] = __builtin_shufflevector(b[i], b[4 + i], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

// rows x columns numbers of `from`, both multiples of eight but that the last columns may be taken twice, to
// columns x rows of `to`.
template <class S>
void transpose_rows(const char* from, int64_t from_pitch, int64_t rows, int64_t columns, char* to,
                    int64_t to_pitch) {
    typedef S V __attribute__((vector_size(8 * sizeof(S))));
    constexpr int64_t size = sizeof(S);
    for (int64_t r = 0; r < rows; r += 8) {
        const int64_t row = r + 8 <= rows ? r : rows - 8;
        for (int64_t c = 0; c < columns; c += 8) {
            const int64_t column = c + 8 <= columns ? c : columns - 8;
            V v[8];
#pragma GCC unroll 8
            for (int64_t k = 0; k < 8; ++k)
                std::memcpy(&v[k], from + ((row + k) * from_pitch + column) * size, sizeof v[k]);
            transpose(v);
#pragma GCC unroll 8
            for (int64_t k = 0; k < 8; ++k)
                std::memcpy(to + ((column + k) * to_pitch + row) * size, &v[k], sizeof v[k]);
        }
    }
}

// Lines [first, first + count) of an array of any x n x inner numbers; line l of them in lane l.
struct Lines {
    int64_t n, inner, count;
    int64_t start[kStrip];  // of each line, in numbers
    bool beside = true;     // neighbours lie next to each other

    Lines(int64_t n, int64_t inner, int64_t first, int64_t count) : n(n), inner(inner), count(count) {
        for (int64_t l = 0; l < count; ++l) {
            const int64_t line = first + l;
            start[l] = line / inner * n * inner + line % inner;
            beside &= start[l] == start[0] + l;
        }
    }
    bool whole_rows() const { return inner == 1 && count == kStrip && n >= 8; }
};

// lanes[i][l] = make(number i of line l), for numbers and lanes of any size.
template <class T, class S, class F>
void take(const Lines& lines, const T* in, S* lanes, F&& make) {
    for (int64_t i = 0; i < lines.n; ++i) {
        S* to = lanes + i * kStrip;
        const T* from = in + i * lines.inner;
        if (lines.beside)
            for (int64_t l = 0; l < lines.count; ++l) to[l] = make(from[lines.start[0] + l]);
        else
            for (int64_t l = 0; l < lines.count; ++l) to[l] = make(from[lines.start[l]]);
        for (int64_t l = lines.count; l < kStrip; ++l) to[l] = S{};
    }
}
template <class T, class S, class F>
void give(const Lines& lines, const S* lanes, T* out, F&& make) {
    for (int64_t i = 0; i < lines.n; ++i) {
        const S* from = lanes + i * kStrip;
        T* to = out + i * lines.inner;
        if (lines.beside)
            for (int64_t l = 0; l < lines.count; ++l) to[lines.start[0] + l] = make(from[l]);
        else
            for (int64_t l = 0; l < lines.count; ++l) to[lines.start[l]] = make(from[l]);
    }
}

template <class S>
using Vector __attribute__((vector_size(64))) = S;

// Each vector of numbers[n] becomes f of it.
template <class S, class F>
inline __attribute__((always_inline)) void each_vector(S* numbers, int64_t n, F&& f) {
    for (int64_t k = 0; k < n; k += 64 / static_cast<int64_t>(sizeof(S))) {
        Vector<S> v;
        std::memcpy(&v, numbers + k, sizeof v);
        v = f(v);
        std::memcpy(numbers + k, &v, sizeof v);
    }
}

// The keys of the lines; tells whether a -0 was among them.
template <class T>
bool take_keys(const Lines& lines, const T* in, Lane<T>* keys) {
    using S = Lane<T>;
    constexpr bool floating = std::is_floating_point_v<T>;
    S zeros = 0;
    const auto note = [&](T x) {
        if constexpr (floating) zeros |= S{std::bit_cast<S>(x) == std::numeric_limits<S>::min()};
        if constexpr (std::is_same_v<T, Half>) zeros |= x.bits == 0x8000;
    };
    if constexpr (kWide<T>) {
        if (lines.whole_rows()) {
            transpose_rows<S>(reinterpret_cast<const char*>(in + lines.start[0]), lines.n, kStrip, lines.n,
                              reinterpret_cast<char*>(keys), kStrip);
            Vector<S> negative_zeros{};
            each_vector(keys, lines.n * kStrip, [&](auto bits) {
                if constexpr (floating) negative_zeros |= bits == std::numeric_limits<S>::min();
                return bits_to_key<T>(bits);
            });
            for (size_t l = 0; l < 64 / sizeof(S); ++l) zeros |= negative_zeros[l];
            return zeros != 0;
        }
    }
    take(lines, in, keys, [&](T x) {
        note(x);
        return lane_key(x);
    });
    return zeros != 0;
}

// For each line, which of its zeros are negative.
template <class T>
void note_signs(const Lines& lines, const T* in, uint64_t* signs) {
    for (int64_t l = 0; l < lines.count; ++l) {
        signs[l] = 0;
        uint64_t bit = 1;
        for (int64_t i = 0; i < lines.n; ++i) {
            const T x = in[lines.start[l] + i * lines.inner];
            if (lane_key(x) != 0) continue;
            if constexpr (std::is_same_v<T, Half>)
                signs[l] |= x.bits != 0 ? bit : 0;
            else if constexpr (std::is_floating_point_v<T>)
                signs[l] |= std::bit_cast<Lane<T>>(x) != 0 ? bit : 0;
            bit <<= 1;
        }
    }
}
template <class T>
void restore_signs(const Lines& lines, const uint64_t* signs, T* out) {
    for (int64_t l = 0; l < lines.count; ++l) {
        uint64_t left = signs[l];
        for (int64_t i = 0; left != 0; ++i) {
            T& x = out[lines.start[l] + i * lines.inner];
            if (lane_key(x) != 0) continue;
            if (left & 1) {
                if constexpr (std::is_same_v<T, Half>)
                    x = Half{0x8000};
                else if constexpr (std::is_floating_point_v<T>)
                    x = T{-0.0};
            }
            left >>= 1;
        }
    }
}

template <class T>
void sort_strip(const Network& network, const Lines& lines, const T* in, T* out) {
    using S = Lane<T>;
    alignas(64) S keys[kColumnNumbers * kStrip];
    uint64_t signs[kStrip];
    const bool negative_zero = take_keys(lines, in, keys);
    if (negative_zero) note_signs(lines, in, signs);
    sort_lanes(network, keys);
    bool done = false;
    if constexpr (kWide<T>) {
        if (lines.whole_rows()) {
            each_vector(keys, lines.n * kStrip, [](auto key) { return key_to_bits<T>(key); });
            transpose_rows<S>(reinterpret_cast<const char*>(keys), kStrip, lines.n, kStrip,
                              reinterpret_cast<char*>(out + lines.start[0]), lines.n);
            done = true;
        }
    }
    if (!done) give(lines, keys, out, [](S key) { return lane_number<T>(key); });
    if (negative_zero) restore_signs(lines, signs, out);
}

template <class T>
void argsort_strip(const Network& network, const Lines& lines, const T* in, int64_t* out) {
    alignas(64) int64_t positions[kColumnNumbers * kStrip];
    alignas(64) Lane<T> keys[kColumnNumbers * kStrip];
    take_keys(lines, in, keys);
    if constexpr (sizeof(T) == 8) {
        for (int64_t i = 0; i < lines.n; ++i)
            for (int64_t l = 0; l < kStrip; ++l) positions[i * kStrip + l] = i;
        order_lanes(network, keys, positions);
    } else {  // the position below the key
        for (int64_t i = 0; i < lines.n; ++i)
            for (int64_t l = 0; l < kStrip; ++l)
                positions[i * kStrip + l] = (int64_t{keys[i * kStrip + l]} << 32) | i;
        sort_lanes(network, positions);
        for (int64_t k = 0; k < lines.n * kStrip; ++k) positions[k] &= 0xFFFFFFFF;
    }
    if (lines.whole_rows())
        transpose_rows<int64_t>(reinterpret_cast<const char*>(positions), kStrip, lines.n, kStrip,
                                reinterpret_cast<char*>(out + lines.start[0]), lines.n);
    else
        give(lines, positions, out, [](int64_t position) { return position; });
}

// Calls f(lines) for strips of the lines [begin, end).
template <class F>
void over_strips(int64_t n, int64_t inner, int64_t begin, int64_t end, F&& f) {
    for (int64_t first = begin; first < end; first += kStrip)
        f(Lines(n, inner, first, end - first < kStrip ? end - first : kStrip));
}

}  // namespace

void sort_columns(DType d, const void* in, void* out, int64_t n, int64_t inner, int64_t begin, int64_t end) {
    const Network network(static_cast<int>(n));
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (kHasLane<T>)
            over_strips(n, inner, begin, end, [&](const Lines& lines) {
                sort_strip(network, lines, static_cast<const T*>(in), static_cast<T*>(out));
            });
    });
}

void argsort_columns(DType d, const void* in, int64_t* out, int64_t n, int64_t inner, int64_t begin,
                     int64_t end) {
    const Network network(static_cast<int>(n));
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (kHasLane<T>)
            over_strips(n, inner, begin, end, [&](const Lines& lines) {
                argsort_strip(network, lines, static_cast<const T*>(in), out);
            });
    });
}

}  // namespace numloom::library::NUMLOOM_TARGET
