"""The native names once more, with NumPy's computing functions replaced by ones that raise.

A name that the table of native names lists does its work in the engine; what may be asked of NumPy is the type
arithmetic (result_type, can_cast, ufunc.resolve_dtypes) and the making of small host arrays out of Python objects.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("numloom")

# Not computing: conversions of Python objects, facts about types, shapes and settings.
ALLOWED = """
array asarray asanyarray ascontiguousarray empty frombuffer dtype result_type can_cast promote_types min_scalar_type
common_type broadcast_shapes broadcast_to shape ndim size iscomplexobj isrealobj isscalar issubdtype finfo iinfo
errstate geterr seterr seterrcall geterrcall get_printoptions set_printoptions printoptions isdtype iterable typename
""".split()

CHILD = """
import json, sys, types
sys.path.insert(0, sys.argv[1])
import numpy
import numloom as np
import numloom.linalg, numloom._fallback
from numloom import _core
from native_expressions import STATEMENTS, expressions, inputs

work = [(text, inputs(np), eval) for text, _ in expressions()] + [(text, inputs(np), exec) for text in STATEMENTS]
allowed = set(json.loads(sys.argv[2]))

def refuse(name):
    def raising(*args, **kwargs):
        raise AssertionError("numpy." + name + " was called")
    return raising

replaced = 0
modules = (numpy, numpy.linalg, numpy.fft)
values = [(module, name, getattr(module, name)) for module in modules for name in module.__all__]
for module, name, value in values:
    if isinstance(value, (type, types.ModuleType)) or not callable(value) or name in allowed:
        continue
    stub = refuse(name)
    if isinstance(value, numpy.ufunc):
        stub.resolve_dtypes = value.resolve_dtypes
    setattr(module, name, stub)
    replaced += 1
numloom._fallback.call = numloom._fallback.lent_call = refuse("(the fallback)")

def force(x):
    if type(x) is _core.ndarray:
        _core.to_host(x)
    elif type(x) is _core.scalar:
        x._value()
    elif isinstance(x, (tuple, list)):
        for item in x:
            force(item)

failed = []
for text, names, how in work:
    try:
        force(how(text, names))
        force([v for k, v in names.items() if k != "np" and k != "__builtins__"])
    except Exception as error:
        failed.append(f"{text}: {type(error).__name__}: {error}")
print(json.dumps({"failed": failed, "replaced": replaced, "ran": len(work)}))
"""


def test_native_names_do_without_numpy():
    command = [sys.executable, "-W", "ignore", "-c", CHILD, str(Path(__file__).parent), json.dumps(ALLOWED)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout.splitlines()[-1])
    assert result["replaced"] > 250 and result["ran"] > 400
    assert result["failed"] == []
