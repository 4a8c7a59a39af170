// libnumloom_fft_*.so: discrete Fourier transforms by ducc, on the threads of the caller. Compiled once per
// instruction set, as a library of its own, so that no code for newer processors gets into the extension.
#include "ducc0/infra/threading.cc"
// (ducc's own parts come as sources)
#include "ducc0/fft/fft.h"
#include "ducc0/fft/fftnd_impl.h"
#include "ducc0/infra/mav.cc"
#include "ducc0/infra/string_utils.cc"
#include "library/fft_module.hpp"

namespace DUCC0_NAMESPACE {
namespace detail_threading {
namespace {

using numloom::library::FftCall;

thread_local const FftCall* current = nullptr;

// A pool that hands ducc's parts to the threads of the call that runs.
class CallersThreads final : public thread_pool {
  public:
    size_t nthreads() const override { return current ? static_cast<size_t>(current->threads) : 1; }
    size_t adjust_nthreads(size_t wanted) const override {
        if (in_parallel_region || !current) return 1;
        return wanted == 0 ? nthreads() : std::min(wanted, nthreads());
    }
    void submit(std::function<void()> work) override { work(); }
    void parallel_for(size_t parts, std::function<void(size_t)> work) override {
        current->parallel_for(
            static_cast<int64_t>(parts),
            [](void* f, int64_t part) {
                (*static_cast<std::function<void(size_t)>*>(f))(static_cast<size_t>(part));
            },
            &work);
    }
};
CallersThreads callers_threads;

}  // namespace

thread_pool* get_active_pool() { return &callers_threads; }
thread_pool* set_active_pool(thread_pool* pool) { return pool; }

}  // namespace detail_threading
}  // namespace DUCC0_NAMESPACE

namespace numloom::library {
namespace {

namespace ducc = DUCC0_NAMESPACE;
using Shape = std::vector<size_t>;
using Strides = std::vector<ptrdiff_t>;

// The other half of a whole spectrum of real numbers: conjugates of the points mirrored along every axis.
template <class T>
void mirror(const FftCall& c, std::complex<T>* out) {
    const int last = static_cast<int>(c.axes[c.axes_count - 1]);
    const int64_t n = c.shape_out[last], half = n / 2 + 1, step = c.strides_out[last];
    std::vector<bool> transformed(static_cast<size_t>(c.ndim), false);
    for (int i = 0; i < c.axes_count; ++i) transformed[static_cast<size_t>(c.axes[i])] = true;
    int64_t rows = 1;
    for (int d = 0; d < c.ndim; ++d)
        if (d != last) rows *= c.shape_out[d];
    auto fill = [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
            int64_t rest = row, to = 0, from = 0;
            for (int d = c.ndim - 1; d >= 0; --d) {
                if (d == last) continue;
                const int64_t extent = c.shape_out[d], i = rest % extent;
                rest /= extent;
                to += i * c.strides_out[d];
                from += (transformed[static_cast<size_t>(d)] && i > 0 ? extent - i : i) * c.strides_out[d];
            }
            for (int64_t j = half; j < n; ++j) out[to + j * step] = std::conj(out[from + (n - j) * step]);
        }
    };
    const int64_t parts = rows * n < (1 << 15) ? 1 : std::min(rows, 4 * c.threads);
    struct Context {
        decltype(fill)* f;
        int64_t rows, parts;
    } context{&fill, rows, parts};
    if (parts <= 1) return fill(0, rows);
    c.parallel_for(
        parts,
        [](void* p, int64_t i) {
            auto& x = *static_cast<Context*>(p);
            (*x.f)(x.rows * i / x.parts, x.rows * (i + 1) / x.parts);
        },
        &context);
}

template <class T>
void transform(const FftCall& c) {
    using C = std::complex<T>;
    const Shape shape_in(c.shape_in, c.shape_in + c.ndim), axes(c.axes, c.axes + c.axes_count);
    const Strides in(c.strides_in, c.strides_in + c.ndim), out(c.strides_out, c.strides_out + c.ndim);
    Shape shape_out(c.shape_out, c.shape_out + c.ndim);
    const T factor = static_cast<T>(c.factor);
    const size_t threads = static_cast<size_t>(c.threads);
    if (c.kind == Transform::Complex) {
        ducc::c2c(ducc::cfmav<C>(static_cast<const C*>(c.in), shape_in, in),
                  ducc::vfmav<C>(static_cast<C*>(c.out), shape_out, out), axes, c.forward, factor, threads);
        return;
    }
    if (c.kind == Transform::Real) {
        ducc::c2r(ducc::cfmav<C>(static_cast<const C*>(c.in), shape_in, in),
                  ducc::vfmav<T>(static_cast<T*>(c.out), shape_out, out), axes, c.forward, factor, threads);
        return;
    }
    if (c.kind == Transform::FullSpectrum) shape_out[axes.back()] = shape_out[axes.back()] / 2 + 1;
    ducc::r2c(ducc::cfmav<T>(static_cast<const T*>(c.in), shape_in, in),
              ducc::vfmav<C>(static_cast<C*>(c.out), shape_out, out), axes, c.forward, factor, threads);
    if (c.kind == Transform::FullSpectrum) mirror(c, static_cast<C*>(c.out));
}

}  // namespace
}  // namespace numloom::library

extern "C" __attribute__((visibility("default"))) bool numloom_fft(const numloom::library::FftCall* call) {
    using DUCC0_NAMESPACE::detail_threading::current;
    current = call;
    bool done = true;
    try {
        if (call->single)
            numloom::library::transform<float>(*call);
        else
            numloom::library::transform<double>(*call);
    } catch (const std::exception&) {
        done = false;
    }
    current = nullptr;
    return done;
}
