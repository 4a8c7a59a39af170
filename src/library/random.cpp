// Random numbers: NumPy's stream of PCG64, where threads can start anywhere, and counter-based streams for
// generators that owe nobody a stream, where a number depends on its position alone.
#include "library/call.hpp"
#include "library/pcg.hpp"
#include "library/vector.hpp"

namespace numloom::library {
namespace {

constexpr int64_t kBlock = 1 << 14;  // numbers; a multiple of kPhiloxGroup
constexpr int64_t kPastCaches = int64_t{32}
                                << 20;  // bytes from which the caches can't keep the numbers anyway

// Calls f(begin, end, past_caches) for blocks of the numbers of `out`.
template <class F>
void over_blocks(const CallOperand& out, F&& f) {
    const int64_t n = out.layout->size();
    const bool past_caches = 8 * n >= kPastCaches && reinterpret_cast<uintptr_t>(out.data) % 64 == 0;
    parallel_ranges((n + kBlock - 1) / kBlock, 1, [&](int64_t first, int64_t last) {
        f(first * kBlock, std::min(n, last * kBlock), past_caches);
    });
}

void pcg64_uniform(std::span<const int64_t>, const CallOperand& out, std::span<const CallOperand> in) {
    const auto* words = reinterpret_cast<const uint64_t*>(in[0].data);
    const Wide state = Wide{words[0]} << 64 | words[1];
    const Jump step{.increment = Wide{words[2]} << 64 | words[3]};
    auto* to = reinterpret_cast<double*>(out.data);
    over_blocks(out, [&](int64_t begin, int64_t end, bool past_caches) {
        const Wide start = step.times(static_cast<uint64_t>(begin))(state);
        vectors().pcg64_uniform(start, step.increment, to + begin, end - begin, past_caches);
    });
}

template <class F>
void philox(const CallOperand& out, const CallOperand& in, F draw) {
    const auto* words = reinterpret_cast<const uint64_t*>(in.data);
    const PhiloxStream stream{{static_cast<uint32_t>(words[0]), static_cast<uint32_t>(words[0] >> 32)},
                              static_cast<uint32_t>(words[1])};
    auto* to = reinterpret_cast<double*>(out.data);
    over_blocks(out, [&](int64_t begin, int64_t end, bool past_caches) {
        draw(stream, words[2] + static_cast<uint64_t>(begin), to + begin, end - begin, past_caches);
    });
}

void philox_uniform(std::span<const int64_t>, const CallOperand& out, std::span<const CallOperand> in) {
    philox(out, in[0], vectors().philox_uniform);
}

void philox_normal(std::span<const int64_t>, const CallOperand& out, std::span<const CallOperand> in) {
    philox(out, in[0], vectors().philox_normal);
}

}  // namespace

std::span<const Entry> random_entries() {
    static const Entry entries[] = {{"pcg64_uniform", pcg64_uniform},
                                    {"philox_uniform", philox_uniform},
                                    {"philox_normal", philox_normal}};
    return entries;
}

}  // namespace numloom::library
