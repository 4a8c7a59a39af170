"""The one way to NumPy on the host: for what the engine has no operation for.

Arguments that are our arrays become NumPy views of their memory (no copy) while the call lasts; where the memory is not
in one piece on the host, copies that are written back if the call changed them. Results come back as our arrays: as
views where they share memory with an argument, else imported without a copy. Every call is counted.
"""

import functools
import os
import sys
import time
import types

import numpy

from numloom import _core, _processes
from numloom._base import is_native, ndarray, scalar, share

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_MODULES = (_PACKAGE, os.path.dirname(os.path.abspath(numpy.__file__)) + os.sep)

_REPEATED = (TypeError, ValueError, IndexError, OverflowError, numpy.exceptions.AxisError)  # not LinAlgError

CALLS = {}  # name -> Row


class Row:
    """What coverage() knows of a name that ran on the host."""

    __slots__ = ("calls", "line", "name", "seconds")

    def __init__(self, name):
        self.name, self.calls, self.seconds, self.line = name, 0, 0.0, None


def user_line():
    """file:line of the innermost frame outside this package and NumPy."""
    frame = sys._getframe(2)
    while frame is not None:
        path = frame.f_code.co_filename
        if not path.startswith(_MODULES):
            return f"{path}:{frame.f_lineno}"
        frame = frame.f_back
    return None


# Stands in for the user's line: what it calls warns there, as it would where the user calls NumPy himself.
_STAND_IN = (lambda function, args, kwargs: function(*args, **kwargs)).__code__
_UNITS = len(_STAND_IN.co_code) // 2
_ONE_LINE = b"".join(  # a table of positions with neither columns nor steps to other lines (CPython's locations.md)
    bytes((0x80 | 13 << 3 | min(8, _UNITS - start) - 1, 0)) for start in range(0, _UNITS, 8)
)
_stand_ins = {}  # (file, line) -> code


def call_at_users_line(function, args, kwargs):
    """function(*args, **kwargs) from a frame that has the file, line and globals of the user's."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(_MODULES):
        frame = frame.f_back
    if frame is None:
        return function(*args, **kwargs)
    code = frame.f_code
    key = code.co_filename, frame.f_lineno
    made = _stand_ins.get(key)
    if made is None:
        if len(_stand_ins) > 1000:
            _stand_ins.clear()  # programs that make code as they run
        made = _stand_ins[key] = _STAND_IN.replace(
            co_filename=code.co_filename,
            co_firstlineno=frame.f_lineno or 1,
            co_name=code.co_name,
            co_qualname=code.co_qualname,
            co_linetable=_ONE_LINE,
        )
    return types.FunctionType(made, frame.f_globals)(function, args, kwargs)


def count(name, seconds):
    """Notes one call of `name` on the host."""
    row = CALLS.get(name)
    if row is None:
        row = CALLS[name] = Row(name)
        row.line = user_line()
    row.calls += 1
    row.seconds += seconds
    _core.count_host_call()


class Session:
    """The arguments and results of one call: what was lent to NumPy, and what comes back of it."""

    __slots__ = ("copies", "given", "lent", "owners")

    def __init__(self):
        self.given = {}  # id(NumPy's array that the caller has) -> it
        self.lent = {}  # id(our array) -> (our array, NumPy's view)
        self.owners = {}  # id(NumPy's view) -> our array and view
        self.copies = []  # (our array, lent copy, its first contents)

    def lend(self, a):
        known = self.lent.get(id(a))
        if known is not None:
            return known[1]
        view = _core.host_view(a, None)
        pair = self.lent[id(a)] = (a, view)
        if view is None:
            view = strided_copy(a)
            pair = self.lent[id(a)] = (a, view)
            self.copies.append((a, view, view.copy()))
        self.owners[id(view)] = pair
        self.owners.setdefault(id(view.base), pair)
        return view

    def to_host(self, x):
        """An argument as NumPy gets it."""
        kind = type(x)
        if kind in _PLAIN:
            return x
        if kind is ndarray:
            return self.lend(x)
        if kind is numpy.ndarray:
            self.given[id(x)] = x
            return x
        if kind is scalar:
            return x._value()
        if kind is tuple or kind is list:
            for item in x:
                if type(item) not in _PLAIN:
                    return kind([self.to_host(i) for i in x])
            return x
        if kind is dict:
            return {k: self.to_host(v) for k, v in x.items()}
        if kind is slice:
            return slice(self.to_host(x.start), self.to_host(x.stop), self.to_host(x.step))
        convert = getattr(kind, "__numloom_host__", None)
        if convert is not None:
            return convert(x)
        if kind is _core.ufunc:
            return getattr(numpy, x.__name__, x)
        if kind is types.FunctionType or kind is types.MethodType or kind is functools.partial:
            oracle = getattr(x, "__numloom_oracle__", None)
            return callback(x) if oracle is None else oracle
        if kind is staticmethod or kind is _QUICK:
            return getattr(x, "__numloom_oracle__", x)
        if (
            hasattr(kind, "__array__")
            and not isinstance(x, numpy.ndarray | numpy.generic)
            and not hasattr(kind, "__array_function__")
        ):
            made = x.__array__()
            return self.lend(made) if type(made) is ndarray else x
        return x

    def from_host(self, r):
        """A result as the program gets it."""
        kind = type(r)
        if kind is numpy.ndarray:
            if id(r) in self.given:  # out=, the left side of +=: the caller goes on with the memory that it has
                return r
            if r.base is None and not self.copies and id(r) not in self.owners:  # NumPy's own fresh memory
                return import_array(r) if is_native(r.dtype) else r
            return self.array(r)
        if kind is tuple:
            return tuple([self.from_host(x) for x in r])
        if kind is list:
            return [self.from_host(x) for x in r]
        if kind is dict:
            return {k: self.from_host(v) for k, v in r.items()}
        if isinstance(r, tuple) and hasattr(r, "_fields"):
            return kind(*[self.from_host(x) for x in r])
        return r

    def array(self, r):
        base = r
        while base is not None:
            known = self.owners.get(id(base))
            if known is not None:
                return self.shared(r, *known)
            base = getattr(base, "base", None)
        if not is_native(r.dtype):
            return r
        return import_array(r)

    def shared(self, r, a, view):
        """A result that lies in the memory of the argument `a`, or in its lent copy, which has the same strides: `a`
        itself or a view of its storage."""
        if r is view:
            return a
        if not is_native(r.dtype):
            return r  # our memory under a foreign dtype: NumPy's view of it
        shift = address(r) - address(view)
        try:
            return _core.view(a, r.shape, r.strides, shift, r.dtype, r.flags.writeable)
        except ValueError:  # it reaches outside our memory, as as_strided can make it
            return share(r)

    def finish(self):
        """Writes back what NumPy changed in lent copies."""
        for a, copy, before in self.copies:
            if copy.tobytes() != before.tobytes():
                _core.assign(a, _core.from_host(copy))


_QUICK = type(_core.quick("add", len, False))  # functions whose everyday calls the bindings do
_PLAIN = frozenset(
    (
        int,
        float,
        complex,
        bool,
        str,
        bytes,
        type(None),
        type(Ellipsis),
        type,
        numpy.float64,
        numpy.float32,
        numpy.int64,
        numpy.int32,
        numpy.bool_,
        numpy.dtype,
    )
)


def strided_copy(a):
    """A NumPy array with the values, the strides and the writeable flag of one that is not in one piece on the host."""
    low = sum(min(0, (n - 1) * s) for n, s in zip(a.shape, a.strides, strict=True))
    high = sum(max(0, (n - 1) * s) for n, s in zip(a.shape, a.strides, strict=True))
    if a.size == 0:
        return numpy.empty(a.shape, a.dtype)
    memory = numpy.empty(high - low + a.itemsize, "u1")
    view = numpy.ndarray(a.shape, a.dtype, memory, -low, a.strides)
    view[...] = _core.to_host(a)
    view.flags.writeable = _core.writeable(a)
    return view


def address(x):
    return x.__array_interface__["data"][0]


def import_array(r):
    """A NumPy array that nobody else will write as one of ours. Copied, since memory of the pool is faster to use and
    can be renamed; one that isn't in C order is adopted, so that it keeps its strides."""
    if r.flags.c_contiguous or not r.flags.writeable or not r.flags.aligned:
        return _core.from_host(r)
    return _core.adopt(r)


def callback(function):
    """A Python function given to NumPy: it gets our arrays where NumPy passes its own, and may return ours."""

    @functools.wraps(function, updated=())
    def call(*args, **kwargs):
        given = [share(x) if type(x) is numpy.ndarray and is_native(x.dtype) else x for x in args]
        result = plain(function(*given, **kwargs))
        _core.flush("host_call")  # what the function wrote into NumPy's arrays must be there when NumPy goes on
        for x, ours in zip(args, given, strict=True):
            if ours is not x and ours.base is not x and x.flags.writeable:
                x[...] = _core.to_host(ours)  # it was a copy
        return result

    return call


def plain(x):
    """Our arrays and lazy scalars anywhere in x as NumPy's."""
    session = Session()
    return session.to_host(x)


def call(name, function, args, kwargs):
    """function(*args, **kwargs) by NumPy on the host."""
    if _PLAIN.issuperset(map(type, args)) and (not kwargs or _PLAIN.issuperset(map(type, kwargs.values()))):
        start = time.perf_counter()
        try:  # numbers: draws of random numbers, one by one
            result = function(*args, **kwargs)
        finally:
            count(name, time.perf_counter() - start)
        if type(result) in _PLAIN:
            return result
        if type(result) is numpy.ndarray and result.base is None and is_native(result.dtype):
            return import_array(result)
        return Session().from_host(result)
    return lent_call(name, function, args, kwargs, True)


def lent_call(name, function, args, kwargs, count_failure):
    """function(*args, **kwargs) with our arrays lent to it; counted unless it raises and `count_failure` is False."""
    start = time.perf_counter()
    session = Session()
    args = [session.to_host(x) for x in args]
    if kwargs:
        kwargs = {k: session.to_host(v) for k, v in kwargs.items()}
    done = count_failure
    try:
        result = call_at_users_line(function, args, kwargs)
        done = True
    finally:
        if session.copies:
            session.finish()
        if done:
            count(name, time.perf_counter() - start)
    return session.from_host(result)


def repeatable(error, args, kwargs):
    """Whether a call that raised `error` can be made once more: nothing that it takes was used up or has effects.

    Of several processes perhaps only this one fails, and lending a spread array takes all of them.
    """
    if type(error) not in _REPEATED or hasattr(error, "numloom_own") or _processes.launched()[0] > 1:
        return False
    return not any(_has_effects(x) for x in (*args, *kwargs.values()))


def _has_effects(x):
    kind = type(x)
    if kind in _PLAIN or kind is ndarray or kind is numpy.ndarray:
        return False
    if kind is tuple or kind is list:
        return any(_has_effects(i) for i in x)
    if callable(x) or hasattr(kind, "__next__"):
        return not isinstance(x, type | types.BuiltinFunctionType) and not hasattr(x, "__numloom_oracle__")
    return False


def call_after(error, name, function, args, kwargs):
    """The call that our own function left to NumPy (`error` is None) or refused. What is wrong with a refused call
    NumPy tells in its own words; should nothing be wrong in its eyes, then its result counts."""
    if error is None:
        return call(name, function, args, kwargs)
    if not repeatable(error, args, kwargs):
        raise error
    return lent_call(name, function, args, kwargs, False)


def unbound(call, oracle):
    """`call`, which as an attribute of a class binds to objects only where NumPy's function does: builtins don't."""
    if not isinstance(oracle, types.BuiltinFunctionType):
        return call
    made = staticmethod(call)
    made.__numloom_oracle__ = oracle
    made.__numloom_native__ = getattr(call, "__numloom_native__", None)
    return made


def wrap(function, name=None):
    """NumPy's function for our arrays, done on the host."""
    name = name or function.__name__

    def host(*args, **kwargs):
        return call(name, function, args, kwargs)

    try:
        functools.update_wrapper(host, function, updated=())
    except (AttributeError, TypeError):
        host.__name__ = name
    host.__module__ = "numloom"
    host.__numloom_oracle__ = function
    return unbound(host, function)


def wrap_method(name):
    """NumPy's array method for our array, done on the host."""
    oracle = getattr(numpy.ndarray, name)

    def host(self, *args, **kwargs):
        return call("ndarray." + name, oracle, (self, *args), kwargs)

    host.__name__ = name
    host.__qualname__ = "ndarray." + name
    host.__doc__ = oracle.__doc__
    host.__wrapped__ = oracle
    return host
