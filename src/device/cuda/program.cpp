#include "device/cuda/program.hpp"

#include <algorithm>
#include <cstring>

#include "device/cuda/compiler.hpp"
#include "kernel/reduction.hpp"

namespace numloom::cuda {

using kernel::Kernel;
using kernel::Launch;

namespace {

constexpr int64_t kMostBlocks = (int64_t{1} << 31) - 1;
constexpr int64_t kMostArgument = 4096;  // what every driver takes

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

}  // namespace

// One launch: a copy of the argument with this launch's addresses, constants and range.
class CudaProgram::Call {
  public:
    Call(Ready& r, const Kernel& k, const Launch& l, bool waits_itself)
        : ready_(r), waits_itself_(waits_itself) {
        std::memcpy(buffer_, r.argument.data(), r.argument.size());
        if (!k.constants.empty()) std::memcpy(buffer_, l.constants, 16 * k.constants.size());
        if (!k.accesses.empty())
            std::memcpy(buffer_ + r.slots.access_offset(), l.pointers, 8 * k.accesses.size());
    }
    void constant(size_t index, const Scalar& value) { std::memcpy(buffer_ + 16 * index, value.bytes, 16); }
    void set(int slot, int64_t value) {
        std::memcpy(buffer_ + ready_.slots.integer_offset() + 8 * slot, &value, sizeof(value));
    }
    // The divider that takes the number of a block apart.
    void set_blocks(int64_t d) {
        set(Slots::Blocks, d);
        const Divider divider(static_cast<uint32_t>(d));
        set(Slots::BlocksMul, divider.mul);
        set(Slots::BlocksShift, divider.shift);
    }
    void run(int64_t blocks, int threads, const Target& target) {
        if (blocks > kMostBlocks) throw runtime_error("CUDA: a kernel over too many points for one launch");
        void* parameters[] = {buffer_};
        LaunchAttribute early{kAttributeEarlyStart, {}, {}};
        early.value.allowed = 1;
        const LaunchConfig config{static_cast<unsigned>(blocks),
                                  1,
                                  1,
                                  static_cast<unsigned>(threads),
                                  1,
                                  1,
                                  0,
                                  target.stream,
                                  &early,
                                  waits_itself_ ? 1u : 0u};
        NL_CUDA(LaunchKernel, (&config, ready_.function(target.device), parameters, nullptr));
    }

  private:
    Ready& ready_;
    const bool waits_itself_;
    alignas(16) char buffer_[kMostArgument];
};

// Called with the device's context current.
Function CudaProgram::Ready::function(int device) {
    Function& f = functions[device];
    if (!f) NL_CUDA(KernelGetFunction, (&f, code->kernel()));
    return f;
}

CudaProgram::CudaProgram(const Kernel& k, std::string arch)
    : k_(k),
      arch_(std::move(arch)),
      waits_itself_(std::stoi(arch_.substr(3)) >= 90),
      flat_(cuda::flat(k)),
      rows_(can_run_rows(k)) {
    if (k.reduces() && k.reduced_points() == 0)
        for (const kernel::Reduction& r : k.reductions) {
            Scalar s;
            if (!kernel::identity(r.op, r.type, &s))
                throw value_error("zero-size array to reduction operation which has no identity");
            identities_.push_back(s);
        }
    // The forms that most launches take are made now, so that errors and the time of compilation belong to
    // compile().
    if (k.points() == 0 && !k.reduces()) return;
    if (!k.reduces()) {
        flat_ ? flat() : general();
    } else if (k.reduced_points() > 0 && k.kept_points() > 0) {
        leaves(false);
        if (!leaves_ready_->variant.finishes) combine(groups());
    }
}

CudaProgram::Ready& CudaProgram::ready(std::unique_ptr<Ready>& at, const Variant& v) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (at) return *at;
    auto r = std::make_unique<Ready>();
    r->variant = v;
    Source source = generate(k_, v);
    r->slots = std::move(source.slots);
    if (r->slots.bytes() > kMostArgument)
        throw runtime_error("CUDA: a kernel with too many arguments: " + std::to_string(r->slots.bytes()) +
                            " bytes");
    r->argument.resize(static_cast<size_t>(r->slots.bytes()));
    std::memcpy(r->argument.data() + r->slots.integer_offset(), r->slots.integers.data(),
                8 * r->slots.integers.size());
    r->code = request_code(source.text, arch_);
    at = std::move(r);
    return *at;
}

CudaProgram::Ready& CudaProgram::flat() {
    return flat_ready_ ? *flat_ready_ : ready(flat_ready_, flat_variant(k_));
}

CudaProgram::Ready& CudaProgram::general() {
    if (general_ready_) return *general_ready_;
    return ready(general_ready_, rows_ ? rows_variant(k_) : linear_variant(k_));
}

CudaProgram::Ready& CudaProgram::leaves(bool single) {
    std::unique_ptr<Ready>& at = single ? single_ready_ : leaves_ready_;
    return at ? *at : ready(at, leaves_variant(k_, single));
}

CudaProgram::Ready& CudaProgram::combine(int64_t values) {
    const Variant v = combine_variant(k_, values);
    std::unique_ptr<Ready>* at;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        at = &combine_ready_[v.tuning.leaves];
    }
    return ready(*at, v);
}

void CudaProgram::use(const Variant& v) {
    std::unique_ptr<Ready>& at = v.form == Form::Flat     ? flat_ready_
                                 : v.form != Form::Leaves ? general_ready_
                                 : v.single_leaves        ? single_ready_
                                                          : leaves_ready_;
    NL_CHECK(v.form != Form::Combine);
    at.reset();
    ready(at, v);
}

int64_t CudaProgram::groups() const { return ceil_div(k_.leaves(), leaves_ready_->variant.tuning.leaves); }

int64_t CudaProgram::scratch_bytes() const {
    if (!k_.reduces() || !leaves_ready_ || leaves_ready_->variant.finishes) return 0;
    return 16 * static_cast<int64_t>(k_.reductions.size()) * k_.kept_points() * groups();
}

bool CudaProgram::aligned(const Launch& l) const {
    uintptr_t bits = 0;
    for (size_t i = 0; i < k_.accesses.size(); ++i)
        if (k_.accesses[i].view >= 0 && k_.ndim() > 0 && k_.accesses[i].strides[0] != 0)
            bits |= reinterpret_cast<uintptr_t>(l.pointers[i]);
    return bits % 16 == 0;
}

void CudaProgram::launch(const Launch& l, char* scratch, const Target& target) {
    if (!k_.reduces()) {
        if (l.end > l.begin) launch_elementwise(l, target);
        return;
    }
    if (l.partials) {
        if (l.end > l.begin) launch_leaves(l, l.partials, target);
        return;
    }
    const int64_t kept = k_.kept_points();
    if (kept == 0) return;
    if (k_.reduced_points() == 0) {
        launch_combine(l, nullptr, 0, 0, kept, target);
        return;
    }
    launch_leaves(l, scratch, target);
    if (!leaves_ready_->variant.finishes) launch_combine(l, scratch, groups(), 0, kept, target);
}

void CudaProgram::finish(const Launch& l, int64_t begin, int64_t end, const Target& target) {
    if (end > begin) launch_combine(l, l.partials, k_.leaves(), begin, end, target);
}

void CudaProgram::launch_elementwise(const Launch& l, const Target& target) {
    Ready& r = flat_ && aligned(l) ? flat() : general();
    const Tuning& t = r.variant.tuning;
    Call call(r, k_, l, waits_itself_);
    call.set(Slots::Begin, l.begin);
    call.set(Slots::End, l.end);
    if (r.variant.form == Form::Flat) {
        const int64_t vectors = ceil_div(l.end, t.vector) - l.begin / t.vector;
        call.run(ceil_div(vectors, int64_t{kThreads} * t.unroll), kThreads, target);
    } else if (r.variant.form == Form::Linear) {
        call.run(ceil_div(l.end - l.begin, int64_t{kThreads} * t.unroll), kThreads, target);
    } else {
        const int64_t inner = k_.shape.back(), columns = ceil_div(inner, t.width);
        const int64_t first = l.begin / inner, rows = ceil_div(l.end, inner) - first;
        call.set(Slots::First, first);
        call.set_blocks(columns);
        call.run(columns * ceil_div(rows, int64_t{kThreads / t.width} * t.unroll), kThreads, target);
    }
}

void CudaProgram::launch_leaves(const Launch& l, char* results, const Target& target) {
    const bool single = l.partials != nullptr;
    Ready& r = leaves(single);
    if (r.variant.form == Form::Short) {
        Call call(r, k_, l, waits_itself_);
        call.set(Slots::End, k_.kept_points());
        call.set(Slots::Reduced, k_.reduced_points());
        call.run(ceil_div(k_.kept_points(), kThreads), kThreads, target);
        return;
    }
    const Tuning& t = r.variant.tuning;
    const int64_t leaves = k_.leaves(), kept = k_.kept_points();
    int64_t kept_begin = 0, kept_end = kept, leaf_begin = 0, leaf_end = leaves;
    if (single) {
        kept_begin = l.begin / leaves;
        kept_end = (l.end - 1) / leaves + 1;
        if (kept_end - kept_begin == 1) {
            leaf_begin = l.begin - kept_begin * leaves;
            leaf_end = l.end - kept_begin * leaves;
        }
    }
    const int64_t tiles = ceil_div(kept_end - kept_begin, int64_t{t.kept_fast} * t.kept_slow);
    const int64_t groups = ceil_div(leaf_end - leaf_begin, t.leaves);
    Call call(r, k_, l, waits_itself_);
    call.set(Slots::Begin, single ? l.begin : 0);
    call.set(Slots::End, single ? l.end : kept);
    call.set_blocks(t.kept_fast == 1 ? groups : tiles);
    call.set(Slots::First, kept_begin);
    call.set(Slots::FirstLeaf, leaf_begin);
    call.set(Slots::Leaves, leaves);
    call.set(Slots::Reduced, k_.reduced_points());
    call.set(Slots::Kept, kept);
    call.set(Slots::Groups, groups);
    call.set(Slots::Target, reinterpret_cast<int64_t>(results));
    call.run(tiles * groups, kThreads, target);
}

void CudaProgram::launch_combine(const Launch& l, const char* source, int64_t values, int64_t begin,
                                 int64_t end, const Target& target) {
    if (values > int64_t{kMostRounds} * kMostThreads * 8)
        throw runtime_error("CUDA: a reduction over too many points");
    Ready& r = combine(values);
    const int per_point = r.variant.tuning.leaves, threads = std::max(kThreads, per_point);
    Call call(r, k_, l, waits_itself_);
    for (size_t i = 0; i < identities_.size(); ++i) call.constant(k_.constants.size() + i, identities_[i]);
    call.set(Slots::Begin, begin);
    call.set(Slots::End, end);
    call.set(Slots::Groups, values);
    call.set(Slots::Kept, k_.kept_points());
    call.set(Slots::Source, reinterpret_cast<int64_t>(source));
    call.run(ceil_div(end - begin, threads / per_point), threads, target);
}

}  // namespace numloom::cuda
