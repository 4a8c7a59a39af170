// Library operations for the package: library(name, parameters, out, *inputs).
#include "library/library.hpp"

#include "device/cpu/pool.hpp"
#include "device/cpu/threads.hpp"
#include "operand.hpp"

namespace numloom::python {
namespace {

// The library's loops share the threads and the memory pool of the CPU devices.
void lend_threads() {
    static bool lent = false;
    if (lent) return;
    lent = true;
    library::set_parallel_threads(cpu::ThreadPool::process_threads());
    library::set_scratch([](int64_t bytes) { return cpu::MemoryPool::process().allocate(bytes); },
                         [](char* p, int64_t bytes) { cpu::MemoryPool::process().release(p, bytes); });
    library::set_parallel_for([](int64_t chunks, library::Task task, void* context) {
        cpu::ThreadPool::process().run(chunks, [&](int64_t chunk, int) { task(context, chunk); });
    });
}

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
            parameters.push_back(PyLong_AsLongLong(PyTuple_GET_ITEM(numbers.get(), i)));
            if (PyErr_Occurred()) throw PythonError{};
        }
        auto dense = [](PyObject* o) {
            const Array& a = require_array(o)->array;
            if (!a.c_contiguous()) raise(PyExc_ValueError, "a library operation takes C-contiguous operands");
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

}  // namespace

PyMethodDef library_functions[] = {
    {"library", library_call, METH_VARARGS,
     "library(name, parameters, out, *inputs): records a library operation; returns out."},
    {},
};

}  // namespace numloom::python
