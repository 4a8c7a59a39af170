#include "run/executor.hpp"

#include <algorithm>
#include <cstring>

#include "core/error.hpp"
#include "device/host_flags.hpp"

namespace numloom {
namespace {

void prepare_step(Device& device, const plan::Step& step, ReadyStep* ready) {
    if (step.call >= 0) return;
    ready->program = device.compile(step.kernel);
    ready->rest.resize(step.rest.size());
    for (size_t i = 0; i < step.rest.size(); ++i) prepare_step(device, step.rest[i], &ready->rest[i]);
}

}  // namespace

void Executor::prepare(CachedPlan* p) {
    p->ready.resize(p->plan.steps.size());
    for (size_t i = 0; i < p->plan.steps.size(); ++i) {
        prepare_step(*mesh_.local[0], p->plan.steps[i], &p->ready[i]);
        p->bytes += p->plan.steps[i].bytes_read + p->plan.steps[i].bytes_written;
    }
}

void Executor::run(CachedPlan& p, const plan::Segment& s, const std::function<bool()>& interrupted,
                   size_t* done) {
    *done = 0;
    raised_.clear();
    for (size_t i = 0; i < p.plan.steps.size(); ++i) {
        const plan::Step& step = p.plan.steps[i];
        if (step.call >= 0)
            run_call(step, s);
        else
            run_step(step, p.ready[i], p, s);
        if (!step.frees.empty()) free_after(step, p, s);
        *done = i + 1;
        if (interrupted && i + 1 < p.plan.steps.size() && interrupted())
            throw runtime_error("interrupted");  // the binding has set what it raises
    }
    temporaries_.clear();
}

Storage* Executor::storage_of(int32_t slot, const CachedPlan& p, const plan::Segment& s) {
    if (slot < static_cast<int32_t>(p.plan.segment_slots))
        return s.slots()[static_cast<size_t>(slot)].storage;
    const size_t t = static_cast<size_t>(slot) - p.plan.segment_slots;
    if (temporaries_.size() <= t) temporaries_.resize(p.plan.temporary_dtypes.size());
    if (!temporaries_[t])
        temporaries_[t] = std::make_unique<Storage>(p.plan.temporary_dtypes[t], p.plan.temporary_layouts[t]);
    return temporaries_[t].get();
}

void Executor::Args::set_constants(const plan::Step& step, const plan::Segment& s) {
    for (size_t i = 0; i < step.constants.size(); ++i) {
        const plan::ConstantRef& r = step.constants[i];
        std::memcpy(constants[i].bytes, s.log()[static_cast<size_t>(r.instruction)].in[r.input].value, 16);
    }
}

void Executor::run_step(const plan::Step& step, ReadyStep& ready, const CachedPlan& p,
                        const plan::Segment& s) {
    ++stats_->kernels;
    stats_->bytes_read += step.bytes_read;
    stats_->bytes_written += step.bytes_written;
    wanted_ = wanted(step, s);
    if (wanted_ != 0)
        notes_.assign(step.kernel.tape.size() + step.kernel.reductions.size() + step.kernel.finish.size(), 0);
    if (mesh_.size() == 1)
        run_single(step, ready, p, s);
    else
        run_sharded(*this, step, ready, p, s);
    if (wanted_ != 0) note_raised(step, s);
}

// The floating-point conditions that some instruction of the step has to report.
uint8_t Executor::wanted(const plan::Step& step, const plan::Segment& s) {
    unsigned kinds = 0;
    for (const int32_t i : step.instructions) kinds |= s.log()[static_cast<size_t>(i)].report;
    return static_cast<uint8_t>(kinds & F_ALL);
}

void Executor::note_raised(const plan::Step& step, const plan::Segment& s) {
    if (std::all_of(notes_.begin(), notes_.end(), [](uint8_t kinds) { return kinds == 0; })) return;
    if (raised_.empty()) raised_.assign(s.size(), 0);
    size_t n = 0;
    auto note = [&](const auto& entry) {
        if (const uint8_t kinds = notes_[n++]; kinds != 0 && entry.origin >= 0)
            raised_[static_cast<size_t>(entry.origin)] |= kinds;
    };
    for (const kernel::TapeEntry& e : step.kernel.tape) note(e);
    for (const kernel::Reduction& r : step.kernel.reductions) note(r);
    for (const kernel::TapeEntry& e : step.kernel.finish) note(e);
    for (auto [a, b] : step.twins) raised_[static_cast<size_t>(b)] |= raised_[static_cast<size_t>(a)];
}

namespace {

// While a step runs, giver and receiver of a donation share the memory; afterwards one of them has it, also
// when the step fails.
class Handover {
  public:
    void begin(Storage* from, Storage* to) {
        if (!from->has_data() || to->has_data()) return;
        to->shards = from->shards;
        pairs_.emplace_back(from, to);
    }
    void finish() {
        for (auto [from, to] : pairs_) from->shards.clear();
        pairs_.clear();
    }
    ~Handover() {
        for (auto [from, to] : pairs_) to->shards.clear();
    }

  private:
    std::vector<std::pair<Storage*, Storage*>> pairs_;
};

}  // namespace

void Executor::run_single(const plan::Step& step, ReadyStep& ready, const CachedPlan& p,
                          const plan::Segment& s) {
    Args args;
    Device& device = *mesh_.local[0];
    NL_CHECK(step.accesses.size() <= Args::kMost && step.constants.size() <= Args::kMost);
    for (std::vector<Shard>& left : shadows_) free_shards(&left);  // of a step that failed
    shadows_.clear();
    for (int32_t slot : step.renamed)
        shadows_.emplace_back(), allocate_cut(storage_of(slot, p, s), {}, &shadows_.back());
    Handover donations;
    for (auto [from, to] : step.donations) donations.begin(storage_of(from, p, s), storage_of(to, p, s));
    auto launch = [&](const plan::Step& t, Program& program, int64_t units) {
        for (size_t i = 0; i < t.accesses.size(); ++i) {
            const plan::AccessRef& r = t.accesses[i];
            if (r.view < 0) {
                const Scalar start = s.log()[static_cast<size_t>(r.instruction)].in[0].scalar();
                args.pointers[i] = reinterpret_cast<char*>(start.as<int64_t>() + r.adjust);
                continue;
            }
            const plan::View& v = p.plan.views[static_cast<size_t>(r.view)];
            Storage* storage = storage_of(v.slot, p, s);
            if (storage->shards.empty()) allocate(storage);
            char* base = storage->shards[0].base;
            if (t.kernel.accesses[i].shadow) {
                const auto it = std::find(step.renamed.begin(), step.renamed.end(), v.slot);
                base = shadows_[static_cast<size_t>(it - step.renamed.begin())][0].base;
            }
            const bool argument = r.view < static_cast<plan::ViewId>(p.plan.segment_views);
            args.pointers[i] =
                base + (argument ? s.views()[static_cast<size_t>(r.view)].offset : v.offset) + r.adjust;
        }
        kernel::Launch l;
        l.pointers = args.pointers;
        l.constants = args.constants;
        l.begin = 0;
        l.end = units;
        if (&t == &step && (l.wanted = wanted_) != 0) l.raised = notes_.data();
        device.launch(program, l);
    };
    for (size_t i = 0; i < step.rest.size(); ++i)
        launch(step.rest[i], *ready.rest[i].program, step.rest[i].kernel.points());
    args.set_constants(step, s);
    const kernel::Kernel& k = step.kernel;
    launch(step, *ready.program, k.reduces() ? k.kept_points() * k.leaves() : k.points());
    donations.finish();
    for (size_t i = 0; i < step.renamed.size(); ++i) {
        Storage* storage = storage_of(step.renamed[i], p, s);
        storage->shards.swap(shadows_[i]);
        free_shards(&shadows_[i]);
    }
    shadows_.clear();
}

// What a library call touches of storages that are not on the host in one piece. Operands that share a
// storage share the copy, as they would share the memory.
class Executor::HostCopies {
  public:
    explicit HostCopies(Executor& executor) : executor_(executor) {}
    void cover(const Operand& o) {
        if (!o.storage->has_data()) executor_.allocate(o.storage);
        if (executor_.host_base(o.storage)) return;
        mesh::Interval reach{0, 0};
        if (o.layout->size() > 0) {
            // From a cache line's beginning, so that every element type stays aligned.
            reach.lo = (o.offset + o.layout->low()) & ~int64_t{63};
            reach.hi = o.offset + o.layout->high() + item_size(o.dtype);
        }
        for (Copy& c : copies_) {
            if (c.storage != o.storage) continue;
            if (c.range.lo == c.range.hi)
                c.range = reach;
            else if (reach.lo < reach.hi)
                c.range = {std::min(c.range.lo, reach.lo), std::max(c.range.hi, reach.hi)};
            return;
        }
        copies_.push_back({o.storage, reach, nullptr});
    }
    void fetch() {
        for (Copy& c : copies_) {
            c.bytes = std::make_unique_for_overwrite<char[]>(static_cast<size_t>(c.range.hi - c.range.lo));
            executor_.fetch(c.storage, c.range, c.bytes.get());
        }
    }
    char* base(Storage* s) {
        for (Copy& c : copies_)
            if (c.storage == s) return c.bytes.get() - c.range.lo;
        return executor_.host_base(s);
    }
    void write_back(Storage* s) {
        for (Copy& c : copies_)
            if (c.storage == s) executor_.store(s, c.range, c.bytes.get());
    }

  private:
    struct Copy {
        Storage* storage;
        mesh::Interval range;
        std::unique_ptr<char[]> bytes;
    };
    Executor& executor_;
    std::vector<Copy> copies_;
};

void Executor::run_call(const plan::Step& step, const plan::Segment& s) {
    const Instruction& x = s.log()[static_cast<size_t>(step.call)];
    HostCopies copies(*this);
    for (int k = 0; k < x.inputs; ++k) copies.cover(x.in[k]);
    copies.cover(x.out);
    copies.fetch();
    auto operand = [&](const Operand& o) {
        return CallOperand{copies.base(o.storage) + o.offset, o.layout, o.dtype};
    };
    CallOperand in[3] = {};
    for (int k = 0; k < x.inputs; ++k) in[k] = operand(x.in[k]);
    const CallOperand out = operand(x.out);
    if (mesh_.size() == 1) mesh_.local[0]->synchronize();
    const auto asked = static_cast<uint8_t>(x.report & F_ALL);
    if (asked != 0) begin_host_watch(asked);
    x.call->run(out, {in, x.inputs});
    if (const uint8_t kinds = asked != 0 ? end_host_watch() : 0; kinds != 0) {
        if (raised_.empty()) raised_.assign(s.size(), 0);
        raised_[static_cast<size_t>(step.call)] |= kinds;
    }
    copies.write_back(x.out.storage);
}

void Executor::free_after(const plan::Step& step, const CachedPlan& p, const plan::Segment& s) {
    for (int32_t slot : step.frees) free(storage_of(slot, p, s));
}

std::vector<int64_t> Executor::cuts_for(const Storage& s) const {
    if (mesh_.size() == 1 || s.nbytes < mesh_.shard_min || s.nbytes == 0) return {};
    return mesh::cut_storage(*s.home, item_size(s.dtype), mesh_.size());
}

void Executor::allocate_cut(Storage* s, const std::vector<int64_t>& cuts, std::vector<Shard>* out) {
    out->clear();
    const bool one = cuts.empty();
    const int parts = one ? 1 : mesh_.size();
    for (int d = 0; d < parts; ++d) {
        Shard shard;
        shard.device = one ? mesh_.first_local() : d;
        shard.lo = one ? 0 : cuts[static_cast<size_t>(d)];
        shard.hi = one ? s->nbytes : cuts[static_cast<size_t>(d) + 1];
        shard.ext_lo = shard.valid_lo = shard.lo;
        shard.ext_hi = shard.valid_hi = shard.hi;
        if (mesh_.is_local(shard.device) && shard.hi > shard.lo)
            shard.base = mesh_.device(shard.device).allocate(shard.hi - shard.lo) - shard.lo;
        out->push_back(shard);
    }
}

void Executor::allocate(Storage* s) { allocate_cut(s, cuts_for(*s), &s->shards); }

void Executor::free_shards(std::vector<Shard>* shards) {
    for (Shard& shard : *shards)
        if (mesh_.is_local(shard.device) && shard.ext_hi > shard.ext_lo)
            mesh_.device(shard.device).release(shard.base + shard.ext_lo, shard.ext_hi - shard.ext_lo);
    shards->clear();
}

void Executor::free(Storage* s) {
    if (s->foreign)
        s->shards.clear();  // the engine tells its owner, under the record lock
    else
        free_shards(&s->shards);
}

void Executor::fill(Storage* s, const char* host) {
    if (!s->has_data()) allocate(s);
    store(s, {0, s->nbytes}, host);
}

void Executor::store(Storage* s, mesh::Interval r, const char* host) {
    for (Shard& shard : s->shards) {
        const int64_t lo = std::max(r.lo, shard.lo), hi = std::min(r.hi, shard.hi);
        shard.valid_lo = shard.lo;
        shard.valid_hi = shard.hi;
        if (lo < hi && mesh_.is_local(shard.device))
            mesh_.device(shard.device).copy_in(shard.base + lo, host + (lo - r.lo), hi - lo);
    }
}

void Executor::fetch(Storage* s, mesh::Interval r, char* host) {
    for (const Shard& shard : s->shards) {
        const int64_t lo = std::max(r.lo, shard.lo), hi = std::min(r.hi, shard.hi);
        if (lo >= hi) continue;
        if (mesh_.is_local(shard.device))
            mesh_.device(shard.device).copy_out(host + (lo - r.lo), shard.base + lo, hi - lo);
        if (s->shards.size() > 1 && mesh_.transport->size() > 1) {
            mesh_.transport->broadcast(host + (lo - r.lo), hi - lo, mesh_.process_of(shard.device));
            ++stats_->messages;
            stats_->bytes_moved += hi - lo;
        }
    }
}

char* Executor::host_base(Storage* s) {
    if (s->shards.size() != 1 || !mesh_.is_local(s->shards[0].device)) return nullptr;
    Device& d = mesh_.device(s->shards[0].device);
    if (!d.host_memory()) return nullptr;
    d.synchronize();
    return s->shards[0].base;
}

}  // namespace numloom
