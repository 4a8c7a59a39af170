// The kernel IR point by point on the host: slow and plain, the judge of generated code.
#pragma once

#include "kernel/ir.hpp"

namespace numloom::test {

// Runs the whole kernel over host memory; `pointers` and `constants` as in kernel::Launch.
void evaluate(const kernel::Kernel& k, char* const* pointers, const kernel::ConstantValue* constants);

}  // namespace numloom::test
