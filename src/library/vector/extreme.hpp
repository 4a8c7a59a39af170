// Positions of extremes for one instruction set: see library/vector.hpp.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "library/keys.hpp"  // says that the namespace is inline

namespace numloom::library::NUMLOOM_TARGET {

int64_t find_extreme(DType d, bool largest, const void* line, int64_t n);

}  // namespace numloom::library::NUMLOOM_TARGET
