#include "library/draws/fill.hpp"

namespace numloom::library::draws {
NL_SOURCE(Foreign)
}  // namespace numloom::library::draws
