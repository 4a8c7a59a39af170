// Sinking: a temporary with one reader that has to wait for a reduction or a library call is computed where
// it is read, if that takes no more reading than the temporary itself would. In (x - x.mean(0)) / x.std(0)
// the difference is made beside the division: x is read once more there, and no array is written on the way.
#include <algorithm>

#include "plan/draft.hpp"

namespace numloom::plan {
namespace {

class Sinker {
  public:
    explicit Sinker(Draft& d) : d_(d), users_(d.slots.size()) {
        for (size_t i = 0; i < d_.nodes.size(); ++i) {
            const Node& n = d_.nodes[i];
            if (n.dead) continue;
            users_[slot(n.out.view)].writers.push_back(i);
            for (int k = 0; k < n.inputs; ++k)
                if (n.in[k].view >= 0) users_[slot(n.in[k].view)].readers.push_back(i);
        }
    }

    void run() {
        std::vector<std::pair<size_t, size_t>> moves;  // node, the reader before which it belongs
        std::vector<uint8_t> moved(d_.nodes.size(), 0);
        for (size_t i = d_.nodes.size(); i-- > 0;) {
            if (moved[i] || !sinkable(i)) continue;
            const size_t reader = users_[slot(d_.nodes[i].out.view)].readers.front();
            if (moved[reader] || !waits(i, reader)) continue;
            std::vector<size_t> chain{i};
            if (!collect(&chain, reader)) continue;
            for (size_t c : chain) {
                moves.emplace_back(c, reader);
                moved[c] = 1;
            }
        }
        if (!moves.empty()) reorder(moves, moved);
    }

  private:
    struct Users {
        std::vector<size_t> writers, readers;
    };

    size_t slot(ViewId v) const { return static_cast<size_t>(d_.slot_of(v)); }

    // A temporary that one node writes and one other reads.
    bool sinkable(size_t i) const {
        const Node& n = d_.nodes[i];
        if (n.dead || n.form != Form::Compute) return false;
        const size_t s = slot(n.out.view);
        const Slot& t = d_.slots[s];
        const Users& u = users_[s];
        if (!t.fresh || !t.released || t.pinned || u.writers.size() != 1 || u.readers.empty()) return false;
        const size_t reader = u.readers.front();
        if (reader <= i || u.readers.back() != reader) return false;
        const Node& r = d_.nodes[reader];
        if (r.form != Form::Compute || r.shape != n.shape) return false;
        for (int k = 0; k < r.inputs; ++k)
            if (r.in[k].view >= 0 && slot(r.in[k].view) == s && !d_.pointwise(n.out, r.in[k])) return false;
        return true;
    }

    // Whether the reader needs, by whatever way, the result of a reduction or call that comes after the node.
    bool waits(size_t i, size_t reader) const {
        std::vector<uint8_t> late(d_.slots.size(), 0);
        for (size_t k = i + 1; k <= reader; ++k) {
            const Node& n = d_.nodes[k];
            if (n.dead) continue;
            bool l = k < reader && (n.form == Form::Reduce || n.form == Form::Call);
            for (int j = 0; j < n.inputs; ++j) l = l || (n.in[j].view >= 0 && late[slot(n.in[j].view)]);
            if (!l) continue;
            if (k == reader) return true;
            late[slot(n.out.view)] = 1;
        }
        return false;
    }

    // The node with the temporaries that only it reads, and theirs; false where the whole reads more than one
    // array of the full size from memory, or where something that it reads is written before the reader.
    bool collect(std::vector<size_t>* chain, size_t reader) const {
        size_t memory = d_.slots.size();
        for (size_t c = 0; c < chain->size(); ++c) {
            const Node& n = d_.nodes[(*chain)[c]];
            for (int k = 0; k < n.inputs; ++k) {
                if (n.in[k].view < 0) continue;
                const size_t s = slot(n.in[k].view);
                if (written_between((*chain)[c], reader, n.in[k].view)) return false;
                if (small(n.in[k], n.shape)) continue;
                const Users& u = users_[s];
                const bool temporary = d_.slots[s].fresh && d_.slots[s].released;
                if (temporary && u.writers.size() == 1 && sinkable(u.writers.front()) &&
                    u.readers.front() == (*chain)[c]) {
                    if (std::find(chain->begin(), chain->end(), u.writers.front()) == chain->end())
                        chain->push_back(u.writers.front());
                } else if (temporary || (memory != s && memory != d_.slots.size())) {
                    return false;
                } else {
                    memory = s;
                }
            }
        }
        return true;
    }

    bool written_between(size_t first, size_t last, ViewId v) const {
        for (size_t w : users_[slot(v)].writers)
            if (w > first && w < last && d_.relation(d_.nodes[w].out.view, v) != Relation::Disjoint)
                return true;
        return false;
    }

    // Repeated along some dimension.
    static bool small(const Use& u, const std::vector<int64_t>& shape) {
        for (size_t k = 0; k < shape.size(); ++k)
            if (u.strides[k] == 0) return true;
        return false;
    }

    void reorder(const std::vector<std::pair<size_t, size_t>>& moves, const std::vector<uint8_t>& moved) {
        std::vector<Node> nodes;
        nodes.reserve(d_.nodes.size());
        for (size_t i = 0; i < d_.nodes.size(); ++i) {
            if (moved[i]) continue;
            std::vector<size_t> before;
            for (auto [node, reader] : moves)
                if (reader == i) before.push_back(node);
            std::sort(before.begin(), before.end());
            const auto reader = static_cast<int32_t>(nodes.size() + before.size());
            for (size_t b : before) {
                nodes.push_back(std::move(d_.nodes[b]));
                nodes.back().reader = reader;
            }
            nodes.push_back(std::move(d_.nodes[i]));
        }
        d_.nodes = std::move(nodes);
    }

    Draft& d_;
    std::vector<Users> users_;
};

}  // namespace

void sink(Draft& d) { Sinker(d).run(); }

}  // namespace numloom::plan
