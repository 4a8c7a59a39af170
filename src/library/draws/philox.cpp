#include "library/draws/fill.hpp"

namespace numloom::library::draws {
template void fill(PhiloxBlock&, const Draws&);
}  // namespace numloom::library::draws
