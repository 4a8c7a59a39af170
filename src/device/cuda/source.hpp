// Kernel IR to CUDA C++. The text depends on a kernel's structure only (rank, dtypes, operations, which
// strides are zero, one or equal to another access's): extents, strides, addresses, constants and the range
// are arguments, so that one piece of compiled code serves every size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel/ir.hpp"

namespace numloom::cuda {

inline constexpr int kThreads =
    256;  // of a block of the elementwise kernels and of the first stage of a reduction

// Combine: threads for one kept point at most; rounds of 8 values a thread that they may take.
inline constexpr int kMostThreads = 1024;
inline constexpr int kMostRounds = 2048;

enum class Form : uint8_t {
    Flat,    // elementwise over one dimension, all accesses contiguous or fixed: 16-byte loads and stores
    Linear,  // elementwise: one thread decomposes the linear index of each of its points
    Rows,    // elementwise: the last dimension along x, a thread walks several consecutive rows
    Leaves,  // reduction, first stage
    Short,   // reduction over at most kLanes points: one thread folds all of a kept point and runs the finish
             // tape
    Combine,  // reduction, second stage: the tree over leaves or groups of leaves, then the finish tape
};

// Constants that a generated text is specialised for. All are powers of two.
struct Tuning {
    int vector = 1;  // Flat: elements of one 16-byte access of the widest dtype
    int unroll = 1;  // points (Flat: vectors) in flight per thread; Rows: rows
    int width = 32;  // Rows: threads of a block along the last dimension
    // Leaves: threads of a block = kept_fast * lanes * leaves * kept_slow. Combine: `leaves` threads for one
    // kept point.
    int kept_fast = 1, lanes = 8, leaves = 32, kept_slow = 1;
};

struct Variant {
    Form form = Form::Linear;
    // Leaves: results of single leaves go to memory (a launch with partials); else those of groups of
    // `leaves` leaves, or the finish tape runs at once where one group is everything.
    bool single_leaves = false;
    bool finishes = false;
    Tuning tuning;
};

// The argument of every generated kernel, by value:
//   struct P { ulonglong2 c[constants]; void* a[accesses]; long long i[integers]; };
// Integers by position; kept in step with the text by Slots.
struct Slots {
    // Ranges and geometry, filled in at launch.
    enum : int {
        Begin,
        End,  // points, units (single leaves) or kept points of this launch
        Blocks,
        BlocksMul,
        BlocksShift,  // divider of the block's number
        First,
        FirstLeaf,  // row or kept point, leaf, of block 0
        Leaves,
        Reduced,
        Kept,
        Groups,  // per kept point: leaves, points, (number of kept points), values of stage two
        Source,
        Target,  // addresses of partial results
        Fixed
    };
    int constants = 0, accesses = 0;
    std::vector<int64_t> integers;  // values; those below Fixed are zero
    int64_t bytes() const {
        return 16 * constants + (8 * accesses + 8 * static_cast<int64_t>(integers.size()) + 15) / 16 * 16;
    }
    int64_t access_offset() const { return 16 * constants; }
    int64_t integer_offset() const { return access_offset() + 8 * accesses; }
};

// Division of n < 2^31 by a fixed d: q = (umulhi(n, mul) + n) >> shift.
struct Divider {
    uint32_t mul, shift;
    explicit Divider(uint32_t d);
};

struct Source {
    std::string text;  // without the prologue
    Slots slots;
};

// Whether 32-bit indices, with strides counted in elements, reach everything that the kernel touches.
bool narrow(const kernel::Kernel& k);
// Whether the Flat form fits: one dimension (or none), every stride the element's size or zero.
bool flat(const kernel::Kernel& k);
Source generate(const kernel::Kernel& k, const Variant& v);
// Name of the entry point of every generated text.
inline constexpr const char* kEntry = "numloom_kernel";
// The scalar definitions of all operations and the helpers of the generated texts: goes before Source::text.
const std::string& prologue();
// What a kernel costs to run per point, in simple operations: for the choice of unrolling.
int64_t tape_weight(const kernel::Kernel& k);

}  // namespace numloom::cuda
