// Vectors of keys for sort.cpp, under AVX-512.
#pragma once

#include "library/vector/sort_lanes.hpp"

namespace numloom::library::NUMLOOM_TARGET {
namespace {

struct Lanes64 {
    using Key = uint64_t;
    using V = __m512i;
    using Mask = __mmask8;
    static constexpr bool kSigned = false;
    static constexpr Key kLast = ~Key{0};
    static bool before(Key a, Key b) { return a < b; }
    static constexpr int kLanes = 8;
    static NL_INLINE __m512i fill(Key k) { return _mm512_set1_epi64(static_cast<int64_t>(k)); }
    static NL_INLINE __m512i load(const Key* p) { return _mm512_loadu_si512(p); }
    static NL_INLINE void store(Key* p, __m512i v) { _mm512_storeu_si512(p, v); }
    static NL_INLINE __m512i load(const Key* p, Mask m, __m512i other) {
        return _mm512_mask_loadu_epi64(other, m, p);
    }
    static NL_INLINE void store(Key* p, Mask m, __m512i v) { _mm512_mask_storeu_epi64(p, m, v); }
    static NL_INLINE __m512i min(__m512i a, __m512i b) { return _mm512_min_epu64(a, b); }
    static NL_INLINE __m512i max(__m512i a, __m512i b) { return _mm512_max_epu64(a, b); }
    template <Mask M>
    static NL_INLINE __m512i max_where(__m512i other, __m512i a, __m512i b) {
        return _mm512_mask_max_epu64(other, M, a, b);
    }
    static NL_INLINE Mask less(__m512i a, __m512i b) { return _mm512_cmplt_epu64_mask(a, b); }
    static NL_INLINE Mask less_equal(__m512i a, __m512i b) { return _mm512_cmple_epu64_mask(a, b); }
    static NL_INLINE __m512i compress(Mask m, __m512i v) { return _mm512_maskz_compress_epi64(m, v); }
    // Lane i gets what is in lane i ^ D.
    template <int D>
    static NL_INLINE __m512i across(__m512i v) {
        if constexpr (D == 1)
            return _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0x4E));
        else if constexpr (D == 2)
            return _mm512_permutex_epi64(v, 0x4E);
        else if constexpr (D == 4)
            return _mm512_shuffle_i64x2(v, v, 0x4E);
        else
            return _mm512_permutexvar_epi64(
                _mm512_set_epi64(7 ^ D, 6 ^ D, 5 ^ D, 4 ^ D, 3 ^ D, 2 ^ D, 1 ^ D, D), v);
    }
    // Eight vectors of eight keys change rows with columns.
    static NL_INLINE void transpose(__m512i* v) {
        __m512i a[8], b[8];
        each<4>([&](auto i) NL_INLINE_LAMBDA {
            a[2 * i] = _mm512_unpacklo_epi64(v[2 * i], v[2 * i + 1]);
            a[2 * i + 1] = _mm512_unpackhi_epi64(v[2 * i], v[2 * i + 1]);
        });
        each<2>([&](auto h) NL_INLINE_LAMBDA {
            each<2>([&](auto i) NL_INLINE_LAMBDA {
                const __m512i x = a[4 * h + i], y = a[4 * h + 2 + i];
                b[4 * h + i] = _mm512_shuffle_i64x2(x, y, 0x88);      // pairs of columns 0, 4
                b[4 * h + 2 + i] = _mm512_shuffle_i64x2(x, y, 0xDD);  // 2, 6
            });
        });
        each<4>([&](auto i) NL_INLINE_LAMBDA {
            v[i] = _mm512_shuffle_i64x2(b[i], b[4 + i], 0x88);
            v[4 + i] = _mm512_shuffle_i64x2(b[i], b[4 + i], 0xDD);
        });
    }
    static constexpr int kRows = 16;  // of a block whose columns are sorted first
    static NL_INLINE void columns_to_rows(__m512i* v) {
        transpose(v);
        transpose(v + 8);
        __m512i w[16];
        each<8>([&](auto c) NL_INLINE_LAMBDA {
            w[2 * c] = v[c];
            w[2 * c + 1] = v[8 + c];
        });
        each<16>([&](auto c) NL_INLINE_LAMBDA { v[c] = w[c]; });
    }
};

using UnsignedLanes64 = Lanes64;

struct Lanes32 {
    using Key = uint32_t;
    using V = __m512i;
    using Mask = __mmask16;
    static constexpr bool kSigned = false;
    static constexpr Key kLast = ~Key{0};
    static bool before(Key a, Key b) { return a < b; }
    static constexpr int kLanes = 16;
    static NL_INLINE __m512i fill(Key k) { return _mm512_set1_epi32(static_cast<int32_t>(k)); }
    static NL_INLINE __m512i load(const Key* p) { return _mm512_loadu_si512(p); }
    static NL_INLINE void store(Key* p, __m512i v) { _mm512_storeu_si512(p, v); }
    static NL_INLINE __m512i load(const Key* p, Mask m, __m512i other) {
        return _mm512_mask_loadu_epi32(other, m, p);
    }
    static NL_INLINE void store(Key* p, Mask m, __m512i v) { _mm512_mask_storeu_epi32(p, m, v); }
    static NL_INLINE __m512i min(__m512i a, __m512i b) { return _mm512_min_epu32(a, b); }
    static NL_INLINE __m512i max(__m512i a, __m512i b) { return _mm512_max_epu32(a, b); }
    template <Mask M>
    static NL_INLINE __m512i max_where(__m512i other, __m512i a, __m512i b) {
        return _mm512_mask_max_epu32(other, M, a, b);
    }
    static NL_INLINE Mask less(__m512i a, __m512i b) { return _mm512_cmplt_epu32_mask(a, b); }
    static NL_INLINE Mask less_equal(__m512i a, __m512i b) { return _mm512_cmple_epu32_mask(a, b); }
    static NL_INLINE __m512i compress(Mask m, __m512i v) { return _mm512_maskz_compress_epi32(m, v); }
    template <int D>
    static NL_INLINE __m512i across(__m512i v) {
        if constexpr (D == 1)
            return _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0xB1));
        else if constexpr (D == 2)
            return _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0x4E));
        else if constexpr (D == 3)
            return _mm512_shuffle_epi32(v, static_cast<_MM_PERM_ENUM>(0x1B));
        else if constexpr (D == 4)
            return _mm512_permutex_epi64(v, 0x4E);
        else if constexpr (D == 8)
            return _mm512_shuffle_i64x2(v, v, 0x4E);
        else
            return _mm512_permutexvar_epi32(
                _mm512_set_epi32(15 ^ D, 14 ^ D, 13 ^ D, 12 ^ D, 11 ^ D, 10 ^ D, 9 ^ D, 8 ^ D, 7 ^ D, 6 ^ D,
                                 5 ^ D, 4 ^ D, 3 ^ D, 2 ^ D, 1 ^ D, D),
                v);
    }
    static constexpr int kRows = 16;
    static NL_INLINE void columns_to_rows(__m512i* v) {
        __m512i a[16], b[16];
        each<8>([&](auto i) NL_INLINE_LAMBDA {
            a[2 * i] = _mm512_unpacklo_epi32(v[2 * i], v[2 * i + 1]);
            a[2 * i + 1] = _mm512_unpackhi_epi32(v[2 * i], v[2 * i + 1]);
        });
        each<4>([&](auto q) NL_INLINE_LAMBDA {
            each<2>([&](auto i) NL_INLINE_LAMBDA {
                b[4 * q + 2 * i] = _mm512_unpacklo_epi64(a[4 * q + i], a[4 * q + 2 + i]);
                b[4 * q + 2 * i + 1] = _mm512_unpackhi_epi64(a[4 * q + i], a[4 * q + 2 + i]);
            });
        });
        // b[4 q + c] holds the rows 4q .. 4q+3 of the columns c, 4 + c, 8 + c, 12 + c.
        each<4>([&](auto c) NL_INLINE_LAMBDA {
            const __m512i even = _mm512_shuffle_i32x4(b[c], b[4 + c], 0x88);
            const __m512i odd = _mm512_shuffle_i32x4(b[c], b[4 + c], 0xDD);
            const __m512i even_high = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0x88);
            const __m512i odd_high = _mm512_shuffle_i32x4(b[8 + c], b[12 + c], 0xDD);
            v[c] = _mm512_shuffle_i32x4(even, even_high, 0x88);
            v[8 + c] = _mm512_shuffle_i32x4(even, even_high, 0xDD);
            v[4 + c] = _mm512_shuffle_i32x4(odd, odd_high, 0x88);
            v[12 + c] = _mm512_shuffle_i32x4(odd, odd_high, 0xDD);
        });
    }
};

}  // namespace
}  // namespace numloom::library::NUMLOOM_TARGET
