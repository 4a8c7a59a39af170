"""What a user can ask of the engine beside NumPy's names."""

import pathlib

import numpy

from numloom import _core, _fallback
from numloom._base import ndarray, scalar
from numloom._registry import NATIVE


def stats():
    """Counters since the start of the process.

    Returns
    -------
    dict of int
        instructions, evaluations, plan_hits, plan_misses, kernels, bytes_read, bytes_written, messages, bytes_moved
        (between devices and processes) and host_calls (work that NumPy did on the host).
    """
    return _core.stats()


def mesh():
    """The devices that share the arrays. Starts the engine where nothing has yet.

    Returns
    -------
    types.SimpleNamespace
        devices (a tuple of names such as "cpu:0", of all processes), size (how many they are), processes, and rank
        (this process's number).
    """
    return _core.mesh()


def eval(*arrays):
    """Run everything recorded so far: to end a timing, or to see where time goes.

    Parameters
    ----------
    *arrays : any
        Handed through.

    Returns
    -------
    any
        The argument where there is one, else the tuple of all.

    Examples
    --------
    >>> import numloom as np
    >>> x = np.eval(np.arange(4.0) ** 2)
    >>> x
    array([0., 1., 4., 9.])
    """
    _core.flush("synchronise")
    return arrays[0] if len(arrays) == 1 else arrays


def plan(function, *args, **kwargs):
    """The plans that a call of `function` leads to, as text.

    Parameters
    ----------
    function : callable
        Called once with the further arguments; what it records is run.
    *args, **kwargs
        Its arguments.

    Returns
    -------
    str
        The kernels and library calls of each evaluation, in order.

    Examples
    --------
    >>> import numloom as np
    >>> x = np.ones(1000)
    >>> text = np.plan(lambda: float((x * 2 + 1).sum()))
    >>> print(text.splitlines()[0])
    step 0: kernel, reads 8000 bytes, writes 8 bytes
    """
    _core.flush("synchronise")
    _core.remember_plans(True)
    try:
        result = function(*args, **kwargs)
        _core.flush("synchronise")
        del result
        return _core.print_plans()
    finally:
        _core.remember_plans(False)


def asnumpy(a, stream=None, order="C", out=None, *, blocking=True):
    """The values of `a` as a new NumPy array (CuPy's name).

    Parameters
    ----------
    a : array_like
        An array of Numloom's, or anything that NumPy makes an array of.
    stream, blocking
        For CuPy's programs; nothing depends on them.
    order : {"C", "F", "A", "K"}, optional
        Memory order of the result.
    out : numpy.ndarray, optional
        Filled and returned in place of a new array.

    Returns
    -------
    numpy.ndarray
    """
    if type(a) is ndarray:
        a = _core.to_host(a)
    elif type(a) is scalar:
        a = numpy.asarray(a._value())
    if out is not None:
        numpy.copyto(out, a)
        return out
    return numpy.asarray(a, order=order if order in ("C", "F") else None)


def get_array_module(*args):
    """The module whose functions suit the arguments (CuPy's name), for code that takes arrays of either.

    Parameters
    ----------
    *args : any

    Returns
    -------
    module
        numloom where an argument is one of its arrays, else numpy.
    """
    import numloom

    return numloom if any(type(x) is ndarray or type(x) is scalar for x in args) else numpy


def cmake_dir():
    """The folder for `numloom_DIR`, with which CMake's find_package(numloom) finds the C++ library in this package.

    Raises
    ------
    FileNotFoundError
        Where numloom was built without its C++ package, as in a checkout: `cmake --install build/release` makes one.
    """
    folder = pathlib.Path(__file__).parent / "lib" / "cmake" / "numloom"
    if not (folder / "numloom-config.cmake").is_file():
        raise FileNotFoundError(
            f"no C++ package in {folder.parents[2]}: install numloom by pip, or build one from its sources by "
            "`cmake --install build/release --prefix FOLDER --component cpp`"
        )
    return str(folder)


class Coverage:
    """What ran on the host, and which names the engine does.

    Attributes
    ----------
    native : list of str
        Public names that the engine does.
    host : list of dict
        name, calls, seconds and first source line of each name that NumPy did on the host, costliest first.
    """

    def __init__(self):
        self.native = sorted(NATIVE)
        rows = sorted(_fallback.CALLS.values(), key=lambda row: -row.seconds)
        self.host = [{"name": r.name, "calls": r.calls, "seconds": r.seconds, "line": r.line} for r in rows]

    def __iter__(self):
        return iter(self.host)

    def __len__(self):
        return len(self.host)

    def __repr__(self):
        lines = [f"{len(self.native)} names are native; ran on the host through NumPy:"]
        if not self.host:
            lines.append("  nothing")
        else:
            lines.append(f"  {'name':32} {'calls':>9} {'seconds':>10}  first from")
            lines += [f"  {r['name']:32} {r['calls']:9} {r['seconds']:10.4f}  {r['line'] or ''}" for r in self.host]
        return "\n".join(lines)


def coverage():
    """Which names ran through NumPy on the host so far: how often, for how long, from which line.

    Returns
    -------
    Coverage
        Prints as a table; iterates over dicts of name, calls, seconds and line, costliest first. `.native` lists the
        names that the engine does.
    """
    return Coverage()
