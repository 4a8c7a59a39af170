// PCG64, NumPy's default generator (O'Neill, "PCG: A family of simple fast space-efficient statistically good
// algorithms for random number generation", 2014): a linear congruence of 128 bits, whose state after any
// number of draws is known at once. In a namespace named after NUMLOOM_TARGET, so that the linker never
// merges code made for different processors.
#pragma once

#include <bit>
#include <cstdint>

#ifndef NUMLOOM_TARGET
#define NUMLOOM_TARGET generic
#endif

namespace numloom::library {

using Wide = unsigned __int128;

inline namespace NUMLOOM_TARGET {

inline constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53

// state -> multiplier * state + increment
struct Jump {
    Wide multiplier = Wide{2549297995355413924u} << 64 | 4865540595714422341u;
    Wide increment = 0;
    Wide operator()(Wide state) const { return state * multiplier + increment; }
    // This jump `count` times over.
    Jump times(uint64_t count) const {
        Jump result{1, 0}, power = *this;
        for (; count; count >>= 1) {
            if (count & 1)
                result = {result.multiplier * power.multiplier,
                          power.multiplier * result.increment + power.increment};
            power = {power.multiplier * power.multiplier, (power.multiplier + 1) * power.increment};
        }
        return result;
    }
};

inline uint64_t pcg_output(Wide state) {
    const auto high = static_cast<uint64_t>(state >> 64);
    return std::rotr(high ^ static_cast<uint64_t>(state), static_cast<int>(high >> 58));
}

// The 53 high bits as a number in [0, 1). Converted as a signed integer, for which processors have an
// instruction.
inline double unit(uint64_t bits) { return static_cast<double>(static_cast<int64_t>(bits >> 11)) * kUnit; }

}  // namespace NUMLOOM_TARGET
}  // namespace numloom::library
