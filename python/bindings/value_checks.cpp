// Failures and warnings that depend on values: looked at when the call is made, so that they rise at the
// user's line.
#include "operand.hpp"

namespace numloom::python {
namespace {

// `a` folded to one element of dtype d by an operation that has a value for one element.
Scalar folded(OpCode op, DType d, const Array& a) {
    Dims ones;
    for (int i = 0; i < a.ndim(); ++i) ones.push(1);
    Array one = engine().empty(d, ones);
    const uint64_t axes = a.ndim() == 64 ? ~uint64_t{0} : (uint64_t{1} << a.ndim()) - 1;
    engine().reduce(op, d, one.operand(), a.operand(), axes);
    Scalar s;
    engine().read(one, s.bytes, Trigger::DataError);
    return s;
}

Array viewed(const Operand& o) { return Array(o.storage, o.layout, o.offset, o.dtype); }

int64_t as_integer(const Operand& constant) {
    return cast_scalar(constant.scalar(), constant.dtype, DType::Int64).as<int64_t>();
}

bool any_negative(const Operand& o) {
    if (o.constant()) return as_integer(o) < 0;
    if (kind(o.dtype) != Kind::Signed || o.layout->size() == 0) return false;
    const Scalar least = folded(OpCode::Minimum, o.dtype, viewed(o));
    return cast_scalar(least, o.dtype, DType::Int64).as<int64_t>() < 0;
}

// Which of the two values occur; one pass over the elements, in their own dtype.
struct Found {
    bool first, second;
};
Found any_of(const Operand& o, int64_t first, int64_t second) {
    if (o.constant()) return {as_integer(o) == first, as_integer(o) == second};
    if (o.layout->size() == 0) return {false, false};
    Array seen[2];
    const uint64_t axes = o.layout->ndim() == 64 ? ~uint64_t{0} : (uint64_t{1} << o.layout->ndim()) - 1;
    Dims ones;
    for (int i = 0; i < o.layout->ndim(); ++i) ones.push(1);
    const int64_t values[2] = {first, second};
    const int n = first == second ? 1 : 2;
    for (int i = 0; i < n; ++i) {
        const Scalar value = cast_scalar(Scalar::of<int64_t>(values[i]), DType::Int64, o.dtype);
        const Operand in[2] = {o, Operand(value, o.dtype)};
        Array equal = engine().empty(DType::Bool, o.layout->shape());
        engine().compute(OpCode::Equal, o.dtype, equal.operand(), in);
        seen[i] = engine().empty(DType::Bool, ones);
        engine().reduce(OpCode::LogicalOr, DType::Bool, seen[i].operand(), equal.operand(), axes);
    }
    Scalar bits[2];
    for (int i = 0; i < n; ++i) engine().read(seen[i], bits[i].bytes, Trigger::DataError);
    return {bits[0].as<bool>(), bits[n - 1].as<bool>()};
}

int64_t least_of(DType d) { return INT64_MIN >> (64 - 8 * item_size(d)); }

// NumPy reports integer divisions by zero as "divide", for reciprocal as "invalid" too, and the least number
// by -1 as "over".
bool divisions_matter() {
    Ref state = Ref::take(PyObject_CallMethod(np.module, "geterr", nullptr));
    for (const char* kind : {"divide", "over", "invalid"}) {
        PyObject* action = PyDict_GetItemString(state.get(), kind);
        if (!action || PyUnicode_CompareWithASCIIString(action, "ignore") != 0) return true;
    }
    return false;
}

// Does what NumPy's errstate says about a division, by the same division in NumPy: it warns, raises or calls.
void divide_in_numpy(OpCode op, DType loop, int64_t dividend, int64_t divisor) {
    const bool part_of_divmod = manner == report_as("divmod");
    if (part_of_divmod && op == OpCode::Remainder) return;  // its quotient has said it
    if (!np.ufuncs[static_cast<int>(op)]) return;
    Ref ufunc = part_of_divmod ? Ref::take(PyObject_GetAttrString(np.module, "divmod"))
                               : Ref::share(np.ufuncs[static_cast<int>(op)]);
    Ref operands[2];
    for (int i = 0; i < 2; ++i) {
        const bool first = i == 0 && operation(op).inputs == 2;
        operands[i] = Ref::take(PyObject_CallFunction(np.empty, "iO", 1, dtype_object(loop)));
        const long long value = first ? dividend : divisor;
        Ref filled = Ref::take(PyObject_CallMethod(operands[i].get(), "fill", "L", value));
    }
    PyObject* in[2] = {operands[0].get(), operands[1].get()};
    Ref result = Ref::take(PyObject_Vectorcall(ufunc.get(), in, operation(op).inputs, nullptr));
}

}  // namespace

bool depends_on_values(OpCode op, DType loop) {
    if (op == OpCode::Power) return kind(loop) == Kind::Signed;
    return operation(op).has(T_WARNS) && is_integer(loop);
}

void check_values(OpCode op, const Resolved& r, const Arg* in, bool nothing) {
    if (op == OpCode::Power) {
        if (!nothing && any_negative(in[1].operand))
            raise(PyExc_ValueError, "Integers to negative integer powers are not allowed.");
        return;
    }
    const Operand& divisor = in[operation(op).inputs - 1].operand;
    const bool may_overflow = op == OpCode::FloorDivide && kind(r.loop) == Kind::Signed &&
                              kind(divisor.dtype) == Kind::Signed && in[0].operand.dtype == r.loop;
    const bool harmless =
        divisor.constant() && as_integer(divisor) != 0 && !(may_overflow && as_integer(divisor) == -1);
    if (nothing || harmless || !divisions_matter()) return;
    const auto [zero, minus_one] = any_of(divisor, 0, may_overflow ? -1 : 0);
    if (zero) divide_in_numpy(op, r.loop, 1, 0);
    const int64_t least = least_of(r.loop);
    if (may_overflow && minus_one && any_of(in[0].operand, least, least).first)
        divide_in_numpy(op, r.loop, least, -1);
}

}  // namespace numloom::python
