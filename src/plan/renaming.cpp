// Overlapping in-place writes: through a temporary, or by writing into a fresh buffer of the storage that
// then takes the old one's place.
#include <algorithm>
#include <cstdlib>
#include <functional>

#include "plan/draft.hpp"

namespace numloom::plan {

bool can_rename(const Draft& d, ViewId v, const Options& o) {
    const View& w = d.view(v);
    const Slot& s = d.slot(w.slot);
    if (!o.rename || s.pinned || !s.storage) return false;
    if (w.layout->size() * item_size(w.dtype) * 2 <= s.storage->nbytes) return false;
    return complement(*s.storage, w, nullptr);
}

namespace {

// A C-order shape that covers a whole storage, and the box of it that a view fills.
struct Frame {
    Dims shape, strides, low, high;
};

// The shape that the storage was made with.
bool home_frame(const Storage& s, Frame* f) {
    if (!s.home->c_contiguous(item_size(s.dtype))) return false;
    f->shape = Dims(s.home->shape());
    f->strides = Dims(s.home->strides());
    return true;
}

// The shape that the view's own strides tell: of an array that was reshaped after it was made.
bool frame_of_view(const Storage& s, const Layout& w, Frame* f) {
    Dims strides;
    for (int b = 0; b < w.ndim(); ++b)
        if (w.shape(b) > 1) strides.push(std::abs(w.stride(b)));
    std::sort(strides.begin(), strides.end(), std::greater<>());
    if (strides.n == 0 || strides[strides.n - 1] != item_size(s.dtype)) strides.push(item_size(s.dtype));
    int64_t whole = s.nbytes;
    f->shape.n = 0;
    for (int64_t stride : strides) {
        if (stride <= 0 || whole % stride != 0) return false;
        f->shape.push(whole / stride);
        whole = stride;
    }
    f->strides = strides;
    return true;
}

// Finds the axis of the frame of each view axis by its stride, and the range it covers.
bool place(const View& v, Frame* f) {
    const Layout& w = *v.layout;
    const int n = f->shape.n;
    f->low.n = f->high.n = n;
    int64_t rest = v.offset + w.low();
    for (int a = 0; a < n; ++a) {
        f->low[a] = 0;
        if (f->shape[a] > 1 && f->strides[a] > 0) {
            f->low[a] = rest / f->strides[a];
            rest -= f->low[a] * f->strides[a];
        }
        f->high[a] = f->low[a] + 1;
        if (f->high[a] > f->shape[a]) return false;
    }
    if (rest != 0) return false;
    uint64_t used = 0;
    for (int b = 0; b < w.ndim(); ++b) {
        if (w.shape(b) == 1) continue;
        int a = 0;
        while (a < n && (f->shape[a] == 1 || f->strides[a] != std::abs(w.stride(b)) || (used >> a & 1))) ++a;
        if (a == n) return false;
        used |= uint64_t{1} << a;
        f->high[a] = f->low[a] + w.shape(b);
        if (f->high[a] > f->shape[a]) return false;
    }
    return true;
}

}  // namespace

bool complement(const Storage& s, const View& v, std::vector<Piece>* out) {
    if (v.dtype != s.dtype || s.nbytes == 0) return false;
    Frame f;
    if (!(home_frame(s, &f) && place(v, &f)) && !(frame_of_view(s, *v.layout, &f) && place(v, &f)))
        return false;
    if (!out) return true;
    // Slabs before and after the box, axis by axis; within a slab the axes in front are already limited to
    // the box. Two slabs of one thickness are one piece: a launch less.
    for (int a = 0; a < f.shape.n; ++a) {
        const int64_t before = f.low[a], after = f.shape[a] - f.high[a];
        auto add = [&](int64_t slabs, int64_t from, int64_t thickness) {
            Dims shape, strides;
            int64_t offset = 0;
            for (int k = 0; k < f.shape.n; ++k) {
                const int64_t first = k < a ? f.low[k] : k == a ? from : 0;
                if (k == a && slabs > 1) {  // in order of address, as pieces for several devices have to be
                    shape.push(slabs);
                    strides.push(f.high[a] * f.strides[a]);
                }
                shape.push(k < a ? f.high[k] - f.low[k] : k == a ? thickness : f.shape[k]);
                strides.push(f.strides[k]);
                offset += first * f.strides[k];
            }
            out->push_back({Layout::intern(shape, strides), offset});
        };
        if (before == after && before > 0 && f.shape.n < kMaxDims) {
            add(2, 0, before);
            continue;
        }
        if (before > 0) add(1, 0, before);
        if (after > 0) add(1, f.high[a], after);
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
