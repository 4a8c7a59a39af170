// Selection and gathering: elements by mask or by position.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "library/call.hpp"
#include "library/vector.hpp"

namespace numloom::library {
namespace {

struct Pair {
    uint64_t low, high;
};

// Elements of one size, moved as unsigned words; anything else as bytes.
template <class F>
void with_width(int64_t bytes, F&& f) {
    switch (bytes) {
        case 1:
            f(Type<uint8_t>{});
            return;
        case 2:
            f(Type<uint16_t>{});
            return;
        case 4:
            f(Type<uint32_t>{});
            return;
        case 8:
            f(Type<uint64_t>{});
            return;
        case 16:
            f(Type<Pair>{});
            return;
        default:
            f(Type<void>{});
            return;
    }
}

int64_t count_true(const uint8_t* mask, int64_t n) {
    if (vectors().count_true) return vectors().count_true(mask, n);
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) count += mask[i] != 0;
    return count;
}

// Calls f(begin, end, first, last) over pieces of the mask, at once: its true elements are those from the
// first-th to before the last-th of all `total`.
template <class F>
void over_mask(const uint8_t* mask, int64_t n, int64_t total, F&& f) {
    const int64_t pieces = std::max<int64_t>(1, std::min(n / kGrain, 8 * parallel_threads()));
    if (pieces == 1) {
        f(int64_t{0}, n, int64_t{0}, total);
        return;
    }
    std::vector<int64_t> before(static_cast<size_t>(pieces) + 1, 0);
    auto begin = [&](int64_t i) { return n * i / pieces; };
    parallel_for(pieces, [&](int64_t i) {
        before[static_cast<size_t>(i) + 1] = count_true(mask + begin(i), begin(i + 1) - begin(i));
    });
    std::partial_sum(before.begin(), before.end(), before.begin());
    parallel_for(pieces, [&](int64_t i) {
        f(begin(i), begin(i + 1), before[static_cast<size_t>(i)], before[static_cast<size_t>(i) + 1]);
    });
}

// Calls step(i, at) for the elements of a piece of the mask (see over_mask), `at` counting the true ones
// before it, until all true ones are found. Also for false ones, since a random mask would mispredict a
// branch; eight false ones in a row are passed over.
template <class F>
void over_true(const uint8_t* mask, int64_t i, int64_t end, int64_t at, int64_t last, F&& step) {
    while (at < last) {
        if (i + 8 <= end) {
            uint64_t eight;
            std::memcpy(&eight, mask + i, 8);
            if (eight == 0) {
                i += 8;
                continue;
            }
            if (at + 8 <= last) {
                for (int k = 0; k < 8; ++k, ++i) {
                    step(i, at);
                    at += mask[i] != 0;
                }
                continue;
            }
        }
        step(i, at);
        at += mask[i] != 0;
        ++i;
    }
}

const uint8_t* mask_of(const CallOperand& o) { return reinterpret_cast<const uint8_t*>(o.data); }

// The loop of the instruction set for elements of this width, or nullptr.
template <class T>
auto compress_loop() -> void (*)(const uint8_t*, const T*, int64_t, T*, const T*) {
    if constexpr (std::is_same_v<T, uint64_t>)
        return vectors().compress_64;
    else if constexpr (std::is_same_v<T, uint32_t>)
        return vectors().compress_32;
    else
        return nullptr;
}

void compress(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t width = p[0] * item_size(out.dtype);
    const uint8_t* mask = mask_of(in[1]);
    with_width(width, [&](auto type) {
        using T = typename decltype(type)::type;
        over_mask(mask, in[1].layout->size(), out.layout->size() / p[0],
                  [&](int64_t i, int64_t end, int64_t to, int64_t last) {
                      if constexpr (std::is_void_v<T>) {
                          for (; i < end; ++i)
                              if (mask[i])
                                  std::memcpy(out.data + to++ * width, in[0].data + i * width,
                                              static_cast<size_t>(width));
                      } else {
                          // Every element is stored, and stays where the position moves on.
                          const T* from = reinterpret_cast<const T*>(in[0].data);
                          T* o = reinterpret_cast<T*>(out.data);
                          if (auto f = compress_loop<T>())
                              return f(mask + i, from + i, end - i, o + to, o + last);
                          over_true(mask, i, end, to, last, [&](int64_t k, int64_t at) { o[at] = from[k]; });
                      }
                  });
    });
}

void nonzero(std::span<const int64_t>, const CallOperand& out, std::span<const CallOperand> in) {
    const uint8_t* mask = mask_of(in[0]);
    int64_t* o = reinterpret_cast<int64_t*>(out.data);
    over_mask(mask, in[0].layout->size(), out.layout->size(),
              [&](int64_t i, int64_t end, int64_t to, int64_t last) {
                  if (auto f = vectors().positions) return f(mask + i, i, end - i, o + to, o + last);
                  over_true(mask, i, end, to, last, [&](int64_t k, int64_t at) { o[at] = k; });
              });
}

void expand(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t width = p[0] * item_size(out.dtype);
    const uint8_t* mask = mask_of(in[0]);
    const int64_t total = in[1].layout->size() / p[0];
    with_width(width, [&](auto type) {
        using T = typename decltype(type)::type;
        over_mask(mask, in[0].layout->size(), total, [&](int64_t i, int64_t end, int64_t at, int64_t last) {
            if constexpr (std::is_void_v<T>) {
                for (; at < last; ++i)
                    if (mask[i])
                        std::memcpy(out.data + i * width, in[1].data + at++ * width,
                                    static_cast<size_t>(width));
            } else {
                // The next value is read each time, and stored where the mask is true.
                const T* from = reinterpret_cast<const T*>(in[1].data);
                T* o = reinterpret_cast<T*>(out.data);
                over_true(mask, i, end, at, last, [&](int64_t k, int64_t next) {
                    const T value = from[next], old = o[k];
                    o[k] = mask[k] ? value : old;
                });
            }
        });
    });
}

// Bytes from which an element is asked for ahead of time, since the caches rarely hold it, and how far ahead:
// more elements than the processor looks at by itself.
constexpr int64_t kFar = 4 << 20, kAhead = 128;

// to[count] = from[n] at index[count], elements of `width` bytes.
template <class T>
void take_row(const char* from, int64_t n, int64_t width, const int64_t* index, int64_t count, char* to) {
    if constexpr (std::is_void_v<T>) {
        for (int64_t i = 0; i < count; ++i)
            std::memcpy(to + i * width, from + index[i] * width, static_cast<size_t>(width));
    } else {
        const T* elements = reinterpret_cast<const T*>(from);
        T* out = reinterpret_cast<T*>(to);
        int64_t i = 0;
        if (n * width >= kFar)
            for (; i + kAhead < count; ++i) {
                __builtin_prefetch(elements + index[i + kAhead], 0, 0);
                out[i] = elements[index[i]];
            }
        for (; i < count; ++i) out[i] = elements[index[i]];
    }
}

void take(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t outer = p[0], n = p[1], width = p[2] * item_size(out.dtype), m = in[1].layout->size();
    const int64_t* index = reinterpret_cast<const int64_t*>(in[1].data);
    with_width(width, [&](auto type) {
        using T = typename decltype(type)::type;
        parallel_ranges(outer * m, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, width / 8)),
                        [&](int64_t begin, int64_t end) {
                            for (int64_t i = begin; i < end;) {
                                const int64_t o = i / m, stop = std::min(end, (o + 1) * m);
                                take_row<T>(in[0].data + o * n * width, n, width, index + (i - o * m),
                                            stop - i, out.data + i * width);
                                i = stop;
                            }
                        });
    });
}

// On one thread, in order: of equal positions the last wins.
void put(std::span<const int64_t> p, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t width = p[0] * item_size(out.dtype), m = in[0].layout->size();
    const int64_t* index = reinterpret_cast<const int64_t*>(in[0].data);
    with_width(width, [&](auto type) {
        using T = typename decltype(type)::type;
        for (int64_t i = 0; i < m; ++i) {
            if constexpr (std::is_void_v<T>)
                std::memcpy(out.data + index[i] * width, in[1].data + i * width, static_cast<size_t>(width));
            else
                reinterpret_cast<T*>(out.data)[index[i]] = reinterpret_cast<const T*>(in[1].data)[i];
        }
    });
}

// On one thread, in order, as NumPy adds up.
void bincount(std::span<const int64_t>, const CallOperand& out, std::span<const CallOperand> in) {
    const int64_t* index = reinterpret_cast<const int64_t*>(in[0].data);
    const int64_t n = in[0].layout->size();
    std::memset(out.data, 0, static_cast<size_t>(8 * out.layout->size()));
    if (in.size() > 1) {
        const double* weight = reinterpret_cast<const double*>(in[1].data);
        double* sum = reinterpret_cast<double*>(out.data);
        for (int64_t i = 0; i < n; ++i) sum[index[i]] += weight[i];
    } else {
        int64_t* count = reinterpret_cast<int64_t*>(out.data);
        for (int64_t i = 0; i < n; ++i) ++count[index[i]];
    }
}

}  // namespace

std::span<const Entry> selection_entries() {
    static const Entry entries[] = {{"compress", compress}, {"nonzero", nonzero}, {"expand", expand},
                                    {"take", take},         {"put", put},         {"bincount", bincount}};
    return entries;
}

}  // namespace numloom::library
