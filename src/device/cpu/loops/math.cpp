// Loops of roots, exponentials, logarithms, trigonometric and hyperbolic functions.
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

static constexpr auto kRows = make_section<OpCode::Sqrt, OpCode::Tanh>();
const Section kMath = {OpCode::Sqrt, OpCode::Tanh, kRows.data()};
Loop find_fast_math(OpCode, DType, unsigned) { return nullptr; }

}  // namespace numloom::cpu::NUMLOOM_TARGET
