// Logarithms of factorials as numpy.random has them: the first correctly rounded, the others by Stirling's
// series up to 1/k^3.
#include <array>
#include <cmath>

#include "library/draws/discrete.hpp"

namespace numloom::library::draws {
namespace {

constexpr int64_t kRounded = 126;

const double* rounded_logarithms() {
    static const std::array<double, kRounded> table = [] {
        std::array<double, kRounded> t;
        for (size_t k = 0; k < t.size(); ++k)
            t[k] = static_cast<double>(std::lgamma(static_cast<long double>(k + 1)));
        return t;
    }();
    return table.data();
}

}  // namespace

double log_factorial(int64_t k) {
    if (k < kRounded) return rounded_logarithms()[k];
    const double x = static_cast<double>(k);
    return (x + 0.5) * std::log(x) - x + (0.9189385332046728 + (1.0 / x) * (1 / 12.0 - 1 / (360.0 * x * x)));
}

double log_gamma(double x) {
    static const double a[10] = {8.333333333333333e-02,  -2.777777777777778e-03, 7.936507936507937e-04,
                                 -5.952380952380952e-04, 8.417508417508418e-04,  -1.917526917526918e-03,
                                 6.410256410256410e-03,  -2.955065359477124e-02, 1.796443723688307e-01,
                                 -1.39243221690590e+00};
    if (x == 1.0 || x == 2.0) return 0.0;
    const int64_t n = x < 7.0 ? static_cast<int64_t>(7 - x) : 0;
    double x0 = x + static_cast<double>(n);
    const double x2 = (1.0 / x0) * (1.0 / x0);
    double series = a[9];
    for (int k = 8; k >= 0; --k) {
        series *= x2;
        series += a[k];
    }
    double result = series / x0 + 0.5 * 1.8378770664093453e+00 + (x0 - 0.5) * std::log(x0) - x0;
    if (x < 7.0)
        for (int64_t k = 1; k <= n; ++k) {
            result -= std::log(x0 - 1.0);
            x0 -= 1.0;
        }
    return result;
}

}  // namespace numloom::library::draws
