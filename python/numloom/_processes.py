"""What makes several processes that run one program look like one program.

Every process of an MPI launch runs the whole program. Process 0's side effects count: what the others print is held
back, files that they open for writing go to a scratch folder of their own, an uncaught error in any of them ends the
job, and cyclic garbage collections, which happen at different times, stay out of the log.

Imports that only several processes need are made when they are needed: this module is part of every `import numloom`.
"""

import builtins
import functools
import gc
import io
import os
import sys

from numloom import _core

_SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")
_RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID")


def _from_environment(names, otherwise):
    for name in names:
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return otherwise


def launched():
    """(number of processes, rank) that the launcher's environment tells; (1, 0) where there is no launcher."""
    if os.environ.get("NUMLOOM_MESH") == "off":
        return 1, 0
    return _from_environment(_SIZES, 1), _from_environment(_RANKS, 0)


class _Scratch:
    """Replaces open(): files for writing go to a scratch folder, which is made and named when it is first needed."""

    def __init__(self, rank):
        self.rank = rank
        self.folder = None
        self.moved = {}

    def place(self, file):
        path = os.path.abspath(os.fsdecode(file))
        if path.startswith(("/dev/", "/proc/")) or os.path.dirname(path) == self.folder:
            return file
        if path not in self.moved:
            if self.folder is None:
                import tempfile

                self.folder = tempfile.mkdtemp(prefix=f"numloom-process-{self.rank}-")
                print(f"numloom: process {self.rank} writes its files to {self.folder}", file=sys.stderr, flush=True)
            self.moved[path] = os.path.join(self.folder, f"{len(self.moved)}-{os.path.basename(path)}")
        return self.moved[path]

    def opener(self, original):
        @functools.wraps(original)
        def opened(file, mode="r", *args, **kwargs):
            if isinstance(file, (str, bytes, os.PathLike)) and isinstance(mode, str):
                if set(mode) & set("wax+"):
                    file = self.place(file)
                elif os.path.abspath(os.fsdecode(file)) in self.moved:
                    file = self.moved[os.path.abspath(os.fsdecode(file))]  # it reads back what it wrote
            return original(file, mode, *args, **kwargs)

        return opened


def _end_job(rank, kind, error, trace):
    """Ends all processes after an uncaught error: the others may wait for this one."""
    import time
    import traceback

    if rank > 0:
        time.sleep(0.5)  # where all fail alike, process 0 speaks for them
    text = "".join(traceback.format_exception(kind, error, trace))
    sys.stderr.write(text if rank == 0 else f"numloom: process {rank} failed:\n{text}")
    sys.stderr.flush()
    _core.abort_job(130 if issubclass(kind, KeyboardInterrupt) else 1)


def install():
    """Set this process up: for forks, and as one of several where a launcher says so."""
    os.register_at_fork(
        before=_core.before_fork,
        after_in_parent=functools.partial(_core.after_fork, False),
        after_in_child=functools.partial(_core.after_fork, True),
    )
    size, rank = launched()
    if size == 1:
        return
    gc.callbacks.append(lambda phase, info: _core.collecting(phase == "start"))
    sys.excepthook = functools.partial(_end_job, rank)
    if rank > 0:
        sys.stdout = open(os.devnull, "w")
        builtins.open = io.open = _Scratch(rank).opener(io.open)
