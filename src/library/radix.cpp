// Numbers become unsigned keys of the same order. A first pass deals them to some hundred buckets whose
// borders come from a sample, each of which then fits a core's cache; a bucket is sorted by the highest bits
// in which its keys differ, and what these leave equal by the bits below. Every step keeps the order of equal
// keys, and the result does not depend on the number of threads.
#include "library/radix.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/scalar.hpp"
#include "library/call.hpp"
#include "library/keys.hpp"
#include "library/vector.hpp"

namespace numloom::library {
namespace {

constexpr int64_t kInsertion = 32;         // items from which digits beat insertion
constexpr int kDigit = 11;                 // bits sorted by in one pass
constexpr int64_t kBuckets = 512;          // at most, so that the lines being written stay in the first cache
constexpr int64_t kBucketItems = 1 << 15;  // wanted
constexpr int64_t kSample = 1 << 14;
constexpr int kPrefix = 16;  // bits that are looked up to find a bucket

// What is sorted: a key alone, or with its position.
template <class K>
struct Placed {
    K key, position;
};
template <class K>
K key_of(K item) {
    return item;
}
template <class K>
K key_of(const Placed<K>& item) {
    return item.key;
}

template <class Item>
void insertion_sort(Item* a, int64_t n) {
    for (int64_t i = 1; i < n; ++i) {
        const Item item = a[i];
        int64_t k = i;
        for (; k > 0 && key_of(a[k - 1]) > key_of(item); --k) a[k] = a[k - 1];
        a[k] = item;
    }
}

// Scatters by one digit, in order; `counts` becomes the places.
template <class Item>
void deal(const Item* from, Item* to, int64_t n, int shift, uint32_t digits, uint32_t* counts) {
    uint32_t place = 0;
    for (uint32_t d = 0; d <= digits; ++d) place += std::exchange(counts[d], place);
    for (int64_t i = 0; i < n; ++i) {
        const auto digit = static_cast<uint32_t>(key_of(from[i]) >> shift) & digits;
        to[counts[digit]++] = from[i];
    }
}

// Sorts a[n], with as much room in `spare`.
template <class Item>
void sort_bits(Item* a, Item* spare, int64_t n) {
    if (n <= kInsertion) return insertion_sort(a, n);
    if (n > int64_t{UINT32_MAX})
        return std::stable_sort(a, a + n, [](const Item& x, const Item& y) { return key_of(x) < key_of(y); });
    using Key = decltype(key_of(a[0]));
    Key differing = 0;
    bool sorted = true;
    for (int64_t i = 1; i < n; ++i) {
        differing |= key_of(a[i]) ^ key_of(a[0]);
        sorted &= key_of(a[i - 1]) <= key_of(a[i]);
    }
    if (sorted) return;
    const int width = static_cast<int>(std::bit_width(differing));
    const int digit = n < 1024 ? 8 : kDigit;
    const int low = std::max(width - 2 * digit, 0), middle = low + (width - low) / 2;
    const uint32_t low_digits = (1u << (middle - low)) - 1, high_digits = (1u << (width - middle)) - 1;
    uint32_t low_counts[1 << kDigit], high_counts[1 << kDigit];
    std::memset(low_counts, 0, (low_digits + size_t{1}) * 4);
    std::memset(high_counts, 0, (high_digits + size_t{1}) * 4);
    for (int64_t i = 0; i < n; ++i) {
        const Key key = key_of(a[i]);
        ++low_counts[static_cast<uint32_t>(key >> low) & low_digits];
        ++high_counts[static_cast<uint32_t>(key >> middle) & high_digits];
    }
    deal(a, spare, n, low, low_digits, low_counts);
    deal(spare, a, n, middle, high_digits, high_counts);
    if (low == 0) return;
    for (int64_t i = 1; i < n; ++i) {  // what agrees in all bits looked at
        if (((key_of(a[i]) ^ key_of(a[i - 1])) >> low) != 0) continue;
        const int64_t first = i - 1;
        do ++i;
        while (i < n && ((key_of(a[i]) ^ key_of(a[first])) >> low) == 0);
        sort_bits(a + first, spare + first, i - first);
    }
}

// Sorts a[n] by vectors where it is keys alone and the instruction set has a way.
template <class Item>
void sort_part(Item* a, Item* spare, int64_t n) {
    if constexpr (std::is_same_v<Item, uint64_t>)
        if (vectors().keys64.sort) return vectors().keys64.sort(a, n, spare);
    sort_bits(a, spare, n);
}

// Which bucket a key belongs to: looked up by its first bits above the smallest key of a sample.
template <class K>
class Borders {
  public:
    template <class KeyAt>
    Borders(int64_t n, int64_t buckets, KeyAt&& key_at) : table_(size_t{1} << kPrefix) {
        std::vector<K> sample(static_cast<size_t>(kSample));
        for (int64_t i = 0; i < kSample; ++i)
            sample[static_cast<size_t>(i)] =
                key_at(static_cast<int64_t>(static_cast<double>(i) / kSample * static_cast<double>(n)));
        std::sort(sample.begin(), sample.end());
        // Outliers go to the first and the last bucket.
        const int64_t outliers = kSample / 1024;
        least_ = sample[static_cast<size_t>(outliers)];
        const K range = sample[static_cast<size_t>(kSample - 1 - outliers)] - least_;
        shift_ = std::max(static_cast<int>(std::bit_width(range)) - kPrefix, 0);
        std::vector<int64_t> count(table_.size());
        for (K key : sample) ++count[prefix(key)];
        int64_t before = 0;
        for (size_t p = 0; p < table_.size(); ++p) {
            table_[p] = static_cast<uint16_t>(std::min(before * buckets / kSample, buckets - 1));
            before += count[p];
        }
    }
    uint16_t bucket(K key) const { return table_[prefix(key)]; }

  private:
    size_t prefix(K key) const {
        const K above = key < least_ ? 0 : key - least_;
        return static_cast<size_t>(std::min<K>(above >> shift_, (1 << kPrefix) - 1));
    }
    K least_;
    int shift_;
    std::vector<uint16_t> table_;
};

// Sorts the items that make(i) gives for i in [0, n) into items[n] and calls done(begin, end) for each part
// of it that is finished.
template <class Item, class Make, class Done>
void sort_items(Item* items, int64_t n, Make&& make, Done&& done) {
    using Key = decltype(key_of(items[0]));
    const int64_t buckets = std::min(n / kBucketItems, kBuckets);
    if (buckets <= 1) {
        const Scratch<Item> spare(n);
        for (int64_t i = 0; i < n; ++i) items[i] = make(i);
        sort_part(items, spare.get(), n);
        return done(int64_t{0}, n);
    }
    const Borders<Key> borders(n, buckets, [&](int64_t i) { return key_of(make(i)); });
    const int64_t chunks = 4 * parallel_threads();
    const Scratch<uint16_t> bucket_of(n);
    std::vector<int64_t> places(static_cast<size_t>(chunks * buckets), 0);
    auto begin_of = [&](int64_t chunk) { return n * chunk / chunks; };
    parallel_for(chunks, [&](int64_t c) {
        int64_t* count = places.data() + c * buckets;
        for (int64_t i = begin_of(c); i < begin_of(c + 1); ++i) {
            const uint16_t b = borders.bucket(key_of(make(i)));
            bucket_of.get()[i] = b;
            ++count[b];
        }
    });
    std::vector<int64_t> start(static_cast<size_t>(buckets) + 1, n);
    int64_t place = 0;
    for (int64_t b = 0; b < buckets; ++b) {
        start[static_cast<size_t>(b)] = place;
        for (int64_t c = 0; c < chunks; ++c)
            place += std::exchange(places[static_cast<size_t>(c * buckets + b)], place);
    }
    parallel_for(chunks, [&](int64_t c) {
        const uint16_t* bucket = bucket_of.get();
        int64_t* next = places.data() + c * buckets;
        for (int64_t i = begin_of(c); i < begin_of(c + 1); ++i) items[next[bucket[i]]++] = make(i);
    });
    parallel_for(buckets, [&](int64_t b) {
        const int64_t begin = start[static_cast<size_t>(b)], end = start[static_cast<size_t>(b) + 1];
        const Scratch<Item> spare(end - begin);
        sort_part(items + begin, spare.get(), end - begin);
        done(begin, end);
    });
}

// Zeros of both signs have one key: writes them again in the order of the input.
template <class T>
void restore_zeros(const T* in, T* out, int64_t n) {
    T* zero = std::lower_bound(out, out + n, T{0}, [](T a, T b) { return a < b; });
    for (int64_t i = 0; i < n; ++i)
        if (in[i] == 0) *zero++ = in[i];
}

template <class T>
void sort_row(const T* in, T* out, int64_t n) {
    using Key = Bits<T>;
    std::unique_ptr<Scratch<T>> copy;  // of the input, where the output takes its place
    if (in == out) {
        copy = std::make_unique<Scratch<T>>(n);
        parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
            std::memcpy(copy->get() + begin, in + begin, static_cast<size_t>(end - begin) * sizeof(T));
        });
        in = copy->get();
    }
    Key* keys = reinterpret_cast<Key*>(out);
    sort_items(
        keys, n, [&](int64_t i) { return to_key(in[i]); },
        [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                Key key;
                std::memcpy(&key, out + i, sizeof key);
                out[i] = from_key<T>(key);
            }
        });
    if constexpr (std::is_floating_point_v<T>) {
        std::atomic<bool> negative_zero = false;
        parallel_ranges(n, kGrain, [&](int64_t begin, int64_t end) {
            bool found = false;
            for (int64_t i = begin; i < end; ++i)
                found |= std::bit_cast<Key>(in[i]) == std::bit_cast<Key>(T{-0.0});
            if (found) negative_zero = true;
        });
        if (negative_zero) restore_zeros(in, out, n);
    }
}

// Keys of numbers of up to four bytes.
template <class T>
uint32_t short_key(T value) {
    if constexpr (std::is_same_v<T, Half>)
        return to_key(half_to_float(value));
    else if constexpr (sizeof(T) == 4)
        return to_key(value);
    else
        return to_key(static_cast<int32_t>(value));
}

template <class T>
void argsort_row(const T* in, int64_t* out, int64_t n) {
    if constexpr (sizeof(T) <= 4) {  // the position below the key
        const Scratch<uint64_t> items(n);
        sort_items(
            items.get(), n,
            [&](int64_t i) { return uint64_t{short_key(in[i])} << 32 | static_cast<uint64_t>(i); },
            [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) out[i] = static_cast<uint32_t>(items.get()[i]);
            });
    } else {
        using Item = Placed<uint64_t>;
        const Scratch<Item> items(n);
        sort_items(
            items.get(), n,
            [&](int64_t i) {
                return Item{to_key(in[i]), static_cast<uint64_t>(i)};
            },
            [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) out[i] = static_cast<int64_t>(items.get()[i].position);
            });
    }
}

template <class T>
constexpr bool kRadixArgsort = std::is_same_v<T, Half> || (std::is_arithmetic_v<T> && sizeof(T) <= 8);
template <class T>
constexpr bool kRadix = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

}  // namespace

void sort_words(uint64_t* words, int64_t n, uint64_t* spare) { sort_part(words, spare, n); }

bool has_radix_sort(DType d) {
    return dispatch(d, [](auto type) { return kRadix<typename decltype(type)::type>; });
}

bool has_radix_argsort(DType d, int64_t n) {
    // By vectors, with the position below the key, also short rows pay.
    const bool together = item_size(d) <= 4 && vectors().keys64.sort;
    if (n < (together ? kVectorLeast : kRadixLeast) || (item_size(d) <= 4 && n > int64_t{UINT32_MAX}))
        return false;
    return dispatch(d, [](auto type) { return kRadixArgsort<typename decltype(type)::type>; });
}

void radix_sort(DType d, const char* in, char* out, int64_t n) {
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (kRadix<T>) sort_row(reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), n);
    });
}

void radix_argsort(DType d, const char* in, int64_t* out, int64_t n) {
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (kRadixArgsort<T>) argsort_row(reinterpret_cast<const T*>(in), out, n);
    });
}

}  // namespace numloom::library
