// Discrete distributions of numpy.random.Generator, number for number: the algorithms, their order of draws
// and of roundings are those of NumPy (numpy/random/src/distributions, BSD-3-Clause, Copyright (c) 2005-2026,
// NumPy Developers). `legacy` is what numpy.random.RandomState does otherwise.
#pragma once

#include <algorithm>

#include "library/draws/continuous.hpp"
#include "library/draws/integers.hpp"

namespace numloom::library::draws {

// log(k!)
double log_factorial(int64_t k);
// The logarithm of the gamma function (Zhang and Jin, "Computation of Special Functions", 1996).
double log_gamma(double x);

// --- Poisson ---

// By products of uniform numbers.
template <class S>
int64_t poisson_products(S& s, double lam) {
    const double bound = std::exp(-lam);
    double product = 1.0;
    for (int64_t x = 0;; ++x) {
        product *= s.next_double();
        if (!(product > bound)) return x;
    }
}
// Hoermann's transformed rejection, "The transformed rejection method for generating Poisson random
// variables", 1993.
template <class S>
int64_t poisson_rejection(S& s, double lam) {
    const double root = std::sqrt(lam), log_lam = std::log(lam);
    const double b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), vr = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = s.next_double() - 0.5;
        const double v = s.next_double();
        const double us = 0.5 - std::fabs(u);
        const auto k = static_cast<int64_t>(std::floor((2 * a / us + b) * u + lam + 0.43));
        if (us >= 0.07 && v <= vr) return k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <=
            -lam + static_cast<double>(k) * log_lam - log_gamma(static_cast<double>(k) + 1))
            return k;
    }
}
template <class S>
int64_t poisson(S& s, double lam) {
    if (lam >= 10) return poisson_rejection(s, lam);
    return lam == 0 ? 0 : poisson_products(s, lam);
}
template <class S>
int64_t negative_binomial(S& s, double n, double p) {
    return poisson(s, gamma(s, n, (1 - p) / p));
}
template <class S>
double noncentral_chisquare(S& s, double df, double nonc) {
    if (std::isnan(nonc)) return std::numeric_limits<double>::quiet_NaN();
    if (nonc == 0) return chisquare(s, df);
    if (1 < df) {
        const double chi2 = chisquare(s, df - 1);
        const double n = standard_normal(s) + std::sqrt(nonc);
        return chi2 + n * n;
    }
    const int64_t i = poisson(s, nonc / 2.0);
    return chisquare(s, df + static_cast<double>(2 * i));
}
template <class S>
double noncentral_f(S& s, double dfnum, double dfden, double nonc) {
    const double t = noncentral_chisquare(s, dfnum, nonc) * dfden;
    return t / (chisquare(s, dfden) * dfnum);
}

// --- binomial ---

inline void set_up_btpe(BinomialSetup& b, int64_t n, double p) {
    const auto count = static_cast<double>(n);
    b.there = true;
    b.n = n;
    b.p = p;
    b.r = std::min(p, 1.0 - p);
    b.q = 1.0 - b.r;
    b.fm = count * b.r + b.r;
    b.m = static_cast<int64_t>(std::floor(b.fm));
    b.p1 = std::floor(2.195 * std::sqrt(count * b.r * b.q) - 4.6 * b.q) + 0.5;
    b.xm = static_cast<double>(b.m) + 0.5;
    b.xl = b.xm - b.p1;
    b.xr = b.xm + b.p1;
    b.c = 0.134 + 20.5 / (15.3 + static_cast<double>(b.m));
    double a = (b.fm - b.xl) / (b.fm - b.xl * b.r);
    b.laml = a * (1.0 + a / 2.0);
    a = (b.xr - b.fm) / (b.xr * b.q);
    b.lamr = a * (1.0 + a / 2.0);
    b.p2 = b.p1 * (1.0 + 2.0 * b.c);
    b.p3 = b.p2 + b.c / b.laml;
    b.p4 = b.p3 + b.c / b.lamr;
}

// A term of Stirling's series. The legacy generator has two digits swapped, and adds two terms that it should
// subtract.
inline double stirling(double x, bool legacy) {
    const double x2 = x * x;
    return ((legacy ? 13680. : 13860.) - (462. - (132. - (99. - 140. / x2) / x2) / x2) / x2) / x / 166320.;
}

// Whether BTPE accepts y with the height v.
template <bool legacy>
bool btpe_accepts(const BinomialSetup& b, int64_t y, double v) {
    const auto n = static_cast<double>(b.n), m = static_cast<double>(b.m);
    const double nrq = n * b.r * b.q;
    const int64_t k = std::abs(y - b.m);
    const auto distance = static_cast<double>(k);
    if (!(k > 20 && distance < nrq / 2.0 - 1)) {
        const double s = b.r / b.q, a = s * (n + 1);
        double f = 1.0;
        for (int64_t i = b.m + 1; i <= y; ++i) f *= a / static_cast<double>(i) - s;
        for (int64_t i = y + 1; i <= b.m; ++i) f /= a / static_cast<double>(i) - s;
        return !(v > f);
    }
    const double rho =
        (distance / nrq) * ((distance * (distance / 3.0 + 0.625) + 0.16666666666666666) / nrq + 0.5);
    const double t = static_cast<double>(-k * k) / (2 * nrq);
    const double a = std::log(v);
    if (a < t - rho) return true;
    if (a > t + rho) return false;
    const double x1 = static_cast<double>(y) + 1, f1 = m + 1, z = n + 1 - m,
                 w = n - static_cast<double>(y) + 1;
    const double start = b.xm * std::log(f1 / x1) + (static_cast<double>(b.n - b.m) + 0.5) * std::log(z / w) +
                         static_cast<double>(y - b.m) * std::log(w * b.r / (x1 * b.q)) +
                         stirling(f1, legacy) + stirling(z, legacy);
    const double bound = legacy ? start + stirling(x1, legacy) + stirling(w, legacy)
                                : start - stirling(x1, legacy) - stirling(w, legacy);
    return !(a > bound);
}

// Kachitvichyanukul and Schmeiser's BTPE, "Binomial random variate generation", 1988.
template <bool legacy, class S>
int64_t binomial_btpe(S& s, int64_t n, double p) {
    BinomialSetup& b = legacy ? s.legacy_binomial : s.binomial;
    if (!b.there || b.n != n || b.p != p) set_up_btpe(b, n, p);
    int64_t y;
    for (;;) {
        const double u = s.next_double() * b.p4;
        double v = s.next_double();
        if (!(u > b.p1)) {
            y = static_cast<int64_t>(std::floor(b.xm - b.p1 * v + u));
            break;
        }
        if (!(u > b.p2)) {
            const double x = b.xl + (u - b.p1) / b.c;
            v = v * b.c + 1.0 - std::fabs(static_cast<double>(b.m) - x + 0.5) / b.p1;
            if (v > 1.0) continue;
            y = static_cast<int64_t>(std::floor(x));
        } else if (!(u > b.p3)) {
            y = static_cast<int64_t>(std::floor(b.xl + std::log(v) / b.laml));
            if (y < 0 || v == 0.0) continue;
            v = v * (u - b.p2) * b.laml;
        } else {
            y = static_cast<int64_t>(std::floor(b.xr - std::log(v) / b.lamr));
            if (y > n || v == 0.0) continue;
            v = v * (u - b.p3) * b.lamr;
        }
        if (btpe_accepts<legacy>(b, y, v)) break;
    }
    return p > 0.5 ? n - y : y;
}

template <bool legacy, class S>
int64_t binomial_inversion(S& s, int64_t n, double p) {
    BinomialSetup& b = legacy ? s.legacy_binomial : s.binomial;
    const auto count = static_cast<double>(n);
    if (!b.there || b.n != n || b.p != p) {
        b.there = true;
        b.n = n;
        b.p = p;
        b.q = 1.0 - p;
        b.r = std::exp(count * (legacy ? std::log(b.q) : std::log1p(-p)));
        b.c = count * p;
        b.m = static_cast<int64_t>(std::min(count, b.c + 10.0 * std::sqrt(b.c * b.q + 1)));
    }
    int64_t x = 0;
    double px = b.r, u = s.next_double();
    while (u > px) {
        if (++x > b.m) {
            x = 0;
            px = b.r;
            u = s.next_double();
        } else {
            u -= px;
            px = (static_cast<double>(n - x + 1) * p * px) / (static_cast<double>(x) * b.q);
        }
    }
    return x;
}

template <bool legacy, class S>
int64_t binomial_of(S& s, double p, int64_t n) {
    if (!legacy && (n == 0 || p == 0.0)) return 0;
    const bool mirrored = !(p <= 0.5);
    const double q = mirrored ? 1.0 - p : p;
    const int64_t y = q * static_cast<double>(n) <= 30.0 ? binomial_inversion<legacy>(s, n, q)
                                                         : binomial_btpe<legacy>(s, n, q);
    return mirrored ? n - y : y;
}
template <class S>
int64_t binomial(S& s, int64_t n, double p) {
    return binomial_of<false>(s, p, n);
}
template <class S>
int64_t legacy_binomial(S& s, int64_t n, double p) {
    return binomial_of<true>(s, p, n);
}

// --- the others ---

template <class S>
int64_t geometric_search(S& s, double p) {
    int64_t x = 1;
    double sum = p, product = p;
    const double q = 1.0 - p, u = s.next_double();
    while (u > sum) {
        product *= q;
        sum += product;
        ++x;
    }
    return x;
}
template <class S>
int64_t geometric(S& s, double p) {
    if (p >= 0.333333333333333333333333) return geometric_search(s, p);
    const double z = -standard_exponential(s) / std::log1p(-p);
    if (z >= 9.223372036854776e+18) return std::numeric_limits<int64_t>::max();
    const auto below = static_cast<int64_t>(z);  // z > 0, and a call of ceil() takes longer
    return below + (static_cast<double>(below) < z);
}
template <class S>
int64_t logseries(S& s, double p) {
    const double r = std::log1p(-p);
    for (;;) {
        const double v = s.next_double();
        if (v >= p) return 1;
        const double q = -std::expm1(r * s.next_double());
        if (v <= q * q) {
            const auto result = static_cast<int64_t>(std::floor(1 + std::log(v) / std::log(q)));
            if (result < 1 || v == 0.0) continue;
            return result;
        }
        return v >= q ? 1 : 2;
    }
}
// By rejection; numbers above those of int64 are drawn again. The legacy generator draws from (0, 1] where
// numbers that are too large would be refused later.
template <bool legacy, class S>
int64_t zipf_of(S& s, double a) {
    constexpr auto kMost = static_cast<double>(std::numeric_limits<int64_t>::max());
    if (!legacy && a >= 1025) return 1;
    const double am1 = a - 1.0, b = std::pow(2.0, am1);
    const double least = legacy ? 0.0 : std::pow(kMost, -am1);
    for (;;) {
        const double flat = s.next_double();
        const double u = legacy ? 1.0 - flat : flat * least + (1 - flat);
        const double v = s.next_double();
        const double x = std::floor(std::pow(u, -1.0 / am1));
        if (x > kMost || x < 1.0) continue;
        const double t = std::pow(1.0 + 1.0 / x, am1);
        if (v * x * (t - 1.0) / (b - 1.0) <= t / b) return static_cast<int64_t>(x);
    }
}
template <class S>
int64_t zipf(S& s, double a) {
    return zipf_of<false>(s, a);
}

// --- hypergeometric ---

// One object after the other.
template <class S>
int64_t hypergeometric_one_by_one(S& s, int64_t good, int64_t bad, int64_t sample) {
    const int64_t total = good + bad;
    int64_t wanted = sample > total / 2 ? total - sample : sample;
    int64_t left = total, left_good = good;
    while (wanted > 0 && left_good > 0 && left > left_good) {
        --left;
        if (static_cast<int64_t>(interval(s, static_cast<uint64_t>(left))) < left_good) --left_good;
        --wanted;
    }
    if (left == left_good) left_good -= wanted;
    return sample > total / 2 ? left_good : good - left_good;
}
// Stadlober's ratio of uniforms, "The ratio of uniforms approach for generating discrete random variates",
// 1990.
template <class S>
int64_t hypergeometric_ratio(S& s, int64_t good, int64_t bad, int64_t sample) {
    constexpr double kD1 = 1.7155277699214135, kD2 = 0.8989161620588988;
    const int64_t total = good + bad, wanted = std::min(sample, total - sample);
    const int64_t least = std::min(good, bad), most = std::max(good, bad);
    const double p = static_cast<double>(least) / static_cast<double>(total);
    const double q = static_cast<double>(most) / static_cast<double>(total);
    const double a = static_cast<double>(wanted) * p + 0.5;
    const double variance = static_cast<double>(total - wanted) * static_cast<double>(wanted) * p * q /
                            static_cast<double>(total - 1);
    const double c = std::sqrt(variance + 0.5), h = kD1 * c + kD2;
    const auto m = static_cast<int64_t>(std::floor(
        static_cast<double>(wanted + 1) * static_cast<double>(least + 1) / static_cast<double>(total + 2)));
    const auto logarithms = [&](int64_t k) {
        return log_factorial(k) + log_factorial(least - k) + log_factorial(wanted - k) +
               log_factorial(most - wanted + k);
    };
    const double g = logarithms(m);
    const double bound = std::min(static_cast<double>(std::min(wanted, least) + 1), std::floor(a + 16 * c));
    int64_t k;
    for (;;) {
        const double u = s.next_double();
        const double v = s.next_double();
        const double x = a + h * (v - 0.5) / u;
        if (x < 0.0 || x >= bound) continue;
        k = static_cast<int64_t>(std::floor(x));
        const double t = g - logarithms(k);
        if (u * (4.0 - u) - 3.0 <= t) break;
        if (u * (u - t) >= 1) continue;
        if (2.0 * std::log(u) <= t) break;
    }
    if (good > bad) k = wanted - k;
    return wanted < sample ? good - k : k;
}
template <class S>
int64_t hypergeometric(S& s, int64_t good, int64_t bad, int64_t sample) {
    return sample >= 10 && sample <= good + bad - 10 ? hypergeometric_ratio(s, good, bad, sample)
                                                     : hypergeometric_one_by_one(s, good, bad, sample);
}

}  // namespace numloom::library::draws
