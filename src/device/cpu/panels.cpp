#include "device/cpu/panels.hpp"

namespace numloom::cpu {

namespace {

// Of the columns from `column` on the first n, of `columns` that there are.
void fill(const BlockCode& code, const Frame& f, const Panel& p, int64_t column, int64_t rows, int64_t n,
          int64_t columns) {
    const int64_t stride = code.accesses[static_cast<size_t>(p.access)].strides.back();
    const char* const src = reinterpret_cast<const char*>(f.at[p.access] + column * stride);
    p.transpose(f.arena + p.offset, code.block, src, stride, rows, n, columns);
}

// Columns [column, column + n) of `rows` rows from f.at on.
void run_piece(const BlockCode& code, const Frame& f, int64_t column, int64_t rows, int64_t n) {
    const size_t outer = code.shape.size() - 2;
    for (int64_t r = 0; r < rows; ++r) {
        if (r > 0)
            for (size_t a = 0; a < code.accesses.size(); ++a) f.at[a] += code.accesses[a].strides[outer];
        for (auto [entry, panel] : code.panel_entries) {
            const Panel& p = code.panels[static_cast<size_t>(panel)];
            f.table[entry] = f.arena + p.offset + r * code.block * p.item;
        }
        start_row(code, f);
        set_movers(code.block_movers, f, column);
        run_body(code, f, n);
    }
    for (size_t a = 0; a < code.accesses.size(); ++a) f.at[a] -= (rows - 1) * code.accesses[a].strides[outer];
}

}  // namespace

void walk_panels(const BlockCode& code, const Frame& f, char* const* pointers, int64_t begin, int64_t end) {
    const int64_t inner = code.inner();
    const size_t last = code.shape.size() - 1;
    for (int64_t p = begin; p < end;) {
        unravel(code.shape, p, f.coords);
        const int64_t first = f.coords[last];
        int64_t rows = 1, stop = std::min(inner, first + end - p);
        if (first == 0 && stop == inner)
            rows = std::min({code.panel_rows, code.shape[last - 1] - f.coords[last - 1], (end - p) / inner});
        place_row(code, f, pointers, f.coords);
        for (int64_t column = first; column < stop; column += code.block) {
            const int64_t n = std::min(code.block, stop - column);
            for (const Panel& panel : code.panels) fill(code, f, panel, column, rows, n, stop - column);
            run_piece(code, f, column, rows, n);
        }
        p += (rows - 1) * inner + (stop - first);
    }
}

}  // namespace numloom::cpu
