// Runs one launch of a reduction kernel. The order in which values are combined is that of kernel/ir.hpp
// whatever the walk, the number of threads or the part of the space: points into leaves, leaves into aligned
// groups, groups into one result.
#pragma once

#include <utility>
#include <vector>

#include "device/cpu/cpu_program.hpp"
#include "device/cpu/interpreter.hpp"

namespace numloom::cpu {

class ThreadPool;

class Reducer {
  public:
    // `noting`: every entry's floating-point conditions are noted in launch.raised.
    Reducer(CpuProgram* program, const kernel::Launch& launch, bool noting = false);
    void launch();
    void finish_partials(int64_t begin, int64_t end);
    // Of what the launch wants, what came up.
    uint8_t kinds() const { return kinds_.load(std::memory_order_relaxed); }
    bool in_place();

  private:
    struct Temporary;
    struct UnitFolder;

    // Around each piece of work on a thread: what its flags say.
    template <class F>
    void watched(F&& f);
    // Nothing but the folding of reduction r ran since the flags were clear.
    void note_fold(size_t r);

    void launch_all();
    void launch_partials();
    int64_t kept_per_task(int threads) const;

    // Inner walk: units [begin, end) in order, their leaf results packed per reduction in `out`.
    void fold_units(int64_t begin, int64_t end, char* const* out, Scratch* scratch);
    const BlockCode* pick_folded() const;
    int64_t fold_units_bytes() const;
    void inner_kept_task(int64_t begin, int64_t end);
    void inner_group_task(int64_t task, const Temporary& t);
    void inner_partials_task(int64_t begin, int64_t end);

    // Outer walk: kept points [begin, begin + n), leaves [first, last); calls emit(leaf) with each leaf's
    // results in lane 0.
    struct OuterState;
    template <class Emit>
    void outer_leaves(OuterState* s, int64_t begin, int64_t n, int64_t first, int64_t last, Emit&& emit);
    void outer_tree(OuterState* s, int64_t begin, int64_t n, int64_t first, int64_t last, const char** out);
    void outer_point(OuterState* s, int64_t n, int64_t i);
    void next_reduced(OuterState* s);
    void prefetch_next(OuterState* s, int64_t n) const;
    int tree_depth() const;
    int64_t outer_bytes(int64_t n) const;
    void outer_blocks(int threads, std::vector<std::pair<int64_t, int64_t>>* blocks, int64_t begin,
                      int64_t end) const;
    void outer_kept_task(int64_t begin, int64_t n);
    void outer_group_task(int64_t begin, int64_t n, int64_t group, const Temporary& t);
    void outer_partials_task(int64_t begin, int64_t n);

    // Accumulators of kept points [begin, end), packed per reduction: runs the finish tape.
    void finish(int64_t begin, int64_t end, const char* const* accumulators, Scratch* scratch);
    int64_t finish_bytes(int64_t kept) const;
    void finish_groups(const Temporary& t);

    CpuProgram& p_;
    const kernel::Launch& l_;
    std::vector<char*> pointers_;  // of the kernel's accesses, then one per accumulator (set by each task)
    const BlockCode&
        inner_;  // walk along the reduced points; where outer_ is used, only for what that leaves over
    const BlockCode* const folded_;  // the same over whole leaves, which machine code folds, or nullptr
    const BlockCode* const outer_;   // walk along the kept points, or nullptr
    const BlockCode& finish_code_;
    const bool noting_;
    const FlagNotes notes_, fold_notes_, finish_notes_;
    std::atomic<uint8_t> kinds_{0};
    const size_t reductions_;
    const int64_t points_;                          // reduced points per kept point
    const int64_t leaves_, group_leaves_, groups_;  // per kept point; leaves of a group
};

}  // namespace numloom::cpu
