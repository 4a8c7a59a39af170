// A kernel made ready for CUDA: the forms that its launches need. The likely ones are
// compiled in the background from the start, so that the kernels of a plan are compiled side by side.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/scalar.hpp"
#include "device/cuda/compiler.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/source.hpp"
#include "device/device.hpp"

namespace numloom::cuda {

inline constexpr int kMostDevices = 64;

// Choices of forms and tunings; pure, so that tests need no device.
bool can_run_rows(const kernel::Kernel& k);
Variant flat_variant(const kernel::Kernel& k);
Variant linear_variant(const kernel::Kernel& k);
Variant rows_variant(const kernel::Kernel& k);
// First stage of a reduction. `single_leaves`: for a launch with partials.
Variant leaves_variant(const kernel::Kernel& k, bool single_leaves);
// Second stage, over `values` partial results for each kept point.
Variant combine_variant(const kernel::Kernel& k, int64_t values);
// Every variant that launches of `k` may use.
std::vector<Variant> variants(const kernel::Kernel& k);

// Where a launch goes: a stream and the number of its device (functions belong to one device's context).
struct Target {
    Stream stream;
    int device;
};

class CudaProgram : public Program {
  public:
    CudaProgram(const kernel::Kernel& k, std::string arch);

    const kernel::Kernel& kernel() const { return k_; }

    // Bytes of scratch memory that a launch without partials needs.
    int64_t scratch_bytes() const;
    // The launches below need the device's context current.
    void launch(const kernel::Launch& l, char* scratch, const Target& target);
    void finish(const kernel::Launch& l, int64_t begin, int64_t end, const Target& target);

    // Takes `v` for launches of its form instead of the own choice: for tests and measurements.
    void use(const Variant& v);

  private:
    struct Ready {
        Variant variant;
        Slots slots;
        std::vector<char> argument;  // with the integers that never change
        std::shared_ptr<Code> code;
        Function functions[kMostDevices] = {};
        Function function(int device);
    };
    class Call;

    Ready& flat();
    Ready& general();
    Ready& leaves(bool single);
    Ready& combine(int64_t values);
    Ready& ready(std::unique_ptr<Ready>& at, const Variant& v);
    bool aligned(const kernel::Launch& l) const;
    void launch_elementwise(const kernel::Launch& l, const Target& target);
    void launch_leaves(const kernel::Launch& l, char* results, const Target& target);
    void launch_combine(const kernel::Launch& l, const char* source, int64_t values, int64_t begin,
                        int64_t end, const Target& target);
    int64_t groups() const;

    const kernel::Kernel k_;
    const std::string arch_;
    const bool waits_itself_;  // as early starts ask: from compute capability 9.0 on
    const bool flat_, rows_;
    std::vector<Scalar> identities_;  // of reductions over nothing
    std::mutex mutex_;                // of the members below: devices share programs
    std::unique_ptr<Ready> flat_ready_, general_ready_, leaves_ready_, single_ready_;
    std::unordered_map<int, std::unique_ptr<Ready>> combine_ready_;  // by threads of one kept point
};

}  // namespace numloom::cuda
