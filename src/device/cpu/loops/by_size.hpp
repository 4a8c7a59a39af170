// Loops that only move elements know them by their size.
#pragma once

#include "device/cpu/loops/common.hpp"

namespace numloom::cpu::NUMLOOM_TARGET {

struct Bytes16 {
    uint64_t low, high;
};

// What `of` gives for the unsigned type of that many bytes: of.operator()<uint32_t>() for 4.
template <class Of>
auto by_size(int64_t itemsize, Of of) {
    switch (itemsize) {
        case 1:
            return of.template operator()<uint8_t>();
        case 2:
            return of.template operator()<uint16_t>();
        case 4:
            return of.template operator()<uint32_t>();
        case 8:
            return of.template operator()<uint64_t>();
        default:
            return of.template operator()<Bytes16>();
    }
}

}  // namespace numloom::cpu::NUMLOOM_TARGET
