// Loops of signs, sizes and extrema.
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

static constexpr auto kRows = make_section<OpCode::Negative, OpCode::Fmax>();
const Section kExtrema = {OpCode::Negative, OpCode::Fmax, kRows.data()};

}  // namespace numloom::cpu::NUMLOOM_TARGET
