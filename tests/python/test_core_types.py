"""The types: isinstance with NumPy's arrays, subclasses, ufunc objects, conversions, call sites, threads, Ctrl-C."""

import _thread
import pickle
import threading
import time
import weakref

import core_cases as cases
import numloom
import numpy as np
import pytest
from core_cases import CODES, ours, outcome, same, values
from numloom import _core


def test_numpys_arrays_are_instances():
    assert isinstance(np.ones(3), numloom.ndarray)
    assert isinstance(numloom.ones(3), numloom.ndarray)
    assert not isinstance([1], numloom.ndarray)
    assert not isinstance(numloom.ones(3).sum(), numloom.ndarray)
    assert type(np.ones(3)) is np.ndarray
    assert issubclass(np.ndarray, numloom.ndarray)
    assert issubclass(np.matrix, numloom.ndarray)
    assert not issubclass(int, numloom.ndarray)


def test_subclasses_are_numpys():
    class Tagged(numloom.ndarray):
        def __array_finalize__(self, obj):
            self.tag = getattr(obj, "tag", "none")

    t = np.arange(4).view(Tagged)
    t.tag = "mine"
    assert issubclass(Tagged, np.ndarray)
    assert (t[1:] + 1).tag == "mine"
    assert type(t + numloom.ones(4)) is Tagged
    assert type(numloom.ones(4) + t) is Tagged


def test_weak_references_and_reuse_of_objects():
    x = numloom.ones(3)
    r = weakref.ref(x)
    assert r() is x
    del x
    assert r() is None
    kept = [numloom.ones(2) + i for i in range(2000)]
    same(kept[1234], np.ones(2) + 1234)


def test_conversions():
    for f in (bool, float, int, complex):
        for a in (
            np.array(2.5),
            np.array(3),
            np.ones(2),
            np.ones(0),
            np.array([1.5]),
            np.array(1 + 2j),
            np.array(True),
        ):
            same(outcome(lambda f=f, a=a: f(ours(a))), outcome(lambda f=f, a=a: f(a)), f"{f.__name__}({a!r})")
    assert [10, 20, 30][numloom.array(1)] == 20
    with pytest.raises(TypeError, match="only integer scalar arrays can be converted to a scalar index"):
        numloom.array(1.0).__index__()
    with pytest.raises(TypeError, match="unhashable type: '(numpy|numloom).ndarray'"):
        hash(numloom.ones(2))


UFUNCS = sorted(_core.ufuncs)
TRAITS = {row["name"]: row["traits"] for row in _core.operations()}
MATH = 1 << 3  # the table's trait of results within an ulp bound


@pytest.mark.parametrize("name", UFUNCS)
def test_ufuncs(name):
    u = _core.ufuncs[name]
    host = getattr(np, name, None) or pytest.importorskip("scipy.special").__dict__[name]
    assert (u.nin, u.nout, u.nargs, u.__name__) == (host.nin, host.nout, host.nargs, name)
    assert u.native
    rng = np.random.default_rng(1)
    for code in CODES:
        a = [values(rng, code, (3, 4)), values(rng, code, (4,))][: u.nin]
        if u.nin == 2:
            a[1] = np.where(a[1] == 0, a[1].dtype.type(1), a[1])
            if name in ("power", "left_shift", "right_shift") and a[1].dtype.kind in "i":
                a[1] = abs(a[1])
        b = [ours(v) for v in a]
        want = outcome(lambda a=a: host(*a))
        exact = np.dtype(code).kind != "c" and not TRAITS[name] & MATH
        got = outcome(lambda b=b: u(*b))
        if isinstance(want, tuple):
            assert got[0] is want[0], (code, got, want)
            continue
        if not hasattr(np, name) and got.dtype != want.dtype:
            assert (got.dtype, want.dtype) == ("f4", "f8")  # SciPy before 1.18 widens small types further
            continue
        check(got, want, f"{name} {code}", exact)
        out = np.zeros(want.shape, want.dtype)
        ours_out = ours(out)
        host(*a, out)
        assert u(*b, ours_out) is ours_out
        check(ours_out, out, f"{name} {code} out", exact)
        assert u(*b, out=ours_out) is ours_out


def check(got, want, what, exact):
    if exact:
        same(got, want, what)
        return
    got = cases.host(got)
    assert got.dtype == want.dtype, what
    if want.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want)
        return
    eps = np.finfo(want.dtype).eps
    np.testing.assert_allclose(got, want, rtol=16 * eps, atol=16 * eps, err_msg=what)


def test_ufunc_objects():
    assert repr(_core.ufuncs["add"]) == "<ufunc 'add'>"
    assert pickle.loads(pickle.dumps(_core.ufuncs["add"])) is _core.ufuncs["add"]
    assert _core.ufuncs["add"].types == np.add.types
    assert _core.ufuncs["add"].identity == 0
    assert _core.ufuncs["add"].signature is None
    assert _core.ufuncs["add"].host is np.add
    made = _core.ufunc(np.hypot)
    assert made.__name__ == "hypot"
    assert type(_core.ufuncs["add"](1, 2)) is np.int64
    assert type(_core.ufuncs["sqrt"](np.float32(4))) is np.float32
    same(_core.ufuncs["add"]([1, 2], 3), np.array([4, 5]))
    same(_core.ufuncs["negative"](np.arange(3.0)), -np.arange(3.0))


def test_operations_table():
    rows = {row["name"]: row for row in _core.operations()}
    assert rows["add"]["inputs"] == 2
    assert rows["where"]["inputs"] == 3
    assert "d" in rows["sqrt"]["loops"]
    assert rows["less"]["result"] == "bool"
    assert {row["result"] for row in rows.values()} <= {"same", "bool", "real", "uint8", "int32"}


def test_call_sites_resolve_lazily():
    def here():
        return _core.resolve_site(*_core.here())

    file, line, function = here()
    assert file == __file__
    assert line == here.__code__.co_firstlineno + 1
    assert function.endswith("here")
    with pytest.raises(ValueError, match="no such code object"):
        _core.resolve_site(12345, 0)


def test_hooks_and_triggers_are_checked():
    with pytest.raises(ValueError, match="no hook"):
        _core.set_hook("nothing", print)
    with pytest.raises(ValueError, match="no evaluation trigger"):
        _core.flush("nothing")
    for trigger in ("host_read", "export", "data_shape", "data_error", "host_call", "file_write", "synchronise"):
        _core.flush(trigger)


def test_reductions():
    rng = np.random.default_rng(2)
    a = values(rng, "d", (3, 4, 5))
    for axes in ((0,), (1,), (2,), (0, 2), (0, 1, 2), ()):
        want = np.add.reduce(a, axis=axes)
        same(_core.reduce_new("add", np.dtype("d"), ours(a), axes), want)
        same(_core.reduce_new("add", np.dtype("d"), ours(a), axes, True), np.add.reduce(a, axis=axes, keepdims=True))
    out = numloom.zeros((1, 4, 1))
    assert _core.reduce("maximum", np.dtype("d"), out, ours(a), (0, 2)) is out
    same(out, a.max((0, 2), keepdims=True))
    with pytest.raises(ValueError, match="does not fit"):
        _core.reduce("add", np.dtype("d"), numloom.zeros(3), ours(a), (0,))


def test_elementwise_functions():
    a, m = np.arange(6.0).reshape(2, 3), np.array([True, False, True])
    out = _core.empty((2, 3), np.dtype("f"))
    assert _core.elementwise("where", np.dtype("d"), out, ours(m), ours(a), -1) is out
    same(out, np.where(m, a, -1).astype("f"))
    same(_core.elementwise_new("where", np.dtype("d"), ours(m), 1, ours(a)), np.where(m, 1, a))
    same(_core.elementwise_new("real", np.dtype("D"), ours(a * 1j)), (a * 1j).real)
    for bad in (
        lambda: _core.elementwise("nothing", "d", out, out, out),
        lambda: _core.elementwise("add", "d", out, out),
        lambda: _core.elementwise("add", "d", out, numloom.ones(4), 1),
        lambda: _core.elementwise("invert", "d", out, out),
    ):
        with pytest.raises((ValueError, TypeError)):
            bad()


# Threads and signals come when they like: processes would not record the same.
one_process = pytest.mark.skipif(numloom.mesh().processes > 1, reason="processes must record the same operations")


@one_process
def test_threads_record_together():
    x = numloom.zeros((50, 50))
    failures = []

    def work(k):
        try:
            y = numloom.ones((50, 50)) * k
            for _ in range(200):
                y = y + 1
                y[1:] += y[:-1] * 0
            if float(y.sum()) != 2500.0 * (k + 200):
                failures.append(k)
        except Exception as e:
            failures.append(e)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures
    assert float(x.sum()) == 0


@one_process
def test_an_interrupt_leaves_values_right():
    x = numloom.zeros(200_000)
    stop = threading.Timer(0.05, _thread.interrupt_main)
    n = 0
    stop.start()
    end = time.monotonic() + 20
    try:
        while time.monotonic() < end:
            x += 1
            n += 1
            if n % 50 == 0:
                x[:1].sum().item()
    except KeyboardInterrupt:
        pass
    else:
        pytest.fail("no interrupt came")
    finally:
        stop.cancel()
    found = np.asarray(x)
    assert (found == found[0]).all()
    assert found[0] in (n, n + 1)


def test_a_loop_that_never_reads_stays_small():
    x = numloom.zeros(1000)
    s = x.sum()
    for _ in range(5000):
        x = x * 0.5 + 1
        s = s + x.sum()
    assert _core.print_log().count("\n") < 2000
    assert float(s) == pytest.approx(5000 * 2000, rel=0.01)


def test_plans_can_be_printed():
    _core.flush()
    _core.remember_plans(True)
    x = numloom.ones(10) + 1
    _core.flush()
    text = _core.print_plans()
    _core.remember_plans(False)
    assert text
    same(x, np.full(10, 2.0))


def test_the_stub_names_what_there_is():
    import ast
    import pathlib

    stub = pathlib.Path(numloom.__file__).with_name("_core.pyi")
    if not stub.exists():
        pytest.skip("the installed package has no stub file")
    listed = {n.name for n in ast.parse(stub.read_text()).body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    public = {n for n in dir(_core) if not n.startswith("_") and callable(getattr(_core, n))}
    assert listed - public == {"arraytype"}
    assert public - listed == set()


COPIES = {
    "astype": lambda module, x: x.astype("f4"),
    "copy": lambda module, x: x.copy("K"),
    "array": lambda module, x: module.array(x),
    "empty_like": lambda module, x: module.empty_like(x),
    "ufunc": lambda module, x: -x,
}


@pytest.mark.parametrize("how", COPIES)
def test_copies_of_repeated_arrays_lie_in_memory_as_numpys(how):
    """Whether a reshape of them is a view depends on it."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        shape = rng.integers(1, 4, rng.integers(1, 5))
        base = np.where(rng.random(len(shape)) < 0.4, 1, shape)
        axes = rng.permutation(len(shape)).tolist()
        strides = []
        for module in (np, numloom):
            x = module.asarray(np.arange(float(base.prod())).reshape(base))
            y = COPIES[how](module, module.broadcast_to(x, tuple(shape.tolist())).transpose(axes))
            strides.append([s for s, n in zip(y.strides, y.shape, strict=True) if n > 1])
        assert strides[0] == strides[1], (seed, shape, base, axes)
