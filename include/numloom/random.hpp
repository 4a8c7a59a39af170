/// \file
/// Random numbers in NumPy's stream.
#pragma once

#include <cstdint>

#include "numloom/array.hpp"

NUMLOOM_NAMESPACE_BEGIN

/// numpy.random.default_rng(seed): PCG64, seeded by SeedSequence. The numbers are NumPy's, bit for bit, and
/// are drawn on all cores by jumping ahead in the stream.
class NUMLOOM_API Generator {
  public:
    explicit Generator(uint64_t seed);
    /// Uniform float64 numbers in [0, 1).
    Array random(const Shape& shape);
    /// Uniform float64 numbers in [low, high).
    Array uniform(double low, double high, const Shape& shape);

  private:
    uint64_t state_[2];      // high word first
    uint64_t increment_[2];  // high word first
};

NUMLOOM_NAMESPACE_END
