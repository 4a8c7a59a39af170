// What the library's operations are made from: a name, parameters and a function.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "library/library.hpp"

namespace numloom::library {

using Run = void (*)(std::span<const int64_t> parameters, const CallOperand& out,
                     std::span<const CallOperand> in);

struct Entry {
    std::string_view name;
    Run run;
    bool any_strides = false;  // operands need not be C-contiguous
};

// The operations of each file.
std::span<const Entry> selection_entries();
std::span<const Entry> scan_entries();
std::span<const Entry> sort_entries();
std::span<const Entry> random_entries();
std::span<const Entry> draw_entries();
std::span<const Entry> product_entries();
std::span<const Entry> extreme_entries();
std::span<const Entry> fft_entries();
std::span<const Entry> fold_entries();
std::span<const Entry> partition_entries();
std::span<const Entry> correlation_entries();
std::span<const Entry> repetition_entries();
std::span<const Entry> interpolation_entries();

// Elements per chunk from which threads pay.
inline constexpr int64_t kGrain = 1 << 15;

// Memory for the time of a call; none where it has no elements.
template <class T>
class Scratch {
  public:
    explicit Scratch(int64_t n)
        : bytes_(n * static_cast<int64_t>(sizeof(T))),
          data_(bytes_ > 0 ? allocate_scratch(bytes_) : nullptr) {}
    ~Scratch() {
        if (data_) release_scratch(data_, bytes_);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    T* get() const { return reinterpret_cast<T*>(data_); }

  private:
    int64_t bytes_;
    char* data_;
};

// Calls f(begin, end) over [0, n) in pieces of at least `grain`.
template <class F>
void parallel_ranges(int64_t n, int64_t grain, F&& f) {
    const int64_t pieces =
        std::max<int64_t>(1, std::min(n / std::max<int64_t>(grain, 1), 8 * parallel_threads()));
    if (pieces == 1) {
        f(int64_t{0}, n);
        return;
    }
    parallel_for(pieces, [&](int64_t i) { f(n * i / pieces, n * (i + 1) / pieces); });
}

}  // namespace numloom::library
