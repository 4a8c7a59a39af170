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
    ~Pcg64() {
        memory_->words[0] = state_;
        memory_->has_half = has_half_;
        memory_->half = half_;
    }
    Pcg64(const Pcg64&) = delete;
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
    // For draws that look ahead: the state, and where to go on from.
    Wide& state() { return state_; }
    const Jump& step() const { return step_; }

  private:
    Memory* memory_;
    Wide state_;
    Jump step_;
    int has_half_;
    uint32_t half_;
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
    ~Mersenne() { memory_->position = position_; }
    Mersenne(const Mersenne&) = delete;
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

// Any other bit generator, by its functions.
class Foreign : public SourceState {
  public:
    explicit Foreign(const BitGenerator& bits) : bits_(bits) {}
    Foreign(const Foreign&) = delete;
    uint64_t next64() { return bits_.next_uint64(bits_.state); }
    uint32_t next32() { return bits_.next_uint32(bits_.state); }
    double next_double() { return bits_.next_double(bits_.state); }

  private:
    const BitGenerator& bits_;
};

// The words of a counter-based stream that belong to the numbers of one block.
class PhiloxBlock : public SourceState {
  public:
    static constexpr int64_t kNumbers = 1 << 14;  // in a block
    PhiloxBlock(const PhiloxStream& stream, uint64_t position) : stream_(stream), position_(position) {}
    PhiloxBlock(const PhiloxBlock&) = delete;
    uint64_t next64() {
        if (at_ == kReady) fill();
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
    static constexpr int kReady = 128;
    // A block has as many counters as half its numbers, and as many rounds of them as it needs.
    void fill() {
        vectors().philox_words(stream_, position_ + static_cast<uint64_t>(taken_ % kNumbers),
                               0x80000000u + static_cast<uint32_t>(taken_ / kNumbers), ready_, kReady);
        taken_ += kReady;
        at_ = 0;
    }
    const PhiloxStream& stream_;
    uint64_t position_;
    int64_t taken_ = 0;
    int at_ = kReady;
    bool has_half_ = false;
    uint32_t half_ = 0;
    uint64_t ready_[kReady];
};

}  // namespace numloom::library::draws
