// Conversion of Python objects to operands and NumPy's type resolution.
#include "operand.hpp"

#include <algorithm>

namespace numloom::python {

Resolved resolved[kOps][kTypeKeys][kTypeKeys];

// --- objects to operands ---

namespace {

class Buffer {
  public:
    Buffer(PyObject* o, int flags) {
        if (PyObject_GetBuffer(o, &view_, flags) != 0) throw PythonError{};
    }
    ~Buffer() { PyBuffer_Release(&view_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    const Py_buffer& view() const { return view_; }

  private:
    Py_buffer view_;
};

void constant_arg(Arg* out, const Scalar& bits, DType d) {
    out->operand = Operand(bits, d);
    out->type = key(d);
}

}  // namespace

Array import_host(PyObject* numpy_array, DType d) {
    Buffer buffer(numpy_array, PyBUF_STRIDED_RO);
    const Py_buffer& v = buffer.view();
    Dims dims;
    for (int i = 0; i < v.ndim; ++i) dims.push(v.shape[i]);
    if (PyBuffer_IsContiguous(&v, 'C')) return engine().from_host(d, dims, v.buf);
    Ref name = Ref::take(PyUnicode_InternFromString("ascontiguousarray"));
    Ref dense = Ref::take(PyObject_CallMethodOneArg(np.module, name.get(), numpy_array));
    Buffer copy(dense.get(), PyBUF_STRIDED_RO);
    return engine().from_host(d, dims, copy.view().buf);
}

bool import_array(PyObject* o, Array* out) {
    Ref array;
    if (Py_IS_TYPE(o, np.ndarray)) {
        array = Ref::share(o);
    } else if (PyList_CheckExact(o) || PyTuple_CheckExact(o)) {
        array = Ref::take(PyObject_CallOneArg(np.asarray, o));
    } else {
        return false;
    }
    Ref descr = Ref::take(PyObject_GetAttrString(array.get(), "dtype"));
    DType d;
    if (!dtype_from_descr(descr.get(), &d)) return false;
    *out = import_host(array.get(), d);
    return true;
}

bool to_arg(PyObject* o, Arg* out) {
    out->object = o;
    if (is_array(o)) {
        out->operand = array_of(o).operand();
        out->type = key(array_of(o).dtype());
        return true;
    }
    if (PyFloat_CheckExact(o)) {
        out->type = kWeakFloat;
        return true;
    }
    if (PyLong_CheckExact(o)) {
        out->type = kWeakInt;
        return true;
    }
    if (is_scalar(o)) {
        ArrayObject* s = as_array(o);
        if (s->value) {
            constant_arg(out, numpy_scalar_bits(s->value, s->array.dtype()), s->array.dtype());
        } else {
            out->operand = s->array.operand();
            out->type = key(s->array.dtype());
        }
        return true;
    }
    if (PyBool_Check(o)) {
        constant_arg(out, Scalar::of<bool>(o == Py_True), DType::Bool);
        return true;
    }
    if (PyComplex_CheckExact(o)) {
        out->type = kWeakComplex;
        return true;
    }
    DType d;
    if (dtype_of_scalar_type(Py_TYPE(o), &d)) {
        constant_arg(out, numpy_scalar_bits(o, d), d);
        return true;
    }
    if (!import_array(o, &out->hold)) return false;
    out->operand = out->hold.operand();
    out->type = key(out->hold.dtype());
    return true;
}

// --- type resolution ---

namespace {

PyObject* resolution_type(TypeKey k) {
    if (k < kDTypes) return np.dtypes[k];
    PyTypeObject* const weak[] = {&PyLong_Type, &PyFloat_Type, &PyComplex_Type};
    return reinterpret_cast<PyObject*>(weak[k - kDTypes]);
}

// The loop of ours that computes NumPy's loop in -> result: the same dtype, or for NumPy's mixed loops (bb->d
// of divide) the result's.
bool fits(OpCode op, DType in, DType result, Resolved* r) {
    r->checked = in;
    r->result = result;
    const Operation& row = operation(op);
    for (DType loop : {in, result}) {
        if (row.has_loop(loop) && result_dtype(op, loop) == result && can_cast_safely(in, loop)) {
            r->loop = loop;
            return true;
        }
    }
    return false;
}

// An operand of that type for numpy.result_type, which takes weak ones as values: `int` would say int64
// there.
Ref promotion_operand(TypeKey k) {
    if (k < kDTypes) return Ref::share(np.dtypes[k]);
    return Ref::take(PyObject_CallNoArgs(resolution_type(k)));
}

// Operations that NumPy lacks: NumPy's promotion of the operands, then the table's own rule.
bool resolve_by_table(OpCode op, TypeKey a, TypeKey b, Resolved* r) {
    const Ref x = promotion_operand(a), y = promotion_operand(operation(op).inputs > 1 ? b : a);
    Ref promoted = Ref::take(PyObject_CallMethod(np.module, "result_type", "OO", x.get(), y.get()));
    DType d;
    if (!dtype_from_descr(promoted.get(), &d) || !choose_loop(op, d, &r->loop)) return false;
    r->checked = r->loop;
    r->result = result_dtype(op, r->loop);
    return true;
}

bool resolve_by_numpy(OpCode op, TypeKey a, TypeKey b, Resolved* r) {
    PyObject* ufunc = np.ufuncs[static_cast<int>(op)];
    bool two = operation(op).inputs == 2;
    Ref types = Ref::take(two ? Py_BuildValue("(OOO)", resolution_type(a), resolution_type(b), Py_None)
                              : Py_BuildValue("(OO)", resolution_type(a), Py_None));
    Ref method = Ref::take(PyUnicode_InternFromString("resolve_dtypes"));
    Ref answer(PyObject_CallMethodOneArg(ufunc, method.get(), types.get()));
    if (!answer) {
        PyErr_Clear();  // NumPy has no loop; it says so itself when it is called
        return false;
    }
    DType d[3];
    Py_ssize_t n = two ? 3 : 2;
    for (Py_ssize_t i = 0; i < n; ++i)
        if (!dtype_from_descr(PyTuple_GET_ITEM(answer.get(), i), &d[i])) return false;
    if (two && d[0] != d[1]) return false;  // such as int64 < uint64, which is exact in a loop that we lack
    return fits(op, d[0], d[n - 1], r);
}

}  // namespace

const Resolved& resolve_slow(OpCode op, TypeKey a, TypeKey b) {
    Resolved r;
    bool known =
        np.ufuncs[static_cast<int>(op)] ? resolve_by_numpy(op, a, b, &r) : resolve_by_table(op, a, b, &r);
    r.state = known ? Resolved::Native : Resolved::Foreign;
    r.value_checks = known && depends_on_values(op, r.loop);
    Resolved& slot = resolved[static_cast<int>(op)][a][b];
    slot = r;
    return slot;
}

// --- constants ---

namespace {

struct Range {
    int64_t low;
    uint64_t high;
};

Range integer_range(DType d) {
    int bits = static_cast<int>(item_size(d) * 8);
    if (kind(d) == Kind::Unsigned) return {0, bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1};
    return {bits == 64 ? INT64_MIN : -(int64_t{1} << (bits - 1)), (uint64_t{1} << (bits - 1)) - 1};
}

// A Python integer as an element of an integer dtype; false where it does not fit.
bool integer_bytes(PyObject* o, DType d, Scalar* out) {
    Range range = integer_range(d);
    int overflow = 0;
    long long v = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow == 0) {
        if (v < range.low || (v >= 0 && static_cast<uint64_t>(v) > range.high)) return false;
        *out = cast_scalar(Scalar::of<int64_t>(v), DType::Int64, d);
        return true;
    }
    if (overflow < 0 || d != DType::UInt64) return false;
    unsigned long long u = PyLong_AsUnsignedLongLong(o);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    *out = Scalar::of<uint64_t>(u);
    return true;
}

[[noreturn]] void out_of_bounds(PyObject* o, DType d) {
    // NumPy's conversion to a C integer fails first where there is none that long; uint32 and uint64 go
    // through unsigned long.
    Scalar any;
    bool unsigned_long = d == DType::UInt32 || d == DType::UInt64;
    if (!integer_bytes(o, DType::Int64, &any) && !(unsigned_long && integer_bytes(o, DType::UInt64, &any))) {
        PyLong_AsLong(o);
        throw PythonError{};
    }
    PyErr_Format(PyExc_OverflowError, "Python integer %R out of bounds for %s", o,
                 std::string(name(d)).c_str());
    throw PythonError{};
}

Scalar float_bytes(PyObject* o, DType d) {
    double v = PyFloat_CheckExact(o) ? PyFloat_AS_DOUBLE(o) : PyLong_AsDouble(o);
    if (v == -1.0 && PyErr_Occurred()) throw PythonError{};
    return cast_reported(Scalar::of<double>(v), DType::Float64, d);
}

Scalar complex_bytes(PyObject* o, DType d) {
    Py_complex c = PyComplex_AsCComplex(o);
    return cast_reported(Scalar::of<std::complex<double>>({c.real, c.imag}), DType::Complex128, d);
}

}  // namespace

bool settle(Arg* a, const Resolved& r, bool may_fail) {
    if (!a->weak()) return true;
    Scalar s;
    if (a->type == kWeakFloat) {
        s = float_bytes(a->object, r.loop);
    } else if (a->type == kWeakComplex) {
        s = complex_bytes(a->object, r.loop);
    } else if (is_integer(r.checked)) {
        if (!integer_bytes(a->object, r.checked, &s)) {
            if (may_fail) return false;
            out_of_bounds(a->object, r.checked);
        }
        if (r.checked != r.loop) s = cast_scalar(s, r.checked, r.loop);
    } else if (r.checked == DType::Bool) {
        s = Scalar::of<bool>(PyObject_IsTrue(a->object) == 1);
    } else {
        s = float_bytes(a->object, r.loop);
    }
    a->operand = Operand(s, r.loop);
    return true;
}

// Whether an integer keeps its value as another one.
static bool fits(const Scalar& s, DType from, DType to) {
    const Scalar there = cast_scalar(s, from, to), back = cast_scalar(there, to, from);
    auto negative = [](const Scalar& x, DType d) {
        return kind(d) == Kind::Signed && cast_scalar(x, d, DType::Int64).as<int64_t>() < 0;
    };
    return negative(s, from) == negative(there, to) &&
           std::memcmp(s.bytes, back.bytes, static_cast<size_t>(item_size(from))) == 0;
}

bool number_bytes(PyObject* o, DType d, Scalar* out, bool wrap) {
    if (PyFloat_CheckExact(o)) {
        if (!is_inexact(d)) return false;
        *out = float_bytes(o, d);
        return true;
    }
    if (PyLong_CheckExact(o)) {
        if (is_integer(d)) {
            if (!integer_bytes(o, d, out)) return false;
        } else if (d == DType::Bool) {
            *out = Scalar::of<bool>(PyObject_IsTrue(o) == 1);
        } else {
            *out = float_bytes(o, d);
        }
        return true;
    }
    if (PyBool_Check(o)) {
        *out = cast_scalar(Scalar::of<bool>(o == Py_True), DType::Bool, d);
        return true;
    }
    PyObject* value = is_scalar(o) ? as_array(o)->value : o;
    DType from;
    if (!value || !dtype_of_scalar_type(Py_TYPE(value), &from)) return false;
    if (is_complex(from) && !is_complex(d)) return false;
    if (is_inexact(from) && is_integer(d)) return false;  // may warn: NumPy does it
    const Scalar bits = numpy_scalar_bits(value, from);
    if (!wrap && is_integer(from) && is_integer(d) && !can_cast_safely(from, d) && !fits(bits, from, d))
        return false;
    *out = cast_reported(bits, from, d);
    return true;
}

Scalar element_bytes(PyObject* o, DType d) {
    Scalar s;
    if (number_bytes(o, d, &s)) return s;
    Ref one = Ref::take(PyObject_CallFunction(np.empty, "iO", 1, dtype_object(d)));
    Ref value = is_scalar(o)  ? Ref::share(scalar_value(as_array(o)))
                : is_array(o) ? to_host(array_of(o))
                              : Ref::share(o);
    Ref zero = Ref::take(PyLong_FromLong(0));
    if (PyObject_SetItem(one.get(), zero.get(), value.get()) != 0) throw PythonError{};
    Buffer buffer(one.get(), PyBUF_SIMPLE);
    std::memcpy(s.bytes, buffer.view().buf, static_cast<size_t>(item_size(d)));
    return s;
}

// --- memory order ---

namespace {

int64_t reach(const Layout& l, int ndim, int axis) {
    int own = axis - (ndim - l.ndim());
    if (own < 0 || l.shape(own) == 1) return 0;
    int64_t s = l.stride(own);
    return s < 0 ? -s : s;
}

// NumPy's order of axes for an output ('K'), outermost first: a stable insertion sort from the inside out, by
// absolute strides; C order wins where operands disagree or say nothing.
void axis_order(const Layout* const* in, int n, int ndim, int* perm) {
    // perm[0] is the innermost axis while sorting.
    for (int i = 0; i < ndim; ++i) perm[i] = ndim - 1 - i;
    for (int i = 1; i < ndim; ++i) {
        int moving = perm[i], position = i;
        for (int j = i - 1; j >= 0; --j) {
            bool ambiguous = true, swap = false;
            for (int k = 0; k < n; ++k) {
                int64_t mine = reach(*in[k], ndim, moving), other = reach(*in[k], ndim, perm[j]);
                if (mine == 0 || other == 0) continue;
                if (other <= mine)
                    swap = false;
                else if (ambiguous)
                    swap = true;
                ambiguous = false;
            }
            if (ambiguous) continue;
            if (!swap) break;
            position = j;
        }
        for (int j = i; j > position; --j) perm[j] = perm[j - 1];
        perm[position] = moving;
    }
    std::reverse(perm, perm + ndim);
}

bool in_c_order(const Layout& l) {
    int64_t last = INT64_MAX;
    for (int i = 0; i < l.ndim(); ++i) {
        if (l.shape(i) == 1) continue;
        int64_t s = l.stride(i) < 0 ? -l.stride(i) : l.stride(i);
        if (s == 0) continue;
        if (s > last) return false;
        last = s;
    }
    return true;
}

}  // namespace

Array allocate(DType d, std::span<const int64_t> shape, const Layout* const* in, int n) {
    int ndim = static_cast<int>(shape.size());
    bool plain = ndim < 2;
    if (!plain) {
        plain = true;
        for (int k = 0; k < n; ++k) plain = plain && in_c_order(*in[k]);
    }
    if (plain) return engine().empty(d, shape);
    int order[kMaxDims];
    axis_order(in, n, ndim, order);
    Dims permuted, inverse;
    permuted.n = inverse.n = ndim;
    for (int i = 0; i < ndim; ++i) {
        permuted[i] = shape[static_cast<size_t>(order[i])];
        inverse[order[i]] = i;
    }
    Array made = engine().empty(d, permuted);
    return made.view(permute_layout(*made.layout(), inverse), made.offset());
}

Array allocate_reduced(const Array& from, uint64_t mask, DType d) {
    Dims shape;
    for (int i = 0; i < from.ndim(); ++i) shape.push((mask >> i & 1) ? 1 : from.layout()->shape(i));
    const Layout* order = Layout::intern(shape, from.layout()->strides());
    return allocate(d, shape, &order, 1);
}

Array drop_axes(const Array& a, uint64_t mask) {
    Dims kept, strides;
    for (int i = 0; i < a.ndim(); ++i) {
        if (mask >> i & 1) continue;
        kept.push(a.layout()->shape(i));
        strides.push(a.layout()->stride(i));
    }
    return a.view(Layout::intern(kept, strides), a.offset());
}

}  // namespace numloom::python
