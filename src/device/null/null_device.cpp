// A device without memory or arithmetic: the simulator and the tests of planner and executor run plans on it.
#include "device/null/null_device.hpp"

namespace numloom {

namespace {

class NullProgram final : public Program {};

}  // namespace

NullDevice::NullDevice(int index) : index_(index) {}

std::string NullDevice::name() const { return "null:" + std::to_string(index_); }

char* NullDevice::allocate(int64_t bytes) {
    // Addresses that are never handed out twice and never touched; zero stays free to mean "none".
    counts_.allocations += 1;
    counts_.allocated_bytes += bytes;
    counts_.live_bytes += bytes;
    if (counts_.live_bytes > counts_.peak_bytes) counts_.peak_bytes = counts_.live_bytes;
    const uintptr_t p = next_;
    next_ += static_cast<uintptr_t>((bytes + 127) / 64 * 64);
    return reinterpret_cast<char*>(p);
}

void NullDevice::release(char*, int64_t bytes) { counts_.live_bytes -= bytes; }

void NullDevice::count_copy(int64_t bytes) {
    counts_.copies += 1;
    counts_.copied_bytes += bytes;
}

void NullDevice::copy_in(char*, const char*, int64_t bytes) { count_copy(bytes); }

// What is read from it is zero, so that code which looks at a result goes on.
void NullDevice::copy_out(char* host, const char*, int64_t bytes) {
    count_copy(bytes);
    std::memset(host, 0, static_cast<size_t>(bytes));
}

void NullDevice::copy(char*, const char*, int64_t bytes) { count_copy(bytes); }

void NullDevice::copy_from(Device&, char*, const char*, int64_t bytes) { count_copy(bytes); }

std::unique_ptr<Program> NullDevice::compile(const kernel::Kernel& k) {
    NL_CHECK(kernel::verify(k).empty());
    counts_.compiles += 1;
    return std::make_unique<NullProgram>();
}

void NullDevice::launch(Program&, const kernel::Launch& l) {
    counts_.launches += 1;
    counts_.points += l.end - l.begin;
}

void NullDevice::finish(Program&, const kernel::Launch&, int64_t, int64_t) { counts_.finishes += 1; }

std::unique_ptr<Device> make_null_device(int index) { return std::make_unique<NullDevice>(index); }

}  // namespace numloom
