#include "device/cpu/threads.hpp"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace numloom::cpu {

namespace {

constexpr uint64_t kOpen = 1;
constexpr uint64_t kInside = 2;
constexpr uint64_t kInsideMask = 0xfffe;
constexpr uint64_t kJob = 0x10000;
constexpr auto kSpin = std::chrono::microseconds(50);

thread_local bool inside_task = false;

void pause() {
#if defined(__x86_64__)
    _mm_pause();
#endif
}

void futex_wait(std::atomic<uint32_t>* word, uint32_t value) {
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t>* word, int count) {
    syscall(SYS_futex, reinterpret_cast<uint32_t*>(word), FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

// Cores that the control group's quota amounts to; 0 without a quota.
int quota_cores() {
    std::FILE* f = std::fopen("/sys/fs/cgroup/cpu.max", "r");
    if (!f) return 0;
    long long quota = 0, period = 0;
    const int n = std::fscanf(f, "%lld %lld", &quota, &period);
    std::fclose(f);
    return n == 2 && quota > 0 && period > 0
               ? static_cast<int>(std::ceil(static_cast<double>(quota) / static_cast<double>(period)))
               : 0;
}

int count_threads() {
    if (const char* s = std::getenv("NUMLOOM_THREADS")) {
        const long n = std::strtol(s, nullptr, 10);
        if (n >= 1) return static_cast<int>(std::min(n, 1024L));
    }
    int cores = static_cast<int>(std::thread::hardware_concurrency());
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) cores = CPU_COUNT(&set);
    const int quota = quota_cores();
    if (quota > 0) cores = std::min(cores, quota);
    return std::max(1, cores);
}

std::mutex process_lock;
std::unique_ptr<ThreadPool> process_pool;
std::atomic<ThreadPool*> process_pool_fast{nullptr};

// In the child of a fork no worker exists: their pool is forgotten, not joined, and the next job makes a new
// one.
void forget_pool() {
    (void)process_pool.release();
    process_pool_fast.store(nullptr, std::memory_order_relaxed);
    inside_task = false;
    process_lock.unlock();
}

}  // namespace

struct ThreadPool::Workers {
    std::vector<std::thread> threads;
};

ThreadPool::ThreadPool(int threads) : threads_(std::clamp(threads, 1, 1024)) {}

ThreadPool::~ThreadPool() {
    if (!workers_) return;
    stop_.store(true, std::memory_order_seq_cst);
    bell_.fetch_add(1, std::memory_order_seq_cst);
    futex_wake(&bell_, threads_);
    for (std::thread& t : workers_->threads) t.join();
}

ThreadPool& ThreadPool::process() {
    if (ThreadPool* p = process_pool_fast.load(std::memory_order_acquire)) return *p;
    static std::once_flag once;
    std::call_once(once, [] {
        pthread_atfork([] { process_lock.lock(); }, [] { process_lock.unlock(); }, forget_pool);
    });
    std::lock_guard guard(process_lock);
    if (!process_pool) process_pool = std::make_unique<ThreadPool>(process_threads());
    process_pool_fast.store(process_pool.get(), std::memory_order_release);
    return *process_pool;
}

int ThreadPool::process_threads() {
    static const int n = count_threads();
    return n;
}

void ThreadPool::start() {
    workers_ = std::make_unique<Workers>();
    for (int w = 1; w < threads_; ++w) {
        awake_.fetch_add(1, std::memory_order_relaxed);
        try {
            workers_->threads.emplace_back([this, w] { work(w); });
        } catch (const std::system_error&) {  // no more threads to be had: those that started do the work
            awake_.fetch_sub(1, std::memory_order_relaxed);
            return;
        }
    }
}

void ThreadPool::run_chunks(int worker) {
    for (;;) {
        const int64_t chunk = next_.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= chunks_) return;
        task_(context_, chunk, worker);
    }
}

void ThreadPool::run(int64_t chunks, Task task, void* context) {
    if (chunks <= 0) return;
    if (threads_ == 1 || chunks == 1 || inside_task || in_use_.test_and_set(std::memory_order_acquire)) {
        for (int64_t c = 0; c < chunks; ++c) task(context, c, 0);
        return;
    }
    if (!workers_) start();
    inside_task = true;
    task_ = task;
    context_ = context;
    chunks_ = chunks;
    next_.store(0, std::memory_order_relaxed);
    // Opening the gate publishes the fields above. It was closed with nobody inside since the last job.
    gate_.store((gate_.load(std::memory_order_relaxed) + kJob) | kOpen, std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_seq_cst) > 0) {
        bell_.fetch_add(1, std::memory_order_seq_cst);
        futex_wake(&bell_, static_cast<int>(std::min<int64_t>(chunks - 1, threads_ - 1)));
    }
    run_chunks(0);
    uint64_t g = gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
    for (int64_t spins = 0; (g & kInsideMask) != 0; ++spins) {
        if (spins < 20000)
            pause();
        else
            sched_yield();  // a worker was descheduled with a chunk in hand: let it have this core
        g = gate_.load(std::memory_order_acquire);
    }
    inside_task = false;
    in_use_.clear(std::memory_order_release);
}

// Spins, then sleeps, until a job other than `seen` is open and this worker has entered it. False: stop.
bool ThreadPool::wait_for_job(uint64_t* seen) {
    auto until = std::chrono::steady_clock::now() + kSpin;
    for (int spins = 0;; ++spins) {
        uint64_t g = gate_.load(std::memory_order_acquire);
        while ((g & kOpen) && g / kJob != *seen) {
            if (gate_.compare_exchange_weak(g, g + kInside, std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
                *seen = g / kJob;
                return true;
            }
        }
        if (stop_.load(std::memory_order_relaxed)) return false;
        pause();
        if (spins % 32 != 31 || std::chrono::steady_clock::now() < until) continue;
        // Announce the sleep, then look again: a caller that opens the gate afterwards sees the sleeper and
        // rings.
        const uint32_t bell = bell_.load(std::memory_order_seq_cst);
        awake_.fetch_sub(1, std::memory_order_relaxed);
        sleepers_.fetch_add(1, std::memory_order_seq_cst);
        g = gate_.load(std::memory_order_seq_cst);
        if (!((g & kOpen) && g / kJob != *seen) && !stop_.load(std::memory_order_seq_cst))
            futex_wait(&bell_, bell);
        sleepers_.fetch_sub(1, std::memory_order_seq_cst);
        awake_.fetch_add(1, std::memory_order_relaxed);
        until = std::chrono::steady_clock::now() + kSpin;
    }
}

void ThreadPool::work(int worker) {
    inside_task = true;
    uint64_t seen = 0;
    while (wait_for_job(&seen)) {
        run_chunks(worker);
        gate_.fetch_sub(kInside, std::memory_order_release);
    }
}

}  // namespace numloom::cpu
