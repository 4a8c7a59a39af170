// What the executor asks of a device. A device executes in the order of the calls (CUDA: one stream); only
// synchronize() and copies to the host wait.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kernel/ir.hpp"

namespace numloom {

// A kernel made ready for one kind of device. Immutable; may be launched from one thread at a time.
class Program {
  public:
    virtual ~Program() = default;
};

class Device {
  public:
    virtual ~Device() = default;
    virtual std::string name() const = 0;
    // "cpu", "cuda", "null": programs are shared among devices of one kind and processor.
    virtual std::string kind() const = 0;
    virtual bool host_memory() const = 0;  // buffers can be read and written by the host after synchronize()

    // Pooled memory, aligned to 64 bytes. Throws Error(Memory) that names the size.
    virtual char* allocate(int64_t bytes) = 0;
    virtual void release(char* p, int64_t bytes) = 0;
    virtual void trim() = 0;  // gives unused pooled memory back

    virtual void copy_in(char* dst, const char* host, int64_t bytes) = 0;   // host may be reused on return
    virtual void copy_out(char* host, const char* src, int64_t bytes) = 0;  // complete on return
    virtual void copy(char* dst, const char* src,
                      int64_t bytes) = 0;  // within the device; the ranges do not overlap
    // From another device of the same kind in this process.
    virtual void copy_from(Device& other, char* dst, const char* src, int64_t bytes) = 0;

    // What this device does from now on comes after what `other`, of the same kind, was asked to do so far,
    // and may read its memory. Devices that finish work before they return have nothing to do.
    virtual void follow(Device& other) { (void)other; }

    virtual std::unique_ptr<Program> compile(const kernel::Kernel& k) = 0;
    virtual void launch(Program& p, const kernel::Launch& l) = 0;
    // For reductions run in parts: combines `partials` of all units (layout as in Launch) for kept points
    // [begin, end) and runs the finish tape.
    virtual void finish(Program& p, const kernel::Launch& l, int64_t begin, int64_t end) = 0;
    virtual void synchronize() = 0;
};

// Throws when the machine has no such device. `share` of `shares`: part of the cores this device may use.
std::unique_ptr<Device> make_cpu_device(int index, int shares);
std::unique_ptr<Device> make_cuda_device(int ordinal);
std::unique_ptr<Device> make_null_device(int index);
int cuda_device_count();  // 0 where there is no driver; initialises nothing

}  // namespace numloom
