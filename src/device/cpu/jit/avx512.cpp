// Code generator for AVX-512 (F, DQ, BW, VL). Eight points an iteration where a value has 64 bits, else
// sixteen; a last iteration under a mask. Bools live in mask registers. All loads of an iteration come before
// its stores, so that kernels may work in place.
#if NUMLOOM_XBYAK

#include <xbyak/xbyak.h>

#include <algorithm>
#include <climits>
#include <optional>

#include "core/error.hpp"
#include "device/cpu/jit/jit.hpp"

namespace numloom::cpu {

namespace {

using Xbyak::Address;
using Xbyak::Opmask;
using Xbyak::Reg64;
using Xbyak::Xmm;
using Xbyak::Ymm;
using Xbyak::Zmm;

constexpr int kVectors = 32, kMasks = 7;  // k7 is the tail's
constexpr int kPinned = 10;               // scalars kept in registers over the loop
constexpr int kCopies =
    4;  // groups of points side by side, so that the latency of one hides behind the others
constexpr size_t kLongTape = 1000;  // longer ones have one group, to bound the code

class Avx512Loop final : public CompiledLoop, private Xbyak::CodeGenerator {
  public:
    explicit Avx512Loop(const LoopSource& s)
        : Xbyak::CodeGenerator(code_bytes(s), Xbyak::DontSetProtectRWE), s_(s), pinned_(s.values.size()) {
        lanes_ = 16;
        for (const LoopValue& v : s_.values)
            if (item_size(result_type(v)) == 8 || (v.kind == LoopValue::Compute && item_size(v.type) == 8))
                lanes_ = 8;
        emit();
        ready();
        setProtectModeRE();
        function = getCode<Function>();
    }

  private:
    // Where a value is while code is made.
    struct State {
        int reg = -1;       // vector or mask register
        int slot = -1;      // 64 bytes of the stack
        bool keep = false;  // a load that is stored again: its memory may be overwritten before
        bool spilled = false;
        std::vector<int> uses;  // positions; store number k counts as position size + k
    };
    // A value of one of the groups of points that an iteration takes side by side.
    struct Item {
        LoopValue v;
        int copy = 0;
    };
    struct Store {
        int value, operand, copy;
    };
    struct Pinned {
        int reg = -1, slot = -1;
    };

    static size_t code_bytes(const LoopSource& s) {
        const size_t copies = s.values.size() > kLongTape ? 2 : kCopies + 1;
        return (4096 + copies * 96 * (s.values.size() + s.stores.size()) +
                64 * static_cast<size_t>(s.operands) + 4095) /
               4096 * 4096;
    }

    static DType result_type(const LoopValue& v) {
        return v.kind == LoopValue::Compute ? result_dtype(v.op, v.type) : v.type;
    }
    DType type_of(int v) const { return result_type(items_[static_cast<size_t>(v)].v); }
    bool is_mask(int v) const { return type_of(v) == DType::Bool; }
    State& state(int v) { return state_[static_cast<size_t>(v)]; }
    static int inputs(const LoopValue& v) {
        return v.kind == LoopValue::Compute ? operation(v.op).inputs : v.kind == LoopValue::Cast ? 1 : 0;
    }

    // Registers that one group of points needs at once, roughly; decides how many groups run side by side.
    void pressure(int* vectors, int* masks) const {
        std::vector<int> last(s_.values.size(), -1);
        for (size_t i = 0; i < s_.values.size(); ++i)
            for (int j = 0; j < inputs(s_.values[i]); ++j)
                last[static_cast<size_t>(s_.values[i].in[j])] = static_cast<int>(i);
        for (auto [value, operand] : s_.stores) last[static_cast<size_t>(value)] = INT_MAX;
        int live[2] = {0, 0}, most[2] = {1, 0};
        for (size_t i = 0; i < s_.values.size(); ++i) {
            const LoopValue& v = s_.values[i];
            if (v.kind == LoopValue::Scalar) continue;
            const int mask = result_type(v) == DType::Bool;
            most[mask] = std::max(most[mask], ++live[mask] + 1);
            for (int j = 0; j < inputs(v); ++j) {
                int& l = last[static_cast<size_t>(v.in[j])];
                if (l != static_cast<int>(i)) continue;
                l = -2;  // once, also where an input stands twice
                const LoopValue& in = s_.values[static_cast<size_t>(v.in[j])];
                if (in.kind != LoopValue::Scalar) --live[result_type(in) == DType::Bool];
            }
        }
        *vectors = most[0];
        *masks = most[1];
    }

    int choose_copies() const {
        if (s_.values.size() > kLongTape) return 1;
        int vectors = 1, masks = 0;
        pressure(&vectors, &masks);
        int copies = kCopies;
        while (copies > 1 && (copies * vectors + 1 > vectors_ || copies * masks > kMasks - 1)) copies /= 2;
        return copies;
    }

    // The tape for `copies` groups of points, operation by operation.
    void expand(int copies) {
        items_.clear();
        stores_.clear();
        state_.clear();
        std::vector<int> first(s_.values.size());
        for (size_t i = 0; i < s_.values.size(); ++i) {
            const LoopValue& v = s_.values[i];
            first[i] = static_cast<int>(items_.size());
            for (int c = 0; c < (v.kind == LoopValue::Scalar ? 1 : copies); ++c) {
                Item item{v, c};
                for (int j = 0; j < inputs(v); ++j) {
                    const size_t in = static_cast<size_t>(v.in[j]);
                    item.v.in[j] = first[in] + (s_.values[in].kind == LoopValue::Scalar ? 0 : c);
                }
                items_.push_back(item);
                state_.emplace_back();
                state_.back().reg = pinned_[i].reg;
                state_.back().slot = pinned_[i].slot;
            }
        }
        for (auto [value, operand] : s_.stores)
            for (int c = 0; c < copies; ++c) {
                const size_t v = static_cast<size_t>(value);
                stores_.push_back({first[v] + (s_.values[v].kind == LoopValue::Scalar ? 0 : c), operand, c});
            }
        const int size = static_cast<int>(items_.size());
        for (int i = 0; i < size; ++i)
            for (int j = 0; j < inputs(items_[static_cast<size_t>(i)].v); ++j)
                state(items_[static_cast<size_t>(i)].v.in[j]).uses.push_back(i);
        for (size_t k = 0; k < stores_.size(); ++k) {
            State& v = state(stores_[k].value);
            v.uses.push_back(size + static_cast<int>(k));
            v.keep = items_[static_cast<size_t>(stores_[k].value)].v.kind == LoopValue::Load;
        }
    }

    int next_use(int v, int position) const {
        const std::vector<int>& uses = state_[static_cast<size_t>(v)].uses;
        auto u = std::lower_bound(uses.begin(), uses.end(), position);
        return u == uses.end() ? INT_MAX : *u;
    }

    // --- frame of the function ---

    void emit() {
        static const int saved[] = {Xbyak::Operand::RBX, Xbyak::Operand::RBP, Xbyak::Operand::R12,
                                    Xbyak::Operand::R13, Xbyak::Operand::R14, Xbyak::Operand::R15};
        for (int r : saved) push(Reg64(r));
        mov(rbp, rsp);
        // Patched below, once the number of slots is known.
        and_(rsp, -64);
        const size_t frame_at = getSize();
        sub(rsp, 0x7fffffc0);
        load_pointers();
        broadcast_scalars();
        Xbyak::Label loop, rest, part, done;
        const int copies = choose_copies();
        xor_(rax, rax);
        mov(rbx, rsi);
        and_(rbx, -lanes_ * copies);
        jz(rest, T_NEAR);
        align(32);
        L(loop);
        body(false, copies);
        add(rax, lanes_ * copies);
        cmp(rax, rbx);
        jb(loop, T_NEAR);
        // What is left, one group of points at a time, under a mask.
        L(rest);
        mov(rbx, rsi);
        sub(rbx, rax);
        jbe(done, T_NEAR);
        mov(r11d, (1 << lanes_) - 1);
        cmp(rbx, lanes_);
        jae(part);
        bzhi(r11d, r11d, ebx);
        L(part);
        kmovw(k7, r11d);
        body(true, 1);
        add(rax, lanes_);
        jmp(rest, T_NEAR);
        L(done);
        vzeroupper();
        mov(rsp, rbp);
        for (int i = 5; i >= 0; --i) pop(Reg64(saved[i]));
        ret();
        constants();
        rewrite(frame_at + 3, static_cast<uint64_t>(slots_ * 64), 4);
    }

    void load_pointers() {
        static const int pool[] = {Xbyak::Operand::RDX, Xbyak::Operand::RCX, Xbyak::Operand::R8,
                                   Xbyak::Operand::R9,  Xbyak::Operand::R10, Xbyak::Operand::R12,
                                   Xbyak::Operand::R13, Xbyak::Operand::R14, Xbyak::Operand::R15};
        pointers_.assign(static_cast<size_t>(s_.operands), -1);
        size_t used = 0;
        auto take = [&](int32_t operand) {
            int& p = pointers_[static_cast<size_t>(operand)];
            if (p >= 0 || used == std::size(pool)) return;
            p = pool[used++];
            mov(Reg64(p), ptr[rdi + 8 * operand]);
        };
        for (const LoopValue& v : s_.values)
            if (v.kind == LoopValue::Load) take(v.operand);
        for (auto [value, operand] : s_.stores) take(operand);
    }

    // Scalars stay in registers over the loop; those beyond kPinned wait on the stack.
    void broadcast_scalars() {
        int pinned = 0;
        for (size_t i = 0; i < s_.values.size(); ++i) {
            const LoopValue& v = s_.values[i];
            if (v.kind != LoopValue::Scalar) continue;
            const int reg = pinned < kPinned ? kVectors - 1 - pinned : 0;
            mov(r11, ptr[rdi + 8 * v.operand]);
            if (item_size(v.type) == 8)
                vpbroadcastq(Zmm(reg), ptr[r11]);
            else
                vpbroadcastd(Zmm(reg), ptr[r11]);
            if (pinned < kPinned) {
                pinned_[i].reg = reg;
                ++pinned;
            } else {
                pinned_[i].slot = slots_++;
                vmovups(ptr[rsp + 64 * pinned_[i].slot], Zmm(0));
            }
        }
        vectors_ = kVectors - pinned;
    }

    // --- registers ---

    void body(bool tail, int copies) {
        tail_ = tail;
        std::fill(std::begin(owner_), std::end(owner_), -1);
        std::fill(std::begin(mask_owner_), std::end(mask_owner_), -1);
        expand(copies);
        const int size = static_cast<int>(items_.size());
        for (position_ = 0; position_ < size; ++position_) {
            const LoopValue& v = items_[static_cast<size_t>(position_)].v;
            if (v.kind != LoopValue::Compute && v.kind != LoopValue::Cast) continue;
            define(position_, v);
            release_dead();
        }
        for (const Store& s : stores_) {
            if (!state(s.value).keep) continue;
            get(s.value);
            locked_.clear();
        }
        for (const Store& s : stores_) {
            store(s.value, s.operand, s.copy);
            release_dead();
            ++position_;
        }
    }

    // Frees the registers of values that nobody uses after this position.
    void release_dead() {
        for (int& o : owner_)
            if (o >= 0 && next_use(o, position_ + 1) == INT_MAX) drop(o, &o);
        for (int& o : mask_owner_)
            if (o >= 0 && next_use(o, position_ + 1) == INT_MAX) drop(o, &o);
        locked_.clear();
    }
    void drop(int v, int* owner) {
        state(v).reg = -1;
        *owner = -1;
    }

    bool locked(int v) const { return std::find(locked_.begin(), locked_.end(), v) != locked_.end(); }

    // A free register of the class; the value whose next use is furthest makes room.
    int allocate(bool mask, int for_value) {
        int* owner = mask ? mask_owner_ : owner_;
        const int first = mask ? 1 : 0, count = mask ? kMasks : vectors_;
        int victim = -1, furthest = -1;
        for (int r = first; r < count; ++r) {
            if (owner[r] == -1) return take(owner, r, for_value);
            if (owner[r] == kTemporary || locked(owner[r])) continue;
            const int use = next_use(owner[r], position_);
            if (use > furthest) {
                furthest = use;
                victim = r;
            }
        }
        NL_CHECK(victim >= 0);
        const int v = owner[victim];
        if (s_.values[static_cast<size_t>(v)].kind != LoopValue::Load && state(v).slot < 0)
            state(v).slot = slots_++;
        if (s_.values[static_cast<size_t>(v)].kind != LoopValue::Load) {
            if (mask)
                kmovw(ptr[rsp + 64 * state(v).slot], Opmask(victim));
            else
                vmovups(ptr[rsp + 64 * state(v).slot], Zmm(victim));
        }
        state(v).reg = -1;
        return take(owner, victim, for_value);
    }
    int take(int* owner, int r, int v) {
        owner[r] = v;
        if (v >= 0) {
            state(v).reg = r;
            locked_.push_back(v);
        }
        return r;
    }

    // The register that holds value v now.
    int get(int v) {
        State& s = state(v);
        if (s.reg >= 0) {
            locked_.push_back(v);
            return s.reg;
        }
        const Item& item = items_[static_cast<size_t>(v)];
        const int r = allocate(is_mask(v), v);
        if (item.v.kind == LoopValue::Load && !s.spilled)
            load(r, item.v, item.copy);
        else if (is_mask(v))
            kmovw(Opmask(r), ptr[rsp + 64 * s.slot]);
        else
            vmovups(Zmm(r), ptr[rsp + 64 * s.slot]);
        return r;
    }

    // --- memory ---

    Address at(int32_t operand, DType type, int copy) {
        const int item = static_cast<int>(item_size(type));
        int p = pointers_[static_cast<size_t>(operand)];
        if (p < 0) {
            mov(r11, ptr[rdi + 8 * operand]);
            p = Xbyak::Operand::R11;
        }
        return ptr[Reg64(p) + rax * item + copy * lanes_ * item];
    }

    // The register of the width that `lanes_` elements of a type take.
    Xmm wide(int r, DType type) const {
        if (item_size(type) * lanes_ == 64) return Zmm(r);
        return Ymm(r);
    }
    Xmm zeroed(const Xmm& x) const { return tail_ ? (x | Opmask(7) | T_z) : x; }

    void load(int r, const LoopValue& v, int copy) {
        const Address a = at(v.operand, v.type, copy);
        if (v.type != DType::Bool) {
            // Masks count elements, so the instruction must know their width.
            if (item_size(v.type) == 8)
                vmovupd(zeroed(wide(r, v.type)), a);
            else
                vmovups(zeroed(wide(r, v.type)), a);
            return;
        }
        const int t = allocate(false, kTemporary);
        if (tail_)
            vmovdqu8(Xmm(t) | k7 | T_z, a);
        else if (lanes_ == 8)
            vmovq(Xmm(t), a);
        else
            vmovdqu8(Xmm(t), a);
        vptestmb(Opmask(r), Xmm(t), Xmm(t));
        owner_[t] = -1;
    }

    void store(int v, int32_t operand, int copy) {
        const int r = get(v);
        const DType type = type_of(v);
        if (type != DType::Bool) {
            const Address a = at(operand, type, copy);
            const Address to = tail_ ? a | k7 : a;
            if (item_size(type) == 8)
                vmovupd(to, wide(r, type));
            else
                vmovups(to, wide(r, type));
            return;
        }
        const int t = allocate(false, kTemporary);
        vmovdqu8(Xmm(t) | Opmask(r) | T_z, ptr[rip + ones_]);
        const Address a = at(operand, type, copy);
        if (tail_)
            vmovdqu8(a | k7, Xmm(t));
        else if (lanes_ == 8)
            vmovq(a, Xmm(t));
        else
            vmovdqu8(a, Xmm(t));
        owner_[t] = -1;
    }

    // --- operations ---

    // The second operand of an operation: the memory itself where a load is used only here.
    const Xbyak::Operand& source(int v) {
        const LoopValue& value = items_[static_cast<size_t>(v)].v;
        if (!tail_ && value.kind == LoopValue::Load && state(v).reg < 0 && state(v).uses.size() == 1 &&
            value.type != DType::Bool) {
            memory_.emplace(at(value.operand, value.type, items_[static_cast<size_t>(v)].copy));
            return *memory_;
        }
        vector_.emplace(wide(get(v), type_of(v)));
        return *vector_;
    }

    void define(int i, const LoopValue& v) {
        if (v.kind == LoopValue::Cast) return cast(i, v);
        if (v.type == DType::Bool && v.op != OpCode::Where) return logic(i, v);
        switch (v.op) {
            case OpCode::LogicalAnd:
            case OpCode::LogicalOr:
            case OpCode::LogicalXor:
            case OpCode::LogicalNot:
                return logic_of_numbers(i, v);
            case OpCode::Equal:
            case OpCode::NotEqual:
            case OpCode::Less:
            case OpCode::LessEqual:
            case OpCode::Greater:
            case OpCode::GreaterEqual:
                return compare(i, v);
            case OpCode::IsNan:
            case OpCode::IsInf:
            case OpCode::IsFinite:
                return classify(i, v);
            case OpCode::Where:
                return where(i, v);
            default:
                break;
        }
        if (v.type == DType::Float64 || v.type == DType::Float32)
            arithmetic(i, v);
        else
            integers(i, v);
    }

#define NL_BY_SIZE(type, name64, name32, ...) \
    (item_size(type) == 8 ? name64(__VA_ARGS__) : name32(__VA_ARGS__))

    void arithmetic(int i, const LoopValue& v) {
        const DType t = v.type;
        const int arity = operation(v.op).inputs;
        if (v.op == OpCode::Reciprocal) {
            const Xmm a = wide(get(v.in[0]), t);
            const Xmm d = wide(allocate(false, i), t);
            broadcast(d, t, item_size(t) == 8 ? one64_ : one32_);
            return NL_BY_SIZE(t, vdivpd, vdivps, zeroed(d), d, a);
        }
        if (arity == 1) return unary(i, v);
        const Xmm a = wide(get(v.in[0]), t);
        if (v.op == OpCode::Minimum || v.op == OpCode::Maximum) {
            const Xmm b = wide(get(v.in[1]), t);
            const Opmask k(allocate(true, kTemporary));
            const Xmm d = wide(allocate(false, i), t);
            // The processor gives the second of two zeros and whatever stands second to a NaN.
            NL_BY_SIZE(t, vcmppd, vcmpps, k, a, a, 3);
            if (v.op == OpCode::Minimum)
                NL_BY_SIZE(t, vminpd, vminps, d, a, b);
            else
                NL_BY_SIZE(t, vmaxpd, vmaxps, d, a, b);
            NL_BY_SIZE(t, vmovapd, vmovaps, d | k, a);
            mask_owner_[k.getIdx()] = -1;
            return;
        }
        const Xbyak::Operand& b = source(v.in[1]);
        const Xmm d = wide(allocate(false, i), t);
        switch (v.op) {
            case OpCode::Add:
                return NL_BY_SIZE(t, vaddpd, vaddps, d, a, b);
            case OpCode::Subtract:
                return NL_BY_SIZE(t, vsubpd, vsubps, d, a, b);
            case OpCode::Multiply:
                return NL_BY_SIZE(t, vmulpd, vmulps, d, a, b);
            case OpCode::Divide:
                return NL_BY_SIZE(t, vdivpd, vdivps, zeroed(d), a, b);
            default:
                unreachable("operation of the assembler");
        }
    }

    void unary(int i, const LoopValue& v) {
        const DType t = v.type;
        const bool eight = item_size(t) == 8;
        const Xmm a = wide(get(v.in[0]), t);
        const Xmm d = wide(allocate(false, i), t);
        switch (v.op) {
            case OpCode::Positive:
            case OpCode::Copy:
                return vmovaps(d, a);
            case OpCode::Square:
                return NL_BY_SIZE(t, vmulpd, vmulps, d, a, a);
            case OpCode::Sqrt:
                return NL_BY_SIZE(t, vsqrtpd, vsqrtps, zeroed(d), a);
            case OpCode::Negative:
                return eight ? vxorpd(d, a, ptr_b[rip + sign64_]) : vxorps(d, a, ptr_b[rip + sign32_]);
            case OpCode::Absolute:
            case OpCode::Fabs:
                return eight ? vandpd(d, a, ptr_b[rip + rest64_]) : vandps(d, a, ptr_b[rip + rest32_]);
            case OpCode::Floor:
                return NL_BY_SIZE(t, vrndscalepd, vrndscaleps, d, a, 9);
            case OpCode::Ceil:
                return NL_BY_SIZE(t, vrndscalepd, vrndscaleps, d, a, 10);
            case OpCode::Trunc:
                return NL_BY_SIZE(t, vrndscalepd, vrndscaleps, d, a, 11);
            case OpCode::Rint:
                return NL_BY_SIZE(t, vrndscalepd, vrndscaleps, d, a, 8);
            default:
                unreachable("operation of the assembler");
        }
    }

    void integers(int i, const LoopValue& v) {
        const DType t = v.type;
        const bool eight = item_size(t) == 8;
        const Xmm a = wide(get(v.in[0]), t);
        if (operation(v.op).inputs == 1) {
            const Xmm d = wide(allocate(false, i), t);
            switch (v.op) {
                case OpCode::Positive:
                case OpCode::Copy:
                    return vmovaps(d, a);
                case OpCode::Square:
                    return NL_BY_SIZE(t, vpmullq, vpmulld, d, a, a);
                case OpCode::Absolute:
                    return eight ? vpabsq(d, a) : vpabsd(d, a);
                case OpCode::Invert:
                    return vpternlogd(d, a, a, 0x55);
                case OpCode::Negative:
                    vpxord(d, d, d);
                    return NL_BY_SIZE(t, vpsubq, vpsubd, d, d, a);
                default:
                    unreachable("operation of the assembler");
            }
        }
        const Xbyak::Operand& b = source(v.in[1]);
        const Xmm d = wide(allocate(false, i), t);
        switch (v.op) {
            case OpCode::Add:
                return NL_BY_SIZE(t, vpaddq, vpaddd, d, a, b);
            case OpCode::Subtract:
                return NL_BY_SIZE(t, vpsubq, vpsubd, d, a, b);
            case OpCode::Multiply:
                return NL_BY_SIZE(t, vpmullq, vpmulld, d, a, b);
            case OpCode::Minimum:
                return NL_BY_SIZE(t, vpminsq, vpminsd, d, a, b);
            case OpCode::Maximum:
                return NL_BY_SIZE(t, vpmaxsq, vpmaxsd, d, a, b);
            case OpCode::BitwiseAnd:
                return vpandd(d, a, b);
            case OpCode::BitwiseOr:
                return vpord(d, a, b);
            case OpCode::BitwiseXor:
                return vpxord(d, a, b);
            default:
                unreachable("operation of the assembler");
        }
    }

    static int predicate(OpCode op, bool real) {
        switch (op) {
            case OpCode::Equal:
                return 0;
            case OpCode::NotEqual:
                return 4;
            case OpCode::Less:
                return real ? 0x11 : 1;
            case OpCode::LessEqual:
                return real ? 0x12 : 2;
            case OpCode::Greater:
                return real ? 0x1e : 6;
            default:
                return real ? 0x1d : 5;
        }
    }

    static bool is_real(DType t) { return t == DType::Float64 || t == DType::Float32; }

    void compare_with(const Opmask& k, DType t, const Xmm& a, const Xbyak::Operand& b, int p) {
        if (is_real(t))
            NL_BY_SIZE(t, vcmppd, vcmpps, k, a, b, static_cast<uint8_t>(p));
        else
            NL_BY_SIZE(t, vpcmpq, vpcmpd, k, a, b, static_cast<uint8_t>(p));
    }

    void compare(int i, const LoopValue& v) {
        const Xmm a = wide(get(v.in[0]), v.type);
        const Xbyak::Operand& b = source(v.in[1]);
        compare_with(Opmask(allocate(true, i)), v.type, a, b, predicate(v.op, is_real(v.type)));
    }

    void classify(int i, const LoopValue& v) {
        const Xmm a = wide(get(v.in[0]), v.type);
        const Opmask k(allocate(true, i));
        if (v.op == OpCode::IsNan) return compare_with(k, v.type, a, a, 3);
        const int t = allocate(false, kTemporary);
        const Xmm x = wide(t, v.type);
        const uint8_t p = v.op == OpCode::IsInf ? 0 : 0x11;
        if (item_size(v.type) == 8) {
            vandpd(x, a, ptr_b[rip + rest64_]);
            vcmppd(k, x, ptr_b[rip + infinity64_], p);
        } else {
            vandps(x, a, ptr_b[rip + rest32_]);
            vcmpps(k, x, ptr_b[rip + infinity32_], p);
        }
        owner_[t] = -1;
    }

    void logic(int i, const LoopValue& v) {
        const Opmask a(get(v.in[0]));
        const Opmask b = operation(v.op).inputs == 2 ? Opmask(get(v.in[1])) : a;
        const Opmask d(allocate(true, i));
        switch (v.op) {
            case OpCode::Add:
            case OpCode::LogicalOr:
            case OpCode::BitwiseOr:
                return korw(d, a, b);
            case OpCode::Multiply:
            case OpCode::LogicalAnd:
            case OpCode::BitwiseAnd:
                return kandw(d, a, b);
            case OpCode::NotEqual:
            case OpCode::LogicalXor:
            case OpCode::BitwiseXor:
                return kxorw(d, a, b);
            case OpCode::Equal:
                return kxnorw(d, a, b);
            case OpCode::LogicalNot:
            case OpCode::Invert:
                return knotw(d, a);
            default:
                unreachable("operation of the assembler");
        }
    }

    void nonzero(const Opmask& k, int v) {
        const DType t = type_of(v);
        const Xmm a = wide(get(v), t);
        if (!is_real(t)) return NL_BY_SIZE(t, vptestmq, vptestmd, k, a, a);
        const int z = allocate(false, kTemporary);
        vpxord(Zmm(z), Zmm(z), Zmm(z));
        compare_with(k, t, a, wide(z, t), 4);
        owner_[z] = -1;
    }

    void logic_of_numbers(int i, const LoopValue& v) {
        const Opmask p(allocate(true, kTemporary));
        nonzero(p, v.in[0]);
        Opmask q = p;
        if (operation(v.op).inputs == 2) {
            q = Opmask(allocate(true, kTemporary));
            nonzero(q, v.in[1]);
        }
        const Opmask d(allocate(true, i));
        switch (v.op) {
            case OpCode::LogicalAnd:
                kandw(d, p, q);
                break;
            case OpCode::LogicalOr:
                korw(d, p, q);
                break;
            case OpCode::LogicalXor:
                kxorw(d, p, q);
                break;
            default:
                knotw(d, p);
                break;
        }
        mask_owner_[p.getIdx()] = -1;
        mask_owner_[q.getIdx()] = -1;
    }

    void where(int i, const LoopValue& v) {
        const Opmask k(get(v.in[0]));
        const Xmm b = wide(get(v.in[2]), v.type);
        const Xbyak::Operand& a = source(v.in[1]);
        const Xmm d = wide(allocate(false, i), v.type);
        NL_BY_SIZE(v.type, vblendmpd, vblendmps, d | k, b, a);
    }

    void broadcast(const Xmm& d, DType t, const Xbyak::Label& constant) {
        if (item_size(t) == 8)
            vpbroadcastq(d, ptr[rip + constant]);
        else
            vpbroadcastd(d, ptr[rip + constant]);
    }

    void cast(int i, const LoopValue& v) {
        const DType f = v.from, t = v.type;
        if (t == DType::Bool) {
            if (f == DType::Bool) return kmovw(Opmask(allocate(true, i)), Opmask(get(v.in[0])));
            const Opmask k(allocate(true, i));
            return nonzero(k, v.in[0]);
        }
        if (f == DType::Bool) {
            const Opmask k(get(v.in[0]));
            const Xmm d = wide(allocate(false, i), t);
            broadcast(d | k | T_z, t,
                      t == DType::Float64   ? one64_
                      : t == DType::Float32 ? one32_
                      : t == DType::Int64   ? unit64_
                                            : unit32_);
            return;
        }
        const Xmm a = wide(get(v.in[0]), f);
        const Xmm d = wide(allocate(false, i), t);
        if (f == t) return vmovaps(d, a);
        if (f == DType::Float64) {
            if (t == DType::Float32) return vcvtpd2ps(d, a);
            return t == DType::Int32 ? vcvttpd2dq(d, a) : vcvttpd2qq(d, a);
        }
        if (f == DType::Float32) {
            if (t == DType::Float64) return vcvtps2pd(d, a);
            return t == DType::Int32 ? vcvttps2dq(d, a) : vcvttps2qq(d, a);
        }
        if (f == DType::Int32) {
            if (t == DType::Float64) return vcvtdq2pd(d, a);
            return t == DType::Float32 ? vcvtdq2ps(d, a) : vpmovsxdq(d, a);
        }
        if (t == DType::Float64) return vcvtqq2pd(d, a);
        return t == DType::Float32 ? vcvtqq2ps(d, a) : vpmovqd(d, a);
    }

#undef NL_BY_SIZE

    void constants() {
        align(64);
        L(ones_);
        dq(0x0101010101010101);
        dq(0x0101010101010101);
        L(sign64_);
        dq(0x8000000000000000);
        L(rest64_);
        dq(0x7fffffffffffffff);
        L(infinity64_);
        dq(0x7ff0000000000000);
        L(one64_);
        dq(0x3ff0000000000000);
        L(unit64_);
        L(unit32_);
        dq(1);
        L(sign32_);
        dd(0x80000000);
        L(rest32_);
        dd(0x7fffffff);
        L(infinity32_);
        dd(0x7f800000);
        L(one32_);
        dd(0x3f800000);
    }

    static constexpr int kTemporary = -2;

    const LoopSource& s_;
    std::vector<Pinned> pinned_;  // per value of the source
    std::vector<Item> items_;     // of the body that is being made
    std::vector<Store> stores_;
    std::vector<State> state_;
    std::vector<int> pointers_;  // register of each operand's address, or -1
    std::vector<int> locked_;    // values that the current operation reads or defines
    int lanes_ = 8;
    int vectors_ = kVectors;  // registers below this are allocated
    int slots_ = 0;
    int position_ = 0;
    bool tail_ = false;
    int owner_[kVectors], mask_owner_[kMasks];
    std::optional<Address> memory_;
    std::optional<Xmm> vector_;
    Xbyak::Label ones_, sign64_, rest64_, infinity64_, one64_, unit64_, sign32_, rest32_, infinity32_, one32_,
        unit32_;
};

}  // namespace

std::unique_ptr<CompiledLoop> assemble_avx512(const LoopSource& source) {
    try {
        return std::make_unique<Avx512Loop>(source);
    } catch (const Xbyak::Error&) {
        return nullptr;  // larger than the code buffer: the interpreter has it
    }
}

}  // namespace numloom::cpu

#endif
