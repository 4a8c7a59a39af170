#include "library/draws/fill.hpp"

namespace numloom::library::draws {
NL_SOURCE(Pcg64)
}  // namespace numloom::library::draws
