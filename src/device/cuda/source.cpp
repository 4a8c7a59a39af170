#include "device/cuda/source.hpp"

#include "device/cuda/emitter.hpp"

namespace numloom::cuda {

using kernel::Access;
using kernel::Kernel;
using kernel::TapeEntry;
using kernel::TapeKind;

Divider::Divider(uint32_t d) {
    shift = 0;
    while ((uint64_t{1} << shift) < d) ++shift;
    mul = static_cast<uint32_t>((((uint64_t{1} << 32) * ((uint64_t{1} << shift) - d)) / d) + 1);
}

bool narrow(const Kernel& k) {
    constexpr int64_t limit = (int64_t{1} << 31) - (int64_t{1} << 20);  // room for the last block's overhang
    if (k.points() >= limit) return false;
    for (const Access& a : k.accesses) {
        if (a.view < 0) continue;
        int64_t reach = 0;
        for (int d = 0; d < k.ndim(); ++d) {
            const int64_t stride = a.strides[static_cast<size_t>(d)];
            if (stride % item_size(a.dtype) != 0) return false;
            reach += (stride < 0 ? -stride : stride) / item_size(a.dtype) * k.shape[static_cast<size_t>(d)];
        }
        if (reach >= limit) return false;
    }
    return true;
}

bool flat(const Kernel& k) {
    if (k.ndim() > 1 || k.reduces()) return false;
    for (const Access& a : k.accesses) {
        const int64_t stride = k.ndim() == 0 ? 0 : a.strides[0];
        const bool fixed = stride == 0 && !a.stores;
        if (a.view >= 0 && !fixed && stride != item_size(a.dtype)) return false;
    }
    return narrow(k);
}

int64_t tape_weight(const Kernel& k) {
    int64_t weight = 0;
    for (const TapeEntry& e : k.tape) {
        if (e.kind != TapeKind::Compute) {
            weight += 1;
            continue;
        }
        const bool slow = e.op == OpCode::Divide || e.op == OpCode::Sqrt || operation(e.op).has(T_WARNS);
        const int64_t one = operation(e.op).has(T_MATH) ? 30 : slow ? 8 : 1;
        weight += is_complex(e.type) ? 3 * one : one;
    }
    return weight;
}

namespace {

// Threads of the block take points at a distance of one block, so that neighbours touch neighbours.
std::string linear_kernel(Emitter& e, const Variant& v) {
    const std::string n = std::to_string(v.tuning.unroll);
    std::string s = e.elementwise_body(Form::Linear, v.tuning);
    s += e.signature();
    s += "    const u64 begin = p.i[Begin], end = p.i[End];\n"
         "    const u64 first = begin + (u64)blockIdx.x * (THREADS * " +
         n +
         ") + threadIdx.x;\n"
         "    if (first + (" +
         n +
         " - 1) * THREADS < end) {\n"
         "        body<" +
         n +
         ">(p, (idx)first, THREADS);\n"
         "    } else {\n"
         "        for (int q = 0; q < " +
         n +
         "; ++q)\n"
         "            if (first + q * THREADS < end) body<1>(p, (idx)(first + q * THREADS), 0);\n"
         "    }\n"
         "}\n";
    return s;
}

std::string flat_kernel(Emitter& e, const Variant& v) {
    const std::string n = std::to_string(v.tuning.unroll), w = std::to_string(v.tuning.vector);
    std::string s = e.elementwise_body(Form::Linear, v.tuning) + e.elementwise_body(Form::Flat, v.tuning);
    s += e.signature();
    s += "    const u64 begin = p.i[Begin], end = p.i[End];\n"
         "    const u64 first = begin / " +
         w + " + (u64)blockIdx.x * (THREADS * " + n +
         ") + threadIdx.x;\n"
         "    if (first * " +
         w + " >= begin && (first + (" + n + " - 1) * THREADS + 1) * " + w +
         " <= end) {\n"
         "        vectors<" +
         n +
         ">(p, (idx)first);\n"
         "    } else {\n"
         "        for (int q = 0; q < " +
         n +
         "; ++q)\n"
         "            for (int j = 0; j < " +
         w +
         "; ++j) {\n"
         "                const u64 at = (first + q * THREADS) * " +
         w +
         " + j;\n"
         "                if (at >= begin && at < end) body<1>(p, (idx)at, 0);\n"
         "            }\n"
         "    }\n"
         "}\n";
    return s;
}

// A block covers `width` columns and unroll * THREADS / width rows; a thread's rows are consecutive, so that
// rows shifted by one are found in L1. The first and last row of a range may be partial.
std::string rows_kernel(Emitter& e, const Variant& v) {
    const std::string n = std::to_string(v.tuning.unroll), w = std::to_string(v.tuning.width);
    std::string s = e.elementwise_body(Form::Rows, v.tuning);
    s += e.signature();
    s += "    const u64 begin = p.i[Begin], end = p.i[End];\n"
         "    const idx inner = (idx)" +
         e.extent(e.rank() - 1) +
         ";\n"
         "    idx column;\n"
         "    const idx band = split((idx)blockIdx.x, p.i[Blocks], p.i[BlocksMul], p.i[BlocksShift], "
         "column);\n"
         "    column = column * " +
         w + " + threadIdx.x % " + w +
         ";\n"
         "    const u64 row = p.i[First] + ((u64)band * (THREADS / " +
         w + ") + threadIdx.x / " + w + ") * " + n +
         ";\n"
         "    if (column >= inner) return;\n"
         "    const u64 at = row * inner + column;\n"
         "    if (at >= begin && at + (" +
         n +
         " - 1) * (u64)inner < end) {\n"
         "        body<" +
         n +
         ">(p, column, (idx)row);\n"
         "    } else {\n"
         "        for (int q = 0; q < " +
         n +
         "; ++q)\n"
         "            if (at + q * (u64)inner >= begin && at + q * (u64)inner < end) body<1>(p, column, "
         "(idx)(row + q));\n"
         "    }\n"
         "}\n";
    return s;
}

}  // namespace

Source generate(const Kernel& k, const Variant& v) {
    Emitter e(k, v);
    std::string body;
    switch (v.form) {
        case Form::Flat:
            body = flat_kernel(e, v);
            break;
        case Form::Linear:
            body = linear_kernel(e, v);
            break;
        case Form::Rows:
            body = rows_kernel(e, v);
            break;
        case Form::Leaves:
            body = leaves_kernel(e, v);
            break;
        case Form::Short:
            body = short_kernel(e, v);
            break;
        case Form::Combine:
            body = combine_kernel(e, v);
            break;
    }
    Source s;
    s.slots = e.slots();
    s.text = e.header() + body;
    return s;
}

}  // namespace numloom::cuda
