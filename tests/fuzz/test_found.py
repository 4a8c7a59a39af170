"""Programs that once failed, each made small: run in the configurations in which they did."""

import pytest

from .configurations import CONFIGURATIONS
from .program import Program, Rule, Statement
from .runner import Settings, run_programs

FOUND = {
    # two equal views of one renamed storage gave it two new buffers
    "renamed twice": [
        "a1 = make('float64', (5,), 1)",
        "a2 = a1.reshape((1, 5))",
        "a1[::-1] = a1",
        "a3 = a1[::-1].copy()",
        "a2[0, ::-1] = a3 + 1",
    ],
    # sums start from 0.0, not from the first element
    "sum of negative zero": [
        "a1 = np.negative(np.zeros((3, 1)))",
        "a2 = a1.sum(axis=1)",
        "a3 = a1[0, 0, ...].sum()",
        "a4 = a1.sum()",
        "a5 = np.negative(np.zeros((2, 4), 'complex128')).sum(axis=1, keepdims=True)",
    ],
    # a reduction's result lies in memory as its operand does, so that a reshape of it copies or not as NumPy's
    "order of a reduction's result": [
        "a1 = make('int64', (1, 65, 10), 252)",
        "a2 = np.sum(a1.T[1:, :, 2:], axis=-1)",
        "a3 = a2.reshape((585,))",
        "a2[0:63, 0:1] = 2",
        "a4 = a1.T.any(axis=2).ravel()",
        "a5 = a1.T.argmax(axis=2).reshape(-1)",
    ],
    # an empty fold without identity is an error also where there are no results
    "empty maximum": ["a1 = np.zeros((0, 0))", "a2 = a1.max(axis=1)", "a3 = np.zeros((0, 3)).max(axis=1)"],
    "axes of a 0-d array": [
        "a1 = np.array(3.0)",
        "a2 = a1.sum(axis=0)",
        "a3 = a1.argmin(axis=-1)",
        "a4 = np.mean(a1, axis=0)",
        "a5 = np.mean(a1, axis=0, where=a1 > 1)",
        "a6 = a1.max(keepdims=True)",
        "a7 = a1.std()",
    ],
    # outputs of one kernel that run in different orders or directions can't share a range of points
    "outputs in two orders": [
        "a1 = make('float64', (3, 3), 238)",
        "a2 = make('float64', (3, 3), 309)",
        "np.add(a1, a1, out=a1, where=(a2.T[::-1, ::-1] != 100))",
        "a3 = make('bool', (2, 6), 584)",
        "np.invert(a3, out=a3[:, ::-1])",
        "a4 = ~a3[:, ::-1]",
    ],
    # a storage cut to fit one kernel is cut anew for another
    "cut to fit, then swapped": [
        "a0 = make('int64', (13,), 441)",
        "a1 = make('int64', (16,), 144)",
        "np.fmod(a0, np.array([5]), out=a1[-14:15])",
        "a5 = np.trunc(np.broadcast_to(a0[11:12], (13,)))",
        "for _ in range(3):\n    a5[...] = a0\n    a0, a5 = a5, a0",
    ],
    # a ufunc's output lies in memory as NumPy's also where an operand has strides of zero
    "order of a clipped broadcast": [
        "a1 = make('int8', (12, 11), 734)",
        "a2 = np.clip(np.broadcast_to(a1, (3, 12, 11)), a1.T[5:6, :0:-1], 1)",
        "a3 = a2.reshape((12, 33))",
        "a2[1::2, 0, :] = 0",
    ],
    # a scalar of floats that is still pending is looked at when it goes into integers
    "nan into integers": [
        "a1 = np.zeros((), 'int32')",
        "a2 = np.zeros(3, 'int64')",
        "a3 = np.fmod(2, np.array(0.0))",
        "a1[...] = a3",
        "a2[1] = np.array([7.9]).sum()",
    ],
    # an output that is also read by the leaves, moved before they read
    "reduction onto its operand": [
        "a6 = make('bool', (4, 2, 3, 2), 1)",
        "np.broadcast_to(a6[:, :, 2:3], (4, 2, 3, 2)).max(axis=2, keepdims=True, out=a6[::-1, :, 1:-3:-1, :])",
    ],
}


@pytest.mark.parametrize("configuration", ["plain", "split", "unfused"])
def test_found_before(configuration):
    programs = [Program([Statement(text) for text in texts], name) for name, texts in FOUND.items()]
    failure = run_programs(Settings(), CONFIGURATIONS[configuration], programs)
    assert failure is None, f"{programs[failure.index].label}: {failure.difference}"


def test_erf_of_float32_keeps_its_bound():
    text = "a1 = special.erf(np.arange(-40000, 40000, dtype='float32') / np.float32(10000))"
    rule = Rule("ulp", "a1", "erf", ["np.arange(-40000, 40000, dtype='float32') / np.float32(10000)"])
    assert run_programs(Settings(), CONFIGURATIONS["plain"], [Program([Statement(text, rule)])]) is None


def test_power_by_an_array_without_axes():
    """NumPy looks at the value 0.5 and takes a root, which differs from pow at -inf and -0.0."""
    make = "a0 = np.array([-np.inf, -0.0, 2.0, np.nan])\na1 = np.array(0.5)"
    programs = []
    for exponent in ("a1", "a1[...]", "0.5", "np.float64(0.5)"):
        text = f"a2 = np.power(a0, {exponent})"
        programs.append(Program([Statement(make), Statement(text, Rule("power", "a2", "power", ["a0", exponent]))]))
    assert run_programs(Settings(), CONFIGURATIONS["plain"], programs) is None
