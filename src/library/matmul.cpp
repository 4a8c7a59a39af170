// Matrix products. Large real ones are made by blocked_product.hpp where the processor has loops for it. Any
// other is cut into tiles whose bounds follow from its extents alone; each is one call of a single-threaded
// BLAS, or a loop of ours where there is none for the dtype, on one of our threads. So the bits are the same
// for any number of threads.
#include <algorithm>
#include <vector>

#include "core/scalar.hpp"
#include "library/blas_functions.hpp"
#include "library/blocked_product.hpp"
#include "library/call.hpp"
#include "library/vector.hpp"

namespace numloom::library {
namespace {

constexpr Int kStripe = 768;  // columns of a tile: BLAS packs both factors of each tile anew
constexpr Int kIntegerStripe = 256;
constexpr Int kHalf = 72;           // columns from which two tiles are better than one
constexpr Int kTileWork = 1 << 20;  // multiplications of a tile worth a hand-off
constexpr Int kHeight = 768;        // rows of a tile that is wide enough for such efforts
constexpr Int kDepth = 1 << 13;     // summed terms of a slice, where the result is small
constexpr Int kSmallResult = 1 << 14;

Int divide_up(Int a, Int b) { return (a + b - 1) / b; }

// A part of about `part` out of n, so that all but the last are equal; a multiple of 16.
Int even_part(Int n, Int part) {
    const Int parts = std::max<Int>(1, (n + part / 2) / part);
    return std::min(n, divide_up(divide_up(n, parts), 16) * 16);
}

// How a product is cut: into rows x columns tiles, and the sums into slices that are added up in order.
struct Cuts {
    Int m, k, n;
    Int height, width, depth;
    Int rows, columns, slices;

    // `stripe`: columns of a tile, at least.
    Cuts(Int m_, Int k_, Int n_, Int stripe) : m(m_), k(k_), n(n_), height(m_), width(n_), depth(k_) {
        const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
        if (work >= 2.0 * static_cast<double>(kTileWork)) {
            if (m * n <= kSmallResult && k >= 2 * kDepth) {
                depth = std::max(kDepth, divide_up(k, 64));
            } else {
                if (n <= stripe + stripe / 2)
                    width = n < 2 * kHalf ? n : even_part(n, n / 2);
                else
                    width = even_part(n, std::max(stripe, divide_up(kTileWork, m * k)));
                height = even_part(m, std::max(width >= 64 ? kHeight : 1, divide_up(kTileWork, width * k)));
            }
        }
        rows = divide_up(m, height);
        columns = divide_up(n, width);
        slices = divide_up(k, depth);
    }
    Int tiles() const { return rows * columns * slices; }
};

template <class T>
constexpr bool in_blas() {
    return std::is_floating_point_v<T> || std::is_same_v<T, std::complex<float>> ||
           std::is_same_v<T, std::complex<double>>;
}

template <class T>
T multiply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return a * b;
    else
        return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}

// For tiny products, and where no BLAS was found.
template <class T>
void by_loops(Int m, Int k, Int n, const Factor<T>& a, const Factor<T>& b, T* c, Int ldc) {
    for (Int i = 0; i < m; ++i) {
        T* row = c + i * ldc;
        std::fill_n(row, n, T{});
        for (Int l = 0; l < k; ++l) {
            const T x = *a.at(i, l);
            for (Int j = 0; j < n; ++j) row[j] += multiply(x, *b.at(l, j));
        }
    }
}

template <class T>
void tile(DType d, Int m, Int k, Int n, const Factor<T>& a, const Factor<T>& b, T* c, Int ldc) {
    constexpr Int kTiny = 125;
    if constexpr (in_blas<T>()) {
        if (blas_functions<T>.gemm && (m * k * n > kTiny || !std::is_floating_point_v<T>))
            blas_product(m, k, n, a, b, c, ldc);
        else
            by_loops(m, k, n, a, b, c, ldc);
    } else {
        vectors().integer_product(item_size(d), d == DType::Bool, m, n, k, a.data, a.turned ? 1 : a.ld,
                                  a.turned ? a.ld : 1, b.data, b.ld, c, ldc);
    }
}

// The product of a matrix and its own transpose is symmetric, and made so: the upper part of each stripe is
// computed, then mirrored.
template <class T>
void symmetric_stripe(DType d, const Cuts& cuts, Int stripe, const Factor<T>& a, const Factor<T>& b, T* c) {
    const Int j = stripe * cuts.width, width = std::min(cuts.width, cuts.n - j);
    tile(d, j + width, cuts.k, width, a, b.from(0, j), c + j, cuts.n);
}
template <class T>
void mirror(const Cuts& cuts, T* c) {
    constexpr Int kSide = 32;
    const Int n = cuts.n, bands = divide_up(n, kSide);
    auto band = [&](Int begin, Int end) {
        for (Int i0 = begin * kSide; i0 < std::min(n, end * kSide); i0 += kSide)
            for (Int j0 = 0; j0 <= i0; j0 += kSide)
                for (Int i = i0; i < std::min(n, i0 + kSide); ++i)
                    for (Int j = j0; j < std::min(i, j0 + kSide); ++j) c[i * n + j] = c[j * n + i];
    };
    parallel_ranges(bands, std::max<Int>(1, kGrain / (n * kSide)), band);
}

// Tile t of a product; slices go to `partial`, one result after the other.
template <class T>
void run_tile(DType d, const Cuts& cuts, Int t, const Factor<T>& a, const Factor<T>& b, T* c, T* partial) {
    const Int column = t % cuts.columns, row = t / cuts.columns % cuts.rows,
              slice = t / (cuts.columns * cuts.rows);
    const Int i = row * cuts.height, j = column * cuts.width, l = slice * cuts.depth;
    T* to = cuts.slices > 1 ? partial + slice * cuts.m * cuts.n : c;
    tile(d, std::min(cuts.height, cuts.m - i), std::min(cuts.depth, cuts.k - l),
         std::min(cuts.width, cuts.n - j), a.from(i, l), b.from(l, j), to + i * cuts.n + j, cuts.n);
}

template <class T>
T add(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
        return a + b;
}

template <class T>
void add_slices(const Cuts& cuts, const T* partial, T* c) {
    const Int size = cuts.m * cuts.n;
    for (Int e = 0; e < size; ++e) {
        T total = partial[e];
        for (Int s = 1; s < cuts.slices; ++s) {
            const T x = partial[s * size + e];
            if constexpr (std::is_same_v<T, bool>)
                total = total || x;
            else
                total = add(total, x);
        }
        c[e] = total;
    }
}

struct Batch {
    Int count, step_a, step_b;
};

template <class T>
void products(DType d, const Cuts& cuts, const Batch& batch, const Factor<T>& a, const Factor<T>& b, T* c) {
    const Int size = cuts.m * cuts.n, tiles = cuts.tiles();
    const bool symmetric = in_blas<T>() && a.data == b.data && a.ld == b.ld && a.turned != b.turned &&
                           cuts.m == cuts.n && batch.step_a == batch.step_b;
    const Scratch<T> partials(cuts.slices > 1 ? batch.count * cuts.slices * size : 0);
    auto one = [&](Int t) {
        const Int item = t / tiles;
        const Factor<T> x = a.moved(item * batch.step_a), y = b.moved(item * batch.step_b);
        T* partial = cuts.slices > 1 ? partials.get() + item * cuts.slices * size : nullptr;
        run_tile(d, cuts, t % tiles, x, y, c + item * size, partial);
    };
    const double work =
        static_cast<double>(cuts.m) * static_cast<double>(cuts.n) * static_cast<double>(cuts.k);
    if constexpr (std::is_floating_point_v<T>)
        if (!symmetric && cuts.slices == 1 && blocked_product_pays<T>(cuts.m, cuts.k, cuts.n)) {
            auto one = [&](Int i) {
                blocked_product(cuts.m, cuts.k, cuts.n, a.moved(i * batch.step_a), b.moved(i * batch.step_b),
                                c + i * size);
            };
            if (batch.count >= 2 * parallel_threads()) return parallel_for(batch.count, one);
            for (Int i = 0; i < batch.count; ++i) one(i);
            return;
        }
    if (symmetric && cuts.columns > 1 && batch.count == 1) {
        const SingleThreadedBlas alone;
        const Int last = cuts.columns - 1;  // the widest part of the triangle first
        parallel_for(cuts.columns, [&](Int s) { symmetric_stripe(d, cuts, last - s, a, b, c); });
    } else if (batch.count * tiles == 1 && work <= static_cast<double>(1 << 16)) {
        one(0);
    } else {
        const SingleThreadedBlas alone;
        const double each = std::max(1.0, work / static_cast<double>(tiles));
        parallel_ranges(batch.count * tiles,
                        std::max<Int>(1, static_cast<Int>(static_cast<double>(kTileWork) / 4 / each)),
                        [&](Int begin, Int end) {
                            for (Int t = begin; t < end; ++t) one(t);
                        });
    }
    if (cuts.slices > 1)
        for (Int i = 0; i < batch.count; ++i)
            add_slices(cuts, partials.get() + i * cuts.slices * size, c + i * size);
    if (symmetric)
        for (Int i = 0; i < batch.count; ++i) mirror(cuts, c + i * size);
}

// Half precision is multiplied and added in float, and rounded once.
void half_products(const Cuts& cuts, const Batch& batch, const Factor<Half>& a, const Factor<Half>& b,
                   Half* c) {
    auto widen = [&](const Factor<Half>& x, Int rows, Int columns, Int step, float* to) {
        if (x.turned) std::swap(rows, columns);
        for (Int item = 0; item < (step ? batch.count : 1); ++item)
            for (Int i = 0; i < rows; ++i, to += columns)
                for (Int j = 0; j < columns; ++j) to[j] = half_to_float(x.data[item * step + i * x.ld + j]);
    };
    const Int size_a = cuts.m * cuts.k, size_b = cuts.k * cuts.n, size = batch.count * cuts.m * cuts.n;
    const Scratch<float> wide_a(size_a * (batch.step_a ? batch.count : 1)),
        wide_b(size_b * (batch.step_b ? batch.count : 1)), wide_c(size);
    widen(a, cuts.m, cuts.k, batch.step_a, wide_a.get());
    widen(b, cuts.k, cuts.n, batch.step_b, wide_b.get());
    products<float>(DType::Float32, cuts, {batch.count, batch.step_a ? size_a : 0, batch.step_b ? size_b : 0},
                    {wide_a.get(), a.turned ? cuts.m : cuts.k, a.turned},
                    {wide_b.get(), b.turned ? cuts.k : cuts.n, b.turned}, wide_c.get());
    for (Int i = 0; i < size; ++i) c[i] = float_to_half(wide_c.get()[i]);
}

// Integer loops want the rows of the second factor contiguous.
template <class T>
void turn_back(const Cuts& cuts, const Batch& batch, const Factor<T>& b, T* to) {
    for (Int item = 0; item < (batch.step_b ? batch.count : 1); ++item, to += cuts.k * cuts.n)
        for (Int l0 = 0; l0 < cuts.k; l0 += 16)
            for (Int j = 0; j < cuts.n; ++j)
                for (Int l = l0; l < std::min(cuts.k, l0 + 16); ++l)
                    to[l * cuts.n + j] = b.data[item * batch.step_b + j * b.ld + l];
}

void matmul(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const Cuts cuts(p[1], p[2], p[3], is_inexact(out.dtype) ? kStripe : kIntegerStripe);
    Batch batch{p[0], p[4], p[5]};
    const bool turned_a = p[6] != 0, turned_b = p[7] != 0;
    const Int lda = p.size() > 8 ? p[8] : turned_a ? cuts.m : cuts.k;
    const Int ldb = p.size() > 8 ? p[9] : turned_b ? cuts.k : cuts.n;
    dispatch(out.dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        const Factor<T> a{reinterpret_cast<const T*>(in[0].data), lda, turned_a};
        Factor<T> b{reinterpret_cast<const T*>(in[1].data), ldb, turned_b};
        T* c = reinterpret_cast<T*>(out.data);
        if constexpr (std::is_same_v<T, Half>) {
            half_products(cuts, batch, a, b, c);
        } else if constexpr (in_blas<T>()) {
            products(out.dtype, cuts, batch, a, b, c);
        } else {
            const bool turn = b.turned && cuts.n > 1;
            if (b.turned && !turn) b = {b.data, 1, false};  // one column: its elements are contiguous
            const Int items = batch.step_b ? batch.count : 1;
            const Scratch<T> space(turn ? items * cuts.k * cuts.n : 0);
            if (turn) {
                turn_back(cuts, batch, b, space.get());
                b = {space.get(), cuts.n, false};
                batch.step_b = batch.step_b ? cuts.k * cuts.n : 0;
            }
            products(out.dtype, cuts, batch, a, b, c);
        }
    });
}

}  // namespace

std::span<const Entry> product_entries() {
    static const Entry entries[] = {{"matmul", matmul, true}};
    return entries;
}

}  // namespace numloom::library
