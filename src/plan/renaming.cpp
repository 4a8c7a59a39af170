// Overlapping in-place writes: through a temporary, or by writing into a fresh buffer of the storage that
// then takes the old one's place.
#include <algorithm>
#include <cstdlib>

#include "plan/draft.hpp"

namespace numloom::plan {

bool can_rename(const Draft& d, ViewId v, const Options& o) {
    const View& w = d.view(v);
    const Slot& s = d.slot(w.slot);
    if (!o.rename || s.pinned || !s.storage) return false;
    if (w.layout->size() * item_size(w.dtype) * 2 <= s.storage->nbytes) return false;
    return complement(*s.storage, w, nullptr);
}

bool complement(const Storage& s, const View& v, std::vector<Piece>* out) {
    // Find the home axis of each view axis by its stride, and the range it covers.
    const Layout &home = *s.home, &w = *v.layout;
    const int64_t item = item_size(s.dtype);
    if (v.dtype != s.dtype || !home.c_contiguous(item)) return false;
    Dims low, high;
    low.n = high.n = home.ndim();
    int64_t rest = v.offset + w.low();
    for (int a = 0; a < home.ndim(); ++a) {
        low[a] = 0;
        if (home.shape(a) > 1 && home.size() > 0) {
            low[a] = rest / home.stride(a);
            rest -= low[a] * home.stride(a);
        }
        high[a] = low[a] + 1;
    }
    if (rest != 0) return false;
    uint64_t used = 0;
    for (int b = 0; b < w.ndim(); ++b) {
        if (w.shape(b) == 1) continue;
        int a = 0;
        while (a < home.ndim() &&
               (home.shape(a) == 1 || home.stride(a) != std::abs(w.stride(b)) || (used >> a & 1)))
            ++a;
        if (a == home.ndim()) return false;
        used |= uint64_t{1} << a;
        high[a] = low[a] + w.shape(b);
        if (high[a] > home.shape(a)) return false;
    }
    if (!out) return true;
    // Slabs before and after the box, axis by axis; within a slab the axes in front are already limited to
    // the box.
    for (int a = 0; a < home.ndim(); ++a) {
        for (int side = 0; side < 2; ++side) {
            const int64_t from = side == 0 ? 0 : high[a], to = side == 0 ? low[a] : home.shape(a);
            if (to <= from) continue;
            Dims shape;
            int64_t offset = 0;
            for (int k = 0; k < home.ndim(); ++k) {
                const int64_t first = k < a ? low[k] : k == a ? from : 0;
                shape.push(k < a ? high[k] - low[k] : k == a ? to - from : home.shape(k));
                offset += first * home.stride(k);
            }
            out->push_back({Layout::intern(shape, home.strides()), offset});
        }
    }
    return true;
}

void break_overlaps(Draft& d, const Options& o) {
    std::vector<Node> nodes;
    nodes.reserve(d.nodes.size());
    for (Node& n : d.nodes) {
        bool overlaps = false;
        for (int k = 0; k < n.inputs && n.form != Form::Call; ++k) {
            if (n.in[k].view < 0 || d.relation(n.out.view, n.in[k].view) == Relation::Disjoint) continue;
            overlaps |= n.form == Form::Reduce || !d.pointwise(n.out, n.in[k]);
        }
        if (!overlaps || n.dead || !o.check_hazards ||
            (n.form == Form::Compute && can_rename(d, n.out.view, o))) {
            nodes.push_back(std::move(n));
            continue;
        }
        // The result goes to a temporary of the output's shape first; a copy in the iteration space of the
        // output follows.
        const View out = d.view(n.out.view);
        const Layout* dense = out.layout->dense(out.dtype);
        const ViewId t = d.add_temporary(out.dtype, dense);
        Node copy{};
        copy.instruction = n.instruction;
        copy.form = Form::Compute;
        copy.op = OpCode::Copy;
        copy.loop = out.dtype;
        copy.inputs = 1;
        copy.out.view = n.out.view;
        copy.in[0].view = t;
        n.out.view = t;
        n.out.strides.clear();
        for (int a = 0; a < dense->ndim(); ++a) {
            if (dense->shape(a) == 1) continue;
            copy.shape.push_back(dense->shape(a));
            copy.out.strides.push_back(out.layout->stride(a));
            copy.in[0].strides.push_back(dense->stride(a));
            n.out.strides.push_back(dense->stride(a));
        }
        nodes.push_back(std::move(n));
        nodes.push_back(std::move(copy));
    }
    d.nodes = std::move(nodes);
}

}  // namespace numloom::plan
