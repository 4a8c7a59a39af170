// Memory shared with others: the buffer protocol, NumPy arrays over our storages, our arrays over NumPy's
// memory.
#include "operand.hpp"

namespace numloom::python {

PyTypeObject* pin_type;

namespace {

// PEP 3118 codes; complex numbers have none in `struct`, NumPy reads these.
const char* format_code(DType d) {
    static const char* const codes[kDTypes] = {"?", "b", "B", "h", "H", "i",  "I",
                                               "l", "L", "e", "f", "d", "Zf", "Zd"};
    return codes[static_cast<int>(d)];
}

// What a live buffer needs. The array keeps the storage alive, the pin keeps its memory in place.
struct Export {
    Array array;
    bool pinned = false;
    std::unique_ptr<char[]> copy;  // of a storage that is not in one piece on the host
    Py_ssize_t shape[kMaxDims], strides[kMaxDims];
};

void fill_geometry(Export* e, const Layout& l) {
    for (int i = 0; i < l.ndim(); ++i) {
        e->shape[i] = static_cast<Py_ssize_t>(l.shape(i));
        e->strides[i] = static_cast<Py_ssize_t>(l.stride(i));
    }
}

bool order_fits(const Array& a, int flags) {
    int64_t size = item_size(a.dtype());
    bool c = a.layout()->c_contiguous(size), f = a.layout()->f_contiguous(size);
    if ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS) return c;
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS) return f;
    if ((flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS) return c || f;
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES) return c;
    return true;
}

}  // namespace

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    view->obj = nullptr;
    return guarded(-1, [&] {
        ArrayObject* o = as_array(self);
        if ((flags & PyBUF_WRITABLE) && !o->writeable)
            raise(PyExc_BufferError, "buffer source array is read-only");
        if (!order_fits(o->array, flags))
            raise(PyExc_BufferError, "ndarray is not contiguous in the order asked for");
        auto e = std::make_unique<Export>();
        e->array = o->array;
        char* data = engine().host_address(o->array, Trigger::Export);
        bool readonly = !o->writeable;
        const Layout* l = o->array.layout();
        if (!data) {
            if (flags & PyBUF_WRITABLE) raise(PyExc_BufferError, "a sharded array exports a read-only copy");
            e->copy.reset(new char[static_cast<size_t>(
                std::max<int64_t>(o->array.size() * item_size(o->array.dtype()), 1))]);
            engine().read(o->array, e->copy.get(), Trigger::Export);
            data = e->copy.get();
            readonly = true;
            l = l->dense(o->array.dtype());
        } else {
            engine().pin(o->array.storage());
            e->pinned = true;
        }
        fill_geometry(e.get(), *l);
        view->obj = Py_NewRef(self);
        view->buf = data;
        view->itemsize = static_cast<Py_ssize_t>(item_size(o->array.dtype()));
        view->len = static_cast<Py_ssize_t>(o->array.size()) * view->itemsize;
        view->readonly = readonly;
        view->ndim = l->ndim();
        view->format = (flags & PyBUF_FORMAT) ? const_cast<char*>(format_code(o->array.dtype())) : nullptr;
        view->shape = (flags & PyBUF_ND) ? e->shape : nullptr;
        view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? e->strides : nullptr;
        view->suboffsets = nullptr;
        view->internal = e.release();
        return 0;
    });
}

void release_buffer(PyObject*, Py_buffer* view) {
    std::unique_ptr<Export> e(static_cast<Export*>(view->internal));
    if (e->pinned) engine().unpin(e->array.storage());
}

// --- NumPy arrays over our memory ---

namespace {

// The base of a NumPy array over our memory: pins the storage for as long as NumPy or anybody's view of that
// array lives.
struct PinObject {
    PyObject_HEAD Array array;
    char* low;
    int64_t bytes;
    bool writeable;
};

PinObject* as_pin(PyObject* o) { return reinterpret_cast<PinObject*>(o); }

int pin_buffer(PyObject* self, Py_buffer* view, int flags) {
    PinObject* p = as_pin(self);
    return PyBuffer_FillInfo(view, self, p->low, static_cast<Py_ssize_t>(p->bytes), !p->writeable, flags);
}

void pin_dealloc(PyObject* self) {
    PinObject* p = as_pin(self);
    PyTypeObject* type = Py_TYPE(self);
    engine().unpin(p->array.storage());
    p->array.~Array();
    PyObject_Free(self);
    Py_DECREF(type);
}

PyType_Slot pin_slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(pin_dealloc)},
    {Py_bf_getbuffer, reinterpret_cast<void*>(pin_buffer)},
    {0, nullptr},
};

Ref shape_tuple(std::span<const int64_t> v) {
    Ref t = Ref::take(PyTuple_New(static_cast<Py_ssize_t>(v.size())));
    for (size_t i = 0; i < v.size(); ++i)
        PyTuple_SET_ITEM(t.get(), static_cast<Py_ssize_t>(i), Ref::take(PyLong_FromLongLong(v[i])).release());
    return t;
}

}  // namespace

void init_pin_type(PyObject* module) {
    PyType_Spec spec = {"numloom._core.pin", sizeof(PinObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, pin_slots};
    pin_type = reinterpret_cast<PyTypeObject*>(Ref::take(PyType_FromSpec(&spec)).release());
    if (PyModule_AddObjectRef(module, "pin", reinterpret_cast<PyObject*>(pin_type)) != 0) throw PythonError{};
}

Ref host_view(const Array& a, bool writeable) {
    char* data = engine().host_address(a, Trigger::Export);
    if (!data && a.size() > 0) return Ref();
    Ref pin = Ref::take(PyType_GenericAlloc(pin_type, 0));
    const Layout& l = *a.layout();
    int64_t size = item_size(a.dtype());
    PinObject* p = as_pin(pin.get());
    new (&p->array) Array(a);
    engine().pin(a.storage());
    bool empty = a.size() == 0;
    p->low = empty ? data : data + l.low();
    p->bytes = empty ? 0 : l.high() - l.low() + size;
    p->writeable = writeable;
    Ref shape = shape_tuple(l.shape()), strides = shape_tuple(l.strides());
    if (empty) strides = shape_tuple(l.dense(a.dtype())->strides());
    return Ref::take(PyObject_CallFunction(reinterpret_cast<PyObject*>(np.ndarray), "OOOLO", shape.get(),
                                           dtype_object(a.dtype()), pin.get(),
                                           static_cast<long long>(empty ? 0 : -l.low()), strides.get()));
}

Ref to_host(const Array& a) {
    Ref shape = shape_tuple(a.shape());
    Ref made =
        Ref::take(PyObject_CallFunctionObjArgs(np.empty, shape.get(), dtype_object(a.dtype()), nullptr));
    Py_buffer view;
    if (PyObject_GetBuffer(made.get(), &view, PyBUF_WRITABLE | PyBUF_STRIDES) != 0) throw PythonError{};
    struct Release {
        Py_buffer* v;
        ~Release() { PyBuffer_Release(v); }
    } release{&view};
    engine().read(a, view.buf, Trigger::HostRead);
    return made;
}

}  // namespace numloom::python
