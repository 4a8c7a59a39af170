// Sorting of numbers of four and eight bytes in vector registers, where the instruction set has a way.
#pragma once

#include <cstdint>
#include <span>

#include "core/dtype.hpp"

namespace numloom::library {

// Whether vector_sort() takes numbers of this dtype on this processor.
bool has_vector_sort(DType d);

// out[n] = in sorted, equal numbers (zeros of both signs) in their old order, NaN last. `out` may be `in`.
// Uses all threads for long rows.
void vector_sort(DType d, const char* in, char* out, int64_t n);

// out[n] = in with what a sort would put at these places, which rise, there; nothing larger before any of
// them and nothing smaller behind. `out` is apart from `in`.
void vector_partition(DType d, const char* in, char* out, int64_t n, std::span<const int64_t> places);

}  // namespace numloom::library
