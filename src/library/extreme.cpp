// Positions of extremes along an axis: the first one; the first NaN where there is one.
#include <algorithm>
#include <cmath>

#include "core/scalar.hpp"
#include "library/call.hpp"
#include "library/vector.hpp"

namespace numloom::library {
namespace {

// The values as they are compared: half precision as float.
template <class T>
T comparable(T x) {
    return x;
}
float comparable(Half x) { return half_to_float(x); }

template <class T>
bool is_nan(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
    return false;
}

template <bool Largest, class T>
bool beats(T x, T best) {
    return Largest ? x > best : x < best;
}

// The first position in [begin, end) of a line with distance `inner` between elements.
template <bool Largest, class T>
int64_t find(const T* line, int64_t begin, int64_t end, int64_t inner) {
    auto best = comparable(line[begin * inner]);
    int64_t at = begin;
    if (is_nan(best)) return at;
    for (int64_t i = begin + 1; i < end; ++i) {
        const auto x = comparable(line[i * inner]);
        if (is_nan(x)) return i;
        if (beats<Largest>(x, best)) best = x, at = i;
    }
    return at;
}

// The same, by vectors where the line is in one piece.
template <bool Largest, class T>
int64_t find_in(DType d, const T* line, int64_t begin, int64_t end, int64_t inner) {
    const int64_t at = inner == 1 ? vectors().find_extreme(d, Largest, line + begin, end - begin) : -1;
    return at < 0 ? find<Largest>(line, begin, end, inner) : begin + at;
}

template <bool Largest>
void extreme(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t outer = p[0], n = p[1], inner = p[2];
    int64_t* to = reinterpret_cast<int64_t*>(out.data);
    dispatch(in[0].dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
            return;  // the caller sends none
        } else {
            const T* from = reinterpret_cast<const T*>(in[0].data);
            if (outer * inner == 1 && n >= 2 * kGrain) {
                const int64_t pieces = std::min(n / kGrain, 8 * parallel_threads());
                std::vector<int64_t> found(static_cast<size_t>(pieces));
                parallel_for(pieces, [&](int64_t i) {
                    found[static_cast<size_t>(i)] =
                        find_in<Largest>(in[0].dtype, from, n * i / pieces, n * (i + 1) / pieces, 1);
                });
                int64_t at = found[0];
                for (int64_t i : found) {
                    const auto x = comparable(from[i]), best = comparable(from[at]);
                    if (!is_nan(best) && (is_nan(x) || beats<Largest>(x, best))) at = i;
                }
                *to = at;
                return;
            }
            parallel_ranges(outer * inner, std::max<int64_t>(1, kGrain / n), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i)
                    to[i] =
                        find_in<Largest>(in[0].dtype, from + i / inner * n * inner + i % inner, 0, n, inner);
            });
        }
    });
}

}  // namespace

std::span<const Entry> extreme_entries() {
    static const Entry entries[] = {{"argmax", extreme<true>}, {"argmin", extreme<false>}};
    return entries;
}

}  // namespace numloom::library
