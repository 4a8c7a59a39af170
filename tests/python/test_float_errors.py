"""Floating-point warnings: the same messages as NumPy's for special values of every ufunc and dtype, at the line that
recorded the operation, and whatever errstate and the warning filters ask for."""

import itertools
import os
import subprocess
import sys
import textwrap
import warnings

import numloom
import numpy
import pytest

SPECIAL = {
    "e": [0, -0.0, 1, -2.5, 0.5, numpy.inf, -numpy.inf, numpy.nan, 65504, 12],
    "f": [0, -0.0, 1, -2.5, 0.5, numpy.inf, -numpy.inf, numpy.nan, 3.4e38, 1e-30, 100],
    "d": [0, -0.0, 1, -2.5, 0.5, numpy.inf, -numpy.inf, numpy.nan, 1.7e308, 1e-200, 1000],
    "D": [0, 1, -1j, 2 + 1j, complex(numpy.inf, 0), complex(numpy.nan, 0), 1e308 + 1e308j, 1000],
    "l": [0, 1, -5],
}


def special_cases():
    for name in sorted(dir(numpy)):
        ufunc = getattr(numpy, name)
        if not isinstance(ufunc, numpy.ufunc) or ufunc.signature or name != ufunc.__name__:
            continue
        for code in SPECIAL:
            try:
                ufunc.resolve_dtypes((numpy.dtype(code),) * ufunc.nin + (None,) * ufunc.nout)
            except TypeError:
                continue
            yield name, code


def told(call, module):
    """(category, message) of every warning of a call, sorted; or the class of what it raised."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            str(call(module))
        except Exception as raised:
            return type(raised).__name__, str(raised)
    return sorted({(w.category, str(w.message)) for w in caught}, key=str)


def infinite_exponent(base, exponent):
    return numpy.isinf(exponent)


def any_value(*values):
    return True


# NumPy's own loops leave flags of helper steps here, on some processors only.
OWN_WAYS = {
    ("power", "f"): infinite_exponent,
    ("power", "d"): infinite_exponent,
    ("pow", "f"): infinite_exponent,
    ("pow", "d"): infinite_exponent,
    ("float_power", "d"): infinite_exponent,
    ("float_power", "f"): infinite_exponent,
    ("sign", "F"): any_value,
}


@pytest.mark.parametrize("name, code", special_cases())
def test_special_values_are_reported_as_numpy_does(name, code):
    ufunc = getattr(numpy, name)
    for values in itertools.product(SPECIAL[code], repeat=ufunc.nin):
        if (name, code) in OWN_WAYS and OWN_WAYS[name, code](*values):
            continue

        def call(module, values=values):
            return getattr(module, name)(*[module.array([v], dtype=code) for v in values])

        assert told(call, numloom) == told(call, numpy), values


CALLS = [
    "np.array([1e300, 2.]).astype(np.float32)",
    "np.array([np.nan, 1.]).astype(int)",
    "np.array([np.inf]).astype(np.int32)",
    "np.array([1e10]).astype(np.int16)",
    "np.array([300.]).astype(np.int8)",
    "np.array([7e4]).astype(np.float16)",
    "np.array([70000]).astype(np.float16)",
    "np.add(np.array([1e300]), 1., out=np.zeros(1, np.float32), casting='same_kind')",
    "np.zeros(2, np.float32).__setitem__(slice(None), np.array([1e300, 1.]))",
    "np.array([1e300]) ** 2",
    "np.power(np.array([1e300]), 2)",
    "np.array([0., 4.]) ** -1",
    "np.multiply.reduce(np.array([1e300, 1e300]))",
    "np.sum(np.array([np.inf, -np.inf]))",
    "np.max(np.array([np.nan, 1.]))",
    "np.array([np.inf, -np.inf, 1.]).mean()",
    "np.array([1.]).sum() / np.array([0.]).sum()",
    "np.divide(np.array([1.]).sum(), np.array([0.]).sum())",
    "np.array(1.) / np.array(0.)",
    "np.sqrt(np.array([[1., -1.], [4., -4.]])).T",
    "np.where(np.array([True, False]), np.array([1., 2.]), np.array([np.nan, np.inf]))",
    "np.array([np.nan]) < 1",
    "np.isfinite(np.array([np.nan, np.inf]))",
    "np.floor(np.array([np.nan, np.inf]))",
    "np.clip(np.array([np.nan, np.inf]), 0, 1)",
    "np.array([1., 0.])[::-1] / np.array([0., 0.])",
    "np.ones(2, np.float32) + 1e300",
    "np.zeros(2, np.float32).__setitem__(0, 1e300)",
    "divmod(np.array([1.]), 0.)",
    "np.divmod(np.array([1., 2.]), np.zeros(2))",
    "np.full((2, 2), 1e300) @ np.full((2, 2), 1e300)",
    "np.full((30, 30), 1e300) @ np.full((30, 30), 1e300)",
    "np.dot(np.array([np.inf, 1e300]), np.array([0, 1e300]))",
    "np.vdot(np.array([1e300]), np.array([1e300]))",
    "np.cumsum(np.array([1e308, 1e308, -np.inf]))",
    "np.add.accumulate(np.full(100_000, 1e305))",
    "np.add.at(np.array([1e308]), np.array([0]), 1e308)",
    "np.add.at(np.array([1e308]), [0], 1e308)",
    "np.add.at(np.array([1e308, 1]), np.s_[:], 1e308)",
    "np.add.at(np.array([[1e308]]), [0], 1e308)",
    "np.add.at(np.array([3e38], np.float32), [0], 3e38)",
    "np.add.at(np.array([3e38], np.float32), [0], np.float32(3e38))",
    "np.add.at(np.array([3e38], np.float32), np.array([0]), 3e38)",
    "np.add.at(np.array([3e38], np.float32), np.array([0]), np.float32(3e38))",
    "np.multiply.at(np.array([1e308]), np.array([0]), 10)",
    "np.multiply.at(np.array([1e308]), np.array([0]), 10.0)",
    "np.ldexp(np.ones(3), np.array([1, 3000, 2]), out=np.zeros(3), where=np.array([True, False, True]))",
    "np.ldexp(np.ones(3), np.array([1, 3000, 2]), out=np.zeros(3), where=np.array([False, True, True]))",
    "np.divmod(np.ones(2), np.zeros(2), out=(np.zeros(2), np.zeros(2)), where=np.array([False, False]))",
    "np.divmod(np.ones(2), np.zeros(2), out=(np.zeros(2), np.zeros(2)), where=np.array([True, False]))",
    "np.add.at(np.array([1, 2]), [0], np.array([np.nan]))",
    "np.maximum.at(np.array([1, 2]), [0], np.array([1e30]))",
    "np.square.at(np.array([1e200]), [0])",
    "np.divide.at(np.array([1 + 1j]), [0], 0)",
    "np.add.at(np.array([1.0]), [0], 1j)",
    "np.sum(np.array([1j]), dtype=np.float32)",
    "np.array([1j]).mean(dtype=float)",
    "np.maximum.accumulate(np.zeros((0, 2), complex), axis=0, dtype=float)",
    "np.array([60000, 60000], np.float16).sum()",
    "np.full((3, 3), 60000, np.float16).sum(0)",
    "np.full((3, 3), 60000, np.float16).prod(1)",
    "np.full(1000, 60000, np.float16).cumsum()",
    "np.full((30, 30), 600, np.float16) @ np.full((30, 30), 600, np.float16)",
    "np.array([1e300 + 1j]).astype(np.float16)",
    "np.nextafter(np.array([np.finfo(float).max, 1.0]), np.inf)",
    "np.nextafter(np.float32(0), np.full(9, np.finfo(np.float32).max, np.float32))",
    "np.spacing(np.full(9, 65504, np.float16)[::-1])",
    "np.hypot.reduce(np.array([1.7e308, 1.7e308]))",
    "np.subtract.reduce(np.array([np.inf, np.inf]))",
    "np.zeros(3, int).__setitem__([0], 1e300)",
    "np.put(np.zeros(3, int), [0], np.nan)",
    "np.linalg.inv(np.array([[1e-39, 0], [0, 1]], np.float32))",
    "np.isclose(np.array([np.inf]), np.array([np.inf]))",
    "np.array([1 + 1j]) / 0",
    "np.array([0j]) ** -1",
    "np.array([1e300 + 1e300j]) * 1e300",
    "np.array([np.nan]) // 1.",
    "np.array([1., np.nan]) % 2.",
    "np.arange(5.) / np.arange(5)[:, np.newaxis]",
]


@pytest.mark.parametrize("text", CALLS)
def test_calls_report_as_numpy_does(text):
    assert told(lambda np: eval(text, {"np": np}), numloom) == told(lambda np: eval(text, {"np": np}), numpy)


@pytest.mark.parametrize("lengths", [range(1, 40)])
def test_vector_tails_report_nothing_of_their_own(lengths):
    for n in lengths:
        for dtype in ("f", "d"):
            x = numloom.full(n, 2, dtype=dtype)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                y = (x / x + numloom.sqrt(x) - numloom.log(x) / numloom.sin(x)) ** -1.5
                assert numloom.isfinite(y).all()


def test_errstate_decides_when_the_operation_is_recorded():
    a = numloom.array([1.0, 0.0])
    with numloom.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero encountered in log"):
        numloom.log(a)
    with numloom.errstate(invalid="raise"), pytest.raises(FloatingPointError, match="invalid value .* in cast"):
        (a * numpy.nan).astype(int)
    calls = []
    with numloom.errstate(all="call", call=lambda *what: calls.append(what)):
        a / 0
    assert calls == [("divide by zero", 9), ("invalid value", 9)]

    class Log:
        text = ""

        def write(self, text):
            self.text += text

    log = Log()
    with numloom.errstate(over="log", call=log):
        numloom.exp(a * 1000)
    assert log.text == "Warning: overflow encountered in exp\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with numloom.errstate(all="ignore"):
            b = a / 0
        assert str(b) == "[inf nan]"  # evaluated outside: it was recorded inside
    with numloom.errstate(under="raise"):
        assert numloom.exp(a).sum() > 1
        with pytest.raises(FloatingPointError, match="underflow encountered in multiply"):
            (a + 1e-300) * 1e-300
        with pytest.raises(FloatingPointError, match="underflow encountered in exp"):
            numloom.exp(a * -1000)


def test_filters_decide_too():
    a = numloom.array([1.0, 0.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero encountered in divide"):
            1 / a
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="invalid")
        warnings.filterwarnings("ignore", message="divide")
        assert str(1 / a) == "[ 1. inf]"
        with pytest.raises(RuntimeWarning, match="invalid value"):
            numloom.log(a - 2)
    with pytest.warns(RuntimeWarning, match="overflow encountered in multiply"):
        a * 1e308 * 10
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        b = 1 / a
    assert [str(w.message) for w in caught] == ["divide by zero encountered in divide"]
    assert caught[0].filename == __file__
    assert b[1] == numpy.inf


def test_nothing_is_evaluated_for_a_warning():
    before = numloom.stats()["evaluations"]
    x = numloom.ones(1000)
    y = numloom.sqrt(x / 3) * numloom.exp(x)
    assert numloom.stats()["evaluations"] == before
    assert y[0] > 0


def run(program, **variables):
    """Lines of (line number, message) that a program's warnings say."""
    path = variables.pop("path")
    path.write_text(textwrap.dedent(program).lstrip())
    environment = dict(os.environ, **variables)
    environment.pop("PYTHONWARNINGS", None)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    found = []
    for line in done.stderr.splitlines():
        if line.startswith(f"{path}:"):
            place, _, message = line.partition(": RuntimeWarning: ")
            found.append((int(place.rsplit(":", 1)[1]), message))
    return found


SEVERAL_IN_ONE_KERNEL = """
    import numloom as np
    a = np.full(N, 1e200)
    b = a * 1e100
    c = b * 1e10 + np.sqrt(
        -a)
    d = np.where(a > 0, c, np.nan) - np.float64(np.inf)
    e = np.maximum(d, np.nan) * 0
    a[N // 2] = 0
    f = (a / a).astype(np.float32)
    f += 3e38
    f -= np.inf
    print(c.sum(), d.sum(), e.sum(), f.sum())
    for i in range(3):
        print(np.log(a - 1e200 - i).max())
"""


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"NUMLOOM_JIT": "0"},
        {"NUMLOOM_CPU": "avx2"},
        {"NUMLOOM_CPU": "baseline"},
        {"NUMLOOM_DEVICES": "cpu:3", "NUMLOOM_SHARD_MIN": "1"},
    ],
)
@pytest.mark.parametrize("length", [5, 1000, 300_000])
def test_the_right_operation_and_line_are_named(tmp_path, length, variables):
    program = SEVERAL_IN_ONE_KERNEL.replace("N", str(length))
    ours = run(program, path=tmp_path / "ours.py", **variables)
    theirs = run(program.replace("numloom", "numpy"), path=tmp_path / "theirs.py")
    assert sorted(ours) == sorted(theirs)


def test_once_for_each_place(tmp_path):
    program = """
        import numloom as np
        a = np.zeros(3)
        for i in range(5):
            print((1 / a).sum())
        print((1 / a).sum())
    """
    ours = run(program, path=tmp_path / "ours.py")
    assert ours == [(4, "divide by zero encountered in divide"), (5, "divide by zero encountered in divide")]


@pytest.mark.parametrize("code", "efd")
def test_steps_to_neighbours_report_under_and_overflow(code):
    info = numpy.finfo(code)
    values = [0, -0.0, 1, info.tiny, info.smallest_subnormal, info.tiny / 2, info.max, -info.max, numpy.inf, numpy.nan]

    def told_all(call, module):
        with numpy.errstate(under="warn"):
            return told(call, module)

    for value, to in itertools.product(values, values):
        for n in (1, 3, 70):
            a, b = numpy.full(n, value, code), numpy.full(n, to, code)
            for call in (
                lambda np, a=a, b=b: np.nextafter(np.asarray(a), np.asarray(b)),
                lambda np, a=a, b=b: np.nextafter(np.asarray(a), np.asarray(b)[0]),
                lambda np, a=a: np.spacing(np.asarray(a)),
            ):
                assert told_all(call, numloom) == told_all(call, numpy), (value, to, n)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("value", [numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1.5])
def test_scaling_special_values_by_powers_of_two_reports_nothing(dtype, value):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = numpy.asarray(numloom.ldexp(numloom.asarray(numpy.full(70, value, dtype)), 3))
    numpy.testing.assert_array_equal(got, numpy.ldexp(numpy.full(70, value, dtype), 3))
