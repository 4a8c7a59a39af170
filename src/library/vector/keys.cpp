// Keys of numbers, whole ranges at a time.
#include "library/keys.hpp"

#include "library/vector/lane_keys.hpp"
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

// Two passes over keys of eight bytes: how far apart they are says how many of their bits have room.
template <class T>
PackedOrder pack(const T* numbers, uint64_t* packed, int64_t n) {
    if constexpr (sizeof(T) == 8) {
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (int64_t i = 0; i < n; ++i) {
            const int64_t key = lane_key(numbers[i]);
            packed[i] = static_cast<uint64_t>(key);
            least = key < least ? key : least;
            most = key > most ? key : most;
        }
        const auto origin = static_cast<uint64_t>(least);
        const int range = 64 - std::countl_zero(static_cast<uint64_t>(most) - origin);
        const int bits = 64 - std::countl_zero(static_cast<uint64_t>(n - 1));
        const int dropped = range + bits > 64 ? range + bits - 64 : 0;
        for (int64_t i = 0; i < n; ++i)
            packed[i] = (packed[i] - origin) >> dropped << bits | static_cast<uint64_t>(i);
        return {bits, dropped > 0};
    } else {
        for (int64_t i = 0; i < n; ++i) {
            const auto key = static_cast<uint32_t>(lane_key(numbers[i])) ^ 0x80000000u;
            packed[i] = uint64_t{key} << 32 | static_cast<uint64_t>(i);
        }
        return {32, false};
    }
}

}  // namespace

PackedOrder pack_positions(DType d, const void* numbers, uint64_t* packed, int64_t n) {
    return dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (kHasLane<T>)
            return pack(static_cast<const T*>(numbers), packed, n);
        else
            return PackedOrder{};
    });
}

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
