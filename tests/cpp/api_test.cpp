// The public C++ API: views, assignment, promotion, errors, reading, threads. Values over operations and
// dtypes are compared with NumPy by tests/python/test_cpp_api.py.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <sstream>
#include <thread>

#include "numloom/numloom.hpp"

namespace nl = numloom;
using nl::array;
using nl::DType;
using nl::ellipsis;
using nl::ErrorKind;
using nl::newaxis;
using nl::none;
using nl::Shape;
using nl::slice;

namespace {

template <class T>
std::vector<T> values(const nl::Array& a) {
    return a.to_vector<T>();
}
using Ints = std::vector<int64_t>;
using Doubles = std::vector<double>;

template <class F>
void expect_error(ErrorKind kind, const std::string& words, F&& f) {
    try {
        f();
    } catch (const nl::Error& e) {
        EXPECT_EQ(e.kind(), kind) << e.what();
        EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
        return;
    }
    ADD_FAILURE() << "nothing was thrown; expected: " << words;
}

TEST(Api, MakesArrays) {
    EXPECT_EQ(values<double>(nl::zeros({2})), (Doubles{0, 0}));
    EXPECT_EQ(values<double>(nl::ones({2, 1})), (Doubles{1, 1}));
    EXPECT_EQ(nl::full({2}, 3).dtype(), DType::Int64);
    EXPECT_EQ(nl::full({2}, 3.5).dtype(), DType::Float64);
    EXPECT_EQ(nl::full({2}, true).dtype(), DType::Bool);
    EXPECT_EQ(values<int64_t>(nl::full({2}, 7, DType::Int8)), (Ints{7, 7}));
    EXPECT_EQ(values<int64_t>(nl::arange(4)), (Ints{0, 1, 2, 3}));
    EXPECT_EQ(values<int64_t>(nl::arange(5, 0, -2)), (Ints{5, 3, 1}));
    EXPECT_EQ(nl::arange(3, 3).size(), 0);
    EXPECT_EQ(values<double>(nl::arange(0.0, 1.0, 0.25)), (Doubles{0, 0.25, 0.5, 0.75}));
    EXPECT_EQ(nl::arange(1., 3., .1)(10).item<double>(), 2.000000000000001);
    EXPECT_EQ(values<double>(nl::linspace(0, 1, 5)), (Doubles{0, 0.25, 0.5, 0.75, 1}));
    EXPECT_EQ(values<double>(nl::linspace(0, 1, 2, false)), (Doubles{0, 0.5}));
    EXPECT_EQ(values<int64_t>(nl::eye(2, 3, 1, DType::Int32)), (Ints{0, 1, 0, 0, 0, 1}));
    const nl::Array rows = array({{1, 2}, {3, 4}});
    EXPECT_EQ(rows.shape(), (Shape{2, 2}));
    EXPECT_EQ(rows.dtype(), DType::Int32);
    EXPECT_EQ(array(Doubles{1, 2, 3, 4, 5, 6}, {2, 3}).shape(), (Shape{2, 3}));
    EXPECT_EQ(values<int64_t>(array({{true, false}, {false, true}})), (Ints{1, 0, 0, 1}));
    const std::vector<std::complex<double>> z{{1, 2}};
    EXPECT_EQ(array(z).item<std::complex<double>>(), (std::complex<double>{1, 2}));
}

TEST(Api, RefusesWhatCannotBeMade) {
    expect_error(ErrorKind::Value, "negative dimensions", [] { nl::zeros({-1}); });
    expect_error(ErrorKind::Overflow, "300 out of bounds for uint8",
                 [] { nl::full({1}, 300, DType::UInt8); });
    expect_error(ErrorKind::Value, "NaN to integer", [] { nl::full({1}, NAN, DType::Int32); });
    expect_error(ErrorKind::ZeroDivision, "division by zero", [] { nl::arange(0, 3, 0); });
    expect_error(ErrorKind::Value, "Maximum allowed size", [] { nl::arange(0.0, INFINITY); });
    expect_error(ErrorKind::Value, "too big", [] { nl::zeros({int64_t{1} << 62, 8}); });
    expect_error(ErrorKind::Memory, "Unable to allocate", [] { nl::zeros({int64_t{1} << 50}); });
    expect_error(ErrorKind::Value, "rows differ", [] { array({{1, 2}, {3}}); });
    expect_error(ErrorKind::Value, "never given a value", [] { nl::Array().shape(); });
}

TEST(Api, IndexesAsPython) {
    const nl::Array a = nl::arange(24).reshape({2, 3, 4});
    EXPECT_EQ(a(1, 2, 3).item<int64_t>(), 23);
    EXPECT_EQ(a(-1, -1, -1).item<int64_t>(), 23);
    EXPECT_EQ(values<int64_t>(a(0, slice(none, none, -1), 0)), (Ints{8, 4, 0}));
    EXPECT_EQ(values<int64_t>(a(ellipsis, 1)), (Ints{1, 5, 9, 13, 17, 21}));
    EXPECT_EQ(a(newaxis, 0, slice(), newaxis).shape(), (Shape{1, 3, 1, 4}));
    EXPECT_EQ(values<int64_t>(nl::arange(10)(slice(-3, 100))), (Ints{7, 8, 9}));
    EXPECT_EQ(values<int64_t>(nl::arange(10)(slice(8, 1, -3))), (Ints{8, 5, 2}));
    EXPECT_EQ(nl::arange(10)(slice(5, 2)).size(), 0);
    EXPECT_EQ(values<int64_t>(nl::arange(3)(slice(none, none, INT64_MIN))), (Ints{2}));
    EXPECT_EQ(values<int64_t>(nl::arange(3)(slice(INT64_MIN, INT64_MAX, INT64_MAX))), (Ints{0}));
    expect_error(ErrorKind::Index, "index 2 is out of bounds for axis 0 with size 2", [&] { a(2); });
    expect_error(ErrorKind::Index, "too many indices", [&] { a(0, 0, 0, 0); });
    expect_error(ErrorKind::Index, "single ellipsis", [&] { a(ellipsis, ellipsis); });
    expect_error(ErrorKind::Value, "slice step cannot be zero", [&] { a(slice(0, 1, 0)); });
}

TEST(Api, ViewsShareMemory) {
    nl::Array a = nl::arange(6).reshape({2, 3});
    nl::Array row = a(0);
    row.assign(9);
    EXPECT_EQ(values<int64_t>(a), (Ints{9, 9, 9, 3, 4, 5}));
    a(1, slice(none, none, -1)) = nl::arange(3);
    EXPECT_EQ(values<int64_t>(a), (Ints{9, 9, 9, 2, 1, 0}));
    a(0) = a(1);
    EXPECT_EQ(values<int64_t>(row), (Ints{2, 1, 0}));
    row = a(1);  // another view, no write
    EXPECT_EQ(values<int64_t>(a(0)), (Ints{2, 1, 0}));
    EXPECT_TRUE(a.shares_memory(row));
    EXPECT_FALSE(a(0).shares_memory(row));
    EXPECT_TRUE(a.transpose().shares_memory(a));
    EXPECT_TRUE(a.reshape({-1}).shares_memory(a));
    EXPECT_FALSE(a.transpose().ravel().shares_memory(a));
    EXPECT_FALSE(a.copy().shares_memory(a));
    EXPECT_EQ(values<int64_t>(a.flip()), (Ints{0, 1, 2, 0, 1, 2}));
    EXPECT_EQ(values<int64_t>(a.diagonal(1)), (Ints{1, 0}));
    EXPECT_EQ(values<int64_t>(a.diagonal(-1)), (Ints{2}));
    EXPECT_EQ(a(newaxis).squeeze().shape(), (Shape{2, 3}));
    EXPECT_EQ(a.transpose().strides(), (std::vector<int64_t>{8, 24}));
}

TEST(Api, WritesInPlaceThroughOverlaps) {
    for (const int64_t n : {8, 10'000, 1'000'000}) {
        nl::Array d = nl::ones({n});
        d(slice(1)) += d(slice(none, -1));
        d(slice(1)) *= 0.5;
        EXPECT_TRUE(nl::all(d == 1.0).item<bool>()) << n;
    }
    nl::Array i = nl::arange(4);
    i += 1;
    i <<= 2;
    i %= 7;
    EXPECT_EQ(values<int64_t>(i), (Ints{4, 1, 5, 2}));
    expect_error(ErrorKind::Type, "Cannot cast ufunc 'divide' output from dtype('float64') to dtype('int64')",
                 [&] { i /= 2; });
    expect_error(ErrorKind::Value, "non-broadcastable output operand with shape (4,)", [&] {
        i += nl::ones({2, 4}, DType::Int64);
    });
    expect_error(ErrorKind::Value, "could not broadcast input array from shape (3,) into shape (4,)",
                 [&] { i.assign(nl::arange(3)); });
    expect_error(ErrorKind::Value, "read-only", [&] { i.broadcast_to({2, 4}).assign(0); });
    expect_error(ErrorKind::Type, "imaginary", [&] { i.assign(std::complex<double>(1, 1)); });
    EXPECT_EQ(values<int64_t>(i), (Ints{4, 1, 5, 2}));
}

TEST(Api, PromotesNumbersWeakly) {
    const nl::Array f = nl::ones({1}, DType::Float32), b = nl::ones({1}, DType::Int8),
                    t = nl::ones({1}, DType::Bool);
    EXPECT_EQ((f + 2.0).dtype(), DType::Float32);
    EXPECT_EQ((2 * f).dtype(), DType::Float32);
    EXPECT_EQ((b + 1).dtype(), DType::Int8);
    EXPECT_EQ((b + 1.0).dtype(), DType::Float64);
    EXPECT_EQ((b / 2).dtype(), DType::Float64);
    EXPECT_EQ((t + 1).dtype(), DType::Int64);
    EXPECT_EQ((t + true).dtype(), DType::Bool);
    EXPECT_EQ((f + std::complex<double>(0, 1)).dtype(), DType::Complex64);
    expect_error(ErrorKind::Overflow, "300 out of bounds for int8", [&] { b + 300; });
    EXPECT_TRUE((b < 300).item<bool>());
    EXPECT_FALSE((-300 > b).item<bool>());
    expect_error(ErrorKind::Type, "boolean subtract", [&] { t - t; });
    expect_error(ErrorKind::Type, "boolean negative", [&] { -t; });
    expect_error(ErrorKind::Type, "ufunc 'bitwise_and' not supported", [&] { f& f; });
    expect_error(ErrorKind::Value, "could not be broadcast together with shapes (2,) (3,)",
                 [&] { nl::ones({2}) + nl::ones({3}); });
}

TEST(Api, ComparesSignedWithUnsignedExactly) {
    const nl::Array s = array<int64_t>({-1, 0, INT64_MAX, INT64_MAX}),
                    u = array<uint64_t>({UINT64_MAX, 0, uint64_t{1} << 63, static_cast<uint64_t>(INT64_MAX)});
    EXPECT_EQ(values<int64_t>(s == u), (Ints{0, 1, 0, 1}));
    EXPECT_EQ(values<int64_t>(s != u), (Ints{1, 0, 1, 0}));
    EXPECT_EQ(values<int64_t>(s < u), (Ints{1, 0, 1, 0}));
    EXPECT_EQ(values<int64_t>(u > s), (Ints{1, 0, 1, 0}));
    EXPECT_EQ(values<int64_t>(u <= s), (Ints{0, 1, 0, 1}));
    EXPECT_EQ(values<int64_t>(s >= u), (Ints{0, 1, 0, 1}));
}

TEST(Api, PowersAsNumpy) {
    const nl::Array i = nl::arange(4);
    EXPECT_EQ(values<int64_t>(nl::pow(i, 2)), (Ints{0, 1, 4, 9}));
    EXPECT_EQ(values<int64_t>(nl::pow(2, i)), (Ints{1, 2, 4, 8}));
    expect_error(ErrorKind::Value, "Integers to negative integer powers", [&] { nl::pow(i, -1); });
    expect_error(ErrorKind::Value, "Integers to negative integer powers", [&] { nl::pow(i, i - 1); });
    EXPECT_EQ(nl::pow(array({4.0}), 0.5).item<double>(), 2.0);
    EXPECT_EQ(nl::pow(array({4.0}), -1).item<double>(), 0.25);
}

TEST(Api, Reduces) {
    const nl::Array a = array({{1.0, 5.0, 3.0}, {2.0, 0.0, 4.0}});
    EXPECT_EQ(nl::sum(a).item<double>(), 15);
    EXPECT_EQ(values<double>(nl::sum(a, 0)), (Doubles{3, 5, 7}));
    EXPECT_EQ(nl::sum(a, -1, true).shape(), (Shape{2, 1}));
    EXPECT_EQ(nl::sum(a, {0, 1}).ndim(), 0);
    EXPECT_EQ(nl::sum(nl::ones({3}, DType::Int8)).dtype(), DType::Int64);
    EXPECT_EQ(nl::sum(nl::ones({3}, DType::UInt8)).dtype(), DType::UInt64);
    EXPECT_EQ(nl::mean(nl::arange(4)).item<double>(), 1.5);
    EXPECT_EQ(nl::var(nl::arange(4), {}, false, 1).item<double>(), 5.0 / 3);
    EXPECT_EQ(values<int64_t>(nl::argmax(a, 1)), (Ints{1, 2}));
    EXPECT_EQ(nl::argmin(a).item<int64_t>(), 4);
    EXPECT_EQ(nl::count_nonzero(a).item<int64_t>(), 5);
    EXPECT_TRUE(std::isnan(nl::mean(nl::empty({0})).item<double>()));
    EXPECT_EQ(nl::sum(nl::empty({0})).item<double>(), 0);
    EXPECT_EQ(nl::argmax(array({-INFINITY})).item<int64_t>(), 0);
    expect_error(ErrorKind::Value, "zero-size array to reduction operation maximum which has no identity",
                 [] { nl::max(nl::empty({0})); });
    expect_error(ErrorKind::Axis, "axis 2 is out of bounds for array of dimension 2", [&] { nl::sum(a, 2); });
    expect_error(ErrorKind::Value, "duplicate value in 'axis'", [&] { nl::sum(a, {0, -2}); });
}

TEST(Api, SelectsSortsAndMultiplies) {
    const nl::Array a = array({{3, 1, 2}, {9, 8, 7}});
    EXPECT_EQ(values<int64_t>(nl::sort(a)), (Ints{1, 2, 3, 7, 8, 9}));
    EXPECT_EQ(values<int64_t>(nl::argsort(a, 0)), (Ints{0, 0, 0, 1, 1, 1}));
    EXPECT_EQ(values<int64_t>(nl::cumsum(a, 1)), (Ints{3, 4, 6, 9, 17, 24}));
    EXPECT_EQ(values<int64_t>(nl::take(a, array({-1, 0}), 1)), (Ints{2, 3, 7, 9}));
    EXPECT_EQ(values<int64_t>(nl::compress(a > 2, a)), (Ints{3, 9, 8, 7}));
    EXPECT_EQ(values<int64_t>(nl::flatnonzero(a == 8)), (Ints{4}));
    EXPECT_EQ(values<int64_t>(nl::where(a > 2, a, 0)), (Ints{3, 0, 0, 9, 8, 7}));
    EXPECT_EQ(values<int64_t>(nl::clip(nl::arange(10), 9, 5)), Ints(10, 5));
    EXPECT_EQ(nl::clip(nl::arange(10), 5, 8.5).dtype(), DType::Float64);
    EXPECT_EQ(values<int64_t>(nl::matmul(a, a.transpose())), (Ints{14, 49, 49, 194}));
    EXPECT_EQ(nl::matmul(nl::ones({4, 2, 3}), nl::ones({3})).shape(), (Shape{4, 2}));
    EXPECT_EQ(values<int64_t>(nl::concatenate({a(0), a(1)})), (Ints{3, 1, 2, 9, 8, 7}));
    EXPECT_EQ(nl::stack({a, a}, -1).shape(), (Shape{2, 3, 2}));
    expect_error(ErrorKind::Index, "index 3 is out of bounds for axis 1 with size 3",
                 [&] { nl::take(a, array({3}), 1); });
    expect_error(ErrorKind::Value, "mismatch in its core dimension 0", [] {
        nl::matmul(nl::ones({4, 1}), nl::ones({3}));
    });
}

TEST(Api, ReadsOnlyWhatFits) {
    EXPECT_EQ(array({2}).item<double>(), 2.0);
    EXPECT_EQ(nl::ones({2}, DType::Float16).to_vector<float>(), (std::vector<float>{1, 1}));
    expect_error(ErrorKind::Type, "cannot read float64 as int64", [] { (void)array({1.5}).item<int64_t>(); });
    expect_error(ErrorKind::Value, "array of size 1", [] { (void)nl::ones({2}).item<double>(); });
    double three[3];
    expect_error(ErrorKind::Value, "room for 3 of 2",
                 [&] { nl::ones({2}).copy_to(std::span<double>(three)); });
}

TEST(Api, RecordsAndFuses) {
    const nl::Array x = nl::linspace(0, 1, 1000), y = nl::linspace(1, 2, 1000);
    nl::eval();
    const std::string plan = nl::plan([&] {
        nl::Array grid = nl::sqrt(x * x + y * y) - 1.0;
        (void)nl::sum(grid).item<double>();
    });
    size_t kernels = 0;
    for (size_t at = plan.find("\nkernel ("); at != std::string::npos; at = plan.find("\nkernel (", at + 1))
        ++kernels;
    EXPECT_EQ(kernels, 1u) << plan;
    const nl::Stats before = nl::stats();
    nl::Array z = x;
    for (int i = 0; i < 2000; ++i) z = z + y;
    (void)nl::sum(z).item<double>();
    const nl::Stats after = nl::stats();
    EXPECT_GT(after.plan_hits - before.plan_hits, 4);
    EXPECT_LE(after.plan_misses - before.plan_misses, 4);
    EXPECT_GE(nl::mesh().size(), 1);
    EXPECT_EQ(nl::mesh().rank, 0);
}

TEST(Api, ThreadsMayRecordTogether) {
    std::vector<std::thread> threads;
    std::vector<double> sums(4);
    const nl::Array shared = nl::arange(100'000).astype(DType::Float64);
    for (size_t t = 0; t < sums.size(); ++t)
        threads.emplace_back([&, t] {
            nl::Array a = shared * static_cast<double>(t);
            for (int i = 0; i < 50; ++i) a(slice(1)) += 1.0;
            sums[t] = nl::sum(a).item<double>();
        });
    for (std::thread& t : threads) t.join();
    for (size_t t = 0; t < sums.size(); ++t)
        EXPECT_EQ(sums[t], 4999950000.0 * static_cast<double>(t) + 50.0 * 99'999);
}

TEST(Api, Prints) {
    std::ostringstream out;
    out << array({{1.0, 0.5}, {100.0, -2.25}});
    EXPECT_EQ(out.str(), "[[  1.     0.5 ]\n [100.    -2.25]]");
    EXPECT_EQ(array({true, false}).to_string(), "[ True False]");
    EXPECT_EQ(nl::sum(array({0.5})).to_string(), "0.5");
    EXPECT_EQ(nl::arange(2000).to_string(), "[   0    1    2 ... 1997 1998 1999]");
}

}  // namespace
