// Every distribution over one source of bits; each source has a file of its own that makes these.
#pragma once

#include <memory>
#include <vector>

#include "library/draws/entries.hpp"
#include "library/draws/legacy.hpp"

namespace numloom::library::draws {

enum class Name : int {
#define NL_DRAW0(name, ...) name,
#define NL_DRAW1(name, ...) name,
#define NL_DRAW2(name, ...) name,
#define NL_DRAW3(name, ...) name,
#include "library/draws/distributions.def"
};

template <class P>
struct Parameter {
    const P* at;
    bool each;
    P operator[](int64_t i) const { return at[each ? i : 0]; }
};

template <class T, class S, class F>
void fill_with(S& from, const Draws& d, F one) {
    S s = from;  // in registers, where the loop calls nothing
    T* const out = static_cast<T*>(d.out);
    for (int64_t i = 0; i < d.n; ++i) out[i] = one(s);
    from = s;
}
template <class T, class P, class S, class F>
void fill_with(S& from, const Draws& d, F one) {
    S s = from;  // in registers, where the loop calls nothing
    T* const out = static_cast<T*>(d.out);
    const Parameter<P> p{static_cast<const P*>(d.parameters[0]), d.each[0]};
    for (int64_t i = 0; i < d.n; ++i) out[i] = one(s, p[i]);
    from = s;
}
template <class T, class P, class Q, class S, class F>
void fill_with(S& from, const Draws& d, F one) {
    S s = from;  // in registers, where the loop calls nothing
    T* const out = static_cast<T*>(d.out);
    const Parameter<P> p{static_cast<const P*>(d.parameters[0]), d.each[0]};
    const Parameter<Q> q{static_cast<const Q*>(d.parameters[1]), d.each[1]};
    for (int64_t i = 0; i < d.n; ++i) out[i] = one(s, p[i], q[i]);
    from = s;
}
template <class T, class P, class Q, class R, class S, class F>
void fill_with(S& from, const Draws& d, F one) {
    S s = from;  // in registers, where the loop calls nothing
    T* const out = static_cast<T*>(d.out);
    const Parameter<P> p{static_cast<const P*>(d.parameters[0]), d.each[0]};
    const Parameter<Q> q{static_cast<const Q*>(d.parameters[1]), d.each[1]};
    const Parameter<R> r{static_cast<const R*>(d.parameters[2]), d.each[2]};
    for (int64_t i = 0; i < d.n; ++i) out[i] = one(s, p[i], q[i], r[i]);
    from = s;
}

// Integers with one offset and one range; false for other distributions.
template <class S>
bool fill_integers(S& from, const Draws& d) {
    if (d.distribution < static_cast<int>(Name::integers_8) || d.each[0] || d.each[1] || d.n < 8)
        return false;
    const auto offset = [&] { return *static_cast<const uint64_t*>(d.parameters[0]); };
    const auto range = [&] { return *static_cast<const uint64_t*>(d.parameters[1]); };
    S s = from;  // in registers
    switch (static_cast<Name>(d.distribution)) {
        case Name::integers_8:
            fill_bounded<uint64_t, false>(s, offset(), range(), static_cast<uint64_t*>(d.out), d.n);
            break;
        case Name::integers_4:
            fill_bounded<uint32_t, false>(s, offset(), range(), static_cast<uint32_t*>(d.out), d.n);
            break;
        case Name::integers_2:
            fill_bounded<uint16_t, false>(s, offset(), range(), static_cast<uint16_t*>(d.out), d.n);
            break;
        case Name::integers_1:
            fill_bounded<uint8_t, false>(s, offset(), range(), static_cast<uint8_t*>(d.out), d.n);
            break;
        case Name::legacy_integers_8:
            fill_bounded<uint64_t, true>(s, offset(), range(), static_cast<uint64_t*>(d.out), d.n);
            break;
        case Name::legacy_integers_4:
            fill_bounded<uint32_t, true>(s, offset(), range(), static_cast<uint32_t*>(d.out), d.n);
            break;
        case Name::legacy_integers_2:
            fill_bounded<uint16_t, true>(s, offset(), range(), static_cast<uint16_t*>(d.out), d.n);
            break;
        case Name::legacy_integers_1:
            fill_bounded<uint8_t, true>(s, offset(), range(), static_cast<uint8_t*>(d.out), d.n);
            break;
        case Name::integers_bool:
            if (range() == 0) return false;
            fill_bits(s, static_cast<bool*>(d.out), d.n);
            break;
        default:
            return false;
    }
    from = s;
    return true;
}

template <class S>
void fill(S& s, const Draws& d) {
    s.left = 0;
    if (fill_integers(s, d)) return;
    switch (static_cast<Name>(d.distribution)) {
#define NL_DRAW0(name, T, dtype) \
    case Name::name:             \
        return fill_with<T>(s, d, [](S& from) { return name(from); });
#define NL_DRAW1(name, T, dtype, P, c) \
    case Name::name:                   \
        return fill_with<T, P>(s, d, [](S& from, P p) { return name(from, p); });
#define NL_DRAW2(name, T, dtype, P, c, Q, e) \
    case Name::name:                         \
        return fill_with<T, P, Q>(s, d, [](S& from, P p, Q q) { return name(from, p, q); });
#define NL_DRAW3(name, T, dtype, P, c, Q, e, R, g) \
    case Name::name:                               \
        return fill_with<T, P, Q, R>(s, d, [](S& from, P p, Q q, R r) { return name(from, p, q, r); });
#include "library/draws/distributions.def"
    }
}

// --- rows ---

template <bool legacy, class S>
void multinomial_row(S& s, int64_t n, const double* p, int64_t width, int64_t* out) {
    double left_p = 1.0;
    int64_t left = n;
    for (int64_t j = 0; j < width - 1; ++j) {
        out[j] = binomial_of<legacy>(s, p[j] / left_p, left);
        left -= out[j];
        if (left <= 0) break;
        left_p -= p[j];
    }
    if (left > 0) out[width - 1] = left;
}

template <bool legacy, class S>
void dirichlet_row(S& s, const double* alpha, int64_t width, double* out) {
    double sum = 0.0;
    for (int64_t j = 0; j < width; ++j) {
        out[j] = legacy ? legacy_standard_gamma(s, alpha[j]) : standard_gamma(s, alpha[j]);
        sum += out[j];
    }
    const double inverse = 1. / sum;
    for (int64_t j = 0; j < width; ++j) out[j] *= inverse;
}
// Where all parameters are small: by breaking a stick in beta distributed places. `rest` are the sums from j
// on.
template <class S>
void dirichlet_stick(S& s, const double* alpha, const double* rest, int64_t width, double* out) {
    double left = 1.;
    for (int64_t j = 0; j < width - 1; ++j) {
        const double v = beta(s, alpha[j], rest[j + 1]);
        out[j] = left * v;
        left *= 1. - v;
        if (rest[j + 1] == 0) break;
    }
    out[width - 1] = left;
}
template <class S>
void dirichlet_rows(S& s, const RowDraws& d) {
    const auto* alpha = static_cast<const double*>(d.weights);
    auto* out = static_cast<double*>(d.out);
    if (d.width == 0) return;
    if (d.kind == RowDraws::LegacyDirichlet || *std::max_element(alpha, alpha + d.width) >= 0.1) {
        for (int64_t i = 0; i < d.rows; ++i, out += d.width)
            d.kind == RowDraws::LegacyDirichlet ? dirichlet_row<true>(s, alpha, d.width, out)
                                                : dirichlet_row<false>(s, alpha, d.width, out);
        return;
    }
    const std::unique_ptr<double[]> rest(new double[static_cast<size_t>(d.width)]);
    double sum = 0.0;
    for (int64_t j = d.width - 1; j >= 0; --j) rest[static_cast<size_t>(j)] = sum += alpha[j];
    if (sum > 0)
        for (int64_t i = 0; i < d.rows; ++i, out += d.width)
            dirichlet_stick(s, alpha, rest.get(), d.width, out);
}

// How many of each colour are among n objects, by hypergeometric numbers.
template <class S>
void marginals_row(S& s, const int64_t* colors, int64_t width, int64_t total, int64_t n, int64_t* out) {
    for (int64_t j = 0; n > 0 && j + 1 < width; ++j) {
        total -= colors[j];
        out[j] = hypergeometric(s, colors[j], total, n);
        n -= out[j];
    }
    if (n > 0) out[width - 1] = n;
}
template <class S>
void color_rows(S& s, const RowDraws& d) {
    const auto* colors = static_cast<const int64_t*>(d.weights);
    auto* out = static_cast<int64_t*>(d.out);
    int64_t total = 0;
    for (int64_t j = 0; j < d.width; ++j) total += colors[j];
    if (total == 0 || *d.n == 0) return;
    const bool most = *d.n > total / 2;
    const int64_t n = most ? total - *d.n : *d.n;
    std::vector<int32_t> objects;  // the colour of each
    if (d.kind == RowDraws::Counts)
        for (int64_t j = 0; j < d.width; ++j)
            objects.insert(objects.end(), static_cast<size_t>(colors[j]), static_cast<int32_t>(j));
    for (int64_t i = 0; i < d.rows; ++i, out += d.width) {
        if (d.kind == RowDraws::Marginals) {
            marginals_row(s, colors, d.width, total, n, out);
        } else {
            for (int64_t j = 0; j < n; ++j) {
                const auto k = j + static_cast<int64_t>(interval(s, static_cast<uint64_t>(total - j - 1)));
                std::swap(objects[static_cast<size_t>(k)], objects[static_cast<size_t>(j)]);
            }
            for (int64_t j = 0; j < n; ++j) ++out[objects[static_cast<size_t>(j)]];
        }
        if (most)
            for (int64_t j = 0; j < d.width; ++j) out[j] = colors[j] - out[j];
    }
}

template <class S>
void fill_rows(S& s, const RowDraws& d) {
    if (d.kind == RowDraws::Dirichlet || d.kind == RowDraws::LegacyDirichlet) return dirichlet_rows(s, d);
    if (d.kind == RowDraws::Marginals || d.kind == RowDraws::Counts) return color_rows(s, d);
    const auto* p = static_cast<const double*>(d.weights);
    auto* out = static_cast<int64_t*>(d.out);
    for (int64_t i = 0; i < d.rows; ++i, out += d.width) {
        const double* row = p + (d.each_weights ? i * d.width : 0);
        const int64_t n = d.n[d.each_n ? i : 0];
        d.kind == RowDraws::LegacyMultinomial ? multinomial_row<true>(s, n, row, d.width, out)
                                              : multinomial_row<false>(s, n, row, d.width, out);
    }
}

// --- positions ---

template <class S>
void shuffle(S& s, int64_t n, int64_t first, bool by_lemire, int64_t* positions) {
    for (int64_t i = n - 1; i >= first; --i) {
        const auto max = static_cast<uint64_t>(i);
        std::swap(positions[i],
                  positions[by_lemire ? bounded<uint64_t, false>(s, 0, max) : interval(s, max)]);
    }
}

// Floyd's method, with a table of what was drawn. Bentley and Floyd, "A sample of brilliance", 1987.
template <class S>
void sample(S& s, int64_t population, int64_t n, bool shuffled, int64_t* out) {
    const uint64_t mask = mask_of(static_cast<uint64_t>(1.2 * static_cast<double>(n)));
    constexpr uint64_t kFree = ~uint64_t{0};
    std::vector<uint64_t> drawn(mask + 1, kFree);
    for (int64_t j = population - n; j < population; ++j) {
        uint64_t value = bounded<uint64_t, false>(s, 0, static_cast<uint64_t>(j));
        uint64_t place = value & mask;
        while (drawn[place] != kFree && drawn[place] != value) place = (place + 1) & mask;
        if (drawn[place] != kFree) {
            value = static_cast<uint64_t>(j);
            place = value & mask;
            while (drawn[place] != kFree) place = (place + 1) & mask;
        }
        drawn[place] = value;
        out[j - population + n] = static_cast<int64_t>(value);
    }
    if (shuffled) shuffle(s, n, 1, true, out);
}

// What is made for each source.
#define NL_SOURCE(Source)                                             \
    template void fill(Source&, const Draws&);                        \
    template void fill_rows(Source&, const RowDraws&);                \
    template void shuffle(Source&, int64_t, int64_t, bool, int64_t*); \
    template void sample(Source&, int64_t, int64_t, bool, int64_t*);

}  // namespace numloom::library::draws
