// Products of packed real matrices for one instruction set: see ProductLoops in library/vector.hpp.
#pragma once

#include <cstdint>

#include "library/keys.hpp"  // says that the namespace is inline

namespace numloom::library::NUMLOOM_TARGET {

inline constexpr int kProductRows = 8, kProductVectors = 3;  // of a block
template <class T>
constexpr int64_t kProductColumns = kProductVectors * 64 / static_cast<int64_t>(sizeof(T));

template <class T>
void pack_panel(const T* from, int64_t line_step, int64_t depth_step, int64_t lines, int64_t depth,
                int64_t width, T* to);
template <class T>
void real_product(int64_t rows, int64_t columns, int64_t depth, const T* a, const T* b, T* c, int64_t c_row,
                  bool add);

}  // namespace numloom::library::NUMLOOM_TARGET
