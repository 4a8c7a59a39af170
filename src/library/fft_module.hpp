// Between the library and libnumloom_fft_*.so, which holds ducc's transforms compiled for one instruction
// set.
#pragma once

#include <cstdint>

namespace numloom::library {

enum class Transform : int64_t {
    Complex,       // complex to complex
    HalfSpectrum,  // real to the half spectrum along the last of the axes
    Real,          // half spectrum along the last of the axes to real
    FullSpectrum,  // real to the whole spectrum
};

// One transform over some axes of an array. Strides count elements.
struct FftCall {
    Transform kind;
    bool forward;  // the sign of the exponent is negative
    bool single;   // float and complex<float> instead of double
    int ndim;
    const int64_t *shape_in, *strides_in, *shape_out, *strides_out;
    int axes_count;
    const int64_t* axes;
    double factor;
    const void* in;
    void* out;
    int64_t threads;  // parts to cut the work into
    void (*parallel_for)(int64_t chunks, void (*task)(void*, int64_t), void* context);
};

// The module's one function, "numloom_fft": false where memory ran out.
using FftFunction = bool (*)(const FftCall*);

}  // namespace numloom::library
