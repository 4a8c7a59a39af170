// Shapes and strides. A Layout is interned: equal layouts are one object, so comparing pointers compares
// layouts.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "core/dtype.hpp"

namespace numloom {

inline constexpr int kMaxDims = 64;  // as NumPy 2

// A list of up to kMaxDims integers on the stack; only the used part is ever copied.
struct Dims {
    int n = 0;
    int64_t v[kMaxDims];

    Dims() = default;
    Dims(std::initializer_list<int64_t> list) : Dims(std::span<const int64_t>(list.begin(), list.size())) {}
    explicit Dims(std::span<const int64_t> s) : n(static_cast<int>(s.size())) {
        for (int i = 0; i < n; ++i) v[i] = s[static_cast<size_t>(i)];
    }
    Dims(const Dims& o) : Dims(std::span<const int64_t>(o.v, static_cast<size_t>(o.n))) {}
    Dims& operator=(const Dims& o) {
        n = o.n;
        for (int i = 0; i < n; ++i) v[i] = o.v[i];
        return *this;
    }
    int64_t& operator[](int i) { return v[i]; }
    int64_t operator[](int i) const { return v[i]; }
    void push(int64_t x) { v[n++] = x; }
    int64_t* begin() { return v; }
    int64_t* end() { return v + n; }
    const int64_t* begin() const { return v; }
    const int64_t* end() const { return v + n; }
    operator std::span<const int64_t>() const { return {v, static_cast<size_t>(n)}; }
    friend bool operator==(const Dims& a, const Dims& b) {
        if (a.n != b.n) return false;
        for (int i = 0; i < a.n; ++i)
            if (a.v[i] != b.v[i]) return false;
        return true;
    }
};

// Shape and byte strides, immutable and interned. Strides may be negative or zero.
class Layout {
  public:
    int ndim() const { return ndim_; }
    int64_t shape(int axis) const { return data_[axis]; }
    int64_t stride(int axis) const { return data_[ndim_ + axis]; }  // bytes
    std::span<const int64_t> shape() const { return {data_, static_cast<size_t>(ndim_)}; }
    std::span<const int64_t> strides() const { return {data_ + ndim_, static_cast<size_t>(ndim_)}; }
    int64_t size() const { return size_; }  // elements
    // Bytes reached from the first element: [low, high + itemsize) holds every element; low <= 0 <= high.
    int64_t low() const { return low_; }
    int64_t high() const { return high_; }
    // Whether elements of `itemsize` bytes lie in C (Fortran) order without gaps, as NumPy's flags say.
    bool c_contiguous(int64_t itemsize) const { return c_unit_ == itemsize || c_unit_ < 0; }
    bool f_contiguous(int64_t itemsize) const { return f_unit_ == itemsize || f_unit_ < 0; }
    // The C-contiguous layout of the same shape for elements of `d`.
    const Layout* dense(DType d) const {
        const Layout* l = dense_[info(d).size_log2];
        return l ? l : make_dense(info(d).size_log2);
    }
    bool same_shape(const Layout& o) const;

    // Handles and instructions outside the log keep layouts alive; counted under the record lock.
    mutable int64_t uses = 0;

    static const Layout* intern(std::span<const int64_t> shape, std::span<const int64_t> strides);
    static const Layout* c_order(std::span<const int64_t> shape, int64_t itemsize);
    static const Layout* f_order(std::span<const int64_t> shape, int64_t itemsize);
    static const Layout* scalar();
    // Number of interned layouts; frees those without uses (call only when no log or plan holds any).
    static int64_t count();
    static void sweep();

  private:
    const Layout* make_dense(int size_log2) const;

    int ndim_;
    int64_t size_, low_, high_, c_unit_, f_unit_;
    uint64_t hash_;
    mutable const Layout* dense_[5] = {};
    int64_t data_[];  // shape, then strides
    friend class LayoutTable;
};

std::string shape_text(std::span<const int64_t> shape);  // "(3,)", "(2, 3)" as Python prints tuples

// NumPy's broadcasting of shapes: false when they do not fit.
bool broadcast_shapes(std::span<const int64_t> a, std::span<const int64_t> b, Dims* out);
// `from` seen with `shape` (strides 0 along stretched axes); nullptr when it does not broadcast to it.
const Layout* broadcast_layout(const Layout& from, std::span<const int64_t> shape);
// `from` with elements of `itemsize` bytes as a view of the new shape in C order; nullptr when only a copy
// can do it.
const Layout* reshape_layout(const Layout& from, std::span<const int64_t> shape, int64_t itemsize);
// Axes permuted: axis i of the result is axis axes[i] of `from`.
const Layout* permute_layout(const Layout& from, std::span<const int64_t> axes);

// How the elements of two views of one storage lie to each other. Offsets are bytes in the storage.
enum class Relation : uint8_t {
    Disjoint,  // no byte in common, exactly known
    Equal,     // the same elements at the same positions (same layout, offset and element size)
    Shift,     // same layout, different offset, may share bytes
    Other,     // may share bytes
};
Relation relate(const Layout& a, int64_t offset_a, int64_t itemsize_a, const Layout& b, int64_t offset_b,
                int64_t itemsize_b);
// Whether two elements of the view may share a byte (a zero stride, or strides that interleave).
bool self_overlaps(const Layout& a, int64_t itemsize);

}  // namespace numloom
