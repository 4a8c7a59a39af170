/// \file
/// What the library throws: one class, with NumPy's kinds and words.
#pragma once

#include <stdexcept>
#include <string>

#include "numloom/config.hpp"

NUMLOOM_NAMESPACE_BEGIN

/// The Python exception that NumPy raises for the same mistake.
enum class ErrorKind {
    Value,           ///< shapes that do not fit, arguments out of their range
    Type,            ///< dtypes that an operation does not take, casts that are refused
    Index,           ///< an index out of bounds
    Memory,          ///< an allocation that failed
    Overflow,        ///< a number that the dtype cannot hold
    ZeroDivision,    ///< a step of 0
    Runtime,         ///< the environment: devices, processes
    NotImplemented,  ///< not served
    Axis,            ///< an axis out of bounds
    LinAlg           ///< linear algebra
};

/// Everything that a caller or the environment can cause. Nothing was recorded or written by the call that
/// threw.
class NUMLOOM_API Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& what);
    ~Error() override;
    ErrorKind kind() const noexcept { return kind_; }

  private:
    ErrorKind kind_;
};

NUMLOOM_NAMESPACE_END
