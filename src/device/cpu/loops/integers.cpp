// Loops of functions of whole numbers.
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

static constexpr auto kRows = make_section<OpCode::Gcd, OpCode::BitwiseCount>();
const Section kIntegers = {OpCode::Gcd, OpCode::BitwiseCount, kRows.data()};

}  // namespace numloom::cpu::NUMLOOM_TARGET
