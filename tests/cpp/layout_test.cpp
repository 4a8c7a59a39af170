// Layouts and the overlap test, against brute force over random views.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>
#include <vector>

#include "core/layout.hpp"

namespace numloom {
namespace {

struct RandomView {
    const Layout* layout;
    int64_t offset;
};

// A random basic-indexing view of a C-order array of the given shape (elements of 8 bytes), with steps, flips
// and transposes.
RandomView random_view(std::mt19937& rng, std::span<const int64_t> base) {
    auto pick = [&](int64_t a, int64_t b) { return std::uniform_int_distribution<int64_t>(a, b)(rng); };
    const Layout* home = Layout::c_order(base, 8);
    Dims shape, strides;
    int64_t offset = 0;
    for (int a = 0; a < home->ndim(); ++a) {
        const int64_t n = home->shape(a), start = pick(0, n - 1), step = pick(1, 3);
        const int64_t count = pick(1, (n - 1 - start) / step + 1);
        offset += start * home->stride(a);
        int64_t stride = step * home->stride(a);
        if (pick(0, 3) == 0) {
            offset += (count - 1) * stride;
            stride = -stride;
        }
        shape.push(count);
        strides.push(stride);
    }
    if (shape.n > 1 && pick(0, 2) == 0) {
        std::swap(shape[0], shape[1]);
        std::swap(strides[0], strides[1]);
    }
    return {Layout::intern(shape, strides), offset};
}

void addresses(const Layout& l, int64_t offset, int axis, std::set<int64_t>* out) {
    if (axis == l.ndim()) {
        for (int b = 0; b < 8; ++b) out->insert(offset + b);
        return;
    }
    for (int64_t i = 0; i < l.shape(axis); ++i) addresses(l, offset + i * l.stride(axis), axis + 1, out);
}

bool share(const RandomView& a, const RandomView& b) {
    std::set<int64_t> x, y;
    addresses(*a.layout, a.offset, 0, &x);
    addresses(*b.layout, b.offset, 0, &y);
    for (int64_t v : x)
        if (y.count(v)) return true;
    return false;
}

TEST(Layout, InternedOnce) {
    const Layout* a = Layout::c_order(Dims{3, 4}, 8);
    EXPECT_EQ(a, Layout::intern(Dims{3, 4}, Dims{32, 8}));
    EXPECT_TRUE(a->c_contiguous(8));
    EXPECT_FALSE(a->c_contiguous(4));
    EXPECT_FALSE(a->f_contiguous(8));
    EXPECT_EQ(a->dense(DType::Float32), Layout::c_order(Dims{3, 4}, 4));
    EXPECT_TRUE(Layout::c_order(Dims{1, 1}, 8)->f_contiguous(4));
}

TEST(Overlap, RandomViewsAgainstBruteForce) {
    std::mt19937 rng(1);
    int shared = 0, apart = 0;
    for (int round = 0; round < 4000; ++round) {
        const std::vector<int64_t> shapes[] = {{17}, {6, 7}, {4, 3, 5}};
        const auto& base = shapes[round % 3];
        const RandomView a = random_view(rng, base), b = random_view(rng, base);
        const Relation r = relate(*a.layout, a.offset, 8, *b.layout, b.offset, 8);
        const bool really = share(a, b);
        EXPECT_EQ(r != Relation::Disjoint, really)
            << shape_text(a.layout->shape()) << shape_text(b.layout->shape());
        EXPECT_EQ(r == Relation::Equal, a.layout == b.layout && a.offset == b.offset);
        (really ? shared : apart)++;
    }
    EXPECT_GT(shared, 500);
    EXPECT_GT(apart, 500);
}

TEST(Overlap, DifferentElementSizes) {
    const Layout* complex_reals = Layout::intern(Dims{5}, Dims{16});  // a.real of complex128
    const Layout* whole = Layout::intern(Dims{5}, Dims{16});
    EXPECT_EQ(relate(*complex_reals, 0, 8, *complex_reals, 8, 8), Relation::Disjoint);
    EXPECT_EQ(relate(*complex_reals, 8, 8, *whole, 0, 16), Relation::Other);
}

TEST(Reshape, ViewsExactlyWhereAddressesAllow) {
    std::mt19937 rng(2);
    for (int round = 0; round < 2000; ++round) {
        const std::vector<int64_t> base =
            round % 2 ? std::vector<int64_t>{4, 6} : std::vector<int64_t>{2, 3, 4};
        const RandomView v = random_view(rng, base);
        Dims flat{v.layout->size()};
        const Layout* l = reshape_layout(*v.layout, flat, 8);
        // Addresses in C order must form one arithmetic progression.
        std::vector<int64_t> at;
        const Layout& w = *v.layout;
        for (int64_t i = 0; i < w.size(); ++i) {
            int64_t rest = i, d = 0;
            for (int a = w.ndim() - 1; a >= 0; --a) d += rest % w.shape(a) * w.stride(a), rest /= w.shape(a);
            at.push_back(d);
        }
        bool progression = true;
        for (size_t i = 2; i < at.size(); ++i) progression &= at[i] - at[i - 1] == at[1] - at[0];
        ASSERT_EQ(l != nullptr, progression);
        if (l && at.size() > 1) {
            EXPECT_EQ(l->stride(0), at[1] - at[0]);
        }
    }
}

TEST(Broadcast, ShapesAndLayouts) {
    Dims out;
    EXPECT_TRUE(broadcast_shapes(Dims{3, 1}, Dims{4}, &out));
    EXPECT_EQ(out, (Dims{3, 4}));
    EXPECT_FALSE(broadcast_shapes(Dims{3}, Dims{4}, &out));
    EXPECT_TRUE(broadcast_shapes(Dims{0}, Dims{1}, &out));
    EXPECT_EQ(out, Dims{0});
    const Layout* row = Layout::c_order(Dims{4}, 8);
    EXPECT_EQ(broadcast_layout(*row, Dims{3, 4}), Layout::intern(Dims{3, 4}, Dims{0, 8}));
    EXPECT_EQ(broadcast_layout(*row, Dims{3}), nullptr);
}

TEST(SelfOverlap, ZeroStridesAndWindows) {
    EXPECT_TRUE(self_overlaps(*Layout::intern(Dims{3}, Dims{0}), 8));
    EXPECT_TRUE(self_overlaps(*Layout::intern(Dims{3, 4}, Dims{8, 8}), 8));
    EXPECT_FALSE(self_overlaps(*Layout::intern(Dims{3, 4}, Dims{-32, 8}), 8));
}

}  // namespace
}  // namespace numloom
