// Products of integer matrices: four rows by two vectors of columns stay in registers while the depth passes.
// Integers wrap, so their order does not matter; bool is "any of both".
#include "library/vector/product.hpp"

#include <cstring>
#include <type_traits>

// Vectors wider than the processor's are never passed to functions that are not inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace numloom::library::NUMLOOM_TARGET {
namespace {

template <class T>
struct Matrices {
    const T *a, *b;
    T* c;
    int64_t a_row, a_column, b_row, c_row, depth;
};

template <bool Logical, class V>
inline __attribute__((always_inline)) void add_product(V& sum, const V& x, const V& y) {
    if constexpr (Logical)
        sum |= x & y;
    else
        sum += x * y;
}

template <class T, bool Logical, int Rows>
void block(const Matrices<T>& m, int64_t i, int64_t j) {
    typedef T V __attribute__((vector_size(64)));
    constexpr int64_t kLanes = 64 / static_cast<int64_t>(sizeof(T));
    V sums[Rows][2] = {};
    const T* b = m.b + j;
    for (int64_t l = 0; l < m.depth; ++l, b += m.b_row) {
        V y0, y1;
        std::memcpy(&y0, b, 64);
        std::memcpy(&y1, b + kLanes, 64);
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r) {
            const V x = V{} + m.a[(i + r) * m.a_row + l * m.a_column];
            add_product<Logical>(sums[r][0], x, y0);
            add_product<Logical>(sums[r][1], x, y1);
        }
    }
    for (int r = 0; r < Rows; ++r) std::memcpy(m.c + (i + r) * m.c_row + j, sums[r], 128);
}

// One column after the other, for what no two vectors cover.
template <class T, bool Logical>
void edge(const Matrices<T>& m, int64_t i, int64_t begin, int64_t end) {
    T* c = m.c + i * m.c_row;
    std::memset(c + begin, 0, static_cast<size_t>(end - begin) * sizeof(T));
    for (int64_t l = 0; l < m.depth; ++l) {
        const T x = m.a[i * m.a_row + l * m.a_column];
        const T* b = m.b + l * m.b_row;
        for (int64_t j = begin; j < end; ++j) {
            if constexpr (Logical)
                c[j] = static_cast<T>(c[j] | (x & b[j]));
            else
                c[j] = static_cast<T>(c[j] + static_cast<T>(x * b[j]));
        }
    }
}

// A sum of products of two lines, for one column.
template <class T, bool Logical>
void column(const Matrices<T>& m, int64_t i, int64_t j) {
    T total = 0;
    const T *a = m.a + i * m.a_row, *b = m.b + j;
    for (int64_t l = 0; l < m.depth; ++l) {
        if constexpr (Logical)
            total = static_cast<T>(total | (a[l * m.a_column] & b[l * m.b_row]));
        else
            total = static_cast<T>(total + static_cast<T>(a[l * m.a_column] * b[l * m.b_row]));
    }
    m.c[i * m.c_row + j] = total;
}

template <class T, bool Logical>
void all(const Matrices<T>& m, int64_t rows, int64_t columns) {
    constexpr int64_t kWidth = 128 / static_cast<int64_t>(sizeof(T));
    if (columns == 1) {
        for (int64_t i = 0; i < rows; ++i) column<T, Logical>(m, i, 0);
        return;
    }
    const int64_t whole = columns / kWidth * kWidth;
    for (int64_t j = 0; j < whole; j += kWidth) {
        int64_t i = 0;
        for (; i + 4 <= rows; i += 4) block<T, Logical, 4>(m, i, j);
        for (; i < rows; ++i) block<T, Logical, 1>(m, i, j);
    }
    if (whole < columns)
        for (int64_t i = 0; i < rows; ++i) edge<T, Logical>(m, i, whole, columns);
}

}  // namespace

void integer_product(int64_t item, bool logical, int64_t rows, int64_t columns, int64_t depth, const void* a,
                     int64_t a_row, int64_t a_column, const void* b, int64_t b_row, void* c, int64_t c_row) {
    auto run = [&](auto zero, auto any) {
        using T = decltype(zero);
        all<T, decltype(any)::value>({static_cast<const T*>(a), static_cast<const T*>(b), static_cast<T*>(c),
                                      a_row, a_column, b_row, c_row, depth},
                                     rows, columns);
    };
    if (logical) return run(uint8_t{}, std::true_type{});
    switch (item) {
        case 1:
            return run(uint8_t{}, std::false_type{});
        case 2:
            return run(uint16_t{}, std::false_type{});
        case 4:
            return run(uint32_t{}, std::false_type{});
        default:
            return run(uint64_t{}, std::false_type{});
    }
}

}  // namespace numloom::library::NUMLOOM_TARGET
