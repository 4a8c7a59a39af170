"""The list of public programs, and how each becomes a `program.py` that the recorder can measure."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import shutil
import tomllib


@dataclasses.dataclass
class Source:
    """A repository: its address and the commit that the figures are of."""

    url: str
    commit: str

    @property
    def folder(self) -> str:
        return "/".join(self.url.rstrip("/").split("/")[-2:])


@dataclasses.dataclass
class Program:
    """One program.

    Attributes
    ----------
    name, path : str
        Its name in the results; its file in the repository.
    kind : str
        npbench (a kernel and its initialisation), snippet (a function with `#setup:` and `#run:` lines), script or
        notebook.
    size : str
        npbench: the preset. Else what the manifest changed, for the table.
    replace : dict
        Texts to be replaced in the program, each of which must occur: sizes and what newer libraries no longer have.
    files : list of str
        Further files that it imports, beside `path`.
    before, after : str
        Code put before and after a script; `after` drives programs that a window would drive.
    results : list of str
        Expressions of a script's results.
    captured : list of str
        Names of results that are variables of the function that saves or shows the picture.
    imports : list of str
        Libraries that are loaded before the clock starts.
    tolerance : float or None
        Relative difference allowed; the manifest gives the reason.
    slow : str
        Why it is slower than 0.8x NumPy, where it is.
    """

    name: str
    path: str
    kind: str
    source: Source
    size: str = ""
    replace: dict = dataclasses.field(default_factory=dict)
    files: list = dataclasses.field(default_factory=list)
    before: str = ""
    after: str = ""
    results: list = dataclasses.field(default_factory=list)
    captured: list = dataclasses.field(default_factory=list)
    imports: list = dataclasses.field(default_factory=list)
    parameters: dict = dataclasses.field(default_factory=dict)
    tolerance: float | None = None
    slow: str = ""

    def prepare(self, sources: pathlib.Path, folder: pathlib.Path) -> None:
        """Write the program and what it needs into `folder`, as program.py.

        Raises
        ------
        OSError
            Where the repository or a file of it is not there.
        """
        root = sources / self.source.folder
        for name in self.files:
            shutil.copy(root / name, folder / pathlib.PurePosixPath(name).name)
        text = getattr(self, f"_{self.kind}")(root, folder)
        (folder / "program.py").write_text(text)

    def _replaced(self, text: str) -> str:
        for old, new in self.replace.items():
            if old not in text:
                raise ValueError(f"{self.name}: {old!r} is not in the program")
            text = text.replace(old, new)
        return text

    def _npbench(self, root: pathlib.Path, folder: pathlib.Path) -> str:
        info = json.loads((root / "bench_info" / f"{self.path}.json").read_text())["benchmark"]
        place = root / "npbench" / "benchmarks" / info["relative_path"]
        module = info["module_name"]
        text = self._replaced((place / f"{module}_numpy.py").read_text())
        (folder / f"{module}_numpy.py").write_text(text)
        lines = ["import program_recorder", f"from {module}_numpy import {info['func_name']}"]
        values = info["parameters"][self.size] | self.parameters
        self.size = ", ".join(f"{key}={value}" for key, value in values.items())
        body = [f"{key} = {value!r}" for key, value in values.items()]
        if "init" in info:
            shutil.copy(place / f"{module}.py", folder)
            lines.append(f"from {module} import {info['init']['func_name']}")
            made, wanted = ", ".join(info["init"]["output_args"]), ", ".join(info["init"]["input_args"])
            body.append(f"{made} = {info['init']['func_name']}({wanted})")
        used = ", ".join(f"v[{name!r}]" for name in info["input_args"])
        lines += ["def prepare():", *[f"    {part}" for part in body], "    return dict(locals())", "def work(v):"]
        lines += [f"    return {info['func_name']}({used})", "program_recorder.measure(prepare, work)"]
        return "\n".join(lines) + "\n"

    def _snippet(self, root: pathlib.Path, folder: pathlib.Path) -> str:
        text = (root / self.path).read_text()
        setup = self._replaced(";".join(re.findall(r"^#setup:(.*)$", text, re.M)))
        run = re.search(r"^#run:(.*)$", text, re.M)[1].strip()
        lines = [text, "import program_recorder", "def prepare():", f"    {setup.strip()}", "    return dict(locals())"]
        lines += ["def work(v):", f"    return eval({run!r}, globals() | v)", "program_recorder.measure(prepare, work)"]
        return "\n".join(lines) + "\n"

    def _script(self, root: pathlib.Path, folder: pathlib.Path) -> str:
        return self._framed((root / self.path).read_text())

    def _notebook(self, root: pathlib.Path, folder: pathlib.Path) -> str:
        cells = json.loads((root / self.path).read_text())["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        # What only a notebook understands goes: magic lines, videos, style sheets.
        code = [cell for cell in code if "IPython" not in cell and "YouTubeVideo" not in cell]
        return self._framed("\n".join(re.sub(r"^%.*$", "", cell, flags=re.M) for cell in code))

    def _framed(self, text: str) -> str:
        future = re.findall(r"^from __future__ import .*$", text, re.M)
        text = self._replaced(re.sub(r"^from __future__ import .*$", "", text, flags=re.M))
        results = ", ".join(f"{name!r}: {name}" for name in self.results)
        lines = [*future, f"import program_recorder; program_recorder.start({self.captured!r}, {self.imports!r})"]
        lines += [self.before, text, self.after, f"program_recorder.finish({{{results}}})"]
        return "\n".join(part for part in lines if part) + "\n"


def load(path: pathlib.Path) -> tuple[list[Program], list[Source]]:
    """Read the manifest; return its programs and the repositories that they are from."""
    content = tomllib.loads(path.read_text())
    sources = {name: Source(**fields) for name, fields in content["sources"].items()}
    programs = []
    for fields in content["program"]:
        source = sources[fields.pop("source")]
        common = content.get("kinds", {}).get(fields.get("family", ""), {})
        fields.pop("family", None)
        programs.append(Program(source=source, **(common | fields)))
    return programs, list(sources.values())
