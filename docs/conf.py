"""Sphinx: `./loom docs` builds these pages into build/docs; warnings are errors."""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "python"))

project = "Numloom"
author = "the Numloom authors"
copyright = "the Numloom authors"
release = version = "0.1.0"

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
exclude_patterns = ["generated"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
numpydoc_show_class_members = False
nitpicky = False
html_theme = "furo"
html_title = "Numloom"


def make_names(app):
    """The table of names, made by a process of its own: it runs programs with the engine."""
    command = [sys.executable, str(ROOT / "tools" / "names_table.py"), str(HERE / "generated" / "names.md")]
    subprocess.run(command, check=True)


def links_into_the_sources(app, name, text):
    """Links to files outside docs/ become their paths: the pages are read where the sources may not be."""
    text[0] = re.sub(r"\[([^\]]*)\]\(\.\./([^)]*)\)", r"`\2`", text[0])


def setup(app):
    app.connect("builder-inited", make_names)
    app.connect("source-read", links_into_the_sources)
