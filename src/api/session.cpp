// The record lock, call sites, errors, and what one can ask of the engine.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "device/cpu/float_flags.hpp"
#include "device/cpu/loops.hpp"
#include "device/cpu/pool.hpp"
#include "device/cpu/threads.hpp"
#include "library/linalg.hpp"
#include "library/vector.hpp"

// After the engine's headers: see there.
#include "api/internal.hpp"

namespace numloom {
namespace api {
namespace {

// Never destroyed: arrays may outlive static destructors.
std::mutex& record_lock() {
    static auto* lock = new std::mutex;
    return *lock;
}

thread_local int depth = 0;
thread_local const void* current_site = nullptr;

// A call site as "program+0x1234", which addr2line turns into file and line.
std::string site_text(const Site& site) {
    Dl_info found{};
    char text[64];
    if (dladdr(site.code, &found) && found.dli_fname) {
        std::snprintf(text, sizeof text, "+0x%zx",
                      static_cast<size_t>(static_cast<const char*>(site.code) -
                                          static_cast<const char*>(found.dli_fbase)));
        return std::string(found.dli_fname) + text;
    }
    std::snprintf(text, sizeof text, "%p", site.code);
    return text;
}

// Once, under the lock: the engine learns who calls it, and the library's loops share the threads and the
// memory pool of the CPU devices.
void set_up() {
    engine().set_site_hook([] { return Site{current_site, 0}; });
    engine().set_site_text(site_text);
    Engine::LockHooks hooks;
    hooks.unlock = []() -> void* {
        record_lock().unlock();
        return nullptr;
    };
    hooks.lock = [](void*) { record_lock().lock(); };
    engine().set_lock_hooks(hooks);
    library::choose_vectors(cpu::loops().name);
    library::set_parallel_threads(cpu::ThreadPool::process_threads());
    library::set_scratch([](int64_t bytes) { return cpu::MemoryPool::process().allocate(bytes); },
                         [](char* p, int64_t bytes) { cpu::MemoryPool::process().release(p, bytes); });
    library::set_parallel_for(cpu::run_library_tasks);
}

}  // namespace

Session::Session(const void* site) {
    if (depth++ > 0) return;
    record_lock().lock();
    current_site = site;
    static bool ready = false;
    if (ready) return;
    try {
        set_up();
        ready = true;
    } catch (const EngineError& e) {
        --depth;
        record_lock().unlock();
        rethrow(e);
    }
}

Session::~Session() {
    if (--depth > 0) return;
    record_lock().unlock();
}

void find_blas() {
    static bool looked = false;  // under the record lock
    if (looked || library::has_lapack()) return;
    looked = true;
    const char* asked = std::getenv("NUMLOOM_BLAS");
    if (asked && *asked) {
        if (std::string_view(asked) != "off" && !library::load_blas(asked))
            fail(ErrorKind::Runtime,
                 "NUMLOOM_BLAS=" + std::string(asked) + ": no OpenBLAS with 64-bit integers there");
        return;
    }
    for (const char* name : {"libopenblas64.so.0", "libopenblas64.so"})
        if (library::load_blas(name)) return;
}

void rethrow(const EngineError& e) { throw v1::Error(static_cast<ErrorKind>(e.error_class()), e.what()); }

void fail(ErrorKind kind, const std::string& what) { throw v1::Error(kind, what); }

}  // namespace api

inline namespace v1 {

static_assert(static_cast<int>(ErrorKind::LinAlg) == static_cast<int>(ErrorClass::LinAlg));
// The public enumeration repeats the engine's, name by name.
using EngineType = decltype(api::type(DType{}));
#define NL_SAME(d) static_assert(static_cast<int>(DType::d) == static_cast<int>(EngineType::d))
NL_SAME(Bool);
NL_SAME(Int8);
NL_SAME(UInt8);
NL_SAME(Int16);
NL_SAME(UInt16);
NL_SAME(Int32);
NL_SAME(UInt32);
NL_SAME(Int64);
NL_SAME(UInt64);
NL_SAME(Float16);
NL_SAME(Float32);
NL_SAME(Float64);
NL_SAME(Complex64);
NL_SAME(Complex128);
#undef NL_SAME
static_assert(static_cast<int>(DType::Complex128) == kDTypes - 1);

Error::Error(ErrorKind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
Error::~Error() = default;

std::string_view name(DType d) { return numloom::name(api::type(d)); }
int64_t item_size(DType d) { return numloom::item_size(api::type(d)); }
DType promote_types(DType a, DType b) { return api::type(promote(api::type(a), api::type(b))); }

bool can_cast(DType from, DType to, Casting casting) {
    switch (casting) {
        case Casting::Safe:
            return can_cast_safely(api::type(from), api::type(to));
        case Casting::SameKind:
            return can_cast_same_kind(api::type(from), api::type(to));
        case Casting::Unsafe:
            break;
    }
    return true;
}

Mesh mesh() {
    return api::enter(NL_SITE, [] {
        const Engine::MeshInfo info = api::engine().mesh();
        return Mesh{info.devices, info.processes, info.rank};
    });
}

Stats stats() {
    return api::enter(NL_SITE, [] {
        const numloom::api::Counters c = api::engine().stats();
        Stats s;
        s.instructions = c.instructions;
        s.evaluations = c.evaluations;
        s.plan_hits = c.plan_hits;
        s.plan_misses = c.plan_misses;
        s.kernels = c.kernels;
        s.bytes_read = c.bytes_read;
        s.bytes_written = c.bytes_written;
        s.messages = c.messages;
        s.bytes_moved = c.bytes_moved;
        return s;
    });
}

void eval() {
    api::enter(NL_SITE, [] { api::engine().flush(Trigger::Synchronise); });
}

std::string plan(const std::function<void()>& f) {
    api::enter(NL_SITE, [] {
        api::engine().flush(Trigger::Synchronise);
        api::engine().remember_plans(true);
    });
    const auto stop = [] {
        return api::enter(nullptr, [] {
            api::engine().flush(Trigger::Synchronise);
            api::engine().remember_plans(false);
            return api::engine().print_plans();
        });
    };
    try {
        f();
    } catch (...) {
        stop();
        throw;
    }
    return stop();
}

void abort_job(int status) {
    try {
        api::enter(NL_SITE, [&] { api::engine().abort_job(status); });
    } catch (const Error&) {
        // The engine could not start: there is no job.
    }
}

bool load_blas(const std::string& path) {
    return api::enter(NL_SITE, [&] { return library::load_blas(path.c_str()); });
}

}  // namespace v1
}  // namespace numloom
