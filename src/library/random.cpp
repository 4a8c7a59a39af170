// Random numbers of NumPy's default generator, PCG64 (O'Neill, "PCG: A family of simple fast space-efficient
// statistically good algorithms for random number generation", 2014): a linear congruence of 128 bits, whose
// state after any number of draws is known at once, so that threads can start anywhere in the stream.
#include <array>
#include <bit>
#include <cmath>

#include "library/call.hpp"

namespace numloom::library {
namespace {

using Wide = unsigned __int128;

constexpr Wide kMultiplier = Wide{2549297995355413924u} << 64 | 4865540595714422341u;
constexpr int64_t kBlock = 4096;
constexpr double kUnit = 1.0 / 9007199254740992.0;  // 2^-53

// state -> multiplier * state + increment
struct Jump {
    Wide multiplier = kMultiplier, increment;
    Wide operator()(Wide state) const { return state * multiplier + increment; }
    // This jump `count` times over.
    Jump times(uint64_t count) const {
        Jump result{1, 0}, power = *this;
        for (; count; count >>= 1) {
            if (count & 1)
                result = {result.multiplier * power.multiplier,
                          power.multiplier * result.increment + power.increment};
            power = {power.multiplier * power.multiplier, (power.multiplier + 1) * power.increment};
        }
        return result;
    }
};

uint64_t output(Wide state) {
    const auto high = static_cast<uint64_t>(state >> 64);
    return std::rotr(high ^ static_cast<uint64_t>(state), static_cast<int>(high >> 58));
}

// The next n numbers of 64 bits after `state`. Four places of the stream move side by side, since a step of
// one has to wait for the step before it.
template <class F>
void draw(Wide state, const Jump& step, int64_t n, F&& emit) {
    const Jump four = step.times(4);
    Wide at[4];
    for (Wide& a : at) a = state = step(state);
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; ++k) {
            emit(i + k, output(at[k]));
            at[k] = four(at[k]);
        }
    }
    for (int k = 0; i < n; ++i, ++k) emit(i, output(at[k]));
}

// The 53 high bits as a number in [0, 1). Converted as a signed integer, for which processors have an
// instruction.
double unit(uint64_t bits) { return static_cast<double>(static_cast<int64_t>(bits >> 11)) * kUnit; }

struct Stream {
    Wide state;
    Jump step;
    // From in[0]: the halves of state and increment, high ones first.
    explicit Stream(const CallOperand& words) {
        const auto* w = reinterpret_cast<const uint64_t*>(words.data);
        state = Wide{w[0]} << 64 | w[1];
        step.increment = Wide{w[2]} << 64 | w[3];
    }
    Wide after(int64_t draws) const { return step.times(static_cast<uint64_t>(draws))(state); }
};

// Calls f(block, begin, end) for blocks of kBlock elements.
template <class F>
void over_blocks(int64_t n, F&& f) {
    parallel_ranges((n + kBlock - 1) / kBlock, 4, [&](int64_t first, int64_t last) {
        for (int64_t b = first; b < last; ++b) f(b, b * kBlock, std::min(n, (b + 1) * kBlock));
    });
}

void uniform(std::span<const int64_t>, const CallOperand& out, std::span<const CallOperand> in) {
    const Stream stream(in[0]);
    auto* to = reinterpret_cast<double*>(out.data);
    over_blocks(out.layout->size(), [&](int64_t, int64_t begin, int64_t end) {
        double* o = to + begin;
        draw(stream.after(begin), stream.step, end - begin,
             [&](int64_t i, uint64_t bits) { o[i] = unit(bits); });
    });
}

// Marsaglia and Tsang, "The ziggurat method for generating random variables", J. Stat. Softw. 5 (2000), with
// 256 layers of equal area and 52 bits within a layer.
class Ziggurat {
  public:
    static constexpr double kTail = 3.6541528853610088;  // where the tail begins

    Ziggurat() {
        constexpr double area = 0.00492867323399, range = 4503599627370496.0;
        double x = kTail, next = kTail;
        const double bottom = area / std::exp(-0.5 * x * x);
        inside_[0] = static_cast<int64_t>(x / bottom * range);
        inside_[1] = 0;
        width_[0] = bottom / range;
        width_[255] = x / range;
        height_[0] = 1.0;
        height_[255] = std::exp(-0.5 * x * x);
        for (size_t i = 254; i > 0; --i) {
            x = std::sqrt(-2.0 * std::log(area / x + std::exp(-0.5 * x * x)));
            inside_[i + 1] = static_cast<int64_t>(x / next * range);
            next = x;
            height_[i] = std::exp(-0.5 * x * x);
            width_[i] = x / range;
        }
    }
    // A number for these bits; where they fall outside the layer's box more are taken from next().
    template <class Next>
    double operator()(uint64_t bits, Next&& next) const {
        for (;;) {
            const size_t layer = bits & 255;
            const auto place = static_cast<int64_t>(bits >> 12);
            const double x = static_cast<double>(place) * width_[layer];
            if (place < inside_[layer]) [[likely]]
                return with_sign(x, bits);
            if (layer == 0) return with_sign(tail(next), bits);
            const double u = unit(next());
            if (height_[layer] + u * (height_[layer - 1] - height_[layer]) < std::exp(-0.5 * x * x))
                return with_sign(x, bits);
            bits = next();
        }
    }

  private:
    // Without a branch, which would go either way.
    static double with_sign(double x, uint64_t bits) {
        return std::bit_cast<double>(std::bit_cast<uint64_t>(x) | (bits >> 8 & 1) << 63);
    }
    template <class Next>
    static double tail(Next&& next) {
        for (;;) {
            const double x = -std::log(1.0 - unit(next())) / kTail;
            const double y = -std::log(1.0 - unit(next()));
            if (y + y > x * x) return kTail + x;
        }
    }
    std::array<int64_t, 256> inside_;
    std::array<double, 256> width_, height_;
};

// Each block has kNormalDraws of the stream for itself: the first ones become its numbers, what the layers
// refuse takes from those behind.
void normal(std::span<const int64_t>, const CallOperand& out, std::span<const CallOperand> in) {
    static const Ziggurat ziggurat;
    const Stream stream(in[0]);
    auto* to = reinterpret_cast<double*>(out.data);
    over_blocks(out.layout->size(), [&](int64_t block, int64_t begin, int64_t end) {
        const Wide start = stream.after(block * kNormalDraws);
        Wide spare = stream.step.times(static_cast<uint64_t>(kBlock))(start);
        auto next = [&] { return output(spare = stream.step(spare)); };
        uint64_t bits[kBlock];
        draw(start, stream.step, end - begin, [&](int64_t i, uint64_t b) { bits[i] = b; });
        double* o = to + begin;
        for (int64_t i = 0; i < end - begin; ++i) o[i] = ziggurat(bits[i], next);
    });
}

}  // namespace

std::span<const Entry> random_entries() {
    static const Entry entries[] = {{"pcg64_uniform", uniform}, {"pcg64_normal", normal}};
    return entries;
}

}  // namespace numloom::library
