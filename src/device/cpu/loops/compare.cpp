// Loops of comparison and logic.
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

static constexpr auto kRows = make_section<OpCode::Equal, OpCode::LogicalNot>();
const Section kCompare = {OpCode::Equal, OpCode::LogicalNot, kRows.data()};

}  // namespace numloom::cpu::NUMLOOM_TARGET
