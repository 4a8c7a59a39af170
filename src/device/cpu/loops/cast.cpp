// Casts between all pairs of dtypes, contiguous.
#include <type_traits>

#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

namespace {

template <class From, class To>
void cast(void* out, const void* const* in, int64_t n) {
    auto* o = static_cast<Memory<To>*>(out);
    const Memory<From>* a = input<From>(in, 0);
    NL_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) o[i] = static_cast<Memory<To>>(cast_to<To>(static_cast<From>(a[i])));
    if constexpr ((std::is_same_v<From, double> ||
                   std::is_same_v<From, Complex<double>>)&&std::is_same_v<To, Half>) {
        // Rounded by bits, which flags nothing.
        int64_t beyond = 0;
        for (int64_t i = 0; i < n; ++i)
            beyond += (o[i].bits & 0x7fffu) == 0x7c00u &&
                              scalar::abs_of(cast_to<double>(a[i])) < scalar::infinity<double>()
                          ? 1
                          : 0;
        if (beyond != 0) restore_flags(save_flags(), F_OVERFLOW);
    }
}

template <int64_t itemsize>
void copy(void* out, const void* const* in, int64_t n) {
    if (out != in[0]) std::memmove(out, in[0], static_cast<size_t>(n * itemsize));
}

constexpr int64_t kBlock = 512;

// From half precision: through a block of floats.
template <class To>
void from_half(void* out, const void* const* in, int64_t n) {
    alignas(64) float block[kBlock];
    const void* floats[1] = {block};
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t count = n - first < kBlock ? n - first : kBlock;
        halves_to_floats(block, input<Half>(in, 0) + first, count);
        cast<float, To>(static_cast<Memory<To>*>(out) + first, floats, count);
    }
}
template <class From>
void to_half(void* out, const void* const* in, int64_t n) {
    alignas(64) float block[kBlock];
    for (int64_t first = 0; first < n; first += kBlock) {
        const int64_t count = n - first < kBlock ? n - first : kBlock;
        const void* values[1] = {input<From>(in, 0) + first};
        cast<From, float>(block, values, count);
        floats_to_halves(static_cast<Half*>(out) + first, block, count);
    }
}

template <DType from, DType to>
constexpr Loop pick_cast() {
    using From = Element<from>;
    using To = Element<to>;
    // A double is rounded to half precision once, not by way of float.
    constexpr bool doubles = from == DType::Float64 || from == DType::Complex128;
    if constexpr (from == to) {
        return &copy<item_size(from)>;
    } else if constexpr (from == DType::Float16 && to == DType::Float32) {
        return [](void* out, const void* const* in, int64_t n) {
            halves_to_floats(static_cast<float*>(out), input<Half>(in, 0), n);
        };
    } else if constexpr (from == DType::Float16) {
        return &from_half<To>;
    } else if constexpr (to == DType::Float16 && !doubles) {
        return &to_half<From>;
    } else {
        return &cast<From, To>;
    }
}
template <DType from, size_t... to>
constexpr std::array<Loop, kDTypes> cast_row(std::index_sequence<to...>) {
    return {pick_cast<from, static_cast<DType>(to)>()...};
}
template <size_t... from>
constexpr std::array<std::array<Loop, kDTypes>, kDTypes> cast_table(std::index_sequence<from...>) {
    return {cast_row<static_cast<DType>(from)>(std::make_index_sequence<kDTypes>{})...};
}
constexpr auto kCasts = cast_table(std::make_index_sequence<kDTypes>{});

}  // namespace

Loop find_cast(DType from, DType to) { return kCasts[static_cast<size_t>(from)][static_cast<size_t>(to)]; }

}  // namespace numloom::cpu::NUMLOOM_TARGET
