// Loops of the operations that functions are made of: copy, where, parts of complex numbers; and what half
// precision needs.
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

static constexpr auto kRows = make_section<OpCode::Copy, OpCode::Ldexp>();
const Section kParts = {OpCode::Copy, OpCode::Ldexp, kRows.data()};

template <class T>
static void fill_with(void* out, int64_t n) {
    T* o = static_cast<T*>(out);
    const T value = o[0];
    for (int64_t i = 0; i < n; ++i) o[i] = value;
}
struct Bytes16 {
    uint64_t low, high;
};
void fill(void* out, int64_t itemsize, int64_t n) {
    switch (itemsize) {
        case 1:
            return fill_with<uint8_t>(out, n);
        case 2:
            return fill_with<uint16_t>(out, n);
        case 4:
            return fill_with<uint32_t>(out, n);
        case 8:
            return fill_with<uint64_t>(out, n);
        default:
            return fill_with<Bytes16>(out, n);
    }
}

}  // namespace numloom::cpu::NUMLOOM_TARGET
