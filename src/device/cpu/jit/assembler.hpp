// What the code generators share: the tape for several groups of points side by side, register allocation,
// spilling.
#pragma once

#if NUMLOOM_XBYAK

#include <xbyak/xbyak.h>

#include <climits>
#include <initializer_list>
#include <optional>
#include <vector>

#include "core/error.hpp"
#include "device/cpu/jit/jit.hpp"

namespace numloom::cpu {

class LoopAssembler : public CompiledLoop, protected Xbyak::CodeGenerator {
  protected:
    // What the instruction set offers.
    struct Registers {
        int vectors;     // vector registers
        int pinned;      // of them, the most that scalars keep over the loop
        int first_mask;  // mask registers [first_mask, masks); none: bools live in vector registers
        int masks;
        int slot_bytes;  // of the stack, for one register
    };

    LoopAssembler(const LoopSource& source, const Registers& registers, int widest_lanes);

    // Where a value is while code is made.
    struct State {
        int reg = -1;           // vector or mask register
        int slot = -1;          // of the stack
        bool keep = false;      // a load that is stored again: its memory may be overwritten before
        bool spilled = false;   // `slot` holds it
        std::vector<int> uses;  // positions; store number k counts as position size + k
    };
    // A value of one of the groups of points that an iteration takes side by side.
    struct Item {
        LoopValue v;
        int copy = 0;
    };
    struct Store {
        int value, imaginary, operand, copy;
        int fold = -1;  // the accumulator that takes it, first of its group of points
    };
    // What is folded over a leaf: its lanes lie in one register, or in several that take groups in turn.
    struct Fold {
        OpCode op;
        DType type;
        int operand, reg;
    };
    static constexpr int kTemporary = -2;  // owner of a register that holds no value

    // --- what a generator adds: one instruction sequence each ---
    virtual void load(int reg, const LoopValue& v, int copy) = 0;
    virtual void store(int reg, DType type, int operand, int copy) = 0;
    virtual void store_complex(int real, int imaginary, DType type, int operand, int copy) = 0;  // of a part
    virtual void define(int value, const LoopValue& v) = 0;
    virtual void fold(int accumulator, int reg, OpCode op, DType type) = 0;
    virtual void spill(int slot, int reg, bool mask) = 0;
    virtual void reload(int reg, int slot, bool mask) = 0;
    virtual void zero(int reg) = 0;
    virtual void broadcast_scalar(int reg, const LoopValue& v) = 0;  // from the address in r11

    // The register of the width that `lanes_` elements of a type take.
    virtual Xbyak::Xmm wide(int reg, DType type) const = 0;

    // Makes the code of one iteration over `copies` groups; `tail` is for the generator's own use.
    void body(bool tail, int copies);
    int choose_copies() const;
    static bool has_complex(const LoopSource& s);
    // Function entry and exit; the table of operands comes in rdi, the number of points in rsi.
    void enter();
    void leave(int extra_bytes);
    void broadcast_scalars();
    // Addresses of operands into general registers, as far as these last; loads first.
    void load_pointers(std::initializer_list<int> registers);
    // Whole groups of points, `copies` at a time; rax counts points, rbx tells where the loop ends.
    void loop(int copies);
    // All points, which are whole leaves: their lanes go to the operands of the folds.
    void loop_leaves();
    // in[0] * in[1] + (-) in[2], rounded once.
    void multiply_add(int value, const LoopValue& v);

    static DType result_type(const LoopValue& v) {
        return v.kind == LoopValue::Compute ? result_dtype(v.op, v.type) : v.type;
    }
    DType type_of(int v) const { return result_type(items_[static_cast<size_t>(v)].v); }
    bool in_mask(DType type) const { return type == DType::Bool && r_.masks > 0; }
    State& state(int v) { return state_[static_cast<size_t>(v)]; }
    static int inputs(const LoopValue& v) {
        switch (v.kind) {
            case LoopValue::Compute:
                return operation(v.op).inputs;
            case LoopValue::Cast:
                return 1;
            case LoopValue::MultiplyAdd:
            case LoopValue::MultiplySubtract:
                return 3;
            default:
                return 0;
        }
    }
    static bool is_real(DType t) { return t == DType::Float64 || t == DType::Float32; }

    // A register for a value, or kTemporary: then release() gives it back.
    int allocate(bool mask, int for_value);
    int temporary() { return allocate(false, kTemporary); }
    void release(int reg) { owner_[reg] = -1; }
    void release_mask(int reg) { mask_owner_[reg] = -1; }
    // The register that holds value v now.
    int get(int v);
    // Whether the load v is used once and not in a register, so that an instruction may read its memory.
    bool foldable(int v);

    const LoopSource& s_;
    const Registers r_;
    int lanes_;  // points of one group
    bool tail_ = false;
    std::vector<Item> items_;    // of the body that is being made
    std::vector<int> pointers_;  // register of each operand's address, or -1

  private:
    struct Pinned {
        int reg = -1, slot = -1;
    };

    void reserve_accumulators();
    void start_leaf();
    void end_leaf();
    static size_t code_bytes(const LoopSource& s);
    void pressure(int* vectors, int* masks) const;
    void expand(int copies);
    int next_use(int v, int position) const;
    void release_dead();
    int take(int* owner, int r, int v);
    void evict(int v, int reg, bool mask);
    bool locked(int v) const;

    std::vector<Pinned> pinned_;  // per value of the source
    std::vector<Store> stores_;
    std::vector<Fold> folds_;
    std::vector<State> state_;
    std::vector<int> locked_;  // values that the current operation reads or defines
    int vectors_;              // registers below this are allocated
    int slots_ = 0;
    int position_ = 0;
    size_t frame_at_ = 0;
    int owner_[32], mask_owner_[8];
};

}  // namespace numloom::cpu

#endif
