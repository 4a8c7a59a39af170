// Accuracy and special values of the mathematical functions, and the values that NumPy gives where C would
// not.
#include <gtest/gtest.h>

#include <cmath>

#include "device/cpu/loops.hpp"
#include "ops_samples.hpp"

namespace numloom::testing {
namespace {

template <class T>
constexpr DType kTypeOf = std::is_same_v<T, float> ? DType::Float32 : DType::Float64;

template <class T>
std::vector<T> evaluate(const cpu::LoopTable& table, OpCode op, const std::vector<T>& a,
                        const std::vector<T>& b = {}) {
    std::vector<T> out(a.size());
    const void* in[2] = {a.data(), b.data()};
    table.compute(op, kTypeOf<T>, 0)(out.data(), in, static_cast<int64_t>(a.size()));
    return out;
}

// Units in the last place between a result and the value that it should round to.
template <class T>
double ulps(T found, long double exact) {
    const T rounded = static_cast<T>(exact);
    if (std::isnan(exact) || std::isinf(rounded)) {
        const bool next_to_overflow = std::isinf(rounded) && std::abs(found) == std::numeric_limits<T>::max();
        const bool same = std::isnan(exact) ? std::isnan(found) : found == rounded;
        return same || next_to_overflow ? 0 : std::numeric_limits<double>::infinity();
    }
    if (found == rounded) return 0;
    const T size = std::abs(rounded);
    const long double unit =
        std::nextafter(size, std::numeric_limits<T>::infinity()) - static_cast<long double>(size);
    return static_cast<double>(std::abs(found - exact) / unit);
}

struct Function {
    OpCode op;
    long double (*exact)(long double);
    double low, high;  // of the arguments
    double bound;      // ulp
};
long double expit(long double x) { return 1 / (1 + std::exp(-x)); }

const Function kFunctions[] = {
    {OpCode::Exp, expl, -700, 700, 1},
    {OpCode::Exp, expl, -2, 2, 1},
    {OpCode::Exp2, exp2l, -1000, 1000, 1},
    {OpCode::Expm1, expm1l, -40, 80, 1},
    {OpCode::Expm1, expm1l, -0.01, 0.01, 1},
    {OpCode::Log, logl, 0, 3, 1},
    {OpCode::Log, logl, 0.9, 1.1, 1},
    {OpCode::Log, logl, 0, 1e30, 1},
    {OpCode::Log2, log2l, 0, 100, 1},
    {OpCode::Log10, log10l, 0, 100, 1},
    {OpCode::Log1p, log1pl, -0.99, 5, 1},
    {OpCode::Log1p, log1pl, 5, 3e38, 1},
    {OpCode::Log1p, log1pl, -1e-3, 1e-3, 1},
    {OpCode::Sin, sinl, -3.2, 3.2, 1},
    {OpCode::Sin, sinl, -1e4, 1e4, 1},
    {OpCode::Sin, sinl, -1e15, 1e15, 1},
    {OpCode::Cos, cosl, -3.2, 3.2, 1},
    {OpCode::Cos, cosl, -1e4, 1e4, 1},
    {OpCode::Cos, cosl, -1e15, 1e15, 1},
    {OpCode::Tan, tanl, -3.2, 3.2, 1},
    {OpCode::Tan, tanl, -1e6, 1e6, 1},
    {OpCode::ArcSin, asinl, -1, 1, 1},
    {OpCode::ArcCos, acosl, -1, 1, 1},
    {OpCode::ArcTan, atanl, -10, 10, 1},
    {OpCode::Sinh, sinhl, -88, 88, 1},
    {OpCode::Sinh, sinhl, -720, 720, 1},
    {OpCode::Cosh, coshl, -720, 720, 1},
    {OpCode::Tanh, tanhl, -25, 25, 1},
    {OpCode::Tanh, tanhl, -0.1, 0.1, 1},
    {OpCode::ArcSinh, asinhl, -1e3, 1e3, 1},
    {OpCode::ArcSinh, asinhl, -1e300, 1e300, 1},
    {OpCode::ArcCosh, acoshl, 1, 1e3, 1},
    {OpCode::ArcCosh, acoshl, 1, 1e300, 1},
    {OpCode::ArcTanh, atanhl, -1, 1, 1},
    {OpCode::Cbrt, cbrtl, -1e3, 1e3, 1},
    {OpCode::Erf, erfl, -6, 6, 2.5},
    {OpCode::Erf, erfl, -0.01, 0.01, 2.5},
    {OpCode::Erfc, erfcl, -5, 26, 2.5},
    {OpCode::Expit, expit, -30, 30, 2.5},
};

template <class T>
void check_accuracy(const cpu::LoopTable& table, const Function& f) {
    std::mt19937_64 rng(12345);
    const double largest = static_cast<double>(std::numeric_limits<T>::max());
    std::uniform_real_distribution<double> uniform(std::max(f.low, -largest), std::min(f.high, largest));
    std::vector<T> arguments(20000);
    for (T& x : arguments) x = static_cast<T>(uniform(rng));
    const std::vector<T> found = evaluate(table, f.op, arguments);
    double worst = 0;
    T at = 0;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const double error = ulps(found[i], f.exact(static_cast<long double>(arguments[i])));
        if (error > worst) {
            worst = error;
            at = arguments[i];
        }
    }
#if defined(NUMLOOM_SLEEF)
    const double bound = f.bound;
#else
    const double bound = 2.5;  // the C library's scalar functions
#endif
    // The reference itself is rounded, to 64 bits.
    EXPECT_LE(worst, bound + 0.001) << table.name << " " << operation(f.op).name << " of " << name(kTypeOf<T>)
                                    << " at " << at;
}

TEST(Math, KeepsTheAccuracyRule) {
    for (const cpu::LoopTable* table : cpu::supported_loops()) {
        for (const Function& f : kFunctions) {
            check_accuracy<float>(*table, f);
            check_accuracy<double>(*table, f);
        }
    }
}

template <class T>
void check_special_values(const cpu::LoopTable& table) {
    const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const T tiny = std::numeric_limits<T>::denorm_min(), big = std::numeric_limits<T>::max();
    struct Value {
        OpCode op;
        T argument, result;
    };
    const Value values[] = {
        {OpCode::Exp, -inf, 0},
        {OpCode::Exp, inf, inf},
        {OpCode::Exp, 0, 1},
        {OpCode::Exp, -big, 0},
        {OpCode::Exp, big, inf},
        {OpCode::Log, 0, -inf},
        {OpCode::Log, -T{0}, -inf},
        {OpCode::Log, -1, nan},
        {OpCode::Log, inf, inf},
        {OpCode::Log, 1, 0},
        {OpCode::Log1p, -1, -inf},
        {OpCode::Log1p, -T{0}, -T{0}},
        {OpCode::Expm1, -inf, -1},
        {OpCode::Expm1, -T{0}, -T{0}},
        {OpCode::Sin, -T{0}, -T{0}},
        {OpCode::Sin, inf, nan},
        {OpCode::Sin, tiny, tiny},
        {OpCode::Cos, 0, 1},
        {OpCode::Cos, -inf, nan},
        {OpCode::Tan, -T{0}, -T{0}},
        {OpCode::Tanh, inf, 1},
        {OpCode::Tanh, -inf, -1},
        {OpCode::Tanh, -T{0}, -T{0}},
        {OpCode::Erf, inf, 1},
        {OpCode::Erf, -inf, -1},
        {OpCode::Erf, -T{0}, -T{0}},
        {OpCode::Erfc, inf, 0},
        {OpCode::Erfc, -inf, 2},
        {OpCode::ArcSin, 2, nan},
        {OpCode::ArcCos, 1, 0},
        {OpCode::ArcTanh, 1, inf},
        {OpCode::ArcTanh, -1, -inf},
        {OpCode::ArcCosh, 1, 0},
        {OpCode::ArcCosh, 0, nan},
        {OpCode::Sqrt, -T{0}, -T{0}},
        {OpCode::Sqrt, -1, nan},
        {OpCode::Sqrt, inf, inf},
        {OpCode::Cbrt, -8, -2},
        {OpCode::Cbrt, -T{0}, -T{0}},
        {OpCode::Sinh, -inf, -inf},
        {OpCode::Cosh, -inf, inf},
        {OpCode::ArcSinh, -inf, -inf},
        {OpCode::ArcTan, -T{0}, -T{0}},
    };
    for (const Value& v : values) {
        const T found = evaluate<T>(table, v.op, {v.argument})[0];
        const bool same = v.result != v.result
                              ? found != found
                              : found == v.result && std::signbit(found) == std::signbit(v.result);
        EXPECT_TRUE(same) << table.name << " " << operation(v.op).name << "(" << v.argument
                          << ") = " << found;
    }
    for (const Function& f : kFunctions)
        EXPECT_TRUE(std::isnan(evaluate<T>(table, f.op, {nan})[0]))
            << table.name << " " << operation(f.op).name;
    EXPECT_EQ(evaluate<T>(table, OpCode::Power, {0}, {0})[0], 1);
    EXPECT_EQ(evaluate<T>(table, OpCode::Power, {nan}, {0})[0], 1);
    EXPECT_EQ(evaluate<T>(table, OpCode::Power, {-2}, {3})[0], -8);
    EXPECT_TRUE(std::isnan(evaluate<T>(table, OpCode::Power, {-2}, {T(0.5)})[0]));
    EXPECT_EQ(evaluate<T>(table, OpCode::Hypot, {inf}, {nan})[0], inf);
    EXPECT_EQ(evaluate<T>(table, OpCode::Hypot, {3}, {4})[0], 5);
}

TEST(Math, SpecialValues) {
    for (const cpu::LoopTable* table : cpu::supported_loops()) {
        check_special_values<float>(*table);
        check_special_values<double>(*table);
    }
}

// --- what NumPy gives ---

template <class T>
T apply(OpCode op, DType d, T a, T b) {
    T out;
    const void* in[2] = {&a, &b};
    cpu::loops().compute(op, d, 0)(&out, in, 1);
    return out;
}
double real(OpCode op, double a, double b) { return apply(op, DType::Float64, a, b); }
int64_t whole(OpCode op, int64_t a, int64_t b) { return apply(op, DType::Int64, a, b); }

TEST(Semantics, FloatDivisionWithRemainder) {
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(real(OpCode::Remainder, 1, inf), 1);
    EXPECT_EQ(real(OpCode::Remainder, -1, inf), inf);
    EXPECT_EQ(real(OpCode::FloorDivide, 1, 0.1), 9);
    EXPECT_EQ(real(OpCode::FloorDivide, 1, 0), inf);
    EXPECT_TRUE(std::isnan(real(OpCode::Remainder, 1, 0)));
    EXPECT_EQ(real(OpCode::Remainder, -7, 3), 2);
    EXPECT_TRUE(std::signbit(real(OpCode::Remainder, 6, -3)));
    EXPECT_EQ(real(OpCode::Fmod, -7, 3), -1);
    const float f[3] = {-4.4f, 5.665f, 105.88f};
    const float expected[3] = {-45, 56, 1058};
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(apply(OpCode::FloorDivide, DType::Float32, f[i], 0.1f), expected[i]);
}

TEST(Semantics, WholeNumbers) {
    const int64_t least = std::numeric_limits<int64_t>::min();
    EXPECT_EQ(whole(OpCode::FloorDivide, 7, 0), 0);
    EXPECT_EQ(whole(OpCode::Remainder, 7, 0), 0);
    EXPECT_EQ(whole(OpCode::FloorDivide, least, -1), least);
    EXPECT_EQ(whole(OpCode::Remainder, least, -1), 0);
    EXPECT_EQ(whole(OpCode::FloorDivide, -7, 2), -4);
    EXPECT_EQ(whole(OpCode::Remainder, -7, 2), 1);
    EXPECT_EQ(whole(OpCode::Fmod, -7, 2), -1);
    EXPECT_EQ(whole(OpCode::RightShift, 1, 64), 0);
    EXPECT_EQ(whole(OpCode::RightShift, -1, 64), -1);
    EXPECT_EQ(whole(OpCode::LeftShift, 1, 64), 0);
    EXPECT_EQ(whole(OpCode::LeftShift, 1, -1), 0);
    EXPECT_EQ(whole(OpCode::Power, 3, 5), 243);
    EXPECT_EQ(whole(OpCode::Power, 2, 64), 0);
    EXPECT_EQ(whole(OpCode::Gcd, -12, 18), 6);
    EXPECT_EQ(whole(OpCode::Lcm, -4, 6), 12);
    EXPECT_EQ(whole(OpCode::Reciprocal, 0, 0), least);
    EXPECT_EQ(apply<int8_t>(OpCode::Add, DType::Int8, 127, 1), -128);
    EXPECT_EQ(apply<uint16_t>(OpCode::Multiply, DType::UInt16, 65535, 65535), 1);
}

TEST(Semantics, ExtremaAndSigns) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(real(OpCode::Minimum, nan, 1)));
    EXPECT_TRUE(std::isnan(real(OpCode::Maximum, 1, nan)));
    EXPECT_EQ(real(OpCode::Fmin, nan, 1), 1);
    EXPECT_EQ(real(OpCode::Fmax, 1, nan), 1);
    EXPECT_TRUE(std::signbit(real(OpCode::Maximum, 0.0, -0.0)));
    EXPECT_FALSE(std::signbit(real(OpCode::Minimum, -0.0, 0.0)));
    EXPECT_TRUE(std::isnan(real(OpCode::Sign, nan, 0)));
    EXPECT_FALSE(std::signbit(real(OpCode::Sign, -0.0, 0)));
    EXPECT_EQ(real(OpCode::NextAfter, 0, 1), std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(real(OpCode::Spacing, 1, 0), std::numeric_limits<double>::epsilon());
    EXPECT_EQ(real(OpCode::Ldexp, 0.75, -1074), std::ldexp(0.75, -1074));
    EXPECT_EQ(real(OpCode::Ldexp, std::numeric_limits<double>::denorm_min(), 1100),
              std::ldexp(0x1p-1074, 1100));
    EXPECT_EQ(real(OpCode::FrexpMantissa, -6, 0), -0.75);
    EXPECT_TRUE(std::signbit(real(OpCode::ModfFraction, -3, 0)));
}

TEST(Semantics, ComplexNumbers) {
    using Z = std::complex<double>;
    const double inf = std::numeric_limits<double>::infinity();
    const auto z = [](OpCode op, Z a, Z b) { return apply(op, DType::Complex128, a, b); };
    EXPECT_EQ(z(OpCode::Divide, Z(1, 2), Z(3, 4)), Z(0.44, 0.08));
    EXPECT_EQ(z(OpCode::Sign, Z(3, 4), 0), Z(0.6, 0.8));
    EXPECT_EQ(z(OpCode::Sign, Z(-inf, 1), 0), Z(-1, 0));
    EXPECT_EQ(z(OpCode::Power, Z(0, 1), Z(2, 0)), Z(-1, 0));
    EXPECT_EQ(z(OpCode::Power, Z(0, 0), Z(0, 0)), Z(1, 0));
    EXPECT_EQ(z(OpCode::Maximum, Z(1, 2), Z(1, 3)), Z(1, 3));
    // The product of each part is fused once, as in NumPy's loops.
    const double a = 1 + 0x1p-30, b = 1 - 0x1p-30;
    EXPECT_EQ(z(OpCode::Multiply, Z(a, 1), Z(b, 1)).real(), std::fma(a, b, -1.0));
}

}  // namespace
}  // namespace numloom::testing
