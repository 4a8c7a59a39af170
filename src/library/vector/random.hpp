// Random numbers for one instruction set: see library/vector.hpp.
#pragma once

#include <cstdint>

#include "library/pcg.hpp"  // first: it says that the namespace is inline
#include "library/vector.hpp"

namespace numloom::library::NUMLOOM_TARGET {

void pcg64_uniform(Wide state, Wide increment, double* out, int64_t n, bool past_caches);
void pcg64_words(Wide state, Wide increment, uint64_t* out, int64_t n);
void philox_uniform(const PhiloxStream& stream, uint64_t first, double* out, int64_t n, bool past_caches);
void philox_words(const PhiloxStream& stream, uint64_t first, uint32_t round, uint64_t* out, int64_t n);
void philox_normal(const PhiloxStream& stream, uint64_t first, double* out, int64_t n, bool past_caches);

}  // namespace numloom::library::NUMLOOM_TARGET
