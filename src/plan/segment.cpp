#include "plan/segment.hpp"

namespace numloom::plan {
namespace {

uint64_t next_epoch = 1;  // under the executor's turn

uint64_t hash_words(const std::vector<uint64_t>& words) {
    uint64_t h = 0x243f6a8885a308d3u;
    for (uint64_t w : words) {
        h = (h ^ w) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    return h;
}

}  // namespace

void Segment::build(const Log& log, int devices) {
    log_ = &log;
    epoch_ = next_epoch++;
    slots_.clear();
    views_.clear();
    operands_.clear();
    key_.clear();
    operands_.reserve(log.size());
    for (size_t i = 0; i < log.size(); ++i) {
        const Instruction& x = log[i];
        Operands o{kNone, {kNone, kNone, kNone}};
        if (x.form == Form::Release) {
            const int32_t slot = slot_of(x.out.storage);
            slots_[static_cast<size_t>(slot)].released = true;
            operands_.push_back(o);
            key_.push_back(static_cast<uint64_t>(x.form) << 56 | static_cast<uint64_t>(slot));
            continue;
        }
        uint64_t dtypes = 0;  // of constants; those of views are in their definitions
        for (int k = 0; k < x.inputs; ++k) {
            const bool constant = x.in[k].constant();
            o.in[k] = constant ? kConstant : view_of(x.in[k]);
            if (constant) dtypes |= static_cast<uint64_t>(x.in[k].dtype) << (4 * k);
        }
        o.out = view_of(x.out);
        views_[static_cast<size_t>(o.out)].written = true;
        slots_[static_cast<size_t>(views_[static_cast<size_t>(o.out)].slot)].written = true;
        key_.push_back(static_cast<uint64_t>(x.form) << 56 | static_cast<uint64_t>(x.inputs) << 48 |
                       static_cast<uint64_t>(x.loop) << 40 | static_cast<uint64_t>(x.op) << 16 | dtypes);
        auto word = [](ViewId v) { return static_cast<uint64_t>(static_cast<uint16_t>(v)); };
        key_.push_back(word(o.out) << 48 | word(o.in[0]) << 32 | word(o.in[1]) << 16 | word(o.in[2]));
        if (x.form == Form::Reduce) key_.push_back(x.axes);
        if (x.form == Form::Index) key_.push_back(reinterpret_cast<uintptr_t>(x.in[1].layout));
        if (x.form == Form::Call) {
            for (char c : x.call->name()) key_.push_back(static_cast<uint64_t>(c));
            for (int64_t p : x.call->parameters()) key_.push_back(static_cast<uint64_t>(p));
        }
        operands_.push_back(o);
    }
    add_facts(devices);
    hash_ = hash_words(key_);
}

int32_t Segment::slot_of(Storage* s) {
    if (s->epoch == epoch_) return s->slot;
    s->epoch = epoch_;
    s->slot = static_cast<int32_t>(slots_.size());
    Slot slot;
    slot.storage = s;
    slot.fresh = !s->has_data();
    slot.pinned = s->pins > 0 || s->foreign;
    slots_.push_back(slot);
    return s->slot;
}

ViewId Segment::view_of(const Operand& o) {
    const int32_t slot = slot_of(o.storage);
    Slot& s = slots_[static_cast<size_t>(slot)];
    for (ViewId v = s.first_view; v >= 0; v = views_[static_cast<size_t>(v)].next) {
        const View& w = views_[static_cast<size_t>(v)];
        if (w.layout == o.layout && w.offset == o.offset && w.dtype == o.dtype) return v;
    }
    const ViewId id = static_cast<ViewId>(views_.size());
    views_.push_back({slot, o.dtype, o.layout, o.offset, -1});
    if (s.last_view < 0)
        s.first_view = id;
    else
        views_[static_cast<size_t>(s.last_view)].next = id;
    s.last_view = id;
    key_.push_back(uint64_t{0xff} << 56 | static_cast<uint64_t>(o.dtype) << 32 | static_cast<uint64_t>(slot));
    key_.push_back(reinterpret_cast<uintptr_t>(o.layout));
    return id;
}

// Facts about storages and pairs of views that passes look at.
void Segment::add_facts(int devices) {
    for (const Slot& s : slots_) {
        key_.push_back(uint64_t{0xfe} << 56 | uint64_t{s.fresh} << 2 | uint64_t{s.released} << 1 |
                       uint64_t{s.pinned});
        if (devices > 1) key_.push_back(reinterpret_cast<uintptr_t>(s.storage->home));
        if (s.written || s.released) key_.push_back(static_cast<uint64_t>(s.storage->nbytes));
        if (!s.written || s.first_view < 0) continue;
        if (s.first_view == s.last_view) continue;
        for (ViewId w = s.first_view; w >= 0; w = views_[static_cast<size_t>(w)].next) {
            if (!views_[static_cast<size_t>(w)].written) continue;
            if (covers_most(w)) key_.push_back(static_cast<uint64_t>(views_[static_cast<size_t>(w)].offset));
            uint64_t packed = 1;
            bool behind = false;
            for (ViewId v = s.first_view; v >= 0; v = views_[static_cast<size_t>(v)].next) {
                behind |= v == w;
                // Of two written views the relation is there once: it is the same both ways.
                const bool known = !behind && views_[static_cast<size_t>(v)].written;
                const auto related = known ? 0 : static_cast<uint64_t>(relation(w, v));
                packed = packed << 4 | related << 2 | start(w, v);
                if (packed >> 60) {
                    key_.push_back(packed);
                    packed = 1;
                }
            }
            key_.push_back(packed);
        }
    }
}

// Where the second view starts: 1: at the first byte of the other, 2: at the imaginary part of its first
// element, 0: elsewhere.
uint64_t Segment::start(ViewId whole, ViewId part) const {
    const View &w = views_[static_cast<size_t>(whole)], &p = views_[static_cast<size_t>(part)];
    if (w.offset == p.offset) return 1;
    return is_complex(w.dtype) && p.offset == w.offset + item_size(w.dtype) / 2 ? 2 : 0;
}

Relation Segment::relation(ViewId a, ViewId b) const {
    const View &x = views_[static_cast<size_t>(a)], &y = views_[static_cast<size_t>(b)];
    if (x.slot != y.slot) return Relation::Disjoint;
    if (a == b) return Relation::Equal;
    if (b < a) return relation(b, a);  // one answer both ways, also where the search gives up
    const Relation r =
        relate(*x.layout, x.offset, item_size(x.dtype), *y.layout, y.offset, item_size(y.dtype));
    return r == Relation::Equal ? Relation::Other : r;  // equal bytes, different dtype
}

bool Segment::covers_most(ViewId v) const {
    const View& w = views_[static_cast<size_t>(v)];
    return w.layout->size() * item_size(w.dtype) * 2 > slots_[static_cast<size_t>(w.slot)].storage->nbytes;
}

}  // namespace numloom::plan
