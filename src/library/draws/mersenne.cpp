#include "library/draws/fill.hpp"

namespace numloom::library::draws {
NL_SOURCE(Mersenne)
NL_SOURCE(ManyMersenne)
}  // namespace numloom::library::draws
