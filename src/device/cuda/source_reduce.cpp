// Text of the two stages of a reduction. The order of combination is that of kernel/ir.hpp and
// kernel/reduction.hpp.
#include "device/cuda/emitter.hpp"

namespace numloom::cuda {

using kernel::Kernel;

namespace {

std::string number(size_t i) { return std::to_string(i); }

// finish(p, kept, r0, r1, ...): the finish tape of one kept point.
std::string finish_function(const Emitter& e) {
    const Kernel& k = e.kernel();
    std::string s = "static __device__ __forceinline__ void finish(const P& p, idx kept";
    for (size_t r = 0; r < k.reductions.size(); ++r)
        s += std::string(", ") + Emitter::type(e.accumulator(r)) + " r" + number(r);
    s += ") {\n    const int q = 0;\n    (void)q;\n" + e.decompose(0, k.kept, "kept");
    for (size_t c = 0; c < e.classes(); ++c)
        s += "    const " + e.offset_type(c) + " o" + number(c) + "[1] = {" + e.offset(c, 0, k.kept) + "};\n";
    return s + e.loads(k.finish, "1") + e.compute(k.finish) + "}\n";
}

// body<N>: N points at a distance of 8, folded in order into the lane's accumulators s<r>.
std::string fold_function(const Emitter& e) {
    const Kernel& k = e.kernel();
    std::string s =
        "template <int N>\nstatic __device__ __forceinline__ void body(const P& p, idx point, bool start";
    for (size_t c = 0; c < e.classes(); ++c) s += ", " + e.offset_type(c) + " k" + number(c);
    for (size_t r = 0; r < k.reductions.size(); ++r)
        s += std::string(", ") + Emitter::type(e.accumulator(r)) + "& s" + number(r);
    s += ") {\n";
    for (size_t c = 0; c < e.classes(); ++c) s += "    " + e.offset_type(c) + " o" + number(c) + "[N];\n";
    s += "#pragma unroll\n    for (int q = 0; q < N; ++q) {\n" +
         e.decompose(k.kept, e.rank(), "point + q * 8");
    for (size_t c = 0; c < e.classes(); ++c)
        s += "        o" + number(c) + "[q] = k" + number(c) + " + " + e.offset(c, k.kept, e.rank()) + ";\n";
    s += "    }\n" + e.loads(k.tape, "N") + "#pragma unroll\n    for (int q = 0; q < N; ++q) {\n" +
         e.compute(k.tape);
    for (size_t r = 0; r < k.reductions.size(); ++r) {
        const std::string acc = "s" + number(r), value = "t" + std::to_string(k.reductions[r].value);
        s += "        " + acc + " = start && q == 0 ? " + value + " : " +
             Emitter::apply(k.reductions[r].op, e.accumulator(r), acc + ", " + value) + ";\n";
    }
    return s + "    }\n}\n";
}

// x<r>[t] = op(x<r>[t], x<r>[t + distance]) for all reductions.
std::string combine_pairs(const Emitter& e, const std::string& distance) {
    const Kernel& k = e.kernel();
    std::string s;
    for (size_t r = 0; r < k.reductions.size(); ++r) {
        const std::string x = "x" + number(r);
        s +=
            " " + x + "[t] = " +
            Emitter::apply(k.reductions[r].op, e.accumulator(r), x + "[t], " + x + "[t + " + distance + "]") +
            ";";
    }
    return s;
}

// Where reduction r of kept point `kept`, value `j` of `count`, lies among partial results.
std::string partial(size_t r, const std::string& base, const std::string& count, const std::string& j) {
    return "((char*)" + base + " + 16 * (((u64)" + number(r) + " * p.i[Kept] + kept) * " + count + " + " + j +
           "))";
}

std::string geometry(const Tuning& t) {
    return "#define KF " + std::to_string(t.kept_fast) + "\n#define NL " + std::to_string(t.lanes) +
           "\n#define TL " + std::to_string(t.leaves) + "\n#define KS " + std::to_string(t.kept_slow) + "\n";
}

// Folds this thread's lane of its leaf, `unroll` loads of each access in flight.
std::string fold_loop(const Emitter& e, const Variant& v) {
    const Kernel& k = e.kernel();
    const std::string n = std::to_string(v.tuning.unroll);
    std::string arguments, s;
    for (size_t c = 0; c < e.classes(); ++c) arguments += ", k" + number(c);
    for (size_t r = 0; r < k.reductions.size(); ++r) arguments += ", s" + number(r);
    for (size_t r = 0; r < k.reductions.size(); ++r)
        s += std::string("    ") + Emitter::type(e.accumulator(r)) + " s" + number(r) + "{};\n";
    s += "    const int count = active ? (int)min((i64)1024, p.i[Reduced] - leaf * 1024) : 0;\n"
         "    if (active) {\n" +
         e.decompose(0, k.kept, "(idx)kept");
    for (size_t c = 0; c < e.classes(); ++c)
        s += "        const " + e.offset_type(c) + " k" + number(c) + " = " + e.offset(c, 0, k.kept) + ";\n";
    s += "        const idx from = (idx)(leaf * 1024);\n"
         "        int at = lane;\n"
         "        bool start = true;\n"
         "        for (; at + 8 * (" +
         n + " - 1) < count; at += 8 * " + n +
         ", start = false)\n"
         "            body<" +
         n + ">(p, from + at, start" + arguments +
         ");\n"
         "        for (; at < count; at += 8, start = false) body<1>(p, from + at, start" +
         arguments +
         ");\n"
         "    }\n";
    return s;
}

}  // namespace

// All points of a kept point are loaded at once, the last one again in place of those that are missing: a
// lane each, so that no fold is needed before the lanes are combined.
std::string short_kernel(Emitter& e, const Variant& v) {
    const Kernel& k = e.kernel();
    const std::string lanes = std::to_string(v.tuning.lanes);
    std::string s = finish_function(e) + e.signature();
    s += "    const u64 kept = p.i[Begin] + (u64)blockIdx.x * THREADS + threadIdx.x;\n"
         "    if (kept >= (u64)p.i[End]) return;\n"
         "    const int N = " +
         lanes + ", count = (int)p.i[Reduced];\n" + e.decompose(0, k.kept, "(idx)kept");
    for (size_t c = 0; c < e.classes(); ++c)
        s += "    const " + e.offset_type(c) + " k" + number(c) + " = " + e.offset(c, 0, k.kept) + ";\n    " +
             e.offset_type(c) + " o" + number(c) + "[N];\n";
    s += "#pragma unroll\n    for (int q = 0; q < N; ++q) {\n" +
         e.decompose(k.kept, e.rank(), "(idx)min(q, count - 1)");
    for (size_t c = 0; c < e.classes(); ++c)
        s += "        o" + number(c) + "[q] = k" + number(c) + " + " + e.offset(c, k.kept, e.rank()) + ";\n";
    s += "    }\n" + e.loads(k.tape, "N");
    for (size_t r = 0; r < k.reductions.size(); ++r)
        s += std::string("    ") + Emitter::type(e.accumulator(r)) + " x" + number(r) + "[N];\n";
    s += "#pragma unroll\n    for (int q = 0; q < N; ++q) {\n" + e.compute(k.tape);
    for (size_t r = 0; r < k.reductions.size(); ++r)
        s += "        x" + number(r) + "[q] = t" + std::to_string(k.reductions[r].value) + ";\n";
    s += "    }\n"
         "#pragma unroll\n    for (int w = 1; w < N; w *= 2)\n"
         "#pragma unroll\n        for (int t = 0; t + w < N; t += 2 * w)\n"
         "            if (t + w < count) {" +
         combine_pairs(e, "w") +
         " }\n"
         "    finish(p, (idx)kept";
    for (size_t r = 0; r < k.reductions.size(); ++r) s += ", x" + number(r) + "[0]";
    return s + ");\n}\n";
}

// Thread t of a block: kept point (fast part), lane, leaf, kept point (slow part), fastest first. Where the
// kept dimensions are the contiguous ones, neighbouring threads take neighbouring kept points, else
// neighbouring lanes.
std::string leaves_kernel(Emitter& e, const Variant& v) {
    const Kernel& k = e.kernel();
    const bool groups_first = v.tuning.kept_fast == 1;
    std::string s =
        geometry(v.tuning) + fold_function(e) + (v.finishes ? finish_function(e) : "") + e.signature();
    s +=
        "    const int t = threadIdx.x, lane = t / KF % NL, lf = t / (KF * NL) % TL;\n"
        "    idx other;\n"
        "    const idx one = split((idx)blockIdx.x, p.i[Blocks], p.i[BlocksMul], p.i[BlocksShift], other);\n";
    s += groups_first ? "    const i64 tile = one, group = other;\n"
                      : "    const i64 tile = other, group = one;\n";
    s += "    const i64 kept = p.i[First] + tile * (KF * KS) + t / (KF * NL * TL) * KF + t % KF;\n"
         "    const i64 leaf = p.i[FirstLeaf] + group * TL + lf;\n";
    s += v.single_leaves ? "    const i64 unit = kept * p.i[Leaves] + leaf;\n"
                           "    const bool active = kept < p.i[Kept] && leaf < p.i[Leaves] && unit >= "
                           "p.i[Begin] && unit < p.i[End];\n"
                         : "    const bool active = kept < p.i[End] && leaf < p.i[Leaves];\n";
    s += fold_loop(e, v);
    for (size_t r = 0; r < k.reductions.size(); ++r) {
        const std::string ty = Emitter::type(e.accumulator(r)), i = number(r);
        s += "    __shared__ alignas(16) unsigned char m" + i + "[THREADS * sizeof(" + ty + ")];\n    " + ty +
             "* const x" + i + " = (" + ty + "*)m" + i + ";\n    x" + i + "[t] = s" + i + ";\n";
    }
    s += "    const int lanes = min(count, 8);\n"
         "    for (int w = 1; w < NL; w *= 2) {\n"
         "        __syncthreads();\n"
         "        if (lane % (2 * w) == 0 && lane + w < lanes) {" +
         combine_pairs(e, "w * KF") +
         " }\n"
         "    }\n";
    if (v.single_leaves) {
        s += "    if (lane == 0 && active) {\n";
        for (size_t r = 0; r < k.reductions.size(); ++r)
            s += std::string("        *(") + Emitter::type(e.accumulator(r)) + "*)" +
                 partial(r, "p.i[Target]", "p.i[Leaves]", "leaf") + " = x" + number(r) + "[t];\n";
        return s + "    }\n}\n";
    }
    s += "    const i64 rest = p.i[Leaves] - (leaf - lf);\n"
         "    for (int w = 1; w < TL; w *= 2) {\n"
         "        __syncthreads();\n"
         "        if (lane == 0 && active && lf % (2 * w) == 0 && lf + w < TL && lf + w < rest) {" +
         combine_pairs(e, "w * KF * NL") +
         " }\n"
         "    }\n"
         "    if (lane == 0 && lf == 0 && active) {\n";
    if (v.finishes) {
        s += "        finish(p, (idx)kept";
        for (size_t r = 0; r < k.reductions.size(); ++r) s += ", x" + number(r) + "[t]";
        s += ");\n";
    } else {
        for (size_t r = 0; r < k.reductions.size(); ++r)
            s += std::string("        *(") + Emitter::type(e.accumulator(r)) + "*)" +
                 partial(r, "p.i[Target]", "p.i[Groups]", "group") + " = x" + number(r) + "[t];\n";
    }
    return s + "    }\n}\n";
}

namespace {

// reduce<r>(p, kept, active): the tree over the values of one kept point, by TL threads, 8 values a thread
// and round. The result is valid in the thread with t % TL == 0.
std::string tree_function(const Emitter& e, size_t r, int threads, bool rounds) {
    const kernel::Reduction& red = e.kernel().reductions[r];
    const std::string ty = Emitter::type(e.accumulator(r));
    auto op = [&](const std::string& a, const std::string& b) {
        return a + " = " + Emitter::apply(red.op, e.accumulator(r), a + ", " + b) + ";";
    };
    std::string s = "static __device__ " + ty + " reduce" + number(r) +
                    "(const P& p, i64 kept, bool active, unsigned char* m, unsigned char* tops) {\n";
    s += "    const int t = threadIdx.x, sub = t % TL;\n"
         "    " +
         ty + "* const x = (" + ty +
         "*)m;\n"
         "    " +
         ty + "* const y = (" + ty +
         "*)tops;\n"
         "    const i64 n = p.i[Groups];\n"
         "    int round = 0;\n"
         "    for (i64 base = 0; base < n; base += TL * 8, ++round) {\n"
         "        const i64 at = base + sub * 8, left = active ? n - at : 0;\n"
         "        " +
         ty +
         " v[8] = {};\n"
         "#pragma unroll\n"
         "        for (int j = 0; j < 8; ++j)\n"
         "            if (j < left) v[j] = *(const " +
         ty + "*)" + partial(r, "p.i[Source]", "n", "(at + j)") +
         ";\n"
         "#pragma unroll\n"
         "        for (int w = 1; w < 8; w *= 2)\n"
         "#pragma unroll\n"
         "            for (int j = 0; j < 8; j += 2 * w)\n"
         "                if (j + w < left) " +
         op("v[j]", "v[j + w]") +
         "\n"
         "        __syncthreads();\n"
         "        x[t] = v[0];\n"
         "        const i64 parts = active ? (n - base + 7) / 8 : 0;\n"
         "        for (int w = 1; w < TL; w *= 2) {\n"
         "            __syncthreads();\n"
         "            if (sub % (2 * w) == 0 && sub + w < TL && sub + w < parts) " +
         op("x[t]", "x[t + w]") +
         "\n"
         "        }\n";
    if (!rounds) return s + "    }\n    return x[t];\n}\n";
    s += "        if (t == 0) y[round] = x[0];\n"
         "    }\n"
         "    for (int w = 1; w < round; w *= 2) {\n"
         "        __syncthreads();\n"
         "        for (int j = t * 2 * w; j + w < round; j += " +
         std::to_string(threads) + " * 2 * w) " + op("y[j]", "y[j + w]") +
         "\n"
         "    }\n"
         "    __syncthreads();\n"
         "    return y[0];\n}\n";
    return s;
}

}  // namespace

std::string combine_kernel(Emitter& e, const Variant& v) {
    const Kernel& k = e.kernel();
    const int threads = v.tuning.leaves > kThreads ? v.tuning.leaves : kThreads;
    const bool rounds = v.tuning.leaves >= kMostThreads;
    const bool empty = k.reduced_points() == 0;
    std::string s = geometry(v.tuning) + finish_function(e);
    for (size_t r = 0; r < k.reductions.size() && !empty; ++r) s += tree_function(e, r, threads, rounds);
    s += e.signature(threads);
    s += "    const int t = threadIdx.x;\n"
         "    const i64 kept = p.i[Begin] + (i64)blockIdx.x * (" +
         std::to_string(threads) +
         " / TL) + t / TL;\n"
         "    const bool active = kept < p.i[End];\n";
    if (!empty) {
        s += "    __shared__ alignas(16) unsigned char m[" + std::to_string(threads) + " * 16];\n";
        s += "    __shared__ alignas(16) unsigned char tops[" + std::to_string(rounds ? kMostRounds : 1) +
             " * 16];\n";
    }
    for (size_t r = 0; r < k.reductions.size(); ++r) {
        const DType d = e.accumulator(r);
        s += std::string("    const ") + Emitter::type(d) + " r" + number(r) + " = ";
        s += empty ? e.constant_value(static_cast<int32_t>(k.constants.size() + r), d) + ";\n"
                   : "reduce" + number(r) + "(p, kept, active, m, tops);\n    __syncthreads();\n";
    }
    s += "    if (active && t % TL == 0) finish(p, (idx)kept";
    for (size_t r = 0; r < k.reductions.size(); ++r) s += ", r" + number(r);
    return s + ");\n}\n";
}

}  // namespace numloom::cuda
