// Sorting of numbers of four and eight bytes in vector registers, where the instruction set has a way.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"

namespace numloom::library {

// Whether vector_sort() takes numbers of this dtype on this processor.
bool has_vector_sort(DType d);

// out[n] = in sorted, equal numbers (zeros of both signs) in their old order, NaN last. `out` may be `in`.
// Uses all threads for long rows.
void vector_sort(DType d, const char* in, char* out, int64_t n);

}  // namespace numloom::library
