"""What users meet before any array: help(), signatures, versions, type stubs, the command line."""

import ast
import doctest
import inspect
import pathlib
import pydoc
import subprocess
import sys

import numloom
import numpy
import pytest
from numloom import _tools

PACKAGE = pathlib.Path(numloom.__file__).parent
METHODS = ["sum", "mean", "argmax", "sort", "argsort", "take", "astype", "searchsorted", "reshape", "repeat", "round"]


@pytest.mark.parametrize("name", numloom._OWN)
def test_own_functions_are_documented(name):
    function = getattr(numloom, name)
    text = inspect.getdoc(function)
    assert "Returns\n-------" in text or "Raises\n------" in text
    if inspect.signature(function).parameters:
        assert "Parameters\n----------" in text


def test_examples_in_docstrings():
    assert doctest.testmod(_tools).failed == 0


@pytest.mark.parametrize("name", METHODS)
def test_methods_have_numpys_signatures(name):
    found = []
    for cls in (numpy.ndarray, numloom.ndarray):
        try:
            found.append(inspect.signature(getattr(cls, name)))
        except ValueError:  # older NumPy's methods have none
            found.append(None)
    assert found[0] == found[1]


def test_help_texts_are_numpys():
    assert numloom.ndarray.__doc__ == numpy.ndarray.__doc__
    for name in ("sort", "add", "where", "linalg.norm", "fft.fft"):
        ours, theirs = pydoc.locate("numloom." + name), pydoc.locate("numpy." + name)
        assert ours.__doc__ == theirs.__doc__
        assert pydoc.render_doc(ours)


def test_build_configuration_can_be_shown(capsys):
    numloom.show_config()
    assert numloom.__config__ is numpy.__config__
    assert capsys.readouterr().out


def test_stubs_have_every_own_name():
    """The rest of the stubs is NumPy's: `from numpy import *`."""
    assert (PACKAGE / "py.typed").is_file()
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text())
    assert {n.name for n in tree.body if isinstance(n, ast.FunctionDef)} == set(numloom._OWN)
    for name in ("linalg", "fft", "random"):
        assert f"from numpy.{name} import *" in (PACKAGE / name / "__init__.pyi").read_text()


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "numloom", *arguments], capture_output=True, text=True, timeout=120, check=False
    )


def test_versions(tmp_path):
    assert command("--version").stdout.startswith(f"numloom {numloom.__version__}, numpy {numpy.__version__}")
    program = tmp_path / "prog.py"
    program.write_text("import numpy as np\nprint(np.__version__, np.ones(2).sum())\n")
    assert command("run", str(program)).stdout == f"{numpy.__version__} 2.0\n"  # programs ask what their NumPy can do


def test_no_command_prints_help():
    result = command()
    assert result.returncode == 2 and "usage: numloom" in result.stdout
