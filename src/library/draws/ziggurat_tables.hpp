// Marsaglia and Tsang, "The ziggurat method for generating random variables", J. Stat. Softw. 5 (2000): 256
// layers of equal area. A place in a layer below Inside[layer] is accepted at once, the number is place *
// Width[layer]; Height[layer] is the density at the layer's edge.
#pragma once

#include <cstdint>

namespace numloom::library::draws {

extern const uint64_t kNormalInside[256];
extern const double kNormalWidth[256], kNormalHeight[256];
extern const uint32_t kNormalInsideF[256];
extern const float kNormalWidthF[256], kNormalHeightF[256];
extern const uint64_t kExponentialInside[256];
extern const double kExponentialWidth[256], kExponentialHeight[256];
extern const uint32_t kExponentialInsideF[256];
extern const float kExponentialWidthF[256], kExponentialHeightF[256];

// Where the tails begin.
inline constexpr double kNormalTail = 3.6541528853610087963519472518;
inline constexpr double kNormalTailInverse = 0.27366123732975827203338247596;
inline constexpr double kExponentialTail = 7.6971174701310497140446280481;
inline constexpr float kNormalTailF = 3.6541528853610087963519472518f;
inline constexpr float kNormalTailInverseF = 0.27366123732975827203338247596f;
inline constexpr float kExponentialTailF = 7.6971174701310497140446280481f;

}  // namespace numloom::library::draws
