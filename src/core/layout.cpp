#include "core/layout.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

namespace numloom {

// Hash set of all layouts, open addressing.
class LayoutTable {
  public:
    static LayoutTable& get() {
        static LayoutTable* table =
            new LayoutTable;  // never destroyed: handles may outlive static destructors
        return *table;
    }

    const Layout* find_or_make(std::span<const int64_t> shape, std::span<const int64_t> strides) {
        const uint64_t h = hash(shape, strides);
        const size_t mask = slots_.size() - 1;
        size_t i = h & mask;
        for (; slots_[i]; i = (i + 1) & mask)
            if (slots_[i]->hash_ == h && equal(*slots_[i], shape, strides)) return slots_[i];
        Layout* made = make(shape, strides, h);
        slots_[i] = made;
        if (++count_ * 2 > static_cast<int64_t>(slots_.size())) grow();
        return made;
    }

    int64_t count() const { return count_; }

    void sweep() {
        std::vector<Layout*> keep;
        std::vector<Layout*> gone;
        for (Layout* l : slots_)
            if (l) (l->uses > 0 || l == Layout::scalar() ? keep : gone).push_back(l);
        for (Layout* l : keep) std::fill(std::begin(l->dense_), std::end(l->dense_), nullptr);
        for (Layout* l : gone) std::free(l);
        slots_.assign(std::max<size_t>(kStart, slots_.size() / 2), nullptr);
        while (keep.size() * 2 > slots_.size()) slots_.resize(slots_.size() * 2, nullptr);
        for (Layout* l : keep) place(l);
        count_ = static_cast<int64_t>(keep.size());
    }

  private:
    static constexpr size_t kStart = 1024;

    static uint64_t hash(std::span<const int64_t> shape, std::span<const int64_t> strides) {
        uint64_t h = 0x9e3779b97f4a7c15u ^ shape.size();
        for (int64_t x : shape) h = mix(h, static_cast<uint64_t>(x));
        for (int64_t x : strides) h = mix(h, static_cast<uint64_t>(x));
        return h;
    }
    static uint64_t mix(uint64_t h, uint64_t x) {
        h = (h ^ x) * 0xff51afd7ed558ccdu;
        return h ^ (h >> 29);
    }
    static bool equal(const Layout& l, std::span<const int64_t> shape, std::span<const int64_t> strides) {
        return std::ranges::equal(l.shape(), shape) && std::ranges::equal(l.strides(), strides);
    }

    static Layout* make(std::span<const int64_t> shape, std::span<const int64_t> strides, uint64_t h) {
        const int n = static_cast<int>(shape.size());
        void* memory = std::malloc(sizeof(Layout) + sizeof(int64_t) * 2 * static_cast<size_t>(n));
        if (!memory) throw std::bad_alloc();
        Layout* l = new (memory) Layout;
        l->ndim_ = n;
        l->hash_ = h;
        l->size_ = 1;
        l->low_ = l->high_ = 0;
        for (int i = 0; i < n; ++i) {
            l->data_[i] = shape[static_cast<size_t>(i)];
            l->data_[n + i] = strides[static_cast<size_t>(i)];
            l->size_ *= l->data_[i];
        }
        for (int i = 0; i < n && l->size_ > 0; ++i) {
            const int64_t reach = (l->data_[i] - 1) * l->data_[n + i];
            (reach < 0 ? l->low_ : l->high_) += reach;
        }
        l->c_unit_ = unit(*l, true);
        l->f_unit_ = unit(*l, false);
        return l;
    }

    // The element size for which the layout is contiguous, -1 for any (no axis longer than 1, or empty), 0
    // for none.
    static int64_t unit(const Layout& l, bool c_order) {
        if (l.size() == 0) return -1;
        int64_t item = -1, expected = 0;
        for (int k = 0; k < l.ndim(); ++k) {
            const int i = c_order ? l.ndim() - 1 - k : k;
            if (l.shape(i) == 1) continue;
            if (item < 0) {
                if (l.stride(i) <= 0) return 0;
                item = l.stride(i);
            } else if (l.stride(i) != expected) {
                return 0;
            }
            expected = l.stride(i) * l.shape(i);
        }
        return item;
    }

    void place(Layout* l) {
        size_t i = l->hash_ & (slots_.size() - 1);
        while (slots_[i]) i = (i + 1) & (slots_.size() - 1);
        slots_[i] = l;
    }
    void grow() {
        std::vector<Layout*> old(slots_.size() * 2, nullptr);
        old.swap(slots_);
        for (Layout* l : old)
            if (l) place(l);
    }

    std::vector<Layout*> slots_ = std::vector<Layout*>(kStart, nullptr);
    int64_t count_ = 0;
};

const Layout* Layout::intern(std::span<const int64_t> shape, std::span<const int64_t> strides) {
    return LayoutTable::get().find_or_make(shape, strides);
}

const Layout* Layout::c_order(std::span<const int64_t> shape, int64_t itemsize) {
    Dims strides;
    strides.n = static_cast<int>(shape.size());
    int64_t step = itemsize;
    for (int i = strides.n - 1; i >= 0; --i) {
        strides[i] = step;
        step *= std::max<int64_t>(shape[static_cast<size_t>(i)], 1);
    }
    return intern(shape, strides);
}

const Layout* Layout::f_order(std::span<const int64_t> shape, int64_t itemsize) {
    Dims strides;
    strides.n = static_cast<int>(shape.size());
    int64_t step = itemsize;
    for (int i = 0; i < strides.n; ++i) {
        strides[i] = step;
        step *= std::max<int64_t>(shape[static_cast<size_t>(i)], 1);
    }
    return intern(shape, strides);
}

const Layout* Layout::scalar() {
    static const Layout* l = intern({}, {});
    return l;
}

int64_t Layout::count() { return LayoutTable::get().count(); }
void Layout::sweep() { LayoutTable::get().sweep(); }

const Layout* Layout::make_dense(int size_log2) const {
    return dense_[size_log2] = c_order(shape(), int64_t{1} << size_log2);
}

bool Layout::same_shape(const Layout& o) const {
    return this == &o || std::ranges::equal(shape(), o.shape());
}

std::string shape_text(std::span<const int64_t> shape) {
    std::string s = "(";
    for (size_t i = 0; i < shape.size(); ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
    if (shape.size() == 1) s += ",";
    return s + ")";
}

bool broadcast_shapes(std::span<const int64_t> a, std::span<const int64_t> b, Dims* out) {
    const size_t n = std::max(a.size(), b.size());
    out->n = static_cast<int>(n);
    for (size_t i = 0; i < n; ++i) {
        const int64_t x = i + a.size() < n ? 1 : a[i + a.size() - n];
        const int64_t y = i + b.size() < n ? 1 : b[i + b.size() - n];
        if (x != y && x != 1 && y != 1) return false;
        out->v[i] = x == 1 ? y : x;
    }
    return true;
}

const Layout* broadcast_layout(const Layout& from, std::span<const int64_t> shape) {
    const int lead = static_cast<int>(shape.size()) - from.ndim();
    if (lead < 0) return nullptr;
    Dims strides;
    strides.n = static_cast<int>(shape.size());
    for (int i = 0; i < strides.n; ++i) {
        const int64_t extent = shape[static_cast<size_t>(i)];
        if (i < lead) {
            strides[i] = 0;
        } else if (from.shape(i - lead) == extent) {
            strides[i] = from.stride(i - lead);
        } else if (from.shape(i - lead) == 1) {
            strides[i] = 0;
        } else {
            return nullptr;
        }
    }
    return Layout::intern(shape, strides);
}

const Layout* permute_layout(const Layout& from, std::span<const int64_t> axes) {
    Dims shape, strides;
    for (int64_t a : axes) {
        shape.push(from.shape(static_cast<int>(a)));
        strides.push(from.stride(static_cast<int>(a)));
    }
    return Layout::intern(shape, strides);
}

const Layout* reshape_layout(const Layout& from, std::span<const int64_t> shape, int64_t itemsize) {
    if (from.size() == 0 || from.c_contiguous(itemsize)) return Layout::c_order(shape, itemsize);
    Dims old_shape, old_strides;  // without axes of extent 1
    for (int i = 0; i < from.ndim(); ++i)
        if (from.shape(i) != 1) old_shape.push(from.shape(i)), old_strides.push(from.stride(i));
    Dims strides;
    strides.n = static_cast<int>(shape.size());
    int oi = 0, ni = 0;
    while (oi < old_shape.n && ni < strides.n) {
        // Grow both groups of axes until they hold the same number of elements.
        int oj = oi + 1, nj = ni + 1;
        int64_t old_size = old_shape[oi], new_size = shape[static_cast<size_t>(ni)];
        while (old_size != new_size) {
            if (new_size < old_size) {
                if (nj == strides.n) return nullptr;
                new_size *= shape[static_cast<size_t>(nj++)];
            } else {
                if (oj == old_shape.n) return nullptr;
                old_size *= old_shape[oj++];
            }
        }
        for (int k = oi; k + 1 < oj; ++k)
            if (old_strides[k] != old_shape[k + 1] * old_strides[k + 1]) return nullptr;
        int64_t step = old_strides[oj - 1];
        for (int k = nj - 1; k >= ni; --k) {
            strides[k] = step;
            step *= shape[static_cast<size_t>(k)];
        }
        oi = oj;
        ni = nj;
    }
    for (int k = ni; k < strides.n; ++k)
        strides[k] = k > 0 ? strides[k - 1] : itemsize;  // trailing axes of extent 1
    return Layout::intern(shape, strides);
}

}  // namespace numloom
