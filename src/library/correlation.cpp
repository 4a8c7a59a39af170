// Sums of products of one line slid along another.
#include <algorithm>
#include <complex>
#include <type_traits>

#include "core/scalar.hpp"
#include "library/call.hpp"

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

void correlate(std::span<const int64_t>, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t m = in[1].layout->size();
    dispatch(out.dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        const T* a = reinterpret_cast<const T*>(in[0].data);
        const T* v = reinterpret_cast<const T*>(in[1].data);
        T* to = reinterpret_cast<T*>(out.data);
        parallel_ranges(out.layout->size(), std::max<int64_t>(1, kGrain / m),
                        [&](int64_t begin, int64_t end) {
                            for (int64_t block = begin; block < end; block += kBlock) {
                                const int64_t n = std::min(kBlock, end - block);
                                std::fill(to + block, to + block + n, T{});
                                slide(to + block, a + block, v, m, n);
                            }
                        });
    });
}

}  // namespace

std::span<const Entry> correlation_entries() {
    static const Entry entries[] = {{"correlate", correlate}};
    return entries;
}

}  // namespace numloom::library
