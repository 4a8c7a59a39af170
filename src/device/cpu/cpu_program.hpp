// A kernel made ready for the CPU: up to three ways to walk it, each compiled when first needed.
#pragma once

#include <memory>
#include <vector>

#include "core/scalar.hpp"
#include "device/cpu/float_flags.hpp"
#include "device/cpu/program.hpp"
#include "device/device.hpp"
#include "kernel/ir.hpp"

namespace numloom::cpu {

// One tape over one space with its three ways to store.
class Variants {
  public:
    void set(TapeSource source) { source_ = std::move(source); }
    const BlockCode& get(StoreMode mode, bool plain = false);
    // The right way for these addresses and this many points.
    const BlockCode& pick(char* const* pointers, int64_t points);
    // The same with one slot an operation. Thread safe.
    const BlockCode& pick_plain(char* const* pointers);
    // Whether a store goes where a load comes from.
    static bool in_place(const BlockCode& code, char* const* pointers);

  private:
    TapeSource source_;
    std::unique_ptr<BlockCode> codes_[6];
};

// How one reduction is folded.
struct Folding {
    OpCode op = OpCode::Add;
    DType type = DType::Float64;  // accumulator
    int64_t item = 8;
    Fold fold = nullptr;
    FoldLeaves fold_leaves = nullptr;
    Combine combine = nullptr;
    Loop pairwise = nullptr;  // op over two blocks of accumulators
    Scalar identity;
};

class CpuProgram final : public Program {
  public:
    explicit CpuProgram(const kernel::Kernel& k);

    void launch(const kernel::Launch& l);
    void finish_partials(const kernel::Launch& l, int64_t begin, int64_t end);

  private:
    friend class Reducer;
    void launch_elementwise(const kernel::Launch& l);
    void launch_block(const kernel::Launch& l, const BlockCode& code, const FlagNotes* notes);

    // An entry that may report, by its number in Launch::raised.
    struct Candidate {
        int64_t entry;
        int32_t origin;
        uint8_t kinds;
    };
    void fold_by_machine_code();
    void find_candidates();
    // Notes kinds that came up in a launch where it is plain whose they are: one instruction can have raised
    // them, or all that can have are noted. False: somebody has to look closer.
    bool settle(const kernel::Launch& l, uint8_t kinds) const;
    // Where nobody can look: the first that can have raised each kind.
    void guess(const kernel::Launch& l, uint8_t kinds);
    template <class Run>
    void watch_reduction(const kernel::Launch& l, Run&& run);

    kernel::Kernel kernel_;
    bool reduces_;
    // Elementwise: the whole tape. Reductions: the tape over kept and reduced dimensions, vectorised along
    // the innermost reduced one.
    Variants linear_;
    // The same folded leaf by leaf in machine code, where points and leaves lie one after the other.
    Variants folded_;
    bool use_folded_ = false;
    // Reductions: the tape over the kept dimensions only, for one reduced point at a time; vectorised along
    // the innermost kept one.
    Variants outer_;
    bool use_outer_ = false;
    Variants finish_;  // over the kept dimensions; accumulators are accesses behind the kernel's
    std::vector<Folding> foldings_;
    int64_t kept_points_ = 1, reduced_points_ = 1, leaves_ = 1;
    std::vector<int64_t> reduced_shape_;
    std::vector<std::vector<int64_t>> reduced_strides_;  // per access of outer_, per reduced dimension
    std::vector<Candidate> candidates_;
    std::atomic<bool> noisy_{false};  // had to guess: from now on in-place launches note slot by slot
};

// Points per chunk so that `threads` share `points` evenly, each chunk worth claiming; 0: not worth a second
// thread.
int64_t chunk_points(int64_t points, double ns_per_point, int64_t least, int threads, bool hot);
// Bytes of the last-level cache.
int64_t last_level_cache();

}  // namespace numloom::cpu
