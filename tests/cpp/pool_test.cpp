#include "device/cpu/pool.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>
#include <thread>

#include "core/error.hpp"

namespace numloom::cpu {
namespace {

TEST(MemoryPool, ClassesHoldWhatWasAsked) {
    for (int64_t bytes = 0; bytes < 70000; ++bytes) {
        const int64_t c = MemoryPool::class_bytes(bytes);
        ASSERT_GE(c, bytes);
        ASSERT_EQ(c % 64, 0);
        ASSERT_LE(c, std::max<int64_t>(64, bytes + bytes / 4 + 64)) << bytes;
        ASSERT_EQ(MemoryPool::class_bytes(c), std::max<int64_t>(c, 64)) << bytes;
    }
    for (int64_t bytes = MemoryPool::kSlab - 100; bytes < int64_t{1} << 40; bytes += bytes / 7) {
        const int64_t c = MemoryPool::class_bytes(bytes);
        ASSERT_GE(c, bytes);
        ASSERT_LE(c, bytes + bytes / 4 + (2 << 20)) << bytes;
        ASSERT_EQ(MemoryPool::class_bytes(c), c) << bytes;
    }
}

TEST(MemoryPool, BlocksAreAlignedApartAndReused) {
    MemoryPool pool;
    std::mt19937_64 rng(1);
    struct Block {
        char* p;
        int64_t bytes;
        char mark;
    };
    std::vector<Block> live;
    for (int i = 0; i < 20000; ++i) {
        if (live.size() > 60 || (!live.empty() && rng() % 3 == 0)) {
            const size_t at = rng() % live.size();
            Block b = live[at];
            for (int64_t j : {int64_t{0}, b.bytes / 2, b.bytes - 1})
                if (b.bytes > 0) {
                    ASSERT_EQ(b.p[j], b.mark);
                }
            pool.release(b.p, b.bytes);
            live[at] = live.back();
            live.pop_back();
            continue;
        }
        const int64_t limit = rng() % 10 == 0 ? 9 << 20 : rng() % 4 == 0 ? 600000 : 5000;
        Block b{nullptr, static_cast<int64_t>(rng() % static_cast<uint64_t>(limit)), static_cast<char>(i)};
        b.p = pool.allocate(b.bytes);
        ASSERT_EQ(reinterpret_cast<uintptr_t>(b.p) % 64, 0u);
        if (b.bytes >= MemoryPool::kHuge) {
            ASSERT_EQ(reinterpret_cast<uintptr_t>(b.p) % (2 << 20), 0u);
        }
        for (int64_t j : {int64_t{0}, b.bytes / 2, b.bytes - 1})
            if (b.bytes > 0) b.p[j] = b.mark;
        live.push_back(b);
    }
    for (const Block& b : live) pool.release(b.p, b.bytes);
    EXPECT_EQ(pool.usage().live, 0);
    char* p = pool.allocate(1000);
    pool.release(p, 1000);
    EXPECT_EQ(pool.allocate(1001), p);
    pool.release(p, 1001);
}

TEST(MemoryPool, KeepsWhatTheProgramNeededAndNoMore) {
    MemoryPool pool;
    const int64_t mib = 1 << 20;
    char* a = pool.allocate(300 * mib);
    pool.release(a, 300 * mib);
    EXPECT_EQ(pool.usage().cached, MemoryPool::class_bytes(300 * mib));
    EXPECT_EQ(pool.allocate(300 * mib), a);
    pool.release(a, 300 * mib);
    // Another size must not add to the peak.
    char* b = pool.allocate(200 * mib);
    EXPECT_LE(pool.usage().cached + pool.usage().live, MemoryPool::class_bytes(300 * mib));
    pool.release(b, 200 * mib);
    pool.trim();
    EXPECT_EQ(pool.usage().cached, 0);
}

TEST(MemoryPool, AbsurdSizesRaiseAndNameTheSize) {
    MemoryPool pool;
    for (int64_t bytes : {int64_t{1} << 50, int64_t{1} << 62, int64_t{-8}}) {
        try {
            pool.allocate(bytes);
            FAIL() << bytes;
        } catch (const Error& e) {
            EXPECT_EQ(e.error_class(), ErrorClass::Memory);
            EXPECT_NE(std::string(e.what()).find(std::to_string(bytes)), std::string::npos) << e.what();
        }
    }
    EXPECT_EQ(pool.usage().live, 0);
    pool.release(pool.allocate(100), 100);
}

TEST(MemoryPool, ThreadsShareIt) {
    MemoryPool pool;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&pool, t] {
            std::mt19937_64 rng(static_cast<uint64_t>(t));
            std::vector<std::pair<char*, int64_t>> mine;
            for (int i = 0; i < 3000; ++i) {
                const int64_t bytes = static_cast<int64_t>(1 + rng() % 400000);
                char* p = pool.allocate(bytes);
                p[0] = static_cast<char>(t);
                p[bytes - 1] = static_cast<char>(t);
                mine.emplace_back(p, bytes);
                if (mine.size() > 8) {
                    auto [q, n] = mine.front();
                    ASSERT_EQ(q[0], static_cast<char>(t));
                    ASSERT_EQ(q[n - 1], static_cast<char>(t));
                    pool.release(q, n);
                    mine.erase(mine.begin());
                }
            }
            for (auto [q, n] : mine) pool.release(q, n);
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(pool.usage().live, 0);
}

}  // namespace
}  // namespace numloom::cpu
