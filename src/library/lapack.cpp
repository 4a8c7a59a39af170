// LAPACK's functions found by name, and stacks of matrices.
#include "library/lapack.hpp"

namespace numloom::library {
namespace {

struct Names {
    const char *real, *complex;
};
constexpr Names kNames[kRoutines] = {{"dgesv", "zgesv"},   {"dgetrf", "zgetrf"}, {"dpotrf", "zpotrf"},
                                     {"dgeqrf", "zgeqrf"}, {"dorgqr", "zungqr"}, {"dsyevd", "zheevd"},
                                     {"dgeev", "zgeev"},   {"dgesdd", "zgesdd"}, {"dgelsd", "zgelsd"}};
bool complete = false;

}  // namespace

void* lapack_routines[2][kRoutines] = {};

bool load_lapack(void* handle) {
    void* found[2][kRoutines];
    for (int r = 0; r < kRoutines; ++r) {
        found[0][r] = blas_symbol(handle, kNames[r].real, false);
        found[1][r] = blas_symbol(handle, kNames[r].complex, false);
        if (!found[0][r] || !found[1][r]) return false;
    }
    std::copy(&found[0][0], &found[0][0] + 2 * kRoutines, &lapack_routines[0][0]);
    return complete = true;
}

bool has_lapack() { return complete; }

Stack::Stack(const CallOperand& operand, std::span<const int64_t> batch, int core)
    : data_(operand.data), dtype_(operand.dtype) {
    const Layout& l = *operand.layout;
    const int outer = l.ndim() - core;
    if (core > 0) rows = l.shape(outer), row_step_ = l.stride(outer);
    if (core > 1) columns = l.shape(outer + 1), column_step_ = l.stride(outer + 1);
    const int extra = static_cast<int>(batch.size()) - outer;
    for (int i = static_cast<int>(batch.size()) - 1; i >= 0; --i) {
        const int own = i - extra;
        axes_.emplace_back(batch[static_cast<size_t>(i)],
                           own >= 0 && l.shape(own) != 1 ? l.stride(own) : Int{0});
    }
}

char* Stack::at(Int b) const {
    char* p = data_;
    for (const auto& [extent, step] : axes_) {
        p += b % extent * step;
        b /= extent;
    }
    return p;
}

LinalgStatus linalg(std::string_view name, Parameters parameters, Outputs out, Inputs in) {
    if (!complete) return LinalgStatus::NoSuchThing;
    for (std::span<const LinalgEntry> entries : {lu_entries(), qr_entries(), eigen_entries(), svd_entries()})
        for (const LinalgEntry& e : entries)
            if (e.name == name) return e.run(parameters, out, in);
    return LinalgStatus::NoSuchThing;
}

}  // namespace numloom::library
