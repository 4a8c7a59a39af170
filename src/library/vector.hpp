// Loops of the library that are written for each instruction set: src/library/vector is compiled once for
// each of them. What an instruction set does no better than plain code is nullptr in its table.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/dtype.hpp"

namespace numloom::library {

// Sorting of keys (keys.hpp).
template <class Key>
struct KeyLoops {
    // Sorts keys[n] with as much room in `spare`.
    void (*sort)(Key* keys, int64_t n, Key* spare) = nullptr;
    // Puts at the `count` places, which rise, what a sort would put there, nothing larger before and nothing
    // smaller behind.
    void (*select)(Key* keys, int64_t n, Key* spare, const int64_t* places, int64_t count) = nullptr;
    // Deals keys[n] to `low` where they are below the pivot and to `high` elsewhere, each in its old order;
    // one of the two is `keys`, both have room for n. Returns how many went to `low`.
    int64_t (*split)(const Key* keys, int64_t n, Key pivot, Key* low, Key* high) = nullptr;
};

// One of the sequences of a counter-based generator: number i is a function of the key, the stream's name and
// i.
struct PhiloxStream {
    uint32_t key[2];
    uint32_t name;
};
inline constexpr int64_t kPhiloxGroup = 16;  // draws begin at multiples of this many numbers

// Products of real matrices whose factors were packed into panels. A panel holds `rows` rows of the first
// factor, or `columns` columns of the second, for a slice of the depth: what is multiplied at one depth lies
// together. The last panel is filled up with repeated lines, so that nothing is computed that the product
// itself does not compute.
template <class T>
struct ProductLoops {
    int64_t rows = 0, columns = 0;
    // Packs lines[lines][depth], rows of the first or columns of the second factor, as one panel of `width`.
    void (*pack)(const T* from, int64_t line_step, int64_t depth_step, int64_t lines, int64_t depth,
                 int64_t width, T* to) = nullptr;
    // c[rows, columns], whose rows are contiguous, = or += a times b. The products of an element are summed
    // in the order of the depth, each rounded once with its addition.
    void (*multiply)(int64_t rows, int64_t columns, int64_t depth, const T* a, const T* b, T* c,
                     int64_t c_row, bool add) = nullptr;
};

// Keys with positions in their lowest `bits`; where `cut`, keys had bits below these that are left out.
struct PackedOrder {
    int bits = 0;
    bool cut = false;
};

// Numbers at most in a line that sort_columns() and argsort_columns() take.
inline constexpr int64_t kColumnNumbers = 64;

struct VectorTable {
    const char* name;
    KeyLoops<uint64_t> keys64;
    KeyLoops<uint32_t> keys32;
    // Keys of n numbers, and numbers of n keys, for dtypes of four and eight bytes; both may be in one place.
    // to_keys tells whether a -0 was among them.
    bool (*to_keys)(DType d, const void* numbers, void* keys, int64_t n);
    void (*from_keys)(DType d, const void* keys, void* numbers, int64_t n);
    // packed[n] = the keys of n > 0 numbers, above their positions. No complex numbers; n <= 2^32.
    PackedOrder (*pack_positions)(DType d, const void* numbers, uint64_t* packed, int64_t n);
    // Sort each of the lines [begin, end) along the middle axis of an array of any x n x inner numbers, or
    // give the positions that do; equal numbers stay in their old order, NaN comes last. `out` may be `in`.
    // No complex numbers.
    void (*sort_columns)(DType d, const void* in, void* out, int64_t n, int64_t inner, int64_t begin,
                         int64_t end);
    void (*argsort_columns)(DType d, const void* in, int64_t* out, int64_t n, int64_t inner, int64_t begin,
                            int64_t end);
    // out[n] = numbers in [0, 1) with 53 random bits: the next ones of PCG64 after `state`, or those from
    // `first` (a multiple of kPhiloxGroup) on of a stream. `out` is aligned to 64 bytes where it goes past
    // the caches.
    void (*pcg64_uniform)(unsigned __int128 state, unsigned __int128 increment, double* out, int64_t n,
                          bool past_caches);
    // The words themselves.
    void (*pcg64_words)(unsigned __int128 state, unsigned __int128 increment, uint64_t* out, int64_t n);
    void (*philox_uniform)(const PhiloxStream& s, uint64_t first, double* out, int64_t n, bool past_caches);
    // Normal numbers.
    void (*philox_normal)(const PhiloxStream& s, uint64_t first, double* out, int64_t n, bool past_caches);
    // The n random words (a multiple of kPhiloxGroup) from number `first` on, in one of 2^32 rounds.
    void (*philox_words)(const PhiloxStream& s, uint64_t first, uint32_t round, uint64_t* out, int64_t n);
    // The first position of the largest or smallest of n numbers, n > 0, or of a NaN; -1 for dtypes without
    // vectors.
    int64_t (*find_extreme)(DType d, bool largest, const void* line, int64_t n);
    // out[n] = the next numbers in [0, 1) of MT19937, from words[position] on; returns the new position.
    int64_t (*mt19937_uniform)(uint32_t* words, int64_t position, double* out, int64_t n);
    // out[624] = what MT19937 gives for its 624 words, or the next 624 if `next`.
    void (*mt19937_words)(uint32_t* words, bool next, uint32_t* out);
    // The elements of from[n] where mask[n] is true, or begin + their positions, to to[]; nothing is written
    // from `end` on, which is no sooner than where they end.
    void (*compress_64)(const uint8_t* mask, const uint64_t* from, int64_t n, uint64_t* to,
                        const uint64_t* end);
    void (*compress_32)(const uint8_t* mask, const uint32_t* from, int64_t n, uint32_t* to,
                        const uint32_t* end);
    void (*positions)(const uint8_t* mask, int64_t begin, int64_t n, int64_t* to, const int64_t* end);
    int64_t (*count_true)(const uint8_t* mask, int64_t n);
    // out[t - begin] = the sum of a[t - (m - 1) + j] * v[j] over the j for which both are there, in their
    // order, for t in [begin, end) of n + m - 1; m <= n. False for dtypes without vectors.
    bool (*correlate)(DType d, const void* a, int64_t n, const void* v, int64_t m, int64_t begin, int64_t end,
                      void* out);
    // c[rows, columns] = a[rows, depth] times b[depth, columns] for integers of `item` bytes, or `logical`
    // ones. Steps count elements; rows of b and c are contiguous.
    void (*integer_product)(int64_t item, bool logical, int64_t rows, int64_t columns, int64_t depth,
                            const void* a, int64_t a_row, int64_t a_column, const void* b, int64_t b_row,
                            void* c, int64_t c_row);
    ProductLoops<double> products64;
    ProductLoops<float> products32;
};

// The table in use: plain code unless someone chose another.
const VectorTable& vectors();
// Takes the table of this name (baseline, avx2, avx512); the caller knows that the processor has it.
void choose_vectors(std::string_view name);

}  // namespace numloom::library
