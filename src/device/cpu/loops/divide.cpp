// Loops of division, remainders and powers.
#include "device/cpu/loops/vector_math.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

static constexpr auto kRows = make_section<OpCode::Divide, OpCode::FloatPower>();
const Section kDivide = {OpCode::Divide, OpCode::FloatPower, kRows.data()};

}  // namespace numloom::cpu::NUMLOOM_TARGET
