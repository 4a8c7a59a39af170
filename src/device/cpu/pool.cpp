#include "device/cpu/pool.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>

#include "core/error.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace numloom::cpu {

namespace {

constexpr int64_t kHugePage = 2 << 20;
constexpr int64_t kPage = 4096;
constexpr int64_t kSlabBytes = 2 << 20;
constexpr int64_t kSlack = 64 << 20;   // freed memory that is always worth keeping
constexpr int64_t kDecayAfter = 4096;  // releases of large blocks after which an old peak is forgotten

void pause() {
#if defined(__x86_64__)
    _mm_pause();
#endif
}

int64_t round_up(int64_t v, int64_t unit) { return (v + unit - 1) / unit * unit; }

// Four classes per power of two, at least 64 bytes apart: 64, 128, 192, 256, 320, 384, 448, 512, 640, ...
int small_class(int64_t bytes, int64_t* size) {
    if (bytes <= 256) {
        const int64_t c = bytes <= 64 ? 0 : (bytes + 63) / 64 - 1;
        *size = (c + 1) * 64;
        return static_cast<int>(c);
    }
    const int log2 = 63 - std::countl_zero(static_cast<uint64_t>(bytes - 1));  // 2^log2 < bytes <= 2^(log2+1)
    const int64_t step = int64_t{1} << (log2 - 2);
    const int64_t quarter = (bytes - (int64_t{1} << log2) + step - 1) / step;  // 1..4
    *size = (int64_t{1} << log2) + quarter * step;
    return 4 + (log2 - 8) * 4 + static_cast<int>(quarter) - 1;
}

// Sixteen classes per power of two in whole pages, so that a block is at most a sixteenth larger than asked.
int64_t large_class(int64_t bytes) {
    const int log2 = 63 - std::countl_zero(static_cast<uint64_t>(bytes - 1));
    const int64_t unit = bytes >= MemoryPool::kHuge ? kHugePage : kPage;
    return round_up(bytes, std::max(unit, int64_t{1} << (log2 - 4)));
}

// What the system lets this process have: physical memory and swap, or less in a control group. 0 where
// nobody knows.
int64_t memory_limit() {
    int64_t limit = 0;
    if (std::FILE* f = std::fopen("/proc/meminfo", "r")) {
        char line[256];
        long long kb = 0;
        while (std::fgets(line, sizeof line, f))
            if (std::sscanf(line, "MemTotal: %lld", &kb) == 1 ||
                std::sscanf(line, "SwapTotal: %lld", &kb) == 1)
                limit += kb * 1024;
        std::fclose(f);
    }
    for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        if (std::FILE* f = std::fopen(path, "r")) {
            long long bytes = 0;
            if (std::fscanf(f, "%lld", &bytes) == 1 && bytes > 0 && (limit == 0 || bytes < limit))
                limit = bytes;
            std::fclose(f);
        }
    }
    return limit;
}

std::string readable(int64_t bytes) {
    static const char* const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int u = 0;
    double v = static_cast<double>(bytes);
    for (; v >= 1024 && u < 6; ++u) v /= 1024;
    char text[64];
    std::snprintf(text, sizeof text, u ? "%.3g %s" : "%.0f %s", v, units[u]);
    return text;
}

Error out_of_memory(int64_t bytes) {
    return memory_error("Unable to allocate " + readable(bytes) + " (" + std::to_string(bytes) +
                        " bytes) on the cpu");
}

char* map_pages(int64_t bytes) {
    const int64_t align = bytes >= MemoryPool::kHuge || bytes == kSlabBytes ? kHugePage : kPage;
    const int64_t extra = align - kPage;
    void* m = mmap(nullptr, static_cast<size_t>(bytes + extra), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (m == MAP_FAILED) return nullptr;
    char* p = static_cast<char*>(m);
    if (extra) {
        const int64_t head = (align - static_cast<int64_t>(reinterpret_cast<uintptr_t>(p) % align)) % align;
        if (head) munmap(p, static_cast<size_t>(head));
        if (extra - head) munmap(p + head + bytes, static_cast<size_t>(extra - head));
        p += head;
    }
    if (bytes >= MemoryPool::kHuge) madvise(p, static_cast<size_t>(bytes), MADV_HUGEPAGE);
    return p;
}

}  // namespace

MemoryPool::MemoryPool() : limit_(memory_limit()) {}

MemoryPool::~MemoryPool() {
    trim();
    for (auto [p, bytes] : slabs_) munmap(p, static_cast<size_t>(bytes));
}

MemoryPool& MemoryPool::process() {
    static MemoryPool* pool = [] {
        pthread_atfork([] { process().lock(); }, [] { process().unlock(); }, [] { process().unlock(); });
        return new MemoryPool;
    }();
    return *pool;
}

void MemoryPool::lock() const {
    while (busy_.test_and_set(std::memory_order_acquire))
        for (int i = 0; busy_.test(std::memory_order_relaxed); ++i) {
            pause();
            if (i > 1000) usleep(1);  // the holder was descheduled
        }
}

void MemoryPool::unlock() const { busy_.clear(std::memory_order_release); }

int64_t MemoryPool::class_bytes(int64_t bytes) {
    int64_t size = 0;
    if (bytes <= kSlab) {
        small_class(bytes, &size);
        return size;
    }
    return large_class(bytes);
}

MemoryPool::Usage MemoryPool::usage() const {
    lock();
    Usage u = usage_;
    u.live += small_live_;
    u.cached += small_cached_;
    unlock();
    return u;
}

char* MemoryPool::allocate(int64_t bytes) {
    if (bytes < 0 || bytes > std::numeric_limits<int64_t>::max() / 4) throw out_of_memory(bytes);
    if (bytes <= kSlab) return allocate_small(bytes);
    return allocate_large(large_class(bytes), bytes);
}

char* MemoryPool::allocate_small(int64_t bytes) {
    int64_t size = 0;
    const int c = small_class(bytes, &size);
    lock();
    small_live_ += size;
    if (FreeBlock* b = free_[c]) {
        free_[c] = b->next;
        small_cached_ -= size;
        unlock();
        return reinterpret_cast<char*>(b);
    }
    if (slab_left_ < size) {
        char* slab = map_pages(kSlabBytes);
        if (!slab) {
            small_live_ -= size;
            unlock();
            throw out_of_memory(bytes);
        }
        slabs_.emplace_back(slab, kSlabBytes);
        slab_ = slab;
        slab_left_ = kSlabBytes;
    }
    char* p = slab_;
    slab_ += size;
    slab_left_ -= size;
    unlock();
    return p;
}

// `bytes` is a size class.
char* MemoryPool::allocate_large(int64_t bytes, int64_t asked) {
    lock();
    auto found = cached_.find(bytes);
    if (found != cached_.end()) {
        char* p = found->second.back().p;
        found->second.pop_back();
        if (found->second.empty()) cached_.erase(found);
        usage_.cached -= bytes;
        usage_.live += bytes;
        recent_peak_ = std::max(recent_peak_, usage_.live);
        unlock();
        return p;
    }
    // Blocks of other classes give way before the process grows beyond what the program itself has needed.
    std::vector<std::pair<char*, int64_t>> evicted;
    const int64_t live = usage_.live + bytes;
    usage_.peak = std::max(usage_.peak, live);
    evict_until(std::max(kSlack, usage_.peak - live), &evicted);
    const bool fits = limit_ == 0 || live <= limit_;
    if (fits) {
        usage_.live = live;
        recent_peak_ = std::max(recent_peak_, live);
    }
    unlock();
    for (auto [p, n] : evicted) munmap(p, static_cast<size_t>(n));
    char* p = fits ? map_pages(bytes) : nullptr;
    if (!p && fits) {
        trim();
        p = map_pages(bytes);
    }
    if (!p) {
        lock();
        if (fits) usage_.live -= bytes;
        usage_.peak = std::max(recent_peak_, usage_.live);
        unlock();
        throw out_of_memory(asked);
    }
    return p;
}

void MemoryPool::release(char* p, int64_t bytes) {
    if (bytes <= kSlab) {
        int64_t size = 0;
        const int c = small_class(bytes, &size);
        FreeBlock* b = reinterpret_cast<FreeBlock*>(p);
        lock();
        b->next = free_[c];
        free_[c] = b;
        small_live_ -= size;
        small_cached_ += size;
        unlock();
        return;
    }
    const int64_t size = large_class(bytes);
    std::vector<std::pair<char*, int64_t>> evicted;
    lock();
    cached_[size].push_back({p, ++age_});
    usage_.live -= size;
    usage_.cached += size;
    if (++releases_ >= kDecayAfter) decay();
    evict_until(std::max(kSlack, usage_.peak - usage_.live), &evicted);
    unlock();
    for (auto [q, n] : evicted) munmap(q, static_cast<size_t>(n));
}

// Forgets a peak that has not come back since the last decay, so that one large phase does not hold its
// memory for ever.
void MemoryPool::decay() {
    releases_ = 0;
    usage_.peak = std::max(recent_peak_, usage_.live);
    recent_peak_ = usage_.live;
}

// Takes the oldest large blocks out of the cache until it holds at most `cached_limit` bytes; the caller
// unmaps them.
void MemoryPool::evict_until(int64_t cached_limit, std::vector<std::pair<char*, int64_t>>* out) {
    while (usage_.cached > cached_limit && !cached_.empty()) {
        auto oldest = cached_.begin();
        for (auto it = cached_.begin(); it != cached_.end(); ++it)
            if (it->second.front().age < oldest->second.front().age) oldest = it;
        out->emplace_back(oldest->second.front().p, oldest->first);
        usage_.cached -= oldest->first;
        oldest->second.erase(oldest->second.begin());
        if (oldest->second.empty()) cached_.erase(oldest);
    }
}

void MemoryPool::trim() {
    std::vector<std::pair<char*, int64_t>> evicted;
    lock();
    evict_until(0, &evicted);
    usage_.peak = recent_peak_ = usage_.live;
    unlock();
    for (auto [p, n] : evicted) munmap(p, static_cast<size_t>(n));
}

}  // namespace numloom::cpu
