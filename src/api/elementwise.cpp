// Elementwise operations: NumPy's promotion, broadcasting and casting checks, then one instruction.
#include "api/internal.hpp"

namespace numloom {
namespace api {
namespace {

// What an operation does with operands of some types.
struct Loop {
    Type loop, result;
    Type inputs = Type::Bool;  // their common dtype
    bool known = false;
};

[[noreturn]] void no_loop(OpCode op) {
    fail(ErrorKind::Type,
         "ufunc '" + std::string(operation(op).name) +
             "' not supported for the input types, and the inputs could not be safely coerced to any "
             "supported types according to the casting rule ''safe''");
}

// NumPy refuses these on purpose, although bool casts to types that have loops.
void refuse_bool(OpCode op) {
    switch (op) {
        case OpCode::Subtract:
            fail(ErrorKind::Type,
                 "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` "
                 "operator, "
                 "or the logical_xor function instead.");
        case OpCode::Negative:
            fail(
                ErrorKind::Type,
                "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the "
                "logical_not function instead.");
        case OpCode::Positive:
        case OpCode::Sign:
        case OpCode::Gcd:
        case OpCode::Lcm:
            fail(ErrorKind::Type, "ufunc '" + std::string(operation(op).name) +
                                      "' did not contain a loop with signature matching types <class "
                                      "'numpy.dtypes.BoolDType'> -> None");
        default:
            return;
    }
}

// NumPy's search: the first loop whose dtype each operand casts to safely by itself. `inputs` is their common
// dtype.
Loop choose(OpCode op, Type inputs, std::span<const Arg> args) {
    if (inputs == Type::Bool) refuse_bool(op);
    // Integers divide in float64, whatever their size (NumPy's loops bb->d, ...).
    if (op == OpCode::Divide && !is_inexact(inputs)) return {Type::Float64, Type::Float64};
    for (const char code : operation(op).loops) {
        Type loop;
        if (!dtype_from_code(code, &loop)) continue;
        bool fits = true;
        for (const Arg& a : args) fits = fits && can_cast_safely(a.weak == Weak::No ? a.type : inputs, loop);
        if (fits) return {loop, result_dtype(op, loop)};
    }
    no_loop(op);
}

// choose() once for each operation and types; under the record lock.
const Loop& resolve(OpCode op, std::span<const Arg> args) {
    constexpr int kKeys = kDTypes + 3;
    static Loop table[kOps][kKeys][kKeys];
    const auto key = [](const Arg& a) {
        return a.weak == Weak::No ? static_cast<int>(a.type) : kDTypes - 1 + static_cast<int>(a.weak);
    };
    Loop& loop = table[static_cast<int>(op)][key(args.front())][key(args.back())];
    if (loop.known) return loop;
    const Type inputs = promoted({&args.front(), &args.back()});
    Loop found = choose(op, inputs, args);
    found.inputs = inputs;
    found.known = true;
    return loop = found;
}

bool is_comparison(OpCode op) { return op >= OpCode::Equal && op <= OpCode::GreaterEqual; }

OpCode mirrored(OpCode op) {
    switch (op) {
        case OpCode::Less:
            return OpCode::Greater;
        case OpCode::LessEqual:
            return OpCode::GreaterEqual;
        case OpCode::Greater:
            return OpCode::Less;
        case OpCode::GreaterEqual:
            return OpCode::LessEqual;
        default:
            return op;
    }
}

// `s op u` for int64 s and uint64 u, exactly: their common dtype would round. What is negative is below every
// u, the rest compares as uint64.
Handle compare_signs(OpCode op, const Handle& s, const Handle& u) {
    const v1::Array a = wrap(s), b = wrap(u), bits = wrap(converted(s, Type::UInt64));
    const Value same[] = {bits, b};
    const v1::Array compared = wrap(elementwise(op, same));
    const bool below = op == OpCode::Less || op == OpCode::LessEqual || op == OpCode::NotEqual;
    const v1::Array sign = below ? a < 0 : a >= 0;
    const Value both[] = {sign, compared};
    return elementwise(below ? OpCode::LogicalOr : OpCode::LogicalAnd, both);
}

void integer_number(const Number& n, bool* negative, uint64_t* bits) {
    *bits = n.as_unsigned();
    *negative = n.kind() == Number::Kind::Signed && n.as_signed() < 0;
}

bool fits(const Number& n, Type d) {
    bool negative;
    uint64_t bits;
    integer_number(n, &negative, &bits);
    const int width = static_cast<int>(item_size(d) * 8) - (numloom::kind(d) == Kind::Signed ? 1 : 0);
    if (negative)
        return numloom::kind(d) == Kind::Signed && (width == 63 || n.as_signed() >= -(int64_t{1} << width));
    return width == 64 || bits >> width == 0;
}

// A comparison of integers with a number beyond their range has one answer for all elements.
bool compare_beyond(OpCode op, const Arg& a, const Arg& b, Handle* out) {
    const Arg& array = a.weak == Weak::No ? a : b;
    const Arg& number = a.weak == Weak::No ? b : a;
    if (number.weak != Weak::Int || array.weak != Weak::No || !is_integer(array.type)) return false;
    if (fits(*number.number, array.type)) return false;
    if (&array == &b) op = mirrored(op);
    bool negative;
    uint64_t bits;
    integer_number(*number.number, &negative, &bits);
    const bool answer = op == OpCode::NotEqual ||
                        ((op == OpCode::Less || op == OpCode::LessEqual) && !negative) ||
                        ((op == OpCode::Greater || op == OpCode::GreaterEqual) && negative);
    *out = engine().full(Type::Bool, array.layout()->shape(), Scalar::of<bool>(answer));
    return true;
}

bool any_negative(const Arg& a) {
    if (a.weak != Weak::No)
        return a.weak == Weak::Int && a.number->kind() == Number::Kind::Signed && a.number->as_signed() < 0;
    if (numloom::kind(a.type) != Kind::Signed || a.layout()->size() == 0) return false;
    const Handle view(a.operand.storage, a.operand.layout, a.operand.offset, a.operand.dtype);
    const uint64_t every = view.ndim() == 64 ? ~uint64_t{0} : (uint64_t{1} << view.ndim()) - 1;
    const Handle least = reduced(OpCode::Minimum, a.type, a.type, view, every, false);
    Scalar s;
    engine().read(least, s.bytes, Trigger::DataError);
    return cast_scalar(s, a.type, Type::Int64).as<int64_t>() < 0;
}

void check_values(OpCode op, Type loop, const Arg* in) {
    if (op == OpCode::Power && numloom::kind(loop) == Kind::Signed && any_negative(in[1]))
        fail(ErrorKind::Value, "Integers to negative integer powers are not allowed.");
}

[[noreturn]] void no_broadcast(std::span<const Arg> in, const Handle* out) {
    std::string text = "operands could not be broadcast together with shapes ";
    for (const Arg& a : in) text += tuple_text(a.layout()->shape()) + " ";
    if (out) text += tuple_text(out->shape()) + " ";
    fail(ErrorKind::Value, text);
}

Dims broadcast(std::span<const Arg> in, const Handle* out) {
    Dims shape;
    bool alike = true;
    for (const Arg& a : in) alike = alike && a.layout() == in[0].layout();
    if (alike) return Dims(in[0].layout()->shape());
    for (const Arg& a : in) {
        const Dims before = shape;
        if (!broadcast_shapes(before, a.layout()->shape(), &shape)) no_broadcast(in, out);
    }
    return shape;
}

// Operands of one operation, with the dtypes settled.
struct Prepared {
    Arg in[3];
    size_t n = 0;
    Loop loop{};
    std::span<const Arg> args() const { return {in, n}; }
    void record(OpCode op, const Handle& out) const {
        Operand operands[3];
        for (size_t i = 0; i < n; ++i) operands[i] = in[i].operand;
        engine().compute(op, loop.loop, out.operand(), {operands, n});
    }
};

Prepared prepare(OpCode op, std::span<const Value> values) {
    Prepared p;
    bool arrays = false;
    for (const Value& v : values) {
        p.in[p.n++] = argument(v);
        arrays |= v.array() != nullptr;
    }
    if (!arrays)
        fail(ErrorKind::Type, std::string(operation(op).name) + ": at least one operand must be an array");
    const size_t first = op == OpCode::Where ? 1 : 0;  // the mask does not take part in promotion
    p.loop = resolve(op, p.args().subspan(first));
    const Type type = p.loop.inputs;
    for (size_t i = 0; i < p.n; ++i) {
        Arg& a = p.in[i];
        if (!a.number) continue;
        if (is_integer(type) && a.weak == Weak::Int)
            number_bytes(*a.number, type);  // may overflow what it meets
        a.operand = Operand(number_bytes(*a.number, p.loop.loop), p.loop.loop);
    }
    return p;
}

}  // namespace

Arg argument(const Value& v) {
    Arg a;
    if (v.array()) {
        const Handle& h = handle(*v.array());
        a.operand = h.operand();
        a.type = h.dtype();
        return a;
    }
    a.number = &v.number();
    switch (a.number->kind()) {
        case Number::Kind::Bool:
            a.type = Type::Bool;
            break;
        case Number::Kind::Signed:
        case Number::Kind::Unsigned:
            a.weak = Weak::Int;
            break;
        case Number::Kind::Float:
            a.weak = Weak::Float;
            break;
        case Number::Kind::Complex:
            a.weak = Weak::Complex;
            break;
    }
    return a;
}

Type promoted(std::initializer_list<const Arg*> args) {
    bool strong = false;
    Type d = Type::Bool;
    Weak weak = Weak::No;
    for (const Arg* a : args) {
        if (a->weak != Weak::No) {
            weak = std::max(weak, a->weak);
            continue;
        }
        d = strong ? promote(d, a->type) : a->type;
        strong = true;
    }
    switch (weak) {
        case Weak::No:
            return d;
        case Weak::Int:
            return !strong || d == Type::Bool ? Type::Int64 : d;
        case Weak::Float:
            return !strong || !is_inexact(d) ? Type::Float64 : d;
        case Weak::Complex:
            if (!strong || !is_inexact(d)) return Type::Complex128;
            return is_complex(d) ? d : d == Type::Float64 ? Type::Complex128 : Type::Complex64;
    }
    return d;
}

Type default_type(const Number& n) {
    switch (n.kind()) {
        case Number::Kind::Bool:
            return Type::Bool;
        case Number::Kind::Signed:
            return Type::Int64;
        case Number::Kind::Unsigned:
            return n.as_unsigned() > INT64_MAX ? Type::UInt64 : Type::Int64;
        case Number::Kind::Float:
            return Type::Float64;
        case Number::Kind::Complex:
            return Type::Complex128;
    }
    return Type::Float64;
}

Scalar number_bytes(const Number& n, Type d) {
    const auto as = [d] { return " as an element of " + std::string(name(d)); };
    switch (n.kind()) {
        case Number::Kind::Bool:
            return cast_scalar(Scalar::of<bool>(n.as_unsigned() != 0), Type::Bool, d);
        case Number::Kind::Signed:
        case Number::Kind::Unsigned: {
            const Type from = n.kind() == Number::Kind::Signed ? Type::Int64 : Type::UInt64;
            if (is_integer(d) && !fits(n, d))
                fail(ErrorKind::Overflow, "integer " +
                                              (from == Type::Int64 ? std::to_string(n.as_signed())
                                                                   : std::to_string(n.as_unsigned())) +
                                              " out of bounds for " + std::string(name(d)));
            return cast_scalar(Scalar::of<uint64_t>(n.as_unsigned()), from, d);
        }
        case Number::Kind::Float: {
            const double v = n.as_complex().real();
            if (is_integer(d)) {
                if (v != v) fail(ErrorKind::Value, "cannot convert float NaN to integer");
                const double limit =
                    numloom::kind(d) == Kind::Signed ? 9223372036854775808.0 : 18446744073709551616.0;
                if (!(v < limit) || v < -9223372036854775808.0)
                    fail(ErrorKind::Overflow, std::to_string(v) + as() + ": too large");
            }
            return cast_scalar(Scalar::of<double>(v), Type::Float64, d);
        }
        case Number::Kind::Complex:
            if (!is_complex(d) && d != Type::Bool)
                fail(ErrorKind::Type, "a complex number" + as() + " would lose its imaginary part");
            return cast_scalar(Scalar::of<std::complex<double>>(n.as_complex()), Type::Complex128, d);
    }
    return {};
}

std::string tuple_text(std::span<const int64_t> shape) {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i) {
        if (i) text += ',';
        text += std::to_string(shape[i]);
    }
    return text + (shape.size() == 1 ? ",)" : ")");
}

Handle allocate(Type d, std::span<const int64_t> shape, std::span<const Arg> in) {
    bool fortran = shape.size() > 1, c = false;
    for (const Arg& a : in) {
        if (!a.operand.storage || a.layout()->ndim() == 0) continue;
        const int64_t item = item_size(a.type);
        c = c || a.layout()->c_contiguous(item);
        fortran =
            fortran && a.layout()->ndim() == static_cast<int>(shape.size()) && a.layout()->f_contiguous(item);
    }
    return fortran && !c ? engine().empty_f_order(d, shape) : engine().empty(d, shape);
}

void check_writeable(const Handle& a) {
    for (int i = 0; i < a.ndim(); ++i)
        if (a.layout()->stride(i) == 0 && a.layout()->shape(i) > 1)
            fail(ErrorKind::Value, "assignment destination is read-only");
}

v1::Array recorded(const void* site, OpCode op, std::initializer_list<Value> in) {
    return enter(site, [&] { return wrap(elementwise(op, {in.begin(), in.size()})); });
}

Handle elementwise(OpCode op, std::span<const Value> in) {
    if (is_comparison(op)) {
        const Arg a = argument(in[0]), b = argument(in[1]);
        Handle answer;
        if (compare_beyond(op, a, b, &answer)) return answer;
        if (in[0].array() && in[1].array()) {
            if (a.type == Type::Int64 && b.type == Type::UInt64)
                return compare_signs(op, handle(*in[0].array()), handle(*in[1].array()));
            if (a.type == Type::UInt64 && b.type == Type::Int64)
                return compare_signs(mirrored(op), handle(*in[1].array()), handle(*in[0].array()));
        }
    }
    const Prepared p = prepare(op, in);
    const Dims shape = broadcast(p.args(), nullptr);
    check_values(op, p.loop.loop, p.in);
    Handle out = allocate(p.loop.result, shape, p.args());
    p.record(op, out);
    return out;
}

void elementwise_into(OpCode op, const Handle& out, std::span<const Value> in) {
    check_writeable(out);
    const Prepared p = prepare(op, in);
    if (p.loop.result != out.dtype() && !can_cast_same_kind(p.loop.result, out.dtype()))
        fail(ErrorKind::Type, "Cannot cast ufunc '" + std::string(operation(op).name) +
                                  "' output from dtype('" + std::string(name(p.loop.result)) +
                                  "') to dtype('" + std::string(name(out.dtype())) +
                                  "') with casting rule 'same_kind'");
    const Dims shape = broadcast(p.args(), &out);
    Dims with_out;
    if (!broadcast_shapes(shape, out.shape(), &with_out)) no_broadcast(p.args(), &out);
    if (with_out != Dims(out.shape()))
        fail(ErrorKind::Value, "non-broadcastable output operand with shape " + tuple_text(out.shape()) +
                                   " doesn't match the broadcast shape " + tuple_text(with_out));
    check_values(op, p.loop.loop, p.in);
    p.record(op, out);
}

void assign(const Handle& to, const Value& values) {
    check_writeable(to);
    if (!values.array()) {
        engine().assign(to.operand(), Operand(number_bytes(values.number(), to.dtype()), to.dtype()));
        return;
    }
    const Handle& from = handle(*values.array());
    if (is_complex(from.dtype()) && !is_complex(to.dtype()) && to.dtype() != Type::Bool)
        fail(ErrorKind::Type, "assigning complex values to " + std::string(name(to.dtype())) +
                                  " would lose their imaginary parts: take real()");
    Operand source = from.operand();
    std::span<const int64_t> shape = from.shape();
    // Leading axes of length 1 do not count.
    size_t extra = shape.size() > to.shape().size() ? shape.size() - to.shape().size() : 0;
    bool fits_in = true;
    for (size_t i = 0; i < extra; ++i) fits_in = fits_in && shape[i] == 1;
    const std::span<const int64_t> rest = shape.subspan(extra);
    Dims common;
    fits_in = fits_in && broadcast_shapes(rest, to.shape(), &common) && common == Dims(to.shape());
    if (!fits_in)
        fail(ErrorKind::Value, "could not broadcast input array from shape " + tuple_text(shape) +
                                   " into shape " + tuple_text(to.shape()));
    if (extra) source.layout = Layout::intern(rest, from.layout()->strides().subspan(extra));
    engine().assign(to.operand(), source);
}

Handle converted(const Handle& a, Type d) {
    if (a.dtype() == d) return a;
    const Arg arg{a.operand(), a.dtype(), Weak::No, nullptr};
    Handle out = allocate(d, a.shape(), {&arg, 1});
    engine().assign(out.operand(), a.operand());
    return out;
}

Handle dense(const Handle& a) {
    if (a.c_contiguous()) return a;
    Handle out = engine().empty(a.dtype(), a.shape());
    engine().assign(out.operand(), a.operand());
    return out;
}

}  // namespace api
}  // namespace numloom
