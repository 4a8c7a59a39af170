// The methods of ufuncs that go element by element: accumulate, reduceat and at, for any operation of the
// table.
//
// Values are those of the operation's own loop, borrowed from the CPU device; the commonest operations on one
// element at a time are written out here.
#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/scalar.hpp"
#include "library/call.hpp"

namespace numloom::library {
namespace {

OpCode op_of(int64_t parameter) { return static_cast<OpCode>(parameter); }

// Operations on two elements that are written out; false where the loop must do it. Integers wrap, extrema
// are the loop's: the second of two equal elements, NaN where there is one.
template <class T>
constexpr bool kPlain = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
template <class T>
constexpr bool kPlainComplex = false;
template <class T>
constexpr bool kPlainComplex<std::complex<T>> = true;

template <class T, class F>
bool with_extremum(OpCode op, F&& f) {
    // Comparisons that are quiet about NaN, so that no flag is raised that NumPy wouldn't.
    if (op == OpCode::Maximum)
        return f([](T a, T b) {
                   if constexpr (std::is_floating_point_v<T>)
                       return __builtin_isgreater(a, b) || a != a ? a : b;
                   else
                       return a > b ? a : b;
               }),
               true;
    if (op == OpCode::Minimum)
        return f([](T a, T b) {
                   if constexpr (std::is_floating_point_v<T>)
                       return __builtin_isless(a, b) || a != a ? a : b;
                   else
                       return a < b ? a : b;
               }),
               true;
    return false;
}

template <class T, class F>
bool with_plain([[maybe_unused]] OpCode op, [[maybe_unused]] F&& f) {
    if constexpr (std::is_integral_v<T> && kPlain<T>) {
        // In 64 bits, where nothing overflows that C++ forbids.
        auto wide = [](T x) { return static_cast<uint64_t>(x); };
        if (op == OpCode::Add) return f([=](T a, T b) { return static_cast<T>(wide(a) + wide(b)); }), true;
        if (op == OpCode::Subtract)
            return f([=](T a, T b) { return static_cast<T>(wide(a) - wide(b)); }), true;
        if (op == OpCode::Multiply)
            return f([=](T a, T b) { return static_cast<T>(wide(a) * wide(b)); }), true;
        if (op == OpCode::BitwiseAnd) return f([](T a, T b) { return static_cast<T>(a & b); }), true;
        if (op == OpCode::BitwiseOr) return f([](T a, T b) { return static_cast<T>(a | b); }), true;
        if (op == OpCode::BitwiseXor) return f([](T a, T b) { return static_cast<T>(a ^ b); }), true;
    } else if constexpr (kPlain<T> || kPlainComplex<T>) {
        if (op == OpCode::Add) return f([](T a, T b) { return a + b; }), true;
        if (op == OpCode::Subtract) return f([](T a, T b) { return a - b; }), true;
    }
    if constexpr (std::is_floating_point_v<T>) {
        if (op == OpCode::Multiply) return f([](T a, T b) { return a * b; }), true;
        if (op == OpCode::Divide) return f([](T a, T b) { return a / b; }), true;
    }
    if constexpr (kPlain<T>) return with_extremum<T>(op, f);
    return false;
}

// One line of `n` elements with `stride` elements from one to the next, folded from the first on:
// each(i, running value) after every element.
template <class T, class F, class Each>
void fold_line(const T* line, int64_t n, int64_t stride, F f, Each each) {
    T total = line[0];
    each(int64_t{0}, total);
    for (int64_t i = 1; i < n; ++i) {
        total = f(total, line[i * stride]);
        each(i, total);
    }
}

// Calls f(o, first, last) over lanes [first, last) of the inner axis, for all outer * inner lanes.
template <class F>
void over_lanes(int64_t outer, int64_t n, int64_t inner, F&& f) {
    parallel_ranges(outer * inner, std::max<int64_t>(1, kGrain / std::max<int64_t>(n, 1)),
                    [&](int64_t begin, int64_t end) {
                        while (begin < end) {
                            const int64_t o = begin / inner, first = begin % inner;
                            const int64_t last = std::min(inner, first + end - begin);
                            f(o, first, last);
                            begin += last - first;
                        }
                    });
}

void accumulate(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const OpCode op = op_of(p[0]);
    const int64_t outer = p[1], n = p[2], inner = p[3], size = item_size(out.dtype);
    const Step step = find_step(op, out.dtype);
    over_lanes(outer, n, inner, [&](int64_t o, int64_t first, int64_t last) {
        const char* from = in[0].data + (o * n * inner + first) * size;
        char* to = out.data + (o * n * inner + first) * size;
        bool done = false;
        if (last - first == 1)
            dispatch(out.dtype, [&](auto type) {
                using T = typename decltype(type)::type;
                T* line = reinterpret_cast<T*>(to);
                done = with_plain<T>(op, [&](auto f) {
                    fold_line(reinterpret_cast<const T*>(from), n, inner, f,
                              [&](int64_t i, T total) { line[i * inner] = total; });
                });
            });
        if (done) return;
        const int64_t row = inner * size;
        std::memcpy(to, from, static_cast<size_t>((last - first) * size));
        for (int64_t i = 1; i < n; ++i) {
            const void* operands[] = {to + (i - 1) * row, from + i * row};
            step(to + i * row, operands, last - first);
        }
    });
}

void reduceat(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const OpCode op = op_of(p[0]);
    const int64_t outer = p[1], n = p[2], inner = p[3], size = item_size(out.dtype);
    const int64_t m = in[1].layout->size();
    const int64_t* index = reinterpret_cast<const int64_t*>(in[1].data);
    const Step step = find_step(op, out.dtype);
    // A segment ends where the next one starts; one that would end before it starts is a single element.
    auto length = [&](int64_t k) {
        const int64_t end = k + 1 < m ? index[k + 1] : n;
        return std::max<int64_t>(1, end - index[k]);
    };
    over_lanes(outer, n, inner, [&](int64_t o, int64_t first, int64_t last) {
        const int64_t row = inner * size;
        for (int64_t k = 0; k < m; ++k) {
            const char* from = in[0].data + ((o * n + index[k]) * inner + first) * size;
            char* to = out.data + ((o * m + k) * inner + first) * size;
            bool done = false;
            if (last - first == 1)
                dispatch(out.dtype, [&](auto type) {
                    using T = typename decltype(type)::type;
                    done = with_plain<T>(op, [&](auto f) {
                        T result{};
                        fold_line(reinterpret_cast<const T*>(from), length(k), inner, f,
                                  [&](int64_t, T total) { result = total; });
                        *reinterpret_cast<T*>(to) = result;
                    });
                });
            if (done) continue;
            std::memcpy(to, from, static_cast<size_t>((last - first) * size));
            for (int64_t i = 1; i < length(k); ++i) {
                const void* operands[] = {to, from + i * row};
                step(to, operands, last - first);
            }
        }
    });
}

// One row of `at` through the loop, with the conversions where the array holds another dtype.
class Row {
  public:
    Row(OpCode op, DType loop, DType stored, int64_t inner)
        : step_(find_step(op, loop)),
          in_(loop == stored ? nullptr : find_cast(stored, loop)),
          out_(result_dtype(op, loop) == stored ? nullptr : find_cast(result_dtype(op, loop), stored)),
          inner_(inner),
          first_(in_ ? static_cast<size_t>(inner * item_size(loop)) : 0),
          result_(out_ ? static_cast<size_t>(inner * item_size(result_dtype(op, loop))) : 0) {}

    void run(char* target, const char* second) {
        const void* stored[] = {target};
        if (in_) in_(first_.data(), stored, inner_);
        const void* operands[] = {in_ ? first_.data() : target, second};
        step_(out_ ? result_.data() : target, operands, inner_);
        const void* result[] = {result_.data()};
        if (out_) out_(target, result, inner_);
    }

  private:
    Step step_, in_, out_;
    int64_t inner_;
    std::vector<char> first_, result_;
};

// On one thread, in order: equal positions follow one another. One row of second operands serves all
// positions.
void at(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const OpCode op = op_of(p[0]);
    const DType loop = static_cast<DType>(p[1]);
    const int64_t inner = p[2], m = in[0].layout->size(), size = item_size(out.dtype);
    const int64_t* index = reinterpret_cast<const int64_t*>(in[0].data);
    const bool binary = in.size() == 3;
    const int64_t each = binary && in[1].layout->size() == m * inner ? inner : 0;
    bool done = false;
    if (inner == 1 && binary && loop == out.dtype)
        dispatch(out.dtype, [&](auto type) {
            using T = typename decltype(type)::type;
            T* target = reinterpret_cast<T*>(out.data);
            const T* second = reinterpret_cast<const T*>(in[1].data);
            done = with_plain<T>(op, [&](auto f) {
                if (each == 0)
                    for (int64_t i = 0; i < m; ++i) target[index[i]] = f(target[index[i]], second[0]);
                else
                    for (int64_t i = 0; i < m; ++i) target[index[i]] = f(target[index[i]], second[i]);
            });
        });
    if (done) return;
    Row row(op, loop, out.dtype, inner);
    const int64_t width = each * item_size(loop);
    for (int64_t i = 0; i < m; ++i)
        row.run(out.data + index[i] * inner * size, binary ? in[1].data + i * width : nullptr);
}

FindStep steps = nullptr;
FindCast casts = nullptr;

}  // namespace

void set_steps(FindStep find, FindCast cast) {
    steps = find;
    casts = cast;
}
Step find_step(OpCode op, DType loop) { return steps(op, loop); }
Step find_cast(DType from, DType to) { return casts(from, to); }

std::span<const Entry> fold_entries() {
    static const Entry entries[] = {{"accumulate", accumulate}, {"reduceat", reduceat}, {"at", at}};
    return entries;
}

}  // namespace numloom::library
