// One CUDA GPU.
#pragma once

#include <memory>
#include <string>

#include "device/cuda/driver.hpp"
#include "device/cuda/memory.hpp"
#include "device/cuda/program.hpp"
#include "device/device.hpp"

namespace numloom::cuda {

class CudaDevice : public Device {
  public:
    explicit CudaDevice(int ordinal);
    ~CudaDevice() override;

    std::string name() const override;
    std::string kind() const override { return "cuda"; }
    bool host_memory() const override { return false; }
    char* allocate(int64_t bytes) override;
    void release(char* p, int64_t bytes) override;
    void trim() override;
    void copy_in(char* dst, const char* host, int64_t bytes) override;
    void copy_out(char* host, const char* src, int64_t bytes) override;
    void copy(char* dst, const char* src, int64_t bytes) override;
    void copy_from(Device& other, char* dst, const char* src, int64_t bytes) override;
    void follow(Device& other) override;
    std::unique_ptr<Program> compile(const kernel::Kernel& k) override;
    void launch(Program& p, const kernel::Launch& l) override;
    void finish(Program& p, const kernel::Launch& l, int64_t begin, int64_t end) override;
    void synchronize() override;

    Stream stream() const { return stream_; }
    const std::string& arch() const { return arch_; }

  private:
    void enter() const;  // makes the device's context current in this thread

    const int ordinal_;
    DeviceHandle handle_ = 0;
    std::string arch_, product_;
    Context context_ = nullptr;
    Stream stream_ = nullptr;
    Event event_ = nullptr;
    Pool pool_;
    Staging staging_;
};

}  // namespace numloom::cuda
