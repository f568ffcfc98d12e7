"""Checks the written files of the book: links, headings and the search."""

import html.parser
import json
import re
import urllib.parse

from pages import LINKS, gathered_pages, listed, name_in_book
from shared import ROOT, Wrong

# a search for each of these words must find the given page. The words are stems, because Sphinx stores stems
SEARCHED = {"quotient": "docs/concepts", "nest": "reference/rules/div", "sector": "reference/commands/coalesce", "floor": "reference/python/quaff"}


def written_name(page):
    """The name of the HTML file of a page."""
    return name_in_book(page).removesuffix(".md") + ".html"


class Page(html.parser.HTMLParser):
    """Collects the links of a page, and the names of its anchors."""

    def __init__(self, file):
        super().__init__()
        self.links, self.names = set(), set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("href", "src") and value:
                self.links.add(value)
            elif key in ("id", "name") and value:
                self.names.add(value)


def faults_of_links(folder, pages):
    """Yields the broken links between files of the folder."""
    for file, page in pages.items():
        for link in sorted(page.links):
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (file.parent / urllib.parse.unquote(address.path)).resolve() if address.path else file
            place = urllib.parse.unquote(address.fragment)
            if not target.is_relative_to(folder) or not target.exists():
                yield f"{file.relative_to(folder)}: {link}: there is no such file"
            elif place and target in pages and place not in pages[target].names:
                yield f"{file.relative_to(folder)}: {link}: the page has no such place"


def faults_of_headings(folder, pages):
    """Yields the headings whose anchors have other names than on GitHub."""
    for page in gathered_pages():
        file = folder / written_name(page)
        for name in sorted(LINKS.anchors(ROOT / page) - pages[file].names):
            yield f"{file.relative_to(folder)}: the page has no place {name}"


def faults_of_search(folder):
    """Yields the words for which the search does not find the given page."""
    text = (folder / "searchindex.js").read_text()
    index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)", text, re.S)[1])
    for word, name in SEARCHED.items():
        found = [index["terms"].get(word, []), index["titleterms"].get(word, [])]
        numbers = {number for each in found for number in (each if isinstance(each, list) else [each])}
        if index["docnames"].index(name) not in numbers:
            yield f"searchindex.js: `{word}` does not lead to {name}"


def check(folder):
    """Raises `Wrong` if the files of the book in a folder have faults."""
    below = [file for name in ("reference", "docs") for file in folder.joinpath(name).rglob("*.html")]
    files = {folder / written_name(page) for page in listed()} | set(below)
    pages = {file: Page(file) for file in sorted(files)}
    faults = [*faults_of_links(folder, pages), *faults_of_headings(folder, pages), *faults_of_search(folder)]
    if faults:
        raise Wrong("\n".join(faults))
    links = sum(len(page.links) for page in pages.values())
    print(f"book: {len(pages)} pages with {links} links, none leads nowhere; the search finds {len(SEARCHED)} words")
