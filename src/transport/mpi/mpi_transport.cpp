// The MPI transport, on a communicator of its own. Loaded only where a launcher started several processes.
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "transport/transport.hpp"

namespace numloom {
namespace {

using std::chrono::microseconds;
constexpr microseconds kSpin{50}, kYield{500}, kSleep{50};  // of a wait: the first two one after the other
constexpr uint64_t kEnded = 0x656e64;                       // in place of a fingerprint of what was recorded
constexpr int64_t kMostBytes = int64_t{1} << 30;            // of one message: MPI counts with int

class MpiTransport final : public Transport {
  public:
    MpiTransport() {
        int started = 0;
        MPI_Initialized(&started);
        if (!started) {
            int provided = 0;
            MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
            started_here_ = true;
        }
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
        MPI_Comm_rank(comm_, &rank_);
        MPI_Comm_size(comm_, &size_);
        at_exit_ = this;
        process_ = getpid();
        std::atexit([] { at_exit_->leave(); });
    }

    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void exchange(std::span<const Transfer> transfers) override {
        requests_.clear();
        for (const bool send : {false, true})  // receives first: then no message waits for its buffer
            for (const Transfer& t : transfers)
                if (t.send == send) start(t);
        wait(requests_);
    }

    void broadcast(void* data, int64_t bytes, int root) override {
        for (int64_t at = 0; at < bytes; at += kMostBytes)
            wait([&](MPI_Request* r) {
                MPI_Ibcast(static_cast<char*>(data) + at, static_cast<int>(std::min(kMostBytes, bytes - at)),
                           MPI_BYTE, root, comm_, r);
            });
    }

    int64_t largest(int64_t value) override {
        wait(
            [&](MPI_Request* r) { MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, comm_, r); });
        return value;
    }

    bool same(uint64_t value) override {
        uint64_t extremes[2] = {value, ~value};
        wait([&](MPI_Request* r) {
            MPI_Iallreduce(MPI_IN_PLACE, extremes, 2, MPI_UINT64_T, MPI_MAX, comm_, r);
        });
        return extremes[0] == ~extremes[1];
    }

    void barrier() override {
        wait([&](MPI_Request* r) { MPI_Ibarrier(comm_, r); });
    }

    [[noreturn]] void abort(int code) override {
        std::fflush(nullptr);
        process_ = 0;  // no farewell
        MPI_Abort(comm_, code);
        std::abort();
    }

  private:
    // A process that ends tells those who wait for what it would have recorded next: they raise an error
    // (test_processes.py, test_a_process_that_ends_early_ends_the_job). Forked children have nothing to say.
    void leave() {
        int over = 0;
        MPI_Finalized(&over);
        if (over || process_ != getpid()) return;
        if (!same(kEnded)) lines_of_all(*this, "its program has ended");
        if (started_here_) MPI_Finalize();
    }

    template <class F>
    void wait(F&& collective) {
        requests_.assign(1, MPI_REQUEST_NULL);
        collective(requests_.data());
        wait(requests_);
    }

    // MPI's own waits spin for as long as it takes. Where the process waited for wants this core to get
    // anywhere (more processes or other programs than cores), that takes whole time slices: after a while
    // this one gives way, then sleeps.
    static void wait(std::vector<MPI_Request>& requests) {
        using Clock = std::chrono::steady_clock;
        const auto done = [&] {
            int all = 0;
            MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
            return all != 0;
        };
        const auto spin = [&](std::chrono::microseconds limit, auto&& meanwhile) {
            const auto begin = Clock::now();
            do {
                for (int i = 0; i < 16; ++i)
                    if (done()) return true;
                meanwhile();
            } while (Clock::now() - begin < limit);
            return false;
        };
        if (spin(kSpin, [] {}) || spin(kYield, [] { std::this_thread::yield(); })) return;
        while (!spin(microseconds{0}, [] { std::this_thread::sleep_for(kSleep); })) continue;
    }

    void start(const Transfer& t) {
        for (int64_t at = 0; at < t.bytes; at += kMostBytes) {
            const int n = static_cast<int>(std::min(kMostBytes, t.bytes - at));
            requests_.emplace_back();
            if (t.send)
                MPI_Isend(t.data + at, n, MPI_BYTE, t.peer, 0, comm_, &requests_.back());
            else
                MPI_Irecv(t.data + at, n, MPI_BYTE, t.peer, 0, comm_, &requests_.back());
        }
    }

    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
    std::vector<MPI_Request> requests_;
    bool started_here_ = false;
    pid_t process_ = 0;
    static inline MpiTransport* at_exit_ = nullptr;
};

}  // namespace
}  // namespace numloom

extern "C" __attribute__((visibility("default"))) numloom::Transport* numloom_make_mpi_transport() {
    return new numloom::MpiTransport;
}
