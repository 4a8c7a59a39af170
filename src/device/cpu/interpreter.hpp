// Runs compiled tapes: a frame per thread holds the table of operand pointers; walk() takes it over a range
// of points.
#pragma once

#include <algorithm>
#include <cstdint>

#include "device/cpu/float_flags.hpp"
#include "device/cpu/program.hpp"
#include "kernel/ir.hpp"

namespace numloom::cpu {

// Scratch memory of one thread, cut piece by piece by whoever runs on it. Aligned to 64 bytes.
class Scratch {
  public:
    // Starts afresh with room for `bytes`; pieces cut before are gone.
    explicit Scratch(int64_t bytes);
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    void* take(int64_t bytes) {
        void* p = next_;
        next_ += (bytes + 63) / 64 * 64;
        return p;
    }
    template <class T>
    T* take(int64_t count) {
        return static_cast<T*>(take(count * static_cast<int64_t>(sizeof(T))));
    }

  private:
    char* next_;
    char* own_ = nullptr;  // when the thread's arena is in use further out
};

// Bytes of scratch that a frame of `code` takes.
int64_t frame_bytes(const BlockCode& code);

// What one thread needs to run a code.
struct Frame {
    void** table;
    int64_t* at;  // per access: address of the walk's position (row start, or point 0 in rows mode); may be
                  // virtual
    int64_t* coords;  // of the block's first point (rows mode)
    char* arena;
    const FlagNotes* notes;  // where to note, slot by slot, the floating-point flags; nullptr: nobody asks

    // Sets buffers and constants.
    Frame(const BlockCode& code, Scratch* scratch, const kernel::ConstantValue* constants,
          const FlagNotes* notes = nullptr);
};

inline int64_t address(const char* p) { return static_cast<int64_t>(reinterpret_cast<uintptr_t>(p)); }

void run_slots(const BlockCode& code, const Frame& f, const Slot* slot, const Slot* end, int64_t n);

inline void run_body(const BlockCode& code, const Frame& f, int64_t n) {
    run_slots(code, f, code.body.data(), code.body.data() + code.body.size(), n);
}

inline void set_movers(const std::vector<Mover>& movers, const Frame& f, int64_t position) {
    for (const Mover& m : movers)
        f.table[m.entry] = reinterpret_cast<void*>(f.at[m.access] + position * m.inner);
}

// What is the same for all points of a launch. `pointers` by access number of the kernel.
inline void start_launch(const BlockCode& code, const Frame& f, char* const* pointers) {
    if (code.launch_movers.empty() && code.launch_slots.empty()) return;
    for (const Mover& m : code.launch_movers)
        f.table[m.entry] = pointers[code.accesses[static_cast<size_t>(m.access)].pointer];
    run_slots(code, f, code.launch_slots.data(), code.launch_slots.data() + code.launch_slots.size(), 1);
}

// After f.at was set for a new row.
inline void start_row(const BlockCode& code, const Frame& f) {
    if (code.row_movers.empty() && code.row_slots.empty()) return;
    set_movers(code.row_movers, f, 0);
    run_slots(code, f, code.row_slots.data(), code.row_slots.data() + code.row_slots.size(), 1);
}

// C-order coordinates of point `p` in `shape`.
inline void unravel(const std::vector<int64_t>& shape, int64_t p, int64_t* coords) {
    for (size_t d = shape.size(); d-- > 0;) {
        coords[d] = p % shape[d];
        p /= shape[d];
    }
}

// Puts f.at at row start `coords` (the innermost coordinate counts as 0).
void place_row(const BlockCode& code, const Frame& f, char* const* pointers, const int64_t* coords);
// To the next row.
void next_row(const BlockCode& code, const Frame& f, int64_t* coords);

// Runs up to `most` whole rows from the current one on, as many as the innermost two dimensions have; returns
// their number. f.at and the coordinates then stand at the last of them.
template <class Sink>
int64_t walk_rows(const BlockCode& code, const Frame& f, int64_t most, Sink&& sink) {
    const int64_t n = code.inner();
    const size_t d = code.shape.size() - 2;
    const int64_t rows = std::min(most, code.shape[d] - f.coords[d]);
    set_movers(code.block_movers, f, 0);
    for (int64_t r = 0;;) {
        run_body(code, f, n);
        sink(n);
        if (++r == rows) break;
        for (const Mover& m : code.block_movers)
            f.table[m.entry] =
                reinterpret_cast<void*>(address(static_cast<const char*>(f.table[m.entry])) + m.row);
    }
    f.coords[d] += rows - 1;
    for (size_t a = 0; a < code.accesses.size(); ++a) f.at[a] += (rows - 1) * code.accesses[a].strides[d];
    return rows;
}

// Runs the body over points [begin, end) of the walk, in order, calling sink(n) after each block of n points.
// `even` cuts rows into equal blocks instead of whole ones and a rest.
template <class Sink>
void walk(const BlockCode& code, const Frame& f, char* const* pointers, int64_t begin, int64_t end, bool even,
          Sink&& sink) {
    if (begin >= end) return;
    if (code.rows) {
        for (size_t a = 0; a < code.accesses.size(); ++a)
            f.at[a] = address(pointers[code.accesses[a].pointer]);
        start_row(code, f);
        for (int64_t p = begin; p < end; p += code.block) {
            const int64_t n = std::min(code.block, end - p);
            unravel(code.shape, p, f.coords);
            set_movers(code.block_movers, f, p);
            run_body(code, f, n);
            sink(n);
        }
        return;
    }
    const int64_t inner = code.inner();
    unravel(code.shape, begin, f.coords);
    int64_t column = f.coords[code.ndim() - 1];
    place_row(code, f, pointers, f.coords);
    for (int64_t p = begin;;) {
        if (code.even_rows && column == 0 && end - p >= 2 * inner) {
            const int64_t rows = walk_rows(code, f, (end - p) / inner, sink);
            p += rows * inner;
            if (p >= end) return;
            next_row(code, f, f.coords);
            continue;
        }
        start_row(code, f);
        const int64_t stop = std::min(inner, column + end - p);
        p += stop - column;
        int64_t step = code.block;
        if (even && stop - column > step) {
            const int64_t pieces = (stop - column + step - 1) / step;
            step = ((stop - column + pieces - 1) / pieces + 15) / 16 * 16;
        }
        for (; column < stop; column += step) {
            const int64_t n = std::min(step, stop - column);
            set_movers(code.block_movers, f, column);
            run_body(code, f, n);
            sink(n);
        }
        if (p >= end) return;
        column = 0;
        next_row(code, f, f.coords);
    }
}

}  // namespace numloom::cpu
