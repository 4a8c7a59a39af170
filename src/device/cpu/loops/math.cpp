// Loops of roots, exponentials, logarithms, trigonometric and hyperbolic functions.
#include "device/cpu/loops/vector_math.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

static constexpr auto kRows = make_section<OpCode::Sqrt, OpCode::Expit>();
const Section kMath = {OpCode::Sqrt, OpCode::Expit, kRows.data()};

}  // namespace numloom::cpu::NUMLOOM_TARGET
