// The BLAS and LAPACK with 64-bit integers that was found at run time.
#pragma once

#include <complex>
#include <cstdint>
#include <string>

namespace numloom::library {

using Int = int64_t;

// The address of a function of the loaded library, under any of the names that builds with 64-bit integers
// give it; nullptr where it has none. `name` is Fortran's ("dgesv") or, with `c_interface`, "dgemm" of CBLAS.
void* blas_symbol(void* handle, const std::string& name, bool c_interface);

// While one lives, the library works on the calling thread alone: for calls from threads of ours. The setting
// belongs to the process; the last one that ends restores it.
class SingleThreadedBlas {
  public:
    SingleThreadedBlas();
    ~SingleThreadedBlas();
    SingleThreadedBlas(const SingleThreadedBlas&) = delete;
    SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

// Parts of load_blas() (library.hpp).
void find_thread_settings(void* handle);
bool load_lapack(void* handle);

}  // namespace numloom::library
