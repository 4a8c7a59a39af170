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
#include "library/radix.hpp"
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

template <class F>
void over_rows(int64_t rows, int64_t n, F&& f) {
    if (rows > 1 && n < 8 * kGrain)
        parallel_ranges(rows, std::max<int64_t>(1, kGrain / 8 / std::max<int64_t>(n, 1)),
                        [&](int64_t begin, int64_t end) {
                            for (int64_t r = begin; r < end; ++r) f(r);
                        });
    else
        for (int64_t r = 0; r < rows; ++r) f(r);
}

void sort(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t n = p[0], rows = out.layout->size() / n, row_bytes = n * item_size(out.dtype);
    if (has_vector_sort(out.dtype)) {
        over_rows(rows, n, [&](int64_t r) {
            vector_sort(out.dtype, in[0].data + r * row_bytes, out.data + r * row_bytes, n);
        });
        return;
    }
    if (has_counting_sort(out.dtype, n)) {
        over_rows(rows, n, [&](int64_t r) {
            counting_sort(out.dtype, in[0].data + r * row_bytes, out.data + r * row_bytes, n);
        });
        return;
    }
    if (n >= kRadixLeast && has_radix_sort(out.dtype)) {
        for (int64_t r = 0; r < rows; ++r) {
            radix_sort(out.dtype, in[0].data + r * row_bytes, out.data + r * row_bytes, n);
        }
        return;
    }
    if (out.data != in[0].data)
        std::memcpy(out.data, in[0].data, static_cast<size_t>(out.layout->size() * item_size(out.dtype)));
    dispatch(out.dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        constexpr bool stable = !std::is_integral_v<T>;  // zeros of both signs are equal
        over_rows(rows, n, [&](int64_t r) {
            T* row = reinterpret_cast<T*>(out.data) + r * n;
            if (rows == 1 || n >= 8 * kGrain)
                sort_long<stable>(row, n, Before<T>{});
            else if constexpr (stable)
                std::stable_sort(row, row + n, Before<T>{});
            else
                std::sort(row, row + n, Before<T>{});
        });
    });
}

void argsort(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t n = p[0], rows = out.layout->size() / n;
    if (has_radix_argsort(in[0].dtype, n)) {
        over_rows(rows, n, [&](int64_t r) {
            radix_argsort(in[0].dtype, in[0].data + r * n * item_size(in[0].dtype),
                          reinterpret_cast<int64_t*>(out.data) + r * n, n);
        });
        return;
    }
    dispatch(in[0].dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        struct Item {
            T value;
            int64_t position;
        };
        over_rows(rows, n, [&](int64_t r) {
            const T* row = reinterpret_cast<const T*>(in[0].data) + r * n;
            std::vector<Item> items(static_cast<size_t>(n));
            for (int64_t i = 0; i < n; ++i) items[static_cast<size_t>(i)] = {row[i], i};
            // Positions break ties: the sort need not be stable by itself.
            auto before = [](const Item& a, const Item& b) {
                const Before<T> less;
                if (less(a.value, b.value)) return true;
                if (less(b.value, a.value)) return false;
                return a.position < b.position;
            };
            if (rows > 1 && n < 8 * kGrain)
                std::sort(items.begin(), items.end(), before);
            else
                sort_long<false>(items.data(), n, before);
            int64_t* to = reinterpret_cast<int64_t*>(out.data) + r * n;
            for (int64_t i = 0; i < n; ++i) to[i] = items[static_cast<size_t>(i)].position;
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
