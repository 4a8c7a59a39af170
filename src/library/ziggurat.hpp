// Marsaglia and Tsang, "The ziggurat method for generating random variables", J. Stat. Softw. 5 (2000), for
// the normal distribution: 256 layers of equal area, 52 bits within a layer.
#pragma once

#include <array>
#include <cstdint>

namespace numloom::library {

class Ziggurat {
  public:
    static constexpr double kTail = 3.6541528853610088;  // where the tail begins

    static const Ziggurat& normal();

    // bits 0-7 of a draw: the layer; 8: the sign; 12-63: the place within the layer.
    // Places below inside(layer) are accepted at once: the number is place * width(layer).
    const int64_t* inside() const { return inside_.data(); }
    const double* width() const { return width_.data(); }
    // For bits that were not accepted at once: the number, or what more draws from next() make of them.
    double refine(uint64_t bits, uint64_t (*next)(void*), void* context) const;

  private:
    Ziggurat();
    double tail(uint64_t (*next)(void*), void* context) const;
    std::array<int64_t, 256> inside_;
    std::array<double, 256> width_, height_;
};

}  // namespace numloom::library
