// The number protocol as slots for type specifications.
#pragma once

#include <vector>

#include "objects.hpp"

namespace numloom::python {

std::vector<PyType_Slot> array_number_slots();
std::vector<PyType_Slot> scalar_number_slots();
PyObject* rich_compare(PyObject* a, PyObject* b, int op);
PyObject* to_complex(PyObject* self);  // __complex__

}  // namespace numloom::python
