// The functions that NUMLOOM_MATH=fast takes instead: within 4 ulp, and faster.
#include "device/cpu/loops/vector_math.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

#if defined(__x86_64__) && defined(NUMLOOM_LIBMVEC)

extern "C" {
#define NL_DECLARE(name)                 \
    VectorD NL_MVEC_D(name, v)(VectorD); \
    VectorF NL_MVEC_F(name, v)(VectorF);
NL_DECLARE(sin)
NL_DECLARE(cos)
NL_DECLARE(tan)
NL_DECLARE(tanh)
NL_DECLARE(sinh)
NL_DECLARE(cosh)
NL_DECLARE(expm1)
NL_DECLARE(log1p)
NL_DECLARE(cbrt)
NL_DECLARE(asin)
NL_DECLARE(acos)
NL_DECLARE(atan)
NL_DECLARE(asinh)
NL_DECLARE(acosh)
NL_DECLARE(atanh)
#undef NL_DECLARE
}

namespace {

#define NL_FAST(id, name)                                                \
    struct Fast##id {                                                    \
        static VectorD call(VectorD x) { return NL_MVEC_D(name, v)(x); } \
        static VectorF call(VectorF x) { return NL_MVEC_F(name, v)(x); } \
    };
NL_FAST(Sin, sin)
NL_FAST(Cos, cos)
NL_FAST(Tan, tan)
NL_FAST(Tanh, tanh)
NL_FAST(Sinh, sinh)
NL_FAST(Cosh, cosh)
NL_FAST(Expm1, expm1)
NL_FAST(Log1p, log1p)
NL_FAST(Cbrt, cbrt)
NL_FAST(ArcSin, asin)
NL_FAST(ArcCos, acos)
NL_FAST(ArcTan, atan)
NL_FAST(ArcSinh, asinh)
NL_FAST(ArcCosh, acosh)
NL_FAST(ArcTanh, atanh)
#undef NL_FAST

template <class F>
Loop for_dtype(DType d) {
    if (d == DType::Float64) return &vector_loop<F, double, 1, 0>;
    if (d == DType::Float32) return &vector_loop<F, float, 1, 0>;
    return nullptr;
}

}  // namespace

Loop find_fast_math(OpCode op, DType loop, unsigned scalar_mask) {
    if (scalar_mask != 0) return nullptr;
    switch (op) {
        case OpCode::Sin:
            return for_dtype<FastSin>(loop);
        case OpCode::Cos:
            return for_dtype<FastCos>(loop);
        case OpCode::Tan:
            return for_dtype<FastTan>(loop);
        case OpCode::Tanh:
            return for_dtype<FastTanh>(loop);
        case OpCode::Sinh:
            return for_dtype<FastSinh>(loop);
        case OpCode::Cosh:
            return for_dtype<FastCosh>(loop);
        case OpCode::Expm1:
            return for_dtype<FastExpm1>(loop);
        case OpCode::Log1p:
            return for_dtype<FastLog1p>(loop);
        case OpCode::Cbrt:
            return for_dtype<FastCbrt>(loop);
        case OpCode::ArcSin:
            return for_dtype<FastArcSin>(loop);
        case OpCode::ArcCos:
            return for_dtype<FastArcCos>(loop);
        case OpCode::ArcTan:
            return for_dtype<FastArcTan>(loop);
        case OpCode::ArcSinh:
            return for_dtype<FastArcSinh>(loop);
        case OpCode::ArcCosh:
            return for_dtype<FastArcCosh>(loop);
        case OpCode::ArcTanh:
            return for_dtype<FastArcTanh>(loop);
        default:
            return nullptr;
    }
}

#else

Loop find_fast_math(OpCode, DType, unsigned) { return nullptr; }

#endif

}  // namespace numloom::cpu::NUMLOOM_TARGET
