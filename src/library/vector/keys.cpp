// Keys of numbers, whole ranges at a time.
#include "library/keys.hpp"

#include "library/vector/sort.hpp"

namespace numloom::library::NUMLOOM_TARGET {
namespace {

template <class T>
inline constexpr bool kHasKeys = std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8);

template <class T>
bool make_keys(const T* numbers, Bits<T>* keys, int64_t n) {
    Bits<T> zeros = 0;
    for (int64_t i = 0; i < n; ++i) {
        const T x = numbers[i];
        if constexpr (std::is_floating_point_v<T>)
            zeros |= static_cast<Bits<T>>(std::bit_cast<Bits<T>>(x) == std::bit_cast<Bits<T>>(T{-0.0}));
        keys[i] = to_key(x);
    }
    return zeros != 0;
}

template <class T>
void make_numbers(const Bits<T>* keys, T* numbers, int64_t n) {
    for (int64_t i = 0; i < n; ++i) numbers[i] = from_key<T>(keys[i]);
}

}  // namespace

bool to_keys(DType d, const void* numbers, void* keys, int64_t n) {
    return dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (kHasKeys<T>)
            return make_keys(static_cast<const T*>(numbers), static_cast<Bits<T>*>(keys), n);
        else
            return false;
    });
}

void from_keys(DType d, const void* keys, void* numbers, int64_t n) {
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (kHasKeys<T>)
            make_numbers(static_cast<const Bits<T>*>(keys), static_cast<T*>(numbers), n);
    });
}

}  // namespace numloom::library::NUMLOOM_TARGET
