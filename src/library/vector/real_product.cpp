// Products of packed real matrices: a block of eight rows by three vectors of columns stays in 24 registers
// while a slice of the depth passes.
#include "library/vector/real_product.hpp"

#include <algorithm>
#include <cstring>

#include "core/turn.hpp"
#include "library/vector/avx512.hpp"

namespace numloom::library::NUMLOOM_TARGET {

#if defined(__AVX512F__)
namespace {

template <class T>
struct Vector;
template <>
struct Vector<double> {
    using Type = __m512d;
    static Type zero() { return _mm512_setzero_pd(); }
    static Type load(const double* p) { return _mm512_loadu_pd(p); }
    static void store(double* p, Type x) { _mm512_storeu_pd(p, x); }
    static Type all(double x) { return _mm512_set1_pd(x); }
    static Type add(Type x, Type y) { return _mm512_add_pd(x, y); }
    static Type multiply_add(Type x, Type y, Type z) { return _mm512_fmadd_pd(x, y, z); }
};
template <>
struct Vector<float> {
    using Type = __m512;
    static Type zero() { return _mm512_setzero_ps(); }
    static Type load(const float* p) { return _mm512_loadu_ps(p); }
    static void store(float* p, Type x) { _mm512_storeu_ps(p, x); }
    static Type all(float x) { return _mm512_set1_ps(x); }
    static Type add(Type x, Type y) { return _mm512_add_ps(x, y); }
    static Type multiply_add(Type x, Type y, Type z) { return _mm512_fmadd_ps(x, y, z); }
};

constexpr int kRows = kProductRows, kVectors = kProductVectors;
template <class T>
constexpr int64_t kColumns = kProductColumns<T>;
template <class T>
constexpr int64_t kLanes = kColumns<T> / kVectors;

// c[kRows, Vectors * kLanes] = or += the product of two panels.
template <class T, bool Add, int Vectors>
void block(int64_t depth, const T* a, const T* b, T* c, int64_t c_row) {
    using V = Vector<T>;
    typename V::Type sums[kRows][Vectors];
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 3
        for (int v = 0; v < Vectors; ++v) sums[r][v] = V::zero();
#pragma GCC unroll 4
    for (int64_t l = 0; l < depth; ++l, a += kRows, b += kColumns<T>) {
        typename V::Type y[Vectors];
#pragma GCC unroll 3
        for (int v = 0; v < Vectors; ++v) y[v] = V::load(b + v * kLanes<T>);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
            const typename V::Type x = V::all(a[r]);
#pragma GCC unroll 3
            for (int v = 0; v < Vectors; ++v) sums[r][v] = V::multiply_add(x, y[v], sums[r][v]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 3
        for (int v = 0; v < Vectors; ++v) {
            T* to = c + r * c_row + v * kLanes<T>;
            V::store(to, Add ? V::add(V::load(to), sums[r][v]) : sums[r][v]);
        }
}

// The part of a block that belongs to c: rows and columns may end within it.
template <class T, bool Add, int Vectors>
void edge_block(int64_t rows, int64_t columns, int64_t depth, const T* a, const T* b, T* c, int64_t c_row) {
    constexpr int64_t kWidth = Vectors * kLanes<T>;
    alignas(64) T whole[kRows * kWidth];
    block<T, false, Vectors>(depth, a, b, whole, kWidth);
    for (int64_t r = 0; r < rows; ++r)
        for (int64_t s = 0; s < columns; ++s) {
            T& to = c[r * c_row + s];
            to = Add ? to + whole[r * kWidth + s] : whole[r * kWidth + s];
        }
}

// All rows of c times one panel of columns, which needs so many vectors.
template <class T, bool Add, int Vectors>
void panel(int64_t rows, int64_t columns, int64_t depth, const T* a, const T* b, T* c, int64_t c_row) {
    for (int64_t i = 0; i < rows; i += kRows, a += kRows * depth, c += kRows * c_row) {
        if (i + kRows <= rows && columns == Vectors * kLanes<T>)
            block<T, Add, Vectors>(depth, a, b, c, c_row);
        else
            edge_block<T, Add, Vectors>(std::min<int64_t>(kRows, rows - i), columns, depth, a, b, c, c_row);
    }
}

template <class T, bool Add>
void panels(int64_t rows, int64_t columns, int64_t depth, const T* a, const T* b, T* c, int64_t c_row) {
    static_assert(kVectors == 3);
    for (int64_t j = 0; j < columns; j += kColumns<T>, b += kColumns<T> * depth, c += kColumns<T>) {
        const int64_t there = std::min(kColumns<T>, columns - j);
        if (there > 2 * kLanes<T>)
            panel<T, Add, 3>(rows, there, depth, a, b, c, c_row);
        else if (there > kLanes<T>)
            panel<T, Add, 2>(rows, there, depth, a, b, c, c_row);
        else
            panel<T, Add, 1>(rows, there, depth, a, b, c, c_row);
    }
}

// Lines [first, lines) of a panel, one element after the other; the last line is repeated behind them.
template <class T>
void pack_lines(const T* from, int64_t line_step, int64_t depth_step, int64_t first, int64_t lines,
                int64_t depth, int64_t width, T* to) {
    for (int64_t i = first; i < width; ++i) {
        const T* line = from + std::min(i, lines - 1) * line_step;
        for (int64_t l = 0; l < depth; ++l) to[l * width + i] = line[l * depth_step];
    }
}

}  // namespace

template <class T>
void pack_panel(const T* from, int64_t line_step, int64_t depth_step, int64_t lines, int64_t depth,
                int64_t width, T* to) {
    using numloom::NUMLOOM_TARGET::kTile;
    if (line_step == 1 && lines == width) {
        for (int64_t l = 0; l < depth; ++l, from += depth_step, to += width)
            for (int64_t i = 0; i < width; i += kTile) std::memcpy(to + i, from + i, kTile * sizeof(T));
        return;
    }
    const int64_t whole = depth_step == 1 ? lines / kTile * kTile : 0, turned = depth / kTile * kTile;
    for (int64_t l = 0; l < turned; l += kTile)
        for (int64_t i = 0; i < whole; i += kTile)
            numloom::NUMLOOM_TARGET::turn_tile(to + l * width + i, width,
                                               reinterpret_cast<const char*>(from + i * line_step + l),
                                               line_step * static_cast<int64_t>(sizeof(T)));
    if (whole > 0 && turned < depth)
        pack_lines(from + turned, line_step, depth_step, 0, lines, depth - turned, width,
                   to + turned * width);
    if (whole < width) pack_lines(from, line_step, depth_step, whole, lines, depth, width, to);
}
template void pack_panel(const double*, int64_t, int64_t, int64_t, int64_t, int64_t, double*);
template void pack_panel(const float*, int64_t, int64_t, int64_t, int64_t, int64_t, float*);

template <class T>
void real_product(int64_t rows, int64_t columns, int64_t depth, const T* a, const T* b, T* c, int64_t c_row,
                  bool add) {
    if (add)
        panels<T, true>(rows, columns, depth, a, b, c, c_row);
    else
        panels<T, false>(rows, columns, depth, a, b, c, c_row);
}
template void real_product(int64_t, int64_t, int64_t, const double*, const double*, double*, int64_t, bool);
template void real_product(int64_t, int64_t, int64_t, const float*, const float*, float*, int64_t, bool);

NL_END_AVX512
#endif

}  // namespace numloom::library::NUMLOOM_TARGET
