// What programs become: kernels, bytes, renaming; and the hazards that must keep kernels apart.
#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include "recorder.hpp"

namespace numloom {
namespace {

constexpr int64_t kN = 100;

// One five-point sweep with all temporaries released.
void sweep(Recorder& r, const Operand& grid) {
    const Operand c = Recorder::slice(grid, {{1, kN + 1, 1}, {1, kN + 1, 1}}),
                  n = Recorder::slice(grid, {{0, kN, 1}, {1, kN + 1, 1}}),
                  s = Recorder::slice(grid, {{2, kN + 2, 1}, {1, kN + 1, 1}}),
                  w = Recorder::slice(grid, {{1, kN + 1, 1}, {0, kN, 1}}),
                  e = Recorder::slice(grid, {{1, kN + 1, 1}, {2, kN + 2, 1}});
    Operand sum = r.fresh(c);
    r.compute(OpCode::Add, sum, {c, n});
    for (const Operand& o : {s, w, e}) {
        const Operand next = r.fresh(c);
        r.compute(OpCode::Add, next, {sum, o});
        r.release(sum);
        sum = next;
    }
    const Operand work = r.fresh(c);
    r.compute(OpCode::Multiply, work, {Recorder::number(0.2), sum});
    r.release(sum);
    r.compute(OpCode::Copy, c, {work});
    r.release(work);
}

TEST(Plan, SweepIsOneKernelThatReadsAndWritesTheGridOnce) {
    Recorder r;
    const Operand grid = r.array(DType::Float64, {kN + 2, kN + 2});
    sweep(r, grid);
    for (int devices : {1, 4}) {
        const plan::Plan p = r.plan(devices);
        ASSERT_EQ(p.steps.size(), 1u) << print(p);
        EXPECT_EQ(p.steps[0].renamed.size(), 1u);
        EXPECT_EQ(p.steps[0].rest.size(), 2u);  // the ring: the two rows, the two columns
        EXPECT_EQ(p.steps[0].bytes_read, (kN + 2) * (kN + 2) * 8);
        EXPECT_EQ(p.steps[0].bytes_written, kN * kN * 8);
    }
}

TEST(Plan, SweepsInARowAreOneKernelEach) {
    Recorder r;
    const Operand grid = r.array(DType::Float32, {kN + 2, kN + 2});
    for (int i = 0; i < 5; ++i) sweep(r, grid);
    EXPECT_EQ(r.plan().kernels(), 5);
}

TEST(Plan, ExportedStoragesAreNotRenamed) {
    Recorder r;
    const Operand grid = r.array(DType::Float64, {kN + 2, kN + 2});
    grid.storage->pins = 1;
    sweep(r, grid);
    const plan::Plan p = r.plan();
    EXPECT_EQ(p.kernels(), 2) << print(p);
    for (const plan::Step& s : p.steps) EXPECT_TRUE(s.renamed.empty());
}

TEST(Plan, SmallOverlappingWriteGoesThroughATemporary) {
    Recorder r;
    const Operand a = r.array(DType::Float64, {100});
    const Operand to = Recorder::slice(a, {{1, 41, 1}}), from = Recorder::slice(a, {{0, 40, 1}});
    r.compute(OpCode::Add, to, {to, from});
    const plan::Plan p = r.plan();
    EXPECT_EQ(p.kernels(), 2);
    EXPECT_EQ(p.temporary_layouts.size(), 1u);
}

TEST(Plan, ChainsOfTemporariesBecomeRegisters) {
    Recorder r;
    const Operand x = r.array(DType::Float64, {1000});
    Operand v = x;
    for (int i = 0; i < 20; ++i) {
        const Operand next = r.fresh(x);
        r.compute(OpCode::Add, next, {v, x});
        if (i > 0) r.release(v);
        v = next;
    }
    const plan::Plan p = r.plan();
    ASSERT_EQ(p.kernels(), 1);
    EXPECT_EQ(p.steps[0].bytes_written, 8000);
    EXPECT_EQ(p.steps[0].bytes_read, 8000);
    EXPECT_EQ(p.steps[0].kernel.accesses.size(), 2u);
}

TEST(Plan, ResultsTakeOverTheMemoryOfOperandsThatDie) {
    Recorder r;
    const Operand x = r.array(DType::Float64, {1000}), y = r.array(DType::Float64, {1000}), z = r.fresh(x);
    r.compute(OpCode::Add, z, {x, y});
    EXPECT_TRUE(r.plan().steps[0].donations.empty());  // x lives on
    r.release(x);
    EXPECT_EQ(r.plan().steps[0].donations.size(), 1u);
    x.storage->pins = 1;
    EXPECT_TRUE(r.plan().steps[0].donations.empty());
    Recorder q;  // read at other points than written: no
    const Operand a = q.array(DType::Float64, {1000}), b = q.fresh(a);
    q.compute(OpCode::Copy, b, {Recorder::slice(a, {{999, -1, -1}})});
    q.release(a);
    EXPECT_TRUE(q.plan().steps[0].donations.empty());
}

TEST(Plan, SumOfSquaresIsOneKernel) {
    Recorder r;
    const Operand a = r.array(DType::Float64, {5000}), b = r.array(DType::Float64, {5000});
    const Operand d = r.fresh(a), q = r.fresh(a), s = r.array(DType::Float64, {1}, false);
    r.compute(OpCode::Subtract, d, {a, b});
    r.compute(OpCode::Square, q, {d});
    r.release(d);
    r.reduce(OpCode::Add, s, q, 1);
    r.release(q);
    for (int devices : {1, 3}) {
        const plan::Plan p = r.plan(devices);
        ASSERT_EQ(p.kernels(), 1) << print(p);
        EXPECT_TRUE(p.steps[0].kernel.reduces());
        EXPECT_EQ(p.steps[0].bytes_written, 8);
    }
}

TEST(Plan, WorkOnAReductionsResultJoinsItsFinish) {
    Recorder r;
    const Operand x = r.array(DType::Float64, {200, 30});
    const Operand s = r.array(DType::Float64, {1, 30}, false), m = r.array(DType::Float64, {30}, false);
    r.reduce(OpCode::Add, s, x, 1);
    r.compute(OpCode::Divide, m,
              {Operand(s.storage, Layout::c_order(Dims{30}, 8), 0, DType::Float64), Recorder::number(200)});
    r.release(s);
    const plan::Plan p = r.plan();
    ASSERT_EQ(p.kernels(), 1);
    EXPECT_EQ(p.steps[0].bytes_written, 240);
    // Using it along the other axis needs the whole result: a kernel of its own.
    const Operand y = r.fresh(x);
    r.compute(OpCode::Subtract, y, {x, m});
    EXPECT_EQ(r.plan().kernels(), 2);
}

TEST(Plan, DeadWorkIsNotDone) {
    Recorder r;
    const Operand x = r.array(DType::Float64, {10}), y = r.fresh(x), z = r.fresh(x);
    r.compute(OpCode::Exp, y, {x});
    r.compute(OpCode::Exp, z, {y});
    r.release(z);
    r.release(y);
    EXPECT_EQ(r.plan().kernels(), 0);
}

TEST(Plan, ReadsAfterAShiftedWriteSeeIt) {
    Recorder r;
    const Operand a = r.array(DType::Float64, {64}), b = r.array(DType::Float64, {32}, false);
    const Operand left = Recorder::slice(a, {{0, 32, 1}}), right = Recorder::slice(a, {{1, 33, 1}});
    r.compute(OpCode::Copy, left, {Recorder::number(3)});
    r.compute(OpCode::Add, b, {right, right});
    EXPECT_EQ(r.plan().kernels(), 2);
    Recorder q;  // disjoint parts may share a kernel
    const Operand c = q.array(DType::Float64, {64}), d = q.array(DType::Float64, {32}, false);
    q.compute(OpCode::Copy, Recorder::slice(c, {{0, 32, 1}}), {Recorder::number(3)});
    q.compute(OpCode::Add, d, {Recorder::slice(c, {{32, 64, 1}}), Recorder::number(1)});
    EXPECT_EQ(q.plan().kernels(), 1);
}

TEST(Plan, KeyKnowsRelationsButNotOffsets) {
    auto key = [](int64_t from, int64_t to) {
        Recorder r;
        const Operand a = r.array(DType::Float64, {400});
        r.compute(OpCode::Copy, Recorder::slice(a, {{to, to + 10, 1}}),
                  {Recorder::slice(a, {{from, from + 10, 1}})});
        r.plan();
        return r.segment.key();
    };
    EXPECT_EQ(key(0, 100), key(50, 200));  // apart
    EXPECT_EQ(key(0, 3), key(50, 57));     // shifted
    EXPECT_NE(key(0, 100), key(0, 3));
    EXPECT_NE(key(0, 3), key(3, 3));
}

TEST(Plan, SeveralDevicesKeepStoresOutOfReductions) {
    Recorder r;
    const Operand x = r.array(DType::Float64, {1000}), y = r.fresh(x),
                  s = r.array(DType::Float64, {1}, false);
    r.compute(OpCode::Add, y, {x, x});
    r.reduce(OpCode::Add, s, y, 1);  // y stays visible
    EXPECT_EQ(r.plan(1).kernels(), 1);
    EXPECT_EQ(r.plan(4).kernels(), 2);
}

TEST(Plan, SeveralDevicesNeedOutputsThatAreCutAlike) {
    Recorder r;
    const Operand a = r.array(DType::Float64, {50, 50});
    for (int64_t row : {0, 49})
        r.compute(OpCode::Copy, Recorder::slice(a, {{row, row + 1, 1}, {0, 50, 1}}), {Recorder::number(1)});
    EXPECT_EQ(r.plan(1).kernels(), 1);
    EXPECT_EQ(r.plan(4).kernels(), 2);  // the rows live on different devices
}

TEST(Log, IsCutWhereTheFirstSiteRecurs) {
    Recorder r;
    const Operand x = r.array(DType::Float64, {8});
    const int sites[3] = {};
    for (size_t i = 0; i < Log::kBound; ++i) r.compute(OpCode::Add, x, {x, x}, &sites[i % 3]);
    EXPECT_EQ(r.log.cut() % 3, 0u);
    EXPECT_GT(r.log.cut(), Log::kBound - 4);
    Log part;
    const size_t cut = r.log.cut();
    r.log.take(cut, &part);
    EXPECT_EQ(part.size(), cut);
    EXPECT_EQ(r.log.size(), Log::kBound - cut);
}

TEST(Log, IsCutWhereTheLeastIsAlive) {
    // A loop: a = x + x; b = a + x; x = b + x; both dropped. The log begins at any of its lines.
    for (int phase = 0; phase < 3; ++phase) {
        Recorder r;
        const Operand x = r.array(DType::Float64, {1000});
        const int sites[3] = {};
        Operand a = r.fresh(x), b = r.fresh(x);
        for (int i = phase; !r.log.full(); ++i) {
            if (i % 3 == 0) r.compute(OpCode::Add, a = r.fresh(x), {x, x}, &sites[0]);
            if (i % 3 == 1) r.compute(OpCode::Add, b = r.fresh(x), {a, x}, &sites[1]);
            if (i % 3 != 2) continue;
            r.compute(OpCode::Add, x, {b, x}, &sites[2]);
            r.release(a);
            r.release(b);
        }
        const size_t cut = r.log.cut(), all = r.log.size();
        EXPECT_EQ(r.log[cut].site.code, &sites[0]) << phase;
        EXPECT_GT(cut, Log::kBound / 2);
        Log part;
        r.log.take(cut, &part);
        EXPECT_EQ(part.size() + r.log.size(), all);
    }
}

TEST(Log, PrintsAndParsesBack) {
    Recorder r;
    const Operand grid = r.array(DType::Float64, {kN + 2, kN + 2});
    sweep(r, grid);
    const Operand i = r.array(DType::Int64, {5}, false), c = r.array(DType::Complex128, {3, 2}),
                  s = r.array(DType::Complex128, {1, 2}, false);
    Instruction& x = r.log.push();
    x = Instruction{};
    x.form = Form::Index;
    x.loop = DType::Int64;
    x.inputs = 2;
    x.out = i;
    x.in[0] = Operand(Scalar::of(int64_t{-7}), DType::Int64);
    x.in[1] = Operand(Scalar{}, DType::Int64);
    x.in[1].layout = Layout::intern(Dims{5}, Dims{3});
    r.reduce(OpCode::Multiply, s, c, 1);
    const std::string text = print(r.log);
    struct Made {
        std::vector<std::unique_ptr<Storage>> all;
    } made;
    Log back;
    parse(
        text,
        [](void* m, int, DType d, std::span<const int64_t> shape) {
            static_cast<Made*>(m)->all.push_back(
                std::make_unique<Storage>(d, Layout::c_order(shape, item_size(d))));
            return static_cast<Made*>(m)->all.back().get();
        },
        &made, &back);
    EXPECT_EQ(print(back), text);
    EXPECT_EQ(back.size(), r.log.size());
    EXPECT_THROW(parse("add float64 s0", nullptr, nullptr, &back), Error);
}

}  // namespace
}  // namespace numloom
