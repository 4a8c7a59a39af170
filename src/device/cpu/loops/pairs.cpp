// Two operations in one loop, each rounded once: half the traffic through the first cache where the
// intermediate has no other use.
#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

namespace {

template <class T, template <class> class First, template <class> class Second, bool left, unsigned mask>
void pair(void* out, const void* const* in, int64_t n) {
    T* o = static_cast<T*>(out);
    const T *a = input<T>(in, 0), *b = input<T>(in, 1), *c = input<T>(in, 2);
    const T p = a[0], q = b[0], r = c[0];
    NL_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) {
        const T t = First<T>::apply((mask & 1u) ? p : a[i], (mask & 2u) ? q : b[i]);
        const T u = (mask & 4u) ? r : c[i];
        o[i] = left ? Second<T>::apply(t, u) : Second<T>::apply(u, t);
    }
}

constexpr unsigned kPairMasks = 7;  // not all three scalar
using PairMasks = std::array<Loop, kPairMasks>;

template <class T, OpCode first, OpCode second, bool left, unsigned... mask>
constexpr PairMasks pair_masks(std::integer_sequence<unsigned, mask...>) {
    return {&pair<T, FunctorOf<first>::template type, FunctorOf<second>::template type, left, mask>...};
}

// By first operation, second operation, side.
template <class T>
constexpr auto pair_table() {
    constexpr OpCode ops[3] = {OpCode::Add, OpCode::Subtract, OpCode::Multiply};
    std::array<PairMasks, 18> table{};
    [&]<size_t... i>(std::index_sequence<i...>) {
        ((table[i] = pair_masks<T, ops[i / 6], ops[i / 2 % 3], i % 2 == 1>(
              std::make_integer_sequence<unsigned, kPairMasks>{})),
         ...);
    }
    (std::make_index_sequence<18>{});
    return table;
}

constexpr auto kFloatPairs = pair_table<float>();
constexpr auto kDoublePairs = pair_table<double>();

int row_of(OpCode op) {
    return op == OpCode::Add ? 0 : op == OpCode::Subtract ? 1 : op == OpCode::Multiply ? 2 : -1;
}

}  // namespace

Loop find_pair(OpCode first, OpCode second, bool first_is_left, DType loop, unsigned scalar_mask) {
    const int f = row_of(first), s = row_of(second);
    if (f < 0 || s < 0 || scalar_mask >= kPairMasks) return nullptr;
    const auto row = static_cast<size_t>(f * 6 + s * 2 + (first_is_left ? 1 : 0));
    if (loop == DType::Float32) return kFloatPairs[row][scalar_mask];
    return loop == DType::Float64 ? kDoublePairs[row][scalar_mask] : nullptr;
}

}  // namespace numloom::cpu::NUMLOOM_TARGET
