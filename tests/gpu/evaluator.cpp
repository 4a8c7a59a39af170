#include "evaluator.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/scalar.hpp"
#include "kernel/reduction.hpp"
#include "ops/scalar_ops.hpp"

namespace numloom::test {

using kernel::Kernel;
using kernel::TapeEntry;
using kernel::TapeKind;

namespace {

template <class T>
struct Stored {
    using type = T;
};
template <>
struct Stored<numloom::Half> {
    using type = scalar::Half;
};
template <class T>
struct Stored<std::complex<T>> {
    using type = scalar::Complex<T>;
};

template <class T>
constexpr DType dtype_of = DType::Bool;
#define NL_DTYPE_OF(type, d) \
    template <>              \
    constexpr DType dtype_of<type> = DType::d;
NL_DTYPE_OF(int8_t, Int8)
NL_DTYPE_OF(uint8_t, UInt8)
NL_DTYPE_OF(int16_t, Int16)
NL_DTYPE_OF(uint16_t, UInt16)
NL_DTYPE_OF(int32_t, Int32)
NL_DTYPE_OF(uint32_t, UInt32)
NL_DTYPE_OF(int64_t, Int64)
NL_DTYPE_OF(uint64_t, UInt64)
NL_DTYPE_OF(numloom::Half, Float16)
NL_DTYPE_OF(float, Float32)
NL_DTYPE_OF(double, Float64)
NL_DTYPE_OF(std::complex<float>, Complex64)
NL_DTYPE_OF(std::complex<double>, Complex128)
#undef NL_DTYPE_OF

constexpr uint32_t loop_mask(std::string_view loops) {
    uint32_t mask = 0;
    for (char code : loops)
        for (int d = 0; d < kDTypes; ++d)
            if (kDTypeInfo[d].code == code) mask |= 1u << d;
    return mask;
}

template <template <class> class Op, int inputs, uint32_t mask, bool where>
Scalar call(DType type, const Scalar* in) {
    Scalar out;
    dispatch(type, [&]<class Tag>(Tag) {
        using C = typename Tag::type;
        using T = typename Stored<C>::type;
        if constexpr (((mask >> static_cast<int>(dtype_of<C>)) & 1u) != 0) {
            using A = scalar::Apply<Op, T>;
            if constexpr (where) {
                out = Scalar::of(A::run(in[0].as<bool>(), in[1].as<T>(), in[2].as<T>()));
            } else if constexpr (inputs == 1) {
                out = Scalar::of(A::run(in[0].as<T>()));
            } else {
                out = Scalar::of(A::run(in[0].as<T>(), in[1].as<T>()));
            }
        } else {
            unreachable("no such loop");
        }
    });
    return out;
}

Scalar compute(OpCode op, DType type, const Scalar* in) {
    switch (op) {
#define NL_OP(id, name, inputs, loops, result, traits) \
    case OpCode::id:                                   \
        return call<scalar::Op_##id, inputs, loop_mask(loops), OpCode::id == OpCode::Where>(type, in);
#include "ops/table.def"
#undef NL_OP
        case OpCode::Count:
            break;
    }
    unreachable("operation");
}

class Evaluator {
  public:
    Evaluator(const Kernel& k, char* const* pointers, const kernel::ConstantValue* constants)
        : k_(k), pointers_(pointers), constants_(constants) {}

    void run() {
        if (!k_.reduces()) {
            for (int64_t i = 0; i < k_.points(); ++i) tape(k_.tape, index(i, 0, k_.ndim()));
            return;
        }
        for (int64_t kept = 0; kept < k_.kept_points(); ++kept) reduce(kept);
    }

  private:
    std::vector<int64_t> index(int64_t linear, int from, int to) const {
        std::vector<int64_t> i(k_.shape.size(), 0);
        for (int d = to - 1; d >= from; --d) {
            i[static_cast<size_t>(d)] = linear % k_.shape[static_cast<size_t>(d)];
            linear /= k_.shape[static_cast<size_t>(d)];
        }
        return i;
    }

    std::vector<Scalar> tape(const std::vector<TapeEntry>& entries, const std::vector<int64_t>& i) {
        std::vector<Scalar> values(entries.size());
        for (size_t n = 0; n < entries.size(); ++n) {
            const TapeEntry& e = entries[n];
            Scalar in[3];
            for (int j = 0; j < 3; ++j)
                if (e.in[j] >= 0) in[j] = values[static_cast<size_t>(e.in[j])];
            char* at = nullptr;
            if (e.kind == TapeKind::Load || e.kind == TapeKind::Store) {
                const kernel::Access& a = k_.accesses[static_cast<size_t>(e.index)];
                int64_t address = reinterpret_cast<int64_t>(pointers_[e.index]);
                for (size_t d = 0; d < i.size(); ++d) address += i[d] * a.strides[d];
                if (a.view < 0) {
                    values[n] = Scalar::of<int64_t>(address);
                    continue;
                }
                at = reinterpret_cast<char*>(address);
            }
            switch (e.kind) {
                case TapeKind::Load:
                    std::memcpy(values[n].bytes, at, static_cast<size_t>(item_size(e.type)));
                    break;
                case TapeKind::Store:
                    std::memcpy(at, in[0].bytes, static_cast<size_t>(item_size(e.type)));
                    break;
                case TapeKind::Constant:
                    std::memcpy(values[n].bytes, constants_[e.index].bytes, 16);
                    break;
                case TapeKind::Reduced:
                    values[n] = reduced_[static_cast<size_t>(e.index)];
                    break;
                case TapeKind::Cast:
                    values[n] = cast_scalar(in[0], e.from, e.type);
                    break;
                case TapeKind::Compute:
                    values[n] = compute(e.op, e.type, in);
                    break;
            }
        }
        return values;
    }

    Scalar fold(size_t r, const Scalar& a, const Scalar& b) const {
        const kernel::Reduction& red = k_.reductions[r];
        const Scalar in[3] = {a, b, {}};
        return compute(red.op, result_dtype(red.op, red.type), in);
    }

    void reduce(int64_t kept) {
        const size_t count = k_.reductions.size();
        const int64_t n = k_.reduced_points();
        std::vector<std::vector<Scalar>> leaves(count, std::vector<Scalar>(static_cast<size_t>(k_.leaves())));
        for (int64_t leaf = 0; leaf < k_.leaves(); ++leaf) {
            std::vector<std::vector<Scalar>> lanes(count, std::vector<Scalar>(kernel::kLanes));
            const int64_t points = kernel::leaf_points(n, leaf);
            for (int64_t p = 0; p < points; ++p) {
                std::vector<int64_t> at = index(leaf * kernel::kLeaf + p, k_.kept, k_.ndim());
                const std::vector<int64_t> outer = index(kept, 0, k_.kept);
                for (int d = 0; d < k_.kept; ++d) at[static_cast<size_t>(d)] = outer[static_cast<size_t>(d)];
                const std::vector<Scalar> values = tape(k_.tape, at);
                for (size_t r = 0; r < count; ++r) {
                    Scalar& lane = lanes[r][static_cast<size_t>(p % kernel::kLanes)];
                    const Scalar& v = values[static_cast<size_t>(k_.reductions[r].value)];
                    lane = p < kernel::kLanes ? v : fold(r, lane, v);
                }
            }
            for (size_t r = 0; r < count; ++r) {
                kernel::combine_leaves(std::min<int64_t>(points, kernel::kLanes), [&](int64_t i, int64_t j) {
                    lanes[r][static_cast<size_t>(i)] =
                        fold(r, lanes[r][static_cast<size_t>(i)], lanes[r][static_cast<size_t>(j)]);
                });
                leaves[r][static_cast<size_t>(leaf)] = lanes[r][0];
            }
        }
        reduced_.assign(count, Scalar{});
        for (size_t r = 0; r < count; ++r) {
            const kernel::Reduction& red = k_.reductions[r];
            if (n == 0) {
                NL_CHECK(kernel::identity(red.op, red.type, &reduced_[r]));
                continue;
            }
            kernel::combine_leaves(k_.leaves(), [&](int64_t i, int64_t j) {
                leaves[r][static_cast<size_t>(i)] =
                    fold(r, leaves[r][static_cast<size_t>(i)], leaves[r][static_cast<size_t>(j)]);
            });
            reduced_[r] = leaves[r][0];
        }
        tape(k_.finish, index(kept, 0, k_.kept));
    }

    const Kernel& k_;
    char* const* const pointers_;
    const kernel::ConstantValue* const constants_;
    std::vector<Scalar> reduced_;
};

}  // namespace

void evaluate(const Kernel& k, char* const* pointers, const kernel::ConstantValue* constants) {
    Evaluator(k, pointers, constants).run();
}

}  // namespace numloom::test
