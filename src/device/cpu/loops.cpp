// Which instruction set's loops run: decided once, when first asked.
#include "device/cpu/loops.hpp"

#include <cstdlib>
#include <cstring>

namespace numloom::cpu {

bool watch_underflow = false;

namespace baseline {
extern const LoopTable kTable;
}
namespace avx2 {
extern const LoopTable kTable;
}
namespace avx512 {
extern const LoopTable kTable;
}

std::vector<const LoopTable*> supported_loops() {
    std::vector<const LoopTable*> tables;
#if defined(__x86_64__)
    __builtin_cpu_init();
    [[maybe_unused]] const bool has_avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
#if defined(NUMLOOM_HAVE_AVX512)
    const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (has_avx2 && has_avx512) tables.push_back(&avx512::kTable);
#endif
#if defined(NUMLOOM_HAVE_AVX2)
    if (has_avx2) tables.push_back(&avx2::kTable);
#endif
#endif
    tables.push_back(&baseline::kTable);
    return tables;
}

namespace {

// The best table, or the best one from the one that NUMLOOM_CPU names on.
const LoopTable& choose() {
    const char* wish = std::getenv("NUMLOOM_CPU");
    const std::vector<const LoopTable*> tables = supported_loops();
    if (wish == nullptr) return *tables.front();
    for (const LoopTable* table : tables) {
        if (std::strcmp(wish, table->name) == 0) return *table;
    }
    // A wish for more than the processor has gives the best; baseline is in every list.
    return *tables.front();
}

}  // namespace

const LoopTable& loops() {
    static const LoopTable& table = choose();
    return table;
}

}  // namespace numloom::cpu
