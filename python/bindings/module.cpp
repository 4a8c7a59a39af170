// The module numloom._core: initialisation, hooks, errors, call sites, and the functions about the engine as
// a whole.
#include <dlfcn.h>

#include <mutex>
#include <new>
#include <unordered_set>

#include "frame.h"
#include "operand.hpp"

namespace numloom::python {

// --- errors ---

namespace {

PyObject* exception_class(ErrorClass c) {
    switch (c) {
        case ErrorClass::Value:
            return PyExc_ValueError;
        case ErrorClass::Type:
            return PyExc_TypeError;
        case ErrorClass::Index:
            return PyExc_IndexError;
        case ErrorClass::Memory:
            return PyExc_MemoryError;
        case ErrorClass::Overflow:
            return PyExc_OverflowError;
        case ErrorClass::ZeroDivision:
            return PyExc_ZeroDivisionError;
        case ErrorClass::Runtime:
            return PyExc_RuntimeError;
        case ErrorClass::NotImplemented:
            return PyExc_NotImplementedError;
        case ErrorClass::Axis:
            return np.axis_error;
        case ErrorClass::LinAlg:
            return np.linalg_error;
    }
    return PyExc_RuntimeError;
}

}  // namespace

void translate_exception() noexcept {
    try {
        throw;
    } catch (const PythonError&) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_SystemError, "an error was reported without an exception");
    } catch (const Error& e) {
        // An interrupted flush leaves KeyboardInterrupt (or what a signal handler raised) set.
        if (!PyErr_Occurred()) PyErr_SetString(exception_class(e.error_class()), e.what());
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& e) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, e.what());
    }
}

void raise(PyObject* type, const std::string& text) {
    PyErr_SetString(type, text.c_str());
    throw PythonError{};
}

// --- call sites ---

namespace {

// Code objects that instructions may point to, kept alive, and those of this package, which are passed over:
// a call is recorded at the user's line. The tables in front make a repeated look-up one load.
constexpr size_t kSeen = 1024;
constexpr size_t kMostCode = 1 << 14;  // a program that compiles new code for ever must not fill the memory
PyObject* seen[kSeen];
PyObject* seen_own[kSeen];
std::unordered_set<PyObject*> kept, own;

size_t place_of(PyObject* code) { return (reinterpret_cast<uintptr_t>(code) >> 4) % kSeen; }

const std::string& package_folder() {
    static const std::string folder = [] {
        Dl_info found{};
        dladdr(reinterpret_cast<void*>(&package_folder), &found);
        const std::string path = found.dli_fname ? found.dli_fname : "";
        return path.substr(0, path.rfind('/') + 1);
    }();
    return folder;
}

// Whether the code is this package's. Keeps the object alive either way, so that its address stays its own.
int skip_code(PyObject* code) {
    const size_t i = place_of(code);
    if (seen[i] == code) return 0;
    if (seen_own[i] == code) return 1;
    if (!kept.count(code) && !own.count(code)) {
        if (kept.size() + own.size() >= kMostCode) return 0;
        const char* file = PyUnicode_AsUTF8(reinterpret_cast<PyCodeObject*>(code)->co_filename);
        if (!file) PyErr_Clear();
        const bool ours = file && std::string_view(file).starts_with(package_folder());
        (ours ? own : kept).insert(Py_NewRef(code));
    }
    const bool ours = own.count(code) > 0;
    (ours ? seen_own : seen)[i] = code;
    return ours;
}

}  // namespace

Site current_site() {
    Site site;
    PyObject* code = numloom_current_code(&site.position, skip_code);
    if (code && seen[place_of(code)] == code) site.code = code;  // else there are too many to keep
    return site;
}

Ref resolve_site(const void* code, int32_t position) {
    PyObject* o = const_cast<PyObject*>(static_cast<const PyObject*>(code));
    if (!kept.count(o)) raise(PyExc_ValueError, "no such code object was seen while recording");
    PyCodeObject* c = reinterpret_cast<PyCodeObject*>(o);
    int line = PyCode_Addr2Line(c, position * 2);
    return Ref::take(Py_BuildValue("(OiO)", c->co_filename, line, c->co_qualname));
}

// --- the engine ---

namespace {

Engine* the_engine = nullptr;
bool is_alone = false;

Engine& start_engine() {
    Engine& e = Engine::get();
    e.set_site_hook(current_site);
    Engine::LockHooks hooks;
    hooks.unlock = []() -> void* { return PyEval_SaveThread(); };
    hooks.lock = [](void* token) { take_lock(static_cast<PyThreadState*>(token)); };
    hooks.ending = program_ends;
    hooks.interrupted = [] { return PyErr_CheckSignals() != 0; };
    e.set_lock_hooks(hooks);
    e.set_site_text([](const Site& site) {
        const Ref where = resolve_site(site.code, site.position);
        PyObject *file, *function;
        int line;
        if (!PyArg_ParseTuple(where.get(), "OiO", &file, &line, &function)) throw PythonError{};
        const char* name = PyUnicode_AsUTF8(file);
        return std::string(name ? name : "?") + ":" + std::to_string(line);
    });
    Engine::MeshInfo mesh = e.mesh();
    is_alone = mesh.processes == 1 && mesh.devices.size() == 1 && mesh.devices[0].rfind("cpu", 0) == 0;
    the_engine = &e;
    return e;
}

}  // namespace

Engine& engine() { return the_engine ? *the_engine : start_engine(); }

bool alone() {
    engine();
    return is_alone;
}

// --- hooks ---

namespace {

struct HookName {
    const char* name;
    Hook hook;
};

constexpr HookName kHookNames[] = {
    {"fallback_binary", Hook::FallbackBinary},
    {"getitem_advanced", Hook::GetitemAdvanced},
    {"setitem_advanced", Hook::SetitemAdvanced},
    {"ufunc_call", Hook::UfuncCall},
    {"matmul", Hook::Matmul},
    {"inplace_matmul", Hook::InplaceMatmul},
    {"new", Hook::New},
    {"flags", Hook::Flags},
    {"flat", Hook::Flat},
    {"set_flat", Hook::SetFlat},
    {"data", Hook::Data},
    {"ctypes", Hook::Ctypes},
    {"array_interface", Hook::ArrayInterface},
    {"set_dtype", Hook::SetDtype},
    {"set_strides", Hook::SetStrides},
    {"host_item", Hook::HostItem},
};

PyObject* hooks[static_cast<int>(Hook::Count)];

PyObject* set_hook(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        const char* name;
        PyObject* f;
        if (!PyArg_ParseTuple(args, "sO", &name, &f)) throw PythonError{};
        if (*name == '_') ++name;
        for (const HookName& h : kHookNames) {
            if (std::string_view(h.name) != name) continue;
            Py_XSETREF(hooks[static_cast<int>(h.hook)], Py_NewRef(f));
            Py_RETURN_NONE;
        }
        std::string known;
        for (const HookName& h : kHookNames) known += std::string(known.empty() ? "" : ", ") + h.name;
        raise(PyExc_ValueError, "no hook '" + std::string(name) + "' (there are " + known + ")");
    });
}

}  // namespace

PyObject* hook(Hook h) { return hooks[static_cast<int>(h)]; }

// --- functions about the engine ---

namespace {

Trigger to_trigger(const std::string& text) {
    static const std::pair<const char*, Trigger> names[] = {
        {"host_read", Trigger::HostRead},      {"export", Trigger::Export},
        {"data_shape", Trigger::DataShape},    {"data_error", Trigger::DataError},
        {"host_call", Trigger::HostCall},      {"file_write", Trigger::FileWrite},
        {"synchronise", Trigger::Synchronise}, {"log_bound", Trigger::LogBound},
    };
    for (const auto& [name, trigger] : names)
        if (text == name) return trigger;
    raise(PyExc_ValueError, "no evaluation trigger '" + text + "'");
}

PyObject* flush(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        const char* why = "synchronise";
        if (!PyArg_ParseTuple(args, "|s", &why)) throw PythonError{};
        engine().flush(to_trigger(why));
        Py_RETURN_NONE;
    });
}

// A fork must not start the engine.
PyObject* before_fork(PyObject*, PyObject*) {
    return guarded([&]() -> PyObject* {
        if (the_engine) the_engine->before_fork();
        Py_RETURN_NONE;
    });
}

PyObject* after_fork(PyObject*, PyObject* child) {
    return guarded([&]() -> PyObject* {
        if (the_engine) the_engine->after_fork(PyObject_IsTrue(child) == 1);
        Py_RETURN_NONE;
    });
}

PyObject* stats(PyObject*, PyObject*) {
    return guarded([&] {
        Stats s = engine().stats();
        const std::pair<const char*, int64_t> fields[] = {
            {"instructions", s.instructions},
            {"evaluations", s.evaluations},
            {"plan_hits", s.plan_hits},
            {"plan_misses", s.plan_misses},
            {"kernels", s.kernels},
            {"bytes_read", s.bytes_read},
            {"bytes_written", s.bytes_written},
            {"messages", s.messages},
            {"bytes_moved", s.bytes_moved},
            {"host_calls", s.host_calls},
        };
        Ref d = Ref::take(PyDict_New());
        for (const auto& [name, value] : fields) {
            Ref v = Ref::take(PyLong_FromLongLong(value));
            if (PyDict_SetItemString(d.get(), name, v.get()) != 0) throw PythonError{};
        }
        return d.release();
    });
}

PyObject* count_host_call(PyObject*, PyObject*) {
    return guarded([&]() -> PyObject* {
        engine().count_host_call();
        Py_RETURN_NONE;
    });
}

PyObject* mesh(PyObject*, PyObject*) {
    return guarded([&] {
        Engine::MeshInfo m = engine().mesh();
        Ref devices = Ref::take(PyTuple_New(static_cast<Py_ssize_t>(m.devices.size())));
        for (size_t i = 0; i < m.devices.size(); ++i)
            PyTuple_SET_ITEM(devices.get(), static_cast<Py_ssize_t>(i),
                             Ref::take(PyUnicode_FromString(m.devices[i].c_str())).release());
        Ref types = Ref::take(PyImport_ImportModule("types"));
        Ref make = Ref::take(PyObject_GetAttrString(types.get(), "SimpleNamespace"));
        Ref fields = Ref::take(Py_BuildValue("{s:O,s:n,s:i,s:i}", "devices", devices.get(), "size",
                                             static_cast<Py_ssize_t>(m.devices.size()), "processes",
                                             m.processes, "rank", m.rank));
        Ref none = Ref::take(PyTuple_New(0));
        return Ref::take(PyObject_Call(make.get(), none.get(), fields.get())).release();
    });
}

PyObject* text(const std::string& s) {
    return PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
}

PyObject* print_log(PyObject*, PyObject*) {
    return guarded([&] { return text(engine().print_log()); });
}

PyObject* print_plans(PyObject*, PyObject*) {
    return guarded([&] { return text(engine().print_plans()); });
}

PyObject* remember_plans(PyObject*, PyObject* on) {
    return guarded([&]() -> PyObject* {
        engine().remember_plans(PyObject_IsTrue(on) == 1);
        Py_RETURN_NONE;
    });
}

// broadcast(data): process 0's bytes, in every process.
PyObject* broadcast(PyObject*, PyObject* data) {
    return guarded([&] {
        char* bytes;
        Py_ssize_t n;
        if (PyBytes_AsStringAndSize(data, &bytes, &n) != 0) throw PythonError{};
        Ref copy = Ref::take(PyBytes_FromStringAndSize(bytes, n));
        engine().broadcast(PyBytes_AS_STRING(copy.get()), n);
        return copy.release();
    });
}

PyObject* abort_job(PyObject*, PyObject* code) {
    return guarded([&]() -> PyObject* {
        long value = PyLong_AsLong(code);
        if (value == -1 && PyErr_Occurred()) throw PythonError{};
        engine().abort_job(static_cast<int>(value));
        Py_RETURN_NONE;
    });
}

PyObject* resolve_site_function(PyObject*, PyObject* args) {
    return guarded([&] {
        unsigned long long code;
        int position;
        if (!PyArg_ParseTuple(args, "Ki", &code, &position)) throw PythonError{};
        return resolve_site(reinterpret_cast<const void*>(static_cast<uintptr_t>(code)), position).release();
    });
}

// Where the caller's line would be recorded: (code, position) for resolve_site.
PyObject* here(PyObject*, PyObject*) {
    Site s = current_site();
    return Py_BuildValue("(Ki)", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(s.code)),
                         s.position);
}

// collecting(on): around cyclic garbage collection.
PyObject* collecting(PyObject*, PyObject* on) {
    return guarded([&]() -> PyObject* {
        engine().collecting(PyObject_IsTrue(on) == 1);
        Py_RETURN_NONE;
    });
}

const char* rule_name(ResultRule rule) {
    switch (rule) {
        case ResultRule::Same:
            return "same";
        case ResultRule::Bool:
            return "bool";
        case ResultRule::Real:
            return "real";
        case ResultRule::UInt8:
            return "uint8";
        case ResultRule::Int32:
            return "int32";
    }
    unreachable("result rule");
}

PyObject* operations(PyObject*, PyObject*) {
    return guarded([&] {
        Ref rows = Ref::take(PyList_New(0));
        for (const Operation& op : kOperations) {
            std::string name(op.name), loops(op.loops);
            Ref row = Ref::take(Py_BuildValue("{s:s,s:i,s:s,s:s,s:I}", "name", name.c_str(), "inputs",
                                              static_cast<int>(op.inputs), "loops", loops.c_str(), "result",
                                              rule_name(op.result), "traits", op.traits));
            if (PyList_Append(rows.get(), row.get()) != 0) throw PythonError{};
        }
        return rows.release();
    });
}

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "numloom._core",
    "The array type and the engine. Use it through the package numloom.",
    -1,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

}  // namespace

PyMethodDef engine_functions[] = {
    {"set_hook", set_hook, METH_VARARGS, "set_hook(name, function): what Python code does for the binding."},
    {"flush", flush, METH_VARARGS, "flush(trigger='synchronise'): runs what is recorded."},
    {"before_fork", before_fork, METH_NOARGS,
     "before_fork(): runs what is recorded; others wait from now on."},
    {"after_fork", after_fork, METH_O, "after_fork(child): others go on, in the parent and in the child."},
    {"stats", stats, METH_NOARGS, "stats(): counters since start."},
    {"count_host_call", count_host_call, METH_NOARGS, "count_host_call(): NumPy did some work on the host."},
    {"mesh", mesh, METH_NOARGS, "mesh(): devices, size, processes, rank."},
    {"print_log", print_log, METH_NOARGS, "print_log(): what is recorded and has not run, as text."},
    {"print_plans", print_plans, METH_NOARGS,
     "print_plans(): plans of the evaluations since remember_plans(True)."},
    {"remember_plans", remember_plans, METH_O, "remember_plans(on)"},
    {"broadcast", broadcast, METH_O, "broadcast(data): process 0's bytes, in every process."},
    {"abort_job", abort_job, METH_O,
     "abort_job(code): ends all processes; nothing happens where there is one."},
    {"resolve_site", resolve_site_function, METH_VARARGS,
     "resolve_site(code, position): (file, line, function)."},
    {"here", here, METH_NOARGS, "here(): the call site of this call, for resolve_site."},
    {"collecting", collecting, METH_O,
     "collecting(on): called around cyclic garbage collection where there are several processes."},
    {"operations", operations, METH_NOARGS, "operations(): the rows of the operation table."},
    {},
};

}  // namespace numloom::python

PyMODINIT_FUNC PyInit__core(void) {
    using namespace numloom::python;
    return guarded([&] {
        Ref module = Ref::take(PyModule_Create(&definition));
        init_numpy();
        init_pin_type(module.get());
        init_array_type(module.get());
        init_scalar_type(module.get());
        init_ufunc_type(module.get());
        init_quick_types();
        init_float_errors();
        init_draws(module.get());
        if (PyModule_AddFunctions(module.get(), array_functions) != 0 ||
            PyModule_AddFunctions(module.get(), engine_functions) != 0 ||
            PyModule_AddFunctions(module.get(), library_functions) != 0 ||
            PyModule_AddFunctions(module.get(), draw_functions) != 0 ||
            PyModule_AddFunctions(module.get(), linalg_functions) != 0 ||
            PyModule_AddFunctions(module.get(), fast_functions) != 0 ||
            PyModule_AddFunctions(module.get(), float_error_functions) != 0 ||
            PyModule_AddFunctions(module.get(), quick_functions) != 0)
            throw PythonError{};
        return module.release();
    });
}
