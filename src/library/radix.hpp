// Sorting of long rows of numbers of four and eight bytes by their bits.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"

namespace numloom::library {

// Elements from which this is faster than sorting by comparisons.
inline constexpr int64_t kRadixLeast = 1 << 14;
inline constexpr int64_t kVectorLeast = 16;

// Whether rows of this dtype can be sorted here: integers and floating point numbers of four or eight bytes.
bool has_radix_sort(DType d);

// Whether positions that sort a row of n numbers of this dtype are found here faster: no complex numbers.
bool has_radix_argsort(DType d, int64_t n);

// out[n] = in sorted, equal numbers (zeros of both signs) in their old order, NaN last. `out` may be `in`.
void radix_sort(DType d, const char* in, char* out, int64_t n);

// out[n] = positions that sort `in`, equal numbers in their old order.
void radix_argsort(DType d, const char* in, int64_t* out, int64_t n);

// Sorts words[n] on this thread, with as much room in `spare`.
void sort_words(uint64_t* words, int64_t n, uint64_t* spare);

}  // namespace numloom::library
