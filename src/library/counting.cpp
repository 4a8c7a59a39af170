#include "library/counting.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "core/scalar.hpp"
#include "library/call.hpp"

namespace numloom::library {
namespace {

template <class T>
inline constexpr bool kCounts = std::is_same_v<T, Half> || (std::is_integral_v<T> && sizeof(T) <= 2);
template <class T>
inline constexpr int64_t kValues = int64_t{1} << (8 * sizeof(T));

// The place of a value among all values, and back. NaN of either sign comes last; -0 has the place before 0.
template <class T>
size_t place_of(T value) {
    if constexpr (std::is_same_v<T, Half>) {
        const unsigned bits = value.bits, magnitude = bits & 0x7FFF;
        return bits >> 15 && magnitude <= 0x7C00 ? 0x7FFF - magnitude : 0x8000 + magnitude;
    } else if constexpr (std::is_signed_v<T>) {
        return static_cast<size_t>(int64_t{value} + kValues<T> / 2);
    } else {
        return static_cast<size_t>(value);
    }
}
template <class T>
T value_at(size_t place) {
    if constexpr (std::is_same_v<T, Half>)
        return Half{static_cast<uint16_t>(place < 0x8000 ? 0xFFFF - place : place - 0x8000)};
    else if constexpr (std::is_signed_v<T>)
        return static_cast<T>(static_cast<int64_t>(place) - kValues<T> / 2);
    else
        return static_cast<T>(place);
}

// Equal neighbours would wait for each other's count: four tables take turns.
template <class T>
std::vector<int64_t> count_values(const T* in, int64_t n) {
    constexpr size_t values = kValues<T>, tables = sizeof(T) == 1 ? 4 : 1;
    std::vector<int64_t> counts(tables * values, 0);
    for (int64_t i = 0; i < n; ++i) ++counts[static_cast<size_t>(i) % tables * values + place_of(in[i])];
    for (size_t t = 1; t < tables; ++t)
        for (size_t v = 0; v < values; ++v) counts[v] += counts[t * values + v];
    counts.resize(values);
    return counts;
}

template <class T>
void sort_row(const T* in, T* out, int64_t n) {
    constexpr auto values = static_cast<size_t>(kValues<T>);
    const int64_t pieces = std::clamp<int64_t>(n / (16 * kValues<T>), 1, parallel_threads());
    std::vector<std::vector<int64_t>> counts(static_cast<size_t>(pieces));
    parallel_for(pieces, [&](int64_t p) {
        const int64_t begin = n * p / pieces;
        counts[static_cast<size_t>(p)] = count_values(in + begin, n * (p + 1) / pieces - begin);
    });
    std::vector<int64_t>& total = counts[0];
    for (size_t p = 1; p < counts.size(); ++p)
        for (size_t v = 0; v < values; ++v) total[v] += counts[p][v];
    std::vector<Half> zeros;  // of both signs, in their order
    if constexpr (std::is_same_v<T, Half>)
        if (total[0x7FFF] && total[0x8000])
            for (int64_t i = 0; i < n; ++i)
                if ((in[i].bits & 0x7FFF) == 0) zeros.push_back(in[i]);
    std::vector<int64_t> start(values + 1, 0);
    std::partial_sum(total.begin(), total.end(), start.begin() + 1);
    parallel_ranges(kValues<T>, std::max<int64_t>(1, kValues<T> / std::max<int64_t>(1, n / kGrain)),
                    [&](int64_t first, int64_t last) {
                        for (auto v = static_cast<size_t>(first); v < static_cast<size_t>(last); ++v)
                            std::fill(out + start[v], out + start[v + 1], value_at<T>(v));
                    });
    if constexpr (std::is_same_v<T, Half>) std::copy(zeros.begin(), zeros.end(), out + start[0x7FFF]);
}

}  // namespace

bool has_counting_sort(DType d, int64_t n) {
    return dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (kCounts<T>) return n >= kValues<T> / 8;
        return false;
    });
}

void counting_sort(DType d, const char* in, char* out, int64_t n) {
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (kCounts<T>) sort_row(reinterpret_cast<const T*>(in), reinterpret_cast<T*>(out), n);
    });
}

}  // namespace numloom::library
