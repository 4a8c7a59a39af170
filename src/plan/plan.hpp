// Plan: what the executor walks. Made once for a key, run with the offsets, constants and storages of each
// segment that has the key.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernel/ir.hpp"
#include "plan/draft.hpp"

namespace numloom::plan {

// Where the address of an access comes from: offset of the view + adjust (a flipped dimension starts at its
// other end); for an index access: the constant input 0 of `instruction` + adjust.
struct AccessRef {
    ViewId view = kNone;
    int64_t adjust = 0;
    int32_t instruction = -1;
};

struct ConstantRef {
    int32_t instruction;
    int32_t input;
};

struct Step {
    // Kernel step, or a library call (call >= 0: index of the instruction).
    int32_t call = -1;
    kernel::Kernel kernel;
    std::vector<AccessRef> accesses;     // parallel to kernel.accesses
    std::vector<ConstantRef> constants;  // parallel to kernel.constants
    std::vector<int32_t> renamed;  // slots that get a new buffer: shadow stores go there; it takes the old
                                   // one's place afterwards
    std::vector<Step>
        rest;  // copies of what the kernel does not overwrite of renamed storages, run before it
    std::vector<int32_t> instructions;  // of the segment, that the step carries out
    std::vector<std::pair<int32_t, int32_t>>
        twins;                   // (a, b): instruction b shares values that the kernel computes as a's
    std::vector<int32_t> frees;  // slots whose memory is not needed after the step
    std::vector<std::pair<int32_t, int32_t>>
        donations;  // (from, to): slot `to` takes over the memory of `from`, which dies here
    int64_t bytes_read = 0, bytes_written = 0;
};

struct Plan {
    std::vector<View>
        views;  // the segment's come first: their offsets are arguments; later ones have fixed offsets
    size_t segment_views = 0;
    size_t segment_slots = 0;
    std::vector<DType> temporary_dtypes;
    std::vector<const Layout*> temporary_layouts;  // slot segment_slots + i
    std::vector<Step> steps;
    int64_t kernels() const;
};

Step lower(Draft& d, const Group& g);
void donate(const Draft& d, Plan* p);
Plan build(const Segment& s, const Options& o);
std::string print(const Plan& p);
std::string verify(const Plan& p);

}  // namespace numloom::plan
