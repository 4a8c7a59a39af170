/// \file
/// What one can ask of the engine. Devices and processes are chosen by the environment (NUMLOOM_DEVICES, an
/// MPI launcher), read once, at the first call of the library.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "numloom/config.hpp"

NUMLOOM_NAMESPACE_BEGIN

/// The devices of all processes, in one order.
struct Mesh {
    std::vector<std::string> devices;  ///< names, process after process
    int processes = 1;
    int rank = 0;  ///< this process's number
    int size() const { return static_cast<int>(devices.size()); }
};

/// Counters since the start of the process.
struct Stats {
    int64_t instructions = 0, evaluations = 0, plan_hits = 0, plan_misses = 0, kernels = 0;
    int64_t bytes_read = 0, bytes_written = 0;
    int64_t messages = 0, bytes_moved = 0;  ///< between devices and processes
};

NUMLOOM_API Mesh mesh();  ///< Throws Value or Runtime where the devices that were asked for are not there.
NUMLOOM_API Stats stats();
/// Runs everything recorded so far.
NUMLOOM_API void eval();
/// The plans that a call of f leads to, as text: its kernels, what they read and write.
NUMLOOM_API std::string plan(const std::function<void()>& f);
/// Ends all processes of an MPI job with an exit status, for one that cannot go on: the others may be waiting
/// for it. Does nothing where there is one process.
NUMLOOM_API void abort_job(int status);
/// Takes matrix products and linear algebra from the OpenBLAS with 64-bit integers at `path`; false where it
/// has none. Unless called, the first of them looks for the file that NUMLOOM_BLAS names, then for Debian's
/// libopenblas64.so.0. Without any, plain loops do the products.
NUMLOOM_API bool load_blas(const std::string& path);

NUMLOOM_NAMESPACE_END
