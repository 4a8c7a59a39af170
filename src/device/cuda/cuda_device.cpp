// One CUDA GPU as a Device: everything runs in order on one stream.
#include "device/cuda/cuda_device.hpp"

#include "device/cuda/compiler.hpp"

namespace numloom::cuda {

namespace {

DevicePtr address(const char* p) { return reinterpret_cast<DevicePtr>(p); }

}  // namespace

CudaDevice::CudaDevice(int ordinal) : ordinal_(ordinal) {
    int count = 0;
    NL_CUDA(DeviceGetCount, (&count));
    if (ordinal < 0 || ordinal >= count)
        throw runtime_error("CUDA: no device " + std::to_string(ordinal) + ": this process sees " +
                            std::to_string(count));
    NL_CUDA(DeviceGet, (&handle_, ordinal));
    if (ordinal >= kMostDevices) throw runtime_error("CUDA: more devices than one process can use");
    int major = 0, minor = 0;
    NL_CUDA(DeviceGetAttribute, (&major, kAttributeMajor, handle_));
    NL_CUDA(DeviceGetAttribute, (&minor, kAttributeMinor, handle_));
    arch_ = "sm_" + std::to_string(major * 10 + minor);
    char name[256] = {};
    NL_CUDA(DeviceGetName, (name, static_cast<int>(sizeof(name)) - 1, handle_));
    product_ = name;
    NL_CUDA(DevicePrimaryCtxRetain, (&context_, handle_));
    enter();
    NL_CUDA(StreamCreate, (&stream_, kStreamNonBlocking));
    NL_CUDA(EventCreate, (&event_, kEventDisableTiming));
}

CudaDevice::~CudaDevice() {
    // At exit the driver may be gone already: failures are of no interest here.
    try {
        enter();
        driver().StreamSynchronize(stream_);
        driver().EventDestroy(event_);
        driver().StreamDestroy(stream_);
    } catch (const Error&) {
    }
}

void CudaDevice::enter() const { NL_CUDA(CtxSetCurrent, (context_)); }

std::string CudaDevice::name() const { return "cuda:" + std::to_string(ordinal_) + " (" + product_ + ")"; }

char* CudaDevice::allocate(int64_t bytes) {
    enter();
    return pool_.allocate(bytes);
}

void CudaDevice::release(char* p, int64_t bytes) { pool_.release(p, bytes); }

void CudaDevice::trim() {
    enter();
    pool_.trim();
}

void CudaDevice::copy_in(char* dst, const char* host, int64_t bytes) {
    enter();
    staging_.copy_in(dst, host, bytes, stream_);
}

void CudaDevice::copy_out(char* host, const char* src, int64_t bytes) {
    enter();
    staging_.copy_out(host, src, bytes, stream_);
}

void CudaDevice::copy(char* dst, const char* src, int64_t bytes) {
    if (bytes <= 0) return;
    enter();
    NL_CUDA(MemcpyDtoDAsync, (address(dst), address(src), static_cast<size_t>(bytes), stream_));
}

void CudaDevice::copy_from(Device& other, char* dst, const char* src, int64_t bytes) {
    if (bytes <= 0) return;
    auto& from = static_cast<CudaDevice&>(other);
    // The source's earlier work comes first, and its later work (which may reuse the memory) after the copy.
    from.enter();
    NL_CUDA(EventRecord, (from.event_, from.stream_));
    enter();
    NL_CUDA(StreamWaitEvent, (stream_, from.event_, 0));
    if (from.context_ == context_) {
        NL_CUDA(MemcpyDtoDAsync, (address(dst), address(src), static_cast<size_t>(bytes), stream_));
    } else {
        NL_CUDA(MemcpyPeerAsync,
                (address(dst), context_, address(src), from.context_, static_cast<size_t>(bytes), stream_));
    }
    NL_CUDA(EventRecord, (event_, stream_));
    from.enter();
    NL_CUDA(StreamWaitEvent, (from.stream_, event_, 0));
}

void CudaDevice::follow(Device& other) {
    auto& from = static_cast<CudaDevice&>(other);
    if (&from == this) return;
    from.enter();
    NL_CUDA(EventRecord, (from.event_, from.stream_));
    enter();
    if (from.context_ != context_) {
        const Result r = driver().CtxEnablePeerAccess(from.context_, 0);
        if (r != kPeerAccessAlreadyEnabled) check(r, "cuCtxEnablePeerAccess");
    }
    NL_CUDA(StreamWaitEvent, (stream_, from.event_, 0));
}

std::unique_ptr<Program> CudaDevice::compile(const kernel::Kernel& k) {
    enter();
    return std::make_unique<CudaProgram>(k, arch_);
}

void CudaDevice::launch(Program& p, const kernel::Launch& l) {
    enter();
    auto& program = static_cast<CudaProgram&>(p);
    const int64_t bytes = l.partials ? 0 : program.scratch_bytes();
    char* scratch = bytes ? pool_.allocate(bytes) : nullptr;
    program.launch(l, scratch, {stream_, ordinal_});
    // Whoever gets this memory next uses it later on the same stream.
    if (scratch) pool_.release(scratch, bytes);
}

void CudaDevice::finish(Program& p, const kernel::Launch& l, int64_t begin, int64_t end) {
    enter();
    static_cast<CudaProgram&>(p).finish(l, begin, end, {stream_, ordinal_});
}

void CudaDevice::synchronize() {
    enter();
    NL_CUDA(StreamSynchronize, (stream_));
}

}  // namespace numloom::cuda

namespace numloom {

std::unique_ptr<Device> make_cuda_device(int ordinal) { return std::make_unique<cuda::CudaDevice>(ordinal); }

}  // namespace numloom
