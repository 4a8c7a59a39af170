// Code generator for AVX2. Four points a group where a value has 64 bits, else eight. Bools are vector masks
// with lanes of 64 (32) bits, so that every bool of a kernel has one form. The last points go through the
// same code on padded copies on the stack.
#if NUMLOOM_XBYAK

#include "device/cpu/jit/assembler.hpp"

namespace numloom::cpu {

namespace {

using Xbyak::Address;
using Xbyak::Reg64;
using Xbyak::Xmm;
using Xbyak::Ymm;

constexpr int kVectorBytes = 32;

class Avx2Loop final : public LoopAssembler {
  public:
    explicit Avx2Loop(const LoopSource& s) : LoopAssembler(s, {16, 4, 0, 0, kVectorBytes}, 4) {
        emit();
        ready();
        setProtectModeRE();
        function = getCode<Function>();
    }

  private:
    // rax: point; rbx: where the loop ends; r12: table of operands; r11: passing addresses.
    void emit() {
        enter();
        mov(r12, rdi);
        load_pointers({Xbyak::Operand::RDX, Xbyak::Operand::R8, Xbyak::Operand::R9, Xbyak::Operand::R10,
                       Xbyak::Operand::R13, Xbyak::Operand::R14, Xbyak::Operand::R15});
        broadcast_scalars();
        if (s_.folds()) {
            loop_leaves();
            leave(stack_buffers());
            return constants();
        }
        const int copies = choose_copies();
        xor_(rax, rax);
        if (copies > 1) loop(copies);
        loop(1);
        Xbyak::Label done;
        mov(rbx, rsi);
        sub(rbx, rax);
        jbe(done, T_NEAR);
        tail();
        L(done);
        leave(stack_buffers());
        constants();
    }

    // The last rbx points, fewer than a group.
    void tail() {
        for (const LoopValue& v : s_.values) {
            if (v.kind != LoopValue::Load) continue;
            pad(v);
            copy_rest(v.operand, v.type, v.part == LoopValue::Whole ? 0 : 1, true);
        }
        body(true, 1);
        for (const LoopStore& w : s_.stores)
            copy_rest(w.operand, result_type(s_.values[static_cast<size_t>(w.value)]),
                      w.imaginary < 0 ? 0 : 1, false);
    }

    // The first of the last elements fills the buffer: padding with it sets no floating-point flag of its
    // own.
    void pad(const LoopValue& v) {
        const int size_log2 = info(v.type).size_log2 + (v.part == LoopValue::Whole ? 0 : 1);
        mov(rcx, rax);
        shl(rcx, size_log2);
        mov(r11, ptr[r12 + 8 * v.operand]);
        add(r11, rcx);
        if (size_log2 == 4)
            vbroadcastf128(Ymm(0), ptr[r11]);
        else if (size_log2 == 3)
            vbroadcastsd(Ymm(0), ptr[r11]);
        else if (size_log2 == 2)
            vbroadcastss(Ymm(0), ptr[r11]);
        else
            vpbroadcastb(Ymm(0), ptr[r11]);
        vmovups(buffer(v.operand, 0), Ymm(0));
        vmovups(buffer(v.operand, 1), Ymm(0));
    }

    // The stack holds two registers for each operand, so that complex numbers fit.
    Address buffer(int operand, int half) { return ptr[rsp + kVectorBytes * (2 * operand + half)]; }

    // Elements of 2^shift numbers.
    void copy_rest(int operand, DType type, int shift, bool in) {
        const Reg64 &memory = in ? rsi : rdi, &copy = in ? rdi : rsi;
        const int size_log2 = info(type).size_log2 + shift;
        mov(rcx, rax);
        shl(rcx, size_log2);
        mov(memory, ptr[r12 + 8 * operand]);
        add(memory, rcx);
        lea(copy, buffer(operand, 0));
        mov(rcx, rbx);
        shl(rcx, size_log2);
        rep();
        movsb();
    }

    int stack_buffers() const { return 2 * kVectorBytes * s_.operands; }

    // --- memory ---

    void zero(int reg) override { vpxor(Ymm(reg), Ymm(reg), Ymm(reg)); }
    void broadcast_scalar(int reg, const LoopValue& v) override {
        if (item_size(v.type) == 8)
            vbroadcastsd(Ymm(reg), ptr[r11]);
        else
            vbroadcastss(Ymm(reg), ptr[r11]);
    }
    Address slot(int s) { return ptr[rsp + stack_buffers() + kVectorBytes * s]; }
    void spill(int s, int reg, bool) override { vmovups(slot(s), Ymm(reg)); }
    void reload(int reg, int s, bool) override { vmovups(Ymm(reg), slot(s)); }

    // `numbers` of that type a point: two where it is part of a complex number; `half` of their registers.
    Address at(int32_t operand, DType type, int copy, int numbers = 1, int half = 0) {
        const int size = static_cast<int>(item_size(type)), item = size * numbers;
        if (tail_) return ptr[rsp + 2 * kVectorBytes * operand + half * lanes_ * size];
        int p = pointers_[static_cast<size_t>(operand)];
        if (p < 0) {
            mov(r11, ptr[r12 + 8 * operand]);
            p = Xbyak::Operand::R11;
        }
        const int distance = copy * lanes_ * item + half * lanes_ * size;
        if (item <= 8) return ptr[Reg64(p) + rax * item + distance];
        lea(r11, ptr[Reg64(p) + rax * 8]);
        return ptr[r11 + rax * 8 + distance];
    }

    // The register of the width that `lanes_` elements of a type take.
    Xmm wide(int r, DType type) const override {
        if (type == DType::Bool || item_size(type) * lanes_ == kVectorBytes) return Ymm(r);
        return Xmm(r);
    }
    // Elements of 32 bits beside ones of 64: their masks and bools differ in form.
    bool is_half(DType type) const { return item_size(type) == 4 && lanes_ == 4; }

    void load(int r, const LoopValue& v, int copy) override {
        if (v.part != LoopValue::Whole) return load_part(r, v, copy);
        const Address a = at(v.operand, v.type, copy);
        if (v.type != DType::Bool) return vmovups(wide(r, v.type), a);
        const int t = temporary();
        vpxor(Ymm(t), Ymm(t), Ymm(t));
        if (lanes_ == 4) {
            vmovd(Xmm(r), a);
            vpmovzxbq(Ymm(r), Xmm(r));
            vpcmpeqq(Ymm(r), Ymm(r), Ymm(t));
        } else {
            vmovq(Xmm(r), a);
            vpmovzxbd(Ymm(r), Xmm(r));
            vpcmpeqd(Ymm(r), Ymm(r), Ymm(t));
        }
        invert(r);
        release(t);
    }

    void store(int r, DType type, int operand, int copy) override {
        if (type != DType::Bool) return vmovups(at(operand, type, copy), wide(r, type));
        const int t = temporary();
        const Xmm x(t);
        if (lanes_ == 4) {
            narrow(t, r);
            vpackssdw(x, x, x);
        } else {
            vextracti128(x, Ymm(r), 1);
            vpackssdw(x, Xmm(r), x);
        }
        vpacksswb(x, x, x);
        vpand(x, x, ptr[rip + bytes_]);
        if (lanes_ == 4)
            vmovd(at(operand, type, copy), x);
        else
            vmovq(at(operand, type, copy), x);
        release(t);
    }

    // Real or imaginary parts of as many complex numbers as a group has points.
    void load_part(int r, const LoopValue& v, int copy) {
        const int t = temporary();
        const Xmm d = wide(r, v.type), x = wide(t, v.type);
        const bool real = v.part == LoopValue::Real;
        vmovups(x, at(v.operand, v.type, copy, 2, 0));
        const Address second = at(v.operand, v.type, copy, 2, 1);
        if (item_size(v.type) == 8)
            real ? vunpcklpd(d, x, second) : vunpckhpd(d, x, second);
        else
            vshufps(d, x, second, real ? 0x88 : 0xdd);
        if (d.isYMM()) vpermpd(Ymm(r), Ymm(r), 0xd8);
        release(t);
    }

    void store_complex(int real, int imaginary, DType type, int operand, int copy) override {
        const int s = temporary(), t = temporary();
        const Xmm re = wide(real, type), im = wide(imaginary, type), x = wide(s, type), y = wide(t, type);
        if (item_size(type) == 8) {
            vunpcklpd(x, re, im);
            vunpckhpd(y, re, im);
        } else {
            vunpcklps(x, re, im);
            vunpckhps(y, re, im);
        }
        if (re.isYMM()) {
            const Ymm low(s), high(t);
            // Quarters of the numbers: low lanes first.
            const int r = temporary();
            vperm2f128(Ymm(r), low, high, 0x20);
            vmovups(at(operand, type, copy, 2, 0), Ymm(r));
            vperm2f128(Ymm(r), low, high, 0x31);
            vmovups(at(operand, type, copy, 2, 1), Ymm(r));
            release(r);
        } else {
            vmovups(at(operand, type, copy, 2, 0), x);
            vmovups(at(operand, type, copy, 2, 1), y);
        }
        release(s);
        release(t);
    }

    // --- masks ---

    void invert(int r) { vpxor(Ymm(r), Ymm(r), ptr[rip + ones_]); }
    // The low halves of four 64-bit lanes; d is not r.
    void narrow(int d, int r) {
        vextracti128(Xmm(d), Ymm(r), 1);
        vshufps(Xmm(d), Xmm(r), Xmm(d), 0x88);
    }
    // A mask as comparisons of `type` leave it to the form that bools have.
    void widen(int r, DType type) {
        if (is_half(type)) vpmovsxdq(Ymm(r), Xmm(r));
    }

    // --- operations ---

    const Xbyak::Operand& source(int v) {
        if (!tail_ && foldable(v)) {
            const Item& item = items_[static_cast<size_t>(v)];
            memory_.emplace(at(item.v.operand, item.v.type, item.copy));
            return *memory_;
        }
        vector_.emplace(wide(get(v), type_of(v)));
        return *vector_;
    }

    void fold(int accumulator, int reg, OpCode op, DType t) override {
        const Xmm a = wide(accumulator, t), b = wide(reg, t);
        const bool eight = item_size(t) == 8;
        if (op == OpCode::Add) return eight ? vaddpd(a, a, b) : vaddps(a, a, b);
        if (op == OpCode::Multiply) return eight ? vmulpd(a, a, b) : vmulps(a, a, b);
        const int k = temporary(), l = temporary();  // kept where it is NaN or the smaller (larger) one
        const Xmm kept = wide(k, t), less = wide(l, t);
        const uint8_t order = op == OpCode::Minimum ? 0x11 : 0x1e;
        eight ? vcmppd(kept, a, a, 3) : vcmpps(kept, a, a, 3);
        eight ? vcmppd(less, a, b, order) : vcmpps(less, a, b, order);
        vorps(kept, kept, less);
        eight ? vblendvpd(a, b, a, kept) : vblendvps(a, b, a, kept);
        release(k);
        release(l);
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
        if (is_real(v.type))
            arithmetic(i, v);
        else
            integers(i, v);
    }

#define NL_BY_SIZE(type, name64, name32, ...) \
    (item_size(type) == 8 ? name64(__VA_ARGS__) : name32(__VA_ARGS__))

    void arithmetic(int i, const LoopValue& v) {
        const DType t = v.type;
        if (operation(v.op).inputs == 1) return unary(i, v);
        const Xmm a = wide(get(v.in[0]), t);
        if (v.op == OpCode::Minimum || v.op == OpCode::Maximum) {
            const Xmm b = wide(get(v.in[1]), t);
            const int k = temporary();
            const Xmm nan = wide(k, t), d = wide(allocate(false, i), t);
            // The second of two zeros, the first of two NaN. Not by the processor's minimum, which flags NaN.
            NL_BY_SIZE(t, vcmppd, vcmpps, nan, a, a, 3);
            NL_BY_SIZE(t, vcmppd, vcmpps, d, a, b, v.op == OpCode::Minimum ? 0x11 : 0x1e);
            vorps(nan, nan, d);
            NL_BY_SIZE(t, vblendvpd, vblendvps, d, b, a, nan);
            return release(k);
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
                return NL_BY_SIZE(t, vdivpd, vdivps, d, a, b);
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
                return NL_BY_SIZE(t, vsqrtpd, vsqrtps, d, a);
            case OpCode::Reciprocal:
                vmovaps(d, ptr[rip + (eight ? one64_ : one32_)]);
                return NL_BY_SIZE(t, vdivpd, vdivps, d, d, a);
            case OpCode::Negative:
                return vxorps(d, a, ptr[rip + (eight ? sign64_ : sign32_)]);
            case OpCode::Absolute:
            case OpCode::Fabs:
                return vandps(d, a, ptr[rip + (eight ? rest64_ : rest32_)]);
            case OpCode::Floor:
                return NL_BY_SIZE(t, vroundpd, vroundps, d, a, 9);
            case OpCode::Ceil:
                return NL_BY_SIZE(t, vroundpd, vroundps, d, a, 10);
            case OpCode::Trunc:
                return NL_BY_SIZE(t, vroundpd, vroundps, d, a, 11);
            case OpCode::Rint:
                return NL_BY_SIZE(t, vroundpd, vroundps, d, a, 8);
            default:
                unreachable("operation of the assembler");
        }
    }

    void integers(int i, const LoopValue& v) {
        const DType t = v.type;
        if (operation(v.op).inputs == 1) return unary_integer(i, v);
        const Xmm a = wide(get(v.in[0]), t);
        if (item_size(t) == 8 &&
            (v.op == OpCode::Multiply || v.op == OpCode::Minimum || v.op == OpCode::Maximum))
            return wide_integers(i, v);
        const Xbyak::Operand& b = source(v.in[1]);
        const Xmm d = wide(allocate(false, i), t);
        switch (v.op) {
            case OpCode::Add:
                return NL_BY_SIZE(t, vpaddq, vpaddd, d, a, b);
            case OpCode::Subtract:
                return NL_BY_SIZE(t, vpsubq, vpsubd, d, a, b);
            case OpCode::Multiply:
                return vpmulld(d, a, b);
            case OpCode::Minimum:
                return vpminsd(d, a, b);
            case OpCode::Maximum:
                return vpmaxsd(d, a, b);
            case OpCode::BitwiseAnd:
                return vpand(d, a, b);
            case OpCode::BitwiseOr:
                return vpor(d, a, b);
            case OpCode::BitwiseXor:
                return vpxor(d, a, b);
            default:
                unreachable("operation of the assembler");
        }
    }

    void unary_integer(int i, const LoopValue& v) {
        const DType t = v.type;
        if (v.op == OpCode::Square && item_size(t) == 8) return wide_integers(i, v);
        const Xmm a = wide(get(v.in[0]), t);
        const Xmm d = wide(allocate(false, i), t);
        switch (v.op) {
            case OpCode::Positive:
            case OpCode::Copy:
                return vmovaps(d, a);
            case OpCode::Square:
                return vpmulld(d, a, a);
            case OpCode::Invert:
                return vpxor(d, a, ptr[rip + ones_]);
            case OpCode::Negative:
                vpxor(d, d, d);
                return NL_BY_SIZE(t, vpsubq, vpsubd, d, d, a);
            case OpCode::Absolute: {
                if (item_size(t) == 4) return vpabsd(d, a);
                const int k = temporary();
                const Ymm s(k);
                vpxor(s, s, s);
                vpcmpgtq(s, s, a);
                vpxor(d, a, s);
                vpsubq(d, d, s);
                return release(k);
            }
            default:
                unreachable("operation of the assembler");
        }
    }

    // What AVX2 lacks for 64 bits.
    void wide_integers(int i, const LoopValue& v) {
        const Ymm a(get(v.in[0]));
        const Ymm b = v.op == OpCode::Square ? a : Ymm(get(v.in[1]));
        const int p = temporary();
        const Ymm t(p), d(allocate(false, i));
        if (v.op == OpCode::Minimum || v.op == OpCode::Maximum) {
            vpcmpgtq(t, a, b);
            if (v.op == OpCode::Minimum)
                vblendvpd(d, a, b, t);
            else
                vblendvpd(d, b, a, t);
            return release(p);
        }
        // low * low + ((high * low + low * high) << 32)
        vpsrlq(t, a, 32);
        vpmuludq(t, t, b);
        vpsrlq(d, b, 32);
        vpmuludq(d, d, a);
        vpaddq(t, t, d);
        vpsllq(t, t, 32);
        vpmuludq(d, a, b);
        vpaddq(d, d, t);
        release(p);
    }

    void compare(int i, const LoopValue& v) {
        const DType t = v.type;
        const Xmm a = wide(get(v.in[0]), t), b = wide(get(v.in[1]), t);
        const int r = allocate(false, i);
        const Xmm d = wide(r, t);
        if (is_real(t)) {
            const int p = v.op == OpCode::Equal       ? 0
                          : v.op == OpCode::NotEqual  ? 4
                          : v.op == OpCode::Less      ? 0x11
                          : v.op == OpCode::LessEqual ? 0x12
                          : v.op == OpCode::Greater   ? 0x1e
                                                      : 0x1d;
            NL_BY_SIZE(t, vcmppd, vcmpps, d, a, b, static_cast<uint8_t>(p));
            return widen(r, t);
        }
        const bool equal = v.op == OpCode::Equal || v.op == OpCode::NotEqual;
        if (equal)
            NL_BY_SIZE(t, vpcmpeqq, vpcmpeqd, d, a, b);
        else if (v.op == OpCode::Less || v.op == OpCode::GreaterEqual)
            NL_BY_SIZE(t, vpcmpgtq, vpcmpgtd, d, b, a);
        else
            NL_BY_SIZE(t, vpcmpgtq, vpcmpgtd, d, a, b);
        widen(r, t);
        if (v.op == OpCode::NotEqual || v.op == OpCode::GreaterEqual || v.op == OpCode::LessEqual) invert(r);
    }

    void classify(int i, const LoopValue& v) {
        const DType t = v.type;
        const Xmm a = wide(get(v.in[0]), t);
        const int r = allocate(false, i);
        const Xmm d = wide(r, t);
        const bool eight = item_size(t) == 8;
        if (v.op == OpCode::IsNan) {
            NL_BY_SIZE(t, vcmppd, vcmpps, d, a, a, 3);
        } else {
            vandps(d, a, ptr[rip + (eight ? rest64_ : rest32_)]);
            const uint8_t p = v.op == OpCode::IsInf ? 0 : 0x11;
            NL_BY_SIZE(t, vcmppd, vcmpps, d, d, ptr[rip + (eight ? infinity64_ : infinity32_)], p);
        }
        widen(r, t);
    }

    void combine(OpCode op, int d, int a, int b) {
        switch (op) {
            case OpCode::Add:
            case OpCode::LogicalOr:
            case OpCode::BitwiseOr:
                return vpor(Ymm(d), Ymm(a), Ymm(b));
            case OpCode::Multiply:
            case OpCode::LogicalAnd:
            case OpCode::BitwiseAnd:
                return vpand(Ymm(d), Ymm(a), Ymm(b));
            case OpCode::NotEqual:
            case OpCode::LogicalXor:
            case OpCode::BitwiseXor:
                return vpxor(Ymm(d), Ymm(a), Ymm(b));
            case OpCode::Equal:
                vpxor(Ymm(d), Ymm(a), Ymm(b));
                return invert(d);
            case OpCode::LogicalNot:
            case OpCode::Invert:
                return vpxor(Ymm(d), Ymm(a), ptr[rip + ones_]);
            default:
                unreachable("operation of the assembler");
        }
    }

    void logic(int i, const LoopValue& v) {
        const int a = get(v.in[0]), b = operation(v.op).inputs == 2 ? get(v.in[1]) : a;
        combine(v.op, allocate(false, i), a, b);
    }

    void nonzero(int r, int v) {
        const DType t = type_of(v);
        const Xmm a = wide(get(v), t), d = wide(r, t);
        vpxor(Ymm(r), Ymm(r), Ymm(r));
        if (is_real(t)) {
            NL_BY_SIZE(t, vcmppd, vcmpps, d, a, d, 4);
            return widen(r, t);
        }
        NL_BY_SIZE(t, vpcmpeqq, vpcmpeqd, d, a, d);
        widen(r, t);
        invert(r);
    }

    void logic_of_numbers(int i, const LoopValue& v) {
        const int p = temporary();
        nonzero(p, v.in[0]);
        int q = p;
        if (operation(v.op).inputs == 2) {
            q = temporary();
            nonzero(q, v.in[1]);
        }
        combine(v.op, allocate(false, i), p, q);
        release(p);
        release(q);
    }

    void where(int i, const LoopValue& v) {
        const DType t = v.type;
        const int k = get(v.in[0]);
        const Xmm a = wide(get(v.in[1]), t), b = wide(get(v.in[2]), t);
        const Xmm d = wide(allocate(false, i), t);
        if (!is_half(t)) return NL_BY_SIZE(t, vblendvpd, vblendvps, d, b, a, Ymm(k));
        const int n = temporary();
        narrow(n, k);
        vblendvps(d, b, a, Xmm(n));
        release(n);
    }

    void cast(int i, const LoopValue& v) {
        const DType f = v.from, t = v.type;
        if (t == DType::Bool) {
            if (f == DType::Bool) {
                const Ymm a(get(v.in[0]));
                return vmovaps(Ymm(allocate(false, i)), a);
            }
            return nonzero(allocate(false, i), v.in[0]);
        }
        const int from = get(v.in[0]);
        const int to = allocate(false, i);
        const Xmm a = wide(from, f), d = wide(to, t);
        if (f == DType::Bool) {
            const Xbyak::Label& one = t == DType::Float64   ? one64_
                                      : t == DType::Float32 ? one32_
                                      : t == DType::Int64   ? unit64_
                                                            : unit32_;
            if (is_half(t))
                narrow(to, from);
            else
                vmovaps(d, a);
            return vandps(d, d, ptr[rip + one]);
        }
        if (f == t) return vmovaps(d, a);
        if (f == DType::Float64) return t == DType::Float32 ? vcvtpd2ps(d, a) : vcvttpd2dq(d, a);
        if (f == DType::Float32) return t == DType::Float64 ? vcvtps2pd(d, a) : vcvttps2dq(d, a);
        if (f == DType::Int64) return narrow(to, from);
        if (t == DType::Float64) return vcvtdq2pd(d, a);
        return t == DType::Float32 ? vcvtdq2ps(d, a) : vpmovsxdq(d, a);
    }

#undef NL_BY_SIZE

    void constant(Xbyak::Label& label, uint64_t bits) {
        L(label);
        for (int k = 0; k < 4; ++k) dq(bits);
    }

    void constants() {
        align(64);
        constant(ones_, ~uint64_t{0});
        constant(bytes_, 0x0101010101010101);
        constant(sign64_, 0x8000000000000000);
        constant(rest64_, 0x7fffffffffffffff);
        constant(infinity64_, 0x7ff0000000000000);
        constant(one64_, 0x3ff0000000000000);
        constant(unit64_, 1);
        constant(sign32_, 0x8000000080000000);
        constant(rest32_, 0x7fffffff7fffffff);
        constant(infinity32_, 0x7f8000007f800000);
        constant(one32_, 0x3f8000003f800000);
        constant(unit32_, 0x0000000100000001);
    }

    std::optional<Address> memory_;
    std::optional<Xmm> vector_;
    Xbyak::Label ones_, bytes_, sign64_, rest64_, infinity64_, one64_, unit64_, sign32_, rest32_, infinity32_,
        one32_, unit32_;
};

// Conversions between 64-bit integers and floating point came with AVX-512.
bool has_instructions(const LoopSource& s) {
    for (const LoopValue& v : s.values) {
        if (v.kind != LoopValue::Cast) continue;
        const bool from_real = v.from == DType::Float32 || v.from == DType::Float64;
        const bool to_real = v.type == DType::Float32 || v.type == DType::Float64;
        if ((v.from == DType::Int64 && to_real) || (from_real && v.type == DType::Int64)) return false;
    }
    return true;
}

}  // namespace

std::unique_ptr<CompiledLoop> assemble_avx2(const LoopSource& source) {
    if (!has_instructions(source)) return nullptr;
    try {
        return std::make_unique<Avx2Loop>(source);
    } catch (const Xbyak::Error&) {
        return nullptr;  // larger than the code buffer: the interpreter has it
    }
}

}  // namespace numloom::cpu

#endif
