// Errors that a user or the environment can cause; each class maps to one Python class.
#pragma once

#include <stdexcept>
#include <string>

namespace numloom {

// The Python exception that an Error becomes.
enum class ErrorClass {
    Value,
    Type,
    Index,
    Memory,
    Overflow,
    ZeroDivision,
    Runtime,
    NotImplemented,
    Axis,
    LinAlg
};

class Error : public std::runtime_error {
  public:
    Error(ErrorClass cls, const std::string& what) : std::runtime_error(what), cls_(cls) {}
    ErrorClass error_class() const { return cls_; }

  private:
    ErrorClass cls_;
};

inline Error value_error(const std::string& s) { return Error(ErrorClass::Value, s); }
inline Error type_error(const std::string& s) { return Error(ErrorClass::Type, s); }
inline Error index_error(const std::string& s) { return Error(ErrorClass::Index, s); }
inline Error memory_error(const std::string& s) { return Error(ErrorClass::Memory, s); }
inline Error runtime_error(const std::string& s) { return Error(ErrorClass::Runtime, s); }

// Our own bug: prints the message and aborts. Not reachable by any input.
[[noreturn]] void unreachable(const char* what);
[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace numloom

#define NL_CHECK(x) ((x) ? (void)0 : ::numloom::check_failed(#x, __FILE__, __LINE__))
