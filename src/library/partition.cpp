// Partial orders along the last axis: everything before a position is no larger, everything behind no
// smaller.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "core/scalar.hpp"
#include "library/call.hpp"
#include "library/counting.hpp"
#include "library/lines.hpp"
#include "library/packed_order.hpp"
#include "library/short_lines.hpp"
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

// Places are the parameters behind the first two.
std::span<const int64_t> places_of(std::span<const int64_t> p) { return p.subspan(2); }

template <class T>
void partition_line(DType d, const T* in, T* out, int64_t n, std::span<const int64_t> places) {
    const char* from = reinterpret_cast<const char*>(in);
    char* to = reinterpret_cast<char*>(out);
    if (has_vector_sort(d)) return vector_partition(d, from, to, n, places);
    if (has_counting_sort(d, n)) return counting_sort(d, from, to, n);
    std::copy(in, in + n, out);
    select(out, out + n, places, [](T a, T b) { return before(a, b); });
}

void partition(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const Axis axis(p[0], p[1], out.layout->size());
    if (sorts_side_by_side(out.dtype, axis)) return sort_side_by_side(axis, out, in[0]);
    dispatch(out.dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        over_lines<T, T>(axis, in[0].data, out.data, [&](const T* from, T* to) {
            partition_line(out.dtype, from, to, axis.n, places_of(p));
        });
    });
}

void argpartition(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const DType d = in[0].dtype;
    const Axis axis(p[0], p[1], out.layout->size());
    if (sorts_side_by_side(d, axis)) return argsort_side_by_side(axis, out, in[0]);
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        over_lines<T, int64_t>(axis, in[0].data, out.data, [&](const T* from, int64_t* to) {
            if (has_packed_order(d, axis.n))
                return packed_argpartition(d, reinterpret_cast<const char*>(from), to, axis.n, places_of(p));
            std::iota(to, to + axis.n, int64_t{0});
            select(to, to + axis.n, places_of(p),
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
