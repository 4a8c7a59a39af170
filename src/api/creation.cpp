// New arrays.
#include <cmath>

#include "api/internal.hpp"

namespace numloom {
namespace api {
namespace {

Dims checked(const Shape& shape) {
    if (shape.size() > kMaxDims) fail(ErrorKind::Value, "maximum supported dimension for an ndarray is 64");
    for (int64_t n : shape)
        if (n < 0) fail(ErrorKind::Value, "negative dimensions are not allowed");
    return Dims{std::span<const int64_t>(shape)};
}

Handle filled(const Shape& shape, Type d, const Number& value) {
    const Scalar bytes = number_bytes(value, d);
    return engine().full(d, checked(shape), bytes);
}

v1::Array like(const void* site, const v1::Array& a, const Number& value) {
    return enter(site, [&] { return wrap(filled(a.shape(), handle(a).dtype(), value)); });
}

double as_double(const Number& n) {
    switch (n.kind()) {
        case Number::Kind::Float:
            return n.as_complex().real();
        case Number::Kind::Unsigned:
            return static_cast<double>(n.as_unsigned());
        case Number::Kind::Complex:
            fail(ErrorKind::Type, "arange takes real numbers");
        default:
            return static_cast<double>(n.as_signed());
    }
}

// Integers: exact, in int64 (NumPy's loop counts in the dtype, which wraps alike).
Handle whole_range(const Number& start, const Number& stop, const Number& step, Type d) {
    for (const Number* n : {&start, &stop, &step})
        if (n->kind() == Number::Kind::Unsigned && n->as_unsigned() > INT64_MAX)
            fail(ErrorKind::Overflow, "arange: " + std::to_string(n->as_unsigned()) + " does not fit int64");
    const int64_t a = start.as_signed(), b = stop.as_signed(), s = step.as_signed();
    if (s == 0) fail(ErrorKind::ZeroDivision, "division by zero");
    uint64_t n = 0;
    const auto distance = [](int64_t from, int64_t to) {
        return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
    };
    if (s > 0 && b > a) n = (distance(a, b) - 1) / static_cast<uint64_t>(s) + 1;
    if (s < 0 && b < a) n = (distance(b, a) - 1) / (uint64_t{0} - static_cast<uint64_t>(s)) + 1;
    if (n > INT64_MAX / 8) fail(ErrorKind::Value, "Maximum allowed size exceeded");
    return converted(engine().ramp(static_cast<int64_t>(n), a, s), d);
}

// start + i * (the second element - start), as NumPy fills ranges of floats.
Handle real_range(double start, double stop, double step, Type d) {
    const double length = std::ceil((stop - start) / step);
    if (!std::isfinite(length) || length > 1e18)
        fail(ErrorKind::Value, step == 0 || std::isnan(length) ? "arange: cannot compute length"
                                                               : "Maximum allowed size exceeded");
    const int64_t n = length > 0 ? static_cast<int64_t>(length) : 0;
    const double delta = (start + step) - start;
    const v1::Array index = wrap(engine().ramp(n, 0, 1)).astype(v1::DType::Float64);
    const v1::Array out = index * delta + start;
    if (n > 1) out(1).assign(start + step);
    return converted(handle(out), d);
}

Handle range(const Number& start, const Number& stop, const Number& step, std::optional<v1::DType> d) {
    bool whole = true;
    for (const Number* n : {&start, &stop, &step})
        whole = whole && n->kind() != Number::Kind::Float && n->kind() != Number::Kind::Complex;
    const Type wanted = d ? type(*d) : whole ? Type::Int64 : Type::Float64;
    if (whole && (is_integer(wanted) || wanted == Type::Bool)) return whole_range(start, stop, step, wanted);
    return real_range(as_double(start), as_double(stop), as_double(step), wanted);
}

Handle spaced(double start, double stop, int64_t num, bool endpoint) {
    if (num < 0)
        fail(ErrorKind::Value, "Number of samples, " + std::to_string(num) + ", must be non-negative.");
    const int64_t parts = endpoint ? num - 1 : num;
    const double delta = stop - start, step = parts > 0 ? delta / static_cast<double>(parts) : NAN;
    const v1::Array index = wrap(engine().ramp(num, 0, 1)).astype(v1::DType::Float64);
    // A step that underflows: multiply last.
    const v1::Array offsets = parts > 0 && step == 0 ? index / static_cast<double>(parts) * delta
                              : parts > 0            ? index * step
                                                     : index * delta;
    v1::Array out = offsets + start;
    if (endpoint && num > 1) out(-1).assign(stop);
    return handle(out);
}

}  // namespace
}  // namespace api

inline namespace v1 {

using api::enter;
using api::wrap;

Array empty(const Shape& shape, DType d) {
    return enter(NL_SITE, [&] { return wrap(api::engine().empty(api::type(d), api::checked(shape))); });
}
Array zeros(const Shape& shape, DType d) {
    return enter(NL_SITE, [&] { return wrap(api::filled(shape, api::type(d), 0)); });
}
Array ones(const Shape& shape, DType d) {
    return enter(NL_SITE, [&] { return wrap(api::filled(shape, api::type(d), 1)); });
}
Array full(const Shape& shape, const Number& value, std::optional<DType> d) {
    return enter(NL_SITE, [&] {
        return wrap(api::filled(shape, d ? api::type(*d) : api::default_type(value), value));
    });
}
Array empty_like(const Array& a) { return empty(a.shape(), a.dtype()); }
Array zeros_like(const Array& a) { return api::like(NL_SITE, a, 0); }
Array ones_like(const Array& a) { return api::like(NL_SITE, a, 1); }
Array full_like(const Array& a, const Number& value) { return api::like(NL_SITE, a, value); }

Array arange(const Number& stop, std::optional<DType> d) {
    return enter(NL_SITE, [&] { return wrap(api::range(0, stop, 1, d)); });
}
Array arange(const Number& start, const Number& stop, const Number& step, std::optional<DType> d) {
    return enter(NL_SITE, [&] { return wrap(api::range(start, stop, step, d)); });
}
Array linspace(double start, double stop, int64_t num, bool endpoint) {
    return enter(NL_SITE, [&] { return wrap(api::spaced(start, stop, num, endpoint)); });
}
Array eye(int64_t n, std::optional<int64_t> m, int64_t offset, DType d) {
    return enter(NL_SITE, [&] {
        Array out = zeros({n, m.value_or(n)}, d);
        if (n > 0 && out.size() > 0) out.diagonal(offset).assign(1);
        return out;
    });
}
Array from_data(const void* data, const Shape& shape, DType d) {
    return enter(NL_SITE,
                 [&] { return wrap(api::engine().from_host(api::type(d), api::checked(shape), data)); });
}

}  // namespace v1
}  // namespace numloom
