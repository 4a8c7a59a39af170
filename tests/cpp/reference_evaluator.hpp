// What a kernel means, point by point and with nothing clever: the judge of every code generator. It also
// makes random kernels.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernel/ir.hpp"

namespace numloom::testing {

// Runs a kernel over the points (units) of the launch, as src/kernel/ir.hpp states it.
void evaluate(const kernel::Kernel& k, const kernel::Launch& l);
void evaluate_finish(const kernel::Kernel& k, const kernel::Launch& l, int64_t begin, int64_t end);

// One array that a kernel reads or writes.
struct Memory {
    std::vector<char> bytes;
    int64_t origin = 0;  // byte offset of iteration point 0
};

// A random kernel with memory for each of its accesses. Views of one number share the memory.
struct RandomKernel {
    kernel::Kernel kernel;
    std::vector<Memory> memories;        // per view
    std::vector<int64_t> index_origins;  // per access; only of index accesses
    std::vector<kernel::ConstantValue> constants;

    std::vector<char*> pointers(std::vector<Memory>* memories) const;
};

struct RandomOptions {
    bool reduce = false;
    bool exact = false;      // only operations whose results have the same bits everywhere
    bool assembled = false;  // only dtypes and operations of the assembler, and longer tapes
    bool leaves = false;     // mostly contiguous operands over several whole leaves
    int64_t most_points = 20000;
};

RandomKernel random_kernel(std::mt19937_64& rng, const RandomOptions& options);

// Where two runs of one kernel differ, with the kernel's text; empty where every byte is equal. NaNs count as
// equal.
std::string difference(const RandomKernel& k, const std::vector<Memory>& expected,
                       const std::vector<Memory>& found);

}  // namespace numloom::testing
