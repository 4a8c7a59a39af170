#include "record/log.hpp"

namespace numloom {

size_t Log::cut() const {
    if (used_ == 0 || !items_[0].site.code) return used_;
    for (size_t i = used_ - 1; i > 0; --i)
        if (items_[i].site == items_[0].site && items_[i].form != Form::Release) return i;
    return used_;
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
