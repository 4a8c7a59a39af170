// The compiler behind compile_tape(): private to program.cpp and the assembler.
#pragma once

#include "device/cpu/jit/jit.hpp"
#include "device/cpu/program.hpp"

namespace numloom::cpu {

// Slot::access of a fill that covers the whole block whatever the number of points.
inline constexpr int32_t kWholeBlock = -2;

// Where a value lies.
struct Place {
    enum Kind : uint8_t { None, Buffer, Scalar, Constant, Memory, Panel } kind = None;
    int32_t index = -1;  // buffer, scalar buffer, constant, access, panel
    friend bool operator==(const Place&, const Place&) = default;
};

class TapeBuilder {
  public:
    TapeBuilder(const TapeSource& source, StoreMode mode, bool plain);
    BlockCode build();

  private:
    struct Value {
        DType type = DType::Float64;
        int level = 2;  // 0: one value per launch, 1: per row, 2: per point
        bool needed = false, absorbed = false, freed = false;
        int8_t pair = -1;  // which input is an absorbed operation
        int32_t same = -1, uses = 0, last_use = -1;
        int32_t target = -1;  // access of the store in whose memory it is computed
        Place place, spread;
    };
    // How an access lies in the walk.
    struct Geometry {
        int level = 2;
        bool linear = false;   // one stride from point to point, across rows too
        bool in_rows = false;  // fetched row by row
        bool direct = false;   // contiguous: loops use the memory itself
        bool across = false;   // transposed into a panel
        int64_t inner = 0;     // bytes per point
    };

    // Operand of a compiled loop: a value that it reads, or a tape entry (a store or a result) that it
    // writes, or the lanes of a result that it folds.
    struct CompiledOperand {
        int32_t value = -1, store = -1;
        bool spread = false;  // one element for all points
        int32_t fold = -1;
    };

    int32_t canonical(int32_t v) const { return values_[static_cast<size_t>(v)].same; }
    unsigned scalar_bit(int32_t v, int j) const {
        return values_[static_cast<size_t>(v)].level < 2 ? 1u << j : 0u;
    }
    bool linear(const WalkAccess& a) const;
    bool lies_across(const WalkAccess& a) const;
    int operands(int32_t i, int32_t* in) const;

    void canonical_loads();
    void find_needed();
    void choose_geometry();
    void assign_levels();
    void fuse_pairs();
    void find_last_uses();
    void choose_direct_stores();
    bool compiled_source(LoopSource* out, std::vector<CompiledOperand>* operands) const;
    bool emit_compiled();
    void emit(int32_t i);
    void emit_compute(int32_t i);
    void emit_store(int32_t i, int32_t position);
    void emit_transfer(int32_t i, const Place& from);
    Loop vector_loop(int32_t i, const int32_t* in, int n, Place* from);
    void free_inputs(int32_t i, const int32_t* in, int n, bool same_size);
    Place new_buffer(DType type);
    Place new_scalar();
    int32_t use(const Place& p);
    void push(const Slot& slot, int level);
    Place scalar_place(int32_t i);
    Place vector_place(int32_t i);
    Place spread(int32_t i);
    Place panel_place(int32_t access);
    void fetch_deferred();
    void note_read(const Place& p);
    void note_write(const Place& p);
    void find_hazards();
    void place_buffers();
    void estimate();

    TapeSource s_;
    StoreMode mode_;
    bool plain_;
    BlockCode code_;
    std::vector<Value> values_;
    std::vector<Geometry> geometry_;                           // per access
    std::vector<int64_t> buffer_items_;                        // bytes per element of each block buffer
    std::vector<std::pair<int32_t, int32_t>> buffer_entries_;  // table entry, buffer
    std::vector<int32_t> free_buffers_[5];                     // by log2 of the item size
    std::vector<Place> lanes_;                                 // by result, where machine code folds
    int32_t scalars_ = 0;
    std::vector<int32_t> deferred_;                            // stores that come last (StoreMode::Safe)
    std::vector<std::pair<int32_t, int32_t>> reads_, writes_;  // number of body slots after it, access
};

}  // namespace numloom::cpu
