#include "library/draws/fill.hpp"

namespace numloom::library::draws {
NL_SOURCE(Mersenne)
}  // namespace numloom::library::draws
