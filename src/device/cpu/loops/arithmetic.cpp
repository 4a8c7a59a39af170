// Loops of + - *.
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

static constexpr auto kRows = make_section<OpCode::Add, OpCode::Multiply>();
const Section kArithmetic = {OpCode::Add, OpCode::Multiply, kRows.data()};

}  // namespace numloom::cpu::NUMLOOM_TARGET
