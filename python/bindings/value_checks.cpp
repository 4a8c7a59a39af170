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

bool any_zero(const Operand& o) {
    if (o.constant()) return as_integer(o) == 0;
    if (o.layout->size() == 0) return false;
    Array zeros = engine().empty(DType::Bool, o.layout->shape());
    const Operand in[2] = {o, Operand(Scalar{}, o.dtype)};
    engine().compute(OpCode::Equal, o.dtype, zeros.operand(), in);
    return folded(OpCode::LogicalOr, DType::Bool, zeros).as<bool>();
}

// NumPy reports integer divisions by zero as "divide", for reciprocal as "invalid" too.
bool divisions_matter() {
    Ref state = Ref::take(PyObject_CallMethod(np.module, "geterr", nullptr));
    for (const char* kind : {"divide", "invalid"}) {
        PyObject* action = PyDict_GetItemString(state.get(), kind);
        if (!action || PyUnicode_CompareWithASCIIString(action, "ignore") != 0) return true;
    }
    return false;
}

// Does what NumPy's errstate says about a division by zero, by dividing by zero in NumPy: it warns, raises or
// calls. For divmod, which is two operations here, the quotient speaks for both.
void report_zero_division(OpCode op, DType loop) {
    PyObject* ufunc = np.ufuncs[static_cast<int>(op)];
    Ref both;
    if (manner == Manner::Other) {
        if (op == OpCode::Remainder) return;
        both = Ref::take(PyObject_GetAttrString(np.module, "divmod"));
        ufunc = both.get();
    }
    if (!ufunc) return;
    Ref operands[2];
    for (int i = 0; i < 2; ++i) {
        const bool dividend = i == 0 && operation(op).inputs == 2;
        operands[i] = Ref::take(PyObject_CallFunction(np.empty, "iO", 1, dtype_object(loop)));
        Ref filled = Ref::take(PyObject_CallMethod(operands[i].get(), "fill", "i", dividend ? 1 : 0));
    }
    PyObject* in[2] = {operands[0].get(), operands[1].get()};
    Ref result = Ref::take(PyObject_Vectorcall(ufunc, in, operation(op).inputs, nullptr));
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
    if (nothing || (divisor.constant() && as_integer(divisor) != 0) || !divisions_matter()) return;
    if (any_zero(divisor)) report_zero_division(op, r.loop);
}

}  // namespace numloom::python
