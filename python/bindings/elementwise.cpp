// Elementwise operations on Python objects: promotion, broadcasting and casting checks of NumPy's ufuncs,
// then one record call.
#include "operand.hpp"

namespace numloom::python {

// --- errors in NumPy's words ---

std::string tuple_text(std::span<const int64_t> shape) {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i) {
        if (i) text += ',';
        text += std::to_string(shape[i]);
    }
    return text + (shape.size() == 1 ? ",)" : ")");
}

namespace {

[[noreturn]] void raise_broadcast(const Arg* in, int n, const ArrayObject* out) {
    std::string text = "operands could not be broadcast together with shapes ";
    for (int i = 0; i < n; ++i) text += tuple_text(in[i].layout()->shape()) + " ";
    if (out) text += tuple_text(out->array.shape()) + " ";
    raise(PyExc_ValueError, text);
}

[[noreturn]] void raise_output_cast(OpCode op, DType from, DType to) {
    if (np.output_casting_error && np.ufuncs[static_cast<int>(op)]) {
        Ref error =
            Ref::take(PyObject_CallFunction(np.output_casting_error, "OsOOi", np.ufuncs[static_cast<int>(op)],
                                            "same_kind", dtype_object(from), dtype_object(to), 0));
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
        throw PythonError{};
    }
    auto quoted = [](DType d) { return "dtype('" + std::string(name(d)) + "')"; };
    raise(PyExc_TypeError, "Cannot cast ufunc '" + std::string(operation(op).name) + "' output from " +
                               quoted(from) + " to " + quoted(to) + " with casting rule 'same_kind'");
}

// --- deferring ---

bool plain_python(PyObject* o) {
    return o == Py_None || PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) || PyList_CheckExact(o) ||
           PyTuple_CheckExact(o) || PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyBool_Check(o) ||
           PyComplex_CheckExact(o) || PyDict_CheckExact(o) || PySet_Check(o) || PySlice_Check(o);
}

double priority(PyObject* o) {
    Ref p(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)), "__array_priority__"));
    double v = p ? PyFloat_AsDouble(p.get()) : -1e6;
    if (PyErr_Occurred()) {
        PyErr_Clear();
        v = -1e6;
    }
    return v;
}

// NumPy's rule: whether an operator of `self` leaves the work to `other`.
bool defers(PyObject* self, PyObject* other, bool in_place) {
    if (Py_TYPE(self) == Py_TYPE(other) || plain_python(other) || Py_IS_TYPE(other, np.ndarray) ||
        is_array(other) || is_scalar(other))
        return false;
    if (PyObject_TypeCheck(other, np.ndarray))
        return !in_place;  // its class decides what becomes of the result
    if (PyObject_TypeCheck(other, np.generic)) return false;
    Ref attribute(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(other)), "__array_ufunc__"));
    if (attribute) return !in_place && attribute.get() == Py_None;
    PyErr_Clear();
    return priority(self) < priority(other);
}

// --- host scalars ---

binaryfunc python_operator(OpCode op) {
    switch (op) {
        case OpCode::Add:
            return PyNumber_Add;
        case OpCode::Subtract:
            return PyNumber_Subtract;
        case OpCode::Multiply:
            return PyNumber_Multiply;
        case OpCode::Divide:
            return PyNumber_TrueDivide;
        case OpCode::FloorDivide:
            return PyNumber_FloorDivide;
        case OpCode::Remainder:
            return PyNumber_Remainder;
        case OpCode::Power:
            return [](PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); };
        case OpCode::BitwiseAnd:
            return PyNumber_And;
        case OpCode::BitwiseOr:
            return PyNumber_Or;
        case OpCode::BitwiseXor:
            return PyNumber_Xor;
        case OpCode::LeftShift:
            return PyNumber_Lshift;
        case OpCode::RightShift:
            return PyNumber_Rshift;
        case OpCode::Equal:
            return [](PyObject* a, PyObject* b) { return PyObject_RichCompare(a, b, Py_EQ); };
        case OpCode::NotEqual:
            return [](PyObject* a, PyObject* b) { return PyObject_RichCompare(a, b, Py_NE); };
        case OpCode::Less:
            return [](PyObject* a, PyObject* b) { return PyObject_RichCompare(a, b, Py_LT); };
        case OpCode::LessEqual:
            return [](PyObject* a, PyObject* b) { return PyObject_RichCompare(a, b, Py_LE); };
        case OpCode::Greater:
            return [](PyObject* a, PyObject* b) { return PyObject_RichCompare(a, b, Py_GT); };
        case OpCode::GreaterEqual:
            return [](PyObject* a, PyObject* b) { return PyObject_RichCompare(a, b, Py_GE); };
        default:
            return nullptr;
    }
}

const char* operator_name(OpCode op) {
    switch (op) {
        case OpCode::Add:
            return "operator.add";
        case OpCode::Subtract:
            return "operator.sub";
        case OpCode::Multiply:
            return "operator.mul";
        case OpCode::Divide:
            return "operator.truediv";
        case OpCode::FloorDivide:
            return "operator.floordiv";
        case OpCode::Remainder:
            return "operator.mod";
        case OpCode::Power:
            return "operator.pow";
        case OpCode::BitwiseAnd:
            return "operator.and_";
        case OpCode::BitwiseOr:
            return "operator.or_";
        case OpCode::BitwiseXor:
            return "operator.xor";
        case OpCode::LeftShift:
            return "operator.lshift";
        case OpCode::RightShift:
            return "operator.rshift";
        case OpCode::Equal:
            return "operator.eq";
        case OpCode::NotEqual:
            return "operator.ne";
        case OpCode::Less:
            return "operator.lt";
        case OpCode::LessEqual:
            return "operator.le";
        case OpCode::Greater:
            return "operator.gt";
        case OpCode::GreaterEqual:
            return "operator.ge";
        default:
            return nullptr;
    }
}

PyObject* host_value(PyObject* o) { return is_scalar(o) ? scalar_value(as_array(o)) : o; }

// Both operands are numbers that Python already has: NumPy's own scalars do the work.
PyObject* on_host_scalars(OpCode op, PyObject* a, PyObject* b, bool is_operator) {
    binaryfunc f = is_operator ? python_operator(op) : nullptr;
    PyObject* args[2] = {host_value(a), host_value(b)};
    if (f) return Ref::take(f(args[0], args[1])).release();
    PyObject* ufunc = np.ufuncs[static_cast<int>(op)];
    if (!ufunc) return nullptr;
    return Ref::take(PyObject_Vectorcall(ufunc, args, 2, nullptr)).release();
}

// The hook gets the ufunc's name, for operators that of the function in Python's `operator`: NumPy's == knows
// more than its equal.
PyObject* foreign_binary(OpCode op, PyObject* a, PyObject* b, bool is_operator) {
    const char* symbol = is_operator ? operator_name(op) : nullptr;
    Ref text = Ref::take(PyUnicode_FromString(symbol ? symbol : std::string(operation(op).name).c_str()));
    return call_hook(Hook::FallbackBinary, text.get(), a, b);
}

PyObject* foreign_ufunc(OpCode op, PyObject* args, PyObject* kwargs) {
    return call_hook(Hook::UfuncCall, ufunc_object(op), args, kwargs);
}

bool known_operand(PyObject* o) {
    DType d;
    return is_array(o) || is_scalar(o) || PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) ||
           PyComplex_CheckExact(o) || Py_IS_TYPE(o, np.ndarray) || dtype_of_scalar_type(Py_TYPE(o), &d);
}

// The operands as broadcast; in->layout() of all are at hand.
void broadcast_inputs(const Arg* in, int n, const ArrayObject* out, Dims* shape) {
    *shape = Dims(in[0].layout()->shape());
    for (int i = 1; i < n; ++i) {
        Dims next;
        if (!broadcast_shapes(*shape, in[i].layout()->shape(), &next)) raise_broadcast(in, n, out);
        *shape = next;
    }
}

Array output_for(const Arg& a, const Arg& b, DType d) {
    const Layout* la = a.layout();
    const Layout* lb = b.layout();
    const Layout* layouts[2] = {la, lb};
    if (la == lb || lb->ndim() == 0) return allocate(d, la->shape(), layouts, 1);
    if (la->ndim() == 0) return allocate(d, lb->shape(), layouts + 1, 1);
    if (la->same_shape(*lb)) return allocate(d, la->shape(), layouts, 2);
    Arg const* both[2] = {&a, &b};
    Dims shape;
    if (!broadcast_shapes(la->shape(), lb->shape(), &shape)) {
        std::string text = "operands could not be broadcast together with shapes ";
        for (const Arg* x : both) text += tuple_text(x->layout()->shape()) + " ";
        raise(PyExc_ValueError, text);
    }
    return allocate(d, shape, layouts, 2);
}

// Weak operands get their bytes; false where NumPy must decide (a comparison with a Python integer out of
// bounds).
bool settle_pair(OpCode op, Arg* a, Arg* b, const Resolved& r) {
    bool comparison = operation(op).result == ResultRule::Bool && operation(op).inputs == 2;
    return settle(a, r, comparison) && settle(b, r, comparison);
}

PyObject* binary_general(OpCode op, PyObject* a, PyObject* b, bool is_operator) {
    if (is_operator && ((is_scalar(a) && !known_operand(b)) || (is_scalar(b) && !known_operand(a))))
        return on_host_scalars(op, a, b, true);
    bool ours_first = is_array(a) || is_scalar(a);
    PyObject* self = ours_first ? a : b;
    PyObject* other = ours_first ? b : a;
    // A subclass of NumPy's array on the left (matrix) has passed over our array; it knows NumPy's.
    if (is_operator && !ours_first && PyObject_TypeCheck(a, np.ndarray) &&
        !PyObject_TypeCheck(b, np.ndarray) && Py_TYPE(a) != np.ndarray)
        return foreign_binary(op, a, b, true);
    if (is_operator && defers(self, other, false)) Py_RETURN_NOTIMPLEMENTED;
    Arg x, y;
    if (!to_arg(a, &x) || !to_arg(b, &y)) return foreign_binary(op, a, b, is_operator);
    if (!x.view() && !y.view()) {
        if (PyObject* r = on_host_scalars(op, a, b, is_operator)) return r;
    }
    const Resolved& r = resolve(op, x.type, y.type);
    if (r.state != Resolved::Native || !settle_pair(op, &x, &y, r))
        return foreign_binary(op, a, b, is_operator);
    Array out = output_for(x, y, r.result);
    if (r.value_checks) {
        const Arg both[2] = {x, y};
        check_values(op, r, both, out.size() == 0);
    }
    Operand in[2] = {x.operand, y.operand};
    const ScalarOperands as(is_operator && !is_array(a) && !is_array(b) && out.ndim() == 0);
    engine().compute(op, r.loop, out.operand(), in);
    return new_result(std::move(out));
}

}  // namespace

// --- without an output ---

PyObject* binary(OpCode op, PyObject* a, PyObject* b, bool is_operator) {
    // The two cases that matter for speed: arrays of one dense layout, and an array with a Python number or
    // pending scalar.
    if (is_array(a)) {
        const Array& x = array_of(a);
        const Layout* l = x.layout();
        if (l->ndim() > 0 && x.c_contiguous()) {
            if (is_array(b) && array_of(b).layout() == l) {
                const Array& y = array_of(b);
                const Resolved& r = resolve(op, key(x.dtype()), key(y.dtype()));
                if (r.state == Resolved::Native && !r.value_checks) {
                    Operand in[2] = {x.operand(), y.operand()};
                    Array out = engine().empty(r.result, l->shape());
                    engine().compute(op, r.loop, out.operand(), in);
                    return new_array(std::move(out));
                }
            } else if (PyFloat_CheckExact(b)) {
                const Resolved& r = resolve(op, key(x.dtype()), kWeakFloat);
                if (r.state == Resolved::Native && !r.value_checks) {
                    Scalar s = Scalar::of<double>(PyFloat_AS_DOUBLE(b));
                    if (r.loop != DType::Float64) s = cast_reported(s, DType::Float64, r.loop);
                    Operand in[2] = {x.operand(), Operand(s, r.loop)};
                    Array out = engine().empty(r.result, l->shape());
                    engine().compute(op, r.loop, out.operand(), in);
                    return new_array(std::move(out));
                }
            }
        }
    }
    return binary_general(op, a, b, is_operator);
}

PyObject* unary(OpCode op, PyObject* a) {
    Arg x;
    bool known = to_arg(a, &x);
    if (known && !x.view() && np.ufuncs[static_cast<int>(op)])
        return Ref::take(PyObject_CallOneArg(np.ufuncs[static_cast<int>(op)], host_value(a))).release();
    if (known) {
        const Resolved& r = resolve(op, x.type, 0);
        if (r.state == Resolved::Native) {
            settle(&x, r, false);
            if (r.value_checks) check_values(op, r, &x, x.layout()->size() == 0);
            const Layout* l = x.layout();
            Array out = allocate(r.result, l->shape(), &l, 1);
            engine().compute(op, r.loop, out.operand(), {&x.operand, 1});
            return new_result(std::move(out));
        }
    }
    Ref args = Ref::take(PyTuple_Pack(1, a)), kwargs = Ref::take(PyDict_New());
    return foreign_ufunc(op, args.get(), kwargs.get());
}

// --- with an output ---

PyObject* into(OpCode op, ArrayObject* out, PyObject* const* in, int n, bool* handled) {
    *handled = true;
    Arg args[2];
    for (int i = 0; i < n; ++i) {
        if (!to_arg(in[i], &args[i])) {
            *handled = false;
            return nullptr;
        }
    }
    const Resolved& r = resolve(op, args[0].type, n == 2 ? args[1].type : 0);
    if (r.state != Resolved::Native ||
        (n == 2 ? !settle_pair(op, &args[0], &args[1], r) : !settle(&args[0], r, false))) {
        *handled = false;
        return nullptr;
    }
    if (!out->writeable) raise(PyExc_ValueError, "output array is read-only");
    DType to = out->array.dtype();
    if (r.result != to && !can_cast_same_kind(r.result, to)) raise_output_cast(op, r.result, to);
    const Layout* target = out->array.layout();
    bool same = true;
    for (int i = 0; i < n; ++i) same = same && (args[i].layout() == target || args[i].layout()->ndim() == 0);
    if (!same) {
        Dims shape, with_out;
        broadcast_inputs(args, n, out, &shape);
        if (!broadcast_shapes(shape, target->shape(), &with_out)) raise_broadcast(args, n, out);
        if (with_out != Dims(target->shape()))
            raise(PyExc_ValueError, "non-broadcastable output operand with shape " +
                                        tuple_text(target->shape()) + " doesn't match the broadcast shape " +
                                        tuple_text(with_out));
    }
    if (r.value_checks) check_values(op, r, args, out->array.size() == 0);
    Operand operands[2] = {args[0].operand, args[1].operand};
    engine().compute(op, r.loop, out->array.operand(), {operands, static_cast<size_t>(n)});
    return Py_NewRef(reinterpret_cast<PyObject*>(out));
}

PyObject* inplace(OpCode op, PyObject* a, PyObject* b) {
    if (!known_operand(b) && defers(a, b, true)) Py_RETURN_NOTIMPLEMENTED;
    bool handled;
    PyObject* in[2] = {a, b};
    PyObject* r = into(op, as_array(a), in, operation(op).inputs, &handled);
    if (handled) return r;
    Ref args = Ref::take(PyTuple_Pack(operation(op).inputs, a, b));
    Ref kwargs = Ref::take(Py_BuildValue("{s(O)}", "out", a));
    return foreign_ufunc(op, args.get(), kwargs.get());
}

OpCode power_short_cut(PyObject* a, PyObject* exponent) {
    if (!is_array(a) && !is_scalar(a)) return OpCode::Power;
    double e;
    if (PyFloat_CheckExact(exponent)) {
        e = PyFloat_AS_DOUBLE(exponent);
    } else if (PyLong_CheckExact(exponent)) {
        int overflow;
        long v = PyLong_AsLongAndOverflow(exponent, &overflow);
        if (overflow || v < -1 || v > 2) return OpCode::Power;
        e = static_cast<double>(v);
    } else {
        return OpCode::Power;
    }
    DType d = array_of(a).dtype();
    if (!is_inexact(d)) return e == 2.0 && PyLong_CheckExact(exponent) ? OpCode::Square : OpCode::Power;
    if (e == 2.0) return OpCode::Square;
    if (is_scalar(a)) return OpCode::Power;
    if (e == 1.0) return OpCode::Positive;
    if (e == -1.0) return OpCode::Reciprocal;
    if (e == 0.5) return OpCode::Sqrt;
    return OpCode::Power;
}

// --- assignment ---

void assign_checked(const Array& dst, const Operand& src, const Layout* src_layout) {
    Operand from = src;
    if (src_layout != dst.layout() && src_layout->ndim() > 0) {
        std::span<const int64_t> shape = src_layout->shape();
        size_t extra = shape.size() > dst.shape().size() ? shape.size() - dst.shape().size() : 0;
        size_t ones = 0;
        while (ones < extra && shape[ones] == 1) ++ones;
        bool fits = ones == extra;
        std::span<const int64_t> rest = shape.subspan(extra);
        Dims broadcast;
        fits = fits && broadcast_shapes(rest, dst.shape(), &broadcast) && broadcast == Dims(dst.shape());
        if (!fits)
            raise(PyExc_ValueError, "could not broadcast input array from shape " +
                                        tuple_text(shape.subspan(ones)) + " into shape " +
                                        tuple_text(dst.shape()));
        if (extra) from.layout = Layout::intern(rest, src_layout->strides().subspan(extra));
    }
    if (is_complex(src.dtype) && !is_complex(dst.dtype()) && dst.dtype() != DType::Bool)
        warn_user(np.complex_warning, "Casting complex values to real discards the imaginary part");
    engine().assign(dst.operand(), from);
}

}  // namespace numloom::python
