// Plans by key. The whole key is compared, never its hash alone.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "device/device.hpp"
#include "plan/plan.hpp"

namespace numloom {

// A kernel step made ready for the devices of this process (all of one kind).
struct ReadyStep {
    std::unique_ptr<Program> program;
    std::vector<ReadyStep> rest;
};

struct CachedPlan {
    std::vector<uint64_t> key;
    plan::Plan plan;
    std::vector<ReadyStep> ready;  // parallel to plan.steps
    int64_t bytes = 0;             // read and written by all steps: how heavy a run is
};

class PlanCache {
  public:
    static constexpr size_t kMost = 4096;  // plans kept; all are dropped when there are more

    CachedPlan* find(const std::vector<uint64_t>& key, uint64_t hash) {
        auto [a, b] = plans_.equal_range(hash);
        for (; a != b; ++a)
            if (a->second->key == key) return a->second.get();
        return nullptr;
    }
    CachedPlan* insert(uint64_t hash, std::unique_ptr<CachedPlan> p) {
        if (plans_.size() >= kMost) plans_.clear();
        return plans_.emplace(hash, std::move(p))->second.get();
    }
    void clear() { plans_.clear(); }
    size_t size() const { return plans_.size(); }

  private:
    std::unordered_multimap<uint64_t, std::unique_ptr<CachedPlan>> plans_;
};

}  // namespace numloom
