// NumPy's objects that the binding needs, looked up once, and conversion of NumPy's dtypes and scalars
// without NumPy's C ABI.
#include <string>

#include "objects.hpp"

namespace numloom::python {

NumPy np;

namespace {

PyObject* attribute(PyObject* of, const char* path) {
    Ref at = Ref::share(of);
    std::string text = path;
    size_t from = 0;
    while (from != std::string::npos) {
        size_t dot = text.find('.', from);
        std::string part = text.substr(from, dot == std::string::npos ? dot : dot - from);
        at = Ref::take(PyObject_GetAttrString(at.get(), part.c_str()));
        from = dot == std::string::npos ? dot : dot + 1;
    }
    return at.release();
}

// Whether a scalar object of this type keeps its bytes right behind the object head, as all of NumPy's
// numeric scalars do today. Checked by value, so that a NumPy that changes it only costs speed.
bool check_layout(PyTypeObject* type, DType d) {
    if (type->tp_basicsize < static_cast<Py_ssize_t>(sizeof(PyObject)) + item_size(d)) return false;
    for (int64_t number : {1, 0, 77}) {
        Ref n = Ref::take(PyLong_FromLongLong(number));
        Ref s = Ref::take(PyObject_CallOneArg(reinterpret_cast<PyObject*>(type), n.get()));
        Scalar expected = cast_scalar(Scalar::of<int64_t>(number), DType::Int64, d);
        const char* bytes = reinterpret_cast<const char*>(s.get()) + sizeof(PyObject);
        if (std::memcmp(bytes, expected.bytes, static_cast<size_t>(item_size(d))) != 0) return false;
    }
    return true;
}

}  // namespace

void init_numpy() {
    np.module = Ref::take(PyImport_ImportModule("numpy")).release();
    np.ndarray = reinterpret_cast<PyTypeObject*>(attribute(np.module, "ndarray"));
    np.generic = reinterpret_cast<PyTypeObject*>(attribute(np.module, "generic"));
    np.dtype_type = reinterpret_cast<PyTypeObject*>(attribute(np.module, "dtype"));
    np.asarray = attribute(np.module, "asarray");
    np.empty = attribute(np.module, "empty");
    np.true_ = attribute(np.module, "True_");
    np.false_ = attribute(np.module, "False_");
    np.complex_warning = attribute(np.module, "exceptions.ComplexWarning");
    np.axis_error = attribute(np.module, "exceptions.AxisError");
    np.linalg_error = attribute(np.module, "linalg.LinAlgError");
    Ref errors(PyImport_ImportModule("numpy._core._exceptions"));
    if (errors) np.output_casting_error = PyObject_GetAttrString(errors.get(), "_UFuncOutputCastingError");
    PyErr_Clear();  // a private name: TypeError stands in where NumPy has moved it
    for (int i = 0; i < kDTypes; ++i) {
        DType d = static_cast<DType>(i);
        Ref code = Ref::take(PyUnicode_FromStringAndSize(&info(d).code, 1));
        np.dtypes[i] =
            Ref::take(PyObject_CallOneArg(reinterpret_cast<PyObject*>(np.dtype_type), code.get())).release();
        np.scalars[i] = reinterpret_cast<PyTypeObject*>(attribute(np.dtypes[i], "type"));
        np.scalar_layout[i] = check_layout(np.scalars[i], d);
    }
    for (int i = 0; i < kOps; ++i) {
        const Operation& op = kOperations[i];
        if (op.has(T_INTERNAL) || op.has(T_SPECIAL)) continue;
        np.ufuncs[i] = PyObject_GetAttrString(np.module, std::string(op.name).c_str());
        if (!np.ufuncs[i]) PyErr_Clear();
    }
}

bool dtype_from_descr(PyObject* descr, DType* out) {
    for (int i = 0; i < kDTypes; ++i) {
        if (np.dtypes[i] == descr) {
            *out = static_cast<DType>(i);
            return true;
        }
    }
    if (!PyObject_TypeCheck(descr, np.dtype_type)) return false;
    // Equal dtypes can be other objects: long long, unpickled ones, ones with metadata.
    Ref native = Ref::take(PyObject_GetAttrString(descr, "isnative"));
    if (native.get() != Py_True) return false;
    Ref code = Ref::take(PyObject_GetAttrString(descr, "char"));
    Py_UCS4 c = PyUnicode_READ_CHAR(code.get(), 0);
    if (c == 'q') c = 'l';
    if (c == 'Q') c = 'L';
    return c < 128 && dtype_from_code(static_cast<char>(c), out);
}

DType require_dtype(PyObject* o) {
    DType d;
    if (dtype_from_descr(o, &d)) return d;
    Ref descr = Ref::take(PyObject_CallOneArg(reinterpret_cast<PyObject*>(np.dtype_type), o));
    if (!dtype_from_descr(descr.get(), &d)) {
        PyErr_Format(PyExc_TypeError, "numloom stores no elements of dtype %R", descr.get());
        throw PythonError{};
    }
    return d;
}

bool dtype_of_scalar_type(PyTypeObject* t, DType* out) {
    for (int i = 0; i < kDTypes; ++i) {
        if (np.scalars[i] == t) {
            *out = static_cast<DType>(i);
            return true;
        }
    }
    return false;
}

PyObject* make_numpy_scalar(DType d, const void* bytes) {
    if (d == DType::Bool) return Py_NewRef(*static_cast<const char*>(bytes) ? np.true_ : np.false_);
    PyTypeObject* type = np.scalars[static_cast<int>(d)];
    size_t size = static_cast<size_t>(item_size(d));
    if (np.scalar_layout[static_cast<int>(d)]) {
        PyObject* s = type->tp_alloc(type, 0);
        if (!s) throw PythonError{};
        std::memcpy(reinterpret_cast<char*>(s) + sizeof(PyObject), bytes, size);
        return s;
    }
    Ref memory =
        Ref::take(PyBytes_FromStringAndSize(static_cast<const char*>(bytes), static_cast<Py_ssize_t>(size)));
    Ref array = Ref::take(PyObject_CallMethod(np.module, "frombuffer", "OO", memory.get(), dtype_object(d)));
    return Ref::take(PySequence_GetItem(array.get(), 0)).release();
}

Scalar numpy_scalar_bits(PyObject* o, DType d) {
    Scalar s;
    size_t size = static_cast<size_t>(item_size(d));
    if (np.scalar_layout[static_cast<int>(d)]) {
        std::memcpy(s.bytes, reinterpret_cast<const char*>(o) + sizeof(PyObject), size);
        return s;
    }
    Ref bytes = Ref::take(PyObject_CallMethod(o, "tobytes", nullptr));
    std::memcpy(s.bytes, PyBytes_AS_STRING(bytes.get()), size);
    return s;
}

}  // namespace numloom::python
