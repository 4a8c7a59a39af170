"""Checks that the CPU's loops define nothing outside the namespace of their instruction set.

`src/device/cpu/loops/` is compiled once per instruction set. An inline function from a shared header that one of these
objects defines could be the copy that the linker keeps, and code without AVX would then call instructions that the
processor may not have. Reads the objects of the build folder that is given (default: build/release).
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Text, data, weak and unique symbols that others can see.
DEFINED = re.compile(r"^[0-9a-f]+ ([TDBRVWu]) (\S+)$", re.MULTILINE)


def main() -> int:
    """Prints the symbols that do not belong; the exit status tells whether there were any."""
    build = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "release"
    failures = 0
    objects = 0
    for folder in sorted((build / "CMakeFiles").glob("numloom_loops_*.dir")):
        target = folder.name[len("numloom_loops_") : -len(".dir")]
        if target == "baseline":
            continue  # runs on every processor
        # As it stands in a mangled name: the length, then the name.
        mangled = f"{len(target)}{target}"
        for file in sorted(folder.rglob("*.o")):
            objects += 1
            text = subprocess.run(["nm", str(file)], check=True, capture_output=True, text=True).stdout
            for _, symbol in DEFINED.findall(text):
                if mangled not in symbol:
                    failures += 1
                    print(f"{file.relative_to(build)}: {symbol} lies outside namespace {target}")
    print(f"{objects} objects of the loops, {failures} symbols outside their namespace")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
