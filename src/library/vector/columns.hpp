// Sorting of many short lines at once, for one instruction set.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "library/keys.hpp"  // says that the namespace is inline

namespace numloom::library::NUMLOOM_TARGET {

void sort_columns(DType d, const void* in, void* out, int64_t n, int64_t inner, int64_t begin, int64_t end);
void argsort_columns(DType d, const void* in, int64_t* out, int64_t n, int64_t inner, int64_t begin,
                     int64_t end);

}  // namespace numloom::library::NUMLOOM_TARGET
