// Which forms a kernel's launches take and how wide. The figures behind the choices:
// benchmarks/results/h200.md.
#include <algorithm>
#include <bit>

#include "device/cuda/program.hpp"
#include "kernel/reduction.hpp"

namespace numloom::cuda {

using kernel::Access;
using kernel::Kernel;
using kernel::TapeKind;

namespace {

constexpr int64_t kHeavy = 60;  // tape weight from which arithmetic, not memory, sets the pace
// Points that fill a large GPU's threads once: fewer get less work each.
constexpr int64_t kFull = int64_t{1} << 18;

int pow2_floor(int64_t n) { return n < 1 ? 1 : static_cast<int>(std::bit_floor(static_cast<uint64_t>(n))); }
int pow2_ceil(int64_t n) { return n < 1 ? 1 : static_cast<int>(std::bit_ceil(static_cast<uint64_t>(n))); }

// Bytes that one point loads through accesses that move, and the number of those loads.
struct Loads {
    int64_t bytes = 0, count = 0;
};
Loads loads_of(const Kernel& k) {
    Loads l;
    for (const auto& e : k.tape) {
        if (e.kind != TapeKind::Load) continue;
        const Access& a = k.accesses[static_cast<size_t>(e.index)];
        const bool moves = std::any_of(a.strides.begin(), a.strides.end(), [](int64_t s) { return s != 0; });
        if (a.view < 0 || !moves) continue;
        l.bytes += item_size(a.dtype);
        ++l.count;
    }
    return l;
}

// Points in flight per thread, so that `wanted` bytes are: memory's latency times its bandwidth, shared out.
int unroll_for(const Kernel& k, int64_t wanted, int most) {
    if (tape_weight(k) >= kHeavy) return 1;
    const Loads l = loads_of(k);
    return std::min(pow2_floor(wanted / std::max<int64_t>(1, l.bytes)), most);
}

// Whether most accesses step further along dimension `inner` than along `outer`: then neighbours in `outer`
// lie together.
bool lies_across(const Kernel& k, int inner, int outer) {
    int64_t votes = 0;
    for (const Access& a : k.accesses) {
        if (a.view < 0) continue;
        const int64_t i = std::abs(a.strides[static_cast<size_t>(inner)]),
                      o = std::abs(a.strides[static_cast<size_t>(outer)]);
        if (o != 0 && (i == 0 || i > o)) votes += i == 0 ? 0 : 1;
        if (i != 0 && (o == 0 || o > i)) votes -= 1;
    }
    return votes > 0;
}

bool any_across(const Kernel& k) {
    const int last = k.ndim() - 1;
    for (const Access& a : k.accesses)
        for (int d = 0; d < last; ++d) {
            const int64_t o = std::abs(a.strides[static_cast<size_t>(d)]);
            if (a.view >= 0 && o != 0 && o < std::abs(a.strides[static_cast<size_t>(last)])) return true;
        }
    return false;
}

}  // namespace

Variant flat_variant(const Kernel& k) {
    Variant v;
    v.form = Form::Flat;
    int64_t widest = 1;
    for (const Access& a : k.accesses)
        if (a.view >= 0 && k.ndim() > 0 && a.strides[0] != 0) widest = std::max(widest, item_size(a.dtype));
    v.tuning.vector = static_cast<int>(16 / widest);
    const int64_t fill = k.points() / (kFull * v.tuning.vector);
    v.tuning.unroll =
        std::min({unroll_for(k, 64, 4 * v.tuning.vector) / v.tuning.vector, 4, pow2_floor(fill)});
    v.tuning.unroll = std::max(1, v.tuning.unroll);
    return v;
}

Variant linear_variant(const Kernel& k) {
    Variant v;
    v.form = Form::Linear;
    v.tuning.unroll = std::min(unroll_for(k, 64, 8), pow2_floor(k.points() / kFull));
    return v;
}

bool can_run_rows(const Kernel& k) {
    if (k.ndim() < 2 || k.reduces()) return false;
    const int64_t inner = k.shape.back();
    if (inner < 24) return false;
    const int64_t covered = (inner + 31) / 32 * 32;
    return inner * 4 >= covered * 3;
}

Variant rows_variant(const Kernel& k) {
    Variant v;
    v.form = Form::Rows;
    const int64_t inner = k.shape.back();
    if (any_across(k)) {
        // Square tiles: what one row leaves unused of a sector, the next ones find in L1.
        v.tuning.width = 8;
        v.tuning.unroll = 2;
        return v;
    }
    v.tuning.width = inner < 128 ? 32 : inner < 512 ? 64 : 128;
    const Loads l = loads_of(k);
    const bool narrow_elements = l.bytes <= 4 * l.count;
    const int rows = l.count <= 10 ? (narrow_elements ? 8 : 4) : l.count <= 24 ? 2 : 1;
    v.tuning.unroll = tape_weight(k) >= kHeavy ? std::min(rows, 2) : rows;
    v.tuning.unroll = std::min(v.tuning.unroll, pow2_floor(k.points() / kFull));
    return v;
}

Variant leaves_variant(const Kernel& k, bool single_leaves) {
    Variant v;
    v.form = Form::Leaves;
    v.single_leaves = single_leaves;
    Tuning& t = v.tuning;
    const int64_t reduced = k.reduced_points(), kept = k.kept_points();
    t.lanes = pow2_ceil(std::min<int64_t>(kernel::kLanes, reduced));
    if (!single_leaves && reduced <= kernel::kLanes) {
        v.form = Form::Short;
        v.finishes = true;
        return v;
    }
    const bool across = k.kept > 0 && k.kept < k.ndim() && lies_across(k, k.ndim() - 1, k.kept - 1);
    t.kept_fast = across ? pow2_ceil(std::min<int64_t>(32, k.shape[static_cast<size_t>(k.kept) - 1])) : 1;
    const int rest = kThreads / (t.kept_fast * t.lanes);
    t.leaves = static_cast<int>(std::min<int64_t>(rest, pow2_ceil(std::min<int64_t>(k.leaves(), kThreads))));
    // Few kept points of several leaves: more blocks with fewer leaves each keep more multiprocessors busy.
    if (across)
        while (t.leaves > 1 && kept * k.leaves() * t.lanes < kFull) t.leaves /= 2;
    t.kept_slow = rest / t.leaves;
    t.unroll = tape_weight(k) >= kHeavy ? 2 : 4;
    v.finishes = !single_leaves && k.leaves() <= t.leaves;
    return v;
}

Variant combine_variant(const Kernel&, int64_t values) {
    Variant v;
    v.form = Form::Combine;
    v.tuning.leaves = pow2_ceil(std::min<int64_t>(kMostThreads, (values + 7) / 8));
    return v;
}

std::vector<Variant> variants(const Kernel& k) {
    std::vector<Variant> list;
    if (!k.reduces()) {
        if (flat(k)) list.push_back(flat_variant(k));
        list.push_back(can_run_rows(k) ? rows_variant(k) : linear_variant(k));
        return list;
    }
    if (k.reduced_points() > 0) {
        const Variant first = leaves_variant(k, false);
        list.push_back(first);
        list.push_back(leaves_variant(k, true));
        if (!first.finishes)
            list.push_back(combine_variant(k, (k.leaves() + first.tuning.leaves - 1) / first.tuning.leaves));
    }
    list.push_back(combine_variant(k, k.leaves()));
    return list;
}

}  // namespace numloom::cuda
