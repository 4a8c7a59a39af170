// Code generator for AVX-512 (F, DQ, BW, VL). Eight points an iteration where a value has 64 bits, else
// sixteen; a last iteration under a mask. Bools live in mask registers. All loads of an iteration come before
// its stores, so that kernels may work in place.
#if NUMLOOM_XBYAK

#include "device/cpu/jit/assembler.hpp"

namespace numloom::cpu {

namespace {

using Xbyak::Address;
using Xbyak::Opmask;
using Xbyak::Reg64;
using Xbyak::Xmm;
using Xbyak::Ymm;
using Xbyak::Zmm;

class Avx512Loop final : public LoopAssembler {
  public:
    explicit Avx512Loop(const LoopSource& s) : LoopAssembler(s, {32, 10, 1, has_complex(s) ? 5 : 7, 64}, 8) {
        emit();
        ready();
        setProtectModeRE();
        function = getCode<Function>();
    }

  private:
    // k7: mask of the last points; k5, k6: of their complex numbers, first and second half.
    void emit() {
        enter();
        load_pointers({Xbyak::Operand::RDX, Xbyak::Operand::RCX, Xbyak::Operand::R8, Xbyak::Operand::R9,
                       Xbyak::Operand::R10, Xbyak::Operand::R12, Xbyak::Operand::R13, Xbyak::Operand::R14,
                       Xbyak::Operand::R15});
        broadcast_scalars();
        if (s_.folds()) {
            loop_leaves();
            leave(0);
            return constants();
        }
        const int copies = choose_copies();
        xor_(rax, rax);
        if (copies > 1) loop(copies);
        loop(1);
        // The last points, fewer than a group, under a mask.
        Xbyak::Label done;
        mov(rbx, rsi);
        sub(rbx, rax);
        jbe(done, T_NEAR);
        mov(r11d, -1);
        bzhi(r11d, r11d, ebx);
        kmovw(k7, r11d);
        if (has_complex(s_)) {
            add(ebx, ebx);
            mov(r11d, -1);
            bzhi(r11d, r11d, ebx);
            kmovw(k5, r11d);
            shr(r11d, lanes_);
            kmovw(k6, r11d);
        }
        body(true, 1);
        L(done);
        leave(0);
        constants();
    }

    void zero(int reg) override { vpxord(Zmm(reg), Zmm(reg), Zmm(reg)); }
    void broadcast_scalar(int reg, const LoopValue& v) override {
        if (item_size(v.type) == 8)
            vpbroadcastq(Zmm(reg), ptr[r11]);
        else
            vpbroadcastd(Zmm(reg), ptr[r11]);
    }
    void spill(int slot, int reg, bool mask) override {
        if (mask)
            kmovw(ptr[rsp + 64 * slot], Opmask(reg));
        else
            vmovups(ptr[rsp + 64 * slot], Zmm(reg));
    }
    void reload(int reg, int slot, bool mask) override {
        if (mask)
            kmovw(Opmask(reg), ptr[rsp + 64 * slot]);
        else
            vmovups(Zmm(reg), ptr[rsp + 64 * slot]);
    }

    // --- memory ---

    // `numbers` of that type a point: two where it is part of a complex number.
    Address at(int32_t operand, DType type, int copy, int numbers = 1, int half = 0) {
        const int item = static_cast<int>(item_size(type)) * numbers;
        int p = pointers_[static_cast<size_t>(operand)];
        if (p < 0) {
            mov(r11, ptr[rdi + 8 * operand]);
            p = Xbyak::Operand::R11;
        }
        const int distance = copy * lanes_ * item + half * lanes_ * item / numbers;
        if (item <= 8) return ptr[Reg64(p) + rax * item + distance];
        lea(r11, ptr[Reg64(p) + rax * 8]);
        return ptr[r11 + rax * 8 + distance];
    }

    // The register of the width that `lanes_` elements of a type take.
    Xmm wide(int r, DType type) const override {
        if (item_size(type) * lanes_ == 64) return Zmm(r);
        return Ymm(r);
    }
    Xmm zeroed(const Xmm& x) const { return tail_ ? (x | Opmask(7) | T_z) : x; }

    void load(int r, const LoopValue& v, int copy) override {
        if (v.part != LoopValue::Whole) return load_part(r, v, copy);
        const Address a = at(v.operand, v.type, copy);
        if (v.type != DType::Bool) {
            const Xmm x = wide(r, v.type), to = tail_ ? x | k7 : x;
            // The padding of the last group is its first element: it sets no floating-point flag of its own.
            // Masks count elements, so the instruction must know their width.
            if (item_size(v.type) == 8) {
                if (tail_) vpbroadcastq(x, a);
                vmovupd(to, a);
            } else {
                if (tail_) vpbroadcastd(x, a);
                vmovups(to, a);
            }
            return;
        }
        const int t = temporary();
        if (tail_) {
            vpbroadcastb(Xmm(t), a);
            vmovdqu8(Xmm(t) | k7, a);
        } else if (lanes_ == 8)
            vmovq(Xmm(t), a);
        else
            vmovdqu8(Xmm(t), a);
        vptestmb(Opmask(r), Xmm(t), Xmm(t));
        release(t);
    }

    void store(int r, DType type, int operand, int copy) override {
        if (type != DType::Bool) {
            const Address a = at(operand, type, copy);
            const Address to = tail_ ? a | k7 : a;
            if (item_size(type) == 8)
                vmovupd(to, wide(r, type));
            else
                vmovups(to, wide(r, type));
            return;
        }
        const int t = temporary();
        vmovdqu8(Xmm(t) | Opmask(r) | T_z, ptr[rip + ones_]);
        const Address a = at(operand, type, copy);
        if (tail_)
            vmovdqu8(a | k7, Xmm(t));
        else if (lanes_ == 8)
            vmovq(a, Xmm(t));
        else
            vmovdqu8(a, Xmm(t));
        release(t);
    }

    void fold(int accumulator, int reg, OpCode op, DType t) override {
        const Xmm a = wide(accumulator, t), b = wide(reg, t);
        const bool eight = item_size(t) == 8;
        if (op == OpCode::Add) return eight ? vaddpd(a, a, b) : vaddps(a, a, b);
        if (op == OpCode::Multiply) return eight ? vmulpd(a, a, b) : vmulps(a, a, b);
        // Replaced where it is not NaN and not the smaller (larger) one.
        const Opmask k(allocate(true, kTemporary));
        const uint8_t order = op == OpCode::Minimum ? 0x15 : 0x1a;
        eight ? vcmppd(k, a, b, order) : vcmpps(k, a, b, order);
        eight ? vcmppd(k | k, a, a, 7) : vcmpps(k | k, a, a, 7);
        eight ? vmovapd(a | k, b) : vmovaps(a | k, b);
        release_mask(k.getIdx());
    }

    // Indices for permutations, 64 bytes each: of the even (odd) numbers of two registers; of the first
    // (second) half of two registers' numbers in turn.
    enum Order { kEven, kOdd, kFirst, kSecond, kOrders };
    Address order(Order o, DType type) {
        const bool narrow = item_size(type) == 4 && lanes_ == 8;
        return ptr[rip + (item_size(type) == 8 ? orders64_ : narrow ? orders32_narrow_ : orders32_) + 64 * o];
    }
    void permute(const Xmm& d, const Xmm& a, const Xbyak::Operand& b, DType type) {
        if (item_size(type) == 8)
            vpermi2pd(d, a, b);
        else
            vpermi2ps(d, a, b);
    }

    void load_part(int r, const LoopValue& v, int copy) {
        const Xmm d = wide(r, v.type);
        const int s = temporary(), t = temporary();
        const Xmm first = wide(s, v.type), second = wide(t, v.type);
        const bool eight = item_size(v.type) == 8;
        if (tail_) {  // the padding is the first of the last elements, as in load()
            const Address one = at(v.operand, v.type, copy, 2, 0);
            eight ? vbroadcastf64x2(Zmm(s), one) : vpbroadcastq(first, one);
            vmovaps(second, first);
        }
        const Xmm x = tail_ ? (first | k5) : first, y = tail_ ? (second | k6) : second;
        const Address low = at(v.operand, v.type, copy, 2, 0);
        eight ? vmovupd(x, low) : vmovups(x, low);
        const Address high = at(v.operand, v.type, copy, 2, 1);
        eight ? vmovupd(y, high) : vmovups(y, high);
        vmovaps(d, order(v.part == LoopValue::Real ? kEven : kOdd, v.type));
        permute(d, first, second, v.type);
        release(s);
        release(t);
    }

    void store_complex(int real, int imaginary, DType type, int operand, int copy) override {
        const int t = temporary();
        const Xmm d = wide(t, type);
        const bool eight = item_size(type) == 8;
        for (int half = 0; half < 2; ++half) {
            vmovaps(d, order(half == 0 ? kFirst : kSecond, type));
            permute(d, wide(real, type), wide(imaginary, type), type);
            const Address a = at(operand, type, copy, 2, half);
            const Address to = tail_ ? (half == 0 ? a | k5 : a | k6) : a;
            eight ? vmovupd(to, d) : vmovups(to, d);
        }
        release(t);
    }

    // --- operations ---

    // The second operand of an operation: the memory itself where a load is used only here.
    const Xbyak::Operand& source(int v) {
        if (!tail_ && foldable(v)) {
            const Item& item = items_[static_cast<size_t>(v)];
            memory_.emplace(at(item.v.operand, item.v.type, item.copy));
            return *memory_;
        }
        vector_.emplace(wide(get(v), type_of(v)));
        return *vector_;
    }

    void define(int i, const LoopValue& v) override {
        if (v.kind == LoopValue::Cast) return cast(i, v);
        if (v.kind != LoopValue::Compute) return multiply_add(i, v);
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
            // The second of two zeros, the first of two NaN. Not by the processor's minimum, which flags NaN.
            const uint8_t order = v.op == OpCode::Minimum ? 0x11 : 0x1e;
            NL_BY_SIZE(t, vcmppd, vcmpps, k, a, b, order);
            NL_BY_SIZE(t, vblendmpd, vblendmps, d | k, b, a);
            NL_BY_SIZE(t, vcmppd, vcmpps, k, a, a, 3);
            NL_BY_SIZE(t, vmovapd, vmovaps, d | k, a);
            release_mask(k.getIdx());
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
        const int t = temporary();
        const Xmm x = wide(t, v.type);
        const uint8_t p = v.op == OpCode::IsInf ? 0 : 0x11;
        if (item_size(v.type) == 8) {
            vandpd(x, a, ptr_b[rip + rest64_]);
            vcmppd(k, x, ptr_b[rip + infinity64_], p);
        } else {
            vandps(x, a, ptr_b[rip + rest32_]);
            vcmpps(k, x, ptr_b[rip + infinity32_], p);
        }
        release(t);
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
        const int z = temporary();
        vpxord(Zmm(z), Zmm(z), Zmm(z));
        compare_with(k, t, a, wide(z, t), 4);
        release(z);
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
        release_mask(p.getIdx());
        release_mask(q.getIdx());
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
        if (!has_complex(s_)) return;
        align(64);
        orders(orders64_, 8, true);
        orders(orders32_, 16, false);
        orders(orders32_narrow_, 8, false);
    }

    void orders(Xbyak::Label& label, int lanes, bool eight) {
        L(label);
        for (int o = kEven; o < kOrders; ++o)
            for (int k = 0; k < (eight ? 8 : 16); ++k) {
                const int turn = (o == kSecond ? lanes / 2 : 0) + k / 2 + k % 2 * lanes;
                const int index = o == kEven ? 2 * k : o == kOdd ? 2 * k + 1 : turn;
                if (eight)
                    dq(static_cast<uint64_t>(index));
                else
                    dd(static_cast<uint32_t>(index));
            }
    }

    std::optional<Address> memory_;
    std::optional<Xmm> vector_;
    Xbyak::Label ones_, sign64_, rest64_, infinity64_, one64_, unit64_, sign32_, rest32_, infinity32_, one32_,
        unit32_, orders64_, orders32_, orders32_narrow_;
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
