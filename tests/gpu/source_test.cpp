// Generated CUDA source: structure, and that NVRTC takes it. No device is needed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "device/cuda/compiler.hpp"
#include "device/cuda/program.hpp"
#include "reference_evaluator.hpp"

namespace numloom {
namespace {

using kernel::Kernel;
using kernel::TapeEntry;
using kernel::TapeKind;

TapeEntry entry(TapeKind kind, int32_t index, int32_t in = -1, OpCode op = OpCode::Copy,
                int32_t second = -1) {
    TapeEntry e;
    e.kind = kind;
    e.op = op;
    e.index = index;
    e.in[0] = in;
    e.in[1] = second;
    return e;
}

// out = a + a over the given extent and byte stride.
Kernel twice(int64_t n, int64_t stride = 8) {
    Kernel k;
    k.shape = {n};
    k.kept = 1;
    k.accesses = {{0, DType::Float64, false, false, {stride}}, {1, DType::Float64, true, false, {stride}}};
    k.tape = {entry(TapeKind::Load, 0), entry(TapeKind::Compute, 0, 0, OpCode::Add, 0),
              entry(TapeKind::Store, 1, 1)};
    return k;
}

TEST(CudaSource, TextDoesNotDependOnSizes) {
    cuda::Variant v;
    EXPECT_EQ(cuda::generate(twice(1000), v).text, cuda::generate(twice(77777), v).text);
    EXPECT_EQ(cuda::generate(twice(1000, 16), v).text, cuda::generate(twice(1000, -24), v).text);
    EXPECT_NE(cuda::generate(twice(1000), v).text, cuda::generate(twice(1000, 16), v).text);
}

TEST(CudaSource, IndexWidth) {
    EXPECT_TRUE(cuda::narrow(twice(1000)));
    EXPECT_TRUE(cuda::narrow(twice(int64_t{1} << 30)));
    EXPECT_FALSE(cuda::narrow(twice(int64_t{1} << 31)));
    EXPECT_FALSE(cuda::narrow(twice(1000, 12)));  // not a whole number of elements
    EXPECT_FALSE(cuda::narrow(twice(int64_t{1} << 20, int64_t{1} << 20)));
}

TEST(CudaSource, Forms) {
    EXPECT_TRUE(cuda::flat(twice(1000)));
    EXPECT_FALSE(cuda::flat(twice(1000, 16)));
    EXPECT_EQ(cuda::flat_variant(twice(1 << 24)).tuning.vector, 2);
    Kernel k = twice(1000);
    k.shape = {100, 1000};
    k.kept = 2;
    for (auto& a : k.accesses) a.strides = {8016, 8};
    EXPECT_TRUE(cuda::can_run_rows(k));
    k.shape = {100, 3};
    EXPECT_FALSE(cuda::can_run_rows(k));
}

TEST(CudaSource, Divider) {
    for (uint32_t d : {1u, 2u, 3u, 5u, 7u, 10u, 641u, 65535u, 65536u, 65537u, 1000003u, 0x7fffffffu}) {
        const cuda::Divider divider(d);
        for (uint64_t n :
             std::initializer_list<uint64_t>{0, 1, 2, 100, 65535, 0x7ffffffe, uint64_t{d} - 1, uint64_t{d},
                                             uint64_t{d} + 1, uint64_t{d} * 3 - 1}) {
            if (n >= (1ull << 31)) continue;
            const uint32_t high = static_cast<uint32_t>((n * divider.mul) >> 32);
            EXPECT_EQ((high + static_cast<uint32_t>(n)) >> divider.shift, n / d) << n << " / " << d;
        }
    }
}

TEST(CudaSource, ReductionGeometryFillsABlock) {
    std::mt19937_64 random(1);
    testing::RandomOptions options;
    options.reduce = true;
    for (int i = 0; i < 200; ++i) {
        const kernel::Kernel k = testing::random_kernel(random, options).kernel;
        if (k.reduced_points() == 0) continue;
        const cuda::Tuning t = cuda::leaves_variant(k, true).tuning;
        EXPECT_EQ(t.kept_fast * t.lanes * t.leaves * t.kept_slow, cuda::kThreads);
    }
}

class CudaCompile : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!cuda::nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
        setenv("NUMLOOM_CACHE", "off", 1);
    }
};

TEST_F(CudaCompile, EveryOperationForEveryDtype) {
    for (int d = 0; d < kDTypes; ++d) {
        // One kernel with all operations of a dtype: one compilation.
        const DType type = static_cast<DType>(d);
        Kernel k;
        k.shape = {1000};
        k.kept = 1;
        k.accesses = {{0, type, false, false, {item_size(type)}}, {1, DType::Bool, false, false, {1}}};
        TapeEntry load = entry(TapeKind::Load, 0);
        load.type = type;
        TapeEntry mask = entry(TapeKind::Load, 1);
        mask.type = DType::Bool;
        k.tape = {load, mask};
        for (int o = 0; o < kOps; ++o) {
            const OpCode op = static_cast<OpCode>(o);
            if (!operation(op).has_loop(type)) continue;
            TapeEntry e = entry(TapeKind::Compute, 0, 0, op);
            e.type = type;
            for (int j = 0; j < operation(op).inputs; ++j) e.in[j] = op == OpCode::Where && j == 0 ? 1 : 0;
            k.tape.push_back(e);
            TapeEntry store = entry(TapeKind::Store, static_cast<int32_t>(k.accesses.size()),
                                    static_cast<int32_t>(k.tape.size()) - 1);
            store.type = result_dtype(op, type);
            k.accesses.push_back({2 + o, store.type, true, false, {item_size(store.type)}});
            k.tape.push_back(store);
        }
        ASSERT_EQ(kernel::verify(k), "");
        EXPECT_GT(cuda::compile_text(cuda::generate(k, cuda::linear_variant(k)).text, "sm_90").size(), 0u)
            << name(type);
    }
}

TEST_F(CudaCompile, RandomKernels) {
    const char* count = std::getenv("NUMLOOM_TEST_KERNELS");
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    const uint64_t usual = 4;
#else
    const uint64_t usual = 25;
#endif
    const uint64_t most = count ? std::strtoull(count, nullptr, 10) : usual;
    for (uint64_t seed = 0; seed < most; ++seed) {
        std::mt19937_64 random(seed);
        testing::RandomOptions options;
        options.reduce = seed % 2 == 1;
        const kernel::Kernel k = testing::random_kernel(random, options).kernel;
        ASSERT_EQ(kernel::verify(k), "") << "seed " << seed << "\n" << kernel::print(k);
        for (const cuda::Variant& v : cuda::variants(k)) {
            const cuda::Source s = cuda::generate(k, v);
            try {
                EXPECT_GT(cuda::compile_text(s.text, "sm_90").size(), 0u);
            } catch (const Error& e) {
                FAIL() << "seed " << seed << "\n" << kernel::print(k) << s.text << e.what();
            }
        }
    }
}

}  // namespace
}  // namespace numloom
