// The Mersenne twister for one instruction set: see library/vector.hpp.
#pragma once

#include <cstdint>

#include "library/keys.hpp"  // says that the namespace is inline

namespace numloom::library::NUMLOOM_TARGET {

int64_t mt19937_uniform(uint32_t* words, int64_t position, double* out, int64_t n);
void mt19937_words(uint32_t* words, bool next, uint32_t* out);

}  // namespace numloom::library::NUMLOOM_TARGET
