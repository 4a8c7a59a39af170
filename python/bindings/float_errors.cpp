// Floating-point conditions: what NumPy's errstate and Python's warning filters ask for when an operation is
// recorded, and reporting what came up, in NumPy's words, at the line that recorded it.
#include <cmath>

#include "operand.hpp"

namespace numloom::python {

bool scalar_operands = false;
int manner = 0;

namespace {

// --- errstate ---

enum class Action : uint8_t { Ignore, Warn, Raise, Call, Print, Log };

struct KindName {
    uint8_t kind;
    const char* key;   // of geterr()
    const char* text;  // in messages
};
constexpr KindName kKinds[] = {{F_DIVIDE, "divide", "divide by zero"},
                               {F_OVERFLOW, "over", "overflow"},
                               {F_UNDERFLOW, "under", "underflow"},
                               {F_INVALID, "invalid", "invalid value"}};
constexpr const char* kActions[] = {"ignore", "warn", "raise", "call", "print", "log"};

PyObject* state_variable;  // the context variable behind errstate; nullptr: NumPy has moved it
PyObject* last_state;      // the object that the following was read from, kept alive so that it stays itself
Action actions[4];
uint8_t asked;    // kinds that are not ignored
bool only_warns;  // of them none does more

void read_state() {
    Ref state = Ref::take(PyObject_CallMethod(np.module, "geterr", nullptr));
    asked = 0;
    only_warns = true;
    for (int k = 0; k < 4; ++k) {
        PyObject* name = PyDict_GetItemString(state.get(), kKinds[k].key);
        actions[k] = Action::Warn;
        for (int a = 0; name && a < 6; ++a)
            if (PyUnicode_CompareWithASCIIString(name, kActions[a]) == 0) actions[k] = static_cast<Action>(a);
        if (actions[k] != Action::Ignore) asked |= kKinds[k].kind;
        only_warns = only_warns && actions[k] <= Action::Warn;
    }
}

void refresh_state() {
    if (!state_variable) return read_state();
    PyObject* state = nullptr;
    if (PyContextVar_Get(state_variable, nullptr, &state) < 0) throw PythonError{};
    Ref hold(state);
    if (state == last_state && state) [[likely]]
        return;
    read_state();
    Py_XSETREF(last_state, hold.release());
}

// --- warning filters ---

// Whether warnings wait for the evaluation, are wanted by nobody, or must come at the call: somebody collects
// them, or turns them into errors, in a block that may be left before the evaluation.
enum class Filters : uint8_t { Wait, Silent, AtCall };

PyObject* warnings_module;
PyObject* warnings_dict;  // borrowed from it
PyObject* usual_filters;  // the list outside of every catch_warnings()
PyObject* seen_filters;   // the list that `filters` was read from
PyObject* seen_first;     // its first entry, to see changes in place (borrowed, compared only)
Py_ssize_t seen_count = -1;
Filters filters = Filters::Wait;

// Whether the module's dict has changed since the last call: names were set, as catch_warnings() does.
#if PY_VERSION_HEX >= 0x030C0000
bool dict_changed = true;
int on_dict_change(PyDict_WatchEvent, PyObject*, PyObject*, PyObject*) {
    dict_changed = true;
    return 0;
}
void watch_dict() {
    const int id = PyDict_AddWatcher(on_dict_change);
    if (id < 0 || PyDict_Watch(id, warnings_dict) < 0) throw PythonError{};
}
bool take_change() { return std::exchange(dict_changed, false); }
#else
uint64_t seen_version = 0;
void watch_dict() {}
bool take_change() {
    const uint64_t now = reinterpret_cast<PyDictObject*>(warnings_dict)->ma_version_tag;
    return std::exchange(seen_version, now) != now;
}
#endif

PyObject* warnings_name(const char* name) { return PyDict_GetItemString(warnings_dict, name); }

// What a list of filters does with RuntimeWarning, as far as it says so for every message and place.
Filters read_filters(PyObject* list) {
    const bool usual = list == usual_filters;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
        PyObject* f = PyList_GET_ITEM(list, i);
        if (!PyTuple_Check(f) || PyTuple_GET_SIZE(f) != 5) return Filters::AtCall;
        const int covers = PyObject_IsSubclass(PyExc_RuntimeWarning, PyTuple_GET_ITEM(f, 2));
        if (covers < 0) PyErr_Clear();
        if (covers <= 0) continue;
        PyObject* action = PyTuple_GET_ITEM(f, 0);
        auto is = [&](const char* text) {
            return PyUnicode_Check(action) && PyUnicode_CompareWithASCIIString(action, text) == 0;
        };
        if (is("error")) return Filters::AtCall;
        const bool always = PyTuple_GET_ITEM(f, 1) == Py_None && PyTuple_GET_ITEM(f, 3) == Py_None &&
                            PyObject_Not(PyTuple_GET_ITEM(f, 4)) == 1;
        if (always) return is("ignore") ? Filters::Silent : usual ? Filters::Wait : Filters::AtCall;
        if (!usual) return Filters::AtCall;
    }
    return usual ? Filters::Wait : Filters::AtCall;
}

void refresh_filters() {
    const bool changed = take_change();
    if (!changed && PyList_GET_SIZE(seen_filters) == seen_count &&
        (seen_count == 0 || PyList_GET_ITEM(seen_filters, 0) == seen_first)) [[likely]]
        return;
    PyObject* list = warnings_name("filters");
    PyObject* show = warnings_name("_showwarnmsg_impl");
    if (!list || !PyList_Check(list)) list = usual_filters;
    Py_XSETREF(seen_filters, Py_NewRef(list));
    seen_count = PyList_GET_SIZE(list);
    seen_first = seen_count ? PyList_GET_ITEM(list, 0) : nullptr;
    filters = read_filters(list);
    // Collected by catch_warnings(record=True), or shown by somebody's own function.
    if (filters == Filters::Wait && ((show && !PyFunction_Check(show)) ||
                                     warnings_name("showwarning") != warnings_name("_showwarning_orig")))
        filters = Filters::AtCall;
}

uint16_t capture() {
    refresh_state();
    const int kinds = asked & ~manner & F_ALL;
    if (kinds == 0) return 0;
    const auto report =
        static_cast<uint16_t>(kinds | (scalar_operands ? kReportScalar : 0) | (manner & ~F_ALL));
    if (!only_warns) return report | kReportNow;
    refresh_filters();
    if (filters == Filters::Silent) return 0;
    return filters == Filters::Wait ? report : report | kReportNow;
}

// --- reporting ---

// The module whose file has this name: (its name, its registry of warnings that were shown).
Ref module_of(PyObject* file) {
    static PyObject* known = PyDict_New();
    if (PyObject* found = PyDict_GetItem(known, file)) return Ref::share(found);
    PyObject* modules = PyImport_GetModuleDict();
    PyObject *key, *module;
    Ref name, registry;
    for (Py_ssize_t at = 0; PyDict_Next(modules, &at, &key, &module);) {
        if (!PyModule_Check(module)) continue;
        PyObject* dict = PyModule_GetDict(module);
        PyObject* its = PyDict_GetItemString(dict, "__file__");
        if (!its || !PyUnicode_Check(its) || PyUnicode_Compare(its, file) != 0) continue;
        name = Ref::share(PyDict_GetItemString(dict, "__name__"));
        registry = Ref::share(PyDict_GetItemString(dict, "__warningregistry__"));
        if (!registry) {
            registry = Ref::take(PyDict_New());
            if (PyDict_SetItemString(dict, "__warningregistry__", registry.get()) < 0) throw PythonError{};
        }
        break;
    }
    if (!registry) registry = Ref::take(PyDict_New());
    Ref both = Ref::take(PyTuple_Pack(2, name ? name.get() : Py_None, registry.get()));
    if (PyDict_SetItem(known, file, both.get()) < 0) throw PythonError{};
    return both;
}

void warn_at(const Site& site, PyObject* category, PyObject* text) {
    if (!site.code) {
        if (PyErr_WarnFormat(category, 1, "%U", text) < 0) throw PythonError{};
        return;
    }
    const Ref where = resolve_site(site.code, site.position);
    PyObject *file, *function;
    int line;
    if (!PyArg_ParseTuple(where.get(), "OiO", &file, &line, &function)) throw PythonError{};
    const Ref module = module_of(file);
    PyObject* name = PyTuple_GET_ITEM(module.get(), 0);
    if (PyErr_WarnExplicitObject(category, text, file, line, name == Py_None ? nullptr : name,
                                 PyTuple_GET_ITEM(module.get(), 1)) < 0)
        throw PythonError{};
}

void act(Action action, const Report& r, const KindName& kind, PyObject* text) {
    switch (action) {
        case Action::Ignore:
            return;
        case Action::Warn:
            return warn_at(r.site, PyExc_RuntimeWarning, text);
        case Action::Raise:
            PyErr_SetObject(PyExc_FloatingPointError, text);
            throw PythonError{};
        case Action::Print:
            PySys_FormatStderr("Warning: %U\n", text);
            return;
        default:
            break;
    }
    const Ref callee = Ref::take(PyObject_CallMethod(np.module, "geterrcall", nullptr));
    const bool call = action == Action::Call;
    if (callee.get() == Py_None) {
        const std::string name = (r.scalar ? "scalar " : "") + r.name;
        if (call)
            PyErr_Format(PyExc_NameError, "python callback specified for %s (in  %s) but no function found.",
                         kind.text, name.c_str());
        else
            PyErr_Format(PyExc_NameError,
                         "log specified for %s (in %s) but no object with write method found.", kind.text,
                         name.c_str());
        throw PythonError{};
    }
    if (call) {
        Ref::take(PyObject_CallFunction(callee.get(), "si", kind.text, static_cast<int>(r.kinds)));
    } else {
        const Ref line = Ref::take(PyUnicode_FromFormat("Warning: %U\n", text));
        Ref::take(PyObject_CallMethod(callee.get(), "write", "O", line.get()));
    }
}

void deliver(std::span<const Report> reports) {
    for (const Report& r : reports) {
        Action now[4] = {Action::Warn, Action::Warn, Action::Warn, Action::Warn};
        if (r.now) {
            refresh_state();
            std::copy_n(actions, 4, now);
        }
        for (int k = 0; k < 4; ++k) {
            if ((r.kinds & kKinds[k].kind) == 0) continue;
            const Ref text = Ref::take(PyUnicode_FromFormat("%s encountered in %s%s", kKinds[k].text,
                                                            r.scalar ? "scalar " : "", r.name.c_str()));
            act(now[k], r, kKinds[k], text.get());
        }
    }
}

PyObject* reporting(PyObject*, PyObject* how) {
    const long next = PyLong_AsLong(how);
    if (next == -1 && PyErr_Occurred()) return nullptr;
    constexpr long most = (static_cast<long>(std::size(kReportNames)) << kReportNameShift) - 1;
    if (next < 0 || next > most || (next & 0xff & ~(kReportScalar | F_ALL)) != 0) {
        PyErr_SetString(PyExc_ValueError, "reporting(how) takes what report_as() returns");
        return nullptr;
    }
    return PyLong_FromLong(std::exchange(manner, static_cast<int>(next)));
}

PyObject* report_as_name(PyObject*, PyObject* args) {
    const char* name;
    int without = 0, is_scalar = 0;
    if (!PyArg_ParseTuple(args, "s|ip", &name, &without, &is_scalar)) return nullptr;
    for (size_t k = 0; k < std::size(kReportNames); ++k)
        if (kReportNames[k] == name)
            return PyLong_FromLong(static_cast<long>(k << kReportNameShift) | (without & F_ALL) |
                                   (is_scalar != 0 ? kReportScalar : 0));
    PyErr_Format(PyExc_ValueError, "nothing is reported as of '%s'", name);
    return nullptr;
}

}  // namespace

uint16_t asked_reports() { return capture(); }

void report_now(const char* name, uint8_t kinds, uint16_t report) {
    kinds = static_cast<uint8_t>(kinds & report & F_ALL);
    if (kinds == 0) return;
    // Every process comes by here; one of them warns, as after an evaluation.
    if ((report & kReportNow) == 0 && engine().mesh().rank != 0) return;
    const Report one{current_site(), name, kinds, (report & kReportScalar) != 0, (report & kReportNow) != 0};
    deliver({&one, 1});
}

Scalar cast_reported(const Scalar& value, DType from, DType to) {
    const Scalar s = cast_scalar(value, from, to);
    if (to != DType::Float16 && to != DType::Float32 && to != DType::Complex64) return s;
    using Wide = std::complex<double>;
    const Wide x = cast_scalar(value, from, DType::Complex128).as<Wide>();
    const Wide y = cast_scalar(s, to, DType::Complex128).as<Wide>();
    if ((std::isfinite(x.real()) && std::isinf(y.real())) ||
        (std::isfinite(x.imag()) && std::isinf(y.imag())))
        report_now("cast", F_OVERFLOW, asked_reports());
    return s;
}

void warn_user(PyObject* category, const char* text) {
    refresh_filters();
    if (filters != Filters::AtCall && engine().mesh().rank != 0) return;
    const Ref words = Ref::take(PyUnicode_FromString(text));
    warn_at(current_site(), category, words.get());
}

PyMethodDef float_error_functions[] = {
    {"reporting", reporting, METH_O,
     "reporting(how): floating-point conditions of what is recorded from "
     "now on are reported as usual (0) or as report_as() says. Returns what "
     "held before."},
    {"report_as", report_as_name, METH_VARARGS,
     "report_as(name, without=0, scalar=False): for reporting(): as of the "
     "function of this name (\"\": their own), but for the kinds `without`, as "
     "of scalars."},
    {nullptr, nullptr, 0, nullptr}};

void init_float_errors() {
    Ref umath(PyImport_ImportModule("numpy._core.umath"));
    if (umath) state_variable = PyObject_GetAttrString(umath.get(), "_extobj_contextvar");
    PyErr_Clear();
    warnings_module = Ref::take(PyImport_ImportModule("warnings")).release();
    warnings_dict = PyModule_GetDict(warnings_module);
    const Ref native = Ref::take(PyImport_ImportModule("_warnings"));
    usual_filters = Ref::take(PyObject_GetAttrString(native.get(), "filters")).release();
    seen_filters = Py_NewRef(usual_filters);
    watch_dict();
    engine().set_report_hooks({capture, deliver});
}

}  // namespace numloom::python
