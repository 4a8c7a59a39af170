// Lines along one axis of an array, for operations that take each of them by itself.
#pragma once

#include <algorithm>
#include <cstring>

#include "library/call.hpp"

namespace numloom::library {

// A C-contiguous array as outer x n x inner elements: its lines run along n.
struct Axis {
    int64_t n, inner, lines;

    Axis(int64_t n, int64_t inner, int64_t size) : n(n), inner(inner), lines(n == 0 ? 0 : size / n) {}
    // Where line l begins, in elements.
    int64_t start(int64_t l) const { return l / inner * n * inner + l % inner; }
};

// Calls f(l) for all lines, each on one thread unless they are long.
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

// Copies `count` lines of n items, neighbours in an array whose line elements are `inner` apart, to rows, or
// back.
template <class Item>
void lines_to_rows(const char* from, int64_t n, int64_t inner, int64_t count, char* rows) {
    for (int64_t i = 0; i < n; ++i)
        for (int64_t l = 0; l < count; ++l)
            std::memcpy(rows + (l * n + i) * static_cast<int64_t>(sizeof(Item)),
                        from + (i * inner + l) * static_cast<int64_t>(sizeof(Item)), sizeof(Item));
}
template <class Item>
void rows_to_lines(const char* rows, int64_t n, int64_t inner, int64_t count, char* to) {
    for (int64_t i = 0; i < n; ++i)
        for (int64_t l = 0; l < count; ++l)
            std::memcpy(to + (i * inner + l) * static_cast<int64_t>(sizeof(Item)),
                        rows + (l * n + i) * static_cast<int64_t>(sizeof(Item)), sizeof(Item));
}

// Calls f(line of `in`, line of `out`), both contiguous. Lines that are not are copied, some neighbours at a
// time; `In` and `Out` are types of the elements' sizes.
template <class In, class Out, class F>
void over_lines(const Axis& axis, const char* in, char* out, F&& f) {
    constexpr int64_t in_size = sizeof(In), out_size = sizeof(Out);
    if (axis.inner == 1) {
        over_rows(axis.lines, axis.n, [&](int64_t l) {
            f(reinterpret_cast<const In*>(in + l * axis.n * in_size),
              reinterpret_cast<Out*>(out + l * axis.n * out_size));
        });
        return;
    }
    constexpr int64_t together = 8;  // a cache line of eight-byte elements
    const int64_t groups = (axis.inner + together - 1) / together, outer = axis.lines / axis.inner;
    over_rows(outer * groups, axis.n, [&](int64_t g) {
        const int64_t first = g % groups * together, count = std::min(together, axis.inner - first);
        const int64_t start = g / groups * axis.n * axis.inner + first;
        const Scratch<In> from(count * axis.n);
        const Scratch<Out> to(count * axis.n);
        char* rows = reinterpret_cast<char*>(from.get());
        lines_to_rows<In>(in + start * in_size, axis.n, axis.inner, count, rows);
        for (int64_t l = 0; l < count; ++l) f(from.get() + l * axis.n, to.get() + l * axis.n);
        rows_to_lines<Out>(reinterpret_cast<const char*>(to.get()), axis.n, axis.inner, count,
                           out + start * out_size);
    });
}

}  // namespace numloom::library
