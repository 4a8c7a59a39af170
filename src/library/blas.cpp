// Loading the BLAS, and its functions for one tile.
#include <dlfcn.h>

#include "library/blas_functions.hpp"
#include "library/library.hpp"

namespace numloom::library {
namespace {

template <class F>
bool find(void* handle, F* to, const std::string& name) {
    *to = reinterpret_cast<F>(blas_symbol(handle, name, true));
    return *to != nullptr;
}

template <class T>
bool find_all(void* handle, char letter, const std::string& dot) {
    BlasFunctions<T> f;
    const std::string l(1, letter);
    if (!find(handle, &f.gemm, l + "gemm") || !find(handle, &f.gemv, l + "gemv") ||
        !find(handle, &f.dot, dot))
        return false;
    blas_functions<T> = f;
    return true;
}

}  // namespace

bool load_blas(const char* path) {
    void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    find_thread_settings(handle);
    load_lapack(handle);
    return find_all<float>(handle, 's', "sdot") && find_all<double>(handle, 'd', "ddot") &&
           find_all<std::complex<float>>(handle, 'c', "cdotu_sub") &&
           find_all<std::complex<double>>(handle, 'z', "zdotu_sub");
}

}  // namespace numloom::library
