// Loops of rounding and classification.
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

static constexpr auto kRows = make_section<OpCode::Floor, OpCode::CopySign>();
const Section kFloating = {OpCode::Floor, OpCode::CopySign, kRows.data()};

}  // namespace numloom::cpu::NUMLOOM_TARGET
