/// \file
/// NumPy's array for C++: everything. `namespace nl = numloom;` reads well.
#pragma once

#include "numloom/array.hpp"
#include "numloom/creation.hpp"
#include "numloom/dtype.hpp"
#include "numloom/error.hpp"
#include "numloom/linalg.hpp"
#include "numloom/mesh.hpp"
#include "numloom/operations.hpp"
#include "numloom/random.hpp"
