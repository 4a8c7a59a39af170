// Products of integer matrices for one instruction set: see library/vector.hpp.
#pragma once

#include <cstdint>

#include "library/keys.hpp"  // says that the namespace is inline

namespace numloom::library::NUMLOOM_TARGET {

void integer_product(int64_t item, bool logical, int64_t rows, int64_t columns, int64_t depth, const void* a,
                     int64_t a_row, int64_t a_column, const void* b, int64_t b_row, void* c, int64_t c_row);

}  // namespace numloom::library::NUMLOOM_TARGET
