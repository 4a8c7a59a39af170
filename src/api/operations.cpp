// Operators, and the functions that are a few operations of the engine.
#include "api/internal.hpp"

namespace numloom {
namespace api {

Handle reduced(OpCode op, Type loop, Type result, const Handle& a, uint64_t mask, bool keepdims) {
    Dims shape;
    for (int i = 0; i < a.ndim(); ++i) shape.push((mask >> i & 1) ? 1 : a.layout()->shape(i));
    Handle out = engine().empty(result, shape);
    engine().reduce(op, loop, out.operand(), a.operand(), mask);
    return keepdims ? out : drop_axes(out, mask);
}

namespace {

Type sum_type(Type d) {
    if (d == Type::Bool || numloom::kind(d) == Kind::Signed) return Type::Int64;
    return numloom::kind(d) == Kind::Unsigned ? Type::UInt64 : d;
}

v1::Array fold(const void* site, OpCode op, const v1::Array& a, const Axes& axes, bool keepdims,
               std::optional<Type> d) {
    return enter(site, [&] {
        const Handle& h = handle(a);
        const Type t = d.value_or(h.dtype());
        return wrap(reduced(op, t, t, h, axis_mask(axes, h.ndim()), keepdims));
    });
}

int64_t folded_count(const Handle& a, uint64_t mask) {
    int64_t n = 1;
    for (int i = 0; i < a.ndim(); ++i)
        if (mask >> i & 1) n *= a.layout()->shape(i);
    return n;
}

// The dtypes in which a mean adds up, and of the result.
struct MomentTypes {
    Type add, result;
};
MomentTypes moment_types(Type d) {
    if (!is_inexact(d)) return {Type::Float64, Type::Float64};
    if (d == Type::Float16) return {Type::Float32, Type::Float16};
    return {d, d};
}

// total / count in NumPy's loop, whose divisor is an int64: float32 totals are divided in float64.
Handle divided(const Handle& total, int64_t count) {
    const Type loop = promote(total.dtype(), Type::Int64);
    Handle out = engine().empty(total.dtype(), total.shape());
    const Operand in[] = {total.operand(),
                          Operand(cast_scalar(Scalar::of<int64_t>(count), Type::Int64, loop), loop)};
    engine().compute(OpCode::Divide, loop, out.operand(), in);
    return out;
}

Handle mean_of(const Handle& a, uint64_t mask, bool keepdims, Type add) {
    return divided(reduced(OpCode::Add, add, add, a, mask, keepdims), folded_count(a, mask));
}

Handle variance(const Handle& a, const Axes& axes, bool keepdims, int64_t ddof) {
    const uint64_t mask = axis_mask(axes, a.ndim());
    const MomentTypes types = moment_types(a.dtype());
    const v1::Array center = wrap(mean_of(a, mask, true, types.add));
    v1::Array deviation = wrap(a) - center;
    if (is_complex(handle(deviation).dtype())) {
        const v1::Array x = real(deviation), y = imag(deviation);
        deviation = x * x + y * y;
    } else {
        deviation = deviation * deviation;
    }
    const Type add = handle(deviation).dtype() == Type::Float16 ? Type::Float32 : handle(deviation).dtype();
    const Handle total = reduced(OpCode::Add, add, add, handle(deviation), mask, keepdims);
    const Type result = is_complex(types.result) ? add : types.result;
    return converted(divided(total, std::max<int64_t>(folded_count(a, mask) - ddof, 0)), result);
}

// A nested operation where the public function is already inside enter().
v1::Array shortcut_power(const v1::Array& a, double e) {
    const bool inexact = is_inexact(handle(a).dtype());
    OpCode op = OpCode::Power;
    if (e == 2.0) op = OpCode::Square;
    if (inexact && e == 1.0) op = OpCode::Positive;
    if (inexact && e == -1.0) op = OpCode::Reciprocal;
    if (inexact && e == 0.5) op = OpCode::Sqrt;
    const Value in[] = {a, e};
    return wrap(elementwise(op, {in, op == OpCode::Power ? size_t{2} : size_t{1}}));
}

// The exponents for which NumPy's ** takes another function: numbers; for integers only the integer 2.
bool short_exponent(const v1::Array& a, const Number& n, double* e) {
    if (n.kind() == Number::Kind::Signed || n.kind() == Number::Kind::Unsigned) {
        if (n.as_unsigned() != 2 && (n.as_signed() > 1 || n.as_signed() < -1)) return false;
        *e = static_cast<double>(n.as_signed());
        return is_inexact(handle(a).dtype()) || *e == 2.0;
    }
    *e = n.as_complex().real();
    return n.kind() == Number::Kind::Float && is_inexact(handle(a).dtype());
}

Handle part(OpCode op, const Handle& a) {
    const Type real_type = a.dtype() == Type::Complex64 ? Type::Float32 : Type::Float64;
    const Arg arg{a.operand(), a.dtype(), Weak::No, nullptr};
    Handle out = allocate(real_type, a.shape(), {&arg, 1});
    const Operand in = a.operand();
    engine().compute(op, a.dtype(), out.operand(), {&in, 1});
    return out;
}

}  // namespace
}  // namespace api

inline namespace v1 {

using api::enter;
using api::handle;
using api::recorded;
using api::wrap;

#define NL_OPERATOR(symbol, op)                                                                             \
    Array operator symbol(const Array& a, const Value& b) { return recorded(NL_SITE, OpCode::op, {a, b}); } \
    Array operator symbol(const Number& a, const Array& b) { return recorded(NL_SITE, OpCode::op, {a, b}); }
NL_OPERATOR(+, Add)
NL_OPERATOR(-, Subtract)
NL_OPERATOR(*, Multiply)
NL_OPERATOR(/, Divide)
NL_OPERATOR(%, Remainder)
NL_OPERATOR(&, BitwiseAnd)
NL_OPERATOR(|, BitwiseOr)
NL_OPERATOR(^, BitwiseXor)
NL_OPERATOR(<<, LeftShift)
NL_OPERATOR(>>, RightShift)
NL_OPERATOR(<, Less)
NL_OPERATOR(<=, LessEqual)
NL_OPERATOR(>, Greater)
NL_OPERATOR(>=, GreaterEqual)
#undef NL_OPERATOR
Array operator==(const Array& a, const Array& b) { return recorded(NL_SITE, OpCode::Equal, {a, b}); }
Array operator==(const Array& a, const Number& b) { return recorded(NL_SITE, OpCode::Equal, {a, b}); }
Array operator==(const Number& a, const Array& b) { return recorded(NL_SITE, OpCode::Equal, {a, b}); }
Array operator!=(const Array& a, const Array& b) { return recorded(NL_SITE, OpCode::NotEqual, {a, b}); }
Array operator!=(const Array& a, const Number& b) { return recorded(NL_SITE, OpCode::NotEqual, {a, b}); }
Array operator!=(const Number& a, const Array& b) { return recorded(NL_SITE, OpCode::NotEqual, {a, b}); }
Array operator-(const Array& a) { return recorded(NL_SITE, OpCode::Negative, {a}); }
Array operator+(const Array& a) { return recorded(NL_SITE, OpCode::Positive, {a}); }
Array operator~(const Array& a) { return recorded(NL_SITE, OpCode::Invert, {a}); }

Array pow(const Value& a, const Value& b) {
    return enter(NL_SITE, [&] {
        double e;
        if (a.array() && !b.array() && api::short_exponent(*a.array(), b.number(), &e))
            return api::shortcut_power(*a.array(), e);
        const Value in[] = {a, b};
        return wrap(api::elementwise(OpCode::Power, in));
    });
}
Array abs(const Array& a) { return recorded(NL_SITE, OpCode::Absolute, {a}); }
Array where(const Array& mask, const Value& a, const Value& b) {
    return recorded(NL_SITE, OpCode::Where, {mask, a, b});
}
Array clip(const Array& a, const Value& low, const Value& high) {
    return enter(NL_SITE, [&] { return minimum(maximum(a, low), high); });
}
Array real(const Array& a) {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(a);
        return is_complex(h.dtype()) ? wrap(api::part(OpCode::RealPart, h)) : a;
    });
}
Array imag(const Array& a) {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(a);
        return is_complex(h.dtype()) ? wrap(api::part(OpCode::ImagPart, h)) : zeros_like(a);
    });
}

// --- reductions ---

Array sum(const Array& a, const Axes& axes, bool keepdims, std::optional<DType> d) {
    return api::fold(NL_SITE, OpCode::Add, a, axes, keepdims,
                     d ? api::type(*d) : api::sum_type(handle(a).dtype()));
}
Array prod(const Array& a, const Axes& axes, bool keepdims, std::optional<DType> d) {
    return api::fold(NL_SITE, OpCode::Multiply, a, axes, keepdims,
                     d ? api::type(*d) : api::sum_type(handle(a).dtype()));
}
Array min(const Array& a, const Axes& axes, bool keepdims) {
    return api::fold(NL_SITE, OpCode::Minimum, a, axes, keepdims, {});
}
Array max(const Array& a, const Axes& axes, bool keepdims) {
    return api::fold(NL_SITE, OpCode::Maximum, a, axes, keepdims, {});
}
Array any(const Array& a, const Axes& axes, bool keepdims) {
    return api::fold(NL_SITE, OpCode::LogicalOr, a, axes, keepdims, api::Type::Bool);
}
Array all(const Array& a, const Axes& axes, bool keepdims) {
    return api::fold(NL_SITE, OpCode::LogicalAnd, a, axes, keepdims, api::Type::Bool);
}
Array count_nonzero(const Array& a, const Axes& axes, bool keepdims) {
    return enter(NL_SITE, [&] {
        const Array truth = a.dtype() == DType::Bool ? a : a != 0;
        return api::fold(nullptr, OpCode::Add, truth, axes, keepdims, api::Type::Int64);
    });
}
Array mean(const Array& a, const Axes& axes, bool keepdims) {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(a);
        const api::MomentTypes types = api::moment_types(h.dtype());
        return wrap(api::converted(api::mean_of(h, api::axis_mask(axes, h.ndim()), keepdims, types.add),
                                   types.result));
    });
}
Array var(const Array& a, const Axes& axes, bool keepdims, int64_t ddof) {
    return enter(NL_SITE, [&] { return wrap(api::variance(handle(a), axes, keepdims, ddof)); });
}
Array std(const Array& a, const Axes& axes, bool keepdims, int64_t ddof) {
    return enter(NL_SITE, [&] { return sqrt(wrap(api::variance(handle(a), axes, keepdims, ddof))); });
}

}  // namespace v1
}  // namespace numloom
