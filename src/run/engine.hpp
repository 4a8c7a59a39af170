// The engine: records, and runs what was recorded when somebody needs values. One per process.
//
// Threads: everything here is called under the record lock (Python: the GIL), except where said. While a
// flush computes, the lock is released through the hooks given to set_lock_hooks, so that other threads can
// record on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "record/array.hpp"

namespace numloom {

// Why an evaluation happens. The only list of triggers: nothing else evaluates.
enum class Trigger : uint8_t {
    HostRead,   // item, bool, print, tolist, comparison in an if
    Export,     // buffer protocol, __array__, DLPack, CUDA array interface, data pointer
    DataShape,  // a shape that depends on values: nonzero, boolean mask read, unique
    DataError,  // an operation whose failure depends on values
    HostCall,   // a fallback to NumPy or a Python callback
    FileWrite,
    Synchronise,  // numloom.eval(), synchronise, pool queries
    LogBound,     // the log is full
    Fork,
};

struct Stats {
    int64_t instructions = 0, evaluations = 0, plan_hits = 0, plan_misses = 0, kernels = 0, bytes_read = 0,
            bytes_written = 0, messages = 0, bytes_moved = 0, host_calls = 0;
};

// Floating-point conditions that a recorded operation met (FloatKind).
struct Report {
    Site site;
    std::string name;  // as NumPy says it: "divide", "cast", "reduce"
    uint8_t kinds;
    bool scalar;  // NumPy says "scalar divide"
    bool now;     // recorded with kReportNow
};

class Engine {
  public:
    static Engine& get();
    virtual ~Engine() = default;

    // --- making arrays ---
    virtual Array empty(
        DType d,
        std::span<const int64_t> shape) = 0;  // C order, contents undefined; memory comes when first written
    virtual Array empty_f_order(DType d, std::span<const int64_t> shape) = 0;
    Array full(DType d, std::span<const int64_t> shape, const Scalar& value);
    // out[i] = start + i * step for i in [0, n), int64.
    Array ramp(int64_t n, int64_t start, int64_t step);
    // Copies `bytes` = size * itemsize from host memory in C order.
    virtual Array from_host(DType d, std::span<const int64_t> shape, const void* data) = 0;
    // Shares somebody's memory: [base, base + nbytes), released by release(owner).
    virtual Array adopt(DType d, const Layout* layout, int64_t offset, char* base, int64_t nbytes,
                        void* owner, void (*release)(void*)) = 0;

    // --- recording; shapes and dtypes are already checked ---
    // out[...] = op(in...): inputs broadcast to out's shape, converted to the dtypes of the loop (Where:
    // in[0] to bool), the result to out's dtype.
    void compute(OpCode op, DType loop, const Operand& out, std::span<const Operand> in);
    // out = op folded over axes of in (bit i: axis i). out's shape is in's with extent 1 along those axes. in
    // is converted to `type` first.
    void reduce(OpCode op, DType type, const Operand& out, const Operand& in, uint64_t axes);
    void assign(const Operand& out, const Operand& in);  // out[...] = in, converted
    void index(const Operand& out, int64_t start, std::span<const int64_t> steps);
    void call(std::unique_ptr<LibraryCall> call, const Operand& out, std::span<const Operand> in);

    // --- evaluation ---
    virtual void flush(Trigger why) = 0;
    // Whether some recorded instruction that writes the storage (with `reads`: that touches it) has not run.
    virtual bool pending(const Storage& s, bool reads = false) const = 0;
    // Values of the view in C order to host memory of size * itemsize bytes.
    virtual void read(const Array& a, void* host, Trigger why) = 0;
    // Address of the view's first element on the host, all recorded work on its storage done; nullptr where
    // the storage is not in host memory as one piece (sharded, or on a GPU). Stays valid while the storage
    // lives and is pinned.
    virtual char* host_address(const Array& a, Trigger why) = 0;
    // Around a fork of the process, on the thread that forks: everything recorded is run before, and no other
    // thread executes until after_fork, which is called in the parent and in the child.
    virtual void before_fork() = 0;
    virtual void after_fork(bool child) = 0;
    // An export begins or ends: a pinned storage is neither renamed nor moved; every flush of a write to it
    // happens at once, and plans assume that others may have written it.
    virtual void pin(Storage* s) = 0;
    virtual void unpin(Storage* s) = 0;

    // --- asking ---
    virtual Stats stats() const = 0;
    virtual void count_host_call() = 0;
    virtual std::string print_log() const = 0;
    virtual std::string print_plans() const = 0;  // of the evaluations since remember_plans(true)
    virtual void remember_plans(bool on) = 0;
    struct MeshInfo {
        std::vector<std::string> devices;
        int processes = 1, rank = 0;
    };
    virtual MeshInfo mesh() const = 0;
    // Process 0's bytes to all processes: entropy, wall-clock seeds.
    virtual void broadcast(void* data, int64_t bytes) = 0;
    // Ends the job after an uncaught error; does nothing where there is one process.
    virtual void abort_job(int code) = 0;

    // Called around the language's cyclic garbage collection.
    virtual void collecting(bool on) = 0;

    // --- hooks of the language binding ---
    // A site as "file:line", for messages.
    void set_site_text(std::string (*text)(const Site&)) { site_text_ = text; }
    using SiteHook = Site (*)();
    void set_site_hook(SiteHook hook) { site_hook_ = hook; }
    // `capture` tells what an operation that is being recorded has to report (Instruction::report); `deliver`
    // reports what came up, under the record lock, after an evaluation. It may throw.
    struct ReportHooks {
        uint16_t (*capture)() = nullptr;
        void (*deliver)(std::span<const Report> reports) = nullptr;
    };
    void set_report_hooks(ReportHooks hooks) { report_hooks_ = hooks; }
    struct LockHooks {
        void* (*unlock)() = nullptr;  // returns a token
        void (*lock)(void*) = nullptr;
        bool (*interrupted)() = nullptr;  // whether the user wants to stop (called with the lock held)
        bool (*ending)() = nullptr;       // whether the program ends, and its other threads sleep
    };
    void set_lock_hooks(LockHooks hooks) { lock_hooks_ = hooks; }

  protected:
    virtual Instruction& append() = 0;  // a fresh instruction at the end of the log; may flush first
    virtual void appended(Instruction& i) = 0;
    SiteHook site_hook_ = nullptr;
    std::string (*site_text_)(const Site&) = nullptr;
    LockHooks lock_hooks_;
    ReportHooks report_hooks_;

  private:
    void finish(Instruction& i, bool may_report, uint16_t how = 0);
};

}  // namespace numloom
