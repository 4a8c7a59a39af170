// Sorting of keys for one instruction set.
#pragma once

#include <cstdint>

#include "core/dtype.hpp"
#include "library/keys.hpp"  // says that the namespace is inline
#include "library/vector.hpp"

namespace numloom::library::NUMLOOM_TARGET {

bool to_keys(DType d, const void* numbers, void* keys, int64_t n);
void from_keys(DType d, const void* keys, void* numbers, int64_t n);
PackedOrder pack_positions(DType d, const void* numbers, uint64_t* packed, int64_t n);

#if defined(__AVX2__)
void sort_u64(uint64_t* keys, int64_t n, uint64_t* spare);
void sort_u32(uint32_t* keys, int64_t n, uint32_t* spare);
void select_u64(uint64_t* keys, int64_t n, uint64_t* spare, const int64_t* places, int64_t count);
void select_u32(uint32_t* keys, int64_t n, uint32_t* spare, const int64_t* places, int64_t count);
int64_t split_u64(const uint64_t* keys, int64_t n, uint64_t pivot, uint64_t* low, uint64_t* high);
int64_t split_u32(const uint32_t* keys, int64_t n, uint32_t pivot, uint32_t* low, uint32_t* high);
#endif

}  // namespace numloom::library::NUMLOOM_TARGET
