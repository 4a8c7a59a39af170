// Donation: a result that is born where an operand of its size dies, and that reads it only point by point,
// takes over its memory.
#include <algorithm>

#include "plan/plan.hpp"

namespace numloom::plan {
namespace {

bool whole(const Draft& d, const View& v) {
    const Slot& s = d.slot(v.slot);
    const int64_t item = item_size(v.dtype);
    // The first element is the storage's first, since the rest would not fit otherwise.
    return s.storage && v.layout->c_contiguous(item) && v.layout->size() * item == s.storage->nbytes &&
           v.layout->size() > 0;
}

// The only way in which the step touches the slot: one access; nullptr where there are several.
const kernel::Access* only_access(const Plan& p, const Step& s, int32_t slot) {
    const kernel::Access* found = nullptr;
    for (size_t i = 0; i < s.accesses.size(); ++i) {
        if (s.accesses[i].view < 0 || p.views[static_cast<size_t>(s.accesses[i].view)].slot != slot) continue;
        if (found) return nullptr;
        found = &s.kernel.accesses[i];
    }
    return found;
}

void donate_in(const Draft& d, const Plan& p, const std::vector<uint8_t>& seen, Step* s) {
    if (s->call >= 0 || s->kernel.reduces()) return;
    std::vector<int32_t> givers;
    for (int32_t slot : s->frees) {
        const kernel::Access* a = only_access(p, *s, slot);
        if (a && !a->stores && !d.slot(slot).pinned && whole(d, p.views[static_cast<size_t>(a->view)]))
            givers.push_back(slot);
    }
    for (const AccessRef& r : s->accesses) {
        if (givers.empty() || r.view < 0) continue;
        const View& v = p.views[static_cast<size_t>(r.view)];
        const kernel::Access* a = only_access(p, *s, v.slot);
        if (!a || !a->stores || a->shadow || !d.slot(v.slot).fresh || seen[static_cast<size_t>(v.slot)] ||
            !whole(d, v))
            continue;
        for (size_t g = 0; g < givers.size(); ++g) {
            const kernel::Access* from = only_access(p, *s, givers[g]);
            if (from->strides != a->strides || item_size(from->dtype) != item_size(a->dtype)) continue;
            s->donations.emplace_back(givers[g], v.slot);
            givers.erase(givers.begin() + static_cast<std::ptrdiff_t>(g));
            break;
        }
    }
}

}  // namespace

void donate(const Draft& d, Plan* p) {
    std::vector<uint8_t> seen(d.slots.size(), 0);  // touched by an earlier step
    for (Step& s : p->steps) {
        donate_in(d, *p, seen, &s);
        for (const AccessRef& r : s.accesses)
            if (r.view >= 0) seen[static_cast<size_t>(p->views[static_cast<size_t>(r.view)].slot)] = 1;
        if (s.call < 0) continue;
        const Operands& o = d.segment->operands()[static_cast<size_t>(s.call)];
        for (ViewId v : {o.out, o.in[0], o.in[1], o.in[2]})
            if (v >= 0) seen[static_cast<size_t>(d.slot_of(v))] = 1;
    }
}

}  // namespace numloom::plan
