// The executor walks a plan: launches kernels, calls libraries, moves data between shards.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "mesh/regions.hpp"
#include "run/engine.hpp"
#include "run/plan_cache.hpp"
#include "transport/transport.hpp"

namespace numloom {

// The devices of all processes in one order: process 0's, then process 1's, ...
struct Mesh {
    std::vector<std::unique_ptr<Device>> local;
    std::unique_ptr<Transport> transport;
    int64_t shard_min = 2 << 20;  // bytes from which a storage is cut
    int size() const { return static_cast<int>(local.size()) * transport->size(); }
    int first_local() const { return static_cast<int>(local.size()) * transport->rank(); }
    bool is_local(int device) const {
        return device >= first_local() && device < first_local() + static_cast<int>(local.size());
    }
    Device& device(int d) const { return *local[static_cast<size_t>(d - first_local())]; }
    int process_of(int device) const { return device / static_cast<int>(local.size()); }
};

// From NUMLOOM_DEVICES, NUMLOOM_SHARD_MIN and the launcher's environment.
Mesh make_mesh();

// Runs plans. Storages that one device holds have one shard; in a mesh of several devices small storages have
// one shard, a copy in every process on its first device, and large ones a shard per device.
class Executor {
  public:
    Executor(Mesh mesh, Stats* stats) : mesh_(std::move(mesh)), stats_(stats) {}

    const Mesh& mesh() const { return mesh_; }
    void prepare(CachedPlan* p);
    // Runs steps from `first` on; returns after all, or throws with *done steps complete. `interrupted` is
    // asked between steps.
    void run(CachedPlan& p, const plan::Segment& s, const std::function<bool()>& interrupted, size_t* done);
    // What the latest run met: kinds of floating-point conditions by instruction; empty: nothing.
    std::span<const uint8_t> raised() const { return raised_; }

    // Gives the storage memory as its home shape says, without contents.
    void allocate(Storage* s);
    void free(Storage* s);
    // Contents of the whole storage from host memory.
    void fill(Storage* s, const char* host);
    // Bytes [r.lo, r.hi) of the storage to host memory.
    void fetch(Storage* s, mesh::Interval r, char* host);
    void store(Storage* s, mesh::Interval r, const char* host);
    // Address of byte 0 on the host where the whole storage lies there in one piece, else nullptr.
    char* host_base(Storage* s);

  private:
    // One launch's arguments, on the stack: kernels have at most a few dozen accesses.
    struct Args {
        static constexpr size_t kMost = 128;
        char* pointers[kMost];
        kernel::ConstantValue constants[kMost];
        void set_constants(const plan::Step& step, const plan::Segment& s);
    };
    friend class ShardedStep;
    void run_step(const plan::Step& step, ReadyStep& ready, const CachedPlan& p, const plan::Segment& s);
    void run_single(const plan::Step& step, ReadyStep& ready, const CachedPlan& p, const plan::Segment& s);
    class HostCopies;
    void run_call(const plan::Step& step, const plan::Segment& s);
    static uint8_t wanted(const plan::Step& step, const plan::Segment& s);
    void note_raised(const plan::Step& step, const plan::Segment& s);
    void free_after(const plan::Step& step, const CachedPlan& p, const plan::Segment& s);
    Storage* storage_of(int32_t slot, const CachedPlan& p, const plan::Segment& s);
    std::vector<int64_t> cuts_for(const Storage& s) const;  // {} : one shard
    void allocate_cut(Storage* s, const std::vector<int64_t>& cuts, std::vector<Shard>* out);
    void free_shards(std::vector<Shard>* shards);
    // Makes bytes [r.lo, r.hi) of the storage valid in the buffer of each listed device; all processes take
    // part.
    struct Need {
        Storage* storage;
        int device;
        mesh::Interval bytes;
    };
    void exchange(std::span<const Need> needs);
    void widen(Shard* shard, mesh::Interval r);

    Mesh mesh_;
    Stats* stats_;
    std::vector<std::unique_ptr<Storage>> temporaries_;  // of the plan that runs
    std::vector<std::vector<Shard>> shadows_;            // per renamed slot of the step that runs
    uint8_t wanted_ = 0;                                 // Launch::wanted of the step that runs
    std::vector<uint8_t> notes_;                         // ... and Launch::raised
    std::vector<uint8_t> raised_;
};

// A kernel step over the devices of a mesh with more than one.
void run_sharded(Executor& e, const plan::Step& step, ReadyStep& ready, const CachedPlan& p,
                 const plan::Segment& s);

}  // namespace numloom
