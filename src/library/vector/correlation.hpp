// Sums of products of one line slid along another, for one instruction set.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "library/keys.hpp"  // says that the namespace is inline

namespace numloom::library::NUMLOOM_TARGET {

bool correlate(DType d, const void* a, int64_t n, const void* v, int64_t m, int64_t begin, int64_t end,
               void* out);

}  // namespace numloom::library::NUMLOOM_TARGET
