"""Imported by a public program while it is measured: times it, takes its results and notes what ran on the host.

The folder of this file is not the program's, so that NumPy stays NumPy here under ``numloom run``. What is found is
written as a pickle to the file that the environment's PROGRAM_RECORD names. PROGRAM_ONCE=1: one call, for the results.
"""

import functools
import importlib
import os
import pickle
import random
import sys
import time
import types

import numpy

_clock = time.perf_counter
_state = {"start": None, "seconds": [], "captured": {}, "paused": False, "host": [], "host before": {}}


def _complete():
    """Run what has been recorded so far; NumPy has nothing to run."""
    if "numloom" in sys.modules:
        sys.modules["numloom"].eval()


def _host():
    """Calls and seconds of each name that NumPy did for Numloom so far."""
    if "numloom" not in sys.modules:
        return {}
    return {row["name"]: (row["calls"], row["seconds"]) for row in sys.modules["numloom"].coverage()}


def _host_since(before):
    """What NumPy did since `before` was taken: name, calls, seconds."""
    found = []
    for name, (calls, seconds) in _host().items():
        calls_then, seconds_then = before.get(name, (0, 0.0))
        if calls > calls_then:
            found.append((name, calls - calls_then, seconds - seconds_then))
    return found


def _plain(value, depth=0):
    """`value` as NumPy arrays and builtin containers, or None where it is neither array, number nor container."""
    kind = type(value)
    if isinstance(value, numpy.ma.MaskedArray):
        return numpy.ma.filled(value.astype(float), numpy.nan)
    if kind is bool or kind is int or kind is float or kind is complex or isinstance(value, numpy.generic):
        return numpy.asarray(value)
    if hasattr(value, "__array__"):
        return numpy.asarray(value)
    if kind in (list, tuple) and depth < 4:
        return [_plain(item, depth + 1) for item in value]
    if kind is dict and depth < 4:
        return {str(key): _plain(item, depth + 1) for key, item in value.items()}
    return None


def _write(results):
    """Write the record of this run."""
    record = {"seconds": _state["seconds"], "results": results, "host": _state["host"]}
    if "numloom" in sys.modules:
        record["stats"] = dict(sys.modules["numloom"].stats())
    with open(os.environ["PROGRAM_RECORD"], "wb") as file:
        pickle.dump(record, file)


def _seed():
    """Seed every generator that a program may use without seeding it."""
    numpy.random.seed(12345)  # noqa: NPY002 - the programs draw from it
    random.seed(12345)


def measure(prepare, work, least=3, seconds=1.0, most=25):
    """Call `work` on what `prepare` makes, several times, and write the record.

    Parameters
    ----------
    prepare : callable
        Returns a dict of the program's variables.
    work : callable
        Takes that dict; what it returns and the dict afterwards are the results.
    least, most : int
        Bounds of the number of calls.
    seconds : float
        Calls are made until so much time has gone into them.
    """
    if os.environ.get("PROGRAM_ONCE") == "1":
        least = most = 1
    while len(_state["seconds"]) < least or (sum(_state["seconds"]) < seconds and len(_state["seconds"]) < most):
        _seed()
        values = prepare()
        _complete()
        before = _host()
        start = _clock()
        out = work(values)
        _complete()
        _state["seconds"].append(_clock() - start)
        _state["host"] = _host_since(before)
        if sum(_state["seconds"]) > 4 * seconds:
            break
    results = {"returned": out}
    results.update({name: value for name, value in values.items() if hasattr(value, "__array__")})
    _write(_plain(results))


def _stop():
    """Stop the clock of a script, unless it has been stopped."""
    if not _state["seconds"]:
        _state["seconds"].append(_clock() - _state["start"])
        _state["host"] = _host_since(_state["host before"])


def _paused(function):
    """`function` with the clock stopped meanwhile: drawing is the same work on both sides."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        if _state["paused"]:
            return function(*args, **kwargs)
        _complete()
        _state["paused"] = True
        begin = _clock()
        try:
            return function(*args, **kwargs)
        finally:
            _state["paused"] = False
            if _state["start"] is not None:
                _state["start"] += _clock() - begin

    return call


def _without_drawing(names):
    """Stop the clock while matplotlib works; let its final calls do nothing but note variables of their caller."""
    pyplot = importlib.import_module("matplotlib.pyplot")
    animation = importlib.import_module("matplotlib.animation")
    classes = [importlib.import_module("matplotlib.axes").Axes, importlib.import_module("matplotlib.figure").Figure]
    classes.append(importlib.import_module("mpl_toolkits.mplot3d").Axes3D)
    classes.append(importlib.import_module("matplotlib.image").AxesImage)
    for owner in (pyplot, *classes):
        for name in dir(owner):
            value = getattr(owner, name)
            if not name.startswith(("_", "get_")) and isinstance(value, types.FunctionType):
                setattr(owner, name, _paused(value))

    def final(*args, **kwargs):
        frame = sys._getframe(1)
        found = {name: frame.f_locals[name] for name in names if name in frame.f_locals}
        if names and found:
            _complete()
            _stop()
            _state["captured"].update(_plain(found))

    pyplot.savefig = pyplot.show = pyplot.pause = final
    animation.Animation.save = lambda *args, **kwargs: None


def start(captured=(), imports=()):
    """Begin the measurement of a script.

    Parameters
    ----------
    captured : sequence of str
        Variables of the function that saves or shows the picture; the clock stops there.
    imports : sequence of str
        Modules that the script needs; they are loaded before the clock starts.
    """
    for name in imports:
        importlib.import_module(name)
    _without_drawing(captured)
    restart()


def restart():
    """Start the clock again: what came before was preparation."""
    _complete()
    _seed()
    _state["host before"] = _host()
    _state["start"] = _clock()


def finish(results):
    """End the measurement of a script and write the record."""
    _complete()
    _stop()
    plain = _plain(results)
    plain.update(_state["captured"])
    _write(plain)
