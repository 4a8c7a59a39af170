// Fusion: nodes join the latest group they fit into, as long as every dependence inside a group is pointwise
// and no node moves past one it depends on.
#include <algorithm>
#include <cstdlib>

#include "plan/draft.hpp"

namespace numloom::plan {
namespace {

constexpr size_t kLookBack = 8;  // groups that a node may move past

enum class Dependence : uint8_t { None, Pointwise, Conflict };

class Fuser {
  public:
    Fuser(Draft& d, const Options& o) : d_(d), o_(o) {}

    void run() {
        touches_.assign(d_.slots.size(), 0);  // reads and writes of each storage in the whole segment
        for (const Node& n : d_.nodes) {
            if (n.dead) continue;
            ++touches_[static_cast<size_t>(d_.slot_of(n.out.view))];
            for (int k = 0; k < n.inputs; ++k)
                if (n.in[k].view >= 0) ++touches_[static_cast<size_t>(d_.slot_of(n.in[k].view))];
        }
        for (size_t i = 0; i < d_.nodes.size(); ++i) {
            const Node& n = d_.nodes[i];
            if (n.dead) continue;
            if (!o_.fuse || !place(static_cast<int32_t>(i))) start(static_cast<int32_t>(i));
        }
    }

  private:
    // Computations join the latest group that takes them, next to those that read their results; reductions
    // the earliest one, since work on their results can't begin before.
    bool place(int32_t i) {
        const Node& n = d_.nodes[static_cast<size_t>(i)];
        if (n.form == Form::Call) return false;
        const size_t count = d_.groups.size();
        Group* best = nullptr;
        Phase phase = Phase::Main, best_phase = Phase::Main;
        for (size_t back = 0; back < std::min(count, kLookBack); ++back) {
            Group& g = d_.groups[count - 1 - back];
            Phase with_reader = Phase::Main;
            if (n.reader >= 0 && depends(g, n.reader) && !fits(g, n.reader, &with_reader)) break;
            if (fits(g, i, &phase)) {
                best = &g;
                best_phase = phase;
                if (n.form != Form::Reduce) break;
            }
            if (depends(g, i)) break;
        }
        return best && join(*best, i, best_phase);
    }

    // Whether the node fits into the group's main loop or its finish.
    bool fits(const Group& g, int32_t i, Phase* phase) const {
        const Node& n = d_.nodes[static_cast<size_t>(i)];
        if (g.form == Form::Call || static_cast<int>(g.main.size() + g.finish.size()) >= o_.max_nodes)
            return false;
        if (static_cast<int>(g.touches.size()) + n.inputs + 1 > 3 * o_.max_nodes || too_many_views(g, n))
            return false;
        if (n.shape == g.shape && fits_main(g, n)) {
            *phase = Phase::Main;
            return true;
        }
        if (g.form == Form::Reduce && n.form != Form::Reduce && n.shape == g.kept_shape &&
            fits_finish(g, n)) {
            *phase = Phase::Finish;
            return true;
        }
        return false;
    }

    bool too_many_views(const Group& g, const Node& n) const {
        std::vector<ViewId> seen;
        auto note = [&](ViewId v) {
            if (v >= 0 && std::find(seen.begin(), seen.end(), v) == seen.end() && visible(v))
                seen.push_back(v);
        };
        for (const Touch& t : g.touches) note(t.use.view);
        note(n.out.view);
        for (int k = 0; k < n.inputs; ++k) note(n.in[k].view);
        return static_cast<int>(seen.size()) > o_.max_accesses;
    }
    // A view that may end up in memory: temporaries mostly become registers.
    bool visible(ViewId v) const {
        const Slot& s = d_.slot(d_.slot_of(v));
        return !(s.fresh && s.released);
    }

    bool fits_main(const Group& g, const Node& n) const {
        if (n.form == Form::Reduce && g.form == Form::Reduce && n.reduced != g.reduced) return false;
        if (o_.devices > 1 && !splits_well(g, n)) return false;
        for (int k = 0; k < n.inputs; ++k)
            if (n.in[k].view >= 0 && worst(g, n.in[k], false, Phase::Main) == Dependence::Conflict)
                return false;
        const Phase phase = n.form == Form::Reduce ? Phase::Reduction : Phase::Main;
        if (!aligned(g, n, phase)) return false;
        bool overlapping_reads = false;
        for (const Touch& t : g.touches) {
            if (dependence(t, n.out, true, phase) != Dependence::Conflict) continue;
            if (t.write || t.phase != Phase::Main || phase != Phase::Main) return false;
            overlapping_reads = true;
        }
        return !overlapping_reads || may_rename(g, n);
    }

    bool fits_finish(const Group& g, const Node& n) const {
        bool feeds = false;
        for (int k = 0; k < n.inputs; ++k) {
            if (n.in[k].view < 0) continue;
            const Dependence dep = worst(g, n.in[k], false, Phase::Finish);
            if (dep == Dependence::Conflict) return false;
            feeds |= dep == Dependence::Pointwise;
        }
        return feeds && aligned(g, n, Phase::Finish) &&
               worst(g, n.out, true, Phase::Finish) != Dependence::Conflict && !self_overlap(n);
    }

    // With several devices, all storages that a group writes must be cut alike, so that one range of points
    // serves them all: fresh storages are cut to fit, existing ones must have the same home shape and be
    // written through views that lie alike.
    bool aligned(const Group& g, const Node& n, Phase phase) const {
        if (o_.devices == 1) return true;
        for (const Touch& t : g.touches) {
            if (!t.write) continue;
            if ((t.phase == Phase::Main) != (phase == Phase::Main)) continue;
            const View &a = d_.view(t.use.view), &b = d_.view(n.out.view);
            if (a.slot == b.slot) {
                if (!d_.pointwise(t.use, n.out)) return false;
                continue;
            }
            if (!same_walk(t.use, n.out)) return false;
            const Slot &x = d_.slot(a.slot), &y = d_.slot(b.slot);
            if (cut_to_fit(a, x) || cut_to_fit(b, y)) continue;
            if (x.storage->home != y.storage->home || a.layout != b.layout || a.offset != b.offset)
                return false;
        }
        return true;
    }

    // Whether rising addresses of one are rising addresses of the other: the same order and direction of the
    // dimensions. Else a range of points would not be a range of both storages.
    static bool same_walk(const Use& a, const Use& b) {
        const size_t n = a.strides.size();
        for (size_t i = 0; i < n; ++i) {
            if ((a.strides[i] < 0) != (b.strides[i] < 0)) return false;
            for (size_t j = 0; j < i; ++j) {
                const bool less = std::abs(a.strides[i]) < std::abs(a.strides[j]);
                if (less != (std::abs(b.strides[i]) < std::abs(b.strides[j]))) return false;
            }
        }
        return true;
    }

    // A fresh storage written as a whole in C order may be cut wherever the range of points ends.
    static bool cut_to_fit(const View& v, const Slot& s) {
        return !s.storage ||
               (s.fresh && v.offset == 0 && v.layout == s.storage->home && v.dtype == s.storage->dtype);
    }

    // With several devices a reduction is split by leaves, other work by where its output lives: a kernel
    // that reduces must not store on the way.
    bool splits_well(const Group& g, const Node& n) const {
        if (n.form != Form::Reduce) return g.form != Form::Reduce;
        for (const Touch& t : g.touches) {
            if (!t.write || t.phase != Phase::Main) continue;
            const int32_t s = d_.slot_of(t.use.view);
            if (visible(t.use.view)) return false;
            int64_t here = 0;
            for (const Touch& u : g.touches) here += d_.slot_of(u.use.view) == s;
            here += d_.slot_of(n.in[0].view) == s;
            if (here != touches_[static_cast<size_t>(s)]) return false;
        }
        return true;
    }

    bool self_overlap(const Node& n) const {
        for (int k = 0; k < n.inputs; ++k)
            if (n.in[k].view >= 0 && d_.relation(n.out.view, n.in[k].view) != Relation::Disjoint &&
                !d_.pointwise(n.out, n.in[k]))
                return true;
        return false;
    }

    // The node's output overlaps what the group read before at other places.
    bool may_rename(const Group& g, const Node& n) const {
        if (n.form == Form::Index || !can_rename(d_, n.out.view, o_)) return false;
        for (const Touch& t : g.touches)  // an earlier write of the storage in this group would be lost
            if (t.write && d_.slot_of(t.use.view) == d_.slot_of(n.out.view) && !renamed(g, t.use.view))
                return false;
        return true;
    }
    // Whether the group gives the view's storage a new buffer; several views of it may be written then.
    bool renamed(const Group& g, ViewId v) const {
        return std::any_of(g.renamed.begin(), g.renamed.end(),
                           [&](ViewId r) { return d_.slot_of(r) == d_.slot_of(v); });
    }

    Dependence dependence(const Touch& t, const Use& u, bool write, Phase phase) const {
        if ((!write && !t.write) || d_.slot_of(t.use.view) != d_.slot_of(u.view)) return Dependence::None;
        if (!o_.check_hazards) return Dependence::None;
        if (d_.relation(t.use.view, u.view) == Relation::Disjoint) return Dependence::None;
        const bool same_loop = (t.phase == phase && phase != Phase::Reduction) ||
                               (t.phase == Phase::Reduction && phase == Phase::Finish);
        return same_loop && d_.pointwise(t.use, u) ? Dependence::Pointwise : Dependence::Conflict;
    }
    Dependence worst(const Group& g, const Use& u, bool write, Phase phase) const {
        Dependence w = Dependence::None;
        for (const Touch& t : g.touches) w = std::max(w, dependence(t, u, write, phase));
        return w;
    }

    bool depends(const Group& g, int32_t i) const {
        const Node& n = d_.nodes[static_cast<size_t>(i)];
        for (const Touch& t : g.touches) {
            if (shares(t.use.view, n.out.view)) return true;
            if (!t.write) continue;
            for (int k = 0; k < n.inputs; ++k)
                if (n.in[k].view >= 0 && shares(t.use.view, n.in[k].view)) return true;
        }
        return false;
    }
    bool shares(ViewId a, ViewId b) const { return d_.relation(a, b) != Relation::Disjoint; }

    bool join(Group& g, int32_t i, Phase phase) {
        const Node& n = d_.nodes[static_cast<size_t>(i)];
        bool rename = false;
        if (phase == Phase::Main && n.form != Form::Reduce) {
            rename = self_overlap(n);
            for (const Touch& t : g.touches)
                rename |= !t.write && dependence(t, n.out, true, phase) == Dependence::Conflict;
        }
        for (int k = 0; k < n.inputs; ++k)
            if (n.in[k].view >= 0) g.touches.push_back({i, n.in[k], false, phase});
        g.touches.push_back({i, n.out, true, n.form == Form::Reduce ? Phase::Reduction : phase});
        (phase == Phase::Finish ? g.finish : g.main).push_back(i);
        if (rename && o_.check_hazards && !renamed(g, n.out.view)) g.renamed.push_back(n.out.view);
        if (n.form == Form::Reduce && g.form != Form::Reduce) make_reducing(g, n);
        return true;
    }

    static void make_reducing(Group& g, const Node& n) {
        g.form = Form::Reduce;
        g.reduced = n.reduced;
        g.kept_shape.clear();
        for (size_t k = 0; k < g.shape.size(); ++k)
            if (!(g.reduced >> k & 1)) g.kept_shape.push_back(g.shape[k]);
    }

    void start(int32_t i) {
        const Node& n = d_.nodes[static_cast<size_t>(i)];
        Group g;
        g.form = n.form == Form::Call ? Form::Call : Form::Compute;
        g.shape = n.shape;
        d_.groups.push_back(std::move(g));
        join(d_.groups.back(), i, Phase::Main);
    }

    Draft& d_;
    const Options& o_;
    std::vector<int64_t> touches_;
};

}  // namespace

void fuse(Draft& d, const Options& o) { Fuser(d, o).run(); }

void contract(Draft& d) {
    // A storage becomes registers when it is born and dies in the segment and only one group touches it,
    // always at the same point.
    std::vector<int32_t> home(d.slots.size(), -1);
    d.contracted.assign(d.slots.size(), 0);
    std::vector<const Touch*> first(d.slots.size(), nullptr);
    for (size_t s = 0; s < d.slots.size(); ++s)
        d.contracted[s] = d.slots[s].fresh && d.slots[s].released && !d.slots[s].pinned;
    for (size_t g = 0; g < d.groups.size(); ++g) {
        const bool call = d.groups[g].form == Form::Call;
        for (const Touch& t : d.groups[g].touches) {
            const size_t s = static_cast<size_t>(d.slot_of(t.use.view));
            if (home[s] < 0) {
                home[s] = static_cast<int32_t>(g);
                first[s] = &t;
                if (!t.write) d.contracted[s] = 0;
            }
            if (call || home[s] != static_cast<int32_t>(g) || !d.pointwise(first[s]->use, t.use))
                d.contracted[s] = 0;
        }
    }
}

}  // namespace numloom::plan
