// Source text to machine code by NVRTC, cached in memory and on disk.
#pragma once

#include <string>
#include <vector>

#include "device/cuda/driver.hpp"

namespace numloom::cuda {

// Machine code of prologue() + `text` for the processor `arch` ("sm_90"). Throws Error(Runtime) with the
// compiler's log.
std::vector<char> compile_text(const std::string& text, const std::string& arch);

// compile_text() behind the disk cache: $XDG_CACHE_HOME/numloom or ~/.cache/numloom; NUMLOOM_CACHE names
// another folder or, as `off`, switches it off. A file holds its whole key, so that equal names of different
// texts do no harm.
std::vector<char> cached_code(const std::string& text, const std::string& arch);

// The kernel of a generated text, compiled and loaded once per process. Needs a driver.
Function load_kernel(const std::string& text, const std::string& arch);

// Number of texts that NVRTC compiled since start.
int64_t compilations();

}  // namespace numloom::cuda
