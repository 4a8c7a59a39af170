#include "ops/operation.hpp"

#include <algorithm>
#include <array>

namespace numloom {

namespace {

constexpr uint32_t mask_of(std::string_view codes) {
    uint32_t mask = 0;
    for (const char code : codes) {
        for (int d = 0; d < kDTypes; ++d) {
            if (kDTypeInfo[d].code == code) mask |= 1u << d;
        }
    }
    return mask;
}

// Operation codes sorted by name, for find_operation.
std::array<uint16_t, kOps> sorted_by_name() {
    std::array<uint16_t, kOps> order{};
    for (int i = 0; i < kOps; ++i) order[static_cast<size_t>(i)] = static_cast<uint16_t>(i);
    std::sort(order.begin(), order.end(),
              [](uint16_t a, uint16_t b) { return kOperations[a].name < kOperations[b].name; });
    return order;
}

}  // namespace

constexpr Operation kOperations[kOps] = {
#define NL_OP(id, name, inputs, loops, result, traits) \
    {name, inputs, loops, ResultRule::result, traits, mask_of(loops)},
#include "ops/table.def"
#undef NL_OP
};

OpCode find_operation(std::string_view numpy_name) {
    static const std::array<uint16_t, kOps> order = sorted_by_name();
    const auto found =
        std::lower_bound(order.begin(), order.end(), numpy_name,
                         [](uint16_t op, std::string_view name) { return kOperations[op].name < name; });
    if (found == order.end() || kOperations[*found].name != numpy_name) return OpCode::Count;
    return static_cast<OpCode>(*found);
}

bool choose_loop(OpCode op, DType promoted, DType* loop) {
    for (const char code : operation(op).loops) {
        DType candidate;
        if (!dtype_from_code(code, &candidate)) unreachable("dtype code in the operation table");
        if (can_cast_safely(promoted, candidate)) {
            *loop = candidate;
            return true;
        }
    }
    return false;
}

DType result_dtype(OpCode op, DType loop) {
    switch (operation(op).result) {
        case ResultRule::Same:
            return loop;
        case ResultRule::Bool:
            return DType::Bool;
        case ResultRule::UInt8:
            return DType::UInt8;
        case ResultRule::Int32:
            return DType::Int32;
        case ResultRule::Real:
            if (loop == DType::Complex64) return DType::Float32;
            return loop == DType::Complex128 ? DType::Float64 : loop;
    }
    unreachable("result rule");
}

bool may_report(OpCode op, DType loop) {
    if (!is_inexact(loop)) return false;
    return !operation(op).has(T_QUIET) || (operation(op).has(T_ORDERS) && is_complex(loop));
}

uint8_t kinds_of(OpCode op, DType loop) {
    if (!may_report(op, loop)) return 0;
    // A half is rounded from a float, complex arithmetic has parts of several kinds.
    const bool plain = loop == DType::Float32 || loop == DType::Float64;
    if (operation(op).has(T_ORDERS)) return F_INVALID;
    switch (op) {
        case OpCode::Add:
        case OpCode::Subtract:
            return F_OVERFLOW | F_INVALID | (plain ? 0 : F_UNDERFLOW);
        case OpCode::Multiply:
        case OpCode::Square:
            return F_OVERFLOW | F_UNDERFLOW | F_INVALID;
        case OpCode::Sqrt:
            return plain ? F_INVALID : F_OVERFLOW | F_UNDERFLOW | F_INVALID;
        default:
            return F_ALL;
    }
}

bool cast_may_report(DType from, DType to) {
    if (from == to || to == DType::Bool) return false;
    if (is_inexact(from)) return !can_cast_safely(from, to);
    return to == DType::Float16 && item_size(from) > 1;  // 65,520 and more
}

bool reduction_identity(OpCode op, DType type, Scalar* out) {
    int64_t value = 0;
    switch (op) {
        case OpCode::Add:
        case OpCode::LogicalOr:
        case OpCode::LogicalXor:
        case OpCode::BitwiseOr:
        case OpCode::BitwiseXor:
            break;
        case OpCode::Multiply:
        case OpCode::LogicalAnd:
            value = 1;
            break;
        case OpCode::BitwiseAnd:
            value = type == DType::Bool ? 1 : -1;
            break;
        default:
            return false;
    }
    *out = cast_scalar(Scalar::of(value), DType::Int64, type);
    return true;
}

}  // namespace numloom
