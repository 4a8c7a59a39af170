// Random kernels over random views, with the memory that they touch on the host.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "kernel/ir.hpp"

namespace numloom::test {

// A kernel and its memory: one buffer per view; access i starts at buffers[view][offsets[i]].
struct Case {
    kernel::Kernel kernel;
    std::vector<std::vector<char>> buffers;
    std::vector<int64_t> offsets;  // bytes; the offset of an index access
    std::vector<kernel::ConstantValue> constants;
};

struct CaseOptions {
    bool math = false;  // operations whose result is not exact too
    int64_t most_points = 30000;
    int reduces = -1;  // 1: reductions only, 0: none, -1: either
};

Case random_case(uint64_t seed, const CaseOptions& options = {});

// Whether all bytes of two buffers of `dtype` elements agree; any NaN equals any NaN.
bool same_elements(DType dtype, const std::vector<char>& a, const std::vector<char>& b, int64_t* where);

}  // namespace numloom::test
