"""Floating-point conditions over several devices and processes: said once, at the user's line, and raised on every
process alike."""

import pytest
from conftest import CONFIGURATIONS

pytest.importorskip("numloom._core", reason="the extension is not built")

# (an expression, what NumPy says of it); zeros and large numbers lie on the last device.
CONDITIONS = [
    ("1 / x[::-1]", "divide by zero encountered in divide"),
    ("np.log(-x[1:])", "invalid value encountered in log"),
    ("np.exp(x)", "overflow encountered in exp"),
    ("(x * 1e300).astype(np.float32)", "overflow encountered in cast"),
    ("np.multiply.reduce(x[1:])", "overflow encountered in reduce"),
    ("np.cumprod(x[1:])", "overflow encountered in accumulate"),
    ("np.add.reduceat(x * 1e305, [0, 500])", "overflow encountered in reduceat"),
    ("np.add.at(x * 1e305, [1000, 1000], 1e308)", "overflow encountered in add"),
    ("np.dot(x * 1e160, x * 1e160)", "overflow encountered in dot"),
    ("np.outer(x, x) @ (x * 1e303)", "overflow encountered in matmul"),
    ("np.vecdot(x * 1e160, x * 1e160)", "overflow encountered in vecdot"),
    ("np.linalg.slogdet(np.where(np.outer(x[:9], x[:9]) > 9, np.inf, 1))", "invalid value encountered in slogdet"),
    ("np.fft.fft(np.where(x > 5, np.inf, x))", "invalid value encountered in fft"),
    ("np.nextafter(np.where(x == 7, 1.7976931348623157e308, x), np.inf)", "overflow encountered in nextafter"),
    ("np.var(x * 1e300)", "overflow encountered in square"),
]

ACT = """
    import sys
    import warnings
    import numloom as np
    x = np.arange(1001.0)
    for text, message in CONDITIONS:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            str(eval(text))
            assert [str(w.message) for w in caught][:1] == [message], (text, [str(w.message) for w in caught])
        with np.errstate(all="raise", under="ignore"):
            try:
                str(eval(text))
            except FloatingPointError as raised:
                assert str(raised) == message, (text, raised)
            else:
                raise AssertionError(text)
        calls = []
        with np.errstate(all="call", under="ignore", call=lambda *what: calls.append(what)):
            str(eval(text))
        assert calls and calls[0][0] == message.partition(" encountered")[0], (text, calls)
    y = x / 7
    np.add(y, 1, out=y)
    print(float(y.sum()), np.mesh().processes)  # the processes still agree
    """

SAY = """
    import numloom as np
    x = np.arange(1001.0)
    y = 1 / x[::-1]
    z = np.log(
        -x)
    print(np.isinf(y).sum(), np.isnan(z).sum())
    d = np.linalg.slogdet(np.where(np.outer(x[:9], x[:9]) > 9, np.inf, 1))
    for i in range(3):
        s = np.multiply.reduce(x[1:])
        print(s)
    """


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_conditions_act_alike_on_every_process(job, configuration):
    result = job(ACT.replace("CONDITIONS", repr(CONDITIONS)), configuration)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split()[1:] == [str(CONFIGURATIONS[configuration][0])]  # printed once


@pytest.mark.parametrize("configuration", CONFIGURATIONS)
def test_warnings_are_said_once_at_their_line(job, configuration):
    result = job(SAY, configuration)
    assert result.returncode == 0, result.stderr
    said = []
    for line in result.stderr.splitlines():
        if ": RuntimeWarning: " in line:
            place, _, message = line.partition(": RuntimeWarning: ")
            said.append((int(place.rsplit(":", 1)[1]), message))
    assert sorted(said) == [
        (4, "divide by zero encountered in divide"),
        (5, "divide by zero encountered in log"),
        (5, "invalid value encountered in log"),
        (8, "invalid value encountered in slogdet"),
        (10, "overflow encountered in reduce"),
    ]
