// Operations that are not loops over one iteration space: selection, gathering, scans, sorting. Each is a
// LibraryCall (record/instruction.hpp) found by name.
//
// All operands are C-contiguous, and their dtypes fit (the package sees to both); indices were checked by the
// caller. A call that changes its output in place gets it as its last input too.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "record/instruction.hpp"

namespace numloom::library {

//   compress            out[count, inner] = in0[n, inner] where mask in1[n]                parameters: inner
//   nonzero             out[count] = flat positions of true in in0[n] (bool), int64
//   take                out[outer, m, inner] = in0[outer, n, inner] at in1[m] (int64)      parameters: outer,
//   n, inner put                 out[n, inner] at in0[m] (int64) = in1[m, inner]; the last of equal positions
//   wins
//                                                                                           parameters: inner
//   expand              out[n, inner] = in1[count, inner] in order where mask in0[n]       parameters: inner
//   bincount            out[n] = how often in0[m] (int64) has each value, int64; with in1[m] (float64): the
//   sums of its
//                       elements, float64
//   scan_add, scan_multiply, scan_minimum, scan_maximum
//                       out[outer, n, inner] = running totals of in0 along n               parameters: outer,
//                       n, inner
//   accumulate          out[outer, n, inner] = in0 folded along n by an operation, every step kept
//                       parameters: operation (OpCode), outer, n, inner
//   reduceat            out[outer, m, inner] = in0[outer, n, inner] folded from in1[k] to before in1[k + 1],
//                       one element where that is none; parameters as accumulate's
//   at                  out[n, inner] at in0[m] (int64) = operation(the same, in1[m, inner]), one after the
//                       other; without in1 for an operation of one input; the last input is out
//                       parameters: operation, dtype of its loop, inner
//   sort                out[rows, n] = in0 sorted along n, NaN last                        parameters: n
//   argsort             out[rows, n] = positions that sort in0 along n, stable, int64      parameters: n
//   partition           out[rows, n] = in0 so that the elements at the given positions are where sorting
//   would
//                       put them                                                            parameters: n,
//                       the positions in ascending order
//   argpartition        out[rows, n] = positions in in0 that put it in such an order, int64; likewise
//   repeat              out[outer, m, inner] = each of in0[outer, n, inner] along n, in1[n] (int64) times
//                       parameters: outer, n, inner
//   interpolate         out[n] = value at in0[n] on the lines between the points in1[m], in2[m], all float64
//                       parameters: whether a value left of the points is given, its bits; the same for the
//                       right
//   correlate           out[n] = sums of in0[i + j] * in1[j] over j, in that order; in0 has n + len(in1) - 1
//                       elements
//   searchsorted        out[m] = where in1[m] goes into the sorted in0[n], int64           parameters: right
//   (0 or 1)
//   matmul              out[batch, m, n] = products of in0[.., m, k] and in1[.., k, n]
//                       parameters: batch, m, k, n, elements from one matrix to the next of in0 and of in1
//                       (0: the same one), whether in0 and in1 hold the transposed matrices; then, where rows
//                       of in0 and in1 have gaps, elements from one row to the next
//   argmax, argmin      out[outer, inner] = first position along n of the extreme of in0[outer, n, inner],
//   int64, not
//                       for complex numbers                                                 parameters:
//                       outer, n, inner
//   fft                 out = discrete Fourier transform of in0 over axes; any strides       parameters: kind
//   (fft_module.hpp), 1 for a negative exponent, the bits of the factor (double), axes
//   pcg64_uniform       out[n] = the next n numbers in [0, 1), float64, after the state in0[4] (uint64: the
//                       halves of PCG64's state and increment, high ones first)
//   philox_uniform, philox_normal
//                       out[n] = numbers of a Philox stream, float64: in0[3] (uint64) holds its key, its name
//                       and the number that is first, a multiple of 16
//   philox_draw         out[n] = numbers of a distribution (draws.hpp) from such a stream      parameters:
//   the
//                       distribution, a bit for each of its parameters that in1 holds, one after the other,
//                       for each number, and the 8 bytes of each that is one for all
//
// nullptr where there is no operation of that name.
std::unique_ptr<LibraryCall> make_call(std::string_view name, std::span<const int64_t> parameters);

// Whether the operation takes operands of any strides; all others are C-contiguous.
bool takes_any_strides(std::string_view name);

// Takes Fourier transforms from the module for this instruction set ("avx2"); false where there is none.
bool load_fft(const char* instruction_set);
bool has_fft();
// As what NumPy reports the floating-point conditions of an operation; empty: it reports none. And whether a
// call that makes `out` can meet any.
std::string_view reported_as(std::string_view name);
bool may_report(const LibraryCall& call, DType out);

// Takes matrix products from the BLAS (64-bit integers) in the shared library at `path`; false where it has
// none.
bool load_blas(const char* path);

// Runs task(context, chunk) for every chunk in [0, chunks), each once, on the caller alone unless someone
// lent threads.
using Task = void (*)(void* context, int64_t chunk);
using ParallelFor = void (*)(int64_t chunks, Task task, void* context);
void set_parallel_for(ParallelFor f);
int64_t parallel_threads();
void set_parallel_threads(int64_t n);
void parallel_for(int64_t chunks, Task task, void* context);

// The loop of an operation, and conversions, over n contiguous elements; from whoever lent them.
using Step = void (*)(void* out, const void* const* in, int64_t n);
using FindStep = Step (*)(OpCode op, DType loop);
using FindCast = Step (*)(DType from, DType to);
void set_steps(FindStep find, FindCast cast);
Step find_step(OpCode op, DType loop);
Step find_cast(DType from, DType to);

// Memory for the time of a call, aligned to 64 bytes; from operator new unless someone lent a pool.
using AllocateScratch = char* (*)(int64_t bytes);
using ReleaseScratch = void (*)(char* p, int64_t bytes);
void set_scratch(AllocateScratch allocate, ReleaseScratch release);
char* allocate_scratch(int64_t bytes);
void release_scratch(char* p, int64_t bytes);

template <class F>
void parallel_for(int64_t chunks, F&& f) {
    parallel_for(
        chunks, [](void* c, int64_t chunk) { (*static_cast<std::remove_reference_t<F>*>(c))(chunk); },
        const_cast<void*>(static_cast<const void*>(&f)));
}

}  // namespace numloom::library
