// A key and its position in one word are sorted as one number, which is several times as fast as to move both
// or to look keys up. Where not all bits of a key have room, words whose keys look equal are ordered by the
// numbers afterwards.
#include "library/packed_order.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "library/call.hpp"
#include "library/keys.hpp"
#include "library/radix.hpp"
#include "library/vector.hpp"

namespace numloom::library {
namespace {

constexpr int64_t kNear = 512;  // words that are not worth a visit to the memory pool
constexpr size_t kFewPlaces = 16;

// Room for the words of a row and as many more.
class Words {
  public:
    explicit Words(int64_t n)
        : room_(n <= kNear ? 0 : 2 * n), words_(n <= kNear ? near_ : room_.get()), spare_(words_ + n) {}
    uint64_t* get() const { return words_; }
    uint64_t* spare() const { return spare_; }

  private:
    alignas(64) uint64_t near_[2 * kNear];
    Scratch<uint64_t> room_;
    uint64_t *words_, *spare_;
};

void unpack(const uint64_t* words, int bits, int64_t* out, int64_t n) {
    const uint64_t mask = (uint64_t{1} << bits) - 1;
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<int64_t>(words[i] & mask);
}

// Orders by their numbers what the sorted words could not tell apart.
template <class T>
void order_equals(const uint64_t* words, int bits, const T* in, int64_t* out, int64_t n) {
    for (int64_t i = 1; i < n; ++i) {
        if ((words[i] ^ words[i - 1]) >> bits != 0) continue;
        const int64_t first = i - 1;
        do ++i;
        while (i < n && (words[i] ^ words[first]) >> bits == 0);
        std::sort(out + first, out + i, [in](int64_t a, int64_t b) {
            const auto x = to_key(in[a]), y = to_key(in[b]);
            return x < y || (x == y && a < b);
        });
    }
}

void finish(DType d, const uint64_t* words, PackedOrder order, const char* in, int64_t* out, int64_t n) {
    unpack(words, order.bits, out, n);
    if (!order.cut) return;
    dispatch(d, [&](auto type) {
        using T = typename decltype(type)::type;
        if constexpr (std::is_arithmetic_v<T> && sizeof(T) == 8)
            order_equals(words, order.bits, reinterpret_cast<const T*>(in), out, n);
    });
}

// Puts the words that belong there at some places.
void select_words(uint64_t* words, int64_t n, uint64_t* spare, std::span<const int64_t> places) {
    if (vectors().keys64.select)
        return vectors().keys64.select(words, n, spare, places.data(), static_cast<int64_t>(places.size()));
    uint64_t* from = words;
    for (int64_t k : places) {
        if (words + k < from) continue;
        std::nth_element(from, words + k, words + n);
        from = words + k + 1;
    }
}

bool alone(const uint64_t* words, int64_t n, int bits, int64_t place) {
    int64_t alike = 0;
    for (int64_t i = 0; i < n; ++i) alike += (words[i] ^ words[place]) >> bits == 0;
    return alike == 1;
}

}  // namespace

bool has_packed_order(DType d, int64_t n) {
    if (n > int64_t{UINT32_MAX}) return false;
    return dispatch(d, [](auto type) {
        using T = typename decltype(type)::type;
        return std::is_arithmetic_v<T> || std::is_same_v<T, Half>;
    });
}

void packed_argsort(DType d, const char* in, int64_t* out, int64_t n) {
    const Words words(n);
    const PackedOrder order = vectors().pack_positions(d, in, words.get(), n);
    sort_words(words.get(), n, words.spare());
    finish(d, words.get(), order, in, out, n);
}

void packed_argpartition(DType d, const char* in, int64_t* out, int64_t n, std::span<const int64_t> places) {
    const Words words(n);
    const PackedOrder order = vectors().pack_positions(d, in, words.get(), n);
    const auto is_alone = [&](int64_t k) { return alone(words.get(), n, order.bits, k); };
    if (places.size() <= kFewPlaces) {
        select_words(words.get(), n, words.spare(), places);
        if (!order.cut || std::all_of(places.begin(), places.end(), is_alone))
            return unpack(words.get(), order.bits, out, n);
    }
    sort_words(words.get(), n, words.spare());
    finish(d, words.get(), order, in, out, n);
}

}  // namespace numloom::library
