"""Makes the reference of the program: a page for each command, from the help of the command."""

import re
import subprocess

from shared import block, code, contents, definition, directive, plain

# the line that `--help` prints for an entry of a list: its name, and its text if both are on one line
ENTRY = re.compile(r" {2,6}(\S(?:.*?\S)??)(?: {2,}(\S.*))?$")
# the list of options is the last one of every help
LAST = "Options"


class Help:
    """The help of a command: `about`, `usage`, `lists` of entries by their headings, and the lines `after` them."""

    def __init__(self, program, *words):
        printed = subprocess.run([program, "help", *words], capture_output=True, text=True, check=True).stdout
        self.words = words
        about, rest = printed.split("Usage: ", 1)
        self.about = about.strip()
        usage, rest = rest.split("\n\n", 1)
        self.usage = usage.strip()
        self.lists, self.after = {}, []
        self.read(rest.splitlines())

    def read(self, lines):
        """Splits the help into its lists and the lines after them."""
        heading = None
        for at, line in enumerate(lines):
            if line[:1].strip() and heading == LAST:
                self.after = lines[at:]
                return
            if line[:1].strip():
                heading = line.removesuffix(":")
            elif heading:
                self.lists.setdefault(heading, []).append(line)

    def entries(self, heading):
        """The name and the lines of text of each entry of a list."""
        found = []
        for line in self.lists.get(heading, []):
            entry = ENTRY.match(line)
            if entry and not line.startswith(" " * 7):
                found.append((entry[1], [entry[2] or ""]))
            elif found:
                found[-1][1].append(line.strip())
        return found


def paragraphs(lines):
    """Lines as paragraphs and lists of Markdown."""
    text = re.sub(r"\n(?=- )", "\n\n", "\n".join(lines).strip())
    parts = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return "\n\n".join("- " + plain(part[2:]) if part.startswith("- ") else plain(part) for part in parts) + "\n"


def lines_after(lines):
    """The lines after the lists: text, and indented lines as blocks of code."""
    parts, group = [], []

    def end():
        body = "\n".join(group).strip("\n")
        if body.strip():
            parts.append(block(re.sub(r"(?m)^  ", "", body)) if body.startswith(" ") else plain(body) + "\n")
        group.clear()

    for line in lines:
        if line and group and line.startswith(" ") != group[0].startswith(" "):
            end()
        if line or group:
            group.append(line)
    end()
    return "\n".join(parts)


def described_entry(name, text):
    """An option, which has an address and is found by a search, or an argument."""
    if not name.startswith("-"):
        return definition(code(name), text)
    # a comma and a blank separate the spellings of an option, so blanks inside of a value are replaced
    return directive("option", re.sub("<.*>", lambda value: value[0].replace(" ", "\xa0"), name), text)


def described(page):
    """The text about a command: its description, its arguments and options, and its examples."""
    name = " ".join(["quaff", *page.words])
    text = [paragraphs(page.about.splitlines()), block(page.usage), directive("program", name, "")]
    for heading in page.lists:
        if heading == "Commands":
            continue
        text.append(f"**{heading}**\n")
        text += [described_entry(entry, paragraphs(lines)) for entry, lines in page.entries(heading)]
    return "\n".join([*text, lines_after(page.after)])


def page_of_command(program, name):
    """The page of a command, with a section for each of its subcommands."""
    page = Help(program, name)
    text = [f"# quaff {name}\n", described(page)]
    for inner, _ in page.entries("Commands"):
        if inner != "help":
            text += [f"\n## quaff {name} {inner}\n", described(Help(program, name, inner))]
    return "\n".join(text)


def write(folder, program):
    """Writes `commands.md` and the pages below it."""
    top = Help(program)
    (folder / "commands").mkdir(parents=True)
    text, names = ["# Commands\n", paragraphs(top.about.splitlines()), block(top.usage)], []
    for heading in [heading for heading in top.lists if heading != LAST]:
        text.append(f"\n## {heading}\n")
        for name, lines in top.entries(heading):
            names.append(f"commands/{name}")
            text.append(definition(f"[{code('quaff ' + name)}](commands/{name}.md)", " ".join(lines)))
            (folder / f"commands/{name}.md").write_text(page_of_command(program, name))
    text += [f"\n## {LAST}\n", directive("program", "quaff", "")]
    text += [described_entry(option, paragraphs(lines)) for option, lines in top.entries(LAST)]
    (folder / "commands.md").write_text("\n".join([*text, lines_after(top.after), contents(names)]))
