// Factorisations and what follows from them, by LAPACK in double precision (as NumPy computes them, for
// operands of any real or complex dtype). Each matrix of a stack is one LAPACK call; stacks are spread over
// the threads.
//
// Operands may have any strides. Leading axes of the inputs are broadcast to those of the first output;
// results are rounded to the dtypes of the outputs.
#pragma once

#include <span>
#include <string_view>

#include "record/instruction.hpp"

namespace numloom::library {

enum class LinalgStatus : int64_t {
    Done = 0,
    Failed = 1,        // singular, not positive definite, not converged: those results are NaN
    NotFinite = 2,     // eig: an element is NaN or infinite; nothing was computed
    AllReal = 3,       // eig: done, and no eigenvalue has an imaginary part
    NoSuchThing = -1,  // no operation of that name, or no LAPACK
};

//   solve       x[n] or x[n, r] = a[n, n], b[n] or b[n, r]               parameters: 1 where b holds vectors
//   inv         x[n, n] = a[n, n]
//   det         d[] = a[n, n]
//   slogdet     sign[], logarithm of the absolute value[] = a[n, n]
//   cholesky    l[n, n] = a[n, n]                                        parameters: 1 for the upper triangle
//   qr          q[m, c], r[c, n] = a[m, n]
//   qr_r        r[c, n] = a[m, n]
//   qr_raw      the factored matrix transposed h[n, m], tau[min(m, n)] = a[m, n]
//   eigh        w[n], v[n, n] = a[n, n]                                  parameters: 1 for the upper triangle
//   eigvalsh    w[n] = a[n, n]                                           parameters: 1 for the upper triangle
//   eig         w[n], v[n, n] = a[n, n]; complex outputs
//   eigvals     w[n] = a[n, n]; complex output
//   svd         u[m, c], s[k], vh[c', n] = a[m, n]                       parameters: 1 for square u and vh
//   svdvals     s[k] = a[m, n]
//   lstsq       x[n, r], squared residuals[r], rank[], s[k] = a[m, n], b[m, r]
//                                                                        parameters: rcond's bits (double)
LinalgStatus linalg(std::string_view name, std::span<const int64_t> parameters,
                    std::span<const CallOperand> out, std::span<const CallOperand> in);
bool has_lapack();

}  // namespace numloom::library
