// Eigenvalues and eigenvectors: of symmetric or Hermitian matrices, and of any.
#include "library/lapack.hpp"

namespace numloom::library {
namespace {

template <class T>
struct Hermitian {
    Stack a, values, vectors;
    Int n;
    bool upper, want_vectors;
    Work<T> matrix{n * n}, work;
    Work<double> w{n}, real_work;
    Work<Int> int_work;
    Int work_size = 0, real_size = 0, int_size = 0;

    Int call(T* room, Int size, double* real_room, Int real, Int* int_room, Int ints) {
        const char job = want_vectors ? 'V' : 'N', triangle = upper ? 'U' : 'L';
        Int info = 0;
        if constexpr (is_complex_type<T>)
            lapack<T>(kSyevd, &job, &triangle, &n, matrix.get(), &n, w.get(), room, &size, real_room, &real,
                      int_room, &ints, &info, kOne, kOne);
        else
            lapack<T>(kSyevd, &job, &triangle, &n, matrix.get(), &n, w.get(), room, &size, int_room, &ints,
                      &info, kOne, kOne);
        return info;
    }
    void reserve() {
        T best{};
        double best_real = 1;
        Int best_int = 1;
        call(&best, -1, &best_real, -1, &best_int, -1);
        work_size = std::max<Int>(1, static_cast<Int>(std::real(best)));
        real_size = std::max<Int>(1, static_cast<Int>(best_real));
        int_size = std::max<Int>(1, best_int);
        work = Work<T>(work_size);
        real_work = Work<double>(real_size);
        int_work = Work<Int>(int_size);
    }
    bool operator()(Int i) {
        if (n == 0) return true;
        if (!work_size) reserve();
        a.load(i, matrix.get(), n);
        const bool good =
            call(work.get(), work_size, real_work.get(), real_size, int_work.get(), int_size) == 0;
        if (good) {
            values.store(i, w.get(), n);
            if (want_vectors) vectors.store(i, matrix.get(), n);
        } else {
            values.fill_nan(i);
            if (want_vectors) vectors.fill_nan(i);
        }
        return good;
    }
};

LinalgStatus hermitian(Parameters p, Outputs out, Inputs in, bool want_vectors) {
    return by_kind(in, [&](auto type) {
        using T = typename decltype(type)::type;
        const auto batch = leading(out[0], 1);
        const Stack a(in[0], batch, 2), w(out[0], batch, 1),
            v(out[out.size() - 1], batch, want_vectors ? 2 : 1);
        const double n = static_cast<double>(a.rows);
        return over_stack(count(batch), (want_vectors ? 9 : 3) * n * n * n,
                          [&] { return Hermitian<T>{a, w, v, a.rows, p[0] != 0, want_vectors}; });
    });
}

LinalgStatus eigh(Parameters p, Outputs out, Inputs in) { return hermitian(p, out, in, true); }
LinalgStatus eigvalsh(Parameters p, Outputs out, Inputs in) { return hermitian(p, out, in, false); }

template <class T>
struct General {
    Stack a, values, vectors;
    Int n;
    bool want_vectors;
    std::atomic<bool>* all_real;
    Work<T> matrix{n * n}, right{want_vectors ? n * n : 1}, work;
    Work<double> wr{n}, wi{2 * n};  // wi: the work of the complex routine too
    Work<Complex> w{n}, v{want_vectors ? n * n : 1};
    Int work_size = 0;

    Int call(T* room, Int size) {
        const char none = 'N', job = want_vectors ? 'V' : 'N';
        const Int one = 1, ldv = want_vectors ? n : 1;
        Int info = 0;
        T nothing{};
        if constexpr (is_complex_type<T>)
            lapack<T>(kGeev, &none, &job, &n, matrix.get(), &n, w.get(), &nothing, &one, right.get(), &ldv,
                      room, &size, wi.get(), &info, kOne, kOne);
        else
            lapack<T>(kGeev, &none, &job, &n, matrix.get(), &n, wr.get(), wi.get(), &nothing, &one,
                      right.get(), &ldv, room, &size, &info, kOne, kOne);
        return info;
    }
    // Real and imaginary parts that LAPACK stores side by side as complex numbers.
    void join_parts() {
        for (Int j = 0; j < n; ++j) {
            w[j] = Complex(wr[j], wi[j]);
            if (wi[j] != 0) all_real->store(false, std::memory_order_relaxed);
        }
        if (!want_vectors) return;
        for (Int j = 0; j < n; ++j) {
            const auto* column = reinterpret_cast<const double*>(right.get()) + j * n;
            if (wi[j] == 0 || j + 1 == n) {
                for (Int i = 0; i < n; ++i) v[j * n + i] = column[i];
                continue;
            }
            for (Int i = 0; i < n; ++i) {
                v[j * n + i] = Complex(column[i], column[n + i]);
                v[(j + 1) * n + i] = Complex(column[i], -column[n + i]);
            }
            ++j;
        }
    }
    bool operator()(Int i) {
        if (n == 0) return true;
        if (!work_size) {
            T best{};
            call(&best, -1);
            work_size = std::max<Int>(1, static_cast<Int>(std::real(best)));
            work = Work<T>(work_size);
        }
        a.load(i, matrix.get(), n);
        if (call(work.get(), work_size) != 0) {
            values.fill_nan(i);
            if (want_vectors) vectors.fill_nan(i);
            return false;
        }
        if constexpr (is_complex_type<T>) {
            values.store(i, w.get(), n);
            if (want_vectors) vectors.store(i, right.get(), n);
        } else {
            join_parts();
            values.store(i, w.get(), n);
            if (want_vectors) vectors.store(i, v.get(), n);
        }
        return true;
    }
};

template <class T>
bool all_finite(const Stack& a, Int batch) {
    Work<T> room(a.rows * a.columns);
    for (Int b = 0; b < batch; ++b) {
        a.load(b, room.get(), a.rows);
        for (Int i = 0; i < a.rows * a.columns; ++i)
            if (!std::isfinite(std::real(room[i])) || !std::isfinite(std::imag(room[i]))) return false;
    }
    return true;
}

LinalgStatus general(Outputs out, Inputs in, bool want_vectors) {
    return by_kind(in, [&](auto type) {
        using T = typename decltype(type)::type;
        const auto batch = leading(out[0], 1);
        const Stack a(in[0], batch, 2), w(out[0], batch, 1),
            v(out[out.size() - 1], batch, want_vectors ? 2 : 1);
        if (!all_finite<T>(a, count(batch))) return LinalgStatus::NotFinite;
        std::atomic<bool> all_real{!is_complex_type<T>};
        const double n = static_cast<double>(a.rows);
        const LinalgStatus status = over_stack(count(batch), (want_vectors ? 25 : 10) * n * n * n, [&] {
            return General<T>{a, w, v, a.rows, want_vectors, &all_real};
        });
        return status == LinalgStatus::Done && all_real ? LinalgStatus::AllReal : status;
    });
}

LinalgStatus eig(Parameters, Outputs out, Inputs in) { return general(out, in, true); }
LinalgStatus eigvals(Parameters, Outputs out, Inputs in) { return general(out, in, false); }

}  // namespace

std::span<const LinalgEntry> eigen_entries() {
    static constexpr LinalgEntry entries[] = {
        {"eigh", eigh}, {"eigvalsh", eigvalsh}, {"eig", eig}, {"eigvals", eigvals}};
    return entries;
}

}  // namespace numloom::library
