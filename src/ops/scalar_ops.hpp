// The scalar definitions of all operations as C++. The same texts, in the same order, make CUDA source after
// scalar/prologue_cuda.hpp instead of the prologue below.
//
// Everything lives in a namespace named after NUMLOOM_TARGET, so that code compiled for different instruction
// sets is never merged by the linker.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifndef NUMLOOM_TARGET
#define NUMLOOM_TARGET generic
#endif
#define NL_FN [[gnu::always_inline]] inline
#define NL_DEF [[gnu::always_inline]] static inline
// A product that is rounded before anything is added to it. GCC 12 makes vfmaddsub of the + and - lanes of
// complex arithmetic in spite of -ffp-contract=off; the barrier costs nothing and prevents it
// (tools/check_symbols.py looks).
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define NL_ROUNDED(x) __builtin_assoc_barrier(x)
#else
#define NL_ROUNDED(x) (x)
#endif
#define NL_SCALAR_BEGIN         \
    namespace numloom::scalar { \
    inline namespace NUMLOOM_TARGET {
#define NL_SCALAR_END \
    }                 \
    }

NL_SCALAR_BEGIN

NL_FN uint32_t bits_of(float f) { return __builtin_bit_cast(uint32_t, f); }
NL_FN uint64_t bits_of(double d) { return __builtin_bit_cast(uint64_t, d); }
NL_FN float float_of(uint32_t u) { return __builtin_bit_cast(float, u); }
NL_FN double double_of(uint64_t u) { return __builtin_bit_cast(double, u); }
// One conversion instruction on x86-64, which gives the smallest integer where the value does not fit.
template <class F>
NL_FN int64_t truncate_to_int64(F f) {
    return (int64_t)f;
}
template <class F>
NL_FN int32_t truncate_to_int32(F f) {
    return (int32_t)f;
}

NL_SCALAR_END

// The order matters; lines between keep clang-format from sorting.
#include "ops/scalar/types.hpp"

#include "ops/scalar/math_cpu.hpp"

#include "ops/scalar/complex_math.hpp"

#include "ops/scalar/arithmetic.hpp"

#include "ops/scalar/floating.hpp"
