// What is made for each source of bits (fill.hpp), without how.
#pragma once

#include "library/draws/sources.hpp"

namespace numloom::library::draws {

template <class S>
void fill(S& s, const Draws& d);
template <class S>
void fill_rows(S& s, const RowDraws& d);
template <class S>
void shuffle(S& s, int64_t n, int64_t first, bool by_lemire, int64_t* positions);
template <class S>
void sample(S& s, int64_t population, int64_t n, bool shuffled, int64_t* out);

}  // namespace numloom::library::draws
