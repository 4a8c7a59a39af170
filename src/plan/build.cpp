#include <algorithm>

#include "core/error.hpp"
#include "plan/plan.hpp"

namespace numloom::plan {
namespace {

// A kernel that copies one piece of a storage into the new buffer that takes its place.
Step copy_piece(Plan& p, int32_t slot, DType dtype, const Piece& piece) {
    const auto view = static_cast<ViewId>(p.views.size());
    p.views.push_back({slot, dtype, piece.layout, piece.offset, -1, true});
    Step s;
    for (bool stores : {false, true}) {
        kernel::Access a;
        a.view = view;
        a.dtype = dtype;
        a.stores = a.shadow = stores;
        for (int i = 0; i < piece.layout->ndim(); ++i)
            if (piece.layout->shape(i) != 1) a.strides.push_back(piece.layout->stride(i));
        s.kernel.accesses.push_back(a);
        s.accesses.push_back({view, 0, -1});
    }
    for (int64_t extent : piece.layout->shape())
        if (extent != 1) s.kernel.shape.push_back(extent);
    if (s.kernel.shape.empty()) {
        s.kernel.shape.push_back(1);
        for (kernel::Access& a : s.kernel.accesses) a.strides.push_back(0);
    }
    s.kernel.kept = s.kernel.ndim();
    kernel::TapeEntry load{kernel::TapeKind::Load}, store{kernel::TapeKind::Store};
    load.type = store.type = dtype;
    store.index = 1;
    store.in[0] = 0;
    s.kernel.tape = {load, store};
    return s;
}

int64_t storage_bytes(const Draft& d, int32_t slot) {
    const Slot& s = d.slot(slot);
    if (s.storage) return s.storage->nbytes;
    const size_t t = static_cast<size_t>(slot) - d.segment->slots().size();
    return d.temporary_layouts[t]->size() * item_size(d.temporary_dtypes[t]);
}

// Bytes that must cross memory: each storage's once, however many shifted views of it are read.
void count_bytes(const Draft& d, Step* s) {
    std::vector<std::pair<int32_t, int64_t>> read, written;
    for (size_t i = 0; i < s->accesses.size(); ++i) {
        if (s->accesses[i].view < 0) continue;
        const kernel::Access& a = s->kernel.accesses[i];
        int64_t bytes = item_size(a.dtype);
        for (int k = 0; k < s->kernel.ndim(); ++k)
            if (a.strides[static_cast<size_t>(k)] != 0) bytes *= s->kernel.shape[static_cast<size_t>(k)];
        auto& list = a.stores ? written : read;
        const int32_t slot = d.slot_of(s->accesses[i].view);
        auto it = std::find_if(list.begin(), list.end(), [&](auto& x) { return x.first == slot; });
        if (it == list.end())
            list.emplace_back(slot, bytes);
        else
            it->second += bytes;
    }
    for (auto [slot, bytes] : read) s->bytes_read += std::min(bytes, storage_bytes(d, slot));
    for (auto [slot, bytes] : written) s->bytes_written += std::min(bytes, storage_bytes(d, slot));
}

// After which step the memory of each storage that dies in the segment can go.
void place_frees(const Draft& d, Plan* p) {
    std::vector<int64_t> last(d.slots.size(), -1);
    for (size_t i = 0; i < p->steps.size(); ++i) {
        const Step& s = p->steps[i];
        for (const AccessRef& a : s.accesses)
            if (a.view >= 0)
                last[static_cast<size_t>(p->views[static_cast<size_t>(a.view)].slot)] =
                    static_cast<int64_t>(i);
        if (s.call < 0) continue;
        const Operands& o = d.segment->operands()[static_cast<size_t>(s.call)];
        for (ViewId v : {o.out, o.in[0], o.in[1], o.in[2]})
            if (v >= 0) last[static_cast<size_t>(d.slot_of(v))] = static_cast<int64_t>(i);
    }
    for (size_t s = 0; s < d.slots.size(); ++s)
        if (d.slots[s].released && !d.contracted[s] && last[s] >= 0)
            p->steps[static_cast<size_t>(last[s])].frees.push_back(static_cast<int32_t>(s));
}

void must_hold(const std::string& violation) {
    if (!violation.empty()) throw runtime_error("internal: the planner broke its rules: " + violation);
}

}  // namespace

int64_t Plan::kernels() const {
    return std::count_if(steps.begin(), steps.end(), [](const Step& s) { return s.call < 0; });
}

Plan build(const Segment& segment, const Options& o) {
    Draft d = analyse(segment);
    remove_dead_work(d);
    if (o.fuse) join_components(d);
    break_overlaps(d, o);
    if (o.verify) must_hold(verify_draft(d));
    if (o.fuse) sink(d);
    if (o.verify) must_hold(verify_draft(d));
    fuse(d, o);
    if (o.verify) must_hold(verify_draft(d));
    contract(d);
    Plan p;
    p.views = d.views;
    p.segment_views = segment.views().size();
    p.segment_slots = segment.slots().size();
    p.temporary_dtypes = d.temporary_dtypes;
    p.temporary_layouts = d.temporary_layouts;
    for (const Group& g : d.groups) {
        Step s = lower(d, g);
        if (s.call < 0) {
            if (s.kernel.points() == 0) continue;
            count_bytes(d, &s);
            for (ViewId v : g.renamed) {
                std::vector<Piece> pieces;
                complement(*d.slot(d.slot_of(v)).storage, d.view(v), &pieces);
                for (const Piece& piece : pieces)
                    s.rest.push_back(copy_piece(p, d.slot_of(v), d.view(v).dtype, piece));
            }
        }
        p.steps.push_back(std::move(s));
    }
    place_frees(d, &p);
    if (o.devices == 1) donate(d, &p);
    if (o.verify) must_hold(verify(p));
    return p;
}

}  // namespace numloom::plan
