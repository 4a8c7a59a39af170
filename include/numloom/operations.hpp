/// \file
/// Operators and functions over whole arrays. Operands broadcast as NumPy's (Value where shapes do not fit);
/// dtypes promote as NumPy's (Type where an operation has no loop for them). Integer division by zero gives 0
/// and floating-point faults give infinities and NaN, both without a warning.
#pragma once

#include <optional>
#include <vector>

#include "numloom/array.hpp"
#include "numloom/functions.hpp"  // one function for each row of the operation table

NUMLOOM_NAMESPACE_BEGIN

#define NUMLOOM_OPERATOR(symbol)                                       \
    NUMLOOM_API Array operator symbol(const Array& a, const Value& b); \
    NUMLOOM_API Array operator symbol(const Number& a, const Array& b);
NUMLOOM_OPERATOR(+)
NUMLOOM_OPERATOR(-)
NUMLOOM_OPERATOR(*)
NUMLOOM_OPERATOR(/)
NUMLOOM_OPERATOR(%)
NUMLOOM_OPERATOR(&)
NUMLOOM_OPERATOR(|)
NUMLOOM_OPERATOR(^)
NUMLOOM_OPERATOR(<<)
NUMLOOM_OPERATOR(>>)
NUMLOOM_OPERATOR(<)
NUMLOOM_OPERATOR(<=)
NUMLOOM_OPERATOR(>)
NUMLOOM_OPERATOR(>=)
#undef NUMLOOM_OPERATOR
/// Comparisons give arrays of bool: `(a == b)` in an `if` does not compile; ask all(a == b).
NUMLOOM_API Array operator==(const Array& a, const Array& b);
NUMLOOM_API Array operator==(const Array& a, const Number& b);
NUMLOOM_API Array operator==(const Number& a, const Array& b);
NUMLOOM_API Array operator!=(const Array& a, const Array& b);
NUMLOOM_API Array operator!=(const Array& a, const Number& b);
NUMLOOM_API Array operator!=(const Number& a, const Array& b);
NUMLOOM_API Array operator-(const Array& a);
NUMLOOM_API Array operator+(const Array& a);  ///< a copy, as numpy.positive
NUMLOOM_API Array operator~(const Array& a);

/// a to the power of b. Throws Value for integers to negative integer powers (looks at b's values).
NUMLOOM_API Array pow(const Value& a, const Value& b);
NUMLOOM_API Array abs(const Array& a);
/// Elements of a where the mask (any dtype; zero is false) is true, else of b.
NUMLOOM_API Array where(const Array& mask, const Value& a, const Value& b);
NUMLOOM_API Array clip(const Array& a, const Value& low, const Value& high);
NUMLOOM_API Array real(const Array& a);  ///< of complex values a copy of the real parts, else a itself
NUMLOOM_API Array imag(const Array& a);

/// \name Reductions
/// Over all axes unless given; Axis for axes out of bounds, Value for axes named twice. Results without axes
/// are arrays of no dimensions: read them by item(). The order of summation is fixed by shape and dtype
/// alone, so the bits do not depend on threads or devices.
/// \{
/// Small integers and bool add up in int64 (unsigned ones in uint64) unless a dtype is given.
NUMLOOM_API Array sum(const Array& a, const Axes& axes = {}, bool keepdims = false,
                      std::optional<DType> d = {});
NUMLOOM_API Array prod(const Array& a, const Axes& axes = {}, bool keepdims = false,
                       std::optional<DType> d = {});
NUMLOOM_API Array min(const Array& a, const Axes& axes = {},
                      bool keepdims = false);  ///< Value for no elements
NUMLOOM_API Array max(const Array& a, const Axes& axes = {},
                      bool keepdims = false);  ///< Value for no elements
NUMLOOM_API Array any(const Array& a, const Axes& axes = {}, bool keepdims = false);
NUMLOOM_API Array all(const Array& a, const Axes& axes = {}, bool keepdims = false);
NUMLOOM_API Array count_nonzero(const Array& a, const Axes& axes = {}, bool keepdims = false);
/// Of integers in float64; of no elements NaN.
NUMLOOM_API Array mean(const Array& a, const Axes& axes = {}, bool keepdims = false);
/// The mean squared deviation, with N - ddof as divisor.
NUMLOOM_API Array var(const Array& a, const Axes& axes = {}, bool keepdims = false, int64_t ddof = 0);
NUMLOOM_API Array std(const Array& a, const Axes& axes = {}, bool keepdims = false, int64_t ddof = 0);
/// First position of the extreme value along the axis, or in C order; int64. Value for no elements.
NUMLOOM_API Array argmin(const Array& a, std::optional<int64_t> axis = {});
NUMLOOM_API Array argmax(const Array& a, std::optional<int64_t> axis = {});
/// \}

NUMLOOM_API Array cumsum(const Array& a, int64_t axis = 0);    ///< running sums along an axis
NUMLOOM_API Array cumprod(const Array& a, int64_t axis = 0);   ///< running products along an axis
NUMLOOM_API Array sort(const Array& a, int64_t axis = -1);     ///< a sorted copy, NaN last
NUMLOOM_API Array argsort(const Array& a, int64_t axis = -1);  ///< the stable order that sorts
/// Elements (along an axis: slices) at int64 positions, which may be negative; looks at them and throws
/// Index.
NUMLOOM_API Array take(const Array& a, const Array& positions, std::optional<int64_t> axis = {});
/// Writes values, broadcast to the shape of the positions, to elements in C order; of equal positions the
/// last wins. Looks at the positions and throws Index.
NUMLOOM_API void put(const Array& a, const Array& positions, const Value& values);
/// The elements where the mask of a's shape is true, in C order; evaluates, since the shape depends on
/// values.
NUMLOOM_API Array compress(const Array& mask, const Array& a);
NUMLOOM_API Array flatnonzero(const Array& a);  ///< positions in C order of what is not zero; evaluates
/// Products of matrices in the last two axes, the others broadcast; of vectors as numpy.matmul. Value, Type.
NUMLOOM_API Array matmul(const Array& a, const Array& b);
NUMLOOM_API Array concatenate(const std::vector<Array>& arrays, int64_t axis = 0);
NUMLOOM_API Array stack(const std::vector<Array>& arrays, int64_t axis = 0);

NUMLOOM_NAMESPACE_END
