// The distributions of numpy.random.RandomState that differ from numpy.random.Generator's, number for number:
// their stream is frozen, mistakes included. The algorithms are those of NumPy (numpy/random/src/legacy,
// BSD-3-Clause, Copyright (c) 2005-2026, NumPy Developers).
#pragma once

#include "library/draws/discrete.hpp"

namespace numloom::library::draws {

// Marsaglia's polar method; of the two numbers that it makes one is kept.
template <class S>
double legacy_standard_normal(S& s) {
    if (s.kept.there) {
        s.kept.there = 0;
        return std::exchange(s.kept.value, 0.0);
    }
    double x1, x2, r2;
    do {
        x1 = 2.0 * s.next_double() - 1.0;
        x2 = 2.0 * s.next_double() - 1.0;
        r2 = x1 * x1 + x2 * x2;
    } while (r2 >= 1.0 || r2 == 0.0);
    const double factor = std::sqrt(-2.0 * std::log(r2) / r2);
    s.kept = {1, factor * x1};
    return factor * x2;
}
template <class S>
double legacy_normal(S& s, double loc, double scale) {
    return loc + scale * legacy_standard_normal(s);
}
template <class S>
double legacy_lognormal(S& s, double mean, double sigma) {
    return std::exp(legacy_normal(s, mean, sigma));
}
template <class S>
double legacy_standard_exponential(S& s) {
    return -std::log(1.0 - s.next_double());
}
template <class S>
double legacy_exponential(S& s, double scale) {
    return scale * legacy_standard_exponential(s);
}

template <class S>
double legacy_standard_gamma(S& s, double shape) {
    return gamma_of<double>(s, shape, random<S>, legacy_standard_normal<S>, legacy_standard_exponential<S>);
}
template <class S>
double legacy_gamma(S& s, double shape, double scale) {
    return scale * legacy_standard_gamma(s, shape);
}
template <class S>
double legacy_chisquare(S& s, double df) {
    return 2.0 * legacy_standard_gamma(s, df / 2.0);
}
template <class S>
double legacy_f(S& s, double dfnum, double dfden) {
    const double above = legacy_chisquare(s, dfnum) * dfden;
    const double below = legacy_chisquare(s, dfden) * dfnum;
    return above / below;
}
template <class S>
double legacy_standard_t(S& s, double df) {
    const double above = legacy_standard_normal(s);
    const double below = legacy_standard_gamma(s, df / 2);
    return std::sqrt(df / 2) * above / std::sqrt(below);
}
template <class S>
double legacy_noncentral_chisquare(S& s, double df, double nonc) {
    if (nonc == 0) return legacy_chisquare(s, df);
    if (1 < df) {
        const double chi2 = legacy_chisquare(s, df - 1);
        const double n = legacy_standard_normal(s) + std::sqrt(nonc);
        return chi2 + n * n;
    }
    const int64_t i = poisson(s, nonc / 2.0);
    const double out = legacy_chisquare(s, df + static_cast<double>(2 * i));
    return std::isnan(nonc) ? std::numeric_limits<double>::quiet_NaN() : out;
}
template <class S>
double legacy_noncentral_f(S& s, double dfnum, double dfden, double nonc) {
    const double t = legacy_noncentral_chisquare(s, dfnum, nonc) * dfden;
    return t / (legacy_chisquare(s, dfden) * dfnum);
}
template <class S>
double legacy_beta(S& s, double a, double b) {
    if (!(a <= 1.0 && b <= 1.0)) {
        const double x = legacy_standard_gamma(s, a);
        const double y = legacy_standard_gamma(s, b);
        return x / (x + y);
    }
    for (;;) {
        const double u = s.next_double();
        const double v = s.next_double();
        const double x = std::pow(u, 1.0 / a);
        const double y = std::pow(v, 1.0 / b);
        if (!(x + y <= 1.0)) continue;
        if (x + y > 0) return x / (x + y);
        double log_x = std::log(u) / a, log_y = std::log(v) / b;
        const double most = log_x > log_y ? log_x : log_y;
        log_x -= most;
        log_y -= most;
        return std::exp(log_x - std::log(std::exp(log_x) + std::exp(log_y)));
    }
}

template <class S>
double legacy_standard_cauchy(S& s) {
    const double above = legacy_standard_normal(s);
    const double below = legacy_standard_normal(s);
    return above / below;
}
template <class S>
double legacy_pareto(S& s, double a) {
    return std::exp(legacy_standard_exponential(s) / a) - 1;
}
template <class S>
double legacy_weibull(S& s, double a) {
    return a == 0.0 ? 0.0 : std::pow(legacy_standard_exponential(s), 1. / a);
}
template <class S>
double legacy_power(S& s, double a) {
    return std::pow(1 - std::exp(-legacy_standard_exponential(s)), 1. / a);
}
template <class S>
double legacy_rayleigh(S& s, double scale) {
    return scale * std::sqrt(-2.0 * std::log1p(-s.next_double()));
}
template <class S>
double legacy_wald(S& s, double mean, double scale) {
    const double mu_2l = mean / (2 * scale);
    double y = legacy_standard_normal(s);
    y = mean * y * y;
    const double x = mean + mu_2l * (y - std::sqrt(4 * scale * y + y * y));
    const double u = s.next_double();
    return u <= mean / (mean + x) ? x : mean * mean / x;
}
template <class S>
double legacy_vonmises(S& s, double mu, double kappa) {
    return vonmises_of<false>(s, mu, kappa);
}

template <class S>
int64_t legacy_negative_binomial(S& s, double n, double p) {
    return poisson(s, legacy_gamma(s, n, (1 - p) / p));
}
template <class S>
int64_t legacy_geometric(S& s, double p) {
    if (p >= 0.333333333333333333333333) return geometric_search(s, p);
    return static_cast<int64_t>(std::ceil(std::log1p(-s.next_double()) / std::log(1 - p)));
}
template <class S>
int64_t legacy_zipf(S& s, double a) {
    return zipf_of<true>(s, a);
}
template <class S>
int64_t legacy_logseries(S& s, double p) {
    const double r = std::log(1.0 - p);
    for (;;) {
        const double v = s.next_double();
        if (v >= p) return 1;
        const double q = 1.0 - std::exp(r * s.next_double());
        if (v <= q * q) {
            const auto result = static_cast<int64_t>(std::floor(1 + std::log(v) / std::log(q)));
            if (result < 1 || v == 0.0) continue;
            return result;
        }
        return v >= q ? 1 : 2;
    }
}

template <class S>
int64_t legacy_hypergeometric_small(S& s, int64_t good, int64_t bad, int64_t sample) {
    const int64_t d1 = bad + good - sample;
    const auto d2 = static_cast<double>(std::min(bad, good));
    double y = d2;
    int64_t k = sample;
    while (y > 0.0) {
        const double u = s.next_double();
        y -= std::floor(u + y / static_cast<double>(d1 + k));
        if (--k == 0) break;
    }
    const auto z = static_cast<int64_t>(d2 - y);
    return good > bad ? sample - z : z;
}
template <class S>
int64_t legacy_hypergeometric_ratio(S& s, int64_t good, int64_t bad, int64_t sample) {
    constexpr double kD1 = 1.7155277699214135, kD2 = 0.8989161620588988;
    const int64_t least = std::min(good, bad), most = std::max(good, bad), total = good + bad;
    const int64_t m = std::min(sample, total - sample);
    const double d4 = static_cast<double>(least) / static_cast<double>(total), d5 = 1.0 - d4;
    const double d6 = static_cast<double>(m) * d4 + 0.5;
    const double d7 = std::sqrt(static_cast<double>(total - m) * static_cast<double>(sample) * d4 * d5 /
                                    static_cast<double>(total - 1) +
                                0.5);
    const double d8 = kD1 * d7 + kD2;
    const auto d9 = static_cast<int64_t>(std::floor(
        static_cast<double>(m + 1) * static_cast<double>(least + 1) / static_cast<double>(total + 2)));
    const auto logarithms = [&](int64_t k) {
        return log_gamma(static_cast<double>(k + 1)) + log_gamma(static_cast<double>(least - k + 1)) +
               log_gamma(static_cast<double>(m - k + 1)) + log_gamma(static_cast<double>(most - m + k + 1));
    };
    const double d10 = logarithms(d9);
    const double d11 = std::min(static_cast<double>(std::min(m, least)) + 1.0, std::floor(d6 + 16 * d7));
    int64_t z;
    for (;;) {
        const double x = s.next_double();
        const double y = s.next_double();
        const double w = d6 + d8 * (y - 0.5) / x;
        if (w < 0.0 || w >= d11) continue;
        z = static_cast<int64_t>(std::floor(w));
        const double t = d10 - logarithms(z);
        if (x * (4.0 - x) - 3.0 <= t) break;
        if (x * (x - t) >= 1) continue;
        if (2.0 * std::log(x) <= t) break;
    }
    if (good > bad) z = m - z;
    return m < sample ? good - z : z;
}
template <class S>
int64_t legacy_hypergeometric(S& s, int64_t good, int64_t bad, int64_t sample) {
    if (sample > 10) return legacy_hypergeometric_ratio(s, good, bad, sample);
    return sample > 0 ? legacy_hypergeometric_small(s, good, bad, sample) : 0;
}

}  // namespace numloom::library::draws
