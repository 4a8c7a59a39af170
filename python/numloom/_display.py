"""What an array shows of its memory: flags, flat, ctypes, printing."""

import numpy

from numloom import _core, _fallback
from numloom._base import is_contiguous, ndarray, to_numpy

_ATTRIBUTES = {
    "C_CONTIGUOUS": "c_contiguous",
    "CONTIGUOUS": "c_contiguous",
    "C": "c_contiguous",
    "F_CONTIGUOUS": "f_contiguous",
    "FORTRAN": "f_contiguous",
    "F": "f_contiguous",
    "OWNDATA": "owndata",
    "O": "owndata",
    "WRITEABLE": "writeable",
    "W": "writeable",
    "ALIGNED": "aligned",
    "A": "aligned",
    "WRITEBACKIFCOPY": "writebackifcopy",
    "X": "writebackifcopy",
    "FNC": "fnc",
    "FORC": "forc",
    "BEHAVED": "behaved",
    "B": "behaved",
    "CARRAY": "carray",
    "CA": "carray",
    "FARRAY": "farray",
    "FA": "farray",
}


class Flags:
    """NumPy's flags object for one of our arrays."""

    __slots__ = ("_array",)

    def __init__(self, a):
        self._array = a

    @property
    def c_contiguous(self):
        return is_contiguous(self._array)

    contiguous = c_contiguous

    @property
    def f_contiguous(self):
        return is_contiguous(self._array, "F")

    fortran = f_contiguous

    @property
    def owndata(self):
        return self._array.base is None

    @property
    def writeable(self):
        return _core.writeable(self._array)

    @writeable.setter
    def writeable(self, value):
        a = self._array
        if value and not _core.writeable(a):
            base = a.base
            if (
                type(base) is ndarray
                and not _core.writeable(base)
                or isinstance(base, numpy.ndarray)
                and type(base) is not ndarray
                and not base.flags.writeable
            ):
                raise ValueError("cannot set WRITEABLE flag to True of this array")
        _core.writeable(a, bool(value))

    @property
    def aligned(self):
        return True

    @aligned.setter
    def aligned(self, value):
        pass  # as NumPy: what is aligned stays so

    @property
    def writebackifcopy(self):
        return False

    @writebackifcopy.setter
    def writebackifcopy(self, value):
        if value:
            raise ValueError("cannot set WRITEBACKIFCOPY flag to True")

    @property
    def fnc(self):
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self):
        return self.f_contiguous or self.c_contiguous

    @property
    def behaved(self):
        return self.writeable

    @property
    def carray(self):
        return self.writeable and self.c_contiguous

    @property
    def farray(self):
        return self.writeable and self.fnc

    @property
    def num(self):
        return (
            1 * self.c_contiguous
            + 2 * self.f_contiguous
            + 4 * self.owndata
            + 0x100 * self.aligned
            + 0x400 * self.writeable
        )

    def __getitem__(self, key):
        if key in _ATTRIBUTES:
            return getattr(self, _ATTRIBUTES[key])
        raise KeyError("Unknown flag")

    def __setitem__(self, key, value):
        name = _ATTRIBUTES.get(key)
        if name not in ("writeable", "aligned", "writebackifcopy"):
            raise KeyError("Unknown flag")
        setattr(self, name, value)

    def __eq__(self, other):
        if isinstance(other, Flags | type(numpy.empty(0).flags)):
            return self.num == other.num
        return NotImplemented

    __hash__ = None

    def __repr__(self):
        return "".join(
            f"  {name} : {getattr(self, name.lower())}\n"
            for name in ("C_CONTIGUOUS", "F_CONTIGUOUS", "OWNDATA", "WRITEABLE", "ALIGNED", "WRITEBACKIFCOPY")
        )

    __str__ = __repr__


class flatiter:
    """The elements of an array in C order, by NumPy's iterator over our memory."""

    __slots__ = ("_array", "_host", "_lent")

    def __init__(self, a):
        self._array = a
        view = _core.host_view(a, None)
        self._lent = view is not None
        if view is None:  # not in one piece on the host: a snapshot to go through, reads and writes by the array
            view = _core.to_host(a)
        self._host = view.flat

    @staticmethod
    def __numloom_host__(x):
        return x._host

    @property
    def base(self):
        return self._array

    @property
    def coords(self):
        return self._host.coords

    @property
    def index(self):
        return self._host.index

    def copy(self):
        return self._array.flatten()

    def __len__(self):
        return len(self._host)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._host)

    def __getitem__(self, key):
        if not self._lent:
            return _fallback.call("flatiter.__getitem__", lambda a, k: a.flat[k], (self._array, key), {})
        if type(key) is int:
            return self._host[key]
        return _fallback.call("flatiter.__getitem__", type(self._host).__getitem__, (self._host, key), {})

    def __delitem__(self, key):
        raise TypeError("Cannot delete iterator elements")

    def __setitem__(self, key, value):
        if not self._lent:
            _fallback.call(
                "flatiter.__setitem__", lambda a, k, v: a.flat.__setitem__(k, v), (self._array, key, value), {}
            )
            return
        _fallback.call("flatiter.__setitem__", type(self._host).__setitem__, (self._host, key, value), {})

    def __array__(self, dtype=None, copy=None):
        return numpy.array(self._host, dtype=dtype)

    def __getattr__(self, name):
        return getattr(self._host, name)

    def _compare(name):
        def compare(self, other):
            if type(other) is flatiter:
                other = other._array.reshape(-1)
            return getattr(self._array.reshape(-1), name)(other)

        return compare

    __eq__, __ne__, __lt__, __le__, __gt__, __ge__ = map(
        _compare, ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")
    )
    __hash__ = None


def set_flat(a, value):
    """a.flat = value: the elements of value, repeated as often as needed."""
    from numloom._creation import asarray

    if not _core.writeable(a):
        raise ValueError("array is read-only")
    value = value if isinstance(value, str | bytes) else asarray(value)
    if type(value) is ndarray and value.ndim == 0:
        _core.assign(a, value)
        return
    _fallback.call("ndarray.flat", lambda x, v: setattr(x, "flat", v), (a, value), {})


def exported(a):
    """NumPy's view of our memory for somebody who keeps it."""
    view = _core.host_view(a, None)
    if view is None:
        view = _core.to_host(a)
        view.flags.writeable = False
    return view


def text(a):
    return str(to_numpy(a))


def representation(a):
    return repr(to_numpy(a))


def format_(a, spec):
    if a.ndim == 0:
        return format(a.item(), spec)
    if spec:
        raise TypeError("unsupported format string passed to numpy.ndarray.__format__")
    return text(a)


def install():
    for name, function in (
        ("flags", Flags),
        ("flat", flatiter),
        ("set_flat", set_flat),
        ("data", lambda a: exported(a).data),
        ("ctypes", lambda a: exported(a).ctypes),
        ("array_interface", lambda a: exported(a).__array_interface__),
    ):
        _core.set_hook(name, function)
    ndarray.__str__ = text
    ndarray.__repr__ = representation
    ndarray.__format__ = format_
