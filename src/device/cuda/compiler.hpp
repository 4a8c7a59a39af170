// Source text to machine code by NVRTC, cached in memory and on disk.
#pragma once

#include <future>
#include <memory>
#include <mutex>
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

// A generated text on its way to a kernel. Texts are compiled in the background, as many at a time as there
// are cores.
class Code {
  public:
    explicit Code(std::shared_future<std::vector<char>> machine_code)
        : machine_code_(std::move(machine_code)) {}
    // Waits for the compiler and loads the code; throws what it threw. Needs a driver.
    Function kernel();

  private:
    std::mutex mutex_;
    std::shared_future<std::vector<char>> machine_code_;
    Function kernel_ = nullptr;
};
// Starts on a text unless this process has done so before.
std::shared_ptr<Code> request_code(const std::string& text, const std::string& arch);

// Number of texts that NVRTC compiled since start.
int64_t compilations();

}  // namespace numloom::cuda
