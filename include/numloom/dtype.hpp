/// \file
/// Element types, with NumPy's names and promotion.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "numloom/config.hpp"

NUMLOOM_NAMESPACE_BEGIN

/// Element type of an array. The names are NumPy's.
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

/// NumPy's name: "float64".
NUMLOOM_API std::string_view name(DType d);
/// Bytes of one element.
NUMLOOM_API int64_t item_size(DType d);
/// numpy.promote_types of two dtypes.
NUMLOOM_API DType promote_types(DType a, DType b);
/// Which casts an operation allows, from strict to lax.
enum class Casting { Safe, SameKind, Unsafe };
/// numpy.can_cast.
NUMLOOM_API bool can_cast(DType from, DType to, Casting casting = Casting::Safe);

namespace detail {

template <class T>
struct IsComplex : std::false_type {};
template <std::floating_point T>
struct IsComplex<std::complex<T>> : std::true_type {};

template <class T>
constexpr DType dtype_of() {
    if constexpr (std::is_same_v<T, bool>) {
        return DType::Bool;
    } else if constexpr (std::is_integral_v<T>) {
        constexpr DType of_size[2][4] = {{DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64},
                                         {DType::Int8, DType::Int16, DType::Int32, DType::Int64}};
        constexpr int log2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return of_size[std::is_signed_v<T>][log2];
    } else if constexpr (std::is_floating_point_v<T>) {
        return sizeof(T) == 4 ? DType::Float32 : DType::Float64;
    } else {
        return sizeof(T) == 8 ? DType::Complex64 : DType::Complex128;
    }
}

}  // namespace detail

/// C++ types that elements can have: bool, integers, float, double and std::complex of the latter two.
/// (float16 has no C++ type; its values are read and written as float.)
template <class T>
concept Element =
    !std::is_const_v<T> && (std::integral<T> || std::same_as<T, float> || std::same_as<T, double> ||
                            std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>);

/// The dtype of a C++ type: `dtype_of<double>` is DType::Float64.
template <Element T>
inline constexpr DType dtype_of = detail::dtype_of<T>();

NUMLOOM_NAMESPACE_END
