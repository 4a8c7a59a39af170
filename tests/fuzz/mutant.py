"""NumPy made lazy in the simplest way, with one fault planted on demand: shows that the fuzzer finds such faults.

`module(fault)` returns a stand-in for NumPy. Elementwise calls and assignments are queued with the memory that they
read and write, and run in order before anything looks at a value. A fault leaves out one check of that queue, or
breaks one kernel.
"""

from __future__ import annotations

import os
import time
import types
import weakref

import numpy

FAULTS = {
    "none": "no fault: must pass",
    "drop-war": "a write moves ahead of an earlier read of the same memory",
    "drop-raw": "a read moves ahead of an earlier write through another view",
    "drop-waw": "two writes through different views change places",
    "no-overlap-copy": "an overlapping update works element by element",
    "dead-base": "a result whose own array is gone is not computed although a view of it lives",
    "tail": "the last element of 1024 k + 1 elements is left out",
    "stale-scalar": "a cached plan keeps the numbers of its first run",
    "negative-stride": "an input that runs backwards is read forwards when the output does too",
    "zero-stride": "a broadcast input is taken from the wrong row or column",
    "crash": "the process dies at a result without elements",
    "hang": "the process stands still at 1024 k + 1 elements",
}
FOUND_BY_COMPARISON = [f for f in FAULTS if f not in ("none", "crash", "hang")]


class Step:
    """One queued call: what it reads and writes, and how to run it."""

    def __init__(self, run, reads, write, owner=None):
        self.run, self.reads, self.write, self.owner = run, reads, write, owner


def is_array(x) -> bool:
    """An array, not a number."""
    return isinstance(x, numpy.ndarray)


def same_view(x, y) -> bool:
    """Whether two arrays are the same elements in the same order."""
    place = "__array_interface__"
    return getattr(x, place)["data"] == getattr(y, place)["data"] and x.shape == y.shape and x.strides == y.strides


def touches(x, y, fault_ignores_other_views: bool = False) -> bool:
    """Whether two arrays share memory; with the fault only equal views count."""
    if not numpy.may_share_memory(x, y):
        return False
    return not fault_ignores_other_views or same_view(x, y)


class Engine:
    """The queue and its fault."""

    def __init__(self, fault: str):
        if fault not in FAULTS:
            raise ValueError(f"unknown fault {fault!r}; there are: {', '.join(FAULTS)}")
        self.fault = fault
        self.queue: list[Step] = []
        self.scalars: dict = {}

    def push(self, step: Step) -> None:
        self.queue.append(step)
        if len(self.queue) > 64:
            self.flush()

    def may_swap(self, first: Step, second: Step) -> bool:
        """Whether `second` may run before `first`, as the faulty check sees it."""
        war = any(touches(r, second.write) for r in first.reads) and self.fault != "drop-war"
        raw = any(touches(first.write, r, self.fault == "drop-raw") for r in second.reads)
        waw = touches(first.write, second.write, self.fault == "drop-waw")
        return not (war or raw or waw)

    def flush(self) -> None:
        steps, self.queue = self.queue, []
        if self.fault.startswith("drop"):
            for k in range(len(steps) - 1):
                if self.may_swap(steps[k], steps[k + 1]):
                    steps[k], steps[k + 1] = steps[k + 1], steps[k]
        for step in steps:
            dead = step.owner is not None and step.owner() is None
            if not (dead and self.fault == "dead-base"):
                step.run()

    def misplaced(self, inputs, out):
        """The inputs with an address worked out wrongly, for the faults about strides."""
        if self.fault == "negative-stride" and out.ndim and out.strides[-1] < 0 and out.shape[-1] > 1:
            return [
                x[..., ::-1] if is_array(x) and x.ndim and x.strides[-1] < 0 and x.shape[-1] > 1 else x for x in inputs
            ]
        if self.fault == "zero-stride" and out.ndim == 2 and out.shape[0] > 2:
            inputs = [x[::-1] if is_array(x) and x.ndim == 2 and x.shape[1] == 1 else x for x in inputs]
            return [numpy.roll(x, 1) if is_array(x) and x.shape == out.shape[1:] else x for x in inputs]
        return inputs

    def call(self, ufunc, inputs, out, keywords) -> None:
        """Run one elementwise call, with the kernel faults."""
        fault = self.fault
        if fault == "crash" and out.size == 0:
            os.abort()
        if fault == "hang" and out.size > 1024 and out.size % 1024 == 1:
            time.sleep(3600)
        if fault == "stale-scalar":
            key = (ufunc, out.shape, out.dtype, tuple(getattr(x, "shape", None) for x in inputs))
            numbers = [None if isinstance(x, numpy.ndarray) else x for x in inputs]
            known = self.scalars.setdefault(key, numbers)
            inputs = [x if n is None or m is None else m for x, n, m in zip(inputs, numbers, known, strict=False)]
        inputs = self.misplaced(inputs, out)
        if fault == "tail" and out.size > 1024 and out.size % 1024 == 1 and "where" not in keywords:
            keep = out[(-1,) * out.ndim]
            ufunc(*inputs, out=out, **keywords)
            out[(-1,) * out.ndim] = keep
            return
        overlapping = [
            x for x in inputs if isinstance(x, numpy.ndarray) and numpy.may_share_memory(x, out) and x.size > 1
        ]
        if fault == "no-overlap-copy" and overlapping and "where" not in keywords and out.size < 300:
            spread = [numpy.broadcast_to(x, out.shape) for x in inputs]
            for index in numpy.ndindex(out.shape):
                out[index] = ufunc(*[x[index] for x in spread], **{k: v for k, v in keywords.items() if k != "casting"})
            return
        ufunc(*inputs, out=out, **keywords)


def plain(x):
    """An array of the stand-in as NumPy's own, anything else as it is."""
    return x.view(numpy.ndarray) if isinstance(x, numpy.ndarray) else x


def like(x: numpy.ndarray) -> numpy.ndarray:
    """Ones that lie in memory as `x` does: what comes out of them lies as what comes out of `x`."""
    if x.size == 0:
        return numpy.ones(x.shape, x.dtype)
    reach = [s * (n - 1) for n, s in zip(x.shape, x.strides, strict=True)]
    low = sum(r for r in reach if r < 0)
    span = sum(map(abs, reach)) // x.itemsize + 1
    return numpy.ndarray(x.shape, x.dtype, numpy.ones(span, x.dtype), -low, x.strides)


def basic(key) -> bool:
    """Whether an index gives a view."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(p is None or p is Ellipsis or isinstance(p, (int, numpy.integer, slice)) for p in parts)


def array_type(engine: Engine):
    """The stand-in's array type."""

    class ndarray(numpy.ndarray):
        __hash__ = None

        def __array_ufunc__(self, ufunc, method, *inputs, out=None, where=True, **keywords):
            inputs = [plain(x) for x in inputs]
            target = out[0] if out else None
            mask = plain(where)
            if method != "__call__" or ufunc.nout != 1:
                engine.flush()
                if out:
                    keywords["out"] = tuple(plain(x) for x in out)
                if where is not True:
                    keywords["where"] = mask
                result = getattr(ufunc, method)(*inputs, **keywords)
                return target if target is not None else wrap(result)
            if where is not True:
                keywords["where"] = mask
            probe = [like(x) if isinstance(x, numpy.ndarray) else x for x in inputs]
            if target is None:
                example = ufunc(*probe, **keywords)
                if not isinstance(example, numpy.ndarray):
                    engine.flush()
                    return ufunc(*inputs, **keywords)
                result = wrap(example)
                owner = weakref.ref(result)
            else:
                ufunc(*probe, out=numpy.empty(target.shape, target.dtype), **keywords)
                if not target.flags.writeable:
                    raise ValueError("output array is read-only")
                result, owner = target, None
            memory = plain(result)
            reads = [x for x in (*inputs, mask) if isinstance(x, numpy.ndarray)]
            engine.push(Step(lambda: engine.call(ufunc, inputs, memory, keywords), reads, memory, owner))
            return result

        def __setitem__(self, key, value):
            value = plain(value)
            if not basic(key) or not isinstance(value, (numpy.ndarray, int, float, complex)):
                engine.flush()
                key = tuple(plain(k) for k in key) if isinstance(key, tuple) else plain(key)
                plain(self)[key] = value
                return
            whole = key if isinstance(key, tuple) else (key,)
            whole = whole if Ellipsis in [k for k in whole if k is Ellipsis] else (*whole, Ellipsis)
            memory = plain(self)[whole]
            if not memory.flags.writeable:
                raise ValueError("assignment destination is read-only")
            probe = numpy.empty(memory.shape, memory.dtype)
            probe[...] = (
                numpy.broadcast_to(numpy.ones((), value.dtype), value.shape)
                if isinstance(value, numpy.ndarray)
                else value
            )
            if isinstance(value, numpy.ndarray) and value.dtype != memory.dtype or not isinstance(value, numpy.ndarray):
                engine.push(Step(lambda: memory.__setitem__(Ellipsis, value),
                                 [value] if isinstance(value, numpy.ndarray) else [], memory))  # fmt: skip
                return
            value = value.reshape(value.shape[max(value.ndim - memory.ndim, 0) :])
            engine.push(Step(lambda: engine.call(numpy.positive if memory.dtype.kind != "b" else numpy.logical_or,
                                                 [value] if memory.dtype.kind != "b" else [value, value], memory, {}),
                             [value], memory))  # fmt: skip

        def __getitem__(self, key):
            if not basic(key):
                engine.flush()
                return wrap(plain(self)[tuple(plain(k) for k in key) if isinstance(key, tuple) else plain(key)])
            result = plain(self)[key]
            if not isinstance(result, numpy.ndarray):
                engine.flush()
                return plain(self)[key]
            return result.view(type(self))

        def __array_function__(self, function, types_, args, keywords):
            engine.flush()
            return wrap(function(*[strip(a) for a in args], **{k: strip(v) for k, v in keywords.items()}))

    def wrap(x):
        if isinstance(x, tuple):
            return tuple(wrap(y) for y in x)
        return x.view(ndarray) if type(x) is numpy.ndarray else x

    def strip(x):
        return type(x)(strip(y) for y in x) if isinstance(x, (list, tuple)) else plain(x)

    for name in READING:
        setattr(ndarray, name, _reading(engine, name, wrap))
    ndarray.reshape = _view_or_copy(engine, "reshape", wrap)
    ndarray.ravel = _view_or_copy(engine, "ravel", wrap)
    return ndarray, wrap, strip


VIEWS = ("broadcast_to", "flip")
READING = (
    "sum prod min max mean std var any all argmin argmax copy astype tolist item clip "
    "__float__ __int__ __complex__ __bool__ __repr__ __str__ __index__ __matmul__"
).split()


def _reading(engine, name, wrap):
    function = getattr(numpy.ndarray, name)

    def method(self, *args, **keywords):
        engine.flush()
        if "out" in keywords:
            function(plain(self), *map(plain, args), **{k: plain(v) for k, v in keywords.items()})
            return keywords["out"]
        return wrap(function(plain(self), *map(plain, args), **{k: plain(v) for k, v in keywords.items()}))

    return method


def _view_or_copy(engine, name, wrap):
    function = getattr(numpy.ndarray, name)

    def method(self, *args, **keywords):
        result = function(plain(self), *args, **keywords)
        if self.size and not numpy.may_share_memory(result, self):
            engine.flush()
            result = function(plain(self), *args, **keywords)
        return wrap(result)

    return method


class _Ufunc:
    """A ufunc whose methods and calls accept the stand-in's arrays."""

    def __init__(self, ufunc, wrap):
        self.ufunc, self.wrap = ufunc, wrap

    def __call__(self, *args, **keywords):
        return self.wrap(self.ufunc(*args, **keywords))

    def __getattr__(self, name):
        return getattr(self.ufunc, name)


def module(fault: str) -> types.ModuleType:
    """NumPy with lazy arrays and the given fault (see FAULTS)."""
    engine = Engine(fault)
    ndarray, wrap, strip = array_type(engine)

    class Module(types.ModuleType):
        def __getattr__(self, name):
            attribute = getattr(numpy, name)
            if isinstance(attribute, numpy.ufunc):
                found = _Ufunc(attribute, wrap)
            elif callable(attribute) and not isinstance(attribute, type):

                def found(*args, **keywords):
                    if name not in VIEWS or not numpy.ndim(args[0]):  # of a 0-d array flip gives its value
                        engine.flush()
                    if isinstance(keywords.get("out"), ndarray):
                        attribute(*map(strip, args), **{k: strip(v) for k, v in keywords.items()})
                        return keywords["out"]
                    return wrap(attribute(*map(strip, args), **{k: strip(v) for k, v in keywords.items()}))
            else:
                found = attribute
            setattr(self, name, found)
            return found

    made = Module(f"mutant_{fault.replace('-', '_')}")
    made.ndarray = ndarray

    def export(x):
        engine.flush()
        return plain(x)

    made._fuzz_export = export
    return made
