"""The fuzzer's own tests, and its fixed part for Numloom: the same programs in every run."""

import collections
import os
import subprocess
import sys

import numpy
import pytest

from . import bounds, coverage, generate, goals, mutant, operations, oracle, worker
from .configurations import CONFIGURATIONS, PLANTED, ROOT, SINGLE_PROCESS
from .minimise import Minimiser
from .program import Program, to_source
from .runner import Settings, run_range

PROGRAMS = int(os.environ.get("NUMLOOM_FUZZ_PROGRAMS", "250"))  # in each configuration


@pytest.fixture
def numpy_allowed(monkeypatch):
    """NumPy's own accuracy as the bound, where NumPy (or a stand-in on top of it) is the module under test."""
    monkeypatch.setattr(bounds, "ulps_allowed", bounds.NUMPY_ULPS)


# ------------------------------------------------------------------------------------------------ generator, oracle
def test_generator_repeats_itself():
    for k in range(20):
        first, second = generate.program(3, k), generate.program(3, k)
        assert first.to_json() == second.to_json()
        assert 10 <= len(first.statements) <= 45
    assert generate.program(3, 0).to_json() != generate.program(4, 0).to_json()


def test_programs_survive_json():
    program = generate.program(5, 1)
    assert Program.from_json(program.to_json()).to_json() == program.to_json()


def test_source_runs():
    program = generate.program(5, 2)
    done = subprocess.run([sys.executable, "-c", to_source(program, "numpy")], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "a0" in done.stdout or "a1" in done.stdout


def test_every_operation_dtype_and_feature_occurs():
    """20,000 programs reach every cell at least 100 times (NUMLOOM_FUZZ_FULL=1); here 1,500 must at least 3 times."""
    programs, least = (20_000, 100) if os.environ.get("NUMLOOM_FUZZ_FULL") == "1" else (1_500, 3)
    counts = coverage.count(programs, 1, generate.Options())
    rare = [(counts[c], *c) for c in coverage.required(tuple(operations.PLAIN_DTYPES)) if counts[c] < least]
    assert not rare, sorted(rare)[:20]


def test_goals_pass_through_the_whole_table():
    """Any series of programs is sent through every cell, evenly, by the programs' numbers alone."""
    options = generate.Options()
    sent = collections.Counter(c for k in range(20_000) for c in goals.of_program(k, options).cells)
    assert set(sent) == set(coverage.required(tuple(options.dtypes)))
    assert min(sent.values()) >= 15


def test_programs_reach_their_goals():
    missed = 0
    for k in range(120):
        statements = generate.program(6, k).statements
        found = {(name, dtype, f) for s in statements for name, dtype, features in s.uses for f in features}
        missed += len(set(goals.of_program(k, generate.Options()).cells) - found)
    assert missed <= 2  # of 1,560


@pytest.mark.parametrize("name", ["plain", "warm"])
def test_numpy_agrees_with_itself(name, numpy_allowed):
    for k in range(150):
        result = worker.run_one(generate.program(7, k), numpy, CONFIGURATIONS[name], k % 2 == 0, False)
        assert result["difference"] is None, (k, result)


def test_pure_exact_programs_have_no_inexact_result(numpy_allowed):
    options = generate.Options(pure_exact=True)
    for k in range(60):
        program = generate.program(8, k, options)
        assert not any(s.rule for s in program.statements)
        assert oracle.compare(program, numpy, pure_exact=True).difference is None


def test_all_dtypes(numpy_allowed):
    options = generate.Options(dtypes=tuple(operations.ALL_DTYPES))
    for k in range(60):
        assert oracle.compare(generate.program(9, k, options), numpy).difference is None


# ------------------------------------------------------------------------------------------------ planted faults
def test_the_stand_in_without_fault_passes(numpy_allowed):
    module = mutant.module("none")
    for k in range(150):
        assert oracle.compare(generate.program(11, k), module, lazy=k % 2 == 0).difference is None, k


@pytest.mark.parametrize("fault", mutant.FOUND_BY_COMPARISON)
def test_planted_fault_is_found_within_1000_programs(fault, numpy_allowed):
    module = mutant.module(fault)
    salts = (0, 1) if fault == "stale-scalar" else (0,)
    found = (k for k in range(1000) if oracle.compare(generate.program(11, k), module, salts, k % 2 == 0).difference)
    assert next(found, None) is not None


@pytest.mark.parametrize("fault, word", [("crash", "ended with status"), ("hang", "hang")])
def test_crash_and_hang_are_laid_to_one_program(fault, word):
    settings = Settings(module=f"mutant:{fault}", seed=11, limit=3.0)
    failures = run_range(settings, CONFIGURATIONS["plain"], 0, 200, most_failures=2)
    assert len(failures) >= 2 and failures[0].index < failures[1].index
    assert all(word in f.difference for f in failures)


def test_minimiser_leaves_little():
    settings = Settings(module="mutant:tail", seed=11)
    failure = run_range(settings, CONFIGURATIONS["plain"], 0, 200, most_failures=1)[0]
    minimiser = Minimiser(settings, CONFIGURATIONS["plain"], failure, seconds=60)
    program = generate.program(11, failure.index)
    assert minimiser.reproduces(program)
    small = minimiser.shrink(program)
    assert len(small.statements) <= 4
    assert minimiser.reproduces(small)


# ------------------------------------------------------------------------------------------------ Numloom
@pytest.mark.parametrize("name", SINGLE_PROCESS)
def test_numloom(name):
    failures = run_range(Settings(seed=1), CONFIGURATIONS[name], 0, PROGRAMS, most_failures=3)
    assert not failures, "\n".join(f"seed 1, program {f.index}: {f.difference}" for f in failures)


def test_hazard_check_taken_out_of_the_planner_is_found():
    assert run_range(Settings(seed=1), PLANTED["without hazards"], 0, 1000, most_failures=1)


def test_numloom_exact_chains():
    """Long lazy chains: nothing is judged and overwritten on the way."""
    failures = run_range(Settings(seed=2, pure_exact=True), CONFIGURATIONS["plain"], 0, PROGRAMS, most_failures=3)
    assert not failures, "\n".join(f"seed 2, program {f.index}: {f.difference}" for f in failures)
