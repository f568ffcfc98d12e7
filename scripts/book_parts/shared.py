"""Helpers for the parts of the book: places of the repository, its manifest, and Markdown text."""

import importlib.machinery
import importlib.util
import pathlib
import re
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MANIFEST = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
SPECIAL = re.compile(r"([\\*_<>\[\]|])")


class Wrong(Exception):
    """A fault in the pages, which their author can fix."""


def script(name):
    """Loads a script of the folder `scripts` as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def source(path):
    """The address of a file of the repository."""
    return f"{MANIFEST['repository']}/blob/HEAD/{path}"


def comment_above(lines, at, mark):
    """The comment directly above a line. Each line of the comment begins with `mark`."""
    begin = at
    while begin and lines[begin - 1].startswith(mark):
        begin -= 1
    return " ".join(line.lstrip(mark + " ") for line in lines[begin:at])


def code(text):
    """A text as inline code."""
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def plain(text):
    """Escapes a text for Markdown, except for code in backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else SPECIAL.sub(r"\\\1", part) for part in parts)


def block(text, language="text"):
    """A text as a block of code."""
    return f"```{language}\n{text}\n```\n"


def definition(term, text):
    """An entry of a list of definitions."""
    return f"{term}\n: " + text.strip().replace("\n", "\n  ") + "\n"


def directive(name, argument, body):
    """A directive of Sphinx. Its fence has more colons than the fences inside of it."""
    longest = max((len(colons) for colons in re.findall(r"^:{3,}", body, re.M)), default=2)
    fence = ":" * (longest + 1)
    return f"{fence}{{{name}}} {argument}\n{body.strip()}\n{fence}\n"


def contents(pages):
    """The list of the pages below a page, which only the sidebar shows."""
    return directive("toctree", "", ":hidden:\n\n" + "\n".join(pages))
