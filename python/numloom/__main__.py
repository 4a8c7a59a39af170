"""The command line: ``numloom run [-n P] [--] prog.py ARGS``."""

import argparse
import os
import platform
import sys

import numpy

import numloom
from numloom import _run

_RUN_HELP = """\
Runs prog.py as `python prog.py ARGS` does, with every `import numpy` (`import numpy.linalg as la`,
`from numpy import x`, inside functions too) bound to numloom in the program's own files: prog.py and
what it imports from below its folder. Libraries keep NumPy, and so does a file that imports numloom by
name; imports computed at run time (__import__, importlib) are left alone. A name or submodule that
numloom does not have stays NumPy's. Processes that the program starts by itself, with
multiprocessing's `spawn` or as new commands, run with plain NumPy.
"""


def build_parser():
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="numloom", description="NumPy's array, once, for every machine.")
    parser.add_argument("--version", action="store_true", help="print the versions of numloom and numpy")
    parser.add_argument("--cmake-dir", action="store_true", help="print the folder for CMake's numloom_DIR")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="run a NumPy program with numpy replaced by numloom in its own files",
        usage="numloom run [-h] [-n P] [--] prog.py [ARGS ...]",
        description=_RUN_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("-n", "--processes", type=_positive, metavar="P", help="start P processes through mpirun")
    run.add_argument("program", metavar="prog.py", help="the script; all that follows it are its own arguments")
    return parser


def _positive(text):
    """Parse a count of processes."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return value


def split_arguments(arguments):
    """Split what follows ``run`` into our options (with the program's name) and the program's own arguments.

    Parameters
    ----------
    arguments : list of str

    Returns
    -------
    ours, theirs : list of str
        ``theirs`` is passed on as it is, whatever it looks like.
    """
    position = 0
    while position < len(arguments):
        word = arguments[position]
        if word == "--":
            program = ["./" + name if name.startswith("-") else name for name in arguments[position + 1 : position + 2]]
            return arguments[:position] + program, arguments[position + 2 :]
        if word in ("-n", "--processes"):
            position += 2
        elif word.startswith("-") and word != "-":
            position += 1
        else:
            break
    return arguments[: position + 1], arguments[position + 1 :]


def main(arguments=None):
    """Run the command line and return the exit status.

    Parameters
    ----------
    arguments : list of str, optional
        Default: those of the process.
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    theirs = []
    if arguments[:1] == ["run"]:
        ours, theirs = split_arguments(arguments[1:])
        arguments = ["run", *ours]
    parser = build_parser()
    options = parser.parse_args(arguments)
    if options.version:
        print(f"numloom {numloom.__version__}, numpy {numpy.__version__}, Python {platform.python_version()}")
        return 0
    if options.cmake_dir:
        from numloom._tools import cmake_dir

        try:
            print(cmake_dir())
        except FileNotFoundError as error:
            print(f"numloom: {error}", file=sys.stderr)
            return 1
        return 0
    if options.command is None:
        parser.print_help()
        return 2
    if not os.path.isfile(options.program):
        # Python's own words and status for a script that is not there.
        print(f"numloom: can't open file {os.path.abspath(options.program)!r}", file=sys.stderr)
        return 2
    if options.processes is not None:
        try:
            _run.run_processes(options.processes, options.program, theirs)
        except OSError as error:
            print(f"numloom: {error}", file=sys.stderr)
            return 1
    _run.run_program(options.program, theirs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
