/// \file
/// New arrays.
#pragma once

#include "numloom/array.hpp"

NUMLOOM_NAMESPACE_BEGIN

/// Lengths must not be negative (Value); an array that the machine's memory cannot hold throws Memory.
NUMLOOM_API Array empty(const Shape& shape, DType d = DType::Float64);  ///< contents undefined
NUMLOOM_API Array zeros(const Shape& shape, DType d = DType::Float64);
NUMLOOM_API Array ones(const Shape& shape, DType d = DType::Float64);
/// The dtype of a number is bool, int64, float64 or complex128 unless given. Throws Overflow.
NUMLOOM_API Array full(const Shape& shape, const Number& value, std::optional<DType> d = {});
NUMLOOM_API Array empty_like(const Array& a);
NUMLOOM_API Array zeros_like(const Array& a);
NUMLOOM_API Array ones_like(const Array& a);
NUMLOOM_API Array full_like(const Array& a, const Number& value);

/// start, start + step, ... up to but without stop: int64 where all three are integers, else float64, unless
/// given. Throws ZeroDivision for a step of 0, Value for a length that is not finite.
NUMLOOM_API Array arange(const Number& stop, std::optional<DType> d = {});
NUMLOOM_API Array arange(const Number& start, const Number& stop, const Number& step = 1,
                         std::optional<DType> d = {});
/// `num` evenly spaced float64 numbers from start to stop, with or without stop itself. Throws Value for num
/// < 0.
NUMLOOM_API Array linspace(double start, double stop, int64_t num = 50, bool endpoint = true);
/// Ones on the diagonal `offset` of an n by m matrix (m = n unless given).
NUMLOOM_API Array eye(int64_t n, std::optional<int64_t> m = {}, int64_t offset = 0, DType d = DType::Float64);

/// A copy of `size of shape` elements at `data`, in C order.
NUMLOOM_API Array from_data(const void* data, const Shape& shape, DType d);
template <Element T>
Array from_data(const T* data, const Shape& shape) {
    return from_data(static_cast<const void*>(data), shape, dtype_of<T>);
}

/// One axis from a list: `array({1.0, 2.0})`.
template <Element T>
Array array(std::initializer_list<T> values) {
    return from_data(values.begin(), {static_cast<int64_t>(values.size())});
}
/// Two axes from rows: `array({{1, 2}, {3, 4}})`. Throws Value where rows differ in length.
template <Element T>
Array array(std::initializer_list<std::initializer_list<T>> rows) {
    const size_t columns = rows.size() ? rows.begin()->size() : 0;
    std::vector<T> flat;
    if constexpr (std::same_as<T, bool>) {
        Array out = empty({static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)}, DType::Bool);
        int64_t i = 0;
        for (const auto& row : rows) {
            if (row.size() != columns) throw Error(ErrorKind::Value, "array: the rows differ in length");
            out(i++).assign(array(row));
        }
        return out;
    } else {
        for (const auto& row : rows) {
            if (row.size() != columns) throw Error(ErrorKind::Value, "array: the rows differ in length");
            flat.insert(flat.end(), row.begin(), row.end());
        }
        return from_data(flat.data(), {static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)});
    }
}
/// One axis from a vector, or any shape of as many elements.
template <Element T>
requires(!std::same_as<T, bool>) Array array(const std::vector<T>& values) {
    return from_data(values.data(), {static_cast<int64_t>(values.size())});
}
/// Throws Value where shape and number of elements differ.
template <Element T>
requires(!std::same_as<T, bool>) Array array(const std::vector<T>& values, const Shape& shape) {
    return array(values).reshape(shape);
}

NUMLOOM_NAMESPACE_END
