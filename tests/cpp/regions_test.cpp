// Region algebra against brute force.
#include "mesh/regions.hpp"

#include <gtest/gtest.h>

#include <random>

namespace numloom::mesh {
namespace {

TEST(Regions, HullHoldsEveryByteOfTheRange) {
    std::mt19937 rng(3);
    auto pick = [&](int64_t a, int64_t b) { return std::uniform_int_distribution<int64_t>(a, b)(rng); };
    for (int round = 0; round < 3000; ++round) {
        std::vector<int64_t> shape, strides;
        for (int64_t k = pick(1, 3); k > 0; --k)
            shape.push_back(pick(1, 5)), strides.push_back(8 * pick(-6, 6));
        int64_t points = 1;
        for (int64_t n : shape) points *= n;
        const int64_t begin = pick(0, points - 1), end = pick(begin + 1, points);
        const Interval h = hull(shape, strides, 8, begin, end);
        int64_t lo = INT64_MAX, hi = INT64_MIN;
        for (int64_t p = begin; p < end; ++p) {
            const int64_t d = displacement(shape, strides, p);
            lo = std::min(lo, d);
            hi = std::max(hi, d + 8);
        }
        EXPECT_LE(h.lo, lo);
        EXPECT_GE(h.hi, hi);
        if (begin == 0 && end == points) {
            EXPECT_EQ(h, (Interval{lo, hi}));
        }
    }
}

TEST(Regions, WholeRowsAreExact) {
    const std::vector<int64_t> shape{10, 6}, strides{8 * 8, 8};
    EXPECT_EQ(hull(shape, strides, 8, 12, 30), (Interval{2 * 64, 4 * 64 + 6 * 8}));
}

TEST(Regions, PointsOfAnInterval) {
    std::mt19937 rng(4);
    auto pick = [&](int64_t a, int64_t b) { return std::uniform_int_distribution<int64_t>(a, b)(rng); };
    for (int round = 0; round < 2000; ++round) {
        std::vector<int64_t> shape, strides;
        int64_t step = 8;
        for (int64_t k = pick(1, 3); k > 0; --k) {
            const int64_t n = pick(1, 5);
            step *= pick(1, 3);
            shape.insert(shape.begin(), n);
            strides.insert(strides.begin(), step);
            step *= n;
        }
        ASSERT_TRUE(rises(shape, strides, 8));
        const int64_t address = pick(-20, step + 20);
        const int64_t p = first_point_from(shape, strides, address);
        int64_t points = 1;
        for (int64_t n : shape) points *= n;
        for (int64_t q = 0; q < points; ++q) EXPECT_EQ(displacement(shape, strides, q) >= address, q >= p);
    }
}

TEST(Regions, CutsCoverTheStorage) {
    for (int parts : {1, 2, 3, 7})
        for (const Dims& shape :
             {Dims{}, Dims{1}, Dims{5}, Dims{100}, Dims{3, 4}, Dims{1, 50, 3}, Dims{0, 4}}) {
            const Layout* l = Layout::c_order(shape, 4);
            const std::vector<int64_t> cuts = cut_storage(*l, 4, parts);
            ASSERT_EQ(cuts.size(), static_cast<size_t>(parts) + 1);
            EXPECT_EQ(cuts.front(), 0);
            EXPECT_EQ(cuts.back(), l->size() * 4);
            for (size_t i = 1; i < cuts.size(); ++i) {
                EXPECT_LE(cuts[i - 1], cuts[i]);
                EXPECT_EQ(cuts[i] % 4, 0);
            }
        }
}

}  // namespace
}  // namespace numloom::mesh
