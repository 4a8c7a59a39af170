#include "library/draws.hpp"

#include <cmath>

#include "library/call.hpp"
#include "library/draws/entries.hpp"

namespace numloom::library {
namespace {

using namespace draws;

template <class P>
constexpr bool kInteger = std::is_integral_v<P>;

constexpr Distribution kDistributions[] = {
#define NL_DRAW0(name, T, dtype) {#name, DType::dtype, 0, {}, {}},
#define NL_DRAW1(name, T, dtype, P, c) {#name, DType::dtype, 1, {kInteger<P>}, {Constraint::c}},
#define NL_DRAW2(name, T, dtype, P, c, Q, e) \
    {#name, DType::dtype, 2, {kInteger<P>, kInteger<Q>}, {Constraint::c, Constraint::e}},
#define NL_DRAW3(name, T, dtype, P, c, Q, e, R, g) \
    {#name,                                        \
     DType::dtype,                                 \
     3,                                            \
     {kInteger<P>, kInteger<Q>, kInteger<R>},      \
     {Constraint::c, Constraint::e, Constraint::g}},
#include "library/draws/distributions.def"
};

constexpr int64_t kVectors = 64;  // uniform numbers from which many at once pay

// Functions of the bit generators whose memory is known.
decltype(BitGenerator::next_uint64) pcg64_function = nullptr, mersenne_function = nullptr;

// Calls f(source) with the source for these bits, of which about n are drawn.
template <class F>
void with_source(const BitGenerator& bits, KeptNormal* kept, int64_t n, F&& f) {
    const auto go = [&](auto& source) {
        if (kept) source.kept = *kept;
        f(source);
        source.put_back();
        if (kept) *kept = source.kept;
    };
    if (bits.next_uint64 == pcg64_function && n >= 2 * ManyPcg64::kReady) {
        uint64_t ready[ManyPcg64::kReady];
        ManyPcg64 source(bits, ready);
        go(source);
    } else if (bits.next_uint64 == pcg64_function) {
        Pcg64 source(bits);
        go(source);
    } else if (bits.next_uint64 == mersenne_function && n >= 2 * ManyMersenne::kReady) {
        uint32_t ready[ManyMersenne::kReady];
        ManyMersenne source(bits, ready);
        go(source);
    } else if (bits.next_uint64 == mersenne_function) {
        Mersenne source(bits);
        go(source);
    } else {
        Foreign source(bits);
        go(source);
    }
}

// Whether a source made from a copy of the bit generator's memory gives what its functions give on another
// copy.
template <class Source>
bool agrees(const BitGenerator& bits, const BitGenerator& copy) {
    for (int i = 0; i < 2000; ++i) {
        Source source(copy);
        const bool same = i % 3 == 0   ? source.next32() == bits.next_uint32(bits.state)
                          : i % 3 == 1 ? source.next64() == bits.next_uint64(bits.state)
                                       : source.next_double() == bits.next_double(bits.state);
        source.put_back();
        if (!same) return false;
    }
    return true;
}

// NumPy's largest parameter of Poisson's distribution.
const double kMostPoisson = 9223372036854775807.0 - std::sqrt(9223372036854775807.0) * 10;

bool allowed_number(Constraint c, double x) {
    switch (c) {
        case Constraint::None:
            return true;
        case Constraint::NonNegative:
            return std::isnan(x) || !std::signbit(x);
        case Constraint::Positive:
            return !(x <= 0);
        case Constraint::PositiveOnly:
            return x > 0;
        case Constraint::Unit:
            return x >= 0 && x <= 1;
        case Constraint::UnitNotZero:
            return x > 0 && x <= 1;
        case Constraint::UnitNotOne:
            return x >= 0 && x < 1;
        case Constraint::AboveOne:
            return x > 1;
        case Constraint::FromOne:
            return x >= 1;
        case Constraint::Poisson:
            return x >= 0 && x <= kMostPoisson;
    }
    return false;
}

// philox_draw: parameters: the distribution, whether its parameters are there for each number, and the bits
// of those that are one for all; in0 as for philox_uniform, in1: the others, one after the other.
void philox_draw(std::span<const int64_t> parameters, const CallOperand& out,
                 std::span<const CallOperand> in) {
    const auto* words = reinterpret_cast<const uint64_t*>(in[0].data);
    const PhiloxStream stream{{static_cast<uint32_t>(words[0]), static_cast<uint32_t>(words[0] >> 32)},
                              static_cast<uint32_t>(words[1])};
    Draws d{};
    d.distribution = static_cast<int>(parameters[0]);
    d.out = out.data;
    d.n = out.layout->size();
    const char* next = in.size() > 1 ? reinterpret_cast<const char*>(in[1].data) : nullptr;
    for (size_t i = 0; i < 3; ++i) {
        d.each[i] = parameters[1] >> i & 1;
        d.parameters[i] = d.each[i] ? next : reinterpret_cast<const char*>(&parameters[2 + i]);
        if (d.each[i]) next += 8 * d.n;
    }
    draw_parallel(stream, words[2], d);
}

}  // namespace

std::span<const Entry> draw_entries() {
    static const Entry entries[] = {{"philox_draw", philox_draw}};
    return entries;
}

std::span<const Distribution> distributions() { return kDistributions; }

int find_distribution(std::string_view name) {
    for (size_t i = 0; i < std::size(kDistributions); ++i)
        if (kDistributions[i].name == name) return static_cast<int>(i);
    return -1;
}

bool allowed(Constraint c, bool integer, const void* values, int64_t n) {
    if (c == Constraint::None) return true;
    for (int64_t i = 0; i < n; ++i) {
        const double x = integer ? static_cast<double>(static_cast<const int64_t*>(values)[i])
                                 : static_cast<const double*>(values)[i];
        if (!allowed_number(c, x)) return false;
    }
    return true;
}

void draw(const BitGenerator& bits, KeptNormal* kept, const Draws& d) {
    static const int flat = find_distribution("random");
    if (d.distribution == flat && d.n >= kVectors) {
        auto* out = static_cast<double*>(d.out);
        if (bits.next_uint64 == pcg64_function) {
            Wide* const words = static_cast<Pcg64::Memory*>(bits.state)->words;
            vectors().pcg64_uniform(words[0], words[1], out, d.n, false);
            return pcg64_skip(words, d.n);
        }
        if (bits.next_uint64 == mersenne_function) {
            auto* memory = static_cast<Mersenne::Memory*>(bits.state);
            memory->position =
                static_cast<int>(vectors().mt19937_uniform(memory->key, memory->position, out, d.n));
            return;
        }
    }
    with_source(bits, kept, d.n, [&](auto& source) { fill(source, d); });
}

void draw_parallel(const PhiloxStream& stream, uint64_t position, const Draws& d) {
    constexpr int64_t kBlock = PhiloxBlock::kNumbers;
    const int64_t item = item_size(kDistributions[d.distribution].result);
    parallel_ranges((d.n + kBlock - 1) / kBlock, 1, [&](int64_t first, int64_t last) {
        for (int64_t block = first; block < last; ++block) {
            const int64_t begin = block * kBlock;
            Draws part = d;
            part.n = std::min(kBlock, d.n - begin);
            part.out = static_cast<char*>(d.out) + begin * item;
            for (int i = 0; i < 3; ++i)
                if (d.each[i]) part.parameters[i] = static_cast<const char*>(d.parameters[i]) + 8 * begin;
            uint64_t ready[PhiloxBlock::kReady];
            PhiloxBlock source(stream, position + static_cast<uint64_t>(begin), ready);
            fill(source, part);
        }
    });
}

void draw_rows(const BitGenerator& bits, KeptNormal* kept, const RowDraws& d) {
    with_source(bits, kept, d.rows * d.width, [&](auto& source) { fill_rows(source, d); });
}

void draw_shuffled(const BitGenerator& bits, int64_t n, int64_t first, bool lemire, int64_t* positions) {
    for (int64_t i = 0; i < n; ++i) positions[i] = i;
    with_source(bits, nullptr, n, [&](auto& source) { shuffle(source, n, first, lemire, positions); });
}

void draw_sample(const BitGenerator& bits, int64_t population, int64_t n, bool shuffled, int64_t* out) {
    with_source(bits, nullptr, n, [&](auto& source) { sample(source, population, n, shuffled, out); });
}

bool know_bit_generator(std::string_view name, const BitGenerator& bits) {
    BitGenerator copy = bits;
    if (name == "PCG64") {
        Pcg64::Memory memory;
        Wide words[2];
        std::memcpy(&memory, bits.state, sizeof memory);
        std::memcpy(words, memory.words, sizeof words);
        memory.words = words;
        copy.state = &memory;
        if (!agrees<Pcg64>(bits, copy)) return false;
        pcg64_function = bits.next_uint64;
        return true;
    }
    if (name != "MT19937") return false;
    Mersenne::Memory memory;
    std::memcpy(&memory, bits.state, sizeof memory);
    copy.state = &memory;
    if (memory.position < 0 || memory.position > Mersenne::kWords || !agrees<Mersenne>(bits, copy))
        return false;
    mersenne_function = bits.next_uint64;
    return true;
}

unsigned __int128* pcg64_words(const BitGenerator& bits) {
    return bits.next_uint64 == pcg64_function ? static_cast<Pcg64::Memory*>(bits.state)->words : nullptr;
}

void pcg64_skip(unsigned __int128* words, int64_t n) {
    words[0] = Jump{.increment = words[1]}.times(static_cast<uint64_t>(n))(words[0]);
}

}  // namespace numloom::library
