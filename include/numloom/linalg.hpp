/// \file
/// Linear algebra over the last two axes; leading axes are a stack of matrices. Computed at the call, by
/// LAPACK in double precision, since failure depends on values. Integers count as float64; float16 throws
/// Type. LinAlg is thrown for matrices that are not square, singular or not positive definite, and Runtime
/// where no LAPACK was found: see load_blas().
#pragma once

#include <utility>

#include "numloom/array.hpp"

NUMLOOM_NAMESPACE_BEGIN

namespace linalg {

/// x with a x = b; b holds vectors where it has one axis, else matrices.
NUMLOOM_API Array solve(const Array& a, const Array& b);
NUMLOOM_API Array inv(const Array& a);
NUMLOOM_API Array det(const Array& a);
/// The lower triangle l with a = l l^H; only the lower triangle of a is read.
NUMLOOM_API Array cholesky(const Array& a);
/// Eigenvalues in ascending order and eigenvectors, as columns, of a Hermitian matrix; its lower triangle is
/// read.
NUMLOOM_API std::pair<Array, Array> eigh(const Array& a);
/// Singular values in descending order.
NUMLOOM_API Array svdvals(const Array& a);

}  // namespace linalg

NUMLOOM_NAMESPACE_END
