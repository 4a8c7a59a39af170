// Short cuts for calls whose cost on small arrays is the call itself: joining,
// selection by one index array. Whatever is not plain goes to the Python function that does all of it.
#include <array>
#include <cstring>

#include "operand.hpp"

namespace numloom::python {
namespace {

// --- joining ---------------------------------------------------------------------------------------------

// join(arrays, axis): concatenate for a list of arrays of ours of one dtype, whose other extents agree; None
// for anything else.
PyObject* join(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* list;
        long long axis;
        if (!PyArg_ParseTuple(args, "OL", &list, &axis)) throw PythonError{};
        if (!PyList_CheckExact(list) && !PyTuple_CheckExact(list)) Py_RETURN_NONE;
        const Py_ssize_t n = PySequence_Fast_GET_SIZE(list);
        PyObject** items = PySequence_Fast_ITEMS(list);
        if (n == 0 || !is_array(items[0])) Py_RETURN_NONE;
        const Array& first = array_of(items[0]);
        const int ndim = first.ndim();
        if (axis < 0) axis += ndim;
        if (axis < 0 || axis >= ndim) Py_RETURN_NONE;
        Dims shape(first.shape());
        shape[static_cast<int>(axis)] = 0;
        bool fortran = ndim > 1;
        for (Py_ssize_t i = 0; i < n; ++i) {
            if (!is_array(items[i])) Py_RETURN_NONE;
            const Array& a = array_of(items[i]);
            if (a.dtype() != first.dtype() || a.ndim() != ndim) Py_RETURN_NONE;
            for (int k = 0; k < ndim; ++k)
                if (k != axis && a.layout()->shape(k) != shape[k]) Py_RETURN_NONE;
            shape[static_cast<int>(axis)] += a.layout()->shape(static_cast<int>(axis));
            fortran = fortran && !a.c_contiguous() && a.layout()->f_contiguous(item_size(a.dtype()));
        }
        if (fortran) Py_RETURN_NONE;
        Array out = engine().empty(first.dtype(), shape);
        int64_t offset = out.offset();
        for (Py_ssize_t i = 0; i < n; ++i) {
            const Array& a = array_of(items[i]);
            if (a.size() > 0)
                engine().assign(
                    out.view(Layout::intern(a.shape(), out.layout()->strides()), offset).operand(),
                    a.operand());
            offset +=
                a.layout()->shape(static_cast<int>(axis)) * out.layout()->stride(static_cast<int>(axis));
        }
        return new_array(std::move(out));
    });
}

// --- changes at positions --------------------------------------------------------------------------------

// Elements of a plain line whose memory is there; nullptr for anything else.
char* line_memory(PyObject* o, bool writing) {
    if (!is_array(o)) return nullptr;
    const Array& a = array_of(o);
    if (a.ndim() != 1 || !a.c_contiguous()) return nullptr;
    return current_memory(a, a.offset(), writing);
}

// --- selection -------------------------------------------------------------------------------------------

constexpr int64_t kSmall = 1 << 14;  // elements up to which a selection is not worth recording

// The i-th number of integers of any dtype; uint64 beyond int64 becomes negative and out of bounds.
int64_t position(const char* from, DType d, int64_t i) {
    auto as = [&](auto x) {
        std::memcpy(&x, from + static_cast<int64_t>(sizeof x) * i, sizeof x);
        return static_cast<int64_t>(x);
    };
    switch (d) {
        case DType::Int8:
            return as(int8_t{});
        case DType::UInt8:
            return as(uint8_t{});
        case DType::Int16:
            return as(int16_t{});
        case DType::UInt16:
            return as(uint16_t{});
        case DType::Int32:
            return as(int32_t{});
        case DType::UInt32:
            return as(uint32_t{});
        default:
            return as(int64_t{});
    }
}

// Values for `a`: as many as positions, of its dtype and apart from it, or one number that NumPy would also
// make an array of that dtype.
bool line_values(PyObject* o, const Array& a, int64_t count, Scalar* bits, CallOperand* values) {
    if (is_array(o)) {
        const Array& b = array_of(o);
        if (b.size() != count || b.dtype() != a.dtype() || b.storage() == a.storage()) return false;
        *values = {line_memory(o, false), b.layout(), b.dtype()};
        return values->data != nullptr;
    }
    Scalar whole;
    const bool number = PyFloat_CheckExact(o)
                            ? a.dtype() == DType::Float64
                            : PyLong_CheckExact(o) &&
                                  (a.dtype() == DType::Float64 || a.dtype() == DType::Int64) &&
                                  number_bytes(o, DType::Int64, &whole);
    if (!number || !number_bytes(o, a.dtype(), bits)) return false;
    *values = {reinterpret_cast<char*>(bits->bytes), Layout::scalar(), a.dtype()};
    return true;
}

// at_line(number, a, index, b): what the ufunc's at does to a line, for a few positions and values that are
// all there; whether it was done. The caller knows that the operation has a loop in numbers of any one dtype
// that gives the same dtype.
PyObject* at_line(PyObject*, PyObject* const* args, Py_ssize_t n) {
    return guarded([&]() -> PyObject* {
        constexpr int64_t few = 4096;
        if (n != 4) raise(PyExc_TypeError, "at_line takes four arguments");
        if (!is_array(args[1]) || !is_array(args[2])) Py_RETURN_FALSE;
        const Array &a = array_of(args[1]), &index = array_of(args[2]);
        const int64_t op = PyLong_AsLongLong(args[0]), count = index.size(), length = a.size();
        if (count > few || !is_integer(index.dtype()) || index.dtype() == DType::UInt64 ||
            a.dtype() == DType::Bool || a.dtype() == DType::Float16)
            Py_RETURN_FALSE;
        char* to = line_memory(args[1], true);
        const char* at = line_memory(args[2], false);
        Scalar bits;
        CallOperand values;
        if (!to || !at || !line_values(args[3], a, count, &bits, &values)) Py_RETURN_FALSE;
        int64_t positions[few];
        for (int64_t i = 0; i < count; ++i) {
            if (index.dtype() == DType::Int64)
                std::memcpy(&positions[i], at + i * 8, 8);
            else
                positions[i] = position(at, index.dtype(), i);
            if (positions[i] < 0) positions[i] += length;
            if (positions[i] < 0 || positions[i] >= length) Py_RETURN_FALSE;
        }
        const CallOperand target{to, a.layout(), a.dtype()};
        const CallOperand in[] = {
            {reinterpret_cast<char*>(positions), index.layout(), DType::Int64}, values, target};
        // A number that NumPy has to convert takes its loop with conversions, which reports as `at`.
        PyObject* b = args[3];
        const bool converted = (PyFloat_CheckExact(b) && a.dtype() != DType::Float64) ||
                               (PyComplex_CheckExact(b) && a.dtype() != DType::Complex128) ||
                               (PyLong_CheckExact(b) && a.dtype() != DType::Int64);
        run_call("at", std::array{op, static_cast<int64_t>(a.dtype()), int64_t{1}}, target, in,
                 converted ? "at" : operation(static_cast<OpCode>(op)).name);
        Py_RETURN_TRUE;
    });
}

// A small array of NumPy's (as SciPy's sparse matrices have for their rows) as one of ours; none for anything
// else.
Array small_host_key(PyObject* o) {
    if (!Py_IS_TYPE(o, np.ndarray)) return {};
    Ref size = Ref::take(PyObject_GetAttrString(o, "size"));
    Ref descr = Ref::take(PyObject_GetAttrString(o, "dtype"));
    DType d;
    if (PyLong_AsLongLong(size.get()) > kSmall || !dtype_from_descr(descr.get(), &d)) return {};
    return import_host(o, d);
}

// pick(a, key): a[key] for a small array and one small boolean or integer index over its first axes, all of
// them C-contiguous on the host; None for anything else, also where an index is out of bounds. The shape (of
// masks) and the check (of indices) depend on values, so that this evaluates, as it would for large arrays.
PyObject* pick(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject *of, *by;
        if (!PyArg_ParseTuple(args, "OO", &of, &by)) throw PythonError{};
        if (!is_array(of)) Py_RETURN_NONE;
        const Array a = array_of(of), key = is_array(by) ? array_of(by) : small_host_key(by);
        if (!key.storage()) Py_RETURN_NONE;
        const bool mask = key.dtype() == DType::Bool;
        // A few elements of a large array are picked where its values are there.
        const char* ready = !mask && a.size() > kSmall ? current_memory(a, a.offset(), false) : nullptr;
        if ((a.size() > kSmall && !ready) || key.size() > kSmall || a.ndim() == 0 || key.ndim() == 0 ||
            !a.c_contiguous() || !key.c_contiguous() || !(mask || is_integer(key.dtype())))
            Py_RETURN_NONE;
        const int used = mask ? key.ndim() : 1;
        if (used > a.ndim()) Py_RETURN_NONE;
        int64_t width = item_size(a.dtype());
        for (int i = used; i < a.ndim(); ++i) width *= a.layout()->shape(i);
        for (int i = 0; i < used && mask; ++i)
            if (key.layout()->shape(i) != a.layout()->shape(i)) Py_RETURN_NONE;
        const char* index = engine().host_address(key, mask ? Trigger::DataShape : Trigger::DataError);
        const char* from =
            ready ? ready : engine().host_address(a, mask ? Trigger::DataShape : Trigger::DataError);
        if (!index || !from) Py_RETURN_NONE;
        int64_t count = key.size();
        if (mask) {
            count = 0;
            for (int64_t i = 0; i < key.size(); ++i) count += index[i] != 0;
        }
        if (count * width > 8 * kSmall) Py_RETURN_NONE;
        std::vector<char> bytes(static_cast<size_t>(count * width));
        char* to = bytes.data();
        const int64_t n = a.layout()->shape(0);
        for (int64_t i = 0; i < key.size(); ++i) {
            int64_t at = i;
            if (mask) {
                if (!index[i]) continue;
            } else {
                at = position(index, key.dtype(), i);
                if (at < -n || at >= n) Py_RETURN_NONE;
                if (at < 0) at += n;
            }
            std::memcpy(to, from + at * width, static_cast<size_t>(width));
            to += width;
        }
        Dims shape;
        if (mask)
            shape.push(count);
        else
            for (int64_t v : key.shape()) shape.push(v);
        for (int i = used; i < a.ndim(); ++i) shape.push(a.layout()->shape(i));
        return new_array(engine().from_host(a.dtype(), shape, bytes.data()));
    });
}

// positions(a): nonzero(a) for a small array of bool that is C-contiguous on the host, one int64 array an
// axis; None for anything else. Evaluates, as the shape of the result depends on values.
PyObject* positions(PyObject*, PyObject* of) {
    return guarded([&]() -> PyObject* {
        if (!is_array(of)) Py_RETURN_NONE;
        const Array a = array_of(of);
        if (a.dtype() != DType::Bool || a.size() > kSmall || a.ndim() == 0 || a.ndim() > 4 ||
            !a.c_contiguous())
            Py_RETURN_NONE;
        const char* mask = a.size() ? engine().host_address(a, Trigger::DataShape) : "";
        if (!mask) Py_RETURN_NONE;
        std::vector<int64_t> flat;
        for (int64_t i = 0; i < a.size(); ++i)
            if (mask[i]) flat.push_back(i);
        const int64_t count = static_cast<int64_t>(flat.size());
        std::vector<int64_t> along(flat.size());
        Ref made = Ref::take(PyTuple_New(a.ndim()));
        int64_t step = 1;
        for (int axis = a.ndim() - 1; axis >= 0; --axis) {
            const int64_t n = a.layout()->shape(axis);
            for (size_t i = 0; i < flat.size(); ++i) along[i] = flat[i] / step % n;
            step *= n;
            PyTuple_SET_ITEM(made.get(), axis,
                             new_array(engine().from_host(DType::Int64, Dims{count}, along.data())));
        }
        return made.release();
    });
}

// is_contiguous(a, order="C"): strides of axes with one element do not matter.
PyObject* is_contiguous(PyObject*, PyObject* const* args, Py_ssize_t n) {
    return guarded([&] {
        if (n < 1 || n > 2) raise(PyExc_TypeError, "is_contiguous(a, order='C') takes one or two arguments");
        const bool by_columns = n == 2 && PyUnicode_CompareWithASCIIString(args[1], "C") != 0;
        if (!is_array(args[0])) {  // NumPy's
            Ref flags = Ref::take(PyObject_GetAttrString(args[0], "flags"));
            return PyObject_GetAttrString(flags.get(), by_columns ? "f_contiguous" : "c_contiguous");
        }
        const Array& a = array_of(args[0]);
        return PyBool_FromLong(by_columns ? a.layout()->f_contiguous(item_size(a.dtype()))
                                          : a.c_contiguous());
    });
}

}  // namespace

PyMethodDef fast_functions[] = {
    {"positions", positions, METH_O, "positions(a): nonzero of a small bool array, else None."},
    {"is_contiguous", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(is_contiguous)), METH_FASTCALL,
     "is_contiguous(a, order='C'): whether the elements lie without gaps in C or Fortran order."},
    {"at_line", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(at_line)), METH_FASTCALL,
     "at_line(number, a, index, b): ufunc.at on a line, for a few positions; whether it was done."},
    {"join", join, METH_VARARGS, "join(arrays, axis): concatenate in the plain case, else None."},
    {"pick", pick, METH_VARARGS, "pick(a, key): a[key] for small arrays and one index, else None."},
    {},
};

}  // namespace numloom::python
