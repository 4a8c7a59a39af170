// Both factors are packed into panels, in the order in which the loop over a block in registers reads them:
// those of the second factor stay in the caches all threads share, those of the first in the one of their
// thread (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3), 2008).
// Sums run over slices of fixed depth, which are added in order.
#include "library/blocked_product.hpp"

#include <algorithm>
#include <type_traits>

#include "library/call.hpp"
#include "library/vector.hpp"

namespace numloom::library {
namespace {

constexpr Int kSlice = 256;             // depth of a panel: two of them fit the first cache
constexpr Int kHeight = 192;            // rows of the first factor that are packed at a time, at most
constexpr Int kLeastHeight = 48;        // and at least, where there are more
constexpr Int kPackedBytes = 32 << 20;  // of the second factor, at a time
constexpr Int kPackedColumns = 8192;

Int divide_up(Int a, Int b) { return (a + b - 1) / b; }
Int round_up(Int a, Int b) { return divide_up(a, b) * b; }

template <class T>
const ProductLoops<T>& loops() {
    if constexpr (std::is_same_v<T, double>)
        return vectors().products64;
    else
        return vectors().products32;
}

// Lines of a factor: rows of the first or columns of the second.
template <class T>
struct Lines {
    const T* data;
    Int line_step, depth_step;
    const T* at(Int line, Int depth) const { return data + line * line_step + depth * depth_step; }
};
template <class T>
Lines<T> rows_of(const Factor<T>& f) {
    return {f.data, f.turned ? 1 : f.ld, f.turned ? f.ld : 1};
}
template <class T>
Lines<T> columns_of(const Factor<T>& f) {
    return {f.data, f.turned ? f.ld : 1, f.turned ? 1 : f.ld};
}

// One panel of `width` lines from `first` on, of `count` there are.
template <class T>
void pack_panel(const Lines<T>& from, Int first, Int count, Int width, Int begin, Int depth, T* to) {
    loops<T>().pack(from.at(first, begin), from.line_step, from.depth_step, std::min(width, count - first),
                    depth, width, to);
}

// A part of the second factor, packed: columns of `count`, depths [begin, begin + depth).
template <class T>
struct Packed {
    const T* data;
    Int begin, depth;
    Int padded;  // columns with those that fill up the last panel
    // The panels of a slice lie together.
    const T* at(Int slice_begin, Int slice_depth, Int column) const {
        return data + (slice_begin - begin) * padded + column * slice_depth;
    }
};

template <class T>
void pack_columns(const Lines<T>& columns, Int count, const Packed<T>& packed, T* to) {
    const Int width = loops<T>().columns, panels = packed.padded / width;
    const Int slices = divide_up(packed.depth, kSlice), grain = std::max<Int>(1, kGrain / (width * kSlice));
    parallel_ranges(slices * panels, grain, [&](Int begin, Int end) {
        for (Int t = begin; t < end; ++t) {
            const Int l = t / panels * kSlice, j = t % panels * width;
            const Int depth = std::min(kSlice, packed.depth - l);
            pack_panel(columns, j, count, width, packed.begin + l, depth, to + l * packed.padded + j * depth);
        }
    });
}

// How the result is dealt out to threads: its bits do not depend on it.
struct Parts {
    Int height, width, rows, columns;
    Parts(Int m, Int n, Int block_rows, Int block_columns) {
        const Int wanted = 4 * parallel_threads();
        height = round_up(std::clamp(divide_up(m, wanted), kLeastHeight, kHeight), block_rows);
        rows = divide_up(m, height);
        width = std::max(round_up(divide_up(n, divide_up(wanted, rows)), block_columns), 4 * block_columns);
        columns = divide_up(n, width);
    }
};

// The products of some rows with some packed columns.
template <class T>
void multiply_part(const Lines<T>& rows, Int i, Int height, Int m, const Packed<T>& packed, Int j, Int width,
                   T* c, Int ldc) {
    const ProductLoops<T>& f = loops<T>();
    const Scratch<T> panels(round_up(height, f.rows) * kSlice);
    for (Int l = packed.begin; l < packed.begin + packed.depth; l += kSlice) {
        const Int depth = std::min(kSlice, packed.begin + packed.depth - l);
        for (Int r = 0; r < height; r += f.rows)
            pack_panel(rows, i + r, std::min(m, i + height), f.rows, l, depth, panels.get() + r * depth);
        f.multiply(height, width, depth, panels.get(), packed.at(l, depth, j), c + i * ldc + j, ldc, l > 0);
    }
}

}  // namespace

template <class T>
bool blocked_product_pays(Int m, Int k, Int n) {
    constexpr Int kLeast = 32;
    return loops<T>().multiply && m >= kLeast && k >= kLeast && n >= kLeast && m * k * n >= 1 << 20;
}

template <class T>
void blocked_product(Int m, Int k, Int n, const Factor<T>& a, const Factor<T>& b, T* c) {
    const ProductLoops<T>& f = loops<T>();
    const Int most = std::min(n, kPackedColumns), padded_most = round_up(most, f.columns);
    const Int fitting = kPackedBytes / static_cast<Int>(sizeof(T)) / padded_most / kSlice * kSlice;
    const Int deep = std::min(k, std::max(kSlice, fitting));
    const Scratch<T> memory(padded_most * deep);
    const Lines<T> rows = rows_of(a);
    for (Int j0 = 0; j0 < n; j0 += most) {
        const Int count = std::min(most, n - j0);
        const Lines<T> columns = columns_of(b.from(0, j0));
        const Parts parts(m, count, f.rows, f.columns);
        for (Int l = 0; l < k; l += deep) {
            const Packed<T> packed{memory.get(), l, std::min(deep, k - l), round_up(count, f.columns)};
            pack_columns(columns, count, packed, memory.get());
            parallel_for(parts.rows * parts.columns, [&](Int t) {
                const Int i = t / parts.columns * parts.height, j = t % parts.columns * parts.width;
                multiply_part(rows, i, std::min(parts.height, m - i), m, packed, j,
                              std::min(parts.width, count - j), c + j0, n);
            });
        }
    }
}

template bool blocked_product_pays<double>(Int, Int, Int);
template bool blocked_product_pays<float>(Int, Int, Int);
template void blocked_product(Int, Int, Int, const Factor<double>&, const Factor<double>&, double*);
template void blocked_product(Int, Int, Int, const Factor<float>&, const Factor<float>&, float*);

}  // namespace numloom::library
