// Values between given points, along straight lines.
#include <algorithm>
#include <bit>
#include <cmath>

#include "library/call.hpp"

namespace numloom::library {
namespace {

struct Points {
    const double* x;
    const double* y;
    int64_t n;
    double left, right;

    double at(double p) const {
        if (std::isnan(p)) return n == 1 ? y[0] : p;  // one point alone stands for everything
        if (p > x[n - 1]) return right;
        if (p < x[0]) return left;
        // A point that is NaN ends what lies left of `p`, as in NumPy's search.
        const double* after = std::partition_point(x, x + n, [&](double q) { return p >= q; });
        const int64_t j = std::max<int64_t>(after - x - 1, 0);
        if (j == n - 1) return y[j];
        if (x[j] == p) return y[j];
        const double slope = (y[j + 1] - y[j]) / (x[j + 1] - x[j]);
        double value = slope * (p - x[j]) + y[j];
        // Infinite ends: from the other point, or flat between equal ones.
        if (std::isnan(value)) value = slope * (p - x[j + 1]) + y[j + 1];
        if (std::isnan(value) && y[j] == y[j + 1]) value = y[j];
        return value;
    }
};

void interpolate(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    Points points{reinterpret_cast<const double*>(in[1].data), reinterpret_cast<const double*>(in[2].data),
                  in[1].layout->size(), 0, 0};
    points.left = p[0] ? std::bit_cast<double>(p[1]) : points.y[0];
    points.right = p[2] ? std::bit_cast<double>(p[3]) : points.y[points.n - 1];
    const double* from = reinterpret_cast<const double*>(in[0].data);
    double* to = reinterpret_cast<double*>(out.data);
    parallel_ranges(out.layout->size(), kGrain / 8, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i] = points.at(from[i]);
    });
}

}  // namespace

std::span<const Entry> interpolation_entries() {
    static const Entry entries[] = {{"interpolate", interpolate}};
    return entries;
}

}  // namespace numloom::library
