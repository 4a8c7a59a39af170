// Linear algebra: matrices are copied to the host, handed to LAPACK at once, and the results copied back.
#include "library/linalg.hpp"

#include "api/internal.hpp"

namespace numloom {
namespace api {
namespace {

using library::LinalgStatus;

// One operand in memory of its own, in C order.
struct Held {
    std::vector<char> bytes;
    Dims shape;
    Type dtype = Type::Float64;

    CallOperand operand() { return {bytes.data(), Layout::c_order(shape, item_size(dtype)), dtype}; }
};

Type real_of(Type d) {
    return d == Type::Complex64 ? Type::Float32 : d == Type::Complex128 ? Type::Float64 : d;
}

Type working_type(Type d) {
    if (d == Type::Float16) fail(ErrorKind::Type, "array type float16 is unsupported in linalg");
    return is_inexact(d) ? d : Type::Float64;
}

Held held(const v1::Array& a, Type d) {
    const Handle h = dense(converted(handle(a), d));
    Held m{std::vector<char>(static_cast<size_t>(h.size() * item_size(d))), Dims(h.shape()), d};
    engine().read(h, m.bytes.data(), Trigger::DataError);
    return m;
}

Held room(Type d, const Dims& shape) {
    int64_t n = item_size(d);
    for (int64_t x : shape) n *= x;
    return {std::vector<char>(static_cast<size_t>(n)), shape, d};
}

void check_square(const v1::Array& a) {
    const Shape s = a.shape();
    if (s.size() < 2)
        fail(ErrorKind::LinAlg,
             std::to_string(s.size()) + "-dimensional array given. Array must be at least two-dimensional");
    if (s[s.size() - 1] != s[s.size() - 2])
        fail(ErrorKind::LinAlg, "Last 2 dimensions of the array must be square");
}

// The leading axes of a shape, without its last `matrix` ones.
Dims stack(const Dims& shape, int matrix) {
    return Dims(std::span<const int64_t>(shape.v, static_cast<size_t>(shape.n - matrix)));
}

void run(const char* name, std::initializer_list<int64_t> parameters, std::initializer_list<Held*> out,
         std::initializer_list<Held*> in, const char* failure) {
    find_blas();
    CallOperand made[2], given[2];
    size_t outputs = 0, inputs = 0;
    for (Held* h : out) made[outputs++] = h->operand();
    for (Held* h : in) given[inputs++] = h->operand();
    switch (
        library::linalg(name, {parameters.begin(), parameters.size()}, {made, outputs}, {given, inputs})) {
        case LinalgStatus::Failed:
            fail(ErrorKind::LinAlg, failure);
        case LinalgStatus::NoSuchThing:
            fail(ErrorKind::Runtime, std::string(name) +
                                         ": no LAPACK was found; numloom::load_blas() takes the path "
                                         "of an OpenBLAS with 64-bit integers");
        default:
            return;
    }
}

v1::Array given_back(const Held& h) { return wrap(engine().from_host(h.dtype, h.shape, h.bytes.data())); }

v1::Array of_matrix(const char* name, const v1::Array& a, int axes_left, const char* failure) {
    check_square(a);
    Held m = held(a, working_type(handle(a).dtype()));
    Dims shape = stack(m.shape, 2 - axes_left);
    Held out = room(m.dtype, shape);
    if (std::string_view(name) == "cholesky")
        run(name, {0}, {&out}, {&m}, failure);
    else
        run(name, {}, {&out}, {&m}, failure);
    return given_back(out);
}

v1::Array solution(const v1::Array& a, const v1::Array& b) {
    check_square(a);
    const bool vectors = b.ndim() == 1;
    const Type d = working_type(promote(handle(a).dtype(), handle(b).dtype()));
    Held m = held(a, d), right = held(b, d);
    const int own = vectors ? 1 : 2;
    if (right.shape.n < own) fail(ErrorKind::Value, "solve: the right side needs at least one axis");
    const int64_t n = m.shape[m.shape.n - 1], rows = right.shape[right.shape.n - own];
    if (rows != n)
        fail(ErrorKind::Value, "solve: Input operand 1 has a mismatch in its core dimension 0 (size " +
                                   std::to_string(rows) + " is different from " + std::to_string(n) + ")");
    Dims shape;
    if (!broadcast_shapes(stack(m.shape, 2), stack(right.shape, own), &shape))
        fail(ErrorKind::Value,
             "operands could not be broadcast together with remapped shapes [original->remapped]: " +
                 tuple_text(m.shape) + " " + tuple_text(right.shape));
    shape.push(n);
    if (!vectors) shape.push(right.shape[right.shape.n - 1]);
    Held out = room(d, shape);
    run("solve", {vectors ? 1 : 0}, {&out}, {&m, &right}, "Singular matrix");
    return given_back(out);
}

}  // namespace
}  // namespace api

inline namespace v1 {
namespace linalg {

using api::enter;

Array solve(const Array& a, const Array& b) {
    return enter(NL_SITE, [&] { return api::solution(a, b); });
}
Array inv(const Array& a) {
    return enter(NL_SITE, [&] { return api::of_matrix("inv", a, 2, "Singular matrix"); });
}
Array det(const Array& a) {
    return enter(NL_SITE, [&] { return api::of_matrix("det", a, 0, "Singular matrix"); });
}
Array cholesky(const Array& a) {
    return enter(NL_SITE,
                 [&] { return api::of_matrix("cholesky", a, 2, "Matrix is not positive definite"); });
}
std::pair<Array, Array> eigh(const Array& a) {
    return enter(NL_SITE, [&] {
        api::check_square(a);
        api::Held m = api::held(a, api::working_type(api::handle(a).dtype()));
        api::Held values = api::room(api::real_of(m.dtype), api::stack(m.shape, 1)),
                  vectors = api::room(m.dtype, m.shape);
        api::run("eigh", {0}, {&values, &vectors}, {&m}, "Eigenvalues did not converge");
        return std::pair(api::given_back(values), api::given_back(vectors));
    });
}
Array svdvals(const Array& a) {
    return enter(NL_SITE, [&] {
        if (a.ndim() < 2)
            api::fail(ErrorKind::LinAlg,
                      std::to_string(a.ndim()) +
                          "-dimensional array given. Array must be at least two-dimensional");
        api::Held m = api::held(a, api::working_type(api::handle(a).dtype()));
        Dims shape = api::stack(m.shape, 2);
        shape.push(std::min(m.shape[m.shape.n - 1], m.shape[m.shape.n - 2]));
        api::Held values = api::room(api::real_of(m.dtype), shape);
        api::run("svdvals", {}, {&values}, {&m}, "SVD did not converge");
        return api::given_back(values);
    });
}

}  // namespace linalg
}  // namespace v1
}  // namespace numloom
