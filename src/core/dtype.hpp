// Element types. The order of the enumerators is the order of every table indexed by dtype.
#pragma once

#include <complex>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/error.hpp"

namespace numloom {

enum class DType : uint8_t {
    Bool,
    Int8,
    UInt8,
    Int16,
    UInt16,
    Int32,
    UInt32,
    Int64,
    UInt64,
    Float16,
    Float32,
    Float64,
    Complex64,
    Complex128,
};
inline constexpr int kDTypes = 14;

// The kinds of NumPy's `dtype.kind`.
enum class Kind : uint8_t { Bool, Signed, Unsigned, Float, Complex };

// IEEE binary16 as stored in memory; arithmetic happens in float.
struct Half {
    uint16_t bits;
};

struct DTypeInfo {
    std::string_view name;  // NumPy's name: "float64"
    char code;              // NumPy's character code on Linux: 'd'
    Kind kind;
    uint8_t size;       // bytes
    uint8_t size_log2;  // so that size == 1 << size_log2
};

inline constexpr DTypeInfo kDTypeInfo[kDTypes] = {
    {"bool", '?', Kind::Bool, 1, 0},         {"int8", 'b', Kind::Signed, 1, 0},
    {"uint8", 'B', Kind::Unsigned, 1, 0},    {"int16", 'h', Kind::Signed, 2, 1},
    {"uint16", 'H', Kind::Unsigned, 2, 1},   {"int32", 'i', Kind::Signed, 4, 2},
    {"uint32", 'I', Kind::Unsigned, 4, 2},   {"int64", 'l', Kind::Signed, 8, 3},
    {"uint64", 'L', Kind::Unsigned, 8, 3},   {"float16", 'e', Kind::Float, 2, 1},
    {"float32", 'f', Kind::Float, 4, 2},     {"float64", 'd', Kind::Float, 8, 3},
    {"complex64", 'F', Kind::Complex, 8, 3}, {"complex128", 'D', Kind::Complex, 16, 4},
};

constexpr const DTypeInfo& info(DType d) { return kDTypeInfo[static_cast<int>(d)]; }
constexpr int64_t item_size(DType d) { return info(d).size; }
constexpr Kind kind(DType d) { return info(d).kind; }
constexpr std::string_view name(DType d) { return info(d).name; }
constexpr bool is_integer(DType d) { return kind(d) == Kind::Signed || kind(d) == Kind::Unsigned; }
constexpr bool is_inexact(DType d) { return kind(d) == Kind::Float || kind(d) == Kind::Complex; }
constexpr bool is_complex(DType d) { return kind(d) == Kind::Complex; }

// NumPy's promotion of two dtypes (both strong, NEP 50).
DType promote(DType a, DType b);
// numpy.can_cast(from, to, "safe") and "same_kind".
bool can_cast_safely(DType from, DType to);
bool can_cast_same_kind(DType from, DType to);
// The dtype whose NumPy character code is `code`; false where none is native.
bool dtype_from_code(char code, DType* out);

template <class T>
struct Type {
    using type = T;
};

// Calls f(Type<T>{}) with the C++ type that stores elements of `d`. The only switch on dtype.
template <class F>
decltype(auto) dispatch(DType d, F&& f) {
    switch (d) {
        case DType::Bool:
            return f(Type<bool>{});
        case DType::Int8:
            return f(Type<int8_t>{});
        case DType::UInt8:
            return f(Type<uint8_t>{});
        case DType::Int16:
            return f(Type<int16_t>{});
        case DType::UInt16:
            return f(Type<uint16_t>{});
        case DType::Int32:
            return f(Type<int32_t>{});
        case DType::UInt32:
            return f(Type<uint32_t>{});
        case DType::Int64:
            return f(Type<int64_t>{});
        case DType::UInt64:
            return f(Type<uint64_t>{});
        case DType::Float16:
            return f(Type<Half>{});
        case DType::Float32:
            return f(Type<float>{});
        case DType::Float64:
            return f(Type<double>{});
        case DType::Complex64:
            return f(Type<std::complex<float>>{});
        case DType::Complex128:
            return f(Type<std::complex<double>>{});
    }
    unreachable("dtype");
}

}  // namespace numloom
