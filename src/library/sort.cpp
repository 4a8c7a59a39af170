// Sorting by merges of sorted pieces, and binary search. NaN comes last, as in NumPy; complex numbers are
// ordered by real part, then imaginary part, with those that hold a NaN last.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <memory>

#include "core/scalar.hpp"
#include "library/call.hpp"
#include "library/counting.hpp"
#include "library/lines.hpp"
#include "library/packed_order.hpp"
#include "library/radix.hpp"
#include "library/short_lines.hpp"
#include "library/vector_sort.hpp"

namespace numloom::library {
namespace {

// NumPy's order for sorting.
template <class T>
struct Before {
    bool operator()(T a, T b) const {
        if constexpr (std::is_floating_point_v<T>)
            return a < b || (b != b && a == a);
        else
            return a < b;
    }
};
template <>
struct Before<Half> {
    bool operator()(Half a, Half b) const { return Before<float>{}(half_to_float(a), half_to_float(b)); }
};
template <class T>
struct Before<std::complex<T>> {
    bool operator()(std::complex<T> a, std::complex<T> b) const {
        const Before<T> before;
        if (a.real() < b.real()) return a.imag() == a.imag() || b.imag() != b.imag();
        if (a.real() > b.real()) return b.imag() != b.imag() && a.imag() == a.imag();
        if (a.real() == b.real() || (a.real() != a.real() && b.real() != b.real()))
            return before(a.imag(), b.imag());
        return b.real() != b.real();
    }
};

// Sorts [first, first + n) by sorting pieces at once and merging neighbours; stable where `Stable`.
template <bool Stable, class T, class C>
void sort_long(T* first, int64_t n, C before) {
    int64_t pieces = 1;
    while (pieces < parallel_threads() * 2 && n / (2 * pieces) >= kGrain) pieces *= 2;
    auto at = [&](int64_t i) { return n * i / pieces; };
    parallel_for(pieces, [&](int64_t i) {
        if constexpr (Stable)
            std::stable_sort(first + at(i), first + at(i + 1), before);
        else
            std::sort(first + at(i), first + at(i + 1), before);
    });
    if (pieces == 1) return;
    const std::unique_ptr<T[]> spare(new T[static_cast<size_t>(n)]);
    T *from = first, *to = spare.get();
    for (int64_t width = 1; width < pieces; width *= 2) {
        // Each merge is cut in two at its middle value, so that both threads have work to the end.
        parallel_for(pieces / width, [&](int64_t half) {
            const int64_t i = half / 2 * 2 * width;
            T *a = from + at(i), *b = from + at(i + width), *end = from + at(i + 2 * width);
            T* middle_a = a + (b - a) / 2;
            T* middle_b = a == b ? b : std::lower_bound(b, end, *middle_a, before);
            if (half % 2 == 0)
                std::merge(a, middle_a, b, middle_b, to + at(i), before);
            else
                std::merge(middle_a, b, middle_b, end, to + at(i) + (middle_a - a) + (middle_b - b), before);
        });
        std::swap(from, to);
    }
    if (from != first) std::memcpy(static_cast<void*>(first), from, static_cast<size_t>(n) * sizeof(T));
}

// How one line is sorted: the first way that takes it.
template <class T>
void sort_line(DType d, const T* in, T* out, int64_t n, bool threads) {
    const char* from = reinterpret_cast<const char*>(in);
    char* to = reinterpret_cast<char*>(out);
    if (has_vector_sort(d)) return vector_sort(d, from, to, n);
    if (has_counting_sort(d, n)) return counting_sort(d, from, to, n);
    if (n >= kRadixLeast && has_radix_sort(d)) return radix_sort(d, from, to, n);
    constexpr bool stable = !std::is_integral_v<T>;  // zeros of both signs are equal
    if (in != out) std::copy(in, in + n, out);
    if (threads)
        sort_long<stable>(out, n, Before<T>{});
    else if constexpr (stable)
        std::stable_sort(out, out + n, Before<T>{});
    else
        std::sort(out, out + n, Before<T>{});
}

void sort(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const Axis axis(p[0], p[1], out.layout->size());
    if (sorts_side_by_side(out.dtype, axis)) return sort_side_by_side(axis, out, in[0]);
    const bool threads = axis.lines == 1 || axis.n >= 8 * kGrain;
    dispatch(out.dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        over_lines<T, T>(axis, in[0].data, out.data,
                         [&](const T* from, T* to) { sort_line(out.dtype, from, to, axis.n, threads); });
    });
}

// By comparisons, for complex numbers.
template <class T>
void argsort_line(const T* row, int64_t* to, int64_t n, bool threads) {
    struct Item {
        T value;
        int64_t position;
    };
    std::vector<Item> items(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) items[static_cast<size_t>(i)] = {row[i], i};
    // Positions break ties: the sort need not be stable by itself.
    auto before = [](const Item& a, const Item& b) {
        const Before<T> less;
        if (less(a.value, b.value)) return true;
        if (less(b.value, a.value)) return false;
        return a.position < b.position;
    };
    if (threads)
        sort_long<false>(items.data(), n, before);
    else
        std::sort(items.begin(), items.end(), before);
    for (int64_t i = 0; i < n; ++i) to[i] = items[static_cast<size_t>(i)].position;
}

void argsort(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const DType d = in[0].dtype;
    const Axis axis(p[0], p[1], out.layout->size());
    const int64_t n = axis.n;
    if (sorts_side_by_side(d, axis)) return argsort_side_by_side(axis, out, in[0]);
    const bool threads = axis.lines == 1 || n >= 8 * kGrain;
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        over_lines<T, int64_t>(axis, in[0].data, out.data, [&](const T* from, int64_t* to) {
            const char* bytes = reinterpret_cast<const char*>(from);
            if (n < kRadixLeast && has_packed_order(d, n))
                packed_argsort(d, bytes, to, n);
            else if (has_radix_argsort(d, n))
                radix_argsort(d, bytes, to, n);
            else
                argsort_line(from, to, n, threads);
        });
    });
}

void searchsorted(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t n = in[0].layout->size(), m = in[1].layout->size();
    dispatch(in[0].dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        const T* sorted = reinterpret_cast<const T*>(in[0].data);
        const T* wanted = reinterpret_cast<const T*>(in[1].data);
        int64_t* to = reinterpret_cast<int64_t*>(out.data);
        parallel_ranges(m, 1024, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const T* found = p[0] ? std::upper_bound(sorted, sorted + n, wanted[i], Before<T>{})
                                      : std::lower_bound(sorted, sorted + n, wanted[i], Before<T>{});
                to[i] = found - sorted;
            }
        });
    });
}

}  // namespace

std::span<const Entry> sort_entries() {
    static const Entry entries[] = {{"sort", sort}, {"argsort", argsort}, {"searchsorted", searchsorted}};
    return entries;
}

}  // namespace numloom::library
