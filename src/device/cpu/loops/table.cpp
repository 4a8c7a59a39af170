// The loops of one instruction set behind one table.
#include <cstdlib>

#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

namespace {

const Section* section_of(OpCode op) {
    static const Section* const kSections[] = {&kArithmetic, &kDivide,   &kExtrema,  &kCompare, &kBits,
                                               &kMath,       &kFloating, &kIntegers, &kParts};
    for (const Section* s : kSections) {
        if (op >= s->first && op <= s->last) return s;
    }
    return nullptr;
}

Loop find_compute(OpCode op, DType loop, unsigned scalar_mask) {
    static const bool fast = [] {
        const char* math = std::getenv("NUMLOOM_MATH");
        return math != nullptr && std::strcmp(math, "fast") == 0;
    }();
    const Section* s = section_of(op);
    if (s == nullptr || scalar_mask >= kMasks) return nullptr;
    if (fast) {
        if (const Loop quick = find_fast_math(op, loop, scalar_mask)) return quick;
    }
    const auto row = static_cast<size_t>(op) - static_cast<size_t>(s->first);
    return s->rows[row][static_cast<size_t>(loop)][scalar_mask];
}

#define NL_TEXT_OF(x) #x
#define NL_TEXT(x) NL_TEXT_OF(x)

}  // namespace

extern const LoopTable kTable;
const LoopTable kTable = {
    NL_TEXT(NUMLOOM_TARGET), find_compute, find_cast,   find_gather, find_scatter, find_transpose, find_fold,
    find_fold_leaves,        find_combine, stream_copy, find_pair};

}  // namespace numloom::cpu::NUMLOOM_TARGET
