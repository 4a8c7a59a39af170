// Running totals along an axis, in NumPy's order: one element after the other.
#include <algorithm>
#include <cmath>
#include <complex>

#include "core/scalar.hpp"
#include "library/call.hpp"

namespace numloom::library {
namespace {

template <class T>
bool is_nan(T x) {
    if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
    return false;
}
template <class T>
bool is_nan(std::complex<T> x) {
    return std::isnan(x.real()) || std::isnan(x.imag());
}
template <class T>
bool less(T a, T b) {
    return a < b;
}
template <class T>
bool less(std::complex<T> a, std::complex<T> b) {
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}

// Integers wrap; bool adds by or and multiplies by and.
template <class T>
T add(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
        return a || b;
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else
        return a + b;
}
template <class T>
T multiply(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
        return a && b;
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else
        return a * b;
}
template <class T>
std::complex<T> multiply(std::complex<T> a, std::complex<T> b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <class T>
T minimum(T a, T b) {
    return is_nan(a) || (!is_nan(b) && !less(b, a)) ? a : b;
}
template <class T>
T maximum(T a, T b) {
    return is_nan(a) || (!is_nan(b) && !less(a, b)) ? a : b;
}

// Half precision goes through float, rounded at each step as NumPy's loop does.
template <class T, class F>
T step(T a, T b, F f) {
    return f(a, b);
}
template <class F>
Half step(Half a, Half b, F f) {
    return float_to_half(f(half_to_float(a), half_to_float(b)));
}

template <class F>
void scan(std::span<const int64_t> p, const CallOperand& out, const CallOperand& in, F f) {
    const int64_t outer = p[0], n = p[1], inner = p[2];
    dispatch(out.dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        // A row of `inner` running totals at a time; rows of different lanes are independent.
        parallel_ranges(
            outer * inner, std::max<int64_t>(1, kGrain / std::max<int64_t>(n, 1)),
            [&](int64_t begin, int64_t end) {
                for (int64_t lane = begin; lane < end;) {
                    const int64_t o = lane / inner, first = lane % inner,
                                  last = std::min(inner, first + end - lane);
                    const T* from = reinterpret_cast<const T*>(in.data) + o * n * inner;
                    T* to = reinterpret_cast<T*>(out.data) + o * n * inner;
                    if (last - first == 1) {
                        T total = from[first];
                        to[first] = total;
                        for (int64_t i = 1; i < n; ++i)
                            to[i * inner + first] = total = step(total, from[i * inner + first], f);
                    } else {
                        for (int64_t j = first; j < last; ++j) to[j] = from[j];
                        for (int64_t i = 1; i < n; ++i)
                            for (int64_t j = first; j < last; ++j)
                                to[i * inner + j] = step(to[(i - 1) * inner + j], from[i * inner + j], f);
                    }
                    lane += last - first;
                }
            });
    });
}

void scan_add(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    scan(p, out, in[0], [](auto a, auto b) { return add(a, b); });
}
void scan_multiply(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    scan(p, out, in[0], [](auto a, auto b) { return multiply(a, b); });
}
void scan_minimum(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    scan(p, out, in[0], [](auto a, auto b) { return minimum(a, b); });
}
void scan_maximum(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    scan(p, out, in[0], [](auto a, auto b) { return maximum(a, b); });
}

}  // namespace

std::span<const Entry> scan_entries() {
    static const Entry entries[] = {{"scan_add", scan_add},
                                    {"scan_multiply", scan_multiply},
                                    {"scan_minimum", scan_minimum},
                                    {"scan_maximum", scan_maximum}};
    return entries;
}

}  // namespace numloom::library
