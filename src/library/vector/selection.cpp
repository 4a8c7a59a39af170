// Elements, or positions, where a mask is true: sixty-four bytes of the mask become bits, and vectors are
// compressed by them. Whole vectors are stored as long as they end before `end`, where another thread's part
// may begin.
#include "library/vector/selection.hpp"

#include <algorithm>

#include "library/vector/avx512.hpp"

#if defined(__AVX512F__)

namespace numloom::library::NUMLOOM_TARGET {
namespace {

struct Lanes64 {
    using Element = uint64_t;
    static constexpr int kLanes = 8;
    static __m512i compress(uint64_t bits, __m512i v) {
        return _mm512_maskz_compress_epi64(static_cast<__mmask8>(bits), v);
    }
    static __m512i load(const Element* p, uint64_t bits) {
        return _mm512_maskz_loadu_epi64(static_cast<__mmask8>(bits), p);
    }
    static void store(Element* p, uint64_t bits, __m512i v) {
        _mm512_mask_storeu_epi64(p, static_cast<__mmask8>(bits), v);
    }
};

struct Lanes32 {
    using Element = uint32_t;
    static constexpr int kLanes = 16;
    static __m512i compress(uint64_t bits, __m512i v) {
        return _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), v);
    }
    static __m512i load(const Element* p, uint64_t bits) {
        return _mm512_maskz_loadu_epi32(static_cast<__mmask16>(bits), p);
    }
    static void store(Element* p, uint64_t bits, __m512i v) {
        _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(bits), v);
    }
};

uint64_t mask_bits(const uint8_t* mask, uint64_t there) {
    const __m512i bytes = _mm512_maskz_loadu_epi8(there, mask);
    return _mm512_test_epi8_mask(bytes, bytes);
}

// Takes one vector, of which `bits` are wanted, to `to`, and gives what follows.
template <class L>
typename L::Element* take(uint64_t bits, __m512i v, typename L::Element* to, const typename L::Element* end) {
    const int count = __builtin_popcountll(bits);
    const __m512i w = L::compress(bits, v);
    if (end - to >= L::kLanes) [[likely]]
        _mm512_storeu_si512(to, w);
    else
        L::store(to, (uint64_t{1} << count) - 1, w);
    return to + count;
}

// Walks the mask; whole(i) gives the elements i .. i + kLanes, part(i, bits) those of them that are wanted.
template <class L, class Whole, class Part>
void compress(const uint8_t* mask, int64_t n, typename L::Element* to, const typename L::Element* end,
              Whole&& whole, Part&& part) {
    constexpr uint64_t lanes = (uint64_t{1} << L::kLanes) - 1;
    int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const uint64_t bits = mask_bits(mask + i, ~uint64_t{0});
        if (bits == 0) continue;
        for (int k = 0; k < 64; k += L::kLanes) to = take<L>(bits >> k & lanes, whole(i + k), to, end);
    }
    if (i == n) return;
    const uint64_t bits = mask_bits(mask + i, (uint64_t{1} << (n - i)) - 1);
    for (int k = 0; k < 64; k += L::kLanes) {
        const uint64_t wanted = bits >> k & lanes;
        to = take<L>(wanted, part(i + k, wanted), to, end);
    }
}

template <class L>
void compress_elements(const uint8_t* mask, const typename L::Element* from, int64_t n,
                       typename L::Element* to, const typename L::Element* end) {
    compress<L>(
        mask, n, to, end, [=](int64_t i) { return _mm512_loadu_si512(from + i); },
        [=](int64_t i, uint64_t wanted) { return L::load(from + i, wanted); });
}

}  // namespace

void compress_64(const uint8_t* mask, const uint64_t* from, int64_t n, uint64_t* to, const uint64_t* end) {
    compress_elements<Lanes64>(mask, from, n, to, end);
}

void compress_32(const uint8_t* mask, const uint32_t* from, int64_t n, uint32_t* to, const uint32_t* end) {
    compress_elements<Lanes32>(mask, from, n, to, end);
}

void positions(const uint8_t* mask, int64_t begin, int64_t n, int64_t* to, const int64_t* end) {
    const __m512i steps = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    const auto at = [=](int64_t i, uint64_t = 0) {
        return _mm512_add_epi64(steps, _mm512_set1_epi64(begin + i));
    };
    compress<Lanes64>(mask, n, reinterpret_cast<uint64_t*>(to), reinterpret_cast<const uint64_t*>(end), at,
                      at);
}

int64_t count_true(const uint8_t* mask, int64_t n) {
    int64_t count = 0, i = 0;
    for (; i + 64 <= n; i += 64) count += __builtin_popcountll(mask_bits(mask + i, ~uint64_t{0}));
    if (i < n) count += __builtin_popcountll(mask_bits(mask + i, (uint64_t{1} << (n - i)) - 1));
    return count;
}

}  // namespace numloom::library::NUMLOOM_TARGET

NL_END_AVX512
#endif
