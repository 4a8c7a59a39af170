// MT19937 (Matsumoto and Nishimura, "Mersenne twister", ACM TOMACS 8, 1998): 624 words, of which each depends
// on words far enough away that vectors of them can be made at once.
#include "library/vector/mersenne.hpp"

#include <algorithm>
#include <cstring>

#include "library/pcg.hpp"

namespace numloom::library::NUMLOOM_TARGET {
namespace {

constexpr int64_t kWords = 624, kFar = 397;

// One of the next words from three of the last ones.
inline uint32_t twist(uint32_t word, uint32_t next, uint32_t far) {
    const uint32_t mixed = (word & 0x80000000u) | (next & 0x7FFFFFFFu);
    return far ^ (mixed >> 1) ^ ((0u - (mixed & 1u)) & 0x9908B0DFu);
}

// A word is read before its place is written, and nothing is read sooner than 227 words after it was written.
void next_words(uint32_t* w) {
#pragma GCC ivdep
    for (int64_t i = 0; i < kWords - kFar; ++i) w[i] = twist(w[i], w[i + 1], w[i + kFar]);
#pragma GCC ivdep
    for (int64_t i = kWords - kFar; i < kWords - 1; ++i) w[i] = twist(w[i], w[i + 1], w[i + kFar - kWords]);
    w[kWords - 1] = twist(w[kWords - 1], w[0], w[kFar - 1]);
}

void temper(const uint32_t* from, uint32_t* to, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        uint32_t x = from[i];
        x ^= x >> 11;
        x ^= (x << 7) & 0x9D2C5680u;
        x ^= (x << 15) & 0xEFC60000u;
        to[i] = x ^ (x >> 18);
    }
}

// 27 bits of one word and 26 of the next.
void to_numbers(const uint32_t* words, double* out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
        uint64_t pair;
        std::memcpy(&pair, words + 2 * i, sizeof pair);
        const uint64_t bits = (pair & 0xFFFFFFE0u) << 21 | pair >> 38;
        out[i] = static_cast<double>(static_cast<int64_t>(bits)) * kUnit;
    }
}

}  // namespace

int64_t mt19937_uniform(uint32_t* words, int64_t position, double* out, int64_t n) {
    uint32_t ready[kWords + 1] = {};
    int64_t left_over = 0;  // words of the block before, at most one, at the front of `ready`
    while (n > 0) {
        if (position == kWords) {
            next_words(words);
            position = 0;
        }
        temper(words + position, ready + left_over, kWords - position);
        const int64_t there = left_over + kWords - position, count = std::min(n, there / 2);
        to_numbers(ready, out, count);
        out += count;
        n -= count;
        if (n == 0) return position + 2 * count - left_over;
        ready[0] = ready[there - 1];
        left_over = there % 2;
        position = kWords;
    }
    return position;
}

void mt19937_words(uint32_t* words, bool next, uint32_t* out) {
    if (next) next_words(words);
    temper(words, out, kWords);
}

}  // namespace numloom::library::NUMLOOM_TARGET
