// Vectors of keys for sort.cpp, under AVX2: masks are bits as under AVX-512, and compressing looks up how a
// vector is to be permuted.
#pragma once

#include <immintrin.h>

#include <array>

#include "library/vector/sort_lanes.hpp"

#define NL_END_AVX512

namespace numloom::library::NUMLOOM_TARGET {
namespace {

// For each mask of Lanes bits, which 32-bit words come first: those of its lanes, then the others.
template <int Lanes>
constexpr auto compressing_orders() {
    constexpr int words = 8 / Lanes;
    std::array<std::array<uint8_t, 8>, 1 << Lanes> orders{};
    for (unsigned mask = 0; mask < 1u << Lanes; ++mask) {
        size_t at = 0;
        for (unsigned wanted : {1u, 0u})
            for (int lane = 0; lane < Lanes; ++lane)
                if ((mask >> lane & 1) == wanted)
                    for (int w = 0; w < words; ++w)
                        orders[mask][at++] = static_cast<uint8_t>(lane * words + w);
    }
    return orders;
}

template <int Lanes>
NL_INLINE __m256i compressed(unsigned mask, __m256i v) {
    static constexpr auto orders = compressing_orders<Lanes>();
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(orders[mask].data()));
    return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(bytes));
}

// The first `words` 32-bit words.
NL_INLINE __m256i first_words(int words) {
    static constexpr int32_t window[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(window + 8 - words));
}

// AVX2 compares signed numbers of 64 bits: keys are sorted in that order, after their highest bit was turned.
struct Lanes64 {
    using Key = uint64_t;
    using V = __m256i;
    using Mask = uint8_t;
    static constexpr int kLanes = 4;
    static constexpr int kRows = 16;
    static constexpr bool kSigned = true;
    static constexpr Key kLast = ~Key{0} >> 1;
    static bool before(Key a, Key b) { return static_cast<int64_t>(a) < static_cast<int64_t>(b); }
    static NL_INLINE V fill(Key k) { return _mm256_set1_epi64x(static_cast<int64_t>(k)); }
    static NL_INLINE V load(const Key* p) { return _mm256_loadu_si256(reinterpret_cast<const V*>(p)); }
    static NL_INLINE void store(Key* p, V v) { _mm256_storeu_si256(reinterpret_cast<V*>(p), v); }
    // Masks of loads and stores are the first lanes.
    static NL_INLINE V load(const Key* p, Mask m, V other) {
        const V there = first_words(2 * __builtin_popcount(m & 15u));
        return _mm256_blendv_epi8(other, _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), there),
                                  there);
    }
    static NL_INLINE void store(Key* p, Mask m, V v) {
        _mm256_maskstore_epi64(reinterpret_cast<long long*>(p), first_words(2 * __builtin_popcount(m & 15u)),
                               v);
    }
    static NL_INLINE V min(V a, V b) { return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b)); }
    static NL_INLINE V max(V a, V b) { return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b)); }
    template <Mask M>
    static NL_INLINE V max_where(V other, V a, V b) {
        constexpr int words = (M & 1 ? 3 : 0) | (M & 2 ? 12 : 0) | (M & 4 ? 48 : 0) | (M & 8 ? 192 : 0);
        return _mm256_blend_epi32(other, max(a, b), words);
    }
    static NL_INLINE Mask bits(V v) { return static_cast<Mask>(_mm256_movemask_pd(_mm256_castsi256_pd(v))); }
    static NL_INLINE Mask less(V a, V b) { return bits(_mm256_cmpgt_epi64(b, a)); }
    static NL_INLINE Mask less_equal(V a, V b) { return static_cast<Mask>(~less(b, a) & 15); }
    static NL_INLINE V compress(Mask m, V v) { return compressed<4>(m & 15u, v); }
    // Lane i gets what is in lane i ^ D.
    template <int D>
    static NL_INLINE V across(V v) {
        return _mm256_permute4x64_epi64(v, D == 1 ? 0xB1 : D == 2 ? 0x4E : 0x1B);
    }
    static NL_INLINE void columns_to_rows(V* v) {
        V w[16];
        each<4>([&](auto k) NL_INLINE_LAMBDA {  // rows 4 k .. 4 k + 3
            const V a = _mm256_unpacklo_epi64(v[4 * k], v[4 * k + 1]);
            const V b = _mm256_unpackhi_epi64(v[4 * k], v[4 * k + 1]);
            const V c = _mm256_unpacklo_epi64(v[4 * k + 2], v[4 * k + 3]);
            const V d = _mm256_unpackhi_epi64(v[4 * k + 2], v[4 * k + 3]);
            w[k] = _mm256_permute2x128_si256(a, c, 0x20);
            w[4 + k] = _mm256_permute2x128_si256(b, d, 0x20);
            w[8 + k] = _mm256_permute2x128_si256(a, c, 0x31);
            w[12 + k] = _mm256_permute2x128_si256(b, d, 0x31);
        });
        each<16>([&](auto i) NL_INLINE_LAMBDA { v[i] = w[i]; });
    }
};

// The same in unsigned order, for single passes.
struct UnsignedLanes64 : Lanes64 {
    static NL_INLINE V turned(V v) { return _mm256_xor_si256(v, fill(Key{1} << 63)); }
    static NL_INLINE Mask less(V a, V b) { return Lanes64::less(turned(a), turned(b)); }
    static NL_INLINE Mask less_equal(V a, V b) { return Lanes64::less_equal(turned(a), turned(b)); }
};

struct Lanes32 {
    using Key = uint32_t;
    using V = __m256i;
    using Mask = uint8_t;
    static constexpr int kLanes = 8;
    static constexpr int kRows = 16;
    static constexpr bool kSigned = false;
    static constexpr Key kLast = ~Key{0};
    static bool before(Key a, Key b) { return a < b; }
    static NL_INLINE V fill(Key k) { return _mm256_set1_epi32(static_cast<int32_t>(k)); }
    static NL_INLINE V load(const Key* p) { return _mm256_loadu_si256(reinterpret_cast<const V*>(p)); }
    static NL_INLINE void store(Key* p, V v) { _mm256_storeu_si256(reinterpret_cast<V*>(p), v); }
    static NL_INLINE V load(const Key* p, Mask m, V other) {
        const V there = first_words(__builtin_popcount(m));
        return _mm256_blendv_epi8(other, _mm256_maskload_epi32(reinterpret_cast<const int*>(p), there),
                                  there);
    }
    static NL_INLINE void store(Key* p, Mask m, V v) {
        _mm256_maskstore_epi32(reinterpret_cast<int*>(p), first_words(__builtin_popcount(m)), v);
    }
    static NL_INLINE V min(V a, V b) { return _mm256_min_epu32(a, b); }
    static NL_INLINE V max(V a, V b) { return _mm256_max_epu32(a, b); }
    template <Mask M>
    static NL_INLINE V max_where(V other, V a, V b) {
        return _mm256_blend_epi32(other, max(a, b), M);
    }
    static NL_INLINE Mask bits(V v) { return static_cast<Mask>(_mm256_movemask_ps(_mm256_castsi256_ps(v))); }
    static NL_INLINE Mask less_equal(V a, V b) { return bits(_mm256_cmpeq_epi32(min(a, b), a)); }
    static NL_INLINE Mask less(V a, V b) { return static_cast<Mask>(~less_equal(b, a)); }
    static NL_INLINE V compress(Mask m, V v) { return compressed<8>(m, v); }
    template <int D>
    static NL_INLINE V across(V v) {
        if constexpr (D < 4)
            return _mm256_shuffle_epi32(v, D == 1 ? 0xB1 : D == 2 ? 0x4E : 0x1B);
        else if constexpr (D == 4)
            return _mm256_permute4x64_epi64(v, 0x4E);
        else
            return _mm256_permute4x64_epi64(across<D ^ 4>(v), 0x4E);
    }
    static NL_INLINE void transpose(V* v) {
        V a[8], b[8];
        each<4>([&](auto i) NL_INLINE_LAMBDA {
            a[2 * i] = _mm256_unpacklo_epi32(v[2 * i], v[2 * i + 1]);
            a[2 * i + 1] = _mm256_unpackhi_epi32(v[2 * i], v[2 * i + 1]);
        });
        each<2>([&](auto h) NL_INLINE_LAMBDA {
            each<2>([&](auto i) NL_INLINE_LAMBDA {
                b[4 * h + 2 * i] = _mm256_unpacklo_epi64(a[4 * h + i], a[4 * h + 2 + i]);
                b[4 * h + 2 * i + 1] = _mm256_unpackhi_epi64(a[4 * h + i], a[4 * h + 2 + i]);
            });
        });
        each<4>([&](auto c) NL_INLINE_LAMBDA {
            v[c] = _mm256_permute2x128_si256(b[c], b[4 + c], 0x20);
            v[4 + c] = _mm256_permute2x128_si256(b[c], b[4 + c], 0x31);
        });
    }
    static NL_INLINE void columns_to_rows(V* v) {
        transpose(v);
        transpose(v + 8);
        V w[16];
        each<8>([&](auto c) NL_INLINE_LAMBDA {
            w[2 * c] = v[c];
            w[2 * c + 1] = v[8 + c];
        });
        each<16>([&](auto i) NL_INLINE_LAMBDA { v[i] = w[i]; });
    }
};

}  // namespace
}  // namespace numloom::library::NUMLOOM_TARGET
