#include "device/cpu/interpreter.hpp"

#include <cstring>

#include "device/cpu/pool.hpp"
#include "device/cpu/tape_builder.hpp"

namespace numloom::cpu {

namespace {

constexpr int64_t kLine = 64;

// A thread's own memory for frames. Given back to the pool when the thread ends.
struct Arena {
    char* base = nullptr;
    int64_t bytes = 0;
    bool busy = false;
    ~Arena() {
        if (base) MemoryPool::process().release(base, bytes);
    }
};

thread_local Arena thread_arena;

template <class T>
void copy_strided(char* dst, int64_t dst_stride, const char* src, int64_t src_stride, int64_t n) {
    for (int64_t i = 0; i < n; ++i) std::memcpy(dst + i * dst_stride, src + i * src_stride, sizeof(T));
}

struct Wide {
    char bytes[16];
};

// Visits the pieces of rows that points [start, start + n) make up: f(address of the piece's first point,
// points).
template <class F>
void for_pieces(const BlockCode& code, const WalkAccess& a, int64_t base, const int64_t* start, int64_t n,
                F&& f) {
    const int nd = code.ndim();
    int64_t coords[kMaxDims];
    for (int d = 0; d < nd; ++d) {
        coords[d] = start[d];
        base += coords[d] * a.strides[static_cast<size_t>(d)];
    }
    const int64_t inner = code.inner(), step = a.strides.back();
    int64_t take = std::min(n, inner - coords[nd - 1]);
    f(base, take);
    if ((n -= take) == 0) return;
    base -= coords[nd - 1] * step;
    for (;;) {
        int d = nd - 2;
        for (; ++coords[d] == code.shape[static_cast<size_t>(d)]; --d) {
            base -= (coords[d] - 1) * a.strides[static_cast<size_t>(d)];
            coords[d] = 0;
        }
        base += a.strides[static_cast<size_t>(d)];
        take = std::min(n, inner);
        f(base, take);
        if ((n -= take) == 0) return;
    }
}

template <class T>
void gather_rows_of(const BlockCode& code, const WalkAccess& a, int64_t base, const int64_t* coords,
                    char* out, int64_t n) {
    const int64_t step = a.strides.back();
    for_pieces(code, a, base, coords, n, [&](int64_t at, int64_t m) {
        const char* p = reinterpret_cast<const char*>(at);
        if (step == static_cast<int64_t>(sizeof(T)))
            copy_strided<T>(out, sizeof(T), p, sizeof(T), m);
        else
            copy_strided<T>(out, sizeof(T), p, step, m);
        out += m * static_cast<int64_t>(sizeof(T));
    });
}

template <class T>
void scatter_rows_of(const BlockCode& code, const WalkAccess& a, int64_t base, const int64_t* coords,
                     const char* in, int64_t n) {
    const int64_t step = a.strides.back();
    for_pieces(code, a, base, coords, n, [&](int64_t at, int64_t m) {
        copy_strided<T>(reinterpret_cast<char*>(at), step, in, sizeof(T), m);
        in += m * static_cast<int64_t>(sizeof(T));
    });
}

// Calls f with a value of a type of `item` bytes.
template <class F>
void by_size(int item, F&& f) {
    switch (item) {
        case 1:
            return f(uint8_t{});
        case 2:
            return f(uint16_t{});
        case 4:
            return f(uint32_t{});
        case 8:
            return f(uint64_t{});
        default:
            return f(Wide{});
    }
}

void iota(int64_t* out, int64_t start, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) out[i] = start + i * step;
}

void run_other(const BlockCode& code, const Frame& f, const Slot& s, int64_t n) {
    void* const out = f.table[s.out];
    void* const in = f.table[s.in];
    switch (s.kind) {
        case SlotKind::Gather:
            s.gather(out, static_cast<const char*>(in), s.stride, s.access == kWholeBlock ? code.block : n);
            return;
        case SlotKind::Iota:
            iota(static_cast<int64_t*>(out), reinterpret_cast<int64_t>(in), s.stride, n);
            return;
        case SlotKind::Scatter:
            s.scatter(static_cast<char*>(out), s.stride, in, n);
            return;
        case SlotKind::Copy:
            std::memmove(out, in, static_cast<size_t>(n * s.item));
            return;
        case SlotKind::Compiled:
            s.compiled(f.table + s.in, n);
            return;
        case SlotKind::Stream:
            s.stream(out, in, n * s.item);
            return;
        case SlotKind::GatherRows:
            by_size(s.item, [&]<class T>(T) {
                gather_rows_of<T>(code, code.accesses[static_cast<size_t>(s.access)],
                                  address(static_cast<const char*>(in)), f.coords, static_cast<char*>(out),
                                  n);
            });
            return;
        case SlotKind::ScatterRows:
            by_size(s.item, [&]<class T>(T) {
                scatter_rows_of<T>(code, code.accesses[static_cast<size_t>(s.access)],
                                   address(static_cast<const char*>(out)), f.coords,
                                   static_cast<const char*>(in), n);
            });
            return;
        case SlotKind::IotaRows: {
            int64_t* o = static_cast<int64_t*>(out);
            for_pieces(code, code.accesses[static_cast<size_t>(s.access)],
                       address(static_cast<const char*>(in)), f.coords, n, [&](int64_t at, int64_t m) {
                           iota(o, at, s.stride, m);
                           o += m;
                       });
            return;
        }
        case SlotKind::Loop:
            s.loop(out, f.table + s.in, n);
            return;
    }
}

// The flags are clear before; what each slot sets is noted and cleared.
void run_noting(const BlockCode& code, const Frame& f, const Slot* slot, const Slot* end, int64_t n) {
    for (; slot != end; ++slot) {
        run_other(code, f, *slot, n);
        const uint8_t kinds = take_kinds(f.notes->wanted);
        if (kinds != 0 && slot->entry >= 0) f.notes->add(slot->entry, kinds);
    }
}

}  // namespace

Scratch::Scratch(int64_t bytes) {
    Arena& a = thread_arena;
    if (a.busy) {  // a launch inside a task of another one
        own_ = next_ =
            static_cast<char*>(::operator new(static_cast<size_t>(bytes), std::align_val_t(kLine)));
        return;
    }
    if (a.bytes < bytes) {
        if (a.base) MemoryPool::process().release(a.base, a.bytes);
        a.base = nullptr;
        a.bytes = 0;
        a.base = MemoryPool::process().allocate(std::max<int64_t>(bytes, 128 << 10));
        a.bytes = std::max<int64_t>(bytes, 128 << 10);
    }
    a.busy = true;
    next_ = a.base;
}

Scratch::~Scratch() {
    if (own_)
        ::operator delete(own_, std::align_val_t(kLine));
    else
        thread_arena.busy = false;
}

int64_t frame_bytes(const BlockCode& code) {
    return code.arena + code.table * 8 + static_cast<int64_t>(code.accesses.size()) * 8 + code.ndim() * 8 +
           4 * kLine;
}

Frame::Frame(const BlockCode& code, Scratch* scratch, const kernel::ConstantValue* constants,
             const FlagNotes* to)
    : notes(to) {
    arena = scratch->take<char>(code.arena);
    table = scratch->take<void*>(code.table);
    at = scratch->take<int64_t>(static_cast<int64_t>(code.accesses.size()));
    coords = scratch->take<int64_t>(code.ndim());
    for (auto [entry, offset] : code.buffers) table[entry] = arena + offset;
    for (auto [entry, constant] : code.constants)
        table[entry] = const_cast<unsigned char*>(constants[constant].bytes);
}

void run_slots(const BlockCode& code, const Frame& f, const Slot* slot, const Slot* end, int64_t n) {
    void** const table = f.table;
    if (f.notes) [[unlikely]]
        return run_noting(code, f, slot, end, n);
    for (; slot != end; ++slot) {
        if (slot->kind == SlotKind::Loop) [[likely]]
            slot->loop(table[slot->out], table + slot->in, n);
        else
            run_other(code, f, *slot, n);
    }
}

void place_row(const BlockCode& code, const Frame& f, char* const* pointers, const int64_t* coords) {
    const size_t outer = code.shape.size() - 1;
    for (size_t a = 0; a < code.accesses.size(); ++a) {
        const WalkAccess& w = code.accesses[a];
        int64_t p = address(pointers[w.pointer]);
        for (size_t d = 0; d < outer; ++d) p += coords[d] * w.strides[d];
        f.at[a] = p;
    }
}

void next_row(const BlockCode& code, const Frame& f, int64_t* coords) {
    size_t d = code.shape.size() - 2;
    while (coords[d] + 1 == code.shape[d]) {
        for (size_t a = 0; a < code.accesses.size(); ++a) f.at[a] -= coords[d] * code.accesses[a].strides[d];
        coords[d] = 0;
        --d;
    }
    ++coords[d];
    for (size_t a = 0; a < code.accesses.size(); ++a) f.at[a] += code.accesses[a].strides[d];
}

}  // namespace numloom::cpu
