// Compiles a tape to slots: placement of every value, buffers by live range, loops by scalar mask.
#include "device/cpu/program.hpp"

#include <algorithm>
#include <climits>

#include "core/error.hpp"
#include "device/cpu/tape_builder.hpp"

namespace numloom::cpu {

using kernel::TapeEntry;
using kernel::TapeKind;

namespace {

constexpr int64_t kOperandBytes = 8 << 10;  // of one block of one operand
constexpr int64_t kBuffersBytes =
    32 << 10;  // of all block buffers: they must stay in L1 beside what streams through
constexpr int64_t kMinBlock = 128, kMaxBlock = 4096;
constexpr int64_t kScalarBytes = 64;
constexpr int64_t kPanelLine =
    64;  // of memory that a panel takes at each point of the last dimension: a cache line
constexpr int64_t kPanelBytes = 32 << 10;  // of all panels of a code
constexpr int64_t kLeastAcross = 64;       // points along both dimensions from which a panel pays

bool mergeable(const WalkAccess& a, size_t d, int64_t inner_extent) {
    return a.strides[d] == a.strides[d + 1] * inner_extent;
}

int inputs_of(const TapeEntry& e) {
    switch (e.kind) {
        case TapeKind::Compute:
            return operation(e.op).inputs;
        case TapeKind::Cast:
        case TapeKind::Store:
            return 1;
        default:
            return 0;
    }
}

// Nanoseconds per element on one core, in cache; only good enough to decide about threads.
double cost_of(const TapeEntry& e) {
    if (e.kind == TapeKind::Cast) return 0.15;
    if (e.kind != TapeKind::Compute) return 0;
    const Operation& op = operation(e.op);
    const double width = static_cast<double>(item_size(e.type)) / 8;
    if (op.has(T_MATH)) return 2.5 * width;
    if (op.has(T_WARNS)) return 2;
    if (e.op == OpCode::Divide || e.op == OpCode::Sqrt) return 0.6 * width;
    return e.type == DType::Float16 ? 1 : 0.15 * width;
}

}  // namespace

void simplify(std::vector<int64_t>* shape, std::vector<WalkAccess>* accesses) {
    auto erase = [&](size_t d) {
        shape->erase(shape->begin() + static_cast<int64_t>(d));
        for (WalkAccess& a : *accesses) a.strides.erase(a.strides.begin() + static_cast<int64_t>(d));
    };
    for (size_t d = shape->size(); d-- > 0;)
        if ((*shape)[d] == 1) erase(d);
    for (size_t d = shape->size(); d-- > 1;) {
        const int64_t extent = (*shape)[d];
        bool all = true;
        for (const WalkAccess& a : *accesses) all = all && mergeable(a, d - 1, extent);
        if (!all) continue;
        (*shape)[d] *= (*shape)[d - 1];
        erase(d - 1);
    }
    if (!shape->empty()) return;
    shape->push_back(1);
    // One point: loads are scalars, stores are contiguous.
    for (WalkAccess& a : *accesses) a.strides.push_back(a.stores ? item_size(a.dtype) : 0);
}

TapeBuilder::TapeBuilder(const TapeSource& source, StoreMode mode, bool plain)
    : s_(source), mode_(mode), plain_(plain) {
    simplify(&s_.shape, &s_.accesses);
    values_.resize(s_.tape.size());
}

BlockCode TapeBuilder::build() {
    canonical_loads();
    find_needed();
    choose_geometry();
    assign_levels();
    if (plain_ || !emit_compiled()) {
        if (!plain_) fuse_pairs();
        find_last_uses();
        choose_direct_stores();
        for (size_t i = 0; i < s_.tape.size(); ++i)
            if (values_[i].needed && !values_[i].absorbed) emit(static_cast<int32_t>(i));
        fetch_deferred();
        for (int32_t i : deferred_) emit_store(i, static_cast<int32_t>(s_.tape.size()) + i);
    }
    for (size_t r = 0; r < s_.results.size(); ++r) {
        const Place p = code_.folds ? lanes_[r] : vector_place(canonical(s_.results[r]));
        code_.results.push_back(use(p));
        code_.results_stay.push_back(p.kind == Place::Memory && writes_.empty());
        if (p.kind == Place::Memory) reads_.emplace_back(INT_MAX, p.index);  // folded after the body
    }
    find_hazards();
    place_buffers();
    estimate();
    code_.shape = std::move(s_.shape);
    code_.accesses = std::move(s_.accesses);
    code_.flat = code_.ndim() == 1;
    code_.even_rows = code_.ndim() > 1 && !code_.rows && code_.panels.empty() && code_.row_movers.empty() &&
                      code_.row_slots.empty() && code_.inner() <= code_.block;
    for (Mover& m : code_.block_movers)
        if (code_.even_rows)
            m.row = code_.accesses[static_cast<size_t>(m.access)].strides[code_.shape.size() - 2];
    return std::move(code_);
}

// Loads of one access are one value.
void TapeBuilder::canonical_loads() {
    std::vector<int32_t> first(s_.accesses.size(), -1);
    for (size_t i = 0; i < s_.tape.size(); ++i) {
        values_[i].same = static_cast<int32_t>(i);
        const TapeEntry& e = s_.tape[i];
        if (e.kind != TapeKind::Load) continue;
        int32_t& f = first[static_cast<size_t>(e.index)];
        if (f < 0) f = static_cast<int32_t>(i);
        values_[i].same = f;
    }
    for (TapeEntry& e : s_.tape)
        for (int j = 0; j < inputs_of(e); ++j) e.in[j] = canonical(e.in[j]);
}

void TapeBuilder::find_needed() {
    for (int32_t v : s_.results) values_[static_cast<size_t>(canonical(v))].needed = true;
    for (size_t i = s_.tape.size(); i-- > 0;) {
        const TapeEntry& e = s_.tape[i];
        Value& v = values_[i];
        if (e.kind == TapeKind::Store) v.needed = true;
        if (!v.needed) continue;
        for (int j = 0; j < inputs_of(e); ++j) {
            Value& in = values_[static_cast<size_t>(e.in[j])];
            in.needed = true;
            ++in.uses;
        }
    }
    for (int32_t v : s_.results) ++values_[static_cast<size_t>(canonical(v))].uses;
}

bool TapeBuilder::linear(const WalkAccess& a) const {
    for (size_t d = 0; d + 1 < s_.shape.size(); ++d)
        if (!mergeable(a, d, s_.shape[d + 1])) return false;
    return true;
}

// Whether an operand is contiguous along the last dimension but one, and jumps along the last.
bool TapeBuilder::lies_across(const WalkAccess& a) const {
    const size_t nd = s_.shape.size();
    if (!s_.any_order || code_.rows || nd < 2 || a.index || a.stores || mode_ == StoreMode::Safe)
        return false;
    return s_.shape[nd - 1] >= kLeastAcross && s_.shape[nd - 2] >= kLeastAcross &&
           a.strides[nd - 2] == item_size(a.dtype) && std::abs(a.strides[nd - 1]) >= 64;
}

// Whether blocks lie in one row or span several: the dispatch of short blocks against copies of what does not
// lie in one piece.
void TapeBuilder::choose_geometry() {
    const double inner = static_cast<double>(s_.shape.back());
    double slots = 0, copies = 0;
    for (size_t i = 0; i < s_.tape.size(); ++i) {
        const TapeEntry& e = s_.tape[i];
        if (!values_[i].needed || values_[i].same != static_cast<int32_t>(i)) continue;
        slots += e.kind == TapeKind::Compute || e.kind == TapeKind::Cast ? 1 : 0.5;
        if (e.kind != TapeKind::Load && e.kind != TapeKind::Store) continue;
        const WalkAccess& a = s_.accesses[static_cast<size_t>(e.index)];
        const bool contiguous = a.strides.back() == item_size(a.dtype);
        if (!linear(a))
            copies += 1;
        else if (!contiguous && a.strides.back() != 0)
            slots += 0.5;
    }
    // ns per row. Rows of a copied operand cost about 3 ns and 0.06 ns a byte.
    const double one_row = 12 + 5 * slots;
    const double many_rows = copies * (3 + inner * 0.3) + 5 * slots * inner / 1024;
    code_.rows = s_.shape.size() > 1 && copies > 0 && many_rows < one_row;
    for (WalkAccess& a : s_.accesses) {
        Geometry g;
        const int64_t item = a.index ? 0 : item_size(a.dtype);
        g.inner = a.strides.back();
        g.linear = linear(a);
        bool zero = true;
        for (int64_t s : a.strides) zero = zero && s == 0;
        if (zero && !a.stores)
            g.level = a.moves ? 1 : 0;
        else if (!code_.rows && g.inner == 0 && !a.stores)
            g.level = 1;
        g.in_rows = code_.rows && !g.linear;
        g.across = g.level == 2 && lies_across(a);
        g.direct = g.level == 2 && !g.in_rows && !a.index && (g.inner == item || s_.shape.back() == 1);
        geometry_.push_back(g);
    }
}

void TapeBuilder::assign_levels() {
    for (size_t i = 0; i < s_.tape.size(); ++i) {
        const TapeEntry& e = s_.tape[i];
        Value& v = values_[i];
        switch (e.kind) {
            case TapeKind::Load:
                v.type = e.type;
                v.level = geometry_[static_cast<size_t>(e.index)].level;
                break;
            case TapeKind::Constant:
                v.type = e.type;
                v.level = 0;
                v.place = {Place::Constant, e.index};
                break;
            case TapeKind::Store:
                v.level = 2;
                break;
            default:
                v.type = e.kind == TapeKind::Compute ? result_dtype(e.op, e.type) : e.type;
                v.level = 0;
                for (int j = 0; j < inputs_of(e); ++j)
                    v.level = std::max(v.level, values_[static_cast<size_t>(e.in[j])].level);
        }
    }
}

// t = a op b; u = t op c in one loop, each operation rounded once, where nobody else wants t.
void TapeBuilder::fuse_pairs() {
    if (!loops().pair || mode_ == StoreMode::Safe) return;
    for (size_t i = 0; i < s_.tape.size(); ++i) {
        const TapeEntry& e = s_.tape[i];
        Value& v = values_[i];
        if (!v.needed || v.level < 2 || e.kind != TapeKind::Compute || inputs_of(e) != 2) continue;
        for (int j = 0; j < 2 && v.pair < 0; ++j) {
            Value& t = values_[static_cast<size_t>(e.in[j])];
            const TapeEntry& first = s_.tape[static_cast<size_t>(e.in[j])];
            if (t.uses != 1 || t.level < 2 || t.pair >= 0 || first.kind != TapeKind::Compute ||
                inputs_of(first) != 2 || first.type != e.type)
                continue;
            const unsigned mask =
                scalar_bit(first.in[0], 0) | scalar_bit(first.in[1], 1) | scalar_bit(e.in[1 - j], 2);
            if (!loops().pair(first.op, e.op, j == 0, e.type, mask)) continue;
            t.absorbed = true;
            v.pair = static_cast<int8_t>(j);
        }
    }
}

void TapeBuilder::find_last_uses() {
    const int32_t size = static_cast<int32_t>(s_.tape.size());
    for (int32_t i = 0; i < size; ++i) {
        if (!values_[static_cast<size_t>(i)].needed || values_[static_cast<size_t>(i)].absorbed) continue;
        const bool later =
            mode_ == StoreMode::Safe && s_.tape[static_cast<size_t>(i)].kind == TapeKind::Store;
        int32_t in[3];
        const int n = operands(i, in);
        for (int j = 0; j < n; ++j) {
            int32_t& last = values_[static_cast<size_t>(in[j])].last_use;
            last = std::max(last, later ? size + i : i);
        }
    }
    for (int32_t v : s_.results) values_[static_cast<size_t>(canonical(v))].last_use = INT_MAX;
}

// A value that a contiguous store wants is computed in that memory, and read from there by everybody else.
void TapeBuilder::choose_direct_stores() {
    if (mode_ != StoreMode::Direct) return;
    for (size_t i = 0; i < s_.tape.size(); ++i) {
        const TapeEntry& e = s_.tape[i];
        if (e.kind != TapeKind::Store || !geometry_[static_cast<size_t>(e.index)].direct) continue;
        Value& v = values_[static_cast<size_t>(e.in[0])];
        const TapeEntry& from = s_.tape[static_cast<size_t>(e.in[0])];
        if (v.level < 2 || v.target >= 0) continue;
        if (from.kind == TapeKind::Load && geometry_[static_cast<size_t>(from.index)].direct) continue;
        v.target = e.index;
    }
}

// The inputs of what is emitted for entry i: its own, or those of the pair (a, b of the first operation, then
// the other one).
int TapeBuilder::operands(int32_t i, int32_t* in) const {
    const TapeEntry& e = s_.tape[static_cast<size_t>(i)];
    const int pair = values_[static_cast<size_t>(i)].pair;
    if (pair < 0) {
        const int n = inputs_of(e);
        for (int j = 0; j < n; ++j) in[j] = e.in[j];
        return n;
    }
    const TapeEntry& first = s_.tape[static_cast<size_t>(e.in[pair])];
    in[0] = first.in[0];
    in[1] = first.in[1];
    in[2] = e.in[1 - pair];
    return 3;
}

void TapeBuilder::emit(int32_t i) {
    switch (s_.tape[static_cast<size_t>(i)].kind) {
        case TapeKind::Compute:
        case TapeKind::Cast:
            emit_compute(i);
            break;
        case TapeKind::Store:
            if (mode_ == StoreMode::Safe)
                deferred_.push_back(i);
            else
                emit_store(i, i);
            break;
        default:
            break;  // loads and constants come when somebody needs them
    }
}

void TapeBuilder::emit_compute(int32_t i) {
    const TapeEntry& e = s_.tape[static_cast<size_t>(i)];
    Value& v = values_[static_cast<size_t>(i)];
    int32_t in[3];
    const int n = operands(i, in);
    Slot slot;
    slot.entry = i;
    Place from[3];
    if (v.level < 2) {
        for (int j = 0; j < n; ++j) from[j] = scalar_place(in[j]);
        slot.loop =
            e.kind == TapeKind::Cast ? loops().cast(e.from, e.type) : loops().compute(e.op, e.type, 0);
    } else {
        slot.loop = vector_loop(i, in, n, from);
    }
    NL_CHECK(slot.loop);
    free_inputs(i, in, n, true);
    v.place = v.level < 2     ? new_scalar()
              : v.target >= 0 ? Place{Place::Memory, v.target}
                              : new_buffer(v.type);
    free_inputs(i, in, n, false);
    slot.in = code_.table;
    for (int j = 0; j < n; ++j) use(from[j]);
    slot.out = use(v.place);
    push(slot, v.level);
    for (int j = 0; j < n; ++j) note_read(from[j]);
    note_write(v.place);
}

// The loop for entry i with its scalars as scalars; where there is none, scalars are spread over a block.
Loop TapeBuilder::vector_loop(int32_t i, const int32_t* in, int n, Place* from) {
    const TapeEntry& e = s_.tape[static_cast<size_t>(i)];
    const int pair = values_[static_cast<size_t>(i)].pair;
    unsigned mask = 0;
    for (int j = 0; j < n; ++j) mask |= scalar_bit(in[j], j);
    Loop loop = nullptr;
    if (e.kind == TapeKind::Cast) {
        loop = loops().cast(e.from, e.type);
    } else if (pair >= 0) {
        const TapeEntry& first = s_.tape[static_cast<size_t>(e.in[pair])];
        loop = loops().pair(first.op, e.op, pair == 0, e.type, mask);
    } else {
        loop = loops().compute(e.op, e.type, mask);
        // Spread the first scalar, then also the next, until there is a loop; with none left there always is
        // one.
        while (!loop && mask) {
            mask &= mask - 1;
            loop = loops().compute(e.op, e.type, mask);
        }
    }
    for (int j = 0; j < n; ++j) from[j] = (mask >> j) & 1u ? scalar_place(in[j]) : vector_place(in[j]);
    return loop;
}

void TapeBuilder::free_inputs(int32_t i, const int32_t* in, int n, bool same_size) {
    const Value& out = values_[static_cast<size_t>(i)];
    if (out.level < 2) return;
    for (int j = 0; j < n; ++j) {
        Value& v = values_[static_cast<size_t>(in[j])];
        // An operation may work in place on elements of one size; buffers of others must not overlap its
        // result.
        if (v.place.kind != Place::Buffer || v.freed || v.last_use != i) continue;
        if ((item_size(v.type) == item_size(out.type)) != same_size) continue;
        v.freed = true;
        free_buffers_[info(v.type).size_log2].push_back(v.place.index);
    }
}

Place TapeBuilder::new_buffer(DType type) {
    std::vector<int32_t>& free = free_buffers_[info(type).size_log2];
    if (!free.empty()) {
        const int32_t id = free.back();
        free.pop_back();
        return {Place::Buffer, id};
    }
    buffer_items_.push_back(item_size(type));
    return {Place::Buffer, static_cast<int32_t>(buffer_items_.size()) - 1};
}

Place TapeBuilder::new_scalar() { return {Place::Scalar, scalars_++}; }

// A new table entry for a place. Entries are not shared: the inputs of a slot must be adjacent.
int32_t TapeBuilder::use(const Place& p) {
    const int32_t entry = code_.table++;
    switch (p.kind) {
        case Place::Buffer:
            buffer_entries_.emplace_back(entry, p.index);
            break;
        case Place::Scalar:
            code_.buffers.emplace_back(entry, p.index * kScalarBytes);
            break;
        case Place::Constant:
            code_.constants.emplace_back(entry, p.index);
            break;
        case Place::Memory: {
            const Geometry& g = geometry_[static_cast<size_t>(p.index)];
            const Mover m{entry, p.index, g.level == 2 && !g.in_rows ? g.inner : 0, 0};
            (g.level == 0   ? code_.launch_movers
             : g.level == 1 ? code_.row_movers
                            : code_.block_movers)
                .push_back(m);
            break;
        }
        case Place::Panel:
            code_.panel_entries.emplace_back(entry, p.index);
            break;
        case Place::None:
            unreachable("a value without a place");
    }
    return entry;
}

void TapeBuilder::push(const Slot& slot, int level) {
    (level == 0 ? code_.launch_slots : level == 1 ? code_.row_slots : code_.body).push_back(slot);
}

// Safe stores come last: what they store must have been fetched before the first of them.
void TapeBuilder::fetch_deferred() {
    for (int32_t i : deferred_) {
        const int32_t v = s_.tape[static_cast<size_t>(i)].in[0];
        if (values_[static_cast<size_t>(v)].level < 2)
            scalar_place(v);
        else
            vector_place(v);
    }
    if (!deferred_.empty())
        for (int32_t v : s_.results) vector_place(canonical(v));
}

// Where the one element of a value of level 0 or 1 lies.
Place TapeBuilder::scalar_place(int32_t i) {
    Value& v = values_[static_cast<size_t>(i)];
    if (v.place.kind != Place::None) return v.place;
    const int32_t access = s_.tape[static_cast<size_t>(i)].index;  // only loads come without a place
    const WalkAccess& a = s_.accesses[static_cast<size_t>(access)];
    const Place memory{Place::Memory, access};
    if (!a.index && mode_ != StoreMode::Safe) return v.place = memory;
    v.place = new_scalar();
    Slot slot;
    slot.item = static_cast<uint8_t>(item_size(a.dtype));
    slot.kind = a.index ? SlotKind::Iota : SlotKind::Gather;
    slot.gather = loops().gather(item_size(a.dtype));
    slot.in = use(memory);
    slot.out = use(v.place);
    push(slot, v.level);
    return v.place;
}

// Where a block of a value lies, contiguous; loads and scalars are fetched now.
Place TapeBuilder::vector_place(int32_t i) {
    Value& v = values_[static_cast<size_t>(i)];
    if (v.level < 2) return spread(i);
    if (v.place.kind != Place::None) return v.place;
    const int32_t access = s_.tape[static_cast<size_t>(i)].index;
    const WalkAccess& a = s_.accesses[static_cast<size_t>(access)];
    const Geometry& g = geometry_[static_cast<size_t>(access)];
    const Place memory{Place::Memory, access};
    if (g.direct && mode_ != StoreMode::Safe) return v.place = memory;
    if (g.across) return v.place = panel_place(access);
    v.place = v.target >= 0 ? Place{Place::Memory, v.target} : new_buffer(v.type);
    Slot slot;
    slot.item = static_cast<uint8_t>(item_size(a.dtype));
    slot.stride = g.inner;
    slot.access = access;
    if (a.index)
        slot.kind = g.in_rows ? SlotKind::IotaRows : SlotKind::Iota;
    else
        slot.kind = g.in_rows ? SlotKind::GatherRows : g.direct ? SlotKind::Copy : SlotKind::Gather;
    slot.gather = loops().gather(item_size(a.dtype));
    slot.in = use(memory);
    slot.out = use(v.place);
    push(slot, 2);
    note_read(memory);
    note_write(v.place);
    return v.place;
}

Place TapeBuilder::panel_place(int32_t access) {
    const int64_t item = item_size(s_.accesses[static_cast<size_t>(access)].dtype);
    code_.panels.push_back({access, item, loops().transpose(item)});
    note_read({Place::Memory, access});
    return {Place::Panel, static_cast<int32_t>(code_.panels.size()) - 1};
}

// A whole block of one scalar in a buffer of its own, filled once per launch or row.
Place TapeBuilder::spread(int32_t i) {
    Value& v = values_[static_cast<size_t>(i)];
    if (v.spread.kind != Place::None) return v.spread;
    const Place from = scalar_place(i);
    buffer_items_.push_back(item_size(v.type));
    v.spread = {Place::Buffer, static_cast<int32_t>(buffer_items_.size()) - 1};
    Slot slot;
    slot.kind = SlotKind::Gather;
    slot.item = static_cast<uint8_t>(item_size(v.type));
    slot.gather = loops().gather(item_size(v.type));
    slot.access = kWholeBlock;
    slot.in = use(from);
    slot.out = use(v.spread);
    push(slot, v.level);
    return v.spread;
}

void TapeBuilder::emit_store(int32_t i, int32_t position) {
    const TapeEntry& e = s_.tape[static_cast<size_t>(i)];
    Value& v = values_[static_cast<size_t>(e.in[0])];
    if (v.level < 2 && geometry_[static_cast<size_t>(e.index)].direct) {
        Slot slot;
        slot.kind = SlotKind::Gather;
        slot.item = static_cast<uint8_t>(item_size(v.type));
        slot.gather = loops().gather(slot.item);
        const Place from = scalar_place(e.in[0]), target{Place::Memory, e.index};
        slot.in = use(from);
        slot.out = use(target);
        push(slot, 2);
        note_read(from);
        note_write(target);
        return;
    }
    const Place from = vector_place(e.in[0]);
    emit_transfer(i, from);
    if (from.kind == Place::Buffer && v.level == 2 && !v.freed && v.last_use == position) {
        v.freed = true;
        free_buffers_[info(v.type).size_log2].push_back(from.index);
    }
}

// Moves a block to the memory of store `i`.
void TapeBuilder::emit_transfer(int32_t i, const Place& from) {
    const TapeEntry& e = s_.tape[static_cast<size_t>(i)];
    const Geometry& g = geometry_[static_cast<size_t>(e.index)];
    const Place target{Place::Memory, e.index};
    if (from == target) return;
    Slot slot;
    slot.item = static_cast<uint8_t>(item_size(s_.accesses[static_cast<size_t>(e.index)].dtype));
    slot.access = e.index;
    slot.stride = g.inner;
    slot.kind = g.in_rows ? SlotKind::ScatterRows : !g.direct ? SlotKind::Scatter : SlotKind::Copy;
    if (slot.kind != SlotKind::Copy) slot.scatter = loops().scatter(slot.item);
    if (slot.kind == SlotKind::Copy && mode_ == StoreMode::Stream) {
        slot.kind = SlotKind::Stream;
        slot.stream = loops().stream;
    }
    slot.in = use(from);
    slot.out = use(target);
    push(slot, 2);
    note_read(from);
    note_write(target);
}

void TapeBuilder::note_read(const Place& p) {
    if (p.kind == Place::Memory) reads_.emplace_back(static_cast<int32_t>(code_.body.size()), p.index);
}

void TapeBuilder::note_write(const Place& p) {
    if (p.kind == Place::Memory) writes_.emplace_back(static_cast<int32_t>(code_.body.size()), p.index);
}

// Reads of memory that come after a write in the order of the slots, and writes whose order may have changed.
// Views that overlap otherwise than element by element never share a kernel, so comparing addresses at the
// launch tells.
void TapeBuilder::find_hazards() {
    if (mode_ == StoreMode::Safe) return;
    auto pointer = [&](int32_t access) { return s_.accesses[static_cast<size_t>(access)].pointer; };
    auto add = [&](int32_t a, int32_t b) {
        const std::pair<int32_t, int32_t> p{pointer(a), pointer(b)};
        if (std::find(code_.hazards.begin(), code_.hazards.end(), p) == code_.hazards.end())
            code_.hazards.push_back(p);
    };
    for (size_t w = 0; w < writes_.size(); ++w) {
        for (auto [slot, access] : reads_)
            if (slot > writes_[w].first && access != writes_[w].second &&
                !s_.accesses[static_cast<size_t>(access)].stores)
                add(writes_[w].second, access);
        for (size_t o = 0; o < w; ++o)
            if (writes_[o].second != writes_[w].second) add(writes_[o].second, writes_[w].second);
    }
}

void TapeBuilder::place_buffers() {
    int64_t largest = 1, total = 0;
    for (int64_t item : buffer_items_) {
        largest = std::max(largest, item);
        total += item;
    }
    // Without buffers only the dispatch counts: blocks of up to 32 KB.
    int64_t widest = 1;
    for (const WalkAccess& a : s_.accesses) widest = std::max(widest, item_size(a.dtype));
    const int64_t most = kMaxBlock * 8 / std::min<int64_t>(widest, 8);
    int64_t block = total ? kOperandBytes / largest : most;
    // Several leaves side by side fold faster than one: the latency of one hides behind the others.
    if (!s_.results.empty() && total && kBuffersBytes / total >= kernel::kLeaf) block = kMaxBlock;
    block = std::clamp(block, kMinBlock, most);
    while (block > kMinBlock && block * total > kBuffersBytes) block /= 2;
    int64_t line = 0, panel_item = 1;
    for (const Panel& p : code_.panels) {
        panel_item = std::max(panel_item, p.item);
        line += p.item;
    }
    if (line > 0) {
        code_.panel_rows = std::clamp<int64_t>(kPanelLine / panel_item, 4, 16);
        while (block > kMinBlock && block * line * code_.panel_rows > kPanelBytes) block /= 2;
    }
    code_.block = block;
    int64_t offset = scalars_ * kScalarBytes;
    std::vector<int64_t> offsets;
    for (int64_t item : buffer_items_) {
        offsets.push_back(offset);
        offset += (block * item + 63) / 64 * 64;
    }
    for (auto [entry, id] : buffer_entries_)
        code_.buffers.emplace_back(entry, offsets[static_cast<size_t>(id)]);
    for (Panel& p : code_.panels) {
        p.offset = offset;
        offset += code_.panel_rows * block * p.item;
    }
    code_.arena = offset;
}

void TapeBuilder::estimate() {
    std::vector<char> seen(s_.accesses.size(), 0);
    for (size_t i = 0; i < s_.tape.size(); ++i) {
        const TapeEntry& e = s_.tape[i];
        if (!values_[i].needed) continue;
        if (values_[i].level == 2) code_.ns_per_point += cost_of(e);
        if ((e.kind != TapeKind::Load && e.kind != TapeKind::Store) || seen[static_cast<size_t>(e.index)])
            continue;
        seen[static_cast<size_t>(e.index)] = 1;
        const Geometry& g = geometry_[static_cast<size_t>(e.index)];
        const WalkAccess& a = s_.accesses[static_cast<size_t>(e.index)];
        if (g.level < 2 || a.index) continue;
        const double bytes = static_cast<double>(item_size(a.dtype));
        code_.bytes_per_point += bytes;
        if (a.stores) code_.stored_per_point += bytes;
        code_.ns_per_point += bytes * 0.02;
        // A step of a cache line or more touches a line a point, which is mostly gone before its next
        // element.
        if (g.across)
            code_.ns_per_point += 0.5;
        else if (!g.direct)
            code_.ns_per_point += std::abs(a.strides.back()) >= 64 ? 1.5 : 0.4;
    }
}

BlockCode compile_tape(const TapeSource& source, StoreMode mode, bool plain) {
    return TapeBuilder(source, mode, plain).build();
}

}  // namespace numloom::cpu
