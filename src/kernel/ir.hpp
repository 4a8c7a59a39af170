// Kernel IR: one fused loop nest over one iteration space. All code generators (the CPU's blocked interpreter
// and assembler, CUDA's source generator) and the null device read this and nothing else.
//
// The iteration space is a box of `shape`, walked in C order. The first `kept` dimensions are kept, the
// others are reduced (kept == ndim: an elementwise kernel). Adjacent dimensions are already merged where all
// accesses allow it.
//
// Elementwise kernel: for each point: run `tape`.
// Reduction kernel:   for each kept point: for each reduced point in C order: run `tape`, feeding
// `reductions`;
//                     then run `finish` once for the kept point.
//
// The order of a reduction is fixed, whatever the device, the number of threads or the layout: the N reduced
// points of one kept point, in C order, are cut into leaves of kLeaf consecutive points; within a leaf point
// r is folded, in order, into lane r % kLanes, starting from the first element of that lane (a lane without
// elements does not take part); lanes are combined as ((0+1)+(2+3))+((4+5)+(6+7)); leaves are combined in the
// tree of combine_leaves() in kernel/reduction.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/layout.hpp"
#include "ops/operation.hpp"

namespace numloom::kernel {

inline constexpr int64_t kLeaf = 1024;
inline constexpr int kLanes = 8;

// Memory that a kernel reads or writes, or (view < 0) the numbers of an affine index: offset + sum(index[d] *
// strides[d]) as int64.
struct Access {
    int32_t view = -1;             // index into the plan's table of views; its byte offset comes at launch
    DType dtype = DType::Float64;  // as stored
    bool stores = false;  // written by the kernel (a written access is not read; in-place is two accesses
                          // with one view)
    bool shadow = false;  // stores go to the new buffer of a storage that is being renamed
    std::vector<int64_t>
        strides;  // bytes per iteration dimension; 0 along reduced ones in `finish` and for broadcasts
};

enum class TapeKind : uint8_t {
    Load,      // value of access `index`
    Constant,  // launch constant `index`, of dtype `type`
    Compute,   // op over in[0..], loop dtype `type`
    Cast,      // in[0] from dtype `from` to `type`, as an unsafe NumPy cast
    Store,     // in[0] (already of the access's dtype) to access `index`
    Reduced,   // finish tape only: result of reduction `index`
};

// Static single assignment: entry i defines value i (Store defines none). The finish tape has numbers of its
// own.
struct TapeEntry {
    TapeKind kind;
    OpCode op = OpCode::Copy;
    DType type = DType::Float64;  // dtype of the value defined; for Compute the loop's dtype (result by
                                  // result_dtype(op, type))
    DType from = DType::Float64;
    int32_t index = 0;
    int32_t in[3] = {-1, -1, -1};
    int32_t origin = -1;  // instruction of the segment that it comes from; not part of what is compiled
};

struct Reduction {
    OpCode op;      // an associative operation: Add, Multiply, Minimum, Maximum, LogicalAnd, ...
    DType type;     // loop dtype; the accumulator's dtype is result_dtype(op, type)
    int32_t value;  // entry of `tape` of that dtype
    int32_t origin = -1;
};

struct Kernel {
    std::vector<int64_t> shape;
    int32_t kept = 0;  // number of leading dimensions that are kept
    std::vector<Access> accesses;
    std::vector<DType> constants;  // dtypes of launch constants
    std::vector<TapeEntry> tape;
    std::vector<Reduction> reductions;
    std::vector<TapeEntry> finish;

    bool reduces() const { return !reductions.empty(); }
    int ndim() const { return static_cast<int>(shape.size()); }
    int64_t points() const;                                                    // of the whole iteration space
    int64_t kept_points() const;                                               // of the kept dimensions
    int64_t reduced_points() const;                                            // per kept point
    int64_t leaves() const { return (reduced_points() + kLeaf - 1) / kLeaf; }  // per kept point
};

// Dtype that input number `input` of an operation's loop has: the loop's, but for the mask of Where.
DType input_dtype(OpCode op, DType loop, int input);
// Dtype of the value that an entry defines.
DType value_dtype(const Kernel& k, const TapeEntry& e);
// One line per entry, stable: for stored plans and for keys of compiled code. `with_shape` false leaves
// extents and strides out.
std::string print(const Kernel& k, bool with_shape = true);
// Checks every rule stated above; returns the first violation, empty if none.
std::string verify(const Kernel& k);

// --- how a kernel is launched ---

struct Launch {
    // Per access: address of iteration point 0 (for index accesses: the offset as an integer). The address
    // may be virtual, that is outside the device's buffer, when the launch covers a part of the space: only
    // points of the range are touched.
    char* const* pointers = nullptr;
    const struct ConstantValue* constants = nullptr;
    // Elementwise: points [begin, end) of the iteration space in C order.
    // Reduction: units [begin, end), unit = kept_point * leaves() + leaf; see `partials`.
    int64_t begin = 0, end = 0;
    // Reduction only. nullptr: the launch covers all units, combines leaves and runs the finish tape. Else:
    // write the result of each unit u in [begin, end) to partials[(r * units() + u) * 16 bytes] for reduction
    // r, and do nothing more; Device::finish does the rest.
    char* partials = nullptr;
    // Floating-point conditions that somebody wants to know of (FloatKind; 0: nobody does). What came up is
    // or-ed into `raised`, one byte for each entry of the tape, then for each reduction, then for each entry
    // of the finish tape. Devices that cannot tell leave it alone.
    uint8_t wanted = 0;
    uint8_t* raised = nullptr;
};
// One constant, converted to its dtype, in the low bytes.
struct alignas(16) ConstantValue {
    unsigned char bytes[16];
};

}  // namespace numloom::kernel
