// By LU factorisation: systems of equations, inverses, determinants.
#include "library/lapack.hpp"

namespace numloom::library {
namespace {

double cube(Int n) { return static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n); }

template <class T>
struct Solver {
    Stack a, b, x;
    Int n, right;
    bool inverse;  // the right-hand side is the identity
    Work<T> factors{n * n}, columns{n * right};
    Work<Int> pivots{n};

    bool operator()(Int i) {
        if (n == 0 || right == 0) return true;
        a.load(i, factors.get(), n);
        if (inverse) {
            std::fill_n(columns.get(), n * n, T{});
            for (Int k = 0; k < n; ++k) columns[k * n + k] = 1;
        } else {
            b.load(i, columns.get(), n);
        }
        Int info = 0;
        lapack<T>(kGesv, &n, &right, factors.get(), &n, pivots.get(), columns.get(), &n, &info);
        if (info == 0)
            x.store(i, columns.get(), n);
        else
            x.fill_nan(i);
        return info == 0;
    }
};

LinalgStatus solve_or_invert(Outputs out, Inputs in, int core, bool inverse) {
    return by_kind(in, [&](auto type) {
        using T = typename decltype(type)::type;
        const auto batch = leading(out[0], core);
        const Stack a(in[0], batch, 2), b(in[inverse ? 0 : 1], batch, core), x(out[0], batch, core);
        const Int n = a.rows, right = x.columns;
        return over_stack(count(batch), cube(n) + static_cast<double>(n * n * right),
                          [&] { return Solver<T>{a, b, x, n, right, inverse}; });
    });
}

LinalgStatus solve(Parameters p, Outputs out, Inputs in) {
    return solve_or_invert(out, in, p[0] ? 1 : 2, false);
}
LinalgStatus inv(Parameters, Outputs out, Inputs in) { return solve_or_invert(out, in, 2, true); }

// Sign and logarithm of a determinant: the product over the diagonal of the factors.
template <class T>
struct Determinant {
    T sign;
    double logarithm;
};

template <class T>
struct DeterminantSolver {
    Stack a;
    Int n;
    Work<T> factors{n * n};
    Work<Int> pivots{n};

    Determinant<T> operator()(Int i) {
        if (n == 0) return {T(1), 0.0};
        a.load(i, factors.get(), n);
        Int info = 0;
        lapack<T>(kGetrf, &n, &n, factors.get(), &n, pivots.get(), &info);
        if (info != 0) return {T(0), -std::numeric_limits<double>::infinity()};
        Determinant<T> d{T(1), 0.0};
        for (Int k = 0; k < n; ++k)
            if (pivots[k] != k + 1) d.sign = -d.sign;
        for (Int k = 0; k < n; ++k) {
            const T element = factors[k * n + k];
            const double size = std::abs(element);
            if constexpr (is_complex_type<T>) {
                const T unit(element.real() / size, element.imag() / size);
                d.sign = T(d.sign.real() * unit.real() - d.sign.imag() * unit.imag(),
                           d.sign.real() * unit.imag() + d.sign.imag() * unit.real());
            } else if (element < 0) {
                d.sign = -d.sign;
            }
            d.logarithm += std::log(size);
        }
        return d;
    }
};

LinalgStatus slogdet(Parameters, Outputs out, Inputs in) {
    return by_kind(in, [&](auto type) {
        using T = typename decltype(type)::type;
        const auto batch = leading(out[0], 0);
        const Stack a(in[0], batch, 2), sign(out[0], batch, 0), logarithm(out[1], batch, 0);
        return over_stack(count(batch), cube(a.rows), [&] {
            return [&, solver = DeterminantSolver<T>{a, a.rows}](Int i) mutable {
                const Determinant<T> d = solver(i);
                sign.store_one(i, d.sign);
                logarithm.store_one(i, d.logarithm);
                return true;
            };
        });
    });
}

LinalgStatus det(Parameters, Outputs out, Inputs in) {
    return by_kind(in, [&](auto type) {
        using T = typename decltype(type)::type;
        const auto batch = leading(out[0], 0);
        const Stack a(in[0], batch, 2), to(out[0], batch, 0);
        return over_stack(count(batch), cube(a.rows), [&] {
            return [&, solver = DeterminantSolver<T>{a, a.rows}](Int i) mutable {
                const Determinant<T> d = solver(i);
                to.store_one(i, d.sign * std::exp(d.logarithm));
                return true;
            };
        });
    });
}

}  // namespace

std::span<const LinalgEntry> lu_entries() {
    static constexpr LinalgEntry entries[] = {
        {"solve", solve}, {"inv", inv}, {"det", det}, {"slogdet", slogdet}};
    return entries;
}

}  // namespace numloom::library
