// Singular values, and least squares by them.
#include <algorithm>
#include <bit>
#include <cmath>

#include "library/lapack.hpp"

namespace numloom::library {
namespace {

// LAPACK may give back numbers for infinities, or iterate for long.
template <class T>
bool finite(const Work<T>& x, Int n) {
    return std::all_of(x.get(), x.get() + n,
                       [](T v) { return std::isfinite(std::real(v)) && std::isfinite(std::imag(v)); });
}

template <class T>
struct Svd {
    Stack a, left, values, right;
    Int m, n;
    bool want_vectors;
    Int k = std::min(m, n);
    Int u_columns = want_vectors ? left.columns : 1, v_rows = want_vectors ? right.rows : 1;
    Work<T> matrix{m * n}, u{m * u_columns}, v{v_rows * n}, work;
    Work<double> s{k}, real_work{is_complex_type<T> ? real_size() : 1};
    Work<Int> int_work{8 * k};
    Int work_size = 0;

    Int real_size() const {
        if (!want_vectors) return 7 * k;
        return std::max(5 * k * k + 7 * k, 2 * std::max(m, n) * k + 2 * k * k + k);
    }
    Int call(T* room, Int size) {
        const char job = !want_vectors ? 'N' : (u_columns == m && v_rows == n ? 'A' : 'S');
        const Int ldu = want_vectors ? m : 1, ldv = want_vectors ? v_rows : 1;
        Int info = 0;
        if constexpr (is_complex_type<T>)
            lapack<T>(kGesdd, &job, &m, &n, matrix.get(), &m, s.get(), u.get(), &ldu, v.get(), &ldv, room,
                      &size, real_work.get(), int_work.get(), &info, kOne);
        else
            lapack<T>(kGesdd, &job, &m, &n, matrix.get(), &m, s.get(), u.get(), &ldu, v.get(), &ldv, room,
                      &size, int_work.get(), &info, kOne);
        return info;
    }
    static void identity(const Work<T>& to, Int rows, Int columns) {
        std::fill_n(to.get(), rows * columns, T{});
        for (Int i = 0; i < std::min(rows, columns); ++i) to[i * rows + i] = 1;
    }
    bool operator()(Int i) {
        bool good = true;
        if (k == 0) {
            if (want_vectors) identity(u, m, u_columns), identity(v, v_rows, n);
        } else {
            if (!work_size) {
                T best{};
                call(&best, -1);
                work_size = std::max<Int>(1, static_cast<Int>(std::real(best)));
                work = Work<T>(work_size);
            }
            a.load(i, matrix.get(), m);
            // LAPACK may give back numbers for infinities, or iterate for long.
            good =
                std::all_of(matrix.get(), matrix.get() + m * n,
                            [](T x) { return std::isfinite(std::real(x)) && std::isfinite(std::imag(x)); }) &&
                call(work.get(), work_size) == 0;
        }
        if (!good) {
            values.fill_nan(i);
            if (want_vectors) left.fill_nan(i), right.fill_nan(i);
            return false;
        }
        values.store(i, s.get(), k);
        if (want_vectors) {
            left.store(i, u.get(), m);
            right.store(i, v.get(), v_rows);
        }
        return true;
    }
};

LinalgStatus decompose(Outputs out, Inputs in, bool want_vectors) {
    return by_kind(in, [&](auto type) {
        using T = typename decltype(type)::type;
        const CallOperand& singular = out[want_vectors ? 1 : 0];
        const auto batch = leading(singular, 1);
        const Stack a(in[0], batch, 2), s(singular, batch, 1);
        const Stack u = want_vectors ? Stack(out[0], batch, 2) : s;
        const Stack v = want_vectors ? Stack(out[2], batch, 2) : s;
        const double work = static_cast<double>(a.rows) * static_cast<double>(a.columns) *
                            static_cast<double>(std::min(a.rows, a.columns));
        return over_stack(count(batch), (want_vectors ? 20 : 4) * work,
                          [&] { return Svd<T>{a, u, s, v, a.rows, a.columns, want_vectors}; });
    });
}

LinalgStatus svd(Parameters, Outputs out, Inputs in) { return decompose(out, in, true); }
LinalgStatus svdvals(Parameters, Outputs out, Inputs in) { return decompose(out, in, false); }

template <class T>
struct LeastSquares {
    Int m, n, right;
    double rcond;
    Int k = std::min(m, n), ldb = std::max<Int>({m, n, 1});
    Work<T> matrix{m * n}, b{ldb * right}, work;
    Work<double> s{k}, real_work;
    Work<Int> int_work;
    Int rank = 0;

    Int call(T* room, Int size, double* real_room, Int* int_room) {
        Int info = 0;
        if constexpr (is_complex_type<T>)
            lapack<T>(kGelsd, &m, &n, &right, matrix.get(), &m, b.get(), &ldb, s.get(), &rcond, &rank, room,
                      &size, real_room, int_room, &info);
        else
            lapack<T>(kGelsd, &m, &n, &right, matrix.get(), &m, b.get(), &ldb, s.get(), &rcond, &rank, room,
                      &size, int_room, &info);
        return info;
    }
    bool run() {
        if (k == 0 || right == 0) {
            if (m == 0) std::fill_n(b.get(), ldb * right, T{});
            return true;
        }
        T best{};
        double best_real = 1;
        Int best_int = 1;
        call(&best, -1, &best_real, &best_int);
        const Int size = std::max<Int>(1, static_cast<Int>(std::real(best)));
        work = Work<T>(size);
        real_work = Work<double>(static_cast<Int>(best_real));
        int_work = Work<Int>(best_int);
        return call(work.get(), size, real_work.get(), int_work.get()) == 0;
    }
};

LinalgStatus lstsq(Parameters p, Outputs out, Inputs in) {
    return by_kind(in, [&](auto type) {
        using T = typename decltype(type)::type;
        const Stack a(in[0], {}, 2), b(in[1], {}, 2), x(out[0], {}, 2), residuals(out[1], {}, 1),
            rank(out[2], {}, 0), s(out[3], {}, 1);
        LeastSquares<T> solver{a.rows, a.columns, b.columns, std::bit_cast<double>(p[0])};
        a.load(0, solver.matrix.get(), std::max<Int>(a.rows, 1));
        b.load(0, solver.b.get(), solver.ldb);
        if (!finite(solver.matrix, a.rows * a.columns) || !solver.run()) return LinalgStatus::Failed;
        x.store(0, solver.b.get(), solver.ldb);
        s.store(0, solver.s.get(), solver.k);
        rank.store_one(0, static_cast<double>(solver.rank));
        std::vector<double> squares(static_cast<size_t>(std::max<Int>(b.columns, 1)));
        for (Int j = 0; j < b.columns; ++j)
            for (Int i = a.columns; i < a.rows; ++i)
                squares[static_cast<size_t>(j)] += std::norm(solver.b[j * solver.ldb + i]);
        residuals.store(0, squares.data(), std::max<Int>(b.columns, 1));
        return LinalgStatus::Done;
    });
}

}  // namespace

std::span<const LinalgEntry> svd_entries() {
    static constexpr LinalgEntry entries[] = {{"svd", svd}, {"svdvals", svdvals}, {"lstsq", lstsq}};
    return entries;
}

}  // namespace numloom::library
