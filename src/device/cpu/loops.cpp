// Which instruction set's loops run: decided once, when first asked.
#include "device/cpu/loops.hpp"

#include <cstdlib>
#include <cstring>

namespace numloom::cpu {

namespace baseline {
extern const LoopTable kTable;
}
namespace avx2 {
extern const LoopTable kTable;
}
namespace avx512 {
extern const LoopTable kTable;
}

namespace {

const LoopTable& choose() {
#if defined(__x86_64__)
    const char* wish = std::getenv("NUMLOOM_CPU");
    [[maybe_unused]] const auto allows = [&](const char* name) {
        return wish == nullptr || std::strcmp(wish, name) == 0;
    };
    __builtin_cpu_init();
#if defined(NUMLOOM_HAVE_AVX512)
    const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    if (has_avx512 && allows("avx512")) return avx512::kTable;
#endif
#if defined(NUMLOOM_HAVE_AVX2)
    const bool has_avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    if (has_avx2 && (allows("avx2") || allows("avx512"))) return avx2::kTable;
#endif
#endif
    return baseline::kTable;
}

}  // namespace

const LoopTable& loops() {
    static const LoopTable& table = choose();
    return table;
}

}  // namespace numloom::cpu
