// The CPU device against the reference evaluator: random kernels, random parts of their space, every byte
// compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "device/cpu/jit/jit.hpp"
#include "device/device.hpp"
#include "reference_evaluator.hpp"

namespace numloom::testing {
namespace {

int64_t cases(int64_t usual) {
    const char* s = std::getenv("NUMLOOM_TEST_KERNELS");
    return s ? std::strtoll(s, nullptr, 10) : usual;
}

// Cut points of [0, n) at random places.
std::vector<int64_t> cuts(std::mt19937_64& rng, int64_t n) {
    std::vector<int64_t> c{0, n};
    for (int64_t i = static_cast<int64_t>(rng() % 5); i > 0 && n > 0; --i)
        c.push_back(static_cast<int64_t>(rng() % static_cast<uint64_t>(n)));
    std::sort(c.begin(), c.end());
    return c;
}

void check_elementwise(uint64_t seed, int64_t most_points, bool assembled = false) {
    std::mt19937_64 rng(seed);
    RandomOptions options;
    options.most_points = most_points;
    options.assembled = assembled;
    const RandomKernel k = random_kernel(rng, options);
    ASSERT_EQ(kernel::verify(k.kernel), "") << print(k.kernel);
    auto device = make_cpu_device(0, 1);
    auto program = device->compile(k.kernel);
    std::vector<Memory> expected = k.memories, whole = k.memories, parts = k.memories;
    kernel::Launch l;
    l.constants = k.constants.data();
    l.end = k.kernel.points();
    std::vector<char*> p = k.pointers(&expected);
    l.pointers = p.data();
    evaluate(k.kernel, l);
    std::vector<char*> q = k.pointers(&whole);
    l.pointers = q.data();
    device->launch(*program, l);
    ASSERT_EQ(difference(k, expected, whole), "") << "seed " << seed << ", whole launch";
    std::vector<char*> r = k.pointers(&parts);
    l.pointers = r.data();
    const std::vector<int64_t> c = cuts(rng, k.kernel.points());
    for (size_t i = 0; i + 1 < c.size(); ++i) {
        l.begin = c[i];
        l.end = c[i + 1];
        device->launch(*program, l);
    }
    ASSERT_EQ(difference(k, expected, parts), "") << "seed " << seed << ", in parts";
}

void check_reduction(uint64_t seed, int64_t most_points, bool assembled = false) {
    std::mt19937_64 rng(seed);
    RandomOptions options;
    options.reduce = true;
    options.most_points = most_points;
    options.assembled = assembled;
    const RandomKernel k = random_kernel(rng, options);
    ASSERT_EQ(kernel::verify(k.kernel), "") << print(k.kernel);
    auto device = make_cpu_device(0, 1);
    auto program = device->compile(k.kernel);
    std::vector<Memory> expected = k.memories, whole = k.memories, parts = k.memories;
    kernel::Launch l;
    l.constants = k.constants.data();
    const int64_t units = k.kernel.kept_points() * k.kernel.leaves();
    l.end = units;
    std::vector<char*> p = k.pointers(&expected);
    l.pointers = p.data();
    evaluate(k.kernel, l);
    std::vector<char*> q = k.pointers(&whole);
    l.pointers = q.data();
    device->launch(*program, l);
    ASSERT_EQ(difference(k, expected, whole), "") << "seed " << seed << ", whole launch";
    std::vector<char*> r = k.pointers(&parts);
    l.pointers = r.data();
    std::vector<char> partials(k.kernel.reductions.size() * static_cast<size_t>(units) * 16 + 16);
    l.partials = partials.data();
    const std::vector<int64_t> c = cuts(rng, units);
    for (size_t i = 0; i + 1 < c.size(); ++i) {
        l.begin = c[i];
        l.end = c[i + 1];
        device->launch(*program, l);
    }
    const std::vector<int64_t> f = cuts(rng, k.kernel.kept_points());
    for (size_t i = 0; i + 1 < f.size(); ++i) device->finish(*program, l, f[i], f[i + 1]);
    ASSERT_EQ(difference(k, expected, parts), "") << "seed " << seed << ", in parts";
}

TEST(Interpreter, RandomElementwiseKernels) {
    for (int64_t i = 0; i < cases(3000) && !HasFatalFailure(); ++i)
        check_elementwise(static_cast<uint64_t>(i), 3000);
}

TEST(Interpreter, RandomLargerElementwiseKernels) {
    for (int64_t i = 0; i < cases(150) && !HasFatalFailure(); ++i)
        check_elementwise(static_cast<uint64_t>(1000000 + i), 60000);
}

TEST(Interpreter, RandomReductions) {
    for (int64_t i = 0; i < cases(3000) && !HasFatalFailure(); ++i)
        check_reduction(static_cast<uint64_t>(2000000 + i), 3000);
}

TEST(Interpreter, RandomLargerReductions) {
    for (int64_t i = 0; i < cases(150) && !HasFatalFailure(); ++i)
        check_reduction(static_cast<uint64_t>(3000000 + i), 200000);
}

// The same for tapes that the assembler takes.
TEST(Assembler, RandomElementwiseKernels) {
    const int64_t before = cpu::compiled_loops();
    for (int64_t i = 0; i < cases(3000) && !HasFatalFailure(); ++i)
        check_elementwise(static_cast<uint64_t>(4000000 + i), 3000, true);
    if (cpu::jit_available() && cases(3000) > 0) {
        EXPECT_GT(cpu::compiled_loops(), before + cases(3000) / 2);
    }
}

TEST(Assembler, RandomReductions) {
    for (int64_t i = 0; i < cases(2000) && !HasFatalFailure(); ++i)
        check_reduction(static_cast<uint64_t>(5000000 + i), 5000, true);
}

}  // namespace
}  // namespace numloom::testing
