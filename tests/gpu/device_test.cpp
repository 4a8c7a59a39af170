// The CUDA device against the plain evaluator of the kernel IR: every bit. Skipped where there is no GPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "device/cuda/program.hpp"
#include "device/device.hpp"
#include "reference_evaluator.hpp"

namespace numloom {
namespace {

using kernel::Launch;

uint64_t seeds(uint64_t otherwise) {
    const char* count = std::getenv("NUMLOOM_TEST_KERNELS");
    return count ? std::strtoull(count, nullptr, 10) : otherwise;
}

int64_t units(const kernel::Kernel& k) { return k.reduces() ? k.kept_points() * k.leaves() : k.points(); }

testing::RandomKernel kernel_of(uint64_t seed) {
    std::mt19937_64 random(seed);
    testing::RandomOptions options;
    options.exact = true;
    options.reduce = seed % 2 == 1;
    return testing::random_kernel(random, options);
}

// Device memory with the contents of a random kernel's.
class OnDevice {
  public:
    OnDevice(Device& device, const testing::RandomKernel& k)
        : device_(device), kernel_(k), host_(k.memories) {
        for (const testing::Memory& m : k.memories) {
            memory_.push_back(device.allocate(size(m)));
            device.copy_in(memory_.back(), m.bytes.data(), size(m));
        }
        for (size_t i = 0; i < k.kernel.accesses.size(); ++i) {
            const int32_t view = k.kernel.accesses[i].view;
            pointers_.push_back(view < 0 ? reinterpret_cast<char*>(k.index_origins[i])
                                         : memory_[static_cast<size_t>(view)] +
                                               k.memories[static_cast<size_t>(view)].origin);
        }
    }
    ~OnDevice() {
        for (size_t i = 0; i < memory_.size(); ++i) device_.release(memory_[i], size(host_[i]));
    }
    Launch launch() const {
        Launch l;
        l.pointers = pointers_.data();
        l.constants = kernel_.constants.data();
        l.end = units(kernel_.kernel);
        return l;
    }
    // What the device holds against what the plain evaluator makes of the same memory.
    std::string difference() {
        std::vector<testing::Memory> expected = kernel_.memories;
        const std::vector<char*> pointers = kernel_.pointers(&expected);
        Launch l = launch();
        l.pointers = pointers.data();
        testing::evaluate(kernel_.kernel, l);
        for (size_t i = 0; i < memory_.size(); ++i)
            device_.copy_out(host_[i].bytes.data(), memory_[i], size(host_[i]));
        return testing::difference(kernel_, expected, host_);
    }

  private:
    static int64_t size(const testing::Memory& m) { return static_cast<int64_t>(m.bytes.size()); }

    Device& device_;
    const testing::RandomKernel& kernel_;
    std::vector<testing::Memory> host_;
    std::vector<char*> memory_, pointers_;
};

class CudaDeviceTest : public ::testing::Test {
  protected:
    void SetUp() override {
        if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
        device_ = make_cuda_device(0);
    }
    std::unique_ptr<Device> device_;
};

TEST_F(CudaDeviceTest, RandomKernels) {
    for (uint64_t seed = 0; seed < seeds(200) && !HasFailure(); ++seed) {
        const testing::RandomKernel k = kernel_of(seed);
        OnDevice memory(*device_, k);
        auto program = device_->compile(k.kernel);
        device_->launch(*program, memory.launch());
        EXPECT_EQ(memory.difference(), "") << "seed " << seed;
    }
}

// The same bits from three launches over parts of the range; reductions with partial results in memory.
TEST_F(CudaDeviceTest, RandomKernelsInParts) {
    for (uint64_t seed = 0; seed < seeds(200) && !HasFailure(); ++seed) {
        const testing::RandomKernel k = kernel_of(seed);
        OnDevice memory(*device_, k);
        Launch l = memory.launch();
        const int64_t all = units(k.kernel);
        const int64_t bytes =
            std::max<int64_t>(16, 16 * all * static_cast<int64_t>(k.kernel.reductions.size()));
        if (k.kernel.reduces()) l.partials = device_->allocate(bytes);
        auto program = device_->compile(k.kernel);
        const int64_t cuts[] = {0, all / 3, all / 3 + (all > 5), all};
        for (int i = 0; i < 3; ++i) {
            l.begin = cuts[i];
            l.end = cuts[i + 1];
            device_->launch(*program, l);
        }
        if (k.kernel.reduces()) {
            const int64_t kept = k.kernel.kept_points();
            device_->finish(*program, l, 0, kept / 2);
            device_->finish(*program, l, kept / 2, kept);
            device_->release(l.partials, bytes);
        }
        EXPECT_EQ(memory.difference(), "") << "seed " << seed;
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
