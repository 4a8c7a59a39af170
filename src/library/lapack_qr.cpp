// Cholesky and QR factorisations.
#include "library/lapack.hpp"

namespace numloom::library {
namespace {

template <class T>
struct Cholesky {
    Stack a, l;
    Int n;
    bool upper;
    Work<T> factor{n * n};

    bool operator()(Int i) {
        if (n == 0) return true;
        a.load(i, factor.get(), n);
        const char triangle = upper ? 'U' : 'L';
        Int info = 0;
        lapack<T>(kPotrf, &triangle, &n, factor.get(), &n, &info, kOne);
        if (info != 0) {
            l.fill_nan(i);
            return false;
        }
        for (Int column = 0; column < n; ++column) {  // what LAPACK leaves of the other triangle
            T* c = factor.get() + column * n;
            if (upper)
                std::fill(c + column + 1, c + n, T{});
            else
                std::fill(c, c + column, T{});
        }
        l.store(i, factor.get(), n);
        return true;
    }
};

LinalgStatus cholesky(Parameters p, Outputs out, Inputs in) {
    return by_kind(in, [&](auto type) {
        using T = typename decltype(type)::type;
        const auto batch = leading(out[0], 2);
        const Stack a(in[0], batch, 2), l(out[0], batch, 2);
        const double n = static_cast<double>(a.rows);
        return over_stack(count(batch), n * n * n / 3, [&] { return Cholesky<T>{a, l, a.rows, p[0] != 0}; });
    });
}

// Factors one matrix after the other in its own memory.
template <class T>
struct Householder {
    Int m, n, columns;  // columns: of Q wanted, 0 for none
    Int k = std::min(m, n);
    Work<T> factors{m * std::max(n, columns)}, tau{k}, work;
    Int work_size = 0;

    void reserve() {
        T best_factor{}, best_q{};
        Int info = 0, ask = -1;
        lapack<T>(kGeqrf, &m, &n, factors.get(), &m, tau.get(), &best_factor, &ask, &info);
        if (columns > 0)
            lapack<T>(kOrgqr, &m, &columns, &k, factors.get(), &m, tau.get(), &best_q, &ask, &info);
        work_size = std::max<Int>(
            {n, columns, static_cast<Int>(std::real(best_factor)), static_cast<Int>(std::real(best_q)), 1});
        work = Work<T>(work_size);
    }
    bool factor() {
        if (k == 0) return true;
        if (!work_size) reserve();
        Int info = 0;
        lapack<T>(kGeqrf, &m, &n, factors.get(), &m, tau.get(), work.get(), &work_size, &info);
        return info == 0;
    }
    // The first `columns` columns of Q over the factors.
    bool make_q() {
        if (k == 0) {
            std::fill_n(factors.get(), m * columns, T{});
            for (Int i = 0; i < std::min(m, columns); ++i) factors[i * m + i] = 1;
            return true;
        }
        Int info = 0;
        lapack<T>(kOrgqr, &m, &columns, &k, factors.get(), &m, tau.get(), work.get(), &work_size, &info);
        return info == 0;
    }
};

// The upper triangle of the factors as R.
template <class T>
void store_triangle(const Stack& r, Int item, const T* factors, Int m, std::vector<T>* room) {
    const Int rows = r.rows, n = r.columns;
    room->assign(static_cast<size_t>(std::max<Int>(rows * n, 1)), T{});
    for (Int j = 0; j < n; ++j) std::copy_n(factors + j * m, std::min(rows, j + 1), room->data() + j * rows);
    r.store(item, room->data(), std::max<Int>(rows, 1));
}

enum class QrForm { Both, Triangle, Raw };

template <class T>
struct Qr {
    Stack a, first, second;
    QrForm form;
    Householder<T> h;
    std::vector<T> triangle = {};

    bool operator()(Int i) {
        a.load(i, h.factors.get(), h.m);
        bool good = h.factor();
        if (form == QrForm::Raw) {
            // h[n, m] holds the factors' columns as its rows.
            std::vector<T>& turned = triangle;
            turned.resize(static_cast<size_t>(std::max<Int>(h.m * h.n, 1)));
            for (Int r = 0; r < h.m; ++r)
                for (Int c = 0; c < h.n; ++c)
                    turned[static_cast<size_t>(r * h.n + c)] = h.factors[c * h.m + r];
            first.store(i, turned.data(), std::max<Int>(h.n, 1));
            second.store(i, h.tau.get(), h.k);
            return good;
        }
        const Stack& r = form == QrForm::Triangle ? first : second;
        store_triangle(r, i, h.factors.get(), h.m, &triangle);
        if (form == QrForm::Both) {
            good = h.make_q() && good;
            first.store(i, h.factors.get(), h.m);
        }
        return good;
    }
};

LinalgStatus factorise(Outputs out, Inputs in, QrForm form) {
    return by_kind(in, [&](auto type) {
        using T = typename decltype(type)::type;
        const auto batch = leading(out[0], 2);
        const Stack a(in[0], batch, 2), first(out[0], batch, 2);
        const Stack second = form == QrForm::Both  ? Stack(out[1], batch, 2)
                             : form == QrForm::Raw ? Stack(out[1], batch, 1)
                                                   : first;
        const Int columns = form == QrForm::Both ? first.columns : 0;
        const double work = static_cast<double>(a.rows) * static_cast<double>(a.columns) *
                            static_cast<double>(std::max<Int>(a.columns, columns));
        return over_stack(count(batch), 2 * work, [&] {
            return Qr<T>{a, first, second, form, Householder<T>{a.rows, a.columns, columns}};
        });
    });
}

LinalgStatus qr(Parameters, Outputs out, Inputs in) { return factorise(out, in, QrForm::Both); }
LinalgStatus qr_r(Parameters, Outputs out, Inputs in) { return factorise(out, in, QrForm::Triangle); }
LinalgStatus qr_raw(Parameters, Outputs out, Inputs in) { return factorise(out, in, QrForm::Raw); }

}  // namespace

std::span<const LinalgEntry> qr_entries() {
    static constexpr LinalgEntry entries[] = {
        {"cholesky", cholesky}, {"qr", qr}, {"qr_r", qr_r}, {"qr_raw", qr_raw}};
    return entries;
}

}  // namespace numloom::library
