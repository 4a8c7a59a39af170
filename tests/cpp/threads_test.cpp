#include "device/cpu/threads.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace numloom::cpu {
namespace {

TEST(ThreadPool, EveryChunkRunsOnce) {
    ThreadPool pool(4);
    for (int64_t chunks : {0, 1, 2, 3, 7, 100, 5000}) {
        for (int repeat = 0; repeat < 50; ++repeat) {
            std::vector<std::atomic<int>> counts(static_cast<size_t>(chunks));
            pool.run(chunks, [&](int64_t c, int worker) {
                EXPECT_GE(worker, 0);
                EXPECT_LT(worker, 4);
                counts[static_cast<size_t>(c)].fetch_add(1);
            });
            for (auto& c : counts) ASSERT_EQ(c.load(), 1);
        }
    }
}

TEST(ThreadPool, ResultsAreVisibleToTheCaller) {
    ThreadPool pool(3);
    std::vector<int64_t> data(1000);
    for (int64_t round = 1; round < 2000; ++round) {
        pool.run(10, [&](int64_t c, int) {
            for (int64_t i = c * 100; i < (c + 1) * 100; ++i) data[static_cast<size_t>(i)] += i;
        });
        if (round % 500 == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(200));  // let workers fall asleep
    }
    for (int64_t i = 0; i < 1000; ++i) ASSERT_EQ(data[static_cast<size_t>(i)], i * 1999);
}

TEST(ThreadPool, JobsInsideJobsAndFromManyThreads) {
    ThreadPool pool(3);
    std::atomic<int64_t> total{0};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t)
        callers.emplace_back([&] {
            for (int i = 0; i < 200; ++i)
                pool.run(5, [&](int64_t, int) { pool.run(3, [&](int64_t, int) { total.fetch_add(1); }); });
        });
    for (std::thread& t : callers) t.join();
    EXPECT_EQ(total.load(), 4 * 200 * 5 * 3);
}

TEST(ThreadPool, EndsWhileWorkersSleep) {
    for (int i = 0; i < 20; ++i) {
        ThreadPool pool(3);
        pool.run(4, [](int64_t, int) {});
        if (i % 2) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

TEST(ThreadPool, AChildOfAForkHasItsOwn) {
    std::atomic<int64_t> total{0};
    ThreadPool::process().run(8, [&](int64_t, int) { total.fetch_add(1); });
    EXPECT_EQ(total.load(), 8);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        std::atomic<int64_t> mine{0};
        for (int i = 0; i < 100; ++i) ThreadPool::process().run(8, [&](int64_t, int) { mine.fetch_add(1); });
        _exit(mine.load() == 800 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    ThreadPool::process().run(8, [&](int64_t, int) { total.fetch_add(1); });
    EXPECT_EQ(total.load(), 16);
}

}  // namespace
}  // namespace numloom::cpu
