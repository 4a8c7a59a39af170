// The fixed tree in which the leaves of a reduction are combined, and what a reduction over nothing gives.
//
// n values are halved until one is left: of each pair (2i, 2i+1) comes op(value[2i], value[2i+1]), and a last
// value without a partner is carried over. This is the tree that splits n values at the largest power of two
// below n. So an aligned group of 2^g values is a subtree: it may be combined on its own, by any thread or
// device, and the results of the groups (ceil(n / 2^g) of them) are combined by the same rule, with the same
// bits.
#pragma once

#include <cstdint>

#include "core/scalar.hpp"
#include "kernel/ir.hpp"

namespace numloom::kernel {

// Leaves are combined by threads in aligned groups of this many: half a megabyte of float64, 10 to 30 us of
// work.
inline constexpr int64_t kLeafGroup = 64;

// Runs the tree over n values in place: combine(i, j) must set value i to op(value i, value j). The result is
// value 0.
template <class Combine>
void combine_leaves(int64_t n, Combine&& combine) {
    for (int64_t width = 1; width < n; width *= 2)
        for (int64_t i = 0; i + width < n; i += 2 * width) combine(i, i + width);
}

// Number of points of leaf `leaf` of a reduction over `points` points.
inline int64_t leaf_points(int64_t points, int64_t leaf) {
    const int64_t rest = points - leaf * kLeaf;
    return rest < kLeaf ? rest : kLeaf;
}

// The value of a reduction over no points, of dtype result_dtype(op, type); false where NumPy raises instead
// (minimum, ...).
bool identity(OpCode op, DType type, Scalar* out);

}  // namespace numloom::kernel
