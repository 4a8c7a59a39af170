// Products of large real matrices by loops of our own, for processors on which they beat the BLAS.
#pragma once

#include "library/blas_functions.hpp"

namespace numloom::library {

// Whether blocked_product makes this product, and sooner than a BLAS.
template <class T>
bool blocked_product_pays(Int m, Int k, Int n);

// c[m, n], contiguous, = a[m, k] times b[k, n], on all threads. The bits of an element follow from its row,
// its column and the depth alone.
template <class T>
void blocked_product(Int m, Int k, Int n, const Factor<T>& a, const Factor<T>& b, T* c);

}  // namespace numloom::library
