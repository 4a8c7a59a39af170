// The processor's sticky floating-point flags of this thread, as the cheap filter for what NumPy reports:
// they are clear before a piece of work, and what is set after it came up in it. Loops of the table leave a
// flag set only where NumPy's would (loops/common.hpp); the flag for inexact results is left alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "ops/operation.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace numloom::cpu {

#if defined(__x86_64__)

// Invalid, divide, overflow, underflow.
inline constexpr unsigned kFlagBits = 0x1d;
inline unsigned flags_set() { return _mm_getcsr() & kFlagBits; }
inline void clear_flags() { _mm_setcsr(_mm_getcsr() & ~kFlagBits); }
inline uint8_t kinds_of_flags(unsigned flags) {
    return static_cast<uint8_t>((flags & 4 ? F_DIVIDE : 0) | (flags & 8 ? F_OVERFLOW : 0) |
                                (flags & 16 ? F_UNDERFLOW : 0) | (flags & 1 ? F_INVALID : 0));
}

#else

inline constexpr int kFlagBits = FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID;
inline unsigned flags_set() { return static_cast<unsigned>(std::fetestexcept(kFlagBits)); }
inline void clear_flags() { std::feclearexcept(kFlagBits); }
inline uint8_t kinds_of_flags(unsigned flags) {
    return static_cast<uint8_t>(
        (flags & FE_DIVBYZERO ? F_DIVIDE : 0) | (flags & FE_OVERFLOW ? F_OVERFLOW : 0) |
        (flags & FE_UNDERFLOW ? F_UNDERFLOW : 0) | (flags & FE_INVALID ? F_INVALID : 0));
}

#endif

// What came up since the flags were clear, of the kinds that are wanted; clears them.
inline uint8_t take_kinds(uint8_t wanted) {
    const unsigned flags = flags_set();
    if (flags == 0) [[likely]]
        return 0;
    clear_flags();
    return kinds_of_flags(flags) & wanted;
}

// Where the conditions of one tape's entries are noted, by any thread.
struct FlagNotes {
    uint8_t wanted = 0;
    uint8_t* raised = nullptr;  // per entry
    void add(int64_t entry, uint8_t kinds) const {
        std::atomic_ref<uint8_t>(raised[entry]).fetch_or(kinds, std::memory_order_relaxed);
    }
    bool has(int64_t entry, uint8_t kinds) const {
        return (std::atomic_ref<uint8_t>(raised[entry]).load(std::memory_order_relaxed) & kinds) == kinds;
    }
};

// Runs task(context, chunk) on the thread pool, as the library lends it, under the watch of host_flags.hpp.
void run_library_tasks(int64_t chunks, void (*task)(void*, int64_t), void* context);

}  // namespace numloom::cpu
