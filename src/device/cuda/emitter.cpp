#include "device/cuda/emitter.hpp"

#include <algorithm>
#include <utility>

namespace numloom::cuda {

using kernel::Access;
using kernel::Kernel;
using kernel::TapeEntry;
using kernel::TapeKind;
using Tape = std::vector<TapeEntry>;

namespace {

constexpr const char* kTypes[kDTypes] = {
    "bool",    "int8_t",   "uint8_t", "int16_t", "uint16_t", "int32_t",        "uint32_t",
    "int64_t", "uint64_t", "Half",    "float",   "double",   "Complex<float>", "Complex<double>",
};

// "Add" for OpCode::Add: the scalar definition is Op_Add.
constexpr const char* kIds[kOps] = {
#define NL_OP(id, name, inputs, loops, result, traits) #id,
#include "ops/table.def"
#undef NL_OP
};

std::string number(size_t i) { return std::to_string(i); }
const char* kUnroll = "#pragma unroll\n";

}  // namespace

Emitter::Emitter(const Kernel& k, const Variant& v) : k_(k), narrow_(cuda::narrow(k)) {
    slots_.constants = static_cast<int>(k.constants.size());
    // The value of a reduction over nothing is a constant of the launch.
    if (v.form == Form::Combine && k.reduced_points() == 0)
        slots_.constants += static_cast<int>(k.reductions.size());
    slots_.accesses = static_cast<int>(k.accesses.size());
    slots_.integers.assign(Slots::Fixed, 0);
    add_extents();
    add_classes();
}

int Emitter::add_integer(int64_t value) {
    slots_.integers.push_back(value);
    return static_cast<int>(slots_.integers.size()) - 1;
}

void Emitter::add_extents() {
    for (int64_t n : k_.shape) {
        extents_.push_back(add_integer(n));
        const Divider d(narrow_ && n > 0 ? static_cast<uint32_t>(n) : 1);
        muls_.push_back(narrow_ ? add_integer(d.mul) : 0);
        shifts_.push_back(narrow_ ? add_integer(d.shift) : 0);
    }
}

size_t Emitter::class_of(const Access& a) {
    StrideClass c;
    c.index = a.view < 0;
    c.strides = a.strides;
    if (narrow_ && !c.index)
        for (int64_t& s : c.strides) s /= item_size(a.dtype);
    for (size_t i = 0; i < classes_.size(); ++i)
        if (classes_[i].index == c.index && classes_[i].strides == c.strides) return i;
    for (int64_t s : c.strides) c.slots.push_back(s == 0 || s == 1 ? -1 : add_integer(s));
    classes_.push_back(std::move(c));
    return classes_.size() - 1;
}

void Emitter::add_classes() {
    for (const Access& a : k_.accesses) access_class_.push_back(class_of(a));
}

const char* Emitter::type(DType d) { return kTypes[static_cast<int>(d)]; }

std::string Emitter::apply(OpCode op, DType type, const std::string& arguments) {
    return std::string("Apply<Op_") + kIds[static_cast<int>(op)] + ", " + Emitter::type(type) + ">::run(" +
           arguments + ")";
}

DType Emitter::accumulator(size_t reduction) const {
    const kernel::Reduction& r = k_.reductions[reduction];
    return result_dtype(r.op, r.type);
}

std::string Emitter::constant_value(int32_t index, DType d) const {
    return std::string("*(const ") + type(d) + "*)&p.c[" + std::to_string(index) + "]";
}

std::string Emitter::header() const {
    std::string s = "#define THREADS " + std::to_string(kThreads) + "\n";
    s += narrow_ ? "#define NUMLOOM_NARROW 1\ntypedef uint32_t idx;\ntypedef int32_t off;\n"
                 : "#define NUMLOOM_NARROW 0\ntypedef uint64_t idx;\ntypedef int64_t off;\n";
    s += "NUMLOOM_SPLIT\n"
         "enum { Begin, End, Blocks, BlocksMul, BlocksShift, First, FirstLeaf, Leaves, Reduced, Kept, "
         "Groups, Source, Target };\n"
         "struct alignas(16) P {\n";
    if (slots_.constants) s += "    ulonglong2 c[" + std::to_string(slots_.constants) + "];\n";
    if (slots_.accesses) s += "    char* a[" + std::to_string(slots_.accesses) + "];\n";
    s += "    i64 i[" + number(slots_.integers.size()) + "];\n};\n";
    return s;
}

std::string Emitter::signature(int threads) const {
    return "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(threads) + ") " + kEntry +
           "(const __grid_constant__ P p) {\n    await_predecessor();\n";
}

std::string Emitter::decompose(int from, int to, const std::string& linear) const {
    std::string s;
    if (to - from < 1) return s;
    s = "        idx i" + std::to_string(from) + " = " + linear + ";\n";
    const std::string rest = "i" + std::to_string(from);
    for (int d = to - 1; d > from; --d) {
        const size_t at = static_cast<size_t>(d);
        s += "        idx i" + std::to_string(d) + "; " + rest + " = split(" + rest + ", " + extent(d) + ", ";
        s += narrow_ ? integer(muls_[at]) + ", " + integer(shifts_[at]) : std::string("0, 0");
        s += ", i" + std::to_string(d) + ");\n";
    }
    return s;
}

bool Emitter::moves(size_t cls, int from, int to) const {
    for (int d = from; d < to; ++d)
        if (classes_[cls].strides[static_cast<size_t>(d)] != 0 && k_.shape[static_cast<size_t>(d)] != 1)
            return true;
    return false;
}

std::string Emitter::offset(size_t cls, int from, int to) const {
    const StrideClass& c = classes_[cls];
    const std::string cast = "(" + offset_type(cls) + ")";
    std::string s;
    for (int d = from; d < to; ++d) {
        const size_t at = static_cast<size_t>(d);
        if (c.strides[at] == 0) continue;
        if (!s.empty()) s += " + ";
        s += cast + "i" + std::to_string(d);
        if (c.slots[at] >= 0) s += " * " + cast + integer(c.slots[at]);
    }
    return s.empty() ? "0" : s;
}

std::string Emitter::address(int32_t access, const std::string& at) const {
    const Access& a = k_.accesses[static_cast<size_t>(access)];
    const std::string base = "p.a[" + std::to_string(access) + "]";
    const std::string pointer = std::string(a.stores ? "" : "const ") + type(a.dtype) + "*";
    if (narrow_) return "((" + pointer + ")" + base + ")[" + at + "]";
    return "*(" + pointer + ")(" + base + " + " + at + ")";
}

std::string Emitter::loads(const Tape& tape, const std::string& count) const {
    std::string s;
    for (size_t i = 0; i < tape.size(); ++i) {
        if (tape[i].kind != TapeKind::Load) continue;
        const size_t cls = access_class(tape[i].index);
        const std::string o = "o" + number(cls) + "[q]";
        const std::string value = classes_[cls].index
                                      ? "(i64)p.a[" + std::to_string(tape[i].index) + "] + " + o
                                      : address(tape[i].index, o);
        s += std::string("    ") + type(tape[i].type) + " v" + number(i) + "[" + count + "];\n" + kUnroll;
        s += "    for (int q = 0; q < " + count + "; ++q) v" + number(i) + "[q] = " + value + ";\n";
    }
    return s;
}

std::string Emitter::entry(const Tape& tape, size_t i) const {
    const TapeEntry& e = tape[i];
    auto in = [&](int j) { return "t" + std::to_string(e.in[j]); };
    if (e.kind == TapeKind::Store) {
        if (vectors_) return "        w" + number(i) + "[q] = " + in(0) + ";\n";
        return "        " + address(e.index, "o" + number(access_class(e.index)) + "[q]") + " = " + in(0) +
               ";\n";
    }
    std::string value;
    switch (e.kind) {
        case TapeKind::Load:
            value = "v" + number(i) + "[q]";
            break;
        case TapeKind::Constant:
            value = constant_value(e.index, e.type);
            break;
        case TapeKind::Reduced:
            value = "r" + std::to_string(e.index);
            break;
        case TapeKind::Cast:
            value = std::string("cast_to<") + type(e.type) + ">(" + in(0) + ")";
            break;
        default: {
            std::string arguments;
            for (int j = 0; j < operation(e.op).inputs; ++j) arguments += (j ? ", " : "") + in(j);
            value = apply(e.op, e.type, arguments);
        }
    }
    return std::string("        const ") + type(value_dtype(k_, e)) + " t" + number(i) + " = " + value +
           ";\n";
}

std::string Emitter::compute(const Tape& tape) const {
    std::string s;
    for (size_t i = 0; i < tape.size(); ++i) s += entry(tape, i);
    return s;
}

// Statements that fill o<class>[N] for the points of one thread.
std::string Emitter::offsets_of_points(Form form) const {
    const int last = rank() - 1;
    std::string s;
    for (size_t c = 0; c < classes(); ++c) s += "    " + offset_type(c) + " o" + number(c) + "[N];\n";
    if (form == Form::Rows) {
        s += "    const idx i" + std::to_string(last) + " = column;\n";
        for (size_t c = 0; c < classes(); ++c)
            s += "    const " + offset_type(c) + " b" + number(c) + " = " + offset(c, last, last + 1) + ";\n";
    }
    s += kUnroll + std::string("    for (int q = 0; q < N; ++q) {\n");
    s += form == Form::Rows ? decompose(0, last, "row + q") : decompose(0, rank(), "first + q * step");
    for (size_t c = 0; c < classes(); ++c) {
        const std::string o = "        o" + number(c) + "[q] = ";
        s += form == Form::Rows ? o + "b" + number(c) + " + " + offset(c, 0, last) + ";\n"
                                : o + offset(c, 0, rank()) + ";\n";
    }
    return s + "    }\n";
}

std::string Emitter::vector_loads(const Tuning& t) const {
    const std::string w = std::to_string(t.vector);
    std::string s;
    for (size_t i = 0; i < k_.tape.size(); ++i) {
        const TapeEntry& e = k_.tape[i];
        if (e.kind != TapeKind::Load) continue;
        const size_t cls = access_class(e.index);
        const std::string base = "p.a[" + std::to_string(e.index) + "]", v = "v" + number(i),
                          ty = type(e.type);
        s += "    " + ty + " " + v + "[N * " + w + "];\n" + kUnroll;
        if (classes_[cls].index) {
            s += "    for (int q = 0; q < N * " + w + "; ++q) {\n        const idx i0 = (first + q / " + w +
                 " * THREADS) * " + w + " + q % " + w + ";\n        " + v + "[q] = (i64)" + base + " + " +
                 offset(cls, 0, rank()) + ";\n    }\n";
        } else if (!moves(cls, 0, rank())) {
            s += "    for (int q = 0; q < N * " + w + "; ++q) " + v + "[q] = *(const " + ty + "*)" + base +
                 ";\n";
        } else {
            s += "    for (int q = 0; q < N; ++q) load_vector<" + ty + ", " + w + ">(" + v + " + q * " + w +
                 ", (const " + ty + "*)" + base + " + (u64)(first + q * THREADS) * " + w + ");\n";
        }
    }
    return s;
}

std::string Emitter::vector_stores(const Tuning& t) const {
    const std::string w = std::to_string(t.vector);
    std::string s;
    for (size_t i = 0; i < k_.tape.size(); ++i) {
        const TapeEntry& e = k_.tape[i];
        if (e.kind != TapeKind::Store) continue;
        const std::string ty = type(k_.accesses[static_cast<size_t>(e.index)].dtype);
        s += kUnroll + std::string("    for (int q = 0; q < N; ++q) store_vector<") + ty + ", " + w + ">((" +
             ty + "*)p.a[" + std::to_string(e.index) + "] + (u64)(first + q * THREADS) * " + w + ", w" +
             number(i) + " + q * " + w + ");\n";
    }
    return s;
}

std::string Emitter::elementwise_body(Form form, const Tuning& t) {
    const char* name[] = {"vectors(const P& p, idx first)", "body(const P& p, idx first, idx step)",
                          "body(const P& p, idx column, idx row)"};
    std::string s = std::string("template <int N>\nstatic __device__ __forceinline__ void ") +
                    name[static_cast<int>(form)] + " {\n";
    const std::string count = form == Form::Flat ? "N * " + std::to_string(t.vector) : "N";
    vectors_ = form == Form::Flat;
    if (vectors_) {
        s += vector_loads(t);
        for (size_t i = 0; i < k_.tape.size(); ++i)
            if (k_.tape[i].kind == TapeKind::Store)
                s += std::string("    ") + type(k_.accesses[static_cast<size_t>(k_.tape[i].index)].dtype) +
                     " w" + number(i) + "[" + count + "];\n";
    } else {
        s += offsets_of_points(form) + loads(k_.tape, count);
    }
    s += kUnroll + std::string("    for (int q = 0; q < ") + count + "; ++q) {\n" + compute(k_.tape) +
         "    }\n";
    if (vectors_) s += vector_stores(t);
    vectors_ = false;
    return s + "}\n";
}

}  // namespace numloom::cuda
