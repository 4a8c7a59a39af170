// Random kernels: any rank, strides, tapes, casts, outputs and reductions.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>

#include "core/scalar.hpp"
#include "device/cpu/jit/jit.hpp"
#include "reference_evaluator.hpp"

namespace numloom::testing {

using namespace kernel;

namespace {

class Maker {
  public:
    Maker(std::mt19937_64& rng, const RandomOptions& options) : rng_(rng), o_(options) {}

    RandomKernel make() {
        make_shape();
        Kernel& k = out_.kernel;
        fill_tape(&k.tape, k.ndim(), 1 + pick(o_.assembled ? (chance(20) ? 80 : 12) : 6),
                  o_.reduce ? pick(3) / 2 : 1 + pick(2));
        if (o_.reduce) {
            for (int64_t n = 1 + pick(2); n > 0; --n) add_reduction();
            fill_tape(&k.finish, k.kept, pick(4), 1 + pick(2));
        }
        for (size_t v = 0; v < out_.memories.size(); ++v) fill(&out_.memories[v], types_[v]);
        return std::move(out_);
    }

  private:
    int64_t pick(int64_t n) { return static_cast<int64_t>(rng_() % static_cast<uint64_t>(n)); }
    bool chance(int percent) { return pick(100) < percent; }

    void make_shape() {
        static const int64_t extents[] = {1,  2,  3,   4,   5,   7,   8,    9,    16,   17,   31,
                                          64, 65, 100, 127, 300, 513, 1023, 1024, 1025, 2049, 5000};
        Kernel& k = out_.kernel;
        if (o_.leaves) {
            k.shape = {1 + pick(3), kLeaf * (7 + pick(6)) + (chance(50) ? pick(kLeaf) : 0)};
            k.kept = 1;
            return;
        }
        const int64_t nd = chance(5) ? 0 : 1 + pick(5);
        int64_t points = 1;
        for (int64_t d = 0; d < nd; ++d) {
            int64_t n = extents[pick(std::size(extents))];
            while (n > 1 && points * n > o_.most_points) n = (n + 1) / 2;
            if (points * n > o_.most_points) n = 1;
            if (chance(1)) n = 0;
            k.shape.push_back(n);
            points *= std::max<int64_t>(n, 1);
        }
        std::shuffle(k.shape.begin(), k.shape.end(), rng_);
        k.kept = static_cast<int32_t>(o_.reduce ? pick(nd + 1) : nd);
    }

    DType any_type() {
        static const DType common[] = {DType::Bool,    DType::Int32,   DType::Int64,
                                       DType::Float32, DType::Float64, DType::Float64};
        if (o_.leaves && chance(60)) return chance(30) ? DType::Float32 : DType::Float64;
        if (o_.assembled && chance(20)) return chance(30) ? DType::Complex64 : DType::Complex128;
        return o_.assembled || chance(70) ? common[pick(std::size(common))]
                                          : static_cast<DType>(pick(kDTypes));
    }

    // An access over the first `dims` dimensions. Written ones reach every element once.
    int32_t add_access(DType type, bool stores, int dims) {
        Kernel& k = out_.kernel;
        Access a;
        a.dtype = type;
        a.stores = stores;
        a.strides.assign(k.shape.size(), 0);
        const int64_t item = item_size(type);
        std::vector<int> order;
        for (int d = dims; d-- > 0;) order.push_back(d);
        const bool plain = o_.leaves && !chance(2);
        if (!plain && chance(30)) std::shuffle(order.begin(), order.end(), rng_);
        const bool dense = plain || chance(50);
        int64_t step = item;
        for (int d : order) {
            const int64_t n = k.shape[static_cast<size_t>(d)];
            if (!dense && chance(30)) step *= 1 + pick(3);
            int64_t& s = a.strides[static_cast<size_t>(d)];
            s = !dense && chance(20) ? -step : step;
            if (!plain && !stores && chance(15)) s = 0;
            if (!plain && !stores && chance(5)) s = item * (pick(9) - 4);
            step *= std::max<int64_t>(n, 1);
        }
        a.view = static_cast<int32_t>(out_.memories.size());
        int64_t low = 0, high = 0;
        for (size_t d = 0; d < k.shape.size(); ++d) {
            const int64_t reach = a.strides[d] * std::max<int64_t>(k.shape[d] - 1, 0);
            (reach < 0 ? low : high) += reach;
        }
        Memory m;
        m.origin = -low;
        m.bytes.resize(static_cast<size_t>(high - low + item));
        out_.memories.push_back(std::move(m));
        types_.push_back(type);
        return push_access(std::move(a));
    }

    int32_t push_access(Access a) {
        out_.kernel.accesses.push_back(std::move(a));
        out_.index_origins.push_back(pick(1000) - 500);
        return static_cast<int32_t>(out_.kernel.accesses.size()) - 1;
    }

    int32_t load(std::vector<TapeEntry>* tape, int dims) {
        TapeEntry e;
        Kernel& k = out_.kernel;
        if (chance(12)) {
            e.kind = TapeKind::Constant;
            e.type = any_type();
            e.index = static_cast<int32_t>(k.constants.size());
            k.constants.push_back(e.type);
            Memory m;
            m.bytes.resize(16);
            fill(&m, e.type);
            ConstantValue c;
            std::memcpy(c.bytes, m.bytes.data(), 16);
            out_.constants.push_back(c);
        } else if (chance(8)) {
            Access a;
            a.dtype = e.type = DType::Int64;
            a.strides.assign(k.shape.size(), 0);
            for (int d = 0; d < dims; ++d) a.strides[static_cast<size_t>(d)] = pick(7) - 3;
            e.kind = TapeKind::Load;
            e.index = push_access(std::move(a));
        } else {
            e.kind = TapeKind::Load;
            e.type = any_type();
            e.index = add_access(e.type, false, dims);
        }
        tape->push_back(e);
        return static_cast<int32_t>(tape->size()) - 1;
    }

    int32_t value_of(std::vector<TapeEntry>* tape, DType type) {
        std::vector<int32_t> same, other;
        for (size_t i = 0; i < tape->size(); ++i)
            if ((*tape)[i].kind != TapeKind::Store)
                (value_dtype(out_.kernel, (*tape)[i]) == type ? same : other)
                    .push_back(static_cast<int32_t>(i));
        if (!same.empty() && chance(90))
            return chance(50) ? same.back()
                              : same[static_cast<size_t>(pick(static_cast<int64_t>(same.size())))];
        const int32_t from =
            other.empty() ? same[0] : other[static_cast<size_t>(pick(static_cast<int64_t>(other.size())))];
        TapeEntry e;
        e.kind = TapeKind::Cast;
        e.from = value_dtype(out_.kernel, (*tape)[static_cast<size_t>(from)]);
        e.type = type;
        e.in[0] = from;
        tape->push_back(e);
        return static_cast<int32_t>(tape->size()) - 1;
    }

    void compute(std::vector<TapeEntry>* tape) {
        TapeEntry e;
        e.kind = TapeKind::Compute;
        for (;;) {
            static const OpCode arithmetic[] = {OpCode::Add,     OpCode::Subtract, OpCode::Multiply,
                                                OpCode::Divide,  OpCode::Where,    OpCode::Less,
                                                OpCode::Maximum, OpCode::Absolute, OpCode::Sqrt};
            e.op = chance(60) ? arithmetic[pick(std::size(arithmetic))] : static_cast<OpCode>(pick(kOps));
            e.type = chance(60) ? value_dtype(out_.kernel, tape->back()) : any_type();
            // The sign of a NaN is nobody's promise.
            if (e.op == OpCode::SignBit || e.op == OpCode::CopySign) continue;
            if (o_.assembled && !cpu::jit_knows(e)) continue;
            if (o_.exact && operation(e.op).has(T_MATH)) continue;
            if (tape->back().kind != TapeKind::Store && operation(e.op).has_loop(e.type)) break;
        }
        for (int j = 0; j < operation(e.op).inputs; ++j)
            e.in[j] = value_of(tape, input_dtype(e.op, e.type, j));
        tape->push_back(e);
    }

    void fill_tape(std::vector<TapeEntry>* tape, int dims, int64_t computes, int64_t stores) {
        if (tape == &out_.kernel.finish)
            for (size_t r = 0; r < out_.kernel.reductions.size(); ++r) {
                TapeEntry e;
                e.kind = TapeKind::Reduced;
                e.index = static_cast<int32_t>(r);
                e.type = value_dtype(out_.kernel, e);
                tape->push_back(e);
            }
        else
            for (int64_t n = 1 + pick(o_.assembled ? 12 : 4); n > 0; --n) load(tape, dims);
        for (; computes > 0; --computes) compute(tape);
        std::vector<TapeEntry> ends;
        for (; stores > 0; --stores) ends.push_back(store(tape, dims));
        // Stores also in the middle: loads still see what was there before.
        for (const TapeEntry& e : ends) tape->push_back(e);
        if (!ends.empty() && chance(30) && tape != &out_.kernel.finish) {
            load(tape, dims);
            compute(tape);
            tape->push_back(store(tape, dims));
        }
    }

    TapeEntry store(std::vector<TapeEntry>* tape, int dims) {
        int32_t value = 0;
        do
            value = static_cast<int32_t>(tape->size()) - 1 -
                    static_cast<int32_t>(pick(std::min<int64_t>(3, static_cast<int64_t>(tape->size()))));
        while ((*tape)[static_cast<size_t>(value)].kind == TapeKind::Store);
        TapeEntry e;
        e.kind = TapeKind::Store;
        e.type = value_dtype(out_.kernel, (*tape)[static_cast<size_t>(value)]);
        e.in[0] = value;
        e.index = add_access(e.type, true, dims);
        if (chance(30)) {  // also read in place
            Access a = out_.kernel.accesses[static_cast<size_t>(e.index)];
            a.stores = false;
            TapeEntry l;
            l.kind = TapeKind::Load;
            l.type = e.type;
            l.index = push_access(std::move(a));
            tape->push_back(l);
            compute(tape);
        }
        return e;
    }

    void add_reduction() {
        Kernel& k = out_.kernel;
        Reduction r;
        for (;;) {
            static const OpCode folded[] = {OpCode::Add, OpCode::Multiply, OpCode::Minimum, OpCode::Maximum};
            r.op = o_.leaves    ? folded[pick(std::size(folded))]
                   : chance(60) ? OpCode::Add
                                : static_cast<OpCode>(pick(kOps));
            if (!operation(r.op).has(T_ASSOCIATIVE)) continue;
            r.type = any_type();
            if (operation(r.op).has_loop(r.type)) break;
        }
        r.value = value_of(&k.tape, result_dtype(r.op, r.type));
        k.reductions.push_back(r);
    }

    double number() {
        switch (pick(8)) {
            case 0:
                return static_cast<double>(pick(5) - 2);
            case 1:
                return chance(20) ? std::nan("") : chance(50) ? HUGE_VAL : -0.0;
            default:
                return std::ldexp(static_cast<double>(pick(2000001) - 1000000), -18);
        }
    }

    void fill(Memory* m, DType type) {
        const size_t item = static_cast<size_t>(item_size(type));
        for (size_t i = 0; i + item <= m->bytes.size(); i += item) {
            Scalar s;
            if (type == DType::Bool)
                s = Scalar::of<bool>(chance(50));
            else if (is_integer(type))
                s = chance(20) ? Scalar::of<uint64_t>(rng_())
                               : cast_scalar(Scalar::of<int64_t>(pick(21) - 10), DType::Int64, type);
            else if (is_complex(type))
                s = cast_scalar(Scalar::of(std::complex<double>(number(), number())), DType::Complex128,
                                type);
            else
                s = cast_scalar(Scalar::of<double>(number()), DType::Float64, type);
            std::memcpy(m->bytes.data() + i, s.bytes, item);
        }
    }

    std::mt19937_64& rng_;
    RandomOptions o_;
    RandomKernel out_;
    std::vector<DType> types_;  // per view
};

bool equal_elements(DType type, const char* a, const char* b) {
    if (std::memcmp(a, b, static_cast<size_t>(item_size(type))) == 0) return true;
    if (!is_inexact(type)) return false;
    Scalar x, y;
    std::memcpy(x.bytes, a, static_cast<size_t>(item_size(type)));
    std::memcpy(y.bytes, b, static_cast<size_t>(item_size(type)));
    const auto p = cast_scalar(x, type, DType::Complex128).as<std::complex<double>>();
    const auto q = cast_scalar(y, type, DType::Complex128).as<std::complex<double>>();
    auto same = [](double u, double v) {
        return std::isnan(u) ? std::isnan(v) : std::memcmp(&u, &v, 8) == 0;
    };
    return same(p.real(), q.real()) && same(p.imag(), q.imag());
}

}  // namespace

std::vector<char*> RandomKernel::pointers(std::vector<Memory>* memories) const {
    std::vector<char*> p;
    for (size_t i = 0; i < kernel.accesses.size(); ++i) {
        const Access& a = kernel.accesses[i];
        if (a.view < 0) {
            p.push_back(reinterpret_cast<char*>(index_origins[i]));
            continue;
        }
        Memory& m = (*memories)[static_cast<size_t>(a.view)];
        p.push_back(m.bytes.data() + m.origin);
    }
    return p;
}

RandomKernel random_kernel(std::mt19937_64& rng, const RandomOptions& options) {
    return Maker(rng, options).make();
}

std::string difference(const RandomKernel& k, const std::vector<Memory>& expected,
                       const std::vector<Memory>& found) {
    for (size_t i = 0; i < k.kernel.accesses.size(); ++i) {
        const Access& a = k.kernel.accesses[i];
        if (a.view < 0) continue;
        const std::vector<char>&x = expected[static_cast<size_t>(a.view)].bytes,
              &y = found[static_cast<size_t>(a.view)].bytes;
        const size_t item = static_cast<size_t>(item_size(a.dtype));
        for (size_t at = 0; at + item <= x.size(); at += item)
            if (!equal_elements(a.dtype, x.data() + at, y.data() + at)) {
                std::string text = print(k.kernel) + "access " + std::to_string(i) + ", element " +
                                   std::to_string(at / item) + ": expected";
                for (size_t b = 0; b < item; ++b)
                    text += " " + std::to_string(static_cast<unsigned char>(x[at + b]));
                text += ", found";
                for (size_t b = 0; b < item; ++b)
                    text += " " + std::to_string(static_cast<unsigned char>(y[at + b]));
                return text;
            }
    }
    return "";
}

}  // namespace numloom::testing
