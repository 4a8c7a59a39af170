#include "device/cpu/float_flags.hpp"

#include <utility>

#include "device/cpu/threads.hpp"
#include "device/host_flags.hpp"

namespace numloom {

namespace cpu {

namespace {

// Of the call that this thread watches.
thread_local uint8_t watched = 0;
thread_local std::atomic<uint8_t> met{0};

}  // namespace

void run_library_tasks(int64_t chunks, void (*task)(void*, int64_t), void* context) {
    const uint8_t wanted = watched;
    std::atomic<uint8_t>& noted = met;
    ThreadPool::process().run(chunks, [&](int64_t chunk, int worker) {
        if (wanted == 0) return task(context, chunk);
        // Worker 0 is the caller, whose flags since the call began count too; others' are of long ago.
        if (worker != 0) take_kinds(0);
        task(context, chunk);
        noted |= take_kinds(wanted);
    });
}

}  // namespace cpu

void begin_host_watch(uint8_t wanted) {
    cpu::clear_flags();
    cpu::met = 0;
    cpu::watched = wanted;
}

uint8_t end_host_watch() { return cpu::met | cpu::take_kinds(std::exchange(cpu::watched, 0)); }

}  // namespace numloom
