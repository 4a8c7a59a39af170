// The number protocol of the array type and the lazy scalar.
#include "numbers.hpp"

#include "operand.hpp"

namespace numloom::python {
namespace {

template <OpCode Op>
PyObject* binary_slot(PyObject* a, PyObject* b) {
    return guarded([&] { return binary(Op, a, b, true); });
}

template <OpCode Op>
PyObject* unary_slot(PyObject* a) {
    return guarded([&] { return unary(Op, a); });
}

template <OpCode Op>
PyObject* inplace_slot(PyObject* a, PyObject* b) {
    return guarded([&] { return inplace(Op, a, b); });
}

PyObject* power_slot(PyObject* a, PyObject* b, PyObject* modulo) {
    if (modulo != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return guarded([&] {
        OpCode op = power_short_cut(a, b);
        return op == OpCode::Power ? binary(op, a, b, true) : unary(op, a);
    });
}

PyObject* inplace_power_slot(PyObject* a, PyObject* b, PyObject* modulo) {
    if (modulo != Py_None) Py_RETURN_NOTIMPLEMENTED;
    return guarded([&] { return inplace(power_short_cut(a, b), a, b); });
}

PyObject* divmod_slot(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        const ReportedAs whole(report_as("divmod"));
        Ref quotient(binary(OpCode::FloorDivide, a, b, true));
        if (quotient.get() == Py_NotImplemented) return quotient.release();
        Ref remainder(binary(OpCode::Remainder, a, b, true));
        return Ref::take(PyTuple_Pack(2, quotient.get(), remainder.get())).release();
    });
}

PyObject* matmul_slot(PyObject* a, PyObject* b) {
    return guarded([&] { return call_hook(Hook::Matmul, a, b); });
}

PyObject* inplace_matmul_slot(PyObject* a, PyObject* b) {
    return guarded([&]() -> PyObject* {
        if (!as_array(a)->writeable) raise(PyExc_ValueError, "output array is read-only");
        return call_hook(Hook::InplaceMatmul, a, b);
    });
}

// --- conversions ---

// The only element of an array as a NumPy scalar (new reference).
Ref only_element(const Array& a) {
    Scalar s;
    engine().read(a, s.bytes, Trigger::HostRead);
    return Ref(make_numpy_scalar(a.dtype(), s.bytes));
}

int array_bool(PyObject* self) {
    return guarded(-1, [&] {
        const Array& a = array_of(self);
        if (a.size() == 0)
            raise(PyExc_ValueError,
                  "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an "
                  "array is not empty.");
        if (a.size() > 1)
            raise(PyExc_ValueError,
                  "The truth value of an array with more than one element is ambiguous. Use a.any() or "
                  "a.all()");
        Scalar s;
        engine().read(a, s.bytes, Trigger::HostRead);
        return static_cast<int>(cast_scalar(s, a.dtype(), DType::Bool).as<bool>());
    });
}

// 0-d arrays convert like their element; others as NumPy's version does it (deprecated or refused).
template <PyObject* (*Convert)(PyObject*)>
PyObject* array_number(PyObject* self) {
    return guarded([&] {
        const Array& a = array_of(self);
        Ref value = a.ndim() == 0 && !is_complex(a.dtype()) ? only_element(a) : to_host(a);
        return Ref::take(Convert(value.get())).release();
    });
}

template <PyObject* (*Convert)(PyObject*)>
PyObject* scalar_number(PyObject* self) {
    return guarded([&] { return Ref::take(Convert(scalar_value(as_array(self)))).release(); });
}

int scalar_bool(PyObject* self) {
    return guarded(-1, [&] { return PyObject_IsTrue(scalar_value(as_array(self))); });
}

PyObject* array_index(PyObject* self) {
    return guarded([&] {
        const Array& a = array_of(self);
        if (a.ndim() != 0 || !is_integer(a.dtype()))
            raise(PyExc_TypeError, "only integer scalar arrays can be converted to a scalar index");
        return Ref::take(PyNumber_Index(only_element(a).get())).release();
    });
}

OpCode comparison(int op) {
    switch (op) {
        case Py_LT:
            return OpCode::Less;
        case Py_LE:
            return OpCode::LessEqual;
        case Py_EQ:
            return OpCode::Equal;
        case Py_NE:
            return OpCode::NotEqual;
        case Py_GT:
            return OpCode::Greater;
        default:
            return OpCode::GreaterEqual;
    }
}

}  // namespace

PyObject* rich_compare(PyObject* a, PyObject* b, int op) {
    return guarded([&] { return binary(comparison(op), a, b, true); });
}

PyObject* to_complex(PyObject* self) {
    return guarded([&] {
        Ref value = is_scalar(self)              ? Ref::share(scalar_value(as_array(self)))
                    : array_of(self).ndim() == 0 ? only_element(array_of(self))
                                                 : to_host(array_of(self));
        return Ref::take(PyObject_CallOneArg(reinterpret_cast<PyObject*>(&PyComplex_Type), value.get()))
            .release();
    });
}

#define NL_SLOT(name, function) \
    { name, reinterpret_cast<void*>(static_cast<decltype(&function)>(function)) }

#define NL_COMMON_SLOTS                                                                                   \
    NL_SLOT(Py_nb_add, binary_slot<OpCode::Add>), NL_SLOT(Py_nb_subtract, binary_slot<OpCode::Subtract>), \
        NL_SLOT(Py_nb_multiply, binary_slot<OpCode::Multiply>),                                           \
        NL_SLOT(Py_nb_true_divide, binary_slot<OpCode::Divide>),                                          \
        NL_SLOT(Py_nb_floor_divide, binary_slot<OpCode::FloorDivide>),                                    \
        NL_SLOT(Py_nb_remainder, binary_slot<OpCode::Remainder>), NL_SLOT(Py_nb_divmod, divmod_slot),     \
        NL_SLOT(Py_nb_power, power_slot), NL_SLOT(Py_nb_and, binary_slot<OpCode::BitwiseAnd>),            \
        NL_SLOT(Py_nb_or, binary_slot<OpCode::BitwiseOr>),                                                \
        NL_SLOT(Py_nb_xor, binary_slot<OpCode::BitwiseXor>),                                              \
        NL_SLOT(Py_nb_lshift, binary_slot<OpCode::LeftShift>),                                            \
        NL_SLOT(Py_nb_rshift, binary_slot<OpCode::RightShift>),                                           \
        NL_SLOT(Py_nb_negative, unary_slot<OpCode::Negative>),                                            \
        NL_SLOT(Py_nb_positive, unary_slot<OpCode::Positive>),                                            \
        NL_SLOT(Py_nb_absolute, unary_slot<OpCode::Absolute>),                                            \
        NL_SLOT(Py_nb_invert, unary_slot<OpCode::Invert>), NL_SLOT(Py_nb_matrix_multiply, matmul_slot)

std::vector<PyType_Slot> array_number_slots() {
    return {
        NL_COMMON_SLOTS,
        NL_SLOT(Py_nb_inplace_add, inplace_slot<OpCode::Add>),
        NL_SLOT(Py_nb_inplace_subtract, inplace_slot<OpCode::Subtract>),
        NL_SLOT(Py_nb_inplace_multiply, inplace_slot<OpCode::Multiply>),
        NL_SLOT(Py_nb_inplace_true_divide, inplace_slot<OpCode::Divide>),
        NL_SLOT(Py_nb_inplace_floor_divide, inplace_slot<OpCode::FloorDivide>),
        NL_SLOT(Py_nb_inplace_remainder, inplace_slot<OpCode::Remainder>),
        NL_SLOT(Py_nb_inplace_power, inplace_power_slot),
        NL_SLOT(Py_nb_inplace_and, inplace_slot<OpCode::BitwiseAnd>),
        NL_SLOT(Py_nb_inplace_or, inplace_slot<OpCode::BitwiseOr>),
        NL_SLOT(Py_nb_inplace_xor, inplace_slot<OpCode::BitwiseXor>),
        NL_SLOT(Py_nb_inplace_lshift, inplace_slot<OpCode::LeftShift>),
        NL_SLOT(Py_nb_inplace_rshift, inplace_slot<OpCode::RightShift>),
        NL_SLOT(Py_nb_inplace_matrix_multiply, inplace_matmul_slot),
        NL_SLOT(Py_nb_bool, array_bool),
        NL_SLOT(Py_nb_int, array_number<PyNumber_Long>),
        NL_SLOT(Py_nb_float, array_number<PyNumber_Float>),
        NL_SLOT(Py_nb_index, array_index),
        NL_SLOT(Py_tp_richcompare, rich_compare),
    };
}

std::vector<PyType_Slot> scalar_number_slots() {
    return {
        NL_COMMON_SLOTS,
        NL_SLOT(Py_nb_bool, scalar_bool),
        NL_SLOT(Py_nb_int, scalar_number<PyNumber_Long>),
        NL_SLOT(Py_nb_float, scalar_number<PyNumber_Float>),
        NL_SLOT(Py_nb_index, scalar_number<PyNumber_Index>),
        NL_SLOT(Py_tp_richcompare, rich_compare),
    };
}

}  // namespace numloom::python
