// The disk cache of compiled kernels: hits, damage, no folder. Needs NVRTC, no device.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "device/cuda/compiler.hpp"
#include "device/cuda/driver.hpp"

namespace numloom {
namespace {

const char* kText = "extern \"C\" __global__ void numloom_kernel(int* p) { *p = 7; }\n";

TEST(CudaCache, KeepsCodeAndSurvivesDamage) {
    if (!cuda::nvrtc_available()) GTEST_SKIP() << "NVRTC is not installed";
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("numloom_cache_" + std::to_string(getpid())) / "inner";
    setenv("NUMLOOM_CACHE", folder.c_str(), 1);
    const int64_t before = cuda::compilations();
    const std::vector<char> first = cuda::cached_code(kText, "sm_90");
    EXPECT_EQ(cuda::compilations(), before + 1);
    EXPECT_EQ(cuda::cached_code(kText, "sm_90"), first);
    EXPECT_EQ(cuda::compilations(), before + 1);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        ++files;
        std::filesystem::resize_file(entry.path(), std::filesystem::file_size(entry.path()) - 1);
    }
    EXPECT_EQ(files, 1);  // no temporary is left
    EXPECT_EQ(cuda::cached_code(kText, "sm_90"), first);
    EXPECT_EQ(cuda::compilations(), before + 2);
    std::filesystem::remove_all(folder.parent_path());
    setenv("NUMLOOM_CACHE", "/proc/nowhere", 1);  // cannot be made: compiled all the same
    EXPECT_EQ(cuda::cached_code(kText, "sm_90"), first);
    setenv("NUMLOOM_CACHE", "off", 1);
    EXPECT_EQ(cuda::cached_code(kText, "sm_90"), first);
}

}  // namespace
}  // namespace numloom
