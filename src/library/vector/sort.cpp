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

#if defined(__AVX512F__)
#include "library/vector/avx512.hpp"
//
#include "library/vector/sort_avx512.hpp"
#elif defined(__AVX2__)
#include "library/vector/sort_avx2.hpp"
#endif

#if defined(__AVX2__)

namespace numloom::library::NUMLOOM_TARGET {
namespace {

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
NL_INLINE void order(typename L::V& a, typename L::V& b) {
    const typename L::V low = L::min(a, b);
    b = L::max(a, b);
    a = low;
}

// Lanes with the bit `Bit` get the larger, the others the smaller of lane i and lane i ^ D.
template <class L, int D, int Bit>
NL_INLINE typename L::V order_across(typename L::V v) {
    constexpr auto upper = [] {
        unsigned m = 0;
        for (int i = 0; i < L::kLanes; ++i) m |= (i & Bit) ? 1u << i : 0u;
        return static_cast<typename L::Mask>(m);
    }();
    const typename L::V other = L::template across<D>(v);
    return L::template max_where<upper>(L::min(v, other), v, other);
}

// Sorts a vector whose lanes rise and then fall, or the other way, in groups of 2 * D lanes.
template <class L, int D>
NL_INLINE typename L::V merge_lanes(typename L::V v) {
    if constexpr (D == 0)
        return v;
    else
        return merge_lanes<L, D / 2>(order_across<L, D, D>(v));
}

template <class L, int Width = 2>
NL_INLINE typename L::V sort_lanes(typename L::V v) {
    v = merge_lanes<L, Width / 4>(order_across<L, Width - 1, Width / 2>(v));
    if constexpr (Width < L::kLanes)
        return sort_lanes<L, 2 * Width>(v);
    else
        return v;
}

// Merges v[0, M) and v[M, 2 M), each sorted.
template <class L, int M>
NL_INLINE void merge_vectors(typename L::V* v) {
    each<M>([&](auto i) NL_INLINE_LAMBDA {
        typename L::V high = L::template across<L::kLanes - 1>(v[2 * M - 1 - i]);
        order<L>(v[i], high);
        v[2 * M - 1 - i] = high;  // in falling order, which the steps below don't mind
    });
    each<2>([&](auto half) NL_INLINE_LAMBDA {
        typename L::V* h = v + half * M;
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
NL_INLINE void merge_runs(typename L::V* v) {
    if constexpr (Run < N) {
        each<N / (2 * Run)>([&](auto i) NL_INLINE_LAMBDA { merge_vectors<L, Run>(v + i * 2 * Run); });
        merge_runs<L, N, 2 * Run>(v);
    }
}

// Sorts n keys, at most N vectors of them.
template <class L, int N>
__attribute__((noinline)) void sort_block(const typename L::Key* from, int64_t n, typename L::Key* to) {
    using Mask = typename L::Mask;
    const typename L::V last = L::fill(L::kLast);
    const auto mask = [n](int64_t i) NL_INLINE_LAMBDA {
        const int64_t left = n - i * L::kLanes;
        return left >= L::kLanes ? static_cast<Mask>(-1)
                                 : static_cast<Mask>((1u << std::max<int64_t>(left, 0)) - 1);
    };
    typename L::V v[N];
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
    const typename L::V p = L::fill(pivot);
    const auto less = [p](typename L::V v)
                          NL_INLINE_LAMBDA { return OrEqual ? L::less_equal(v, p) : L::less(v, p); };
    int64_t i = 0;
    constexpr int kUnroll = 4;
    for (; i + kUnroll * L::kLanes <= n; i += kUnroll * L::kLanes) {
        typename L::V v[kUnroll];
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
        const typename L::V v = L::load(keys + i, there, L::fill(0));
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
            std::sort(keys, keys + n, L::before);
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

// Keys as the vectors compare them, and back.
template <class L>
void turn([[maybe_unused]] typename L::Key* keys, [[maybe_unused]] int64_t n) {
    if constexpr (L::kSigned)
        for (int64_t i = 0; i < n; ++i) keys[i] ^= ~L::kLast;
}

template <class L>
void sort_keys(typename L::Key* keys, int64_t n, typename L::Key* spare) {
    turn<L>(keys, n);
    sort_range<L>(keys, n, spare, keys, most_splits(n), Every{});
    turn<L>(keys, n);
}

template <class L>
void select_keys(typename L::Key* keys, int64_t n, typename L::Key* spare, const int64_t* places,
                 int64_t count) {
    turn<L>(keys, n);
    sort_range<L>(keys, n, spare, keys, most_splits(n), Some{places, places + count});
    turn<L>(keys, n);
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
    return split<UnsignedLanes64>(keys, n, pivot, low, high);
}
int64_t split_u32(const uint32_t* keys, int64_t n, uint32_t pivot, uint32_t* low, uint32_t* high) {
    return split<Lanes32>(keys, n, pivot, low, high);
}

}  // namespace numloom::library::NUMLOOM_TARGET

NL_END_AVX512
#endif
