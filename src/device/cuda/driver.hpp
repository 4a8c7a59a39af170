// The CUDA driver and NVRTC, loaded at run time: Numloom links against neither and needs no CUDA header to
// build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/error.hpp"

namespace numloom::cuda {

// The driver's handles and codes, binary compatible with <cuda.h> and <nvrtc.h>.
using Result = int;
using DeviceHandle = int;
using DevicePtr = unsigned long long;
using Context = struct ContextTag*;
using Stream = struct StreamTag*;
using Event = struct EventTag*;
using Library = struct LibraryTag*;
using Function = struct FunctionTag*;  // of one context; as CUkernel, of all
using NvrtcProgram = struct NvrtcProgramTag*;

// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
    int id;
    char pad[4];
    union {
        char bytes[64];
        int allowed;
    } value;
};
struct LaunchConfig {
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
    Stream stream;
    LaunchAttribute* attributes;
    unsigned attribute_count;
};
// The next kernel of a stream may start before its predecessor has ended; it waits by itself.
inline constexpr int kAttributeEarlyStart = 6;

inline constexpr Result kSuccess = 0;
inline constexpr Result kOutOfMemory = 2;
inline constexpr Result kNotReady = 600;
inline constexpr Result kPeerAccessAlreadyEnabled = 704;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr int kAttributeMultiprocessors = 16;
inline constexpr int kAttributeMajor = 75;
inline constexpr int kAttributeMinor = 76;

// clang-format off
// field, exported symbol, parameters. All return Result.
#define NL_CUDA_DRIVER_FUNCTIONS(X)                                                                               \
    X(Init, cuInit, (unsigned))                                                                                   \
    X(GetErrorName, cuGetErrorName, (Result, const char**))                                                       \
    X(GetErrorString, cuGetErrorString, (Result, const char**))                                                   \
    X(DeviceGetCount, cuDeviceGetCount, (int*))                                                                   \
    X(DeviceGet, cuDeviceGet, (DeviceHandle*, int))                                                               \
    X(DeviceGetName, cuDeviceGetName, (char*, int, DeviceHandle))                                                 \
    X(DeviceGetAttribute, cuDeviceGetAttribute, (int*, int, DeviceHandle))                                        \
    X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (Context*, DeviceHandle))                                 \
    X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (DeviceHandle))                                      \
    X(CtxSetCurrent, cuCtxSetCurrent, (Context))                                                                  \
    X(CtxEnablePeerAccess, cuCtxEnablePeerAccess, (Context, unsigned))                                             \
    X(MemGetInfo, cuMemGetInfo_v2, (size_t*, size_t*))                                                            \
    X(MemAlloc, cuMemAlloc_v2, (DevicePtr*, size_t))                                                              \
    X(MemFree, cuMemFree_v2, (DevicePtr))                                                                         \
    X(MemHostAlloc, cuMemHostAlloc, (void**, size_t, unsigned))                                                   \
    X(MemFreeHost, cuMemFreeHost, (void*))                                                                        \
    X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (DevicePtr, const void*, size_t, Stream))                            \
    X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void*, DevicePtr, size_t, Stream))                                  \
    X(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (DevicePtr, DevicePtr, size_t, Stream))                              \
    X(MemcpyPeerAsync, cuMemcpyPeerAsync, (DevicePtr, Context, DevicePtr, Context, size_t, Stream))               \
    X(StreamCreate, cuStreamCreate, (Stream*, unsigned))                                                          \
    X(StreamDestroy, cuStreamDestroy_v2, (Stream))                                                                \
    X(StreamSynchronize, cuStreamSynchronize, (Stream))                                                           \
    X(StreamWaitEvent, cuStreamWaitEvent, (Stream, Event, unsigned))                                              \
    X(EventCreate, cuEventCreate, (Event*, unsigned))                                                             \
    X(EventDestroy, cuEventDestroy_v2, (Event))                                                                   \
    X(EventRecord, cuEventRecord, (Event, Stream))                                                                \
    X(EventQuery, cuEventQuery, (Event))                                                                          \
    X(EventSynchronize, cuEventSynchronize, (Event))                                                              \
    X(EventElapsedTime, cuEventElapsedTime, (float*, Event, Event))                                               \
    X(LibraryLoadData, cuLibraryLoadData, (Library*, const void*, void*, void*, unsigned, void*, void*, unsigned)) \
    X(LibraryGetKernel, cuLibraryGetKernel, (Function*, Library, const char*))                                    \
    X(KernelGetFunction, cuKernelGetFunction, (Function*, Function))                                              \
    X(LaunchKernel, cuLaunchKernelEx, (const LaunchConfig*, Function, void**, void**))

#define NL_NVRTC_FUNCTIONS(X)                                                                                     \
    X(Version, nvrtcVersion, (int*, int*))                                                                        \
    X(CreateProgram, nvrtcCreateProgram, (NvrtcProgram*, const char*, const char*, int, const char* const*,       \
                                          const char* const*))                                                    \
    X(DestroyProgram, nvrtcDestroyProgram, (NvrtcProgram*))                                                       \
    X(CompileProgram, nvrtcCompileProgram, (NvrtcProgram, int, const char* const*))                               \
    X(GetCubinSize, nvrtcGetCUBINSize, (NvrtcProgram, size_t*))                                                   \
    X(GetCubin, nvrtcGetCUBIN, (NvrtcProgram, char*))                                                             \
    X(GetLogSize, nvrtcGetProgramLogSize, (NvrtcProgram, size_t*))                                                \
    X(GetLog, nvrtcGetProgramLog, (NvrtcProgram, char*))
// clang-format on

#define NL_CUDA_FIELD(field, symbol, parameters) Result(*field) parameters = nullptr;
struct Driver {
    NL_CUDA_DRIVER_FUNCTIONS(NL_CUDA_FIELD)
};
struct Nvrtc {
    NL_NVRTC_FUNCTIONS(NL_CUDA_FIELD)
    int major = 0, minor = 0;
};
#undef NL_CUDA_FIELD

// The loaded driver, initialised on the first call. Throws Error(Runtime) where there is none, or in the
// child of a process whose CUDA was initialised before the fork: CUDA does not work there.
const Driver& driver();
// The loaded compiler. Looked for in: NUMLOOM_NVRTC (a file), folders given by add_library_folder(), the
// loader's path, CUDA_HOME, CUDA_PATH, /usr/local/cuda. Throws Error(Runtime) that names where it looked.
const Nvrtc& nvrtc();
bool nvrtc_available();

// A folder that may hold libnvrtc (pip's `nvidia-cuda-nvrtc` wheel). Call before the first kernel.
void add_library_folder(const std::string& folder);

// Throws Error(Runtime) that names the call and CUDA's reason unless `r` is success; out of memory becomes
// Error(Memory).
void check(Result r, const char* call);

}  // namespace numloom::cuda

// NL_CUDA(LaunchKernel, (f, ...)): a driver call that throws on failure.
#define NL_CUDA(function, arguments) \
    ::numloom::cuda::check(::numloom::cuda::driver().function arguments, "cu" #function)
