// The BLAS functions that products use, by element type.
#pragma once

#include <type_traits>

#include "library/blas.hpp"

namespace numloom::library {

// A matrix in memory: `ld` elements from one row to the next, of the matrix or, where `turned`, of its
// transpose.
template <class T>
struct Factor {
    const T* data;
    Int ld;
    bool turned;
    const T* at(Int i, Int j) const { return data + (turned ? j * ld + i : i * ld + j); }
    Factor from(Int i, Int j) const { return {at(i, j), ld, turned}; }
    Factor moved(Int elements) const { return {data + elements, ld, turned}; }
};

// alpha and beta go by value for real types, by address for complex ones.
template <class T>
struct BlasFunctions {
    using Gemm = void (*)(int, int, int, Int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
    using Gemv = void (*)(int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
    using Dot = T (*)(Int, const T*, Int, const T*, Int);
    Gemm gemm = nullptr;
    Gemv gemv = nullptr;
    Dot dot = nullptr;
};
template <class T>
struct BlasFunctions<std::complex<T>> {
    using Gemm = void (*)(int, int, int, Int, Int, Int, const void*, const void*, Int, const void*, Int,
                          const void*, void*, Int);
    using Gemv = void (*)(int, int, Int, Int, const void*, const void*, Int, const void*, Int, const void*,
                          void*, Int);
    using Dot = void (*)(Int, const void*, Int, const void*, Int, void*);
    Gemm gemm = nullptr;
    Gemv gemv = nullptr;
    Dot dot = nullptr;
};

template <class T>
inline BlasFunctions<T> blas_functions;

// c[m, n] = a[m, k] times b[k, n] by one call; rows of c are contiguous, ldc elements apart.
template <class T>
void blas_product(Int m, Int k, Int n, const Factor<T>& a, const Factor<T>& b, T* c, Int ldc) {
    enum : int { kRowMajor = 101, kNoTrans = 111, kTrans = 112 };
    const BlasFunctions<T>& f = blas_functions<T>;
    const T one = 1, zero = 0;
    constexpr bool by_address = !std::is_floating_point_v<T>;
    const Int a_step = a.turned ? a.ld : 1, b_step = b.turned ? 1 : b.ld;  // along the summed axis
    if (m == 1 && n == 1) {
        if constexpr (by_address)
            f.dot(k, a.data, a_step, b.data, b_step, c);
        else
            *c = f.dot(k, a.data, a_step, b.data, b_step);
    } else if (n == 1) {
        const int turn = a.turned ? kTrans : kNoTrans;
        const Int rows = a.turned ? k : m, columns = a.turned ? m : k;
        if constexpr (by_address)
            f.gemv(kRowMajor, turn, rows, columns, &one, a.data, a.ld, b.data, b_step, &zero, c, ldc);
        else
            f.gemv(kRowMajor, turn, rows, columns, one, a.data, a.ld, b.data, b_step, zero, c, ldc);
    } else if (m == 1) {  // a row times B is B transposed times it
        const int turn = b.turned ? kNoTrans : kTrans;
        const Int rows = b.turned ? n : k, columns = b.turned ? k : n;
        if constexpr (by_address)
            f.gemv(kRowMajor, turn, rows, columns, &one, b.data, b.ld, a.data, a_step, &zero, c, 1);
        else
            f.gemv(kRowMajor, turn, rows, columns, one, b.data, b.ld, a.data, a_step, zero, c, 1);
    } else {
        const int ta = a.turned ? kTrans : kNoTrans, tb = b.turned ? kTrans : kNoTrans;
        if constexpr (by_address)
            f.gemm(kRowMajor, ta, tb, m, n, k, &one, a.data, a.ld, b.data, b.ld, &zero, c, ldc);
        else
            f.gemm(kRowMajor, ta, tb, m, n, k, one, a.data, a.ld, b.data, b.ld, zero, c, ldc);
    }
}

}  // namespace numloom::library
