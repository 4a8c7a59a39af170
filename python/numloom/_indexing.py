"""Advanced indexing: the hooks that the bindings call for keys with arrays, lists and masks."""

import operator

import numpy

from numloom import _core, _fallback, _library
from numloom._base import (
    BOOL,
    PYTHON_NUMBERS,
    NotNative,
    asnative,
    converted,
    host_item,
    ndarray,
    scalar,
)
from numloom._ufunc import constant


def mask_of(a, key):
    """A boolean key as an array of ours that broadcasts to `a`; NotNative for any other key."""
    if type(key) is not ndarray:
        if type(key) is not numpy.ndarray or key.dtype != BOOL:
            raise NotNative
        key = asnative(key)
    if key.dtype != BOOL or key.ndim == 0 or key.shape != a.shape[: key.ndim]:
        raise NotNative
    if key.ndim < a.ndim:
        key = _core.reshape_view(key, key.shape + (1,) * (a.ndim - key.ndim))
        if key is None:
            raise NotNative
    return key


def getitem(a, key):
    """a[key] for an advanced key."""
    picked = _core.pick(a, key)
    if picked is not None:
        return picked
    try:
        if type(key) is ndarray and key.dtype == BOOL:
            return _library.compressed(a, key)
        return _library.gathered(a, key)
    except NotNative:
        pass
    return _fallback.call("ndarray.__getitem__", operator.getitem, (a, key), {})


def setitem(a, key, value):
    """a[key] = value for an advanced key."""
    for attempt in (set_masked, set_selected, _library.scattered):
        try:
            return attempt(a, key, value)
        except NotNative:
            pass
    _fallback.call("ndarray.__setitem__", operator.setitem, (a, key, value), {})


def set_selected(a, key, value):
    """As many values as a mask selects."""
    if type(key) is not ndarray or key.dtype != BOOL:
        raise NotNative
    _library.expanded(a, key, value)


def set_masked(a, key, value):
    """One value wherever a mask is true."""
    mask = mask_of(a, key)
    kind = type(value)
    if kind is ndarray:
        if value.ndim:
            raise NotNative
    elif kind is not scalar:
        if kind not in PYTHON_NUMBERS and not isinstance(value, numpy.generic):
            raise NotNative
        if (
            isinstance(value, numpy.generic)
            and value.dtype.kind not in "biuf"
            or isinstance(value, complex)
            and a.dtype.kind != "c"
        ):
            raise NotNative
        value = constant(value, a.dtype) if kind in PYTHON_NUMBERS else asnative(value)
    if type(value) is ndarray or type(value) is scalar:
        value = converted(asnative(value), a.dtype)  # reported as a cast
    if not a.flags.writeable:
        raise NotNative
    _core.elementwise("where", a.dtype, a, mask, value, a)


def install():
    _core.set_hook("getitem_advanced", getitem)
    _core.set_hook("setitem_advanced", setitem)
    _core.set_hook("host_item", host_item)
