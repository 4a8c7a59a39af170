"""Prints the sizes of the project's files and fails on files above 800 lines or functions above 80.

What may stay larger is listed with its reason in tools/size_exceptions.txt. Lines are counted as they stand in a file,
from the line of a function's name to its closing brace or last statement.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FILE_LIMIT = 800
FUNCTION_LIMIT = 80
CPP = {".cpp", ".hpp", ".c", ".h", ".cu", ".cuh"}
COUNTED = CPP | {".py", ".def", ".cmake", ".sh"}
NOT_FUNCTIONS = {"if", "for", "while", "switch", "catch", "return", "sizeof", "alignas", "decltype", "requires"}
# Comments, raw strings, strings and characters: none of their braces count.
OPAQUE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^\s()\\]{0,16})\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-zA-Z_])\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL,
)
# Preprocessor lines with their continuations.
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
# What may stand between a parameter list and the body: qualifiers, a trailing return type, an initialiser list.
TAIL = re.compile(r"(const|noexcept|override|final|mutable|volatile|&&?|try|->[^;{}]*|:[^;]*|requires[^;{}]*|\s)*")


def blank(match: re.Match) -> str:
    """The matched text with everything but line ends turned to spaces."""
    return re.sub(r"[^\n]", " ", match[0])


def matching(text: str, start: int, step: int, opening: str, closing: str) -> int:
    """Index of the bracket that matches the one at `start`, walking by `step`; -1 where there is none."""
    depth = 0
    position = start
    while 0 <= position < len(text):
        if text[position] == opening:
            depth += 1
        elif text[position] == closing:
            depth -= 1
            if depth == 0:
                return position
        position += step
    return -1


def function_name(head: str) -> tuple[str, int] | None:
    """Name and offset of the function whose body follows `head`, or None where `head` opens something else."""
    # The parameter list is the first top-level (...) after a name; everything behind it must be a valid tail.
    for match in re.finditer(r"(~?[A-Za-z_]\w*(?:\s*::\s*~?\w+)*|operator\s*[^\s\w(]+|operator\s*\(\s*\))\s*\(", head):
        name = re.sub(r"\s+", "", match[1])
        if name.split("::")[-1] in NOT_FUNCTIONS:
            continue
        close = matching(head, match.end() - 1, 1, "(", ")")
        if close >= 0 and TAIL.fullmatch(head[close + 1 :]):
            return name, match.start()
    return None


def is_initialiser(head: str, following: str) -> bool:
    """Whether a brace after `head` is a default argument or a member's initialiser, and no body."""
    inside_arguments = head.count("(") > head.count(")")
    return inside_arguments or (following in (",", "{") and re.search(r"\)[^;{}?]*:", head) is not None)


def cpp_functions(text: str) -> list[tuple[str, int, int]]:
    """(name, first line, number of lines) of the functions of a C or C++ text, outermost ones only."""
    text = DIRECTIVE.sub(blank, OPAQUE.sub(blank, text))
    found = []
    position = 0
    head_start = 0
    while position < len(text):
        character = text[position]
        if character in ";}":
            head_start = position + 1
        elif character == "{":
            head = text[head_start:position]
            end = matching(text, position, 1, "{", "}")
            if end > 0 and is_initialiser(head, text[end + 1 :].lstrip()[:1]):
                position = end + 1
                continue
            name = function_name(head)
            if name and end > 0:
                first = text.count("\n", 0, head_start + name[1]) + 1
                found.append((name[0], first, text.count("\n", 0, end) + 2 - first))
                position = end
            head_start = position + 1
        position += 1
    return found


def python_functions(text: str) -> list[tuple[str, int, int]]:
    """(name, first line, number of lines) of the functions of a Python text, nested ones too."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [
        (node.name, node.lineno, node.end_lineno - node.lineno + 1)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, kinds)
    ]


def exceptions() -> dict[str, str]:
    """What tools/size_exceptions.txt lists: key (PATH or PATH:FUNCTION) to reason."""
    listed = {}
    for line in (ROOT / "tools" / "size_exceptions.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            key, _, reason = line.partition("  ")
            if not reason.strip():
                sys.exit(f"tools/size_exceptions.txt: {key} has no reason")
            listed[key.strip()] = reason.strip()
    return listed


def main() -> int:
    """Prints the table and the violations; the exit status tells whether there were any."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    allowed = exceptions()
    used = set()
    rows = {}
    failures = []

    def check(key: str, size: int, limit: int, where: str) -> None:
        if size > limit and key in allowed:
            used.add(key)
        elif size > limit:
            failures.append(f"{where}: {size} lines, more than {limit}")

    for name in sorted(filter(None, names)):
        path = ROOT / name
        if path.suffix not in COUNTED or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        functions = python_functions(text) if path.suffix == ".py" else []
        if path.suffix in CPP:
            functions = cpp_functions(text)
        lines = text.count("\n")
        check(name, lines, FILE_LIMIT, name)
        for function, first, size in functions:
            check(f"{name}:{function}", size, FUNCTION_LIMIT, f"{name}:{first}: {function}")
        folder = "/".join(Path(name).parts[:2]) if len(Path(name).parts) > 2 else str(Path(name).parent)
        row = rows.setdefault(folder, [0, 0, 0, 0])
        longest = max((size for _, _, size in functions), default=0)
        rows[folder] = [row[0] + 1, row[1] + lines, max(row[2], lines), max(row[3], longest)]

    print(f"{'folder':28} {'files':>6} {'lines':>8} {'longest file':>13} {'longest function':>17}")
    for folder, (count, lines, longest, function) in sorted(rows.items()):
        print(f"{folder:28} {count:6} {lines:8} {longest:13} {function:17}")
    failures += [f"tools/size_exceptions.txt: {key} is not needed" for key in sorted(set(allowed) - used)]
    print("\n".join(failures) if failures else "every file and function is within the limits or has its reason")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
