// The lazy scalar: what a reduction gives back before anybody has looked at it. To Python code it is the
// NumPy scalar of its dtype.
#include "numbers.hpp"
#include "operand.hpp"

// After our headers: it defines short macros.
#include <structmember.h>

namespace numloom::python {

PyTypeObject* scalar_type;

void dealloc_array(PyObject* self);

PyObject* scalar_value(ArrayObject* s) {
    if (!s->value) {
        Scalar bits;
        engine().read(s->array, bits.bytes, Trigger::HostRead);
        PyObject* made = make_numpy_scalar(s->array.dtype(), bits.bytes);
        // read() lets other threads run; the first to come back has set it.
        if (s->value)
            Py_DECREF(made);
        else
            s->value = made;
    }
    return s->value;
}

namespace {

PyObject* value_of(PyObject* self) { return scalar_value(as_array(self)); }

PyObject* get_class(PyObject* self, void*) {
    return Py_NewRef(reinterpret_cast<PyObject*>(np.scalars[static_cast<int>(array_of(self).dtype())]));
}

PyObject* get_dtype(PyObject* self, void*) { return Py_NewRef(dtype_object(array_of(self).dtype())); }
PyObject* get_empty_tuple(PyObject*, void*) { return PyTuple_New(0); }
PyObject* get_zero(PyObject*, void*) { return PyLong_FromLong(0); }
PyObject* get_one(PyObject*, void*) { return PyLong_FromLong(1); }
PyObject* get_none(PyObject*, void*) { Py_RETURN_NONE; }
PyObject* get_itemsize(PyObject* self, void*) {
    return PyLong_FromLongLong(item_size(array_of(self).dtype()));
}

PyGetSetDef scalar_getset[] = {
    {"__class__", get_class, nullptr, "The NumPy scalar type that this stands for.", nullptr},
    {"dtype", get_dtype, nullptr, "The value's numpy.dtype.", nullptr},
    {"shape", get_empty_tuple, nullptr, "()", nullptr},
    {"strides", get_empty_tuple, nullptr, "()", nullptr},
    {"ndim", get_zero, nullptr, "0", nullptr},
    {"size", get_one, nullptr, "1", nullptr},
    {"base", get_none, nullptr, "None", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of the value.", nullptr},
    {"nbytes", get_itemsize, nullptr, "Bytes of the value.", nullptr},
    {},
};

PyMemberDef scalar_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weakrefs), READONLY, nullptr},
    {},
};

PyObject* get_value(PyObject* self, PyObject*) {
    return guarded([&] { return Py_NewRef(value_of(self)); });
}

template <const char* const& Name>
PyObject* forward(PyObject* self, PyObject* args) {
    return guarded([&] {
        Ref method = Ref::take(PyObject_GetAttrString(value_of(self), Name));
        return Ref::take(PyObject_CallObject(method.get(), args)).release();
    });
}

const char* const kReduce = "__reduce__";
const char* const kFormat = "__format__";
const char* const kGetitem = "__getitem__";

// round() and math.trunc() of the value, not its methods: their errors name the type.
PyObject* scalar_round(PyObject* self, PyObject* args) {
    return guarded([&] {
        Ref builtins = Ref::take(PyImport_ImportModule("builtins"));
        PyObject* digits = PyTuple_GET_SIZE(args) == 1 ? PyTuple_GET_ITEM(args, 0) : Py_None;
        return Ref::take(PyObject_CallMethod(builtins.get(), "round", "OO", value_of(self), digits))
            .release();
    });
}

PyObject* scalar_trunc(PyObject* self, PyObject*) {
    return guarded([&] {
        Ref math = Ref::take(PyImport_ImportModule("math"));
        return Ref::take(PyObject_CallMethod(math.get(), "trunc", "O", value_of(self))).release();
    });
}

PyObject* same(PyObject* self, PyObject*) { return Py_NewRef(self); }

PyObject* scalar_array(PyObject* self, PyObject* args, PyObject* kwargs) {
    return guarded([&] {
        static const char* names[] = {"dtype", "copy", nullptr};
        PyObject *dtype = Py_None, *copy = Py_None;
        if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO", const_cast<char**>(names), &dtype, &copy))
            throw PythonError{};
        Ref made = Ref::take(PyObject_CallFunctionObjArgs(np.asarray, value_of(self),
                                                          dtype == Py_None ? nullptr : dtype, nullptr));
        return made.release();
    });
}

PyMethodDef scalar_methods[] = {
    {"_value", get_value, METH_NOARGS, "The NumPy scalar, evaluated on the first call."},
    {"__reduce__", forward<kReduce>, METH_VARARGS, "Pickles as NumPy's scalar."},
    {"__format__", forward<kFormat>, METH_VARARGS, "Formats as NumPy's scalar."},
    {"__round__", scalar_round, METH_VARARGS, "round(x, digits=None)"},
    {"__trunc__", scalar_trunc, METH_NOARGS, "math.trunc(x)"},
    {"__getitem__", forward<kGetitem>, METH_VARARGS, "Only x[()] and x[...], as NumPy's scalars."},
    {"__complex__", [](PyObject* self, PyObject*) { return to_complex(self); }, METH_NOARGS,
     "The value as a complex."},
    {"__copy__", same, METH_NOARGS, "Immutable: itself."},
    {"__deepcopy__", same, METH_O, "Immutable: itself."},
    {"__array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(scalar_array)),
     METH_VARARGS | METH_KEYWORDS, "A 0-d NumPy array of the value."},
    {},
};

PyObject* scalar_repr(PyObject* self) {
    return guarded([&] { return Ref::take(PyObject_Repr(value_of(self))).release(); });
}

PyObject* scalar_str(PyObject* self) {
    return guarded([&] { return Ref::take(PyObject_Str(value_of(self))).release(); });
}

Py_hash_t scalar_hash(PyObject* self) {
    return guarded<Py_hash_t>(-1, [&] { return PyObject_Hash(value_of(self)); });
}

// Whatever the lazy scalar does not answer itself, the NumPy scalar does.
PyObject* scalar_getattr(PyObject* self, PyObject* name) {
    PyObject* own = PyObject_GenericGetAttr(self, name);
    if (own || !PyErr_ExceptionMatches(PyExc_AttributeError)) return own;
    // Protocols that NumPy's array functions try on every object: the answer is known without the value.
    const char* text = PyUnicode_AsUTF8(name);
    if (text && std::strncmp(text, "__array_", 8) == 0) return nullptr;
    PyErr_Clear();
    return guarded([&] { return Ref::take(PyObject_GetAttr(value_of(self), name)).release(); });
}

}  // namespace

void init_scalar_type(PyObject* module) {
    std::vector<PyType_Slot> slots = scalar_number_slots();
    slots.insert(slots.end(), {
                                  {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_array)},
                                  {Py_tp_getset, scalar_getset},
                                  {Py_tp_members, scalar_members},
                                  {Py_tp_methods, scalar_methods},
                                  {Py_tp_hash, reinterpret_cast<void*>(scalar_hash)},
                                  {Py_tp_repr, reinterpret_cast<void*>(scalar_repr)},
                                  {Py_tp_str, reinterpret_cast<void*>(scalar_str)},
                                  {Py_tp_getattro, reinterpret_cast<void*>(scalar_getattr)},
                                  {0, nullptr},
                              });
    PyType_Spec spec = {"numloom._core.scalar", sizeof(ArrayObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};
    scalar_type = reinterpret_cast<PyTypeObject*>(Ref::take(PyType_FromSpec(&spec)).release());
    // Above NumPy's scalars (-1e6) and arrays (0), so that `np.float64(2) * s` comes here and stays lazy.
    Ref priority = Ref::take(PyFloat_FromDouble(1.0));
    if (PyObject_SetAttrString(reinterpret_cast<PyObject*>(scalar_type), "__array_priority__",
                               priority.get()) != 0 ||
        PyModule_AddObjectRef(module, "scalar", reinterpret_cast<PyObject*>(scalar_type)) != 0)
        throw PythonError{};
}

}  // namespace numloom::python
