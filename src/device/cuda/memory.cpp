#include "device/cuda/memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace numloom::cuda {

namespace {

constexpr int64_t kSmall = int64_t{1} << 20;
constexpr int64_t kSlab = int64_t{8} << 20;
constexpr int64_t kLargeUnit = int64_t{2} << 20;  // the driver's page

// Small sizes: four classes per power of two, at least 512 bytes, so that pieces stay aligned to 512.
int64_t round_small(int64_t bytes) {
    if (bytes <= 2048) return std::max<int64_t>(512, (bytes + 511) / 512 * 512);
    const int64_t unit = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes - 1))) / 4;
    return (bytes + unit - 1) / unit * unit;
}

DevicePtr address(const char* p) { return reinterpret_cast<DevicePtr>(p); }

}  // namespace

Pool::~Pool() {
    // At exit the driver may be gone already: failures are of no interest here.
    try {
        for (char* s : slabs_) driver().MemFree(address(s));
        for (auto& [p, bytes] : sizes_) driver().MemFree(address(p));
    } catch (const Error&) {
    }
}

char* Pool::from_driver(int64_t bytes) {
    DevicePtr p = 0;
    Result r = driver().MemAlloc(&p, static_cast<size_t>(bytes));
    if (r == kOutOfMemory) {
        trim_locked();
        r = driver().MemAlloc(&p, static_cast<size_t>(bytes));
    }
    if (r == kOutOfMemory) {
        size_t free = 0, total = 0;
        driver().MemGetInfo(&free, &total);
        throw memory_error("CUDA: out of memory: cannot allocate " + std::to_string(bytes) + " bytes (" +
                           std::to_string(free) + " of " + std::to_string(total) + " are free)");
    }
    check(r, "cuMemAlloc");
    held_ += bytes;
    return reinterpret_cast<char*>(p);
}

char* Pool::take_small(int64_t rounded) {
    std::vector<char*>& list = small_[rounded];
    if (!list.empty()) {
        char* p = list.back();
        list.pop_back();
        return p;
    }
    if (slab_end_ - slab_at_ < rounded) {
        slab_at_ = from_driver(kSlab);
        slab_end_ = slab_at_ + kSlab;
        slabs_.push_back(slab_at_);
    }
    char* p = slab_at_;
    slab_at_ += rounded;
    return p;
}

char* Pool::take_large(int64_t rounded) {
    // A block up to an eighth too large will do: close sizes then share blocks and little is lost.
    auto it = large_.lower_bound(rounded);
    if (it != large_.end() && it->first <= rounded + rounded / 8) {
        char* p = it->second;
        large_.erase(it);
        return p;
    }
    char* p = from_driver(rounded);
    sizes_[p] = rounded;
    return p;
}

char* Pool::allocate(int64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (bytes <= kSmall) return take_small(round_small(bytes));
    if (bytes > (int64_t{1} << 60))
        throw memory_error("CUDA: out of memory: cannot allocate " + std::to_string(bytes) + " bytes");
    return take_large((bytes + kLargeUnit - 1) / kLargeUnit * kLargeUnit);
}

void Pool::release(char* p, int64_t bytes) {
    if (!p) return;
    std::lock_guard<std::mutex> lock(mutex_);
    if (bytes <= kSmall) {
        small_[round_small(bytes)].push_back(p);
    } else {
        auto it = sizes_.find(p);
        NL_CHECK(it != sizes_.end());
        large_.emplace(it->second, p);
    }
}

void Pool::trim() {
    std::lock_guard<std::mutex> lock(mutex_);
    trim_locked();
}

void Pool::trim_locked() {
    for (auto& [bytes, p] : large_) {
        NL_CUDA(MemFree, (address(p)));  // waits for work that still uses the block
        sizes_.erase(p);
        held_ -= bytes;
    }
    large_.clear();
}

Staging::~Staging() {
    try {
        for (Slot& s : slots_) {
            if (s.event) driver().EventDestroy(s.event);
            if (s.memory) driver().MemFreeHost(s.memory);
        }
    } catch (const Error&) {
    }
}

Staging::Slot& Staging::slot(int i) {
    Slot& s = slots_[i];
    if (!s.memory) {
        void* p = nullptr;
        NL_CUDA(MemHostAlloc, (&p, static_cast<size_t>(kSlotBytes), 0));
        s.memory = static_cast<char*>(p);
        NL_CUDA(EventCreate, (&s.event, kEventDisableTiming));
    }
    return s;
}

void Staging::wait(Slot& s) {
    if (!s.busy) return;
    NL_CUDA(EventSynchronize, (s.event));
    s.busy = false;
}

void Staging::leave(Slot& s, Stream stream) {
    NL_CUDA(EventRecord, (s.event, stream));
    s.busy = true;
    current_ = (current_ + 1) % kSlots;
    used_ = 0;
}

void Staging::copy_in(char* device, const char* host, int64_t bytes, Stream stream) {
    while (bytes > 0) {
        Slot* s = &slot(current_);
        if (used_ == 0) wait(*s);
        const int64_t n = std::min(bytes, kSlotBytes - used_);
        std::memcpy(s->memory + used_, host, static_cast<size_t>(n));
        NL_CUDA(MemcpyHtoDAsync, (address(device), s->memory + used_, static_cast<size_t>(n), stream));
        used_ += (n + 255) / 256 * 256;
        if (used_ >= kSlotBytes) leave(*s, stream);
        host += n;
        device += n;
        bytes -= n;
    }
}

void Staging::copy_out(char* host, const char* device, int64_t bytes, Stream stream) {
    if (used_ > 0) leave(slot(current_), stream);
    struct Piece {
        int slot;
        int64_t at, bytes;
    };
    std::vector<Piece> pending;
    size_t done = 0;
    int64_t issued = 0;
    while (issued < bytes || done < pending.size()) {
        while (issued < bytes && pending.size() - done < kSlots) {
            const int i = current_;
            Slot& s = slot(i);
            wait(s);
            const int64_t n = std::min(bytes - issued, kSlotBytes);
            NL_CUDA(MemcpyDtoHAsync, (s.memory, address(device + issued), static_cast<size_t>(n), stream));
            leave(s, stream);
            pending.push_back({i, issued, n});
            issued += n;
        }
        const Piece& p = pending[done++];
        wait(slots_[p.slot]);
        std::memcpy(host + p.at, slots_[p.slot].memory, static_cast<size_t>(p.bytes));
    }
}

}  // namespace numloom::cuda
