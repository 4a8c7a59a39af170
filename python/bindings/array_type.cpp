// The type numloom.ndarray: creation, attributes, and the metaclass that lets isinstance accept NumPy's
// arrays.
#include <cstdio>

#include "numbers.hpp"
#include "operand.hpp"

// After our headers: it defines short macros.
#include <structmember.h>

namespace numloom::python {

PyTypeObject* array_type;

// --- objects ---

namespace {

// Objects given back, ready for the next array: allocation is a third of the cost of recording an operator
// without it.
constexpr int kFree = 512;
void* free_list[kFree];
int free_count = 0;

ArrayObject* make_object(PyTypeObject* type, Array&& a, PyObject* base, bool writeable) {
    void* memory = free_count > 0 ? free_list[--free_count] : PyObject_Malloc(sizeof(ArrayObject));
    if (!memory) {
        PyErr_NoMemory();
        throw PythonError{};
    }
    ArrayObject* o = reinterpret_cast<ArrayObject*>(PyObject_Init(static_cast<PyObject*>(memory), type));
    new (&o->array) Array(std::move(a));
    Py_XINCREF(base);
    o->base = base;
    o->weakrefs = nullptr;
    o->value = nullptr;
    o->writeable = writeable;
    return o;
}

}  // namespace

PyObject* new_array(Array a, PyObject* base, bool writeable) {
    return reinterpret_cast<PyObject*>(make_object(array_type, std::move(a), base, writeable));
}

PyObject* new_scalar(Array a) {
    return reinterpret_cast<PyObject*>(make_object(scalar_type, std::move(a), nullptr, false));
}

PyObject* new_view(ArrayObject* of, Array view) {
    // NumPy lets `.base` of a view of a view name the first array: memory has one owner.
    PyObject* owner = of->base && is_array(of->base) ? of->base : reinterpret_cast<PyObject*>(of);
    return new_array(std::move(view), owner, of->writeable);
}

void dealloc_array(PyObject* self) {
    ArrayObject* o = as_array(self);
    if (o->weakrefs) PyObject_ClearWeakRefs(self);
    PyTypeObject* type = Py_TYPE(self);
    PyObject* base = o->base;
    PyObject* value = o->value;
    o->array.~Array();
    if (free_count < kFree)
        free_list[free_count++] = self;
    else
        PyObject_Free(self);
    Py_XDECREF(base);
    Py_XDECREF(value);
    Py_DECREF(type);
}

ArrayObject* require_array(PyObject* o, bool scalars) {
    if (is_array(o) || (scalars && is_scalar(o))) return as_array(o);
    PyErr_Format(PyExc_TypeError, "expected a numloom array, got %.200s", Py_TYPE(o)->tp_name);
    throw PythonError{};
}

// --- attributes ---

namespace {

PyObject* int_tuple(std::span<const int64_t> v) {
    Ref t = Ref::take(PyTuple_New(static_cast<Py_ssize_t>(v.size())));
    for (size_t i = 0; i < v.size(); ++i)
        PyTuple_SET_ITEM(t.get(), static_cast<Py_ssize_t>(i), Ref::take(PyLong_FromLongLong(v[i])).release());
    return t.release();
}

PyObject* get_shape(PyObject* self, void*) {
    return guarded([&] { return int_tuple(array_of(self).shape()); });
}

PyObject* get_strides(PyObject* self, void*) {
    return guarded([&] { return int_tuple(array_of(self).layout()->strides()); });
}

PyObject* get_dtype(PyObject* self, void*) { return Py_NewRef(dtype_object(array_of(self).dtype())); }
PyObject* get_ndim(PyObject* self, void*) { return PyLong_FromLong(array_of(self).ndim()); }
PyObject* get_size(PyObject* self, void*) { return PyLong_FromLongLong(array_of(self).size()); }
PyObject* get_itemsize(PyObject* self, void*) {
    return PyLong_FromLongLong(item_size(array_of(self).dtype()));
}

PyObject* get_nbytes(PyObject* self, void*) {
    return PyLong_FromLongLong(array_of(self).size() * item_size(array_of(self).dtype()));
}

PyObject* get_base(PyObject* self, void*) {
    PyObject* base = as_array(self)->base;
    return Py_NewRef(base ? base : Py_None);
}

int refuse_device(PyObject*, PyObject*, void*) {
    PyErr_SetString(PyExc_AttributeError, "attribute 'device' of 'ndarray' objects is not writable");
    return -1;
}

// NumPy's "cpu"; the device's name where the arrays of this process live on another kind.
PyObject* get_device(PyObject*, void*) {
    return guarded([&] {
        const Engine::MeshInfo mesh = engine().mesh();
        const bool cpu = mesh.devices.empty() || mesh.devices[0].rfind("cpu", 0) == 0;
        return Ref::take(PyUnicode_FromString(cpu ? "cpu" : mesh.devices[0].c_str())).release();
    });
}

PyObject* permuted(PyObject* self, std::span<const int64_t> axes) {
    const Array& a = array_of(self);
    return new_view(as_array(self), a.view(permute_layout(*a.layout(), axes), a.offset()));
}

PyObject* get_transpose(PyObject* self, void*) {
    return guarded([&] {
        Dims axes;
        for (int i = array_of(self).ndim() - 1; i >= 0; --i) axes.push(i);
        return permuted(self, axes);
    });
}

PyObject* get_matrix_transpose(PyObject* self, void*) {
    return guarded([&] {
        int n = array_of(self).ndim();
        if (n < 2) raise(PyExc_ValueError, "matrix transpose with ndim < 2 is undefined");
        Dims axes;
        for (int i = 0; i < n; ++i) axes.push(i);
        std::swap(axes[n - 1], axes[n - 2]);
        return permuted(self, axes);
    });
}

// The view of the real or imaginary halves of complex elements.
Array part(const Array& a, bool imaginary) {
    DType half = a.dtype() == DType::Complex64 ? DType::Float32 : DType::Float64;
    return a.view(a.layout(), a.offset() + (imaginary ? item_size(half) : 0), half);
}

PyObject* get_real(PyObject* self, void*) {
    return guarded([&] {
        const Array& a = array_of(self);
        if (!is_complex(a.dtype())) return Py_NewRef(self);
        return new_view(as_array(self), part(a, false));
    });
}

PyObject* get_imag(PyObject* self, void*) {
    return guarded([&] {
        const Array& a = array_of(self);
        if (is_complex(a.dtype())) return new_view(as_array(self), part(a, true));
        const Layout* l = a.layout();
        Array zeros = allocate(a.dtype(), a.shape(), &l, 1);
        engine().assign(zeros.operand(), Operand(Scalar{}, a.dtype()));
        return new_array(std::move(zeros), nullptr, false);  // read-only, as NumPy's
    });
}

int set_part(PyObject* self, PyObject* value, bool imaginary) {
    return guarded(-1, [&] {
        if (!value) raise(PyExc_AttributeError, "Cannot delete array part");
        const Array& a = array_of(self);
        if (!is_complex(a.dtype()) && imaginary)
            raise(PyExc_TypeError, "Cannot set imaginary part of non-complex array.");
        if (!as_array(self)->writeable) raise(PyExc_ValueError, "assignment destination is read-only");
        assign_value(is_complex(a.dtype()) ? part(a, imaginary) : a, value);
        return 0;
    });
}

int set_real(PyObject* self, PyObject* value, void*) { return set_part(self, value, false); }
int set_imag(PyObject* self, PyObject* value, void*) { return set_part(self, value, true); }

// A shape with unknown extents as NumPy's errors name it: without those that lead.
std::string asked_text(const Dims& shape) {
    std::string text;
    for (int64_t n : shape) {
        if (text.empty() && n < 0) continue;
        text += text.empty() ? "(" : ",";
        text += n < 0 ? "newaxis" : std::to_string(n);
    }
    return (text.empty() ? "(" : text) + (shape.n == 1 ? ",)" : ")");
}

// A shape from Python with at most one negative extent filled in; ValueError in NumPy's words.
void parse_new_shape(PyObject* shape, int64_t size, Dims* out) {
    Ref items = PyIndex_Check(shape) ? Ref::take(PyTuple_Pack(1, shape)) : Ref::take(PySequence_Tuple(shape));
    int unknown = -1;
    int64_t known = 1;
    if (PyTuple_GET_SIZE(items.get()) > kMaxDims)
        raise(PyExc_ValueError, "maximum supported dimension for an ndarray is currently 64, found " +
                                    std::to_string(PyTuple_GET_SIZE(items.get())));
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
        Py_ssize_t v = PyNumber_AsSsize_t(PyTuple_GET_ITEM(items.get(), i), PyExc_OverflowError);
        if (v == -1 && PyErr_Occurred()) throw PythonError{};
        if (v < 0) {
            if (unknown >= 0) raise(PyExc_ValueError, "can only specify one unknown dimension");
            unknown = static_cast<int>(i);
        } else if (__builtin_mul_overflow(known, static_cast<int64_t>(v), &known)) {
            known = -1;
        }
        out->push(v);
    }
    bool fits = unknown >= 0 ? known > 0 && size % known == 0 : known == size;
    if (unknown >= 0 && fits) (*out)[unknown] = size / known;
    if (!fits)
        raise(PyExc_ValueError,
              "cannot reshape array of size " + std::to_string(size) + " into shape " + asked_text(*out));
}

// Whether the NumPy in use is of version 2.`minor` or newer.
bool numpy_from(int minor) {
    Ref version = Ref::take(PyObject_GetAttrString(np.module, "__version__"));
    const char* text = PyUnicode_AsUTF8(version.get());
    if (!text) throw PythonError{};
    int major_found = 0, minor_found = 0;
    return std::sscanf(text, "%d.%d", &major_found, &minor_found) == 2 &&
           (major_found > 2 || (major_found == 2 && minor_found >= minor));
}

int set_shape(PyObject* self, PyObject* value, void*) {
    return guarded(-1, [&] {
        if (!value) raise(PyExc_AttributeError, "Cannot delete array shape");
        static const bool deprecated = numpy_from(5);
        if (deprecated &&
            PyErr_WarnEx(
                PyExc_DeprecationWarning,
                "Setting the shape on a NumPy array has been deprecated in NumPy 2.5.\n"
                "As an alternative, you can create a new view using np.reshape (with copy=False if needed).",
                1) != 0)
            throw PythonError{};
        ArrayObject* o = as_array(self);
        Dims shape;
        parse_new_shape(value, o->array.size(), &shape);
        const Layout* l = reshape_layout(*o->array.layout(), shape, item_size(o->array.dtype()));
        if (!l)
            raise(PyExc_AttributeError,
                  "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the "
                  "desired shape.");
        o->array = o->array.view(l, o->array.offset());
        return 0;
    });
}

// Attributes that Python code answers; each may be replaced by a property set on the type.
template <Hook H>
PyObject* get_hook(PyObject* self, void*) {
    return guarded([&] { return call_hook(H, self); });
}

template <Hook H>
int set_hook_value(PyObject* self, PyObject* value, void*) {
    return guarded(-1, [&] {
        if (!value) raise(PyExc_AttributeError, "Cannot delete this attribute");
        Ref done(call_hook(H, self, value));
        return 0;
    });
}

PyGetSetDef array_getset[] = {
    {"shape", get_shape, set_shape, "Lengths of the axes; can be set where no copy is needed.", nullptr},
    {"strides", get_strides, set_hook_value<Hook::SetStrides>,
     "Bytes from one element to the next along each axis.", nullptr},
    {"dtype", get_dtype, set_hook_value<Hook::SetDtype>, "The elements' numpy.dtype.", nullptr},
    {"ndim", get_ndim, nullptr, "Number of axes.", nullptr},
    {"size", get_size, nullptr, "Number of elements.", nullptr},
    {"itemsize", get_itemsize, nullptr, "Bytes of one element.", nullptr},
    {"nbytes", get_nbytes, nullptr, "Bytes of all elements.", nullptr},
    {"base", get_base, nullptr, "The array that owns the memory of this view, or None.", nullptr},
    {"T", get_transpose, nullptr, "The view with its axes reversed.", nullptr},
    {"mT", get_matrix_transpose, nullptr, "The view with its last two axes swapped.", nullptr},
    {"real", get_real, set_real, "The real parts (a view for complex arrays, else the array).", nullptr},
    {"imag", get_imag, set_imag, "The imaginary parts (a view for complex arrays, else read-only zeros).",
     nullptr},
    {"flags", get_hook<Hook::Flags>, nullptr, "Memory layout, as NumPy's flags object.", nullptr},
    {"flat", get_hook<Hook::Flat>, set_hook_value<Hook::SetFlat>, "A 1-D iterator over the elements.",
     nullptr},
    {"data", get_hook<Hook::Data>, nullptr, "A buffer over the elements.", nullptr},
    {"ctypes", get_hook<Hook::Ctypes>, nullptr, "For use with the ctypes module.", nullptr},
    {"__array_interface__", get_hook<Hook::ArrayInterface>, nullptr, "NumPy's array interface, version 3.",
     nullptr},
    {"device", get_device, refuse_device, "Where the elements live.", nullptr},
    {},
};

PyMemberDef array_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weakrefs), READONLY, nullptr},
    {},
};

// --- methods ---

// numpy.asarray(x) and the like: our memory where it is in one piece and the caller takes it, else a copy.
PyObject* array_protocol(PyObject* self, PyObject* args, PyObject* kwargs) {
    return guarded([&] {
        static const char* names[] = {"dtype", "copy", nullptr};
        PyObject *dtype = Py_None, *copy = Py_None;
        if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO", const_cast<char**>(names), &dtype, &copy))
            throw PythonError{};
        const Array& a = array_of(self);
        int must_copy = copy == Py_None ? 0 : PyObject_IsTrue(copy);
        if (must_copy < 0) throw PythonError{};
        Ref array = must_copy || is_scalar(self) ? Ref() : host_view(a, as_array(self)->writeable);
        if (!array) {
            if (copy == Py_False)
                raise(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.");
            array = to_host(a);
        }
        if (dtype == Py_None || dtype == dtype_object(a.dtype())) return array.release();
        Ref method = Ref::take(PyObject_GetAttrString(array.get(), "astype"));
        Ref call_args = Ref::take(PyTuple_Pack(1, dtype));
        Ref call_kwargs = Ref::take(Py_BuildValue("{s:O}", "copy", Py_False));
        Ref converted = Ref::take(PyObject_Call(method.get(), call_args.get(), call_kwargs.get()));
        if (copy == Py_False && converted.get() != array.get())
            raise(PyExc_ValueError, "Unable to avoid copy while creating an array as requested.");
        return converted.release();
    });
}

PyObject* dlpack(PyObject* self, PyObject* args, PyObject* kwargs) {
    return guarded([&] {
        Ref array = host_view(array_of(self), as_array(self)->writeable);
        PyObject* copy = kwargs ? PyDict_GetItemString(kwargs, "copy") : nullptr;
        if (!array && copy == Py_False)
            raise(PyExc_BufferError, "this array is not in one piece in host memory");
        if (!array) array = to_host(array_of(self));
        Ref method = Ref::take(PyObject_GetAttrString(array.get(), "__dlpack__"));
        return Ref::take(PyObject_Call(method.get(), args, kwargs)).release();
    });
}

PyObject* dlpack_device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", 1, 0); }

PyMethodDef array_methods[] = {
    {"__array__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(array_protocol)),
     METH_VARARGS | METH_KEYWORDS, "The elements as a NumPy array."},
    {"__complex__", [](PyObject* self, PyObject*) { return to_complex(self); }, METH_NOARGS,
     "The only element as a complex."},
    {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(dlpack)),
     METH_VARARGS | METH_KEYWORDS, "A DLPack capsule over the elements."},
    {"__dlpack_device__", dlpack_device, METH_NOARGS, "DLPack's device: (kDLCPU, 0)."},
    {},
};

Py_ssize_t array_length(PyObject* self) {
    const Array& a = array_of(self);
    if (a.ndim() == 0) {
        PyErr_SetString(PyExc_TypeError, "len() of unsized object");
        return -1;
    }
    return static_cast<Py_ssize_t>(a.layout()->shape(0));
}

PyObject* array_item(PyObject* self, Py_ssize_t i) {
    return guarded([&] {
        const Array& a = array_of(self);
        if (a.ndim() == 1 && i >= 0 && i < a.size())
            return element(a, a.offset() + i * a.layout()->stride(0));
        Ref index = Ref::take(PyLong_FromSsize_t(i));
        return getitem(self, index.get());
    });
}

PyObject* array_iter(PyObject* self) {
    if (array_of(self).ndim() == 0) {
        PyErr_SetString(PyExc_TypeError, "iteration over a 0-d array");
        return nullptr;
    }
    return iterate(self);
}

int array_contains(PyObject* self, PyObject* value) {
    return guarded(-1, [&] {
        Ref equal = Ref::take(rich_compare(self, value, Py_EQ));
        Ref any = Ref::take(PyObject_CallMethod(equal.get(), "any", nullptr));
        return PyObject_IsTrue(any.get());
    });
}

// operator.concat, and + where both operands leave it to the other.
PyObject* array_concat(PyObject*, PyObject*) {
    PyErr_SetString(
        PyExc_TypeError,
        "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please "
        "do not rely on this error; it may not be given on all Python implementations.");
    return nullptr;
}

PyObject* array_subscript(PyObject* self, PyObject* k) {
    return guarded([&] { return getitem(self, k); });
}

int array_assign(PyObject* self, PyObject* k, PyObject* value) {
    return guarded(-1, [&] { return setitem(self, k, value); });
}

Py_hash_t array_hash(PyObject*) {
    PyErr_SetString(PyExc_TypeError, "unhashable type: 'numpy.ndarray'");
    return -1;
}

PyObject* array_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
    return guarded([&] {
        Ref keywords = kwargs ? Ref::share(kwargs) : Ref::take(PyDict_New());
        PyObject* f = hook(Hook::New);
        if (!f) raise(PyExc_RuntimeError, "numloom._core is used without the package around it");
        Ref all = Ref::take(PyTuple_New(PyTuple_GET_SIZE(args) + 1));
        PyTuple_SET_ITEM(all.get(), 0, Py_NewRef(reinterpret_cast<PyObject*>(type)));
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i)
            PyTuple_SET_ITEM(all.get(), i + 1, Py_NewRef(PyTuple_GET_ITEM(args, i)));
        return Ref::take(PyObject_Call(f, all.get(), keywords.get())).release();
    });
}

// --- the metaclass ---

PyObject* instance_check(PyObject* cls, PyObject* o) {
    if (reinterpret_cast<PyObject*>(array_type) != cls)
        return PyBool_FromLong(PyObject_TypeCheck(o, reinterpret_cast<PyTypeObject*>(cls)));
    return PyBool_FromLong(is_array(o) || PyObject_TypeCheck(o, np.ndarray));
}

PyObject* subclass_check(PyObject* cls, PyObject* o) {
    if (!PyType_Check(o)) {
        PyErr_SetString(PyExc_TypeError, "issubclass() arg 1 must be a class");
        return nullptr;
    }
    PyTypeObject* type = reinterpret_cast<PyTypeObject*>(o);
    return PyBool_FromLong(PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(cls)) ||
                           PyType_IsSubtype(type, np.ndarray));
}

// `class C(numloom.ndarray)` makes a subclass of NumPy's array: such arrays work on the host, with all of
// NumPy's hooks.
PyObject* meta_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    return guarded([&] {
        if (PyTuple_GET_SIZE(args) != 3 || !PyTuple_Check(PyTuple_GET_ITEM(args, 1)))
            raise(PyExc_TypeError, "expected a name, a tuple of bases and a namespace");
        PyObject* bases = PyTuple_GET_ITEM(args, 1);
        Ref replaced = Ref::take(PyTuple_New(PyTuple_GET_SIZE(bases)));
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(bases); ++i) {
            PyObject* b = PyTuple_GET_ITEM(bases, i);
            if (b == reinterpret_cast<PyObject*>(array_type)) b = reinterpret_cast<PyObject*>(np.ndarray);
            PyTuple_SET_ITEM(replaced.get(), i, Py_NewRef(b));
        }
        Ref all =
            Ref::take(PyTuple_Pack(3, PyTuple_GET_ITEM(args, 0), replaced.get(), PyTuple_GET_ITEM(args, 2)));
        return Ref::take(PyObject_Call(reinterpret_cast<PyObject*>(&PyType_Type), all.get(), kwargs))
            .release();
    });
}

PyMethodDef meta_methods[] = {
    {"__instancecheck__", instance_check, METH_O, "NumPy's arrays count as instances."},
    {"__subclasscheck__", subclass_check, METH_O, "NumPy's array types count as subclasses."},
    {},
};

PyType_Slot meta_slots[] = {
    {Py_tp_base, &PyType_Type},
    {Py_tp_methods, meta_methods},
    {Py_tp_new, reinterpret_cast<void*>(meta_new)},
    {0, nullptr},
};

}  // namespace

void init_array_type(PyObject* module) {
    init_iterator_type();
    PyType_Spec meta_spec = {"numloom._core.arraytype", 0, 0, Py_TPFLAGS_DEFAULT, meta_slots};
    meta_slots[0].pfunc = &PyType_Type;
    Ref meta = Ref::take(PyType_FromSpec(&meta_spec));

    std::vector<PyType_Slot> slots = array_number_slots();
    slots.insert(slots.end(), {
                                  {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_array)},
                                  {Py_tp_getset, array_getset},
                                  {Py_tp_members, array_members},
                                  {Py_tp_methods, array_methods},
                                  {Py_tp_new, reinterpret_cast<void*>(array_new)},
                                  {Py_tp_hash, reinterpret_cast<void*>(array_hash)},
                                  {Py_tp_iter, reinterpret_cast<void*>(array_iter)},
                                  {Py_mp_length, reinterpret_cast<void*>(array_length)},
                                  {Py_mp_subscript, reinterpret_cast<void*>(array_subscript)},
                                  {Py_mp_ass_subscript, reinterpret_cast<void*>(array_assign)},
                                  {Py_sq_length, reinterpret_cast<void*>(array_length)},
                                  {Py_sq_concat, reinterpret_cast<void*>(array_concat)},
                                  {Py_sq_item, reinterpret_cast<void*>(array_item)},
                                  {Py_sq_contains, reinterpret_cast<void*>(array_contains)},
                                  {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
                                  {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
                                  {0, nullptr},
                              });
    PyType_Spec spec = {"numloom.ndarray", sizeof(ArrayObject), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_SEQUENCE, slots.data()};
    array_type = reinterpret_cast<PyTypeObject*>(Ref::take(PyType_FromSpec(&spec)).release());
    // 3.11 has no PyType_FromMetaclass. The metaclass adds no fields to `type`, so that the type may change
    // to it.
    Py_SET_TYPE(reinterpret_cast<PyObject*>(array_type), reinterpret_cast<PyTypeObject*>(meta.release()));
    Ref priority = Ref::take(PyFloat_FromDouble(0.0));
    if (PyObject_SetAttrString(reinterpret_cast<PyObject*>(array_type), "__array_priority__",
                               priority.get()) != 0 ||
        PyModule_AddObjectRef(module, "ndarray", reinterpret_cast<PyObject*>(array_type)) != 0)
        throw PythonError{};
}

}  // namespace numloom::python
