// Finds and loads the MPI transport, which is a library of its own so that nobody else needs MPI.
#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "transport/transport.hpp"

namespace numloom {
namespace {

// Number of processes that a launcher says it started, 1 where there is none.
int launched_processes() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
        if (const char* v = std::getenv(name)) return std::atoi(v);
    // srun starts tasks without a launcher of MPI's own; PMIx or PMI connects them.
    if (std::getenv("SLURM_STEP_ID") && (std::getenv("PMIX_RANK") || std::getenv("PMI_RANK")))
        if (const char* v = std::getenv("SLURM_STEP_NUM_TASKS")) return std::atoi(v);
    return 1;
}

std::string folder_of_this_library() {
    Dl_info found{};
    if (!dladdr(reinterpret_cast<void*>(&make_mpi_transport), &found) || !found.dli_fname) return ".";
    const std::string path = found.dli_fname;
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

}  // namespace

std::unique_ptr<Transport> make_mpi_transport() {
    const char* mode = std::getenv("NUMLOOM_MESH");
    if (launched_processes() <= 1 || (mode && std::string(mode) == "off")) return nullptr;
    const std::string path = folder_of_this_library() + "/libnumloom_mpi.so";
    // Global: MPI's own plug-ins look its symbols up.
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        throw runtime_error("this process was started with " + std::to_string(launched_processes() - 1) +
                            " others by an MPI launcher, but the MPI transport can't be loaded (" +
                            std::string(dlerror()) +
                            "); build Numloom where MPI is installed, or set NUMLOOM_MESH=off to let every "
                            "process work by itself");
    using Make = Transport* (*)();
    const auto make = reinterpret_cast<Make>(dlsym(library, "numloom_make_mpi_transport"));
    if (!make) throw runtime_error(path + " is not Numloom's MPI transport");
    return std::unique_ptr<Transport>(make());
}

}  // namespace numloom
