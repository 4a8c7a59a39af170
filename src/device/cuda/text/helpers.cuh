// Helpers of the generated kernels.
using namespace numloom;

typedef int32_t i32;
typedef uint32_t u32;
typedef int64_t i64;
typedef uint64_t u64;

// q = n / d, rest = n % d, for indices of the width that a text defines. NUMLOOM_SPLIT goes after the index types.
#define NUMLOOM_SPLIT                                                                                  \
    static __device__ __forceinline__ idx split(idx n, i64 d, i64 mul, i64 shift, idx& rest) {         \
        const idx q = NUMLOOM_NARROW ? (idx)((__umulhi((u32)n, (u32)mul) + (u32)n) >> (u32)shift)      \
                                     : (idx)((u64)n / (u64)d);                                         \
        rest = n - q * (idx)d;                                                                         \
        return q;                                                                                      \
    }

template <int bytes>
struct Packed;
template <>
struct Packed<16> {
    typedef uint4 type;
};
template <>
struct Packed<8> {
    typedef uint2 type;
};
template <>
struct Packed<4> {
    typedef u32 type;
};
template <>
struct Packed<2> {
    typedef uint16_t type;
};
template <>
struct Packed<1> {
    typedef uint8_t type;
};

// W elements by one access; the address is aligned to all of them.
template <class T, int W>
static __device__ __forceinline__ void load_vector(T* to, const T* from) {
    union {
        typename Packed<sizeof(T) * W>::type raw;
        T values[W];
    } u;
    u.raw = *(const typename Packed<sizeof(T) * W>::type*)from;
#pragma unroll
    for (int j = 0; j < W; ++j) to[j] = u.values[j];
}
template <class T, int W>
static __device__ __forceinline__ void store_vector(T* to, const T* from) {
    union {
        typename Packed<sizeof(T) * W>::type raw;
        T values[W];
    } u;
#pragma unroll
    for (int j = 0; j < W; ++j) u.values[j] = from[j];
    *(typename Packed<sizeof(T) * W>::type*)to = u.raw;
}

// First statement of every kernel. The next kernel of the stream may begin to be placed on the device from here on; this one
// touches memory only after its predecessor has ended. Both are no-ops where the launch did not ask for it.
static __device__ __forceinline__ void await_predecessor() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
