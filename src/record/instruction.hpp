// Instructions: what the log consists of. Shapes, dtypes and casts are settled when an instruction is made.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/layout.hpp"
#include "core/scalar.hpp"
#include "core/storage.hpp"
#include "ops/operation.hpp"

namespace numloom {

enum class Form : uint8_t {
    Compute,  // out = op(in...) element by element; inputs broadcast to out's shape; in-place and overlapping
              // views allowed
    Reduce,  // out = op folded over `axes` of in[0]; out has in[0]'s shape with those axes of extent 1; in[1]
             // is the constant 0 of the loop's dtype: a sum of floats starts from it (NumPy's sum of -0.0 is
             // 0.0)
    Index,   // out[i, j, ...] = in[0] + sum over axes of index * step (a ramp); in[0] constant int64, steps:
             // strides of in[1].layout
    Call,    // a library operation: out = call(in...)
    Release,  // the last handle of out.storage is gone
};

// A view of a storage, or a constant.
struct Operand {
    Storage* storage = nullptr;  // nullptr: constant
    const Layout* layout = nullptr;
    union {
        int64_t offset;           // bytes from the start of the storage
        unsigned char value[16];  // constant, of `dtype`
    };
    DType dtype =
        DType::Float64;  // elements as stored; converted to the loop's dtype when read, from it when written

    Operand() : value{} {}
    Operand(Storage* s, const Layout* l, int64_t o, DType d) : storage(s), layout(l), offset(o), dtype(d) {}
    Operand(const Scalar& s, DType d) : dtype(d) { std::memcpy(value, s.bytes, 16); }
    bool constant() const { return storage == nullptr; }
    Scalar scalar() const {
        Scalar s;
        std::memcpy(s.bytes, value, 16);
        return s;
    }
};

// Where in the user's program an instruction was recorded: a code object and an instruction offset in it,
// resolved to file and line only when somebody asks. Opaque to the engine.
struct Site {
    const void* code = nullptr;
    int32_t position = 0;
    friend bool operator==(const Site&, const Site&) = default;
};

// Memory of one operand of a library call, complete on the host.
struct CallOperand {
    char* data;  // address of the view's first element; nullptr for an absent input
    const Layout* layout;
    DType dtype;
};

// A library operation. run() gets out and inputs in host memory; shapes and dtypes were settled when it was
// recorded.
class LibraryCall {
  public:
    virtual ~LibraryCall() = default;
    virtual std::string_view name() const = 0;
    virtual std::span<const int64_t> parameters() const { return {}; }  // part of the plan's key
    virtual void run(const CallOperand& out, std::span<const CallOperand> in) = 0;
};

// Instruction::report: the kinds (FloatKind) to report, and how.
inline constexpr uint16_t kReportScalar = 16;  // as of a scalar: "in scalar divide"
inline constexpr uint16_t kReportNow = 32;     // at the call: by errstate's rules of that moment
// From this bit on: as of which function of NumPy's, where the operation stands for one or for part of one:
// an index into kReportNames. 0: by its own name.
inline constexpr int kReportNameShift = 8;
inline constexpr std::string_view kReportNames[] = {
    "",       "accumulate", "at",       "det",    "divmod", "dot",     "fft",         "ifft",
    "irfft",  "matvec",     "multiply", "power",  "reduce", "slogdet", "rfft_n_even", "rfft_n_odd",
    "square", "subtract",   "vecdot",   "vecmat", "divide", "add",     "cast",        "vector_norm"};
consteval uint16_t report_as(std::string_view name) {
    uint16_t k = 0;
    while (kReportNames[k] != name) ++k;
    return static_cast<uint16_t>(k << kReportNameShift);
}

struct Instruction {
    Form form = Form::Compute;
    uint8_t inputs = 0;
    OpCode op = OpCode::Copy;
    DType loop = DType::Float64;
    uint16_t report = 0;  // floating-point conditions that matter; no part of the plan's key
    uint64_t axes = 0;    // Reduce: bit i: axis i of in[0] is reduced
    Site site;
    Operand out;
    Operand in[3];
    LibraryCall* call = nullptr;  // owned by the log
};

}  // namespace numloom
