#include <cstdlib>

#include "core/error.hpp"
#include "transport/transport.hpp"

namespace numloom {
namespace {

class LocalTransport final : public Transport {
  public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void exchange(std::span<const Transfer> transfers) override { NL_CHECK(transfers.empty()); }
    void broadcast(void*, int64_t, int) override {}
    int64_t largest(int64_t value) override { return value; }
    bool same(uint64_t) override { return true; }
    void barrier() override {}
    [[noreturn]] void abort(int code) override { std::exit(code); }
};

}  // namespace

std::unique_ptr<Transport> make_local_transport() { return std::make_unique<LocalTransport>(); }

}  // namespace numloom
