// Precompiled loops over L1-sized blocks: every operation of the table for every dtype it has, once per
// instruction set.
#pragma once

#include <cstdint>
#include <vector>

#include "core/dtype.hpp"
#include "ops/operation.hpp"

namespace numloom::cpu {

// Applies one operation to n elements. `out` and every input are contiguous, except inputs whose bit is set
// in the mask that the loop was asked for with: those are one element, used for all n. `out` may be the same
// address as an input of the same element size; otherwise they do not overlap.
using Loop = void (*)(void* out, const void* const* in, int64_t n);

// Elements with any stride (bytes) to or from a contiguous block; no conversion.
using Gather = void (*)(void* out, const char* src, int64_t stride, int64_t n);
using Scatter = void (*)(char* dst, int64_t stride, const void* in, int64_t n);

// out[r * width + i] = element r of the line at src + i * stride, r < rows, i < n. `lines` >= n: how many
// lines there are from src on, to be fetched in advance.
using Transpose = void (*)(void* out, int64_t width, const char* src, int64_t stride, int64_t rows, int64_t n,
                           int64_t lines);

// Folds the points first .. first+n-1 of one reduction leaf, contiguous in `values`, into the 8 lanes (see
// kernel/ir.hpp): point r goes to lane r % 8; points below 8 start their lane.
using Fold = void (*)(void* lanes, const void* values, int64_t n, int64_t first);
// Whole leaves of 1024 contiguous points each, `count` of them, each to one result: out[i]. Equal in every
// bit to Fold and Combine.
using FoldLeaves = void (*)(void* out, const void* values, int64_t count);
// The 8 lanes of a leaf of `points` points to one value, in the order stated in kernel/ir.hpp.
using Combine = void (*)(void* out, const void* lanes, int64_t points);

// Whether loops of functions look for underflow: only while somebody wants to know of it, since a vector
// library's own flag does not tell.
extern bool watch_underflow;

// All loops for one instruction set. They leave a floating-point flag of the processor set only where NumPy
// would report it. Pointers are nullptr where the operation has no such loop.
struct LoopTable {
    const char* name;  // "baseline", "avx2", "avx512"
    Loop (*compute)(OpCode op, DType loop, unsigned scalar_mask);
    Loop (*cast)(DType from, DType to);  // contiguous; never nullptr
    Gather (*gather)(int64_t itemsize);
    Scatter (*scatter)(int64_t itemsize);
    Transpose (*transpose)(int64_t itemsize);
    Fold (*fold)(OpCode op, DType type);  // associative operations; type is the accumulator's as well
    FoldLeaves (*fold_leaves)(OpCode op, DType type);
    Combine (*combine)(OpCode op, DType type);
    // Copies past the caches with non-temporal stores; dst aligned to the element.
    void (*stream)(void* dst, const void* src, int64_t bytes);
    // Two operations in one loop, each rounded once: in = (a, b, c), second(first(a, b), c), or second(c,
    // first(a, b)) where `first_is_left` is false. Returns nullptr where there is no such loop; the table may
    // lack it altogether.
    Loop (*pair)(OpCode first, OpCode second, bool first_is_left, DType loop, unsigned scalar_mask) = nullptr;
};

// The table for the best instruction set that this processor has; NUMLOOM_CPU=baseline|avx2|avx512 lowers it.
const LoopTable& loops();
// All tables that this processor can run, the best first.
std::vector<const LoopTable*> supported_loops();

}  // namespace numloom::cpu
