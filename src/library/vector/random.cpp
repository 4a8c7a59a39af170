// Streams of random numbers, many places of a stream side by side.
#include "library/vector/random.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "library/pcg.hpp"
#include "library/ziggurat.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
// Vectors wider than the processor's are never passed to functions that are not inlined.
#pragma GCC diagnostic ignored "-Wpsabi"
// GCC 12's header hands uninitialised vectors to instructions that ignore them.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace numloom::library::NUMLOOM_TARGET {
namespace {

#define NL_INLINE inline __attribute__((always_inline))

using Words = uint64_t __attribute__((vector_size(64)));
using Signed = int64_t __attribute__((vector_size(64)));
using Numbers = double __attribute__((vector_size(64)));
constexpr int kLanes = 8;
constexpr int64_t kGroup = kPhiloxGroup;

// Full products of the low halves of the lanes.
NL_INLINE Words multiply_low(const Words& a, const Words& b) {
#if defined(__AVX512F__)
    return std::bit_cast<Words>(_mm512_mul_epu32(std::bit_cast<__m512i>(a), std::bit_cast<__m512i>(b)));
#elif defined(__AVX2__)
    struct Parts {
        __m256i v[2];
    };
    auto x = std::bit_cast<Parts>(a);
    const auto y = std::bit_cast<Parts>(b);
    for (int i = 0; i < 2; ++i) x.v[i] = _mm256_mul_epu32(x.v[i], y.v[i]);
    return std::bit_cast<Words>(x);
#elif defined(__SSE2__)
    struct Parts {
        __m128i v[4];
    };
    auto x = std::bit_cast<Parts>(a);
    const auto y = std::bit_cast<Parts>(b);
    for (int i = 0; i < 4; ++i) x.v[i] = _mm_mul_epu32(x.v[i], y.v[i]);
    return std::bit_cast<Words>(x);
#else
    return (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
#endif
}

// The 53 high bits as numbers in [0, 1).
NL_INLINE Numbers to_unit(const Words& bits) {
#if defined(__AVX512DQ__)
    return __builtin_convertvector(std::bit_cast<Signed>(bits >> 11), Numbers) * kUnit;
#else
    // Without an instruction for it: 52 bits below 1.0's, and the last one added.
    const Words one = (bits >> 12) | 0x3FF0000000000000u;
    const Words last = ((bits >> 11) & 1) * 0x3CA0000000000000u;  // 2^-53
    return (std::bit_cast<Numbers>(one) - 1.0) + std::bit_cast<Numbers>(last);
#endif
}

NL_INLINE void store(double* p, const Numbers& v, [[maybe_unused]] bool past_caches) {
#if defined(__AVX512F__)
    if (past_caches) return _mm512_stream_pd(p, std::bit_cast<__m512d>(v));
#elif defined(__AVX2__)
    if (past_caches) {
        _mm256_stream_pd(p, __m256d{v[0], v[1], v[2], v[3]});
        return _mm256_stream_pd(p + 4, __m256d{v[4], v[5], v[6], v[7]});
    }
#endif
    std::memcpy(p, &v, sizeof v);
}

// What went past the caches is there for whoever is told that this is done.
void finish([[maybe_unused]] bool past_caches) {
#if defined(__x86_64__)
    if (past_caches) _mm_sfence();
#endif
}

// --- PCG64
// -------------------------------------------------------------------------------------------------------

// Words become numbers in [0, 1), or stay what they are.
inline void put(double* out, uint64_t bits) { *out = unit(bits); }
inline void put(uint64_t* out, uint64_t bits) { *out = bits; }
NL_INLINE void put(double* out, const Words& bits, bool past_caches) {
    store(out, to_unit(bits), past_caches);
}
NL_INLINE void put(uint64_t* out, const Words& bits, bool) { std::memcpy(out, &bits, sizeof bits); }

template <class T>
void pcg64_rest(Wide state, const Jump& step, T* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) put(out + i, pcg_output(state = step(state)));
}

#if defined(__AVX512DQ__)
struct Halves {
    Words high, low;
};

// state -> multiplier * state + increment in every lane.
NL_INLINE void advance(Halves& s, const Halves& multiplier, const Words& multiplier_top,
                       const Halves& increment) {
    const Words top = s.low >> 32;
    const Words p00 = multiply_low(s.low, multiplier.low), p01 = multiply_low(s.low, multiplier_top);
    const Words p10 = multiply_low(top, multiplier.low), p11 = multiply_low(top, multiplier_top);
    const Words t = p01 + (p00 >> 32), w = p10 + (t & 0xFFFFFFFF);
    const Words high = p11 + (t >> 32) + (w >> 32) + s.low * multiplier.high + s.high * multiplier.low;
    const Words low = s.low * multiplier.low + increment.low;
    s.high = high + increment.high - std::bit_cast<Words>(low < increment.low);  // true is -1
    s.low = low;
}

NL_INLINE Words rotate_right(const Words& x, const Words& by) {
    return std::bit_cast<Words>(_mm512_rorv_epi64(std::bit_cast<__m512i>(x), std::bit_cast<__m512i>(by)));
}

// Four vectors of places move side by side, since a step of one has to wait for the step before it.
template <class T>
void pcg64_groups(Wide state, const Jump& step, T* out, int64_t groups, bool past_caches) {
    constexpr int kVectors = 4;
    Halves s[kVectors];
    for (Halves& v : s)
        for (int lane = 0; lane < kLanes; ++lane) {
            state = step(state);
            v.high[lane] = static_cast<uint64_t>(state >> 64);
            v.low[lane] = static_cast<uint64_t>(state);
        }
    const Jump far = step.times(kVectors * kLanes);
    const auto spread = [](Wide w) {
        return Halves{Words{} + static_cast<uint64_t>(w >> 64), Words{} + static_cast<uint64_t>(w)};
    };
    const Halves multiplier = spread(far.multiplier), increment = spread(far.increment);
    const Words multiplier_top = multiplier.low >> 32;
    for (int64_t g = 0; g < groups; ++g, out += kVectors * kLanes)
#pragma GCC unroll 4
        for (int k = 0; k < kVectors; ++k) {
            const Words bits = rotate_right(s[k].high ^ s[k].low, s[k].high >> 58);
            put(out + k * kLanes, bits, past_caches);
            advance(s[k], multiplier, multiplier_top, increment);
        }
}
#else
template <class T>
void pcg64_groups(Wide state, const Jump& step, T* out, int64_t groups, bool) {
    const Jump four = step.times(4);
    Wide at[4];
    for (Wide& a : at) a = state = step(state);
    for (int64_t i = 0; i < 32 * groups; i += 4)
        for (int k = 0; k < 4; ++k) {
            put(out + i + k, pcg_output(at[k]));
            at[k] = four(at[k]);
        }
}
#endif

// --- Philox
// ------------------------------------------------------------------------------------------------------

// Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC11: four words of 32 bits,
// ten rounds. The high halves of the lanes hold anything.
struct Quads {
    Words c0, c1, c2, c3;
};

NL_INLINE void philox(Quads& c, const PhiloxStream& stream) {
    uint32_t k0 = stream.key[0], k1 = stream.key[1];
    const Words m0 = Words{} + 0xD2511F53u, m1 = Words{} + 0xCD9E8D57u;
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
        const Words p0 = multiply_low(c.c0, m0), p1 = multiply_low(c.c2, m1);
        c.c0 = (p1 >> 32) ^ c.c1 ^ uint64_t { k0 };
        c.c1 = p1;
        c.c2 = (p0 >> 32) ^ c.c3 ^ uint64_t { k1 };
        c.c3 = p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

NL_INLINE Words join(const Words& low, const Words& high) { return (low & 0xFFFFFFFF) | (high << 32); }

// The bits of the kGroup numbers from `first` on; their refused bits take other rounds.
NL_INLINE void philox_group(const PhiloxStream& stream, uint64_t first, Words* low, Words* high,
                            uint64_t round = 0) {
    constexpr Words kSteps = {0, 1, 2, 3, 4, 5, 6, 7};
    const Words counter = kSteps + first / 2;
    Quads c{counter, counter >> 32, Words{} + round, Words{} + stream.name};
    philox(c, stream);
    *low = join(c.c0, c.c1);
    *high = join(c.c2, c.c3);
}

// More bits for one number whose first ones were refused.
struct Spare {
    const PhiloxStream& stream;
    uint64_t number;
    uint32_t draws = 0;
    uint64_t second = 0;
};

uint64_t spare_bits(void* context) {
    Spare& s = *static_cast<Spare*>(context);
    if (s.draws++ % 2) return s.second;
    uint32_t c[4] = {static_cast<uint32_t>(s.number), static_cast<uint32_t>(s.number >> 32), 1 + s.draws / 2,
                     s.stream.name};
    uint32_t k0 = s.stream.key[0], k1 = s.stream.key[1];
    for (int round = 0; round < 10; ++round) {
        const uint64_t p0 = uint64_t{c[0]} * 0xD2511F53u, p1 = uint64_t{c[2]} * 0xCD9E8D57u;
        c[0] = static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k0;
        c[1] = static_cast<uint32_t>(p1);
        c[2] = static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k1;
        c[3] = static_cast<uint32_t>(p0);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    s.second = uint64_t{c[2]} | uint64_t{c[3]} << 32;
    return uint64_t{c[0]} | uint64_t{c[1]} << 32;
}

constexpr int64_t kBlock = 1024;

// Most places in the ziggurat are accepted at once; the numbers of the others are listed and come afterwards,
// so that nothing here has to be predicted. Returns how many.
int64_t ziggurat_block(const uint64_t* bits, double* out, int64_t n, uint16_t* refused) {
    const int64_t* const inside = Ziggurat::normal().inside();
    const double* const width = Ziggurat::normal().width();
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t b = bits[i];
        const size_t layer = b & 255;
        const auto place = static_cast<int64_t>(b >> 12);
        const double x = static_cast<double>(place) * width[layer];
        out[i] = std::bit_cast<double>(std::bit_cast<uint64_t>(x) | (b >> 8 & 1) << 63);
        refused[count] = static_cast<uint16_t>(i);
        count += place >= inside[layer];
    }
    return count;
}

void copy_out(const double* from, double* to, int64_t n, bool past_caches) {
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        Numbers v;
        std::memcpy(&v, from + i, sizeof v);
        store(to + i, v, past_caches);
    }
    std::copy(from + i, from + n, to + i);
}

}  // namespace

void pcg64_uniform(Wide state, Wide increment, double* out, int64_t n, bool past_caches) {
    const Jump step{.increment = increment};
    const int64_t groups = n / 32;
    if (groups) pcg64_groups(state, step, out, groups, past_caches);
    const auto done = static_cast<uint64_t>(32 * groups);
    pcg64_rest(step.times(done)(state), step, out + done, n % 32);
    finish(past_caches);
}

void pcg64_words(Wide state, Wide increment, uint64_t* out, int64_t n) {
    const Jump step{.increment = increment};
    pcg64_groups(state, step, out, n / 32, false);
    const auto done = static_cast<uint64_t>(n / 32 * 32);
    if (n % 32) pcg64_rest(step.times(done)(state), step, out + done, n % 32);
}

void philox_uniform(const PhiloxStream& stream, uint64_t first, double* out, int64_t n, bool past_caches) {
    Words low, high;
    int64_t i = 0;
    for (; i + kGroup <= n; i += kGroup) {
        philox_group(stream, first + static_cast<uint64_t>(i), &low, &high);
        store(out + i, to_unit(low), past_caches);
        store(out + i + kLanes, to_unit(high), past_caches);
    }
    if (i < n) {
        philox_group(stream, first + static_cast<uint64_t>(i), &low, &high);
        const Numbers last[2] = {to_unit(low), to_unit(high)};
        std::memcpy(out + i, last, static_cast<size_t>(n - i) * 8);
    }
    finish(past_caches);
}

void philox_words(const PhiloxStream& stream, uint64_t first, uint32_t round, uint64_t* out, int64_t n) {
    for (int64_t i = 0; i + kGroup <= n; i += kGroup) {
        Words words[2];
        philox_group(stream, first + static_cast<uint64_t>(i), &words[0], &words[1], round);
        std::memcpy(out + i, words, sizeof words);
    }
}

void philox_normal(const PhiloxStream& stream, uint64_t first, double* out, int64_t n, bool past_caches) {
    alignas(64) Words bits[kBlock / kLanes];
    alignas(64) double numbers[kBlock];
    uint16_t refused[kBlock + 1];
    for (int64_t begin = 0; begin < n; begin += kBlock) {
        const int64_t count = std::min(kBlock, n - begin);
        const uint64_t number = first + static_cast<uint64_t>(begin);
        for (int64_t g = 0; g * kGroup < count; ++g)
            philox_group(stream, number + static_cast<uint64_t>(g * kGroup), bits + 2 * g, bits + 2 * g + 1);
        uint64_t flat[kBlock];
        std::memcpy(flat, bits, sizeof flat);
        const int64_t rest = ziggurat_block(flat, numbers, count, refused);
        for (int64_t k = 0; k < rest; ++k) {
            Spare spare{stream, number + refused[k]};
            numbers[refused[k]] = Ziggurat::normal().refine(flat[refused[k]], spare_bits, &spare);
        }
        copy_out(numbers, out + begin, count, past_caches);
    }
    finish(past_caches);
}

}  // namespace numloom::library::NUMLOOM_TARGET
