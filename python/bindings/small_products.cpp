// Products of small matrices and vectors whose values are there already: computed at the call, since
// recording and planning would cost more than the product. Any strides: elements are gathered first.
#include <cstring>

#include "operand.hpp"

namespace numloom::python {
namespace {

// Multiplications up to which the product costs less than recording it.
constexpr int64_t kProducts = 1 << 14;
constexpr int64_t kElements = 1 << 12;

// Copies rows x columns elements of `size` bytes into C order.
template <int64_t size>
void gather(const char* from, int64_t rows, int64_t columns, int64_t row_step, int64_t step, char* to) {
    for (int64_t i = 0; i < rows; ++i, from += row_step)
        for (int64_t j = 0; j < columns; ++j, to += size) std::memcpy(to, from + j * step, size);
}

// One factor: its memory as it is where it is dense (also as its transpose), else gathered into `space`.
struct Factor {
    CallOperand operand;
    bool transposed = false;
    std::vector<char> space;

    bool take(const Array& a) {
        const char* memory = current_memory(a, a.offset(), false);
        if (!memory) return false;
        operand = {const_cast<char*>(memory), a.layout(), a.dtype()};
        if (a.c_contiguous()) return true;
        const Layout& l = *a.layout();
        const bool matrix = a.ndim() == 2;
        const int64_t size = item_size(a.dtype());
        if (matrix && l.f_contiguous(size)) {
            transposed = true;
            operand.layout = Layout::c_order(Dims{l.shape(1), l.shape(0)}, size);
            return true;
        }
        const int last = a.ndim() - 1;
        const int64_t rows = matrix ? l.shape(0) : 1, columns = l.shape(last);
        const int64_t row_step = matrix ? l.stride(0) : 0, step = l.stride(last);
        space.resize(static_cast<size_t>(a.size() * size));
        char* to = space.data();
        switch (size) {
            case 1:
                gather<1>(memory, rows, columns, row_step, step, to);
                break;
            case 2:
                gather<2>(memory, rows, columns, row_step, step, to);
                break;
            case 4:
                gather<4>(memory, rows, columns, row_step, step, to);
                break;
            case 8:
                gather<8>(memory, rows, columns, row_step, step, to);
                break;
            default:
                gather<16>(memory, rows, columns, row_step, step, to);
                break;
        }
        operand.data = to;
        operand.layout = Layout::c_order(Dims(a.shape()), size);
        return true;
    }
};

}  // namespace

PyObject* small_product(const Array& a, const Array& b, int64_t m, int64_t k, int64_t n) {
    const bool nothing = m * k * n == 0;  // sums of nothing: zeros
    if (m * k * n > kProducts || m * n > kElements || a.size() > kElements || b.size() > kElements)
        return nullptr;
    Factor left, right;
    if (!nothing && (!left.take(a) || !right.take(b))) return nullptr;
    alignas(16) char bytes[16 * 64] = {};
    std::vector<char> more;
    const int64_t size = item_size(a.dtype());
    char* out = bytes;
    if (m * n > 64) {
        more.resize(static_cast<size_t>(m * n * size));
        out = more.data();
    }
    Dims shape;
    if (a.ndim() == 2) shape.push(m);
    if (b.ndim() == 2) shape.push(n);
    const int64_t parameters[] = {1, m, k, n, 0, 0, left.transposed, right.transposed};
    const CallOperand in[2] = {left.operand, right.operand};
    if (!nothing) run_call("matmul", parameters, {out, Layout::c_order(shape, size), a.dtype()}, in);
    if (shape.n == 0) return make_numpy_scalar(a.dtype(), out);
    return new_array(engine().from_host(a.dtype(), shape, out));
}

}  // namespace numloom::python
