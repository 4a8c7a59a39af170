// Discrete Fourier transforms: by the module for this instruction set, found beside this library.
#include <dlfcn.h>

#include <bit>
#include <string>

#include "library/call.hpp"
#include "library/fft_module.hpp"

namespace numloom::library {
namespace {

FftFunction module_function = nullptr;

// Into how many parts work is cut, whatever the number of threads: ducc computes a part's last rows in
// another way than full vectors of them, so that the bits depend on the parts.
constexpr int64_t kParts = 32;

void run_chunks(int64_t chunks, void (*task)(void*, int64_t), void* context) {
    parallel_for(chunks, task, context);
}

// parameters: kind, forward, the bits of a factor, axes
void fft(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const Layout &from = *in[0].layout, &to = *out.layout;
    Dims strides_in, strides_out;
    for (int i = 0; i < to.ndim(); ++i) {
        strides_in.push(from.stride(i) / item_size(in[0].dtype));
        strides_out.push(to.stride(i) / item_size(out.dtype));
    }
    FftCall call{};
    call.kind = static_cast<Transform>(p[0]);
    call.forward = p[1] != 0;
    call.factor = std::bit_cast<double>(p[2]);
    call.axes = p.data() + 3;
    call.axes_count = static_cast<int>(p.size()) - 3;
    call.single = out.dtype == DType::Complex64 || out.dtype == DType::Float32;
    call.ndim = to.ndim();
    call.shape_in = from.shape().data();
    call.shape_out = to.shape().data();
    call.strides_in = std::span<const int64_t>(strides_in).data();
    call.strides_out = std::span<const int64_t>(strides_out).data();
    call.in = in[0].data;
    call.out = out.data;
    call.threads = kParts;
    call.parallel_for = run_chunks;
    if (!module_function || !module_function(&call)) throw memory_error("no memory for a Fourier transform");
}

}  // namespace

bool load_fft(const char* instruction_set) {
    Dl_info here{};
    if (!dladdr(reinterpret_cast<void*>(&load_fft), &here) || !here.dli_fname) return false;
    const std::string path(here.dli_fname);
    const size_t slash = path.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
    void* handle =
        dlopen((folder + "/libnumloom_fft_" + instruction_set + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    module_function = reinterpret_cast<FftFunction>(dlsym(handle, "numloom_fft"));
    return module_function != nullptr;
}

bool has_fft() { return module_function != nullptr; }

std::span<const Entry> fft_entries() {
    static const Entry entries[] = {{"fft", fft, true}};
    return entries;
}

}  // namespace numloom::library
