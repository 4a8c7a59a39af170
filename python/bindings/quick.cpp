// Callables that take the everyday form of a call in C and leave every other form to a Python function:
// x.sum(), np.max(x, axis=0), x.std(), x.argmax(), np.where(mask, a, b). The Python function defines what the
// call means; the two agree (tests/python/test_core_quick.py).
#include "operand.hpp"

// After our headers: it defines short macros.
#include <structmember.h>

namespace numloom::python {
namespace {

enum class Quick : uint8_t { Reduce, Mean, Var, Std, ArgMax, ArgMin };

struct QuickObject {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject* function;  // for all other calls
    Quick kind;
    OpCode op;        // of a reduction
    QuickForm form;   // of anything that is not a reduction; else nullptr
    QuickDraw* draw;  // of random numbers; else nullptr
};

PyTypeObject* function_type;  // stays itself as an attribute of a class
PyTypeObject* method_type;    // binds, as functions do
PyObject* axis_name;

QuickObject* as_quick(PyObject* o) { return reinterpret_cast<QuickObject*>(o); }

// --- reductions ------------------------------------------------------------------------------------------

// The dtype in which NumPy folds elements of dtype d.
DType fold_dtype(OpCode op, DType d) {
    if (op == OpCode::LogicalAnd || op == OpCode::LogicalOr) return DType::Bool;
    if (op != OpCode::Add && op != OpCode::Multiply) return d;
    if (d == DType::Bool || kind(d) == Kind::Signed) return DType::Int64;
    return kind(d) == Kind::Unsigned ? DType::UInt64 : d;
}

uint64_t all_axes(int ndim) { return ndim == 64 ? ~uint64_t{0} : (uint64_t{1} << ndim) - 1; }

// The axes of a call f(x), f(x, axis) or f(x, axis=axis); false for any other form.
bool parse_axes(PyObject* const* args, Py_ssize_t n, PyObject* names, int ndim, uint64_t* mask) {
    PyObject* axis = nullptr;
    const Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
    if (n == 2 && keywords == 0)
        axis = args[1];
    else if (n == 1 && keywords == 1 && PyTuple_GET_ITEM(names, 0) == axis_name)
        axis = args[1];
    else if (n != 1 || keywords != 0)
        return false;
    if (!axis || axis == Py_None) {
        *mask = all_axes(ndim);
        return true;
    }
    if (!PyLong_CheckExact(axis)) return false;
    int overflow;
    const long i = PyLong_AsLongAndOverflow(axis, &overflow);
    if (overflow || i < -ndim || i >= ndim) return false;
    *mask = uint64_t{1} << (i < 0 ? i + ndim : i);
    return true;
}

// The dtype in which NumPy's mean and var compute; false for float16 (added up in float32) and where they are
// complex.
bool moment_dtype(DType d, bool complex_too, DType* out) {
    if (d == DType::Float16 || (is_complex(d) && !complex_too)) return false;
    *out = is_inexact(d) ? d : DType::Float64;
    return true;
}

// x / count in `type`. NumPy divides by an intp, which takes float32 through float64.
Array divided(const Array& x, int64_t count, DType type) {
    const DType loop = promote(type, DType::Int64);
    const Operand in[2] = {x.operand(),
                           Operand(cast_scalar(Scalar::of<int64_t>(count), DType::Int64, loop), loop)};
    const Layout* order = x.layout();
    Array out = allocate(type, x.shape(), &order, 1);
    engine().compute(OpCode::Divide, loop, out.operand(), in);
    return out;
}

Array folded(OpCode op, DType type, const Array& x, uint64_t mask) {
    Array out = allocate_reduced(x, mask, result_dtype(op, type));
    engine().reduce(op, type, out.operand(), x.operand(), mask);
    return out;
}

PyObject* quick_moment(Quick kind, const Array& x, uint64_t mask) {
    DType type;
    if (!moment_dtype(x.dtype(), kind == Quick::Mean, &type)) return nullptr;
    const Array total = folded(OpCode::Add, type, x, mask);
    const int64_t count = x.size() / total.size();
    if (kind == Quick::Mean) {
        const ScalarOperands scalars(mask == all_axes(x.ndim()));  // as NumPy divides a sum that is one
        return new_result(divided(drop_axes(total, mask), count, type));
    }
    const Array center = divided(total, count, type);
    const Layout* order = x.layout();
    Array deviation = allocate(type, x.shape(), &order, 1), square = allocate(type, x.shape(), &order, 1);
    const Operand difference[2] = {x.operand(), center.operand()};
    engine().compute(OpCode::Subtract, type, deviation.operand(), difference);
    const Operand twice[2] = {deviation.operand(), deviation.operand()};
    {
        const ReportedAs name(report_as("square"));
        engine().compute(OpCode::Multiply, type, square.operand(), twice);
    }
    Array result = divided(drop_axes(folded(OpCode::Add, type, square, mask), mask), count, type);
    if (kind == Quick::Var) return new_result(std::move(result));
    const Layout* last = result.layout();
    Array root = allocate(type, result.shape(), &last, 1);
    const Operand variance = result.operand();
    engine().compute(OpCode::Sqrt, type, root.operand(), {&variance, 1});
    return new_result(std::move(root));
}

// Elements up to which a position in an array that is up to date is found at once: it mostly serves as an
// index next.
constexpr int64_t kAtOnce = 4096;

// argmax and argmin, over all axes or one.
PyObject* quick_position(Quick kind, const Array& x, uint64_t mask) {
    if (is_complex(x.dtype()) || !x.c_contiguous()) return nullptr;
    int64_t lines[3] = {1, x.size(), 1};
    Dims shape;
    if (mask != all_axes(x.ndim())) {
        lines[1] = 0;
        for (int i = 0; i < x.ndim(); ++i) {
            const int64_t n = x.layout()->shape(i);
            if (mask >> i & 1) {
                lines[1] = n;
                continue;
            }
            lines[lines[1] ? 2 : 0] *= n;
            shape.push(n);
        }
    }
    const char* name = kind == Quick::ArgMax ? "argmax" : "argmin";
    char* memory = shape.n == 0 && x.size() <= kAtOnce ? current_memory(x, x.offset(), false) : nullptr;
    if (memory) {
        int64_t place;
        lend_threads();
        const CallOperand from{memory, x.layout(), x.dtype()};
        run_call(name, lines, {reinterpret_cast<char*>(&place), Layout::scalar(), DType::Int64}, {&from, 1});
        return make_numpy_scalar(DType::Int64, &place);
    }
    Array out = engine().empty(DType::Int64, shape);
    const Operand in = x.operand();
    record_call(name, lines, out.operand(), {&in, 1});
    return new_result(std::move(out));
}

PyObject* quick_reduce(const QuickObject* q, PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (n < 1 || !is_array(args[0])) return nullptr;
    const Array& x = array_of(args[0]);
    uint64_t mask;
    if (x.ndim() == 0 || x.size() == 0 || !parse_axes(args, n, names, x.ndim(), &mask)) return nullptr;
    if (q->kind == Quick::Reduce) {
        const DType d = fold_dtype(q->op, x.dtype());
        return reduced(q->op, d, d, x, mask, false);
    }
    if (q->kind == Quick::ArgMax || q->kind == Quick::ArgMin) return quick_position(q->kind, x, mask);
    return quick_moment(q->kind, x, mask);
}

// --- where -------------------------------------------------------------------------------------------------

PyObject* quick_where(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (n != 3 || (names && PyTuple_GET_SIZE(names) > 0) || !is_array(args[0])) return nullptr;
    Arg in[3];
    for (int i = 0; i < 3; ++i) {
        PyObject* o = args[i];
        if (!is_array(o) && !is_scalar(o) && !PyFloat_CheckExact(o) && !PyLong_CheckExact(o)) return nullptr;
        if (!to_arg(o, &in[i])) return nullptr;
    }
    if (in[1].weak() && in[2].weak()) return nullptr;
    const Resolved& r = resolve(OpCode::Where, in[1].type, in[2].type);
    if (r.state != Resolved::Native || !settle(&in[1], r, true) || !settle(&in[2], r, true)) return nullptr;
    const Layout* layouts[3] = {in[0].layout(), in[1].layout(), in[2].layout()};
    Dims shape(layouts[0]->shape());
    for (int i = 1; i < 3; ++i) {
        if (layouts[i] == layouts[0] || layouts[i]->ndim() == 0) continue;
        Dims next;
        if (!broadcast_shapes(shape, layouts[i]->shape(), &next)) return nullptr;
        shape = next;
    }
    Array out = allocate(r.loop, shape, layouts, 3);
    const Operand operands[3] = {in[0].operand, in[1].operand, in[2].operand};
    engine().compute(OpCode::Where, r.loop, out.operand(), operands);
    return new_array(std::move(out));
}

// --- the types ---

PyObject* quick_call(PyObject* self, PyObject* const* args, size_t nargs, PyObject* names) {
    return guarded([&] {
        const QuickObject* q = as_quick(self);
        const Py_ssize_t n = PyVectorcall_NARGS(nargs);
        PyObject* r = q->draw   ? quick_draw(*q->draw, args, n, names)
                      : q->form ? q->form(args, n, names)
                                : quick_reduce(q, args, n, names);
        return r ? r : Ref::take(PyObject_Vectorcall(q->function, args, nargs, names)).release();
    });
}

Quick quick_kind(std::string_view name) {
    static constexpr std::pair<std::string_view, Quick> kinds[] = {
        {"mean", Quick::Mean},     {"var", Quick::Var},       {"std", Quick::Std},
        {"argmax", Quick::ArgMax}, {"argmin", Quick::ArgMin},
    };
    for (const auto& [text, kind] : kinds)
        if (text == name) return kind;
    return Quick::Reduce;
}

PyObject* make_quick(PyObject*, PyObject* args) {
    return guarded([&] {
        const char* name;
        PyObject* function;
        int method = 0;
        if (!PyArg_ParseTuple(args, "sO|p", &name, &function, &method)) throw PythonError{};
        const std::string_view text = name;
        PyTypeObject* type = method ? method_type : function_type;
        QuickObject* q = as_quick(Ref::take(type->tp_alloc(type, 0)).release());
        q->vectorcall = quick_call;
        q->function = Py_NewRef(function);
        q->kind = quick_kind(text);
        q->form = text == "where" ? quick_where : find_quick_form(text);
        q->op = q->kind == Quick::Reduce && !q->form ? find_operation(text) : OpCode::Add;
        Ref made(reinterpret_cast<PyObject*>(q));
        if (q->op == OpCode::Count || !operation(q->op).has(T_ASSOCIATIVE))
            raise(PyExc_ValueError, "no quick form of '" + std::string(text) + "'");
        return made.release();
    });
}

// draw_quick(function, form, number, defaults, holder, hidden): form and so on as make_quick_draw takes them;
// a method where there is no holder.
PyObject* make_draw_quick(PyObject*, PyObject* args) {
    return guarded([&] {
        PyObject *function, *defaults, *holder, *hidden;
        int form, number;
        if (!PyArg_ParseTuple(args, "OiiOOO", &function, &form, &number, &defaults, &holder, &hidden))
            throw PythonError{};
        PyTypeObject* type = holder == Py_None ? method_type : function_type;
        QuickDraw* draw = make_quick_draw(form, number, defaults, holder, hidden);
        QuickObject* q = as_quick(Ref::take(type->tp_alloc(type, 0)).release());
        q->vectorcall = quick_call;
        q->function = Py_NewRef(function);
        q->draw = draw;
        return reinterpret_cast<PyObject*>(q);
    });
}

void quick_dealloc(PyObject* self) {
    PyObject_GC_UnTrack(self);
    PyTypeObject* type = Py_TYPE(self);
    Py_CLEAR(as_quick(self)->function);
    drop_quick_draw(as_quick(self)->draw);
    type->tp_free(self);
    Py_DECREF(type);
}

int quick_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_quick(self)->function);
    return 0;
}

PyObject* quick_bind(PyObject* self, PyObject* instance, PyObject*) {
    return instance && instance != Py_None ? PyMethod_New(self, instance) : Py_NewRef(self);
}

PyObject* quick_getattr(PyObject* self, PyObject* name) {
    PyObject* own = PyObject_GenericGetAttr(self, name);
    if (own || !PyErr_ExceptionMatches(PyExc_AttributeError)) return own;
    PyErr_Clear();
    return PyObject_GetAttr(as_quick(self)->function, name);
}

PyObject* quick_repr(PyObject* self) { return PyObject_Repr(as_quick(self)->function); }

PyObject* get_doc(PyObject* self, void*) {
    return PyObject_GetAttrString(as_quick(self)->function, "__doc__");
}
PyObject* get_module(PyObject* self, void*) {
    return PyObject_GetAttrString(as_quick(self)->function, "__module__");
}

PyObject* quick_reduce_name(PyObject* self, PyObject*) {
    return PyObject_GetAttrString(as_quick(self)->function, "__qualname__");
}

PyGetSetDef quick_getset[] = {
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {"__module__", get_module, nullptr, nullptr, nullptr},
    {},
};

PyMemberDef quick_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(QuickObject, vectorcall), READONLY, nullptr},
    {"__wrapped__", T_OBJECT, offsetof(QuickObject, function), READONLY, nullptr},
    {},
};

PyMethodDef quick_methods[] = {
    {"__reduce__", quick_reduce_name, METH_NOARGS, "Pickled by name."},
    {},
};

PyTypeObject* make_type(const char* name, unsigned long flags, bool binds) {
    PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void*>(quick_dealloc)},
        {Py_tp_traverse, reinterpret_cast<void*>(quick_traverse)},
        {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
        {Py_tp_getattro, reinterpret_cast<void*>(quick_getattr)},
        {Py_tp_repr, reinterpret_cast<void*>(quick_repr)},
        {Py_tp_getset, quick_getset},
        {Py_tp_members, quick_members},
        {Py_tp_methods, quick_methods},
        {binds ? Py_tp_descr_get : 0, binds ? reinterpret_cast<void*>(quick_bind) : nullptr},
        {0, nullptr},
    };
    const unsigned long all = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                              Py_TPFLAGS_DISALLOW_INSTANTIATION | flags;
    PyType_Spec spec = {name, sizeof(QuickObject), 0, static_cast<unsigned>(all), slots};
    return reinterpret_cast<PyTypeObject*>(Ref::take(PyType_FromSpec(&spec)).release());
}

}  // namespace

void init_quick_types() {
    axis_name = Ref::take(PyUnicode_InternFromString("axis")).release();
    function_type = make_type("numloom._core.quick_function", 0, false);
    method_type = make_type("numloom._core.quick_method", Py_TPFLAGS_METHOD_DESCRIPTOR, true);
}

PyMethodDef quick_functions[] = {
    {"pair_ufunc", pair_ufunc, METH_VARARGS,
     "pair_ufunc(numpy_ufunc, ours): ours does its calls on our arrays."},
    {"draw_quick", make_draw_quick, METH_VARARGS,
     "draw_quick(function, form, number, defaults, holder, hidden): function's everyday draws in C."},
    {"quick", make_quick, METH_VARARGS,
     "quick(name, function, method=False): a callable that does function's everyday calls in C.\n\n"
     "name: mean, var, std, argmax, argmin, where, zeros, ones, empty, array, reshape, copy, astype, item, "
     "or the "
     "operation of a reduction (add for sum)."},
    {},
};

}  // namespace numloom::python
