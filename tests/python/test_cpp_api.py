"""The C++ API, as somebody has it who installed the library: built against the installed package by find_package.

Small generated programs run in C++ (tests/package/driver.cpp) and under NumPy: dtypes, shapes, values, error classes
and printed text must be NumPy's.
"""

import os
import random
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split()
# Functions whose values are right within an ulp bound, not to the bit.
LOOSE = set(
    "power float_power cbrt hypot exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2 sin cos tan arcsin arccos "
    "arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh degrees radians deg2rad rad2deg absolute sqrt square "
    "reciprocal divide multiply pow var std mean sum prod cumsum cumprod matmul".split()
)
SPECIAL = {"erf", "erfc", "expit"}  # scipy.special's


def tool(name):
    found = shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
    if not found:
        pytest.skip(f"{name} is not there")
    return found


def checked(*command, **options):
    found = subprocess.run([str(x) for x in command], capture_output=True, text=True, check=False, **options)
    assert found.returncode == 0, f"{command}\n{found.stdout}\n{found.stderr}"
    return found.stdout


def functions(installed):
    """{name: arity} of the functions that the installed functions.hpp declares."""
    text = (installed / "include" / "numloom" / "functions.hpp").read_text()
    return {name: arguments.count("&") for name, arguments in re.findall(r"NUMLOOM_API Array (\w+)\((.*)\);", text)}


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A prefix with the installed C++ package."""
    if not (BUILD / "libnumloom.so").exists():
        pytest.skip("build/release holds no libnumloom.so (./loom build)")
    prefix = tmp_path_factory.mktemp("prefix")
    checked(tool("cmake"), "--install", BUILD, "--prefix", prefix, "--component", "cpp")
    return prefix


def build(source, folder, installed, *options):
    """Configures and builds a CMake project against the installed package; returns its build folder."""
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    config = next(installed.rglob("numloom-config.cmake")).parent
    checked(tool("cmake"), *generator, "-S", source, "-B", folder, f"-Dnumloom_DIR={config}", *options)
    checked(tool("cmake"), "--build", folder)
    return folder


@pytest.fixture(scope="session")
def driver(installed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("driver")
    rows = {1: "", 2: ""}
    for name, arity in functions(installed).items():
        rows[arity] += f'    {{"{name}", numloom::{name}}},\n'
    (folder / "table.hpp").write_text(
        "#include <numloom/numloom.hpp>\n#include <map>\n#include <string>\n"
        "using Function1 = numloom::Array (*)(const numloom::Array&);\n"
        "using Function2 = numloom::Array (*)(const numloom::Value&, const numloom::Value&);\n"
        f"inline const std::map<std::string, Function1> unary_table = {{\n{rows[1]}}};\n"
        f"inline const std::map<std::string, Function2> binary_table = {{\n{rows[2]}}};\n"
    )
    build(ROOT / "tests" / "package", folder / "build", installed, f"-DCMAKE_CXX_FLAGS=-I{folder}")

    def run(lines, **environment):
        env = {**os.environ, "NUMLOOM_VERIFY": "1", **environment}
        out = checked(folder / "build" / "driver", input="\n".join(lines) + "\n", env=env)
        return {int(number): text for number, _, text in (line.partition(" ") for line in out.splitlines())}

    return run


class Session:
    """One program: its lines for the driver, and what NumPy says each of them prints."""

    def __init__(self):
        self.lines, self.expected, self.arrays = [], {}, {}

    def say(self, line, action, name=None):
        """Adds a command; `action` does the same under NumPy, an array where `name` is given."""
        self.lines.append(line)
        try:
            with numpy.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # empty slices
                result = action()
        except Exception as error:
            self.expected[len(self.lines) - 1] = type(error), line, False
            self.arrays.pop(name, None)
            return False
        if name is not None:
            self.arrays[name] = numpy.asarray(result) if not isinstance(result, numpy.ndarray) else result
        return True

    def array(self, name, values):
        values = numpy.asarray(values)
        shape = "x".join(map(str, values.shape)) or "-"
        self.say(f"array {name} {values.dtype} {shape} {values.tobytes().hex()}", values.copy, name)

    def show(self, name, loose=False):
        if name in self.arrays:
            self.lines.append(f"show {name}")
            self.expected[len(self.lines) - 1] = self.arrays[name].copy(), self.lines[-2], loose

    def differences(self, printed, first=0):
        """What differs in the lines that the driver printed; `first` is the number of this program's first line."""
        found = []
        numbers = {n - first for n in printed if first <= n < first + len(self.lines)}
        for n in sorted(numbers | self.expected.keys()):
            got = printed.get(n + first)
            want, line, loose = self.expected.get(n, (None, self.lines[n], False))
            if got is None:
                found.append(f"{line}: NumPy raises {want.__name__}, C++ nothing")
            elif want is None:
                found.append(f"{line}: C++ says {got}, NumPy nothing")
            elif isinstance(want, type):
                if got.split()[:1] != ["error"] or got.split()[1] not in [c.__name__ for c in want.__mro__]:
                    found.append(f"{line}: NumPy raises {want.__name__}, C++ says {got}")
            else:
                why = difference(got, want, loose)
                found += [f"{line}: {why}"] if why else []
        return found


def difference(got, want, loose):
    """Why what the driver printed is not NumPy's array, or None."""
    dtype, shape, *rest = got.split(" ")
    if (dtype, shape) != (want.dtype.name, "x".join(map(str, want.shape)) or "-"):
        return f"{got}, NumPy's is {want.dtype} {want.shape}"
    stored = {"bool": "uint8", "float16": "float32"}.get(dtype, dtype)
    values = numpy.frombuffer(bytes.fromhex(rest[0]), stored).reshape(want.shape).astype(want.dtype)
    with numpy.errstate(all="ignore"):
        if loose and want.dtype.kind in "fc":
            rtol = {"float16": 2e-3, "float32": 2e-6, "complex64": 5e-6}.get(dtype, 1e-13)
            right = numpy.allclose(values, want, rtol=rtol, atol=rtol, equal_nan=True)
        else:
            right = numpy.array_equal(values, want, equal_nan=want.dtype.kind in "fc")
    return None if right else f"{values!r}, NumPy's is {want!r}"


def numpy_function(name):
    if name in SPECIAL:
        return getattr(pytest.importorskip("scipy.special"), name)
    return getattr(numpy, name)


SAMPLES = [0, 1, 3, 2]


def sample(dtype):
    kind = numpy.dtype(dtype).kind
    return numpy.array(SAMPLES if kind == "b" else [-2, 1, 3, 0] if kind in "ifc" else [5, 1, 3, 0]).astype(dtype)


@pytest.mark.parametrize("number", [False, True], ids=["arrays", "numbers"])
def test_functions_promote_as_numpy(installed, driver, number):
    """Each function of the table over each dtype, or pair of dtypes, or a dtype and a C++ number."""
    s = Session()
    for d in DTYPES:
        s.array(d, sample(d))
    numbers = {"int:2": 2, "float:0x1.8p0": 1.5, "complex:1,2": 1 + 2j, "bool:1": True}
    for name, arity in functions(installed).items():
        f = numpy_function(name)
        for d in DTYPES:
            if name in SPECIAL and d.startswith("complex"):
                continue  # SciPy's loops that the engine lacks
            if arity == 1 and not number:
                s.say(f"call r {name} {d}", lambda f=f, d=d: f(s.arrays[d]), "r")
                s.show("r", name in LOOSE or name in SPECIAL)
            if arity == 1:
                continue
            for e, value in numbers.items() if number else s.arrays.copy().items():
                if e == "r":
                    continue
                for a, b, words in ((s.arrays[d], value, f"{d} {e}"), (value, s.arrays[d], f"{e} {d}")):
                    if name in ("power", "float_power") and numpy.asarray(b).dtype.kind in "i":
                        b = numpy.abs(b) if not number else b
                        if not number:
                            continue  # negative powers of integers: below
                    s.say(f"call r {name} {words}", lambda f=f, a=a, b=b: f(a, b), "r")
                    s.show("r", name in LOOSE)
    assert len(s.expected) > 500
    found = s.differences(driver(s.lines))
    assert not found, f"{len(found)} differences\n" + "\n".join(found[:60])


def random_item(rng, n):
    kind = rng.random()
    if kind < 0.2 and n:
        i = rng.randrange(-n, n)
        return f"i:{i}", i
    parts = [rng.choice([None, rng.randrange(-n - 2, n + 3)]), rng.choice([None, rng.randrange(-n - 2, n + 3)]),
             rng.choice([None, 1, 2, -1, -2, 3])]  # fmt: skip
    return "s:" + ":".join("" if p is None else str(p) for p in parts), slice(*parts)


def random_view(rng, s, name, source):
    """Adds a random view of an array."""
    a = s.arrays[source]
    how = rng.choice("index index index transpose flip squeeze ravel diagonal".split())
    if how == "index":
        items = [random_item(rng, n) for n in a.shape[: rng.randint(0, min(a.ndim, 3))]]
        if rng.random() < 0.3:
            items.insert(rng.randint(0, len(items)), ("n", None))
        words = " ".join(w for w, _ in items)
        key = tuple(i for _, i in items)
        return s.say(f"index {name} {source} {words}", lambda: a[key + (Ellipsis,)], name)
    action = {"flip": lambda: numpy.flip(a), "ravel": a.ravel, "diagonal": a.diagonal, "squeeze": a.squeeze,
              "transpose": a.transpose}[how]  # fmt: skip

    if how == "flip" and a.ndim == 0:
        return False  # NumPy gives a scalar

    def do():
        view = action()
        if how == "diagonal":
            view.flags.writeable = True  # NumPy's is read-only for now, by its documentation
        return view

    return s.say(f"view {name} {source} {how}", do, name)


def inplace(operator, a, b):
    import operator as o

    if operator == "=":
        a[...] = b
        return
    f = {"+": o.iadd, "-": o.isub, "*": o.imul, "/": o.itruediv, "%": o.imod, "&": o.iand, "|": o.ior, "^": o.ixor,
         "<<": o.ilshift, ">>": o.irshift}[operator]  # fmt: skip
    f(a, b)


def add_statement(rng, s, names, step):
    a, b = rng.choice(names), rng.choice(names)
    x, y = s.arrays[a], s.arrays[b]
    kind = rng.random()
    name = f"t{step}"
    if kind < 0.35:
        f = rng.choice("add subtract multiply maximum less equal logical_and floor_divide copysign minimum".split())
        s.say(f"call {name} {f} {a} {b}", lambda: getattr(numpy, f)(x, y), name)
        s.show(name, f in ("multiply",))
    elif kind < 0.6:
        f = rng.choice("= + - * % & | ^".split())
        if x.flags.writeable and numpy.iscomplexobj(y) <= numpy.iscomplexobj(x):
            s.say(f"into {f} {a} {b}", lambda: inplace(f, x, y))
            s.show(a, f == "*")
    elif kind < 0.8 and x.ndim:
        f = rng.choice("sum prod min max any all mean var std count_nonzero".split())
        axes = rng.choice([None, *range(x.ndim), tuple(range(x.ndim))])
        keep = rng.random() < 0.5
        words = "-" if axes is None else ",".join(map(str, axes if isinstance(axes, tuple) else (axes,)))
        s.say(f"reduce {name} {f} {a} {words} {int(keep)}",
              lambda: getattr(numpy, f)(x, axis=axes, keepdims=keep), name)  # fmt: skip
        s.show(name, True)
    else:
        unary = {"sort": numpy.sort, "real": numpy.real, "imag": numpy.imag, "copy": numpy.copy,
                 "cumsum": lambda x: numpy.cumsum(x, axis=0), "flatnonzero": numpy.flatnonzero,
                 "negative": numpy.negative, "isfinite": numpy.isfinite, "sign": numpy.sign,
                 "argsort": lambda x: numpy.argsort(x, kind="stable"), "argmax": numpy.argmax}  # fmt: skip
        f = rng.choice(sorted(unary))
        if f in ("argmax", "sort", "argsort", "cumsum", "sign") and (x.dtype.kind == "c" or x.ndim == 0):
            return
        s.say(f"call {name} {f} {a}", lambda: unary[f](x), name)
        s.show(name, f == "cumsum")


def program(seed):
    """A random program over views of a few arrays."""
    rng = random.Random(seed)
    values = numpy.random.default_rng(seed)
    s = Session()
    for name in "pqr":
        shape = tuple(rng.choice([1, 2, 3, 4]) for _ in range(rng.randint(0, 3)))
        dtype = rng.choice([d for d in DTYPES if d != "float16"])
        s.array(name, (values.random(shape) * 12 - (6 if numpy.dtype(dtype).kind in "ifc" else 0)).astype(dtype))
    for i in range(4):
        random_view(rng, s, f"v{i}", rng.choice(sorted(s.arrays)))
    for step in range(6):
        add_statement(rng, s, sorted(n for n in s.arrays if n[0] != "t"), step)
    for name in "pqr":
        s.show(name, True)
    return s


@pytest.mark.parametrize("devices", ["cpu", "cpu:3"])
def test_random_programs(driver, devices):
    sessions = [program(seed) for seed in range(300)]
    printed = driver([line for s in sessions for line in s.lines], NUMLOOM_DEVICES=devices, NUMLOOM_SHARD_MIN="1")
    found, first = [], 0
    for seed, s in enumerate(sessions):
        found += [f"seed {seed}: {text}" for text in s.differences(printed, first)]
        first += len(s.lines)
    assert not found, f"{len(found)} differences\n" + "\n".join(found[:60])


def matrices(rng, dtype):
    """Stacks of square matrices: any, and Hermitian positive definite ones."""
    for shape in ((3, 3), (2, 4, 4), (0, 0), (2, 0, 3, 3), (1, 1)):
        a = rng.random(shape) + (1j * rng.random(shape) if dtype.startswith("complex") else 0)
        yield (a * 4).astype(dtype), (a @ a.conj().swapaxes(-1, -2) + numpy.eye(shape[-1])).astype(dtype)


@pytest.mark.parametrize("devices", ["cpu", "cpu:2"])
def test_linear_algebra(driver, devices):
    from numloom._products import find_blas

    if find_blas() is None:
        pytest.skip("no OpenBLAS with 64-bit integers here")
    rng, s = numpy.random.default_rng(5), Session()
    for dtype in "float64", "complex128", "int64":
        for a, definite in matrices(rng, dtype):
            s.array("a", a)
            s.array("p", definite)
            n = a.shape[-1]
            for b in (rng.random(n), rng.random((n, 2)), rng.random((2, n, 1))):
                s.array("b", b)
                s.say("call r solve p b", lambda d=definite, b=b: numpy.linalg.solve(d, b), "r")
                s.show("r", True)
            for f in "inv", "det", "cholesky", "svdvals":
                name = "a" if f == "svdvals" else "p"
                x = s.arrays[name]
                s.say(f"call r {f} {name}", lambda f=f, x=x: getattr(numpy.linalg, f)(x), "r")
                s.show("r", True)
            s.say("call r eigenvalues p", lambda p=definite: numpy.linalg.eigh(p)[0], "r")
            s.show("r", True)
            s.say("call r rebuilt p", lambda p=definite: p * 1.0, "r")
            s.show("r", True)
    for bad in (numpy.zeros((2, 2)), numpy.ones(3), numpy.ones((2, 3)), -numpy.eye(2), numpy.eye(2, dtype="float16")):
        s.array("a", bad)
        for f in "inv", "cholesky", "det":
            s.say(f"call r {f} a", lambda f=f, bad=bad: getattr(numpy.linalg, f)(bad), "r")
    found = s.differences(driver(s.lines, NUMLOOM_BLAS=find_blas(), NUMLOOM_DEVICES=devices, NUMLOOM_SHARD_MIN="1"))
    assert not found, "\n".join(found)


def test_put(driver):
    s = Session()

    def put(a, positions):
        out = a.copy()
        numpy.flip(out).flat[positions] = positions
        return out

    for a in (numpy.zeros((2, 3)), numpy.zeros(6, "int8"), numpy.zeros((3, 1), "complex64")):
        for positions in ([0, -1, 2], [1, 1, 1], [[0], [2]], [3], [99], [-7]):
            s.array("a", a)
            p = numpy.array(positions)
            s.array("b", p)
            s.say("call r put a b", lambda a=a, p=p: put(a, p), "r")
            s.show("r")
    found = s.differences(driver(s.lines))
    assert not found, "\n".join(found)


@pytest.mark.parametrize("devices", ["cpu", "cpu:3"])
def test_random_numbers(driver, devices):
    s = Session()

    def drawn(seed, first, second):
        rng = numpy.random.default_rng(seed)
        rng.random(first)
        return rng.uniform(-1.5, 2.0, second)

    for seed in (0, 1, 12345, 2**32 - 1, 2**32, 2**64 - 1):
        for first, second in ((3, (2, 5)), (0, ()), (100_003, (50_001,)), (7, (0, 3))):
            shape = "x".join(map(str, second)) or "-"
            s.say(f"random r {seed} {first} {shape}", lambda a=(seed, first, second): drawn(*a), "r")
            s.show("r")
    found = s.differences(driver(s.lines, NUMLOOM_DEVICES=devices, NUMLOOM_SHARD_MIN="1"))
    assert not found, "\n".join(text[:300] for text in found)


def texts():
    rng = numpy.random.default_rng(3)
    inf, nan = numpy.inf, numpy.nan
    floats = [
        [1.0, 0.5, 100.0], [1e10, 1.0], [1e-5, 2.0], [nan, 1.25, -inf], [nan], [inf, nan], [-inf, inf], [0.1 + 0.2],
        [1 / 3, 2 / 3], [123456789.0, 1.5], [1e300, -1e-300], [0.0, -0.0], [1e16], [12345.678], [99999999.0],
        [0.00012345678912], [1e-4, 1e-3], rng.random(5), rng.random((3, 3)) * 1e6, rng.random((2, 3, 4)), [nan, 1e20],
        rng.random(1500), rng.random((40, 40)), rng.random(30) * 1e-9, [[]], [1.0, 2.0], [1e5, 1e6, 1e7],
        -rng.random(4), rng.random((7, 1, 200)),
    ]  # fmt: skip
    for values in floats:
        for dtype in "float64", "float32", "float16":
            with numpy.errstate(all="ignore"):
                yield numpy.asarray(values, dtype=dtype)
    for dtype in DTYPES:
        yield sample(dtype)
        yield numpy.zeros((2, 2), dtype)
        yield numpy.zeros((0, 3), dtype)
        yield sample(dtype)[0]
    yield from (numpy.arange(n) for n in (10, 100, 1000, 1001, 5000))
    yield numpy.arange(2000).reshape(20, 100)
    yield numpy.array([2**64 - 1, 0], "uint64")
    yield numpy.array([-(2**63), 7])
    yield rng.random(4) + 1j * rng.random(4)
    yield numpy.array([1 + 2j, complex(nan, -inf), -0.5j, 1e10])
    yield numpy.array([1.5 + 2j], "complex64")
    for x in (0.1, 1e16, 1e-5, 123456.0, 1e22, -0.0, nan, -inf, 5e-324, 1.7976931348623157e308):
        yield numpy.array(x)
    for z in (1 + 2j, -1.5j, complex(0, -0.0), complex(-0.0, 1), 1e20 - 3j):
        yield numpy.array(z)
    yield numpy.float32(0.1) + numpy.zeros((), "float32")


def test_prints_as_numpy(driver):
    lines, wanted = [], {}
    for a in texts():
        s = Session()
        s.array("a", a)
        lines += [*s.lines, "text a"]
        wanted[len(lines) - 1] = "|" + str(a).replace("\n", "|")
    printed = driver(lines)
    found = [f"{printed[n]}\n{text}" for n, text in wanted.items() if printed[n] != text]
    assert not found, "\n\n".join(found)


def heat(n, sweeps):
    grid = numpy.zeros((n + 2, n + 2))
    grid[0] = 1.0
    center = grid[1:-1, 1:-1]
    for _ in range(sweeps):
        center[...] = 0.2 * (center + grid[2:, 1:-1] + grid[:-2, 1:-1] + grid[1:-1, :-2] + grid[1:-1, 2:])
    return grid


@pytest.fixture(scope="session")
def examples(installed, tmp_path_factory):
    return build(ROOT / "examples", tmp_path_factory.mktemp("examples"), installed)


@pytest.mark.parametrize("launcher", ["plain", "cpu:4", "mpirun"])
def test_stencil_example(examples, launcher):
    command, env = [examples / "stencil", "60", "25"], dict(os.environ)
    if launcher == "cpu:4":
        env |= {"NUMLOOM_DEVICES": "cpu:4", "NUMLOOM_SHARD_MIN": "1"}
    if launcher == "mpirun":
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "NUMLOOM_SHARD_MIN": "1"}
        command = [tool("mpirun"), "--oversubscribe", "-np", "2", *command]
    out = checked(*command, env=env)
    grid = heat(60, 25)
    lines = out.splitlines()
    means = [float(line.split()[1]) for line in lines if line.startswith("mean")]
    rows = [float(line.split()[1]) for line in lines if line.startswith("row")]
    processes = 2 if launcher == "mpirun" else 1
    assert means == pytest.approx([grid.mean()] * processes, rel=1e-14)
    assert rows == [grid[6].max()] * processes
    if processes == 1:
        assert out.endswith(str(grid[:4, :4]) + "\n")


def test_devices_that_are_not_there(examples):
    env = {**os.environ, "NUMLOOM_DEVICES": "nonsense"}
    found = subprocess.run([examples / "stencil", "8", "1"], capture_output=True, text=True, env=env, check=False)
    assert found.returncode == 1 and "NUMLOOM_DEVICES=nonsense: expected cpu" in found.stderr


def test_cmake_dir():
    """In a checkout there is no package beside the sources, and the message says what to do."""
    import numloom

    with pytest.raises(FileNotFoundError, match="cmake --install"):
        numloom.cmake_dir()
    found = subprocess.run(
        [sys.executable, "-m", "numloom", "--cmake-dir"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 1 and "cmake --install" in found.stderr
