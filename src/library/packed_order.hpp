// Positions that sort rows of numbers, by sorting words that hold a key and its position.
#pragma once

#include <cstdint>
#include <span>

#include "core/dtype.hpp"

namespace numloom::library {

// Whether rows of n numbers of this dtype can be taken here: no complex numbers.
bool has_packed_order(DType d, int64_t n);

// out[n] = positions that sort `in`, equal numbers in their old order, NaN last. On this thread.
void packed_argsort(DType d, const char* in, int64_t* out, int64_t n);

// out[n] = positions of `in` such that those at the given places, which rise, are what a sort would put
// there; nothing larger before any of them and nothing smaller behind. On this thread.
void packed_argpartition(DType d, const char* in, int64_t* out, int64_t n, std::span<const int64_t> places);

}  // namespace numloom::library
