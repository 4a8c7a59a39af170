"""Checks that every C++ file includes only from its own layer and those it is allowed (docs/design.md, layers).

Fails with one line for each include that goes the wrong way.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What each folder under src/ may include besides itself. A folder that is not listed is an error, so that a new layer
# states its place here.
ALLOWED = {
    "core": [],
    "ops": ["core"],
    "record": ["core", "ops"],
    "mesh": ["core", "ops", "record"],
    "kernel": ["core", "ops", "record", "mesh"],
    "plan": ["core", "ops", "record", "mesh", "kernel"],
    "device": ["core", "ops", "record", "mesh", "kernel", "plan"],
    "transport": ["core", "ops", "record", "mesh", "kernel", "plan"],
    "library": ["core", "ops", "record", "mesh", "kernel", "plan"],
    "run": ["core", "ops", "record", "mesh", "kernel", "plan", "device", "transport", "library"],
    "api": ["core", "ops", "record", "mesh", "kernel", "plan", "device", "transport", "library", "run"],
}
# These three see each other's interfaces only: headers directly in the folder, not those of one implementation.
# The same holds between implementations of one folder: cpu/ does not look into cuda/.
INTERFACES = ("device", "transport", "library")
SUFFIXES = {".cpp", ".hpp", ".c", ".h", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def resolve(file: Path, name: str) -> Path | None:
    """The file of ours that `#include "name"` in `file` means, or None for a file of someone else's."""
    bases = [file.parent, ROOT / "src", ROOT / "include", ROOT / "python" / "bindings"]
    for base in bases:
        candidate = (base / name).resolve()
        if candidate.is_file() and candidate.is_relative_to(ROOT):
            return candidate
    return None


def problem(source: tuple[str, ...], target: tuple[str, ...]) -> str | None:
    """Why the file with path parts `source` may not include the one with parts `target` (both below the root)."""
    if target[0] == "include":
        return None
    if source[0] == "include":
        return "a public header includes only public headers"
    if target[0] != "src":
        return f"{target[0]}/ is above every layer of src/"
    layer, other = source[1], target[1]
    if layer not in ALLOWED:
        return f"layer {layer} is not listed in tools/check_includes.py"
    inside = len(target) > 3
    if other in INTERFACES and inside:
        own_part = layer == other and source[2] == target[2]
        if not own_part and layer not in ("run", "api"):
            return f"only the interface of {other}/ may be included, not {other}/{target[2]}/"
        return None
    if other == layer or other in ALLOWED[layer] or (layer in INTERFACES and other in INTERFACES):
        return None
    return f"{layer}/ may not include {other}/"


def main() -> int:
    """Prints the violations; the exit status tells whether there were any."""
    files = [
        path for folder in ("src", "include") for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SUFFIXES
    ]
    failures = 0
    includes = 0
    for file in files:
        text = file.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            target = resolve(file, match[1])
            if target is None:
                continue
            includes += 1
            why = problem(file.relative_to(ROOT).parts, target.relative_to(ROOT).parts)
            if why:
                failures += 1
                line = text.count("\n", 0, match.start()) + 1
                print(f'{file.relative_to(ROOT)}:{line}: #include "{match[1]}": {why}')
    print(f"{includes} includes in {len(files)} files, {failures} in the wrong direction")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
