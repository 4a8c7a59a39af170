"""Programs run as a user runs them, in a process of their own: on one device, on several, and in several processes."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = shutil.which("mpirun") or shutil.which("mpiexec")
# Open MPI refuses root, and more processes than cores, unless told.
MPI_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}
CONFIGURATIONS = {
    "one device": (1, {"NUMLOOM_DEVICES": "cpu"}),
    "cpu:4": (1, {"NUMLOOM_DEVICES": "cpu:4", "NUMLOOM_SHARD_MIN": "1"}),
    "two processes": (2, {"NUMLOOM_DEVICES": "cpu", "NUMLOOM_SHARD_MIN": "1"}),
    "three processes of two devices": (3, {"NUMLOOM_DEVICES": "cpu:2", "NUMLOOM_SHARD_MIN": "1"}),
}


@pytest.fixture
def job(tmp_path):
    """A function that runs a program's text in one of CONFIGURATIONS and returns the finished process."""

    def run(text, configuration, *arguments, timeout=120):
        processes, settings = CONFIGURATIONS[configuration]
        if processes > 1 and LAUNCHER is None:
            pytest.skip("no mpirun on PATH (package openmpi-bin)")
        program = tmp_path / "program.py"
        program.write_text(textwrap.dedent(text))
        environment = dict(os.environ, **MPI_ENVIRONMENT, **settings, PYTHONHASHSEED="0")
        command = [sys.executable, str(program), *arguments]
        if processes > 1:
            command = [LAUNCHER, "-np", str(processes), *command]
        return subprocess.run(
            command, capture_output=True, text=True, env=environment, timeout=timeout, stdin=subprocess.DEVNULL
        )

    return run
