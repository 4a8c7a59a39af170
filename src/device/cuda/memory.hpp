// Device memory pool and pinned staging buffers of one device.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "device/cuda/driver.hpp"

namespace numloom::cuda {

// Blocks are reused in the order of one stream, so a released block may be handed out at once. The device's
// context must be current in the calling thread.
class Pool {
  public:
    Pool() = default;
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();

    // Aligned to 512 bytes. Throws Error(Memory) that names the size when the device has no room even after
    // trim().
    char* allocate(int64_t bytes);
    void release(char* p, int64_t bytes);
    // Gives free large blocks back to the driver. Waits for the device.
    void trim();
    int64_t held() const { return held_; }  // bytes taken from the driver

  private:
    char* take_small(int64_t rounded);
    char* take_large(int64_t rounded);
    char* from_driver(int64_t bytes);
    void trim_locked();

    std::mutex mutex_;
    std::unordered_map<int64_t, std::vector<char*>> small_;  // free pieces by size
    std::vector<char*> slabs_;
    char* slab_at_ = nullptr;
    char* slab_end_ = nullptr;
    std::multimap<int64_t, char*> large_;       // free blocks by size
    std::unordered_map<char*, int64_t> sizes_;  // of every large block
    int64_t held_ = 0;
};

// Copies between pageable host memory and the device through pinned buffers, on one stream.
class Staging {
  public:
    Staging() = default;
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;
    ~Staging();

    void copy_in(char* device, const char* host, int64_t bytes, Stream stream);   // host is free on return
    void copy_out(char* host, const char* device, int64_t bytes, Stream stream);  // complete on return

  private:
    static constexpr int64_t kSlotBytes = int64_t{4} << 20;
    static constexpr int kSlots = 4;
    struct Slot {
        char* memory = nullptr;
        Event event = nullptr;
        bool busy = false;
    };
    Slot& slot(int i);
    void wait(Slot& s);
    void leave(Slot& s, Stream stream);

    Slot slots_[kSlots];
    int current_ = 0;
    int64_t used_ = 0;  // bytes of the current slot
};

}  // namespace numloom::cuda
