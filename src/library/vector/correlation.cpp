// Sums stay in registers while the lines pass by. Each is added to in the order of the second line, every
// product and every sum rounded: the same bits for any vectors, and for any division of the work.
#include "library/vector/correlation.hpp"

#include <cstring>
#include <type_traits>

// Vectors wider than the processor's are never passed to functions that are not inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace numloom::library::NUMLOOM_TARGET {
namespace {

#define NL_INLINE inline __attribute__((always_inline))

template <class T>
using Vector __attribute__((vector_size(64))) = T;
template <class T>
inline constexpr int64_t kLanes = 64 / static_cast<int64_t>(sizeof(T));
#if defined(__AVX512F__)
constexpr int kWide = 8;  // vectors of sums at once; what the registers hold
#else
constexpr int kWide = 4;
#endif
constexpr int kNarrow = 4;  // the same near the ends of the first line

template <class T>
NL_INLINE void load(Vector<T>& to, const T* from) {
    std::memcpy(&to, from, sizeof to);
}
template <class T>
NL_INLINE void fill(Vector<T>& to, T value) {
    if constexpr (std::is_floating_point_v<T>)
        to = value - Vector<T>{};  // which keeps the sign of a zero
    else
        to = value + Vector<T>{};
}

// sum[i] += a[i + j] * v[j] for j in [begin, end).
template <class T>
NL_INLINE void add_line(Vector<T>& sum, const T* a, const T* v, int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
        Vector<T> x, y;
        load<T>(x, a + j);
        fill<T>(y, v[j]);
        sum += x * y;
    }
}

// The same for P vectors of sums. Where the second line is long, a vector of the first serves all of them:
// vector p then is P - 1 - p vectors of taps behind the first.
template <class T, int P>
NL_INLINE void add_lines(Vector<T> (&sums)[P], const T* a, const T* v, int64_t m) {
    constexpr int64_t lanes = kLanes<T>, lead = lanes * (P - 1);
    if (m < 4 * lead) {
        for (int64_t j = 0; j < m; ++j) {
            Vector<T> y;
            fill<T>(y, v[j]);
#pragma GCC unroll 8
            for (int p = 0; p < P; ++p) {
                Vector<T> x;
                load<T>(x, a + p * lanes + j);
                sums[p] += x * y;
            }
        }
        return;
    }
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) add_line<T>(sums[p], a + p * lanes, v, 0, lead - p * lanes);
    for (int64_t s = lead; s < m; ++s) {
        Vector<T> x;
        load<T>(x, a + s);
#pragma GCC unroll 8
        for (int p = 0; p < P; ++p) {
            Vector<T> y;
            fill<T>(y, v[s - p * lanes]);
            sums[p] += x * y;
        }
    }
#pragma GCC unroll 8
    for (int p = 0; p < P; ++p) add_line<T>(sums[p], a + p * lanes, v, m - p * lanes, m);
}

// Where the first line ends, with zeros beyond.
template <class T>
struct Ends {
    static constexpr int64_t kWidth = kNarrow * kLanes<T>;
    const T* a;
    int64_t n;
    T head[3 * kWidth] = {}, tail[2 * kWidth] = {};

    Ends(const T* a, int64_t n) : a(a), n(n) {
        const int64_t some = n < kWidth ? n : kWidth;
        std::memcpy(head + kWidth, a, static_cast<size_t>(some) * sizeof(T));
        if (n >= kWidth) std::memcpy(tail, a + n - kWidth, kWidth * sizeof(T));
    }
    // kWidth numbers from a[x] on, for -kWidth < x < n.
    const T* at(int64_t x) const {
        if (x >= 0 && x + kWidth <= n) return a + x;
        return x < 0 || n < kWidth ? head + kWidth + x : tail + (x - (n - kWidth));
    }
};

// Masks that are taken from any place of a line of them: nothing and then everything, and the other way.
template <class T>
using Word = std::conditional_t<
    sizeof(T) == 8, uint64_t,
    std::conditional_t<sizeof(T) == 4, uint32_t, std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;
template <class T>
struct Masks {
    Word<T> word[2 * Ends<T>::kWidth];
    constexpr explicit Masks(bool behind) : word() {
        for (int64_t i = 0; i < 2 * Ends<T>::kWidth; ++i)
            word[i] = behind == (i >= Ends<T>::kWidth) ? static_cast<Word<T>>(-1) : Word<T>{0};
    }
};
template <class T>
constexpr Masks<T> kAfter(true);
template <class T>
constexpr Masks<T> kBefore(false);

// Sums t .. t + kWidth - 1, to some of which not all of the second line adds.
template <class T>
void near_ends(const Ends<T>& ends, const T* v, int64_t m, int64_t t, int64_t count, T* out) {
    constexpr int64_t lanes = kLanes<T>, width = Ends<T>::kWidth;
    const int64_t n = ends.n, first = t - (m - 1);  // what v[0] is multiplied with in the first sum
    Vector<T> sums[kNarrow] = {};
    // Taps that add to any sum, and those among them that add to all.
    const int64_t begin = first + width - 1 < 0 ? -(first + width - 1) : 0,
                  end = n - first < m ? n - first : m;
    int64_t from = first < 0 ? -first : 0, to = n - first - (width - 1);
    from = from < begin ? begin : from > end ? end : from;
    to = to < from ? from : to > end ? end : to;
    const auto some = [&](int64_t j, int64_t last) __attribute__((always_inline)) {
        for (; j < last; ++j) {
            // Zeros times zeros where there is nothing: no infinity of the second line gets in.
            const int64_t x0 = first + j, low = x0 < 0 ? -x0 : 0, high = n - x0 < width ? n - x0 : width;
            Vector<T> tap;
            fill<T>(tap, v[j]);
            const T* a = ends.at(x0);
#pragma GCC unroll 4
            for (int p = 0; p < kNarrow; ++p) {
                Vector<T> x;
                Vector<Word<T>> from_low, to_high;
                load<T>(x, a + p * lanes);
                load<Word<T>>(from_low, kAfter<T>.word + width - low + p * lanes);
                load<Word<T>>(to_high, kBefore<T>.word + width - high + p * lanes);
                sums[p] += x * (Vector<T>)((Vector<Word<T>>)tap & from_low & to_high);
            }
        }
    };
    some(begin, from);
    if (to > from) add_lines<T, kNarrow>(sums, ends.a + first + from, v + from, to - from);
    some(to, end);
    std::memcpy(out, sums, static_cast<size_t>(count) * sizeof(T));
}

template <class T>
void correlate_line(const T* a, int64_t n, const T* v, int64_t m, int64_t begin, int64_t end, T* out) {
    constexpr int64_t wide = kWide * kLanes<T>, width = Ends<T>::kWidth;
    const Ends<T> ends(a, n);
    for (int64_t t = begin; t < end;) {
        T* to = out + (t - begin);
        if (t >= m - 1 && t + wide <= n && t + wide <= end) {
            Vector<T> sums[kWide] = {};
            add_lines<T, kWide>(sums, a + t - (m - 1), v, m);
            std::memcpy(to, sums, sizeof sums);
            t += wide;
        } else {
            const int64_t count = end - t < width ? end - t : width;
            near_ends(ends, v, m, t, count, to);
            t += count;
        }
    }
}

}  // namespace

bool correlate(DType d, const void* a, int64_t n, const void* v, int64_t m, int64_t begin, int64_t end,
               void* out) {
    const auto as = [&](auto type) {
        using T = decltype(type);
        correlate_line(static_cast<const T*>(a), n, static_cast<const T*>(v), m, begin, end,
                       static_cast<T*>(out));
        return true;
    };
    switch (d) {  // integers wrap, so that their sign does not matter
        case DType::Float64:
            return as(double{});
        case DType::Float32:
            return as(float{});
        case DType::Int8:
        case DType::UInt8:
            return as(uint8_t{});
        case DType::Int16:
        case DType::UInt16:
            return as(uint16_t{});
        case DType::Int32:
        case DType::UInt32:
            return as(uint32_t{});
        case DType::Int64:
        case DType::UInt64:
            return as(uint64_t{});
        default:
            return false;
    }
}

}  // namespace numloom::library::NUMLOOM_TARGET
