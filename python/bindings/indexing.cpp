// Basic indexing: integers, slices, Ellipsis and newaxis. Arrays, lists and masks go to the package's
// advanced indexing.
#include <string>

#include "operand.hpp"

namespace numloom::python {
namespace {

constexpr const char* kInvalid =
    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are "
    "valid indices";

// Below this size reading an element of an array with pending work computes it at once; above, the element
// stays lazy.
constexpr int64_t kSmallBytes = 64 * 1024;
// So many stores of single elements in a row into one storage show a loop over elements: then the log is
// emptied once and the rest of the loop writes memory.
constexpr int kStoresInRow = 8;

enum class Access : uint8_t { View, Element, Advanced };

struct Target {
    Access access = Access::View;
    Dims shape, strides;
    int64_t offset = 0;
};

enum class ItemKind : uint8_t { Integer, Slice, NewAxis, Ellipsis, Advanced };

struct Item {
    ItemKind kind;
    int64_t index;  // of an Integer; an array of items stays uninitialised on purpose
};

int64_t to_index(PyObject* o) {
    Py_ssize_t v = PyNumber_AsSsize_t(o, PyExc_IndexError);
    if (v == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_IndexError)) throw PythonError{};
        PyErr_Clear();
        raise(PyExc_IndexError, kInvalid);  // NumPy's words for an integer that no index can be
    }
    return v;
}

Item classify_rare(PyObject* o) {
    if (PyBool_Check(o)) return {ItemKind::Advanced, 0};
    DType d;
    if (dtype_of_scalar_type(Py_TYPE(o), &d)) {
        if (is_integer(d))
            return {ItemKind::Integer, cast_scalar(numpy_scalar_bits(o, d), d, DType::Int64).as<int64_t>()};
        if (d == DType::Bool) return {ItemKind::Advanced, 0};
        raise(PyExc_IndexError, kInvalid);
    }
    if (is_scalar(o)) {
        if (is_integer(array_of(o).dtype())) return {ItemKind::Integer, to_index(o)};
        if (array_of(o).dtype() == DType::Bool) return {ItemKind::Advanced, 0};
        raise(PyExc_IndexError, kInvalid);
    }
    if (is_array(o) || PyObject_TypeCheck(o, np.ndarray) || PyList_Check(o) || PyTuple_Check(o))
        return {ItemKind::Advanced, 0};
    if (PyFloat_Check(o) || PyUnicode_Check(o) || PyBytes_Check(o) || PyComplex_Check(o) || PyDict_Check(o) ||
        PyAnySet_Check(o))
        raise(PyExc_IndexError, kInvalid);
    if (PyIndex_Check(o)) return {ItemKind::Integer, to_index(o)};
    return {ItemKind::Advanced, 0};
}

inline Item classify(PyObject* o) {
    if (PySlice_Check(o)) return {ItemKind::Slice, 0};
    if (PyLong_CheckExact(o)) return {ItemKind::Integer, to_index(o)};
    if (o == Py_None) return {ItemKind::NewAxis, 0};
    if (o == Py_Ellipsis) return {ItemKind::Ellipsis, 0};
    return classify_rare(o);
}

void keep_axis(Target* t, const Layout& l, int axis) {
    t->shape.push(l.shape(axis));
    t->strides.push(l.stride(axis));
}

void take_slice(Target* t, const Layout& l, int axis, PyObject* slice) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(slice, &start, &stop, &step) != 0) throw PythonError{};
    int64_t n = PySlice_AdjustIndices(static_cast<Py_ssize_t>(l.shape(axis)), &start, &stop, step);
    int64_t stride = l.stride(axis);
    if (n > 0) t->offset += start * stride;
    t->shape.push(n);
    t->strides.push(n > 0 ? stride * step : stride);
}

void take_integer(Target* t, const Layout& l, int axis, int64_t index) {
    int64_t n = l.shape(axis);
    if (index < -n || index >= n)
        raise(PyExc_IndexError, "index " + std::to_string(index) + " is out of bounds for axis " +
                                    std::to_string(axis) + " with size " + std::to_string(n));
    t->offset += (index < 0 ? index + n : index) * l.stride(axis);
}

void check_count(int ndim, int used) {
    if (used > ndim)
        raise(PyExc_IndexError, "too many indices for array: array is " + std::to_string(ndim) +
                                    "-dimensional, but " + std::to_string(used) + " were indexed");
}

void check_result(int ndim) {
    if (ndim > kMaxDims)
        raise(PyExc_IndexError, "number of dimensions must be within [0, 64], indexing result would have " +
                                    std::to_string(ndim));
}

void parse_one(const Layout& l, PyObject* k, Target* t) {
    Item item = classify(k);
    int rest = 0;
    switch (item.kind) {
        case ItemKind::Advanced:
            t->access = Access::Advanced;
            return;
        case ItemKind::NewAxis:
            check_result(l.ndim() + 1);
            t->shape.push(1);
            t->strides.push(0);
            break;
        case ItemKind::Ellipsis:
            break;
        case ItemKind::Integer:
            check_count(l.ndim(), 1);
            take_integer(t, l, 0, item.index);
            rest = 1;
            if (l.ndim() == 1) t->access = Access::Element;
            break;
        case ItemKind::Slice:
            check_count(l.ndim(), 1);
            take_slice(t, l, 0, k);
            rest = 1;
            break;
    }
    for (int axis = rest; axis < l.ndim(); ++axis) keep_axis(t, l, axis);
}

void parse_tuple(const Layout& l, PyObject* k, Target* t) {
    Py_ssize_t count = PyTuple_GET_SIZE(k);
    if (count > 2 * kMaxDims) raise(PyExc_IndexError, "too many indices for array");
    Item items[2 * kMaxDims];
    int used = 0, ellipses = 0, integers = 0, added = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        items[i] = classify(PyTuple_GET_ITEM(k, i));
        switch (items[i].kind) {
            case ItemKind::Advanced:
                t->access = Access::Advanced;
                return;
            case ItemKind::Ellipsis:
                ++ellipses;
                break;
            case ItemKind::NewAxis:
                ++added;
                break;
            case ItemKind::Integer:
                ++integers;
                [[fallthrough]];
            case ItemKind::Slice:
                ++used;
        }
    }
    if (ellipses > 1) raise(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
    check_count(l.ndim(), used);
    check_result(l.ndim() - integers + added);
    int axis = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
        switch (items[i].kind) {
            case ItemKind::Integer:
                take_integer(t, l, axis++, items[i].index);
                break;
            case ItemKind::Slice:
                take_slice(t, l, axis++, PyTuple_GET_ITEM(k, i));
                break;
            case ItemKind::NewAxis:
                t->shape.push(1);
                t->strides.push(0);
                break;
            default:
                for (int end = axis + l.ndim() - used; axis < end; ++axis) keep_axis(t, l, axis);
        }
    }
    for (; axis < l.ndim(); ++axis) keep_axis(t, l, axis);
    if (integers == l.ndim() && ellipses == 0 && added == 0) t->access = Access::Element;
}

void parse(const Array& a, PyObject* k, Target* t) {
    t->offset = a.offset();
    if (PyTuple_CheckExact(k))
        parse_tuple(*a.layout(), k, t);
    else
        parse_one(*a.layout(), k, t);
}

Array target_view(const Array& a, const Target& t) {
    return a.view(Layout::intern(t.shape, t.strides), t.offset);
}

// --- single elements ---

// Stores in a row into one storage, which nothing else touched in between: its id, the instruction of the
// last store, how many. Loops over elements often fill a few arrays in turn.
struct Row {
    uint64_t storage = 0, last = 0;
    int count = 0;
};
constexpr size_t kRows = 4;
Row rows[kRows];
size_t next_row = 0;

Row* row_of(const Storage* s) {
    for (Row& r : rows)
        if (r.storage == s->id) return &r;
    return nullptr;
}

bool write_through(const Array& e) {
    Engine& en = engine();
    const Storage* s = e.storage();
    if (en.pending(*s, true)) {
        const Row* r = row_of(s);
        if (!r || r->last != s->last_touch || r->count < kStoresInRow) return false;
        en.flush(Trigger::HostRead);
    }
    return true;
}

void record_store(const Array& e, const Operand& value) {
    const Storage* s = e.storage();
    Row* r = row_of(s);
    const bool again = r && r->last == s->last_touch;
    if (!r) r = &rows[next_row++ % kRows];
    engine().assign(e.operand(), value);
    r->count = again ? r->count + 1 : 1;
    r->storage = s->id;
    r->last = s->last_touch;
}

// NaN, infinity and what is out of bounds are refused as elements of integers, so a scalar that may be such
// is looked at now.
static bool must_be_seen(PyObject* value, DType to) {
    return is_scalar(value) && !as_array(value)->value && is_integer(to) &&
           !can_cast_safely(array_of(value).dtype(), to);
}
static Scalar seen_bytes(PyObject* value, DType to) {
    Scalar seen;
    const Array& v = array_of(value);
    engine().read(v, seen.bytes, Trigger::DataError);
    Ref number = Ref::take(make_numpy_scalar(v.dtype(), seen.bytes));
    return element_bytes(number.get(), to);
}

void store_bits(const Array& e, const Scalar& bits) {
    if (alone() && write_through(e)) {
        if (char* p = engine().host_address(e, Trigger::HostRead)) {
            std::memcpy(p, bits.bytes, static_cast<size_t>(item_size(e.dtype())));
            return;
        }
    }
    record_store(e, Operand(bits, e.dtype()));
}

void store_element(const Array& e, PyObject* value) {
    Scalar bits;
    if (must_be_seen(value, e.dtype())) {
        bits = seen_bytes(value, e.dtype());
    } else if (!number_bytes(value, e.dtype(), &bits)) {
        bool lazy =
            (is_scalar(value) && !as_array(value)->value) || (is_array(value) && array_of(value).ndim() == 0);
        if (lazy) {
            const Array& v = array_of(value);
            assign_checked(e, v.operand(), v.layout());
            return;
        }
        bits = element_bytes(value, e.dtype());
    }
    store_bits(e, bits);
}

// The offset of the element for one integer an axis, the form of loops over elements; false for any other
// key, and for indices out of bounds.
inline bool plain_element(const Array& a, PyObject* k, int64_t* offset) {
    const Layout& l = *a.layout();
    PyObject* const* keys = &k;
    Py_ssize_t n = 1;
    if (PyTuple_CheckExact(k)) {
        keys = &PyTuple_GET_ITEM(k, 0);
        n = PyTuple_GET_SIZE(k);
    }
    if (n != l.ndim()) return false;
    int64_t at = a.offset();
    for (int axis = 0; axis < n; ++axis) {
        if (!PyLong_CheckExact(keys[axis])) return false;
        int overflow;
        int64_t i = PyLong_AsLongLongAndOverflow(keys[axis], &overflow);
        const int64_t extent = l.shape(axis);
        if (i < 0) i += extent;
        if (overflow || i < 0 || i >= extent) return false;
        at += i * l.stride(axis);
    }
    *offset = at;
    return true;
}

bool same_view(const Array& a, const Array& b) {
    return a.storage() == b.storage() && a.layout() == b.layout() && a.offset() == b.offset() &&
           a.dtype() == b.dtype();
}

}  // namespace

PyObject* element(const Array& a, int64_t offset) {
    if (const char* p = current_memory(a, offset, false)) return make_numpy_scalar(a.dtype(), p);
    Array e = a.view(Layout::scalar(), offset);
    Engine& en = engine();
    if (a.storage()->nbytes > kSmallBytes && en.pending(*a.storage())) {
        // A snapshot: a later write to the array does not change it.
        Array copy = en.empty(a.dtype(), {});
        en.assign(copy.operand(), e.operand());
        return new_scalar(std::move(copy));
    }
    Scalar bits;
    en.read(e, bits.bytes, Trigger::HostRead);
    return make_numpy_scalar(a.dtype(), bits.bytes);
}

PyObject* getitem(PyObject* self, PyObject* k) {
    ArrayObject* o = as_array(self);
    int64_t at;
    if (plain_element(o->array, k, &at)) return element(o->array, at);
    Target t;
    parse(o->array, k, &t);
    switch (t.access) {
        case Access::Advanced:
            return call_hook(Hook::GetitemAdvanced, self, k);
        case Access::Element:
            return element(o->array, t.offset);
        case Access::View:
            break;
    }
    return new_view(o, target_view(o->array, t));
}

// Whether `value`, or the first item of the lists that it is, has __array__: that may give one of our arrays,
// which numpy.asarray takes from an array alone.
bool makes_arrays(PyObject* value) {
    PyObject* item = value;
    while (PyList_CheckExact(item) || PyTuple_CheckExact(item)) {
        if (PySequence_Fast_GET_SIZE(item) == 0) return false;
        item = PySequence_Fast_GET_ITEM(item, 0);
    }
    if (is_array(item) || PyObject_TypeCheck(item, np.ndarray) || PyObject_TypeCheck(item, np.generic))
        return false;
    return PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(item)), "__array__") == 1;
}

void assign_value(const Array& dst, PyObject* value) {
    if (is_array(value) || (is_scalar(value) && !as_array(value)->value)) {
        const Array& v = array_of(value);
        if (must_be_seen(value, dst.dtype())) {
            engine().assign(dst.operand(), Operand(seen_bytes(value, dst.dtype()), dst.dtype()));
            return;
        }
        if (!same_view(dst, v)) assign_checked(dst, v.operand(), v.layout());
        return;
    }
    Scalar bits;
    if (number_bytes(value, dst.dtype(), &bits)) {
        engine().assign(dst.operand(), Operand(bits, dst.dtype()));
        return;
    }
    Array imported;
    if (Py_IS_TYPE(value, np.ndarray) && import_array(value, &imported)) {
        assign_checked(dst, imported.operand(), imported.layout());
        return;
    }
    bool number = PyFloat_Check(value) || PyLong_Check(value) || PyComplex_Check(value) ||
                  PyUnicode_Check(value) || PyBytes_Check(value) || PyObject_TypeCheck(value, np.generic) ||
                  is_scalar(value);
    if (number) {
        engine().assign(dst.operand(), Operand(element_bytes(value, dst.dtype()), dst.dtype()));
        return;
    }
    // Lists and anything that NumPy can make an array of, converted as in an assignment to NumPy's array.
    Ref source = makes_arrays(value) ? Ref::take(call_hook(Hook::HostItem, value)) : Ref::share(value);
    Ref array =
        Ref::take(PyObject_CallFunctionObjArgs(np.asarray, source.get(), dtype_object(dst.dtype()), nullptr));
    Ref depth = Ref::take(PyObject_GetAttrString(array.get(), "ndim"));
    if ((PyList_Check(value) || PyTuple_Check(value)) && PyLong_AsLong(depth.get()) > dst.ndim())
        raise(PyExc_ValueError,
              "setting an array element with a sequence. The requested array would exceed the maximum number "
              "of "
              "dimension of " +
                  std::to_string(dst.ndim()) + ".");
    Ref plain =
        Ref::take(PyObject_CallMethod(array.get(), "view", "O", reinterpret_cast<PyObject*>(np.ndarray)));
    imported = import_host(plain.get(), dst.dtype());
    assign_checked(dst, imported.operand(), imported.layout());
}

void copy_value(const Array& dst, PyObject* value) {
    Scalar bits;
    if (number_bytes(value, dst.dtype(), &bits, true))
        engine().assign(dst.operand(), Operand(bits, dst.dtype()));
    else if (is_scalar(value) && !as_array(value)->value)
        engine().assign(dst.operand(), array_of(value).operand());
    else
        assign_value(dst, value);
}

int setitem(PyObject* self, PyObject* k, PyObject* value) {
    ArrayObject* o = as_array(self);
    if (!value) raise(PyExc_ValueError, "cannot delete array elements");
    if (!o->writeable) raise(PyExc_ValueError, "assignment destination is read-only");
    int64_t at;
    Scalar bits;
    if (plain_element(o->array, k, &at) && number_bytes(value, o->array.dtype(), &bits)) {
        if (char* p = current_memory(o->array, at, true)) {
            std::memcpy(p, bits.bytes, static_cast<size_t>(item_size(o->array.dtype())));
        } else {
            store_bits(o->array.view(Layout::scalar(), at), bits);
        }
        return 0;
    }
    Target t;
    parse(o->array, k, &t);
    switch (t.access) {
        case Access::Advanced:
            Py_DECREF(call_hook(Hook::SetitemAdvanced, self, k, value));
            return 0;
        case Access::Element:
            store_element(o->array.view(Layout::scalar(), t.offset), value);
            return 0;
        case Access::View:
            break;
    }
    assign_value(target_view(o->array, t), value);
    return 0;
}

}  // namespace numloom::python
