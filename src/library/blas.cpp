// Matrix products: by a BLAS with 64-bit integers that is found at run time, else by loops of our own.
#include <dlfcn.h>

#include <algorithm>
#include <complex>
#include <string>

#include "core/scalar.hpp"
#include "library/blas.hpp"
#include "library/call.hpp"

namespace numloom::library {
namespace {

enum : int { kRowMajor = 101, kNoTrans = 111, kTrans = 112 };

// The BLAS functions for one element type; alpha and beta go by value for real types, by address for complex
// ones.
template <class T>
struct Functions {
    using Gemm = void (*)(int, int, int, Int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
    using Gemv = void (*)(int, int, Int, Int, T, const T*, Int, const T*, Int, T, T*, Int);
    using Dot = T (*)(Int, const T*, Int, const T*, Int);
    Gemm gemm = nullptr;
    Gemv gemv = nullptr;
    Dot dot = nullptr;
};
template <class T>
struct Functions<std::complex<T>> {
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
Functions<T> functions;

template <class F>
bool find(void* handle, F* to, const std::string& name) {
    *to = reinterpret_cast<F>(blas_symbol(handle, name, true));
    return *to != nullptr;
}

template <class T>
bool find_all(void* handle, char letter, const std::string& dot) {
    Functions<T> f;
    const std::string l(1, letter);
    if (!find(handle, &f.gemm, l + "gemm") || !find(handle, &f.gemv, l + "gemv") ||
        !find(handle, &f.dot, dot))
        return false;
    functions<T> = f;
    return true;
}

// How the two factors of one product lie in memory: dense, row after row, of the matrix or of its transpose.
struct Product {
    Int m, k, n;
    bool ta, tb;
};

template <class T>
bool by_blas(const Product& p, const T* a, const T* b, T* c) {
    const Functions<T>& f = functions<T>;
    if (!f.gemm) return false;
    const Int lda = p.ta ? p.m : p.k, ldb = p.tb ? p.k : p.n;
    const int ta = p.ta ? kTrans : kNoTrans, tb = p.tb ? kTrans : kNoTrans;
    const T one = 1, zero = 0;
    constexpr bool complex = !std::is_floating_point_v<T>;
    if (p.m == 1 && p.n == 1) {
        if constexpr (complex)
            f.dot(p.k, a, 1, b, 1, c);
        else
            *c = f.dot(p.k, a, 1, b, 1);
    } else if (p.n == 1) {
        if constexpr (complex)
            f.gemv(kRowMajor, ta, p.ta ? p.k : p.m, lda, &one, a, lda, b, 1, &zero, c, 1);
        else
            f.gemv(kRowMajor, ta, p.ta ? p.k : p.m, lda, one, a, lda, b, 1, zero, c, 1);
    } else if (p.m == 1) {  // a row times B is B transposed times it
        const int t = p.tb ? kNoTrans : kTrans;
        if constexpr (complex)
            f.gemv(kRowMajor, t, p.tb ? p.n : p.k, ldb, &one, b, ldb, a, 1, &zero, c, 1);
        else
            f.gemv(kRowMajor, t, p.tb ? p.n : p.k, ldb, one, b, ldb, a, 1, zero, c, 1);
    } else {
        if constexpr (complex)
            f.gemm(kRowMajor, ta, tb, p.m, p.n, p.k, &one, a, lda, b, ldb, &zero, c, p.n);
        else
            f.gemm(kRowMajor, ta, tb, p.m, p.n, p.k, one, a, lda, b, ldb, zero, c, p.n);
    }
    return true;
}

// Sums in the element type (half precision: in float); integers wrap, bool is "any of both".
template <class T>
struct Sum {
    using type = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
    static type of(T x) { return static_cast<type>(x); }
    static T back(type x) {
        if constexpr (std::is_same_v<T, bool>)
            return x != 0;
        else
            return static_cast<T>(x);
    }
};
template <>
struct Sum<Half> {
    using type = float;
    static float of(Half x) { return half_to_float(x); }
    static Half back(float x) { return float_to_half(x); }
};

template <class T>
void by_loops(const Product& p, const T* a, const T* b, T* c) {
    using S = typename Sum<T>::type;
    const Int grain = std::max<Int>(1, kGrain / std::max<Int>(1, p.k * p.n));
    parallel_ranges(p.m, grain, [&](Int begin, Int end) {
        std::vector<S> row(static_cast<size_t>(p.n));
        for (Int i = begin; i < end; ++i) {
            std::fill(row.begin(), row.end(), S{});
            for (Int l = 0; l < p.k; ++l) {
                const S x = Sum<T>::of(a[p.ta ? l * p.m + i : i * p.k + l]);
                for (Int j = 0; j < p.n; ++j)
                    row[static_cast<size_t>(j)] += x * Sum<T>::of(b[p.tb ? j * p.k + l : l * p.n + j]);
            }
            for (Int j = 0; j < p.n; ++j) c[i * p.n + j] = Sum<T>::back(row[static_cast<size_t>(j)]);
        }
    });
}

template <class T>
constexpr bool in_blas() {
    return std::is_floating_point_v<T> || std::is_same_v<T, std::complex<float>> ||
           std::is_same_v<T, std::complex<double>>;
}

void matmul(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const Int batch = p[0], step_a = p[4], step_b = p[5];
    const Product product{p[1], p[2], p[3], p[6] != 0, p[7] != 0};
    dispatch(out.dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        const T* a = reinterpret_cast<const T*>(in[0].data);
        const T* b = reinterpret_cast<const T*>(in[1].data);
        T* c = reinterpret_cast<T*>(out.data);
        for (Int i = 0; i < batch; ++i, a += step_a, b += step_b, c += product.m * product.n) {
            bool done = false;
            if constexpr (in_blas<T>()) done = by_blas<T>(product, a, b, c);
            if (!done) by_loops<T>(product, a, b, c);
        }
    });
}

}  // namespace

bool load_blas(const char* path) {
    void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    find_thread_settings(handle);
    load_lapack(handle);
    return find_all<float>(handle, 's', "sdot") && find_all<double>(handle, 'd', "ddot") &&
           find_all<std::complex<float>>(handle, 'c', "cdotu_sub") &&
           find_all<std::complex<double>>(handle, 'z', "zdotu_sub");
}

std::span<const Entry> product_entries() {
    static const Entry entries[] = {{"matmul", matmul}};
    return entries;
}

}  // namespace numloom::library
