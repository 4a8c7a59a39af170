// Loops of rounding and classification.
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

static constexpr auto kRows = make_section<OpCode::Floor, OpCode::Rad2Deg>();
const Section kFloating = {OpCode::Floor, OpCode::Rad2Deg, kRows.data()};

}  // namespace numloom::cpu::NUMLOOM_TARGET
