// Transposes a strip of lines into contiguous rows.
#include "core/turn.hpp"
#include "device/cpu/loops/by_size.hpp"
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

namespace {

using numloom::NUMLOOM_TARGET::kTile;
using numloom::NUMLOOM_TARGET::turn_tile;

constexpr int64_t kAhead = 128;  // lines asked for in advance: the processor does not foresee such steps

template <class T>
void transpose(void* out, int64_t width, const char* src, int64_t stride, int64_t rows, int64_t n,
               int64_t lines) {
    constexpr int64_t size = sizeof(T);
    T* const o = static_cast<T*>(out);
    int64_t i = 0;
    for (; i + kTile <= n; i += kTile) {
        const char* const line = src + i * stride;
        if (i + kAhead + kTile <= lines)
            for (int64_t k = kAhead; k < kAhead + kTile; ++k)
                for (int64_t b = 0; b < rows * size; b += 64) __builtin_prefetch(line + k * stride + b, 0, 2);
        int64_t r = 0;
        if constexpr (size == 4 || size == 8)
            for (; r + 8 <= rows; r += 8) turn_tile(o + r * width + i, width, line + r * size, stride);
        for (; r < rows; ++r)
            for (int64_t k = 0; k < kTile; ++k)
                std::memcpy(o + r * width + i + k, line + k * stride + r * size, sizeof(T));
    }
    for (; i < n; ++i)
        for (int64_t r = 0; r < rows; ++r)
            std::memcpy(o + r * width + i, src + i * stride + r * size, sizeof(T));
}

}  // namespace

Transpose find_transpose(int64_t itemsize) {
    return by_size(itemsize, []<class T>() -> Transpose { return &transpose<T>; });
}

}  // namespace numloom::cpu::NUMLOOM_TARGET
