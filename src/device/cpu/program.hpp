// A tape made ready for the blocked interpreter: an array of slots that run over one block of points after
// another.
//
// Every operand is a pointer in one table. Entries of the table are of four sorts: L1 block buffers and
// scalar buffers (set once per frame), launch constants, and memory. Memory operands move: with the launch,
// with the row or with the block. Values that are the same for all points of a launch (row) are computed once
// per launch (row) with n = 1; the loops over blocks take them as scalars.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "device/cpu/loops.hpp"
#include "kernel/ir.hpp"

namespace numloom::cpu {

class CompiledLoop;  // machine code, jit/jit.hpp

enum class SlotKind : uint8_t {
    Loop,        // loop(out, in, n)
    Gather,      // strided memory -> contiguous; stride 0 fills
    GatherRows,  // the same across row ends
    Iota,        // index access: out[i] = address + i * stride
    IotaRows,
    Scatter,  // contiguous -> strided memory
    ScatterRows,
    Copy,      // contiguous -> contiguous
    Stream,    // the same past the caches
    Compiled,  // machine code over all operands from `in` on
};

struct Slot {
    union {
        Loop loop;
        Gather gather;
        Scatter scatter;
        void (*stream)(void*, const void*, int64_t);
        void (*compiled)(void* const*, int64_t);
    };
    int64_t stride = 0;   // bytes per point
    int32_t out = 0;      // table entries
    int32_t in = 0;       // first of the inputs, which are adjacent
    int32_t access = -1;  // for rows: whose strides
    int32_t entry = -1;   // of the tape, that a loop computes
    uint8_t item = 0;     // bytes per element
    SlotKind kind = SlotKind::Loop;
};

// table[entry] = pointer of access + position * inner
struct Mover {
    int32_t entry;
    int32_t access;
    int64_t inner;    // bytes per point
    int64_t row = 0;  // bytes from row to row of the innermost two dimensions
};

// An operand that lies across: `rows` of it as contiguous rows of one block each, in the arena.
struct Panel {
    int32_t access;
    int64_t item;  // bytes per element
    Transpose transpose;
    int64_t offset = 0;
};

struct WalkAccess {
    int32_t pointer = 0;  // which launch pointer
    DType dtype = DType::Float64;
    bool index = false;  // numbers of an affine index, not memory
    bool stores = false;
    bool moves =
        false;  // also moves with something outside the walk (the reduced dimensions of an outer reduction)
    std::vector<int64_t> strides;  // bytes per walk dimension
};

// What to compile: a tape over a space.
struct TapeSource {
    std::vector<int64_t> shape;  // any, also with extents of 1; simplified by compile_tape
    std::vector<WalkAccess> accesses;
    std::vector<kernel::TapeEntry> tape;  // Load, Constant, Compute, Cast, Store
    bool any_order = false;               // points may be taken in any order
    std::vector<int32_t>
        results;  // values that must lie in a block buffer (or contiguous memory) after each block
    // By result: the operation that machine code folds it with, leaf by leaf, so that its lanes lie there
    // instead. Empty: the results themselves are wanted.
    std::vector<OpCode> folds;
};

// How stores are made.
enum class StoreMode : uint8_t {
    Direct,  // results go straight to memory; right unless a hazard pair has equal addresses
    Safe,    // all loads before all stores, stores in tape order
    Stream,  // past the caches
};

struct BlockCode {
    std::vector<int64_t> shape;  // simplified: at least one dimension
    std::vector<WalkAccess> accesses;
    bool rows = false;       // a block spans several rows (short innermost dimension); else it lies in one
    bool even_rows = false;  // rows of one block each with nothing to do between them but move the operands
    bool folds = false;      // as TapeSource::folds says; takes whole leaves
    bool flat = false;       // one dimension: the linear position is all there is
    int64_t block = 1024;    // points
    int32_t table = 0;       // entries
    int64_t arena = 0;       // bytes for buffers
    std::vector<std::pair<int32_t, int64_t>> buffers;        // entry, byte offset in the arena
    std::vector<std::pair<int32_t, int32_t>> constants;      // entry, launch constant
    std::vector<Panel> panels;                               // then panels.hpp walks
    std::vector<std::pair<int32_t, int32_t>> panel_entries;  // entry, panel
    int64_t panel_rows = 0;
    std::vector<Mover> launch_movers, row_movers, block_movers;
    std::vector<Slot> launch_slots, row_slots, body;
    std::vector<int32_t> results;                      // table entries of TapeSource::results
    std::vector<char> results_stay;                    // whether they lie in memory that the tape only reads
    std::vector<std::pair<int32_t, int32_t>> hazards;  // launch pointers that must differ (StoreMode::Direct)
    double ns_per_point = 0;                           // rough cost, to decide about threads
    double bytes_per_point = 0;                        // of memory traffic
    double stored_per_point = 0;                       // of it written
    std::shared_ptr<const CompiledLoop> compiled;      // owns the machine code that a slot calls

    int ndim() const { return static_cast<int>(shape.size()); }
    int64_t inner() const { return shape.back(); }
};

// `plain`: one slot for each operation, so that what each does can be watched.
BlockCode compile_tape(const TapeSource& source, StoreMode mode, bool plain = false);

// Drops dimensions of extent one and merges neighbours where every access allows it. The C order of points
// stays.
void simplify(std::vector<int64_t>* shape, std::vector<WalkAccess>* accesses);

}  // namespace numloom::cpu
