// Operands that lie across the walk (x.T beside x): a few rows of them are transposed into a panel of
// contiguous rows, piece by piece, so that each cache line is fetched once and every loop runs on contiguous
// memory.
#pragma once

#include "device/cpu/interpreter.hpp"

namespace numloom::cpu {

// As walk() for a code with panels, in an order of its own: groups of rows, of each group piece after piece.
void walk_panels(const BlockCode& code, const Frame& f, char* const* pointers, int64_t begin, int64_t end);

}  // namespace numloom::cpu
