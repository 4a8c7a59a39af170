// Seeded random numbers: NumPy's SeedSequence (after M. E. O'Neill's seed_seq_fe) and PCG64 (M. E. O'Neill,
// "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number Generation",
// 2014), drawn by the library.
#include "api/internal.hpp"

namespace numloom {
namespace api {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr Wide kMultiplier = (Wide{0x2360ED051FC65DA4u} << 64) | 0x4385DF649FCCF645u;

// 256 bits from a seed.
struct SeedSequence {
    static constexpr int kPool = 4;
    uint32_t pool[kPool];

    explicit SeedSequence(uint64_t seed) {
        const uint32_t entropy[kPool] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32), 0,
                                         0};
        uint32_t constant = 0x43b0d7e5u;
        const auto hashed = [&](uint32_t value) {
            value ^= constant;
            constant *= 0x931e8875u;
            value *= constant;
            return value ^ (value >> 16);
        };
        for (int i = 0; i < kPool; ++i) pool[i] = hashed(entropy[i]);
        for (int from = 0; from < kPool; ++from)
            for (int to = 0; to < kPool; ++to)
                if (from != to) pool[to] = mixed(pool[to], hashed(pool[from]));
    }
    void fill(uint64_t (&words)[4]) const {
        uint32_t constant = 0x8b51f9ddu;
        uint32_t half[8];
        for (int i = 0; i < 8; ++i) {
            uint32_t value = pool[i % kPool] ^ constant;
            constant *= 0x58f38dedu;
            value *= constant;
            half[i] = value ^ (value >> 16);
        }
        for (int i = 0; i < 4; ++i) words[i] = half[2 * i] | uint64_t{half[2 * i + 1]} << 32;
    }
    static uint32_t mixed(uint32_t x, uint32_t y) {
        const uint32_t r = 0xca01f9ddu * x - 0x4973f715u * y;
        return r ^ (r >> 16);
    }
};

Wide wide(const uint64_t (&words)[2]) { return Wide{words[0]} << 64 | words[1]; }
void split(Wide x, uint64_t (&words)[2]) {
    words[0] = static_cast<uint64_t>(x >> 64);
    words[1] = static_cast<uint64_t>(x);
}

// The state after n draws, by squaring (F. Brown, "Random number generation with arbitrary strides", 1994).
Wide advanced(Wide state, Wide increment, uint64_t n) {
    Wide multiplier = 1, plus = 0, factor = kMultiplier, term = increment;
    for (; n; n >>= 1) {
        if (n & 1) {
            multiplier *= factor;
            plus = plus * factor + term;
        }
        term *= factor + 1;
        factor *= factor;
    }
    return multiplier * state + plus;
}

}  // namespace
}  // namespace api

inline namespace v1 {

Generator::Generator(uint64_t seed) {
    uint64_t words[4];
    api::SeedSequence(seed).fill(words);
    const api::Wide start = api::Wide{words[0]} << 64 | words[1],
                    sequence = api::Wide{words[2]} << 64 | words[3];
    const api::Wide increment = sequence << 1 | 1;
    // One step from 0, the seed added, one step more.
    api::split((increment + start) * api::kMultiplier + increment, state_);
    api::split(increment, increment_);
}

Array Generator::random(const Shape& shape) {
    return api::enter(NL_SITE, [&] {
        const Array out = empty(shape);
        if (out.size() == 0) return out;
        const uint64_t words[] = {state_[0], state_[1], increment_[0], increment_[1]};
        const int64_t four = 4;
        const api::Handle state = api::engine().from_host(api::Type::UInt64, {&four, 1}, words);
        const Operand in = state.operand();
        api::engine().call(library::make_call("pcg64_uniform", {}), api::handle(out).operand(), {&in, 1});
        api::split(api::advanced(api::wide(state_), api::wide(increment_), static_cast<uint64_t>(out.size())),
                   state_);
        return out;
    });
}

Array Generator::uniform(double low, double high, const Shape& shape) {
    return api::enter(NL_SITE, [&] {
        if (!(high - low >= 0)) api::fail(ErrorKind::Value, "high - low < 0");
        return random(shape) * (high - low) + low;
    });
}

}  // namespace v1
}  // namespace numloom
