// Iteration over an array's first axis. Python's own iterator over sequences asks until an IndexError, whose
// message costs more than the elements of a short array.
#include "operand.hpp"

namespace numloom::python {
namespace {

struct IteratorObject {
    PyObject_HEAD PyObject* array;  // nullptr once it is at the end
    Py_ssize_t next;
};

IteratorObject* as_iterator(PyObject* o) { return reinterpret_cast<IteratorObject*>(o); }

PyTypeObject* iterator_type;

Py_ssize_t remaining(const IteratorObject* it) {
    if (!it->array) return 0;
    const Array& a = array_of(it->array);  // it may have got another shape meanwhile
    const Py_ssize_t n = a.ndim() == 0 ? 0 : static_cast<Py_ssize_t>(a.layout()->shape(0));
    return n > it->next ? n - it->next : 0;
}

PyObject* iterator_next(PyObject* self) {
    IteratorObject* it = as_iterator(self);
    if (remaining(it) == 0) {
        Py_CLEAR(it->array);
        return nullptr;
    }
    return guarded([&] {
        Ref index = Ref::take(PyLong_FromSsize_t(it->next));
        PyObject* item = getitem(it->array, index.get());
        ++it->next;
        return item;
    });
}

PyObject* iterator_hint(PyObject* self, PyObject*) {
    return PyLong_FromSsize_t(remaining(as_iterator(self)));
}

// Pickled and copied as the iterator over what is left.
PyObject* iterator_reduce(PyObject* self, PyObject*) {
    return guarded([&]() -> PyObject* {
        const IteratorObject* it = as_iterator(self);
        Ref iter =
            Ref::take(PyObject_GetAttrString(Ref::take(PyImport_ImportModule("builtins")).get(), "iter"));
        if (!it->array) return Py_BuildValue("(O(()))", iter.get());
        Ref rest = Ref::take(PySequence_GetSlice(it->array, it->next, PY_SSIZE_T_MAX));
        return Py_BuildValue("(O(O))", iter.get(), rest.get());
    });
}

void iterator_dealloc(PyObject* self) {
    PyTypeObject* type = Py_TYPE(self);
    Py_CLEAR(as_iterator(self)->array);
    type->tp_free(self);
    Py_DECREF(type);
}

PyMethodDef iterator_methods[] = {
    {"__length_hint__", iterator_hint, METH_NOARGS, "How many elements are left."},
    {"__reduce__", iterator_reduce, METH_NOARGS, "For pickle and copy."},
    {},
};

}  // namespace

PyObject* iterate(PyObject* array) {
    IteratorObject* it = as_iterator(iterator_type->tp_alloc(iterator_type, 0));
    if (!it) return nullptr;
    it->array = Py_NewRef(array);
    return reinterpret_cast<PyObject*>(it);
}

void init_iterator_type() {
    PyType_Slot slots[] = {
        {Py_tp_dealloc, reinterpret_cast<void*>(iterator_dealloc)},
        {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)},
        {Py_tp_iternext, reinterpret_cast<void*>(iterator_next)},
        {Py_tp_methods, iterator_methods},
        {0, nullptr},
    };
    PyType_Spec spec = {"numloom._core.iterator", sizeof(IteratorObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    iterator_type = reinterpret_cast<PyTypeObject*>(Ref::take(PyType_FromSpec(&spec)).release());
}

}  // namespace numloom::python
