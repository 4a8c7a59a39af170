#include "reference_evaluator.hpp"

#include <cmath>
#include <cstring>

#include "core/scalar.hpp"
#include "device/cpu/loops.hpp"
#include "kernel/reduction.hpp"

namespace numloom::testing {

using namespace kernel;

namespace {

std::vector<int64_t> coordinates(const std::vector<int64_t>& shape, int64_t point) {
    std::vector<int64_t> c(shape.size());
    for (size_t d = shape.size(); d-- > 0;) {
        c[d] = point % shape[d];
        point /= shape[d];
    }
    return c;
}

// One element through the loop of the operation.
Scalar apply(OpCode op, DType loop, const Scalar* a, const Scalar* b, const Scalar* c) {
    Scalar out;
    const void* in[3] = {a->bytes, b ? b->bytes : nullptr, c ? c->bytes : nullptr};
    cpu::loops().compute(op, loop, 0)(out.bytes, in, 1);
    return out;
}

Scalar combine(OpCode op, DType type, const Scalar& a, const Scalar& b) {
    return apply(op, type, &a, &b, nullptr);
}

class Point {
  public:
    Point(const Kernel& k, const Launch& l, std::vector<int64_t> coords)
        : k_(k), l_(l), coords_(std::move(coords)) {}

    int64_t address(int32_t access) const {
        int64_t p = reinterpret_cast<int64_t>(l_.pointers[access]);
        for (size_t d = 0; d < coords_.size(); ++d)
            p += coords_[d] * k_.accesses[static_cast<size_t>(access)].strides[d];
        return p;
    }

    // All loads come before all stores.
    std::vector<Scalar> run(const std::vector<TapeEntry>& tape, const std::vector<Scalar>& reduced) const {
        std::vector<Scalar> v(tape.size());
        for (size_t i = 0; i < tape.size(); ++i) {
            const TapeEntry& e = tape[i];
            auto in = [&](int j) -> const Scalar* {
                return e.in[j] < 0 ? nullptr : &v[static_cast<size_t>(e.in[j])];
            };
            const size_t size = static_cast<size_t>(item_size(e.type));
            switch (e.kind) {
                case TapeKind::Load:
                    if (k_.accesses[static_cast<size_t>(e.index)].view < 0)
                        v[i] = Scalar::of<int64_t>(address(e.index));
                    else
                        std::memcpy(v[i].bytes, reinterpret_cast<const char*>(address(e.index)), size);
                    break;
                case TapeKind::Constant:
                    std::memcpy(v[i].bytes, l_.constants[e.index].bytes, size);
                    break;
                case TapeKind::Compute:
                    v[i] = apply(e.op, e.type, in(0), in(1), in(2));
                    break;
                case TapeKind::Cast:
                    v[i] = cast_scalar(*in(0), e.from, e.type);
                    break;
                case TapeKind::Reduced:
                    v[i] = reduced[static_cast<size_t>(e.index)];
                    break;
                case TapeKind::Store:
                    break;
            }
        }
        for (const TapeEntry& e : tape)
            if (e.kind == TapeKind::Store)
                std::memcpy(reinterpret_cast<char*>(address(e.index)), v[static_cast<size_t>(e.in[0])].bytes,
                            static_cast<size_t>(item_size(k_.accesses[static_cast<size_t>(e.index)].dtype)));
        return v;
    }

  private:
    const Kernel& k_;
    const Launch& l_;
    std::vector<int64_t> coords_;
};

// The results of one leaf of one kept point, per reduction.
std::vector<Scalar> leaf_results(const Kernel& k, const Launch& l, int64_t kept, int64_t leaf) {
    const int64_t reduced = k.reduced_points();
    const size_t n = k.reductions.size();
    std::vector<std::vector<Scalar>> lanes(n);
    for (int64_t r = 0; r < leaf_points(reduced, leaf); ++r) {
        const int64_t point = kept * reduced + leaf * kLeaf + r;
        const std::vector<Scalar> v = Point(k, l, coordinates(k.shape, point)).run(k.tape, {});
        for (size_t i = 0; i < n; ++i) {
            const Reduction& red = k.reductions[i];
            const Scalar& value = v[static_cast<size_t>(red.value)];
            if (r < kLanes)
                lanes[i].push_back(value);
            else
                lanes[i][static_cast<size_t>(r % kLanes)] = combine(
                    red.op, result_dtype(red.op, red.type), lanes[i][static_cast<size_t>(r % kLanes)], value);
        }
    }
    std::vector<Scalar> out;
    for (size_t i = 0; i < n; ++i) {
        const DType type = result_dtype(k.reductions[i].op, k.reductions[i].type);
        // ((0+1)+(2+3))+((4+5)+(6+7)), without the lanes that have no element.
        for (size_t width = 1; width < 8; width *= 2)
            for (size_t j = 0; j + width < lanes[i].size(); j += 2 * width)
                lanes[i][j] = combine(k.reductions[i].op, type, lanes[i][j], lanes[i][j + width]);
        out.push_back(lanes[i][0]);
    }
    return out;
}

// The tree as a recursion: split at the largest power of two below n.
Scalar tree(OpCode op, DType type, const Scalar* v, int64_t n) {
    if (n == 1) return v[0];
    int64_t half = 1;
    while (half * 2 < n) half *= 2;
    return combine(op, type, tree(op, type, v, half), tree(op, type, v + half, n - half));
}

void finish_point(const Kernel& k, const Launch& l, int64_t kept,
                  const std::vector<std::vector<Scalar>>& leaves) {
    std::vector<Scalar> reduced(k.reductions.size());
    for (size_t r = 0; r < k.reductions.size(); ++r) {
        const Reduction& red = k.reductions[r];
        if (leaves.empty()) {
            identity(red.op, red.type, &reduced[r]);
            continue;
        }
        std::vector<Scalar> values;
        for (const auto& leaf : leaves) values.push_back(leaf[r]);
        reduced[r] =
            tree(red.op, result_dtype(red.op, red.type), values.data(), static_cast<int64_t>(values.size()));
    }
    std::vector<int64_t> coords =
        coordinates(std::vector<int64_t>(k.shape.begin(), k.shape.begin() + k.kept), kept);
    coords.resize(k.shape.size(), 0);
    Point(k, l, coords).run(k.finish, reduced);
}

}  // namespace

void evaluate(const Kernel& k, const Launch& l) {
    if (!k.reduces()) {
        for (int64_t p = l.begin; p < l.end; ++p) Point(k, l, coordinates(k.shape, p)).run(k.tape, {});
        return;
    }
    const int64_t units = k.kept_points() * k.leaves();
    if (l.partials) {
        for (int64_t u = l.begin; u < l.end; ++u) {
            const std::vector<Scalar> v = leaf_results(k, l, u / k.leaves(), u % k.leaves());
            for (size_t r = 0; r < v.size(); ++r)
                std::memcpy(l.partials + (static_cast<int64_t>(r) * units + u) * 16, v[r].bytes, 16);
        }
        return;
    }
    for (int64_t kept = 0; kept < k.kept_points(); ++kept) {
        std::vector<std::vector<Scalar>> leaves;
        for (int64_t leaf = 0; leaf < k.leaves(); ++leaf) leaves.push_back(leaf_results(k, l, kept, leaf));
        finish_point(k, l, kept, leaves);
    }
}

void evaluate_finish(const Kernel& k, const Launch& l, int64_t begin, int64_t end) {
    const int64_t units = k.kept_points() * k.leaves();
    for (int64_t kept = begin; kept < end; ++kept) {
        std::vector<std::vector<Scalar>> leaves;
        for (int64_t leaf = 0; leaf < k.leaves(); ++leaf) {
            std::vector<Scalar> v(k.reductions.size());
            for (size_t r = 0; r < v.size(); ++r)
                std::memcpy(v[r].bytes,
                            l.partials + (static_cast<int64_t>(r) * units + kept * k.leaves() + leaf) * 16,
                            16);
            leaves.push_back(std::move(v));
        }
        finish_point(k, l, kept, leaves);
    }
}

}  // namespace numloom::testing
