#include "device/cuda/compiler.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <semaphore>
#include <thread>
#include <unordered_map>

#include "device/cuda/source.hpp"

namespace numloom::cuda {

namespace {

std::atomic<int64_t> compiled{0};

bool fast_math() {
    const char* mode = std::getenv("NUMLOOM_MATH");
    return mode && std::strcmp(mode, "fast") == 0;
}

std::vector<std::string> options(const std::string& arch) {
    return {"--gpu-architecture=" + arch, "--std=c++17", fast_math() ? "--fmad=true" : "--fmad=false",
            "--device-as-default-execution-space",
            "--diag-suppress=177,550"};  // variables that a text declares and does not use
}

uint64_t fnv1a(const std::string& s, uint64_t h) {
    for (unsigned char c : s) h = (h ^ c) * 0x100000001b3ull;
    return h;
}

std::string hex(uint64_t v) {
    static const char digits[] = "0123456789abcdef";
    std::string s(16, '0');
    for (int i = 15; i >= 0; --i, v >>= 4) s[static_cast<size_t>(i)] = digits[v & 15];
    return s;
}

bool make_folders(const std::string& path) {
    for (size_t at = 1; at != std::string::npos;) {
        at = path.find('/', at + 1);
        const std::string part = path.substr(0, at);
        if (mkdir(part.c_str(), 0777) != 0 && errno != EEXIST) return false;
    }
    return true;
}

// Empty where there is no cache.
std::string cache_folder() {
    if (const char* own = std::getenv("NUMLOOM_CACHE")) {
        if (std::strcmp(own, "off") == 0) return "";
        if (*own) return own;
    }
    if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg == '/')
        return std::string(xdg) + "/numloom";
    if (const char* home = std::getenv("HOME"); home && *home == '/')
        return std::string(home) + "/.cache/numloom";
    return "";
}

std::string cache_key(const std::string& text, const std::string& arch) {
    std::string key = "numloom cuda code 1\nnvrtc " + std::to_string(nvrtc().major) + "." +
                      std::to_string(nvrtc().minor) + "\n";
    for (const std::string& o : options(arch)) key += o + "\n";
    key += "prologue " + hex(fnv1a(prologue(), 0xcbf29ce484222325ull)) +
           hex(fnv1a(prologue(), 0x9e3779b97f4a7c15ull)) + "\n";
    return key + text;
}

struct Close {
    void operator()(FILE* f) const { std::fclose(f); }
};
using File = std::unique_ptr<FILE, Close>;

// Files by C's functions: a statically linked C++ library's streams do not live beside another one's in a
// process.
bool read_cache(const std::string& path, const std::string& key, std::vector<char>* code) {
    const File in(std::fopen(path.c_str(), "rb"));
    if (!in) return false;
    std::string all;
    char block[1 << 16];
    for (size_t n; (n = std::fread(block, 1, sizeof(block), in.get())) > 0;) all.append(block, n);
    const std::string head = std::to_string(key.size()) + "\n" + key;
    uint64_t sum = 0;
    if (all.size() <= head.size() + sizeof(sum) || all.compare(0, head.size(), head) != 0) return false;
    const std::string body = all.substr(head.size() + sizeof(sum));
    std::memcpy(&sum, all.data() + head.size(), sizeof(sum));
    if (sum != fnv1a(body, 0)) return false;  // a damaged file
    code->assign(body.begin(), body.end());
    return true;
}

// Best effort: a full or read-only disk only costs the next process a compilation.
void write_cache(const std::string& folder, const std::string& path, const std::string& key,
                 const std::vector<char>& code) {
    if (!make_folders(folder)) return;
    static std::atomic<int> counter{0};
    const std::string temporary = path + "." + std::to_string(getpid()) + "." + std::to_string(counter++);
    const std::string body(code.begin(), code.end());
    const uint64_t sum = fnv1a(body, 0);
    std::string all = std::to_string(key.size()) + "\n" + key;
    all.append(reinterpret_cast<const char*>(&sum), sizeof(sum));
    all += body;
    File out(std::fopen(temporary.c_str(), "wb"));
    if (!out) return;
    const bool whole = std::fwrite(all.data(), 1, all.size(), out.get()) == all.size();
    const bool closed = std::fclose(out.release()) == 0;
    if (!whole || !closed || rename(temporary.c_str(), path.c_str()) != 0) unlink(temporary.c_str());
}

}  // namespace

int64_t compilations() { return compiled; }

std::vector<char> compile_text(const std::string& text, const std::string& arch) {
    const Nvrtc& n = nvrtc();
    const std::string whole = prologue() + text;
    NvrtcProgram program = nullptr;
    check(n.CreateProgram(&program, whole.c_str(), "numloom.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
    struct Destroy {
        const Nvrtc& n;
        NvrtcProgram* p;
        ~Destroy() { n.DestroyProgram(p); }
    } destroy{n, &program};
    const std::vector<std::string> list = options(arch);
    std::vector<const char*> pointers;
    for (const std::string& o : list) pointers.push_back(o.c_str());
    const Result r = n.CompileProgram(program, static_cast<int>(pointers.size()), pointers.data());
    if (r != kSuccess) {
        size_t size = 0;
        n.GetLogSize(program, &size);
        std::string log(size, '\0');
        if (size) n.GetLog(program, log.data());
        throw runtime_error("CUDA: nvrtcCompileProgram failed for " + arch + ":\n" + log.c_str());
    }
    ++compiled;
    size_t size = 0;
    check(n.GetCubinSize(program, &size), "nvrtcGetCUBINSize");
    std::vector<char> code(size);
    check(n.GetCubin(program, code.data()), "nvrtcGetCUBIN");
    return code;
}

std::vector<char> cached_code(const std::string& text, const std::string& arch) {
    const std::string folder = cache_folder();
    if (folder.empty()) return compile_text(text, arch);
    const std::string key = cache_key(text, arch);
    const std::string path = folder + "/" + hex(fnv1a(key, 0xcbf29ce484222325ull)) +
                             hex(fnv1a(key, 0x9e3779b97f4a7c15ull)) + ".cubin";
    std::vector<char> code;
    if (read_cache(path, key, &code)) return code;
    code = compile_text(text, arch);
    write_cache(folder, path, key, code);
    return code;
}

Function Code::kernel() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!kernel_) {
        Library library = nullptr;
        NL_CUDA(LibraryLoadData,
                (&library, machine_code_.get().data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
        NL_CUDA(LibraryGetKernel, (&kernel_, library, kEntry));
    }
    return kernel_;
}

std::shared_ptr<Code> request_code(const std::string& text, const std::string& arch) {
    static std::mutex mutex;
    static std::unordered_map<std::string, std::shared_ptr<Code>> requested;
    static std::counting_semaphore<1024> cores(
        std::min<std::ptrdiff_t>(1024, std::max(1u, std::thread::hardware_concurrency())));
    std::lock_guard<std::mutex> lock(mutex);
    const std::string key = arch + "\n" + text;
    if (auto it = requested.find(key); it != requested.end()) return it->second;
    nvrtc();  // a missing compiler is reported here, in the caller's thread
    auto compile = [text, arch] {
        cores.acquire();
        struct Release {
            ~Release() { cores.release(); }
        } release;
        return cached_code(text, arch);
    };
    auto code = std::make_shared<Code>(std::async(std::launch::async, compile).share());
    requested.emplace(key, code);
    return code;
}

}  // namespace numloom::cuda
