// The CUDA device against the plain evaluator of the kernel IR: every bit. Skipped where there is no GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "device/cuda/program.hpp"
#include "device/device.hpp"
#include "evaluator.hpp"
#include "random_kernels.hpp"

namespace numloom {
namespace {

using kernel::Launch;

uint64_t seeds(uint64_t otherwise) {
    const char* count = std::getenv("NUMLOOM_TEST_KERNELS");
    return count ? std::strtoull(count, nullptr, 10) : otherwise;
}

// Device memory with the contents of a case's buffers.
class Memory {
  public:
    Memory(Device& device, const test::Case& c) : device_(device), case_(c) {
        for (const auto& b : c.buffers) {
            buffers_.push_back(device.allocate(static_cast<int64_t>(b.size())));
            device.copy_in(buffers_.back(), b.data(), static_cast<int64_t>(b.size()));
        }
        for (size_t i = 0; i < c.kernel.accesses.size(); ++i) {
            const int32_t view = c.kernel.accesses[i].view;
            pointers_.push_back(view < 0 ? reinterpret_cast<char*>(c.offsets[i])
                                         : buffers_[static_cast<size_t>(view)] + c.offsets[i]);
        }
    }
    ~Memory() {
        for (size_t i = 0; i < buffers_.size(); ++i)
            device_.release(buffers_[i], static_cast<int64_t>(case_.buffers[i].size()));
    }
    std::vector<char> read(size_t i) {
        std::vector<char> out(case_.buffers[i].size());
        device_.copy_out(out.data(), buffers_[i], static_cast<int64_t>(out.size()));
        return out;
    }
    char* const* pointers() const { return pointers_.data(); }

  private:
    Device& device_;
    const test::Case& case_;
    std::vector<char*> buffers_, pointers_;
};

class CudaDeviceTest : public testing::Test {
  protected:
    void SetUp() override {
        if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
        device_ = make_cuda_device(0);
    }

    // Compares the device's buffers with those that the evaluator wrote.
    void expect_equal(const test::Case& before, Memory& memory, uint64_t seed, const std::string& how) {
        test::Case expected = before;
        std::vector<char*> pointers;
        for (size_t i = 0; i < before.kernel.accesses.size(); ++i) {
            const int32_t view = before.kernel.accesses[i].view;
            pointers.push_back(view < 0
                                   ? reinterpret_cast<char*>(before.offsets[i])
                                   : expected.buffers[static_cast<size_t>(view)].data() + before.offsets[i]);
        }
        test::evaluate(before.kernel, pointers.data(), before.constants.data());
        for (const kernel::Access& a : before.kernel.accesses) {
            if (!a.stores) continue;
            const size_t view = static_cast<size_t>(a.view);
            int64_t where = 0;
            EXPECT_TRUE(test::same_elements(a.dtype, memory.read(view), expected.buffers[view], &where))
                << "seed " << seed << " (" << how << "), view " << view << ", element " << where << "\n"
                << kernel::print(before.kernel);
        }
    }

    std::unique_ptr<Device> device_;
};

TEST_F(CudaDeviceTest, RandomKernels) {
    for (uint64_t seed = 0; seed < seeds(300) && !HasFailure(); ++seed) {
        const test::Case c = test::random_case(seed);
        Memory memory(*device_, c);
        Launch l;
        l.pointers = memory.pointers();
        l.constants = c.constants.data();
        l.end = c.kernel.reduces() ? c.kernel.kept_points() * c.kernel.leaves() : c.kernel.points();
        auto program = device_->compile(c.kernel);
        device_->launch(*program, l);
        expect_equal(c, memory, seed, "whole");
    }
}

// The same bits from three launches over parts of the range; reductions with partial results in memory.
TEST_F(CudaDeviceTest, RandomKernelsInParts) {
    for (uint64_t seed = 0; seed < seeds(300) && !HasFailure(); ++seed) {
        const test::Case c = test::random_case(seed);
        Memory memory(*device_, c);
        Launch l;
        l.pointers = memory.pointers();
        l.constants = c.constants.data();
        const int64_t units =
            c.kernel.reduces() ? c.kernel.kept_points() * c.kernel.leaves() : c.kernel.points();
        const int64_t bytes = 16 * units * static_cast<int64_t>(c.kernel.reductions.size());
        if (c.kernel.reduces()) l.partials = device_->allocate(std::max<int64_t>(bytes, 16));
        auto program = device_->compile(c.kernel);
        const int64_t cuts[] = {0, units / 3, units / 3 + (units > 5), units};
        for (int i = 0; i < 3; ++i) {
            l.begin = cuts[i];
            l.end = cuts[i + 1];
            device_->launch(*program, l);
        }
        if (c.kernel.reduces()) {
            const int64_t kept = c.kernel.kept_points();
            device_->finish(*program, l, 0, kept / 2);
            device_->finish(*program, l, kept / 2, kept);
            device_->release(l.partials, std::max<int64_t>(bytes, 16));
        }
        expect_equal(c, memory, seed, "parts");
    }
}

TEST_F(CudaDeviceTest, WideIndices) {
    // 2^31 + 5 points: the last ones must be written, and nothing after them.
    kernel::Kernel k;
    const int64_t n = (int64_t{1} << 31) + 5;
    k.shape = {n};
    k.kept = 1;
    k.accesses = {{-1, DType::Int64, false, false, {1}}, {0, DType::Int8, true, false, {1}}};
    kernel::TapeEntry load, cast, store;
    load.kind = kernel::TapeKind::Load;
    load.type = DType::Int64;
    cast.kind = kernel::TapeKind::Cast;
    cast.from = DType::Int64;
    cast.type = DType::Int8;
    cast.in[0] = 0;
    store.kind = kernel::TapeKind::Store;
    store.type = DType::Int8;
    store.index = 1;
    store.in[0] = 1;
    k.tape = {load, cast, store};
    ASSERT_EQ(kernel::verify(k), "");
    char* memory = device_->allocate(n + 16);
    const std::vector<char> mark(32, 77);
    device_->copy_in(memory + n - 16, mark.data(), 32);
    char* pointers[] = {reinterpret_cast<char*>(int64_t{3}), memory};
    Launch l;
    l.pointers = pointers;
    l.end = n;
    device_->launch(*device_->compile(k), l);
    std::vector<char> tail(32);
    device_->copy_out(tail.data(), memory + n - 16, 32);
    for (int64_t i = 0; i < 16; ++i) {
        EXPECT_EQ(tail[static_cast<size_t>(i)], static_cast<char>(n - 16 + i + 3));
        EXPECT_EQ(tail[static_cast<size_t>(16 + i)], 77);
    }
    device_->release(memory, n + 16);
}

TEST_F(CudaDeviceTest, CopiesOfAllSizes) {
    std::vector<char> in(23 << 20);
    for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<char>(i * 2654435761u >> 13);
    for (int64_t bytes : {int64_t{1}, int64_t{7}, int64_t{4096}, int64_t{4} << 20, (int64_t{4} << 20) + 1,
                          static_cast<int64_t>(in.size())}) {
        char* a = device_->allocate(bytes);
        char* b = device_->allocate(bytes);
        std::vector<char> out(static_cast<size_t>(bytes));
        device_->copy_in(a, in.data(), bytes);
        device_->copy(b, a, bytes);
        device_->copy_out(out.data(), b, bytes);
        EXPECT_EQ(std::memcmp(in.data(), out.data(), out.size()), 0) << bytes;
        device_->release(a, bytes);
        device_->release(b, bytes);
    }
    // Many small copies through the same staging memory, none of them waited for.
    char* many = device_->allocate(8 * 100000);
    for (int64_t i = 0; i < 100000; ++i) device_->copy_in(many + 8 * i, reinterpret_cast<const char*>(&i), 8);
    std::vector<int64_t> back(100000);
    device_->copy_out(reinterpret_cast<char*>(back.data()), many, 8 * 100000);
    for (int64_t i = 0; i < 100000; ++i) ASSERT_EQ(back[static_cast<size_t>(i)], i);
    device_->release(many, 8 * 100000);
}

TEST_F(CudaDeviceTest, OutOfMemoryNamesTheSize) {
    try {
        device_->allocate(int64_t{1} << 45);
        FAIL() << "allocated 32 TiB";
    } catch (const Error& e) {
        EXPECT_EQ(e.error_class(), ErrorClass::Memory);
        EXPECT_NE(std::string(e.what()).find("35184372088832"), std::string::npos) << e.what();
    }
    char* p = device_->allocate(100);
    EXPECT_NE(p, nullptr);
    device_->release(p, 100);
}

}  // namespace
}  // namespace numloom
