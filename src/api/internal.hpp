// The public API's side of the engine: the record lock, errors, and the way between public and recorded
// arrays.
//
// Included first by every file of this folder: the public names live in an inline namespace of `numloom`, so
// the engine's headers must be read before the public ones make their names ambiguous. The engine's classes
// of the same name go by the aliases below.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>

#include "library/library.hpp"
#include "run/engine.hpp"

namespace numloom::api {
using Handle = numloom::Array;
using Type = numloom::DType;
using EngineError = numloom::Error;
using Counters = numloom::Stats;
using numloom::Operand;
}  // namespace numloom::api

// Not sorted among the others: see above.
#include "numloom/numloom.hpp"

namespace numloom {
inline namespace v1 {

// The handle inside a public array.
struct ArrayAccess {
    static api::Handle& raw(Array& a) { return *reinterpret_cast<api::Handle*>(a.handle_); }
    static const api::Handle& raw(const Array& a) { return *reinterpret_cast<const api::Handle*>(a.handle_); }
    static_assert(sizeof(api::Handle) == 32 && alignof(api::Handle) <= 8);
};

}  // namespace v1

namespace api {

inline Engine& engine() { return Engine::get(); }
inline Type type(v1::DType d) { return static_cast<Type>(d); }
inline v1::DType type(Type d) { return static_cast<v1::DType>(d); }

// Holds the record lock for the time of one call from outside; calls inside it hold it already. `site`: the
// address that the user's call returns to, which stands for the source line in the log.
class Session {
  public:
    explicit Session(const void* site);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
};

[[noreturn]] void rethrow(const EngineError& e);
[[noreturn]] void fail(ErrorKind kind, const std::string& what);

// Does one call of the public API.
template <class F>
decltype(auto) enter(const void* site, F&& f) {
    const Session session(site);
    try {
        return f();
    } catch (const EngineError& e) {
        rethrow(e);
    }
}
#define NL_SITE __builtin_return_address(0)

// The recorded array; throws where there is none.
const Handle& handle(const v1::Array& a);
v1::Array wrap(Handle h);

// --- operands ---

// How an operand takes part in promotion: a dtype, or the kind of a C++ number.
enum class Weak : uint8_t { No, Int, Float, Complex };
struct Arg {
    Operand operand;
    Type type = Type::Float64;  // where it is not weak
    Weak weak = Weak::No;
    const Number* number = nullptr;
    const Layout* layout() const { return operand.storage ? operand.layout : Layout::scalar(); }
};
Arg argument(const Value& v);

// The value as an element of d; throws Overflow, Value (NaN in an integer), Type (complex in a real).
Scalar number_bytes(const Number& n, Type d);
Type default_type(const Number& n);
Type promoted(std::initializer_list<const Arg*> args);

// --- operations ---

v1::Array recorded(const void* site, OpCode op, std::initializer_list<Value> in);
Handle elementwise(OpCode op, std::span<const Value> in);
void elementwise_into(OpCode op, const Handle& out, std::span<const Value> in);
// A fresh array for a result of these operands: Fortran order where all of them have it, else C order.
Handle allocate(Type d, std::span<const int64_t> shape, std::span<const Arg> in);
void check_writeable(const Handle& a);
void assign(const Handle& to, const Value& values);
Handle converted(const Handle& a, Type d);   // itself where it has that dtype
Handle dense(const Handle& a);               // C-contiguous: itself or a copy
int64_t axis_index(int64_t axis, int ndim);  // throws Axis
uint64_t axis_mask(const Axes& axes, int ndim);
Handle drop_axes(const Handle& a, uint64_t mask);
Handle reduced(OpCode op, Type loop, Type result, const Handle& a, uint64_t mask, bool keepdims);
// Takes the BLAS that NUMLOOM_BLAS or the loader's folders have, at the first call that could use one.
void find_blas();
std::string tuple_text(std::span<const int64_t> shape);  // (2,3) as NumPy's errors write it

}  // namespace api
}  // namespace numloom
