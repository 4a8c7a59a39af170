// What stands in for the CUDA device in builds without CUDA's headers.
#ifndef NUMLOOM_CUDA
#include "core/error.hpp"
#include "device/device.hpp"

namespace numloom {

int cuda_device_count() { return 0; }

std::unique_ptr<Device> make_cuda_device(int) {
    throw runtime_error("this build of Numloom has no CUDA device");
}

}  // namespace numloom
#endif
