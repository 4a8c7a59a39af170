// The text of an array, as numpy.ndarray's str() gives it with NumPy's default options.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <ostream>

#include "api/internal.hpp"

namespace numloom {
namespace api {
namespace {

constexpr int64_t kThreshold = 1000;  // elements from which an array is summarised
constexpr int64_t kEdge = 3;          // elements kept at each end of a long axis
constexpr size_t kLineWidth = 75;
constexpr int kPrecision = 8;  // digits after the point

bool long_axis(int64_t n, bool summary) { return summary && n > 2 * kEdge; }

// The shortest digits that read back as x, which is of dtype d, in %e form.
std::string shortest(double x, Type d) {
    char text[64];
    if (d == Type::Float16) {
        const uint16_t bits = float_to_half(static_cast<float>(x)).bits;
        for (int digits = 0; digits < 6; ++digits) {
            std::snprintf(text, sizeof text, "%.*e", digits, x);
            if (float_to_half(std::strtof(text, nullptr)).bits == bits) break;
        }
        return text;
    }
    const std::to_chars_result end =
        d == Type::Float32
            ? std::to_chars(text, text + 64, static_cast<float>(x), std::chars_format::scientific)
            : std::to_chars(text, text + 64, x, std::chars_format::scientific);
    return {text, end.ptr};
}

// A number as digits and a decimal exponent: "-1234", 2 is -123.4.
struct Decimal {
    bool negative = false;
    std::string digits;
    int point = 0;  // digits before the decimal point
};

Decimal decimal(const std::string& scientific) {
    Decimal d;
    size_t i = 0;
    if (scientific[0] == '-') {
        d.negative = true;
        ++i;
    }
    for (; i < scientific.size() && scientific[i] != 'e'; ++i)
        if (scientific[i] != '.') d.digits += scientific[i];
    d.point = std::atoi(scientific.c_str() + i + 1) + 1;
    while (d.digits.size() > 1 && d.digits.back() == '0') d.digits.pop_back();
    return d;
}

void trim_zeros(std::string* fraction) {
    while (!fraction->empty() && fraction->back() == '0') fraction->pop_back();
}

struct Parts {
    std::string whole, fraction, exponent;  // "-1", "25", "+10"
};

Parts positional(double x, Type d, bool plus) {
    const Decimal n = decimal(shortest(x, d));
    Parts p;
    const int fraction = static_cast<int>(n.digits.size()) - n.point;
    if (fraction > kPrecision) {
        std::vector<char> text(400);
        std::snprintf(text.data(), text.size(), "%.*f", kPrecision, std::fabs(x));
        p.whole = text.data();
        const size_t dot = p.whole.find('.');
        p.fraction = p.whole.substr(dot + 1);
        p.whole.resize(dot);
    } else {
        std::string digits = n.digits;
        if (n.point <= 0) digits.insert(0, static_cast<size_t>(1 - n.point), '0');
        const auto whole = static_cast<size_t>(std::max(n.point, 1));
        if (digits.size() < whole) digits.append(whole - digits.size(), '0');
        p.whole = digits.substr(0, whole);
        p.fraction = digits.substr(whole);
    }
    trim_zeros(&p.fraction);
    if (std::signbit(x))
        p.whole.insert(0, "-");
    else if (plus)
        p.whole.insert(0, "+");
    return p;
}

Parts scientific(double x, Type d, bool plus) {
    std::string text = shortest(x, d);
    if (decimal(text).digits.size() > kPrecision + 1) {
        char rounded[64];
        std::snprintf(rounded, sizeof rounded, "%.*e", kPrecision, x);
        text = rounded;
    }
    const size_t e = text.find('e'), start = text[0] == '-' ? 1 : 0;
    Parts p;
    p.whole = std::string(std::signbit(x) ? "-" : plus ? "+" : "") + text[start];
    p.fraction = e > start + 2 ? text.substr(start + 2, e - start - 2) : "";
    p.exponent = text.substr(e + 1);
    trim_zeros(&p.fraction);
    return p;
}

// x in the precision of d, in which NumPy decides about exponents.
double rounded_to(Type d, double x) {
    if (d == Type::Float16) return half_to_float(float_to_half(static_cast<float>(x)));
    return d == Type::Float32 ? static_cast<double>(static_cast<float>(x)) : x;
}

bool needs_exponents(double largest, double least, Type d) {
    const double cutoff = d == Type::Float16 ? 1e3 : d == Type::Float32 ? 1e6 : 1e8;
    return largest >= cutoff || least < rounded_to(d, 1e-4) || rounded_to(d, largest / least) > 1000;
}

// One format for all values of an array, as NumPy's FloatingFormat.
class FloatFormat {
  public:
    FloatFormat(const std::vector<double>& values, Type d, bool plus) : dtype_(d), plus_(plus) {
        double largest = 0, least = INFINITY;
        for (double x : values) {
            if (!std::isfinite(x) || x == 0) continue;
            largest = std::max(largest, std::fabs(x));
            least = std::min(least, std::fabs(x));
        }
        exponents_ = largest > 0 && needs_exponents(largest, least, d);
        bool special = false, infinite = false, below = plus;
        for (double x : values) {
            if (!std::isfinite(x)) {
                special = true;
                infinite = infinite || std::isinf(x);
                below = below || x < 0;
                continue;
            }
            const Parts p = parts(x);
            left_ = std::max(left_, p.whole.size());
            right_ = std::max(right_, p.fraction.size());
            exponent_ = std::max(exponent_, p.exponent.size());
        }
        if (special) {
            const size_t room = width() - left_, needed = infinite && below ? 4 : 3;
            left_ = std::max(left_, needed > room ? needed - room : 0);
        }
    }
    std::string operator()(double x) const {
        std::string text;
        if (!std::isfinite(x)) {
            text = std::isnan(x) ? "nan" : "inf";
            text.insert(0, std::isinf(x) && x < 0 ? "-" : plus_ ? "+" : "");
            return std::string(width() > text.size() ? width() - text.size() : 0, ' ') + text;
        }
        Parts p = parts(x);
        if (exponents_ && p.fraction.size() < right_) pad_digits(x, &p.fraction);
        text = std::string(left_ - p.whole.size(), ' ') + p.whole + '.' + p.fraction;
        text.append(right_ - p.fraction.size(), ' ');
        if (!exponents_) return text;
        p.exponent.insert(1, exponent_ - p.exponent.size(), '0');
        return text + 'e' + p.exponent;
    }

  private:
    // With exponents all values show as many digits: further ones of the value, not zeros.
    void pad_digits(double x, std::string* fraction) const {
        char digits[64];
        std::snprintf(digits, sizeof digits, "%.*e", static_cast<int>(right_), std::fabs(x));
        fraction->assign(digits + 2, right_);
    }
    Parts parts(double x) const {
        return exponents_ ? scientific(x, dtype_, plus_) : positional(x, dtype_, plus_);
    }
    size_t width() const { return left_ + 1 + right_ + (exponents_ ? 1 + exponent_ : 0); }

    Type dtype_;
    bool plus_, exponents_ = false;
    size_t left_ = 0, right_ = 0, exponent_ = 0;
};

std::vector<std::string> float_words(const std::vector<double>& values, Type d, bool plus) {
    const FloatFormat format(values, d, plus);
    std::vector<std::string> words;
    for (double x : values) words.push_back(format(x));
    return words;
}

Type real_type(Type d) {
    return d == Type::Complex64 ? Type::Float32 : d == Type::Complex128 ? Type::Float64 : d;
}

std::vector<std::string> complex_words(const v1::Array& a, Type d) {
    std::vector<double> x, y;
    for (const std::complex<double>& z : a.to_vector<std::complex<double>>()) {
        x.push_back(z.real());
        y.push_back(z.imag());
    }
    std::vector<std::string> words = float_words(x, real_type(d), false);
    const std::vector<std::string> imaginary = float_words(y, real_type(d), true);
    for (size_t i = 0; i < words.size(); ++i) {
        const size_t end = imaginary[i].find_last_not_of(' ') + 1;
        words[i] += imaginary[i].substr(0, end) + 'j' + imaginary[i].substr(end);
    }
    return words;
}

// The elements as words of one width, in C order.
std::vector<std::string> all_words(const v1::Array& a) {
    const Type d = handle(a).dtype();
    std::vector<std::string> words;
    if (is_complex(d)) return complex_words(a, d);
    if (is_inexact(d)) return float_words(a.to_vector<double>(), d, false);
    if (d == Type::Bool) {
        for (uint8_t x : a.to_vector<uint8_t>()) words.push_back(x ? " True" : "False");
        return words;
    }
    size_t width = 0;
    if (d == Type::UInt64) {
        for (uint64_t x : a.to_vector<uint64_t>()) words.push_back(std::to_string(x));
    } else {
        for (int64_t x : a.to_vector<int64_t>()) words.push_back(std::to_string(x));
    }
    for (const std::string& w : words) width = std::max(width, w.size());
    for (std::string& w : words) w.insert(0, width - w.size(), ' ');
    return words;
}

// Python's repr of a float: positional from 1e-4 to below 1e16.
std::string python_float(double x, Type d) {
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    const std::string text = shortest(x, d);
    Decimal n = decimal(text);
    const std::string sign = std::signbit(x) ? "-" : "";
    if (x == 0) return sign + "0.0";
    const int exponent = n.point - 1;
    if (exponent < -4 || exponent >= 16) {
        const std::string rest = n.digits.substr(1);
        char e[16];
        std::snprintf(e, sizeof e, "e%+03d", exponent);
        return sign + n.digits[0] + (rest.empty() ? "" : "." + rest) + e;
    }
    if (n.point <= 0) return sign + "0." + std::string(static_cast<size_t>(-n.point), '0') + n.digits;
    const auto whole = static_cast<size_t>(n.point);
    if (n.digits.size() < whole) n.digits.append(whole - n.digits.size(), '0');
    const std::string fraction = n.digits.substr(whole);
    return sign + n.digits.substr(0, whole) + "." + (fraction.empty() ? "0" : fraction);
}

std::string scalar_text(const v1::Array& a) {
    const Type d = handle(a).dtype();
    if (is_complex(d)) {
        const auto z = a.item<std::complex<double>>();
        const auto bare = [&](double x) {
            std::string s = python_float(x, real_type(d));
            if (s.ends_with(".0")) s.resize(s.size() - 2);
            return s;
        };
        const std::string y = bare(z.imag());
        if (z.real() == 0 && !std::signbit(z.real())) return y + "j";
        return "(" + bare(z.real()) + (y[0] == '-' ? "" : "+") + y + "j)";
    }
    if (is_inexact(d)) return python_float(a.item<double>(), d);
    if (d == Type::Bool) return a.item<bool>() ? "True" : "False";
    return d == Type::UInt64 ? std::to_string(a.item<uint64_t>()) : std::to_string(a.item<int64_t>());
}

// Brackets, line breaks and summaries around the words of `shown`, an array with the edges of one of `shape`.
class Page {
  public:
    Page(std::vector<std::string> words, const Shape& shape, bool summary)
        : words_(std::move(words)), shape_(shape), summary_(summary) {}

    std::string text(size_t axis, size_t width) {
        const size_t left = shape_.size() - axis;
        if (left == 0) return words_[next_++];
        const int64_t n = shape_[axis], shown = long_axis(n, summary_) ? 2 * kEdge : n;
        const std::string indent(axis + 1, ' ');
        std::string done, line = left == 1 ? indent : "";
        for (int64_t i = 0; i < shown; ++i) {
            if (i == kEdge && shown < n) put("...", left, width, indent, &done, &line);
            put(text(axis + 1, width - 1), left, width, indent, &done, &line);
            if (left > 1 && i + 1 == shown) done.resize(done.size() - (left - 1));  // no break after the last
        }
        if (left == 1) {
            line.pop_back();
            done += line;
        }
        return "[" + done.substr(indent.size()) + "]";
    }

  private:
    // One more word of the innermost axis, or row of another.
    static void put(const std::string& word, size_t left, size_t width, const std::string& indent,
                    std::string* done, std::string* line) {
        if (left > 1) {
            *done += indent + word + std::string(left - 1, '\n');
            return;
        }
        if (line->size() > indent.size() && line->size() + word.size() > width - 1) {
            *done += line->substr(0, line->find_last_not_of(' ') + 1) + "\n";
            *line = indent;
        }
        *line += word + " ";
    }

    std::vector<std::string> words_;
    Shape shape_;
    bool summary_;
    size_t next_ = 0;
};

std::string text(const v1::Array& a) {
    if (a.ndim() == 0) return scalar_text(a);
    if (a.size() == 0) return "[]";
    const bool summary = a.size() > kThreshold;
    const Shape shape = a.shape();
    v1::Array shown = a;
    for (size_t i = 0; i < shape.size(); ++i) {
        if (!long_axis(shape[i], summary)) continue;
        const auto axis = static_cast<int64_t>(i);
        const v1::Array front = shown.swapaxes(0, axis);
        shown = concatenate({front(slice(0, kEdge)), front(slice(-kEdge))}).swapaxes(0, axis);
    }
    return Page(all_words(shown), shape, summary).text(0, kLineWidth);
}

}  // namespace
}  // namespace api

inline namespace v1 {

std::string Array::to_string() const {
    return api::enter(NL_SITE, [&] { return api::text(*this); });
}

std::ostream& operator<<(std::ostream& out, const Array& a) { return out << a.to_string(); }

}  // namespace v1
}  // namespace numloom
