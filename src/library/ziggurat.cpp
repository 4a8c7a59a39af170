#include "library/ziggurat.hpp"

#include <bit>
#include <cmath>

#include "library/pcg.hpp"

namespace numloom::library {
namespace {

double with_sign(double x, uint64_t bits) {
    return std::bit_cast<double>(std::bit_cast<uint64_t>(x) | (bits >> 8 & 1) << 63);
}

}  // namespace

const Ziggurat& Ziggurat::normal() {
    static const Ziggurat z;
    return z;
}

Ziggurat::Ziggurat() {
    constexpr double area = 0.00492867323399, range = 4503599627370496.0;
    double x = kTail, next = kTail;
    const double bottom = area / std::exp(-0.5 * x * x);
    inside_[0] = static_cast<int64_t>(x / bottom * range);
    inside_[1] = 0;
    width_[0] = bottom / range;
    width_[255] = x / range;
    height_[0] = 1.0;
    height_[255] = std::exp(-0.5 * x * x);
    for (size_t i = 254; i > 0; --i) {
        x = std::sqrt(-2.0 * std::log(area / x + std::exp(-0.5 * x * x)));
        inside_[i + 1] = static_cast<int64_t>(x / next * range);
        next = x;
        height_[i] = std::exp(-0.5 * x * x);
        width_[i] = x / range;
    }
}

double Ziggurat::refine(uint64_t bits, uint64_t (*next)(void*), void* context) const {
    for (;;) {
        const size_t layer = bits & 255;
        const auto place = static_cast<int64_t>(bits >> 12);
        const double x = static_cast<double>(place) * width_[layer];
        if (place < inside_[layer]) return with_sign(x, bits);
        if (layer == 0) return with_sign(tail(next, context), bits);
        const double u = unit(next(context));
        if (height_[layer] + u * (height_[layer - 1] - height_[layer]) < std::exp(-0.5 * x * x))
            return with_sign(x, bits);
        bits = next(context);
    }
}

double Ziggurat::tail(uint64_t (*next)(void*), void* context) const {
    for (;;) {
        const double x = -std::log(1.0 - unit(next(context))) / kTail;
        const double y = -std::log(1.0 - unit(next(context)));
        if (y + y > x * x) return kTail + x;
    }
}

}  // namespace numloom::library
