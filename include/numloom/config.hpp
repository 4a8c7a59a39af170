// What every public header needs: the mark of exported names and the namespace.
#pragma once

#if defined(_WIN32)
#error "Numloom has no Windows build yet"
#endif
#define NUMLOOM_API __attribute__((visibility("default")))

// Public names live in an inline namespace, so that programs say `numloom::Array`, two versions of the
// library can meet in one process, and the engine's own classes of the same name stay apart.
#define NUMLOOM_NAMESPACE_BEGIN \
    namespace numloom {         \
    inline namespace v1 {
#define NUMLOOM_NAMESPACE_END \
    }                         \
    }
