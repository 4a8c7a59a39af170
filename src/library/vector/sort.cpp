// Quicksort in vector registers. A pass splits a range at a pivot by compressing each vector twice: one part
// stays where it is and the other goes to a second buffer, so that a pass only ever reads forward and has no
// branch to mispredict. Which buffer a part ends up in is known beforehand, and nothing is copied back.
// Ranges of up to sixteen vectors are sorted in registers: columns by a sorting network (Batcher, "Sorting
// networks and their applications", 1968), then rows by bitonic merges.
#include "library/vector/sort.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "library/vector/avx512.hpp"

#if defined(__AVX512F__)

namespace numloom::library::NUMLOOM_TARGET {
namespace {

#define NL_INLINE inline __attribute__((always_inline))
#define NL_INLINE_LAMBDA __attribute__((always_inline))

template <int N, class F>
NL_INLINE void each(F&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) NL_INLINE_LAMBDA {
        (f(std::integral_constant<int, I>{}), ...);
    }
    (std::make_integer_sequence<int, N>{});
}

struct Lanes64 {
    using Key = uint64_t;
    using Mask = __mmask8;
    static constexpr int kLanes = 8;
    static NL_INLINE __m512i fill(Key k) { return _mm512_set1_epi64(static_cast<int64_t>(k)); }
    static NL_INLINE __m512i load(const Key* p) { return _mm512_loadu_si512(p); }
    static NL_INLINE void store(Key* p, __m512i v) { _mm512_storeu_si512(p, v); }
    static NL_INLINE __m512i load(const Key* p, Mask m, __m512i other) {
        return _mm512_mask_loadu_epi64(other, m, p);
    }
    static NL_INLINE void store(Key* p, Mask m, __m512i v) { _mm512_mask_storeu_epi64(p, m, v); }
    static NL_INLINE __m512i min(__m512i a, __m512i b) { return _mm512_min_epu64(a, b); }
    static NL_INLINE __m512i max(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }
    static NL_INLINE __m512i max_where(__m512i other, Mask m, __m512i a, __m512i b) {
        return _mm512_mask_max_epu64(other, m, a, b);
    }
    static NL_INLINE Mask less(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
    static NL_INLINE Mask less_equal(__m512i a, __m512i b) { return _mm512_cmple_epu64_mask(a, b); }
    static NL_INLINE __m512i compress(Mask m, __m512i v) { return _mm512_maskz_compress_epi64(m, v); }
    // Lane i gets what is in lane i ^ D.
    template <int D>
    static NL_INLINE __m512i across(__m512i v) {
        if constexpr (D == 1)
            return _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0x4E));
        else if constexpr (D == 2)
            return _mm512_permutex_epi64(v, 0x4E);
        else if constexpr (D == 4)
            return _mm512_shuffle_i64x2(v, v, 0x4E);
        else
            return _mm512_permutexvar_epi64(
                _mm512_set_epi64(7 ^ D, 6 ^ D, 5 ^ D, 4 ^ D, 3 ^ D, 2 ^ D, 1 ^ D, D), v);
    }
    // Eight vectors of eight keys change rows with columns.
    static NL_INLINE void transpose(__m512i* v) {
        __m512i a[8], b[8];
        each<4>([&](auto i) NL_INLINE_LAMBDA {
            a[2 * i] = _mm512_unpacklo_epi64(v[2 * i], v[2 * i + 1]);
            a[2 * i + 1] = _mm512_unpackhi_epi64(v[2 * i], v[2 * i + 1]);
        });
        each<2>([&](auto h) NL_INLINE_LAMBDA {
            each<2>([&](auto i) NL_INLINE_LAMBDA {
                const __m512i x = a[4 * h + i], y = a[4 * h + 2 + i];
                b[4 * h + i] = _mm512_shuffle_i64x2(x, y, 0x88);      // pairs of columns 0, 4
                b[4 * h + 2 + i] = _mm512_shuffle_i64x2(x, y, 0xDD);  // 2, 6
            });
        });
        each<4>([&](auto i) NL_INLINE_LAMBDA {
            v[i] = _mm512_shuffle_i64x2(b[i], b[4 + i], 0x88);
            v[4 + i] = _mm512_shuffle_i64x2(b[i], b[4 + i], 0xDD);
        });
    }
    static constexpr int kRows = 16;  // of a block whose columns are sorted first
    static NL_INLINE void columns_to_rows(__m512i* v) {
        transpose(v);
        transpose(v + 8);
        __m512i w[16];
        each<8>([&](auto c) NL_INLINE_LAMBDA {
            w[2 * c] = v[c];
            w[2 * c + 1] = v[8 + c];
        });
        each<16>([&](auto c) NL_INLINE_LAMBDA { v[c] = w[c]; });
    }
};

struct Lanes32 {
    using Key = uint32_t;
    using Mask = __mmask16;
    static constexpr int kLanes = 16;
    static NL_INLINE __m512i fill(Key k) { return _mm512_set1_epi32(static_cast<int32_t>(k)); }
    static NL_INLINE __m512i load(const Key* p) { return _mm512_loadu_si512(p); }
    static NL_INLINE void store(Key* p, __m512i v) { _mm512_storeu_si512(p, v); }
    static NL_INLINE __m512i load(const Key* p, Mask m, __m512i other) {
        return _mm512_mask_loadu_epi32(other, m, p);
    }
    static NL_INLINE void store(Key* p, Mask m, __m512i v) { _mm512_mask_storeu_epi32(p, m, v); }
    static NL_INLINE __m512i min(__m512i a, __m512i b) { return _mm512_min_epu32(a, b); }
    static NL_INLINE __m512i max(__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }
    static NL_INLINE __m512i max_where(__m512i other, Mask m, __m512i a, __m512i b) {
        return _mm512_mask_max_epu32(other, m, a, b);
    }
    static NL_INLINE Mask less(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
    static NL_INLINE Mask less_equal(__m512i a, __m512i b) { return _mm512_cmple_epu32_mask(a, b); }
    static NL_INLINE __m512i compress(Mask m, __m512i v) { return _mm512_maskz_compress_epi32(m, v); }
    template <int D>
    static NL_INLINE __m512i across(__m512i v) {
        if constexpr (D == 1)
            return _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0xB1));
        else if constexpr (D == 2)
            return _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0x4E));
        else if constexpr (D == 3)
            return _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0x1B));
        else if constexpr (D == 4)
            return _mm512_permutex_epi64(v, 0x4E);
        else if constexpr (D == 8)
            return _mm512_shuffle_i64x2(v, v, 0x4E);
        else
            return _mm512_permutexvar_epi32(
                _mm512_set_epi32(15 ^ D, 14 ^ D, 13 ^ D, 12 ^ D, 11 ^ D, 10 ^ D, 9 ^ D, 8 ^ D, 7 ^ D, 6 ^ D,
                                 5 ^ D, 4 ^ D, 3 ^ D, 2 ^ D, 1 ^ D, D),
                v);
    }
    static constexpr int kRows = 16;
    static NL_INLINE void columns_to_rows(__m512i* v) {
        __m512i a[16], b[16];
        each<8>([&](auto i) NL_INLINE_LAMBDA {
            a[2 * i] = _mm512_unpacklo_epi32(v[2 * i], v[2 * i + 1]);
            a[2 * i + 1] = _mm512_unpackhi_epi32(v[2 * i], v[2 * i + 1]);
        });
        each<4>([&](auto q) NL_INLINE_LAMBDA {
            each<2>([&](auto i) NL_INLINE_LAMBDA {
                b[4 * q + 2 * i] = _mm512_unpacklo_epi64(a[4 * q + i], a[4 * q + 2 + i]);
                b[4 * q + 2 * i + 1] = _mm512_unpackhi_epi64(a[4 * q + i], a[4 * q + 2 + i]);
            });
        });
        // b[4 q + c] holds the rows 4q .. 4q+3 of the columns c, 4 + c, 8 + c, 12 + c.
        each<4>([&](auto c) NL_INLINE_LAMBDA {
            const __m512i even = _mm512_shuffle_i32x4(b[c], b[4 + c], 0x88);
            const __m512i odd = _mm512_shuffle_i32x4(b[c], b[4 + c], 0xDD);
            const __m512i even_high = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0x88);
            const __m512i odd_high = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0xDD);
            v[c] = _mm512_shuffle_i32x4(even, even_high, 0x88);
            v[8 + c] = _mm512_shuffle_i32x4(even, even_high, 0xDD);
            v[4 + c] = _mm512_shuffle_i32x4(odd, odd_high, 0x88);
            v[12 + c] = _mm512_shuffle_i32x4(odd, odd_high, 0xDD);
        });
    }
};

// --- in registers
// ------------------------------------------------------------------------------------------------

template <int N>
constexpr auto batcher() {
    constexpr auto walk = [](auto&& emit) {
        for (int p = 1; p < N; p *= 2)
            for (int k = p; k >= 1; k /= 2)
                for (int j = k % p; j + k < N; j += 2 * k)
                    for (int i = 0; i < k && i + j + k < N; ++i)
                        if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) emit(i + j, i + j + k);
    };
    constexpr size_t count = [&] {
        size_t n = 0;
        walk([&](int, int) { ++n; });
        return n;
    }();
    std::array<std::pair<int, int>, count> pairs{};
    size_t n = 0;
    walk([&](int a, int b) { pairs[n++] = {a, b}; });
    return pairs;
}

template <class L>
NL_INLINE void order(__m512i& a, __m512i& b) {
    const __m512i low = L::min(a, b);
    b = L::max(a, b);
    a = low;
}

// Lanes with the bit `Bit` get the larger, the others the smaller of lane i and lane i ^ D.
template <class L, int D, int Bit>
NL_INLINE __m512i order_across(__m512i v) {
    constexpr auto upper = [] {
        unsigned m = 0;
        for (int i = 0; i < L::kLanes; ++i) m |= (i & Bit) ? 1u << i : 0u;
        return static_cast<typename L::Mask>(m);
    }();
    const __m512i other = L::template across<D>(v);
    return L::max_where(L::min(v, other), upper, v, other);
}

// Sorts a vector whose lanes rise and then fall, or the other way, in groups of 2 * D lanes.
template <class L, int D>
NL_INLINE __m512i merge_lanes(__m512i v) {
    if constexpr (D == 0)
        return v;
    else
        return merge_lanes<L, D / 2>(order_across<L, D, D>(v));
}

template <class L, int Width = 2>
NL_INLINE __m512i sort_lanes(__m512i v) {
    v = merge_lanes<L, Width / 4>(order_across<L, Width - 1, Width / 2>(v));
    if constexpr (Width < L::kLanes)
        return sort_lanes<L, 2 * Width>(v);
    else
        return v;
}

// Merges v[0, M) and v[M, 2 M), each sorted.
template <class L, int M>
NL_INLINE void merge_vectors(__m512i* v) {
    each<M>([&](auto i) NL_INLINE_LAMBDA {
        __m512i high = L::template across<L::kLanes - 1>(v[2 * M - 1 - i]);
        order<L>(v[i], high);
        v[2 * M - 1 - i] = high;  // in falling order, which the steps below don't mind
    });
    each<2>([&](auto half) NL_INLINE_LAMBDA {
        __m512i* h = v + half * M;
        if constexpr (M >= 8)
            each<M / 2>([&](auto i) NL_INLINE_LAMBDA {
                constexpr int k = i / 4 * 8 + i % 4;
                order<L>(h[k], h[k + 4]);
            });
        if constexpr (M >= 4)
            each<M / 2>([&](auto i) NL_INLINE_LAMBDA {
                constexpr int k = i / 2 * 4 + i % 2;
                order<L>(h[k], h[k + 2]);
            });
        if constexpr (M >= 2) each<M / 2>([&](auto i) NL_INLINE_LAMBDA { order<L>(h[2 * i], h[2 * i + 1]); });
    });
    each<2 * M>([&](auto i) NL_INLINE_LAMBDA { v[i] = merge_lanes<L, L::kLanes / 2>(v[i]); });
}

// Merges sorted runs of `Run` vectors until all N are one.
template <class L, int N, int Run>
NL_INLINE void merge_runs(__m512i* v) {
    if constexpr (Run < N) {
        each<N / (2 * Run)>([&](auto i) NL_INLINE_LAMBDA { merge_vectors<L, Run>(v + i * 2 * Run); });
        merge_runs<L, N, 2 * Run>(v);
    }
}

// Sorts n keys, at most N vectors of them.
template <class L, int N>
__attribute__((noinline)) void sort_block(const typename L::Key* from, int64_t n, typename L::Key* to) {
    using Mask = typename L::Mask;
    const __m512i last = L::fill(~typename L::Key{0});
    const auto mask = [n](int64_t i) NL_INLINE_LAMBDA {
        const int64_t left = n - i * L::kLanes;
        return left >= L::kLanes ? static_cast<Mask>(-1)
                                 : static_cast<Mask>((1u << std::max<int64_t>(left, 0)) - 1);
    };
    __m512i v[N];
    each<N>([&](auto i) NL_INLINE_LAMBDA { v[i] = L::load(from + i * L::kLanes, mask(i), last); });
    if constexpr (N == L::kRows) {
        constexpr auto network = batcher<N>();
        each<static_cast<int>(network.size())>([&](auto i) NL_INLINE_LAMBDA {
            constexpr auto pair = network[i];
            order<L>(v[pair.first], v[pair.second]);
        });
        L::columns_to_rows(v);
        merge_runs<L, N, L::kRows / L::kLanes>(v);
    } else {
        each<N>([&](auto i) NL_INLINE_LAMBDA { v[i] = sort_lanes<L>(v[i]); });
        merge_runs<L, N, 1>(v);
    }
    each<N>([&](auto i) NL_INLINE_LAMBDA {
        if (i * L::kLanes < n) L::store(to + i * L::kLanes, mask(i), v[i]);
    });
}

template <class L>
void sort_few(const typename L::Key* from, int64_t n, typename L::Key* to) {
    if (n <= L::kLanes)
        sort_block<L, 1>(from, n, to);
    else if (n <= 2 * L::kLanes)
        sort_block<L, 2>(from, n, to);
    else if (n <= 4 * L::kLanes)
        sort_block<L, 4>(from, n, to);
    else if (n <= 8 * L::kLanes)
        sort_block<L, 8>(from, n, to);
    else
        sort_block<L, 16>(from, n, to);
}

// --- splitting
// ---------------------------------------------------------------------------------------------------

// A middle value of some keys: one vector of them in short ranges, eight in long ones.
template <class L>
typename L::Key choose_pivot(const typename L::Key* keys, int64_t n) {
    using Key = typename L::Key;
    const int64_t count = n < 2048 ? L::kLanes : 8 * L::kLanes, step = n / count;
    alignas(64) Key sample[8 * L::kLanes];
    for (int64_t i = 0; i < count; ++i) sample[i] = keys[i * step + step / 2];
    if (count == L::kLanes)
        sort_block<L, 1>(sample, count, sample);
    else
        sort_block<L, 8>(sample, count, sample);
    return sample[count / 2];
}

// Deals keys[n] to `low` where they are below the pivot (or equal, on demand) and to `high` elsewhere, one of
// which is `keys` itself. Returns how many went to `low`.
template <class L, bool OrEqual = false>
int64_t split(const typename L::Key* keys, int64_t n, typename L::Key pivot, typename L::Key* low,
              typename L::Key* high) {
    using Mask = typename L::Mask;
    typename L::Key* const first = low;
    const __m512i p = L::fill(pivot);
    const auto less = [p](__m512i v)
                          NL_INLINE_LAMBDA { return OrEqual ? L::less_equal(v, p) : L::less(v, p); };
    int64_t i = 0;
    constexpr int kUnroll = 4;
    for (; i + kUnroll * L::kLanes <= n; i += kUnroll * L::kLanes) {
        __m512i v[kUnroll];
        each<kUnroll>([&](auto u) NL_INLINE_LAMBDA { v[u] = L::load(keys + i + u * L::kLanes); });
        each<kUnroll>([&](auto u) NL_INLINE_LAMBDA {
            const Mask m = less(v[u]);
            const int count = __builtin_popcount(m);
            L::store(low, L::compress(m, v[u]));
            L::store(high, L::compress(static_cast<Mask>(~m), v[u]));
            low += count;
            high += L::kLanes - count;
        });
    }
    for (; i < n; i += L::kLanes) {
        const int64_t left = std::min<int64_t>(n - i, L::kLanes);
        const Mask there = static_cast<Mask>((uint64_t{1} << left) - 1);
        const __m512i v = L::load(keys + i, there, _mm512_setzero_si512());
        const Mask m = less(v) & there;
        const int count = __builtin_popcount(m);
        L::store(low, static_cast<Mask>((1u << count) - 1), L::compress(m, v));
        L::store(high, static_cast<Mask>((1u << (left - count)) - 1), L::compress(there & ~m, v));
        low += count;
        high += left - count;
    }
    return low - first;
}

// The places of a range that have to hold what a sort would leave there: all of them, or some.
struct Every {
    bool none() const { return false; }
    Every before(int64_t) const { return {}; }
    Every from(int64_t) const { return {}; }
};
struct Some {
    const int64_t *first, *last;  // rising
    int64_t origin = 0;           // of the range
    bool none() const { return first == last; }
    Some before(int64_t i) const { return {first, std::lower_bound(first, last, origin + i), origin}; }
    Some from(int64_t i) const { return {std::lower_bound(first, last, origin + i), last, origin + i}; }
};

// Sorts keys[n] into `to`, which is `keys` or `other`, as far as the wanted places ask for; both are
// overwritten.
template <class L, class Wanted>
void sort_range(typename L::Key* keys, int64_t n, typename L::Key* other, typename L::Key* to, int depth,
                Wanted wanted) {
    using Key = typename L::Key;
    for (;;) {
        if (wanted.none()) {
            if (to != keys) std::memcpy(to, keys, static_cast<size_t>(n) * sizeof(Key));
            return;
        }
        if (n <= L::kRows * L::kLanes) {
            if (n > 0) sort_few<L>(keys, n, to);
            return;
        }
        if (depth-- == 0) {  // an input made to defeat the pivots
            std::sort(keys, keys + n);
            if (to != keys) std::memcpy(to, keys, static_cast<size_t>(n) * sizeof(Key));
            return;
        }
        const Key pivot = choose_pivot<L>(keys, n);
        // What goes to its place at once stays there: the lower part begins where the result begins.
        Key *low = to, *high = to == keys ? other : keys;
        const int64_t count = split<L>(keys, n, pivot, low, high);
        if (count == 0) {
            // The pivot is the smallest key. All are in `high` now; those equal to it are in place once
            // filled in, and the rest stays in `high` while the result goes behind them.
            Key* rest = high == keys ? other : keys;
            const int64_t same = split<L, true>(high, n, pivot, rest, high);
            std::fill(to, to + same, pivot);
            to += same;
            n -= same;
            keys = high;
            other = to;
            wanted = wanted.from(same);
            continue;
        }
        const int64_t above = n - count;
        sort_range<L>(low, count, high + above, low, depth, wanted.before(count));
        keys = high;
        n = above;
        other = to = low + count;
        wanted = wanted.from(count);
    }
}

// How often a range may be split before its pivots count as bad.
int most_splits(int64_t n) { return 4 * (64 - __builtin_clzll(static_cast<uint64_t>(n) | 1)); }

template <class L>
void sort_keys(typename L::Key* keys, int64_t n, typename L::Key* spare) {
    sort_range<L>(keys, n, spare, keys, most_splits(n), Every{});
}

template <class L>
void select_keys(typename L::Key* keys, int64_t n, typename L::Key* spare, const int64_t* places,
                 int64_t count) {
    sort_range<L>(keys, n, spare, keys, most_splits(n), Some{places, places + count});
}

}  // namespace

void sort_u64(uint64_t* keys, int64_t n, uint64_t* spare) { sort_keys<Lanes64>(keys, n, spare); }
void sort_u32(uint32_t* keys, int64_t n, uint32_t* spare) { sort_keys<Lanes32>(keys, n, spare); }
void select_u64(uint64_t* keys, int64_t n, uint64_t* spare, const int64_t* places, int64_t count) {
    select_keys<Lanes64>(keys, n, spare, places, count);
}
void select_u32(uint32_t* keys, int64_t n, uint32_t* spare, const int64_t* places, int64_t count) {
    select_keys<Lanes32>(keys, n, spare, places, count);
}
int64_t split_u64(const uint64_t* keys, int64_t n, uint64_t pivot, uint64_t* low, uint64_t* high) {
    return split<Lanes64>(keys, n, pivot, low, high);
}
int64_t split_u32(const uint32_t* keys, int64_t n, uint32_t pivot, uint32_t* low, uint32_t* high) {
    return split<Lanes32>(keys, n, pivot, low, high);
}

}  // namespace numloom::library::NUMLOOM_TARGET

NL_END_AVX512
#endif
