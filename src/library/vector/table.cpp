// The table of one instruction set.
#include "library/vector.hpp"
#include "library/vector/columns.hpp"
#include "library/vector/correlation.hpp"
#include "library/vector/extreme.hpp"
#include "library/vector/mersenne.hpp"
#include "library/vector/product.hpp"
#include "library/vector/random.hpp"
#include "library/vector/real_product.hpp"
#include "library/vector/selection.hpp"
#include "library/vector/sort.hpp"

#define NL_TEXT(x) #x
#define NL_NAME(x) NL_TEXT(x)

namespace numloom::library::NUMLOOM_TARGET {

extern const VectorTable kVectors;
const VectorTable kVectors = {
    .name = NL_NAME(NUMLOOM_TARGET),
#if defined(__AVX2__)
    .keys64 = {sort_u64, select_u64, split_u64},
    .keys32 = {sort_u32, select_u32, split_u32},
#else
    .keys64 = {},
    .keys32 = {},
#endif
    .to_keys = to_keys,
    .from_keys = from_keys,
    .pack_positions = pack_positions,
    .sort_columns = sort_columns,
    .argsort_columns = argsort_columns,
    .pcg64_uniform = pcg64_uniform,
    .pcg64_words = pcg64_words,
    .philox_uniform = philox_uniform,
    .philox_normal = philox_normal,
    .philox_words = philox_words,
    .find_extreme = find_extreme,
    .mt19937_uniform = mt19937_uniform,
    .mt19937_words = mt19937_words,
#if defined(__AVX512F__)
    .compress_64 = compress_64,
    .compress_32 = compress_32,
    .positions = positions,
    .count_true = count_true,
#else
    .compress_64 = nullptr,
    .compress_32 = nullptr,
    .positions = nullptr,
    .count_true = nullptr,
#endif
    .correlate = correlate,
    .integer_product = integer_product,
#if defined(__AVX512F__)
    .products64 = {kProductRows, kProductColumns<double>, pack_panel, real_product},
    .products32 = {kProductRows, kProductColumns<float>, pack_panel, real_product},
#else
    .products64 = {},
    .products32 = {},
#endif
};

}  // namespace numloom::library::NUMLOOM_TARGET
