#include "device/cpu/jit/assembler.hpp"

#if NUMLOOM_XBYAK

#include <algorithm>
#include <bit>
#include <limits>

namespace numloom::cpu {

namespace {

// Groups of points side by side, so that the latency of one hides behind the others.
constexpr int kCopies = 4;
constexpr size_t kLongTape = 1000;  // longer tapes have one group, to bound the code
constexpr int kSaved[] = {Xbyak::Operand::RBX, Xbyak::Operand::RBP, Xbyak::Operand::R12,
                          Xbyak::Operand::R13, Xbyak::Operand::R14, Xbyak::Operand::R15};

}  // namespace

LoopAssembler::LoopAssembler(const LoopSource& source, const Registers& registers, int widest_lanes)
    : Xbyak::CodeGenerator(code_bytes(source), Xbyak::DontSetProtectRWE),
      s_(source),
      r_(registers),
      lanes_(2 * widest_lanes),
      pinned_(source.values.size()),
      vectors_(registers.vectors) {
    for (const LoopValue& v : s_.values)
        if (item_size(result_type(v)) == 8 || (v.kind == LoopValue::Compute && item_size(v.type) == 8))
            lanes_ = widest_lanes;
    if (s_.folds()) lanes_ = std::min(lanes_, kernel::kLanes);
}

size_t LoopAssembler::code_bytes(const LoopSource& s) {
    const size_t copies = s.values.size() > kLongTape ? 3 : kCopies + 2;
    const size_t bytes =
        4096 + copies * 128 * (s.values.size() + s.stores.size()) + 128 * static_cast<size_t>(s.operands);
    return (bytes + 4095) / 4096 * 4096;
}

// Registers that one group of points needs at once, roughly; decides how many groups run side by side.
void LoopAssembler::pressure(int* vectors, int* masks) const {
    std::vector<int> last(s_.values.size(), -1);
    for (size_t i = 0; i < s_.values.size(); ++i)
        for (int j = 0; j < inputs(s_.values[i]); ++j)
            last[static_cast<size_t>(s_.values[i].in[j])] = static_cast<int>(i);
    for (const LoopStore& s : s_.stores)
        for (int32_t v : {s.value, s.imaginary})
            if (v >= 0) last[static_cast<size_t>(v)] = INT_MAX;
    int live[2] = {0, 0}, most[2] = {1, 0};
    for (size_t i = 0; i < s_.values.size(); ++i) {
        const LoopValue& v = s_.values[i];
        if (v.kind == LoopValue::Scalar) continue;
        const int mask = in_mask(result_type(v));
        most[mask] = std::max(most[mask], ++live[mask] + 1);
        for (int j = 0; j < inputs(v); ++j) {
            int& l = last[static_cast<size_t>(v.in[j])];
            if (l != static_cast<int>(i)) continue;
            l = -2;  // once, also where an input stands twice
            const LoopValue& in = s_.values[static_cast<size_t>(v.in[j])];
            if (in.kind != LoopValue::Scalar) --live[in_mask(result_type(in))];
        }
    }
    *vectors = most[0];
    *masks = most[1];
}

int LoopAssembler::choose_copies() const {
    if (s_.values.size() > kLongTape) return 1;
    int vectors = 1, masks = 0;
    pressure(&vectors, &masks);
    int copies = kCopies;
    while (copies > 1 && (copies * vectors + 1 > vectors_ || copies * masks > r_.masks - r_.first_mask))
        copies /= 2;
    return copies;
}

// The tape for `copies` groups of points, operation by operation.
void LoopAssembler::expand(int copies) {
    items_.clear();
    stores_.clear();
    state_.clear();
    std::vector<int> first(s_.values.size());
    auto item_of = [&](int32_t value, int copy) {
        const size_t v = static_cast<size_t>(value);
        return first[v] + (s_.values[v].kind == LoopValue::Scalar ? 0 : copy);
    };
    for (size_t i = 0; i < s_.values.size(); ++i) {
        const LoopValue& v = s_.values[i];
        first[i] = static_cast<int>(items_.size());
        for (int c = 0; c < (v.kind == LoopValue::Scalar ? 1 : copies); ++c) {
            Item item{v, c};
            for (int j = 0; j < inputs(v); ++j) item.v.in[j] = item_of(v.in[j], c);
            items_.push_back(item);
            state_.emplace_back();
            state_.back().reg = pinned_[i].reg;
            state_.back().slot = pinned_[i].slot;
            state_.back().spilled = pinned_[i].slot >= 0;
        }
    }
    int fold = 0;
    for (const LoopStore& s : s_.stores) {
        for (int c = 0; c < copies; ++c)
            stores_.push_back({item_of(s.value, c), s.imaginary < 0 ? -1 : item_of(s.imaginary, c), s.operand,
                               c, s.folds ? fold : -1});
        fold += s.folds;
    }
    const int size = static_cast<int>(items_.size());
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < inputs(items_[static_cast<size_t>(i)].v); ++j)
            state(items_[static_cast<size_t>(i)].v.in[j]).uses.push_back(i);
    for (size_t k = 0; k < stores_.size(); ++k)
        for (int i : {stores_[k].value, stores_[k].imaginary}) {
            if (i < 0) continue;
            state(i).uses.push_back(size + static_cast<int>(k));
            state(i).keep = items_[static_cast<size_t>(i)].v.kind == LoopValue::Load;
        }
}

int LoopAssembler::next_use(int v, int position) const {
    const std::vector<int>& uses = state_[static_cast<size_t>(v)].uses;
    auto u = std::lower_bound(uses.begin(), uses.end(), position);
    return u == uses.end() ? INT_MAX : *u;
}

void LoopAssembler::enter() {
    for (int r : kSaved) push(Xbyak::Reg64(r));
    mov(rbp, rsp);
    and_(rsp, -64);
    frame_at_ = getSize();
    sub(rsp, 0x7fffffc0);  // patched by leave(), once the number of slots is known
}

void LoopAssembler::leave(int extra_bytes) {
    vzeroupper();
    mov(rsp, rbp);
    for (size_t i = std::size(kSaved); i-- > 0;) pop(Xbyak::Reg64(kSaved[i]));
    ret();
    const int bytes = (slots_ * r_.slot_bytes + extra_bytes + 63) / 64 * 64;
    rewrite(frame_at_ + 3, static_cast<uint64_t>(bytes), 4);
}

// Scalars stay in registers over the loop; those beyond the pinned ones wait on the stack.
void LoopAssembler::broadcast_scalars() {
    int pinned = 0;
    for (size_t i = 0; i < s_.values.size(); ++i) {
        const LoopValue& v = s_.values[i];
        if (v.kind != LoopValue::Scalar) continue;
        const bool pin = pinned < r_.pinned;
        const int reg = pin ? r_.vectors - 1 - pinned : 0;
        if (v.operand < 0) {
            zero(reg);
        } else {
            mov(r11, ptr[rdi + 8 * v.operand]);
            if (v.part == LoopValue::Imaginary) add(r11, static_cast<uint32_t>(item_size(v.type)));
            broadcast_scalar(reg, v);
        }
        if (pin) {
            pinned_[i].reg = reg;
            ++pinned;
        } else {
            pinned_[i].slot = slots_++;
            spill(pinned_[i].slot, reg, false);
        }
    }
    vectors_ = r_.vectors - pinned;
}

void LoopAssembler::load_pointers(std::initializer_list<int> registers) {
    pointers_.assign(static_cast<size_t>(s_.operands), -1);
    const int* next = registers.begin();
    auto take = [&](int32_t operand) {
        int& p = pointers_[static_cast<size_t>(operand)];
        if (p >= 0 || next == registers.end()) return;
        p = *next++;
        mov(Xbyak::Reg64(p), ptr[rdi + 8 * operand]);
    };
    for (const LoopValue& v : s_.values)
        if (v.kind == LoopValue::Load) take(v.operand);
    for (const LoopStore& w : s_.stores) take(w.operand);
}

void LoopAssembler::loop(int copies) {
    Xbyak::Label again, end;
    mov(rbx, rsi);
    sub(rbx, rax);
    and_(rbx, -lanes_ * copies);
    jz(end, T_NEAR);
    add(rbx, rax);
    align(32);
    L(again);
    body(false, copies);
    add(rax, lanes_ * copies);
    cmp(rax, rbx);
    jb(again, T_NEAR);
    L(end);
}

// Below the scalars that stay in registers. A kernel with too many is left to the precompiled loops.
void LoopAssembler::reserve_accumulators() {
    constexpr int kLeast = 6;  // registers for everything else
    for (const LoopStore& s : s_.stores) {
        if (!s.folds) continue;
        vectors_ -= kernel::kLanes / lanes_;
        folds_.push_back({s.op, result_type(s_.values[static_cast<size_t>(s.value)]), s.operand, vectors_});
    }
    if (vectors_ < kLeast) throw Xbyak::Error(Xbyak::ERR_CANT_ALLOC);
}

// What changes no value that it meets: a lane begins with its first one.
void LoopAssembler::start_leaf() {
    auto identity = [](OpCode op) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        switch (op) {
            case OpCode::Add:
                return -0.0;
            case OpCode::Multiply:
                return 1.0;
            default:
                return op == OpCode::Minimum ? infinity : -infinity;
        }
    };
    for (const Fold& f : folds_)
        for (int r = f.reg; r < f.reg + kernel::kLanes / lanes_; ++r) {
            const double x = identity(f.op);
            if (f.type == DType::Float64) {
                mov(r11, std::bit_cast<uint64_t>(x));
                vmovq(Xbyak::Xmm(r), r11);
                lanes_ == 8 ? vbroadcastsd(Xbyak::Zmm(r), Xbyak::Xmm(r))
                            : vbroadcastsd(Xbyak::Ymm(r), Xbyak::Xmm(r));
            } else {
                mov(r11d, std::bit_cast<uint32_t>(static_cast<float>(x)));
                vmovd(Xbyak::Xmm(r), r11d);
                vbroadcastss(wide(r, f.type), Xbyak::Xmm(r));
            }
        }
}

// rax stands at the end of the leaf.
void LoopAssembler::end_leaf() {
    for (const Fold& f : folds_) {
        const int item = static_cast<int>(item_size(f.type)), bytes = kernel::kLanes * item;
        mov(r11, rax);
        shr(r11, std::countr_zero(static_cast<unsigned>(kernel::kLeaf / bytes)));
        add(r11, ptr[rdi + 8 * f.operand]);
        for (int k = 0; k < kernel::kLanes / lanes_; ++k)
            vmovups(ptr[r11 - bytes + k * lanes_ * item], wide(f.reg + k, f.type));
    }
}

void LoopAssembler::loop_leaves() {
    reserve_accumulators();
    const int copies = std::max(choose_copies(), kernel::kLanes / lanes_);
    Xbyak::Label leaf, again, end;
    xor_(rax, rax);
    L(leaf);
    cmp(rax, rsi);
    jae(end, T_NEAR);
    start_leaf();
    lea(rbx, ptr[rax + kernel::kLeaf]);
    align(32);
    L(again);
    body(false, copies);
    add(rax, lanes_ * copies);
    cmp(rax, rbx);
    jb(again, T_NEAR);
    end_leaf();
    jmp(leaf, T_NEAR);
    L(end);
}

void LoopAssembler::multiply_add(int value, const LoopValue& v) {
    const Xbyak::Xmm a = wide(get(v.in[0]), v.type), b = wide(get(v.in[1]), v.type),
                     c = wide(get(v.in[2]), v.type);
    const Xbyak::Xmm d = wide(allocate(false, value), v.type);
    const bool eight = item_size(v.type) == 8;
    vmovaps(d, c);
    if (v.kind == LoopValue::MultiplyAdd)
        eight ? vfmadd231pd(d, a, b) : vfmadd231ps(d, a, b);
    else
        eight ? vfmsub231pd(d, a, b) : vfmsub231ps(d, a, b);
}

void LoopAssembler::body(bool tail, int copies) {
    tail_ = tail;
    std::fill(std::begin(owner_), std::end(owner_), -1);
    std::fill(std::begin(mask_owner_), std::end(mask_owner_), -1);
    expand(copies);
    const int size = static_cast<int>(items_.size());
    for (position_ = 0; position_ < size; ++position_) {
        const LoopValue v = items_[static_cast<size_t>(position_)].v;
        if (inputs(v) == 0) continue;
        define(position_, v);
        release_dead();
    }
    for (const Store& s : stores_)
        for (int v : {s.value, s.imaginary}) {
            if (v < 0 || !state(v).keep) continue;
            get(v);
            locked_.clear();
        }
    for (const Store& s : stores_) {
        const int reg = get(s.value);
        if (s.fold >= 0) {
            const Fold& f = folds_[static_cast<size_t>(s.fold)];
            fold(f.reg + s.copy % (kernel::kLanes / lanes_), reg, f.op, f.type);
        } else if (s.imaginary < 0)
            store(reg, type_of(s.value), s.operand, s.copy);
        else
            store_complex(reg, get(s.imaginary), type_of(s.value), s.operand, s.copy);
        release_dead();
        ++position_;
    }
}

// Frees the registers of values that nobody uses after this position.
void LoopAssembler::release_dead() {
    auto drop = [&](int& owner) {
        if (owner < 0 || next_use(owner, position_ + 1) != INT_MAX) return;
        state(owner).reg = -1;
        owner = -1;
    };
    for (int& o : owner_) drop(o);
    for (int& o : mask_owner_) drop(o);
    locked_.clear();
}

bool LoopAssembler::locked(int v) const {
    return std::find(locked_.begin(), locked_.end(), v) != locked_.end();
}

// A free register of the class; the value whose next use is furthest makes room.
int LoopAssembler::allocate(bool mask, int for_value) {
    int* owner = mask ? mask_owner_ : owner_;
    const int first = mask ? r_.first_mask : 0, count = mask ? r_.masks : vectors_;
    int victim = -1, furthest = -1;
    for (int r = first; r < count; ++r) {
        if (owner[r] == -1) return take(owner, r, for_value);
        if (owner[r] == kTemporary || locked(owner[r])) continue;
        const int use = next_use(owner[r], position_);
        if (use > furthest) {
            furthest = use;
            victim = r;
        }
    }
    NL_CHECK(victim >= 0);
    evict(owner[victim], victim, mask);
    return take(owner, victim, for_value);
}

// Loads can be read again, unless a store may come between.
void LoopAssembler::evict(int v, int reg, bool mask) {
    State& s = state(v);
    s.reg = -1;
    if (s.spilled || (items_[static_cast<size_t>(v)].v.kind == LoopValue::Load && !s.keep)) return;
    if (s.slot < 0) s.slot = slots_++;
    spill(s.slot, reg, mask);
    s.spilled = true;
}

int LoopAssembler::take(int* owner, int r, int v) {
    owner[r] = v;
    if (v >= 0) {
        state(v).reg = r;
        locked_.push_back(v);
    }
    return r;
}

int LoopAssembler::get(int v) {
    if (state(v).reg >= 0) {
        locked_.push_back(v);
        return state(v).reg;
    }
    const Item& item = items_[static_cast<size_t>(v)];
    const bool mask = in_mask(type_of(v));
    const int r = allocate(mask, v);
    if (state(v).spilled)
        reload(r, state(v).slot, mask);
    else
        load(r, item.v, item.copy);
    return r;
}

bool LoopAssembler::foldable(int v) {
    const LoopValue& value = items_[static_cast<size_t>(v)].v;
    const State& s = state(v);
    return value.kind == LoopValue::Load && s.reg < 0 && !s.spilled && s.uses.size() == 1 &&
           value.type != DType::Bool && value.part == LoopValue::Whole;
}

bool LoopAssembler::has_complex(const LoopSource& s) {
    for (const LoopValue& v : s.values)
        if (v.part != LoopValue::Whole) return true;
    for (const LoopStore& w : s.stores)
        if (w.imaginary >= 0) return true;
    return false;
}

}  // namespace numloom::cpu

#endif
