// Turns the values of a tape into those of a machine loop: one each, two where they are complex.
#pragma once

#include "device/cpu/jit/jit.hpp"

namespace numloom::cpu {

class LoopLowering {
  public:
    // Numbers of values of the loop; the second is -1 where the value is not complex.
    struct Parts {
        int32_t real = -1, imaginary = -1;
    };

    explicit LoopLowering(LoopSource* out) : out_(*out) {}

    // What lies in memory at `operand`: a block, or one element for all points.
    Parts read(DType type, int32_t operand, bool scalar);
    // Result of an entry that jit_knows().
    Parts compute(const kernel::TapeEntry& e, const Parts* in);
    void store(const Parts& value, int32_t operand);
    void fold(const Parts& value, OpCode op, int32_t operand);

  private:
    int32_t add(const LoopValue& v);
    int32_t read_part(LoopValue::Part part, DType type, int32_t operand, bool scalar);
    int32_t zero(DType type);
    int32_t operate(OpCode op, DType type, int32_t a, int32_t b = -1, int32_t c = -1);
    int32_t multiply_add(LoopValue::Kind kind, DType type, int32_t a, int32_t b, int32_t c);
    int32_t convert(DType from, DType to, int32_t a);
    Parts cast(DType from, DType to, const Parts& a);
    Parts compute_complex(OpCode op, DType part, const Parts* in);
    Parts multiply(DType part, const Parts& a, const Parts& b);

    LoopSource& out_;
};

}  // namespace numloom::cpu
