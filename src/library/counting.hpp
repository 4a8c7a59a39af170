// Sorting of rows of one- and two-byte numbers by counting how often each value occurs.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"

namespace numloom::library {

// Whether rows of n numbers of this dtype are sorted faster here than by comparisons.
bool has_counting_sort(DType d, int64_t n);

// out[n] = in sorted, zeros of both signs in their old order, NaN last. `out` may be `in`. Uses all threads
// for long rows.
void counting_sort(DType d, const char* in, char* out, int64_t n);

}  // namespace numloom::library
