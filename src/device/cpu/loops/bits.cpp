// Loops of bit operations and shifts.
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

static constexpr auto kRows = make_section<OpCode::BitwiseAnd, OpCode::RightShift>();
const Section kBits = {OpCode::BitwiseAnd, OpCode::RightShift, kRows.data()};

}  // namespace numloom::cpu::NUMLOOM_TARGET
