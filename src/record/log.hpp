// The log: instructions in program order that have not run yet.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "record/instruction.hpp"

namespace numloom {

class Log {
  public:
    // From this many instructions on, a part of the log is run.
    static constexpr size_t kBound = 256;

    Instruction& push() {
        if (used_ == items_.size()) items_.resize(items_.size() + kBound);
        return items_[used_++];
    }
    size_t size() const { return used_; }
    bool empty() const { return used_ == 0; }
    bool full() const { return used_ >= kBound; }
    const Instruction& operator[](size_t i) const { return items_[i]; }
    Instruction& operator[](size_t i) { return items_[i]; }
    void clear() { used_ = 0; }

    // Where to cut a full log: before the last instruction recorded at the first one's site, so that segments
    // match the program's loop and the next iteration finds its plan; the whole log where that site does not
    // recur. The first cut of a loop moves to where the least is alive: what a function's variables still
    // hold must be written to memory, what was dropped before the cut need not.
    size_t cut();
    // Moves the first n instructions to `out` (cleared first) and keeps the rest.
    void take(size_t n, Log* out);
    // Puts instructions back at the front, in order: what a failed evaluation left undone.
    void put_back(const std::vector<Instruction>& first);

  private:
    size_t quietest(size_t first, size_t last) const;

    std::vector<Instruction> items_;
    size_t used_ = 0;
    Site settled_;  // where the latest loop is cut
};

// The log as text, one instruction a line, and back. Storages are printed by number in order of appearance;
// parsing makes instructions over the storages that `storage(number, dtype, shape)` gives.
std::string print(const Log& log);
using StorageSource = Storage* (*)(void* context, int number, DType dtype, std::span<const int64_t> shape);
void parse(const std::string& text, StorageSource source, void* context, Log* out);

}  // namespace numloom
