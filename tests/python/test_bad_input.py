"""Bad input: NumPy's class and words, NumPy's warnings, and nothing half-written.

The calls are in bad_calls.txt; what is right is what the installed NumPy says to the same text.
"""

import pathlib
import traceback
import warnings

import numloom
import numpy as np
import pytest
from core_cases import host, same

LINES = (pathlib.Path(__file__).parent / "bad_calls.txt").read_text().splitlines()
CALLS = [line for line in LINES if line and not line.startswith("#")]
GROUPS = [CALLS[i : i + 50] for i in range(0, len(CALLS), 50)]

# Both warn, but of the operation that each of them uses.
OTHER_OPERATION = {"np.var(np.array([1e200,-1e200]))", "np.linalg.norm(np.array([1e300,1e300]))"}


def names(module):
    return {
        "np": module,
        "a": module.arange(12.0).reshape(3, 4),
        "b": module.arange(4.0),
        "i": module.arange(6),
        "m": module.array([[True, False], [False, True]]),
        "z": module.array([1 + 2j, 3]),
        "e": module.zeros((0, 3)),
        "s": module.array(3.5),
        "u": module.arange(5, dtype="u1"),
        "f": module.arange(5, dtype="f2"),
    }


def run(text, module):
    """What the text gives: the result or the exception, the warnings, and the values of all names afterwards."""
    scope = names(module)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if text.startswith("!"):
                exec(compile(text[1:].replace("; ", "\n"), "<user>", "exec"), scope)
                result = scope.get("r")
            else:
                result = eval(compile(text, "<user>", "eval"), scope)
            result = evaluated(result)
        except Exception as e:
            files = [frame.filename for frame in traceback.extract_tb(e.__traceback__)]
            assert "<user>" in files
            kind = MemoryError if isinstance(e, MemoryError) else type(e)  # NumPy's has a class of its own
            result = (kind, str(e).replace("numloom", "numpy"))
        state = {k: np.array(host(scope[k])) for k in names(np) if k != "np" and k in scope}
    return result, [(w.category, str(w.message)) for w in caught], state


def evaluated(x):
    if isinstance(x, (tuple, list)):
        return [evaluated(item) for item in x]
    return host(x)


def compare(got, want, text):
    if isinstance(want, list):
        assert isinstance(got, list) and len(got) == len(want), text
        for g, w in zip(got, want, strict=True):
            compare(g, w, text)
    elif isinstance(want, tuple) or (isinstance(want, np.ndarray | np.generic) and want.dtype.kind in "biufc"):
        same(got, want, text, 8)
    elif not isinstance(want, np.ndarray):
        assert type(got) is type(want) or callable(want) or not isinstance(want, int | float | str), text


@pytest.mark.parametrize("group", range(len(GROUPS)))
def test_bad_input(group):
    for text in GROUPS[group]:
        want, got = run(text, np), run(text, numloom)
        compare(got[0], want[0], text)
        if text in OTHER_OPERATION:
            assert [c for c, _ in got[1]] == [c for c, _ in want[1]], text
        else:
            assert got[1] == want[1], text
        for name, value in want[2].items():
            np.testing.assert_array_equal(got[2][name], value, err_msg=f"{text}: {name}")


def test_warnings_of_numpy_come_at_the_users_line():
    """Also where our function gave the call to NumPy: filters by module and "once a line" depend on it."""
    for text in (
        "np.polyfit([1.0, 2], [1.0, 2], 3)",
        "np.divmod(np.arange(3), 0)",
        "divmod(np.arange(3), 0)",
        "np.array([1j]).astype(float)",
        "np.array(np.array([1j]), dtype=float)",
        "np.ones(3, 'f2') + 70000",
        "np.nanmean(np.array([np.nan]))",
    ):
        for module in (np, numloom):
            scope = {"np": module, "__name__": "user"}
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("default")
                exec(compile("\n\n" + text, "<user>", "exec"), scope)
            assert [(w.filename, w.lineno) for w in caught] == [("<user>", 3)], (text, module)
