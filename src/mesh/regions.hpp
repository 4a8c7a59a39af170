// Region algebra: which bytes of a storage a range of iteration points touches, and how storages and ranges
// are cut over devices. A storage is cut into contiguous ranges of bytes of its flat home order, one per
// device; everything here is arithmetic on such intervals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/layout.hpp"

namespace numloom::mesh {

struct Interval {
    int64_t lo = 0, hi = 0;  // [lo, hi)
    bool empty() const { return lo >= hi; }
    int64_t size() const { return empty() ? 0 : hi - lo; }
    friend bool operator==(const Interval&, const Interval&) = default;
};

// Bytes relative to point 0 that points [begin, end) of the box touch, at most: [lo, hi).
Interval hull(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t itemsize,
              int64_t begin, int64_t end);

// Byte offset of a point given by its number in C order.
int64_t displacement(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t point);

// Whether addresses rise with the number of the point (each stride steps over all that lies within): only
// then do the points whose addresses fall into an interval form a range.
bool rises(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t itemsize);

// First point whose address is not below `address` (relative to point 0), the number of points if there is
// none. Needs rises().
int64_t first_point_from(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t address);

// Where to cut a storage with this C-order home layout over `parts` devices: parts + 1 byte positions from 0
// to nbytes. Cuts fall between whole rows (steps of the first axis longer than 1) where there are at least as
// many rows as devices, else between elements.
std::vector<int64_t> cut_storage(const Layout& home, int64_t itemsize, int parts);

}  // namespace numloom::mesh
