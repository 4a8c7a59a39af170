// What the binding's files share: object layouts, references, errors, NumPy's objects. Conversion only; the
// engine decides.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <utility>

#include "lock.hpp"
#include "run/engine.hpp"

namespace numloom::python {

// --- references and errors ---

// Thrown where a Python exception is already set.
struct PythonError {};

// An owned reference.
class Ref {
  public:
    Ref() = default;
    explicit Ref(PyObject* owned) : p_(owned) {}
    Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
    Ref& operator=(Ref&& o) noexcept {
        std::swap(p_, o.p_);
        return *this;
    }
    Ref(const Ref&) = delete;
    ~Ref() { Py_XDECREF(p_); }
    // Takes a result of the C API; throws when it is NULL.
    static Ref take(PyObject* owned) {
        if (!owned) throw PythonError{};
        return Ref(owned);
    }
    static Ref share(PyObject* borrowed) {
        Py_XINCREF(borrowed);
        return Ref(borrowed);
    }
    PyObject* get() const { return p_; }
    PyObject* release() { return std::exchange(p_, nullptr); }
    explicit operator bool() const { return p_ != nullptr; }

  private:
    PyObject* p_ = nullptr;
};

// Sets the Python exception for the C++ exception in flight.
void translate_exception() noexcept;

// Runs f() and turns C++ exceptions into Python ones; `failure` is returned then.
template <class R, class F>
R guarded(R failure, F&& f) noexcept {
    try {
        return f();
#if defined(__GLIBCXX__)
    } catch (abi::__forced_unwind&) {  // Python code that f() called was ended with the program
        sleep_until_the_end();
#endif
    } catch (...) {
        translate_exception();
        return failure;
    }
}
template <class F>
PyObject* guarded(F&& f) noexcept {
    return guarded<PyObject*>(nullptr, std::forward<F>(f));
}

[[noreturn]] void raise(PyObject* type, const std::string& text);

// --- objects ---

// numloom.ndarray and the lazy scalar have one layout. A scalar is 0-d over a storage that nobody else
// writes.
struct ArrayObject {
    PyObject_HEAD Array array;
    PyObject* base;  // what `.base` shows; nullptr: None. Never an object that can refer back: no garbage
                     // collection needed
    PyObject* weakrefs;
    PyObject* value;  // scalars: the NumPy scalar once evaluated
    bool writeable;
};

extern PyTypeObject* array_type;
extern PyTypeObject* scalar_type;
extern PyTypeObject* ufunc_type;
extern PyTypeObject* pin_type;

inline bool is_array(PyObject* o) { return Py_IS_TYPE(o, array_type); }
inline bool is_scalar(PyObject* o) { return Py_IS_TYPE(o, scalar_type); }
inline ArrayObject* as_array(PyObject* o) { return reinterpret_cast<ArrayObject*>(o); }
inline const Array& array_of(PyObject* o) { return as_array(o)->array; }
// The array behind an argument of a module function; TypeError for anything else. Scalars count where
// `scalars`.
ArrayObject* require_array(PyObject* o, bool scalars = false);

PyObject* new_array(Array a, PyObject* base = nullptr, bool writeable = true);
PyObject* new_scalar(Array a);
// An array, or a lazy scalar where it has no axes: what NumPy's ufuncs return. The storage must be fresh.
inline PyObject* new_result(Array a) {
    return a.ndim() == 0 ? new_scalar(std::move(a)) : new_array(std::move(a));
}
// A view of `of`'s storage, with NumPy's rule for `.base`: the object that owns the memory.
PyObject* new_view(ArrayObject* of, Array view);

// The engine; the first call hands it the hooks for the lock and for call sites.
Engine& engine();
// Whether this process is alone: then it may write host memory without telling the log.
bool alone();

// --- NumPy's objects ---

struct NumPy {
    PyObject* module;
    PyTypeObject* ndarray;
    PyTypeObject* generic;
    PyTypeObject* dtype_type;
    PyObject* asarray;
    PyObject* empty;
    PyObject* dtypes[kDTypes];
    PyTypeObject* scalars[kDTypes];
    PyObject* true_;
    PyObject* false_;
    PyObject* complex_warning;
    PyObject* axis_error;
    PyObject* linalg_error;
    PyObject* output_casting_error;
    PyObject* ufuncs[kOps];       // NumPy's ufunc of that operation; nullptr where it has none
    bool scalar_layout[kDTypes];  // the scalar object's bytes lie right behind its head (checked at import)
};
extern NumPy np;

inline PyObject* dtype_object(DType d) { return np.dtypes[static_cast<int>(d)]; }
// The native dtype of a numpy.dtype object; false for any other (object, str, byte-swapped, ...).
bool dtype_from_descr(PyObject* descr, DType* out);
// Anything that numpy.dtype() takes; throws TypeError where it is not native.
DType require_dtype(PyObject* o);
// The native dtype of a NumPy scalar's type; false for others.
bool dtype_of_scalar_type(PyTypeObject* t, DType* out);
PyObject* make_numpy_scalar(DType d, const void* bytes);
Scalar numpy_scalar_bits(PyObject* o, DType d);
// Gives the library the layers of numpy.random's ziggurats; about a millisecond.
void read_ziggurats();
// The NumPy scalar behind a lazy scalar (borrowed), evaluated once.
PyObject* scalar_value(ArrayObject* s);

// --- hooks: what Python code does for the binding ---

enum class Hook : uint8_t {
    FallbackBinary,
    GetitemAdvanced,
    SetitemAdvanced,
    UfuncCall,
    Matmul,
    InplaceMatmul,
    New,
    Flags,
    Flat,
    SetFlat,
    Data,
    Ctypes,
    ArrayInterface,
    SetDtype,
    SetStrides,
    HostItem,
    Count,
};
// Borrowed; nullptr where nobody has set it.
PyObject* hook(Hook h);
// Calls the hook; RuntimeError where nobody has set it.
template <class... A>
PyObject* call_hook(Hook h, A... args) {
    PyObject* f = hook(h);
    if (!f) raise(PyExc_RuntimeError, "numloom._core is used without the package around it");
    PyObject* list[] = {args...};
    PyObject* r = PyObject_Vectorcall(f, list, sizeof...(A), nullptr);
    if (!r) throw PythonError{};
    return r;
}

// --- module parts ---

void init_numpy();
void init_array_type(PyObject* module);
void init_iterator_type();
void init_scalar_type(PyObject* module);
void init_ufunc_type(PyObject* module);
void init_pin_type(PyObject* module);
void init_quick_types();
void init_float_errors();
void init_draws(PyObject* module);
extern PyMethodDef float_error_functions[];
extern PyMethodDef array_functions[];    // making, viewing and computing arrays
extern PyMethodDef engine_functions[];   // the engine as a whole
extern PyMethodDef library_functions[];  // operations that are not loops
extern PyMethodDef draw_functions[];     // random numbers
extern PyMethodDef linalg_functions[];   // linear algebra
extern PyMethodDef fast_functions[];     // short cuts for small arrays
extern PyMethodDef quick_functions[];    // everyday calls of some Python functions, in C

Site current_site();
// (file, line, function) of a recorded site; throws ValueError for one that this process never recorded.
Ref resolve_site(const void* code, int32_t position);

}  // namespace numloom::python
