// How a tape becomes one machine loop with what has to be gathered before it and scattered after it.
#include "device/cpu/jit/loop_lowering.hpp"
#include "device/cpu/tape_builder.hpp"

namespace numloom::cpu {

using kernel::TapeEntry;
using kernel::TapeKind;

// The loop over the values of level 2 and its operands; false where the assembler does not know something in
// it.
bool TapeBuilder::compiled_source(LoopSource* out, std::vector<CompiledOperand>* operands) const {
    using Parts = LoopLowering::Parts;
    LoopLowering lowering(out);
    std::vector<Parts> parts(s_.tape.size());
    bool computes = false;
    auto value_of = [&](int32_t v) {
        Parts& p = parts[static_cast<size_t>(v)];
        if (p.real >= 0) return p;
        const bool scalar = values_[static_cast<size_t>(v)].level < 2;
        p = lowering.read(values_[static_cast<size_t>(v)].type, static_cast<int32_t>(operands->size()),
                          scalar);
        operands->push_back({v, -1, scalar});
        return p;
    };
    for (size_t i = 0; i < s_.tape.size(); ++i) {
        const TapeEntry& e = s_.tape[i];
        const Value& v = values_[i];
        if (!v.needed || (e.kind != TapeKind::Compute && e.kind != TapeKind::Cast) || v.level < 2) continue;
        if (!jit_knows(e) || !jit_knows(v.type)) return false;
        Parts in[3];
        const int inputs = e.kind == TapeKind::Cast ? 1 : operation(e.op).inputs;
        for (int j = 0; j < inputs; ++j) {
            const Value& from = values_[static_cast<size_t>(e.in[j])];
            if (from.level < 2 && from.type == DType::Bool) return false;
            in[j] = value_of(e.in[j]);
        }
        computes = true;
        parts[i] = lowering.compute(e, in);
    }
    if (!computes) return false;
    auto write = [&](const Parts& value, int32_t entry) {
        lowering.store(value, static_cast<int32_t>(operands->size()));
        operands->push_back({-1, entry, false});
    };
    for (size_t i = 0; i < s_.tape.size(); ++i) {
        const TapeEntry& e = s_.tape[i];
        if (e.kind != TapeKind::Store || values_[static_cast<size_t>(e.in[0])].level < 2) continue;
        if (!jit_knows(values_[static_cast<size_t>(e.in[0])].type)) return false;
        write(value_of(e.in[0]), static_cast<int32_t>(i));
    }
    for (size_t r = 0; r < s_.results.size(); ++r) {
        const int32_t v = canonical(s_.results[r]);
        const Value& value = values_[static_cast<size_t>(v)];
        if (!s_.folds.empty()) {
            if (value.level < 2 || !jit_folds(s_.folds[r], value.type)) return false;
            const Parts parts_of = value_of(v);  // may add an operand
            lowering.fold(parts_of, s_.folds[r], static_cast<int32_t>(operands->size()));
            operands->push_back({-1, -1, false, static_cast<int32_t>(r)});
            continue;
        }
        if (s_.tape[static_cast<size_t>(v)].kind == TapeKind::Load) continue;  // folded from where it lies
        bool twice = false;
        for (const CompiledOperand& o : *operands) twice = twice || (o.value < 0 && o.store == -2 - v);
        if (!twice && value.level == 2) write(parts[static_cast<size_t>(v)], -2 - v);
    }
    out->operands = static_cast<int32_t>(operands->size());
    return true;
}

bool TapeBuilder::emit_compiled() {
    if (mode_ == StoreMode::Safe || !jit_available()) return false;
    LoopSource source;
    std::vector<CompiledOperand> operands;
    if (!compiled_source(&source, &operands)) return false;
    std::shared_ptr<const CompiledLoop> loop = compile_loop(source);
    if (!loop) return false;
    // Scalars that are computed, in the order of the tape; then what the loop reads.
    for (size_t i = 0; i < s_.tape.size(); ++i) {
        const TapeEntry& e = s_.tape[i];
        if (values_[i].needed && values_[i].level < 2 &&
            (e.kind == TapeKind::Compute || e.kind == TapeKind::Cast))
            emit_compute(static_cast<int32_t>(i));
    }
    std::vector<Place> places;
    for (const CompiledOperand& o : operands) {
        if (o.value >= 0) {
            places.push_back(o.spread ? scalar_place(o.value) : vector_place(o.value));
            continue;
        }
        if (o.fold >= 0) {
            lanes_.resize(s_.results.size());
            places.push_back(
                lanes_[static_cast<size_t>(o.fold)] = new_buffer(
                    values_[static_cast<size_t>(canonical(s_.results[static_cast<size_t>(o.fold)]))].type));
            continue;
        }
        if (o.store < 0) {  // a result that is folded
            Value& v = values_[static_cast<size_t>(-2 - o.store)];
            places.push_back(v.place = new_buffer(v.type));
            continue;
        }
        const TapeEntry& e = s_.tape[static_cast<size_t>(o.store)];
        if (mode_ == StoreMode::Direct && geometry_[static_cast<size_t>(e.index)].direct)
            places.push_back({Place::Memory, e.index});
        else
            places.push_back(new_buffer(values_[static_cast<size_t>(e.in[0])].type));
    }
    Slot slot;
    slot.kind = SlotKind::Compiled;
    slot.compiled = loop->function;
    slot.in = slot.out = code_.table;
    for (const Place& p : places) use(p);
    push(slot, 2);
    for (size_t k = 0; k < places.size(); ++k)
        (operands[k].value >= 0 ? note_read(places[k]) : note_write(places[k]));
    code_.compiled = std::move(loop);
    code_.folds = !s_.folds.empty();
    // The buffers of the stores that come after, each read once.
    for (size_t k = 0; k < operands.size(); ++k) {
        if (operands[k].store < 0 || places[k].kind != Place::Buffer) continue;
        emit_transfer(operands[k].store, places[k]);
    }
    for (size_t i = 0; i < s_.tape.size(); ++i) {
        const TapeEntry& e = s_.tape[i];
        if (e.kind == TapeKind::Store && values_[static_cast<size_t>(e.in[0])].level < 2)
            emit_store(static_cast<int32_t>(i), static_cast<int32_t>(i));
    }
    return true;
}

}  // namespace numloom::cpu
