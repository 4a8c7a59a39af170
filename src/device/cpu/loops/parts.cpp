// Loops of the operations that functions are made of: copy, where, parts of complex numbers; and what half
// precision needs.
#include "device/cpu/loops/by_size.hpp"
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
void fill(void* out, int64_t itemsize, int64_t n) {
    by_size(itemsize, [=]<class T>() { fill_with<T>(out, n); });
}

}  // namespace numloom::cpu::NUMLOOM_TARGET
