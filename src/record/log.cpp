#include "record/log.hpp"

#include <cstdint>
#include <unordered_set>

namespace numloom {

size_t Log::cut() {
    if (used_ == 0 || !items_[0].site.code) return used_;
    size_t last = used_ - 1;
    while (last > 0 && (items_[last].site != items_[0].site || items_[last].form == Form::Release)) --last;
    if (last == 0) return used_;
    if (items_[0].site == settled_) return last;
    const size_t best =
        quietest(last / 2, last);  // half a log holds the loop where the whole one shows it twice
    settled_ = items_[best].site;
    return best;
}

// The latest place in (first, last] with the fewest bytes in storages that were born before it and not
// released.
size_t Log::quietest(size_t first, size_t last) const {
    std::unordered_set<const Storage*> born;
    int64_t alive = 0, least = INT64_MAX;
    size_t best = last;
    for (size_t i = 0; i <= last; ++i) {
        const Instruction& x = items_[i];
        const bool release = x.form == Form::Release;
        if (i > first && !release && x.site.code && alive <= least) {
            least = alive;
            best = i;
        }
        const Storage* s = x.out.storage;
        if (s->has_data()) continue;
        if (release)
            alive -= born.erase(s) ? s->nbytes : 0;
        else if (born.insert(s).second)
            alive += s->nbytes;
    }
    return best;
}

void Log::take(size_t n, Log* out) {
    out->used_ = 0;
    items_.swap(out->items_);
    std::swap(used_, out->used_);
    for (size_t i = n; i < out->used_; ++i) push() = out->items_[i];
    out->used_ = n;
}

void Log::put_back(const std::vector<Instruction>& first) {
    std::vector<Instruction> all(first);
    all.insert(all.end(), items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(used_));
    items_.swap(all);
    used_ = items_.size();
}

}  // namespace numloom
