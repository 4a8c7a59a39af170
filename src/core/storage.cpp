#include "core/storage.hpp"

#include "core/error.hpp"

namespace numloom {
namespace {
std::atomic<uint64_t> next_id{1};

int64_t byte_size(DType d, const Layout& l) {
    int64_t n = 0;
    if (__builtin_mul_overflow(l.size(), item_size(d), &n))
        throw value_error(
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.");
    return n;
}
}  // namespace

Storage::Storage(DType d, const Layout* h) : dtype(d), home(h), nbytes(byte_size(d, *h)), id(next_id++) {}

}  // namespace numloom
