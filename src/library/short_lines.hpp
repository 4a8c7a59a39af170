// Sorting of many short lines at once, on all threads.
#pragma once

#include "library/lines.hpp"
#include "library/packed_order.hpp"
#include "library/vector.hpp"

namespace numloom::library {

// A handful of lines would leave most lanes of the vectors empty.
inline constexpr int64_t kManyLines = 12;

inline bool sorts_side_by_side(DType d, const Axis& axis) {
    return axis.n <= kColumnNumbers && axis.lines >= kManyLines && has_packed_order(d, axis.n);
}

// Ranges of lines that fill strips, enough of them in each to be worth a thread.
template <class F>
void over_short_lines(const Axis& axis, F&& f) {
    constexpr int64_t strip = 32;
    const int64_t strips = (axis.lines + strip - 1) / strip;
    parallel_ranges(strips, std::max<int64_t>(1, kGrain / 4 / (strip * axis.n)),
                    [&](int64_t begin, int64_t end) { f(begin * strip, std::min(end * strip, axis.lines)); });
}

inline void sort_side_by_side(const Axis& axis, const CallOperand& out, const CallOperand& in) {
    over_short_lines(axis, [&](int64_t begin, int64_t end) {
        vectors().sort_columns(out.dtype, in.data, out.data, axis.n, axis.inner, begin, end);
    });
}
inline void argsort_side_by_side(const Axis& axis, const CallOperand& out, const CallOperand& in) {
    over_short_lines(axis, [&](int64_t begin, int64_t end) {
        vectors().argsort_columns(in.dtype, in.data, reinterpret_cast<int64_t*>(out.data), axis.n, axis.inner,
                                  begin, end);
    });
}

}  // namespace numloom::library
