"""`numloom run`: which imports are replaced, in which files, and that all else is as with `python prog.py`.

The command is tested with a stand-in package of the same name, made of the real `_run.py` and `__main__.py` over a
small module in NumPy's place, so that what is seen is the launcher's doing alone.
"""

import ast
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "numloom"
spec = importlib.util.spec_from_file_location("numloom_run_alone", PACKAGE / "_run.py")
launcher = importlib.util.module_from_spec(spec)
spec.loader.exec_module(launcher)

STAND_IN = """
who = "stand-in"
pi = 3
def zeros(n): return [who] * n
__all__ = ["who", "pi", "zeros", "__name__"]
"""


@pytest.fixture
def command(tmp_path):
    """A function that runs `numloom run` on files given by name, in a fresh folder, beside the plain program."""
    library = tmp_path / "library"
    package = library / "numloom"
    package.mkdir(parents=True)
    for name in ("_run.py", "__main__.py"):
        shutil.copy(PACKAGE / name, package / name)
    (package / "__init__.py").write_text(STAND_IN)
    (package / "linalg.py").write_text("who = 'stand-in'\ndef det(a): return 'stand-in'\n")
    folder = tmp_path / "program"
    folder.mkdir()

    def run(files, *arguments, options=(), plain=False, script="prog.py", **keywords):
        if isinstance(files, str):
            files = {script: files}
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(textwrap.dedent(text))
        start = [sys.executable] if plain else [sys.executable, "-m", "numloom", "run", *options]
        environment = dict(os.environ, PYTHONPATH=str(library), PYTHONWARNINGS="ignore")
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        keywords.setdefault("cwd", folder)
        return subprocess.run(
            [*start, script, *arguments], capture_output=True, text=True, env=environment, timeout=60, **keywords
        )

    run.folder = folder
    return run


def output(result):
    """The lines that a run printed, after it succeeded."""
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


FORMS = {
    "import numpy": "numpy.who",
    "import numpy as np": "np.who",
    "import os, numpy as np, sys": "np.who",
    "import numpy.linalg": "numpy.linalg.det(0)",
    "import numpy.linalg, os": "numpy.who",
    "import numpy.linalg as la": "la.who",
    "import numpy, numpy.linalg as la": "la.who if numpy.who == la.who else 0",
    "from numpy import who": "who",
    "from numpy import pi as p, who as w": "w if p == 3 else 0",
    "from numpy import linalg": "linalg.who",
    "from numpy.linalg import det": "det(0)",
    "from numpy.linalg import det as d, who": "who if d(0) == who else 0",
    "from numpy import *": "who",
    "from numpy import (\n    pi,\n    who,\n)": "who",
}


@pytest.mark.parametrize("statement", FORMS)
def test_forms_at_module_level(command, statement):
    assert output(command(f"{statement}\nprint({FORMS[statement]})")) == ["stand-in"]


@pytest.mark.parametrize("statement", [s for s in FORMS if "*" not in s])
def test_forms_in_functions_classes_and_branches(command, statement):
    body = textwrap.indent(f"{statement}\n", " " * 4)
    answer = FORMS[statement]
    program = f"def f():\n{body}    return {answer}\nprint(f())\n"
    program += f"class C:\n{body}    answer = {answer}\nprint(C.answer)\n"
    program += f"try:\n{body}except ImportError:\n    pass\nprint({answer})\n"
    assert output(command(program)) == ["stand-in"] * 3


def test_global_statement_keeps_its_meaning(command):
    program = """
        def load():
            global numpy
            import numpy.linalg
        load()
        print(numpy.linalg.who, numpy.who)
        """
    assert output(command(program)) == ["stand-in stand-in"]


def test_what_the_module_lacks_stays_numpys(command):
    program = """
        import numpy.polynomial as poly
        import numpy as np, numpy.typing
        from numpy import who, float32
        from numpy.fft import fft
        print(poly.__name__, who, np.who, float32.__module__, fft.__module__.split(".")[0])
        """
    assert output(command(program)) == ["numpy.polynomial stand-in stand-in numpy numpy"]


def test_a_name_that_nobody_has_is_numpys_error(command):
    result = command("from numpy import no_such_name")
    assert result.returncode == 1
    assert "cannot import name 'no_such_name' from 'numpy'" in result.stderr


def test_computed_imports_are_left_alone(command):
    program = """
        import importlib, sys
        print(__import__("numpy").__name__, importlib.import_module("numpy").__name__, sys.modules["numpy"].__name__)
        """
    assert output(command(program)) == ["numpy numpy numpy"]


def test_other_modules_with_similar_names_are_left_alone(command):
    files = {
        "prog.py": "import numpyish, pack.inner\nprint(numpyish.x, pack.inner.who)",
        "numpyish.py": "x = 1",
        "pack/__init__.py": "",
        "pack/numpy.py": "who = 'relative'",
        "pack/inner.py": "from .numpy import who\nfrom . import numpy",
    }
    assert output(command(files)) == ["1 relative"]


def test_own_modules_are_replaced_and_libraries_not(command):
    files = {
        "prog.py": """
            import sys
            sys.path.append("site-packages")
            sys.path.append("../elsewhere")
            import helper, pack.deep.inner, library, outside, explicit
            for module in (helper, pack.deep.inner, library, outside, explicit):
                print(module.__name__, module.np.__name__)
            """,
        "helper.py": "import numpy as np",
        "pack/__init__.py": "",
        "pack/deep/inner.py": "import numpy as np",
        "site-packages/library.py": "import numpy as np",
        "../elsewhere/outside.py": "import numpy as np",
        "explicit.py": "import numpy as np\nimport numloom",
    }
    lines = output(command(files))
    expected = ["helper numloom", "pack.deep.inner numloom", "library numpy", "outside numpy", "explicit numpy"]
    assert lines == expected
    # The plain program, before and after, is not touched by what was compiled for the run.
    assert not list(command.folder.rglob("__pycache__/helper*"))
    plain = output(command(files, plain=True))
    assert [line.split()[1] for line in plain] == ["numpy"] * 5
    assert list(command.folder.rglob("__pycache__/helper*"))
    assert output(command(files)) == expected


@pytest.mark.parametrize(
    "explicit", ["import numloom", "import numloom.linalg", "from numloom import pi", "import numloom as nl"]
)
def test_a_script_that_imports_numloom_is_left_alone(command, explicit):
    assert output(command(f"import numpy as np\n{explicit}\nprint(np.__name__)")) == ["numpy"]


def test_arguments_file_and_path_as_with_python(command):
    program = """
        import sys
        print(sys.argv, __file__, __name__, __spec__, __package__, sys.path[0])
        print(__doc__, sys.modules["__main__"].__dict__ is globals(), type(__builtins__).__name__)
        """
    arguments = ["-n", "3", "--", "-x", "--help", "a b", ""]
    assert output(command(program, *arguments)) == output(command(program, *arguments, plain=True))
    nested = {"sub/prog.py": program}
    plain = output(command(nested, "-h", script="sub/prog.py", plain=True))
    assert output(command(nested, "-h", script="sub/prog.py")) == plain
    assert output(command(nested, "-h", script="sub/prog.py", options=["--"])) == plain


def test_script_behind_a_link_finds_its_modules(command):
    (command.folder / "real").mkdir()
    (command.folder / "real" / "prog.py").write_text("import helper\nprint(helper.np.__name__)")
    (command.folder / "real" / "helper.py").write_text("import numpy as np")
    os.symlink("real/prog.py", command.folder / "prog.py")
    assert output(command({})) == ["numloom"]


@pytest.mark.parametrize("status", ["0", "3", "None", "'a message'"])
def test_exit_codes(command, status):
    program = f"import sys\nprint('before')\nsys.exit({status})"
    ours, plain = command(program), command(program, plain=True)
    assert (ours.returncode, ours.stdout, ours.stderr) == (plain.returncode, plain.stdout, plain.stderr)


FAILING = {
    "in the script": {"prog.py": "import numpy as np\n\ndef f(x):\n    return 1 / x\n\nf(0)\n"},
    "in a module": {
        "prog.py": "import numpy as np\nimport helper\n\nhelper.g([])\n",
        "helper.py": "import numpy.linalg\n\n# a comment\ndef g(x):\n    x.missing\n",
    },
    "while importing": {"prog.py": "import helper\n", "helper.py": "import numpy as np\n1 / 0\n"},
    "missing module": {"prog.py": "import numpy as np\nimport no_such_module\n"},
    "syntax": {"prog.py": "import numpy as np\ndef f(:\n    pass\n"},
    "syntax in a module": {"prog.py": "import helper\n", "helper.py": "import numpy as np\nx = = 1\n"},
    "symbol table": {"prog.py": "import numpy as np\nreturn 1\n"},
    "chained": {"prog.py": "try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise KeyError('x') from e\n"},
    "own hook": {"prog.py": "import sys\nsys.excepthook = lambda k, v, t: print(k, v, t.tb_lineno)\n1 / 0\n"},
}


@pytest.mark.parametrize("case", FAILING)
def test_tracebacks_as_with_python(command, case):
    ours, plain = command(FAILING[case]), command(FAILING[case], plain=True)
    assert ours.returncode == plain.returncode == 1
    assert ours.stderr == plain.stderr
    assert ours.stdout == plain.stdout


def test_interrupt_ends_like_python(command):
    program = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nimport time\ntime.sleep(5)\n"
    ours, plain = command(program), command(program, plain=True)
    assert ours.returncode == plain.returncode == -signal.SIGINT
    assert ours.stderr.splitlines()[-1] == plain.stderr.splitlines()[-1] == "KeyboardInterrupt"


def test_main_can_be_pickled_and_forked(command):
    program = """
        import multiprocessing, pickle
        import numpy as np

        class Point:
            def __init__(self, x): self.x = x

        def double(point): return np.who, 2 * point.x

        if __name__ == "__main__":
            print(pickle.loads(pickle.dumps(Point(2))).x)
            with multiprocessing.get_context("fork").Pool(1) as pool:
                print(pool.map(double, [Point(3)]))
        """
    assert output(command(program)) == ["2", "[('stand-in', 6)]"]


def test_exit_handlers_and_source_text(command):
    program = """
        import atexit, inspect
        def f():
            return 1  # the source is there
        atexit.register(print, "at exit")
        print(inspect.getsource(f).strip().splitlines()[-1].strip())
        """
    assert output(command(program)) == ["return 1  # the source is there", "at exit"]


def test_help_and_errors(command):
    for options in (["-h"], ["--help"]):
        result = command("print('not run')", options=options)
        assert result.returncode == 0 and "numloom run [-h] [-n P] [--] prog.py" in result.stdout
    result = command({}, script="missing.py")
    assert result.returncode == 2 and "can't open file" in result.stderr
    result = command("print('not run')", options=["-n", "0"])
    assert result.returncode == 2 and "must be at least 1" in result.stderr
    result = command("print('not run')", options=["--unknown"])
    assert result.returncode == 2 and "not run" not in result.stdout


@pytest.mark.skipif(not shutil.which("mpirun"), reason="mpirun is not installed (package openmpi-bin)")
@pytest.mark.parametrize("options", [["-n", "2"], ["-n2"], ["--processes=2", "--"]])
def test_processes(command, options):
    program = """
        import os, sys
        import numpy as np
        rank = os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"]
        print(f"{rank} {np.who} {sys.argv[1:]} {os.environ['PYTHONHASHSEED']}\\n", end="")
        """
    result = command(program, "-n", "x y", options=options)
    lines = [line for line in output(result) if line]
    assert sorted(lines) == [f"{rank} stand-in ['-n', 'x y'] 0" for rank in (0, 1)]


@pytest.mark.skipif(not shutil.which("mpirun"), reason="mpirun is not installed (package openmpi-bin)")
def test_a_failing_process_gives_its_status(command):
    assert command("raise SystemExit(5)", options=["-n", "2"]).returncode == 5


def test_rewritten_tree_keeps_line_numbers():
    source = '"""Doc."""\nfrom __future__ import annotations\n\nimport numpy.fft, os\n\nx = (\n    numpy.fft\n)\n'
    tree = launcher.rewrite(source, "f.py", module="math")
    kept = [(type(n).__name__, n.lineno) for n in tree.body]
    assert kept == [("Expr", 1), ("ImportFrom", 2), ("Expr", 4), ("Import", 4), ("Import", 4), ("Assign", 6)]
    assert ast.get_docstring(tree) == "Doc."
    compile(tree, "f.py", "exec")


def test_source_in_another_encoding(command):
    text = "# -*- coding: latin-1 -*-\nimport numpy as np\nprint(np.who, ascii('\u00e9'))\n"
    (command.folder / "prog.py").write_bytes(text.encode("latin-1"))
    assert output(command({})) == [r"stand-in '\xe9'"]
