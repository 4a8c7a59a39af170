// Draws from NumPy's distributions: the numbers and the use of the bit generator are those of numpy.random,
// so that a stream may be drawn by either in any order.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "core/dtype.hpp"
#include "library/vector.hpp"

namespace numloom::library {

// NumPy's bitgen_t, the public interface of its bit generators.
struct BitGenerator {
    void* state;
    uint64_t (*next_uint64)(void* state);
    uint32_t (*next_uint32)(void* state);
    double (*next_double)(void* state);
    uint64_t (*next_raw)(void* state);
};

// What one draw makes of chosen bits: its number, and whether it asked for no others.
struct Probed {
    double number;
    bool at_once;
};
// A normal or exponential draw of float64 or float32 whose first bits name a layer and a place of the
// ziggurat.
using ZigguratProbe = std::function<Probed(bool single, int layer, uint64_t place)>;
// Takes the layers of numpy.random's ziggurats from what its draws do; needed before any of them is drawn
// here. Only the densities at the layers' edges are computed: whether a last bit of theirs decides about a
// draw is a matter of less than one in a thousand million.
void set_ziggurat_layers(bool normal, const ZigguratProbe& probe);

// The normal number that the polar method of numpy.random.RandomState kept for the next draw.
struct KeptNormal {
    int there = 0;
    double value = 0.0;
};

// What a parameter must satisfy; NumPy's words for it are NumPy's.
enum class Constraint : uint8_t {
    None,
    NonNegative,   // or NaN, and no -0.0
    Positive,      // or NaN
    PositiveOnly,  // and not NaN
    Unit,          // [0, 1]
    UnitNotZero,   // (0, 1]
    UnitNotOne,    // [0, 1)
    AboveOne,
    FromOne,
    Poisson,
};

struct Distribution {
    std::string_view name;
    DType result;
    uint8_t arity;
    bool integer[3];  // int64 or uint64 parameters, else float64
    Constraint constraints[3];
};

// All distributions; a distribution is known by its position. Those of numpy.random.RandomState that differ
// from numpy.random.Generator's begin with "legacy_".
std::span<const Distribution> distributions();
int find_distribution(std::string_view name);  // -1: none
// Whether `n` values of that parameter, of 8 bytes each, are allowed.
bool allowed(Constraint c, bool integer, const void* values, int64_t n);

// n numbers of one distribution. Parameter i is one value of 8 bytes for all numbers, or one each.
struct Draws {
    int distribution;
    const void* parameters[3];
    bool each[3];
    void* out;
    int64_t n;
};
void draw(const BitGenerator& bits, KeptNormal* kept, const Draws& d);
// The numbers of a Philox stream that has `position` (a multiple of kPhiloxGroup) as its first number; they
// depend on their position alone and are drawn by all threads.
void draw_parallel(const PhiloxStream& stream, uint64_t position, const Draws& d);

// Rows of several numbers that belong together.
struct RowDraws {
    enum Kind : uint8_t {
        Multinomial,
        LegacyMultinomial,
        Dirichlet,
        LegacyDirichlet,
        Marginals,
        Counts
    } kind;
    int64_t rows, width;
    const int64_t* n;     // how many objects are distributed, one for all rows or one a row
    const void* weights;  // width probabilities, parameters (float64) or colours (int64), likewise
    bool each_n, each_weights;
    void* out;  // rows * width int64 or float64, zeros
};
void draw_rows(const BitGenerator& bits, KeptNormal* kept, const RowDraws& d);

// positions[n] = 0, 1, ... swapped by Fisher and Yates from the last down to `first`; by Lemire's bounded
// integers, or by masks as numpy.random's shuffle.
void draw_shuffled(const BitGenerator& bits, int64_t n, int64_t first, bool lemire, int64_t* positions);
// out[n] different numbers of [0, population), by Floyd's method, in any order if `shuffle`.
void draw_sample(const BitGenerator& bits, int64_t population, int64_t n, bool shuffle, int64_t* out);

// Tells which functions are PCG64's or MT19937's ("PCG64", a bit generator that nobody else uses): those are
// drawn in registers. False where its memory is not laid out as it is known to be; then the functions are
// called.
bool know_bit_generator(std::string_view name, const BitGenerator& bits);
// PCG64's state and increment; nullptr for other bit generators.
unsigned __int128* pcg64_words(const BitGenerator& bits);
// Moves them on by n draws.
void pcg64_skip(unsigned __int128* words, int64_t n);

}  // namespace numloom::library
