// Module functions that make, view and compute arrays. The package checks arguments where users can reach
// them.
#include "operand.hpp"

namespace numloom::python {

PyObject* reduced(OpCode op, DType loop, DType d, const Array& from, uint64_t mask, bool keepdims) {
    Array out = allocate_reduced(from, mask, d);
    engine().reduce(op, loop, out.operand(), from.operand(), mask);
    if (keepdims && out.ndim() > 0) return new_array(std::move(out));
    return new_result(drop_axes(out, mask));
}

namespace {

// --- arguments ---

void to_dims(PyObject* o, Dims* out) {
    Ref items = PyIndex_Check(o) && !PyTuple_Check(o) ? Ref::take(PyTuple_Pack(1, o))
                                                      : Ref::take(PySequence_Tuple(o));
    Py_ssize_t n = PyTuple_GET_SIZE(items.get());
    if (n > kMaxDims)
        raise(PyExc_ValueError,
              "maximum supported dimension for an ndarray is currently 64, found " + std::to_string(n));
    for (Py_ssize_t i = 0; i < n; ++i) {
        Ref index = Ref::take(PyNumber_Index(PyTuple_GET_ITEM(items.get(), i)));
        int64_t v = PyLong_AsLongLong(index.get());
        if (v == -1 && PyErr_Occurred()) throw PythonError{};
        out->push(v);
    }
}

// A shape: no negative lengths, and a size that fits.
void to_shape(PyObject* o, DType d, Dims* out) {
    to_dims(o, out);
    int64_t bytes = item_size(d);
    bool overflow = false;
    for (int64_t v : *out) {
        if (v < 0) raise(PyExc_ValueError, "negative dimensions are not allowed");
        if (v > 0)
            overflow = overflow ||
                       __builtin_mul_overflow(bytes, v, &bytes);  // as NumPy, also where another length is 0
    }
    if (overflow)
        raise(PyExc_ValueError,
              "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.");
}

OpCode to_operation(const char* text) {
    for (int i = 0; i < kOps; ++i)
        if (kOperations[i].name == text) return static_cast<OpCode>(i);
    raise(PyExc_ValueError, "no operation '" + std::string(text) + "' in the table");
}

uint64_t to_axes(PyObject* o, int ndim) {
    if (PyLong_CheckExact(o)) return PyLong_AsUnsignedLongLong(o);
    Dims axes;
    to_dims(o, &axes);
    uint64_t mask = 0;
    for (int64_t axis : axes) {
        if (axis < 0 || axis >= ndim) raise(PyExc_ValueError, "axis out of range");
        mask |= uint64_t{1} << axis;
    }
    return mask;
}

template <class... A>
void parse(PyObject* args, PyObject* kwargs, const char* format, const char* const* names, A... out) {
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, const_cast<char**>(names), out...))
        throw PythonError{};
}

// --- making arrays ---

PyObject* empty(PyObject*, PyObject* args, PyObject* kwargs) {
    return guarded([&] {
        static const char* const names[] = {"shape", "dtype", "order", nullptr};
        PyObject *shape, *dtype;
        const char* order = "C";
        parse(args, kwargs, "OO|s", names, &shape, &dtype, &order);
        DType d = require_dtype(dtype);
        Dims dims;
        to_shape(shape, d, &dims);
        return new_array(order[0] == 'F' ? engine().empty_f_order(d, dims) : engine().empty(d, dims));
    });
}

PyObject* output_like(PyObject*, PyObject* args) {
    return guarded([&] {
        PyObject *dtype, *shape, *arrays;
        if (!PyArg_ParseTuple(args, "OOO!", &dtype, &shape, &PyList_Type, &arrays)) throw PythonError{};
        DType d = require_dtype(dtype);
        Dims dims;
        to_shape(shape, d, &dims);
        std::vector<const Layout*> layouts;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(arrays); ++i)
            layouts.push_back(require_array(PyList_GET_ITEM(arrays, i))->array.layout());
        return new_array(allocate(d, dims, layouts.data(), static_cast<int>(layouts.size())));
    });
}

PyObject* full(PyObject*, PyObject* args, PyObject* kwargs) {
    return guarded([&] {
        static const char* const names[] = {"shape", "dtype", "value", nullptr};
        PyObject *shape, *dtype, *value;
        parse(args, kwargs, "OOO", names, &shape, &dtype, &value);
        DType d = require_dtype(dtype);
        Dims dims;
        to_shape(shape, d, &dims);
        Scalar bits;
        if (number_bytes(value, d, &bits, true)) return new_array(engine().full(d, dims, bits));
        Array made = engine().empty(d, dims);
        copy_value(made, value);
        return new_array(std::move(made));
    });
}

PyObject* ramp(PyObject*, PyObject* args) {
    return guarded([&] {
        long long n, start, step;
        if (!PyArg_ParseTuple(args, "LLL", &n, &start, &step)) throw PythonError{};
        if (n < 0) raise(PyExc_ValueError, "negative dimensions are not allowed");
        return new_array(engine().ramp(n, start, step));
    });
}

DType host_dtype(PyObject* array) {
    if (!PyObject_TypeCheck(array, np.ndarray)) raise(PyExc_TypeError, "expected a numpy.ndarray");
    Ref descr = Ref::take(PyObject_GetAttrString(array, "dtype"));
    return require_dtype(descr.get());
}

// Whether every element is aligned for its dtype (complex numbers as their halves).
bool aligned(const char* first, const Dims& strides, DType d) {
    const int64_t unit = is_complex(d) ? item_size(d) / 2 : item_size(d);
    int64_t all = static_cast<int64_t>(reinterpret_cast<uintptr_t>(first));
    for (int64_t s : strides) all |= s;
    return all % unit == 0;
}

PyObject* adopt_array(PyObject* array, bool shared) {
    const DType d = host_dtype(array);
    Py_buffer view;
    if (PyObject_GetBuffer(array, &view, PyBUF_STRIDED_RO) != 0) throw PythonError{};
    Dims shape, strides;
    for (int i = 0; i < view.ndim; ++i) {
        shape.push(view.shape[i]);
        strides.push(view.strides[i]);
    }
    char* first = static_cast<char*>(view.buf);
    const bool writeable = !view.readonly;
    PyBuffer_Release(&view);  // the array itself is kept
    // Memory of NumPy's that the engine can't use in place is copied, unless the caller wants to see writes
    // to it.
    if (!alone() || !aligned(first, strides, d)) {
        if (shared)
            raise(PyExc_ValueError, "memory can be shared only where it is aligned, with one CPU device");
        Array copied = import_host(array, d);
        const Layout* order = Layout::intern(shape, strides);
        Array made = allocate(d, shape, &order, 1);  // its axes lie as the array's do
        if (made.layout() == copied.layout()) return new_array(std::move(copied));
        engine().assign(made.operand(), copied.operand());
        return new_array(std::move(made));
    }
    const Layout* l = Layout::intern(shape, strides);
    if (l->size() == 0) return new_array(engine().empty(d, shape));
    Py_INCREF(array);
    Array a = engine().adopt(d, l, -l->low(), first + l->low(), l->high() - l->low() + item_size(d), array,
                             [](void* owner) { Py_DECREF(static_cast<PyObject*>(owner)); });
    if (shared) engine().pin(a.storage());
    return new_array(std::move(a), shared ? array : nullptr, writeable);
}

PyObject* from_host(PyObject*, PyObject* args, PyObject* kwargs) {
    return guarded([&] {
        static const char* const names[] = {"array", "copy", nullptr};
        PyObject* array;
        int copy = 1;
        parse(args, kwargs, "O|p", names, &array, &copy);
        if (!copy) return adopt_array(array, false);
        return new_array(import_host(array, host_dtype(array)));
    });
}

PyObject* adopt(PyObject*, PyObject* args, PyObject* kwargs) {
    return guarded([&] {
        static const char* const names[] = {"array", "shared", nullptr};
        PyObject* array;
        int shared = 0;
        parse(args, kwargs, "O|p", names, &array, &shared);
        return adopt_array(array, shared != 0);
    });
}

PyObject* to_host_function(PyObject*, PyObject* a) {
    return guarded([&] { return to_host(require_array(a, true)->array).release(); });
}

PyObject* host_view_function(PyObject*, PyObject* args, PyObject* kwargs) {
    return guarded([&]() -> PyObject* {
        static const char* const names[] = {"a", "writeable", nullptr};
        PyObject *a, *writeable = Py_None;
        parse(args, kwargs, "O|O", names, &a, &writeable);
        ArrayObject* o = require_array(a);
        Ref view = host_view(o->array, writeable == Py_None ? o->writeable : PyObject_IsTrue(writeable) == 1);
        if (!view) Py_RETURN_NONE;
        return view.release();
    });
}

// --- views ---

void check_inside(const Array& v) {
    if (v.size() == 0) return;
    int64_t low = v.offset() + v.layout()->low(),
            high = v.offset() + v.layout()->high() + item_size(v.dtype());
    if (low < 0 || high > v.storage()->nbytes)
        raise(PyExc_ValueError, "the view reaches outside its array's memory");
}

PyObject* view(PyObject*, PyObject* args, PyObject* kwargs) {
    return guarded([&] {
        static const char* const names[] = {"a", "shape", "strides", "offset", "dtype", "writeable", nullptr};
        PyObject *a, *shape, *strides, *dtype = Py_None, *writeable = Py_None;
        long long offset = 0;
        parse(args, kwargs, "OOO|LOO", names, &a, &shape, &strides, &offset, &dtype, &writeable);
        ArrayObject* o = require_array(a);
        DType d = dtype == Py_None ? o->array.dtype() : require_dtype(dtype);
        Dims extents, steps;
        to_shape(shape, d, &extents);
        to_dims(strides, &steps);
        if (extents.n != steps.n) raise(PyExc_ValueError, "'shape' and 'strides' must have one length");
        Array v = o->array.view(Layout::intern(extents, steps), o->array.offset() + offset, d);
        check_inside(v);
        PyObject* r = new_view(o, std::move(v));
        if (writeable != Py_None) as_array(r)->writeable = PyObject_IsTrue(writeable) == 1;
        return r;
    });
}

PyObject* reshape_view(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject *a, *shape;
        if (!PyArg_ParseTuple(args, "OO", &a, &shape)) throw PythonError{};
        ArrayObject* o = require_array(a);
        Dims dims;
        to_shape(shape, o->array.dtype(), &dims);
        int64_t size = 1;
        for (int64_t v : dims) size *= v;
        if (size != o->array.size())
            raise(PyExc_ValueError, "cannot reshape array of size " + std::to_string(o->array.size()) +
                                        " into shape " + tuple_text(dims));
        const Layout* l = reshape_layout(*o->array.layout(), dims, item_size(o->array.dtype()));
        if (!l) Py_RETURN_NONE;
        return new_view(o, o->array.view(l, o->array.offset()));
    });
}

PyObject* broadcast_view(PyObject*, PyObject* args) {
    return guarded([&] {
        PyObject *a, *shape;
        if (!PyArg_ParseTuple(args, "OO", &a, &shape)) throw PythonError{};
        ArrayObject* o = require_array(a);
        Dims dims;
        to_shape(shape, DType::Bool, &dims);
        const Layout* l = broadcast_layout(*o->array.layout(), dims);
        if (!l)
            raise(PyExc_ValueError,
                  "operands could not be broadcast together with remapped shapes [original->remapped]: " +
                      tuple_text(o->array.shape()) + "  and requested shape " + tuple_text(dims));
        PyObject* r = new_view(o, o->array.view(l, o->array.offset()));
        as_array(r)->writeable = false;
        return r;
    });
}

PyObject* permute_view(PyObject*, PyObject* args) {
    return guarded([&] {
        PyObject *a, *axes;
        if (!PyArg_ParseTuple(args, "OO", &a, &axes)) throw PythonError{};
        ArrayObject* o = require_array(a);
        Dims order;
        to_dims(axes, &order);
        if (order.n != o->array.ndim()) raise(PyExc_ValueError, "axes don't match array");
        uint64_t seen = 0;
        for (int64_t axis : order) {
            if (axis < 0 || axis >= order.n || (seen >> axis & 1))
                raise(PyExc_ValueError, "repeated axis in transpose");
            seen |= uint64_t{1} << axis;
        }
        return new_view(o, o->array.view(permute_layout(*o->array.layout(), order), o->array.offset()));
    });
}

// --- computing ---

struct Operands {
    Arg args[3];
    Operand in[3];
    int n = 0;
};

// Positional arguments from `first` on as operands of a loop; numbers get their bytes in the loop's dtype (a
// mask's in bool).
void to_operands(PyObject* args, Py_ssize_t first, OpCode op, DType loop, Operands* out) {
    out->n = static_cast<int>(PyTuple_GET_SIZE(args) - first);
    if (out->n != operation(op).inputs)
        raise(PyExc_TypeError, "'" + std::string(operation(op).name) + "' takes another number of operands");
    for (int i = 0; i < out->n; ++i) {
        PyObject* o = PyTuple_GET_ITEM(args, first + i);
        if (!to_arg(o, &out->args[i])) {
            PyErr_Format(PyExc_TypeError, "%.200s is no operand of the engine", Py_TYPE(o)->tp_name);
            throw PythonError{};
        }
        DType want = op == OpCode::Where && i == 0 ? DType::Bool : loop;
        if (out->args[i].weak()) out->args[i].operand = Operand(element_bytes(o, want), want);
        out->in[i] = out->args[i].operand;
    }
}

DType to_loop(OpCode op, PyObject* o) {
    DType d = require_dtype(o);
    if (!operation(op).has_loop(d))
        raise(PyExc_TypeError,
              "no loop of '" + std::string(operation(op).name) + "' for " + std::string(name(d)));
    return d;
}

PyObject* elementwise(PyObject*, PyObject* args) {
    return guarded([&] {
        if (PyTuple_GET_SIZE(args) < 3) raise(PyExc_TypeError, "elementwise(name, loop, out, *operands)");
        const char* text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(args, 0));
        if (!text) throw PythonError{};
        OpCode op = to_operation(text);
        DType loop = to_loop(op, PyTuple_GET_ITEM(args, 1));
        PyObject* out = PyTuple_GET_ITEM(args, 2);
        Operands operands;
        to_operands(args, 3, op, loop, &operands);
        const Array& target = require_array(out)->array;
        for (int i = 0; i < operands.n; ++i) {
            Dims broadcast;
            if (!broadcast_shapes(operands.args[i].layout()->shape(), target.shape(), &broadcast) ||
                broadcast != Dims(target.shape()))
                raise(PyExc_ValueError, "operand of shape " + tuple_text(operands.args[i].layout()->shape()) +
                                            " does not broadcast to the output's shape " +
                                            tuple_text(target.shape()));
        }
        engine().compute(op, loop, target.operand(), {operands.in, static_cast<size_t>(operands.n)});
        return Py_NewRef(out);
    });
}

PyObject* elementwise_new(PyObject*, PyObject* args) {
    return guarded([&] {
        if (PyTuple_GET_SIZE(args) < 2) raise(PyExc_TypeError, "elementwise_new(name, loop, *operands)");
        const char* text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(args, 0));
        if (!text) throw PythonError{};
        OpCode op = to_operation(text);
        DType loop = to_loop(op, PyTuple_GET_ITEM(args, 1));
        Operands operands;
        to_operands(args, 2, op, loop, &operands);
        Dims shape;
        const Layout* layouts[3];
        for (int i = 0; i < operands.n; ++i) {
            Dims next;
            layouts[i] = operands.args[i].layout();
            if (!broadcast_shapes(shape, layouts[i]->shape(), &next)) {
                std::string all = "operands could not be broadcast together with shapes ";
                for (int j = 0; j < operands.n; ++j)
                    all += tuple_text(operands.args[j].layout()->shape()) + " ";
                raise(PyExc_ValueError, all);
            }
            shape = next;
        }
        Array out = allocate(result_dtype(op, loop), shape, layouts, operands.n);
        engine().compute(op, loop, out.operand(), {operands.in, static_cast<size_t>(operands.n)});
        return new_array(std::move(out));
    });
}

PyObject* reduce(PyObject*, PyObject* args) {
    return guarded([&] {
        const char* text;
        PyObject *type, *out, *a, *axes;
        if (!PyArg_ParseTuple(args, "sOOOO", &text, &type, &out, &a, &axes)) throw PythonError{};
        const Array& from = require_array(a)->array;
        const Array& to = require_array(out)->array;
        uint64_t mask = to_axes(axes, from.ndim());
        bool fits = from.ndim() == to.ndim();
        for (int i = 0; fits && i < from.ndim(); ++i)
            fits = to.layout()->shape(i) == ((mask >> i & 1) ? 1 : from.layout()->shape(i));
        if (!fits)
            raise(PyExc_ValueError, "the output's shape " + tuple_text(to.shape()) +
                                        " does not fit a reduction of " + tuple_text(from.shape()));
        engine().reduce(to_operation(text), require_dtype(type), to.operand(), from.operand(), mask);
        return Py_NewRef(out);
    });
}

// Allocates the output; without `keepdims` the reduced axes are gone, and a result without axes is a lazy
// scalar.
PyObject* reduce_new(PyObject*, PyObject* args) {
    return guarded([&] {
        const char* text;
        PyObject *type, *a, *axes, *dtype = Py_None;
        int keepdims = 0;
        if (!PyArg_ParseTuple(args, "sOOO|pO", &text, &type, &a, &axes, &keepdims, &dtype))
            throw PythonError{};
        const Array& from = require_array(a)->array;
        uint64_t mask = to_axes(axes, from.ndim());
        OpCode op = to_operation(text);
        DType loop = require_dtype(type);
        DType d = dtype == Py_None ? result_dtype(op, loop) : require_dtype(dtype);
        return reduced(op, loop, d, from, mask, keepdims != 0);
    });
}

PyObject* reduced_like(PyObject*, PyObject* args) {
    return guarded([&] {
        PyObject *a, *axes, *dtype;
        if (!PyArg_ParseTuple(args, "OOO", &a, &axes, &dtype)) throw PythonError{};
        const Array& from = require_array(a)->array;
        return new_array(allocate_reduced(from, to_axes(axes, from.ndim()), require_dtype(dtype)));
    });
}

PyObject* assign(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject *out, *value;
        if (!PyArg_ParseTuple(args, "OO", &out, &value)) throw PythonError{};
        copy_value(require_array(out)->array, value);
        Py_RETURN_NONE;
    });
}

// A lazy scalar over a 0-d array that nobody else writes (a fresh result).
PyObject* to_scalar(PyObject*, PyObject* a) {
    return guarded([&] {
        ArrayObject* o = require_array(a, true);
        if (o->array.ndim() != 0) raise(PyExc_ValueError, "only an array without axes becomes a scalar");
        return new_scalar(o->array);
    });
}

// --- asking ---

PyObject* is_scalar_function(PyObject*, PyObject* x) { return PyBool_FromLong(is_scalar(x)); }

PyObject* pending(PyObject*, PyObject* a) {
    return guarded(
        [&] { return PyBool_FromLong(engine().pending(*require_array(a, true)->array.storage())); });
}

PyObject* shares_storage(PyObject*, PyObject* args) {
    return guarded([&] {
        PyObject *a, *b;
        if (!PyArg_ParseTuple(args, "OO", &a, &b)) throw PythonError{};
        return PyBool_FromLong(require_array(a, true)->array.storage() ==
                               require_array(b, true)->array.storage());
    });
}

PyObject* viewed(PyObject*, PyObject* a) {
    return guarded([&] {
        const Storage* s = require_array(a, true)->array.storage();
        return PyBool_FromLong(s->handles > 1 || s->pins > 0);
    });
}

PyObject* relation(PyObject*, PyObject* args) {
    return guarded([&] {
        PyObject *a, *b;
        if (!PyArg_ParseTuple(args, "OO", &a, &b)) throw PythonError{};
        const Array& x = require_array(a, true)->array;
        const Array& y = require_array(b, true)->array;
        if (x.storage() != y.storage()) return PyUnicode_FromString("disjoint");
        static const char* const words[] = {"disjoint", "equal", "shift", "other"};
        Relation r = relate(*x.layout(), x.offset(), item_size(x.dtype()), *y.layout(), y.offset(),
                            item_size(y.dtype()));
        return PyUnicode_FromString(words[static_cast<int>(r)]);
    });
}

PyObject* storage_id(PyObject*, PyObject* a) {
    return guarded([&] { return PyLong_FromUnsignedLongLong(require_array(a, true)->array.storage()->id); });
}

PyObject* offset(PyObject*, PyObject* a) {
    return guarded([&] { return PyLong_FromLongLong(require_array(a, true)->array.offset()); });
}

PyObject* storage_nbytes(PyObject*, PyObject* a) {
    return guarded([&] { return PyLong_FromLongLong(require_array(a, true)->array.storage()->nbytes); });
}

PyObject* writeable(PyObject*, PyObject* args) {
    return guarded([&] {
        PyObject *a, *value = Py_None;
        if (!PyArg_ParseTuple(args, "O|O", &a, &value)) throw PythonError{};
        ArrayObject* o = require_array(a);
        if (value != Py_None) o->writeable = PyObject_IsTrue(value) == 1;
        return PyBool_FromLong(o->writeable);
    });
}

// Makes `a` another view (what setting .dtype and .strides does); for the package's hooks.
PyObject* become(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject *a, *b;
        if (!PyArg_ParseTuple(args, "OO", &a, &b)) throw PythonError{};
        require_array(a)->array = require_array(b)->array;
        Py_RETURN_NONE;
    });
}

template <class F>
PyCFunction with_keywords(F f) {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(f));
}

}  // namespace

PyMethodDef array_functions[] = {
    {"empty", with_keywords(empty), METH_VARARGS | METH_KEYWORDS,
     "empty(shape, dtype, order='C'): undefined contents."},
    {"full", with_keywords(full), METH_VARARGS | METH_KEYWORDS, "full(shape, dtype, value)"},
    {"ramp", ramp, METH_VARARGS, "ramp(n, start, step): int64 start + i * step."},
    {"from_host", with_keywords(from_host), METH_VARARGS | METH_KEYWORDS,
     "from_host(array, copy=True): a NumPy array as one of ours."},
    {"adopt", with_keywords(adopt), METH_VARARGS | METH_KEYWORDS,
     "adopt(array, shared=False): takes a NumPy array's memory over without a copy; shared: others go on "
     "using it."},
    {"to_host", to_host_function, METH_O, "to_host(a): a fresh NumPy array in C order."},
    {"host_view", with_keywords(host_view_function), METH_VARARGS | METH_KEYWORDS,
     "host_view(a, writeable=None): a NumPy array over a's memory, or None where it is not in one piece on "
     "the host."},
    {"view", with_keywords(view), METH_VARARGS | METH_KEYWORDS,
     "view(a, shape, strides, offset=0, dtype=None, writeable=None): another view of a's memory, offset in "
     "bytes from a."},
    {"reshape_view", reshape_view, METH_VARARGS,
     "reshape_view(a, shape): a view, or None where only a copy can do it."},
    {"broadcast_view", broadcast_view, METH_VARARGS, "broadcast_view(a, shape): a read-only view."},
    {"permute_view", permute_view, METH_VARARGS,
     "permute_view(a, axes): axis i of the view is axis axes[i] of a."},
    {"elementwise", elementwise, METH_VARARGS, "elementwise(name, loop, out, *operands): returns out."},
    {"elementwise_new", elementwise_new, METH_VARARGS,
     "elementwise_new(name, loop, *operands): a fresh array."},
    {"reduce", reduce, METH_VARARGS,
     "reduce(name, type, out, a, axes): out has a's shape with 1 along axes."},
    {"output_like", output_like, METH_VARARGS,
     "output_like(dtype, shape, arrays): an uninitialised array ordered in memory as a ufunc's output for "
     "them."},
    {"reduced_like", reduced_like, METH_VARARGS,
     "reduced_like(a, axes, dtype): an uninitialised array with extent 1 along axes, ordered in memory as "
     "a."},
    {"reduce_new", reduce_new, METH_VARARGS, "reduce_new(name, type, a, axes, keepdims=False, dtype=None)"},
    {"assign", assign, METH_VARARGS, "assign(out, value): out[...] = value."},
    {"to_scalar", to_scalar, METH_O, "to_scalar(a): the lazy scalar over a fresh 0-d array."},
    {"is_scalar", is_scalar_function, METH_O, "is_scalar(x): whether x is a lazy scalar."},
    {"pending", pending, METH_O, "pending(a): whether recorded writes to a's storage have not run."},
    {"shares_storage", shares_storage, METH_VARARGS, "shares_storage(a, b)"},
    {"viewed", viewed, METH_O, "viewed(a): whether another array or an export sees its memory."},
    {"relation", relation, METH_VARARGS, "relation(a, b): 'disjoint', 'equal', 'shift' or 'other'."},
    {"storage_id", storage_id, METH_O, "storage_id(a): number of a's storage, in order of creation."},
    {"storage_nbytes", storage_nbytes, METH_O, "storage_nbytes(a): bytes of a's storage."},
    {"offset", offset, METH_O, "offset(a): bytes from the start of the storage to a's first element."},
    {"writeable", writeable, METH_VARARGS, "writeable(a, value=None): asks or sets the flag."},
    {"become", become, METH_VARARGS, "become(a, b): a turns into the view b."},
    {},
};

}  // namespace numloom::python
