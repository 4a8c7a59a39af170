// Random numbers: NumPy's bit generators, whose memory the library draws from, and what is drawn as arrays of
// ours.
#include "library/draws.hpp"

#include <cstring>
#include <memory>
#include <optional>

#include "operand.hpp"

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
        rows.n = static_cast<const int64_t*>(counts.at());
        rows.weights = places.at();
        rows.each_n = counts.size() > 1;
        rows.each_weights = places.size() > rows.width;
        if ((rows.each_n && counts.size() != rows.rows) || places.size() < rows.width ||
            (rows.each_weights && places.size() != rows.rows * rows.width))
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

// kept_normal(state, capsule): the address of the normal number that a numpy.random.RandomState keeps; 0
// where it can't be told. In its object lie a copy of the bit generator's functions and, right behind, a
// pointer to that copy and the number: nothing else points there.
PyObject* kept_normal(PyObject*, PyObject* args) {
    return guarded([&]() -> PyObject* {
        PyObject *state, *capsule;
        if (!PyArg_ParseTuple(args, "OO", &state, &capsule)) throw PythonError{};
        const BitGenerator& bits = bits_of(capsule);
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
                return PyLong_FromVoidPtr(&behind->kept);
        }
        return PyLong_FromLong(0);
    });
}

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
    {"kept_normal", kept_normal, METH_VARARGS,
     "kept_normal(state, capsule): the address of the normal number that a RandomState keeps, or 0."},
    {"know_bits", know_bits, METH_VARARGS,
     "know_bits(name, capsule): makes a kind of bit generators known, by one that nobody else uses."},
    {"distributions", names, METH_NOARGS, "distributions(): their names; a distribution is its position."},
    {},
};

}  // namespace numloom::python
