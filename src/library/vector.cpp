#include "library/vector.hpp"

namespace numloom::library {

namespace baseline {
extern const VectorTable kVectors;
}
namespace avx2 {
extern const VectorTable kVectors;
}
namespace avx512 {
extern const VectorTable kVectors;
}

namespace {

const VectorTable* table = &baseline::kVectors;

}  // namespace

const VectorTable& vectors() { return *table; }

void choose_vectors(std::string_view name) {
    const VectorTable* const tables[] = {
        &baseline::kVectors,
#if defined(NUMLOOM_HAVE_AVX2)
        &avx2::kVectors,
#endif
#if defined(NUMLOOM_HAVE_AVX512)
        &avx512::kVectors,
#endif
    };
    for (const VectorTable* t : tables)
        if (name == t->name) table = t;
}

}  // namespace numloom::library
