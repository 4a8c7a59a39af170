// Vector functions from SLEEF and glibc's libmvec, per operation the fastest that keeps the accuracy rule: at
// most 1 ulp for NumPy's functions, 2.5 for further special ones. Where neither library is there, the C
// library's scalar functions serve.
#pragma once

#include "device/cpu/loops/common.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#if defined(NUMLOOM_SLEEF)
#include <sleef.h>
#endif

#if defined(__AVX512F__)
#define NL_SLEEF_D(name, accuracy) Sleef_##name##d8_##accuracy##avx512f
#define NL_SLEEF_F(name, accuracy) Sleef_##name##f16_##accuracy##avx512f
#define NL_MVEC_D(name, args) _ZGVeN8##args##_##name
#define NL_MVEC_F(name, args) _ZGVeN16##args##_##name##f
#elif defined(__AVX2__)
#define NL_SLEEF_D(name, accuracy) Sleef_##name##d4_##accuracy##avx2
#define NL_SLEEF_F(name, accuracy) Sleef_##name##f8_##accuracy##avx2
#define NL_MVEC_D(name, args) _ZGVdN4##args##_##name
#define NL_MVEC_F(name, args) _ZGVdN8##args##_##name##f
#else
#define NL_SLEEF_D(name, accuracy) Sleef_##name##d2_##accuracy##sse2
#define NL_SLEEF_F(name, accuracy) Sleef_##name##f4_##accuracy##sse2
#define NL_MVEC_D(name, args) _ZGVbN2##args##_##name
#define NL_MVEC_F(name, args) _ZGVbN4##args##_##name##f
#endif

namespace numloom::cpu::NUMLOOM_TARGET {

#if defined(__x86_64__)

#if defined(__AVX512F__)
using VectorD = __m512d;
using VectorF = __m512;
#elif defined(__AVX2__)
using VectorD = __m256d;
using VectorF = __m256;
#else
using VectorD = __m128d;
using VectorF = __m128;
#endif
template <class T>
struct VectorFor;
template <>
struct VectorFor<double> {
    using type = VectorD;
};
template <>
struct VectorFor<float> {
    using type = VectorF;
};

// Lanes beyond what the vector function is made for are done again by the C library.
template <class F, class T, class V>
V with_limit(const V& x, V result) {
    constexpr int lanes = sizeof(V) / sizeof(T);
    T values[lanes], results[lanes];
    std::memcpy(values, &x, sizeof(V));
    bool beyond = false;
    for (const T v : values) beyond |= scalar::abs_of(v) > F::template largest<T>();
    if (!beyond) return result;
    std::memcpy(results, &result, sizeof(V));
    for (int i = 0; i < lanes; ++i) {
        if (scalar::abs_of(values[i]) > F::template largest<T>()) results[i] = F::call(values[i]);
    }
    std::memcpy(&result, results, sizeof(V));
    return result;
}

// Whether some lane is an infinity or a NaN.
#if defined(__AVX512F__)
static inline bool any_special(VectorD v) { return _mm512_fpclass_pd_mask(v, 0x99) != 0; }
static inline bool any_special(VectorF v) { return _mm512_fpclass_ps_mask(v, 0x99) != 0; }
#elif defined(__AVX2__)
static inline bool any_special(VectorD v) {
    const VectorD size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), v);
    return _mm256_movemask_pd(_mm256_cmp_pd(size, _mm256_set1_pd(scalar::infinity<double>()), _CMP_NLT_UQ)) !=
           0;
}
static inline bool any_special(VectorF v) {
    const VectorF size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
    return _mm256_movemask_ps(_mm256_cmp_ps(size, _mm256_set1_ps(scalar::infinity<float>()), _CMP_NLT_UQ)) !=
           0;
}
#else
static inline bool any_special(VectorD v) {
    const VectorD size = _mm_andnot_pd(_mm_set1_pd(-0.0), v);
    return _mm_movemask_pd(_mm_cmpnlt_pd(size, _mm_set1_pd(scalar::infinity<double>()))) != 0;
}
static inline bool any_special(VectorF v) {
    const VectorF size = _mm_andnot_ps(_mm_set1_ps(-0.0f), v);
    return _mm_movemask_ps(_mm_cmpnlt_ps(size, _mm_set1_ps(scalar::infinity<float>()))) != 0;
}
#endif

template <class T, int arity, class V>
[[gnu::noinline]] unsigned kinds_of_lanes(const V& u, const V& v, const V& result) {
    constexpr int lanes = sizeof(V) / sizeof(T);
    T a[lanes], b[lanes], values[lanes];
    std::memcpy(a, &u, sizeof(V));
    std::memcpy(b, &v, sizeof(V));
    std::memcpy(values, &result, sizeof(V));
    unsigned kinds = 0;
    for (int i = 0; i < lanes; ++i) kinds |= kinds_by_value<T, arity>(a[i], b[i], values[i]);
    return kinds;
}

// Applies F::call to whole vectors. The libraries' own flags say nothing; arguments and values do. The rest
// goes through the same function, padded with its own first element, so that a value depends neither on its
// position nor on what lies beside it, and no padding raises a floating-point flag of its own.
template <class F, class T, int arity, unsigned mask>
void vector_loop(void* out, const void* const* in, int64_t n) {
    using V = typename VectorFor<T>::type;
    constexpr int64_t lanes = sizeof(V) / sizeof(T);
    T* o = static_cast<T*>(out);
    const T* a = input<T>(in, 0);
    const T* b = input<T>(in, arity - 1);
    const auto load = [](const T* p) {
        V v;
        std::memcpy(&v, p, sizeof(V));
        return v;
    };
    const auto splat = [](T value) {
        T values[lanes];
        for (T& v : values) v = value;
        V v;
        std::memcpy(&v, values, sizeof(V));
        return v;
    };
    constexpr bool one_a = mask & 1u, one_b = (mask >> 1) & 1u;
    const V first_a = splat(a[0]), first_b = splat(b[0]);
    const unsigned saved = save_flags();
    const bool tiny = watch_underflow;
    unsigned kinds = 0;
    const auto call = [](V u, V v) {
        if constexpr (requires { F::template largest<T>(); }) {
            (void)v;
            return with_limit<F, T>(u, F::call(u));
        } else if constexpr (arity == 1) {
            (void)v;
            return F::call(u);
        } else {
            return F::call(u, v);
        }
    };
    const auto apply = [&](V u, V v) {
        const V result = call(u, v);
        if (any_special(result) || tiny) [[unlikely]]
            kinds |= kinds_of_lanes<T, arity>(u, v, result);
        return result;
    };
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const V result = apply(one_a ? first_a : load(a + i), one_b ? first_b : load(b + i));
        std::memcpy(static_cast<void*>(o + i), &result, sizeof(V));
    }
    if (i < n) {
        const auto rest = static_cast<size_t>(n - i) * sizeof(T);
        const auto padded = [rest](const T* p) {
            T values[lanes];
            for (T& v : values) v = p[0];
            std::memcpy(static_cast<void*>(values), p, rest);
            V v;
            std::memcpy(&v, values, sizeof(V));
            return v;
        };
        const V result = apply(one_a ? first_a : padded(a + i), one_b ? first_b : padded(b + i));
        std::memcpy(static_cast<void*>(o + i), &result, rest);
    }
    restore_flags(saved, kinds);
}

#if defined(__FMA__) || defined(__AVX512F__)
// trigonometry.cpp; the last argument only chooses the type.
#define NL_OWN_TRIGONOMETRY 1
void sine_loop(void* out, const void* const* in, int64_t n, double);
void sine_loop(void* out, const void* const* in, int64_t n, float);
void cosine_loop(void* out, const void* const* in, int64_t n, double);
void cosine_loop(void* out, const void* const* in, int64_t n, float);
void tangent_loop(void* out, const void* const* in, int64_t n, double);
void tangent_loop(void* out, const void* const* in, int64_t n, float);
#define NL_WHOLE_BLOCK(id, function)                                   \
    template <>                                                        \
    struct VectorOf<OpCode::id> {                                      \
        static constexpr bool found = true;                            \
        template <class T>                                             \
        static void run(void* out, const void* const* in, int64_t n) { \
            function(out, in, n, T{});                                 \
        }                                                              \
    };
NL_WHOLE_BLOCK(Sin, sine_loop)
NL_WHOLE_BLOCK(Cos, cosine_loop)
NL_WHOLE_BLOCK(Tan, tangent_loop)
#endif

#define NL_VECTOR1(id, double_function, float_function)               \
    template <>                                                       \
    struct VectorOf<OpCode::id> {                                     \
        static constexpr bool found = true;                           \
        static VectorD call(VectorD x) { return double_function(x); } \
        static VectorF call(VectorF x) { return float_function(x); }  \
    };
#define NL_VECTOR2(id, double_function, float_function)                             \
    template <>                                                                     \
    struct VectorOf<OpCode::id> {                                                   \
        static constexpr bool found = true;                                         \
        static VectorD call(VectorD x, VectorD y) { return double_function(x, y); } \
        static VectorF call(VectorF x, VectorF y) { return float_function(x, y); }  \
    };

#if defined(NUMLOOM_SLEEF)
#define NL_FROM_SLEEF1(id, name, accuracy) \
    NL_VECTOR1(id, NL_SLEEF_D(name, accuracy), NL_SLEEF_F(name, accuracy))
#define NL_FROM_SLEEF2(id, name, accuracy) \
    NL_VECTOR2(id, NL_SLEEF_D(name, accuracy), NL_SLEEF_F(name, accuracy))
NL_FROM_SLEEF1(Cbrt, cbrt, u10)
NL_FROM_SLEEF1(Exp, exp, u10)
NL_FROM_SLEEF1(Exp2, exp2, u10)
NL_FROM_SLEEF1(Expm1, expm1, u10)
NL_FROM_SLEEF1(Log, log, u10)
NL_FROM_SLEEF1(Log2, log2, u10)
NL_FROM_SLEEF1(Log10, log10, u10)
// Not SLEEF's sine, cosine and tangent: they choose the reduction of the argument for a whole vector, by its
// largest lane, and the bits of the others change with it.
NL_FROM_SLEEF1(ArcSin, asin, u10)
NL_FROM_SLEEF1(ArcCos, acos, u10)
NL_FROM_SLEEF1(ArcTan, atan, u10)
// As NL_FROM_SLEEF1, for arguments up to `largest`; beyond, the C library's long double keeps the accuracy.
#define NL_FROM_SLEEF_UP_TO(id, name, accuracy, largest_double, largest_float)       \
    template <>                                                                      \
    struct VectorOf<OpCode::id> {                                                    \
        static constexpr bool found = true;                                          \
        template <class T>                                                           \
        static constexpr T largest() {                                               \
            return sizeof(T) == 8 ? static_cast<T>(largest_double) : largest_float;  \
        }                                                                            \
        static VectorD call(VectorD x) { return NL_SLEEF_D(name, accuracy)(x); }     \
        static VectorF call(VectorF x) { return NL_SLEEF_F(name, accuracy)(x); }     \
        template <class T>                                                           \
        static T call(T x) {                                                         \
            return static_cast<T>(__builtin_##name##l(static_cast<long double>(x))); \
        }                                                                            \
    };
NL_FROM_SLEEF_UP_TO(Log1p, log1p, u10, 1e300, 1e37f)
NL_FROM_SLEEF_UP_TO(Sinh, sinh, u10, 709.0, 88.0f)
NL_FROM_SLEEF_UP_TO(Cosh, cosh, u10, 709.0, 88.0f)
NL_FROM_SLEEF1(Tanh, tanh, u10)
NL_FROM_SLEEF_UP_TO(ArcSinh, asinh, u10, 1e150, 1e18f)
NL_FROM_SLEEF_UP_TO(ArcCosh, acosh, u10, 1e150, 1e18f)
NL_FROM_SLEEF1(ArcTanh, atanh, u10)
NL_FROM_SLEEF2(ArcTan2, atan2, u10)
NL_FROM_SLEEF2(Hypot, hypot, u05)
NL_FROM_SLEEF2(Power, pow, u10)
template <>
struct VectorOf<OpCode::FloatPower> : VectorOf<OpCode::Power> {};
#endif

#if defined(NUMLOOM_LIBMVEC)
// glibc declares these to the compiler's vectoriser only.
extern "C" {
VectorD NL_MVEC_D(erf, v)(VectorD);
VectorF NL_MVEC_F(erf, v)(VectorF);
#if defined(__AVX512F__)
__m256 _ZGVdN8v_erff(__m256);
#endif
}
#if defined(__AVX512F__)
// libmvec's erff for AVX-512 is off by up to 4 ulp, the one for AVX2 by 2.3.
inline __m512 erff_of_halves(__m512 x) {
    __m256 halves[2];
    std::memcpy(halves, &x, sizeof(x));
    for (__m256& half : halves) half = _ZGVdN8v_erff(half);
    __m512 result;
    std::memcpy(&result, halves, sizeof(result));
    return result;
}
NL_VECTOR1(Erf, NL_MVEC_D(erf, v), erff_of_halves)
#else
NL_VECTOR1(Erf, NL_MVEC_D(erf, v), NL_MVEC_F(erf, v))
#endif
#elif defined(NUMLOOM_SLEEF)
NL_FROM_SLEEF1(Erf, erf, u10)
#endif
#if defined(NUMLOOM_SLEEF)
NL_FROM_SLEEF1(Erfc, erfc, u15)
#endif

#endif  // __x86_64__

}  // namespace numloom::cpu::NUMLOOM_TARGET
