// Names and threads of the BLAS that was found at run time.
#include <dlfcn.h>

#include <initializer_list>
#include <mutex>

#include "library/blas.hpp"

namespace numloom::library {
namespace {

void (*set_threads)(int) = nullptr;
int (*get_threads)() = nullptr;
std::mutex lock;
int users = 0, before = 0;

}  // namespace

void* blas_symbol(void* handle, const std::string& name, bool c_interface) {
    const std::string full = c_interface ? "cblas_" + name + "64_" : name + "_64_";
    for (const char* prefix : {"scipy_", ""})
        if (void* p = dlsym(handle, (prefix + full).c_str())) return p;
    return nullptr;
}

void find_thread_settings(void* handle) {
    for (const char* prefix : {"scipy_", ""}) {
        const std::string p(prefix);
        void* set = dlsym(handle, (p + "openblas_set_num_threads64_").c_str());
        void* get = dlsym(handle, (p + "openblas_get_num_threads64_").c_str());
        if (!set || !get) continue;
        set_threads = reinterpret_cast<void (*)(int)>(set);
        get_threads = reinterpret_cast<int (*)()>(get);
        return;
    }
}

SingleThreadedBlas::SingleThreadedBlas() {
    if (!set_threads) return;
    const std::lock_guard guard(lock);
    if (users++ > 0) return;
    before = get_threads();
    if (before > 1) set_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
    if (!set_threads) return;
    const std::lock_guard guard(lock);
    if (--users == 0 && before > 1) set_threads(before);
}

}  // namespace numloom::library
