// Sums of products of one line slid along another.
#include <algorithm>
#include <complex>
#include <type_traits>

#include "core/scalar.hpp"
#include "library/call.hpp"
#include "library/vector.hpp"

namespace numloom::library {
namespace {

// One more product on top of a sum, rounded after each step; integers wrap, booleans are or and and.
template <class T>
void add_product(T& sum, T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
        sum = sum || (a && b);
    else if constexpr (std::is_integral_v<T>)
        sum =
            static_cast<T>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else
        sum += a * b;
}
template <class T>
void add_product(std::complex<T>& sum, std::complex<T> a, std::complex<T> b) {
    const T re = a.real() * b.real() - a.imag() * b.imag(), im = a.real() * b.imag() + a.imag() * b.real();
    sum += std::complex<T>(re, im);
}
void add_product(Half& sum, Half a, Half b) {
    const Half product = float_to_half(half_to_float(a) * half_to_float(b));
    sum = float_to_half(half_to_float(sum) + half_to_float(product));
}

// Sums that fit the first-level cache while the second line passes by.
constexpr int64_t kBlock = 1024;
// Terms that are added to a sum while it is in a register.
constexpr int64_t kTaps = 4;

// to[i] += a[i + j] * v[j] for j in [0, m), i in [0, n): in the order of j.
template <class T>
void slide(T* __restrict to, const T* __restrict a, const T* __restrict v, int64_t m, int64_t n) {
    int64_t j = 0;
    for (; j + kTaps <= m; j += kTaps) {
        const T v0 = v[j], v1 = v[j + 1], v2 = v[j + 2], v3 = v[j + 3];
        const T* from = a + j;
        for (int64_t i = 0; i < n; ++i) {
            T sum = to[i];
            add_product(sum, from[i], v0);
            add_product(sum, from[i + 1], v1);
            add_product(sum, from[i + 2], v2);
            add_product(sum, from[i + 3], v3);
            to[i] = sum;
        }
    }
    for (; j < m; ++j)
        for (int64_t i = 0; i < n; ++i) add_product(to[i], a[i + j], v[j]);
}

// Sums [begin, end) of the n + m - 1 that have any product in them, to out[0] and on.
template <class T>
void correlate_line(const T* a, int64_t n, const T* v, int64_t m, int64_t begin, int64_t end, T* out) {
    for (int64_t t = begin; t < end; t += kBlock) {
        const int64_t last = std::min(t + kBlock, end), first = t - (m - 1);
        T* to = out + (t - begin);
        std::fill(to, to + (last - t), T{});
        if (first >= 0 && last <= n) {
            slide(to, a + first, v, m, last - t);
            continue;
        }
        for (int64_t j = 0; j < m; ++j)
            for (int64_t i = std::max<int64_t>(0, -first - j); i < std::min(last - t, n - first - j); ++i)
                add_product(to[i], a[first + j + i], v[j]);
    }
}

// The parameter is the first of the sums that are wanted.
void correlate(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t n = in[0].layout->size(), m = in[1].layout->size(), size = item_size(out.dtype);
    const DType d = out.dtype;
    parallel_ranges(out.layout->size(), std::max<int64_t>(1, kGrain / m), [&](int64_t begin, int64_t end) {
        char* to = out.data + begin * size;
        if (vectors().correlate(d, in[0].data, n, in[1].data, m, p[0] + begin, p[0] + end, to)) return;
        dispatch(d, [&](auto type) {
            using T = typename decltype(type)::type;
            correlate_line(reinterpret_cast<const T*>(in[0].data), n, reinterpret_cast<const T*>(in[1].data),
                           m, p[0] + begin, p[0] + end, reinterpret_cast<T*>(to));
        });
    });
}

}  // namespace

std::span<const Entry> correlation_entries() {
    static const Entry entries[] = {{"correlate", correlate}};
    return entries;
}

}  // namespace numloom::library
