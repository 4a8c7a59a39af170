// Operations that are calls of the library: scans, sorting, selection, products; and joining.
#include "api/internal.hpp"

namespace numloom {
namespace api {
namespace {

void call(std::string_view name, std::initializer_list<int64_t> parameters, const Handle& out,
          std::initializer_list<Handle> in) {
    if (out.size() == 0) return;
    Operand operands[3];
    size_t n = 0;
    for (const Handle& h : in) operands[n++] = h.operand();
    engine().call(library::make_call(name, {parameters.begin(), parameters.size()}), out.operand(),
                  {operands, n});
}

// Lengths before, along and after one axis.
struct Lines {
    int64_t outer = 1, n = 1, inner = 1;
};
Lines lines(const Handle& a, int axis) {
    Lines l;
    for (int i = 0; i < a.ndim(); ++i)
        (i < axis ? l.outer : i == axis ? l.n : l.inner) *= a.layout()->shape(i);
    return l;
}

Handle extreme_position(const char* name, const Handle& a, std::optional<int64_t> axis) {
    Lines l{1, a.size(), 1};
    Dims shape;
    if (axis) {
        const auto at = static_cast<int>(axis_index(*axis, a.ndim()));
        l = lines(a, at);
        for (int i = 0; i < a.ndim(); ++i)
            if (i != at) shape.push(a.layout()->shape(i));
    }
    if (l.n == 0) fail(ErrorKind::Value, "attempt to get " + std::string(name) + " of an empty sequence");
    if (is_complex(a.dtype())) fail(ErrorKind::NotImplemented, std::string(name) + " of complex values");
    Handle out = engine().empty(Type::Int64, shape);
    call(name, {l.outer, l.n, l.inner}, out, {dense(a)});
    return out;
}

Handle scan(const char* name, const Handle& a, int64_t axis) {
    const auto at = static_cast<int>(axis_index(axis, a.ndim()));
    Type d = a.dtype();
    if (d == Type::Bool || numloom::kind(d) == Kind::Signed) d = Type::Int64;
    if (numloom::kind(d) == Kind::Unsigned) d = Type::UInt64;
    const Lines l = lines(a, at);
    Handle out = engine().empty(d, a.shape());
    call(name, {l.outer, l.n, l.inner}, out, {dense(converted(a, d))});
    return out;
}

// `name` on the lines along an axis.
v1::Array along(const char* name, const v1::Array& a, int64_t axis, Type result) {
    const Handle& h = handle(a);
    const Lines l = lines(h, static_cast<int>(axis_index(axis, h.ndim())));
    Handle out = engine().empty(result, h.shape());
    call(name, {l.n, l.inner}, out, {dense(h)});
    return wrap(std::move(out));
}

// Positions in [0, n) as int64, checked at the call.
v1::Array checked_positions(const v1::Array& positions, int64_t n, int64_t axis) {
    if (!is_integer(handle(positions).dtype()))
        fail(ErrorKind::Type, "positions must be integers, not " + std::string(name(positions.dtype())));
    v1::Array p = wrap(dense(converted(handle(positions), Type::Int64)));
    if (p.size() == 0) return p;
    const auto low = min(p).item<int64_t>(), high = max(p).item<int64_t>();
    if (low < -n || high >= n)
        fail(ErrorKind::Index, "index " + std::to_string(low < -n ? low : high) +
                                   " is out of bounds for axis " + std::to_string(axis) + " with size " +
                                   std::to_string(n));
    return low < 0 ? where(p < 0, p + n, p) : p;
}

Handle taken(const v1::Array& a, const v1::Array& positions, std::optional<int64_t> axis) {
    const v1::Array flat = axis ? a : a.ravel();
    const Handle source = dense(handle(flat));
    const auto at = static_cast<int>(axis_index(axis.value_or(0), source.ndim()));
    const Lines l = lines(source, at);
    const v1::Array p = checked_positions(positions, l.n, at);
    Dims shape;
    for (int i = 0; i < source.ndim(); ++i) {
        if (i != at) {
            shape.push(source.layout()->shape(i));
            continue;
        }
        for (int64_t n : p.shape()) shape.push(n);
    }
    Handle out = engine().empty(source.dtype(), shape);
    call("take", {l.outer, l.n, l.inner}, out, {source, dense(handle(p))});
    return out;
}

void put_at(const v1::Array& a, const v1::Array& positions, const Value& values) {
    const Handle& target = handle(a);
    check_writeable(target);
    const v1::Array p = checked_positions(positions, a.size(), 0);
    const v1::Array given = empty(p.shape(), a.dtype());
    given.assign(values);
    const Handle flat = dense(target);
    if (p.size() == 0) return;
    // The positions may lie in what is written.
    const Handle index = p.shares_memory(a) ? handle(p.copy()) : dense(handle(p));
    call("put", {1}, flat, {index, handle(given), flat});
    if (flat.storage() != target.storage()) engine().assign(target.operand(), flat.operand());
}

// --- products ---

Handle product(const v1::Array& a, const v1::Array& b) {
    const Type d = promote(handle(a).dtype(), handle(b).dtype());
    if (a.ndim() == 0 || b.ndim() == 0)
        fail(ErrorKind::Value, "matmul: Input operand " + std::string(a.ndim() == 0 ? "0" : "1") +
                                   " does not have enough dimensions (has 0, gufunc core with signature "
                                   "(n?,k),(k,m?)->(n?,m?) requires 1)");
    const v1::Array left = a.ndim() == 1 ? a(newaxis) : a, right = b.ndim() == 1 ? b(ellipsis, newaxis) : b;
    const Shape ls = left.shape(), rs = right.shape();
    const int64_t m = ls[ls.size() - 2], k = ls.back(), n = rs.back();
    if (rs[rs.size() - 2] != k)
        fail(ErrorKind::Value,
             "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
             "(n?,k),(k,m?)->(n?,m?) (size " +
                 std::to_string(rs[rs.size() - 2]) + " is different from " + std::to_string(k) + ")");
    Dims batch;
    if (!broadcast_shapes(std::span(ls).first(ls.size() - 2), std::span(rs).first(rs.size() - 2), &batch))
        fail(ErrorKind::Value,
             "operands could not be broadcast together with remapped shapes [original->remapped]: " +
                 tuple_text(ls) + " " + tuple_text(rs));
    Shape full_left(batch.begin(), batch.end()), full_right = full_left, shape = full_left;
    full_left.insert(full_left.end(), {m, k});
    full_right.insert(full_right.end(), {k, n});
    if (a.ndim() > 1) shape.push_back(m);
    if (b.ndim() > 1) shape.push_back(n);
    int64_t count = 1;
    for (int64_t x : batch) count *= x;
    // One matrix for all of the batch stays one matrix.
    const bool one_left = left.ndim() == 2, one_right = right.ndim() == 2;
    find_blas();
    const Handle x = dense(converted(handle(one_left ? left : left.broadcast_to(full_left)), d));
    const Handle y = dense(converted(handle(one_right ? right : right.broadcast_to(full_right)), d));
    Handle out = engine().empty(d, Dims{std::span<const int64_t>(shape)});
    if (k == 0) {
        engine().assign(out.operand(), Operand(Scalar{}, d));
        return out;
    }
    call("matmul", {count, m, k, n, one_left ? 0 : m * k, one_right ? 0 : k * n, 0, 0}, out, {x, y});
    return out;
}

v1::Array joined(const std::vector<v1::Array>& arrays, int64_t axis) {
    if (arrays.empty()) fail(ErrorKind::Value, "need at least one array to concatenate");
    const int ndim = arrays[0].ndim();
    if (ndim == 0) fail(ErrorKind::Value, "zero-dimensional arrays cannot be concatenated");
    const auto at = static_cast<size_t>(axis_index(axis, ndim));
    Shape shape = arrays[0].shape();
    Type d = handle(arrays[0]).dtype();
    int64_t total = 0;
    for (size_t i = 0; i < arrays.size(); ++i) {
        const Shape s = arrays[i].shape();
        if (s.size() != shape.size())
            fail(ErrorKind::Value,
                 "all the input array dimensions except for the concatenation axis must match "
                 "exactly, but array at index 0 has " +
                     std::to_string(shape.size()) + " dimension(s) and the array at index " +
                     std::to_string(i) + " has " + std::to_string(s.size()) + " dimension(s)");
        for (size_t k = 0; k < s.size(); ++k)
            if (k != at && s[k] != shape[k])
                fail(ErrorKind::Value,
                     "all the input array dimensions except for the concatenation axis must match "
                     "exactly, but along dimension " +
                         std::to_string(k) + ", the array at index 0 has size " + std::to_string(shape[k]) +
                         " and the array at index " + std::to_string(i) + " has size " +
                         std::to_string(s[k]));
        total += s[at];
        d = promote(d, handle(arrays[i]).dtype());
    }
    shape[at] = total;
    v1::Array out = empty(shape, type(d));
    // Brought to the front, the pieces are slices of the first axis.
    const v1::Array front = out.swapaxes(0, static_cast<int64_t>(at));
    int64_t start = 0;
    for (const v1::Array& a : arrays) {
        const int64_t n = a.shape()[at];
        front(slice(start, start + n)).assign(a.swapaxes(0, static_cast<int64_t>(at)));
        start += n;
    }
    return out;
}

}  // namespace
}  // namespace api

inline namespace v1 {

using api::enter;
using api::handle;
using api::wrap;

Array argmin(const Array& a, std::optional<int64_t> axis) {
    return enter(NL_SITE, [&] { return wrap(api::extreme_position("argmin", handle(a), axis)); });
}
Array argmax(const Array& a, std::optional<int64_t> axis) {
    return enter(NL_SITE, [&] { return wrap(api::extreme_position("argmax", handle(a), axis)); });
}
Array cumsum(const Array& a, int64_t axis) {
    return enter(NL_SITE, [&] { return wrap(api::scan("scan_add", handle(a), axis)); });
}
Array cumprod(const Array& a, int64_t axis) {
    return enter(NL_SITE, [&] { return wrap(api::scan("scan_multiply", handle(a), axis)); });
}
Array sort(const Array& a, int64_t axis) {
    return enter(NL_SITE, [&] { return api::along("sort", a, axis, handle(a).dtype()); });
}
Array argsort(const Array& a, int64_t axis) {
    return enter(NL_SITE, [&] { return api::along("argsort", a, axis, api::Type::Int64); });
}
Array take(const Array& a, const Array& positions, std::optional<int64_t> axis) {
    return enter(NL_SITE, [&] { return wrap(api::taken(a, positions, axis)); });
}
void put(const Array& a, const Array& positions, const Value& values) {
    enter(NL_SITE, [&] { api::put_at(a, positions, values); });
}
Array compress(const Array& mask, const Array& a) {
    return enter(NL_SITE, [&] {
        if (mask.dtype() != DType::Bool)
            api::fail(ErrorKind::Type, "the mask must be bool, not " + std::string(name(mask.dtype())));
        if (mask.shape() != a.shape())
            api::fail(ErrorKind::Index, "boolean index did not match indexed array: the mask has shape " +
                                            api::tuple_text(mask.shape()) + ", the array " +
                                            api::tuple_text(a.shape()));
        const Array count = count_nonzero(mask);
        const Array out = empty({count.item<int64_t>()}, a.dtype());
        api::call("compress", {1}, handle(out), {api::dense(handle(a)), api::dense(handle(mask))});
        return out;
    });
}
Array flatnonzero(const Array& a) {
    return enter(NL_SITE, [&] {
        const Array truth = a.dtype() == DType::Bool ? a : a != 0;
        const Array out = empty({count_nonzero(truth).item<int64_t>()}, DType::Int64);
        api::call("nonzero", {}, handle(out), {api::dense(handle(truth))});
        return out;
    });
}
Array matmul(const Array& a, const Array& b) {
    return enter(NL_SITE, [&] { return wrap(api::product(a, b)); });
}
Array concatenate(const std::vector<Array>& arrays, int64_t axis) {
    return enter(NL_SITE, [&] { return api::joined(arrays, axis); });
}
Array stack(const std::vector<Array>& arrays, int64_t axis) {
    return enter(NL_SITE, [&] {
        if (arrays.empty()) api::fail(ErrorKind::Value, "need at least one array to stack");
        const Shape shape = arrays[0].shape();
        const int64_t at = api::axis_index(axis, static_cast<int>(shape.size()) + 1);
        std::vector<Array> raised;
        for (const Array& a : arrays) {
            if (a.shape() != shape) api::fail(ErrorKind::Value, "all input arrays must have the same shape");
            Shape with = shape;
            with.insert(with.begin() + at, 1);
            raised.push_back(a.reshape(with));
        }
        return api::joined(raised, at);
    });
}

}  // namespace v1
}  // namespace numloom
