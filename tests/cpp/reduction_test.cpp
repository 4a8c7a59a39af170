// The tree of leaves, identities, and the rules of the IR's verifier and printer.
#include "kernel/reduction.hpp"

#include <gtest/gtest.h>

#include <string>

namespace numloom::kernel {
namespace {

std::string split(int64_t first, int64_t n) {
    if (n == 1) return std::to_string(first);
    int64_t half = 1;
    while (half * 2 < n) half *= 2;
    return "(" + split(first, half) + "+" + split(first + half, n - half) + ")";
}

std::string halved(std::vector<std::string> v) {
    combine_leaves(static_cast<int64_t>(v.size()), [&](int64_t i, int64_t j) {
        v[static_cast<size_t>(i)] = "(" + v[static_cast<size_t>(i)] + "+" + v[static_cast<size_t>(j)] + ")";
    });
    return v[0];
}

TEST(ReductionTree, SplitsAtTheLargestPowerOfTwoBelow) {
    for (int64_t n = 1; n < 200; ++n) {
        std::vector<std::string> v;
        for (int64_t i = 0; i < n; ++i) v.push_back(std::to_string(i));
        ASSERT_EQ(halved(v), split(0, n));
    }
}

TEST(ReductionTree, AlignedGroupsAreSubtrees) {
    for (int64_t n = 1; n < 150; ++n)
        for (int64_t group : {2, 4, 16, 64}) {
            std::vector<std::string> groups;
            for (int64_t first = 0; first < n; first += group) {
                std::vector<std::string> v;
                for (int64_t i = first; i < std::min(n, first + group); ++i) v.push_back(std::to_string(i));
                groups.push_back(halved(v));
            }
            ASSERT_EQ(halved(groups), split(0, n)) << n << " in groups of " << group;
        }
}

TEST(Reduction, Identities) {
    Scalar s;
    ASSERT_TRUE(identity(OpCode::Add, DType::Float64, &s));
    EXPECT_EQ(s.as<double>(), 0.0);
    ASSERT_TRUE(identity(OpCode::Multiply, DType::Int32, &s));
    EXPECT_EQ(s.as<int32_t>(), 1);
    ASSERT_TRUE(identity(OpCode::BitwiseAnd, DType::UInt8, &s));
    EXPECT_EQ(s.as<uint8_t>(), 255);
    ASSERT_TRUE(identity(OpCode::LogicalAnd, DType::Bool, &s));
    EXPECT_TRUE(s.as<bool>());
    EXPECT_FALSE(identity(OpCode::Maximum, DType::Float64, &s));
}

Kernel small_kernel() {
    Kernel k;
    k.shape = {4, 3};
    k.kept = 1;
    k.accesses.push_back({0, DType::Float32, false, false, {12, 4}});
    k.accesses.push_back({1, DType::Float64, true, false, {8, 0}});
    k.constants = {DType::Float64};
    auto entry = [](TapeKind kind, DType type, int32_t index) {
        TapeEntry e;
        e.kind = kind;
        e.type = type;
        e.index = index;
        return e;
    };
    k.tape.push_back(entry(TapeKind::Load, DType::Float32, 0));
    TapeEntry cast = entry(TapeKind::Cast, DType::Float64, 0);
    cast.from = DType::Float32;
    cast.in[0] = 0;
    k.tape.push_back(cast);
    k.reductions.push_back({OpCode::Add, DType::Float64, 1});
    k.finish.push_back(entry(TapeKind::Reduced, DType::Float64, 0));
    k.finish.push_back(entry(TapeKind::Constant, DType::Float64, 0));
    TapeEntry divide = entry(TapeKind::Compute, DType::Float64, 0);
    divide.op = OpCode::Divide;
    divide.in[0] = 0;
    divide.in[1] = 1;
    k.finish.push_back(divide);
    TapeEntry store = entry(TapeKind::Store, DType::Float64, 1);
    store.in[0] = 2;
    k.finish.push_back(store);
    return k;
}

TEST(KernelText, IsStable) {
    EXPECT_EQ(print(small_kernel()),
              "kernel (4, 3) kept 1\n"
              "  a0: read v0 float32 (12, 4)\n"
              "  a1: write v1 float64 (8, 0)\n"
              "  c0: float64\n"
              "  %0 = load a0 : float32\n"
              "  %1 = cast float32 %0 : float64\n"
              "  r0 = reduce add %1 : float64\n"
              "finish\n"
              "  %0 = reduced r0 : float64\n"
              "  %1 = constant c0 : float64\n"
              "  %2 = divide %0, %1 : float64\n"
              "  store a1, %2\n");
    EXPECT_EQ(print(small_kernel(), false).find("(4, 3)"), std::string::npos);
    EXPECT_EQ(small_kernel().points(), 12);
    EXPECT_EQ(small_kernel().kept_points(), 4);
    EXPECT_EQ(small_kernel().leaves(), 1);
}

TEST(KernelVerifier, FindsEachViolation) {
    EXPECT_EQ(verify(small_kernel()), "");
    auto broken = [](auto change) {
        Kernel k = small_kernel();
        change(k);
        return verify(k);
    };
    EXPECT_NE(broken([](Kernel& k) { k.kept = 3; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.shape[0] = -1; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.accesses[0].strides.pop_back(); }), "");
    EXPECT_NE(broken([](Kernel& k) { k.accesses[0].stores = true; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.accesses[1].strides[1] = 8; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.tape[0].type = DType::Float64; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.tape[1].in[0] = 1; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.tape[1].from = DType::Int8; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.reductions[0].op = OpCode::Subtract; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.reductions[0].type = DType::Float32; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.finish[1].index = 1; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.finish[2].op = OpCode::LogicalNot; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.finish[3].in[0] = 3; }), "");
    EXPECT_NE(broken([](Kernel& k) { k.reductions.clear(); }), "");
}

}  // namespace
}  // namespace numloom::kernel
