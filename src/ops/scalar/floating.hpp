// Rounding, classification and mathematical functions. Header-free text, see types.hpp.

NL_SCALAR_BEGIN

// --- rounding ---

template <class T>
struct Op_Floor {
    NL_DEF T apply(T a) {
        if constexpr (is_float<T>) {
            return m::floor(a);
        } else {
            return a;
        }
    }
};
template <class T>
struct Op_Ceil {
    NL_DEF T apply(T a) {
        if constexpr (is_float<T>) {
            return m::ceil(a);
        } else {
            return a;
        }
    }
};
template <class T>
struct Op_Trunc {
    NL_DEF T apply(T a) {
        if constexpr (is_float<T>) {
            return m::trunc(a);
        } else {
            return a;
        }
    }
};
template <class T>
struct Op_Rint {
    NL_DEF T apply(T a) {
        if constexpr (is_complex<T>) {
            return {m::rint(a.re), m::rint(a.im)};
        } else {
            return m::rint(a);
        }
    }
};

// --- classification ---

template <class T>
struct Op_IsNan {
    NL_DEF bool apply(T a) { return is_nan(a); }
};
template <class T>
struct Op_IsInf {
    NL_DEF bool apply(T a) {
        if constexpr (is_complex<T>) {
            return Op_IsInf<Real<T>>::apply(a.re) || Op_IsInf<Real<T>>::apply(a.im);
        } else if constexpr (is_float<T>) {
            return abs_of(a) == infinity<T>();
        } else {
            return false;
        }
    }
};
template <class T>
struct Op_IsFinite {
    NL_DEF bool apply(T a) {
        if constexpr (is_complex<T>) {
            return Op_IsFinite<Real<T>>::apply(a.re) && Op_IsFinite<Real<T>>::apply(a.im);
        } else if constexpr (is_float<T>) {
            return abs_of(a) < infinity<T>();
        } else {
            return true;
        }
    }
};
template <class T>
struct Op_SignBit {
    NL_DEF bool apply(T a) { return sign_of(a); }
};
template <class T>
struct Op_CopySign {
    NL_DEF T apply(T a, T b) { return with_sign(a, b); }
};

// --- functions: of the real type from `m`, of complex numbers from `m` with a c in front ---

#define NL_FUNCTION(id, name)              \
    template <class T>                     \
    struct Op_##id {                       \
        NL_DEF T apply(T a) {              \
            if constexpr (is_complex<T>) { \
                return m::c##name(a);      \
            } else {                       \
                return m::name(a);         \
            }                              \
        }                                  \
    };
#define NL_REAL_FUNCTION(id, name)                 \
    template <class T>                             \
    struct Op_##id {                               \
        NL_DEF T apply(T a) { return m::name(a); } \
    };
NL_FUNCTION(Sqrt, sqrt)
NL_FUNCTION(Exp, exp)
NL_FUNCTION(Log, log)
NL_FUNCTION(Sin, sin)
NL_FUNCTION(Cos, cos)
NL_FUNCTION(Tanh, tanh)
NL_REAL_FUNCTION(Erf, erf)

NL_SCALAR_END
