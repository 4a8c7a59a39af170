// A long row is cut into chunks that fit a core's cache. Each is dealt to buckets in there, by splitting at
// borders that come from a sample; then each bucket collects its part of every chunk and is sorted. Equal
// keys are the same number, so that the result does not depend on the borders, hence not on the number of
// threads.
#include "library/vector_sort.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "library/call.hpp"
#include "library/keys.hpp"
#include "library/vector.hpp"

namespace numloom::library {
namespace {

constexpr int64_t kChunk = 1 << 15;  // keys of a chunk
constexpr int64_t kLong = 1 << 16;   // from which a row is shared among threads
constexpr int64_t kMaxBuckets = 256;
constexpr int64_t kSamplesPerBucket = 64;

template <class Key>
const KeyLoops<Key>& key_loops() {
    if constexpr (sizeof(Key) == 8)
        return vectors().keys64;
    else
        return vectors().keys32;
}

// Whether the zeros of a row are negative, in their order. Zeros of both signs have one key.
template <class T>
std::vector<bool> signs_of_zeros(const T* in, int64_t n) {
    std::vector<bool> negative;
    for (int64_t i = 0; i < n; ++i)
        if (in[i] == 0) negative.push_back(std::bit_cast<Bits<T>>(in[i]) != 0);
    return negative;
}
template <class T>
void restore_signs(T* out, int64_t n, const std::vector<bool>& negative) {
    if (negative.empty()) return;
    T* zero = std::lower_bound(out, out + n, T{0}, [](T a, T b) { return a < b; });
    for (bool minus : negative) *zero++ = minus ? T{-0.0} : T{0};
}

// Borders between `buckets` ranges of keys, about equally many in each.
template <class T>
std::vector<Bits<T>> choose_borders(const T* in, int64_t n, int64_t buckets) {
    const int64_t count = buckets * kSamplesPerBucket;
    std::vector<Bits<T>> sample(static_cast<size_t>(count)), borders;
    const int64_t step = n / count;
    uint64_t scatter = 0x9E3779B97F4A7C15;  // a place within each step, lest periodic data mislead
    for (int64_t i = 0; i < count; ++i) {
        scatter = scatter * 6364136223846793005u + 1442695040888963407u;
        const auto within = static_cast<int64_t>((scatter >> 33) % static_cast<uint64_t>(step));
        sample[static_cast<size_t>(i)] = to_key(in[i * step + within]);
    }
    std::sort(sample.begin(), sample.end());
    for (int64_t b = 1; b < buckets; ++b)
        borders.push_back(sample[static_cast<size_t>(b * kSamplesPerBucket)]);
    return borders;
}

// Deals keys[n] to the buckets between borders[count], in order, into `to`, which is `keys` or `other`;
// writes how many went to each of the count + 1.
template <class Key>
void deal(Key* keys, int64_t n, Key* other, Key* to, const Key* borders, int64_t count, int64_t* sizes) {
    if (count == 0) {
        if (to != keys) std::memcpy(to, keys, static_cast<size_t>(n) * sizeof(Key));
        *sizes = n;
        return;
    }
    const int64_t middle = count / 2;
    Key* high = to == keys ? other : keys;
    const int64_t below = key_loops<Key>().split(keys, n, borders[middle], to, high);
    deal(to, below, high + (n - below), to, borders, middle, sizes);
    deal(high, n - below, to + below, to + below, borders + middle + 1, count - middle - 1,
         sizes + middle + 1);
}

template <class T>
void sort_short(DType d, const T* in, T* out, int64_t n) {
    using Key = Bits<T>;
    constexpr int64_t few = 512;  // whose keys are not worth a visit to the memory pool
    alignas(64) Key near[2 * few];
    std::optional<Scratch<Key>> room;
    Key *keys = n <= few ? near : room.emplace(2 * n).get(), *spare = keys + n;
    std::vector<bool> negative;
    if (vectors().to_keys(d, in, keys, n))
        if constexpr (std::is_floating_point_v<T>) negative = signs_of_zeros(in, n);
    key_loops<Key>().sort(keys, n, spare);
    vectors().from_keys(d, keys, out, n);
    if constexpr (std::is_floating_point_v<T>) restore_signs(out, n, negative);
}

template <class T>
void sort_long(DType d, const T* in, T* out, int64_t n) {
    using Key = Bits<T>;
    const int64_t wanted = std::min<int64_t>(std::max<int64_t>(8 * parallel_threads(), n >> 16), n / kChunk);
    const int64_t buckets = std::min<int64_t>(std::bit_ceil(static_cast<uint64_t>(wanted)), kMaxBuckets);
    const std::vector<Key> borders = choose_borders(in, n, buckets);
    const int64_t chunks = (n + kChunk - 1) / kChunk;
    const Scratch<Key> dealt(n);
    std::vector<int64_t> sizes(static_cast<size_t>(chunks * buckets));
    std::atomic<bool> negative_zero = false;
    parallel_for(chunks, [&](int64_t c) {
        const int64_t begin = c * kChunk, count = std::min(kChunk, n - begin);
        const Scratch<Key> spare(count);
        Key* keys = dealt.get() + begin;
        if (vectors().to_keys(d, in + begin, keys, count)) negative_zero = true;
        deal(keys, count, spare.get(), keys, borders.data(), buckets - 1, sizes.data() + c * buckets);
    });
    std::vector<bool> negative;
    if constexpr (std::is_floating_point_v<T>)
        if (negative_zero) negative = signs_of_zeros(in, n);
    // Where each bucket begins in the result, and its part of each chunk in `dealt`.
    std::vector<int64_t> start(static_cast<size_t>(buckets) + 1, 0), part(sizes.size());
    for (int64_t c = 0; c < chunks; ++c) {
        int64_t at = c * kChunk;
        for (int64_t b = 0; b < buckets; ++b) {
            const auto i = static_cast<size_t>(c * buckets + b);
            part[i] = at;
            at += sizes[i];
            start[static_cast<size_t>(b) + 1] += sizes[i];
        }
    }
    for (size_t b = 0; b < static_cast<size_t>(buckets); ++b) start[b + 1] += start[b];
    parallel_for(buckets, [&](int64_t b) {
        const int64_t begin = start[static_cast<size_t>(b)],
                      count = start[static_cast<size_t>(b) + 1] - begin;
        const Scratch<Key> spare(count);
        Key* keys = reinterpret_cast<Key*>(out) + begin;
        Key* to = keys;
        for (int64_t c = 0; c < chunks; ++c) {
            const auto i = static_cast<size_t>(c * buckets + b);
            std::memcpy(to, dealt.get() + part[i], static_cast<size_t>(sizes[i]) * sizeof(Key));
            to += sizes[i];
        }
        key_loops<Key>().sort(keys, count, spare.get());
        vectors().from_keys(d, keys, out + begin, count);
    });
    if constexpr (std::is_floating_point_v<T>) restore_signs(out, n, negative);
}

template <class T>
void select_row(DType d, const T* in, T* out, int64_t n, std::span<const int64_t> places) {
    using Key = Bits<T>;
    Key* keys = reinterpret_cast<Key*>(out);
    std::atomic<bool> negative_zero = false;
    parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
        if (vectors().to_keys(d, in + begin, keys + begin, end - begin)) negative_zero = true;
    });
    const Scratch<Key> spare(n);
    key_loops<Key>().select(keys, n, spare.get(), places.data(), static_cast<int64_t>(places.size()));
    parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
        vectors().from_keys(d, keys + begin, out + begin, end - begin);
    });
    if constexpr (std::is_floating_point_v<T>) {
        if (!negative_zero) return;
        const std::vector<bool> negative = signs_of_zeros(in, n);
        size_t zero = 0;
        for (int64_t i = 0; i < n; ++i)
            if (out[i] == 0) out[i] = negative[zero++] ? T{-0.0} : T{0};
    }
}

}  // namespace

void vector_partition(DType d, const char* in, char* out, int64_t n, std::span<const int64_t> places) {
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8))
            select_row(d, reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), n, places);
    });
}

bool has_vector_sort(DType d) {
    return dispatch(d, [](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8))
            return key_loops<Bits<T>>().sort != nullptr;
        else
            return false;
    });
}

void vector_sort(DType d, const char* in, char* out, int64_t n) {
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)) {
            const T* from = reinterpret_cast<const T*>(in);
            T* to = reinterpret_cast<T*>(out);
            if (n < kLong)
                sort_short(d, from, to, n);
            else
                sort_long(d, from, to, n);
        }
    });
}

}  // namespace numloom::library
