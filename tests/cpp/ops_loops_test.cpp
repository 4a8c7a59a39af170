// The precompiled loops of every instruction set against the scalar definitions, and against themselves in
// other forms.
#include <gtest/gtest.h>

#include "device/cpu/loops/common.hpp"
#include "kernel/ir.hpp"
#include "ops_samples.hpp"

namespace numloom::testing {
namespace {

// The scalar definitions as this file's own compiler flags see them, without vectors.
namespace plain = cpu::generic;

using Reference = void (*)(void* out, const void* const* in, int64_t n, unsigned mask);

template <OpCode op, DType d>
void by_definition(void* out, const void* const* in, int64_t n, unsigned mask) {
    using F = plain::FunctorOf<op>;
    using T = plain::Element<d>;
    using M = plain::Memory<T>;
    const auto at = [&](int k, int64_t i) {
        return static_cast<T>(static_cast<const M*>(in[k])[(mask >> k) & 1u ? 0 : i]);
    };
    const auto put = [&](int64_t i, auto value) {
        using R = plain::Memory<decltype(value)>;
        static_cast<R*>(out)[i] = static_cast<R>(value);
    };
    for (int64_t i = 0; i < n; ++i) {
        if constexpr (F::arity == 1) {
            put(i, scalar::Apply<F::template type, T>::run(at(0, i)));
        } else if constexpr (F::arity == 2) {
            put(i, scalar::Apply<F::template type, T>::run(at(0, i), at(1, i)));
        } else {
            const bool condition = static_cast<const uint8_t*>(in[0])[mask & 1u ? 0 : i] != 0;
            put(i, scalar::Apply<F::template type, T>::run(condition, at(1, i), at(2, i)));
        }
    }
}

template <OpCode op, DType d>
constexpr Reference pick_reference() {
    if constexpr (plain::has_loop(plain::FunctorOf<op>::codes, d)) {
        return &by_definition<op, d>;
    } else {
        return nullptr;
    }
}
template <OpCode op, size_t... d>
constexpr std::array<Reference, kDTypes> reference_row(std::index_sequence<d...>) {
    return {pick_reference<op, static_cast<DType>(d)>()...};
}
template <size_t... op>
std::vector<std::array<Reference, kDTypes>> reference_table(std::index_sequence<op...>) {
    return {reference_row<static_cast<OpCode>(op)>(std::make_index_sequence<kDTypes>{})...};
}
Reference reference(OpCode op, DType d) {
    static const auto table = reference_table(std::make_index_sequence<kOps>{});
    return table[static_cast<size_t>(op)][static_cast<size_t>(d)];
}

DType dtype_of_input(OpCode op, DType loop, int k) { return kernel::input_dtype(op, loop, k); }

// Operands on which the definition is defined: the caller refuses negative powers, and a float exponent of
// ldexp is whole.
std::vector<unsigned char> operand(OpCode op, DType d, int k, int64_t n, uint64_t seed) {
    auto bytes = samples(dtype_of_input(op, d, k), n, seed * 3 + static_cast<uint64_t>(k));
    if (op == OpCode::Power && k == 1 && kind(d) == Kind::Signed) {
        const auto size = static_cast<size_t>(item_size(d));
        for (size_t i = 0; i < static_cast<size_t>(n); ++i) bytes[i * size + size - 1] &= 0x7f;
    }
    return bytes;
}

struct Case {
    const cpu::LoopTable* table;
    OpCode op;
    DType d;
    std::string text() const {
        return std::string(table->name) + " " + std::string(operation(op).name) + " " + std::string(name(d));
    }
};

// Every loop of every table.
template <class F>
void for_each_loop(F&& f) {
    for (const cpu::LoopTable* table : cpu::supported_loops()) {
        for (int o = 0; o < kOps; ++o) {
            for (int t = 0; t < kDTypes; ++t) {
                const Case c{table, static_cast<OpCode>(o), static_cast<DType>(t)};
                if (operation(c.op).has_loop(c.d)) f(c);
            }
        }
    }
}

bool exact(OpCode op) { return !operation(op).has(T_MATH); }

TEST(Loops, EveryRowOfTheTableHasItsLoops) {
    for_each_loop([](const Case& c) {
        const unsigned masks = 1u << operation(c.op).inputs;
        for (unsigned mask = 0; mask < masks; ++mask)
            EXPECT_NE(c.table->compute(c.op, c.d, mask), nullptr) << c.text() << " mask " << mask;
    });
}

TEST(Loops, EqualTheScalarDefinitionsInEverySizeAndForm) {
    for_each_loop([](const Case& c) {
        if (!exact(c.op)) return;
        const DType result = result_dtype(c.op, c.d);
        const auto size = static_cast<size_t>(item_size(result));
        const int inputs = operation(c.op).inputs;
        for (unsigned mask = 0; mask < (1u << inputs); ++mask) {
            for (const int64_t n : {0, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 70, 600}) {
                std::vector<unsigned char> operands[3];
                const void* in[3] = {};
                for (int k = 0; k < inputs; ++k) {
                    operands[k] = operand(c.op, c.d, k, n + 1, static_cast<uint64_t>(n) + 1);
                    in[k] = operands[k].data();
                }
                std::vector<unsigned char> found(static_cast<size_t>(n) * size + 16, 0xa5), expected = found;
                c.table->compute(c.op, c.d, mask)(found.data(), in, n);
                reference(c.op, c.d)(expected.data(), in, n, mask);
                for (size_t i = 0; i < static_cast<size_t>(n); ++i)
                    ASSERT_TRUE(same_element(result, &found[i * size], &expected[i * size]))
                        << c.text() << " mask " << mask << " n " << n << " element " << i;
                // Nothing behind the end is touched.
                for (size_t i = static_cast<size_t>(n) * size; i < found.size(); ++i)
                    ASSERT_EQ(found[i], 0xa5);
            }
        }
    });
}

TEST(Loops, TheOutputMayBeAnInput) {
    for_each_loop([](const Case& c) {
        const DType result = result_dtype(c.op, c.d);
        const auto size = static_cast<size_t>(item_size(result));
        const int inputs = operation(c.op).inputs;
        const int64_t n = 531;
        for (int same = 0; same < inputs; ++same) {
            if (item_size(dtype_of_input(c.op, c.d, same)) != item_size(result)) continue;
            std::vector<unsigned char> operands[3];
            const void* in[3] = {};
            for (int k = 0; k < inputs; ++k) {
                operands[k] = operand(c.op, c.d, k, n, 5);
                in[k] = operands[k].data();
            }
            std::vector<unsigned char> apart(static_cast<size_t>(n) * size);
            c.table->compute(c.op, c.d, 0)(apart.data(), in, n);
            c.table->compute(c.op, c.d, 0)(operands[same].data(), in, n);
            for (size_t i = 0; i < static_cast<size_t>(n); ++i)
                ASSERT_TRUE(same_element(result, &apart[i * size], &operands[same][i * size]))
                    << c.text() << " in place of " << same << " element " << i;
        }
    });
}

// Vector functions must not let a value depend on its place in the vector or on its neighbours.
TEST(Loops, AValueDependsOnNothingButItself) {
    for_each_loop([](const Case& c) {
        if (exact(c.op) || is_complex(c.d)) return;
        const auto size = static_cast<size_t>(item_size(c.d));
        const int inputs = operation(c.op).inputs;
        const int64_t n = 517;
        std::vector<unsigned char> operands[3];
        const void* in[3] = {};
        for (int k = 0; k < inputs; ++k) {
            operands[k] = operand(c.op, c.d, k, n, 9);
            in[k] = operands[k].data();
        }
        std::vector<unsigned char> together(static_cast<size_t>(n) * size);
        const cpu::Loop loop = c.table->compute(c.op, c.d, 0);
        loop(together.data(), in, n);
        for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
            const void* one[3] = {};
            for (int k = 0; k < inputs; ++k) one[k] = operands[k].data() + i * size;
            unsigned char alone[16];
            loop(alone, one, 1);
            ASSERT_TRUE(same_element(c.d, alone, &together[i * size])) << c.text() << " element " << i;
        }
    });
}

TEST(Loops, CastsEqualTheScalarCast) {
    for (const cpu::LoopTable* table : cpu::supported_loops()) {
        for (int f = 0; f < kDTypes; ++f) {
            for (int t = 0; t < kDTypes; ++t) {
                const auto from = static_cast<DType>(f), to = static_cast<DType>(t);
                for (const int64_t n : {1, 7, 70, 1030}) {
                    const auto values = samples(from, n, 77 + static_cast<uint64_t>(n));
                    std::vector<unsigned char> found(static_cast<size_t>(n * item_size(to)));
                    const void* in[1] = {values.data()};
                    table->cast(from, to)(found.data(), in, n);
                    for (int64_t i = 0; i < n; ++i) {
                        Scalar s;
                        std::memcpy(s.bytes, values.data() + i * item_size(from),
                                    static_cast<size_t>(item_size(from)));
                        const Scalar expected = cast_scalar(s, from, to);
                        ASSERT_TRUE(
                            same_element(to, &found[static_cast<size_t>(i * item_size(to))], expected.bytes))
                            << table->name << " " << name(from) << " to " << name(to) << " element " << i;
                    }
                }
            }
        }
    }
}

TEST(Loops, HalfPrecisionKeepsEveryValue) {
    for (uint32_t bits = 0; bits < 0x10000u; ++bits) {
        const Half h{static_cast<uint16_t>(bits)};
        const float f = half_to_float(h);
        if (f == f) {
            ASSERT_EQ(float_to_half(f).bits, h.bits);
        }
        ASSERT_EQ(f != f, (bits & 0x7fffu) > 0x7c00u);
    }
}

TEST(Loops, GatherAndScatterTakeAnyStride) {
    for (const cpu::LoopTable* table : cpu::supported_loops()) {
        for (const int64_t size : {1, 2, 4, 8, 16}) {
            for (const int64_t step : {-3, -2, -1, 0, 1, 2, 3, 7}) {
                const int64_t n = 67, stride = step * size;
                std::vector<unsigned char> memory(static_cast<size_t>(n * 8 * size * 2));
                for (size_t i = 0; i < memory.size(); ++i)
                    memory[i] = static_cast<unsigned char>(i * 37 + i / 251);
                char* middle = reinterpret_cast<char*>(memory.data()) + n * 8 * size;
                std::vector<unsigned char> block(static_cast<size_t>(n * size));
                table->gather(size)(block.data(), middle, stride, n);
                for (int64_t i = 0; i < n; ++i)
                    ASSERT_EQ(std::memcmp(&block[static_cast<size_t>(i * size)], middle + i * stride,
                                          static_cast<size_t>(size)),
                              0);
                if (step == 0) continue;
                auto written = memory;
                char* target = reinterpret_cast<char*>(written.data()) + n * 8 * size;
                for (auto& b : block) b = static_cast<unsigned char>(b ^ 0x5a);
                table->scatter(size)(target, stride, block.data(), n);
                for (int64_t i = 0; i < n; ++i)
                    ASSERT_EQ(std::memcmp(&block[static_cast<size_t>(i * size)], target + i * stride,
                                          static_cast<size_t>(size)),
                              0);
            }
        }
    }
}

TEST(Loops, StreamingCopiesEveryByte) {
    for (const cpu::LoopTable* table : cpu::supported_loops()) {
        for (const int64_t bytes : {0, 8, 64, 255, 256, 1000, 4104}) {
            for (const int64_t offset : {0, 1, 8, 40}) {
                std::vector<unsigned char> from(static_cast<size_t>(bytes) + 64), to(from.size() + 64, 0);
                for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 31 + 7);
                table->stream(to.data() + offset, from.data(), bytes);
                ASSERT_EQ(std::memcmp(to.data() + offset, from.data(), static_cast<size_t>(bytes)), 0);
                ASSERT_EQ(to[static_cast<size_t>(offset + bytes)], 0);
            }
        }
    }
}

// --- reductions ---

// A leaf by the book: lane r % 8, then the tree; lanes without points take no part.
std::vector<unsigned char> leaf_by_the_book(OpCode op, DType d, const unsigned char* values, int64_t n) {
    const auto size = static_cast<size_t>(item_size(d));
    const auto apply = [&](const unsigned char* a, const unsigned char* b) {
        std::vector<unsigned char> out(size);
        const void* in[2] = {a, b};
        reference(op, d)(out.data(), in, 1, 0);
        return out;
    };
    std::vector<std::vector<unsigned char>> lanes;
    for (int64_t r = 0; r < n; ++r) {
        const unsigned char* value = values + static_cast<size_t>(r) * size;
        const auto lane = static_cast<size_t>(r % kernel::kLanes);
        if (r < kernel::kLanes)
            lanes.emplace_back(value, value + size);
        else
            lanes[lane] = apply(lanes[lane].data(), value);
    }
    while (lanes.size() > 1) {
        std::vector<std::vector<unsigned char>> next;
        for (size_t i = 0; i < lanes.size(); i += 2)
            next.push_back(i + 1 < lanes.size() ? apply(lanes[i].data(), lanes[i + 1].data()) : lanes[i]);
        lanes = next;
    }
    return lanes[0];
}

TEST(Folds, EveryFormGivesTheSameBits) {
    int found = 0;
    for_each_loop([&](const Case& c) {
        const cpu::Fold fold = c.table->fold(c.op, c.d);
        if (fold == nullptr) return;
        ++found;
        const auto size = static_cast<size_t>(item_size(c.d));
        const int64_t leaves = 6;
        auto values = samples(c.d, leaves * kernel::kLeaf, 21);
        std::vector<unsigned char> whole(static_cast<size_t>(leaves) * size);
        c.table->fold_leaves(c.op, c.d)(whole.data(), values.data(), leaves);
        for (int64_t leaf = 0; leaf < leaves; ++leaf) {
            const unsigned char* v = values.data() + static_cast<size_t>(leaf * kernel::kLeaf) * size;
            const auto expected = leaf_by_the_book(c.op, c.d, v, kernel::kLeaf);
            ASSERT_TRUE(same_element(c.d, &whole[static_cast<size_t>(leaf) * size], expected.data()))
                << c.text();
        }
        // In pieces of uneven sizes, whole and short leaves.
        for (const int64_t points : {1, 2, 3, 5, 7, 8, 9, 20, 100, 1023, 1024}) {
            alignas(64) unsigned char lanes[8 * 16];
            int64_t first = 0, piece = 1;
            while (first < points) {
                const int64_t n = std::min(piece, points - first);
                fold(lanes, values.data() + static_cast<size_t>(first) * size, n, first);
                first += n;
                piece = piece * 3 + 1;
            }
            unsigned char result[16];
            c.table->combine(c.op, c.d)(result, lanes, points);
            const auto expected = leaf_by_the_book(c.op, c.d, values.data(), points);
            ASSERT_TRUE(same_element(c.d, result, expected.data())) << c.text() << " points " << points;
        }
    });
    EXPECT_GT(found, 100);
}

}  // namespace
}  // namespace numloom::testing
