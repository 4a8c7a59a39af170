// Array: a handle to a view of a storage. Copying it shares the storage. All handles are made, copied and
// dropped under the record lock (Python: the GIL).
#pragma once

#include "record/instruction.hpp"

namespace numloom {

void last_handle_gone(Storage* s);  // records the release

class Array {
  public:
    Array() = default;
    Array(Storage* s, const Layout* l, int64_t offset, DType d)
        : storage_(s), layout_(l), offset_(offset), dtype_(d) {
        hold();
    }
    Array(const Array& o) : Array(o.storage_, o.layout_, o.offset_, o.dtype_) {}
    Array(Array&& o) noexcept
        : storage_(o.storage_), layout_(o.layout_), offset_(o.offset_), dtype_(o.dtype_) {
        o.storage_ = nullptr;
        o.layout_ = nullptr;
    }
    Array& operator=(Array o) noexcept {
        std::swap(storage_, o.storage_);
        std::swap(layout_, o.layout_);
        std::swap(offset_, o.offset_);
        std::swap(dtype_, o.dtype_);
        return *this;
    }
    ~Array() { drop(); }

    explicit operator bool() const { return storage_ != nullptr; }
    Storage* storage() const { return storage_; }
    const Layout* layout() const { return layout_; }
    int64_t offset() const { return offset_; }
    DType dtype() const { return dtype_; }
    int ndim() const { return layout_->ndim(); }
    int64_t size() const { return layout_->size(); }
    std::span<const int64_t> shape() const { return layout_->shape(); }
    Operand operand() const { return Operand(storage_, layout_, offset_, dtype_); }
    // Another view of the same storage.
    Array view(const Layout* l, int64_t offset) const { return Array(storage_, l, offset, dtype_); }
    Array view(const Layout* l, int64_t offset, DType d) const { return Array(storage_, l, offset, d); }
    bool c_contiguous() const { return layout_->c_contiguous(item_size(dtype_)); }

  private:
    void hold() {
        if (storage_) ++storage_->handles, ++layout_->uses;
    }
    void drop() {
        if (!storage_) return;
        --layout_->uses;
        if (--storage_->handles == 0) last_handle_gone(storage_);
    }
    Storage* storage_ = nullptr;
    const Layout* layout_ = nullptr;
    int64_t offset_ = 0;
    DType dtype_ = DType::Float64;
};

}  // namespace numloom
