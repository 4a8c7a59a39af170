// What all files of loops share. Compiled once per instruction set; NUMLOOM_TARGET names the namespace, and
// everything here lives in it, so that the linker never merges code made for different processors.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "device/cpu/loops.hpp"
#include "ops/scalar_ops.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

// There is no dependence between iterations: out is an input or apart from it. The compiler need not check at
// run time.
#if defined(__clang__)
#define NL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety) interleave(enable)")
#else
#define NL_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace numloom::cpu::NUMLOOM_TARGET {

// By name, so that they hide what numloom itself calls the same.
using scalar::cast_to;
using scalar::Complex;
using scalar::Half;
using scalar::is_complex;
using scalar::is_float;
using scalar::is_int;
using scalar::is_nan;
using scalar::Real;

// Operation codes to functors.
template <OpCode op>
struct FunctorOf;
#define NL_OP(id, name, inputs, loops, result, traits)         \
    template <>                                                \
    struct FunctorOf<OpCode::id> {                             \
        template <class T>                                     \
        using type = scalar::Op_##id<T>;                       \
        static constexpr int arity = inputs;                   \
        static constexpr const char* codes = loops;            \
        static constexpr ResultRule rule = ResultRule::result; \
        static constexpr uint32_t trait_bits = traits;         \
    };
#include "ops/table.def"
#undef NL_OP

template <DType d>
struct ElementOf;
#define NL_ELEMENT(d, T)         \
    template <>                  \
    struct ElementOf<DType::d> { \
        using type = T;          \
    };
NL_ELEMENT(Bool, bool)
NL_ELEMENT(Int8, int8_t)
NL_ELEMENT(UInt8, uint8_t)
NL_ELEMENT(Int16, int16_t)
NL_ELEMENT(UInt16, uint16_t)
NL_ELEMENT(Int32, int32_t)
NL_ELEMENT(UInt32, uint32_t)
NL_ELEMENT(Int64, int64_t)
NL_ELEMENT(UInt64, uint64_t)
NL_ELEMENT(Float16, Half)
NL_ELEMENT(Float32, float)
NL_ELEMENT(Float64, double)
NL_ELEMENT(Complex64, Complex<float>)
NL_ELEMENT(Complex128, Complex<double>)
#undef NL_ELEMENT
template <DType d>
using Element = typename ElementOf<d>::type;

constexpr bool has_loop(const char* codes, DType d) {
    for (; *codes; ++codes) {
        if (*codes == info(d).code) return true;
    }
    return false;
}

// How an element lies in memory: a bool is a byte, any non-zero byte is true.
template <class T>
struct MemoryOf {
    using type = T;
};
template <>
struct MemoryOf<bool> {
    using type = uint8_t;
};
template <class T>
using Memory = typename MemoryOf<T>::type;

template <class T>
const Memory<T>* input(const void* const* in, int k) {
    return static_cast<const Memory<T>*>(in[k]);
}

// --- the processor's sticky floating-point flags ---

#if defined(__x86_64__)
static inline unsigned save_flags() { return _mm_getcsr(); }
// The flags as they were, but for inexact results, and what `kinds` (FloatKind) says.
static inline void restore_flags(unsigned saved, unsigned kinds) {
    constexpr unsigned flags = 0x1d;
    const unsigned now = _mm_getcsr();
    const unsigned raised = (kinds & F_DIVIDE ? 4u : 0u) | (kinds & F_OVERFLOW ? 8u : 0u) |
                            (kinds & F_UNDERFLOW ? 16u : 0u) | (kinds & F_INVALID ? 1u : 0u);
    const unsigned wanted = (now & ~flags) | (saved & flags) | raised;
    if (now != wanted) _mm_setcsr(wanted);
}
#else
static inline unsigned save_flags() {
    return static_cast<unsigned>(std::fetestexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID));
}
static inline void restore_flags(unsigned saved, unsigned kinds) {
    const int raised = (kinds & F_DIVIDE ? FE_DIVBYZERO : 0) | (kinds & F_OVERFLOW ? FE_OVERFLOW : 0) |
                       (kinds & F_UNDERFLOW ? FE_UNDERFLOW : 0) | (kinds & F_INVALID ? FE_INVALID : 0);
    std::feclearexcept(FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INVALID);
    std::feraiseexcept(static_cast<int>(saved) | raised);
}
#endif

// A loop whose comparisons flag NaN, which NumPy does not report.
template <Loop loop>
void quiet(void* out, const void* const* in, int64_t n) {
    const unsigned saved = save_flags();
    loop(out, in, n);
    restore_flags(saved, 0);
}

// What a function of real numbers reports, by its arguments and its value: out of nothing comes no NaN, and
// an infinity of finite arguments is a pole near the origin or an overflow elsewhere.
template <class T, int arity>
unsigned kinds_by_value(T a, T b, T value) {
    if (is_nan(value)) return is_nan(a) || (arity == 2 && is_nan(b)) ? 0u : static_cast<unsigned>(F_INVALID);
    const T largest = scalar::infinity<T>();
    const bool finite = scalar::abs_of(a) < largest && (arity == 1 || scalar::abs_of(b) < largest);
    if (!finite) return 0;
    if (scalar::abs_of(value) == largest)
        return (arity == 1 ? scalar::abs_of(a) <= 1 : a == 0) ? F_DIVIDE : F_OVERFLOW;
    constexpr T smallest = sizeof(T) == 8 ? static_cast<T>(0x1p-1022) : static_cast<T>(0x1p-126f);
    // No function here has a zero of exactly 0 beyond 1, but where it underflows.
    const bool lost = value == 0 ? (arity == 1 ? scalar::abs_of(a) > 2 : a != 0 && b != 0)
                                 : scalar::abs_of(value) < smallest;
    return lost ? F_UNDERFLOW : 0;
}

// --- elementwise loops ---

template <template <class> class Op, class T>
void unary(void* out, const void* const* in, int64_t n) {
    using R = decltype(scalar::Apply<Op, T>::run(T{}));
    auto* o = static_cast<Memory<R>*>(out);
    const Memory<T>* a = input<T>(in, 0);
    NL_INDEPENDENT
    for (int64_t i = 0; i < n; ++i)
        o[i] = static_cast<Memory<R>>(scalar::Apply<Op, T>::run(static_cast<T>(a[i])));
}

template <template <class> class Op, class T, unsigned mask>
void binary(void* out, const void* const* in, int64_t n) {
    using R = decltype(scalar::Apply<Op, T>::run(T{}, T{}));
    auto* o = static_cast<Memory<R>*>(out);
    const Memory<T>* a = input<T>(in, 0);
    const Memory<T>* b = input<T>(in, 1);
    if constexpr (mask == 0) {
        NL_INDEPENDENT
        for (int64_t i = 0; i < n; ++i)
            o[i] =
                static_cast<Memory<R>>(scalar::Apply<Op, T>::run(static_cast<T>(a[i]), static_cast<T>(b[i])));
    } else if constexpr (mask == 1) {
        const T s = static_cast<T>(a[0]);
        NL_INDEPENDENT
        for (int64_t i = 0; i < n; ++i)
            o[i] = static_cast<Memory<R>>(scalar::Apply<Op, T>::run(s, static_cast<T>(b[i])));
    } else {
        const T s = static_cast<T>(b[0]);
        NL_INDEPENDENT
        for (int64_t i = 0; i < n; ++i)
            o[i] = static_cast<Memory<R>>(scalar::Apply<Op, T>::run(static_cast<T>(a[i]), s));
    }
}

// `mask` as in binary: bit 0 the condition, bit 1 and 2 the values.
template <class T, unsigned mask>
void where(void* out, const void* const* in, int64_t n) {
    auto* o = static_cast<Memory<T>*>(out);
    const uint8_t* c = input<bool>(in, 0);
    const Memory<T>* a = input<T>(in, 1);
    const Memory<T>* b = input<T>(in, 2);
    constexpr bool one_a = (mask >> 1) & 1u, one_b = (mask >> 2) & 1u;
    if constexpr ((mask & 1u) != 0) {
        const bool first = c[0] != 0;
        const Memory<T>* from = first ? a : b;
        if (first ? one_a : one_b) {
            const Memory<T> s = *from;
            for (int64_t i = 0; i < n; ++i) o[i] = s;
        } else if (from != o) {
            std::memmove(o, from, static_cast<size_t>(n) * sizeof(T));
        }
    } else {
        const Memory<T> p = a[0], q = b[0];
        NL_INDEPENDENT
        for (int64_t i = 0; i < n; ++i) {
            const Memory<T> u = one_a ? p : a[i], v = one_b ? q : b[i];
            o[i] = c[i] != 0 ? u : v;
        }
    }
}

// Inputs of a commutative operation the other way round.
template <Loop loop>
void swapped(void* out, const void* const* in, int64_t n) {
    const void* other[2] = {in[1], in[0]};
    loop(out, other, n);
}

// All inputs are single elements: one computation, then copies.
void fill(void* out, int64_t itemsize, int64_t n);
template <Loop loop, int64_t itemsize>
void filled(void* out, const void* const* in, int64_t n) {
    if (n <= 0) return;
    loop(out, in, 1);
    fill(out, itemsize, n);
}

// --- half precision: blocks through float ---

void halves_to_floats(float* out, const Half* in, int64_t n);
void floats_to_halves(Half* out, const float* in, int64_t n);

// `masks`: the float inputs, as a set of bits; the scalar inputs, as another. Other inputs (the mask of
// where) and bool results pass through.
template <Loop loop, int arity, unsigned halves, unsigned scalars, ResultRule rule>
void half_loop(void* out, const void* const* in, int64_t n) {
    constexpr int64_t kBlock = 512;
    alignas(64) float buffer[arity][kBlock];
    alignas(64) float result[kBlock];
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t count = n - first < kBlock ? n - first : kBlock;
        const void* block[arity];
        for (int k = 0; k < arity; ++k) {
            const bool scalar = (scalars >> k) & 1u;
            if (!((halves >> k) & 1u)) {
                block[k] = static_cast<const char*>(in[k]) + (scalar ? 0 : first);
                continue;
            }
            // A scalar is read before the first block is written, which may overwrite it.
            if (!scalar || first == 0)
                halves_to_floats(buffer[k], static_cast<const Half*>(in[k]) + (scalar ? 0 : first),
                                 scalar ? 1 : count);
            block[k] = buffer[k];
        }
        if constexpr (rule == ResultRule::Same || rule == ResultRule::Real) {
            loop(result, block, count);
            floats_to_halves(static_cast<Half*>(out) + first, result, count);
        } else {
            loop(static_cast<char*>(out) + first * (rule == ResultRule::Int32 ? 4 : 1), block, count);
        }
    }
}

// --- one section of the table ---

constexpr unsigned kMasks = 8;
using Row = std::array<std::array<Loop, kMasks>, kDTypes>;

// Vector functions of an operation, for float and double; vector_math.hpp fills this in where a library has
// them.
template <OpCode op>
struct VectorOf {
    static constexpr bool found = false;
};
template <class F, class T, int arity, unsigned mask>
void vector_loop(void* out, const void* const* in, int64_t n);

constexpr unsigned kOver = F_OVERFLOW, kUnder = F_UNDERFLOW;
// What a step to a neighbouring number reports: that it leaves the finite numbers or, but for half precision,
// ends below the normal ones.
template <class T>
unsigned kinds_of_step(T from, T to) {
    if constexpr (std::is_same_v<T, Half>) {
        return (from.bits & 0x7fffu) < 0x7c00u && (to.bits & 0x7fffu) == 0x7c00u ? kOver : 0u;
    } else {
        constexpr T smallest = sizeof(T) == 8 ? static_cast<T>(0x1p-1022) : static_cast<T>(0x1p-126f);
        const T before = scalar::abs_of(from), after = scalar::abs_of(to);
        return (before < scalar::infinity<T>() && after == scalar::infinity<T>() ? kOver : 0u) |
               (from != to && after < smallest ? kUnder : 0u);
    }
}
template <class T>
unsigned kinds_of_spacing(T a) {
    if constexpr (std::is_same_v<T, Half>) {
        // Upwards, so that only the largest number has no neighbour.
        return (a.bits & 0x7fffu) >= 0x7c00u ? unsigned{F_INVALID} : a.bits == 0x7bffu ? kOver : 0u;
    } else {
        constexpr T smallest = sizeof(T) == 8 ? static_cast<T>(0x1p-1022) : static_cast<T>(0x1p-126f);
        constexpr T largest =
            sizeof(T) == 8 ? static_cast<T>(0x1.fffffffffffffp1023) : static_cast<T>(0x1.fffffep127f);
        const T size = scalar::abs_of(a);
        const unsigned lost = size > 0 && size + scalar::Op_Spacing<T>::apply(size) < smallest;
        return size == largest ? kOver : lost ? kUnder : 0u;
    }
}
// nextafter and spacing go by bits, which flags nothing: what they report is looked for beforehand, since the
// result may overwrite an input.
template <OpCode op, class T, unsigned mask, Loop loop>
void stepping(void* out, const void* const* in, int64_t n) {
    const unsigned saved = save_flags();
    const Memory<T>* a = input<T>(in, 0);
    unsigned kinds = 0;
    if constexpr (op == OpCode::Spacing) {
        for (int64_t i = 0; i < n; ++i) kinds |= kinds_of_spacing<T>(a[i]);
    } else {
        const Memory<T>* b = input<T>(in, 1);
        for (int64_t i = 0; i < n; ++i) {
            const T from = a[mask & 1u ? 0 : i];
            kinds |= kinds_of_step<T>(
                from, scalar::Apply<scalar::Op_NextAfter, T>::run(from, b[mask & 2u ? 0 : i]));
        }
    }
    loop(out, in, n);
    restore_flags(saved, kinds);
}

// Operations that report nothing and do more than move bits.
constexpr bool compares(OpCode op, DType d, uint32_t traits) {
    if ((traits & T_ORDERS) != 0 && numloom::is_complex(d)) return false;
    return is_inexact(d) && (traits & T_QUIET) != 0 && op != OpCode::Copy && op != OpCode::Where &&
           op != OpCode::Positive && op != OpCode::Negative && op != OpCode::Fabs &&
           op != OpCode::Conjugate && op != OpCode::RealPart && op != OpCode::ImagPart &&
           op != OpCode::SignBit && op != OpCode::CopySign;
}
template <OpCode op, DType d, Loop loop>
constexpr Loop as_reported() {
    if constexpr (compares(op, d, FunctorOf<op>::trait_bits)) {
        return &quiet<loop>;
    } else {
        return loop;
    }
}

// The loop of an operation without half precision.
template <OpCode op, DType d, unsigned mask>
struct PlainLoop {
    using F = FunctorOf<op>;
    using T = Element<d>;
    static constexpr Loop get() {
        if constexpr (VectorOf<op>::found && (d == DType::Float32 || d == DType::Float64)) {
            if constexpr (requires { &VectorOf<op>::template run<T>; }) {
                return &VectorOf<op>::template run<T>;
            } else {
                return &vector_loop<VectorOf<op>, T, F::arity, mask>;
            }
        } else if constexpr (F::arity == 1) {
            return &unary<F::template type, T>;
        } else if constexpr (F::arity == 2) {
            return &binary<F::template type, T, mask>;
        } else {
            return &where<T, mask>;
        }
    }
};

constexpr int64_t result_size(ResultRule rule, DType d) {
    if (rule == ResultRule::Bool || rule == ResultRule::UInt8) return 1;
    if (rule == ResultRule::Int32) return 4;
    return rule == ResultRule::Real && numloom::is_complex(d) ? item_size(d) / 2 : item_size(d);
}
constexpr bool commutes(OpCode op, DType d) {
    // The fused product of complex numbers is not the same bits both ways.
    return op == OpCode::Add || (op == OpCode::Multiply && !numloom::is_complex(d)) || op == OpCode::Equal ||
           op == OpCode::NotEqual || op == OpCode::BitwiseAnd || op == OpCode::BitwiseOr ||
           op == OpCode::BitwiseXor || op == OpCode::LogicalAnd || op == OpCode::LogicalOr ||
           op == OpCode::LogicalXor;
}

template <OpCode op, DType d, unsigned mask>
constexpr Loop pick() {
    using F = FunctorOf<op>;
    if constexpr (!has_loop(F::codes, d) || mask >= (1u << F::arity)) {
        return nullptr;
    } else if constexpr (mask == (1u << F::arity) - 1u) {
        return &filled<pick<op, d, 0>(), result_size(F::rule, d)>;
    } else if constexpr (op == OpCode::NextAfter || op == OpCode::Spacing) {
        return &stepping<op, Element<d>, mask, PlainLoop<op, d, mask>::get()>;
    } else if constexpr (d == DType::Float16) {
        // Of two equal zeros half precision gives the first, float the second.
        if constexpr (op == OpCode::Minimum || op == OpCode::Maximum) {
            constexpr unsigned other = ((mask & 1u) << 1) | (mask >> 1);
            return &half_loop<&swapped<pick<op, DType::Float32, other>()>, 2, 3u, mask, F::rule>;
        } else {
            constexpr unsigned halves = op == OpCode::Where ? 6u : (1u << F::arity) - 1u;
            return &half_loop<pick<op, DType::Float32, mask>(), F::arity, halves, mask, F::rule>;
        }
    } else if constexpr (F::arity == 2 && mask == 1u && commutes(op, d)) {
        return &swapped<pick<op, d, 2u>()>;
    } else {
        return as_reported<op, d, PlainLoop<op, d, mask>::get()>();
    }
}

template <OpCode op, DType d, unsigned... mask>
constexpr std::array<Loop, kMasks> make_masks(std::integer_sequence<unsigned, mask...>) {
    return {pick<op, d, mask>()...};
}
template <OpCode op, size_t... d>
constexpr Row make_row(std::index_sequence<d...>) {
    return {make_masks<op, static_cast<DType>(d)>(std::make_integer_sequence<unsigned, kMasks>{})...};
}

// The rows of the operations First to Last, which stand together in the table.
template <OpCode First, OpCode Last>
constexpr auto make_section() {
    constexpr size_t count = static_cast<size_t>(Last) - static_cast<size_t>(First) + 1;
    std::array<Row, count> rows{};
    [&]<size_t... k>(std::index_sequence<k...>) {
        ((rows[k] = make_row<static_cast<OpCode>(static_cast<size_t>(First) + k)>(
              std::make_index_sequence<kDTypes>{})),
         ...);
    }
    (std::make_index_sequence<count>{});
    return rows;
}

// A section as the table sees it; each is defined in the file of its name.
struct Section {
    OpCode first, last;
    const Row* rows;
};
extern const Section kArithmetic, kDivide, kExtrema, kCompare, kBits, kMath, kFloating, kIntegers, kParts;

Loop find_cast(DType from, DType to);
Gather find_gather(int64_t itemsize);
Scatter find_scatter(int64_t itemsize);
Transpose find_transpose(int64_t itemsize);
void stream_copy(void* dst, const void* src, int64_t bytes);
Fold find_fold(OpCode op, DType type);
FoldLeaves find_fold_leaves(OpCode op, DType type);
Combine find_combine(OpCode op, DType type);
Loop find_pair(OpCode first, OpCode second, bool first_is_left, DType loop, unsigned scalar_mask);
// The loop that NUMLOOM_MATH=fast takes instead; nullptr: no other.
Loop find_fast_math(OpCode op, DType loop, unsigned scalar_mask);

}  // namespace numloom::cpu::NUMLOOM_TARGET
