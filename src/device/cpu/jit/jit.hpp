// The assembler tier: turns the arithmetic of a tape into one machine loop over a block, so that
// intermediates stay in registers. Every operation rounds as the precompiled loops do; a kernel with anything
// else in it stays with the interpreter.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel/ir.hpp"

namespace numloom::cpu {

// What to compile: values in order of definition over operands, which are contiguous blocks or single
// elements in memory. Complex numbers are two values.
struct LoopValue {
    enum Kind : uint8_t {
        Load,
        Scalar,  // without operand: zero
        Compute,
        Cast,
        MultiplyAdd,       // in[0] * in[1] + in[2], rounded once
        MultiplySubtract,  // in[0] * in[1] - in[2], rounded once
    } kind = Load;
    enum Part : uint8_t { Whole, Real, Imaginary } part = Whole;  // of a complex operand; Load, Scalar
    OpCode op = OpCode::Copy;
    DType type = DType::Float64;  // of the value; for Compute of the loop
    DType from = DType::Float64;  // Cast
    int32_t operand = -1;         // Load, Scalar
    int32_t in[3] = {-1, -1, -1};
};

struct LoopStore {
    int32_t value;
    int32_t imaginary;  // -1: the operand is not complex
    int32_t operand;
    // Instead of its values: the eight lanes of each leaf of them (kernel/ir.hpp), one leaf's after the
    // other's.
    bool folds = false;
    OpCode op = OpCode::Add;
};

struct LoopSource {
    std::vector<LoopValue> values;
    std::vector<LoopStore> stores;  // in order, after all loads of a point
    int32_t operands = 0;
    bool folds() const;  // then the loop takes whole leaves
    std::string key() const;
};

// Machine code. Runs over n points of the operands whose addresses are given.
class CompiledLoop {
  public:
    using Function = void (*)(void* const* operands, int64_t n);
    virtual ~CompiledLoop() = default;
    Function function = nullptr;
};

// Whether the assembler is there, for this processor, and not switched off by NUMLOOM_JIT=0.
bool jit_available();
// Whether it knows the entry (Compute, Cast), or values of that dtype.
bool jit_knows(const kernel::TapeEntry& e);
bool jit_knows(DType type);
bool jit_folds(OpCode op, DType type);
// The compiled loop, from the process's cache if it was made before; nullptr when it can't be made (too
// large).
std::shared_ptr<const CompiledLoop> compile_loop(const LoopSource& source);
// Loops compiled so far (those that fold), for tests.
int64_t compiled_loops(bool that_fold = false);

// The code generators, one per instruction set.
std::unique_ptr<CompiledLoop> assemble_avx512(const LoopSource& source);
std::unique_ptr<CompiledLoop> assemble_avx2(const LoopSource& source);

}  // namespace numloom::cpu
