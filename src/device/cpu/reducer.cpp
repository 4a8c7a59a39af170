#include "device/cpu/reducer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "device/cpu/pool.hpp"
#include "device/cpu/threads.hpp"
#include "kernel/reduction.hpp"

namespace numloom::cpu {

using kernel::combine_leaves;
using kernel::kLanes;
using kernel::kLeaf;
using kernel::kLeafGroup;
using kernel::leaf_points;

namespace {

constexpr int64_t kOuterWidth = 4096;  // kept points side by side: long pieces of rows; 8 lanes stay in L2
constexpr int64_t kLeastWidth = 64;
constexpr int64_t kTaskPoints = 16384;  // reduced points from which a task is worth claiming
constexpr int64_t kMostKept = 4096;     // kept points per task, so that accumulators stay in L2
constexpr int64_t kPartial = 16;        // bytes per result in Launch::partials
constexpr int kTreeDepth = 48;
constexpr int64_t kMostLanes = kLanes * 16;

// Aligned groups of any power of two are subtrees of the same tree: fewer leaves where there are few groups,
// so that threads get even shares.
int64_t leaves_per_group(int64_t leaves) {
    constexpr int64_t kLeastLeaves = 4, kGroups = 16;
    int64_t n = kLeafGroup;
    while (n > kLeastLeaves && (leaves + n - 1) / n < kGroups) n /= 2;
    return n;
}

int64_t padded(int64_t bytes) { return (bytes + 63) / 64 * 64; }

// value i = value i op value j, one element.
void combine_one(const Folding& f, char* i, const char* j) {
    const void* in[2] = {i, j};
    f.pairwise(i, in, 1);
}

// Feeds blocks of consecutive points of the space to leaves; each finished leaf's result goes to the next
// place of `out`.
class LeafFolder {
  public:
    LeafFolder(const Folding& f, int64_t points, int64_t position, char* out, char* lanes)
        : f_(f), points_(points), position_(position), out_(out), lanes_(lanes) {}

    void feed(const char* values, int64_t n) {
        while (n > 0) {
            const int64_t first = position_ % kLeaf;
            const int64_t length = leaf_points(points_, position_ / kLeaf);
            int64_t take = std::min(n, length - first);
            if (first == 0 && take == kLeaf) {
                const int64_t count = std::min(n, points_ - position_) / kLeaf;
                f_.fold_leaves(out_, values, count);
                out_ += count * f_.item;
                take = count * kLeaf;
            } else {
                f_.fold(lanes_, values, take, first);
                if (first + take == length) {
                    f_.combine(out_, lanes_, length);
                    out_ += f_.item;
                }
            }
            values += take * f_.item;
            n -= take;
            position_ += take;
            if (position_ == points_) position_ = 0;
        }
    }

  private:
    const Folding& f_;
    const int64_t points_;  // reduced points per kept point
    int64_t position_;      // in the reduced points
    char* out_;
    char* const lanes_;
};

}  // namespace

// Results of groups of leaves, for launches whose kept points alone do not occupy the threads: per reduction
// one array [group][kept point].
struct Reducer::Temporary {
    Temporary(const std::vector<Folding>& foldings, int64_t count) {
        for (const Folding& f : foldings) {
            bytes.push_back(count * f.item);
            data.push_back(MemoryPool::process().allocate(bytes.back()));
        }
    }
    ~Temporary() {
        for (size_t r = 0; r < data.size(); ++r) MemoryPool::process().release(data[r], bytes[r]);
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    std::vector<char*> data;
    std::vector<int64_t> bytes;
};

Reducer::Reducer(CpuProgram* program, const kernel::Launch& launch, bool noting)
    : p_(*program),
      l_(launch),
      pointers_([&] {
          std::vector<char*> v(program->kernel_.accesses.size() + program->foldings_.size(), nullptr);
          std::copy_n(launch.pointers, program->kernel_.accesses.size(), v.begin());
          return v;
      }()),
      inner_(noting
                 ? program->linear_.pick_plain(pointers_.data())
                 : program->linear_.pick(pointers_.data(), program->kept_points_ * program->reduced_points_)),
      folded_(noting ? nullptr : pick_folded()),
      outer_(!program->use_outer_ ? nullptr
             : noting
                 ? &program->outer_.pick_plain(pointers_.data())
                 : &program->outer_.pick(pointers_.data(), program->kept_points_ * program->reduced_points_)),
      finish_code_(noting ? program->finish_.pick_plain(pointers_.data())
                          : program->finish_.pick(pointers_.data(), program->kept_points_)),
      noting_(noting),
      notes_{launch.wanted, launch.raised},
      fold_notes_{launch.wanted, launch.raised ? launch.raised + program->kernel_.tape.size() : nullptr},
      finish_notes_{launch.wanted, launch.raised ? fold_notes_.raised + program->foldings_.size() : nullptr},
      reductions_(program->foldings_.size()),
      points_(program->reduced_points_),
      leaves_(program->leaves_),
      group_leaves_(leaves_per_group(program->leaves_)),
      groups_((program->leaves_ + group_leaves_ - 1) / group_leaves_) {}

void Reducer::launch() {
    watched([&] {
        if (l_.partials)
            launch_partials();
        else
            launch_all();
    });
}

template <class F>
void Reducer::watched(F&& f) {
    if (l_.wanted == 0) return f();
    take_kinds(0);
    f();
    const uint8_t kinds = take_kinds(l_.wanted);
    if (kinds == 0) return;
    kinds_.fetch_or(kinds, std::memory_order_relaxed);
    // What the entries of the tapes did not take is of the folding.
    if (noting_) fold_notes_.add(0, kinds);
}

void Reducer::note_fold(size_t r) {
    if (!noting_) return;
    if (const uint8_t kinds = take_kinds(l_.wanted)) fold_notes_.add(static_cast<int64_t>(r), kinds);
}

bool Reducer::in_place() {
    for (const BlockCode* c : {&inner_, outer_, &finish_code_})
        if (c && Variants::in_place(*c, pointers_.data())) return true;
    return false;
}

int64_t Reducer::kept_per_task(int threads) const {
    const int64_t kept = p_.kept_points_;
    int64_t n = std::clamp<int64_t>(kTaskPoints / std::max<int64_t>(points_, 1), 1, kMostKept);
    if (threads > 1) n = std::min(n, (kept + 4 * threads - 1) / (4 * threads));
    return std::max<int64_t>(n, 1);
}

void Reducer::launch_all() {
    const int64_t kept = p_.kept_points_;
    if (kept == 0) return;
    if (points_ == 0) return finish_partials(0, kept);
    ThreadPool& pool = ThreadPool::process();
    const BlockCode& code = outer_ ? *outer_ : inner_;
    const double ns = code.ns_per_point + 0.1 + (outer_ ? 0 : 20.0 / static_cast<double>(points_));
    const bool parallel = chunk_points(kept * points_, ns, 1, pool.threads(), pool.hot()) > 0;
    const int threads = parallel ? pool.threads() : 1;
    auto run = [&](int64_t tasks, auto&& f) {
        if (parallel)
            pool.run(tasks, [&](int64_t t, int) { watched([&] { f(t); }); });
        else
            for (int64_t t = 0; t < tasks; ++t) f(t);
    };
    if (outer_) {
        // Rows as wide as they come where groups of leaves give every thread enough to do.
        const bool by_groups = groups_ >= 4 * threads;
        std::vector<std::pair<int64_t, int64_t>> blocks;
        outer_blocks(by_groups ? 1 : threads, &blocks, 0, kept);
        const int64_t count = static_cast<int64_t>(blocks.size());
        if (!parallel || groups_ == 1 || count >= 4 * threads) {
            run(count, [&](int64_t t) {
                outer_kept_task(blocks[static_cast<size_t>(t)].first, blocks[static_cast<size_t>(t)].second);
            });
            return;
        }
        const Temporary temporary(p_.foldings_, groups_ * kept);
        run(count * groups_, [&](int64_t t) {
            const auto& b = blocks[static_cast<size_t>(t / groups_)];
            outer_group_task(b.first, b.second, t % groups_, temporary);
        });
        return finish_groups(temporary);
    }
    if (!parallel || groups_ == 1 || kept >= 8 * threads) {
        const int64_t step = kept_per_task(threads);
        run((kept + step - 1) / step,
            [&](int64_t t) { inner_kept_task(t * step, std::min(kept, (t + 1) * step)); });
        return;
    }
    const Temporary temporary(p_.foldings_, groups_ * kept);
    run(kept * groups_, [&](int64_t t) { inner_group_task(t, temporary); });
    finish_groups(temporary);
}

// --- inner walk ---

// The code that folds, where stores may go straight to memory; otherwise the plain walk has them.
const BlockCode* Reducer::pick_folded() const {
    if (!p_.use_folded_) return nullptr;
    const BlockCode& code = p_.folded_.pick(const_cast<char* const*>(pointers_.data()), 0);
    return code.folds ? &code : nullptr;
}

// One thread's frames for units of the inner walk, which are packed per reduction in `out` from `base` on.
struct Reducer::UnitFolder {
    UnitFolder(Reducer* reducer, int64_t first, char* const* results, Scratch* scratch)
        : r(*reducer),
          base(first),
          out(results),
          plain(r.inner_, scratch, r.l_.constants, r.noting_ ? &r.notes_ : nullptr),
          folders(scratch->take<LeafFolder>(static_cast<int64_t>(r.reductions_))),
          lanes(scratch->take<char>(static_cast<int64_t>(r.reductions_) * kMostLanes)) {
        start_launch(r.inner_, plain, r.pointers_.data());
        if (!r.folded_) return;
        folding.emplace(*r.folded_, scratch, r.l_.constants);
        start_launch(*r.folded_, *folding, r.pointers_.data());
    }

    char* place(size_t i, int64_t unit) const { return out[i] + (unit - base) * r.p_.foldings_[i].item; }
    int64_t point(int64_t unit) const { return unit / r.leaves_ * r.points_ + unit % r.leaves_ * kLeaf; }

    void run(int64_t begin, int64_t end) {
        if (begin >= end) return;
        for (size_t i = 0; i < r.reductions_; ++i)
            new (folders + i) LeafFolder(r.p_.foldings_[i], r.points_, begin % r.leaves_ * kLeaf,
                                         place(i, begin), lanes + static_cast<int64_t>(i) * kMostLanes);
        walk(r.inner_, plain, r.pointers_.data(), point(begin), point(end), false, [&](int64_t n) {
            for (size_t i = 0; i < r.reductions_; ++i) {
                folders[i].feed(static_cast<const char*>(plain.table[r.inner_.results[i]]), n);
                r.note_fold(i);
            }
        });
    }

    // Whole leaves only, one after the other: machine code leaves their lanes.
    void run_whole(int64_t begin, int64_t end) {
        int64_t unit = begin;
        walk(*r.folded_, *folding, r.pointers_.data(), point(begin), point(begin) + (end - begin) * kLeaf,
             false, [&](int64_t n) {
                 for (size_t i = 0; i < r.reductions_; ++i) {
                     const Folding& f = r.p_.foldings_[i];
                     const char* from = static_cast<const char*>(folding->table[r.folded_->results[i]]);
                     for (int64_t k = 0; k < n / kLeaf; ++k)
                         f.combine(place(i, unit + k), from + k * kLanes * f.item, kLeaf);
                 }
                 unit += n / kLeaf;
             });
    }

    Reducer& r;
    const int64_t base;
    char* const* out;
    const Frame plain;
    std::optional<Frame> folding;  // where there is such code
    LeafFolder* const folders;
    char* const lanes;
};

int64_t Reducer::fold_units_bytes() const {
    const int64_t folders =
        static_cast<int64_t>(reductions_) * (kMostLanes + padded(sizeof(LeafFolder))) + 128;
    return frame_bytes(inner_) + folders + (folded_ ? frame_bytes(*folded_) : 0);
}

void Reducer::fold_units(int64_t begin, int64_t end, char* const* out, Scratch* scratch) {
    UnitFolder folder(this, begin, out, scratch);
    if (!folded_) return folder.run(begin, end);
    const int64_t whole = points_ / kLeaf;  // of a kept point; its last leaf may be shorter
    if (whole == leaves_) return folder.run_whole(begin, end);
    for (int64_t u = begin; u < end;) {
        const int64_t first = u - u % leaves_, rest = std::clamp(first + whole, u, end);
        if (u < rest) folder.run_whole(u, rest);
        u = std::min(first + leaves_, end);
        folder.run(rest, u);
    }
}

void Reducer::inner_kept_task(int64_t begin, int64_t end) {
    const int64_t units = (end - begin) * leaves_;
    int64_t bytes =
        fold_units_bytes() + finish_bytes(end - begin) + padded(static_cast<int64_t>(reductions_) * 8);
    for (const Folding& f : p_.foldings_) bytes += padded(units * f.item);
    Scratch scratch(bytes);
    char** out = scratch.take<char*>(static_cast<int64_t>(reductions_));
    for (size_t r = 0; r < reductions_; ++r) out[r] = scratch.take<char>(units * p_.foldings_[r].item);
    fold_units(begin * leaves_, end * leaves_, out, &scratch);
    for (size_t r = 0; r < reductions_ && leaves_ > 1; ++r) {
        const Folding& f = p_.foldings_[r];
        for (int64_t k = 0; k < end - begin; ++k) {
            char* v = out[r] + k * leaves_ * f.item;
            combine_leaves(leaves_,
                           [&](int64_t i, int64_t j) { combine_one(f, v + i * f.item, v + j * f.item); });
            std::memmove(out[r] + k * f.item, v, static_cast<size_t>(f.item));
        }
    }
    finish(begin, end, out, &scratch);
}

void Reducer::inner_group_task(int64_t task, const Temporary& t) {
    const int64_t kept = task / groups_, group = task % groups_;
    const int64_t first = group * group_leaves_, count = std::min(group_leaves_, leaves_ - first);
    int64_t bytes = fold_units_bytes() + padded(static_cast<int64_t>(reductions_) * 8);
    for (const Folding& f : p_.foldings_) bytes += padded(count * f.item);
    Scratch scratch(bytes);
    char** out = scratch.take<char*>(static_cast<int64_t>(reductions_));
    for (size_t r = 0; r < reductions_; ++r) out[r] = scratch.take<char>(count * p_.foldings_[r].item);
    fold_units(kept * leaves_ + first, kept * leaves_ + first + count, out, &scratch);
    for (size_t r = 0; r < reductions_; ++r) {
        const Folding& f = p_.foldings_[r];
        combine_leaves(
            count, [&](int64_t i, int64_t j) { combine_one(f, out[r] + i * f.item, out[r] + j * f.item); });
        std::memcpy(t.data[r] + (group * p_.kept_points_ + kept) * f.item, out[r],
                    static_cast<size_t>(f.item));
    }
}

void Reducer::inner_partials_task(int64_t begin, int64_t end) {
    int64_t bytes = fold_units_bytes() + padded(static_cast<int64_t>(reductions_) * 8);
    for (const Folding& f : p_.foldings_) bytes += padded((end - begin) * f.item);
    Scratch scratch(bytes);
    char** out = scratch.take<char*>(static_cast<int64_t>(reductions_));
    for (size_t r = 0; r < reductions_; ++r)
        out[r] = scratch.take<char>((end - begin) * p_.foldings_[r].item);
    fold_units(begin, end, out, &scratch);
    const int64_t units = p_.kept_points_ * leaves_;
    for (size_t r = 0; r < reductions_; ++r) {
        const int64_t item = p_.foldings_[r].item;
        char* to = l_.partials + static_cast<int64_t>(r) * units * kPartial;
        for (int64_t u = begin; u < end; ++u)
            std::memcpy(to + u * kPartial, out[r] + (u - begin) * item, static_cast<size_t>(item));
    }
}

// --- outer walk ---

// One thread's state: a frame, the walk's base addresses and the lanes, each as wide as the block of kept
// points.
struct Reducer::OuterState {
    OuterState(const Reducer& r, int64_t n, Scratch* scratch)
        : frame(*r.outer_, scratch, r.l_.constants, r.noting_ ? &r.notes_ : nullptr),
          coords(scratch->take<int64_t>(static_cast<int64_t>(r.p_.reduced_shape_.size()))),
          lanes(scratch->take<char*>(static_cast<int64_t>(r.reductions_))),
          at_lane(scratch->take<const char*>(static_cast<int64_t>(r.reductions_) * kLanes)),
          tree(scratch->take<char*>(static_cast<int64_t>(r.reductions_) * kTreeDepth)) {
        for (size_t i = 0; i < r.reductions_; ++i) {
            lanes[i] = scratch->take<char>(kLanes * n * r.p_.foldings_[i].item);
            for (int d = 0; d < r.tree_depth(); ++d)
                tree[i * kTreeDepth + static_cast<size_t>(d)] =
                    scratch->take<char>(n * r.p_.foldings_[i].item);
        }
        start_launch(*r.outer_, frame, r.pointers_.data());
    }
    Frame frame;
    int64_t* coords;       // of the reduced point
    char** lanes;          // per reduction
    const char** at_lane;  // per reduction and lane: where its values lie, in `lanes` or still in the memory
                           // they came from
    char** tree;           // per reduction and level
    int64_t column = 0;
};

int Reducer::tree_depth() const {
    int depth = 2;
    for (int64_t n = leaves_; n > 1; n = (n + 1) / 2) ++depth;
    return depth;
}

int64_t Reducer::outer_bytes(int64_t n) const {
    int64_t bytes = frame_bytes(*outer_) + padded(static_cast<int64_t>(p_.reduced_shape_.size()) * 8) + 64 +
                    3 * padded(static_cast<int64_t>(reductions_) * kTreeDepth * 8);
    for (const Folding& f : p_.foldings_)
        bytes += padded(kLanes * n * f.item) + tree_depth() * padded(n * f.item);
    return bytes;
}

// Blocks of kept points that one walk takes side by side: pieces of one row, or of several where rows are
// short.
void Reducer::outer_blocks(int threads, std::vector<std::pair<int64_t, int64_t>>* blocks, int64_t begin,
                           int64_t end) const {
    const int64_t row = outer_->rows ? end - begin : outer_->inner();
    int64_t width = std::min(kOuterWidth, outer_->block);
    if (threads > 1) width = std::min(width, std::max(kLeastWidth, (row + threads - 1) / threads));
    for (int64_t k = begin; k < end;) {
        const int64_t left = outer_->rows ? end - k : std::min(end - k, row - k % row);
        const int64_t n = std::min(width, left);
        blocks->emplace_back(k, n);
        k += n;
    }
}

template <class Emit>
void Reducer::outer_leaves(OuterState* s, int64_t begin, int64_t n, int64_t first, int64_t last,
                           Emit&& emit) {
    const BlockCode& code = *outer_;
    const Frame& f = s->frame;
    if (code.rows) {
        for (size_t a = 0; a < code.accesses.size(); ++a)
            f.at[a] = address(pointers_[static_cast<size_t>(code.accesses[a].pointer)]);
        unravel(code.shape, begin, f.coords);
        s->column = begin;
    } else {
        unravel(code.shape, begin, f.coords);
        place_row(code, f, pointers_.data(), f.coords);
        s->column = f.coords[code.ndim() - 1];
    }
    const std::vector<int64_t>& shape = p_.reduced_shape_;
    unravel(shape, first * kLeaf, s->coords);
    for (size_t a = 0; a < code.accesses.size(); ++a)
        for (size_t d = 0; d < shape.size(); ++d) f.at[a] += s->coords[d] * p_.reduced_strides_[a][d];
    for (int64_t leaf = first; leaf < last; ++leaf) {
        const int64_t length = leaf_points(points_, leaf);
        for (int64_t i = 0; i < length; ++i) {
            outer_point(s, n, i);
            next_reduced(s);
        }
        for (size_t r = 0; r < reductions_; ++r) {
            const Folding& fold = p_.foldings_[r];
            const char** at = s->at_lane + r * kLanes;
            combine_leaves(std::min<int64_t>(length, kLanes), [&](int64_t i, int64_t j) {
                char* lane = s->lanes[r] + i * n * fold.item;
                const void* in[2] = {at[i], at[j]};
                fold.pairwise(lane, in, n);
                at[i] = lane;
            });
        }
        emit(leaf);
    }
}

// Runs the tape for one reduced point over n kept points and folds the values into lane i % 8.
void Reducer::outer_point(OuterState* s, int64_t n, int64_t i) {
    const BlockCode& code = *outer_;
    start_row(code, s->frame);
    set_movers(code.block_movers, s->frame, s->column);
    run_body(code, s->frame, n);
    prefetch_next(s, n);
    for (size_t r = 0; r < reductions_; ++r) {
        const Folding& fold = p_.foldings_[r];
        char* lane = s->lanes[r] + i % kLanes * n * fold.item;
        const char*& at = s->at_lane[r * kLanes + static_cast<size_t>(i % kLanes)];
        const char* value = static_cast<const char*>(s->frame.table[code.results[r]]);
        if (i < kLanes && code.results_stay[r]) {
            at = value;
            continue;
        }
        if (i < kLanes) {
            std::memcpy(lane, value, static_cast<size_t>(n * fold.item));
        } else {
            const void* in[2] = {at, value};
            fold.pairwise(lane, in, n);
            note_fold(r);
        }
        at = lane;
    }
}

// Rows of a block are short and far apart, which the processor's own prefetcher does not follow: asks for the
// one after the next.
void Reducer::prefetch_next(OuterState* s, int64_t n) const {
    if (p_.reduced_shape_.empty()) return;
    for (const Mover& m : outer_->block_movers) {
        const WalkAccess& a = outer_->accesses[static_cast<size_t>(m.access)];
        const int64_t bytes = n * m.inner,
                      ahead = 2 * p_.reduced_strides_[static_cast<size_t>(m.access)].back();
        if (a.index || a.stores || bytes < 256 || bytes > 16384 || std::abs(ahead) < 2 * bytes) continue;
        const int64_t next = address(static_cast<const char*>(s->frame.table[m.entry])) + ahead;
        for (int64_t at = 0; at < bytes; at += 64)
            __builtin_prefetch(reinterpret_cast<const void*>(next + at));
    }
}

void Reducer::next_reduced(OuterState* s) {
    const std::vector<int64_t>& shape = p_.reduced_shape_;
    const size_t accesses = outer_->accesses.size();
    for (size_t d = shape.size(); d-- > 0;) {
        if (s->coords[d] + 1 < shape[d]) {
            ++s->coords[d];
            for (size_t a = 0; a < accesses; ++a) s->frame.at[a] += p_.reduced_strides_[a][d];
            return;
        }
        for (size_t a = 0; a < accesses; ++a) s->frame.at[a] -= s->coords[d] * p_.reduced_strides_[a][d];
        s->coords[d] = 0;
    }
}

// Leaves [first, last), first aligned to the tree, into one result per kept point; `out` tells where they
// lie.
void Reducer::outer_tree(OuterState* s, int64_t begin, int64_t n, int64_t first, int64_t last,
                         const char** out) {
    if (last - first == 1) {
        outer_leaves(s, begin, n, first, last, [&](int64_t) {
            for (size_t r = 0; r < reductions_; ++r) out[r] = s->at_lane[r * kLanes];
        });
        return;
    }
    int depth = 0;
    auto combine_top = [&] {
        --depth;
        for (size_t r = 0; r < reductions_; ++r) {
            char** level = s->tree + r * kTreeDepth + depth;
            const void* in[2] = {level[-1], level[0]};
            p_.foldings_[r].pairwise(level[-1], in, n);
        }
    };
    // As a binary counter: after leaf number t the stack holds one subtree per set bit of t.
    outer_leaves(s, begin, n, first, last, [&](int64_t leaf) {
        for (size_t r = 0; r < reductions_; ++r)
            std::memcpy(s->tree[r * kTreeDepth + static_cast<size_t>(depth)], s->at_lane[r * kLanes],
                        static_cast<size_t>(n * p_.foldings_[r].item));
        ++depth;
        for (int64_t t = leaf - first + 1; t % 2 == 0; t /= 2) combine_top();
    });
    while (depth > 1) combine_top();
    for (size_t r = 0; r < reductions_; ++r) out[r] = s->tree[r * kTreeDepth];
}

void Reducer::outer_kept_task(int64_t begin, int64_t n) {
    Scratch scratch(outer_bytes(n) + finish_bytes(n) + padded(static_cast<int64_t>(reductions_) * 8));
    const char** out = scratch.take<const char*>(static_cast<int64_t>(reductions_));
    OuterState state(*this, n, &scratch);
    outer_tree(&state, begin, n, 0, leaves_, out);
    finish(begin, begin + n, out, &scratch);
}

void Reducer::outer_group_task(int64_t begin, int64_t n, int64_t group, const Temporary& t) {
    Scratch scratch(outer_bytes(n) + padded(static_cast<int64_t>(reductions_) * 8));
    const char** out = scratch.take<const char*>(static_cast<int64_t>(reductions_));
    OuterState state(*this, n, &scratch);
    outer_tree(&state, begin, n, group * group_leaves_, std::min(leaves_, (group + 1) * group_leaves_), out);
    for (size_t r = 0; r < reductions_; ++r) {
        const int64_t item = p_.foldings_[r].item;
        std::memcpy(t.data[r] + (group * p_.kept_points_ + begin) * item, out[r],
                    static_cast<size_t>(n * item));
    }
}

void Reducer::outer_partials_task(int64_t begin, int64_t n) {
    Scratch scratch(outer_bytes(n));
    OuterState state(*this, n, &scratch);
    const int64_t units = p_.kept_points_ * leaves_;
    outer_leaves(&state, begin, n, 0, leaves_, [&](int64_t leaf) {
        for (size_t r = 0; r < reductions_; ++r) {
            const int64_t item = p_.foldings_[r].item;
            char* to = l_.partials + (static_cast<int64_t>(r) * units + begin * leaves_ + leaf) * kPartial;
            for (int64_t k = 0; k < n; ++k)
                std::memcpy(to + k * leaves_ * kPartial, state.at_lane[r * kLanes] + k * item,
                            static_cast<size_t>(item));
        }
    });
}

// --- parts ---

void Reducer::launch_partials() {
    if (l_.begin >= l_.end) return;
    ThreadPool& pool = ThreadPool::process();
    const BlockCode& code = outer_ ? *outer_ : inner_;
    const int64_t points = (l_.end - l_.begin) * std::min(points_, kLeaf);
    const bool parallel = chunk_points(points, code.ns_per_point + 0.1, 1, pool.threads(), pool.hot()) > 0;
    auto run = [&](int64_t tasks, auto&& f) {
        if (parallel)
            pool.run(tasks, [&](int64_t t, int) { watched([&] { f(t); }); });
        else
            for (int64_t t = 0; t < tasks; ++t) f(t);
    };
    const int64_t step = std::max<int64_t>(1, kTaskPoints / std::min(points_, kLeaf));
    auto inner = [&](int64_t begin, int64_t end) {
        if (begin < end)
            run((end - begin + step - 1) / step, [&](int64_t t) {
                inner_partials_task(begin + t * step, std::min(end, begin + (t + 1) * step));
            });
    };
    const int64_t first = (l_.begin + leaves_ - 1) / leaves_,
                  last = l_.end / leaves_;  // kept points that are here as a whole
    if (!outer_ || first >= last) return inner(l_.begin, l_.end);
    inner(l_.begin, first * leaves_);
    std::vector<std::pair<int64_t, int64_t>> blocks;
    outer_blocks(parallel ? pool.threads() : 1, &blocks, first, last);
    run(static_cast<int64_t>(blocks.size()), [&](int64_t t) {
        outer_partials_task(blocks[static_cast<size_t>(t)].first, blocks[static_cast<size_t>(t)].second);
    });
    inner(last * leaves_, l_.end);
}

// Combines the partial results of kept points [begin, end) and runs the finish tape. Without reduced points:
// the identities.
void Reducer::finish_partials(int64_t begin, int64_t end) {
    const int64_t units = p_.kept_points_ * leaves_;
    const int64_t step =
        std::max<int64_t>(1, std::min<int64_t>(kMostKept, kTaskPoints / std::max<int64_t>(leaves_, 1)));
    auto part = [&](int64_t first, int64_t last) {
        int64_t bytes = finish_bytes(last - first) + padded(static_cast<int64_t>(reductions_) * 8);
        for (const Folding& f : p_.foldings_)
            bytes += padded((last - first) * f.item) + padded(leaves_ * f.item);
        Scratch scratch(bytes);
        char** out = scratch.take<char*>(static_cast<int64_t>(reductions_));
        for (size_t r = 0; r < reductions_; ++r) {
            const Folding& f = p_.foldings_[r];
            out[r] = scratch.take<char>((last - first) * f.item);
            char* leaf = scratch.take<char>(leaves_ * f.item);
            for (int64_t k = first; k < last; ++k) {
                char* result = out[r] + (k - first) * f.item;
                if (leaves_ == 0) {
                    std::memcpy(result, f.identity.bytes, static_cast<size_t>(f.item));
                    continue;
                }
                const char* from = l_.partials + (static_cast<int64_t>(r) * units + k * leaves_) * kPartial;
                for (int64_t i = 0; i < leaves_; ++i)
                    std::memcpy(leaf + i * f.item, from + i * kPartial, static_cast<size_t>(f.item));
                combine_leaves(leaves_, [&](int64_t i, int64_t j) {
                    combine_one(f, leaf + i * f.item, leaf + j * f.item);
                });
                std::memcpy(result, leaf, static_cast<size_t>(f.item));
            }
        }
        finish(first, last, out, &scratch);
    };
    watched([&] {
        for (int64_t k = begin; k < end; k += step) part(k, std::min(end, k + step));
    });
}

void Reducer::finish_groups(const Temporary& t) {
    const int64_t kept = p_.kept_points_;
    for (int64_t k = 0; k < kept; k += kMostKept) {
        const int64_t n = std::min(kMostKept, kept - k);
        Scratch scratch(finish_bytes(n) + padded(static_cast<int64_t>(reductions_) * 8));
        char** out = scratch.take<char*>(static_cast<int64_t>(reductions_));
        for (size_t r = 0; r < reductions_; ++r) {
            const Folding& f = p_.foldings_[r];
            combine_leaves(groups_, [&](int64_t i, int64_t j) {
                const void* in[2] = {t.data[r] + (i * kept + k) * f.item,
                                     t.data[r] + (j * kept + k) * f.item};
                f.pairwise(t.data[r] + (i * kept + k) * f.item, in, n);
            });
            out[r] = t.data[r] + k * f.item;
        }
        finish(k, k + n, out, &scratch);
    }
}

int64_t Reducer::finish_bytes(int64_t) const {
    return frame_bytes(finish_code_) + padded(static_cast<int64_t>(pointers_.size()) * 8) + 64;
}

void Reducer::finish(int64_t begin, int64_t end, const char* const* accumulators, Scratch* scratch) {
    char** pointers = scratch->take<char*>(static_cast<int64_t>(pointers_.size()));
    std::copy(pointers_.begin(), pointers_.end(), pointers);
    // As if the arrays began at kept point 0.
    for (size_t r = 0; r < reductions_; ++r)
        pointers[p_.kernel_.accesses.size() + r] =
            reinterpret_cast<char*>(address(accumulators[r]) - begin * p_.foldings_[r].item);
    note_fold(0);
    const Frame f(finish_code_, scratch, l_.constants, noting_ ? &finish_notes_ : nullptr);
    start_launch(finish_code_, f, pointers);
    walk(finish_code_, f, pointers, begin, end, true, [](int64_t) {});
}

}  // namespace numloom::cpu
