#include "plan/draft.hpp"

namespace numloom::plan {
namespace {

// Strides of a view over the given axes of an iteration space of rank `rank`; the view may have fewer axes
// (broadcast in front) or extent 1.
std::vector<int64_t> strides_over(const Layout& l, int rank, std::span<const int> axes) {
    std::vector<int64_t> s;
    s.reserve(axes.size());
    const int lead = rank - l.ndim();
    for (int a : axes) s.push_back(a < lead || l.shape(a - lead) == 1 ? 0 : l.stride(a - lead));
    return s;
}

void analyse_reduce(const Instruction& x, const Operands& o, Node* n) {
    const Layout &in = *x.in[0].layout, &out = *x.out.layout;
    std::vector<int> axes, kept;
    for (int a = 0; a < in.ndim(); ++a) {
        if (in.shape(a) == 1) continue;
        if (x.axes >> a & 1)
            n->reduced |= uint64_t{1} << axes.size();
        else
            kept.push_back(a);
        axes.push_back(a);
        n->shape.push_back(in.shape(a));
    }
    n->in[0] = {o.in[0], strides_over(in, in.ndim(), axes)};
    n->out = {o.out, strides_over(out, out.ndim(), kept)};
    if (n->reduced == 0) {  // only axes of extent 1: nothing to fold
        n->form = Form::Compute;
        n->op = OpCode::Copy;
        if (starts_from_zero(x.op, x.loop)) {
            n->op = OpCode::Add;
            n->inputs = 2;
            n->in[1].view = kConstant;
        }
    }
}

void analyse_compute(const Instruction& x, const Operands& o, Node* n) {
    const Layout& out = *x.out.layout;
    std::vector<int> axes;
    for (int a = 0; a < out.ndim(); ++a) {
        if (out.shape(a) == 1) continue;
        axes.push_back(a);
        n->shape.push_back(out.shape(a));
    }
    n->out = {o.out, strides_over(out, out.ndim(), axes)};
    if (x.form == Form::Index) {
        n->inputs = 0;
        for (int a : axes) n->steps.push_back(x.in[1].layout->stride(a));
        return;
    }
    for (int k = 0; k < x.inputs; ++k) {
        n->in[k].view = o.in[k];
        if (o.in[k] >= 0) n->in[k].strides = strides_over(*x.in[k].layout, out.ndim(), axes);
    }
}

}  // namespace

Draft analyse(const Segment& s) {
    Draft d;
    d.segment = &s;
    d.views = s.views();
    d.slots = s.slots();
    for (size_t i = 0; i < s.size(); ++i) {
        const Instruction& x = s.log()[i];
        if (x.form == Form::Release) continue;
        Node n{};
        n.instruction = static_cast<int32_t>(i);
        n.form = x.form;
        n.op = x.op;
        n.loop = x.loop;
        n.inputs = x.inputs;
        if (x.form == Form::Reduce) {
            analyse_reduce(x, s.operands()[i], &n);
        } else if (x.form == Form::Call) {
            n.out.view = s.operands()[i].out;
            for (int k = 0; k < x.inputs; ++k) n.in[k].view = s.operands()[i].in[k];
        } else {
            analyse_compute(x, s.operands()[i], &n);
        }
        d.nodes.push_back(std::move(n));
    }
    return d;
}

Relation Draft::relation(ViewId a, ViewId b) const {
    if (a == b) return Relation::Equal;
    if (b < a) return relation(b, a);  // as Segment::relation, whose answers are in the key
    const View &x = view(a), &y = view(b);
    if (x.slot != y.slot) return Relation::Disjoint;
    const Relation r =
        relate(*x.layout, x.offset, item_size(x.dtype), *y.layout, y.offset, item_size(y.dtype));
    return r == Relation::Equal ? Relation::Other : r;
}

ViewId Draft::add_temporary(DType dtype, const Layout* l) {
    Slot slot;
    slot.storage = nullptr;
    slot.fresh = slot.released = slot.written = true;
    slot.first_view = slot.last_view = static_cast<int32_t>(views.size());
    views.push_back({static_cast<int32_t>(slots.size()), dtype, l, 0, -1, true});
    slots.push_back(slot);
    temporary_layouts.push_back(l);
    temporary_dtypes.push_back(dtype);
    return slot.first_view;
}

bool Draft::pointwise(const Use& a, const Use& b) const {
    if (a.view == b.view) return a.strides == b.strides;
    const View &x = view(a.view), &y = view(b.view);
    // Whether two views of a written storage start at the same byte is part of the key.
    return x.slot == y.slot && x.dtype == y.dtype && a.strides == b.strides && x.offset == y.offset;
}

void remove_dead_work(Draft& d) {
    std::vector<uint8_t> needed(d.slots.size());
    for (size_t s = 0; s < d.slots.size(); ++s) needed[s] = !d.slots[s].released || d.slots[s].pinned;
    for (size_t i = d.nodes.size(); i-- > 0;) {
        Node& n = d.nodes[i];
        if (!needed[static_cast<size_t>(d.slot_of(n.out.view))]) {
            n.dead = true;
            continue;
        }
        for (int k = 0; k < n.inputs; ++k)
            if (n.in[k].view >= 0) needed[static_cast<size_t>(d.slot_of(n.in[k].view))] = 1;
    }
}

}  // namespace numloom::plan
