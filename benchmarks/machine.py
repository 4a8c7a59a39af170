"""What the figures depend on: the processor, its cores and the versions of everything."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import platform

import numpy as np
import peers


def processor() -> str:
    """Return the processor's name and family as Linux gives them."""
    fields = {}
    path = pathlib.Path("/proc/cpuinfo")
    if path.exists():
        for text in path.read_text().splitlines():
            key, _, value = text.partition(":")
            fields.setdefault(key.strip(), value.strip())
    if "model name" not in fields:
        return platform.processor() or platform.machine()
    wide = "AVX-512" if "avx512f" in fields.get("flags", "").split() else "AVX2" if "avx2" in fields["flags"] else "SSE"
    return f"{fields['model name']} (family {fields.get('cpu family')}, model {fields.get('model')}, {wide})"


def numpy_sorts_by_avx512() -> bool:
    """Tell whether NumPy's own sort uses AVX-512 on this machine."""
    from numpy._core._multiarray_umath import __cpu_features__

    return bool(__cpu_features__.get("AVX512_SKX") or __cpu_features__.get("X86_V4"))


def available_cores() -> int:
    return len(os.sched_getaffinity(0))


def use_cores(count: int) -> int:
    """Keep this process on the first `count` cores it may use; return how many it has then."""
    cores = sorted(os.sched_getaffinity(0))[:count]
    os.sched_setaffinity(0, cores)
    return len(cores)


def describe(cores: int, names) -> str:
    versions = [f"Python {platform.python_version()}", f"NumPy {np.__version__}"]
    versions.append(f"SciPy {importlib.metadata.version('scipy')}")
    for name in dict.fromkeys(names):
        if name != "numpy":
            versions.append(f"{name} {peers.version(name) or 'from the source tree'}")
    return f"processor: {processor()}, {cores} cores used of {os.cpu_count()}\nversions: {', '.join(versions)}"
