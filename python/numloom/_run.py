"""Run a NumPy program with ``numpy`` replaced by ``numloom`` in the program's own files.

The files below the script's folder are compiled from a syntax tree in which every static import of ``numpy`` names
``numloom`` instead; line numbers and the text that tracebacks show stay those of the file. Left alone are libraries
(``site-packages``, the standard library), Numloom itself, every file that imports ``numloom`` by name, and imports that
are computed at run time (``__import__``, ``importlib.import_module``). Nothing is written to ``__pycache__``.

This file imports nothing of Numloom at its top level, so that the rewriting can be tested by itself.
"""

import ast
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import types
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader

import numpy

_LIBRARY_FOLDERS = ("site-packages", "dist-packages")


def _exists(module, name):
    """Whether ``module`` (a dotted name) has an attribute or a submodule called ``name``."""
    try:
        if hasattr(importlib.import_module(module), name):
            return True
        return importlib.util.find_spec(f"{module}.{name}") is not None
    except (ImportError, AttributeError, ValueError):
        return False


def _importable(module):
    """Whether ``import module`` would find something."""
    try:
        return module in sys.modules or importlib.util.find_spec(module) is not None
    except (ImportError, AttributeError, ValueError):
        return False


class Rewriter(ast.NodeTransformer):
    """Replaces static imports of ``numpy`` in a syntax tree by imports of another module.

    A submodule or name that the other module does not have stays NumPy's.

    Parameters
    ----------
    module : str
        Name of the module that takes NumPy's place.
    """

    def __init__(self, module):
        self.module = module

    def _renamed(self, name):
        """``name`` with a leading ``numpy`` replaced, or None where it is not NumPy's or not to be had."""
        if name == "numpy":
            return self.module
        if name.startswith("numpy."):
            renamed = self.module + name[len("numpy") :]
            return renamed if _importable(renamed) else None
        return None

    def visit_Import(self, node):
        """``import numpy``, ``import numpy as np``, ``import numpy.linalg``, ``import numpy.linalg as la``."""
        if not any(a.name == "numpy" or a.name.startswith("numpy.") for a in node.names):
            return node
        statements = []
        for alias in node.names:
            renamed = self._renamed(alias.name)
            if alias.asname is None and alias.name.startswith("numpy."):
                # Binds the name of the package: load the submodule, whoever has it, then bind the package.
                loaded = ast.Call(ast.Name("__import__", ast.Load()), [ast.Constant(renamed or alias.name)], [])
                statements.append(ast.Expr(loaded))
                renamed, bound = self.module, "numpy"
            elif alias.name == "numpy":
                bound = alias.asname or "numpy"
            else:
                bound = alias.asname
            new = ast.alias(renamed or alias.name, bound)
            statements.append(ast.Import([ast.copy_location(new, alias)]))
        return [ast.fix_missing_locations(ast.copy_location(s, node)) for s in statements]

    def visit_ImportFrom(self, node):
        """``from numpy import x``, ``from numpy.fft import y``, ``from numpy import *``."""
        if node.level or node.module is None:
            return node
        renamed = self._renamed(node.module)
        if renamed is None:
            return node
        ours = [a for a in node.names if a.name == "*" or _exists(renamed, a.name)]
        theirs = [a for a in node.names if a not in ours]
        parts = [(renamed, ours), (node.module, theirs)]
        return [ast.copy_location(ast.ImportFrom(name, names, 0), node) for name, names in parts if names]


def imports_module(tree, module):
    """Whether a syntax tree imports ``module`` or something below it by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        else:
            continue
        if any(name == module or name.startswith(module + ".") for name in names):
            return True
    return False


def rewrite(source, path, module="numloom"):
    """Parse a file's text and replace its imports of ``numpy``.

    Parameters
    ----------
    source : bytes or str
        The file's contents; bytes are decoded as Python does.
    path : str
        Its name, for messages.
    module : str
        Name of the module that takes NumPy's place.

    Returns
    -------
    ast.Module
        The tree to compile; unchanged where the file imports ``module`` itself.

    Raises
    ------
    SyntaxError
        Where the text is not Python.
    """
    tree = compile(source, path, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)  # ast.parse would add a frame of its own
    if imports_module(tree, module):
        return tree
    return Rewriter(module).visit(tree)


class ProgramLoader(SourceFileLoader):
    """Loads one of the program's own files, with its imports of ``numpy`` replaced, from its source each time."""

    def __init__(self, name, path, module):
        super().__init__(name, path)
        self._module = module

    def get_code(self, fullname):
        """Compile the source; compiled files of the plain program are neither read nor written."""
        return self.source_to_code(self.get_data(self.path), self.path)

    def source_to_code(self, data, path, *, _optimize=-1):
        """Compile ``data`` after replacing its imports."""
        tree = rewrite(data, path, self._module)
        return compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)


class ProgramFinder:
    """Finds the modules below the script's folder and has them loaded by `ProgramLoader`.

    Parameters
    ----------
    folder : str
        The script's folder, absolute and with links resolved.
    module : str
        Name of the module that takes NumPy's place.
    """

    def __init__(self, folder, module):
        self._folder = folder.rstrip(os.sep) + os.sep
        self._module = module
        paths = sysconfig.get_paths()
        own = os.path.dirname(os.path.abspath(__file__))
        excluded = [paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")]
        excluded += [own, own + "x"]
        self._excluded = tuple(os.path.realpath(path) + os.sep for path in excluded)

    def owns(self, path):
        """Whether a file belongs to the program."""
        path = os.path.realpath(path)
        if not path.startswith(self._folder) or path.startswith(self._excluded):
            return False
        return not any(part in _LIBRARY_FOLDERS for part in path[len(self._folder) :].split(os.sep))

    def find_spec(self, fullname, path=None, target=None):
        """Return the spec of a module of the program; None leaves every other one to the usual finders."""
        spec = PathFinder.find_spec(fullname, path, target)
        if not isinstance(spec, ModuleSpec) or type(spec.loader) is not SourceFileLoader:
            return None
        if not self.owns(spec.origin):
            return None
        spec.loader = ProgramLoader(spec.loader.name, spec.loader.path, self._module)
        spec.cached = None
        return spec

    def invalidate_caches(self):
        """Nothing is cached here."""


def _program_traceback(traceback):
    """The traceback without the frames of this file, of the import system and of ``python -m``."""
    frames = []
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        ours = name in (__file__, os.path.join(os.path.dirname(__file__), "__main__.py"))
        if not ours and not name.startswith(("<frozen importlib", "<frozen runpy")):
            frames.append(traceback)
        traceback = traceback.tb_next
    result = None
    for frame in reversed(frames):
        result = types.TracebackType(result, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
    return result


def _hide_launcher():
    """Have an exception that ends the program shown as ``python prog.py`` would show it."""
    hook = sys.excepthook

    def excepthook(kind, value, traceback):
        # What went on inside the launcher is no part of the program's story. The first frame is always the launcher's,
        # unless the script could not be compiled at all.
        shown = _program_traceback(traceback)
        value = value.with_traceback(shown)
        hook(kind, value, shown)

    sys.excepthook = excepthook


def run_program(path, arguments, module="numloom"):
    """Run a script as ``__main__`` with ``numpy`` replaced in the program's own files.

    Exceptions, `SystemExit` included, go on to the caller; `sys.excepthook` then shows the program's frames alone.

    Parameters
    ----------
    path : str
        The script.
    arguments : list of str
        What becomes ``sys.argv[1:]``.
    module : str
        Name of the module that takes NumPy's place.
    """
    folder = os.path.dirname(os.path.realpath(path))
    file = os.path.abspath(path)
    # The program asks which NumPy it has, to know what that can do.
    importlib.import_module(module).__version__ = numpy.__version__
    sys.argv = [path, *arguments]
    if not sys.flags.safe_path:
        sys.path[:1] = [folder]  # the interpreter had put the current folder or the command's there
    finder = ProgramFinder(folder, module)
    sys.meta_path.insert(0, finder)
    importlib.invalidate_caches()
    loader = ProgramLoader("__main__", file, module)
    main_module = types.ModuleType("__main__")
    main_module.__dict__.update(
        __file__=file, __loader__=loader, __builtins__=sys.modules["builtins"], __spec__=None, __cached__=None
    )
    sys.modules["__main__"] = main_module
    try:
        exec(loader.get_code("__main__"), main_module.__dict__)
    except SystemExit:
        raise
    except BaseException:
        _hide_launcher()
        raise


def _is_open_mpi(launcher):
    """Whether ``mpirun`` is Open MPI's."""
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return "Open MPI" in version.stdout + version.stderr or "OpenRTE" in version.stdout


def mpi_command(processes, path, arguments):
    """Return the command line and the environment that start a program in several processes.

    Parameters
    ----------
    processes : int
        How many.
    path : str
        The script.
    arguments : list of str
        Its arguments.

    Returns
    -------
    command : list of str
    environment : dict of str to str

    Raises
    ------
    FileNotFoundError
        Where no MPI launcher is on the path.
    """
    launcher = shutil.which("mpirun") or shutil.which("mpiexec")
    if launcher is None:
        raise FileNotFoundError("numloom run -n needs mpirun or mpiexec on PATH (Open MPI or MPICH)")
    environment = dict(os.environ)
    # Processes must record the same work in the same order, so sets of strings must iterate alike.
    environment.setdefault("PYTHONHASHSEED", "0")
    command = [launcher, "-np", str(processes)]
    if _is_open_mpi(launcher):
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT", "1")
            environment.setdefault("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        # More processes than cores is the user's choice to make.
        environment.setdefault("OMPI_MCA_rmaps_base_oversubscribe", "1")
        environment.setdefault("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")
        for name in sorted(environment):
            if name == "PYTHONHASHSEED" or name.startswith("NUMLOOM_"):
                command += ["-x", name]
    command += [sys.executable, "-m", "numloom", "run", "--", path, *arguments]
    return command, environment


def run_processes(processes, path, arguments):
    """Replace this process by an MPI launcher that runs the program in ``processes`` processes."""
    command, environment = mpi_command(processes, path, arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvpe(command[0], command, environment)
