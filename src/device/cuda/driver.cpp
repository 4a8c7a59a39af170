#include "device/cuda/driver.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <glob.h>
#include <pthread.h>

#include <atomic>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "device/device.hpp"

namespace numloom::cuda {
namespace {

std::atomic<bool> initialised{false};
std::atomic<bool> forked{false};  // this process is the child of one whose CUDA was initialised

void* open_driver() {
    static void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library;
}

template <class F>
bool load(void* library, const char* symbol, F* out) {
    void* address = dlsym(library, symbol);
    if (!address) return false;
    std::memcpy(out, &address, sizeof(address));
    return true;
}

Driver load_driver() {
    void* library = open_driver();
    if (!library) throw runtime_error("CUDA: no driver: libcuda.so.1 cannot be loaded");
    Driver d;
#define NL_LOAD(field, symbol, parameters) \
    if (!load(library, #symbol, &d.field)) \
        throw runtime_error("CUDA: the driver is too old: it has no " #symbol);
    NL_CUDA_DRIVER_FUNCTIONS(NL_LOAD)
#undef NL_LOAD
    Result r = d.Init(0);
    if (r != kSuccess) {
        const char* name = nullptr;
        d.GetErrorName(r, &name);
        throw runtime_error(std::string("CUDA: cuInit failed: ") + (name ? name : "unknown error"));
    }
    initialised = true;
    pthread_atfork(nullptr, nullptr, [] { forked = initialised.load(); });
    return d;
}

std::mutex folders_mutex;
std::vector<std::string>& extra_folders() {
    static std::vector<std::string> folders;
    return folders;
}

std::vector<std::string> nvrtc_candidates() {
    static const char* const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    std::vector<std::string> out;
    if (const char* file = std::getenv("NUMLOOM_NVRTC")) out.emplace_back(file);
    auto add_folder = [&](const std::string& folder) {
        for (const char* n : names) out.push_back(folder + "/" + n);
    };
    {
        std::lock_guard<std::mutex> lock(folders_mutex);
        for (const std::string& folder : extra_folders()) add_folder(folder);
    }
    for (const char* n : names) out.emplace_back(n);
    // pip's wheels: beside this package, and in the active virtual environment.
    Dl_info self{};
    std::vector<std::string> patterns;
    if (dladdr(reinterpret_cast<const void*>(&open_driver), &self) && self.dli_fname) {
        const std::string file = self.dli_fname;
        if (file.rfind('/') != std::string::npos)
            patterns.push_back(file.substr(0, file.rfind('/')) + "/../nvidia/*/lib/libnvrtc.so.1?");
    }
    if (const char* environment = std::getenv("VIRTUAL_ENV"))
        patterns.push_back(std::string(environment) +
                           "/lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1?");
    for (const std::string& pattern : patterns) {
        glob_t found{};
        if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
            out.insert(out.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
        globfree(&found);
    }
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* home = std::getenv(variable)) add_folder(std::string(home) + "/lib64");
    add_folder("/usr/local/cuda/lib64");
    return out;
}

Nvrtc load_nvrtc() {
    std::string tried;
    for (const std::string& path : nvrtc_candidates()) {
        void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            tried += (tried.empty() ? "" : ", ") + path;
            continue;
        }
        Nvrtc n;
#define NL_LOAD(field, symbol, parameters) \
    if (!load(library, #symbol, &n.field)) throw runtime_error("CUDA: " + path + " has no " #symbol);
        NL_NVRTC_FUNCTIONS(NL_LOAD)
#undef NL_LOAD
        check(n.Version(&n.major, &n.minor), "nvrtcVersion");
        return n;
    }
    throw runtime_error(
        "CUDA: NVRTC, the run-time compiler, was not found; install the CUDA toolkit or pip's "
        "nvidia-cuda-nvrtc "
        "(looked for " +
        tried + ")");
}

// Devices that the environment lets this process see, out of `present`.
int visible_devices(int present) {
    const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
    if (!list) return present;
    int count = 0;
    std::string item;
    for (const char* p = list;; ++p) {
        if (*p && *p != ',') {
            if (!std::isspace(static_cast<unsigned char>(*p))) item += *p;
            continue;
        }
        // As CUDA does: the list ends at its first entry that names no device.
        bool named = item.rfind("GPU-", 0) == 0 || item.rfind("MIG-", 0) == 0;
        if (!named) {
            char* end = nullptr;
            long n = std::strtol(item.c_str(), &end, 10);
            if (item.empty() || *end || n < 0 || n >= present) break;
        }
        ++count;
        item.clear();
        if (!*p) break;
    }
    return count;
}

}  // namespace

const Driver& driver() {
    if (forked.load(std::memory_order_relaxed))
        throw runtime_error(
            "CUDA: this process was forked from one that had already used the GPU, which CUDA does not "
            "allow; "
            "start it with the 'spawn' or 'forkserver' method of multiprocessing");
    static const Driver d = load_driver();
    return d;
}

const Nvrtc& nvrtc() {
    static const Nvrtc n = load_nvrtc();
    return n;
}

bool nvrtc_available() {
    try {
        nvrtc();
        return true;
    } catch (const Error&) {
        return false;
    }
}

void add_library_folder(const std::string& folder) {
    std::lock_guard<std::mutex> lock(folders_mutex);
    extra_folders().push_back(folder);
}

void check(Result r, const char* call) {
    if (r == kSuccess) return;
    const char* name = nullptr;
    const char* text = nullptr;
    if (initialised && std::strncmp(call, "cu", 2) == 0) {
        driver().GetErrorName(r, &name);
        driver().GetErrorString(r, &text);
    }
    std::string message =
        std::string("CUDA: ") + call + " failed: " + (name ? name : "error " + std::to_string(r));
    if (text) message += std::string(" (") + text + ")";
    if (r == kOutOfMemory && name) throw memory_error(message);
    throw runtime_error(message);
}

}  // namespace numloom::cuda

namespace numloom {

int cuda_device_count() {
    // Counted from the device files: initialising the driver here would break a later fork.
    int present = 0;
    if (DIR* dev = opendir("/dev")) {
        while (const dirent* e = readdir(dev))
            if (std::strncmp(e->d_name, "nvidia", 6) == 0 &&
                std::isdigit(static_cast<unsigned char>(e->d_name[6])))
                ++present;
        closedir(dev);
    }
    if (present == 0) return 0;
    present = cuda::visible_devices(present);
    return present > 0 && dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) ? present : 0;
}

}  // namespace numloom
