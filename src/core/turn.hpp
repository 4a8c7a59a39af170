// A tile of eight by eight elements, turned in registers, so that a line of memory is touched once. In a
// namespace named after NUMLOOM_TARGET, so that the linker never merges code made for different processors.
#pragma once

#include <cstdint>
#include <cstring>

namespace numloom::NUMLOOM_TARGET {

inline constexpr int64_t kTile = 8;

// out[j * width + i] = element j of line i, for i and j below eight. `stride`: bytes from line to line; the
// elements of a line are contiguous.
template <class T>
inline void turn_tile(T* out, int64_t width, const char* src, int64_t stride) {
    typedef T Row __attribute__((vector_size(kTile * sizeof(T))));
    Row a[8], b[8];
    for (int k = 0; k < 8; ++k) std::memcpy(&a[k], src + k * stride, sizeof(Row));
    for (int k = 0; k < 8; k += 2) {
        b[k] = __builtin_shufflevector(a[k], a[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        b[k + 1] = __builtin_shufflevector(a[k], a[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int k = 0; k < 8; k += 4)
        for (int j = k; j < k + 2; ++j) {
            a[j] = __builtin_shufflevector(b[j], b[j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            a[j + 2] = __builtin_shufflevector(b[j], b[j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    for (int k = 0; k < 4; ++k) {
        const Row low = __builtin_shufflevector(a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        const Row high = __builtin_shufflevector(a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        std::memcpy(out + k * width, &low, sizeof low);
        std::memcpy(out + (k + 4) * width, &high, sizeof high);
    }
}

}  // namespace numloom::NUMLOOM_TARGET
