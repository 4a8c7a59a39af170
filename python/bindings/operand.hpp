// Python objects as operands of the engine, and NumPy's type resolution for them.
#pragma once

#include "objects.hpp"

namespace numloom::python {

// How an operand takes part in promotion: a dtype, or one of NEP 50's weak Python kinds.
using TypeKey = uint8_t;
inline constexpr TypeKey kWeakInt = kDTypes, kWeakFloat = kDTypes + 1, kWeakComplex = kDTypes + 2;
inline constexpr int kTypeKeys = kDTypes + 3;

struct Arg {
    Operand operand;  // a view; a constant of `operand.dtype`; weak ones get their bytes by constant()
    TypeKey type = 0;
    PyObject* object = nullptr;  // borrowed
    Array hold;                  // memory imported for this call

    bool view() const { return operand.storage != nullptr; }
    const Layout* layout() const { return view() ? operand.layout : Layout::scalar(); }
    bool weak() const { return type >= kDTypes; }
};

// False where the object is nothing that the engine knows (another library's array, None, an array of
// strings, ...).
bool to_arg(PyObject* o, Arg* out);
// A NumPy array or nested list as an array of ours (a copy); false where its dtype is not native.
bool import_array(PyObject* o, Array* out);
Array import_host(PyObject* numpy_array, DType d);

// What a loop needs for operands of these types.
struct Resolved {
    enum State : uint8_t { Unknown, Native, Foreign } state = Unknown;
    DType loop = DType::Float64;
    DType result = DType::Float64;
    DType checked = DType::Float64;  // the dtype that Python integers must fit
    bool value_checks = false;       // check_values() comes before recording
};
const Resolved& resolve_slow(OpCode op, TypeKey a, TypeKey b);
extern Resolved resolved[kOps][kTypeKeys][kTypeKeys];
inline const Resolved& resolve(OpCode op, TypeKey a, TypeKey b) {
    const Resolved& r = resolved[static_cast<int>(op)][a][b];
    return r.state != Resolved::Unknown ? r : resolve_slow(op, a, b);
}
inline TypeKey key(DType d) { return static_cast<TypeKey>(d); }

// Gives a weak operand the bytes of its value in r.loop. False (no exception set) where a Python integer is
// out of bounds and `may_fail`; OverflowError otherwise.
bool settle(Arg* a, const Resolved& r, bool may_fail);
// Bytes of an object stored into an element of dtype d, by NumPy's rules for assignment; false where it is
// not a plain number.
bool number_bytes(PyObject* o, DType d, Scalar* out, bool wrap = false);
// The same for anything, through NumPy; throws NumPy's errors.
Scalar element_bytes(PyObject* o, DType d);

// A fresh array for results of `n` operands, in NumPy's memory order 'K'.
Array allocate(DType d, std::span<const int64_t> shape, const Layout* const* in, int n);
// Room for a reduction of `from`, with extent 1 along the axes of `mask`; its axes lie in memory in the order
// of from's.
Array allocate_reduced(const Array& from, uint64_t mask, DType d);
// `from` folded over the axes of `mask` into a fresh array of `d`, or a lazy scalar where no axis is left.
PyObject* reduced(OpCode op, DType loop, DType d, const Array& from, uint64_t mask, bool keepdims);

// The view without the axes of `mask`, which have extent 1.
Array drop_axes(const Array& a, uint64_t mask);

// --- operations ---

// a op b as NumPy's operators (deferring to foreign operands) or as its ufuncs. `out`: array to write to, or
// nullptr.
PyObject* binary(OpCode op, PyObject* a, PyObject* b, bool is_operator);
PyObject* unary(OpCode op, PyObject* a);
// out = op(in...) with NumPy's checks; returns out as a new reference. False in *handled where the operands
// are foreign.
PyObject* into(OpCode op, ArrayObject* out, PyObject* const* in, int n, bool* handled);
PyObject* inplace(OpCode op, PyObject* a, PyObject* b);
// NumPy's short cuts for a ** scalar: the operation that stands for it, or OpCode::Power.
OpCode power_short_cut(PyObject* a, PyObject* exponent);
PyObject* ufunc_object(OpCode op);  // borrowed
// While it is set, what is recorded counts as work on scalars: NumPy warns of a "scalar divide" then.
extern bool scalar_operands;
class ScalarOperands {
  public:
    explicit ScalarOperands(bool yes) { scalar_operands = yes; }
    ~ScalarOperands() { scalar_operands = false; }
    ScalarOperands(const ScalarOperands&) = delete;
    ScalarOperands& operator=(const ScalarOperands&) = delete;
};
// Work that is done at once: what there is to report of it (Instruction::report), and reporting what came up.
uint16_t asked_reports();
void report_now(const char* name, uint8_t kinds, uint16_t report);
// How the package's own functions have what they record reported: 0 as usual, else the bits of
// Instruction::report for a name and for scalars, and those of the kinds (FloatKind) that NumPy's function
// leaves out, because it does that work by means that report nothing.
extern int manner;
class ReportedAs {
  public:
    explicit ReportedAs(int how) : before_(std::exchange(manner, how)) {}
    ~ReportedAs() { manner = before_; }
    ReportedAs(const ReportedAs&) = delete;
    ReportedAs& operator=(const ReportedAs&) = delete;

  private:
    int before_;
};
// A number as an element of dtype `to`; reports an overflow where a finite one became infinite.
Scalar cast_reported(const Scalar& value, DType from, DType to);
// A warning at the line of the user's program that is running.
void warn_user(PyObject* category, const char* text);
// Whether a loop can fail or warn depending on values: integer powers and integer divisions.
bool depends_on_values(OpCode op, DType loop);
// Raises or warns for the values at hand as NumPy does; evaluates what it must look at. `nothing`: no
// elements.
void check_values(OpCode op, const Resolved& r, const Arg* in, bool nothing);
// dst[...] = src, converted, with NumPy's check of shapes.
void assign_checked(const Array& dst, const Operand& src, const Layout* src_layout);
std::string tuple_text(std::span<const int64_t> shape);  // (2,3) as NumPy's errors write it

// Records a library operation (library/library.hpp); operands are C-contiguous and fit.
void record_call(std::string_view name, std::span<const int64_t> parameters, const Operand& out,
                 std::span<const Operand> in);

// Lends the library the threads, the memory pool and the elementwise loops of the CPU devices, once.
void lend_threads();

// --- everyday calls of random numbers (draws.cpp) ---

struct QuickDraw;
// form: 0: parameters and a size; 1: the size as arguments; 2, 3: integers of Generator and of RandomState;
// 4: bounds and a size.
QuickDraw* make_quick_draw(int form, int number, PyObject* defaults, PyObject* holder, PyObject* hidden);
void drop_quick_draw(QuickDraw* q);
// What the call draws; nullptr (no exception set) where it is of another form.
PyObject* quick_draw(const QuickDraw& q, PyObject* const* args, Py_ssize_t n, PyObject* names);

// Runs it at once on host memory.
// `said`: the name in its reports, where that isn't the call's.
void run_call(std::string_view name, std::span<const int64_t> parameters, const CallOperand& out,
              std::span<const CallOperand> in, std::string_view said = {});

// --- indexing ---

PyObject* getitem(PyObject* self, PyObject* key);
int setitem(PyObject* self, PyObject* key, PyObject* value);
PyObject* element(const Array& a, int64_t offset);
PyObject* iterate(PyObject* array);  // iter(array) for at least one axis
// Where the byte at `offset` of a's storage lies in host memory when all recorded work on it is done already;
// nullptr where that is not so: nothing is evaluated. `writing`: recorded reads of it must be done too.
inline char* current_memory(const Array& a, int64_t offset, bool writing) {
    if (!alone() || engine().pending(*a.storage(), writing)) return nullptr;
    char* base = a.storage()->one_piece();
    return base ? base + offset : nullptr;
}
// Writes `value` (anything) to all of `dst`.
void assign_value(const Array& dst, PyObject* value);
// The same as numpy.copyto does: integers of NumPy that are out of bounds wrap.
void copy_value(const Array& dst, PyObject* value);

// --- exports ---

int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);
// A NumPy array over our memory; empty where the storage is not in one piece on the host.
Ref host_view(const Array& a, bool writeable);
Ref to_host(const Array& a);

// a @ b (m x k and k x n, of one dtype) for small ones whose values are there; nullptr for others.
PyObject* small_product(const Array& a, const Array& b, int64_t m, int64_t k, int64_t n);

// --- everyday calls ----------------------------------------------------------------------------------------

// Does a call of one form; nullptr without an exception for other forms.
using QuickForm = PyObject* (*)(PyObject* const* args, Py_ssize_t n, PyObject* names);
QuickForm find_quick_form(std::string_view name);
PyObject* pair_ufunc(PyObject*, PyObject* args);

}  // namespace numloom::python
