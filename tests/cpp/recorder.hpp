// Logs made by hand, for tests of the planner.
#pragma once

#include <memory>
#include <vector>

#include "plan/plan.hpp"
#include "record/log.hpp"

namespace numloom {

class Recorder {
  public:
    ~Recorder() {
        for (auto& s : storages_) s->shards.clear();
    }
    // A whole array. With data: it was written before the log begins.
    Operand array(DType d, const Dims& shape, bool with_data = true) {
        const Layout* l = Layout::c_order(shape, item_size(d));
        storages_.push_back(std::make_unique<Storage>(d, l));
        if (with_data) storages_.back()->shards.resize(1);
        return Operand(storages_.back().get(), l, 0, d);
    }
    // A fresh array for a result.
    Operand fresh(const Operand& like) { return array(like.dtype, Dims(like.layout->shape()), false); }
    // Basic indexing: [start, stop) by step per axis; start > stop with a negative step.
    static Operand slice(const Operand& a, const std::vector<std::array<int64_t, 3>>& ranges) {
        Dims shape, strides;
        int64_t offset = a.offset;
        for (size_t i = 0; i < ranges.size(); ++i) {
            const auto [start, stop, step] = ranges[i];
            shape.push(std::max<int64_t>(
                0, step > 0 ? (stop - start + step - 1) / step : (stop - start + step + 1) / step));
            strides.push(a.layout->stride(static_cast<int>(i)) * step);
            offset += start * a.layout->stride(static_cast<int>(i));
        }
        return Operand(a.storage, Layout::intern(shape, strides), offset, a.dtype);
    }
    static Operand number(double x) { return Operand(Scalar::of(x), DType::Float64); }

    void compute(OpCode op, const Operand& out, std::initializer_list<Operand> in,
                 const void* site = nullptr) {
        Instruction& i = log.push();
        i = Instruction{};
        i.form = Form::Compute;
        i.op = op;
        i.loop = out.dtype;
        i.out = out;
        i.site.code = site;
        for (const Operand& o : in) i.in[i.inputs++] = o;
    }
    void reduce(OpCode op, const Operand& out, const Operand& in, uint64_t axes) {
        Instruction& i = log.push();
        i = Instruction{};
        i.form = Form::Reduce;
        i.op = op;
        i.loop = in.dtype;
        i.axes = axes;
        i.out = out;
        i.in[i.inputs++] = in;
    }
    void release(const Operand& o) {
        Instruction& i = log.push();
        i = Instruction{};
        i.form = Form::Release;
        i.out.storage = o.storage;
    }
    plan::Plan plan(int devices = 1) {
        plan::Options o;
        o.verify = true;
        o.devices = devices;
        segment.build(log, devices);
        return plan::build(segment, o);
    }

    Log log;
    plan::Segment segment;

  private:
    std::vector<std::unique_ptr<Storage>> storages_;
};

}  // namespace numloom
