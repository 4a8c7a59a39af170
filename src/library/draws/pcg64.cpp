#include "library/draws/fill.hpp"

namespace numloom::library::draws {
NL_SOURCE(Pcg64)
NL_SOURCE(ManyPcg64)
}  // namespace numloom::library::draws
