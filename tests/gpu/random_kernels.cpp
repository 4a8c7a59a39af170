#include "random_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/scalar.hpp"

namespace numloom::test {

using kernel::Access;
using kernel::Kernel;
using kernel::TapeEntry;
using kernel::TapeKind;

namespace {

class Maker {
  public:
    Maker(uint64_t seed, const CaseOptions& o) : random_(seed), options_(o) {}

    Case make() {
        shape();
        std::vector<TapeEntry>& tape = c_.kernel.tape;
        const int loads = pick(1, 4);
        for (int i = 0; i < loads; ++i) add_load(tape, c_.kernel.ndim());
        if (pick(0, 3) == 0) add_index(tape);
        grow(tape, pick(1, 8));
        const bool reduces = c_.kernel.kept < c_.kernel.ndim() || (c_.kernel.ndim() == 0 && wants_reduction_);
        if (!reduces || pick(0, 4) == 0) add_store(tape, c_.kernel.ndim(), !reduces);
        if (!reduces && pick(0, 3) == 0) add_store(tape, c_.kernel.ndim(), true);
        if (reduces) reduce();
        return std::move(c_);
    }

  private:
    int pick(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random_); }

    void shape() {
        Kernel& k = c_.kernel;
        const int rank = pick(0, 4);
        // Extents around the sizes where generated code changes: rows, leaves, lanes.
        static const int64_t special[] = {0,  1,   2,   3,   7,    8,    9,    31,   32,   33,
                                          64, 100, 255, 256, 1023, 1024, 1025, 2048, 5000, 70000};
        int64_t points = 1;
        for (int d = 0; d < rank; ++d) {
            int64_t n = pick(0, 2) ? special[pick(pick(0, 15) ? 1 : 0, 19)] : pick(1, 40);
            if (points * n > options_.most_points)
                n = std::max<int64_t>(1, options_.most_points / std::max<int64_t>(points, 1));
            k.shape.push_back(n);
            points *= n;
        }
        wants_reduction_ = options_.reduces < 0 ? pick(0, 1) : options_.reduces;
        k.kept = wants_reduction_ && rank > 0 ? pick(0, rank - 1) : rank;
    }

    DType dtype() {
        static const DType all[] = {DType::Bool,    DType::Int8,    DType::UInt16,    DType::Int32,
                                    DType::UInt32,  DType::Int64,   DType::UInt64,    DType::Float16,
                                    DType::Float32, DType::Float64, DType::Complex64, DType::Complex128};
        return pick(0, 1) ? DType::Float64 : all[pick(0, 11)];
    }

    void fill(std::vector<char>& buffer, DType d) {
        const int64_t n = static_cast<int64_t>(buffer.size()) / item_size(d),
                      period = std::min<int64_t>(n, 509);
        for (int64_t i = 0; i < period; ++i) {
            double v = std::round(std::normal_distribution<double>(0, 40)(random_) * 8) / 8;
            if (is_inexact(d) && pick(0, 200) == 0) v = pick(0, 1) ? INFINITY : pick(0, 1) ? NAN : -0.0;
            if (is_inexact(d) && pick(0, 3) == 0) v = std::uniform_real_distribution<double>(-3, 3)(random_);
            Scalar s = cast_scalar(Scalar::of<double>(v), DType::Float64, d);
            if (d == DType::Complex128)
                s = Scalar::of(std::complex<double>(v, std::normal_distribution<double>()(random_)));
            if (d == DType::Complex64)
                s = Scalar::of(std::complex<float>(static_cast<float>(v), static_cast<float>(pick(-9, 9))));
            std::memcpy(buffer.data() + i * item_size(d), s.bytes, static_cast<size_t>(item_size(d)));
        }
        // Repeated from there on: drawing every number of a large buffer takes longer than the kernel.
        for (int64_t i = period * item_size(d); i < static_cast<int64_t>(buffer.size()); ++i)
            buffer[static_cast<size_t>(i)] = buffer[static_cast<size_t>(i - period * item_size(d))];
    }

    // A view of a fresh buffer: axes in random order, random steps, some reversed; with zero strides where it
    // is only read.
    int32_t add_access(DType d, int dims, bool stores) {
        Kernel& k = c_.kernel;
        std::vector<int> order(static_cast<size_t>(dims));
        std::iota(order.begin(), order.end(), 0);
        const bool plain = pick(0, 2) > 0;
        if (!plain) std::shuffle(order.begin(), order.end(), random_);
        Access a;
        a.dtype = d;
        a.stores = stores;
        a.view = static_cast<int32_t>(c_.buffers.size());
        a.strides.assign(k.shape.size(), 0);
        int64_t unit = item_size(d), start = 0;
        for (int i = dims - 1; i >= 0; --i) {
            const size_t dim = static_cast<size_t>(order[static_cast<size_t>(i)]);
            const int64_t n = k.shape[dim];
            if (!stores && pick(0, 5) == 0) continue;
            const int64_t step = plain && pick(0, 4) ? 1 : pick(1, 3);
            const bool reversed = !plain && pick(0, 2) == 0;
            a.strides[dim] = reversed ? -unit * step : unit * step;
            if (reversed && n > 0) start += unit * step * (n - 1);
            unit *= std::max<int64_t>(1, n * step);
        }
        const int64_t lead = item_size(d) * (pick(0, 1) ? 0 : pick(0, 3));  // misaligned starts too
        c_.buffers.emplace_back(static_cast<size_t>(unit + lead + 16));
        if (c_.buffers.back().size() % static_cast<size_t>(item_size(d)))
            c_.buffers.back().resize(c_.buffers.back().size() / static_cast<size_t>(item_size(d)) *
                                     static_cast<size_t>(item_size(d)));
        fill(c_.buffers.back(), d);
        c_.offsets.push_back(start + lead);
        k.accesses.push_back(a);
        return static_cast<int32_t>(k.accesses.size()) - 1;
    }

    int32_t push(std::vector<TapeEntry>& tape, TapeKind kind, DType type, int32_t index) {
        TapeEntry e;
        e.kind = kind;
        e.type = type;
        e.index = index;
        tape.push_back(e);
        return static_cast<int32_t>(tape.size()) - 1;
    }

    void add_load(std::vector<TapeEntry>& tape, int dims) {
        const DType d = dtype();
        push(tape, TapeKind::Load, d, add_access(d, dims, false));
    }

    void add_index(std::vector<TapeEntry>& tape) {
        Access a;
        a.dtype = DType::Int64;
        for (size_t d = 0; d < c_.kernel.shape.size(); ++d) a.strides.push_back(pick(-3, 3));
        c_.offsets.push_back(pick(-5, 5));
        c_.kernel.accesses.push_back(a);
        push(tape, TapeKind::Load, DType::Int64, static_cast<int32_t>(c_.kernel.accesses.size()) - 1);
    }

    // A value of dtype `d`: an earlier one, cast where needed, or a constant.
    int32_t value(std::vector<TapeEntry>& tape, DType d) {
        if (pick(0, 5) == 0) {
            kernel::ConstantValue v{};
            std::vector<char> one(static_cast<size_t>(item_size(d)));
            fill(one, d);
            std::memcpy(v.bytes, one.data(), one.size());
            c_.constants.push_back(v);
            c_.kernel.constants.push_back(d);
            return push(tape, TapeKind::Constant, d, static_cast<int32_t>(c_.kernel.constants.size()) - 1);
        }
        int32_t from;
        do from = pick(0, static_cast<int>(tape.size()) - 1);
        while (tape[static_cast<size_t>(from)].kind == TapeKind::Store);
        const DType have = kernel::value_dtype(c_.kernel, tape[static_cast<size_t>(from)]);
        if (have == d) return from;
        const int32_t at = push(tape, TapeKind::Cast, d, 0);
        tape.back().from = have;
        tape.back().in[0] = from;
        return at;
    }

    void grow(std::vector<TapeEntry>& tape, int operations) {
        for (int i = 0; i < operations;) {
            const OpCode op = static_cast<OpCode>(pick(0, kOps - 1));
            const Operation& o = operation(op);
            const DType d = dtype();
            if (!o.has_loop(d) || (o.has(T_MATH) && !options_.math)) continue;
            // 64-bit integers and their like are divided as NumPy does; powers of integers need exponents
            // that are not negative.
            if (op == OpCode::Power) continue;
            int32_t in[3];
            for (int j = 0; j < o.inputs; ++j) in[j] = value(tape, kernel::input_dtype(op, d, j));
            push(tape, TapeKind::Compute, d, 0);
            tape.back().op = op;
            for (int j = 0; j < o.inputs; ++j) tape.back().in[j] = in[j];
            ++i;
        }
    }

    void add_store(std::vector<TapeEntry>& tape, int dims, bool last) {
        int32_t v = static_cast<int32_t>(tape.size()) - 1;
        if (!last || tape.back().kind == TapeKind::Store) v = value(tape, dtype());
        const DType d = kernel::value_dtype(c_.kernel, tape[static_cast<size_t>(v)]);
        const int32_t a = add_access(d, dims, true);
        push(tape, TapeKind::Store, d, a);
        tape.back().in[0] = v;
    }

    void reduce() {
        Kernel& k = c_.kernel;
        const int count = pick(0, 2) ? 1 : 2;
        while (static_cast<int>(k.reductions.size()) < count) {
            const OpCode op = static_cast<OpCode>(pick(0, kOps - 1));
            const DType d = dtype();
            if (!operation(op).has(T_ASSOCIATIVE) || !operation(op).has_loop(d)) continue;
            if (operation(op).has(T_NO_IDENTITY) && k.reduced_points() == 0) continue;
            const int32_t v = value(k.tape, result_dtype(op, d));
            k.reductions.push_back({op, d, v});
        }
        for (int r = 0; r < count; ++r) {
            const kernel::Reduction& red = k.reductions[static_cast<size_t>(r)];
            push(k.finish, TapeKind::Reduced, result_dtype(red.op, red.type), r);
        }
        if (pick(0, 1)) add_load(k.finish, k.kept);
        grow(k.finish, pick(0, 3));
        add_store(k.finish, k.kept, true);
    }

    std::mt19937_64 random_;
    CaseOptions options_;
    Case c_;
    bool wants_reduction_ = false;
};

template <class T>
bool same(const char* a, const char* b) {
    T x, y;
    std::memcpy(&x, a, sizeof(T));
    std::memcpy(&y, b, sizeof(T));
    return std::memcmp(a, b, sizeof(T)) == 0 || (x != x && y != y);
}

}  // namespace

Case random_case(uint64_t seed, const CaseOptions& options) { return Maker(seed, options).make(); }

bool same_elements(DType dtype, const std::vector<char>& a, const std::vector<char>& b, int64_t* where) {
    const int64_t part = is_complex(dtype) ? item_size(dtype) / 2 : item_size(dtype);
    for (int64_t i = 0; i + part <= static_cast<int64_t>(a.size()); i += part) {
        const char *x = a.data() + i, *y = b.data() + i;
        bool equal = std::memcmp(x, y, static_cast<size_t>(part)) == 0;
        if (!equal && dtype == DType::Float16) {
            Half p, q;
            std::memcpy(&p, x, 2);
            std::memcpy(&q, y, 2);
            equal = (p.bits & 0x7fff) > 0x7c00 && (q.bits & 0x7fff) > 0x7c00;
        } else if (!equal && is_inexact(dtype)) {
            equal = part == 4 ? same<float>(x, y) : same<double>(x, y);
        }
        if (!equal) {
            *where = i / item_size(dtype);
            return false;
        }
    }
    return true;
}

}  // namespace numloom::test
