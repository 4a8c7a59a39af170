"""Turn a run of NumPy's own tests into docs/numpy_suite.md: what fails, grouped by kind, with the reason of each kind.

./loom python SUITES/suites.py run numpy --module numloom --failures FAILING | tee LOG
./loom python tools/suite_report.py LOG FAILING [SPLIT_LOG SPLIT_FAILING] > docs/numpy_suite.md

The second pair is of a run with NUMLOOM_DEVICES=cpu:3 NUMLOOM_SHARD_MIN=1.
"""

from __future__ import annotations

import pathlib
import re
import sys
from collections import Counter

# Title, why, and what a failing test's line (outcome, name, message) looks like; the first kind that fits takes it.
KINDS = [
    (
        "Masked arrays, compared without their masks",
        "The suite's comparing functions make a plain array of whatever is an instance of the module's array class. "
        "`isinstance(x, numloom.ndarray)` holds for NumPy's arrays and their subclasses, so that programs keep their "
        "branches; here it makes masked arrays lose their masks before they are compared. The masked results "
        "themselves are NumPy's.",
        r"numpy/ma/tests|test_masked_|TestKron::test_kron_ma|test_with_masked_column|masked_matrix",
    ),
    (
        "Floating-point warnings and errors",
        "Reports of overflow, division by zero and invalid values where they are missing, more or fewer than NumPy's, "
        "or come from another line.",
        r"FloatingPointError|RuntimeWarning|floatingpoint_error|errstate|TestSeterr|test_overflows|signed_division"
        r"|TestFloatExceptions|floaterrors|ComplexWarning|warnings emitted|test_errcall|test_half_fpe|underflow",
    ),
    (
        "long long beside long",
        "`numpy.longlong` is a dtype of its own with the same 64 bits as `int64`; here both are `int64`.",
        r"longlong|test_scalar_match_array",
    ),
    (
        "Functions are objects of our own",
        "The tests ask for the identity or the class of NumPy's functions, or look inside the dispatcher of "
        "`__array_function__`.",
        r"test_overrides|test_function_like|_implementation|quick_method|test_load_ufunc_pickle"
        r"|test_array_ufunc_direct_call",
    ),
    (
        "Inside of NumPy's ufuncs and C API",
        "Private methods of `numpy.ufunc`, loops replaced in C, calls through the sequence slots or of compiled code.",
        r"TestLowlevelAPIAccess|TestReplaceLoopBySignature|TestCApiAccess|_resolve_dtypes_and_context|old_style_pickle"
        r"|test_non_spawnable|_multiarray_tests",
    ),
    (
        "Who owns and shares which memory",
        "Importing a buffer copies it unless sharing was asked for; the memory of our arrays is aligned and no NumPy "
        "array is its base; `resize` counts no references; memory is asked for when an array is used.",
        r"test_order_mismatch|as_strided_checked|TestResize|unaligned|non_aligned|malloc|TestDLPack|test_array_base"
        r"|test_buffer_interface|test_memory_order|TestNewBufferProtocol|internal_overlap|test_different_paths"
        r"|test_writeable_pickle|test_ravel$|test_broadcast_|test_unary_ufunc_1d_manual",
    ),
    (
        "Deprecations",
        "Warnings of this NumPy release about uses that still work here as they did: setting `shape`, `strides` and "
        "`dtype`, positional `out` of `maximum`, writing into broadcast arrays.",
        r"[Dd]eprecat|DeprecationWarning|FutureWarning|test_extremum|_warn_on_write|warnings found but",
    ),
    (
        "Lines that NumPy finds by counting frames",
        "`bmat` and its like read the caller's variables, warnings name the caller's file; a call through the host "
        "fallback has one frame more.",
        r"NameError: name|in '.*_fallback.py'|test_suppress_warnings_module|test_shuffle_untyped",
    ),
    (
        "Negative zeros in sums",
        "A sum begins with +0, also where `initial=-0.0` asks for another zero.",
        r"negative_zero",
    ),
]
SPLIT = (
    "An array that lies in several pieces can't lend its memory: NumPy, and what reads buffers, gets a read-only copy, "
    "so that what they would write into it, or find out about its address and strides, is not there. A loop over a "
    "million single elements takes longer than the suite allows."
)
OTHER = ("Others", "Each for itself; the message is the test's.")


def read(log: str, failures: str) -> tuple[list[str], list[tuple[str, str, str]]]:
    """Return the summary's lines and the failing tests as (outcome, name, message)."""
    total = re.search(r"^total\s+(\d+)\s+(\d+).*\s([\d.]+)$", log, re.M)
    functions = re.search(r"^([\d.]+) % as the mean over (\d+) test functions", log, re.M)
    if not total or not functions:
        raise SystemExit("suite_report: no summary in the log")
    summary = [
        f"{total[2]} of {total[1]} applicable tests pass ({total[3]} %); {functions[1]} % as the mean over "
        f"{functions[2]} test functions."
    ]
    rows = []
    for line in failures.splitlines():
        parts = (line.split("\t") + ["", ""])[:3]
        if parts[1]:
            rows.append(tuple(parts))
    return summary, rows


def grouped(rows) -> dict:
    """Map each kind's title to its tests."""
    groups = {title: [] for title, *_ in [*KINDS, OTHER]}
    for row in rows:
        text = " ".join(row[1:])
        kind = next((title for title, _, pattern in KINDS if re.search(pattern, text)), OTHER[0])
        groups[kind].append(row)
    return groups


def section(title: str, why: str, rows) -> list[str]:
    """Return one kind as Markdown: its functions, with how many of their parameters fail."""
    counts = Counter(name.split("[")[0] for _, name, _ in rows)
    messages = {}
    for _, name, message in rows:
        messages.setdefault(name.split("[")[0], message)
    lines = [f"## {title}: {len(rows)}", "", why, ""]
    for name, count in sorted(counts.items()):
        short = name.replace("numpy/", "").replace("tests/", "")
        note = f" ({count})" if count > 1 else ""
        message = re.sub(r"'?/\S*/site-packages/\S*", "FILE", messages[name]).split("\\n")[0]
        message = message.replace("|", "/").replace("`", "'")[:100].strip()
        lines.append(f"- `{short}`{note}" + (f": {message}" if title == OTHER[0] and message else ""))
    return [*lines, ""]


def split_section(summary, rows, log: str, failures: str) -> list[str]:
    """Add the figure of several devices to the summary; return what fails there alone as a section."""
    (figure,), split = read(log, failures)
    known = {name for _, name, _ in rows}
    alone = [row for row in split if row[1] not in known]
    summary += [
        "",
        f"With three devices and every array split among them (`NUMLOOM_DEVICES=cpu:3 NUMLOOM_SHARD_MIN=1`): {figure}",
    ]
    title = "Only where arrays are split among devices"
    lines = section(title, SPLIT, alone)
    return [f"{line}: {message_of(alone, line)}" if line.startswith("- `") else line for line in lines]


def message_of(rows, line: str) -> str:
    """The message of the first test that a line of a section stands for."""
    short = line.split("`")[1]
    message = next(m for _, name, m in rows if name.replace("numpy/", "").replace("tests/", "").split("[")[0] == short)
    return message.replace("`", "'").split("|")[0][:100].strip()


def main() -> int:
    log, failures, *split = (pathlib.Path(name).read_text() for name in sys.argv[1:5])
    summary, rows = read(log, failures)
    last = split_section(summary, rows, *split) if split else []
    groups = grouped(rows)
    reasons = {title: why for title, why, *_ in [*KINDS, OTHER]}
    lines = [
        "# NumPy's own tests",
        "",
        "NumPy's test suite as it is installed, with Numloom in NumPy's place in the test files alone. Which tests are "
        "applicable is decided by running NumPy itself in that place.",
        "",
        *summary,
        "",
        f"The {len(rows)} others, by kind. Made by `tools/suite_report.py` from a run.",
        "",
    ]
    for title in groups:
        if groups[title]:
            lines += section(title, reasons[title], groups[title])
    print("\n".join(lines + last).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
