// Messages between processes. Every process makes the same calls in the same order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace numloom {

// One piece of host memory to send to or receive from another process. Between two processes, pieces match in
// order.
struct Transfer {
    bool send;
    int peer;  // rank
    char* data;
    int64_t bytes;
};

class Transport {
  public:
    virtual ~Transport() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    // Carries out all transfers; returns when all are complete.
    virtual void exchange(std::span<const Transfer> transfers) = 0;
    virtual void broadcast(void* data, int64_t bytes, int root) = 0;
    // Largest of each process's value.
    virtual int64_t largest(int64_t value) = 0;
    // Whether all processes gave the same value.
    virtual bool same(uint64_t value) = 0;
    virtual void barrier() = 0;
    // Ends all processes of the job.
    [[noreturn]] virtual void abort(int code) = 0;
};

// One line of each process, one below the other, cut to 256 bytes. All must call it. (Inline: the MPI library
// links with nothing of ours.)
inline std::string lines_of_all(Transport& t, const std::string& line) {
    std::string all;
    for (int r = 0; r < t.size(); ++r) {
        std::string text = r == t.rank() ? line : "";
        text.resize(256);
        t.broadcast(text.data(), 256, r);
        all += "\n  process " + std::to_string(r) + ": " + text.c_str();
    }
    return all;
}

// One process: nothing to exchange.
std::unique_ptr<Transport> make_local_transport();
// Loads the MPI transport (libnumloom_mpi.so beside the extension) where the environment says that an MPI
// launcher started this process with others (OMPI_COMM_WORLD_SIZE, PMI_SIZE, PMIX_RANK, SLURM_NTASKS with a
// step) and NUMLOOM_MESH is not "off"; nullptr otherwise. Throws where it should load but can't, saying what
// is missing.
std::unique_ptr<Transport> make_mpi_transport();

}  // namespace numloom
