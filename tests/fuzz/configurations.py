"""The configurations that every program has to pass in."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Configuration:
    """How to run the module.

    Attributes
    ----------
    name : str
    environment : dict
        Variables set for the worker process.
    processes : int
        Above 1 the worker is started through mpirun.
    salts : tuple of int
        The runs of each program inside one process; every salt but 0 varies what a cached plan takes as an argument.
    shared_pins : bool
        Whether memory exported to NumPy follows later writes (a sharded array exports a copy, and so does a GPU).
    gpu : bool
        Whether it needs a GPU, where functions are allowed 2 ulp.
    """

    name: str
    environment: dict = field(default_factory=dict)
    processes: int = 1
    salts: tuple[int, ...] = (0,)
    shared_pins: bool = True
    gpu: bool = False


CPU = {"NUMLOOM_DEVICES": "cpu"}  # also where there is a GPU
SPLIT = {"NUMLOOM_SHARD_MIN": "1"}
CONFIGURATIONS = {
    c.name: c
    for c in [
        Configuration("plain", CPU),
        Configuration("split", {"NUMLOOM_DEVICES": "cpu:3", **SPLIT}, shared_pins=False),
        Configuration("processes", {**CPU, **SPLIT}, processes=2, shared_pins=False),
        Configuration("unfused", {**CPU, "NUMLOOM_FUSION": "0"}),
        Configuration("cold", {**CPU, "NUMLOOM_PLAN_CACHE": "0"}),
        Configuration("warm", CPU, salts=(0, 1, 2)),
        Configuration("cuda", {"NUMLOOM_DEVICES": "cuda"}, shared_pins=False, gpu=True),
        Configuration("cuda_split", {"NUMLOOM_DEVICES": "cuda:0,0,0", **SPLIT}, shared_pins=False, gpu=True),
    ]
}
# A planner with a check taken out: the fuzzer must find it.
PLANTED = {
    c.name: c for c in [Configuration("without hazards", {**CPU, "NUMLOOM_HAZARDS": "0", "NUMLOOM_VERIFY": "0"})]
}
SINGLE_PROCESS = [name for name, c in CONFIGURATIONS.items() if c.processes == 1 and not c.gpu]


def available(configuration: Configuration) -> str | None:
    """None when the configuration can run here, else what is missing."""
    if configuration.processes > 1 and shutil.which("mpirun") is None:
        return "mpirun is not installed"
    if configuration.gpu and not Path("/dev/nvidiactl").exists():
        return "there is no GPU"
    return None


def command(configuration: Configuration, arguments: list[str]) -> tuple[list[str], dict]:
    """The worker's command line and environment."""
    environment = {**os.environ, "NUMLOOM_VERIFY": "1", **configuration.environment}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [environment.get("PYTHONPATH")])])
    environment["PYTHONHASHSEED"] = "0"
    line = [sys.executable, "-X", "faulthandler", "-m", "tests.fuzz.worker", *arguments]
    if configuration.processes > 1:
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                           OMPI_MCA_rmaps_base_oversubscribe="1")  # fmt: skip
        line = ["mpirun", "-np", str(configuration.processes), *line]
    return line, environment
