#include "device/cpu/jit/jit.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "device/cpu/loops.hpp"

namespace numloom::cpu {

namespace {

#if NUMLOOM_XBYAK

using Assembler = std::unique_ptr<CompiledLoop> (*)(const LoopSource&);

// The generator for the instruction set that the precompiled loops use.
Assembler choose_assembler() {
    const char* wish = std::getenv("NUMLOOM_JIT");
    if (wish && std::strcmp(wish, "0") == 0) return nullptr;
    if (std::strcmp(loops().name, "avx512") == 0) return assemble_avx512;
    if (std::strcmp(loops().name, "avx2") == 0) return assemble_avx2;
    return nullptr;
}

Assembler assembler() {
    static const Assembler a = choose_assembler();
    return a;
}

#endif

constexpr size_t kMostLoops = 4096;  // each holds pages of its own

struct Cache {
    std::mutex lock;
    std::unordered_map<std::string, std::shared_ptr<const CompiledLoop>> loops;
    int64_t folding = 0;
};

Cache& cache() {
    static Cache* c = new Cache;  // compiled loops may run until the process ends
    return *c;
}

bool is_float(DType d) { return d == DType::Float32 || d == DType::Float64; }

bool knows_operation(OpCode op, DType loop) {
    const bool real = is_float(loop), integer = loop == DType::Int32 || loop == DType::Int64,
               boolean = loop == DType::Bool;
    switch (op) {
        case OpCode::Add:
        case OpCode::Multiply:
        case OpCode::Equal:
        case OpCode::NotEqual:
        case OpCode::LogicalAnd:
        case OpCode::LogicalOr:
        case OpCode::LogicalXor:
        case OpCode::LogicalNot:
            return real || integer || boolean;
        case OpCode::Subtract:
        case OpCode::Negative:
        case OpCode::Positive:
        case OpCode::Absolute:
        case OpCode::Square:
        case OpCode::Minimum:
        case OpCode::Maximum:
        case OpCode::Less:
        case OpCode::LessEqual:
        case OpCode::Greater:
        case OpCode::GreaterEqual:
        case OpCode::Copy:
        case OpCode::Where:
            return real || integer;
        case OpCode::Divide:
        case OpCode::Reciprocal:
        case OpCode::Sqrt:
        case OpCode::Fabs:
        case OpCode::Floor:
        case OpCode::Ceil:
        case OpCode::Trunc:
        case OpCode::Rint:
        case OpCode::IsNan:
        case OpCode::IsInf:
        case OpCode::IsFinite:
            return real;
        case OpCode::BitwiseAnd:
        case OpCode::BitwiseOr:
        case OpCode::BitwiseXor:
        case OpCode::Invert:
            return integer || boolean;
        default:
            return false;
    }
}

// What is made of operations on the parts.
bool knows_complex(OpCode op) {
    switch (op) {
        case OpCode::Add:
        case OpCode::Subtract:
        case OpCode::Multiply:
        case OpCode::Square:
        case OpCode::Negative:
        case OpCode::Positive:
        case OpCode::Copy:
        case OpCode::Conjugate:
        case OpCode::RealPart:
        case OpCode::ImagPart:
        case OpCode::Equal:
        case OpCode::NotEqual:
        case OpCode::Where:
            return true;
        default:
            return false;
    }
}

}  // namespace

bool LoopSource::folds() const {
    return std::any_of(stores.begin(), stores.end(), [](const LoopStore& s) { return s.folds; });
}

std::string LoopSource::key() const {
    std::string k;
    auto add = [&k](int64_t v) { k.append(reinterpret_cast<const char*>(&v), sizeof v); };
    add(operands);
    for (const LoopValue& v : values) {
        add(static_cast<int64_t>(v.kind) | static_cast<int64_t>(v.type) << 8 |
            static_cast<int64_t>(v.from) << 16 | static_cast<int64_t>(v.part) << 24 |
            static_cast<int64_t>(v.op) << 32);
        add(v.operand);
        for (int32_t i : v.in) add(i);
    }
    for (const LoopStore& s : stores) {
        add(s.value);
        add(s.imaginary);
        add(s.operand);
        add(s.folds ? 1 + static_cast<int64_t>(s.op) : 0);
    }
    return k;
}

bool jit_knows(DType d) {
    return is_float(d) || is_complex(d) || d == DType::Int32 || d == DType::Int64 || d == DType::Bool;
}

bool jit_folds(OpCode op, DType type) {
    return is_float(type) &&
           (op == OpCode::Add || op == OpCode::Multiply || op == OpCode::Minimum || op == OpCode::Maximum);
}

bool jit_knows(const kernel::TapeEntry& e) {
    if (e.kind == kernel::TapeKind::Cast) return jit_knows(e.from) && jit_knows(e.type);
    if (e.kind != kernel::TapeKind::Compute) return false;
    return is_complex(e.type) ? knows_complex(e.op) : knows_operation(e.op, e.type);
}

#if NUMLOOM_XBYAK

bool jit_available() { return assembler() != nullptr; }

std::shared_ptr<const CompiledLoop> compile_loop(const LoopSource& source) {
    Cache& c = cache();
    std::string key = source.key();
    std::lock_guard guard(c.lock);
    auto found = c.loops.find(key);
    if (found != c.loops.end()) return found->second;
    std::shared_ptr<const CompiledLoop> made = assembler()(source);
    c.folding += made && source.folds();
    if (c.loops.size() >= kMostLoops) c.loops.clear();  // programs keep what they use alive
    c.loops.emplace(std::move(key), made);
    return made;
}

#else

bool jit_available() { return false; }

std::shared_ptr<const CompiledLoop> compile_loop(const LoopSource&) { return nullptr; }

#endif

int64_t compiled_loops(bool that_fold) {
    std::lock_guard guard(cache().lock);
    if (that_fold) return cache().folding;
    int64_t n = 0;
    for (const auto& entry : cache().loops) n += entry.second != nullptr;
    return n;
}

}  // namespace numloom::cpu
