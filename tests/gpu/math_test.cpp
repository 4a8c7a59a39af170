// Mathematical functions on the device: at most 2 ulp from the correctly rounded value (2.5 for special
// functions), and the special values of C's annex F. Skipped where there is no GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>

#include "device/device.hpp"
#include "kernel/ir.hpp"

namespace numloom {
namespace {

using Real = long double;
using Unary = Real (*)(Real);
using Binary = Real (*)(Real, Real);

struct Reference {
    const char* name;
    Unary unary;
    Binary binary;
    double low, high;  // of the arguments
};

const Reference kReferences[] = {
    {"exp", expl, nullptr, -740, 710},     {"exp2", exp2l, nullptr, -1070, 1023},
    {"expm1", expm1l, nullptr, -40, 700},  {"log", logl, nullptr, 0, 1e6},
    {"log2", log2l, nullptr, 0, 1e6},      {"log10", log10l, nullptr, 0, 1e6},
    {"log1p", log1pl, nullptr, -1, 1e3},   {"cbrt", cbrtl, nullptr, -1e6, 1e6},
    {"sin", sinl, nullptr, -1e5, 1e5},     {"cos", cosl, nullptr, -1e5, 1e5},
    {"tan", tanl, nullptr, -1e5, 1e5},     {"arcsin", asinl, nullptr, -1, 1},
    {"arccos", acosl, nullptr, -1, 1},     {"arctan", atanl, nullptr, -1e3, 1e3},
    {"sinh", sinhl, nullptr, -700, 700},   {"cosh", coshl, nullptr, -700, 700},
    {"tanh", tanhl, nullptr, -20, 20},     {"arcsinh", asinhl, nullptr, -1e6, 1e6},
    {"arccosh", acoshl, nullptr, 1, 1e6},  {"arctanh", atanhl, nullptr, -1, 1},
    {"erf", erfl, nullptr, -6, 6},         {"erfc", erfcl, nullptr, -6, 26},
    {"power", nullptr, powl, 0, 30},       {"float_power", nullptr, powl, 0, 30},
    {"hypot", nullptr, hypotl, -1e6, 1e6}, {"arctan2", nullptr, atan2l, -1e3, 1e3},
    {"sqrt", sqrtl, nullptr, 0, 1e6},
};

class CudaMath : public ::testing::Test {
  protected:
    void SetUp() override {
        if (cuda_device_count() == 0) GTEST_SKIP() << "no CUDA device";
        device_ = make_cuda_device(0);
    }

    // op over n elements of each input, on the device.
    template <class T>
    std::vector<T> run(OpCode op, DType type, const std::vector<T>& x, const std::vector<T>& y) {
        const int64_t n = static_cast<int64_t>(x.size()), size = item_size(type);
        kernel::Kernel k;
        k.shape = {n};
        k.kept = 1;
        const int inputs = operation(op).inputs;
        std::vector<char*> pointers;
        for (int i = 0; i <= inputs; ++i) {
            k.accesses.push_back({i, type, i == inputs, false, {size}});
            pointers.push_back(device_->allocate(n * size));
        }
        device_->copy_in(pointers[0], reinterpret_cast<const char*>(x.data()), n * size);
        if (inputs == 2) device_->copy_in(pointers[1], reinterpret_cast<const char*>(y.data()), n * size);
        kernel::TapeEntry compute, store;
        for (int i = 0; i < inputs; ++i) {
            kernel::TapeEntry load;
            load.kind = kernel::TapeKind::Load;
            load.type = type;
            load.index = i;
            compute.in[i] = i;
            k.tape.push_back(load);
        }
        compute.kind = kernel::TapeKind::Compute;
        compute.op = op;
        compute.type = type;
        store.kind = kernel::TapeKind::Store;
        store.type = type;
        store.index = store.in[0] = inputs;
        k.tape.push_back(compute);
        k.tape.push_back(store);
        EXPECT_EQ(kernel::verify(k), "");
        kernel::Launch l;
        l.pointers = pointers.data();
        l.end = n;
        device_->launch(*device_->compile(k), l);
        std::vector<T> out(x.size());
        device_->copy_out(reinterpret_cast<char*>(out.data()), pointers.back(), n * size);
        for (char* p : pointers) device_->release(p, n * size);
        return out;
    }

    template <class T>
    void check(const Reference& r, OpCode op, DType type) {
        std::mt19937_64 random(7);
        std::vector<T> x, y;
        const double limit = sizeof(T) == 4 ? 80 : 1e300;
        std::uniform_real_distribution<double> wide(std::max(r.low, -limit),
                                                    std::min(r.high, r.low >= 0 ? 1e6 : limit));
        std::uniform_real_distribution<double> close(std::max(r.low, -2.0), std::min(r.high, 2.0));
        for (int i = 0; i < 200000; ++i) {
            x.push_back(static_cast<T>(i % 2 ? wide(random) : close(random)));
            y.push_back(static_cast<T>(r.binary == powl ? close(random) * 10 : wide(random)));
        }
        const std::vector<T> got = run(op, type, x, y);
        double worst = 0;
        size_t at = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            const Real want = r.unary ? r.unary(x[i]) : r.binary(x[i], y[i]);
            const T rounded = static_cast<T>(want);
            if (!std::isfinite(rounded) || std::fabs(rounded) < std::numeric_limits<T>::min()) {
                // Beyond the range or below normal numbers an absolute comparison is enough.
                const bool fine =
                    std::isnan(rounded) ? std::isnan(got[i])
                    : std::isinf(rounded)
                        ? got[i] == rounded || std::fabs(got[i]) == std::numeric_limits<T>::max()
                        : std::fabs(got[i] - rounded) <= 4 * std::numeric_limits<T>::denorm_min();
                EXPECT_TRUE(fine) << r.name << "(" << x[i] << ", " << y[i] << ") = " << got[i]
                                  << ", expected " << rounded;
                if (!fine) return;
                continue;
            }
            const Real unit =
                std::ldexp(static_cast<Real>(std::numeric_limits<T>::epsilon()), std::ilogb(rounded));
            const double error = static_cast<double>(std::fabs(static_cast<Real>(got[i]) - want) / unit);
            if (!(error <= worst)) worst = error, at = i;
        }
        const double bound = operation(op).has(T_SPECIAL) ? 2.5 : 2.0;
        EXPECT_LE(worst, bound) << r.name << " " << name(type) << "(" << x[at] << ", " << y[at]
                                << ") = " << got[at];
        std::printf("    %-12s %-8s %.2f ulp\n", r.name, std::string(name(type)).c_str(), worst);
    }

    std::unique_ptr<Device> device_;
};

TEST_F(CudaMath, WithinTheBound) {
    for (int o = 0; o < kOps; ++o) {
        const OpCode op = static_cast<OpCode>(o);
        if (!operation(op).has(T_MATH)) continue;
        bool found = false;
        for (const Reference& r : kReferences) {
            if (operation(op).name != r.name) continue;
            found = true;
            if (operation(op).has_loop(DType::Float64)) check<double>(r, op, DType::Float64);
            if (operation(op).has_loop(DType::Float32)) check<float>(r, op, DType::Float32);
        }
        if (!found) std::printf("    %s has no reference here\n", std::string(operation(op).name).c_str());
    }
}

TEST_F(CudaMath, ComplexWithinTheBound) {
    using Z = std::complex<double>;
    struct Function {
        const char* name;
        std::complex<Real> (*f)(const std::complex<Real>&);
        double reach;
    };
    const Function functions[] = {{"sqrt", std::sqrt<Real>, 100}, {"exp", std::exp<Real>, 100},
                                  {"log", std::log<Real>, 3},     {"sin", std::sin<Real>, 20},
                                  {"cos", std::cos<Real>, 20},    {"tanh", std::tanh<Real>, 20}};
    std::mt19937_64 random(11);
    for (const Function& f : functions) {
        std::uniform_real_distribution<double> part(-f.reach, f.reach);
        std::vector<Z> x;
        for (int i = 0; i < 50000; ++i) x.emplace_back(part(random), part(random));
        const std::vector<Z> got = run(find_operation(f.name), DType::Complex128, x, x);
        double worst = 0;
        size_t at = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            const std::complex<Real> want = f.f(std::complex<Real>(x[i].real(), x[i].imag()));
            const Real error =
                std::abs(std::complex<Real>(got[i].real(), got[i].imag()) - want) / std::abs(want);
            if (!(static_cast<double>(error) <= worst)) worst = static_cast<double>(error), at = i;
        }
        // Normwise, in units of the rounding error.
        EXPECT_LE(worst / 0x1p-53, 8.0) << f.name << x[at] << " = " << got[at];
        std::printf("    %-12s complex  %.2f eps/2\n", f.name, worst / 0x1p-53);
    }
}

TEST_F(CudaMath, SpecialValues) {
    const double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> x = {0.0,  -0.0,  inf,    -inf,   nan,   1.0,
                                   -1.0, 1e308, -1e308, 5e-324, 710.0, -750.0};
    struct Function {
        const char* name;
        double (*f)(double);
    };
    const Function functions[] = {{"exp", std::exp},    {"log", std::log},     {"sin", std::sin},
                                  {"cos", std::cos},    {"tanh", std::tanh},   {"erf", std::erf},
                                  {"sqrt", std::sqrt},  {"floor", std::floor}, {"rint", std::rint},
                                  {"trunc", std::trunc}};
    for (const Function& f : functions) {
        const std::vector<double> got = run(find_operation(f.name), DType::Float64, x, x);
        for (size_t i = 0; i < x.size(); ++i) {
            const double want = f.f(x[i]);
            if (std::isnan(want)) {
                EXPECT_TRUE(std::isnan(got[i])) << f.name << "(" << x[i] << ") = " << got[i];
            } else if (want == 0 || std::isinf(want)) {
                EXPECT_EQ(got[i], want) << f.name << "(" << x[i] << ")";
                EXPECT_EQ(std::signbit(got[i]), std::signbit(want)) << f.name << "(" << x[i] << ")";
            } else {
                EXPECT_NEAR(got[i] / want, 1.0, 1e-15) << f.name << "(" << x[i] << ")";
            }
        }
    }
}

}  // namespace
}  // namespace numloom
