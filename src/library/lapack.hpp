// What the files of linear algebra share: LAPACK's functions, stacks of matrices, work over a stack.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "core/error.hpp"
#include "core/scalar.hpp"
#include "library/blas.hpp"
#include "library/call.hpp"
#include "library/linalg.hpp"

namespace numloom::library {

using Complex = std::complex<double>;

enum Routine { kGesv, kGetrf, kPotrf, kGeqrf, kOrgqr, kSyevd, kGeev, kGesdd, kGelsd, kRoutines };

// Addresses for double and for complex numbers.
extern void* lapack_routines[2][kRoutines];

template <class T>
inline constexpr bool is_complex_type = std::is_same_v<T, Complex>;

// Calls a Fortran routine: every argument is an address, the lengths of strings follow as values.
template <class T, class... A>
void lapack(Routine r, A... arguments) {
    reinterpret_cast<void (*)(A...)>(lapack_routines[is_complex_type<T>][r])(arguments...);
}
inline constexpr size_t kOne = 1;  // the length of a string of one letter

// Memory of a solver.
template <class T>
class Work {
  public:
    Work() = default;
    explicit Work(Int n) : bytes_(std::max<Int>(n, 1) * static_cast<Int>(sizeof(T))) {
        data_ = reinterpret_cast<T*>(allocate_scratch(bytes_));
    }
    Work(Work&& o) noexcept : data_(std::exchange(o.data_, nullptr)), bytes_(o.bytes_) {}
    Work& operator=(Work&& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(bytes_, o.bytes_);
        return *this;
    }
    ~Work() {
        if (data_) release_scratch(reinterpret_cast<char*>(data_), bytes_);
    }
    T* get() const { return data_; }
    T& operator[](Int i) const { return data_[i]; }

  private:
    T* data_ = nullptr;
    Int bytes_ = 0;
};

template <class To, class From>
To convert(From x) {
    if constexpr (std::is_same_v<From, Half>)
        return convert<To>(half_to_float(x));
    else if constexpr (std::is_same_v<To, Half>)
        return float_to_half(static_cast<float>(std::real(x)));
    else if constexpr (requires { typename To::value_type; })
        return To(static_cast<typename To::value_type>(std::real(x)),
                  static_cast<typename To::value_type>(std::imag(x)));
    else if constexpr (requires { typename From::value_type; })
        return static_cast<To>(x.real());
    else
        return static_cast<To>(x);
}

// A stack of matrices (of columns, of numbers), seen with the leading axes that `batch` says.
class Stack {
  public:
    // `core`: how many of the operand's last axes belong to one item: 2 a matrix, 1 a column, 0 a number.
    Stack(const CallOperand& operand, std::span<const int64_t> batch, int core);

    Int rows = 1, columns = 1;

    // Item b to or from memory in column-major order, `ld` elements from one column to the next.
    template <class T>
    void load(Int b, T* to, Int ld) const {
        dispatch(dtype_, [&](auto type) {
            using S = typename decltype(type)::type;
            const char* item = at(b);
            for (Int j0 = 0; j0 < columns; j0 += kBlock)
                for (Int i = 0; i < rows; ++i)
                    for (Int j = j0; j < std::min(columns, j0 + kBlock); ++j)
                        to[j * ld + i] =
                            convert<T>(*reinterpret_cast<const S*>(item + i * row_step_ + j * column_step_));
        });
    }
    template <class T>
    void store(Int b, const T* from, Int ld) const {
        dispatch(dtype_, [&](auto type) {
            using S = typename decltype(type)::type;
            char* item = at(b);
            for (Int j0 = 0; j0 < columns; j0 += kBlock)
                for (Int i = 0; i < rows; ++i)
                    for (Int j = j0; j < std::min(columns, j0 + kBlock); ++j)
                        *reinterpret_cast<S*>(item + i * row_step_ + j * column_step_) =
                            convert<S>(from[j * ld + i]);
        });
    }
    template <class T>
    void fill(Int b, T value) const {
        dispatch(dtype_, [&](auto type) {
            using S = typename decltype(type)::type;
            for (Int i = 0; i < rows; ++i)
                for (Int j = 0; j < columns; ++j)
                    *reinterpret_cast<S*>(at(b) + i * row_step_ + j * column_step_) = convert<S>(value);
        });
    }
    void fill_nan(Int b) const { fill(b, std::numeric_limits<double>::quiet_NaN()); }
    template <class T>
    void store_one(Int b, T value) const {
        store(b, &value, 1);
    }

  private:
    static constexpr Int kBlock = 16;  // columns at a time: both sides stay in few cache lines
    char* at(Int b) const;

    char* data_;
    DType dtype_;
    Int row_step_ = 0, column_step_ = 0;
    std::vector<std::pair<Int, Int>> axes_;  // extent and step of the leading axes, the last first
};

// The leading axes of an operand whose last `core` axes are one item.
inline std::span<const int64_t> leading(const CallOperand& o, int core) {
    return o.layout->shape().first(static_cast<size_t>(o.layout->ndim() - core));
}
inline Int count(std::span<const int64_t> shape) {
    Int n = 1;
    for (Int e : shape) n *= e;
    return n;
}

// Calls solver(b) for every item of the stack, a solver made by make() for each thread's part; true from a
// solver is success. `work`: operations of one item.
template <class Make>
LinalgStatus over_stack(Int batch, double work, Make&& make) {
    std::atomic<bool> good{true}, memory{true};
    auto part = [&](Int begin, Int end) {
        try {
            auto solver = make();
            for (Int b = begin; b < end; ++b)
                if (!solver(b)) good.store(false, std::memory_order_relaxed);
        } catch (const std::exception&) {  // no memory for the work: nothing may leave a thread of the pool
            memory.store(false, std::memory_order_relaxed);
        }
    };
    constexpr double kWorthThreads = 1 << 18;
    if (batch < 2 || work * static_cast<double>(batch) < 2 * kWorthThreads) {
        if (batch > 0) part(0, batch);
    } else {
        const SingleThreadedBlas alone;
        parallel_ranges(batch, static_cast<Int>(std::max(1.0, kWorthThreads / std::max(work, 1.0))), part);
    }
    if (!memory) throw memory_error("no memory for the work of a factorisation");
    return good ? LinalgStatus::Done : LinalgStatus::Failed;
}

// Whether any operand is complex: then the work is done in complex numbers.
inline bool any_complex(std::span<const CallOperand> in) {
    return std::any_of(in.begin(), in.end(), [](const CallOperand& o) { return is_complex(o.dtype); });
}
// f(Type<double>{}) or f(Type<Complex>{}).
template <class F>
auto by_kind(std::span<const CallOperand> in, F&& f) {
    return any_complex(in) ? f(Type<Complex>{}) : f(Type<double>{});
}

using Parameters = std::span<const int64_t>;
using Outputs = std::span<const CallOperand>;
using Inputs = std::span<const CallOperand>;
struct LinalgEntry {
    std::string_view name;
    LinalgStatus (*run)(Parameters, Outputs, Inputs);
};
std::span<const LinalgEntry> lu_entries();
std::span<const LinalgEntry> qr_entries();  // with cholesky
std::span<const LinalgEntry> eigen_entries();
std::span<const LinalgEntry> svd_entries();  // with lstsq

}  // namespace numloom::library
