// Lowering: one group becomes one kernel. Values are numbered, so that equal loads, casts and computations
// exist once.
#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "plan/plan.hpp"

namespace numloom::plan {
namespace {

using kernel::TapeEntry;
using kernel::TapeKind;

class Lowering {
  public:
    Lowering(const Draft& d, const Group& g) : d_(d), g_(g) {}

    Step run() {
        std::vector<std::pair<int32_t, bool>> order;  // main nodes, then finish nodes
        for (int32_t i : g_.main) order.emplace_back(i, false);
        for (int32_t i : g_.finish) order.emplace_back(i, true);
        std::sort(order.begin(), order.end(), [](auto& a, auto& b) {
            return std::pair(a.second, a.first) < std::pair(b.second, b.first);
        });
        for (auto [i, finish] : order) lower_node(d_.nodes[static_cast<size_t>(i)], finish);
        store_results();
        drop_unused();
        for (ViewId v : g_.renamed) step_.renamed.push_back(d_.slot_of(v));
        order_dimensions();
        merge_dimensions();
        if (step_.kernel.shape.empty()) add_point_dimension();
        for (auto [i, finish] : order)
            step_.instructions.push_back(d_.nodes[static_cast<size_t>(i)].instruction);
        return std::move(step_);
    }

  private:
    struct Written {  // current value of a use
        Use use;
        bool finish;
        int32_t value;
        DType dtype;
    };

    std::vector<TapeEntry>& tape(bool finish) { return finish ? step_.kernel.finish : step_.kernel.tape; }

    int32_t emit(bool finish, const TapeEntry& e) {
        std::vector<TapeEntry>& t = tape(finish);
        for (size_t i = 0; i < t.size() && e.kind != TapeKind::Store; ++i)
            if (t[i].kind == e.kind && t[i].op == e.op && t[i].type == e.type && t[i].from == e.from &&
                t[i].index == e.index && std::equal(t[i].in, t[i].in + 3, e.in)) {
                if (e.kind == TapeKind::Compute || e.kind == TapeKind::Cast) share(t[i].origin);
                return static_cast<int32_t>(i);
            }
        t.push_back(e);
        t.back().origin = current_;
        return static_cast<int32_t>(t.size() - 1);
    }

    // The instruction that is being lowered uses what another one computes.
    void share(int32_t origin) {
        const std::pair<int32_t, int32_t> twins{origin, current_};
        if (origin != current_ &&
            std::find(step_.twins.begin(), step_.twins.end(), twins) == step_.twins.end())
            step_.twins.push_back(twins);
    }

    int32_t cast(bool finish, int32_t value, DType from, DType to) {
        if (from == to) return value;
        TapeEntry e{TapeKind::Cast};
        e.type = to;
        e.from = from;
        e.in[0] = value;
        return emit(finish, e);
    }

    int32_t load(bool finish, const Use& u, DType* dtype) {
        *dtype = d_.view(u.view).dtype;
        for (size_t i = written_.size(); i-- > 0;)
            if (written_[i].finish == finish && d_.slot_of(written_[i].use.view) == d_.slot_of(u.view) &&
                d_.pointwise(written_[i].use, u))
                return written_[i].value;
        TapeEntry e{TapeKind::Load};
        e.type = *dtype;
        e.index = access(u, finish, false);
        return emit(finish, e);
    }

    int32_t access(const Use& u, bool finish, bool stores) {
        kernel::Access a;
        a.view = u.view;
        a.dtype = d_.view(u.view).dtype;
        a.stores = stores;
        a.shadow = stores && std::any_of(g_.renamed.begin(), g_.renamed.end(),
                                         [&](ViewId v) { return d_.slot_of(v) == d_.slot_of(u.view); });
        a.strides = spread(u.strides, finish);
        std::vector<kernel::Access>& all = step_.kernel.accesses;
        for (size_t i = 0; i < all.size(); ++i)
            if (all[i].view == a.view && all[i].stores == stores && all[i].strides == a.strides)
                return static_cast<int32_t>(i);
        all.push_back(a);
        step_.accesses.push_back({u.view, 0, -1});
        return static_cast<int32_t>(all.size() - 1);
    }

    // Strides over the kept dimensions as strides over all of the group's.
    std::vector<int64_t> spread(const std::vector<int64_t>& strides, bool finish) const {
        if (!finish) return strides;
        std::vector<int64_t> s(g_.shape.size(), 0);
        for (size_t k = 0, j = 0; k < g_.shape.size(); ++k)
            if (!(g_.reduced >> k & 1)) s[k] = strides[j++];
        return s;
    }

    int32_t constant(bool finish, int32_t instruction, int32_t input, DType dtype) {
        size_t i = 0;
        while (i < step_.constants.size() &&
               (step_.constants[i].instruction != instruction || step_.constants[i].input != input))
            ++i;
        if (i == step_.constants.size()) {
            step_.constants.push_back({instruction, input});
            step_.kernel.constants.push_back(dtype);
        }
        TapeEntry e{TapeKind::Constant};
        e.type = dtype;
        e.index = static_cast<int32_t>(i);
        return emit(finish, e);
    }

    int32_t input(const Node& n, int k, bool finish, DType want) {
        const Instruction& x = d_.segment->log()[static_cast<size_t>(n.instruction)];
        DType dtype;
        int32_t v;
        if (n.in[k].view >= 0) {
            v = load(finish, n.in[k], &dtype);
        } else {
            dtype = x.in[k].dtype;
            v = constant(finish, n.instruction, k, dtype);
        }
        return cast(finish, v, dtype, want);
    }

    void lower_node(const Node& n, bool finish) {
        current_ = n.instruction;
        if (n.form == Form::Reduce) return lower_reduce(n);
        int32_t v;
        DType dtype;
        if (n.form == Form::Index) {
            v = index_load(n);
            dtype = DType::Int64;
        } else if (n.op == OpCode::Copy) {  // a conversion at most
            dtype = n.loop;
            v = input(n, 0, finish, dtype);
        } else {
            TapeEntry e{TapeKind::Compute};
            e.op = n.op;
            e.type = n.loop;
            for (int k = 0; k < n.inputs; ++k)
                e.in[k] = input(n, k, finish, n.op == OpCode::Where && k == 0 ? DType::Bool : n.loop);
            dtype = result_dtype(n.op, n.loop);
            v = emit(finish, e);
        }
        write(n.out, finish, v, dtype);
    }

    int32_t index_load(const Node& n) {
        kernel::Access a;
        a.view = -1;
        a.dtype = DType::Int64;
        a.strides = n.steps;
        step_.kernel.accesses.push_back(a);
        step_.accesses.push_back({kNone, 0, n.instruction});
        TapeEntry e{TapeKind::Load};
        e.type = DType::Int64;
        e.index = static_cast<int32_t>(step_.kernel.accesses.size() - 1);
        return emit(false, e);
    }

    void lower_reduce(const Node& n) {
        DType dtype;
        const int32_t v = load(false, n.in[0], &dtype);
        kernel::Reduction r{n.op, n.loop, cast(false, v, dtype, n.loop), current_};
        std::vector<kernel::Reduction>& all = step_.kernel.reductions;
        size_t i = 0;
        while (i < all.size() && (all[i].op != r.op || all[i].type != r.type || all[i].value != r.value)) ++i;
        if (i == all.size())
            all.push_back(r);
        else
            share(all[i].origin);
        TapeEntry e{TapeKind::Reduced};
        e.type = n.loop;
        e.index = static_cast<int32_t>(i);
        int32_t result = emit(true, e);
        if (starts_from_zero(n.op, n.loop)) {
            TapeEntry sum{TapeKind::Compute};
            sum.op = OpCode::Add;
            sum.type = n.loop;
            sum.in[0] = constant(true, n.instruction, 1, n.loop);
            sum.in[1] = result;
            result = emit(true, sum);
        }
        write(n.out, true, result, n.loop);
    }

    void write(const Use& out, bool finish, int32_t value, DType dtype) {
        const DType stored = d_.view(out.view).dtype;
        value = cast(finish, value, dtype, stored);
        std::erase_if(written_, [&](const Written& w) {
            return w.finish == finish && d_.slot_of(w.use.view) == d_.slot_of(out.view) &&
                   d_.pointwise(w.use, out);
        });
        written_.push_back({out, finish, value, stored});
    }

    void store_results() {
        for (const Written& w : written_) {
            if (d_.contracted[static_cast<size_t>(d_.slot_of(w.use.view))]) continue;
            TapeEntry e{TapeKind::Store};
            e.type = w.dtype;
            e.index = access(w.use, w.finish, true);
            e.in[0] = w.value;
            tape(w.finish).push_back(e);
        }
    }

    // Removes entries, accesses and constants that nothing needs.
    void drop_unused() {
        kernel::Kernel& k = step_.kernel;
        std::vector<uint8_t> used_access(k.accesses.size(), 0), used_constant(k.constants.size(), 0);
        auto compact = [&](std::vector<TapeEntry>& t, std::vector<uint8_t>& need) {
            std::vector<int32_t> number(t.size(), -1);
            for (size_t i = t.size(); i-- > 0;) {
                need[i] |= t[i].kind == TapeKind::Store;
                if (!need[i]) continue;
                for (int32_t in : t[i].in)
                    if (in >= 0) need[static_cast<size_t>(in)] = 1;
                if (t[i].kind == TapeKind::Load || t[i].kind == TapeKind::Store)
                    used_access[static_cast<size_t>(t[i].index)] = 1;
                if (t[i].kind == TapeKind::Constant) used_constant[static_cast<size_t>(t[i].index)] = 1;
            }
            size_t n = 0;
            for (size_t i = 0; i < t.size(); ++i) {
                if (!need[i]) continue;
                for (int32_t& in : t[i].in)
                    if (in >= 0) in = number[static_cast<size_t>(in)];
                number[i] = static_cast<int32_t>(n);
                t[n++] = t[i];
            }
            t.resize(n);
            return number;
        };
        std::vector<uint8_t> need(k.tape.size(), 0), need_finish(k.finish.size(), 0);
        compact(k.finish, need_finish);
        for (const kernel::Reduction& r : k.reductions) need[static_cast<size_t>(r.value)] = 1;
        const std::vector<int32_t> number = compact(k.tape, need);
        for (kernel::Reduction& r : k.reductions) r.value = number[static_cast<size_t>(r.value)];
        renumber(used_access, TapeKind::Load, TapeKind::Store, [&](size_t from, size_t to) {
            k.accesses[to] = k.accesses[from];
            step_.accesses[to] = step_.accesses[from];
        });
        const auto accesses = static_cast<size_t>(std::count(used_access.begin(), used_access.end(), 1));
        k.accesses.resize(accesses);
        step_.accesses.resize(accesses);
        renumber(used_constant, TapeKind::Constant, TapeKind::Constant, [&](size_t from, size_t to) {
            k.constants[to] = k.constants[from];
            step_.constants[to] = step_.constants[from];
        });
        const auto constants = static_cast<size_t>(std::count(used_constant.begin(), used_constant.end(), 1));
        k.constants.resize(constants);
        step_.constants.resize(constants);
    }

    template <class Move>
    void renumber(const std::vector<uint8_t>& used, TapeKind a, TapeKind b, Move move) {
        std::vector<int32_t> number(used.size(), -1);
        size_t n = 0;
        for (size_t i = 0; i < used.size(); ++i)
            if (used[i]) {
                number[i] = static_cast<int32_t>(n);
                if (n != i) move(i, n);
                ++n;
            }
        for (bool finish : {false, true})
            for (TapeEntry& e : tape(finish))
                if (e.kind == a || e.kind == b) e.index = number[static_cast<size_t>(e.index)];
    }

    // Kept dimensions first, in the order in which memory is written (elementwise) or read (reductions);
    // elementwise kernels also walk every dimension in the direction of rising addresses. Reduced dimensions
    // keep their order: it decides the bits.
    void order_dimensions() {
        kernel::Kernel& k = step_.kernel;
        std::vector<size_t> kept, all;
        for (size_t i = 0; i < g_.shape.size(); ++i)
            if (!(g_.reduced >> i & 1)) kept.push_back(i);
        if (const kernel::Access* lead = lead_access())
            std::stable_sort(kept.begin(), kept.end(), [&](size_t a, size_t b) {
                return std::abs(lead->strides[a]) > std::abs(lead->strides[b]);
            });
        all = kept;
        for (size_t i = 0; i < g_.shape.size(); ++i)
            if (g_.reduced >> i & 1) all.push_back(i);
        const kernel::Access* lead = lead_access();
        std::vector<uint8_t> flip(all.size(), 0);
        for (size_t i = 0; i < kept.size() && lead; ++i) flip[i] = lead->strides[all[i]] < 0;
        k.kept = static_cast<int32_t>(kept.size());
        for (size_t i : all) k.shape.push_back(g_.shape[i]);
        for (size_t a = 0; a < k.accesses.size(); ++a) {
            std::vector<int64_t> s;
            for (size_t i = 0; i < all.size(); ++i) {
                const int64_t stride = k.accesses[a].strides[all[i]];
                if (flip[i]) step_.accesses[a].adjust += stride * (k.shape[i] - 1);
                s.push_back(flip[i] ? -stride : stride);
            }
            k.accesses[a].strides = std::move(s);
        }
    }

    const kernel::Access* lead_access() const {
        const kernel::Kernel& k = step_.kernel;
        const bool stores = !k.reduces();
        for (const kernel::Access& a : k.accesses)
            if (a.view >= 0 && a.stores == stores &&
                (stores || std::any_of(a.strides.begin(), a.strides.end(), [](int64_t s) { return s != 0; })))
                return &a;
        return nullptr;
    }

    void merge_dimensions() {
        kernel::Kernel& k = step_.kernel;
        for (size_t i = k.shape.size(); i-- > 1;) {
            if (static_cast<int32_t>(i) == k.kept) continue;  // kept and reduced stay apart
            const int64_t extent = k.shape[i];
            if (!std::all_of(k.accesses.begin(), k.accesses.end(), [&](const kernel::Access& a) {
                    return a.strides[i - 1] == a.strides[i] * extent;
                }))
                continue;
            k.shape[i - 1] *= extent;
            k.shape.erase(k.shape.begin() + static_cast<std::ptrdiff_t>(i));
            for (kernel::Access& a : k.accesses) {
                a.strides[i - 1] = a.strides[i];
                a.strides.erase(a.strides.begin() + static_cast<std::ptrdiff_t>(i));
            }
            if (static_cast<int32_t>(i) < k.kept) --k.kept;
        }
    }

    void add_point_dimension() {
        step_.kernel.shape.push_back(1);
        step_.kernel.kept = 1;
        for (kernel::Access& a : step_.kernel.accesses) a.strides.push_back(0);
    }

    const Draft& d_;
    const Group& g_;
    Step step_;
    int32_t current_ = -1;  // the instruction that is being lowered
    std::vector<Written> written_;
};

}  // namespace

Step lower(Draft& d, const Group& g) {
    if (g.form == Form::Call) {
        Step s;
        s.call = d.nodes[static_cast<size_t>(g.main[0])].instruction;
        s.instructions.push_back(s.call);
        return s;
    }
    return Lowering(d, g).run();
}

}  // namespace numloom::plan
