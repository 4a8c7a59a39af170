"""Transforms on the host by all cores: SciPy's pocketfft, NumPy's with threads, where there is enough to do."""

import functools
import os

import numpy

TRANSFORMS = (
    "fft",
    "ifft",
    "rfft",
    "irfft",
    "hfft",
    "ihfft",
    "fft2",
    "ifft2",
    "rfft2",
    "irfft2",
    "fftn",
    "ifftn",
    "rfftn",
    "irfftn",
)
LONG = 1 << 16  # elements from which threads pay
ONE_AXIS = TRANSFORMS[:6]


@functools.cache
def scipy_fft():
    """The module, or None without SciPy."""
    try:
        import scipy.fft
    except ImportError:
        return None
    return scipy.fft


@functools.cache
def workers():
    asked = os.environ.get("NUMLOOM_THREADS", "")
    return int(asked) if asked.isdigit() and int(asked) > 0 else len(os.sched_getaffinity(0))


def same_in_scipy(name, a, args, kwargs):
    """Whether SciPy takes these arguments in NumPy's sense."""
    if type(a) is not numpy.ndarray or a.size < LONG or a.dtype.char not in "fdFD" or len(args) > 3:
        return False
    lengths = "n" if name in ONE_AXIS else "s"
    if not kwargs.keys() <= {lengths, "axis" if name in ONE_AXIS else "axes", "norm"}:
        return False
    length = args[0] if args else kwargs.get(lengths)
    return length is None or name in ONE_AXIS and type(length) is int


def threaded(name):
    """NumPy's transform `name`, by SciPy's threads where that is the same and faster."""
    function = getattr(numpy.fft, name)

    @functools.wraps(function, updated=())
    def run(a, *args, **kwargs):
        if same_in_scipy(name, a, args, kwargs) and workers() > 1 and scipy_fft() is not None:
            try:
                return getattr(scipy_fft(), name)(a, *args, workers=workers(), **kwargs)
            except (TypeError, ValueError, IndexError):
                pass  # NumPy says in its own words what is wrong
        return function(a, *args, **kwargs)

    return run
