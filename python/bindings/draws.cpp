// Random numbers: NumPy's bit generators, whose memory the library draws from, and what is drawn as arrays of
// ours.
#include "library/draws.hpp"

#include <cmath>
#include <cstring>
#include <memory>
#include <optional>

#include "operand.hpp"

// After our headers: it defines short macros.
#include <structmember.h>

namespace numloom::python {
namespace {

using library::BitGenerator;
using library::KeptNormal;

constexpr int64_t kLong = 2048;  // numbers from which other threads may run meanwhile

const BitGenerator& bits_of(PyObject* capsule) {
    auto* bits = static_cast<BitGenerator*>(PyCapsule_GetPointer(capsule, "BitGenerator"));
    if (!bits) throw PythonError{};
    return *bits;
}

KeptNormal* kept_of(PyObject* address) {
    auto* kept = static_cast<KeptNormal*>(PyLong_AsVoidPtr(address));
    if (PyErr_Occurred()) throw PythonError{};
    return kept;
}

int64_t integer(PyObject* o) {
    const long long n = PyLong_AsLongLong(o);
    if (n == -1 && PyErr_Occurred()) throw PythonError{};
    return n;
}

// An int or a tuple of ints; false for what NumPy should look at.
bool to_dims(PyObject* size, Dims* dims) {
    constexpr int64_t kMost = int64_t{1} << 56;
    int64_t product = 1;
    const auto add = [&](PyObject* o) {
        if (!PyLong_CheckExact(o)) return false;
        int overflow;
        const int64_t n = PyLong_AsLongLongAndOverflow(o, &overflow);
        if (overflow || n < 0 || n > kMost || (n > 0 && product > kMost / n)) return false;
        product *= n;
        dims->push(n);
        return true;
    };
    if (!PyTuple_CheckExact(size)) return add(size);
    if (PyTuple_GET_SIZE(size) > 32) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(size); ++i)
        if (!add(PyTuple_GET_ITEM(size, i))) return false;
    return true;
}

// Before the first draw.
void need_ziggurats() {
    static bool there = false;
    if (!there) read_ziggurats();
    there = true;
}

// A fresh array and the memory that its numbers go to: its own where that is in one piece on the host.
class Target {
  public:
    Target(DType d, const Dims& dims) : dtype_(d), dims_(dims), array_(engine().empty(d, dims)) {
        to_ = array_.size() == 0 ? nullptr : engine().host_address(array_, Trigger::Export);
        if (!to_) {
            room_.reset(new char[static_cast<size_t>(std::max<int64_t>(1, array_.size() * item_size(d)))]);
            to_ = room_.get();
        }
    }
    char* memory() const { return to_; }
    int64_t size() const { return array_.size(); }
    PyObject* take() {
        if (room_ && array_.size() > 0) array_ = engine().from_host(dtype_, dims_, room_.get());
        return new_array(std::move(array_));
    }

  private:
    DType dtype_;
    Dims dims_;
    Array array_;
    std::unique_ptr<char[]> room_;
    char* to_;
};

// Values of 8 bytes: one Python number, or those of a NumPy array.
class Values {
  public:
    ~Values() {
        if (view_) PyBuffer_Release(&*view_);
    }
    // False where NumPy should look at the object.
    bool set(PyObject* o, bool is_integer, bool is_unsigned) {
        n_ = 1;
        if (PyLong_Check(o) && is_integer) {
            int overflow = 0;
            one_ = is_unsigned ? static_cast<int64_t>(PyLong_AsUnsignedLongLongMask(o))
                               : PyLong_AsLongLongAndOverflow(o, &overflow);
            if (PyErr_Occurred()) throw PythonError{};
            at_ = &one_;
            return !overflow;
        }
        if ((PyFloat_Check(o) || PyLong_Check(o)) && !is_integer) {
            const double x = PyFloat_AsDouble(o);
            if (x == -1.0 && PyErr_Occurred()) {
                PyErr_Clear();
                return false;
            }
            std::memcpy(&one_, &x, sizeof x);
            at_ = &one_;
            return true;
        }
        if (!Py_IS_TYPE(o, np.ndarray)) return false;
        Py_buffer view;
        if (PyObject_GetBuffer(o, &view, PyBUF_C_CONTIGUOUS) != 0) throw PythonError{};
        view_ = view;
        if (view.itemsize != 8) raise(PyExc_ValueError, "parameters of 8 bytes each");
        n_ = view.len / 8;
        at_ = view.buf;
        each_ = true;
        return true;
    }
    const void* at() const { return at_; }
    bool each() const { return each_; }
    int64_t size() const { return n_; }

  private:
    std::optional<Py_buffer> view_;
    const void* at_ = nullptr;
    int64_t one_ = 0, n_ = 0;
    bool each_ = false;
};

// The parameters of a distribution.
struct Parameters {
    int arity = 0;
    Values values[3];

    // False where NumPy should look at them, because one is not allowed or not known.
    bool set(const library::Distribution& distribution, PyObject* const* args) {
        arity = distribution.arity;
        const bool is_unsigned = distribution.name.find("integers") != std::string_view::npos;
        for (int i = 0; i < arity; ++i) {
            const bool whole = distribution.integer[i];
            if (!values[i].set(args[i], whole, is_unsigned)) return false;
            if (!library::allowed(distribution.constraints[i], whole, values[i].at(), values[i].size()))
                return false;
        }
        return true;
    }
    void give(library::Draws* draws) const {
        for (int i = 0; i < arity; ++i) {
            draws->parameters[i] = values[i].at();
            draws->each[i] = values[i].each();
        }
    }
    void require(int64_t n) const {
        for (int i = 0; i < arity; ++i)
            if (values[i].each() && values[i].size() != n)
                raise(PyExc_ValueError, "one parameter for each number");
    }
};

const library::Distribution& distribution_of(PyObject* o) {
    const int64_t name = integer(o);
    if (name < 0 || name >= std::ssize(library::distributions()))
        raise(PyExc_ValueError, "no such distribution");
    return library::distributions()[static_cast<size_t>(name)];
}

PyObject* number(DType d, const char* bytes) {
    return numloom::dispatch(d, [&](auto t) -> PyObject* {
        using T = typename decltype(t)::type;
        T x;
        std::memcpy(&x, bytes, sizeof x);
        if constexpr (std::is_floating_point_v<T>)
            return PyFloat_FromDouble(static_cast<double>(x));
        else if constexpr (std::is_same_v<T, bool>)
            return PyLong_FromLong(x);
        else if constexpr (std::is_unsigned_v<T>)
            return PyLong_FromUnsignedLongLong(x);
        else if constexpr (std::is_integral_v<T>)
            return PyLong_FromLongLong(x);
        else
            return Py_NewRef(Py_None);
    });
}

// draw(capsule, kept, distribution, dtype, size, *parameters): a number where size is None, else an array;
// NotImplemented where NumPy should look at the arguments.
PyObject* draw(PyObject*, PyObject* const* args, Py_ssize_t n) {
    return guarded([&]() -> PyObject* {
        need_ziggurats();
        if (n < 5) raise(PyExc_TypeError, "draw(capsule, kept, distribution, dtype, size, *parameters)");
        const BitGenerator& bits = bits_of(args[0]);
        KeptNormal* const kept = kept_of(args[1]);
        const library::Distribution& distribution = distribution_of(args[2]);
        if (n != 5 + distribution.arity) raise(PyExc_TypeError, "another number of parameters");
        const DType d = args[3] == Py_None ? distribution.result : require_dtype(args[3]);
        if (item_size(d) != item_size(distribution.result)) raise(PyExc_TypeError, "numbers of another size");
        Dims dims;
        if (args[4] != Py_None && !to_dims(args[4], &dims)) Py_RETURN_NOTIMPLEMENTED;
        Parameters parameters;
        if (!parameters.set(distribution, args + 5)) Py_RETURN_NOTIMPLEMENTED;
        library::Draws draws{};
        draws.distribution = static_cast<int>(&distribution - library::distributions().data());
        parameters.give(&draws);
        lend_threads();
        if (args[4] == Py_None) {
            char one[8];
            draws.out = one;
            draws.n = 1;
            library::draw(bits, kept, draws);
            return number(d, one);
        }
        Target target(d, dims);
        draws.out = target.memory();
        draws.n = target.size();
        parameters.require(draws.n);
        if (draws.n < kLong) {
            library::draw(bits, kept, draws);
        } else {
            const LetOthersIn unlocked;
            library::draw(bits, kept, draws);
        }
        return target.take();
    });
}

// draw_free(key, name, first, distribution, dtype, size, *parameters): numbers of a Philox stream from number
// `first` on, recorded; NotImplemented where NumPy should look at the arguments.
PyObject* draw_free(PyObject*, PyObject* const* args, Py_ssize_t n) {
    return guarded([&]() -> PyObject* {
        need_ziggurats();
        if (n < 6)
            raise(PyExc_TypeError, "draw_free(key, name, first, distribution, dtype, size, *parameters)");
        const uint64_t words[3] = {PyLong_AsUnsignedLongLongMask(args[0]),
                                   PyLong_AsUnsignedLongLongMask(args[1]),
                                   PyLong_AsUnsignedLongLongMask(args[2])};
        if (PyErr_Occurred()) throw PythonError{};
        const library::Distribution& distribution = distribution_of(args[3]);
        if (n != 6 + distribution.arity) raise(PyExc_TypeError, "another number of parameters");
        const DType d = args[4] == Py_None ? distribution.result : require_dtype(args[4]);
        if (item_size(d) != item_size(distribution.result)) raise(PyExc_TypeError, "numbers of another size");
        Dims dims;
        Parameters parameters;
        if (!to_dims(args[5], &dims) || !parameters.set(distribution, args + 6)) Py_RETURN_NOTIMPLEMENTED;
        Array out = engine().empty(d, dims);
        parameters.require(out.size());
        int64_t numbers[5] = {&distribution - library::distributions().data()};
        std::vector<int64_t> each;  // the parameters of each number, one parameter after the other
        for (int i = 0; i < distribution.arity; ++i) {
            const Values& v = parameters.values[i];
            const auto* at = static_cast<const int64_t*>(v.at());
            if (v.each()) {
                numbers[1] |= int64_t{1} << i;
                each.insert(each.end(), at, at + v.size());
            } else {
                numbers[2 + i] = *at;
            }
        }
        const int64_t three = 3, count = std::ssize(each);
        const Array held = engine().from_host(DType::UInt64, {&three, 1}, words);
        const Array more = count ? engine().from_host(DType::Int64, {&count, 1}, each.data()) : held;
        const Operand in[] = {held.operand(), more.operand()};
        record_call("philox_draw", numbers, out.operand(), {in, count ? size_t{2} : size_t{1}});
        return new_array(std::move(out));
    });
}

// draw_rows(capsule, kept, kind, shape, n, weights): rows along the last axis of an array of that shape. n:
// int64, weights: float64 or int64, NumPy arrays with one value (width values) or one for each row.
PyObject* draw_rows(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        need_ziggurats();
        PyObject *capsule, *address, *shape, *n, *weights;
        int kind;
        if (!PyArg_ParseTuple(args, "OOiOOO", &capsule, &address, &kind, &shape, &n, &weights))
            throw PythonError{};
        const BitGenerator& bits = bits_of(capsule);
        KeptNormal* const kept = kept_of(address);
        library::RowDraws rows{};
        rows.kind = static_cast<library::RowDraws::Kind>(kind);
        Dims dims;
        if (!to_dims(shape, &dims) || dims.n == 0) Py_RETURN_NOTIMPLEMENTED;
        const bool real =
            rows.kind == library::RowDraws::Dirichlet || rows.kind == library::RowDraws::LegacyDirichlet;
        Values counts, places;
        if (!counts.set(n, true, false) || !places.set(weights, true, false)) Py_RETURN_NOTIMPLEMENTED;
        Target target(real ? DType::Float64 : DType::Int64, dims);
        rows.width = dims[dims.n - 1];
        rows.rows = rows.width ? target.size() / rows.width : 0;
        if (rows.rows == 0) return target.take();
        rows.n = static_cast<const int64_t*>(counts.at());
        rows.weights = places.at();
        rows.each_n = counts.size() > 1;
        rows.each_weights = places.size() > rows.width;
        if (rows.rows > 0 && ((rows.each_n && counts.size() != rows.rows) || places.size() < rows.width ||
                              (rows.each_weights && places.size() != rows.rows * rows.width)))
            raise(PyExc_ValueError, "parameters for each row");
        rows.out = target.memory();
        std::memset(rows.out, 0, static_cast<size_t>(8 * target.size()));
        {
            const LetOthersIn unlocked;
            library::draw_rows(bits, kept, rows);
        }
        return target.take();
    });
}

// draw_shuffled(capsule, n, first, lemire): the numbers below n, swapped from the last down to `first`.
PyObject* draw_shuffled(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* capsule;
        long long n, first;
        int lemire;
        if (!PyArg_ParseTuple(args, "OLLp", &capsule, &n, &first, &lemire)) throw PythonError{};
        const BitGenerator& bits = bits_of(capsule);
        Dims dims;
        dims.push(std::max(n, 0LL));
        Target target(DType::Int64, dims);
        {
            const LetOthersIn unlocked;
            library::draw_shuffled(bits, n, first, lemire != 0, reinterpret_cast<int64_t*>(target.memory()));
        }
        return target.take();
    });
}

// draw_sample(capsule, population, n, shuffle): n different numbers below `population`.
PyObject* draw_sample(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject* capsule;
        long long population, n;
        int shuffle;
        if (!PyArg_ParseTuple(args, "OLLp", &capsule, &population, &n, &shuffle)) throw PythonError{};
        const BitGenerator& bits = bits_of(capsule);
        if (n < 0 || n > population) raise(PyExc_ValueError, "a sample larger than its population");
        Dims dims;
        dims.push(n);
        Target target(DType::Int64, dims);
        {
            const LetOthersIn unlocked;
            library::draw_sample(bits, population, n, shuffle != 0,
                                 reinterpret_cast<int64_t*>(target.memory()));
        }
        return target.take();
    });
}

// draw_later(capsule, size): uniform numbers of PCG64, recorded; the bit generator goes on behind them at
// once. NotImplemented for other bit generators.
PyObject* draw_later(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject *capsule, *size;
        if (!PyArg_ParseTuple(args, "OO", &capsule, &size)) throw PythonError{};
        unsigned __int128* const state = library::pcg64_words(bits_of(capsule));
        Dims dims;
        if (!state || !to_dims(size, &dims)) Py_RETURN_NOTIMPLEMENTED;
        const uint64_t words[] = {static_cast<uint64_t>(state[0] >> 64), static_cast<uint64_t>(state[0]),
                                  static_cast<uint64_t>(state[1] >> 64), static_cast<uint64_t>(state[1])};
        Array out = engine().empty(DType::Float64, dims);
        const int64_t four = 4;
        const Array held = engine().from_host(DType::UInt64, {&four, 1}, words);
        const Operand in = held.operand();
        record_call("pcg64_uniform", {}, out.operand(), {&in, 1});
        library::pcg64_skip(state, out.size());
        return new_array(std::move(out));
    });
}

// The normal number that a numpy.random.RandomState keeps; nullptr where it can't be told. In its object lie
// a copy of the bit generator's functions and, right behind, a pointer to that copy and the number: nothing
// else points there.
KeptNormal* kept_normal(PyObject* state, const BitGenerator& bits) {
    struct Behind {
        const void* bits;
        KeptNormal kept;
    };
    char* const begin = reinterpret_cast<char*>(state);
    const Py_ssize_t size = Py_TYPE(state)->tp_basicsize;
    const auto need = static_cast<Py_ssize_t>(sizeof(BitGenerator) + sizeof(Behind));
    for (Py_ssize_t at = sizeof(PyObject); at + need <= size; at += 8) {
        char* const copy = begin + at;
        auto* const behind = reinterpret_cast<Behind*>(copy + sizeof(BitGenerator));
        if (std::memcmp(copy, &bits, sizeof bits) == 0 && behind->bits == copy &&
            (behind->kept.there == 0 || behind->kept.there == 1))
            return &behind->kept;
    }
    return nullptr;
}

// --- streams and everyday calls ---

// A bit generator as methods draw from it.
struct StreamObject {
    PyObject_HEAD PyObject *bits, *capsule, *lock, *free, *kept, *acquire, *release;
    const BitGenerator* generator;
    KeptNormal* kept_at;
};
PyTypeObject* stream_type;
StreamObject* as_stream(PyObject* o) { return reinterpret_cast<StreamObject*>(o); }

PyObject* attribute(PyObject* o, const char* name) {
    return Ref::take(PyObject_GetAttrString(o, name)).release();
}

// stream(bits, state=None): `state` is the RandomState that draws from the bit generator.
PyObject* stream_new(PyTypeObject* type, PyObject* args, PyObject*) {
    return guarded([&]() -> PyObject* {
        PyObject *bits, *state = Py_None;
        if (!PyArg_ParseTuple(args, "O|O", &bits, &state)) throw PythonError{};
        Ref made = Ref::take(type->tp_alloc(type, 0));
        StreamObject* s = as_stream(made.get());
        s->bits = Py_NewRef(bits);
        s->capsule = attribute(bits, "capsule");
        s->lock = attribute(bits, "lock");
        s->acquire = attribute(s->lock, "acquire");
        s->release = attribute(s->lock, "release");
        s->free = Py_NewRef(Py_None);
        s->generator = &bits_of(s->capsule);
        s->kept_at = state == Py_None ? nullptr : kept_normal(state, *s->generator);
        s->kept = Ref::take(PyLong_FromVoidPtr(s->kept_at)).release();
        return made.release();
    });
}

void stream_dealloc(PyObject* self) {
    StreamObject* s = as_stream(self);
    for (PyObject* o : {s->bits, s->capsule, s->lock, s->free, s->kept, s->acquire, s->release})
        Py_XDECREF(o);
    PyTypeObject* type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

PyMemberDef stream_members[] = {
    {"bits", T_OBJECT, offsetof(StreamObject, bits), READONLY, nullptr},
    {"capsule", T_OBJECT, offsetof(StreamObject, capsule), READONLY, nullptr},
    {"lock", T_OBJECT, offsetof(StreamObject, lock), READONLY, nullptr},
    {"free", T_OBJECT, offsetof(StreamObject, free), 0, nullptr},
    {"kept", T_OBJECT, offsetof(StreamObject, kept), READONLY, nullptr},
    {},
};

// The stream's lock for the time of a short draw.
class Locked {
  public:
    explicit Locked(StreamObject* s) : s_(s) { Ref::take(PyObject_CallNoArgs(s->acquire)); }
    ~Locked() {
        PyObject* done = PyObject_CallNoArgs(s_->release);
        if (!done) PyErr_WriteUnraisable(s_->lock);
        Py_XDECREF(done);
    }
    Locked(const Locked&) = delete;

  private:
    StreamObject* s_;
};

struct Names {
    PyObject *stream, *bits, *size;
};
Names interned;

}  // namespace

struct QuickDraw {
    enum Form : int { Plain, Arguments, Integers, LegacyIntegers, Between } form;
    const library::Distribution* distribution;
    int number, required;
    PyObject* defaults;  // of the parameters from `required` on
    PyObject* holder;    // who has the stream; nullptr: the object whose method this is
    PyObject* hidden;    // the RandomState whose bit generator the holder's stream must have; nullptr: any

    ~QuickDraw() {
        Py_XDECREF(defaults);
        Py_XDECREF(holder);
        Py_XDECREF(hidden);
    }
};

namespace {

// What is drawn by an everyday call: parameters as they are, and the size or nullptr.
struct Everyday {
    PyObject* values[3];
    PyObject* size = nullptr;
    Dims dims;
};

// The sizes of rand(2, 3).
bool read_sizes(PyObject* const* args, Py_ssize_t n, Everyday* out) {
    if (n > 32) return false;
    int64_t product = 1;
    for (Py_ssize_t i = 0; i < n; ++i) {
        if (!PyLong_CheckExact(args[i])) return false;
        int overflow;
        const long long m = PyLong_AsLongLongAndOverflow(args[i], &overflow);
        if (overflow || m < 0 || m > kLong || (product *= m) > kLong) return false;
        out->dims.push(m);
    }
    out->size = n ? args[0] : nullptr;
    return true;
}

// Reads the arguments; false where the call is of another form.
bool read_arguments(const QuickDraw& q, PyObject* const* args, Py_ssize_t n, PyObject* names, Everyday* out) {
    const Py_ssize_t keywords = names ? PyTuple_GET_SIZE(names) : 0;
    if (q.form == QuickDraw::Arguments) return keywords == 0 && read_sizes(args, n, out);
    const int most = q.distribution->arity;
    if (keywords > 1 || (keywords == 1 && PyTuple_GET_ITEM(names, 0) != interned.size)) return false;
    if (n < q.required || n > most + 1 || (n == most + 1 && keywords)) return false;
    for (int i = 0; i < most; ++i)
        out->values[i] = i < n ? args[i] : PyTuple_GET_ITEM(q.defaults, i - q.required);
    out->size = keywords ? args[n] : n == most + 1 ? args[most] : nullptr;
    if (out->size == Py_None) out->size = nullptr;
    return !out->size || to_dims(out->size, &out->dims);
}

// low and high of integers as offset and range; false for what is not everyday.
bool read_bounds(const Everyday& e, uint64_t* offset, uint64_t* range) {
    PyObject* const first = e.values[0];
    PyObject* const second = e.values[1];
    if (!PyLong_CheckExact(first) || !(second == Py_None || PyLong_CheckExact(second))) return false;
    int over[2] = {0, 0};
    int64_t low = PyLong_AsLongLongAndOverflow(first, &over[0]);
    const int64_t high = second == Py_None ? low : PyLong_AsLongLongAndOverflow(second, &over[1]);
    if (second == Py_None) low = 0;
    if (over[0] || over[1] || low >= high) return false;
    *offset = static_cast<uint64_t>(low);
    *range = static_cast<uint64_t>(high) - 1 - static_cast<uint64_t>(low);
    return true;
}

// The stream that the call draws from; empty where Python should look.
Ref stream_for(const QuickDraw& q, PyObject* self) {
    Ref stream(PyObject_GetAttr(q.holder ? q.holder : self, interned.stream));
    if (!stream) {
        PyErr_Clear();
        return Ref();
    }
    if (!Py_IS_TYPE(stream.get(), stream_type)) return Ref();
    if (q.hidden) {
        const Ref bits = Ref::take(PyObject_GetAttr(q.hidden, interned.bits));
        if (bits.get() != as_stream(stream.get())->bits) return Ref();
    }
    if (q.distribution->name.starts_with("legacy_") && !as_stream(stream.get())->kept_at) return Ref();
    return stream;
}

// What is drawn, from the arguments.
bool read_draws(const QuickDraw& q, const Everyday& e, Parameters* parameters, uint64_t (&bounds)[2],
                library::Draws* draws) {
    draws->distribution = q.number;
    draws->n = 1;
    for (int64_t m : e.dims) draws->n *= m;
    if (draws->n >= kLong) return false;
    if (q.form == QuickDraw::Integers || q.form == QuickDraw::LegacyIntegers) {
        if (!read_bounds(e, &bounds[0], &bounds[1])) return false;
        draws->parameters[0] = &bounds[0];
        draws->parameters[1] = &bounds[1];
    } else if (q.form == QuickDraw::Plain) {
        for (int i = 0; i < q.distribution->arity; ++i)
            if (!PyLong_CheckExact(e.values[i]) && !PyFloat_CheckExact(e.values[i])) return false;
        if (!parameters->set(*q.distribution, e.values)) return false;
        parameters->give(draws);
    } else if (q.form == QuickDraw::Between) {
        double numbers[2];
        for (int i = 0; i < 2; ++i) {
            if (!PyLong_CheckExact(e.values[i]) && !PyFloat_CheckExact(e.values[i])) return false;
            numbers[i] = PyFloat_AsDouble(e.values[i]);
            if (PyErr_Occurred()) {
                PyErr_Clear();
                return false;
            }
        }
        const double range = numbers[1] - numbers[0];
        if (!(range >= 0) || std::isinf(range)) return false;
        std::memcpy(&bounds[0], &numbers[0], 8);
        std::memcpy(&bounds[1], &range, 8);
        draws->parameters[0] = &bounds[0];
        draws->parameters[1] = &bounds[1];
    }
    return true;
}

}  // namespace

PyObject* quick_draw(const QuickDraw& q, PyObject* const* args, Py_ssize_t n, PyObject* names) {
    const bool method = !q.holder;
    if (n < method) return nullptr;
    Everyday e;
    Parameters parameters;
    uint64_t bounds[2];
    library::Draws draws{};
    if (!read_arguments(q, args + method, n - method, names, &e) ||
        !read_draws(q, e, &parameters, bounds, &draws))
        return nullptr;
    need_ziggurats();
    const Ref held = stream_for(q, method ? args[0] : nullptr);
    if (!held) return nullptr;
    StreamObject* const stream = as_stream(held.get());
    const bool integers = q.form == QuickDraw::Integers || q.form == QuickDraw::LegacyIntegers;
    const DType d = integers ? DType::Int64 : q.distribution->result;
    const auto fill = [&](char* to) {
        draws.out = to;
        Locked lock(stream);
        library::draw(*stream->generator, stream->kept_at, draws);
    };
    if (!e.size) {
        char one[8];
        fill(one);
        return q.form == QuickDraw::Integers ? make_numpy_scalar(d, one) : number(d, one);
    }
    lend_threads();
    Target target(d, e.dims);
    fill(target.memory());
    return target.take();
}

QuickDraw* make_quick_draw(int form, int number, PyObject* defaults, PyObject* holder, PyObject* hidden) {
    if (number < 0 || number >= std::ssize(library::distributions()) || !PyTuple_Check(defaults))
        raise(PyExc_ValueError, "no such distribution");
    const library::Distribution& d = library::distributions()[static_cast<size_t>(number)];
    const auto given = static_cast<int>(PyTuple_GET_SIZE(defaults));
    if (given > d.arity) raise(PyExc_ValueError, "more defaults than parameters");
    const auto share = [](PyObject* o) { return o == Py_None ? nullptr : Py_NewRef(o); };
    return new QuickDraw{static_cast<QuickDraw::Form>(form),
                         &d,
                         number,
                         d.arity - given,
                         Py_NewRef(defaults),
                         share(holder),
                         share(hidden)};
}

void drop_quick_draw(QuickDraw* q) { delete q; }

void init_draws(PyObject* module) {
    interned = {Ref::take(PyUnicode_InternFromString("_stream")).release(),
                Ref::take(PyUnicode_InternFromString("_bit_generator")).release(),
                Ref::take(PyUnicode_InternFromString("size")).release()};
    PyType_Slot slots[] = {
        {Py_tp_new, reinterpret_cast<void*>(stream_new)},
        {Py_tp_dealloc, reinterpret_cast<void*>(stream_dealloc)},
        {Py_tp_members, stream_members},
        {0, nullptr},
    };
    PyType_Spec spec = {"numloom._core.stream", sizeof(StreamObject), 0, Py_TPFLAGS_DEFAULT, slots};
    stream_type = reinterpret_cast<PyTypeObject*>(Ref::take(PyType_FromSpec(&spec)).release());
    if (PyModule_AddObjectRef(module, "stream", reinterpret_cast<PyObject*>(stream_type)) != 0)
        throw PythonError{};
}

namespace {

PyObject* know_bits(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        const char* name;
        PyObject* capsule;
        if (!PyArg_ParseTuple(args, "sO", &name, &capsule)) throw PythonError{};
        return PyBool_FromLong(library::know_bit_generator(name, bits_of(capsule)));
    });
}

// distributions(): the names in order.
PyObject* names(PyObject*, PyObject*) {
    return guarded([&]() -> PyObject* {
        Ref list = Ref::take(PyList_New(0));
        for (const library::Distribution& d : library::distributions()) {
            Ref text = Ref::take(PyUnicode_FromStringAndSize(d.name.data(), std::ssize(d.name)));
            if (PyList_Append(list.get(), text.get()) != 0) throw PythonError{};
        }
        return list.release();
    });
}

}  // namespace

PyMethodDef draw_functions[] = {
    {"draw", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(draw)), METH_FASTCALL,
     "draw(capsule, kept, distribution, dtype, size, *parameters): numbers of NumPy's stream."},
    {"draw_free", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(draw_free)), METH_FASTCALL,
     "draw_free(key, name, first, distribution, dtype, size, *parameters): numbers of a Philox stream, "
     "recorded."},
    {"draw_rows", draw_rows, METH_VARARGS,
     "draw_rows(capsule, kept, kind, shape, n, weights): rows of numbers that belong together."},
    {"draw_shuffled", draw_shuffled, METH_VARARGS,
     "draw_shuffled(capsule, n, first, lemire): positions in random order."},
    {"draw_sample", draw_sample, METH_VARARGS,
     "draw_sample(capsule, population, n, shuffle): different numbers below `population`."},
    {"draw_later", draw_later, METH_VARARGS,
     "draw_later(capsule, size): uniform numbers of PCG64, recorded, else NotImplemented."},
    {"know_bits", know_bits, METH_VARARGS,
     "know_bits(name, capsule): makes a kind of bit generators known, by one that nobody else uses."},
    {"distributions", names, METH_NOARGS, "distributions(): their names; a distribution is its position."},
    {},
};

}  // namespace numloom::python
