// Elements between strided and contiguous memory, between half precision and float, and copies past the
// caches.
#include "device/cpu/loops/by_size.hpp"
#include "device/cpu/loops/common.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace numloom::cpu::NUMLOOM_TARGET {

namespace {

// Strided memory may be unaligned, as NumPy's views of records are.
template <class T>
T load(const char* p) {
    T value;
    std::memcpy(&value, p, sizeof(T));
    return value;
}
template <class T>
void store(char* p, T value) {
    std::memcpy(p, &value, sizeof(T));
}

// A stride that the compiler knows becomes shuffles.
template <class T, int64_t step>
void gather_step(T* out, const char* src, int64_t n) {
    NL_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) out[i] = load<T>(src + i * step * static_cast<int64_t>(sizeof(T)));
}
template <class T>
void gather(void* out, const char* src, int64_t stride, int64_t n) {
    constexpr int64_t size = sizeof(T);
    T* o = static_cast<T*>(out);
    if (stride == size) {
        std::memcpy(o, src, static_cast<size_t>(n * size));
    } else if (stride == 0) {
        if (n <= 0) return;
        const T value = load<T>(src);
        for (int64_t i = 0; i < n; ++i) o[i] = value;
    } else if (stride == -size) {
        gather_step<T, -1>(o, src, n);
    } else if (stride == 2 * size) {
        gather_step<T, 2>(o, src, n);
    } else {
        int64_t i = 0;
        for (; i + 4 <= n; i += 4, src += 4 * stride) {
            const T a = load<T>(src), b = load<T>(src + stride);
            const T c = load<T>(src + 2 * stride), d = load<T>(src + 3 * stride);
            o[i] = a;
            o[i + 1] = b;
            o[i + 2] = c;
            o[i + 3] = d;
        }
        for (; i < n; ++i, src += stride) o[i] = load<T>(src);
    }
}

template <class T, int64_t step>
void scatter_step(char* dst, const T* in, int64_t n) {
    NL_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) store<T>(dst + i * step * static_cast<int64_t>(sizeof(T)), in[i]);
}
template <class T>
void scatter(char* dst, int64_t stride, const void* in, int64_t n) {
    constexpr int64_t size = sizeof(T);
    const T* a = static_cast<const T*>(in);
    if (stride == size) {
        std::memcpy(dst, a, static_cast<size_t>(n * size));
    } else if (stride == -size) {
        scatter_step<T, -1>(dst, a, n);
    } else {
        int64_t i = 0;
        for (; i + 4 <= n; i += 4, dst += 4 * stride) {
            store<T>(dst, a[i]);
            store<T>(dst + stride, a[i + 1]);
            store<T>(dst + 2 * stride, a[i + 2]);
            store<T>(dst + 3 * stride, a[i + 3]);
        }
        for (; i < n; ++i, dst += stride) store<T>(dst, a[i]);
    }
}

}  // namespace

Gather find_gather(int64_t itemsize) {
    return by_size(itemsize, []<class T>() -> Gather { return &gather<T>; });
}
Scatter find_scatter(int64_t itemsize) {
    return by_size(itemsize, []<class T>() -> Scatter { return &scatter<T>; });
}

// Half precision to float and back by the processor's conversions where it has them. The rest of a block goes
// through the same instruction, so that a NaN's bits do not depend on its position. (The masked forms with a
// full mask: GCC 12 warns of its own header in the plain ones.)
#if defined(__AVX512F__)
#define NL_F16C
constexpr int64_t kHalves = 16;
static inline void widen_block(float* out, const Half* in) {
    _mm512_storeu_ps(out,
                     _mm512_maskz_cvtph_ps(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in))));
}
static inline void narrow_block(Half* out, const float* in) {
    const __m256i halves = _mm512_maskz_cvtps_ph(0xffff, _mm512_loadu_ps(in), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), halves);
}
#elif defined(__AVX2__)
// Every processor with AVX2 that loops() accepts has these.
#define NL_F16C __attribute__((target("f16c")))
constexpr int64_t kHalves = 8;
NL_F16C static inline void widen_block(float* out, const Half* in) {
    _mm256_storeu_ps(out, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in))));
}
NL_F16C static inline void narrow_block(Half* out, const float* in) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(in), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), halves);
}
#else
#define NL_F16C
constexpr int64_t kHalves = 8;
static inline void widen_block(float* out, const Half* in) {
    for (int64_t i = 0; i < kHalves; ++i) out[i] = scalar::to_float(in[i]);
}
static inline void narrow_block(Half* out, const float* in) {
    for (int64_t i = 0; i < kHalves; ++i) out[i] = scalar::to_half(in[i]);
}
#endif

NL_F16C void halves_to_floats(float* out, const Half* in, int64_t n) {
    int64_t i = 0;
    for (; i + kHalves <= n; i += kHalves) widen_block(out + i, in + i);
    if (i < n) {
        Half rest[kHalves] = {};
        float floats[kHalves];
        std::memcpy(rest, in + i, static_cast<size_t>(n - i) * sizeof(Half));
        widen_block(floats, rest);
        std::memcpy(out + i, floats, static_cast<size_t>(n - i) * sizeof(float));
    }
}
NL_F16C void floats_to_halves(Half* out, const float* in, int64_t n) {
    int64_t i = 0;
    for (; i + kHalves <= n; i += kHalves) narrow_block(out + i, in + i);
    if (i < n) {
        float rest[kHalves] = {};
        Half halves[kHalves];
        std::memcpy(rest, in + i, static_cast<size_t>(n - i) * sizeof(float));
        narrow_block(halves, rest);
        std::memcpy(out + i, halves, static_cast<size_t>(n - i) * sizeof(Half));
    }
}

void stream_copy(void* dst, const void* src, int64_t bytes) {
#if defined(__x86_64__)
    char* d = static_cast<char*>(dst);
    const char* s = static_cast<const char*>(src);
    // Whole cache lines go past the caches; what lies before the first and behind the last one is copied as
    // usual.
    const int64_t head = static_cast<int64_t>(-reinterpret_cast<uintptr_t>(d) & 63u);
    if (bytes >= 256) {
        std::memcpy(d, s, static_cast<size_t>(head));
        int64_t i = head;
        for (; i + 64 <= bytes; i += 64) {
#if defined(__AVX512F__)
            _mm512_stream_si512(reinterpret_cast<__m512i*>(d + i), _mm512_loadu_si512(s + i));
#elif defined(__AVX2__)
            for (int k = 0; k < 64; k += 32) {
                const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(s + i + k));
                _mm256_stream_si256(reinterpret_cast<__m256i*>(d + i + k), v);
            }
#else
            for (int k = 0; k < 64; k += 16) {
                const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(s + i + k));
                _mm_stream_si128(reinterpret_cast<__m128i*>(d + i + k), v);
            }
#endif
        }
        _mm_sfence();
        std::memcpy(d + i, s + i, static_cast<size_t>(bytes - i));
        return;
    }
#endif
    std::memcpy(dst, src, static_cast<size_t>(bytes));
}

}  // namespace numloom::cpu::NUMLOOM_TARGET
