// Selection by masks for one instruction set: see library/vector.hpp.
#pragma once

#include <cstdint>

#include "library/keys.hpp"  // says that the namespace is inline

namespace numloom::library::NUMLOOM_TARGET {

#if defined(__AVX512F__)
void compress_64(const uint8_t* mask, const uint64_t* from, int64_t n, uint64_t* to, const uint64_t* end);
void compress_32(const uint8_t* mask, const uint32_t* from, int64_t n, uint32_t* to, const uint32_t* end);
void positions(const uint8_t* mask, int64_t begin, int64_t n, int64_t* to, const int64_t* end);
int64_t count_true(const uint8_t* mask, int64_t n);
#endif

}  // namespace numloom::library::NUMLOOM_TARGET
