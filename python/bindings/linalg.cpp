// Linear algebra for the package: computed at the call, since what fails depends on values.
#include <bit>

#include "device/host_flags.hpp"
#include "library/linalg.hpp"
#include "operand.hpp"

namespace numloom::python {
namespace {

// An operand's memory on the host: its own where that is in one piece, else a copy.
struct HostOperand {
    Array array;
    std::vector<char> copy;
    CallOperand operand{};
    bool pinned = false;

    void locate() {
        operand.dtype = array.dtype();
        operand.layout = array.layout();
        operand.data = engine().host_address(array, Trigger::DataError);
        if (operand.data) {
            engine().pin(array.storage());
            pinned = true;
            return;
        }
        operand.layout = array.layout()->dense(array.dtype());
        copy.resize(static_cast<size_t>(std::max<int64_t>(array.size() * item_size(array.dtype()), 1)));
        operand.data = copy.data();
    }
    void read() {
        locate();
        if (!pinned && array.size() > 0) engine().read(array, operand.data, Trigger::DataError);
    }
    ~HostOperand() {
        if (pinned) engine().unpin(array.storage());
    }
};

Dims shape_of(PyObject* tuple) {
    if (!PyTuple_Check(tuple)) raise(PyExc_TypeError, "a shape is a tuple");
    Dims shape;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
        shape.push(PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i)));
        if (PyErr_Occurred()) throw PythonError{};
    }
    return shape;
}

std::vector<int64_t> parameters_of(PyObject* tuple) {
    if (!PyTuple_Check(tuple)) raise(PyExc_TypeError, "parameters are a tuple");
    std::vector<int64_t> out;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); ++i) {
        PyObject* o = PyTuple_GET_ITEM(tuple, i);
        out.push_back(PyFloat_Check(o) ? std::bit_cast<int64_t>(PyFloat_AS_DOUBLE(o)) : PyLong_AsLongLong(o));
        if (PyErr_Occurred()) throw PythonError{};
    }
    return out;
}

constexpr int64_t kBrief = 4096;  // elements up to which other threads are not let in

// linalg(name, parameters, outputs, *inputs): (status, *fresh arrays) of library/linalg.hpp; each output is
// given as (dtype, shape).
PyObject* linalg(PyObject*, PyObject* const* args, Py_ssize_t n) {
    return guarded([&]() -> PyObject* {
        constexpr Py_ssize_t kMost = 4;
        if (n < 4 || n > 5 || !PyTuple_Check(args[2]) || PyTuple_GET_SIZE(args[2]) > kMost)
            raise(PyExc_TypeError, "linalg(name, parameters, outputs, *inputs) takes one or two inputs");
        const char* name = PyUnicode_AsUTF8(args[0]);
        if (!name) throw PythonError{};
        const std::vector<int64_t> parameters = parameters_of(args[1]);
        const size_t outputs = static_cast<size_t>(PyTuple_GET_SIZE(args[2])),
                     inputs = static_cast<size_t>(n - 3);
        HostOperand in[2], out[kMost];
        CallOperand given[2], made[kMost];
        int64_t elements = 0;
        for (size_t i = 0; i < inputs; ++i) {
            in[i].array = require_array(args[i + 3])->array;
            in[i].read();
            given[i] = in[i].operand;
            elements += in[i].array.size();
        }
        for (size_t i = 0; i < outputs; ++i) {
            PyObject* pair = PyTuple_GET_ITEM(args[2], static_cast<Py_ssize_t>(i));
            if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2)
                raise(PyExc_TypeError, "an output is (dtype, shape)");
            out[i].array =
                engine().empty(require_dtype(PyTuple_GET_ITEM(pair, 0)), shape_of(PyTuple_GET_ITEM(pair, 1)));
            out[i].locate();
            made[i] = out[i].operand;
            elements += out[i].array.size();
        }
        lend_threads();
        // NumPy reports of determinants alone; other factorisations fail or not.
        const std::string_view said = name;
        const uint16_t report = said == "det" || said == "slogdet" ? asked_reports() : 0;
        uint8_t kinds = 0;
        const library::LinalgStatus status = [&] {
            const LetOthersIn unlocked(elements > kBrief);
            if (report != 0) begin_host_watch(static_cast<uint8_t>(report & F_ALL));
            const auto done = library::linalg(name, parameters, {made, outputs}, {given, inputs});
            if (report != 0) kinds = end_host_watch();
            return done;
        }();
        report_now(name, kinds, report);
        Ref result = Ref::take(PyTuple_New(static_cast<Py_ssize_t>(outputs) + 1));
        PyTuple_SET_ITEM(result.get(), 0, PyLong_FromLongLong(static_cast<long long>(status)));
        for (size_t i = 0; i < outputs; ++i) {
            Array array = out[i].array;
            if (!out[i].pinned) array = engine().from_host(array.dtype(), array.shape(), out[i].operand.data);
            PyObject* object = new_array(std::move(array));
            if (!object) throw PythonError{};
            PyTuple_SET_ITEM(result.get(), static_cast<Py_ssize_t>(i) + 1, object);
        }
        return result.release();
    });
}

PyObject* has_lapack(PyObject*, PyObject*) { return PyBool_FromLong(library::has_lapack()); }

}  // namespace

PyMethodDef linalg_functions[] = {
    {"linalg", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(linalg)), METH_FASTCALL,
     "linalg(name, parameters, outputs, *inputs): computes at once; (status, *arrays)."},
    {"has_lapack", has_lapack, METH_NOARGS, "Whether load_blas() found the factorisations."},
    {},
};

}  // namespace numloom::python
