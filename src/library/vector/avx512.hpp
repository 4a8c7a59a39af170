// AVX-512's intrinsics, for files that are compiled for one instruction set: to be included last, since it
// also allows popcnt, which every processor with AVX-512 has, in what follows. NL_END_AVX512 closes that.
#pragma once

#if defined(__AVX512F__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("popcnt"))), apply_to = function)
#define NL_END_AVX512 _Pragma("clang attribute pop")
#else
#pragma GCC target("popcnt")
#define NL_END_AVX512
#endif
// GCC 12's header hands uninitialised vectors to instructions that ignore them.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#endif
