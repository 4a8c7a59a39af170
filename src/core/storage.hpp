// One base allocation. Arrays are views of it; the log and the executor share it.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/dtype.hpp"
#include "core/layout.hpp"

namespace numloom {

// The bytes of a storage that one device holds. Addresses are byte positions in the storage's flat home
// order. A device owns [lo, hi); its buffer spans [ext_lo, ext_hi), which includes room for borders of its
// neighbours; [valid_lo, valid_hi) of it holds current values. `base` is the address that byte 0 of the
// storage would have.
struct Shard {
    char* base = nullptr;
    int64_t lo = 0, hi = 0;
    int64_t ext_lo = 0, ext_hi = 0;
    int64_t valid_lo = 0, valid_hi = 0;
    int device = 0;  // index into the mesh
};

class Storage {
  public:
    Storage(DType dtype, const Layout* home);

    const DType dtype;         // of the array it was made for
    const Layout* const home;  // C-order layout of that array
    const int64_t nbytes;
    const uint64_t id;  // in order of creation; the same in every process

    // --- under the record lock ---
    int64_t handles = 0;      // Arrays that hold it
    uint64_t last_touch = 0;  // sequence number of the last recorded instruction that reads or writes it
    uint64_t last_write = 0;  // ... that writes it
    int32_t pins = 0;         // exports alive: not renamed, moved or freed
    bool foreign = false;     // memory owned by somebody else (shared import): never pooled
    void (*foreign_release)(void*) = nullptr;
    void* foreign_owner = nullptr;

    // --- scratch of the planner: slot in the segment whose number is `epoch` ---
    uint64_t epoch = 0;
    int32_t slot = 0;

    // --- executor's ---
    std::vector<Shard> shards;  // empty until the first write is executed
    bool has_data() const { return !shards.empty(); }
    // Address of byte 0 where one device holds everything; nullptr else, also before the first write.
    char* one_piece() const { return shards.size() == 1 ? shards[0].base : nullptr; }
};

}  // namespace numloom
