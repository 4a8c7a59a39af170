// A segment: the part of the log that one evaluation runs, in canonical form. Storages become slots, views
// get numbers in order of appearance; what passes may look at goes into the key, everything else (offsets,
// constants) is an argument of the plan.
#pragma once

#include <cstdint>
#include <vector>

#include "record/log.hpp"

namespace numloom::plan {

struct View {
    int32_t slot;
    DType dtype;
    const Layout* layout;
    int64_t offset;  // an argument, except where the key says so
    int32_t next;    // next view of the same slot, -1 at the end
    bool written = false;
};

struct Slot {
    Storage* storage;
    int32_t first_view = -1, last_view = -1;
    bool fresh = false;     // holds no data before the segment
    bool released = false;  // the segment ends with its release: nobody can see it afterwards
    bool pinned = false;    // exported: neither renamed nor contracted
    bool written = false;   // some instruction of the segment writes it
};

// Operand of an instruction: number of a view, or kConstant / kNone.
using ViewId = int32_t;
inline constexpr ViewId kConstant = -1;
inline constexpr ViewId kNone = -2;

struct Operands {
    ViewId out;
    ViewId in[3];
};

class Segment {
  public:
    // Canonical form of `log`; keeps a reference to it. `devices`: number of devices of the mesh.
    void build(const Log& log, int devices);

    const Log& log() const { return *log_; }
    size_t size() const { return log_->size(); }
    const std::vector<Slot>& slots() const { return slots_; }
    const std::vector<View>& views() const { return views_; }
    const std::vector<Operands>& operands() const { return operands_; }
    const std::vector<uint64_t>& key() const { return key_; }
    uint64_t hash() const { return hash_; }
    Relation relation(ViewId a, ViewId b) const;
    // Whether a write of the view replaces more than half of its storage: then its offset is part of the key
    // and renaming may look at it.
    bool covers_most(ViewId v) const;

  private:
    int32_t slot_of(Storage* s);
    ViewId view_of(const Operand& o);
    void add_facts(int devices);
    uint64_t start(ViewId whole, ViewId part) const;

    const Log* log_ = nullptr;
    uint64_t epoch_ = 0;
    std::vector<Slot> slots_;
    std::vector<View> views_;
    std::vector<Operands> operands_;
    std::vector<uint64_t> key_;
    uint64_t hash_ = 0;
};

}  // namespace numloom::plan
