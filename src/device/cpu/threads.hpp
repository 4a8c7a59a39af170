// The threads of the CPU devices: one small pool per process. Workers spin for a while after each job, so
// that the next one reaches them in a quarter of a microsecond, and then sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace numloom::cpu {

class ThreadPool {
  public:
    // A piece of a job. `worker` is 0 for the caller and 1 .. workers() for the others.
    using Task = void (*)(void* context, int64_t chunk, int worker);

    explicit ThreadPool(int threads);  // the caller counts as one of them
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const { return threads_; }
    // Whether every worker is awake, so that a hand-off costs 0.25 us instead of 6 to 55.
    bool hot() const { return awake_.load(std::memory_order_relaxed) == threads_ - 1; }

    // Runs task(context, chunk, worker) for every chunk in [0, chunks), in any order, each once; returns when
    // all have run. Chunks are claimed one by one from a counter. The caller works too and waits only for
    // workers that hold a chunk, never for one that has not come. While another thread uses the pool, or from
    // inside a task, everything runs on the caller. Tasks must not throw.
    void run(int64_t chunks, Task task, void* context);

    template <class F>
    void run(int64_t chunks, F&& f) {
        run(
            chunks,
            [](void* c, int64_t chunk, int worker) {
                (*static_cast<std::remove_reference_t<F>*>(c))(chunk, worker);
            },
            const_cast<void*>(static_cast<const void*>(&f)));
    }

    // The one pool of the process, with the threads that NUMLOOM_THREADS asks for, else one per core that the
    // affinity mask and the control group leave to this process. Workers start with the first job. After a
    // fork the child has a pool of its own.
    static ThreadPool& process();
    // That number, without starting anything.
    static int process_threads();

  private:
    struct Workers;

    void start();
    void work(int worker);
    bool wait_for_job(uint64_t* seen);
    void run_chunks(int worker);

    const int threads_;
    std::unique_ptr<Workers> workers_;  // empty until the first job
    std::atomic_flag in_use_ = ATOMIC_FLAG_INIT;

    // The job. Fields are written by the caller while `gate_` is closed and read by workers that have passed
    // it.
    Task task_ = nullptr;
    void* context_ = nullptr;
    int64_t chunks_ = 0;
    alignas(64) std::atomic<int64_t> next_{0};
    // Bit 0: open. Bits 1-15: workers inside. Bits 16-: number of the job.
    alignas(64) std::atomic<uint64_t> gate_{0};
    alignas(64) std::atomic<uint32_t> bell_{0};  // rung for sleepers
    std::atomic<int> awake_{0};
    std::atomic<int> sleepers_{0};
    std::atomic<bool> stop_{false};
};

}  // namespace numloom::cpu
