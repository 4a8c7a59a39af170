// One value of any dtype: constants in programs, fill values, results read back.
#pragma once

#include <complex>
#include <cstdint>
#include <cstring>

#include "core/dtype.hpp"

namespace numloom {

// Bytes of one element, in the low end. The dtype is kept beside it, not in it.
struct Scalar {
    alignas(16) unsigned char bytes[16] = {};

    template <class T>
    static Scalar of(T value) {
        Scalar s;
        std::memcpy(s.bytes, &value, sizeof(T));
        return s;
    }
    template <class T>
    T as() const {
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        return value;
    }
};

float half_to_float(Half h);
Half float_to_half(float f);  // round to nearest even

// `value` of dtype `from` converted to `to` with C's rules, as an unsafe NumPy cast.
Scalar cast_scalar(const Scalar& value, DType from, DType to);

}  // namespace numloom
