// What the CPU device reaches against hand-written loops, interleaved in one run. Build and run:
//   ninja -C build/release interpreter_bench && build/release/interpreter_bench [--best] [name ...]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "device/cpu/threads.hpp"
#include "device/device.hpp"

using namespace numloom;
using namespace numloom::kernel;

namespace {

// Wall time; with one thread processor time, so that other programs on the machine do not count.
double now() {
    if (cpu::ThreadPool::process_threads() == 1) return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A kernel written down by hand.
struct Builder {
    Kernel k;
    std::vector<char*> pointers;
    std::vector<ConstantValue> constants;

    int32_t access(void* p, DType type, std::vector<int64_t> strides, bool stores) {
        Access a;
        a.view = static_cast<int32_t>(k.accesses.size());
        a.dtype = type;
        a.stores = stores;
        a.strides = std::move(strides);
        k.accesses.push_back(a);
        pointers.push_back(static_cast<char*>(p));
        return a.view;
    }
    int32_t push(TapeEntry e, std::vector<TapeEntry>* tape = nullptr) {
        if (!tape) tape = &k.tape;
        tape->push_back(e);
        return static_cast<int32_t>(tape->size()) - 1;
    }
    int32_t load(const void* p, DType type, std::vector<int64_t> strides) {
        TapeEntry e{TapeKind::Load};
        e.type = type;
        e.index = access(const_cast<void*>(p), type, std::move(strides), false);
        return push(e);
    }
    template <class T>
    int32_t constant(T value, DType type) {
        TapeEntry e{TapeKind::Constant};
        e.type = type;
        e.index = static_cast<int32_t>(k.constants.size());
        k.constants.push_back(type);
        ConstantValue c{};
        std::memcpy(c.bytes, &value, sizeof value);
        constants.push_back(c);
        return push(e);
    }
    int32_t op(OpCode op, DType type, int32_t a, int32_t b = -1, int32_t c = -1) {
        TapeEntry e{TapeKind::Compute};
        e.op = op;
        e.type = type;
        e.in[0] = a;
        e.in[1] = b;
        e.in[2] = c;
        return push(e);
    }
    int32_t cast(DType from, DType to, int32_t a) {
        TapeEntry e{TapeKind::Cast};
        e.from = from;
        e.type = to;
        e.in[0] = a;
        return push(e);
    }
    void store(void* p, DType type, std::vector<int64_t> strides, int32_t value,
               std::vector<TapeEntry>* tape = nullptr) {
        TapeEntry e{TapeKind::Store};
        e.type = type;
        e.index = access(p, type, std::move(strides), true);
        e.in[0] = value;
        push(e, tape);
    }
    void shape(std::vector<int64_t> s, int32_t kept = -1) {
        k.shape = std::move(s);
        k.kept = kept < 0 ? k.ndim() : kept;
    }
};

struct Runner {
    std::unique_ptr<Device> device = make_cpu_device(0, 1);
    std::unique_ptr<Program> program;
    Launch launch;
    Builder b;

    explicit Runner(Builder builder) : b(std::move(builder)) {
        const std::string fault = verify(b.k);
        if (!fault.empty()) {
            std::fprintf(stderr, "%s\n%s", fault.c_str(), print(b.k).c_str());
            std::exit(1);
        }
        program = device->compile(b.k);
        launch.pointers = b.pointers.data();
        launch.constants = b.constants.data();
        launch.end = b.k.reduces() ? b.k.kept_points() * b.k.leaves() : b.k.points();
    }
    void operator()() { device->launch(*program, launch); }
};

bool best = false;  // the least instead of the median: for a machine that others use too

// Median seconds of two things, taken in turn.
std::pair<double, double> interleaved(const std::function<void()>& a, const std::function<void()>& b,
                                      double least = 0.02) {
    auto repeats = [&](const std::function<void()>& f) {
        f();
        const double t = now();
        f();
        const double one = now() - t;
        return std::max<int64_t>(1, static_cast<int64_t>(least / std::max(one, 1e-9)));
    };
    const int64_t ra = repeats(a), rb = repeats(b);
    std::vector<double> ta, tb;
    for (int i = 0; i < 9; ++i) {
        double t = now();
        for (int64_t j = 0; j < ra; ++j) a();
        ta.push_back((now() - t) / static_cast<double>(ra));
        t = now();
        for (int64_t j = 0; j < rb; ++j) b();
        tb.push_back((now() - t) / static_cast<double>(rb));
    }
    std::sort(ta.begin(), ta.end());
    std::sort(tb.begin(), tb.end());
    const size_t pick = best ? 0 : ta.size() / 2;
    return {ta[pick], tb[pick]};
}

// The hand-written loop over [0, n) in chunks on all threads.
void parallel(int64_t n, int64_t chunk, const std::function<void(int64_t, int64_t)>& f) {
    cpu::ThreadPool::process().run((n + chunk - 1) / chunk,
                                   [&](int64_t c, int) { f(c * chunk, std::min(n, (c + 1) * chunk)); });
}

void report(const char* name, double ours, double hand, double bytes) {
    std::printf("%-24s %10.4f ms %8.1f GB/s   hand-written %10.4f ms %8.1f GB/s   share %.2f\n", name,
                ours * 1e3, bytes / ours * 1e-9, hand * 1e3, bytes / hand * 1e-9, hand / ours);
    std::fflush(stdout);
}

template <class T>
struct Array {
    std::unique_ptr<Device> device = make_cpu_device(0, 1);
    int64_t n;
    T* p;
    explicit Array(int64_t count)
        : n(count), p(reinterpret_cast<T*>(device->allocate(count * static_cast<int64_t>(sizeof(T))))) {
        for (int64_t i = 0; i < n; ++i) p[i] = static_cast<T>(static_cast<double>(i % 97) * 0.37);
    }
    ~Array() { device->release(reinterpret_cast<char*>(p), n * static_cast<int64_t>(sizeof(T))); }
};

constexpr DType F = DType::Float64;

void bench_small() {
    Array<double> x(16), y(16);
    Builder b;
    b.shape({10});
    const int32_t u = b.load(x.p, F, {8}), v = b.load(y.p, F, {8});
    b.store(x.p, F, {8}, b.op(OpCode::Add, F, u, v));
    Runner one(std::move(b));
    Builder c;
    c.shape({10});
    int32_t t = c.load(x.p, F, {8});
    const int32_t w = c.load(y.p, F, {8});
    for (int i = 0; i < 500; ++i) t = c.op(OpCode::Add, F, t, w);
    c.store(x.p, F, {8}, t);
    Runner many(std::move(c));
    auto [a, m] = interleaved([&] { one(); }, [&] { many(); });
    std::printf("%-24s %10.1f ns a launch, %8.2f ns an operation in a chain of 500\n", "small (10 elements)",
                a * 1e9, m * 1e9 / 500);
}

void bench_dispatch() {
    Array<double> x(1024), y(1024);
    for (int64_t n : {16, 128, 1024}) {
        Builder c;
        c.shape({n});
        int32_t t = c.load(x.p, F, {8});
        const int32_t w = c.load(y.p, F, {8});
        for (int i = 0; i < 200; ++i) t = c.op(i % 2 ? OpCode::Maximum : OpCode::Add, F, t, w);
        c.store(x.p, F, {8}, t);
        Runner r(std::move(c));
        auto hand = [&] {
            for (int i = 0; i < 200; ++i)
                for (int64_t j = 0; j < n; ++j) x.p[j] = x.p[j] + y.p[j];
            asm volatile("" ::: "memory");
        };
        auto [a, h] = interleaved([&] { r(); }, hand);
        std::printf("block of %-5lld            %10.2f ns an operation, plain loop %.2f ns\n",
                    static_cast<long long>(n), a * 1e9 / 200, h * 1e9 / 200);
    }
}

void bench_chain(int64_t n) {
    Array<double> a(n), x(n), y(n), b(n), c(n), z(n), o(n);
    Builder k;
    k.shape({n});
    const int32_t la = k.load(a.p, F, {8}), lx = k.load(x.p, F, {8}), ly = k.load(y.p, F, {8});
    const int32_t lb = k.load(b.p, F, {8}), lc = k.load(c.p, F, {8}), lz = k.load(z.p, F, {8});
    const int32_t ax = k.op(OpCode::Multiply, F, la, lx), yb = k.op(OpCode::Multiply, F, ly, lb);
    const int32_t s = k.op(OpCode::Add, F, ax, yb), cz = k.op(OpCode::Multiply, F, lc, lz);
    k.store(o.p, F, {8}, k.op(OpCode::Subtract, F, s, cz));
    Runner r(std::move(k));
    auto hand = [&] {
        parallel(n, std::max<int64_t>(4096, std::min<int64_t>(n / 8, 65536)), [&](int64_t i, int64_t e) {
            double *A = a.p, *X = x.p, *Y = y.p, *B = b.p, *C = c.p, *Z = z.p, *O = o.p;
#pragma GCC ivdep
            for (; i < e; ++i) O[i] = A[i] * X[i] + Y[i] * B[i] - C[i] * Z[i];
        });
    };
    auto [t, h] = interleaved([&] { r(); }, hand);
    report(("chain " + std::to_string(n)).c_str(), t, h, static_cast<double>(n) * 56);
}

template <class T>
void bench_sweep(int64_t n, DType type) {
    Array<T> g(n * n), o(n * n);
    const int64_t item = sizeof(T), row = n * item;
    Builder k;
    k.shape({n - 2, n - 2});
    auto at = [&](T* p, int64_t i, int64_t j) { return p + i * n + j; };
    const std::vector<int64_t> strides{row, item};
    const int32_t c = k.load(at(g.p, 1, 1), type, strides), north = k.load(at(g.p, 0, 1), type, strides);
    const int32_t west = k.load(at(g.p, 1, 0), type, strides), east = k.load(at(g.p, 1, 2), type, strides);
    const int32_t south = k.load(at(g.p, 2, 1), type, strides);
    int32_t s = k.op(OpCode::Add, type, c, north);
    s = k.op(OpCode::Add, type, s, east);
    s = k.op(OpCode::Add, type, s, west);
    s = k.op(OpCode::Add, type, s, south);
    k.store(at(o.p, 1, 1), type, strides, k.op(OpCode::Multiply, type, k.constant<T>(T(0.2), type), s));
    Runner r(std::move(k));
    auto hand = [&] {
        parallel(n - 2, std::max<int64_t>(1, std::min<int64_t>((n - 2) / 8, 32)), [&](int64_t i, int64_t e) {
            for (; i < e; ++i) {
                const T *C = at(g.p, i + 1, 1), *N = at(g.p, i, 1), *S = at(g.p, i + 2, 1);
                T* O = at(o.p, i + 1, 1);
#pragma GCC ivdep
                for (int64_t j = 0; j < n - 2; ++j)
                    O[j] = T(0.2) * ((((C[j] + N[j]) + C[j + 1]) + C[j - 1]) + S[j]);
            }
        });
    };
    auto [t, h] = interleaved([&] { r(); }, hand);
    report(("sweep " + std::string(name(type)) + " " + std::to_string(n)).c_str(), t, h,
           static_cast<double>(n * n) * 2 * sizeof(T));
}

void bench_sum_squares(int64_t n) {
    Array<double> a(n), b(n), o(1);
    Builder k;
    k.shape({n}, 0);
    const int32_t d = k.op(OpCode::Subtract, F, k.load(a.p, F, {8}), k.load(b.p, F, {8}));
    k.k.reductions.push_back({OpCode::Add, F, k.op(OpCode::Square, F, d)});
    TapeEntry e{TapeKind::Reduced};
    e.type = F;
    k.push(e, &k.k.finish);
    k.store(o.p, F, {0}, 0, &k.k.finish);
    Runner r(std::move(k));
    std::vector<double> partial(static_cast<size_t>(n / 65536 + 1) * 8);
    auto hand = [&] {
        parallel(n, 65536, [&](int64_t i, int64_t end) {
            double acc[32] = {};
            const int64_t chunk = i / 65536;
            for (; i + 32 <= end; i += 32)
                for (int l = 0; l < 32; ++l) acc[l] += (a.p[i + l] - b.p[i + l]) * (a.p[i + l] - b.p[i + l]);
            double s = 0;
            for (double v : acc) s += v;
            partial[static_cast<size_t>(chunk * 8)] = s;
        });
    };
    auto [t, h] = interleaved([&] { r(); }, hand);
    report(("sum_squares " + std::to_string(n)).c_str(), t, h, static_cast<double>(n) * 16);
}

void bench_where_mixed(int64_t n) {
    Array<bool> m(n);
    Array<int32_t> i(n);
    Array<float> f(n);
    Array<double> g(n), o(n);
    for (int64_t j = 0; j < n; ++j) m.p[j] = j % 3 == 0;
    Builder k;
    k.shape({n});
    const int32_t mask = k.load(m.p, DType::Bool, {1});
    const int32_t x = k.cast(DType::Int32, F, k.load(i.p, DType::Int32, {4}));
    const int32_t y = k.cast(DType::Float32, F, k.load(f.p, DType::Float32, {4}));
    const int32_t p = k.op(OpCode::Multiply, F, x, y);
    k.store(o.p, F, {8}, k.op(OpCode::Where, F, mask, p, k.load(g.p, F, {8})));
    Runner r(std::move(k));
    auto hand = [&] {
        parallel(n, 65536, [&](int64_t j, int64_t e) {
            for (; j < e; ++j)
                o.p[j] = m.p[j] ? static_cast<double>(i.p[j]) * static_cast<double>(f.p[j]) : g.p[j];
        });
    };
    auto [t, h] = interleaved([&] { r(); }, hand);
    report(("where_mixed " + std::to_string(n)).c_str(), t, h, static_cast<double>(n) * 25);
}

// Sums along an axis of a (rows, columns) array.
void bench_axis(int64_t rows, int64_t columns, bool outer) {
    Array<double> a(rows * columns), o(std::max(rows, columns));
    Builder k;
    const std::vector<int64_t> strides =
        outer ? std::vector<int64_t>{8, columns * 8} : std::vector<int64_t>{columns * 8, 8};
    k.shape(outer ? std::vector<int64_t>{columns, rows} : std::vector<int64_t>{rows, columns}, 1);
    k.k.reductions.push_back({OpCode::Add, F, k.load(a.p, F, strides)});
    TapeEntry e{TapeKind::Reduced};
    e.type = F;
    k.push(e, &k.k.finish);
    k.store(o.p, F, {8, 0}, 0, &k.k.finish);
    Runner r(std::move(k));
    auto hand = [&] {
        if (outer) {
            parallel(columns, std::max<int64_t>(64, columns / 2), [&](int64_t j, int64_t end) {
                for (int64_t c = j; c < end; ++c) o.p[c] = 0;
                for (int64_t i = 0; i < rows; ++i)
#pragma GCC ivdep
                    for (int64_t c = j; c < end; ++c) o.p[c] += a.p[i * columns + c];
            });
            return;
        }
        parallel(rows, std::max<int64_t>(1, 32768 / columns), [&](int64_t i, int64_t end) {
            for (; i < end; ++i) {
                double acc[8] = {};
                int64_t j = 0;
                for (; j + 8 <= columns; j += 8)
                    for (int l = 0; l < 8; ++l) acc[l] += a.p[i * columns + j + l];
                double s = 0;
                for (double v : acc) s += v;
                for (; j < columns; ++j) s += a.p[i * columns + j];
                o.p[i] = s;
            }
        });
    };
    auto [t, h] = interleaved([&] { r(); }, hand);
    report((std::string(outer ? "sum(0) " : "sum(1) ") + std::to_string(rows) + "x" + std::to_string(columns))
               .c_str(),
           t, h, static_cast<double>(rows * columns) * 8);
}

}  // namespace

int main(int argc, char** argv) {
    auto wanted = [&](const char* name) {
        if (argc == 1) return true;
        for (int i = 1; i < argc; ++i)
            if (!std::strcmp(argv[i], name)) return true;
        return false;
    };
    if (argc > 1 && !std::strcmp(argv[1], "--best")) {
        best = true;
        --argc;
        ++argv;
    }
    std::printf("%d threads\n", cpu::ThreadPool::process().threads());
    if (wanted("small")) bench_small();
    if (wanted("dispatch")) bench_dispatch();
    if (wanted("chain")) {
        bench_chain(20000);
        bench_chain(20000000);
    }
    if (wanted("sweep")) {
        bench_sweep<double>(300, DType::Float64);
        bench_sweep<float>(300, DType::Float32);
        bench_sweep<double>(4000, DType::Float64);
        bench_sweep<float>(4000, DType::Float32);
    }
    if (wanted("sum_squares")) {
        bench_sum_squares(100000);
        bench_sum_squares(50000000);
    }
    if (wanted("where_mixed")) bench_where_mixed(10000000);
    if (wanted("axis")) {
        bench_axis(2000, 2000, false);
        bench_axis(2000, 2000, true);
        bench_axis(200000, 3, false);
        bench_axis(100000, 10, false);
        bench_axis(1000000, 4, true);
        bench_axis(4, 1000000, true);
    }
    return 0;
}
