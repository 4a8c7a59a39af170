#if NUMLOOM_XBYAK

#include "device/cpu/jit/jit.hpp"

namespace numloom::cpu {

std::unique_ptr<CompiledLoop> assemble_avx2(const LoopSource&) { return nullptr; }

}  // namespace numloom::cpu

#endif
