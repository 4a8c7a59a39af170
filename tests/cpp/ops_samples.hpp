// Values to try operations on: small and large, special and random ones of every dtype, always the same.
#pragma once

#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "core/scalar.hpp"

namespace numloom::testing {

template <class T>
T float_sample(std::mt19937_64& rng) {
    using L = std::numeric_limits<T>;
    static const T special[] = {0,
                                -T{0},
                                1,
                                -1,
                                2,
                                -2,
                                T(0.5),
                                T(-2.5),
                                3,
                                T(0.1),
                                L::infinity(),
                                -L::infinity(),
                                L::quiet_NaN(),
                                L::max(),
                                -L::max(),
                                L::min(),
                                L::denorm_min(),
                                -L::denorm_min(),
                                L::min() / 2};
    if (rng() % 3 == 0) return special[rng() % std::size(special)];
    const double exponent = std::uniform_real_distribution<double>(-8, 8)(rng);
    return static_cast<T>(std::normal_distribution<double>()(rng) * std::pow(10.0, exponent));
}

template <class T>
T sample(std::mt19937_64& rng) {
    if constexpr (std::is_same_v<T, bool>) {
        return rng() % 2 == 0;
    } else if constexpr (std::is_integral_v<T>) {
        switch (rng() % 8) {
            case 0:
                return std::numeric_limits<T>::min();
            case 1:
                return std::numeric_limits<T>::max();
            case 2:
                return static_cast<T>(-1);
            case 3:
                return static_cast<T>(rng());
            default:
                return static_cast<T>(rng() % 80);
        }
    } else if constexpr (std::is_same_v<T, Half>) {
        return float_to_half(float_sample<float>(rng));
    } else if constexpr (std::is_floating_point_v<T>) {
        return float_sample<T>(rng);
    } else {
        using R = typename T::value_type;
        return T(float_sample<R>(rng), float_sample<R>(rng));
    }
}

// `n` elements of dtype `d` as bytes.
inline std::vector<unsigned char> samples(DType d, int64_t n, uint64_t seed) {
    std::mt19937_64 rng(seed * 1000003u + static_cast<uint64_t>(d));
    std::vector<unsigned char> bytes(static_cast<size_t>(n * item_size(d)) + 16);
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        for (int64_t i = 0; i < n; ++i) {
            const T value = sample<T>(rng);
            std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(T), &value, sizeof(T));
        }
    });
    return bytes;
}

// Whether two elements are the same number: equal bits, or NaN in the same parts.
inline bool same_element(DType d, const unsigned char* a, const unsigned char* b) {
    if (std::memcmp(a, b, static_cast<size_t>(item_size(d))) == 0) return true;
    if (!is_inexact(d)) return false;
    return dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        T x, y;
        std::memcpy(&x, a, sizeof(T));
        std::memcpy(&y, b, sizeof(T));
        const auto same = [](auto p, auto q) {
            return std::memcmp(&p, &q, sizeof(p)) == 0 || (p != p && q != q);
        };
        if constexpr (std::is_same_v<T, Half>) {
            return same(half_to_float(x), half_to_float(y));
        } else if constexpr (std::is_floating_point_v<T>) {
            return same(x, y);
        } else if constexpr (std::is_integral_v<T>) {
            return false;
        } else {
            return same(x.real(), y.real()) && same(x.imag(), y.imag());
        }
    });
}

}  // namespace numloom::testing
