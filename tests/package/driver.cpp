// Carries out small programs from standard input with the public C++ API, so that a test in Python can
// generate them and compare with NumPy. One command a line; words are separated by blanks:
//
//   array NAME DTYPE SHAPE HEX         elements as bytes; SHAPE is 2x3, or - for no dimensions
//   index NAME A ITEM...               i:3, s:START:STOP:STEP (an absent one is empty), e (ellipsis), n
//   (newaxis) view NAME A transpose|ravel|flip|squeeze|diagonal call NAME FUNCTION A [B]           a function
//   of the table, or of `others` below; B: an array's name or a number into OPERATOR A B                  A
//   OPERATOR= B; = assigns reduce NAME FUNCTION A AXES KEEP   AXES: 0,1 or - for all show A prints "DTYPE
//   SHAPE HEX" text A                             prints the lines of to_string(), each with a bar in front
//
// Numbers: int:3, float:0x1p-1, complex:1,2, bool:1. What throws prints "error KIND WORDS" and goes on.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <map>
#include <numloom/numloom.hpp>
#include <sstream>

#include "table.hpp"  // unary_table, binary_table: name -> function, made by the test from numloom/functions.hpp

namespace {

namespace nl = numloom;
using Words = std::vector<std::string>;

std::map<std::string, nl::Array> arrays;

std::string print_shape(const nl::Shape& s) {
    if (s.empty()) return "-";
    std::string text;
    for (int64_t n : s) text += (text.empty() ? "" : "x") + std::to_string(n);
    return text;
}

nl::Shape parse_shape(const std::string& text) {
    nl::Shape s;
    if (text == "-") return s;
    std::istringstream in(text);
    for (std::string n; std::getline(in, n, 'x');) s.push_back(std::stoll(n));
    return s;
}

nl::DType parse_dtype(const std::string& name) {
    for (int d = 0; d <= static_cast<int>(nl::DType::Complex128); ++d)
        if (nl::name(static_cast<nl::DType>(d)) == name) return static_cast<nl::DType>(d);
    throw std::runtime_error("dtype " + name);
}

std::string parse_hex(const std::string& text) {
    std::string bytes;
    for (size_t i = 0; i + 1 < text.size(); i += 2)
        bytes += static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16));
    return bytes;
}

nl::Number parse_number(const std::string& word) {
    const size_t colon = word.find(':');
    const std::string kind = word.substr(0, colon), text = word.substr(colon + 1);
    if (kind == "bool") return text == "1";
    if (kind == "float") return std::strtod(text.c_str(), nullptr);
    if (kind == "complex") {
        const size_t comma = text.find(',');
        return std::complex<double>(std::strtod(text.c_str(), nullptr),
                                    std::strtod(text.c_str() + comma + 1, nullptr));
    }
    if (text[0] != '-') return std::stoull(text);
    return std::stoll(text);
}

nl::Value value(const std::string& word) {
    const auto found = arrays.find(word);
    return found != arrays.end() ? nl::Value(found->second) : nl::Value(parse_number(word));
}

nl::Index parse_item(const std::string& word) {
    if (word == "e") return nl::ellipsis;
    if (word == "n") return nl::newaxis;
    if (word[0] == 'i') return std::stoll(word.substr(2));
    std::optional<int64_t> part[3];
    std::istringstream in(word.substr(2));
    int i = 0;
    for (std::string n; std::getline(in, n, ':') && i < 3; ++i)
        if (!n.empty()) part[i] = std::stoll(n);
    return nl::slice(part[0], part[1], part[2].value_or(1));
}

nl::Array index(const nl::Array& a, const Words& w) {
    const auto item = [&](size_t i) { return parse_item(w[i + 3]); };
    switch (w.size() - 3) {
        case 0:
            return a();
        case 1:
            return a(item(0));
        case 2:
            return a(item(0), item(1));
        case 3:
            return a(item(0), item(1), item(2));
        default:
            return a(item(0), item(1), item(2), item(3));
    }
}

nl::Array view(const nl::Array& a, const std::string& how) {
    if (how == "transpose") return a.transpose();
    if (how == "ravel") return a.ravel();
    if (how == "flip") return a.flip();
    if (how == "squeeze") return a.squeeze();
    return a.diagonal();
}

using Binary = std::function<nl::Array(const nl::Value&, const nl::Value&)>;
using Unary = std::function<nl::Array(const nl::Array&)>;

// Functions beyond the table; operators take an array first.
const std::map<std::string, Binary> others = {
    {"pow", [](const nl::Value& a, const nl::Value& b) { return nl::pow(a, b); }},
    {"+", [](const nl::Value& a,
             const nl::Value& b) { return a.array() ? *a.array() + b : a.number() + *b.array(); }},
    {"<", [](const nl::Value& a,
             const nl::Value& b) { return a.array() ? *a.array() < b : a.number() < *b.array(); }},
    {"matmul", [](const nl::Value& a, const nl::Value& b) { return nl::matmul(*a.array(), *b.array()); }},
    {"compress", [](const nl::Value& a, const nl::Value& b) { return nl::compress(*a.array(), *b.array()); }},
    {"take", [](const nl::Value& a, const nl::Value& b) { return nl::take(*a.array(), *b.array()); }},
    {"where", [](const nl::Value& a, const nl::Value& b) { return nl::where(*a.array(), *a.array(), b); }},
    {"concatenate",
     [](const nl::Value& a, const nl::Value& b) {
         return nl::concatenate({*a.array(), *b.array()});
     }},
    {"solve",
     [](const nl::Value& a, const nl::Value& b) { return nl::linalg::solve(*a.array(), *b.array()); }},
    {"put",
     [](const nl::Value& a, const nl::Value& b) {
         const nl::Array out = a.array()->copy();
         nl::put(out.flip(), *b.array(), b);
         return out;
     }},
    {"clip", [](const nl::Value& a, const nl::Value& b) { return nl::clip(*a.array(), 0, b); }},
};
const std::map<std::string, Unary> other_unary = {
    {"real", nl::real},
    {"inv", nl::linalg::inv},
    {"det", nl::linalg::det},
    {"cholesky", nl::linalg::cholesky},
    {"svdvals", nl::linalg::svdvals},
    {"eigenvalues", [](const nl::Array& a) { return nl::linalg::eigh(a).first; }},
    {"rebuilt",
     [](const nl::Array& a) {
         const auto [w, v] = nl::linalg::eigh(a);
         return nl::matmul(v * w(nl::ellipsis, nl::newaxis, nl::slice()), nl::conjugate(v.swapaxes(-1, -2)));
     }},
    {"imag", nl::imag},
    {"sort", [](const nl::Array& a) { return nl::sort(a); }},
    {"argsort", [](const nl::Array& a) { return nl::argsort(a); }},
    {"cumsum", [](const nl::Array& a) { return nl::cumsum(a); }},
    {"cumprod", [](const nl::Array& a) { return nl::cumprod(a); }},
    {"flatnonzero", nl::flatnonzero},
    {"copy", [](const nl::Array& a) { return a.copy(); }},
    {"argmin", [](const nl::Array& a) { return nl::argmin(a); }},
    {"argmax", [](const nl::Array& a) { return nl::argmax(a); }},
};

nl::Array call(const Words& w) {
    const std::string& f = w[2];
    if (w.size() == 4) {
        const auto found = unary_table.find(f);
        return found != unary_table.end() ? found->second(arrays.at(w[3]))
                                          : other_unary.at(f)(arrays.at(w[3]));
    }
    const auto found = binary_table.find(f);
    return found != binary_table.end() ? found->second(value(w[3]), value(w[4]))
                                       : others.at(f)(value(w[3]), value(w[4]));
}

void into(const Words& w) {
    nl::Array& a = arrays.at(w[2]);
    const nl::Value b = value(w[3]);
    const std::map<std::string, std::function<void()>> operators = {
        {"=", [&] { a.assign(b); }}, {"+", [&] { a += b; }},   {"-", [&] { a -= b; }},
        {"*", [&] { a *= b; }},      {"/", [&] { a /= b; }},   {"%", [&] { a %= b; }},
        {"&", [&] { a &= b; }},      {"|", [&] { a |= b; }},   {"^", [&] { a ^= b; }},
        {"<<", [&] { a <<= b; }},    {">>", [&] { a >>= b; }},
    };
    operators.at(w[1])();
}

nl::Array reduce(const Words& w) {
    const nl::Array& a = arrays.at(w[3]);
    nl::Axes axes;
    if (w[4] != "-") {
        std::vector<int64_t> list;
        std::istringstream in(w[4]);
        for (std::string n; std::getline(in, n, ',');) list.push_back(std::stoll(n));
        axes = nl::Axes(list);
    }
    const bool keep = w[5] == "1";
    const std::string& f = w[2];
    if (f == "sum") return nl::sum(a, axes, keep);
    if (f == "prod") return nl::prod(a, axes, keep);
    if (f == "min") return nl::min(a, axes, keep);
    if (f == "max") return nl::max(a, axes, keep);
    if (f == "any") return nl::any(a, axes, keep);
    if (f == "all") return nl::all(a, axes, keep);
    if (f == "mean") return nl::mean(a, axes, keep);
    if (f == "var") return nl::var(a, axes, keep);
    if (f == "std") return nl::std(a, axes, keep);
    return nl::count_nonzero(a, axes, keep);
}

template <class T>
void print_elements(const nl::Array& a) {
    std::vector<T> values(static_cast<size_t>(a.size()));
    a.copy_to(std::span<T>(values));
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    for (size_t i = 0; i < values.size() * sizeof(T); ++i) std::printf("%02x", bytes[i]);
}

void show(const nl::Array& a) {
    std::printf("%s %s ", std::string(nl::name(a.dtype())).c_str(), print_shape(a.shape()).c_str());
    switch (a.dtype()) {
        case nl::DType::Bool: {
            const std::vector<uint8_t> truth = a.to_vector<uint8_t>();
            for (uint8_t x : truth) std::printf("%02x", x);
            break;
        }
        case nl::DType::Int8:
            print_elements<int8_t>(a);
            break;
        case nl::DType::UInt8:
            print_elements<uint8_t>(a);
            break;
        case nl::DType::Int16:
            print_elements<int16_t>(a);
            break;
        case nl::DType::UInt16:
            print_elements<uint16_t>(a);
            break;
        case nl::DType::Int32:
            print_elements<int32_t>(a);
            break;
        case nl::DType::UInt32:
            print_elements<uint32_t>(a);
            break;
        case nl::DType::Int64:
            print_elements<int64_t>(a);
            break;
        case nl::DType::UInt64:
            print_elements<uint64_t>(a);
            break;
        case nl::DType::Float16:
        case nl::DType::Float32:
            print_elements<float>(a);
            break;
        case nl::DType::Float64:
            print_elements<double>(a);
            break;
        case nl::DType::Complex64:
            print_elements<std::complex<float>>(a);
            break;
        case nl::DType::Complex128:
            print_elements<std::complex<double>>(a);
            break;
    }
    std::printf("\n");
}

void run(const Words& w, int64_t number) {
    if (w[0] == "array") {
        const std::string bytes = parse_hex(w.size() > 4 ? w[4] : "");
        arrays[w[1]] = nl::from_data(bytes.data(), parse_shape(w[3]), parse_dtype(w[2]));
    } else if (w[0] == "index") {
        arrays[w[1]] = index(arrays.at(w[2]), w);
    } else if (w[0] == "view") {
        arrays[w[1]] = view(arrays.at(w[2]), w[3]);
    } else if (w[0] == "call") {
        arrays[w[1]] = call(w);
    } else if (w[0] == "into") {
        into(w);
    } else if (w[0] == "reduce") {
        arrays[w[1]] = reduce(w);
    } else if (w[0] == "random") {
        nl::Generator rng(std::stoull(w[2]));
        (void)rng.random(parse_shape(w[3]));
        arrays[w[1]] = rng.uniform(-1.5, 2.0, parse_shape(w[4]));
    } else if (w[0] == "show") {
        const nl::Array& a = arrays.at(w[1]);
        nl::eval();  // what fails, fails before the number is printed
        std::printf("%lld ", static_cast<long long>(number));
        show(a);
    } else if (w[0] == "text") {
        std::string text = arrays.at(w[1]).to_string();
        std::replace(text.begin(), text.end(), '\n', '|');
        std::printf("%lld |%s\n", static_cast<long long>(number), text.c_str());
    } else {
        throw std::runtime_error("no command " + w[0]);
    }
}

}  // namespace

int main() {
    static const char* const kinds[] = {
        "ValueError",   "TypeError",    "IndexError",          "MemoryError", "OverflowError",
        "ZeroDivision", "RuntimeError", "NotImplementedError", "AxisError",   "LinAlgError"};
    int64_t number = -1;
    for (std::string line; std::getline(std::cin, line);) {
        ++number;
        std::istringstream in(line);
        Words words;
        for (std::string w; in >> w;) words.push_back(w);
        if (words.empty()) continue;
        try {
            run(words, number);
        } catch (const nl::Error& e) {
            // What failed leaves no array behind; whoever uses it fails too.
            if (words[0] != "into" && words[0] != "show" && words[0] != "text") arrays.erase(words[1]);
            std::printf("%lld error %s %s\n", static_cast<long long>(number),
                        kinds[static_cast<int>(e.kind())], e.what());
        } catch (const std::out_of_range&) {
            std::printf("%lld error Missing: %s\n", static_cast<long long>(number), line.c_str());
        }
    }
    return 0;
}
