/// \file
/// Array, NumPy's ndarray for C++ programs, and the small types that its functions take.
///
/// Calls are recorded and checked at once (shapes, dtypes and errors are those of the call), and run, fused,
/// when somebody needs values: `item`, `to_vector`, `copy_to`, printing, `eval()`. Any thread may call
/// anything; evaluations run one at a time.
#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "numloom/dtype.hpp"
#include "numloom/error.hpp"

NUMLOOM_NAMESPACE_BEGIN

class Array;

/// Lengths of the axes, outermost first.
using Shape = std::vector<int64_t>;

/// A C++ number as an operand. As Python's numbers under NEP 50 it does not widen the dtype of an array that
/// it meets, unless its kind does: float32 + 2.0 is float32, int8 + 1 is int8, int8 + 1.5 is float64.
class Number {
  public:
    enum class Kind : uint8_t { Bool, Signed, Unsigned, Float, Complex };

    template <std::integral T>
    Number(T v)
        : kind_(std::same_as<T, bool> ? Kind::Bool
                : std::is_signed_v<T> ? Kind::Signed
                                      : Kind::Unsigned),
          bits_(static_cast<uint64_t>(v)) {}
    template <std::floating_point T>
    Number(T v) : kind_(Kind::Float), value_(static_cast<double>(v)) {}
    template <std::floating_point T>
    Number(std::complex<T> v) : kind_(Kind::Complex), value_(v) {}

    Kind kind() const { return kind_; }
    int64_t as_signed() const { return static_cast<int64_t>(bits_); }
    uint64_t as_unsigned() const { return bits_; }
    std::complex<double> as_complex() const { return value_; }

  private:
    Kind kind_;
    uint64_t bits_ = 0;
    std::complex<double> value_;
};

/// What a parameter that takes an array or a number is. Refers to the array: not to be stored.
class Value {
  public:
    Value(const Array& a) : array_(&a) {}
    Value(const Number& n) : number_(n) {}
    template <class T>
    requires std::constructible_from<Number, T> &&(!std::same_as<std::remove_cvref_t<T>, Number>)Value(T v)
        : number_(v) {}

    const Array* array() const { return array_; }  ///< nullptr where it is a number
    const Number& number() const { return number_; }

  private:
    const Array* array_ = nullptr;
    Number number_{0};
};

/// Python's `start:stop:step`; what is absent reaches to the end. Build it by slice().
struct Slice {
    std::optional<int64_t> start, stop;
    int64_t step = 1;
};
/// An absent start or stop: `slice(none, none, -1)`.
inline constexpr std::nullopt_t none = std::nullopt;
/// `slice()` is `:`, `slice(1, -1)` is `1:-1`, `slice(none, none, 2)` is `::2`.
inline Slice slice(std::optional<int64_t> start = none, std::optional<int64_t> stop = none,
                   int64_t step = 1) {
    return {start, stop, step};
}
struct Ellipsis {};
struct NewAxis {};
inline constexpr Ellipsis ellipsis{};  ///< Python's `...`
inline constexpr NewAxis newaxis{};    ///< numpy.newaxis

/// One place of an index: an integer (negative ones count from the end), a slice, `ellipsis` or `newaxis`.
class Index {
  public:
    template <std::integral T>
    Index(T i) : item_(static_cast<int64_t>(i)) {}
    Index(Slice s) : item_(s) {}
    Index(Ellipsis e) : item_(e) {}
    Index(NewAxis n) : item_(n) {}
    const std::variant<int64_t, Slice, Ellipsis, NewAxis>& item() const { return item_; }

  private:
    std::variant<int64_t, Slice, Ellipsis, NewAxis> item_;
};

/// Axes of a reduction: one, several, or all where it is left out. Negative ones count from the end.
class Axes {
  public:
    Axes() = default;
    template <std::integral T>
    Axes(T axis) : list_({static_cast<int64_t>(axis)}), all_(false) {}
    Axes(std::initializer_list<int64_t> axes) : list_(axes), all_(false) {}
    explicit Axes(std::vector<int64_t> axes) : list_(std::move(axes)), all_(false) {}
    bool all() const { return all_; }
    const std::vector<int64_t>& list() const { return list_; }

  private:
    std::vector<int64_t> list_;
    bool all_ = true;
};

/// A view of memory that Numloom owns. Copying an Array makes another handle to the same view, as assignment
/// in Python does; copy() copies elements. A default-made or moved-from Array is no array: every use but
/// assignment throws.
///
/// `view = x` on a named Array lets it name something else; on an indexed one it writes elements:
/// \code
///   Array row = grid(0);      // a view
///   grid(0) = 1.0;            // writes the first row
///   row.assign(2.0);          // writes it through the view
///   row = grid(1);            // `row` is now another view; nothing is written
/// \endcode
class NUMLOOM_API Array {
  public:
    Array() noexcept;
    Array(const Array& other);
    Array(Array&& other) noexcept;
    Array& operator=(const Array& other) &;
    Array& operator=(Array&& other) & noexcept;
    ~Array();

    /// Writes into the view: `a(slice(1, -1)) = b`. \see assign
    void operator=(const Array& values) &&;
    void operator=(const Value& values) &&;

    bool defined() const noexcept;  ///< false for a default-made or moved-from one
    DType dtype() const;
    int ndim() const;
    Shape shape() const;
    int64_t shape(int axis) const;         ///< Throws Axis.
    std::vector<int64_t> strides() const;  ///< bytes from one element to the next along each axis
    int64_t size() const;                  ///< number of elements
    int64_t nbytes() const;                ///< size() times the bytes of an element
    bool shares_memory(
        const Array& other) const;  ///< whether both are views of one allocation and may overlap

    /// Basic indexing: `a(0)`, `a(slice(1, -1), ellipsis, newaxis)`. Always a view. Throws Index.
    template <class... I>
    requires(std::constructible_from<Index, I>&&...) Array operator()(const I&... index) const {
        return view({Index(index)...});
    }
    Array operator[](const Index& index) const { return view({index}); }
    Array view(std::initializer_list<Index> index) const;

    Array reshape(
        const Shape& shape) const;  ///< A view where strides allow it, else a copy; one length may be -1.
    Array ravel() const;            ///< One axis; a view of what lies in C order, else a copy.
    Array transpose() const;        ///< Axes reversed; a view.
    Array transpose(const std::vector<int64_t>& axes) const;  ///< Axis i of the view is axis axes[i].
    Array swapaxes(int64_t a, int64_t b) const;
    Array squeeze() const;                    ///< Without axes of length 1; a view.
    Array flip(const Axes& axes = {}) const;  ///< Elements in reversed order along the axes; a view.
    Array diagonal(
        int64_t offset = 0) const;  ///< Of the first two axes; a view. Throws Value below two axes.
    Array broadcast_to(const Shape& shape) const;  ///< A read-only view. Throws Value.
    Array astype(DType d) const;  ///< A copy with converted elements, as an unsafe cast of NumPy.
    Array copy() const;           ///< A copy in C order.

    /// Writes the values, broadcast to shape() and converted; returns *this. Throws Value where shapes do not
    /// fit or the view is read-only, Type where complex values would lose their imaginary part, Overflow
    /// where a number does not fit.
    const Array& assign(const Value& values) const;

    /// Writes the result into the view, in its dtype. Throws Type where the result's kind is above it.
    Array& operator+=(const Value& b);
    Array& operator-=(const Value& b);
    Array& operator*=(const Value& b);
    Array& operator/=(const Value& b);
    Array& operator%=(const Value& b);
    Array& operator&=(const Value& b);
    Array& operator|=(const Value& b);
    Array& operator^=(const Value& b);
    Array& operator<<=(const Value& b);
    Array& operator>>=(const Value& b);

    /// The element of an array of size 1; evaluates. Throws Value for other sizes, Type where T is of a lower
    /// kind than the dtype (an integer for a float64).
    template <Element T>
    T item() const {
        T value;
        read(&value, dtype_of<T>, 1);
        return value;
    }
    /// All elements in C order; evaluates. Throws Type as item().
    template <Element T>
    requires(!std::same_as<T, bool>)  // std::vector<bool> holds bits: use copy_to
        std::vector<T> to_vector()
    const {
        std::vector<T> values(static_cast<size_t>(size()));
        read(values.data(), dtype_of<T>, size());
        return values;
    }
    /// All elements in C order into `out`, which must hold size() of them; evaluates. Throws Value, Type.
    template <Element T>
    void copy_to(std::span<T> out) const {
        read(out.data(), dtype_of<T>, static_cast<int64_t>(out.size()));
    }
    /// The text that numpy.array2string gives, long arrays summarised; evaluates.
    std::string to_string() const;

  private:
    friend struct ArrayAccess;  // the library's own way to the handle
    void read(void* out, DType d, int64_t count) const;
    alignas(8) std::byte handle_[32];
};

/// Prints to_string().
NUMLOOM_API std::ostream& operator<<(std::ostream& out, const Array& a);

NUMLOOM_NAMESPACE_END
