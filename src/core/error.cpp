#include "core/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace numloom {

void unreachable(const char* what) {
    std::fprintf(stderr, "numloom: internal error: unreachable: %s\n", what);
    std::abort();
}

void check_failed(const char* expression, const char* file, int line) {
    std::fprintf(stderr, "numloom: internal error: %s:%d: check failed: %s\n", file, line, expression);
    std::abort();
}

}  // namespace numloom
