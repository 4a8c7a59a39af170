"""The names and types of NumPy, and what Numloom adds. To a type checker our arrays are NumPy's: programs that are
annotated for NumPy stay right when their import changes."""

import builtins
from collections.abc import Callable, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any, TypedDict, TypeVar, overload

import numpy as _numpy
from numpy import *
from numpy import __array_api_version__ as __array_api_version__
from numpy import __array_namespace_info__ as __array_namespace_info__

_T = TypeVar("_T")

class _HostRow(TypedDict):
    name: str
    calls: int
    seconds: float
    line: str | None

class _Coverage:
    native: list[str]
    host: list[_HostRow]
    def __iter__(self) -> Iterator[_HostRow]: ...
    def __len__(self) -> int: ...

def asnumpy(
    a: Any, stream: Any = None, order: str = "C", out: _numpy.ndarray | None = None, *, blocking: builtins.bool = True
) -> _numpy.ndarray: ...
def cmake_dir() -> str: ...
def coverage() -> _Coverage: ...
@overload
def eval(array: _T, /) -> _T: ...
@overload
def eval(*arrays: Any) -> tuple[Any, ...]: ...
def get_array_module(*args: Any) -> ModuleType: ...
def mesh() -> SimpleNamespace: ...
def plan(function: Callable[..., Any], *args: Any, **kwargs: Any) -> str: ...
def stats() -> dict[str, int]: ...
