// Kernel steps over several devices: each device runs the range of points (reductions: of leaves) whose
// results live with it, after fetching the bytes that its range reads and it does not hold.
#include <algorithm>
#include <cstring>

#include "core/error.hpp"
#include "run/executor.hpp"

namespace numloom {

using mesh::Interval;

class ShardedStep {
  public:
    ShardedStep(Executor& e, const plan::Step& step, ReadyStep& ready, const CachedPlan& p,
                const plan::Segment& s)
        : e_(e), mesh_(e.mesh_), step_(step), ready_(ready), p_(p), s_(s) {}

    void run() {
        for (size_t i = 0; i < step_.renamed.size(); ++i) begin_renaming(step_.renamed[i]);
        for (size_t i = 0; i < step_.rest.size(); ++i) run_part(step_.rest[i], *ready_.rest[i].program);
        run_part(step_, *ready_.program);
        for (size_t i = 0; i < step_.renamed.size(); ++i) {
            Storage* s = e_.storage_of(step_.renamed[i], p_, s_);
            s->shards.swap(shadows_[i]);
            e_.free_shards(&shadows_[i]);
        }
    }

  private:
    struct Range {
        int device;
        int64_t begin, end;
    };

    void begin_renaming(int32_t slot) {
        Storage* s = e_.storage_of(slot, p_, s_);
        std::vector<int64_t> cuts;
        if (s->shards.size() > 1) {
            for (const Shard& x : s->shards) cuts.push_back(x.lo);
            cuts.push_back(s->shards.back().hi);
        }
        shadows_.emplace_back();
        e_.allocate_cut(s, cuts, &shadows_.back());
    }

    std::vector<Shard>& shards_of(const plan::Step& t, size_t access) {
        const plan::View& v = view(t, access);
        if (t.kernel.accesses[access].shadow) {
            const auto it = std::find(step_.renamed.begin(), step_.renamed.end(), v.slot);
            return shadows_[static_cast<size_t>(it - step_.renamed.begin())];
        }
        return e_.storage_of(v.slot, p_, s_)->shards;
    }
    const plan::View& view(const plan::Step& t, size_t access) const {
        return p_.plan.views[static_cast<size_t>(t.accesses[access].view)];
    }
    int64_t offset(const plan::Step& t, size_t access) const {
        const plan::AccessRef& r = t.accesses[access];
        const bool argument = r.view < static_cast<plan::ViewId>(p_.plan.segment_views);
        return (argument ? s_.views()[static_cast<size_t>(r.view)].offset : view(t, access).offset) +
               r.adjust;
    }
    Storage* storage(const plan::Step& t, size_t access) {
        return e_.storage_of(view(t, access).slot, p_, s_);
    }

    void run_part(const plan::Step& t, Program& program) {
        const kernel::Kernel& k = t.kernel;
        if (k.reduces()) return run_reduction(t, program);
        const std::vector<Range> ranges =
            split_points(t, main_stores(t), {k.shape.data(), k.shape.size()}, k.points());
        fetch_inputs(t, ranges, false);
        for (const Range& r : ranges)
            if (mesh_.is_local(r.device)) launch(t, program, r, nullptr);
        written(t);
    }

    std::vector<size_t> main_stores(const plan::Step& t) const {
        std::vector<size_t> stores;
        for (const auto* tape : {&t.kernel.tape, &t.kernel.finish})
            for (const kernel::TapeEntry& e : *tape)
                if (e.kind == kernel::TapeKind::Store) stores.push_back(static_cast<size_t>(e.index));
        return stores;
    }

    // Which points each device computes: those whose output it owns. Gives fresh outputs their memory, cut to
    // fit.
    std::vector<Range> split_points(const plan::Step& t, const std::vector<size_t>& stores,
                                    std::span<const int64_t> shape, int64_t points) {
        const size_t lead = leading_store(t, stores);
        if (shards_of(t, lead).empty()) e_.allocate(storage(t, lead));
        std::vector<Range> ranges = ranges_of(t, lead, shape, points);
        const bool split = shards_of(t, lead).size() > 1;
        for (size_t a : stores) {
            if (a == lead) continue;
            const size_t parts = shards_of(t, a).size();
            if (parts == 0)
                allocate_to_fit(t, a, shape, ranges);
            else if (split && (parts > 1 ? !holds(t, a, shape, ranges) : mesh_.transport->size() > 1))
                recut(t, a, cuts_to_fit(t, a, shape, ranges));
        }
        return ranges;
    }

    // The store whose cuts decide: one that is split, if any, and best one into a new buffer, which holds the
    // copied rest already.
    size_t leading_store(const plan::Step& t, const std::vector<size_t>& stores) {
        auto rank = [&](size_t a) {
            const size_t parts = shards_of(t, a).size();
            return (parts > 1 ? 4 : 0) + (t.kernel.accesses[a].shadow ? 2 : 0) + (parts == 1 ? 1 : 0);
        };
        return *std::max_element(stores.begin(), stores.end(),
                                 [&](size_t a, size_t b) { return rank(a) < rank(b); });
    }

    // Whether every device owns what its range writes through the access.
    bool holds(const plan::Step& t, size_t access, std::span<const int64_t> shape,
               const std::vector<Range>& ranges) {
        const kernel::Access& a = t.kernel.accesses[access];
        const std::vector<Shard>& shards = shards_of(t, access);
        return std::all_of(ranges.begin(), ranges.end(), [&](const Range& r) {
            const Interval h =
                mesh::hull(shape, {a.strides.data(), shape.size()}, item_size(a.dtype), r.begin, r.end);
            const Shard& s = shards[static_cast<size_t>(r.device)];
            return s.lo <= h.lo + offset(t, access) && h.hi + offset(t, access) <= s.hi;
        });
    }

    // Gives a storage that holds data other cuts. It may have been cut to fit another kernel before, so that
    // two storages of one shape are not always cut alike.
    void recut(const plan::Step& t, size_t access, const std::vector<int64_t>& cuts) {
        Storage* s = storage(t, access);
        std::vector<Shard>& shards = shards_of(t, access);
        const bool shadow = &shards != &s->shards;
        if (shadow) s->shards.swap(shards);
        if (s->shards.size() == 1) {  // a copy in every process
            std::vector<Shard> parts;
            e_.allocate_cut(s, cuts, &parts);
            for (Shard& part : parts)
                if (mesh_.is_local(part.device) && part.hi > part.lo)
                    mesh_.device(part.device)
                        .copy_from(mesh_.device(s->shards[0].device), part.base + part.lo,
                                   s->shards[0].base + part.lo, part.hi - part.lo);
            e_.free_shards(&s->shards);
            s->shards.swap(parts);
        } else {
            std::vector<Executor::Need> needs;
            for (size_t d = 0; d + 1 < cuts.size(); ++d)
                if (cuts[d] < cuts[d + 1]) needs.push_back({s, static_cast<int>(d), {cuts[d], cuts[d + 1]}});
            e_.exchange(needs);
            for (size_t d = 0; d + 1 < cuts.size(); ++d) {
                Shard& part = s->shards[d];
                part.lo = part.valid_lo = cuts[d];
                part.hi = part.valid_hi = cuts[d + 1];
            }
        }
        if (shadow) s->shards.swap(shards);
    }

    std::vector<Range> ranges_of(const plan::Step& t, size_t lead, std::span<const int64_t> shape,
                                 int64_t points) {
        const kernel::Access& a = t.kernel.accesses[lead];
        std::vector<Shard>& shards = shards_of(t, lead);
        std::vector<Range> ranges;
        if (shards.size() == 1) {  // a copy in every process
            for (int p = 0; p < mesh_.transport->size(); ++p)
                ranges.push_back({p * static_cast<int>(mesh_.local.size()), 0, points});
            return ranges;
        }
        const std::span<const int64_t> strides{a.strides.data(), shape.size()};
        if (!mesh::rises(shape, strides, item_size(a.dtype))) {
            gather_on_first(storage(t, lead));
            return {{0, 0, points}};
        }
        for (const Shard& s : shards) {
            const int64_t from = mesh::first_point_from(shape, strides, s.lo - offset(t, lead));
            const int64_t to = mesh::first_point_from(shape, strides, s.hi - offset(t, lead));
            if (from < to) ranges.push_back({s.device, from, to});
        }
        return ranges;
    }

    // A storage whose view does not rise with the points can't be split by ranges of them: device 0 takes all
    // of it.
    void gather_on_first(Storage* s) {
        const Executor::Need need{s, 0, {0, s->nbytes}};
        e_.exchange({&need, 1});
        for (size_t i = 0; i < s->shards.size(); ++i) {
            Shard& x = s->shards[i];
            x.lo = i == 0 ? 0 : s->nbytes;
            x.hi = s->nbytes;
            if (i > 0) {
                if (mesh_.is_local(x.device) && x.ext_hi > x.ext_lo)
                    mesh_.device(x.device).release(x.base + x.ext_lo, x.ext_hi - x.ext_lo);
                x = Shard{nullptr,   s->nbytes, s->nbytes, s->nbytes,
                          s->nbytes, s->nbytes, s->nbytes, x.device};
            }
        }
    }

    void allocate_to_fit(const plan::Step& t, size_t access, std::span<const int64_t> shape,
                         const std::vector<Range>& ranges) {
        Storage* s = storage(t, access);
        if (ranges.size() == static_cast<size_t>(mesh_.transport->size()) && ranges[0].begin == 0 &&
            ranges.back().begin == 0) {
            e_.allocate_cut(s, {}, &s->shards);
            return;
        }
        e_.allocate_cut(s, cuts_to_fit(t, access, shape, ranges), &s->shards);
    }

    // Cuts with which every device owns what its range writes through the access.
    std::vector<int64_t> cuts_to_fit(const plan::Step& t, size_t access, std::span<const int64_t> shape,
                                     const std::vector<Range>& ranges) {
        const kernel::Access& a = t.kernel.accesses[access];
        const std::span<const int64_t> strides{a.strides.data(), shape.size()};
        std::vector<int64_t> cuts(static_cast<size_t>(mesh_.size()) + 1, storage(t, access)->nbytes);
        cuts[0] = 0;
        for (int d = mesh_.size() - 1; d > 0; --d) {
            cuts[static_cast<size_t>(d)] = cuts[static_cast<size_t>(d) + 1];
            for (const Range& r : ranges)
                if (r.device == d)
                    cuts[static_cast<size_t>(d)] =
                        r.begin == 0 ? 0 : offset(t, access) + mesh::displacement(shape, strides, r.begin);
        }
        return cuts;
    }

    // Everything that the ranges read and their devices do not hold.
    void fetch_inputs(const plan::Step& t, const std::vector<Range>& ranges, bool units) {
        std::vector<Executor::Need> needs;
        const kernel::Kernel& k = t.kernel;
        for (size_t a = 0; a < k.accesses.size(); ++a) {
            if (t.accesses[a].view < 0 || k.accesses[a].stores) continue;
            Storage* s = storage(t, a);
            if (s->shards.empty()) e_.allocate(s);
            if (s->shards.size() == 1) continue;
            for (const Range& r : ranges) {
                Interval h = units ? hull_of_units(k, k.accesses[a], r)
                                   : mesh::hull(k.shape, k.accesses[a].strides,
                                                item_size(k.accesses[a].dtype), r.begin, r.end);
                needs.push_back({s, r.device, {h.lo + offset(t, a), h.hi + offset(t, a)}});
            }
        }
        e_.exchange(needs);
    }

    // Units are (kept point, leaf): whole kept points where the range spans several.
    static Interval hull_of_units(const kernel::Kernel& k, const kernel::Access& a, const Range& r) {
        const int64_t leaves = k.leaves(), reduced = k.reduced_points();
        const int64_t first = r.begin / leaves, last = (r.end - 1) / leaves;
        int64_t from = first * reduced, to = (last + 1) * reduced;
        if (first == last) {
            from += r.begin % leaves * kernel::kLeaf;
            to = std::min(to, first * reduced + ((r.end - 1) % leaves + 1) * kernel::kLeaf);
        }
        return mesh::hull(k.shape, a.strides, item_size(a.dtype), from, to);
    }

    void launch(const plan::Step& t, Program& program, const Range& r, char* partials) {
        set_pointers(t, r.device);
        kernel::Launch l;
        l.pointers = args_.pointers;
        l.constants = args_.constants;
        l.begin = r.begin;
        l.end = r.end;
        l.partials = partials;
        watch(t, &l);
        follow_lenders(t, r.device);
        mesh_.device(r.device).launch(program, l);
        follow_borrower(t, r.device);
    }

    void watch(const plan::Step& t, kernel::Launch* l) {
        if (&t == &step_ && (l->wanted = e_.wanted_) != 0) l->raised = e_.notes_.data();
    }

    // A storage in one piece is read where it lies: after its device has written it, and before that device
    // writes or frees it again.
    void follow_lenders(const plan::Step& t, int device) {
        each_lender(t, device, [&](Device& d) { mesh_.device(device).follow(d); });
    }
    void follow_borrower(const plan::Step& t, int device) {
        each_lender(t, device, [&](Device& d) { d.follow(mesh_.device(device)); });
    }
    template <class F>
    void each_lender(const plan::Step& t, int device, F&& f) {
        int last = device;
        for (size_t a = 0; a < t.accesses.size(); ++a) {
            if (t.accesses[a].view < 0) continue;
            const std::vector<Shard>& shards = shards_of(t, a);
            if (shards.size() != 1 || shards[0].device == last || shards[0].device == device ||
                !mesh_.is_local(shards[0].device))
                continue;
            last = shards[0].device;
            f(mesh_.device(last));
        }
    }

    void set_pointers(const plan::Step& t, int device) {
        args_.set_constants(t, s_);
        for (size_t a = 0; a < t.accesses.size(); ++a) {
            if (t.accesses[a].view < 0) {
                const Scalar start = s_.log()[static_cast<size_t>(t.accesses[a].instruction)].in[0].scalar();
                args_.pointers[a] = reinterpret_cast<char*>(start.as<int64_t>() + t.accesses[a].adjust);
                continue;
            }
            std::vector<Shard>& shards = shards_of(t, a);
            const Shard& s = shards.size() == 1 ? shards[0] : shards[static_cast<size_t>(device)];
            args_.pointers[a] = s.base + offset(t, a);
        }
    }

    // Borders that others hold of what was written are stale now.
    void written(const plan::Step& t) {
        for (size_t a : main_stores(t)) {
            if (t.kernel.accesses[a].shadow) continue;
            for (Shard& s : shards_of(t, a)) s.valid_lo = s.lo, s.valid_hi = s.hi;
        }
    }

    void run_reduction(const plan::Step& t, Program& program) {
        const kernel::Kernel& k = t.kernel;
        const int64_t units = k.kept_points() * k.leaves();
        const std::vector<size_t> stores = main_stores(t);
        const std::span<const int64_t> kept{k.shape.data(), static_cast<size_t>(k.kept)};
        // Outputs first: that may move storages which the leaves read.
        const std::vector<Range> outputs = split_points(t, stores, kept, k.kept_points());
        const std::vector<Range> parts = split_units(t, units);
        fetch_inputs(t, parts, true);
        const auto reductions = static_cast<int64_t>(k.reductions.size());
        std::vector<char> partials(static_cast<size_t>(reductions * units * 16));
        PartialBuffers buffers(*this, partials.size());
        for (const Range& r : parts)
            if (mesh_.is_local(r.device)) run_leaves(t, program, r, buffers, units, &partials);
        share(parts, units, reductions, &partials);
        fetch_inputs_of_finish(t, outputs);
        for (const Range& r : outputs) {
            if (!mesh_.is_local(r.device)) continue;
            char* p = buffers.on(r.device);
            mesh_.device(r.device).copy_in(p, partials.data(), static_cast<int64_t>(partials.size()));
            set_pointers(t, r.device);
            kernel::Launch l;
            l.pointers = args_.pointers;
            l.constants = args_.constants;
            l.partials = p;
            l.end = units;
            watch(t, &l);
            follow_lenders(t, r.device);
            mesh_.device(r.device).finish(program, l, r.begin, r.end);
            follow_borrower(t, r.device);
        }
        written(t);
    }

    // Device memory for partial results, one buffer a device that takes part.
    class PartialBuffers {
      public:
        PartialBuffers(ShardedStep& step, size_t bytes)
            : step_(step),
              bytes_(static_cast<int64_t>(bytes)),
              at_(static_cast<size_t>(step.mesh_.size()), nullptr) {}
        ~PartialBuffers() {
            for (size_t d = 0; d < at_.size(); ++d)
                if (at_[d]) step_.mesh_.device(static_cast<int>(d)).release(at_[d], bytes_);
        }
        char* on(int device) {
            char*& p = at_[static_cast<size_t>(device)];
            if (!p) p = step_.mesh_.device(device).allocate(bytes_);
            return p;
        }

      private:
        ShardedStep& step_;
        int64_t bytes_;
        std::vector<char*> at_;
    };

    void run_leaves(const plan::Step& t, Program& program, const Range& r, PartialBuffers& buffers,
                    int64_t units, std::vector<char>* partials) {
        char* p = buffers.on(r.device);
        launch(t, program, r, p);
        for (int64_t i = 0; i < static_cast<int64_t>(t.kernel.reductions.size()); ++i) {
            const int64_t at = (i * units + r.begin) * 16;
            mesh_.device(r.device).copy_out(partials->data() + at, p + at, (r.end - r.begin) * 16);
        }
    }

    // Every process gets the results of all leaves.
    void share(const std::vector<Range>& parts, int64_t units, int64_t reductions,
               std::vector<char>* partials) {
        if (every_process_computes_ || mesh_.size() == 1) return;
        for (const Range& r : parts) {
            e_.stats_->messages += 1;
            e_.stats_->bytes_moved += (r.end - r.begin) * 16 * reductions;
            if (mesh_.transport->size() == 1) continue;
            for (int64_t i = 0; i < reductions; ++i)
                mesh_.transport->broadcast(partials->data() + (i * units + r.begin) * 16,
                                           (r.end - r.begin) * 16, mesh_.process_of(r.device));
        }
    }

    std::vector<Range> split_units(const plan::Step& t, int64_t units) {
        const kernel::Kernel& k = t.kernel;
        size_t lead = k.accesses.size();
        for (size_t a = 0; a < k.accesses.size() && lead == k.accesses.size(); ++a)
            if (t.accesses[a].view >= 0 && !k.accesses[a].stores && storage(t, a)->shards.size() > 1)
                lead = a;
        std::vector<Range> parts;
        if (lead == k.accesses.size()) {  // all inputs are at hand in every process
            every_process_computes_ = true;
            for (int p = 0; p < mesh_.transport->size(); ++p)
                parts.push_back({p * static_cast<int>(mesh_.local.size()), 0, units});
            return parts;
        }
        every_process_computes_ = false;
        const kernel::Access& a = k.accesses[lead];
        const bool rising = mesh::rises(k.shape, a.strides, item_size(a.dtype));
        int64_t begin = 0;
        for (int d = 0; d < mesh_.size(); ++d) {
            int64_t end =
                rising ? first_unit_from(
                             k, a, storage(t, lead)->shards[static_cast<size_t>(d)].hi - offset(t, lead))
                       : units * (d + 1) / mesh_.size();
            if (d == mesh_.size() - 1) end = units;
            if (end > begin) parts.push_back({d, begin, end});
            begin = std::max(begin, end);
        }
        return parts;
    }

    // First unit whose first point lies at or behind the address.
    static int64_t first_unit_from(const kernel::Kernel& k, const kernel::Access& a, int64_t address) {
        const int64_t point = mesh::first_point_from(k.shape, a.strides, address);
        const int64_t reduced = k.reduced_points();
        return point / reduced * k.leaves() + (point % reduced + kernel::kLeaf - 1) / kernel::kLeaf;
    }

    void fetch_inputs_of_finish(const plan::Step& t, const std::vector<Range>& outputs) {
        const kernel::Kernel& k = t.kernel;
        std::vector<Executor::Need> needs;
        const std::span<const int64_t> kept{k.shape.data(), static_cast<size_t>(k.kept)};
        for (const kernel::TapeEntry& e : k.finish) {
            if (e.kind != kernel::TapeKind::Load || t.accesses[static_cast<size_t>(e.index)].view < 0)
                continue;
            const auto a = static_cast<size_t>(e.index);
            Storage* s = storage(t, a);
            if (s->shards.empty()) e_.allocate(s);
            if (s->shards.size() == 1) continue;
            for (const Range& r : outputs) {
                const Interval h = mesh::hull(kept, {k.accesses[a].strides.data(), kept.size()},
                                              item_size(k.accesses[a].dtype), r.begin, r.end);
                needs.push_back({s, r.device, {h.lo + offset(t, a), h.hi + offset(t, a)}});
            }
        }
        e_.exchange(needs);
    }

    Executor& e_;
    Mesh& mesh_;
    const plan::Step& step_;
    ReadyStep& ready_;
    const CachedPlan& p_;
    const plan::Segment& s_;
    std::vector<std::vector<Shard>> shadows_;
    Executor::Args args_;
    bool every_process_computes_ = false;
};

void run_sharded(Executor& e, const plan::Step& step, ReadyStep& ready, const CachedPlan& p,
                 const plan::Segment& s) {
    ShardedStep(e, step, ready, p, s).run();
}

// Gives the shard's buffer room for [r.lo, r.hi) too, keeping what is valid.
void Executor::widen(Shard* s, Interval r) {
    if (r.lo >= s->ext_lo && r.hi <= s->ext_hi) return;
    const bool had = s->ext_hi > s->ext_lo;
    const Interval ext = had ? Interval{std::min(r.lo, s->ext_lo), std::max(r.hi, s->ext_hi)} : r;
    if (mesh_.is_local(s->device)) {
        Device& d = mesh_.device(s->device);
        char* base = d.allocate(ext.hi - ext.lo) - ext.lo;
        if (had) {
            if (s->valid_hi > s->valid_lo)
                d.copy(base + s->valid_lo, s->base + s->valid_lo, s->valid_hi - s->valid_lo);
            d.release(s->base + s->ext_lo, s->ext_hi - s->ext_lo);
        }
        s->base = base;
    }
    s->ext_lo = ext.lo;
    s->ext_hi = ext.hi;
}

void Executor::exchange(std::span<const Need> needs) {
    std::vector<Transfer> transfers;
    std::vector<std::unique_ptr<std::vector<char>>>
        buffers;  // host copies of what crosses processes from or to other memory
    struct Arrival {
        int device;
        char* to;
        const std::vector<char>* from;
    };
    std::vector<Arrival> arrivals;
    for (const Need& n : needs) {  // all buffers get their final place first
        Shard& s = n.storage->shards[static_cast<size_t>(n.device)];
        if (n.bytes.lo >= s.valid_lo && n.bytes.hi <= s.valid_hi) continue;
        const bool holds = s.valid_hi > s.valid_lo;
        widen(&s,
              holds ? Interval{std::min(n.bytes.lo, s.valid_lo), std::max(n.bytes.hi, s.valid_hi)} : n.bytes);
    }
    for (const Need& n : needs) {
        Shard& s = n.storage->shards[static_cast<size_t>(n.device)];
        if (n.bytes.lo >= s.valid_lo && n.bytes.hi <= s.valid_hi) continue;
        const bool holds = s.valid_hi > s.valid_lo;
        const Interval want =
            holds ? Interval{std::min(n.bytes.lo, s.valid_lo), std::max(n.bytes.hi, s.valid_hi)} : n.bytes;
        const Interval missing[2] = {{want.lo, holds ? s.valid_lo : want.hi},
                                     {holds ? s.valid_hi : want.hi, want.hi}};
        for (const Interval& m : missing)
            for (const Shard& owner : n.storage->shards) {
                const int64_t lo = std::max(m.lo, owner.lo), hi = std::min(m.hi, owner.hi);
                if (lo >= hi || owner.device == n.device) continue;
                ++stats_->messages;
                stats_->bytes_moved += hi - lo;
                const bool here = mesh_.is_local(owner.device), there = mesh_.is_local(n.device);
                if (here && there) {
                    mesh_.device(n.device).copy_from(mesh_.device(owner.device), s.base + lo, owner.base + lo,
                                                     hi - lo);
                } else if (here || there) {
                    buffers.push_back(std::make_unique<std::vector<char>>(static_cast<size_t>(hi - lo)));
                    if (here)
                        mesh_.device(owner.device).copy_out(buffers.back()->data(), owner.base + lo, hi - lo);
                    if (there) arrivals.push_back({n.device, s.base + lo, buffers.back().get()});
                    transfers.push_back({here, mesh_.process_of(here ? n.device : owner.device),
                                         buffers.back()->data(), hi - lo});
                }
            }
        s.valid_lo = want.lo;
        s.valid_hi = want.hi;
    }
    if (mesh_.transport->size() == 1) return;
    if (!transfers.empty()) mesh_.transport->exchange(transfers);
    for (const Arrival& a : arrivals)
        mesh_.device(a.device).copy_in(a.to, a.from->data(), static_cast<int64_t>(a.from->size()));
}

}  // namespace numloom
