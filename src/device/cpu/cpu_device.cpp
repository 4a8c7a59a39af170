// The CPU as a device. All CPU devices of a process share one memory pool and one thread pool: the executor
// launches the devices one after the other, so each launch may use every thread.
#include <algorithm>
#include <cstring>
#include <string>

#include "core/error.hpp"
#include "device/cpu/cpu_program.hpp"
#include "device/cpu/pool.hpp"
#include "device/cpu/threads.hpp"
#include "device/device.hpp"

namespace numloom {

namespace cpu {

namespace {

constexpr int64_t kParallelCopy = 1 << 20;  // bytes from which a copy is shared among threads
constexpr int64_t kCopyChunk = 256 << 10;

void copy_bytes(char* dst, const char* src, int64_t bytes) {
    ThreadPool& pool = ThreadPool::process();
    if (bytes < kParallelCopy || pool.threads() == 1) {
        std::memcpy(dst, src, static_cast<size_t>(bytes));
        return;
    }
    const bool stream = bytes > last_level_cache();
    pool.run((bytes + kCopyChunk - 1) / kCopyChunk, [&](int64_t c, int) {
        const int64_t at = c * kCopyChunk, n = std::min(kCopyChunk, bytes - at);
        if (stream)
            loops().stream(dst + at, src + at, n);
        else
            std::memcpy(dst + at, src + at, static_cast<size_t>(n));
    });
}

class CpuDevice final : public Device {
  public:
    explicit CpuDevice(int index) : index_(index) {}

    std::string name() const override { return "cpu:" + std::to_string(index_); }
    std::string kind() const override { return "cpu"; }
    bool host_memory() const override { return true; }

    char* allocate(int64_t bytes) override { return MemoryPool::process().allocate(bytes); }
    void release(char* p, int64_t bytes) override { MemoryPool::process().release(p, bytes); }
    void trim() override { MemoryPool::process().trim(); }

    void copy_in(char* dst, const char* host, int64_t bytes) override { copy_bytes(dst, host, bytes); }
    void copy_out(char* host, const char* src, int64_t bytes) override { copy_bytes(host, src, bytes); }
    void copy(char* dst, const char* src, int64_t bytes) override { copy_bytes(dst, src, bytes); }
    void copy_from(Device&, char* dst, const char* src, int64_t bytes) override {
        copy_bytes(dst, src, bytes);
    }

    std::unique_ptr<Program> compile(const kernel::Kernel& k) override {
        return std::make_unique<CpuProgram>(k);
    }
    void launch(Program& p, const kernel::Launch& l) override { static_cast<CpuProgram&>(p).launch(l); }
    void finish(Program& p, const kernel::Launch& l, int64_t begin, int64_t end) override {
        static_cast<CpuProgram&>(p).finish_partials(l, begin, end);
    }
    void synchronize() override {}

  private:
    const int index_;
};

}  // namespace

}  // namespace cpu

std::unique_ptr<Device> make_cpu_device(int index, int shares) {
    if (index < 0 || index >= shares)
        throw value_error("cpu device " + std::to_string(index) + " of " + std::to_string(shares));
    return std::make_unique<cpu::CpuDevice>(index);
}

}  // namespace numloom
