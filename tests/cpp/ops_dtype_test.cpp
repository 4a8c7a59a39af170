// Promotion, casting rules and the choice of loops.
#include <gtest/gtest.h>

#include "core/scalar.hpp"
#include "ops/operation.hpp"

namespace numloom::testing {
namespace {

DType of(char code) {
    DType d;
    EXPECT_TRUE(dtype_from_code(code, &d)) << code;
    return d;
}

// numpy.promote_types for all pairs, rows and columns in the order of kCodes; taken from NumPy 2.5.
constexpr std::string_view kCodes = "?bBhHiIlLefdFD";
constexpr std::string_view kPromoted[] = {
    "?bBhHiIlLefdFD", "bbhhiilldefdFD", "BhBhHiIlLefdFD", "hhhhiilldffdFD", "HiHiHiIlLffdFD",
    "iiiiiillddddDD", "IlIlIlIlLdddDD", "llllllllddddDD", "LdLdLdLdLdddDD", "eeeffddddefdFD",
    "fffffddddffdFD", "ddddddddddddDD", "FFFFFDDDDFFDFD", "DDDDDDDDDDDDDD",
};

TEST(DTypes, PromoteAsNumPy) {
    for (size_t i = 0; i < kCodes.size(); ++i) {
        for (size_t j = 0; j < kCodes.size(); ++j)
            EXPECT_EQ(info(promote(of(kCodes[i]), of(kCodes[j]))).code, kPromoted[i][j])
                << kCodes[i] << kCodes[j];
    }
}

TEST(DTypes, CastingRules) {
    EXPECT_TRUE(can_cast_safely(DType::Int64, DType::Float64));
    EXPECT_FALSE(can_cast_safely(DType::Int32, DType::Float32));
    EXPECT_TRUE(can_cast_same_kind(DType::Float64, DType::Float16));
    EXPECT_TRUE(can_cast_same_kind(DType::UInt64, DType::Int8));
    EXPECT_FALSE(can_cast_same_kind(DType::Int8, DType::UInt64));
    EXPECT_FALSE(can_cast_same_kind(DType::Float32, DType::Int64));
    EXPECT_FALSE(can_cast_same_kind(DType::Complex64, DType::Float64));
}

TEST(DTypes, ScalarsConvertAsOnX86) {
    const auto to = [](double value, DType d) { return cast_scalar(Scalar::of(value), DType::Float64, d); };
    EXPECT_EQ(to(300.7, DType::Int8).as<int8_t>(), 44);
    EXPECT_EQ(to(1e30, DType::Int32).as<int32_t>(), std::numeric_limits<int32_t>::min());
    EXPECT_EQ(to(-1.5, DType::UInt64).as<uint64_t>(), ~uint64_t{0});
    EXPECT_EQ(to(1e19, DType::UInt64).as<uint64_t>(), uint64_t{10000000000000000000u});
    // Through float the second rounding would go up.
    EXPECT_EQ(to(1 + 0x1p-11 + 0x1p-40, DType::Float16).as<Half>().bits, 0x3c01);
    EXPECT_EQ(to(1 + 0x1p-11, DType::Float16).as<Half>().bits, 0x3c00);
}

TEST(Operations, LoopsAreChosenInNumPysOrder) {
    const auto chosen = [](OpCode op, char code) {
        DType loop;
        return choose_loop(op, of(code), &loop) ? info(loop).code : '-';
    };
    EXPECT_EQ(chosen(OpCode::Sqrt, '?'), 'e');
    EXPECT_EQ(chosen(OpCode::Sqrt, 'h'), 'f');
    EXPECT_EQ(chosen(OpCode::Sqrt, 'l'), 'd');
    EXPECT_EQ(chosen(OpCode::Divide, 'i'), 'd');
    EXPECT_EQ(chosen(OpCode::Subtract, '?'), 'b');
    EXPECT_EQ(chosen(OpCode::BitwiseAnd, 'd'), '-');
    EXPECT_EQ(chosen(OpCode::ArcTan2, 'F'), '-');
    EXPECT_EQ(result_dtype(OpCode::Absolute, DType::Complex64), DType::Float32);
    EXPECT_EQ(result_dtype(OpCode::Less, DType::Float64), DType::Bool);
    EXPECT_EQ(result_dtype(OpCode::BitwiseCount, DType::Int64), DType::UInt8);
    EXPECT_EQ(result_dtype(OpCode::FrexpExponent, DType::Float16), DType::Int32);
}

TEST(Operations, AreFoundByName) {
    for (int op = 0; op < kOps; ++op)
        EXPECT_EQ(find_operation(kOperations[op].name), static_cast<OpCode>(op)) << kOperations[op].name;
    EXPECT_EQ(find_operation("no_such_function"), OpCode::Count);
}

}  // namespace
}  // namespace numloom::testing
