// Loops of division, remainders and powers.
#include "device/cpu/loops/vector_math.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

#if defined(__AVX512DQ__)

// Int64 by one divisor. Vectors have no integer division, but where both numbers lie within 2^51 the quotient
// in double, rounded, stays on its side of every whole number: it is at least 1/|s| away, and the rounding
// moves it by less than 1/(4|s|).
template <OpCode op>
static void by_one_divisor(void* out, const void* const* in, int64_t n) {
    constexpr int64_t kBlock = 512, kExact = int64_t{1} << 51;
    auto* o = static_cast<int64_t*>(out);
    const int64_t* a = input<int64_t>(in, 0);
    const int64_t s = *input<int64_t>(in, 1);
    const bool narrow = s > -kExact && s < kExact && s != 0;
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t count = n - first < kBlock ? n - first : kBlock;
        const int64_t* x = a + first;
        int64_t* y = o + first;
        int64_t wide = narrow ? 0 : 1;
        for (int64_t i = 0; i < count; ++i) wide |= x[i] <= -kExact || x[i] >= kExact ? 1 : 0;
        if (wide != 0) {
            const void* block[2] = {x, &s};
            binary<FunctorOf<op>::template type, int64_t, 2u>(y, block, count);
            continue;
        }
        const auto divisor = static_cast<double>(s);
        NL_INDEPENDENT
        for (int64_t i = 0; i < count; ++i) {
            const auto quotient = static_cast<int64_t>(static_cast<double>(x[i]) / divisor);
            const int64_t remainder = x[i] - quotient * s;
            const int64_t adjust = remainder != 0 && (remainder < 0) != (s < 0) ? 1 : 0;
            if constexpr (op == OpCode::FloorDivide) {
                y[i] = quotient - adjust;
            } else if constexpr (op == OpCode::Remainder) {
                y[i] = adjust != 0 ? remainder + s : remainder;
            } else {
                y[i] = remainder;
            }
        }
    }
}
template <>
struct PlainLoop<OpCode::FloorDivide, DType::Int64, 2u> {
    static constexpr Loop get() { return &by_one_divisor<OpCode::FloorDivide>; }
};
template <>
struct PlainLoop<OpCode::Remainder, DType::Int64, 2u> {
    static constexpr Loop get() { return &by_one_divisor<OpCode::Remainder>; }
};
template <>
struct PlainLoop<OpCode::Fmod, DType::Int64, 2u> {
    static constexpr Loop get() { return &by_one_divisor<OpCode::Fmod>; }
};

#endif

static constexpr auto kRows = make_section<OpCode::Divide, OpCode::FloatPower>();
const Section kDivide = {OpCode::Divide, OpCode::FloatPower, kRows.data()};

}  // namespace numloom::cpu::NUMLOOM_TARGET
