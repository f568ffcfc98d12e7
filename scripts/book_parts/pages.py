"""Collects the pages of the repository in the order of `sections.toml`."""

import os
import pathlib
import re
import shutil
import tomllib

from shared import ROOT, Wrong, directive, script, source

ORDER = pathlib.Path("scripts/book_parts/sections.toml")
SECTIONS = tomllib.loads((ROOT / ORDER).read_text())["section"]
# the page that a reader sees first, and its name in the book
FIRST, INDEX = "README.md", "index.md"
LINKS = script("links")


def listed():
    """The pages of all sections, in their order."""
    return [page for section in SECTIONS for page in section["pages"]]


def gathered_pages():
    """The pages of the sections that are in the repository."""
    return [page for page in listed() if not page.startswith("reference/")]


def check():
    """Checks that each page of the repository is in one section, that each page of a section exists, and that the targets of links
    exist."""
    names = gathered_pages()
    there = {str(page.relative_to(ROOT)) for page in LINKS.pages()}
    faults = [f"{ORDER}: {name} is in no section" for name in sorted(there - set(names))]
    faults += [f"{ORDER}: there is no page {name}" for name in sorted(set(names) - there)]
    faults += [f"{ORDER}: {name} is in two places" for name in sorted({name for name in names if names.count(name) > 1})]
    faults += LINKS.faults(LINKS.pages())
    if faults:
        raise Wrong("\n".join(faults))


def name_in_book(page):
    """The name in the book of a page of the repository."""
    return INDEX if page == FIRST else page


def address_in_book(page, address, is_picture):
    """The address that a link of a page has in the book: a page or picture of it, or the place of a source file."""
    name, _, anchor = address.partition("#")
    if re.match(r"[a-z]+:", address) or not name or is_picture:
        return address
    target = str((ROOT / page).parent.joinpath(name).resolve().relative_to(ROOT))
    if target in listed():
        target = os.path.relpath(name_in_book(target), pathlib.PurePath(name_in_book(page)).parent)
    else:
        target = source(target)
    return f"{target}#{anchor}" if anchor else target


def gathered(page, folder):
    """The text of a page with the links of the book. Its pictures are copied into `folder`."""
    text = (ROOT / page).read_text()
    parts, end = [], 0
    for match in LINKS.matches(text):
        address, is_picture = match[1], match[0].startswith("!")
        if is_picture and "://" not in address:
            picture = (ROOT / page).parent.joinpath(address).resolve().relative_to(ROOT)
            copy(picture, folder)
        parts += [text[end : match.start(1)], address_in_book(page, address, is_picture)]
        end = match.end(1)
    return "".join(parts) + text[end:]


def copy(file, folder):
    """Copies a file of the repository to its place in the book."""
    target = folder / file
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / file, target)


def order():
    """The lists of pages of the sidebar, one for each section."""
    lists = []
    for section in SECTIONS:
        names = ["Overview <self>" if page == FIRST else page.removesuffix(".md") for page in section["pages"]]
        lists.append(directive("toctree", "", f":hidden:\n:caption: {section['title']}\n\n" + "\n".join(names)))
    return "\n" + "\n".join(lists)


def write(folder):
    """Writes the pages of the repository into `folder`."""
    check()
    for page in gathered_pages():
        target = folder / name_in_book(page)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(gathered(page, folder) + (order() if page == FIRST else ""))
