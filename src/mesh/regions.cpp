#include "mesh/regions.hpp"

#include <algorithm>

namespace numloom::mesh {

Interval hull(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t itemsize,
              int64_t begin, int64_t end) {
    if (begin >= end) return {};
    int64_t inner = 1;  // points per step of the axis at hand
    for (int64_t n : shape) inner *= n;
    int64_t base = 0;
    size_t axis = 0;
    // Axes in which the whole range has one index only move the start.
    for (; axis < shape.size(); ++axis) {
        inner /= shape[axis];
        const int64_t first = begin / inner, last = (end - 1) / inner;
        if (first != last) {
            // The range spans steps first..last of this axis: bound the inner axes by their full extent,
            // except where two steps suffice to be exact.
            Interval r{base + std::min(first * strides[axis], last * strides[axis]),
                       base + std::max(first * strides[axis], last * strides[axis]) + itemsize};
            int64_t low = 0, high = 0;
            for (size_t k = axis + 1; k < shape.size(); ++k)
                (strides[k] < 0 ? low : high) += (shape[k] - 1) * strides[k];
            return {r.lo + low, r.hi + high};
        }
        base += first * strides[axis];
        begin -= first * inner;
        end -= first * inner;
    }
    return {base, base + itemsize};
}

int64_t displacement(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t point) {
    int64_t d = 0;
    for (size_t k = shape.size(); k-- > 0;) {
        d += point % shape[k] * strides[k];
        point /= shape[k];
    }
    return d;
}

bool rises(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t itemsize) {
    int64_t span = itemsize;
    for (size_t k = shape.size(); k-- > 0;) {
        if (shape[k] == 1) continue;
        if (strides[k] < span) return false;
        span += (shape[k] - 1) * strides[k];
    }
    return true;
}

int64_t first_point_from(std::span<const int64_t> shape, std::span<const int64_t> strides, int64_t address) {
    int64_t low = 0, high = 1;
    for (int64_t n : shape) high *= n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (displacement(shape, strides, middle) < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

std::vector<int64_t> cut_storage(const Layout& home, int64_t itemsize, int parts) {
    int64_t unit = itemsize, rows = home.size();
    if (rows == 0) return std::vector<int64_t>(static_cast<size_t>(parts) + 1, 0);
    for (int a = 0; a < home.ndim(); ++a) {
        if (home.shape(a) <= 1) continue;
        if (home.shape(a) >= parts && home.c_contiguous(itemsize)) {
            unit = home.stride(a);
            rows = home.shape(a);
        }
        break;
    }
    std::vector<int64_t> cuts;
    for (int p = 0; p <= parts; ++p)
        cuts.push_back(rows / parts * p * unit + std::min<int64_t>(p, rows % parts) * unit);
    return cuts;
}

}  // namespace numloom::mesh
