// The operation table as C++: codes, names, traits and dtype rules.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/dtype.hpp"
#include "core/scalar.hpp"

namespace numloom {

enum Trait : uint32_t {
    T_NONE = 0,
    T_COMMUTATIVE = 1u << 0,
    T_ASSOCIATIVE = 1u << 1,  // has reduce with a fixed tree
    T_NO_IDENTITY = 1u << 2,  // a reduction over nothing raises
    T_MATH = 1u << 3,         // result within an ulp bound, not exact
    T_SPECIAL = 1u << 4,      // not NumPy's: found in scipy.special
    T_INTERNAL = 1u << 5,     // not a function of the public namespace
    T_WARNS = 1u << 6,        // integer loops may report division by zero
    T_QUIET = 1u << 7,        // loops of floats report nothing, whatever the values ...
    T_ORDERS = 1u << 8,       // ... but those of complex numbers a NaN
};

// What floating-point work may report, with NumPy's numbers, in the order in which NumPy reports.
enum FloatKind : uint8_t { F_DIVIDE = 1, F_OVERFLOW = 2, F_UNDERFLOW = 4, F_INVALID = 8, F_ALL = 15 };

enum class ResultRule : uint8_t { Same, Bool, Real, UInt8, Int32 };

enum class OpCode : uint16_t {
#define NL_OP(id, name, inputs, loops, result, traits) id,
#include "ops/table.def"
#undef NL_OP
    Count
};
inline constexpr int kOps = static_cast<int>(OpCode::Count);

struct Operation {
    std::string_view name;
    uint8_t inputs;
    std::string_view loops;  // dtype codes in order of preference
    ResultRule result;
    uint32_t traits;
    uint32_t loop_mask;  // bit d: there is a loop for DType d
    bool has(Trait t) const { return (traits & t) != 0; }
    bool has_loop(DType d) const { return (loop_mask >> static_cast<int>(d)) & 1u; }
};

extern const Operation kOperations[kOps];
inline const Operation& operation(OpCode op) { return kOperations[static_cast<int>(op)]; }
// The code of NumPy's name; OpCode::Count where there is none.
OpCode find_operation(std::string_view numpy_name);

// The loop's dtype for inputs that promote to `promoted`; false where no loop fits.
bool choose_loop(OpCode op, DType promoted, DType* loop);
// The dtype of the result of the loop for `loop`.
DType result_dtype(OpCode op, DType loop);
// Whether the loop may report floating-point conditions, and whether a conversion may.
bool may_report(OpCode op, DType loop);
// ... and which ones (FloatKind).
uint8_t kinds_of(OpCode op, DType loop);
bool cast_may_report(DType from, DType to);
// The value that a reduction over nothing gives; false where there is none (minimum, maximum).
bool reduction_identity(OpCode op, DType type, Scalar* out);

}  // namespace numloom
