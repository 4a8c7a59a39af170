// Floating-point conditions of library calls, which run on the host.
#pragma once

#include <cstdint>

namespace numloom {

// From now on, what comes up of the kinds `wanted` (FloatKind) is remembered: on this thread, and on those
// that the library's loops are lent.
void begin_host_watch(uint8_t wanted);
// What came up; ends the watch.
uint8_t end_host_watch();

}  // namespace numloom
