// Kernels of the headline programs on one GPU, built from IR: milliseconds of each and the share of the copy
// bandwidth.
//
//   cuda_bench [--tune]     --tune also measures other widths and unrollings
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "device/cuda/cuda_device.hpp"

using namespace numloom;
using kernel::Kernel;
using kernel::TapeEntry;
using kernel::TapeKind;

namespace {

// Writes tapes: every method returns the number of its value.
struct Tape {
    Kernel& k;
    std::vector<TapeEntry>& tape;
    DType type;

    int32_t put(TapeKind kind, int32_t index, OpCode op = OpCode::Copy, int32_t a = -1, int32_t b = -1,
                int32_t c = -1) {
        TapeEntry e;
        e.kind = kind;
        e.op = op;
        e.type = type;
        e.index = index;
        e.in[0] = a;
        e.in[1] = b;
        e.in[2] = c;
        tape.push_back(e);
        return static_cast<int32_t>(tape.size()) - 1;
    }
    int32_t load(int32_t access) { return put(TapeKind::Load, access); }
    int32_t op(OpCode o, int32_t a, int32_t b = -1, int32_t c = -1) {
        return put(TapeKind::Compute, 0, o, a, b, c);
    }
    void store(int32_t access, int32_t v) { put(TapeKind::Store, access, OpCode::Copy, v); }
    int32_t constant(std::vector<kernel::ConstantValue>& values, double v) {
        kernel::ConstantValue c{};
        if (type == DType::Float64) std::memcpy(c.bytes, &v, 8);
        const float f = static_cast<float>(v);
        if (type == DType::Float32) std::memcpy(c.bytes, &f, 4);
        values.push_back(c);
        k.constants.push_back(type);
        return put(TapeKind::Constant, static_cast<int32_t>(k.constants.size()) - 1);
    }
};

class Bench {
  public:
    Bench() : device_(0) {
        NL_CUDA(EventCreate, (&start_, 0));
        NL_CUDA(EventCreate, (&stop_, 0));
        std::printf("%s\n", device_.name().c_str());
    }

    char* memory(int64_t bytes, DType type) {
        char* p = device_.allocate(bytes);
        held_.push_back({p, bytes});
        // Values that differ, made on the device: 0.5 + (i % 1000003) / 1000003.
        Kernel k;
        k.shape = {bytes / item_size(type)};
        k.kept = 1;
        k.accesses = {{-1, DType::Int64, false, false, {1}}, {0, type, true, false, {item_size(type)}}};
        std::vector<kernel::ConstantValue> constants;
        Tape i{k, k.tape, DType::Int64}, f{k, k.tape, type};
        const int32_t n = i.load(0);
        kernel::ConstantValue c{};
        const int64_t prime = 1000003;
        std::memcpy(c.bytes, &prime, 8);
        constants.push_back(c);
        k.constants.push_back(DType::Int64);
        const int32_t r = i.op(OpCode::Remainder, n, i.put(TapeKind::Constant, 0));
        int32_t v = f.put(TapeKind::Cast, 0, OpCode::Copy, r);
        k.tape.back().from = DType::Int64;
        v = f.op(OpCode::Divide, v, f.constant(constants, 1000003));
        v = f.op(OpCode::Add, v, f.constant(constants, 0.5));
        f.store(1, v);
        char* pointers[] = {nullptr, p};
        run(k, pointers, constants.data());
        return p;
    }
    void release() {
        device_.synchronize();
        for (auto& [p, bytes] : held_) device_.release(p, bytes);
        held_.clear();
        device_.trim();
    }

    void run(const Kernel& k, char* const* pointers, const kernel::ConstantValue* constants) {
        const std::string fault = kernel::verify(k);
        if (!fault.empty()) throw runtime_error(fault);
        auto program = device_.compile(k);
        device_.launch(*program, launch_of(k, pointers, constants));
        device_.synchronize();
    }
    static kernel::Launch launch_of(const Kernel& k, char* const* pointers,
                                    const kernel::ConstantValue* constants) {
        kernel::Launch l;
        l.pointers = pointers;
        l.constants = constants;
        l.end = k.reduces() ? k.kept_points() * k.leaves() : k.points();
        return l;
    }

    // Median milliseconds on the device.
    double time(const std::function<void()>& f, int repeats = 9) {
        for (int i = 0; i < 3; ++i) f();
        std::vector<float> ms;
        for (int i = 0; i < repeats; ++i) {
            NL_CUDA(EventRecord, (start_, device_.stream()));
            f();
            NL_CUDA(EventRecord, (stop_, device_.stream()));
            NL_CUDA(EventSynchronize, (stop_));
            float t = 0;
            NL_CUDA(EventElapsedTime, (&t, start_, stop_));
            ms.push_back(t);
        }
        std::sort(ms.begin(), ms.end());
        return ms[ms.size() / 2];
    }
    void report(const std::string& name, double ms, double bytes) {
        std::printf("%-52s %9.4f ms %8.0f GB/s\n", name.c_str(), ms, bytes / ms / 1e6);
        std::fflush(stdout);
    }
    void measure(const std::string& name, const Kernel& k, char* const* pointers,
                 const kernel::ConstantValue* constants, double bytes,
                 const std::vector<cuda::Variant>& others = {}) {
        const std::string fault = kernel::verify(k);
        if (!fault.empty()) throw runtime_error(name + ": " + fault);
        const kernel::Launch l = launch_of(k, pointers, constants);
        auto program = device_.compile(k);
        report(name, time([&] { device_.launch(*program, l); }), bytes);
        for (const cuda::Variant& v : others) {
            static_cast<cuda::CudaProgram&>(*program).use(v);
            const cuda::Tuning& t = v.tuning;
            char text[120];
            std::snprintf(text, sizeof(text), "    form %d vector %d unroll %d width %d",
                          static_cast<int>(v.form), t.vector, t.unroll, t.width);
            report(text, time([&] { device_.launch(*program, l); }), bytes);
        }
    }

    cuda::CudaDevice& device() { return device_; }

  private:
    cuda::CudaDevice device_;
    cuda::Event start_ = nullptr, stop_ = nullptr;
    std::vector<std::pair<char*, int64_t>> held_;
};

const char* short_name(DType d) { return d == DType::Float64 ? "f8" : "f4"; }

void sweep(Bench& b, DType d, int64_t n, bool tune) {
    const int64_t s = item_size(d), row = (n + 2) * s;
    char* grid = b.memory((n + 2) * row, d);
    char* out = b.memory((n + 2) * row, d);
    Kernel k;
    k.shape = {n, n};
    k.kept = 2;
    for (int i = 0; i < 5; ++i) k.accesses.push_back({i, d, false, false, {row, s}});
    k.accesses.push_back({5, d, true, false, {row, s}});
    std::vector<kernel::ConstantValue> constants;
    Tape t{k, k.tape, d};
    int32_t sum = t.load(0);
    for (int i = 1; i < 5; ++i) sum = t.op(OpCode::Add, sum, t.load(i));
    t.store(5, t.op(OpCode::Multiply, t.constant(constants, 0.2), sum));
    char* pointers[] = {grid + row + s,     grid + s,   grid + 2 * row + s,
                        grid + row + 2 * s, grid + row, out + row + s};
    std::vector<cuda::Variant> others;
    if (tune)
        for (int width : {32, 64, 128, 256})
            for (int unroll : {1, 2, 4, 8, 16}) {
                cuda::Variant v = cuda::rows_variant(k);
                v.tuning.width = width;
                v.tuning.unroll = unroll;
                others.push_back(v);
            }
    b.measure(std::string("five-point sweep ") + short_name(d) + " " + std::to_string(n) + "^2", k, pointers,
              constants.data(), 2.0 * static_cast<double>(n) * static_cast<double>(n * s), others);
    b.release();
}

std::vector<cuda::Variant> flat_others(const Kernel& k, bool tune) {
    std::vector<cuda::Variant> others;
    if (tune)
        for (int unroll : {1, 2, 4}) {
            cuda::Variant v = cuda::flat_variant(k);
            v.tuning.unroll = unroll;
            others.push_back(v);
            v.tuning.vector = 1;
            others.push_back(v);
        }
    return others;
}

void black_scholes(Bench& b, DType d, bool tune) {
    const int64_t n = 50000000, s = item_size(d);
    Kernel k;
    k.shape = {n};
    k.kept = 1;
    std::vector<char*> pointers;
    for (int i = 0; i < 5; ++i) {
        pointers.push_back(b.memory(n * s, d));
        k.accesses.push_back({i, d, i >= 3, false, {s}});
    }
    std::vector<kernel::ConstantValue> constants;
    Tape t{k, k.tape, d};
    auto c = [&](double v) { return t.constant(constants, v); };
    using O = OpCode;
    const int32_t S = t.load(0), X = t.load(1), T = t.load(2);
    const int32_t root = t.op(O::Sqrt, T), spread = t.op(O::Multiply, c(0.3), root);
    const int32_t d1 = t.op(
        O::Divide, t.op(O::Add, t.op(O::Log, t.op(O::Divide, S, X)), t.op(O::Multiply, c(0.065), T)), spread);
    const int32_t d2 = t.op(O::Subtract, d1, spread);
    auto cdf = [&](int32_t x) {
        return t.op(O::Multiply, c(0.5),
                    t.op(O::Add, c(1.0), t.op(O::Erf, t.op(O::Divide, x, c(1.4142135623730951)))));
    };
    const int32_t c1 = cdf(d1), c2 = cdf(d2);
    const int32_t discounted = t.op(O::Multiply, X, t.op(O::Exp, t.op(O::Multiply, c(-0.02), T)));
    t.store(3, t.op(O::Subtract, t.op(O::Multiply, S, c1), t.op(O::Multiply, discounted, c2)));
    t.store(4, t.op(O::Subtract, t.op(O::Multiply, discounted, t.op(O::Subtract, c(1.0), c2)),
                    t.op(O::Multiply, S, t.op(O::Subtract, c(1.0), c1))));
    b.measure(std::string("black-scholes (erf) ") + short_name(d) + " 50M", k, pointers.data(),
              constants.data(), 5.0 * static_cast<double>(n * s), flat_others(k, tune));
    b.release();
}

void chain(Bench& b, bool tune) {
    const int64_t n = int64_t{1} << 26;
    Kernel k;
    k.shape = {n};
    k.kept = 1;
    std::vector<char*> pointers;
    for (int i = 0; i < 6; ++i) {
        pointers.push_back(b.memory(n * 8, DType::Float64));
        k.accesses.push_back({i, DType::Float64, i == 5, false, {8}});
    }
    Tape t{k, k.tape, DType::Float64};
    const int32_t x = t.op(OpCode::Multiply, t.load(0), t.load(1)),
                  y = t.op(OpCode::Multiply, t.load(2), t.load(3));
    t.store(5, t.op(OpCode::Subtract, t.op(OpCode::Add, x, y), t.load(4)));
    b.measure("a*b + c*d - e, f8 2^26", k, pointers.data(), nullptr, 6.0 * static_cast<double>(n) * 8,
              flat_others(k, tune));
    b.release();
}

// sum over `reduced` dims of a square or of the value itself.
void reduction(Bench& b, const std::string& name, std::vector<int64_t> shape, int kept,
               std::vector<int64_t> strides, bool squares, bool tune, DType d = DType::Float64) {
    Kernel k;
    k.shape = shape;
    k.kept = kept;
    int64_t points = 1, outputs = 1;
    for (int64_t n : shape) points *= n;
    for (int i = 0; i < kept; ++i) outputs *= shape[static_cast<size_t>(i)];
    const int64_t s = item_size(d);
    std::vector<char*> pointers = {b.memory(points * s, d)};
    k.accesses = {{0, d, false, false, strides}};
    if (squares) {
        pointers.push_back(b.memory(points * s, d));
        k.accesses.push_back({1, d, false, false, strides});
    }
    kernel::Access out{2, d, true, false, std::vector<int64_t>(shape.size(), 0)};
    int64_t unit = s;
    for (int i = kept - 1; i >= 0; --i) {
        out.strides[static_cast<size_t>(i)] = unit;
        unit *= shape[static_cast<size_t>(i)];
    }
    k.accesses.push_back(out);
    pointers.push_back(b.memory(std::max<int64_t>(outputs * s, 64), d));
    Tape t{k, k.tape, d}, f{k, k.finish, d};
    int32_t v = t.load(0);
    if (squares) v = t.op(OpCode::Square, t.op(OpCode::Subtract, v, t.load(1)));
    k.reductions = {{OpCode::Add, d, v}};
    f.store(static_cast<int32_t>(k.accesses.size()) - 1, f.put(TapeKind::Reduced, 0));
    std::vector<cuda::Variant> others;
    if (tune)
        for (int unroll : {2, 4, 8, 16}) {
            cuda::Variant x = cuda::leaves_variant(k, false);
            x.tuning.unroll = unroll;
            others.push_back(x);
        }
    b.measure(name, k, pointers.data(), nullptr, static_cast<double>(points * s) * (squares ? 2 : 1), others);
    b.release();
}

void transpose(Bench& b, bool tune) {
    const int64_t n = 1 << 14;
    char* pointers[] = {b.memory(n * n * 8, DType::Float64), b.memory(n * n * 8, DType::Float64)};
    Kernel k;
    k.shape = {n, n};
    k.kept = 2;
    k.accesses = {{0, DType::Float64, false, false, {8, 8 * n}},
                  {1, DType::Float64, true, false, {8 * n, 8}}};
    Tape t{k, k.tape, DType::Float64};
    t.store(1, t.load(0));
    std::vector<cuda::Variant> others;
    if (tune)
        for (int width : {8, 16, 32, 64})
            for (int unroll : {1, 2, 4, 8}) {
                cuda::Variant v = cuda::rows_variant(k);
                v.tuning.width = width;
                v.tuning.unroll = unroll;
                others.push_back(v);
            }
    b.measure("transposed copy f8 2^14 x 2^14", k, pointers, nullptr, 16.0 * static_cast<double>(n * n),
              others);
    b.release();
}

void copies(Bench& b) {
    const int64_t bytes = int64_t{1} << 32;
    char* x = b.memory(bytes, DType::Float64);
    char* y = b.memory(bytes, DType::Float64);
    b.report("device copy 4 GiB", b.time([&] { b.device().copy(y, x, bytes); }),
             2.0 * static_cast<double>(bytes));
    std::vector<char> host(int64_t{1} << 30, 1);
    const double n = static_cast<double>(host.size());
    auto wall = [&](const std::function<void()>& f) {
        f();
        const auto t = std::chrono::steady_clock::now();
        f();
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count() * 1e3;
    };
    b.report("copy in 1 GiB", wall([&] {
                 b.device().copy_in(x, host.data(), int64_t{1} << 30);
                 b.device().synchronize();
             }),
             n);
    b.report("copy out 1 GiB", wall([&] { b.device().copy_out(host.data(), x, int64_t{1} << 30); }), n);
    b.report("copy out 8 bytes", wall([&] { b.device().copy_out(host.data(), x, 8); }), 8);
    b.release();
}

void small(Bench& b) {
    const int64_t n = 1 << 16;
    char* pointers[] = {b.memory(n * 8, DType::Float64), b.memory(n * 8, DType::Float64), nullptr};
    pointers[2] = pointers[0];
    Kernel k;
    k.shape = {n};
    k.kept = 1;
    for (int i = 0; i < 3; ++i) k.accesses.push_back({i == 2 ? 0 : i, DType::Float64, i == 2, false, {8}});
    Tape t{k, k.tape, DType::Float64};
    t.store(2, t.op(OpCode::Add, t.load(0), t.load(1)));
    auto program = b.device().compile(k);
    const kernel::Launch l = Bench::launch_of(k, pointers, nullptr);
    for (int count : {200, 20000, 200, 20000}) {
        b.device().synchronize();
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < count; ++i) b.device().launch(*program, l);
        const auto issued = std::chrono::steady_clock::now();
        b.device().synchronize();
        const auto done = std::chrono::steady_clock::now();
        std::printf("%d dependent adds on 2^16 f8: %.2f us issued, %.2f us done each\n", count,
                    std::chrono::duration<double>(issued - start).count() / count * 1e6,
                    std::chrono::duration<double>(done - start).count() / count * 1e6);
    }
    const int count = 20000;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) b.device().release(b.device().allocate(n * 8), n * 8);
    std::printf(
        "allocate and release: %.3f us\n",
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count * 1e6);
    b.release();
}

}  // namespace

int main(int argc, char** argv) {
    const bool tune = argc > 1 && std::strcmp(argv[1], "--tune") == 0;
    if (cuda_device_count() == 0) {
        std::printf("no CUDA device\n");
        return 0;
    }
    try {
        Bench b;
        copies(b);
        for (DType d : {DType::Float64, DType::Float32}) {
            sweep(b, d, 20000, tune);
            sweep(b, d, 1000, tune && d == DType::Float64);
        }
        for (DType d : {DType::Float64, DType::Float32}) black_scholes(b, d, tune);
        chain(b, tune);
        const int64_t n = int64_t{1} << 28, m = 1 << 14;
        reduction(b, "((v-w)**2).sum() f8 2^28", {n}, 0, {8}, true, tune);
        reduction(b, "((v-w)**2).sum() f4 2^28", {n}, 0, {4}, true, tune, DType::Float32);
        reduction(b, "v.sum() f8 2^28", {n}, 0, {8}, false, tune);
        reduction(b, "v.sum() f8 2^16", {1 << 16}, 0, {8}, false, false);
        reduction(b, "v.sum() f8 2^20", {1 << 20}, 0, {8}, false, tune);
        reduction(b, "m.sum(axis=0) f8 2^14 x 2^14", {m, m}, 1, {8, 8 * m}, false, tune);
        reduction(b, "m.sum(axis=1) f8 2^14 x 2^14", {m, m}, 1, {8 * m, 8}, false, tune);
        reduction(b, "m.sum(axis=0) f8 2^24 x 3", {3, 1 << 24}, 1, {8, 24}, false, false);
        reduction(b, "m.sum(axis=1) f8 2^24 x 3", {1 << 24, 3}, 1, {24, 8}, false, false);
        reduction(b, "m.sum(axis=0) f8 2^20 x 256", {256, 1 << 20}, 1, {8, 2048}, false, false);
        transpose(b, tune);
        small(b);
    } catch (const std::exception& e) {
        std::printf("FAILED: %s\n", e.what());
        return 1;
    }
    return 0;
}
