// What the scalar definitions (src/ops/scalar) expect, for NVRTC. Text of generated programs: no includes.
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

#define NL_FN __device__ __forceinline__
#define NL_DEF static __device__ __forceinline__
#define NL_ROUNDED(x) (x)
#define NL_SCALAR_BEGIN namespace numloom {
#define NL_SCALAR_END }

NL_SCALAR_BEGIN

NL_FN uint32_t bits_of(float f) { return __float_as_uint(f); }
NL_FN uint64_t bits_of(double d) { return (uint64_t)__double_as_longlong(d); }
NL_FN float float_of(uint32_t u) { return __uint_as_float(u); }
NL_FN double double_of(uint64_t u) { return __longlong_as_double((long long)u); }
// The processor saturates and makes 0 of a NaN; x86-64, and so NumPy there, gives the smallest integer instead.
template <class F>
NL_FN int64_t truncate_to_int64(F f) {
    return f >= (F)-0x1p63 && f < (F)0x1p63 ? (int64_t)f : (int64_t)0x8000000000000000ull;
}
NL_FN int32_t truncate_to_int32(double f) {
    return f > -2147483649.0 && f < 2147483648.0 ? (int32_t)f : (int32_t)0x80000000u;
}
NL_FN int32_t truncate_to_int32(float f) {
    return f >= -2147483648.0f && f < 2147483648.0f ? (int32_t)f : (int32_t)0x80000000u;
}

NL_SCALAR_END
