#include "device/cpu/jit/loop_lowering.hpp"

#include "core/error.hpp"

namespace numloom::cpu {

namespace {

DType part_of(DType type) {
    return type == DType::Complex128 ? DType::Float64 : type == DType::Complex64 ? DType::Float32 : type;
}

}  // namespace

int32_t LoopLowering::add(const LoopValue& v) {
    out_.values.push_back(v);
    return static_cast<int32_t>(out_.values.size()) - 1;
}

int32_t LoopLowering::read_part(LoopValue::Part part, DType type, int32_t operand, bool scalar) {
    LoopValue v;
    v.kind = scalar ? LoopValue::Scalar : LoopValue::Load;
    v.part = part;
    v.type = part_of(type);
    v.operand = operand;
    return add(v);
}

LoopLowering::Parts LoopLowering::read(DType type, int32_t operand, bool scalar) {
    if (!is_complex(type)) return {read_part(LoopValue::Whole, type, operand, scalar), -1};
    const int32_t real = read_part(LoopValue::Real, type, operand, scalar);
    return {real, read_part(LoopValue::Imaginary, type, operand, scalar)};
}

void LoopLowering::fold(const Parts& value, OpCode op, int32_t operand) {
    out_.stores.push_back({value.real, -1, operand, true, op});
}

void LoopLowering::store(const Parts& value, int32_t operand) {
    out_.stores.push_back({value.real, value.imaginary, operand});
}

int32_t LoopLowering::zero(DType type) {
    LoopValue v;
    v.kind = LoopValue::Scalar;
    v.type = type;
    return add(v);
}

int32_t LoopLowering::operate(OpCode op, DType type, int32_t a, int32_t b, int32_t c) {
    LoopValue v;
    v.kind = LoopValue::Compute;
    v.op = op;
    v.type = type;
    v.in[0] = a;
    v.in[1] = b;
    v.in[2] = c;
    return add(v);
}

int32_t LoopLowering::multiply_add(LoopValue::Kind kind, DType type, int32_t a, int32_t b, int32_t c) {
    LoopValue v;
    v.kind = kind;
    v.type = type;
    v.in[0] = a;
    v.in[1] = b;
    v.in[2] = c;
    return add(v);
}

int32_t LoopLowering::convert(DType from, DType to, int32_t a) {
    LoopValue v;
    v.kind = LoopValue::Cast;
    v.from = from;
    v.type = to;
    v.in[0] = a;
    return add(v);
}

LoopLowering::Parts LoopLowering::cast(DType from, DType to, const Parts& a) {
    const DType f = part_of(from), t = part_of(to);
    const int32_t real = convert(f, t, a.real);
    if (is_complex(to)) return {real, is_complex(from) ? convert(f, t, a.imaginary) : zero(t)};
    if (is_complex(from) && to == DType::Bool)
        return {operate(OpCode::LogicalOr, DType::Bool, real, convert(f, t, a.imaginary)), -1};
    return {real, -1};
}

// As scalar::complex_multiply: one product of each part is fused.
LoopLowering::Parts LoopLowering::multiply(DType part, const Parts& a, const Parts& b) {
    const int32_t p = operate(OpCode::Multiply, part, a.imaginary, b.imaginary);
    const int32_t real = multiply_add(LoopValue::MultiplySubtract, part, a.real, b.real, p);
    const int32_t q = operate(OpCode::Multiply, part, a.imaginary, b.real);
    return {real, multiply_add(LoopValue::MultiplyAdd, part, a.real, b.imaginary, q)};
}

LoopLowering::Parts LoopLowering::compute_complex(OpCode op, DType part, const Parts* in) {
    const Parts &a = in[0], &b = in[1];
    switch (op) {
        case OpCode::RealPart:
            return {a.real, -1};
        case OpCode::ImagPart:
            return {a.imaginary, -1};
        case OpCode::Positive:
        case OpCode::Copy:
            return a;
        case OpCode::Conjugate:
            return {a.real, operate(OpCode::Negative, part, a.imaginary)};
        case OpCode::Negative:
        case OpCode::Add:
        case OpCode::Subtract: {
            const int32_t real = operate(op, part, a.real, b.real);
            return {real, operate(op, part, a.imaginary, b.imaginary)};
        }
        case OpCode::Multiply:
            return multiply(part, a, b);
        case OpCode::Square:
            return multiply(part, a, a);
        case OpCode::Where: {
            const int32_t real = operate(op, part, a.real, b.real, in[2].real);
            return {real, operate(op, part, a.real, b.imaginary, in[2].imaginary)};
        }
        case OpCode::Equal:
        case OpCode::NotEqual: {
            const int32_t real = operate(op, part, a.real, b.real);
            const int32_t imaginary = operate(op, part, a.imaginary, b.imaginary);
            const OpCode both = op == OpCode::Equal ? OpCode::LogicalAnd : OpCode::LogicalOr;
            return {operate(both, DType::Bool, real, imaginary), -1};
        }
        default:
            unreachable("operation of the assembler");
    }
}

LoopLowering::Parts LoopLowering::compute(const kernel::TapeEntry& e, const Parts* in) {
    if (e.kind == kernel::TapeKind::Cast) return cast(e.from, e.type, in[0]);
    if (is_complex(e.type)) return compute_complex(e.op, part_of(e.type), in);
    return {operate(e.op, e.type, in[0].real, in[1].real, in[2].real), -1};
}

}  // namespace numloom::cpu
