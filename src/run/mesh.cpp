// The mesh that NUMLOOM_DEVICES asks for.
#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "run/executor.hpp"

namespace numloom {
namespace {

Error bad_devices(const std::string& text) {
    return value_error("NUMLOOM_DEVICES=" + text + ": expected cpu, cpu:N, cuda, cuda:I,J,... or null:N");
}

int64_t number(const std::string& s, const std::string& all) {
    char* end = nullptr;
    const long long n = std::strtoll(s.c_str(), &end, 10);
    if (s.empty() || *end || n < 0 || n > 4096) throw bad_devices(all);
    return n;
}

std::vector<std::unique_ptr<Device>> make_devices(const std::string& text, int rank) {
    std::vector<std::unique_ptr<Device>> devices;
    const size_t colon = text.find(':');
    const std::string kind = text.substr(0, colon),
                      rest = colon == std::string::npos ? "" : text.substr(colon + 1);
    if (kind == "cpu" || kind == "null") {
        const auto n = static_cast<int>(colon == std::string::npos ? 1 : number(rest, text));
        if (n < 1) throw bad_devices(text);
        for (int i = 0; i < n; ++i)
            devices.push_back(kind == "cpu" ? make_cpu_device(i, n) : make_null_device(i));
    } else if (kind == "cuda") {
        if (cuda_device_count() == 0)
            throw runtime_error("NUMLOOM_DEVICES=" + text +
                                ": no CUDA device here (no driver, no GPU, or built without CUDA)");
        if (colon == std::string::npos) {  // this process's GPU
            devices.push_back(make_cuda_device(rank % cuda_device_count()));
        } else {
            for (size_t at = 0; at <= rest.size();) {
                const size_t comma = std::min(rest.find(',', at), rest.size());
                devices.push_back(
                    make_cuda_device(static_cast<int>(number(rest.substr(at, comma - at), text))));
                at = comma + 1;
            }
        }
    } else {
        throw bad_devices(text);
    }
    return devices;
}

}  // namespace

Mesh make_mesh() {
    Mesh m;
    m.transport = make_mpi_transport();
    if (!m.transport) m.transport = make_local_transport();
    const char* asked = std::getenv("NUMLOOM_DEVICES");
    std::string text = asked && *asked ? asked : cuda_device_count() > 0 ? "cuda" : "cpu";
    m.local = make_devices(text, m.transport->rank());
    if (const char* least = std::getenv("NUMLOOM_SHARD_MIN"); least && *least) {
        char* end = nullptr;
        m.shard_min = std::strtoll(least, &end, 10);
        if (*end || m.shard_min < 1)
            throw value_error(std::string("NUMLOOM_SHARD_MIN=") + least +
                              ": expected a number of bytes from 1 on");
    }
    return m;
}

}  // namespace numloom
