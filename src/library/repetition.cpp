// Elements along an axis, each as often as its count says.
#include <algorithm>
#include <cstring>
#include <vector>

#include "library/call.hpp"

namespace numloom::library {
namespace {

// Writes `times` copies of `width` bytes.
void fill_copies(char* to, const char* from, int64_t width, int64_t times) {
    if (width == 8) {
        uint64_t word;
        std::memcpy(&word, from, 8);
        for (int64_t i = 0; i < times; ++i) std::memcpy(to + 8 * i, &word, 8);
        return;
    }
    for (int64_t i = 0; i < times; ++i) std::memcpy(to + i * width, from, static_cast<size_t>(width));
}

void repeat(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t outer = p[0], n = p[1], width = p[2] * item_size(out.dtype);
    const int64_t* count = reinterpret_cast<const int64_t*>(in[1].data);
    std::vector<int64_t> start(static_cast<size_t>(n) + 1, 0);
    for (int64_t i = 0; i < n; ++i)
        start[static_cast<size_t>(i) + 1] = start[static_cast<size_t>(i)] + count[i];
    const int64_t total = start.back();
    parallel_ranges(outer * n, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; ++k) {
            const int64_t o = k / n, i = k % n;
            fill_copies(out.data + (o * total + start[static_cast<size_t>(i)]) * width,
                        in[0].data + k * width, width, count[i]);
        }
    });
}

}  // namespace

std::span<const Entry> repetition_entries() {
    static const Entry entries[] = {{"repeat", repeat}};
    return entries;
}

}  // namespace numloom::library
