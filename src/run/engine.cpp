// Recording, and when what was recorded runs.
#include "run/engine.hpp"

#include <sys/sysinfo.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "core/error.hpp"
#include "library/library.hpp"
#include "record/log.hpp"
#include "run/executor.hpp"
#include "run/turns.hpp"

namespace numloom {
namespace {

// Everything that must agree among processes: operations, dtypes, shapes, storages by number, constants. No
// addresses.
uint64_t fingerprint(const Log& log) {
    uint64_t h = log.size();
    auto mix = [&](uint64_t x) {
        h = (h ^ x) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    };
    auto mix_operand = [&](const Operand& o) {
        mix(static_cast<uint64_t>(o.dtype));
        if (o.constant()) {
            uint64_t words[2];
            std::memcpy(words, o.value, 16);
            mix(words[0]);
            mix(words[1]);
            return;
        }
        mix(o.storage->id);
        mix(static_cast<uint64_t>(o.offset));
        for (int64_t n : o.layout->shape()) mix(static_cast<uint64_t>(n));
        for (int64_t n : o.layout->strides()) mix(static_cast<uint64_t>(n));
    };
    for (size_t i = 0; i < log.size(); ++i) {
        const Instruction& x = log[i];
        mix(static_cast<uint64_t>(x.form));
        if (x.form == Form::Release) {
            mix(x.out.storage->id);
            continue;
        }
        mix(static_cast<uint64_t>(x.op) << 8 | static_cast<uint64_t>(x.loop));
        mix_operand(x.out);
        for (int k = 0; k < x.inputs; ++k) mix_operand(x.in[k]);
    }
    return h;
}

bool switched_on(const char* name, bool otherwise) {
    const char* v = std::getenv(name);
    return v && *v ? std::string_view(v) != "0" && std::string_view(v) != "off" : otherwise;
}

std::string readable(double bytes) {
    const char* unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int u = 0;
    while (bytes >= 1024 && u < 6) bytes /= 1024, ++u;
    char text[64];
    std::snprintf(text, sizeof text,
                  bytes < 10 && u    ? "%.2f %s"
                  : bytes < 100 && u ? "%.1f %s"
                                     : "%.0f %s",
                  bytes, unit[u]);
    return text;
}

thread_local bool flushing_here = false;  // this thread is inside an evaluation

class EngineImpl final : public Engine {
  public:
    EngineImpl() : executor_(make_mesh(), &stats_) {
        options_.devices = executor_.mesh().size();
        options_.fuse = switched_on("NUMLOOM_FUSION", true);
        options_.rename = switched_on("NUMLOOM_RENAMING", true);
        options_.check_hazards = switched_on("NUMLOOM_HAZARDS", true);
        options_.verify = switched_on("NUMLOOM_VERIFY", false);
        keep_plans_ = switched_on("NUMLOOM_PLAN_CACHE", true);
        print_plans_ =
            std::getenv("NUMLOOM_PRINT") && std::string_view(std::getenv("NUMLOOM_PRINT")) == "plan";
        sysinfo(&memory_);
    }

    Array empty(DType d, std::span<const int64_t> shape) override {
        refuse_too_big(d, shape);
        return make(d, Layout::c_order(shape, item_size(d)));
    }
    Array empty_f_order(DType d, std::span<const int64_t> shape) override {
        refuse_too_big(d, shape);
        return make(d, Layout::f_order(shape, item_size(d)));
    }

    Array from_host(DType d, std::span<const int64_t> shape, const void* data) override {
        Array a = empty(d, shape);
        Storage* s = a.storage();
        const Turn turn(turns_);
        executor_.fill(s, static_cast<const char*>(data));
        return a;
    }

    Array adopt(DType d, const Layout* layout, int64_t offset, char* base, int64_t nbytes, void* owner,
                void (*release)(void*)) override {
        const int64_t item = item_size(d);
        const int64_t count = nbytes / item;
        const Mesh& m = executor_.mesh();
        if (m.size() != 1 || !m.local[0]->host_memory())
            throw runtime_error("adopt: memory can be shared only with a single CPU device");
        auto* s = new Storage(d, Layout::c_order({&count, 1}, item));
        s->foreign = true;
        s->foreign_owner = owner;
        s->foreign_release = release;
        Shard shard;
        shard.base = base;
        shard.hi = shard.ext_hi = shard.valid_hi = s->nbytes;
        s->shards.push_back(shard);
        return Array(s, layout, offset, d);
    }

    void flush(Trigger why) override {
        if (flushing_here) return;
        for (;;) {
            const Turn turn(turns_);  // also where nothing is left to run: another thread may be running it
            if (log_.empty()) break;
            const size_t n = why == Trigger::LogBound ? log_.cut() : log_.size();
            ++stats_.evaluations;
            run_segment(n);
            if (why == Trigger::LogBound) break;
        }
        if (!reports_.empty()) deliver_reports();
        if (Layout::count() > kMostLayouts && log_.empty()) {
            plans_.clear();
            Layout::sweep();
        }
    }

    void before_fork() override {
        if (flushing_here || !turns_.ask_for_fork()) return;
        try {
            flush(Trigger::Fork);
        } catch (...) {
            turns_.hold_for_fork();
            throw;
        }
        turns_.hold_for_fork();
    }
    void after_fork(bool child) override { turns_.after_fork(child); }

    void read(const Array& a, void* host, Trigger why) override {
        settle(*a.storage(), why, false);
        const Layout& l = *a.layout();
        if (l.size() == 0) return;
        const Turn turn(turns_);
        Storage* s = a.storage();
        if (!s->has_data()) executor_.allocate(s);
        const int64_t item = item_size(a.dtype());
        if (const char* base = executor_.host_base(s))
            return copy_dense(base + a.offset(), l, item, static_cast<char*>(host));
        const mesh::Interval r{a.offset() + l.low(), a.offset() + l.high() + item};
        if (a.c_contiguous()) return executor_.fetch(s, r, static_cast<char*>(host));
        std::vector<char> bytes(static_cast<size_t>(r.size()));
        executor_.fetch(s, r, bytes.data());
        copy_dense(bytes.data() - l.low(), l, item, static_cast<char*>(host));
    }

    char* host_address(const Array& a, Trigger why) override {
        Storage* s = a.storage();
        settle(*s, why, true);
        const Turn turn(turns_);
        if (!s->has_data()) executor_.allocate(s);
        char* base = executor_.host_base(s);
        return base ? base + a.offset() : nullptr;
    }

    void pin(Storage* s) override { ++s->pins; }
    void unpin(Storage* s) override { --s->pins; }

    Stats stats() const override {
        Stats s = stats_;
        s.instructions = static_cast<int64_t>(sequence_);
        return s;
    }
    void count_host_call() override { ++stats_.host_calls; }
    std::string print_log() const override { return print(log_); }
    std::string print_plans() const override { return plans_text_; }
    void remember_plans(bool on) override {
        remember_ = on;
        if (on) plans_text_.clear();
    }
    MeshInfo mesh() const override {
        const Mesh& m = executor_.mesh();
        MeshInfo i;
        i.processes = m.transport->size();
        i.rank = m.transport->rank();
        for (int p = 0; p < i.processes; ++p)
            for (const auto& d : m.local) i.devices.push_back(d->name());
        return i;
    }
    void broadcast(void* data, int64_t bytes) override {
        const Turn turn(turns_);
        executor_.mesh().transport->broadcast(data, bytes, 0);
    }
    void abort_job(int code) override {
        if (executor_.mesh().transport->size() > 1) executor_.mesh().transport->abort(code);
    }

    bool pending(const Storage& s, bool reads) const override {
        return (reads ? s.last_touch : s.last_write) > done_;
    }

    void collecting(bool on) override { collecting_ = on && executor_.mesh().transport->size() > 1; }

    void drop(Storage* s) {
        // Cyclic collections run at different times in different processes: what they let go of stays out of
        // the log, which must be the same everywhere, and is destroyed once no recorded instruction touches
        // it.
        if (collecting_) {
            collected_.push_back(s);
            return;
        }
        // A storage that no recorded instruction touches goes at once.
        if (s->last_touch <= done_ && !turns_.busy()) {
            destroy(s);
            return;
        }
        Instruction& i = log_.push();
        i.form = Form::Release;
        i.inputs = 0;
        i.out.storage = s;
        i.site = {};
        ++sequence_;
    }

  protected:
    Instruction& append() override {
        if (log_.full() && !flushing_here) flush(Trigger::LogBound);
        ++sequence_;
        Instruction& i = log_.push();
        i.site = site_hook_ ? site_hook_() : Site{};
        i.report = 0;
        return i;
    }
    void appended(Instruction& i) override {
        i.out.storage->last_touch = i.out.storage->last_write = sequence_;
        bool exported = i.out.storage->pins > 0;
        for (int k = 0; k < i.inputs; ++k) {
            if (!i.in[k].storage) continue;
            i.in[k].storage->last_touch = sequence_;
            exported |= i.in[k].storage->pins > 0;
        }
        // Others see writes to exported memory at once, and may write it after this (test_core_exports.py).
        if (exported) flush(Trigger::Export);
    }

  private:
    static constexpr int64_t kMostLayouts = 100'000;
    static constexpr int64_t kHeavyBytes = 1 << 18;  // from this much work on, others may record meanwhile

    // Before strides are worked out, which would overflow.
    void refuse_too_big(DType d, std::span<const int64_t> shape) const {
        int64_t bytes = item_size(d);
        for (int64_t n : shape)
            if (__builtin_mul_overflow(bytes, std::max<int64_t>(n, 1), &bytes))
                throw value_error(
                    "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible "
                    "size.");
        const bool nothing = std::find(shape.begin(), shape.end(), 0) != shape.end();
        if (!nothing &&
            static_cast<uint64_t>(bytes) > (memory_.totalram + memory_.totalswap) * memory_.mem_unit)
            throw memory_error("Unable to allocate " + readable(static_cast<double>(bytes)) +
                               " for an array with shape " + shape_text(shape) + " and data type " +
                               std::string(name(d)));
    }

    static Array make(DType d, const Layout* l) { return Array(new Storage(d, l), l, 0, d); }

    // Runs what is recorded where the storage has pending writes (and reads, where it will be written).
    void settle(const Storage& s, Trigger why, bool reads) {
        if (pending(s, reads)) flush(why);
    }

    void run_segment(size_t n) {
        log_.take(n, &running_);
        const uint64_t upto = sequence_ - log_.size();
        struct Here {
            bool& flag;
            explicit Here(bool& f) : flag(f) { flag = true; }
            ~Here() { flag = false; }
        } here(flushing_here);
        CachedPlan* p = nullptr;
        size_t done = 0;
        try {
            check_same_program();
            segment_.build(running_, options_.devices);
            p = plan_for(segment_);
            if (remember_ || print_plans_) note_plan(*p);
            run_plan(*p, &done);
        } catch (...) {
            put_back_rest(p, done);
            throw;
        }
        done_ = upto;
        collect_reports();
        if (!keep_plans_) plans_.clear();
        for (size_t i = 0; i < running_.size(); ++i) {
            Instruction& x = running_[i];
            if (x.form == Form::Release) destroy(x.out.storage);
            if (x.form == Form::Call) {
                delete x.call;
                x.call = nullptr;
            }
        }
        running_.clear();
        std::erase_if(collected_, [&](Storage* s) {
            if (s->last_touch > done_) return false;
            destroy(s);
            return true;
        });
    }

    void collect_reports() {
        std::vector<uint8_t> raised(executor_.raised().begin(), executor_.raised().end());
        Transport& t = *executor_.mesh().transport;
        if (t.size() > 1) share_raised(t, &raised);
        for (size_t i = 0; i < raised.size(); ++i) {
            const Instruction& x = running_[i];
            const auto kinds = static_cast<uint8_t>(raised[i] & x.report & F_ALL);
            // What waits for the evaluation is said once; what acts at the call acts in every process.
            if (kinds != 0 && (t.rank() == 0 || (x.report & kReportNow) != 0))
                reports_.push_back({x.site, std::string(report_name(x)), kinds,
                                    (x.report & kReportScalar) != 0, (x.report & kReportNow) != 0});
        }
    }
    // What came up in any process, where some instruction has to report at all: one small comparison a
    // segment, more only if something did come up.
    void share_raised(Transport& t, std::vector<uint8_t>* raised) {
        bool asked = false;
        for (size_t i = 0; i < running_.size() && !asked; ++i) asked = running_[i].report != 0;
        if (!asked || t.largest(raised->empty() ? 0 : 1) == 0) return;
        raised->resize(running_.size(), 0);
        std::vector<uint8_t> theirs(raised->size()), all(raised->size(), 0);
        for (int r = 0; r < t.size(); ++r) {
            if (r == t.rank()) theirs = *raised;
            t.broadcast(theirs.data(), static_cast<int64_t>(theirs.size()), r);
            for (size_t i = 0; i < all.size(); ++i) all[i] |= theirs[i];
        }
        raised->swap(all);
    }
    // Whoever hears of it may record and evaluate; what it throws leaves the rest unsaid.
    void deliver_reports() {
        const std::vector<Report> reports = std::exchange(reports_, {});
        if (report_hooks_.deliver) report_hooks_.deliver(reports);
    }
    static std::string_view report_name(const Instruction& x) {
        if (x.form == Form::Compute && x.op == OpCode::Copy) return "cast";
        if (const int as = x.report >> kReportNameShift; as != 0) return kReportNames[as];
        if (x.form == Form::Reduce) return "reduce";
        if (x.form == Form::Call && x.call->name() == "at")
            return operation(static_cast<OpCode>(x.call->parameters()[0])).name;
        if (x.form == Form::Call) return library::reported_as(x.call->name());
        return x.op == OpCode::Ldexp ? "ldexp" : operation(x.op).name;
    }

    // Several processes must have recorded the same program: else they would wait for each other for ever.
    void check_same_program() {
        Transport& t = *executor_.mesh().transport;
        if (t.size() == 1 || t.same(fingerprint(running_))) return;
        const std::string lines = lines_of_all(t, line_of(running_));
        throw runtime_error(
            "the processes recorded different operations; every process must run the same program on the "
            "same values:" +
            lines);
    }
    std::string line_of(const Log& log) const {
        for (size_t i = log.size(); i-- > 0;)
            if (log[i].site.code && site_text_)
                return std::to_string(log.size()) + " operations, the last at " + site_text_(log[i].site);
        return std::to_string(log.size()) + " operations";
    }

    // Heavy plans run without the record lock; the user may stop them between steps (one process alone:
    // several would have to agree).
    void run_plan(CachedPlan& p, size_t* done) {
        if (p.bytes <= kHeavyBytes || !lock_hooks_.unlock) return executor_.run(p, segment_, {}, done);
        void* token = lock_hooks_.unlock();
        auto last = std::chrono::steady_clock::now();
        const auto stop = [&] {
            const auto now = std::chrono::steady_clock::now();
            if (now - last < std::chrono::milliseconds(50)) return false;
            last = now;
            lock_hooks_.lock(token);
            token = nullptr;
            if (lock_hooks_.interrupted && lock_hooks_.interrupted()) return true;
            token = lock_hooks_.unlock();
            return false;
        };
        const bool alone = executor_.mesh().transport->size() == 1;
        try {
            executor_.run(p, segment_, alone ? std::function<bool()>(stop) : std::function<bool()>(), done);
        } catch (...) {
            if (token) lock_hooks_.lock(token);
            throw;
        }
        lock_hooks_.lock(token);
    }

    // What a failed evaluation has not carried out is recorded still.
    void put_back_rest(const CachedPlan* p, size_t done) {
        std::vector<uint8_t> finished(running_.size(), 0), open(running_.size(), 0);
        if (p) {
            for (size_t i = 0; i < p->plan.steps.size(); ++i)
                for (int32_t x : p->plan.steps[i].instructions)
                    (i < done ? finished : open)[static_cast<size_t>(x)] = 1;
        } else {
            std::fill(open.begin(), open.end(), 1);
        }
        std::vector<Instruction> rest;
        for (size_t i = 0; i < running_.size(); ++i)
            if (open[i] || running_[i].form == Form::Release) rest.push_back(running_[i]);
        log_.put_back(rest);
        running_.clear();
    }

    CachedPlan* plan_for(const plan::Segment& s) {
        if (CachedPlan* p = plans_.find(s.key(), s.hash())) {
            ++stats_.plan_hits;
            return p;
        }
        ++stats_.plan_misses;
        auto made = std::make_unique<CachedPlan>();
        made->key = s.key();
        made->plan = plan::build(s, options_);
        executor_.prepare(made.get());
        return plans_.insert(s.hash(), std::move(made));
    }

    void note_plan(const CachedPlan& p) {
        const std::string text = plan::print(p.plan);
        if (remember_) plans_text_ += text + "\n";
        if (print_plans_) std::fprintf(stderr, "%s\n", text.c_str());
    }

    void destroy(Storage* s) {
        executor_.free(s);
        if (s->foreign_release) s->foreign_release(s->foreign_owner);
        delete s;
    }

    static void copy_dense(const char* from, const Layout& l, int64_t item, char* to) {
        if (l.c_contiguous(item)) {
            std::memcpy(to, from, static_cast<size_t>(l.size() * item));
            return;
        }
        copy_axis(from, l, item, 0, to);
    }
    static char* copy_axis(const char* from, const Layout& l, int64_t item, int axis, char* to) {
        if (axis == l.ndim()) {
            std::memcpy(to, from, static_cast<size_t>(item));
            return to + item;
        }
        if (axis + 1 == l.ndim() && l.stride(axis) == item) {
            std::memcpy(to, from, static_cast<size_t>(item * l.shape(axis)));
            return to + item * l.shape(axis);
        }
        for (int64_t i = 0; i < l.shape(axis); ++i)
            to = copy_axis(from + i * l.stride(axis), l, item, axis + 1, to);
        return to;
    }

    Stats stats_;
    Executor executor_;
    plan::Options options_;
    PlanCache plans_;
    plan::Segment segment_;
    Log log_, running_;
    uint64_t sequence_ = 0;  // instructions recorded so far
    uint64_t done_ = 0;      // ... and carried out
    bool keep_plans_ = true, remember_ = false, print_plans_ = false;
    std::string plans_text_;
    struct sysinfo memory_ {};

    bool collecting_ = false;
    std::vector<Storage*> collected_;
    std::vector<Report> reports_;  // not delivered yet

    Turns turns_{lock_hooks_};
};

EngineImpl& engine() {
    static EngineImpl* e = new EngineImpl;  // never destroyed: arrays may outlive static destructors
    return *e;
}

// A constant in the dtype that the loop reads it in.
Operand settled(const Operand& o, DType want) {
    if (!o.constant() || o.dtype == want) return o;
    return Operand(cast_scalar(o.scalar(), o.dtype, want), want);
}

// Powers by a number that NumPy's loops of floats treat apart (at -inf and -0.0 a root is not a power of
// 0.5).
OpCode power_by(const Operand& exponent, DType loop) {
    if (loop != DType::Float32 && loop != DType::Float64) return OpCode::Power;
    const double e = cast_scalar(exponent.scalar(), exponent.dtype, DType::Float64).as<double>();
    return e == 0.5 ? OpCode::Sqrt : e == 2.0 ? OpCode::Square : OpCode::Power;
}

}  // namespace

Engine& Engine::get() { return engine(); }

void last_handle_gone(Storage* s) { engine().drop(s); }

void Engine::compute(OpCode op, DType loop, const Operand& out, std::span<const Operand> in) {
    if (out.layout->size() == 0) return;
    uint16_t how = 0;
    if (op == OpCode::Power && in[1].constant()) {
        op = power_by(in[1], loop);
        if (op != OpCode::Power) in = in.first(1), how = report_as("power");
    }
    Instruction& i = append();
    i.form = Form::Compute;
    i.op = op;
    i.loop = loop;
    i.inputs = static_cast<uint8_t>(in.size());
    i.out = out;
    bool reports = may_report(op, loop) || cast_may_report(result_dtype(op, loop), out.dtype);
    for (size_t k = 0; k < in.size(); ++k) {
        const DType want = op == OpCode::Where && k == 0 ? DType::Bool : loop;
        i.in[k] = settled(in[k], want);
        reports |= cast_may_report(i.in[k].dtype, want);
    }
    finish(i, reports, how);
}

void Engine::finish(Instruction& i, bool may_report, uint16_t how) {
    if (!may_report || !report_hooks_.capture) return appended(i);
    const uint16_t report = report_hooks_.capture();
    i.report = report >> kReportNameShift != 0 ? report : report | how;
    appended(i);
    if ((report & kReportNow) != 0) flush(Trigger::DataError);
}

void Engine::assign(const Operand& out, const Operand& in) {
    compute(OpCode::Copy, in.constant() ? out.dtype : in.dtype, out, {&in, 1});
}

void Engine::reduce(OpCode op, DType type, const Operand& out, const Operand& in, uint64_t axes) {
    if (in.layout->size() == 0) {
        int64_t folded = 1;  // elements that meet in one result
        for (int i = 0; i < in.layout->ndim(); ++i)
            if (axes >> i & 1) folded *= in.layout->shape(i);
        if (folded != 0) return;  // no results
        Scalar identity;
        if (!reduction_identity(op, type, &identity))
            throw value_error("zero-size array to reduction operation " + std::string(operation(op).name) +
                              " which has no identity");
        return assign(out, Operand(identity, type));
    }
    if (type == DType::Float16 && (op == OpCode::Add || op == OpCode::Multiply)) {
        // NumPy folds half precision in single and rounds once.
        Array rounded;
        if (in.dtype != type) {
            rounded = empty(type, in.layout->shape());
            assign(rounded.operand(), in);
        }
        return reduce(op, DType::Float32, out, in.dtype == type ? in : rounded.operand(), axes);
    }
    Instruction& i = append();
    i.form = Form::Reduce;
    i.op = op;
    i.loop = type;
    i.axes = axes;
    i.inputs = 1;
    i.out = out;
    i.in[0] = in;
    i.in[1] = Operand(Scalar{}, type);  // what a sum starts from
    finish(i, may_report(op, type) || cast_may_report(in.dtype, type) || cast_may_report(type, out.dtype));
}

void Engine::index(const Operand& out, int64_t start, std::span<const int64_t> steps) {
    if (out.layout->size() == 0) return;
    Instruction& i = append();
    i.form = Form::Index;
    i.op = OpCode::Copy;
    i.loop = DType::Int64;
    i.inputs = 2;
    i.out = out;
    i.in[0] = Operand(Scalar::of(start), DType::Int64);
    i.in[1] = Operand(Scalar{}, DType::Int64);
    i.in[1].layout = Layout::intern(out.layout->shape(), steps);
    appended(i);
}

void Engine::call(std::unique_ptr<LibraryCall> call, const Operand& out, std::span<const Operand> in) {
    Instruction& i = append();
    i.form = Form::Call;
    i.op = OpCode::Copy;
    i.inputs = static_cast<uint8_t>(in.size());
    i.out = out;
    for (size_t k = 0; k < in.size(); ++k) i.in[k] = in[k];
    i.call = call.release();
    finish(i, library::may_report(*i.call, out.dtype));
}

Array Engine::full(DType d, std::span<const int64_t> shape, const Scalar& value) {
    Array a = empty(d, shape);
    assign(a.operand(), Operand(value, d));
    return a;
}

Array Engine::ramp(int64_t n, int64_t start, int64_t step) {
    Array a = empty(DType::Int64, {&n, 1});
    index(a.operand(), start, {&step, 1});
    return a;
}

}  // namespace numloom
