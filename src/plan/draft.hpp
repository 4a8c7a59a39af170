// Draft: what the passes turn a segment into, step by step, before kernels are made of it.
//
//   analyse          instructions -> nodes: iteration space and accesses of each
//   remove_dead_work nodes whose result nobody can see
//   join_components  reads of z.real and z.imag become operations on z, where the segment makes z
//   break_overlaps   a node that reads what it writes at other places goes through a temporary, or will
//                    rename its storage
//   sink             temporaries move down to a reader that waits for a reduction
//   fuse             nodes -> groups, one kernel each
//   contract         storages that live inside one group become registers
//   lower            groups -> kernels (plan.hpp)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/segment.hpp"

namespace numloom::plan {

// A view as seen from an iteration space: bytes per step along each of its dimensions (dimensions of extent 1
// are left out).
struct Use {
    ViewId view = kNone;
    std::vector<int64_t> strides;
};

struct Node {
    int32_t instruction;  // index in the segment; temporaries' copies carry that of their origin
    Form form;
    OpCode op;
    DType loop;
    int32_t inputs;
    std::vector<int64_t> shape;  // iteration space without dimensions of extent 1
    uint64_t reduced = 0;        // Reduce: bit d: dimension d is reduced
    Use out;                     // Reduce: strides over the kept dimensions only
    Use in[3];
    std::vector<int64_t> steps;  // Index: per dimension
    bool dead = false;
    int32_t reader = -1;  // the node beside which this one was sunk
};

enum class Phase : uint8_t { Main, Reduction, Finish };

struct Touch {
    int32_t node;
    Use use;  // Main reads and writes: over the group's space; Reduction, Finish: over its kept dimensions
    bool write;
    Phase phase;
};

struct Group {
    Form form = Form::Compute;  // Compute, Reduce (has reductions) or Call
    std::vector<int64_t> shape;
    std::vector<int64_t> kept_shape;
    uint64_t reduced = 0;
    std::vector<int32_t> main, finish;  // nodes in order
    std::vector<Touch> touches;
    std::vector<ViewId> renamed;  // written views whose storages get a new buffer
};

struct Draft {
    const Segment* segment;
    std::vector<View> views;                       // the segment's, then those of temporaries
    std::vector<Slot> slots;                       // the segment's, then temporaries (storage == nullptr)
    std::vector<const Layout*> temporary_layouts;  // of slots from the segment's count on
    std::vector<DType> temporary_dtypes;
    std::vector<Node> nodes;
    std::vector<Group> groups;
    std::vector<uint8_t> contracted;  // per slot

    const View& view(ViewId v) const { return views[static_cast<size_t>(v)]; }
    int32_t slot_of(ViewId v) const { return view(v).slot; }
    Slot& slot(int32_t s) { return slots[static_cast<size_t>(s)]; }
    const Slot& slot(int32_t s) const { return slots[static_cast<size_t>(s)]; }
    Relation relation(ViewId a, ViewId b) const;
    ViewId add_temporary(DType d, const Layout* l);
    // Same bytes at the same point of the iteration space.
    bool pointwise(const Use& a, const Use& b) const;
};

// What the passes may be told; part of the plan cache's identity.
struct Options {
    bool fuse = true;
    bool rename = true;
    bool check_hazards = true;  // false only to show that the tests find a planner without them
    bool verify = false;        // run the verifiers between passes
    int devices = 1;
    int max_nodes = 64;     // per group
    int max_accesses = 24;  // per group
};

Draft analyse(const Segment& s);
// A sum that adds to 0.0, so that it is never -0.0.
inline bool starts_from_zero(OpCode op, DType loop) { return op == OpCode::Add && is_inexact(loop); }
void remove_dead_work(Draft& d);
void break_overlaps(Draft& d, const Options& o);
void join_components(Draft& d);
void sink(Draft& d);
void fuse(Draft& d, const Options& o);
void contract(Draft& d);

// Whether a kernel may write the view into a fresh buffer of its storage, the rest being copied.
bool can_rename(const Draft& d, ViewId v, const Options& o);
// The part of a storage of `nbytes` that the view does not cover, as views (layout, offset) over elements of
// its dtype; false where the view is no box of the storage's home shape.
struct Piece {
    const Layout* layout;
    int64_t offset;
};
bool complement(const Storage& s, const View& v, std::vector<Piece>* out);

// First violated invariant between passes, empty if none.
std::string verify_draft(const Draft& d);
std::string print(const Draft& d);

}  // namespace numloom::plan
