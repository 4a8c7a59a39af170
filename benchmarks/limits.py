"""The machine's own limit: seconds that a hand-written C++ loop needs for a mix of reads and writes."""

from __future__ import annotations

import ctypes
import hashlib
import os
import pathlib
import shutil
import statistics
import subprocess

SOURCE = pathlib.Path(__file__).with_name("limits.cpp")
OUT = pathlib.Path(__file__).with_name("out")
FLAGS = ["-std=c++20", "-O3", "-march=native", "-shared", "-fPIC", "-pthread"]
LARGEST = 256 << 20  # bytes of a stream; longer ones take time in proportion


def load_library() -> ctypes.CDLL | None:
    """Compile limits.cpp (once for each text of it) and load it; None where there is no C++ compiler."""
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    if compiler is None:
        return None
    text = SOURCE.read_bytes() + " ".join([compiler, *FLAGS]).encode()
    library = OUT / f"limits-{hashlib.sha256(text).hexdigest()[:16]}.so"
    if not library.exists():
        OUT.mkdir(exist_ok=True)
        unfinished = library.with_suffix(f".{os.getpid()}")
        subprocess.run([compiler, *FLAGS, str(SOURCE), "-o", str(unfinished)], check=True)
        unfinished.replace(library)
    loaded = ctypes.CDLL(str(library))
    loaded.limit_new.restype = ctypes.c_void_p
    loaded.limit_new.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int]
    loaded.limit_run.restype = ctypes.c_double
    loaded.limit_run.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_int]
    loaded.limit_free.argtypes = [ctypes.c_void_p]
    return loaded


class Limit:
    """A loop that reads `reads` streams and writes `writes` streams of `size` bytes each, `times` times over.

    `sample()` measures once with plain and once with non-temporal stores, `seconds` is the median of the faster kind,
    for one time. `reads` and `writes` need not be whole: the loop takes the nearest whole numbers of streams and its
    time is scaled to the bytes asked for.
    """

    def __init__(self, library, threads: int, reads: float, writes: float, size: int, times: int):
        whole_reads, whole_writes = round(reads), -(-writes // 1) if writes < 1 else round(writes)
        held = min(size, LARGEST)
        self.library, self.times = library, times
        self.samples = {kind: [] for kind in ((0, 1) if whole_writes else (0,))}
        self.scale = (reads + writes) / (whole_reads + whole_writes) * (size / held)
        self.handle = library.limit_new(int(whole_reads), int(whole_writes), held, threads)
        if not self.handle:
            raise MemoryError(f"no memory for {whole_reads + whole_writes} streams of {held} bytes")

    def sample(self) -> None:
        for kind, samples in self.samples.items():
            samples.append(self.library.limit_run(self.handle, self.times, kind) * self.scale)

    @property
    def seconds(self) -> float:
        return min(map(statistics.median, self.samples.values()))

    def close(self) -> None:
        self.library.limit_free(self.handle)
