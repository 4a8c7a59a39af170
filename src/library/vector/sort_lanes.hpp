// What the vectors of keys for sort.cpp are written with.
//
// Lanes64 and Lanes32 hold what differs between instruction sets: a vector V of kLanes keys, a Mask of as
// many bits, the last key in their order, and operations on them. kRows vectors are sorted in registers.
#pragma once

#include <cstdint>
#include <utility>

#include "library/keys.hpp"  // says that the namespace is inline

namespace numloom::library::NUMLOOM_TARGET {
namespace {

#define NL_INLINE inline __attribute__((always_inline))
#define NL_INLINE_LAMBDA __attribute__((always_inline))

template <int N, class F>
NL_INLINE void each(F&& f) {
    [&]<int... I>(std::integer_sequence<int, I...>) NL_INLINE_LAMBDA {
        (f(std::integral_constant<int, I>{}), ...);
    }
    (std::make_integer_sequence<int, N>{});
}

}  // namespace
}  // namespace numloom::library::NUMLOOM_TARGET
