// Pieces of generated text that all forms of a kernel share: the argument, offsets of accesses, tapes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "device/cuda/source.hpp"

namespace numloom::cuda {

class Emitter {
  public:
    Emitter(const kernel::Kernel& k, const Variant& v);

    const kernel::Kernel& kernel() const { return k_; }
    int rank() const { return k_.ndim(); }
    const Slots& slots() const { return slots_; }
    bool narrow() const { return narrow_; }
    // Declarations that go first: index types, the argument's structure. Complete only after everything else
    // was emitted.
    std::string header() const;
    // Opens the entry point.
    std::string signature(int threads = kThreads) const;

    // The value of an extent: "p.i[12]".
    std::string extent(int dim) const { return integer(extents_[static_cast<size_t>(dim)]); }
    // `template <int N> body(...)`: loads, computes and stores N points; Flat: `vectors`, N vectors.
    std::string elementwise_body(Form form, const Tuning& t);

    // Statements that set idx i<from> .. i<to-1> from the linear index in variable `linear` (which they
    // consume).
    std::string decompose(int from, int to, const std::string& linear) const;
    // The sum of stride * index of one class of strides over dims [from, to); "0" where nothing moves.
    std::string offset(size_t cls, int from, int to) const;
    size_t classes() const { return classes_.size(); }
    // Whether any access of `tape` that is of this class moves along dims [from, to).
    bool moves(size_t cls, int from, int to) const;

    // `declare`: statements that load the points' values into arrays v<i>[N] at offset arrays o<class>[N];
    std::string loads(const std::vector<kernel::TapeEntry>& tape, const std::string& count) const;
    // Statements of one point `q`: everything but loads. Values are named t<i>.
    std::string compute(const std::vector<kernel::TapeEntry>& tape) const;
    // The class of an access; index accesses have classes of their own.
    size_t access_class(int32_t access) const { return access_class_[static_cast<size_t>(access)]; }
    std::string offset_type(size_t cls) const { return classes_[cls].index ? "i64" : "off"; }
    // Name of the C++ type of a dtype, of an operation's accumulator.
    static const char* type(DType d);
    static std::string apply(OpCode op, DType type, const std::string& arguments);
    DType accumulator(size_t reduction) const;
    std::string constant_value(int32_t index, DType d) const;

  private:
    struct StrideClass {
        bool index = false;            // numbers of an index access: 64 bits always
        std::vector<int64_t> strides;  // in elements where narrow, else bytes
        std::vector<int> slots;        // of the strides that are neither 0 nor 1; -1 else
    };
    struct Names {
        std::string load, store;
    };

    static std::string integer(int slot) { return "p.i[" + std::to_string(slot) + "]"; }
    int add_integer(int64_t value);
    void add_extents();
    void add_classes();
    size_t class_of(const kernel::Access& a);
    std::string address(int32_t access, const std::string& at) const;
    std::string offsets_of_points(Form form) const;
    std::string vector_loads(const Tuning& t) const;
    std::string vector_stores(const Tuning& t) const;
    std::string entry(const std::vector<kernel::TapeEntry>& tape, size_t i) const;

    const kernel::Kernel& k_;
    const bool narrow_;
    bool vectors_ = false;  // stores go to arrays first
    Slots slots_;
    std::vector<int> extents_, muls_, shifts_;  // slots
    std::vector<StrideClass> classes_;
    std::vector<size_t> access_class_;
};

// The stages of a reduction; see Form.
std::string short_kernel(Emitter& e, const Variant& v);
std::string leaves_kernel(Emitter& e, const Variant& v);
std::string combine_kernel(Emitter& e, const Variant& v);

}  // namespace numloom::cuda
