// Marsaglia and Tsang, "The ziggurat method for generating random variables", J. Stat. Softw. 5 (2000): 256
// layers of equal area. A place in a layer below inside[layer] is accepted at once, the number is place *
// width[layer]; height[layer] is the density at the layer's edge.
#pragma once

#include <cstdint>

namespace numloom::library::draws {

inline constexpr int kLayers = 256;

struct ZigguratTables {
    uint64_t inside[kLayers];
    double width[kLayers], height[kLayers];
    uint32_t inside_f[kLayers];
    float width_f[kLayers], height_f[kLayers];
};
extern ZigguratTables normal_layers, exponential_layers;  // set_ziggurat_layers() fills them

// Where the tails begin.
inline constexpr double kNormalTail = 3.6541528853610087963519472518;
inline constexpr double kNormalTailInverse = 0.27366123732975827203338247596;
inline constexpr double kExponentialTail = 7.6971174701310497140446280481;
inline constexpr float kNormalTailF = 3.6541528853610087963519472518f;
inline constexpr float kNormalTailInverseF = 0.27366123732975827203338247596f;
inline constexpr float kExponentialTailF = 7.6971174701310497140446280481f;

}  // namespace numloom::library::draws
