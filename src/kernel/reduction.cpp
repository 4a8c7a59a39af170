#include "kernel/reduction.hpp"

namespace numloom::kernel {

bool identity(OpCode op, DType type, Scalar* out) {
    const DType result = result_dtype(op, type);
    auto number = [&](double v) {
        *out = cast_scalar(Scalar::of<double>(v), DType::Float64, result);
        return true;
    };
    switch (op) {
        case OpCode::Multiply:
        case OpCode::LogicalAnd:
            return number(1);
        case OpCode::Add:
        case OpCode::LogicalOr:
        case OpCode::LogicalXor:
        case OpCode::BitwiseOr:
        case OpCode::BitwiseXor:
            return number(0);
        case OpCode::BitwiseAnd:
            if (result == DType::Bool) return number(1);
            *out = cast_scalar(Scalar::of<int64_t>(-1), DType::Int64, result);
            return true;
        default:
            return false;
    }
}

}  // namespace numloom::kernel
