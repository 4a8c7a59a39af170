"""The documentation's table of names: what the engine does itself, and what its plans look like.

Made from the table of native names and NumPy's `__all__`. Whether a native name runs spread out over several devices is
seen from the plans of its expressions in tests/python/native_expressions.py on two devices: a plan with a call of the
library gathers its operands, everything else is kernels and views.

    python tools/names_table.py FILE
"""

import ast
import os
import sys
import types
import warnings
from pathlib import Path

import numpy

os.environ |= {"NUMLOOM_DEVICES": "cpu:2", "NUMLOOM_SHARD_MIN": "1"}
ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "python")]

import native_expressions  # noqa: E402 (found by the line above)
import numloom  # noqa: E402
import numloom.random  # noqa: E402 (it registers its functions)
from numloom import _core, _ufunc  # noqa: E402
from numloom._registry import NATIVE  # noqa: E402

MODULES = {"": "numpy", "linalg": "numpy.linalg", "fft": "numpy.fft", "random": "numpy.random"}


def outermost(text):
    """The name of the function whose result an expression is, or None."""
    node = ast.parse(text).body[-1]
    node = getattr(node, "value", None)
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    function = getattr(node, "func", None)
    return getattr(function, "attr", None)


def plans():
    """{name: whether the plans of most expressions that end in a call of it call the library}."""
    found = {}
    original, done = _core.linalg, []

    def counted(*args, **kwargs):
        done.append(True)
        return original(*args, **kwargs)

    _core.linalg = counted  # factorisations are done at the call, on the host, and so are in no plan
    statements = [(text, exec) for text in native_expressions.STATEMENTS]
    for text, run in [(text, eval) for text, _ in native_expressions.expressions()] + statements:
        names = native_expressions.inputs(numloom)
        done.clear()
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            plan = numloom.plan(lambda text=text, run=run, names=names: run(text, names))
        found.setdefault(outermost(text), []).append("library call" in plan or bool(done))
    _core.linalg = original
    return {name: sum(calls) * 2 > len(calls) for name, calls in found.items()}


def devices(name, found):
    """How a native name runs over several devices: "spread", or "gathered" where its plans call the library."""
    return "gathered" if found.get(name.rpartition(".")[2]) else "spread"


def methods_on_host(kind):
    """Methods of a generator that draw by NumPy's code alone."""
    from numloom.random import _generator, _legacy

    drawn = (_generator if kind == "Generator" else _legacy).implementations()
    own = getattr(numloom.random, kind)._on_host
    return ", ".join(f"`{n}`" for n in sorted(own) if n not in drawn)


def where(module, name, found):
    """(who does it, how over several devices) for a public name of NumPy's."""
    value = getattr(getattr(numpy, module) if module else numpy, name)
    dotted = f"{module}.{name}" if module else name
    if dotted == "ndarray":
        return "native", ""
    if not callable(value) or isinstance(value, types.ModuleType | type) and module != "random":
        return "NumPy's", ""
    if module == "random" and name in ("default_rng", "Generator", "RandomState"):
        kind = "RandomState" if name == "RandomState" else "Generator"
        return f"native; on the host: {methods_on_host(kind)}", "gathered"
    if module == "random" and dotted in NATIVE:
        return "native", "gathered"
    known = NATIVE.get(dotted) or _ufunc.OBJECTS.get(dotted) or NATIVE.get(_ufunc.ALIASES.get(dotted, dotted))
    if known is not None and getattr(known, "__numloom_native__", True) is not None:
        return "native", devices(dotted, found)
    return "host", ""


def table(module, found):
    """Markdown lines for one module, and (native, callable) counts."""
    space = getattr(numpy, module) if module else numpy
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = [(name, *where(module, name, found)) for name in sorted(space.__all__, key=str.lower)]
    native = sum(who == "native" for _, who, _ in rows)
    callables = sum(who != "NumPy's" for _, who, _ in rows)
    summary = [f"{native} of {callables} functions are native.", ""] if native else []
    lines = [f"## {MODULES[module]}", "", *summary,
             "| name | who | over several devices |", "| --- | --- | --- |"]  # fmt: skip
    return lines + [f"| `{name}` | {who} | {spread} |" for name, who, spread in rows] + [""]


def methods(found):
    """Markdown lines for the methods of arrays."""
    names = sorted(n for n in dir(numpy.ndarray) if not n.startswith("_") and callable(getattr(numpy.ndarray, n)))
    own = vars(numloom.ndarray)
    lines = ["## Methods of arrays", "", "| method | who | over several devices |", "| --- | --- | --- |"]
    for name in names:
        native = f"ndarray.{name}" in NATIVE or (name in own and not isinstance(own[name], types.FunctionType))
        lines.append(f"| `{name}` | {'native' if native else 'host'} | {devices(name, found) if native else ''} |")
    return [*lines, ""]


def text():
    """The whole page."""
    found = plans()
    lines = [line for module in MODULES for line in table(module, found)]
    return "\n".join(lines + methods(found))


if __name__ == "__main__":
    Path(sys.argv[1]).parent.mkdir(parents=True, exist_ok=True)
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
