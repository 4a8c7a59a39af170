// Library operations for the package: library(name, parameters, out, *inputs).
#include <bit>

#include "library/library.hpp"

#include "device/cpu/float_flags.hpp"
#include "device/cpu/loops.hpp"
#include "device/cpu/pool.hpp"
#include "device/cpu/threads.hpp"
#include "device/host_flags.hpp"
#include "library/vector.hpp"
#include "operand.hpp"

namespace numloom::python {

void lend_threads() {
    static bool lent = false;
    if (lent) return;
    lent = true;
    library::choose_vectors(cpu::loops().name);
    library::set_parallel_threads(cpu::ThreadPool::process_threads());
    library::set_scratch([](int64_t bytes) { return cpu::MemoryPool::process().allocate(bytes); },
                         [](char* p, int64_t bytes) { cpu::MemoryPool::process().release(p, bytes); });
    library::set_steps([](OpCode op, DType loop) { return cpu::loops().compute(op, loop, 0); },
                       [](DType from, DType to) { return cpu::loops().cast(from, to); });
    library::set_parallel_for(cpu::run_library_tasks);
}

namespace {

PyObject* library_call(PyObject*, PyObject* args) {
    return guarded([&] {
        const Py_ssize_t n = PyTuple_GET_SIZE(args) - 3;
        if (n < 1 || n > 3)
            raise(PyExc_TypeError, "library(name, parameters, out, *inputs) takes one to three inputs");
        const char* name = PyUnicode_AsUTF8(PyTuple_GET_ITEM(args, 0));
        if (!name) throw PythonError{};
        Ref numbers = Ref::take(PySequence_Tuple(PyTuple_GET_ITEM(args, 1)));
        std::vector<int64_t> parameters;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(numbers.get()); ++i) {
            PyObject* o = PyTuple_GET_ITEM(numbers.get(), i);
            parameters.push_back(PyFloat_CheckExact(o) ? std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(o))
                                                       : PyLong_AsLongLong(o));
            if (PyErr_Occurred()) throw PythonError{};
        }
        const bool any_strides = library::takes_any_strides(name);
        auto dense = [&](PyObject* o) {
            const Array& a = require_array(o)->array;
            if (!any_strides && !a.c_contiguous())
                raise(PyExc_ValueError, "a library operation takes C-contiguous operands");
            return a.operand();
        };
        Operand in[3];
        for (Py_ssize_t i = 0; i < n; ++i) in[i] = dense(PyTuple_GET_ITEM(args, i + 3));
        PyObject* out = PyTuple_GET_ITEM(args, 2);
        const Operand target = dense(out);
        lend_threads();
        std::unique_ptr<LibraryCall> call = library::make_call(name, parameters);
        if (!call) raise(PyExc_ValueError, "no library operation '" + std::string(name) + "'");
        engine().call(std::move(call), target, {in, static_cast<size_t>(n)});
        return Py_NewRef(out);
    });
}

// A factor of a product: where it lies if its rows, or those of its transpose, are contiguous; else copied to
// `space`. Returns the elements from one row to the next.
int64_t factor(const Array& a, Operand* out, bool* transposed, Array* space) {
    *transposed = false;
    *out = a.operand();
    const Layout& l = *a.layout();
    const int64_t item = item_size(a.dtype());
    if (a.ndim() == 1 && a.c_contiguous()) return l.shape(0);
    if (a.ndim() == 2) {
        const int64_t rows = l.shape(0), columns = l.shape(1);
        if (a.c_contiguous()) return columns;
        auto gaps = [&](int64_t length, int64_t step, int64_t count, int64_t next) {
            return (step == item || length == 1) && count > 1 && next >= length * item && next % item == 0;
        };
        if (gaps(columns, l.stride(1), rows, l.stride(0))) return l.stride(0) / item;
        if (gaps(rows, l.stride(0), columns, l.stride(1))) {
            *transposed = true;
            return l.stride(1) / item;
        }
        if (l.f_contiguous(item)) {
            *transposed = true;
            return rows;
        }
    }
    *space = engine().empty(a.dtype(), Dims(a.shape()));
    engine().assign(space->operand(), a.operand());
    *out = space->operand();
    return l.shape(a.ndim() - 1);
}

// matmul(a, b): the product of two arrays of ours with one or two axes and one dtype; None for anything else.
PyObject* matmul(PyObject*, PyObject* const* args, Py_ssize_t n) {
    return guarded([&]() -> PyObject* {
        if (n != 2 || !is_array(args[0]) || !is_array(args[1])) Py_RETURN_NONE;
        const Array& a = array_of(args[0]);
        const Array& b = array_of(args[1]);
        if (a.dtype() != b.dtype() || a.ndim() < 1 || a.ndim() > 2 || b.ndim() < 1 || b.ndim() > 2)
            Py_RETURN_NONE;
        const int64_t m = a.ndim() == 2 ? a.layout()->shape(0) : 1, k = a.layout()->shape(a.ndim() - 1);
        const int64_t columns = b.ndim() == 2 ? b.layout()->shape(1) : 1;
        if (b.layout()->shape(0) != k) Py_RETURN_NONE;
        if (PyObject* made = small_product(a, b, m, k, columns)) return made;
        if (a.size() == 0 || b.size() == 0) Py_RETURN_NONE;
        Operand in[2];
        Array dense[2];
        bool ta, tb;
        const int64_t lda = factor(a, &in[0], &ta, &dense[0]);
        const int64_t ldb =
            b.ndim() == 1 ? (factor(b, &in[1], &tb, &dense[1]), 1) : factor(b, &in[1], &tb, &dense[1]);
        Dims shape;
        if (a.ndim() == 2) shape.push(m);
        if (b.ndim() == 2) shape.push(columns);
        lend_threads();
        Array out = engine().empty(a.dtype(), shape);
        const int64_t parameters[] = {1, m, k, columns, 0, 0, ta, tb, lda, ldb};
        engine().call(library::make_call("matmul", parameters), out.operand(), in);
        return new_result(std::move(out));
    });
}

PyObject* load_blas(PyObject*, PyObject* path) {
    return guarded([&] {
        const char* text = PyUnicode_AsUTF8(path);
        if (!text) throw PythonError{};
        return PyBool_FromLong(library::load_blas(text));
    });
}

PyObject* load_fft(PyObject*, PyObject*) {
    return guarded(
        [&] { return PyBool_FromLong(library::has_fft() || library::load_fft(cpu::loops().name)); });
}

}  // namespace

void record_call(std::string_view name, std::span<const int64_t> parameters, const Operand& out,
                 std::span<const Operand> in) {
    lend_threads();
    engine().call(library::make_call(name, parameters), out, in);
}

void run_call(std::string_view name, std::span<const int64_t> parameters, const CallOperand& out,
              std::span<const CallOperand> in, std::string_view said) {
    const auto call = library::make_call(name, parameters);
    if (said.empty()) said = library::reported_as(name);
    const bool may = !said.empty() && library::may_report(*call, out.dtype);
    const uint16_t report = may ? asked_reports() : 0;
    if (report != 0) begin_host_watch(static_cast<uint8_t>(report & F_ALL));
    call->run(out, in);
    if (report == 0) return;
    const int as = report >> kReportNameShift;
    report_now(std::string(as != 0 ? kReportNames[as] : said).c_str(), end_host_watch(), report);
}

PyMethodDef library_functions[] = {
    {"matmul", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(matmul)), METH_FASTCALL,
     "matmul(a, b): the product of two plain arrays of up to two axes, else None."},
    {"load_blas", load_blas, METH_O,
     "load_blas(path): matrix products come from this shared library, if it can."},
    {"load_fft", load_fft, METH_NOARGS, "load_fft(): whether the build holds Fourier transforms."},
    {"library", library_call, METH_VARARGS,
     "library(name, parameters, out, *inputs): records a library operation; returns out."},
    {},
};

}  // namespace numloom::python
