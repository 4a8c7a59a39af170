// The type numloom.ufunc: an operation of the table, or one of NumPy's that the engine lacks, with NumPy's
// calling rules.
#include "operand.hpp"

// After our headers: it defines short macros.
#include <structmember.h>

namespace numloom::python {

PyTypeObject* ufunc_type;

namespace {

PyObject* by_op[kOps];
PyObject* out_name;

struct UfuncObject {
    PyObject_HEAD vectorcallfunc vectorcall;
    PyObject* name;
    PyObject* host;  // NumPy's (or SciPy's) ufunc; nullptr where there is none
    PyObject* dict;
    OpCode op;  // OpCode::Count: the engine has no such operation
    uint8_t inputs, outputs;
};

UfuncObject* as_ufunc(PyObject* o) { return reinterpret_cast<UfuncObject*>(o); }

// Whether an operand leaves the choice to another library: by NumPy's protocol, or by being an array that
// only NumPy handles.
bool plain_operand(PyObject* o) {
    DType d;
    return is_array(o) || is_scalar(o) || PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) ||
           PyComplex_CheckExact(o) || PyList_CheckExact(o) || PyTuple_CheckExact(o) ||
           Py_IS_TYPE(o, np.ndarray) || dtype_of_scalar_type(Py_TYPE(o), &d);
}

PyObject* general_call(UfuncObject* u, PyObject* const* args, Py_ssize_t n, PyObject* names) {
    Ref positional = Ref::take(PyTuple_New(n));
    for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(positional.get(), i, Py_NewRef(args[i]));
    Ref keywords = Ref::take(PyDict_New());
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
        if (PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(names, i), args[n + i]) != 0) throw PythonError{};
    return call_hook(Hook::UfuncCall, reinterpret_cast<PyObject*>(u), positional.get(), keywords.get());
}

// The array to write to, from the third operand or `out=`; nullptr where the general call must look at it.
ArrayObject* output_array(PyObject* o) {
    if (PyTuple_CheckExact(o) && PyTuple_GET_SIZE(o) == 1) o = PyTuple_GET_ITEM(o, 0);
    return is_array(o) ? as_array(o) : nullptr;
}

// The calls that the engine takes without looking twice; nullptr without an exception for all others.
PyObject* quick_call(UfuncObject* u, PyObject* const* args, Py_ssize_t n, PyObject* names) {
    if (u->op == OpCode::Count || n < u->inputs) return nullptr;
    for (int i = 0; i < u->inputs; ++i)
        if (!plain_operand(args[i])) return nullptr;
    PyObject* out = nullptr;
    if (names && PyTuple_GET_SIZE(names) > 0) {
        if (PyTuple_GET_SIZE(names) > 1 || n != u->inputs || PyTuple_GET_ITEM(names, 0) != out_name)
            return nullptr;
        out = args[n];
    } else if (n == u->inputs + 1 && u->op != OpCode::Maximum && u->op != OpCode::Minimum) {
        out = args[n - 1];  // NumPy deprecates it for the extremes
    } else if (n != u->inputs) {
        return nullptr;
    }
    if (out && out != Py_None) {
        ArrayObject* target = output_array(out);
        if (!target) return nullptr;
        bool handled;
        PyObject* r = into(u->op, target, args, u->inputs, &handled);
        return handled ? r : nullptr;
    }
    return u->inputs == 1 ? unary(u->op, args[0]) : binary(u->op, args[0], args[1], false);
}

PyObject* ufunc_call(PyObject* self, PyObject* const* args, size_t nargs, PyObject* names) {
    return guarded([&] {
        UfuncObject* u = as_ufunc(self);
        Py_ssize_t n = PyVectorcall_NARGS(nargs);
        PyObject* r = quick_call(u, args, n, names);
        return r ? r : general_call(u, args, n, names);
    });
}

UfuncObject* make_ufunc(PyTypeObject* type, PyObject* name, PyObject* host, OpCode op, int inputs,
                        int outputs) {
    UfuncObject* u = as_ufunc(Ref::take(type->tp_alloc(type, 0)).release());
    u->vectorcall = ufunc_call;
    u->name = Py_NewRef(name);
    u->host = Py_XNewRef(host);
    u->dict = nullptr;
    u->op = op;
    u->inputs = static_cast<uint8_t>(inputs);
    u->outputs = static_cast<uint8_t>(outputs);
    return u;
}

int64_t integer_attribute(PyObject* o, const char* name) {
    Ref v = Ref::take(PyObject_GetAttrString(o, name));
    return PyLong_AsLongLong(v.get());
}

// ufunc(f): the ufunc of the name of NumPy's (or SciPy's) ufunc f; the engine's operation of that name does
// the work where there is one.
PyObject* ufunc_new(PyTypeObject* type, PyObject* args, PyObject*) {
    return guarded([&] {
        PyObject* host;
        if (!PyArg_ParseTuple(args, "O", &host)) throw PythonError{};
        Ref name = Ref::take(PyObject_GetAttrString(host, "__name__"));
        const char* text = PyUnicode_AsUTF8(name.get());
        if (!text) throw PythonError{};
        OpCode op = find_operation(text);
        if (op != OpCode::Count && operation(op).has(T_INTERNAL)) op = OpCode::Count;
        return reinterpret_cast<PyObject*>(make_ufunc(type, name.get(), host, op,
                                                      static_cast<int>(integer_attribute(host, "nin")),
                                                      static_cast<int>(integer_attribute(host, "nout"))));
    });
}

int ufunc_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_ufunc(self)->dict);
    Py_VISIT(as_ufunc(self)->host);
    return 0;
}

int ufunc_clear(PyObject* self) {
    Py_CLEAR(as_ufunc(self)->dict);
    Py_CLEAR(as_ufunc(self)->host);
    return 0;
}

void ufunc_dealloc(PyObject* self) {
    PyObject_GC_UnTrack(self);
    ufunc_clear(self);
    PyTypeObject* type = Py_TYPE(self);
    Py_XDECREF(as_ufunc(self)->name);
    PyObject_GC_Del(self);
    Py_DECREF(type);
}

PyObject* ufunc_repr(PyObject* self) { return PyUnicode_FromFormat("<ufunc '%U'>", as_ufunc(self)->name); }

PyObject* get_name(PyObject* self, void*) { return Py_NewRef(as_ufunc(self)->name); }
PyObject* get_nin(PyObject* self, void*) { return PyLong_FromLong(as_ufunc(self)->inputs); }
PyObject* get_nout(PyObject* self, void*) { return PyLong_FromLong(as_ufunc(self)->outputs); }
PyObject* get_nargs(PyObject* self, void*) {
    return PyLong_FromLong(as_ufunc(self)->inputs + as_ufunc(self)->outputs);
}

PyObject* get_host(PyObject* self, void*) {
    PyObject* host = as_ufunc(self)->host;
    return Py_NewRef(host ? host : Py_None);
}

PyObject* get_native(PyObject* self, void*) { return PyBool_FromLong(as_ufunc(self)->op != OpCode::Count); }

PyObject* get_doc(PyObject* self, void*) {
    PyObject* host = as_ufunc(self)->host;
    return host ? PyObject_GetAttrString(host, "__doc__")
                : PyUnicode_FromFormat("%U(x, /, out=None)", as_ufunc(self)->name);
}

// Loops as NumPy writes them ("dd->d"), from NumPy where it knows the ufunc, else from the table.
PyObject* get_types(PyObject* self, void*) {
    return guarded([&] {
        UfuncObject* u = as_ufunc(self);
        if (u->host) return Ref::take(PyObject_GetAttrString(u->host, "types")).release();
        Ref list = Ref::take(PyList_New(0));
        for (char c : operation(u->op).loops) {
            DType d;
            if (!dtype_from_code(c, &d)) continue;
            std::string text(u->inputs, c);
            text += "->";
            text += info(result_dtype(u->op, d)).code;
            Ref item = Ref::take(PyUnicode_FromString(text.c_str()));
            if (PyList_Append(list.get(), item.get()) != 0) throw PythonError{};
        }
        return list.release();
    });
}

PyObject* get_ntypes(PyObject* self, void*) {
    Ref types(get_types(self, nullptr));
    return types ? PyLong_FromSsize_t(PyList_GET_SIZE(types.get())) : nullptr;
}

template <const char* const& Name>
PyObject* get_host_attribute(PyObject* self, void*) {
    PyObject* host = as_ufunc(self)->host;
    if (!host) Py_RETURN_NONE;
    return PyObject_GetAttrString(host, Name);
}

const char* const kIdentity = "identity";
const char* const kSignature = "signature";

PyObject* ufunc_reduce(PyObject* self, PyObject*) { return Py_NewRef(as_ufunc(self)->name); }

PyGetSetDef ufunc_getset[] = {
    {"__name__", get_name, nullptr, "NumPy's name of the operation.", nullptr},
    {"__qualname__", get_name, nullptr, "NumPy's name of the operation.", nullptr},
    {"__doc__", get_doc, nullptr, nullptr, nullptr},
    {"nin", get_nin, nullptr, "Number of inputs.", nullptr},
    {"nout", get_nout, nullptr, "Number of outputs.", nullptr},
    {"nargs", get_nargs, nullptr, "Number of inputs and outputs.", nullptr},
    {"types", get_types, nullptr, "The loops, as 'dd->d'.", nullptr},
    {"ntypes", get_ntypes, nullptr, "Number of loops.", nullptr},
    {"identity", get_host_attribute<kIdentity>, nullptr, "What a reduction over nothing gives, or None.",
     nullptr},
    {"signature", get_host_attribute<kSignature>, nullptr,
     "The core signature of a generalised ufunc, else None.", nullptr},
    {"host", get_host, nullptr, "The ufunc of NumPy (or SciPy) that this one stands for, or None.", nullptr},
    {"native", get_native, nullptr, "Whether the engine has loops for it.", nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {},
};

PyMemberDef ufunc_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(UfuncObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(UfuncObject, dict), READONLY, nullptr},
    {},
};

PyMethodDef ufunc_methods[] = {
    {"__reduce__", ufunc_reduce, METH_NOARGS, "Pickled by name."},
    {},
};

PyType_Slot ufunc_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(ufunc_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(ufunc_dealloc)},
    {Py_tp_traverse, reinterpret_cast<void*>(ufunc_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(ufunc_clear)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(ufunc_repr)},
    {Py_tp_getset, ufunc_getset},
    {Py_tp_members, ufunc_members},
    {Py_tp_methods, ufunc_methods},
    {0, nullptr},
};

}  // namespace

PyObject* ufunc_object(OpCode op) { return by_op[static_cast<int>(op)]; }

void init_ufunc_type(PyObject* module) {
    PyType_Spec spec = {"numloom.ufunc", sizeof(UfuncObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, ufunc_slots};
    ufunc_type = reinterpret_cast<PyTypeObject*>(Ref::take(PyType_FromSpec(&spec)).release());
    out_name = Ref::take(PyUnicode_InternFromString("out")).release();
    Ref all = Ref::take(PyDict_New());
    for (int i = 0; i < kOps; ++i) {
        const Operation& op = kOperations[i];
        if (op.has(T_INTERNAL) || op.inputs > 2) continue;
        Ref name =
            Ref::take(PyUnicode_FromStringAndSize(op.name.data(), static_cast<Py_ssize_t>(op.name.size())));
        by_op[i] = reinterpret_cast<PyObject*>(
            make_ufunc(ufunc_type, name.get(), np.ufuncs[i], static_cast<OpCode>(i), op.inputs, 1));
        if (PyDict_SetItem(all.get(), name.get(), by_op[i]) != 0) throw PythonError{};
    }
    if (PyModule_AddObjectRef(module, "ufunc", reinterpret_cast<PyObject*>(ufunc_type)) != 0 ||
        PyModule_AddObjectRef(module, "ufuncs", all.get()) != 0)
        throw PythonError{};
}

}  // namespace numloom::python
