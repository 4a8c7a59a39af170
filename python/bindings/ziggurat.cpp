// The layers of numpy.random's ziggurats, read off NumPy itself: its generators draw from anything that keeps
// to the public interface of bit generators, so one that hands out chosen bits shows what they make of them.
#include "library/draws.hpp"
#include "operand.hpp"

namespace numloom::python {
namespace {

// Gives `bits` once, then bits that are accepted wherever they are asked for.
struct ChosenBits {
    uint64_t bits = 0;
    int asked = 0;
    bool first() { return asked++ == 0; }
};
uint64_t chosen64(void* state) {
    auto* s = static_cast<ChosenBits*>(state);
    return s->first() ? s->bits : 0;
}
uint32_t chosen32(void* state) {
    auto* s = static_cast<ChosenBits*>(state);
    return s->first() ? static_cast<uint32_t>(s->bits) : uint32_t{1} << 31;
}
double chosen_double(void* state) {
    static_cast<ChosenBits*>(state)->first();
    return 0.5;
}

Ref attribute_of(PyObject* o, const char* name) { return Ref::take(PyObject_GetAttrString(o, name)); }
Ref module_named(const char* name) { return Ref::take(PyImport_ImportModule(name)); }

// numpy.random.Generator over such bits.
Ref generator_over(library::BitGenerator* bits) {
    const Ref random = module_named("numpy.random"), types = module_named("types"),
              threading = module_named("threading");
    const Ref capsule = Ref::take(PyCapsule_New(bits, "BitGenerator", nullptr));
    const Ref lock = Ref::take(PyObject_CallMethod(threading.get(), "Lock", nullptr));
    const Ref space = attribute_of(types.get(), "SimpleNamespace"), none = Ref::take(PyTuple_New(0)),
              fields = Ref::take(Py_BuildValue("{sOsO}", "capsule", capsule.get(), "lock", lock.get()));
    const Ref object = Ref::take(PyObject_Call(space.get(), none.get(), fields.get()));
    return Ref::take(PyObject_CallMethod(random.get(), "Generator", "O", object.get()));
}

}  // namespace

void read_ziggurats() {
    // Of this call alone: another thread may come here meanwhile.
    ChosenBits chosen;
    library::BitGenerator bits{&chosen, chosen64, chosen32, chosen_double, chosen64};
    const Ref generator = generator_over(&bits), none = Ref::take(PyTuple_New(0)),
              single_type = Ref::take(Py_BuildValue("{sO}", "dtype", dtype_object(DType::Float32)));
    for (const bool normal : {true, false}) {
        const Ref draw = attribute_of(generator.get(), normal ? "standard_normal" : "standard_exponential");
        library::set_ziggurat_layers(normal, [&](bool single, int layer, uint64_t place) {
            const auto l = static_cast<uint64_t>(layer);
            chosen.bits = normal ? place << 9 | l : (place << 8 | l) << (single ? 1 : 3);
            chosen.asked = 0;
            const Ref number =
                Ref::take(PyObject_Call(draw.get(), none.get(), single ? single_type.get() : nullptr));
            const double x = PyFloat_AsDouble(number.get());
            if (x == -1.0 && PyErr_Occurred()) throw PythonError{};
            return library::Probed{x, chosen.asked == 1};
        });
    }
}

}  // namespace numloom::python
