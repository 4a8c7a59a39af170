#include "library/draws/ziggurat_tables.hpp"

#include <algorithm>
#include <cmath>

#include "library/draws.hpp"

namespace numloom::library {
namespace draws {

ZigguratTables normal_layers, exponential_layers;

namespace {

// The first place for which inside(place) is false; all before are true. `near`: about where.
template <class F>
uint64_t boundary(uint64_t near, uint64_t end, F&& inside) {
    uint64_t low = near, step = 1;
    for (; low > 0 && !inside(low - 1); step *= 2) low -= std::min(low, step);
    uint64_t high = low;
    for (step = 1; high < end && inside(high); step *= 2) {
        low = high + 1;
        high = std::min(end, high + step);
    }
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (inside(middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

}  // namespace
}  // namespace draws

void set_ziggurat_layers(bool normal, const ZigguratProbe& probe) {
    using draws::kLayers;
    draws::ZigguratTables& t = normal ? draws::normal_layers : draws::exponential_layers;
    const double places = normal ? 0x1p52 : 0x1p53, places_f = 0x1p23;
    double edge[kLayers];
    for (int i = 0; i < kLayers; ++i) {
        t.width[i] = probe(false, i, 1).number;
        t.width_f[i] = static_cast<float>(probe(true, i, 1).number);
        edge[i] = t.width[i] * places;
        t.height[i] = i == 0 ? 1.0 : std::exp(normal ? -0.5 * edge[i] * edge[i] : -edge[i]);
        t.height_f[i] = static_cast<float>(t.height[i]);
    }
    for (int i = 0; i < kLayers; ++i) {
        // The layer above ends there; the first layer is longer than its part of the distribution.
        const double part = i == 1 ? 0.0 : edge[i == 0 ? kLayers - 1 : i - 1] / edge[i];
        auto first_outside = [&](bool single, double all) {
            return draws::boundary(static_cast<uint64_t>(part * all), static_cast<uint64_t>(all),
                                   [&](uint64_t place) { return probe(single, i, place).at_once; });
        };
        t.inside[i] = first_outside(false, places);
        t.inside_f[i] = static_cast<uint32_t>(first_outside(true, places_f));
    }
}

}  // namespace numloom::library
