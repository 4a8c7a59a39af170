// Sizes, printer and verifier of the kernel IR.
#include "kernel/ir.hpp"

#include <cstdio>

namespace numloom::kernel {

namespace {

int64_t product(const std::vector<int64_t>& v, size_t from, size_t to) {
    int64_t p = 1;
    for (size_t i = from; i < to; ++i) p *= v[i];
    return p;
}

std::string list(const std::vector<int64_t>& v) {
    std::string s = "(";
    for (size_t i = 0; i < v.size(); ++i) s += (i ? ", " : "") + std::to_string(v[i]);
    return s + (v.size() == 1 ? ",)" : ")");
}

std::string text(std::string_view v) { return std::string(v); }

std::string entry_text(const Kernel& k, const TapeEntry& e, size_t number) {
    auto value = [](int32_t i) { return "%" + std::to_string(i); };
    std::string s = "  ";
    if (e.kind != TapeKind::Store) s += value(static_cast<int32_t>(number)) + " = ";
    switch (e.kind) {
        case TapeKind::Load:
            s += "load a" + std::to_string(e.index);
            break;
        case TapeKind::Constant:
            s += "constant c" + std::to_string(e.index);
            break;
        case TapeKind::Reduced:
            s += "reduced r" + std::to_string(e.index);
            break;
        case TapeKind::Store:
            return s + "store a" + std::to_string(e.index) + ", " + value(e.in[0]) + "\n";
        case TapeKind::Cast:
            s += "cast " + text(name(e.from)) + " " + value(e.in[0]);
            break;
        case TapeKind::Compute:
            s += text(operation(e.op).name);
            if (result_dtype(e.op, e.type) != e.type) s += "[" + text(name(e.type)) + "]";
            for (int i = 0; i < operation(e.op).inputs; ++i) s += (i ? ", " : " ") + value(e.in[i]);
            break;
    }
    return s + " : " + text(name(value_dtype(k, e))) + "\n";
}

// Checks one tape; `finish` tells which of the two it is. Returns the first violation.
class TapeVerifier {
  public:
    TapeVerifier(const Kernel& k, const std::vector<TapeEntry>& tape, bool finish)
        : k_(k), tape_(tape), finish_(finish) {}

    std::string run() {
        for (size_t i = 0; i < tape_.size(); ++i) {
            std::string fault = entry(static_cast<int32_t>(i), tape_[i]);
            if (!fault.empty())
                return (finish_ ? "finish entry " : "tape entry ") + std::to_string(i) + ": " + fault;
        }
        return "";
    }

  private:
    std::string entry(int32_t i, const TapeEntry& e) const {
        const int inputs = e.kind == TapeKind::Compute                             ? operation(e.op).inputs
                           : e.kind == TapeKind::Cast || e.kind == TapeKind::Store ? 1
                                                                                   : 0;
        for (int j = 0; j < inputs; ++j) {
            if (e.in[j] < 0 || e.in[j] >= i) return "input is not an earlier value";
            if (tape_[static_cast<size_t>(e.in[j])].kind == TapeKind::Store) return "input is a store";
        }
        switch (e.kind) {
            case TapeKind::Load:
            case TapeKind::Store:
                return access(e);
            case TapeKind::Constant:
                if (e.index < 0 || e.index >= static_cast<int32_t>(k_.constants.size()))
                    return "no such constant";
                return e.type == k_.constants[static_cast<size_t>(e.index)] ? ""
                                                                            : "dtype is not the constant's";
            case TapeKind::Reduced:
                if (!finish_) return "a reduced value outside the finish tape";
                if (e.index < 0 || e.index >= static_cast<int32_t>(k_.reductions.size()))
                    return "no such reduction";
                return e.type == value_dtype(k_, e) ? "" : "dtype is not the reduction's";
            case TapeKind::Cast:
                return e.from == input(e, 0) ? "" : "`from` is not the input's dtype";
            case TapeKind::Compute:
                return compute(e);
        }
        return "unknown kind";
    }

    std::string access(const TapeEntry& e) const {
        if (e.index < 0 || e.index >= static_cast<int32_t>(k_.accesses.size())) return "no such access";
        const Access& a = k_.accesses[static_cast<size_t>(e.index)];
        const bool store = e.kind == TapeKind::Store;
        if (a.stores != store)
            return store ? "store to an access that is read" : "load of an access that is written";
        if (store && input(e, 0) != a.dtype) return "value's dtype is not the access's";
        if (!store && e.type != a.dtype) return "dtype is not the access's";
        if (store && !finish_ && k_.reduces() && k_.kept < k_.ndim()) {
            // One iteration point per element, else the order of the writes would matter.
            for (size_t d = 0; d < a.strides.size(); ++d)
                if (a.strides[d] == 0 && k_.shape[d] > 1) return "store to one element from several points";
        }
        for (int d = k_.kept; finish_ && d < k_.ndim(); ++d)
            if (a.strides[static_cast<size_t>(d)] != 0)
                return "access of the finish tape moves along a reduced dimension";
        return "";
    }

    std::string compute(const TapeEntry& e) const {
        const Operation& op = operation(e.op);
        if (!op.has_loop(e.type)) return text(op.name) + " has no loop for " + text(name(e.type));
        for (int j = 0; j < op.inputs; ++j)
            if (input(e, j) != input_dtype(e.op, e.type, j)) return "dtype of input " + std::to_string(j);
        return "";
    }

    DType input(const TapeEntry& e, int j) const {
        return value_dtype(k_, tape_[static_cast<size_t>(e.in[j])]);
    }

    const Kernel& k_;
    const std::vector<TapeEntry>& tape_;
    const bool finish_;
};

}  // namespace

int64_t Kernel::points() const { return product(shape, 0, shape.size()); }
int64_t Kernel::kept_points() const { return product(shape, 0, static_cast<size_t>(kept)); }
int64_t Kernel::reduced_points() const { return product(shape, static_cast<size_t>(kept), shape.size()); }

DType input_dtype(OpCode op, DType loop, int input) {
    return op == OpCode::Where && input == 0 ? DType::Bool : loop;
}

DType value_dtype(const Kernel& k, const TapeEntry& e) {
    switch (e.kind) {
        case TapeKind::Compute:
            return result_dtype(e.op, e.type);
        case TapeKind::Reduced: {
            const Reduction& r = k.reductions[static_cast<size_t>(e.index)];
            return result_dtype(r.op, r.type);
        }
        default:
            return e.type;
    }
}

std::string print(const Kernel& k, bool with_shape) {
    std::string s = "kernel";
    s += with_shape ? " " + list(k.shape) : " rank " + std::to_string(k.ndim());
    s += " kept " + std::to_string(k.kept) + "\n";
    for (size_t i = 0; i < k.accesses.size(); ++i) {
        const Access& a = k.accesses[i];
        s += "  a" + std::to_string(i) + ": ";
        s += a.view < 0 ? "index" : std::string(a.stores ? "write v" : "read v") + std::to_string(a.view);
        s += " " + text(name(a.dtype));
        if (a.shadow) s += " shadow";
        if (with_shape) s += " " + list(a.strides);
        s += "\n";
    }
    for (size_t i = 0; i < k.constants.size(); ++i)
        s += "  c" + std::to_string(i) + ": " + text(name(k.constants[i])) + "\n";
    for (size_t i = 0; i < k.tape.size(); ++i) s += entry_text(k, k.tape[i], i);
    for (size_t i = 0; i < k.reductions.size(); ++i) {
        const Reduction& r = k.reductions[i];
        s += "  r" + std::to_string(i) + " = reduce " + text(operation(r.op).name) + " %" +
             std::to_string(r.value) + " : " + text(name(result_dtype(r.op, r.type))) + "\n";
    }
    if (k.reduces()) s += "finish\n";
    for (size_t i = 0; i < k.finish.size(); ++i) s += entry_text(k, k.finish[i], i);
    return s;
}

std::string verify(const Kernel& k) {
    if (k.ndim() > kMaxDims) return "more than " + std::to_string(kMaxDims) + " dimensions";
    for (int64_t n : k.shape)
        if (n < 0) return "negative extent";
    if (k.kept < 0 || k.kept > k.ndim()) return "kept is out of range";
    if (!k.reduces() && k.kept != k.ndim()) return "reduced dimensions without a reduction";
    if (!k.reduces() && !k.finish.empty()) return "a finish tape without a reduction";
    for (size_t i = 0; i < k.accesses.size(); ++i) {
        const Access& a = k.accesses[i];
        if (a.strides.size() != k.shape.size()) return "access " + std::to_string(i) + ": number of strides";
        if (a.view < 0 && (a.stores || a.dtype != DType::Int64))
            return "access " + std::to_string(i) + ": an index is read only and int64";
    }
    std::string fault = TapeVerifier(k, k.tape, false).run();
    if (!fault.empty()) return fault;
    for (size_t i = 0; i < k.reductions.size(); ++i) {
        const Reduction& r = k.reductions[i];
        const std::string where = "reduction " + std::to_string(i) + ": ";
        if (!operation(r.op).has(T_ASSOCIATIVE)) return where + "operation is not associative";
        if (!operation(r.op).has_loop(r.type)) return where + "no loop for its dtype";
        if (r.value < 0 || r.value >= static_cast<int32_t>(k.tape.size())) return where + "no such value";
        const TapeEntry& e = k.tape[static_cast<size_t>(r.value)];
        if (e.kind == TapeKind::Store) return where + "its value is a store";
        if (value_dtype(k, e) != result_dtype(r.op, r.type)) return where + "dtype of its value";
    }
    return TapeVerifier(k, k.finish, true).run();
}

}  // namespace numloom::kernel
