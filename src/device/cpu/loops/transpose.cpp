// Transposes a strip of lines into contiguous rows.
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

namespace {

constexpr int64_t kTogether = 8;  // lines
constexpr int64_t kAhead = 128;   // lines asked for in advance: the processor does not foresee such steps

// Eight elements of eight lines, turned in registers, so that a line is touched once.
template <class T>
struct Tile {
    typedef T Row __attribute__((vector_size(kTogether * sizeof(T))));

    static void turn(T* out, int64_t width, const char* src, int64_t stride) {
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
};

template <class T>
void transpose(void* out, int64_t width, const char* src, int64_t stride, int64_t rows, int64_t n,
               int64_t lines) {
    constexpr int64_t size = sizeof(T);
    T* const o = static_cast<T*>(out);
    int64_t i = 0;
    for (; i + kTogether <= n; i += kTogether) {
        const char* const line = src + i * stride;
        if (i + kAhead + kTogether <= lines)
            for (int64_t k = kAhead; k < kAhead + kTogether; ++k)
                for (int64_t b = 0; b < rows * size; b += 64) __builtin_prefetch(line + k * stride + b, 0, 2);
        int64_t r = 0;
        if constexpr (size == 4 || size == 8)
            for (; r + 8 <= rows; r += 8) Tile<T>::turn(o + r * width + i, width, line + r * size, stride);
        for (; r < rows; ++r)
            for (int64_t k = 0; k < kTogether; ++k)
                std::memcpy(o + r * width + i + k, line + k * stride + r * size, sizeof(T));
    }
    for (; i < n; ++i)
        for (int64_t r = 0; r < rows; ++r)
            std::memcpy(o + r * width + i, src + i * stride + r * size, sizeof(T));
}

struct Bytes16 {
    uint64_t low, high;
};

}  // namespace

Transpose find_transpose(int64_t itemsize) {
    switch (itemsize) {
        case 1:
            return &transpose<uint8_t>;
        case 2:
            return &transpose<uint16_t>;
        case 4:
            return &transpose<uint32_t>;
        case 8:
            return &transpose<uint64_t>;
        case 16:
            return &transpose<Bytes16>;
        default:
            return nullptr;
    }
}

}  // namespace numloom::cpu::NUMLOOM_TARGET
