// Continuous distributions of numpy.random.Generator, number for number: the algorithms, their order of draws
// and of roundings are those of NumPy (numpy/random/src/distributions/distributions.c, BSD-3-Clause,
// Copyright (c) 2005-2026, NumPy Developers), over any source of bits.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "library/draws/sources.hpp"
#include "library/draws/ziggurat_tables.hpp"

namespace numloom::library::draws {

template <class S>
double random(S& s) {
    return s.next_double();
}
template <class S>
float random_f(S& s) {
    return static_cast<float>(s.next32() >> 8) * (1.0f / 16777216.0f);
}
template <class S>
double uniform(S& s, double low, double range) {
    return low + range * s.next_double();
}

// --- exponential and normal numbers, by ziggurats ---

template <class S>
double standard_exponential(S& s) {
    for (;;) {
        uint64_t bits = s.next64() >> 3;
        const size_t layer = bits & 255;
        bits >>= 8;
        const double x = static_cast<double>(static_cast<int64_t>(bits)) * exponential_layers.width[layer];
        if (bits < exponential_layers.inside[layer]) return x;
        if (layer == 0) return kExponentialTail - std::log1p(-s.next_double());
        if ((exponential_layers.height[layer - 1] - exponential_layers.height[layer]) * s.next_double() +
                exponential_layers.height[layer] <
            std::exp(-x))
            return x;
    }
}
template <class S>
float standard_exponential_f(S& s) {
    for (;;) {
        uint32_t bits = s.next32() >> 1;
        const size_t layer = bits & 255;
        bits >>= 8;
        const float x = static_cast<float>(bits) * exponential_layers.width_f[layer];
        if (bits < exponential_layers.inside_f[layer]) return x;
        if (layer == 0) return kExponentialTailF - ::log1pf(-random_f(s));
        if ((exponential_layers.height_f[layer - 1] - exponential_layers.height_f[layer]) * random_f(s) +
                exponential_layers.height_f[layer] <
            ::expf(-x))
            return x;
    }
}
template <class S>
double inverse_exponential(S& s) {
    return -std::log1p(-s.next_double());
}
template <class S>
float inverse_exponential_f(S& s) {
    return static_cast<float>(-std::log1p(static_cast<double>(-random_f(s))));
}

template <class S>
double standard_normal(S& s) {
    for (;;) {
        const uint64_t bits = s.next64();
        const size_t layer = bits & 255;
        const uint64_t place = bits >> 9 & 0x000fffffffffffff;
        double x = static_cast<double>(static_cast<int64_t>(place)) * normal_layers.width[layer];
        x = std::bit_cast<double>(std::bit_cast<uint64_t>(x) | (bits >> 8 & 1) << 63);
        if (place < normal_layers.inside[layer]) return x;
        if (layer == 0) {
            for (;;) {
                const double xx = -kNormalTailInverse * std::log1p(-s.next_double());
                const double yy = -std::log1p(-s.next_double());
                if (yy + yy > xx * xx) return place >> 8 & 1 ? -(kNormalTail + xx) : kNormalTail + xx;
            }
        }
        if ((normal_layers.height[layer - 1] - normal_layers.height[layer]) * s.next_double() +
                normal_layers.height[layer] <
            std::exp(-0.5 * x * x))
            return x;
    }
}
template <class S>
float standard_normal_f(S& s) {
    for (;;) {
        const uint32_t bits = s.next32();
        const size_t layer = bits & 255;
        const uint32_t place = bits >> 9;
        float x = static_cast<float>(place) * normal_layers.width_f[layer];
        if (bits >> 8 & 1) x = -x;
        if (place < normal_layers.inside_f[layer]) return x;
        if (layer == 0) {
            for (;;) {
                const float xx = -kNormalTailInverseF * ::log1pf(-random_f(s));
                const float yy = -::log1pf(-random_f(s));
                if (yy + yy > xx * xx) return place >> 8 & 1 ? -(kNormalTailF + xx) : kNormalTailF + xx;
            }
        }
        const float height =
            (normal_layers.height_f[layer - 1] - normal_layers.height_f[layer]) * random_f(s);
        if (height + normal_layers.height_f[layer] < std::exp(-0.5 * x * x)) return x;
    }
}

template <class S>
double exponential(S& s, double scale) {
    return scale * standard_exponential(s);
}
template <class S>
double normal(S& s, double loc, double scale) {
    return loc + scale * standard_normal(s);
}
template <class S>
double lognormal(S& s, double mean, double sigma) {
    return std::exp(normal(s, mean, sigma));
}

// --- gamma (Marsaglia and Tsang, 2000) and what is made of it ---

// T is double or float; `flat`, `normal_number` and `exponential_number` draw in T.
template <class T, class S, class Flat, class Normal, class Exponential>
T gamma_of(S& s, T shape, Flat flat, Normal normal_number, Exponential exponential_number) {
    if (shape == T(1)) return exponential_number(s);
    if (shape == T(0)) return T(0);
    if (shape < T(1)) {
        for (;;) {
            const T u = flat(s);
            const T v = exponential_number(s);
            if (u <= T(1) - shape) {
                const T x = std::pow(u, T(1) / shape);
                if (x <= v) return x;
            } else {
                const T y = -std::log((T(1) - u) / shape);
                const T x = std::pow(T(1) - shape + shape * y, T(1) / shape);
                if (x <= v + y) return x;
            }
        }
    }
    const T b = shape - T(1) / T(3);
    const T c = T(1) / std::sqrt(T(9) * b);
    for (;;) {
        T x, v;
        do {
            x = normal_number(s);
            v = T(1) + c * x;
        } while (v <= T(0));
        v = v * v * v;
        const T u = flat(s);
        if (u < T(1) - T(0.0331) * (x * x) * (x * x)) return b * v;
        if (std::log(u) < T(0.5) * x * x + b * (T(1) - v + std::log(v))) return b * v;
    }
}
template <class S>
double standard_gamma(S& s, double shape) {
    return gamma_of<double>(s, shape, random<S>, standard_normal<S>, standard_exponential<S>);
}
template <class S>
float standard_gamma_f(S& s, double shape) {
    return gamma_of<float>(s, static_cast<float>(shape), random_f<S>, standard_normal_f<S>,
                           standard_exponential_f<S>);
}
template <class S>
double gamma(S& s, double shape, double scale) {
    return scale * standard_gamma(s, shape);
}
template <class S>
double chisquare(S& s, double df) {
    return 2.0 * standard_gamma(s, df / 2.0);
}
template <class S>
double f(S& s, double dfnum, double dfden) {
    const double above = chisquare(s, dfnum) * dfden;
    const double below = chisquare(s, dfden) * dfnum;
    return above / below;
}
template <class S>
double standard_t(S& s, double df) {
    const double above = standard_normal(s);
    const double below = standard_gamma(s, df / 2);
    return std::sqrt(df / 2) * above / std::sqrt(below);
}
// Johnk's algorithm where both are small.
template <class S>
double beta(S& s, double a, double b) {
    constexpr double kTiny = 3e-103;
    if (!(a <= 1.0 && b <= 1.0)) {
        const double x = standard_gamma(s, a);
        const double y = standard_gamma(s, b);
        return x / (x + y);
    }
    // So small that any other number than 0 and 1 has less than 1e-100.
    if (a < kTiny && b < kTiny) return (a + b) * s.next_double() < a;
    for (;;) {
        const double u = s.next_double();
        const double v = s.next_double();
        const double x = std::pow(u, 1.0 / a);
        const double y = std::pow(v, 1.0 / b);
        const double sum = x + y;
        if (!(sum <= 1.0 && u + v > 0.0)) continue;
        if (x > 0 && y > 0) return x / sum;
        const double difference = std::log(u) / a - std::log(v) / b;
        if (difference > 0) return std::exp(-std::log1p(std::exp(-difference)));
        return std::exp(difference - std::log1p(std::exp(difference)));
    }
}

// --- transformations of one or two numbers ---

template <class S>
double standard_cauchy(S& s) {
    const double above = standard_normal(s);
    const double below = standard_normal(s);
    return above / below;
}
template <class S>
double pareto(S& s, double a) {
    return std::expm1(standard_exponential(s) / a);
}
template <class S>
double weibull(S& s, double a) {
    return a == 0.0 ? 0.0 : std::pow(standard_exponential(s), 1. / a);
}
template <class S>
double power(S& s, double a) {
    return std::pow(-std::expm1(-standard_exponential(s)), 1. / a);
}
template <class S>
double laplace(S& s, double loc, double scale) {
    for (;;) {
        const double u = s.next_double();
        if (u >= 0.5) return loc - scale * std::log(2.0 - u - u);
        if (u > 0.0) return loc + scale * std::log(u + u);
    }
}
template <class S>
double gumbel(S& s, double loc, double scale) {
    for (;;) {
        const double u = 1.0 - s.next_double();
        if (u < 1.0) return loc - scale * std::log(-std::log(u));
    }
}
template <class S>
double logistic(S& s, double loc, double scale) {
    for (;;) {
        const double u = s.next_double();
        if (u > 0.0) return loc + scale * std::log(u / (1.0 - u));
    }
}
template <class S>
double rayleigh(S& s, double scale) {
    return scale * std::sqrt(2.0 * standard_exponential(s));
}
template <class S>
double wald(S& s, double mean, double scale) {
    double y = standard_normal(s);
    y = mean * y * y;
    const double d = 1 + std::sqrt(1 + 4 * scale / y);
    const double x = mean * (1 - 2 / d);
    const double u = s.next_double();
    return u <= mean / (mean + x) ? x : mean * mean / x;
}
template <class S>
double triangular(S& s, double left, double mode, double right) {
    const double base = right - left, before = mode - left;
    const double ratio = before / base, product = before * base, after = (right - mode) * base;
    const double u = s.next_double();
    return u <= ratio ? left + std::sqrt(u * product) : right - std::sqrt((1.0 - u) * after);
}

// Best and Fisher's rejection; `wrap`: normal numbers for large kappa, which the legacy generator lacks.
template <bool wrap, class S>
double vonmises_of(S& s, double mu, double kappa) {
    constexpr double pi = std::numbers::pi;
    if (std::isnan(kappa)) return std::numeric_limits<double>::quiet_NaN();
    if (kappa < 1e-8) return pi * (2 * s.next_double() - 1);
    double shape;
    if (kappa < 1e-5) {
        shape = 1. / kappa + kappa;
    } else if (wrap && !(kappa <= 1e6)) {
        double result = mu + std::sqrt(1. / kappa) * standard_normal(s);
        if (result < -pi) result += 2 * pi;
        if (result > pi) result -= 2 * pi;
        return result;
    } else {
        const double r = 1 + std::sqrt(1 + 4 * kappa * kappa);
        const double rho = (r - std::sqrt(2 * r)) / (2 * kappa);
        shape = (1 + rho * rho) / (2 * rho);
    }
    double w;
    for (;;) {
        const double z = std::cos(pi * s.next_double());
        w = (1 + shape * z) / (shape + z);
        const double y = kappa * (shape - w);
        const double v = s.next_double();
        if (y * (2 - y) - v >= 0 || std::log(y / v) + 1 - y >= 0) break;
    }
    const double u = s.next_double();
    double result = std::acos(w);
    if (u < 0.5) result = -result;
    result += mu;
    const bool negative = result < 0;
    const double mod = std::fmod(std::fabs(result) + pi, 2 * pi) - pi;
    return negative ? -mod : mod;
}
template <class S>
double vonmises(S& s, double mu, double kappa) {
    return vonmises_of<true>(s, mu, kappa);
}

}  // namespace numloom::library::draws
