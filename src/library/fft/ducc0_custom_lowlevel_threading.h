// What ducc asks of threads (its infra/threading.h includes this file by name): ours.
#pragma once

#include <condition_variable>
#include <mutex>

namespace DUCC0_NAMESPACE {
namespace detail_threading {

using Mutex = std::mutex;
using UniqueLock = std::unique_lock<std::mutex>;
using LockGuard = std::lock_guard<std::mutex>;
using CondVar = std::condition_variable;

inline thread_local bool in_parallel_region = false;

}  // namespace detail_threading
}  // namespace DUCC0_NAMESPACE
