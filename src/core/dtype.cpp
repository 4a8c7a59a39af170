#include "core/dtype.hpp"

namespace numloom {

namespace {

DType with(Kind k, int64_t size) {
    for (int d = 0; d < kDTypes; ++d) {
        const auto type = static_cast<DType>(d);
        if (kind(type) == k && item_size(type) == size) return type;
    }
    unreachable("dtype of this kind and size");
}

// Bytes of the smallest float that holds all integers of `size` bytes, as NumPy has it (64-bit integers
// settle for float64).
int64_t float_size_for(int64_t size) { return size == 1 ? 2 : (size == 2 ? 4 : 8); }

// Bytes of the real part that a float or complex result needs to hold `d`.
int64_t real_size(DType d) {
    switch (kind(d)) {
        case Kind::Bool:
            return 2;
        case Kind::Signed:
        case Kind::Unsigned:
            return float_size_for(item_size(d));
        case Kind::Float:
            return item_size(d);
        case Kind::Complex:
            return item_size(d) / 2;
    }
    unreachable("kind");
}

// numpy.can_cast's order of kinds: a cast upwards is of the same kind.
int rank(Kind k) {
    switch (k) {
        case Kind::Bool:
            return 0;
        case Kind::Unsigned:
            return 1;
        case Kind::Signed:
            return 2;
        case Kind::Float:
            return 3;
        case Kind::Complex:
            return 4;
    }
    unreachable("kind");
}

}  // namespace

DType promote(DType a, DType b) {
    if (a == b) return a;
    const Kind ka = kind(a), kb = kind(b);
    if (ka == Kind::Bool) return b;
    if (kb == Kind::Bool) return a;
    if (is_inexact(a) || is_inexact(b)) {
        const int64_t size = real_size(a) > real_size(b) ? real_size(a) : real_size(b);
        const bool complex = ka == Kind::Complex || kb == Kind::Complex;
        if (!complex) return with(Kind::Float, size);
        return with(Kind::Complex, size <= 4 ? 8 : 16);
    }
    if (ka == kb) return item_size(a) > item_size(b) ? a : b;
    const DType s = ka == Kind::Signed ? a : b;
    const DType u = ka == Kind::Signed ? b : a;
    if (item_size(s) > item_size(u)) return s;
    return item_size(u) == 8 ? DType::Float64 : with(Kind::Signed, 2 * item_size(u));
}

bool can_cast_safely(DType from, DType to) { return promote(from, to) == to; }

bool can_cast_same_kind(DType from, DType to) {
    return can_cast_safely(from, to) || rank(kind(from)) <= rank(kind(to));
}

bool dtype_from_code(char code, DType* out) {
    // 'q' and 'Q' are C's long long, the same as int64 here.
    if (code == 'q') code = 'l';
    if (code == 'Q') code = 'L';
    for (int d = 0; d < kDTypes; ++d) {
        if (kDTypeInfo[d].code == code) {
            *out = static_cast<DType>(d);
            return true;
        }
    }
    return false;
}

}  // namespace numloom
