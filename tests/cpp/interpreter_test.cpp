// The CPU device against the reference evaluator: random kernels, random parts of their space, every byte
// compared.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "device/cpu/jit/jit.hpp"
#include "device/cpu/loops.hpp"
#include "device/device.hpp"
#include "reference_evaluator.hpp"

namespace numloom::testing {
namespace {

int64_t cases(int64_t usual) {
    const char* s = std::getenv("NUMLOOM_TEST_KERNELS");
    if (s) return std::strtoll(s, nullptr, 10);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return usual / 6;  // about as much slower
#else
    return usual;
#endif
}

// Cut points of [0, n) at random places.
std::vector<int64_t> cuts(std::mt19937_64& rng, int64_t n) {
    std::vector<int64_t> c{0, n};
    for (int64_t i = static_cast<int64_t>(rng() % 5); i > 0 && n > 0; --i)
        c.push_back(static_cast<int64_t>(rng() % static_cast<uint64_t>(n)));
    std::sort(c.begin(), c.end());
    return c;
}

// The kernel of this seed, whole and in random parts, against the evaluator.
void check(uint64_t seed, const RandomOptions& options) {
    const bool reduce = options.reduce;
    std::mt19937_64 rng(seed);
    const RandomKernel k = random_kernel(rng, options);
    ASSERT_EQ(kernel::verify(k.kernel), "") << print(k.kernel);
    auto device = make_cpu_device(0, 1);
    auto program = device->compile(k.kernel);
    std::vector<Memory> expected = k.memories, whole = k.memories, parts = k.memories;
    kernel::Launch l;
    l.constants = k.constants.data();
    const int64_t units = reduce ? k.kernel.kept_points() * k.kernel.leaves() : k.kernel.points();
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
    if (reduce) {
        const std::vector<int64_t> f = cuts(rng, k.kernel.kept_points());
        for (size_t i = 0; i + 1 < f.size(); ++i) device->finish(*program, l, f[i], f[i + 1]);
    }
    ASSERT_EQ(difference(k, expected, parts), "") << "seed " << seed << ", in parts";
}

void check_elementwise(uint64_t seed, int64_t most_points, bool assembled = false) {
    check(seed, {.assembled = assembled, .most_points = most_points});
}

void check_reduction(uint64_t seed, int64_t most_points, bool assembled = false) {
    check(seed, {.reduce = true, .assembled = assembled, .most_points = most_points});
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
    for (int64_t i = 0; i < cases(1500) && !HasFatalFailure(); ++i)
        check_elementwise(static_cast<uint64_t>(4000000 + i), 3000, true);
    if (cpu::jit_available() && cases(1500) > 0) {
        EXPECT_GT(cpu::compiled_loops(), before + cases(1500) / 2);
    }
}

// More values alive than registers: numbers, masks and scalars wait on the stack, loads are read again.
TEST(Assembler, MoreValuesThanRegisters) {
    using namespace kernel;
    constexpr int64_t points = 205;
    for (int count : {4, 12, 40, 90}) {
        RandomKernel k;
        k.kernel.shape = {points};
        k.kernel.kept = 1;
        auto push = [&](TapeEntry e) {
            k.kernel.tape.push_back(e);
            return static_cast<int32_t>(k.kernel.tape.size()) - 1;
        };
        auto access = [&](DType type, bool stores) {
            Access a;
            a.view = static_cast<int32_t>(k.memories.size());
            a.dtype = type;
            a.stores = stores;
            a.strides = {item_size(type)};
            Memory m;
            m.bytes.resize(static_cast<size_t>(points * item_size(type)));
            for (int64_t i = 0; i < points && type == DType::Float64; ++i)
                reinterpret_cast<double*>(m.bytes.data())[i] =
                    static_cast<double>((i * 37 + a.view * 11) % 101) - 50;
            k.memories.push_back(m);
            k.index_origins.push_back(0);
            k.kernel.accesses.push_back(a);
            return static_cast<int32_t>(k.kernel.accesses.size()) - 1;
        };
        auto compute = [&](OpCode op, DType type, int32_t a, int32_t b, int32_t c = -1) {
            TapeEntry e{TapeKind::Compute};
            e.op = op;
            e.type = type;
            e.in[0] = a;
            e.in[1] = b;
            e.in[2] = c;
            return push(e);
        };
        std::vector<int32_t> loads, products, masks;
        for (int i = 0; i < count; ++i) {
            TapeEntry e{TapeKind::Load};
            e.index = access(DType::Float64, false);
            loads.push_back(push(e));
            TapeEntry c{TapeKind::Constant};
            c.index = static_cast<int32_t>(k.constants.size());
            k.kernel.constants.push_back(DType::Float64);
            ConstantValue value{};
            const double number = 0.5 + i;
            std::memcpy(value.bytes, &number, 8);
            k.constants.push_back(value);
            products.push_back(compute(OpCode::Multiply, DType::Float64, loads.back(), push(c)));
            masks.push_back(
                compute(OpCode::Less, DType::Float64, products.back(), loads[static_cast<size_t>(i / 2)]));
        }
        int32_t sum = loads[0];
        for (int i = count; i-- > 0;) {
            sum = compute(OpCode::Where, DType::Float64, masks[static_cast<size_t>(i)], sum,
                          products[static_cast<size_t>(i)]);
            sum = compute(OpCode::Add, DType::Float64, sum, loads[static_cast<size_t>(i)]);
        }
        for (int32_t v : {sum, loads[0], masks[1], products[2]}) {
            TapeEntry e{TapeKind::Store};
            e.type = value_dtype(k.kernel, k.kernel.tape[static_cast<size_t>(v)]);
            e.in[0] = v;
            e.index = access(e.type, true);
            push(e);
        }
        ASSERT_EQ(verify(k.kernel), "");
        auto device = make_cpu_device(0, 1);
        auto program = device->compile(k.kernel);
        std::vector<Memory> expected = k.memories, found = k.memories;
        Launch l;
        l.constants = k.constants.data();
        l.end = points;
        std::vector<char*> p = k.pointers(&expected), q = k.pointers(&found);
        l.pointers = p.data();
        evaluate(k.kernel, l);
        l.pointers = q.data();
        device->launch(*program, l);
        ASSERT_EQ(difference(k, expected, found), "") << count;
    }
}

TEST(Assembler, RandomReductions) {
    for (int64_t i = 0; i < cases(1000) && !HasFatalFailure(); ++i)
        check_reduction(static_cast<uint64_t>(5000000 + i), 5000, true);
}

// Whole leaves are folded in machine code.
TEST(Assembler, RandomLeaves) {
    const int64_t before = cpu::compiled_loops(true);
    for (int64_t i = 0; i < cases(500) && !HasFatalFailure(); ++i)
        check(static_cast<uint64_t>(6000000 + i), {.reduce = true, .assembled = true, .leaves = true});
    if (cpu::jit_available() && cases(500) >= 20) {
        EXPECT_GT(cpu::compiled_loops(true), before + cases(500) / 10);
    }
}

// The other instruction sets of this processor, each in a process of its own.
TEST(InstructionSets, PassTheSameTests) {
    if (std::getenv("NUMLOOM_CPU")) GTEST_SKIP() << "NUMLOOM_CPU is set";
    char self[4096];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    ASSERT_GT(n, 0);
    self[n] = 0;
    for (const char* set : {"baseline", "avx2"}) {
        if (std::string(set) == "avx2" && std::string(cpu::loops().name) == "baseline") continue;
        const std::string command = "NUMLOOM_CPU=" + std::string(set) +
                                    " NUMLOOM_TEST_KERNELS=" + std::to_string(cases(400)) + " '" + self +
                                    "' --gtest_filter='Assembler.*:Interpreter.RandomElementwiseKernels:"
                                    "Interpreter.RandomReductions' > /dev/null";
        EXPECT_EQ(std::system(command.c_str()), 0) << command;
    }
}

}  // namespace
}  // namespace numloom::testing
