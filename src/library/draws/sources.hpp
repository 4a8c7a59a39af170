// Where random bits come from. A source lives in registers while numbers are drawn and puts its state back
// where it is destroyed.
#pragma once

#include <bit>
#include <cstring>

#include "library/draws.hpp"
#include "library/pcg.hpp"

namespace numloom::library::draws {

// Setup of the binomial distribution for the parameters that came last.
struct BinomialSetup {
    bool there = false;
    double p;
    int64_t n;
    double r, q, fm, p1, xm, c, laml, lamr, p2, p3, p4, xl, xr;
    int64_t m;
};

// What every source carries besides its bits.
struct SourceState {
    KeptNormal kept;
    BinomialSetup binomial, legacy_binomial;
    uint32_t small = 0;  // a word that small integers are cut from
    int left = 0;        // how many are left in it
};

class Pcg64 : public SourceState {
  public:
    // NumPy's pcg64_state.
    struct Memory {
        Wide* words;  // state, increment
        int has_half;
        uint32_t half;
    };
    explicit Pcg64(const BitGenerator& bits)
        : memory_(static_cast<Memory*>(bits.state)),
          state_(memory_->words[0]),
          step_{.increment = memory_->words[1]},
          has_half_(memory_->has_half),
          half_(memory_->half) {}
    void put_back() const {
        memory_->words[0] = state_;
        memory_->has_half = has_half_;
        memory_->half = half_;
    }
    uint64_t next64() { return pcg_output(state_ = step_(state_)); }
    uint32_t next32() {
        if (has_half_) {
            has_half_ = 0;
            return half_;
        }
        const uint64_t word = next64();
        has_half_ = 1;
        half_ = static_cast<uint32_t>(word >> 32);
        return static_cast<uint32_t>(word);
    }
    double next_double() { return unit(next64()); }

  private:
    Memory* memory_;
    Wide state_;
    Jump step_;
    int has_half_;
    uint32_t half_;
};

// The same from words that were made many at once.
class ManyPcg64 : public SourceState {
  public:
    static constexpr int kReady = 1024;
    ManyPcg64(const BitGenerator& bits, uint64_t* ready)
        : memory_(static_cast<Pcg64::Memory*>(bits.state)),
          start_(memory_->words[0]),
          step_{.increment = memory_->words[1]},
          far_(step_.times(kReady)),
          has_half_(memory_->has_half),
          half_(memory_->half),
          ready_(ready) {
        vectors().pcg64_words(start_, step_.increment, ready_, kReady);
    }
    void put_back() const {
        memory_->words[0] = step_.times(static_cast<uint64_t>(at_))(start_);
        memory_->has_half = has_half_;
        memory_->half = half_;
    }
    uint64_t next64() {
        if (at_ == kReady) {
            start_ = far_(start_);
            vectors().pcg64_words(start_, step_.increment, ready_, kReady);
            at_ = 0;
        }
        return ready_[at_++];
    }
    uint32_t next32() {
        if (has_half_) {
            has_half_ = 0;
            return half_;
        }
        const uint64_t word = next64();
        has_half_ = 1;
        half_ = static_cast<uint32_t>(word >> 32);
        return static_cast<uint32_t>(word);
    }
    double next_double() { return unit(next64()); }

  private:
    Pcg64::Memory* memory_;
    Wide start_;  // the state before the words that are ready
    Jump step_, far_;
    int has_half_;
    uint32_t half_;
    int at_ = 0;
    uint64_t* ready_;
};

class Mersenne : public SourceState {
  public:
    static constexpr int kWords = 624, kFar = 397;
    // NumPy's mt19937_state.
    struct Memory {
        uint32_t key[kWords];
        int position;
    };
    explicit Mersenne(const BitGenerator& bits)
        : memory_(static_cast<Memory*>(bits.state)), position_(memory_->position) {}
    void put_back() const { memory_->position = position_; }
    uint32_t next32() {
        if (position_ == kWords) renew();
        uint32_t y = memory_->key[position_++];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        return y ^ (y >> 18);
    }
    uint64_t next64() {
        const uint64_t high = next32();
        return high << 32 | next32();
    }
    double next_double() {
        const auto a = static_cast<int32_t>(next32() >> 5), b = static_cast<int32_t>(next32() >> 6);
        return (a * 67108864.0 + b) / 9007199254740992.0;
    }

  private:
    static uint32_t twist(uint32_t a, uint32_t b, uint32_t far) {
        const uint32_t y = (a & 0x80000000u) | (b & 0x7fffffffu);
        return far ^ (y >> 1) ^ (-(y & 1) & 0x9908b0dfu);
    }
    void renew() {
        uint32_t* const w = memory_->key;
        for (int i = 0; i < kWords - kFar; ++i) w[i] = twist(w[i], w[i + 1], w[i + kFar]);
        for (int i = kWords - kFar; i < kWords - 1; ++i) w[i] = twist(w[i], w[i + 1], w[i + kFar - kWords]);
        w[kWords - 1] = twist(w[kWords - 1], w[0], w[kFar - 1]);
        position_ = 0;
    }
    Memory* memory_;
    int position_;
};

// The same from words that were made many at once.
class ManyMersenne : public SourceState {
  public:
    static constexpr int kReady = Mersenne::kWords;
    ManyMersenne(const BitGenerator& bits, uint32_t* ready)
        : memory_(static_cast<Mersenne::Memory*>(bits.state)), position_(memory_->position), ready_(ready) {
        vectors().mt19937_words(memory_->key, false, ready_);
    }
    void put_back() const { memory_->position = position_; }
    uint32_t next32() {
        if (position_ == kReady) {
            vectors().mt19937_words(memory_->key, true, ready_);
            position_ = 0;
        }
        return ready_[position_++];
    }
    uint64_t next64() {
        const uint64_t high = next32();
        return high << 32 | next32();
    }
    double next_double() {
        const auto a = static_cast<int32_t>(next32() >> 5), b = static_cast<int32_t>(next32() >> 6);
        return (a * 67108864.0 + b) / 9007199254740992.0;
    }

  private:
    Mersenne::Memory* memory_;
    int position_;
    uint32_t* ready_;
};

// Any other bit generator, by its functions.
class Foreign : public SourceState {
  public:
    explicit Foreign(const BitGenerator& bits) : bits_(&bits) {}
    void put_back() const {}
    uint64_t next64() { return bits_->next_uint64(bits_->state); }
    uint32_t next32() { return bits_->next_uint32(bits_->state); }
    double next_double() { return bits_->next_double(bits_->state); }

  private:
    const BitGenerator* bits_;
};

// The words of a counter-based stream that belong to the numbers of one block.
class PhiloxBlock : public SourceState {
  public:
    static constexpr int64_t kNumbers = 1 << 14;  // in a block
    // `ready` has room for kReady words, which are not the source's own so that this can be copied.
    PhiloxBlock(const PhiloxStream& stream, uint64_t position, uint64_t* ready)
        : stream_(&stream), position_(position), ready_(ready) {}
    static constexpr int kReady = 256;
    uint64_t next64() {
        if (at_ == kReady) {
            fill(*stream_, position_, taken_, ready_);
            taken_ += kReady;
            at_ = 0;
        }
        return ready_[at_++];
    }
    uint32_t next32() {
        if (has_half_) {
            has_half_ = false;
            return half_;
        }
        const uint64_t word = next64();
        has_half_ = true;
        half_ = static_cast<uint32_t>(word >> 32);
        return static_cast<uint32_t>(word);
    }
    double next_double() { return unit(next64()); }

  private:
    // A block has as many counters as half its numbers, and as many rounds of them as it needs.
    static void fill(const PhiloxStream& stream, uint64_t position, int64_t taken, uint64_t* ready) {
        vectors().philox_words(stream, position + static_cast<uint64_t>(taken % kNumbers),
                               0x80000000u + static_cast<uint32_t>(taken / kNumbers), ready, kReady);
    }
    const PhiloxStream* stream_;
    uint64_t position_;
    int64_t taken_ = 0;
    int at_ = kReady;
    bool has_half_ = false;
    uint32_t half_ = 0;
    uint64_t* ready_;
};

}  // namespace numloom::library::draws
