// Everyday forms of making and reshaping arrays: np.zeros(n), np.array([1.0, 2.0]), x.reshape(3, -1),
// x.copy(), x.astype(np.float32), x.item(), np.sort(x), np.linalg.norm(x). nullptr without an exception: the
// call has another form.
#include <array>
#include <unordered_map>

#include "operand.hpp"

namespace numloom::python {
namespace {

bool keywords(PyObject* names) { return names && PyTuple_GET_SIZE(names) > 0; }

// --- arguments -------------------------------------------------------------------------------------------

// Python integers, as arguments of their own or one tuple; false for anything else.
bool plain_integers(PyObject* const* args, Py_ssize_t n, Dims* out) {
    if (n == 1 && PyTuple_CheckExact(args[0])) {
        n = PyTuple_GET_SIZE(args[0]);
        args = &PyTuple_GET_ITEM(args[0], 0);
    }
    if (n > kMaxDims) return false;
    for (Py_ssize_t i = 0; i < n; ++i) {
        if (!PyLong_CheckExact(args[i])) return false;
        int overflow;
        out->push(PyLong_AsLongLongAndOverflow(args[i], &overflow));
        if (overflow) return false;
    }
    return true;
}

// "float32", "f4", ...; false for names of other dtypes and for no names at all.
bool named_dtype(PyObject* o, DType* out) {
    Ref descr(PyObject_CallOneArg(reinterpret_cast<PyObject*>(np.dtype_type), o));
    if (!descr) PyErr_Clear();
    return descr && dtype_from_descr(descr.get(), out);
}

bool plain_dtype(PyObject* o, DType* out) {
    if (o == reinterpret_cast<PyObject*>(&PyFloat_Type))
        *out = DType::Float64;
    else if (o == reinterpret_cast<PyObject*>(&PyLong_Type))
        *out = DType::Int64;
    else if (o == reinterpret_cast<PyObject*>(&PyBool_Type))
        *out = DType::Bool;
    else if (o == reinterpret_cast<PyObject*>(&PyComplex_Type))
        *out = DType::Complex128;
    else if (PyType_Check(o))
        return dtype_of_scalar_type(reinterpret_cast<PyTypeObject*>(o), out);
    else if (PyObject_TypeCheck(o, np.dtype_type))
        return dtype_from_descr(o, out);
    else if (PyUnicode_CheckExact(o))
        return named_dtype(o, out);
    else
        return false;
    return true;
}

// --- making ----------------------------------------------------------------------------------------------

PyObject* dtype_name;

// f(shape), f(shape, dtype), f(shape, dtype=dtype) for shapes that cannot be wrong.
bool creation(PyObject* const* args, Py_ssize_t n, PyObject* names, Dims* shape, DType* d) {
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    if (n < 1 || n + named > 2 || !plain_integers(args, 1, shape)) return false;
    if (named && PyTuple_GET_ITEM(names, 0) != dtype_name) return false;
    *d = DType::Float64;
    if (n + named == 2 && !plain_dtype(args[1], d)) return false;
    int64_t bytes = item_size(*d);
    for (int64_t extent : *shape)
        if (extent < 0 || __builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes)) return false;
    return true;
}

PyObject* filled(PyObject* const* args, Py_ssize_t n, PyObject* names, int64_t value) {
    Dims shape;
    DType d;
    if (!creation(args, n, names, &shape, &d)) return nullptr;
    return new_array(engine().full(d, shape, cast_scalar(Scalar::of<int64_t>(value), DType::Int64, d)));
}

PyObject* zeros(PyObject* const* args, Py_ssize_t n, PyObject* names) { return filled(args, n, names, 0); }
PyObject* ones(PyObject* const* args, Py_ssize_t n, PyObject* names) { return filled(args, n, names, 1); }

PyObject* empty(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    Dims shape;
    DType d;
    if (!creation(args, n, names, &shape, &d)) return nullptr;
    return new_array(engine().empty(d, shape));
}

constexpr Py_ssize_t kMostItems = 4096;

// Whether a list holds, up to three levels down, Python's and NumPy's numbers alone: NumPy makes an array of
// those without asking us back.
bool plain_list(PyObject* list, int depth, Py_ssize_t* items) {
    *items += PyList_GET_SIZE(list);
    if (*items > kMostItems) return false;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
        PyObject* o = PyList_GET_ITEM(list, i);
        DType d;
        const bool number = PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) ||
                            PyComplex_CheckExact(o) || dtype_of_scalar_type(Py_TYPE(o), &d);
        if (!number && !(depth > 1 && PyList_CheckExact(o) && plain_list(o, depth - 1, items))) return false;
    }
    return true;
}

PyObject* array(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    Py_ssize_t items = 0;
    if (n != 1 || keywords(names) || !PyList_CheckExact(args[0]) || !plain_list(args[0], 3, &items))
        return nullptr;
    Array made;
    if (!import_array(args[0], &made)) return nullptr;
    return new_array(std::move(made));
}

// --- from an array ---------------------------------------------------------------------------------------

PyObject* reshape(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (n < 2 || keywords(names) || !is_array(args[0])) return nullptr;
    ArrayObject* o = as_array(args[0]);
    Dims shape;
    if (!plain_integers(args + 1, n - 1, &shape)) return nullptr;
    int unknown = -1;
    int64_t known = 1;
    for (int i = 0; i < shape.n; ++i) {
        if (shape[i] < 0 && unknown < 0)
            unknown = i;
        else if (shape[i] < 1 || __builtin_mul_overflow(known, shape[i], &known))
            return nullptr;
    }
    const int64_t size = o->array.size();
    if (size == 0 || size % known != 0 || (unknown < 0 && known != size)) return nullptr;
    if (unknown >= 0) shape[unknown] = size / known;
    const Layout* l = reshape_layout(*o->array.layout(), shape, item_size(o->array.dtype()));
    return l ? new_view(o, o->array.view(l, o->array.offset())) : nullptr;
}

// x.copy() and np.copy(x), whose orders agree for C-contiguous arrays.
PyObject* copy(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (n != 1 || keywords(names) || !is_array(args[0])) return nullptr;
    const Array& a = array_of(args[0]);
    if (!a.c_contiguous()) return nullptr;
    Array made = engine().empty(a.dtype(), a.shape());
    engine().assign(made.operand(), a.operand());
    return new_array(std::move(made));
}

PyObject* astype(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    DType d;
    if (n != 2 || keywords(names) || !is_array(args[0]) || !plain_dtype(args[1], &d)) return nullptr;
    const Array& a = array_of(args[0]);
    if (is_complex(a.dtype()) && !is_complex(d)) return nullptr;  // warns
    // Repeated axes come in another order in a copy than in a ufunc's output.
    for (int k = 0; k < a.ndim(); ++k)
        if (a.layout()->stride(k) == 0 && a.layout()->shape(k) > 1) return nullptr;
    const Layout* order = a.layout();
    Array made = allocate(d, a.shape(), &order, 1);
    engine().assign(made.operand(), a.operand());
    return new_array(std::move(made));
}

PyObject* item(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (n != 1 || keywords(names) || !is_array(args[0])) return nullptr;
    const Array& a = array_of(args[0]);
    if (a.size() != 1) return nullptr;
    Scalar bits;
    engine().read(a, bits.bytes, Trigger::HostRead);
    Ref value(make_numpy_scalar(a.dtype(), bits.bytes));
    return Ref::take(PyObject_CallMethod(value.get(), "item", nullptr)).release();
}

// --- sorting, running totals, norms, repeating -------------------------------------------------------------

constexpr int64_t kAtOnce = 4096;  // elements up to which a library call is not worth recording

// A library call on a C-contiguous array that gives an array of its shape: small ones whose values are there
// at once.
PyObject* same_shape_call(const char* name, std::span<const int64_t> parameters, const Array& a, DType d) {
    lend_threads();
    if (const char* memory = a.size() <= kAtOnce ? current_memory(a, a.offset(), false) : nullptr) {
        alignas(64) char bytes[kAtOnce * 16];
        const CallOperand from{const_cast<char*>(memory), a.layout(), a.dtype()};
        run_call(name, parameters, {bytes, a.layout(), d}, {&from, 1});
        return new_array(engine().from_host(d, Dims(a.shape()), bytes));
    }
    Array out = engine().empty(d, a.shape());
    const Operand in = a.operand();
    record_call(name, parameters, out.operand(), {&in, 1});
    return new_array(std::move(out));
}

bool one_array(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (n != 1 || keywords(names) || !is_array(args[0])) return false;
    const Array& a = array_of(args[0]);
    return a.ndim() > 0 && a.size() > 0 && a.c_contiguous();
}

PyObject* sort(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (!one_array(args, n, names)) return nullptr;
    const Array& a = array_of(args[0]);
    const int64_t length = a.layout()->shape(a.ndim() - 1);
    return same_shape_call("sort", std::array{length, int64_t{1}}, a, a.dtype());
}

PyObject* argsort(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (!one_array(args, n, names)) return nullptr;
    const Array& a = array_of(args[0]);
    const int64_t length = a.layout()->shape(a.ndim() - 1);
    return same_shape_call("argsort", std::array{length, int64_t{1}}, a, DType::Int64);
}

// Of one axis, in a dtype that adds up in itself.
PyObject* cumsum(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (!one_array(args, n, names) || array_of(args[0]).ndim() != 1) return nullptr;
    const Array& a = array_of(args[0]);
    const bool itself = is_inexact(a.dtype()) || a.dtype() == DType::Int64 || a.dtype() == DType::UInt64;
    const int64_t lines[3] = {1, a.size(), 1};
    return itself ? same_shape_call("scan_add", lines, a, a.dtype()) : nullptr;
}

// The Euclidean norm of all elements.
PyObject* norm(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (n != 1 || keywords(names) || !is_array(args[0])) return nullptr;
    const Array& a = array_of(args[0]);
    if ((a.dtype() != DType::Float64 && a.dtype() != DType::Float32) || a.ndim() == 0 || a.size() == 0)
        return nullptr;
    const Layout* order = a.layout();
    Array squares = allocate(a.dtype(), a.shape(), &order, 1);
    const Operand twice[2] = {a.operand(), a.operand()};
    const ReportedAs product(report_as("dot"));
    engine().compute(OpCode::Multiply, a.dtype(), squares.operand(), twice);
    const uint64_t mask = a.ndim() == 64 ? ~uint64_t{0} : (uint64_t{1} << a.ndim()) - 1;
    Array total = allocate_reduced(squares, mask, a.dtype());
    engine().reduce(OpCode::Add, a.dtype(), total.operand(), squares.operand(), mask);
    Array root = engine().empty(a.dtype(), {});
    const Operand sum = drop_axes(total, mask).operand();
    engine().compute(OpCode::Sqrt, a.dtype(), root.operand(), {&sum, 1});
    return new_result(std::move(root));
}

// a.repeat(times) of one axis.
PyObject* repeat(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (n != 2 || keywords(names) || !is_array(args[0]) || !PyLong_CheckExact(args[1])) return nullptr;
    const Array& a = array_of(args[0]);
    int overflow;
    const int64_t times = PyLong_AsLongLongAndOverflow(args[1], &overflow);
    int64_t bytes = item_size(a.dtype());
    if (overflow || times < 1 || a.ndim() != 1 || a.size() == 0 ||
        __builtin_mul_overflow(bytes, a.size(), &bytes) || __builtin_mul_overflow(bytes, times, &bytes))
        return nullptr;
    const Dims both{a.size(), times}, from{a.layout()->stride(0), 0};
    Array out = engine().empty(a.dtype(), Dims{a.size() * times});
    const Array rows = out.view(Layout::c_order(both, item_size(a.dtype())), out.offset());
    engine().assign(rows.operand(), a.view(Layout::intern(both, from), a.offset()).operand());
    return new_array(std::move(out));
}

// --- __array_ufunc__
// -----------------------------------------------------------------------------------------

// NumPy's ufuncs that have one of ours, by address: both live as long as the process.
std::unordered_map<PyObject*, PyObject*> ufunc_pairs;

bool plain_number(PyObject* o) {
    DType d;
    return is_array(o) || is_scalar(o) || PyFloat_CheckExact(o) || PyLong_CheckExact(o) ||
           dtype_of_scalar_type(Py_TYPE(o), &d);
}

// A NumPy scalar with our array (x[0] * y): ours.__array_ufunc__(ufunc, "__call__", a, b).
PyObject* array_ufunc(PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (n != 5 || keywords(names) || !plain_number(args[3]) || !plain_number(args[4])) return nullptr;
    if (!PyUnicode_Check(args[2]) || PyUnicode_CompareWithASCIIString(args[2], "__call__") != 0)
        return nullptr;
    const auto found = ufunc_pairs.find(args[1]);
    if (found == ufunc_pairs.end()) return nullptr;
    return Ref::take(PyObject_Vectorcall(found->second, args + 3, 2, nullptr)).release();
}

}  // namespace

// pair_ufunc(numpy_ufunc, ours): what NumPy's ufunc does with our arrays, ours does.
PyObject* pair_ufunc(PyObject*, PyObject* args) {
    PyObject *theirs, *ours;
    if (!PyArg_ParseTuple(args, "OO", &theirs, &ours)) return nullptr;
    ufunc_pairs.emplace(Py_NewRef(theirs), Py_NewRef(ours));
    Py_RETURN_NONE;
}

QuickForm find_quick_form(std::string_view name) {
    if (!dtype_name) dtype_name = Ref::take(PyUnicode_InternFromString("dtype")).release();
    static constexpr std::pair<std::string_view, QuickForm> forms[] = {
        {"zeros", zeros},     {"ones", ones},
        {"empty", empty},     {"array", array},
        {"reshape", reshape}, {"copy", copy},
        {"astype", astype},   {"item", item},
        {"sort", sort},       {"argsort", argsort},
        {"cumsum", cumsum},   {"norm", norm},
        {"repeat", repeat},   {"array_ufunc", array_ufunc},
    };
    for (const auto& [text, form] : forms)
        if (text == name) return form;
    return nullptr;
}

}  // namespace numloom::python
