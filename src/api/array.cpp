// Array: handles, views, reading.
#include "api/internal.hpp"

namespace numloom {
namespace api {

const Handle& handle(const v1::Array& a) {
    const Handle& h = ArrayAccess::raw(a);
    if (!h) fail(ErrorKind::Value, "this Array was never given a value, or was moved from");
    return h;
}

v1::Array wrap(Handle h) {
    v1::Array a;
    ArrayAccess::raw(a) = std::move(h);
    return a;
}

int64_t axis_index(int64_t axis, int ndim) {
    if (axis < -ndim || axis >= ndim)
        fail(ErrorKind::Axis, "axis " + std::to_string(axis) + " is out of bounds for array of dimension " +
                                  std::to_string(ndim));
    return axis < 0 ? axis + ndim : axis;
}

uint64_t axis_mask(const Axes& axes, int ndim) {
    if (axes.all()) return ndim == 64 ? ~uint64_t{0} : (uint64_t{1} << ndim) - 1;
    uint64_t mask = 0;
    for (int64_t axis : axes.list()) {
        const uint64_t bit = uint64_t{1} << axis_index(axis, ndim);
        if (mask & bit) fail(ErrorKind::Value, "duplicate value in 'axis'");
        mask |= bit;
    }
    return mask;
}

Handle drop_axes(const Handle& a, uint64_t mask) {
    Dims kept, strides;
    for (int i = 0; i < a.ndim(); ++i) {
        if (mask >> i & 1) continue;
        kept.push(a.layout()->shape(i));
        strides.push(a.layout()->stride(i));
    }
    return a.view(Layout::intern(kept, strides), a.offset());
}

namespace {

// Shape and strides of an index under construction.
struct Target {
    Dims shape, strides;
    int64_t offset = 0;
    int axis = 0;  // the next one of the array

    void add(int64_t n, int64_t stride) {
        if (shape.n == kMaxDims)
            fail(ErrorKind::Index,
                 "number of dimensions must be within [0, 64], indexing result would have more");
        shape.push(n);
        strides.push(stride);
    }
};

void take_integer(Target* t, const Layout& l, int64_t index) {
    const int64_t n = l.shape(t->axis);
    if (index < -n || index >= n)
        fail(ErrorKind::Index, "index " + std::to_string(index) + " is out of bounds for axis " +
                                   std::to_string(t->axis) + " with size " + std::to_string(n));
    t->offset += (index < 0 ? index + n : index) * l.stride(t->axis++);
}

// Python's rules for start, stop and step of a sequence of n.
void take_slice(Target* t, const Layout& l, const Slice& s) {
    if (s.step == 0) fail(ErrorKind::Value, "slice step cannot be zero");
    const int64_t n = l.shape(t->axis), stride = l.stride(t->axis);
    const int64_t low = s.step > 0 ? 0 : -1, high = s.step > 0 ? n : n - 1;
    const auto clipped = [&](int64_t i) {
        return std::min(std::max(i < 0 ? std::max(i, -n - 1) + n : i, low), high);
    };
    const int64_t start = s.start ? clipped(*s.start) : s.step > 0 ? low : high;
    const int64_t stop = s.stop ? clipped(*s.stop) : s.step > 0 ? high : low;
    int64_t count = 0;
    if (s.step > 0 && stop > start) count = (stop - start - 1) / s.step + 1;
    // -(step + 1) and not -step: the least integer has no opposite.
    if (s.step < 0 && start > stop)
        count = static_cast<int64_t>(static_cast<uint64_t>(start - stop - 1) /
                                     (static_cast<uint64_t>(-(s.step + 1)) + 1)) +
                1;
    if (count > 0) t->offset += start * stride;
    t->add(count, count > 1 ? stride * s.step : stride);
    ++t->axis;
}

Handle indexed(const Handle& a, std::span<const Index> index) {
    const Layout& l = *a.layout();
    int used = 0, ellipses = 0;
    for (const Index& i : index) {
        used += std::holds_alternative<int64_t>(i.item()) || std::holds_alternative<Slice>(i.item());
        ellipses += std::holds_alternative<Ellipsis>(i.item());
    }
    if (ellipses > 1) fail(ErrorKind::Index, "an index can only have a single ellipsis ('...')");
    if (used > l.ndim())
        fail(ErrorKind::Index, "too many indices for array: array is " + std::to_string(l.ndim()) +
                                   "-dimensional, but " + std::to_string(used) + " were indexed");
    Target t;
    const auto keep = [&](int end) {
        for (; t.axis < end; ++t.axis) t.add(l.shape(t.axis), l.stride(t.axis));
    };
    for (const Index& i : index) {
        if (const auto* n = std::get_if<int64_t>(&i.item()))
            take_integer(&t, l, *n);
        else if (const auto* s = std::get_if<Slice>(&i.item()))
            take_slice(&t, l, *s);
        else if (std::holds_alternative<NewAxis>(i.item()))
            t.add(1, 0);
        else
            keep(t.axis + l.ndim() - used);
    }
    keep(l.ndim());
    return a.view(Layout::intern(t.shape, t.strides), a.offset() + t.offset);
}

// A shape with at most one -1, which becomes what is left.
Dims full_shape(const Shape& shape, int64_t size) {
    if (shape.size() > kMaxDims) fail(ErrorKind::Value, "maximum supported dimension for an ndarray is 64");
    Dims out{std::span<const int64_t>(shape)};
    int unknown = -1;
    int64_t known = 1;
    bool fits = true;
    for (int i = 0; i < out.n; ++i) {
        if (out[i] >= 0) {
            fits = fits && !__builtin_mul_overflow(known, out[i], &known);
            continue;
        }
        if (unknown >= 0) fail(ErrorKind::Value, "can only specify one unknown dimension");
        unknown = i;
    }
    if (unknown >= 0) {
        fits = fits && known > 0 && size % known == 0;
        if (fits) out[unknown] = size / known;
    } else {
        fits = fits && known == size;
    }
    if (!fits)
        fail(ErrorKind::Value,
             "cannot reshape array of size " + std::to_string(size) + " into shape " + tuple_text(shape));
    return out;
}

Handle reshaped(const Handle& a, const Dims& shape) {
    if (const Layout* l = reshape_layout(*a.layout(), shape, item_size(a.dtype())))
        return a.view(l, a.offset());
    Handle copy = engine().empty(a.dtype(), a.shape());
    engine().assign(copy.operand(), a.operand());
    return copy.view(Layout::c_order(shape, item_size(a.dtype())), copy.offset());
}

}  // namespace
}  // namespace api

inline namespace v1 {

using api::enter;
using api::handle;
using api::wrap;

Array::Array() noexcept { new (handle_) api::Handle(); }
Array::Array(const Array& other) {
    const api::Session session(NL_SITE);
    new (handle_) api::Handle(ArrayAccess::raw(other));
}
Array::Array(Array&& other) noexcept { new (handle_) api::Handle(std::move(ArrayAccess::raw(other))); }
Array& Array::operator=(const Array& other) & {
    const api::Session session(NL_SITE);
    ArrayAccess::raw(*this) = ArrayAccess::raw(other);
    return *this;
}
Array& Array::operator=(Array&& other) & noexcept {
    if (this == &other) return *this;
    if (!ArrayAccess::raw(*this) && !ArrayAccess::raw(other)) return *this;  // needs no engine yet
    const api::Session session(NL_SITE);
    ArrayAccess::raw(*this) = std::move(ArrayAccess::raw(other));
    return *this;
}
Array::~Array() {
    api::Handle& h = ArrayAccess::raw(*this);
    if (!h) return;
    const api::Session session(NL_SITE);
    std::destroy_at(&h);
}

void Array::operator=(const Array& values) && {
    enter(NL_SITE, [&] { api::assign(handle(*this), values); });
}
void Array::operator=(const Value& values) && {
    enter(NL_SITE, [&] { api::assign(handle(*this), values); });
}
const Array& Array::assign(const Value& values) const {
    enter(NL_SITE, [&] { api::assign(handle(*this), values); });
    return *this;
}

bool Array::defined() const noexcept { return static_cast<bool>(ArrayAccess::raw(*this)); }
DType Array::dtype() const { return api::type(handle(*this).dtype()); }
int Array::ndim() const { return handle(*this).ndim(); }
Shape Array::shape() const {
    const auto s = handle(*this).shape();
    return {s.begin(), s.end()};
}
int64_t Array::shape(int axis) const {
    const api::Handle& h = handle(*this);
    return h.layout()->shape(static_cast<int>(api::axis_index(axis, h.ndim())));
}
std::vector<int64_t> Array::strides() const {
    const auto s = handle(*this).layout()->strides();
    return {s.begin(), s.end()};
}
int64_t Array::size() const { return handle(*this).size(); }
int64_t Array::nbytes() const { return size() * item_size(dtype()); }
bool Array::shares_memory(const Array& other) const {
    const api::Handle &a = handle(*this), &b = handle(other);
    if (a.storage() != b.storage() || a.size() == 0 || b.size() == 0) return false;
    return relate(*a.layout(), a.offset(), numloom::item_size(a.dtype()), *b.layout(), b.offset(),
                  numloom::item_size(b.dtype())) != Relation::Disjoint;
}

Array Array::view(std::initializer_list<Index> index) const {
    return enter(NL_SITE, [&] { return wrap(api::indexed(handle(*this), {index.begin(), index.size()})); });
}
Array Array::reshape(const Shape& shape) const {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(*this);
        return wrap(api::reshaped(h, api::full_shape(shape, h.size())));
    });
}
Array Array::ravel() const {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(*this);
        // A copy for every other layout, also where strides allow a view: NumPy's rule.
        return h.c_contiguous() ? reshape({h.size()}) : copy().reshape({h.size()});
    });
}
Array Array::transpose() const {
    std::vector<int64_t> axes(static_cast<size_t>(ndim()));
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(axes.size() - 1 - i);
    return transpose(axes);
}
Array Array::transpose(const std::vector<int64_t>& axes) const {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(*this);
        if (static_cast<int>(axes.size()) != h.ndim()) api::fail(ErrorKind::Value, "axes don't match array");
        Dims order;
        uint64_t seen = 0;
        for (int64_t axis : axes) {
            order.push(api::axis_index(axis, h.ndim()));
            const uint64_t bit = uint64_t{1} << order[order.n - 1];
            if (seen & bit) api::fail(ErrorKind::Value, "repeated axis in transpose");
            seen |= bit;
        }
        return wrap(h.view(permute_layout(*h.layout(), order), h.offset()));
    });
}
Array Array::swapaxes(int64_t a, int64_t b) const {
    const int n = ndim();
    a = api::axis_index(a, n);
    b = api::axis_index(b, n);
    std::vector<int64_t> axes(static_cast<size_t>(n));
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
    std::swap(axes[static_cast<size_t>(a)], axes[static_cast<size_t>(b)]);
    return transpose(axes);
}
Array Array::squeeze() const {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(*this);
        uint64_t mask = 0;
        for (int i = 0; i < h.ndim(); ++i)
            if (h.layout()->shape(i) == 1) mask |= uint64_t{1} << i;
        return wrap(api::drop_axes(h, mask));
    });
}
Array Array::flip(const Axes& axes) const {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(*this);
        const uint64_t mask = api::axis_mask(axes, h.ndim());
        Dims strides(h.layout()->strides());
        int64_t offset = h.offset();
        for (int i = 0; i < h.ndim(); ++i) {
            if (!(mask >> i & 1)) continue;
            if (h.size() > 0) offset += (h.layout()->shape(i) - 1) * strides[i];
            strides[i] = -strides[i];
        }
        return wrap(h.view(Layout::intern(h.shape(), strides), offset));
    });
}
Array Array::diagonal(int64_t offset) const {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(*this);
        const Layout& l = *h.layout();
        if (l.ndim() < 2) api::fail(ErrorKind::Value, "diag requires an array of at least two dimensions");
        const int64_t down = std::max<int64_t>(-offset, 0), across = std::max<int64_t>(offset, 0);
        const int64_t n = std::max<int64_t>(0, std::min(l.shape(0) - down, l.shape(1) - across));
        Dims shape, strides;
        for (int i = 2; i < l.ndim(); ++i) {
            shape.push(l.shape(i));
            strides.push(l.stride(i));
        }
        shape.push(n);
        strides.push(l.stride(0) + l.stride(1));
        const int64_t start = n > 0 ? down * l.stride(0) + across * l.stride(1) : 0;
        return wrap(h.view(Layout::intern(shape, strides), h.offset() + start));
    });
}
Array Array::broadcast_to(const Shape& shape) const {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(*this);
        const Layout* l = shape.size() <= kMaxDims ? broadcast_layout(*h.layout(), shape) : nullptr;
        if (!l)
            api::fail(ErrorKind::Value,
                      "operands could not be broadcast together with remapped shapes [original->"
                      "remapped]: " +
                          api::tuple_text(h.shape()) + " and requested shape " + api::tuple_text(shape));
        return wrap(h.view(l, h.offset()));
    });
}
Array Array::astype(DType d) const {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(*this);
        if (h.dtype() != api::type(d)) return wrap(api::converted(h, api::type(d)));
        const api::Arg arg{h.operand(), h.dtype(), api::Weak::No, nullptr};
        api::Handle out = api::allocate(h.dtype(), h.shape(), {&arg, 1});
        api::engine().assign(out.operand(), h.operand());
        return wrap(std::move(out));
    });
}
Array Array::copy() const {
    return enter(NL_SITE, [&] {
        const api::Handle& h = handle(*this);
        api::Handle out = api::engine().empty(h.dtype(), h.shape());
        api::engine().assign(out.operand(), h.operand());
        return wrap(std::move(out));
    });
}

#define NL_INPLACE(symbol, op)                                    \
    Array& Array::operator symbol(const Value& b) {               \
        enter(NL_SITE, [&] {                                      \
            const Value in[] = {*this, b};                        \
            api::elementwise_into(OpCode::op, handle(*this), in); \
        });                                                       \
        return *this;                                             \
    }
NL_INPLACE(+=, Add)
NL_INPLACE(-=, Subtract)
NL_INPLACE(*=, Multiply)
NL_INPLACE(/=, Divide)
NL_INPLACE(%=, Remainder)
NL_INPLACE(&=, BitwiseAnd)
NL_INPLACE(|=, BitwiseOr)
NL_INPLACE(^=, BitwiseXor)
NL_INPLACE(<<=, LeftShift)
NL_INPLACE(>>=, RightShift)
#undef NL_INPLACE

void Array::read(void* out, DType d, int64_t count) const {
    enter(NL_SITE, [&] {
        const api::Handle& h = handle(*this);
        if (h.size() != count)
            api::fail(ErrorKind::Value, count == 1 ? "can only convert an array of size 1 to a scalar"
                                                   : "there is room for " + std::to_string(count) + " of " +
                                                         std::to_string(h.size()) + " elements");
        if (!can_cast_same_kind(h.dtype(), api::type(d)))
            api::fail(ErrorKind::Type, "cannot read " + std::string(numloom::name(h.dtype())) + " as " +
                                           std::string(name(d)) + ": convert by astype first");
        const api::Handle same = api::converted(h, api::type(d));
        api::engine().read(same, out, Trigger::HostRead);
    });
}

}  // namespace v1
}  // namespace numloom
