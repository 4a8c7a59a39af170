"""The documentation is true: every block of code in it runs, and its tables name what the sources have.

A page's `python` and `pycon` blocks run in one namespace, in order; `sh` blocks run in one folder; `cpp` blocks are
programs or pieces of one. A line of a shell block is left out only where it says so: "# (not run: why)".
"""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from test_cpp_api import ROOT, build, checked, installed, tool  # noqa: F401 (a fixture)

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def blocks(page):
    """(language, text, line) of the fenced blocks of a page."""
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    return [(t.info.strip(), t.content, t.map[0] + 2) for t in tokens if t.type == "fence"]


def pages(*languages):
    return [pytest.param(p, id=p.name) for p in PAGES if any(b[0] in languages for b in blocks(p))]


def test_languages_are_known():
    known = {"python", "pycon", "sh", "cpp", "cmake"}
    for page in PAGES:
        for language, _, line in blocks(page):
            assert language in known or language.startswith("{"), f"{page}:{line}: a block of {language!r} is not run"


def run_python(page):
    """Runs the Python blocks of a page in this process; returns how many examples failed."""
    names = {"__name__": "__main__"}
    failures = 0
    for language, text, line in blocks(Path(page)):
        if language == "python":
            exec(compile("\n" * (line - 1) + text, page, "exec"), names)
        elif language == "pycon":
            test = doctest.DocTestParser().get_doctest(text, names, Path(page).name, page, line - 1)
            runner = doctest.DocTestRunner()
            failures += runner.run(test, clear_globs=False).failed
            names.update(test.globs)
    return failures


@pytest.mark.parametrize("page", pages("python", "pycon"))
def test_python_blocks(page, tmp_path):
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import test_docs; "
    code += f"sys.exit(bool(test_docs.run_python({str(page)!r})))"
    # The pages show one device on the cores: exports of arrays that are spread out are copies.
    environment = {**os.environ, "NUMLOOM_DEVICES": "cpu"}
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False, env=environment
    )
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("page", pages("sh"))
def test_shell_blocks(page, tmp_path):
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    env |= {"OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
    for _, text, line in (b for b in blocks(page) if b[0] == "sh"):
        lines = [x for x in text.splitlines() if "(not run: " not in x]
        if any(word in text for word in ("mpirun", "run -n")):
            tool("mpirun")
        script = "set -euo pipefail\n" + "\n".join(lines)
        command = ["bash", "-c", script]
        found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, check=False)
        assert found.returncode == 0, f"{page.name}:{line}\n{found.stdout}{found.stderr}"


def whole_program(text):
    """A C++ block as a program."""
    if "int main" in text:
        return text
    head = "#include <iostream>\n#include <numloom/numloom.hpp>\n\nnamespace nl = numloom;\n\nint main() {\n"
    return head + text + "}\n"


def test_cpp_blocks(installed, tmp_path):  # noqa: F811 (the fixture)
    programs = [(page, text, line) for page in PAGES for language, text, line in blocks(page) if language == "cpp"]
    assert programs
    project = "".join(text for page in PAGES for language, text, _ in blocks(page) if language == "cmake")
    assert "find_package(numloom" in project
    names = [f"block{i}" for i in range(len(programs))]
    for name, (_, text, _) in zip(names, programs, strict=True):
        (tmp_path / f"{name}.cpp").write_text(whole_program(text))
    # The first program of the page is the one that its CMake project builds.
    rest = "".join(f"add_executable({n} {n}.cpp)\ntarget_link_libraries({n} numloom::numloom)\n" for n in names[1:])
    (tmp_path / "heat.cpp").write_text((tmp_path / "block0.cpp").read_text())
    (tmp_path / "CMakeLists.txt").write_text(project + rest)
    build(tmp_path, tmp_path / "build", installed)
    printed = [checked(tmp_path / "build" / name) for name in ["heat", *names[1:]]]
    for out, (_, text, _) in zip(printed, programs, strict=True):
        for wanted in re.findall(r"<< \"\\n\";\s*// (.*)", text):
            assert wanted in " ".join(out.split()), out


def test_environment_page_names_every_variable():
    page = (DOCS / "environment.md").read_text()
    documented = set(re.findall(r"`(NUMLOOM_[A-Z_]+)`", page))
    read = set()
    for folder in ("src", "python"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in {".cpp", ".hpp", ".py"}:
                text = file.read_text(encoding="utf-8")
                read |= set(re.findall(r'(?:getenv|switched_on)\(\s*"(NUMLOOM_[A-Z_]+)"', text))
                read |= set(re.findall(r'environ(?:\.get\(|\[)"(NUMLOOM_[A-Z_]+)"', text))
    assert "NUMLOOM_DEVICES" in read and "NUMLOOM_MESH" in read
    assert documented == read


def test_links_lead_somewhere():
    for page in [ROOT / "CONTRIBUTING.md", *PAGES]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_names_table_is_made():
    code = "import sys; sys.path.insert(0, sys.argv[1]); import names_table; print(names_table.text())"
    out = checked(sys.executable, "-c", code, ROOT / "tools")
    rows = dict(re.findall(r"^\| `(\w+)` \| (\S+)", out.split("## numpy.linalg")[0], re.MULTILINE))
    assert rows["sum"] == rows["sort"] == rows["add"] == rows["ndarray"] == "native"
    assert rows["savetxt"] == "host" and rows["pi"] == rows["float64"] == "NumPy's"
    assert re.search(r"\| `sort` \| native \| gathered", out) and re.search(r"\| `sum` \| native \| spread", out)
