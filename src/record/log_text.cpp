// The log as text. One instruction a line:
//
//   add float64 s2:float64(10,)[8]+0 = s0:float64(10,)[8]+0, #float64:0000000000000040
//   reduce add float64 axes 1 s3:float64(1,)[8]+0 = s2:float64(10,)[8]+0
//   index s4:int64(5,)[8]+0 = #int64:0000000000000000 steps [1]
//   release s0
//
// s2 is a storage (home dtype and shape are given where it appears first, as s2{float64(10,)}), then the
// view: dtype, shape, byte strides, byte offset. Constants are their bytes in hexadecimal, so that no bit is
// lost.
#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "core/error.hpp"
#include "record/log.hpp"

namespace numloom {
namespace {

std::string list_text(std::span<const int64_t> v) {
    std::string s = "[";
    for (size_t i = 0; i < v.size(); ++i) s += (i ? "," : "") + std::to_string(v[i]);
    return s + "]";
}

class Printer {
  public:
    std::string instruction(const Instruction& x) {
        if (x.form == Form::Release) return "release " + storage(x.out.storage);
        std::string s;
        if (x.form == Form::Index)
            return "index " + operand(x.out) + " = " + operand(x.in[0]) + " steps " +
                   list_text(x.in[1].layout->strides());
        if (x.form == Form::Call) s = "call " + std::string(x.call->name()) + " ";
        if (x.form == Form::Reduce)
            s = "reduce " + std::string(operation(x.op).name) + " " + std::string(name(x.loop)) + " axes " +
                std::to_string(x.axes) + " ";
        if (x.form == Form::Compute)
            s = std::string(operation(x.op).name) + " " + std::string(name(x.loop)) + " ";
        s += operand(x.out) + " =";
        for (int k = 0; k < x.inputs; ++k) s += (k ? ", " : " ") + operand(x.in[k]);
        return s;
    }

  private:
    std::string storage(const Storage* s) {
        const auto [it, fresh] = numbers_.try_emplace(s, static_cast<int>(numbers_.size()));
        std::string text = "s" + std::to_string(it->second);
        if (fresh) text += "{" + std::string(name(s->dtype)) + list_text(s->home->shape()) + "}";
        return text;
    }
    std::string operand(const Operand& o) {
        if (o.constant()) {
            std::string s = "#" + std::string(name(o.dtype)) + ":";
            for (int64_t i = 0; i < item_size(o.dtype); ++i) {
                constexpr char digits[] = "0123456789abcdef";
                s += digits[o.value[i] >> 4];
                s += digits[o.value[i] & 15];
            }
            return s;
        }
        return storage(o.storage) + ":" + std::string(name(o.dtype)) + list_text(o.layout->shape()) +
               list_text(o.layout->strides()) + "+" + std::to_string(o.offset);
    }
    std::unordered_map<const Storage*, int> numbers_;
};

class Parser {
  public:
    Parser(const std::string& text, StorageSource source, void* context)
        : t_(text), source_(source), context_(context) {}

    void run(Log* out) {
        while (skip(), at_ < t_.size()) instruction(out->push());
    }

  private:
    [[noreturn]] void fail(const std::string& expected) const {
        throw value_error("log text, position " + std::to_string(at_) + ": expected " + expected);
    }
    void skip() {
        while (at_ < t_.size() && std::isspace(static_cast<unsigned char>(t_[at_]))) ++at_;
    }
    bool accept(char c) {
        skip();
        if (at_ < t_.size() && t_[at_] == c) return ++at_, true;
        return false;
    }
    void expect(char c) {
        if (!accept(c)) fail(std::string("'") + c + "'");
    }
    std::string word() {
        skip();
        const size_t from = at_;
        while (at_ < t_.size() && (std::isalnum(static_cast<unsigned char>(t_[at_])) || t_[at_] == '_'))
            ++at_;
        if (from == at_) fail("a word");
        return t_.substr(from, at_ - from);
    }
    int64_t number() {
        skip();
        size_t used = 0;
        int64_t n = 0;
        try {
            n = std::stoll(t_.substr(at_, 24), &used);
        } catch (const std::exception&) {
            fail("a number");
        }
        at_ += used;
        return n;
    }
    Dims list() {
        Dims d;
        expect('[');
        if (accept(']')) return d;
        do {
            if (d.n == kMaxDims) fail("at most 64 numbers");
            d.push(number());
        } while (accept(','));
        expect(']');
        return d;
    }
    DType dtype() {
        const std::string w = word();
        for (int i = 0; i < kDTypes; ++i)
            if (kDTypeInfo[i].name == w) return static_cast<DType>(i);
        fail("a dtype, not " + w);
    }
    Storage* storage() {
        skip();
        if (at_ >= t_.size() || t_[at_] != 's') fail("a storage");
        ++at_;
        const auto n = static_cast<int>(number());
        if (accept('{')) {
            const DType d = dtype();
            const Dims shape = list();
            expect('}');
            storages_[n] = source_(context_, n, d, shape);
        }
        const auto it = storages_.find(n);
        if (it == storages_.end()) fail("a storage that was described");
        return it->second;
    }
    Operand operand() {
        if (accept('#')) {
            const DType d = dtype();
            expect(':');
            Scalar s;
            for (int64_t i = 0; i < item_size(d); ++i, at_ += 2) {
                const std::string digits = t_.substr(at_, 2);
                if (digits.size() != 2 || !std::isxdigit(static_cast<unsigned char>(digits[0])) ||
                    !std::isxdigit(static_cast<unsigned char>(digits[1])))
                    fail("two hexadecimal digits");
                s.bytes[i] = static_cast<unsigned char>(std::stoi(digits, nullptr, 16));
            }
            return Operand(s, d);
        }
        Storage* s = storage();
        expect(':');
        const DType d = dtype();
        const Dims shape = list(), strides = list();
        if (shape.n != strides.n) fail("as many strides as extents");
        expect('+');
        return Operand(s, Layout::intern(shape, strides), number(), d);
    }
    OpCode op(const std::string& w) const {
        const OpCode code = find_operation(w);
        if (code == OpCode::Count) fail("an operation, not " + w);
        return code;
    }

    void instruction(Instruction& x) {
        x = Instruction{};
        const std::string first = word();
        if (first == "release") {
            x.form = Form::Release;
            x.out.storage = storage();
            return;
        }
        if (first == "call") fail("no library call: they cannot be read back");
        if (first == "index") return index(x);
        x.form = first == "reduce" ? Form::Reduce : Form::Compute;
        x.op = op(first == "reduce" ? word() : first);
        x.loop = dtype();
        if (x.form == Form::Reduce) {
            if (word() != "axes") fail("'axes'");
            x.axes = static_cast<uint64_t>(number());
        }
        x.out = operand();
        expect('=');
        do {
            if (x.inputs == 3) fail("at most three inputs");
            x.in[x.inputs++] = operand();
        } while (accept(','));
    }
    void index(Instruction& x) {
        x.form = Form::Index;
        x.loop = DType::Int64;
        x.inputs = 2;
        x.out = operand();
        expect('=');
        x.in[0] = operand();
        if (word() != "steps") fail("'steps'");
        const Dims steps = list();
        x.in[1] = Operand(Scalar{}, DType::Int64);
        x.in[1].layout = Layout::intern(x.out.layout->shape(), steps);
    }

    const std::string& t_;
    size_t at_ = 0;
    StorageSource source_;
    void* context_;
    std::unordered_map<int, Storage*> storages_;
};

}  // namespace

std::string print(const Log& log) {
    Printer p;
    std::string s;
    for (size_t i = 0; i < log.size(); ++i) s += p.instruction(log[i]) + "\n";
    return s;
}

void parse(const std::string& text, StorageSource source, void* context, Log* out) {
    Parser(text, source, context).run(out);
}

}  // namespace numloom
