// Components: z.real and z.imag are views of other dtype, whose reads no kernel could join with the work that
// makes z. Where the segment writes the complex view that they lie in, they become operations on its
// elements, so that z stays in registers.
#include "plan/draft.hpp"

namespace numloom::plan {
namespace {

// The complex view of the same elements that the segment writes, and which part of it the view is.
ViewId whole_of(const Draft& d, ViewId part, OpCode* which) {
    const View& p = d.view(part);
    if (p.dtype != DType::Float64 && p.dtype != DType::Float32) return kNone;
    const DType complex = p.dtype == DType::Float64 ? DType::Complex128 : DType::Complex64;
    for (ViewId v = d.slot(p.slot).first_view; v >= 0; v = d.view(v).next) {
        const View& w = d.view(v);
        if (!w.written || w.dtype != complex || w.layout != p.layout) continue;
        // Both differences are part of the key.
        if (p.offset == w.offset)
            *which = OpCode::RealPart;
        else if (p.offset == w.offset + item_size(p.dtype))
            *which = OpCode::ImagPart;
        else
            continue;
        return v;
    }
    return kNone;
}

bool covers(const Use& u, const Layout& l, const std::vector<int64_t>& shape) {
    int64_t points = 1;
    for (int64_t extent : shape) points *= extent;
    return points == l.size() && points > 0 && u.strides.size() == shape.size();
}

// The node that takes the part out of the whole into a temporary; `u` becomes a read of that.
Node take_part(Draft& d, const Node& reader, Use* u, ViewId whole, OpCode which) {
    const View part = d.view(u->view);
    Node n{};
    n.instruction = reader.instruction;
    n.form = Form::Compute;
    n.op = which;
    n.loop = d.view(whole).dtype;
    n.inputs = 1;
    n.shape = reader.shape;
    n.in[0] = {whole, u->strides};
    n.out.view = d.add_temporary(part.dtype, part.layout->dense(part.dtype));
    n.out.strides.resize(n.shape.size());
    int64_t stride = item_size(part.dtype);
    for (size_t k = n.shape.size(); k-- > 0; stride *= n.shape[k]) n.out.strides[k] = stride;
    *u = n.out;
    return n;
}

}  // namespace

void join_components(Draft& d) {
    std::vector<Node> nodes;
    nodes.reserve(d.nodes.size());
    std::vector<uint8_t> written(d.slots.size(), 0);
    for (Node& n : d.nodes) {
        ViewId done = kNone;
        Use replacement;
        for (int k = 0; k < n.inputs && !n.dead && n.form != Form::Call; ++k) {
            const ViewId v = n.in[k].view;
            if (v < 0 || !written[static_cast<size_t>(d.slot_of(v))]) continue;
            if (v == done) {
                n.in[k] = replacement;
                continue;
            }
            OpCode which = OpCode::RealPart;
            const ViewId whole = whole_of(d, v, &which);
            if (whole < 0 || !covers(n.in[k], *d.view(v).layout, n.shape)) continue;
            nodes.push_back(take_part(d, n, &n.in[k], whole, which));
            done = v;
            replacement = n.in[k];
        }
        if (!n.dead) written[static_cast<size_t>(d.slot_of(n.out.view))] = 1;
        nodes.push_back(std::move(n));
    }
    d.nodes = std::move(nodes);
}

}  // namespace numloom::plan
