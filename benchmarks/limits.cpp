// What the memory of this machine gives to a hand-written loop: `reads` streams are added up and stored to
// `writes` streams by a fixed number of threads. The benchmark compiles this file when it runs (-O3
// -march=native) and loads it through ctypes; limits.py holds the other side.
#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

typedef double Vector __attribute__((vector_size(64)));

constexpr int64_t kLane = sizeof(Vector);
constexpr int64_t kChunk = 256 * 1024;  // bytes of each stream that a thread claims at a time
constexpr int64_t kShared =
    4096 * 1024;  // below this each thread keeps its own part, which stays in its cache

struct Limit {
    int64_t reads, writes, bytes;
    int threads;
    std::vector<char*> streams;  // reads first
    std::atomic<int64_t> next{0};
    std::atomic<int> waiting{0};
    std::atomic<int> round{0};
    std::chrono::steady_clock::time_point released;  // when the last thread came to the latest meeting
};

volatile double sink;

template <bool NonTemporal>
inline void store(char* to, Vector value) {
    if constexpr (NonTemporal) {
#if defined(__AVX512F__)
        _mm512_stream_pd(reinterpret_cast<double*>(to), reinterpret_cast<__m512d>(value));
        return;
#elif defined(__AVX__)
        const __m256d* halves = reinterpret_cast<const __m256d*>(&value);
        _mm256_stream_pd(reinterpret_cast<double*>(to), halves[0]);
        _mm256_stream_pd(reinterpret_cast<double*>(to) + 4, halves[1]);
        return;
#endif
    }
    *reinterpret_cast<Vector*>(to) = value;
}

inline Vector load(const char* from) { return *reinterpret_cast<const Vector*>(from); }

// Four vectors at a time, so that a loop that only reads doesn't wait for its additions.
template <int Reads, int Writes, bool NonTemporal>
void work(char* const* streams, int64_t begin, int64_t end) {
    Vector total[4] = {};
    for (int64_t i = begin; i < end; i += 4 * kLane) {
        for (int64_t k = 0; k < 4; ++k) {
            Vector sum = total[k];
            if constexpr (Writes > 0) {
                sum = Vector{1, 2, 3, 4, 5, 6, 7, 8};
            }
            for (int r = 0; r < Reads; ++r) {
                sum += load(streams[r] + i + k * kLane);
            }
            for (int w = 0; w < Writes; ++w) {
                store<NonTemporal>(streams[Reads + w] + i + k * kLane, sum);
            }
            if constexpr (Writes == 0) {
                total[k] = sum;
            }
        }
    }
    if constexpr (Writes == 0) {
        sink = total[0][0] + total[1][1] + total[2][2] + total[3][3];
    }
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

using Work = void (*)(char* const*, int64_t, int64_t);

template <bool NonTemporal>
Work choose(int64_t reads, int64_t writes) {
#define ROW(r) \
    { work<r, 0, NonTemporal>, work<r, 1, NonTemporal>, work<r, 2, NonTemporal> }
    static constexpr Work table[7][3] = {ROW(0), ROW(1), ROW(2), ROW(3), ROW(4), ROW(5), ROW(6)};
#undef ROW
    return table[reads][writes];
}

// All threads meet here; they spin, since a hand-written loop in a cache must not wait for the kernel to wake
// it.
void meet(Limit& limit) {
    const int round = limit.round.load();
    if (limit.waiting.fetch_add(1) + 1 == limit.threads) {
        limit.waiting = 0;
        limit.next = 0;
        limit.released = std::chrono::steady_clock::now();
        limit.round = round + 1;
    } else {
        for (int64_t spins = 1; limit.round.load() == round; ++spins) {
            if (spins % 10000 == 0) {
                std::this_thread::yield();
            }
        }
    }
}

void sweep(Limit& limit, int rank, Work run) {
    if (limit.bytes < kShared) {
        const int64_t unit = 4 * kLane, units = limit.bytes / unit;
        run(limit.streams.data(), units * rank / limit.threads * unit,
            units * (rank + 1) / limit.threads * unit);
        return;
    }
    for (int64_t begin; (begin = limit.next.fetch_add(kChunk)) < limit.bytes;) {
        run(limit.streams.data(), begin, begin + kChunk < limit.bytes ? begin + kChunk : limit.bytes);
    }
}

double timed(Limit& limit, int rank, int64_t repeats, Work run) {
    // The clock starts and stops when the last thread arrives: this thread itself may be woken late, when
    // others have done its share.
    meet(limit);
    const auto begin = limit.released;
    for (int64_t i = 0; i < repeats; ++i) {
        sweep(limit, rank, run);
        meet(limit);
    }
    return std::chrono::duration<double>(limit.released - begin).count();
}

}  // namespace

extern "C" {

// Returns null where the mix isn't in the table or memory is short. `bytes` is the size of each stream.
void* limit_new(int64_t reads, int64_t writes, int64_t bytes, int threads) {
    if (reads < 0 || reads > 6 || writes < 0 || writes > 2 || reads + writes == 0 || bytes < 4 * kLane ||
        threads < 1) {
        return nullptr;
    }
    auto* limit = new Limit{reads, writes, bytes / (4 * kLane) * (4 * kLane), threads, {}};
    constexpr int64_t page = 2 * 1024 * 1024;
    for (int64_t s = 0; s < reads + writes; ++s) {
        const int64_t size = (limit->bytes + page - 1) / page * page;
        auto* memory = static_cast<char*>(std::aligned_alloc(page, size));
        if (memory == nullptr) {
            for (char* stream : limit->streams) std::free(stream);
            delete limit;
            return nullptr;
        }
        madvise(memory, size, MADV_HUGEPAGE);
        for (int64_t i = 0; i < limit->bytes; i += 8) {
            *reinterpret_cast<double*>(memory + i) = 1.0 + 1e-9 * static_cast<double>(i + s);
        }
        limit->streams.push_back(memory);
    }
    return limit;
}

void limit_free(void* handle) {
    auto* limit = static_cast<Limit*>(handle);
    for (char* stream : limit->streams) std::free(stream);
    delete limit;
}

// Seconds of one pass over all streams, the mean of `repeats`.
double limit_run(void* handle, int64_t repeats, int nontemporal) {
    Limit& limit = *static_cast<Limit*>(handle);
    const Work run =
        nontemporal ? choose<true>(limit.reads, limit.writes) : choose<false>(limit.reads, limit.writes);
    std::vector<std::thread> others;
    for (int rank = 1; rank < limit.threads; ++rank) {
        others.emplace_back([&limit, rank, repeats, run] { timed(limit, rank, repeats, run); });
    }
    const double seconds = timed(limit, 0, repeats, run);
    for (std::thread& other : others) other.join();
    return seconds / static_cast<double>(repeats);
}
}
