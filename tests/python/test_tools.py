"""The checks of `./loom lint` find what they are for, in small trees made for it."""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load(name):
    """Import a file of tools/ as a module."""
    spec = importlib.util.spec_from_file_location(f"tools_{name}", ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


includes = load("check_includes")
sizes = load("size_table")


@pytest.fixture
def tree(tmp_path):
    """A function that makes a checkout of the given files and runs one of the tools in it."""
    (tmp_path / "tools").mkdir()
    for name in ("check_includes.py", "size_table.py"):
        shutil.copy(ROOT / "tools" / name, tmp_path / "tools" / name)
    (tmp_path / "tools" / "size_exceptions.txt").write_text("")
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)

    def run(tool, files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        command = [sys.executable, str(tmp_path / "tools" / tool)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    return run


HEADERS = {
    "src/core/a.hpp": "",
    "src/plan/pass.hpp": "",
    "src/device/device.hpp": "",
    "src/device/cpu/pool.hpp": "",
    "src/device/cuda/stream.hpp": "",
    "src/transport/transport.hpp": "",
    "include/numloom/numloom.hpp": "",
    "python/bindings/type.h": "",
}


@pytest.mark.parametrize(
    ("file", "included", "allowed"),
    [
        ("src/core/b.cpp", "a.hpp", True),
        ("src/ops/b.cpp", "core/a.hpp", True),
        ("src/core/b.cpp", "plan/pass.hpp", False),
        ("src/record/b.cpp", "../plan/pass.hpp", False),
        ("src/run/b.cpp", "device/device.hpp", True),
        ("src/plan/b.cpp", "device/device.hpp", False),
        ("src/device/cpu/b.cpp", "device/cpu/pool.hpp", True),
        ("src/device/cpu/b.cpp", "device/device.hpp", True),
        ("src/device/cuda/b.cpp", "device/cpu/pool.hpp", False),
        ("src/transport/mpi/b.cpp", "device/device.hpp", True),
        ("src/transport/mpi/b.cpp", "device/cuda/stream.hpp", False),
        ("src/library/b.cpp", "transport/transport.hpp", True),
        ("src/run/b.cpp", "type.h", False),
        ("src/unknown/b.cpp", "core/a.hpp", False),
        ("include/numloom/b.hpp", "core/a.hpp", False),
        ("src/run/b.cpp", "numloom/numloom.hpp", True),
        ("src/core/b.cpp", "somebody/elses.hpp", True),
    ],
)
def test_include_directions(tree, file, included, allowed):
    result = tree("check_includes.py", {**HEADERS, file: f'#include <vector>\n#include "{included}"\n'})
    assert (result.returncode == 0) is allowed, result.stdout
    assert allowed or f"{file}:2" in result.stdout


def test_the_layers_are_those_of_the_sources():
    folders = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    assert folders <= set(includes.ALLOWED)


CPP = """\
#define BODY(x) \\
    void f##x() { \\
    }
namespace n {
enum class E { A, B };
struct S : Base<int> {
    S() : a{1}, b(2) { a = '{'; }
    int get() const noexcept override { return "}{"[0]; }  // }
    bool operator==(const S& o) const { return a == o.a; }
};
template <class T> auto g(T x) -> decltype(x) {
    auto l = [&](int i) {
        if (i) { return 1; }
        return 2;
    };
    for (;;) { l(0); }
}
static const int table[] = {1, 2};
void S::out(std::function<void()> f = {}) {
    /* } */
}
}
"""


def test_functions_of_a_cpp_file():
    found = [(name, lines) for name, _, lines in sizes.cpp_functions(CPP)]
    # A class counts as its members, each by itself.
    assert ("g", 7) in found
    assert ("S::out", 3) in found
    assert {"S", "get", "operator=="} <= {name for name, _ in found}
    assert not {"E", "n", "table", "if", "for"} & {name for name, _ in found}


def test_sizes(tree):
    long_function = "void f() {\n" + "    g();\n" * 79 + "}\n"
    assert tree("size_table.py", {"a.cpp": "int x;\n" * 800}).returncode == 0
    result = tree("size_table.py", {"a.cpp": "int x;\n" * 801})
    assert result.returncode == 1 and "a.cpp: 801 lines, more than 800" in result.stdout
    result = tree("size_table.py", {"a.cpp": long_function})
    assert result.returncode == 1 and "a.cpp:1: f: 81 lines, more than 80" in result.stdout
    result = tree("size_table.py", {"a.cpp": "", "b.py": "def f():\n" + "    g()\n" * 80})
    assert result.returncode == 1 and "b.py:1: f: 81 lines" in result.stdout


def test_exceptions_have_a_reason_and_are_needed(tree):
    long_file = {"a.cpp": "int x;\n" * 801}
    listed = "tools/size_exceptions.txt"
    assert tree("size_table.py", {**long_file, listed: "a.cpp  a table\n"}).returncode == 0
    assert "has no reason" in tree("size_table.py", {**long_file, listed: "a.cpp\n"}).stderr
    result = tree("size_table.py", {"a.cpp": "", listed: "a.cpp  a table\n"})
    assert result.returncode == 1 and "is not needed" in result.stdout
