// Partial orders along the last axis: everything before a position is no larger, everything behind no
// smaller.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "core/scalar.hpp"
#include "library/call.hpp"
#include "library/counting.hpp"
#include "library/vector_sort.hpp"

namespace numloom::library {
namespace {

// NumPy's order: NaN last; complex numbers by the real part, then the imaginary one.
template <class T>
bool before(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) return a < b || (std::isnan(b) && !std::isnan(a));
    return a < b;
}
bool before(Half a, Half b) { return before(half_to_float(a), half_to_float(b)); }
template <class T>
bool before(std::complex<T> a, std::complex<T> b) {
    const bool odd_a = std::isnan(a.real()) || std::isnan(a.imag());
    const bool odd_b = std::isnan(b.real()) || std::isnan(b.imag());
    if (odd_a != odd_b) return odd_b;
    return before(a.real(), b.real()) || (!before(b.real(), a.real()) && before(a.imag(), b.imag()));
}

// Selects each of the ascending positions k in turn, among what lies behind the one before.
template <class It, class Before>
void select(It begin, It end, std::span<const int64_t> positions, Before less) {
    It from = begin;
    for (int64_t k : positions) {
        if (begin + k < from) continue;
        std::nth_element(from, begin + k, end, less);
        from = begin + k + 1;
    }
}

template <class F>
void over_rows(int64_t rows, int64_t n, F&& f) {
    parallel_ranges(rows, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) f(row);
    });
}

void partition(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t n = p[0], rows = out.layout->size() / n;
    if (has_vector_sort(out.dtype)) {
        const int64_t width = n * item_size(out.dtype);
        over_rows(rows, n, [&](int64_t r) {
            vector_partition(out.dtype, in[0].data + r * width, out.data + r * width, n, p.subspan(1));
        });
        return;
    }
    if (has_counting_sort(out.dtype, n)) {
        const int64_t width = n * item_size(out.dtype);
        over_rows(rows, n, [&](int64_t r) {
            counting_sort(out.dtype, in[0].data + r * width, out.data + r * width, n);
        });
        return;
    }
    dispatch(out.dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        over_rows(rows, n, [&](int64_t row) {
            const T* from = reinterpret_cast<const T*>(in[0].data) + row * n;
            T* to = reinterpret_cast<T*>(out.data) + row * n;
            std::copy(from, from + n, to);
            select(to, to + n, p.subspan(1), [](T a, T b) { return before(a, b); });
        });
    });
}

void argpartition(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t n = p[0];
    dispatch(in[0].dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        over_rows(out.layout->size() / n, n, [&](int64_t row) {
            const T* from = reinterpret_cast<const T*>(in[0].data) + row * n;
            int64_t* to = reinterpret_cast<int64_t*>(out.data) + row * n;
            std::iota(to, to + n, int64_t{0});
            select(to, to + n, p.subspan(1),
                   [from](int64_t a, int64_t b) { return before(from[a], from[b]); });
        });
    });
}

}  // namespace

std::span<const Entry> partition_entries() {
    static const Entry entries[] = {{"partition", partition}, {"argpartition", argpartition}};
    return entries;
}

}  // namespace numloom::library
