// Whether two strided views share a byte, decided exactly by a small search over a bounded Diophantine
// equation.
#include <algorithm>
#include <numeric>

#include "core/layout.hpp"

namespace numloom {
namespace {

// x * stride for x in [0, extent]; the search asks whether a sum of such terms can equal a number.
struct Term {
    int64_t stride, extent;
};

struct Terms {
    Term t[2 * kMaxDims + 2];
    int n = 0;
    int64_t target = 0;

    void add(int64_t stride, int64_t extent) {
        if (stride == 0 || extent == 0) return;
        if (stride < 0) {  // -s * x == s * (extent - x) - s * extent
            stride = -stride;
            target += stride * extent;
        }
        for (int i = 0; i < n; ++i)
            if (t[i].stride == stride) {
                t[i].extent += extent;
                return;
            }
        t[n++] = {stride, extent};
    }
};

// 1: the terms from `first` on can sum to `target`; 0: they can't; -1: budget used up.
int search(const Terms& terms, int first, int64_t target, const int64_t* reach, const int64_t* gcds,
           int* budget) {
    if (target < 0 || target > reach[first]) return 0;
    if (first == terms.n) return target == 0;
    if (gcds[first] != 1 && target % gcds[first] != 0) return 0;
    const Term& t = terms.t[first];
    const int64_t most = std::min(t.extent, target / t.stride);
    const int64_t rest = target - reach[first + 1];
    const int64_t least = rest <= 0 ? 0 : (rest + t.stride - 1) / t.stride;
    for (int64_t x = most; x >= least; --x) {
        if (--*budget < 0) return -1;
        if (const int r = search(terms, first + 1, target - x * t.stride, reach, gcds, budget)) return r;
    }
    return 0;
}

constexpr int kBudget = 400;

// The greatest common divisor of a stride and those within it, most of which divide it.
int64_t common_divisor(int64_t stride, int64_t inner) {
    if (inner == 1) return 1;
    return inner != 0 && stride % inner == 0 ? inner : std::gcd(stride, inner);
}

// The commonest cases without a search: at most two strides, one a multiple of the other. -1 for the rest.
int few_terms(const Terms& terms) {
    if (terms.target < 0) return 0;
    if (terms.n == 0) return terms.target == 0;
    if (terms.n > 2) return -1;
    const bool swapped = terms.n == 2 && terms.t[0].stride < terms.t[1].stride;
    const Term inner = terms.t[terms.n == 1 || swapped ? 0 : 1];
    const Term outer = terms.n == 1 ? Term{inner.stride, 0} : terms.t[swapped ? 1 : 0];
    if (outer.stride % inner.stride != 0) return -1;
    if (terms.target % inner.stride != 0) return 0;
    // In steps of the inner stride: outer * x + y == target, y in [0, inner.extent].
    const int64_t target = terms.target / inner.stride, step = outer.stride / inner.stride;
    const int64_t most = std::min(outer.extent, target / step), rest = target - inner.extent;
    const int64_t least = rest <= 0 ? 0 : (rest + step - 1) / step;
    return least <= most;
}

// Whether the sum can be met: exact within the budget, else true.
bool possible(Terms& terms) {
    if (const int known = few_terms(terms); known >= 0) return known == 1;
    std::sort(terms.t, terms.t + terms.n, [](const Term& a, const Term& b) { return a.stride > b.stride; });
    int64_t reach[2 * kMaxDims + 3], gcds[2 * kMaxDims + 3];
    reach[terms.n] = 0;
    gcds[terms.n] = 0;
    for (int i = terms.n - 1; i >= 0; --i) {
        reach[i] = reach[i + 1] + terms.t[i].stride * terms.t[i].extent;
        gcds[i] = common_divisor(terms.t[i].stride, gcds[i + 1]);
    }
    int budget = kBudget;
    return search(terms, 0, terms.target, reach, gcds, &budget) != 0;
}

// Returns all bits that strides have.
int64_t add_view(Terms& terms, const Layout& l, int64_t sign) {
    int64_t bits = 0;
    for (int i = 0; i < l.ndim(); ++i) {
        terms.add(sign * l.stride(i), l.shape(i) - 1);
        bits |= l.stride(i);
    }
    return bits;
}

}  // namespace

Relation relate(const Layout& a, int64_t offset_a, int64_t itemsize_a, const Layout& b, int64_t offset_b,
                int64_t itemsize_b) {
    if (a.size() == 0 || b.size() == 0) return Relation::Disjoint;
    const bool alike = &a == &b && itemsize_a == itemsize_b;
    if (alike && offset_a == offset_b) return Relation::Equal;
    if (offset_a + a.high() + itemsize_a <= offset_b + b.low() ||
        offset_b + b.high() + itemsize_b <= offset_a + a.low())
        return Relation::Disjoint;
    // offset_a + sum_a + x == offset_b + sum_b + y with bytes x of a's and y of b's element
    Terms terms;
    terms.target = offset_b - offset_a;
    const int64_t bits = add_view(terms, a, 1) | add_view(terms, b, -1) | terms.target;
    // Elements of one size, a power of two, that start at multiples of it are the same or apart.
    if (itemsize_a != itemsize_b || (itemsize_a & (itemsize_a - 1)) != 0 || (bits & (itemsize_a - 1)) != 0) {
        terms.add(1, itemsize_a - 1);
        terms.add(-1, itemsize_b - 1);
    }
    if (!possible(terms)) return Relation::Disjoint;
    return alike ? Relation::Shift : Relation::Other;
}

bool self_overlaps(const Layout& a, int64_t itemsize) {
    if (a.size() <= 1) return false;
    // Sorted by |stride|: nested when each stride steps over all that lies within.
    Dims axes;
    for (int i = 0; i < a.ndim(); ++i)
        if (a.shape(i) > 1) axes.push(i);
    std::sort(axes.begin(), axes.end(), [&](int64_t x, int64_t y) {
        return std::abs(a.stride(static_cast<int>(x))) < std::abs(a.stride(static_cast<int>(y)));
    });
    int64_t span = itemsize;
    for (int64_t axis : axes) {
        const int64_t step = std::abs(a.stride(static_cast<int>(axis)));
        if (step < span) return true;  // conservative: some interleaved views do not overlap
        span = step * (a.shape(static_cast<int>(axis)) - 1) + span;
    }
    return false;
}

}  // namespace numloom
