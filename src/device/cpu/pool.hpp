// Memory of the CPU devices: freed blocks are kept and handed out again, since the first touch of a fresh
// page costs more than most kernels (1.7 GB/s against 16-40 for reused memory).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <vector>

namespace numloom::cpu {

// Thread safe. Blocks are aligned to 64 bytes; from kHuge on they are whole 2 MiB pages that ask for huge
// pages. A block's size class follows from the size asked for, so that nothing is stored beside it: release()
// must be told that size.
class MemoryPool {
  public:
    static constexpr int64_t kSlab =
        256 << 10;  // sizes up to this are cut from slabs, and stay in the pool until trim()
    static constexpr int64_t kHuge = 4 << 20;

    MemoryPool();
    ~MemoryPool();
    MemoryPool(const MemoryPool&) = delete;
    MemoryPool& operator=(const MemoryPool&) = delete;

    // Throws Error(Memory) that names the size. Zero bytes give a valid block.
    char* allocate(int64_t bytes);
    void release(char* p, int64_t bytes);
    // Gives unused memory back to the system (blocks above kSlab).
    void trim();

    struct Usage {
        int64_t live = 0;    // bytes handed out, rounded up to size classes
        int64_t cached = 0;  // bytes of freed blocks kept
        int64_t peak = 0;    // largest live + cached that the program itself needed lately
    };
    Usage usage() const;

    // The one pool of the process, shared by all its CPU devices. Never destroyed: arrays may outlive static
    // objects.
    static MemoryPool& process();

    // Bytes that a request of `bytes` takes.
    static int64_t class_bytes(int64_t bytes);
    // A fork may happen while another thread is in the pool: taken before, given back after, on both sides.
    void lock() const;
    void unlock() const;

  private:
    struct FreeBlock {
        FreeBlock* next;
    };
    struct Cached {
        char* p;
        uint64_t age;  // of the release, to evict the oldest first
    };

    char* allocate_small(int64_t bytes);
    char* allocate_large(int64_t bytes, int64_t asked);
    void evict_until(int64_t cached_limit, std::vector<std::pair<char*, int64_t>>* out);
    void decay();

    mutable std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
    FreeBlock* free_[64] = {};  // per small size class
    char* slab_ = nullptr;      // rest of the current slab
    int64_t slab_left_ = 0;
    std::vector<std::pair<char*, int64_t>> slabs_;
    std::map<int64_t, std::vector<Cached>> cached_;  // large blocks by size class
    int64_t small_live_ = 0, small_cached_ = 0;      // blocks of up to kSlab bytes
    Usage usage_;                                    // larger ones
    uint64_t age_ = 0;
    int64_t recent_peak_ = 0;  // largest `live` since the last decay
    int64_t releases_ = 0;
    int64_t limit_;  // bytes of memory that this process can have
};

}  // namespace numloom::cpu
