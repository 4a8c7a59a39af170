"""Checks the objects of the CPU's loops, `src/device/cpu/loops/`, which is compiled once per instruction set.

They define nothing outside the namespace of their instruction set: an inline function from a shared header could be the
copy that the linker keeps, and code without AVX would then call instructions that the processor may not have.

They hold no fused multiply-add, which would round a*b+c once instead of twice: GCC 12 makes some in spite of
`-ffp-contract=off`. Reads the objects of the build folder that is given (default: build/release).
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Text, data, weak and unique symbols that others can see.
DEFINED = re.compile(r"^[0-9a-f]+ ([TDBRVWu]) (\S+)$", re.MULTILINE)
FUSED = re.compile(r"\bvfn?m(?:add|sub)\w*")
# GCC converts uint32 to float as high * 65536 + low, where the product is exact, so that fusing changes nothing.
EXACT = {"cast.cpp.o"}
# Where the source asks for fused operations by name: our own vector functions, products of matrices, and the product of
# complex numbers, as NumPy's own loops have it.
ASKED_FILES = {"trigonometry.cpp.o", "real_product.cpp.o"}
ASKED = re.compile(r"Op_(?:Multiply|Square|Power|FloatPower)\b")


def fused_functions(file: Path) -> list[str]:
    """Names of the functions of an object that hold a fused multiply-add."""
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", str(file)]
    found = []
    function = ""
    for line in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        if line.endswith(">:"):
            function = line.partition("<")[2][:-2]
        elif FUSED.search(line) and function not in found and not ASKED.search(function):
            found.append(function)
    return found


def main() -> int:
    """Prints what does not belong; the exit status tells whether there were any."""
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
            for function in fused_functions(file) if file.name not in EXACT | ASKED_FILES else []:
                failures += 1
                print(f"{file.relative_to(build)}: {function} holds a fused multiply-add")
    print(f"{objects} objects of the loops, {failures} faults")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
