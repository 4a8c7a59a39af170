// See null_device.cpp. Declared here so that tests can read the counters.
#pragma once

#include <cstring>

#include "device/device.hpp"

namespace numloom {

class NullDevice final : public Device {
  public:
    struct Counts {
        int64_t allocations = 0, allocated_bytes = 0, live_bytes = 0, peak_bytes = 0;
        int64_t copies = 0, copied_bytes = 0;
        int64_t compiles = 0, launches = 0, points = 0, finishes = 0;
    };

    explicit NullDevice(int index);
    const Counts& counts() const { return counts_; }

    std::string name() const override;
    std::string kind() const override { return "null"; }
    bool host_memory() const override { return false; }
    char* allocate(int64_t bytes) override;
    void release(char* p, int64_t bytes) override;
    void trim() override {}
    void copy_in(char* dst, const char* host, int64_t bytes) override;
    void copy_out(char* host, const char* src, int64_t bytes) override;
    void copy(char* dst, const char* src, int64_t bytes) override;
    void copy_from(Device& other, char* dst, const char* src, int64_t bytes) override;
    std::unique_ptr<Program> compile(const kernel::Kernel& k) override;
    void launch(Program& p, const kernel::Launch& l) override;
    void finish(Program& p, const kernel::Launch& l, int64_t begin, int64_t end) override;
    void synchronize() override {}

  private:
    void count_copy(int64_t bytes);

    int index_;
    uintptr_t next_ = uintptr_t{1} << 40;
    Counts counts_;
};

}  // namespace numloom
