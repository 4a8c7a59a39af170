#include "device/cpu/cpu_program.hpp"

#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "core/error.hpp"
#include "device/cpu/interpreter.hpp"
#include "device/cpu/panels.hpp"
#include "device/cpu/reducer.hpp"
#include "device/cpu/threads.hpp"
#include "kernel/reduction.hpp"

namespace numloom::cpu {

using kernel::Kernel;
using kernel::Launch;
using kernel::TapeKind;

namespace {

constexpr double kWorthHot = 5e3, kWorthAsleep = 30e3;  // ns of work from which other threads are asked
constexpr double kChunkNs = 2000;
constexpr int64_t kLargestChunk = 256 << 10;

// The accesses of a kernel over its dimensions [0, dims).
std::vector<WalkAccess> walk_accesses(const Kernel& k, int dims) {
    std::vector<WalkAccess> out;
    for (size_t i = 0; i < k.accesses.size(); ++i) {
        const kernel::Access& a = k.accesses[i];
        WalkAccess w;
        w.pointer = static_cast<int32_t>(i);
        w.dtype = a.dtype;
        w.index = a.view < 0;
        w.stores = a.stores;
        w.strides.assign(a.strides.begin(), a.strides.begin() + dims);
        for (int d = dims; d < k.ndim(); ++d)
            w.moves =
                w.moves || (a.strides[static_cast<size_t>(d)] != 0 && k.shape[static_cast<size_t>(d)] > 1);
        out.push_back(std::move(w));
    }
    return out;
}

// Leaves only the accesses that the tape uses, so that others do not keep dimensions apart.
void drop_unused(TapeSource* s) {
    std::vector<int32_t> number(s->accesses.size(), -1);
    std::vector<WalkAccess> used;
    for (kernel::TapeEntry& e : s->tape) {
        if (e.kind != TapeKind::Load && e.kind != TapeKind::Store) continue;
        int32_t& n = number[static_cast<size_t>(e.index)];
        if (n < 0) {
            n = static_cast<int32_t>(used.size());
            used.push_back(s->accesses[static_cast<size_t>(e.index)]);
        }
        e.index = n;
    }
    s->accesses = std::move(used);
}

TapeSource tape_source(const Kernel& k, int dims) {
    TapeSource s;
    s.shape.assign(k.shape.begin(), k.shape.begin() + dims);
    s.accesses = walk_accesses(k, dims);
    s.tape = k.tape;
    for (const kernel::Reduction& r : k.reductions) s.results.push_back(r.value);
    drop_unused(&s);
    return s;
}

// The finish tape reads accumulators as arrays over the kept points, in C order, numbered behind the kernel's
// accesses.
TapeSource finish_source(const Kernel& k, const std::vector<Folding>& foldings) {
    TapeSource s;
    s.shape.assign(k.shape.begin(), k.shape.begin() + k.kept);
    s.accesses = walk_accesses(k, k.kept);
    for (WalkAccess& a : s.accesses) a.moves = false;
    for (size_t r = 0; r < foldings.size(); ++r) {
        WalkAccess w;
        w.pointer = static_cast<int32_t>(k.accesses.size() + r);
        w.dtype = foldings[r].type;
        w.strides.resize(s.shape.size());
        int64_t stride = foldings[r].item;
        for (size_t d = s.shape.size(); d-- > 0; stride *= s.shape[d]) w.strides[d] = stride;
        s.accesses.push_back(std::move(w));
    }
    s.tape = k.finish;
    for (kernel::TapeEntry& e : s.tape) {
        if (e.kind != TapeKind::Reduced) continue;
        e.kind = TapeKind::Load;
        e.type = foldings[static_cast<size_t>(e.index)].type;
        e.index += static_cast<int32_t>(k.accesses.size());
    }
    drop_unused(&s);
    return s;
}

// Whether to vectorise along the kept dimensions, by estimated time per point.
bool outer_is_better(const BlockCode& inner, const BlockCode& outer, int64_t kept, int64_t reduced) {
    if (kept == 1 || reduced == 0) return false;
    const double slots_in = static_cast<double>(inner.body.size()),
                 slots_out = static_cast<double>(outer.body.size());
    const double run_in =
        static_cast<double>(std::min(inner.block, inner.rows ? inner.block : inner.inner()));
    const double run_out = static_cast<double>(std::min(outer.block, outer.rows ? kept : outer.inner()));
    const double ns_in =
        inner.ns_per_point + 25.0 / static_cast<double>(reduced) + (10 + 5 * slots_in) / run_in;
    const double ns_out = outer.ns_per_point + 0.2 + (20 + 6 * slots_out) / run_out;
    return ns_out < ns_in;
}

}  // namespace

int64_t last_level_cache() {
    static const int64_t bytes = [] {
        const int64_t l3 = sysconf(_SC_LEVEL3_CACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
        return l3 > 0 ? l3 : l2 > 0 ? l2 : int64_t{8} << 20;
    }();
    return bytes;
}

int64_t chunk_points(int64_t points, double ns_per_point, int64_t least, int threads, bool hot) {
    if (threads == 1) return 0;
    const double ns = static_cast<double>(points) * ns_per_point;
    if (ns < (hot ? kWorthHot : kWorthAsleep)) return 0;
    const int64_t smallest = std::max(least, static_cast<int64_t>(kChunkNs / std::max(ns_per_point, 0.01)));
    return std::clamp(points / (threads * 16), std::min(smallest, kLargestChunk), kLargestChunk);
}

const BlockCode& Variants::get(StoreMode mode, bool plain) {
    std::unique_ptr<BlockCode>& code = codes_[static_cast<int>(mode) + (plain ? 3 : 0)];
    if (!code) code = std::make_unique<BlockCode>(compile_tape(source_, mode, plain));
    return *code;
}

const BlockCode& Variants::pick_plain(char* const* pointers) {
    static std::mutex compiling;
    const std::lock_guard guard(compiling);
    const BlockCode& code = get(StoreMode::Direct, true);
    for (auto [a, b] : code.hazards)
        if (pointers[a] == pointers[b]) return get(StoreMode::Safe, true);
    return code;
}

bool Variants::in_place(const BlockCode& code, char* const* pointers) {
    for (const WalkAccess& s : code.accesses)
        for (const WalkAccess& l : code.accesses)
            if (s.stores && !l.stores && pointers[s.pointer] && pointers[s.pointer] == pointers[l.pointer])
                return true;
    return false;
}

const BlockCode& Variants::pick(char* const* pointers, int64_t points) {
    const BlockCode* code = codes_[0] ? codes_[0].get() : &get(StoreMode::Direct);
    // Lines that are read anyway gain nothing from stores past the caches.
    if (static_cast<double>(points) * code->stored_per_point > static_cast<double>(last_level_cache()) &&
        !in_place(*code, pointers))
        code = &get(StoreMode::Stream);
    for (auto [a, b] : code->hazards)
        if (pointers[a] == pointers[b]) return get(StoreMode::Safe);
    return *code;
}

CpuProgram::CpuProgram(const Kernel& k) : kernel_(k), reduces_(k.reduces()) {
    TapeSource whole = tape_source(k, k.ndim());
    whole.any_order = !reduces_;
    linear_.set(std::move(whole));
    linear_.get(StoreMode::Direct);
    find_candidates();
    if (!reduces_) return;
    kept_points_ = k.kept_points();
    reduced_points_ = k.reduced_points();
    leaves_ = k.leaves();
    for (const kernel::Reduction& r : k.reductions) {
        Folding f;
        f.op = r.op;
        f.type = result_dtype(r.op, r.type);
        f.item = item_size(f.type);
        f.fold = loops().fold(f.op, f.type);
        f.fold_leaves = loops().fold_leaves(f.op, f.type);
        f.combine = loops().combine(f.op, f.type);
        f.pairwise = loops().compute(f.op, f.type, 0);
        kernel::identity(f.op, f.type, &f.identity);
        NL_CHECK(f.fold && f.fold_leaves && f.combine && f.pairwise);
        foldings_.push_back(f);
    }
    fold_by_machine_code();
    finish_.set(finish_source(k, foldings_));
    TapeSource outer = tape_source(k, k.kept);
    reduced_shape_.assign(k.shape.begin() + k.kept, k.shape.end());
    for (const WalkAccess& a : outer.accesses) {
        const std::vector<int64_t>& strides = k.accesses[static_cast<size_t>(a.pointer)].strides;
        reduced_strides_.emplace_back(strides.begin() + k.kept, strides.end());
    }
    outer_.set(std::move(outer));
    if (kept_points_ > 1 && reduced_points_ > 0)
        use_outer_ = outer_is_better(linear_.get(StoreMode::Direct), outer_.get(StoreMode::Direct),
                                     kept_points_, reduced_points_);
}

void CpuProgram::fold_by_machine_code() {
    constexpr int64_t kLeastLeaves = 8;  // whole ones of a kept point, for two ways to walk to pay
    const BlockCode& plain = linear_.get(StoreMode::Direct);
    if (!plain.flat || !plain.compiled || reduced_points_ / kernel::kLeaf < kLeastLeaves) return;
    TapeSource source = tape_source(kernel_, kernel_.ndim());
    for (const Folding& f : foldings_) source.folds.push_back(f.op);
    folded_.set(std::move(source));
    const BlockCode& code = folded_.get(StoreMode::Direct);
    use_folded_ = code.folds && code.block % kernel::kLeaf == 0;
}

void CpuProgram::launch(const Launch& l) {
    watch_underflow = (l.wanted & F_UNDERFLOW) != 0;
    if (!reduces_) return launch_elementwise(l);
    if (l.wanted == 0) return Reducer(this, l).launch();
    watch_reduction(l, [](Reducer& r) { r.launch(); });
}

void CpuProgram::finish_partials(const Launch& l, int64_t begin, int64_t end) {
    watch_underflow = (l.wanted & F_UNDERFLOW) != 0;
    if (l.wanted == 0) return Reducer(this, l).finish_partials(begin, end);
    watch_reduction(l, [&](Reducer& r) { r.finish_partials(begin, end); });
}

// A whole block of one row: nothing to share out.
void CpuProgram::launch_block(const Launch& l, const BlockCode& code, const FlagNotes* notes) {
    Scratch scratch(frame_bytes(code));
    const Frame f(code, &scratch, l.constants, notes);
    start_launch(code, f, l.pointers);
    for (const Mover& m : code.block_movers)
        f.table[m.entry] = reinterpret_cast<void*>(
            address(l.pointers[code.accesses[static_cast<size_t>(m.access)].pointer]) + l.begin * m.inner);
    run_body(code, f, l.end - l.begin);
}

void CpuProgram::launch_elementwise(const Launch& l) {
    const int64_t points = l.end - l.begin;
    if (points <= 0) return;
    const BlockCode* code = &linear_.pick(l.pointers, points);
    const FlagNotes notes{l.wanted, l.raised};
    const FlagNotes* noting = nullptr;
    if (l.wanted != 0 && noisy_ && Variants::in_place(*code, l.pointers)) {
        code = &linear_.pick_plain(l.pointers);
        noting = &notes;
    }
    auto walk_part = [&](const BlockCode& c, const FlagNotes* to, int64_t begin, int64_t end) {
        Scratch scratch(frame_bytes(c));
        const Frame f(c, &scratch, l.constants, to);
        start_launch(c, f, l.pointers);
        if (c.panels.empty())
            walk(c, f, l.pointers, begin, end, true, [](int64_t) {});
        else
            walk_panels(c, f, l.pointers, begin, end);
    };
    auto watched = [&](int64_t begin, int64_t end, auto&& run) {
        if (l.wanted == 0) return run();
        take_kinds(0);
        run();
        const uint8_t kinds = take_kinds(l.wanted);
        if (kinds == 0 || settle(l, kinds)) return;
        if (Variants::in_place(*code, l.pointers)) return guess(l, kinds);
        walk_part(linear_.pick_plain(l.pointers), &notes, begin, end);
    };
    auto part = [&](int64_t begin, int64_t end) {
        watched(begin, end, [&] { walk_part(*code, noting, begin, end); });
    };
    if (points <= code->block && code->flat)
        return watched(l.begin, l.end, [&] { launch_block(l, *code, noting); });
    ThreadPool& pool = ThreadPool::process();
    int64_t chunk = chunk_points(points, code->ns_per_point, code->block, pool.threads(), pool.hot());
    if (chunk == 0) return part(l.begin, l.end);
    // Whole rows where a chunk holds some; pages where there are no rows, so that threads do not write to one
    // line.
    const int64_t unit = code->flat || code->rows || code->inner() > 4 * chunk
                             ? std::min<int64_t>(code->block, 4096)
                             : code->inner() * std::max<int64_t>(code->panel_rows, 1);
    chunk = (chunk + unit - 1) / unit * unit;
    pool.run((points + chunk - 1) / chunk,
             [&](int64_t c, int) { part(l.begin + c * chunk, std::min(l.end, l.begin + (c + 1) * chunk)); });
}

// --- floating-point conditions ---

void CpuProgram::find_candidates() {
    int64_t entry = 0;
    auto add = [&](const auto& e, uint8_t kinds) {
        if (kinds != 0) candidates_.push_back({entry, e.origin, kinds});
        ++entry;
    };
    auto of_tape = [](const kernel::TapeEntry& e) -> uint8_t {
        if (e.kind == TapeKind::Cast && cast_may_report(e.from, e.type))
            return is_inexact(e.type) ? F_OVERFLOW | F_UNDERFLOW : F_INVALID;
        return e.kind == TapeKind::Compute ? kinds_of(e.op, e.type) : 0;
    };
    for (const kernel::TapeEntry& e : kernel_.tape) add(e, of_tape(e));
    for (const kernel::Reduction& r : kernel_.reductions) add(r, kinds_of(r.op, r.type));
    for (const kernel::TapeEntry& e : kernel_.finish) add(e, of_tape(e));
}

bool CpuProgram::settle(const Launch& l, uint8_t kinds) const {
    const FlagNotes notes{l.wanted, l.raised};
    for (unsigned kind = 1; kind <= F_ALL; kind *= 2) {
        if ((kinds & kind) == 0) continue;
        const auto k = static_cast<uint8_t>(kind);
        const Candidate* only = nullptr;
        bool several = false, open = false;
        for (const Candidate& c : candidates_) {
            if ((c.kinds & k) == 0) continue;
            several |= only && only->origin != c.origin;
            open |= !notes.has(c.entry, k);
            if (!only) only = &c;
        }
        if (several && open) return false;
        if (only) notes.add(only->entry, k);
    }
    return true;
}

void CpuProgram::guess(const Launch& l, uint8_t kinds) {
    noisy_ = true;
    const FlagNotes notes{l.wanted, l.raised};
    for (const Candidate& c : candidates_) {
        notes.add(c.entry, kinds & c.kinds);
        kinds &= static_cast<uint8_t>(~c.kinds);
    }
}

template <class Run>
void CpuProgram::watch_reduction(const Launch& l, Run&& run) {
    Reducer reducer(this, l);
    run(reducer);
    const uint8_t kinds = reducer.kinds();
    if (kinds == 0 || settle(l, kinds)) return;
    if (reducer.in_place()) return guess(l, kinds);
    Reducer again(this, l, true);
    run(again);
}

}  // namespace numloom::cpu
