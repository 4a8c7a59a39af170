// Reductions: the 8 lanes of a leaf, whole leaves, and the combination of lanes. The order is the one of
// kernel/ir.hpp.
#include <type_traits>

#include "device/cpu/loops/common.hpp"
#include "kernel/ir.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

namespace {

using kernel::kLanes;
using kernel::kLeaf;

template <template <class> class Op, class T>
Memory<T> apply(Memory<T> a, Memory<T> b) {
    return static_cast<Memory<T>>(scalar::Apply<Op, T>::run(static_cast<T>(a), static_cast<T>(b)));
}

// Eight lanes side by side: one loop that the compiler turns into one or two vector operations.
template <template <class> class Op, class T>
struct Lanes {
    alignas(64) Memory<T> v[kLanes];
    void step(const Memory<T>* values) {
        for (int l = 0; l < kLanes; ++l) v[l] = apply<Op, T>(v[l], values[l]);
    }
};

template <template <class> class Op, class T>
void combine(void* out, const void* lanes, int64_t points) {
    const auto* v = static_cast<const Memory<T>*>(lanes);
    auto* o = static_cast<Memory<T>*>(out);
    if (points >= kLanes) {
        const auto left = apply<Op, T>(apply<Op, T>(v[0], v[1]), apply<Op, T>(v[2], v[3]));
        const auto right = apply<Op, T>(apply<Op, T>(v[4], v[5]), apply<Op, T>(v[6], v[7]));
        *o = apply<Op, T>(left, right);
        return;
    }
    Memory<T> tree[kLanes];
    std::memcpy(static_cast<void*>(tree), v, static_cast<size_t>(points) * sizeof(T));
    for (int64_t width = points; width > 1; width = (width + 1) / 2) {
        for (int64_t i = 0; i < width; i += 2) {
            tree[i / 2] = i + 1 < width ? apply<Op, T>(tree[i], tree[i + 1]) : tree[i];
        }
    }
    *o = tree[0];
}

// The eight lanes as one vector, for the operations that most reductions are: the compiler keeps several of
// them in registers, which it does not do with arrays. By reference, since passing vectors by value depends
// on the instruction set.
#if defined(__AVX512F__)
constexpr size_t kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr size_t kVectorBytes = 32;
#else
constexpr size_t kVectorBytes = 16;
#endif
template <class T>
struct LaneVector {
    static constexpr size_t bytes = kVectorBytes < kLanes * sizeof(T) ? kVectorBytes : kLanes * sizeof(T);
    static constexpr int parts = static_cast<int>(kLanes * sizeof(T) / bytes);
    static constexpr int width = kLanes / parts;  // lanes of a part
    typedef T type __attribute__((vector_size(bytes)));
    typedef T in_memory __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
    type v[parts];
    void load(const T* from) {
        for (int p = 0; p < parts; ++p) v[p] = *reinterpret_cast<const in_memory*>(from + p * width);
    }
    void store(T* to) const {
        for (int p = 0; p < parts; ++p) *reinterpret_cast<in_memory*>(to + p * width) = v[p];
    }
};
template <template <class> class Op>
struct LaneStep {
    static constexpr bool exists = false;
};
#define NL_LANE_STEP(op, expression)                                              \
    template <>                                                                   \
    struct LaneStep<scalar::op> {                                                 \
        static constexpr bool exists = true;                                      \
        template <class V>                                                        \
        static inline __attribute__((always_inline)) void run(V& a, const V& b) { \
            a = expression;                                                       \
        }                                                                         \
    };
NL_LANE_STEP(Op_Add, a + b)
NL_LANE_STEP(Op_Multiply, a* b)
NL_LANE_STEP(Op_Minimum, a != a ? a : (a < b ? a : b))
NL_LANE_STEP(Op_Maximum, a != a ? a : (a > b ? a : b))
#undef NL_LANE_STEP

template <template <class> class Op, class T>
constexpr bool has_lane_step = is_float<T> && !std::is_same_v<T, Half> && LaneStep<Op>::exists;

template <template <class> class Op, class T>
void fold(void* lanes, const void* values, int64_t n, int64_t first) {
    auto* lane = static_cast<Memory<T>*>(lanes);
    const auto* v = static_cast<const Memory<T>*>(values);
    const int64_t end = first + n;
    int64_t r = first;
    for (; r < end && r < kLanes; ++r) lane[r] = v[r - first];
    for (; r < end && r % kLanes != 0; ++r) lane[r % kLanes] = apply<Op, T>(lane[r % kLanes], v[r - first]);
    if (r + kLanes <= end) {
        if constexpr (has_lane_step<Op, T>) {
            LaneVector<T> acc, b;
            acc.load(lane);
            for (; r + kLanes <= end; r += kLanes) {
                b.load(v + (r - first));
                for (int p = 0; p < LaneVector<T>::parts; ++p) LaneStep<Op>::run(acc.v[p], b.v[p]);
            }
            acc.store(lane);
        } else {
            Lanes<Op, T> acc;
            std::memcpy(static_cast<void*>(acc.v), lane, sizeof(acc.v));
            for (; r + kLanes <= end; r += kLanes) acc.step(v + (r - first));
            std::memcpy(static_cast<void*>(lane), acc.v, sizeof(acc.v));
        }
    }
    for (; r < end; ++r) lane[r % kLanes] = apply<Op, T>(lane[r % kLanes], v[r - first]);
}

// `together` leaves at once, so that the latency of one chain of additions hides behind the others.
template <template <class> class Op, class T, int together>
void fold_some(Memory<T>* out, const Memory<T>* v) {
    if constexpr (has_lane_step<Op, T>) {
        LaneVector<T> acc[together];
        for (int k = 0; k < together; ++k) acc[k].load(v + k * kLeaf);
        for (int64_t r = kLanes; r < kLeaf; r += kLanes)
            for (int k = 0; k < together; ++k) {
                LaneVector<T> b;
                // The next leaves: several short streams are more than the processor's own prefetcher
                // follows.
                if (together > 1) __builtin_prefetch(v + (k + together) * kLeaf + r);
                b.load(v + k * kLeaf + r);
                for (int p = 0; p < LaneVector<T>::parts; ++p) LaneStep<Op>::run(acc[k].v[p], b.v[p]);
            }
        for (int k = 0; k < together; ++k) {
            T lanes[kLanes];
            acc[k].store(lanes);
            combine<Op, T>(out + k, lanes, kLeaf);
        }
    } else {
        Lanes<Op, T> acc[together];
        for (int k = 0; k < together; ++k) {
            for (int l = 0; l < kLanes; ++l) acc[k].v[l] = v[k * kLeaf + l];
        }
        for (int64_t r = kLanes; r < kLeaf; r += kLanes) {
            for (int k = 0; k < together; ++k) acc[k].step(v + k * kLeaf + r);
        }
        for (int k = 0; k < together; ++k) combine<Op, T>(out + k, acc[k].v, kLeaf);
    }
}

// Operations on integers are exact in any order: one plain loop for the leaf.
template <template <class> class Op, class T>
void fold_exact(Memory<T>* out, const Memory<T>* v) {
    if constexpr (std::is_same_v<T, bool>) {
        // An associative operation on bools is or, and, or exclusive or: its table says which. As bytes they
        // vectorise.
        const bool one = apply<Op, T>(0, 1) != 0, two = apply<Op, T>(1, 1) != 0;
        uint8_t acc = v[0] != 0;
        if (one && two) {
            for (int64_t r = 1; r < kLeaf; ++r) acc |= static_cast<uint8_t>(v[r] != 0);
        } else if (two) {
            for (int64_t r = 1; r < kLeaf; ++r) acc &= static_cast<uint8_t>(v[r] != 0);
        } else {
            for (int64_t r = 1; r < kLeaf; ++r) acc ^= static_cast<uint8_t>(v[r] != 0);
        }
        *out = acc;
    } else {
        Memory<T> acc = v[0];
        for (int64_t r = 1; r < kLeaf; ++r) acc = apply<Op, T>(acc, v[r]);
        *out = acc;
    }
}

template <template <class> class Op, class T>
void fold_leaves(void* out, const void* values, int64_t count) {
    auto* o = static_cast<Memory<T>*>(out);
    const auto* v = static_cast<const Memory<T>*>(values);
    int64_t i = 0;
    if constexpr (is_float<T> || is_complex<T>) {
        for (; i + 4 <= count; i += 4) fold_some<Op, T, 4>(o + i, v + i * kLeaf);
        for (; i < count; ++i) fold_some<Op, T, 1>(o + i, v + i * kLeaf);
    } else {
        for (; i < count; ++i) fold_exact<Op, T>(o + i, v + i * kLeaf);
    }
}

struct Functions {
    Fold fold = nullptr;
    FoldLeaves leaves = nullptr;
    Combine combine = nullptr;
};
using FunctionRow = std::array<Functions, kDTypes>;

// Comparisons flag NaN, which NumPy does not report.
template <Fold f>
void quiet_fold(void* lanes, const void* values, int64_t n, int64_t first) {
    const unsigned saved = save_flags();
    f(lanes, values, n, first);
    restore_flags(saved, 0);
}
template <FoldLeaves f>  // Combine has the same type
void quiet_leaves(void* out, const void* values, int64_t count) {
    const unsigned saved = save_flags();
    f(out, values, count);
    restore_flags(saved, 0);
}

template <OpCode op, DType d>
constexpr Functions pick_functions() {
    using F = FunctorOf<op>;
    // A result of another type than the inputs has no accumulator: such operations fold bools only.
    constexpr bool closed = F::rule == ResultRule::Same || d == DType::Bool;
    if constexpr (has_loop(F::codes, d) && closed) {
        using T = Element<d>;
        if constexpr (compares(op, d, F::trait_bits))
            return {&quiet_fold<&fold<F::template type, T>>, &quiet_leaves<&fold_leaves<F::template type, T>>,
                    &quiet_leaves<&combine<F::template type, T>>};
        return {&fold<F::template type, T>, &fold_leaves<F::template type, T>, &combine<F::template type, T>};
    } else {
        return {};
    }
}
template <OpCode op, size_t... d>
constexpr FunctionRow function_row(std::index_sequence<d...>) {
    return {pick_functions<op, static_cast<DType>(d)>()...};
}
template <OpCode op>
constexpr FunctionRow kFunctions = function_row<op>(std::make_index_sequence<kDTypes>{});

const Functions* find(OpCode op, DType type) {
    static constexpr Functions kNone{};
    const auto d = static_cast<size_t>(type);
    switch (op) {
        case OpCode::Add:
            return &kFunctions<OpCode::Add>[d];
        case OpCode::Multiply:
            return &kFunctions<OpCode::Multiply>[d];
        case OpCode::Minimum:
            return &kFunctions<OpCode::Minimum>[d];
        case OpCode::Maximum:
            return &kFunctions<OpCode::Maximum>[d];
        case OpCode::Fmin:
            return &kFunctions<OpCode::Fmin>[d];
        case OpCode::Fmax:
            return &kFunctions<OpCode::Fmax>[d];
        case OpCode::LogicalAnd:
            return &kFunctions<OpCode::LogicalAnd>[d];
        case OpCode::LogicalOr:
            return &kFunctions<OpCode::LogicalOr>[d];
        case OpCode::LogicalXor:
            return &kFunctions<OpCode::LogicalXor>[d];
        case OpCode::BitwiseAnd:
            return &kFunctions<OpCode::BitwiseAnd>[d];
        case OpCode::BitwiseOr:
            return &kFunctions<OpCode::BitwiseOr>[d];
        case OpCode::BitwiseXor:
            return &kFunctions<OpCode::BitwiseXor>[d];
        default:
            return &kNone;
    }
}

}  // namespace

Fold find_fold(OpCode op, DType type) { return find(op, type)->fold; }
FoldLeaves find_fold_leaves(OpCode op, DType type) { return find(op, type)->leaves; }
Combine find_combine(OpCode op, DType type) { return find(op, type)->combine; }

}  // namespace numloom::cpu::NUMLOOM_TARGET
