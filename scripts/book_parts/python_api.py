"""Makes the reference of the Python package. The sources and stubs are read without importing the package.

The stubs of the compiled part have one sentence for each member. If an interpreter with quaff is given, the reference has the whole
docstrings.
"""

import json
import re
import subprocess

import griffe

from shared import ROOT, block, code, comment_above, contents, definition, directive, plain

COMPILED = "quaff._quaff"
# the module with the types of arguments and results. It is not part of the public interface
TYPES = "quaff._types"
# the members whose signature is the signature of the class
MAKERS = ("__init__", "__new__")
# a class with more members than this has a separate page
MEMBERS = 5
# a program that prints the docstrings of the compiled part, by name. Special members inherit docstrings of `object`, and are left out
DOCSTRINGS = f"""
import importlib, inspect, json
module = importlib.import_module("{COMPILED}")
documented = {{name: getattr(module, name) for name in module.__all__}}
for name, value in list(documented.items()):
    if inspect.isclass(value):
        documented |= {{f"{{name}}.{{member}}": part for member, part in vars(value).items() if not member.startswith("__")}}
print(json.dumps({{name: inspect.getdoc(value) for name, value in documented.items() if inspect.getdoc(value)}}))
"""
TITLES = {"parameters": "Arguments", "other parameters": "Arguments", "raises": "Raises", "returns": "Returns", "yields": "Yields"}


def docstrings(interpreter):
    """The docstrings of the compiled part in an interpreter, by their names."""
    if interpreter is None:
        return {}
    run = subprocess.run([interpreter, "-I", "-c", DOCSTRINGS], capture_output=True, text=True)
    if run.returncode:
        print(f"book: {interpreter} cannot import quaff: docstrings of stubs are used")
        return {}
    return json.loads(run.stdout)


def marked(text):
    """Text of a docstring as Markdown: sessions of Python and literal blocks are code."""
    parts = []
    for part in re.split(r"\n\s*\n", text.replace("<BLANKLINE>", "\0")):
        if part.startswith(">>>"):
            parts.append(block(part.replace("\0", "<BLANKLINE>"), "pycon"))
        elif part.startswith("    "):
            parts.append(part + "\n")
        else:
            parts.append(plain(re.sub(r"``(.*?)``", r"`\1`", part)).replace("::", ":") + "\n")
    return "\n".join(parts)


class Reference:
    """The sources of the package, and the docstrings of its compiled part."""

    def __init__(self, interpreter):
        self.package = griffe.load("quaff", search_paths=[ROOT / "python/python"], docstring_parser="google")
        self.docstrings = docstrings(interpreter)

    def docstring(self, item):
        """The docstring of a function, class, attribute or module. The docstring from the interpreter is preferred."""
        name = item.path.removeprefix(COMPILED + ".")
        if name != item.path and name in self.docstrings:
            return griffe.Docstring(self.docstrings[name], parent=item, parser="google")
        return item.docstring

    def described(self, item):
        """The docstring of an item as Markdown."""
        found = self.docstring(item)
        if found is None:
            return ""
        parts = []
        for section in found.parse(warnings=False):
            kind = section.kind.value
            if kind == "text":
                parts.append(marked(section.value))
            elif kind in TITLES:
                parts.append(f"{TITLES[kind]}\n" + "".join(f": {entry(kind, each)}\n\n" for each in section.value))
        return "\n".join(parts)

    def summary(self, item):
        """The first sentence of the docstring of an item."""
        found = self.docstring(item)
        text = found.value.split("\n\n")[0] if found else ""
        return marked(" ".join(re.split(r"(?<=\.)\s", text)[0].split()).rstrip(":")).strip()

    def bound(self, attribute):
        """The method that an attribute such as `simplify = _shipped.simplify` refers to. None for any other attribute."""
        owner, _, name = str(attribute.value or "").partition(".")
        if not name.isidentifier() or owner not in self.package.members:
            return None
        made_by = str(self.package[owner].value).removesuffix("()")
        return members_of(self.package[made_by]).get(name)

    def function(self, kind, name, item):
        """The directive of a function or method: its signatures and its docstring."""
        signatures = item.parent.overloads.get(item.name) or [item]
        shown = [name + str(each.signature())[len(each.name) :] for each in signatures]
        mark = next((f":{label}:\n" for label in ("staticmethod", "classmethod") if label in item.labels), "")
        # all signatures have one address, and the text is below the last signature
        marks = [mark] + [":no-index:\n" + mark] * (len(shown) - 1)
        texts = [""] * (len(shown) - 1) + [self.described(item)]
        return "\n".join(directive(kind, head, marked + "\n" + text) for head, marked, text in zip(shown, marks, texts, strict=True))

    def member(self, item):
        """The directive of a member of a class."""
        if item.is_function:
            return self.function("py:method", item.name, item)
        kind = "py:property" if "property" in item.labels else "py:attribute"
        of_type = f":type: {item.annotation}\n" if item.annotation else ""
        return directive(kind, item.name, of_type + "\n" + self.described(item))

    def type(self, item):
        """The directive of a class with its members."""
        members = [member for member in members_of(item).values() if not member.is_alias]
        shown = [member for member in members if is_shown(member)]
        special = [member.name for member in members if member.name.startswith("__") and member.name not in MAKERS]
        hidden = [code(name) for name in special if name not in {member.name for member in shown}]
        maker = next((member for member in members if member.name in MAKERS), None)
        head = item.name + (str(maker.signature())[len(maker.name) :].partition(" -> ")[0] if maker and maker.is_function else "")
        bases = [str(base) for base in item.bases if str(base) not in ("TypedDict", "Generic")]
        text = [f"Bases: {', '.join(map(code, bases))}\n"] if bases else []
        text += [self.described(item)] + ([self.described(maker)] if maker else [])
        text += [f"It also has {', '.join(hidden)}.\n"] if hidden else []
        kind = "py:exception" if is_error(item) else "py:class"
        return directive(kind, head, "\n".join(text + [self.member(member) for member in shown]))

    def value(self, item):
        """The directive of an attribute of a module."""
        if method := self.bound(item):
            return self.function("py:function", item.name, method)
        lines = f":type: {item.annotation}\n" if item.annotation else ""
        lines += f":value: {item.value}\n" if item.value and "\n" not in str(item.value) and item.annotation is not None else ""
        about = self.described(item) or marked(comment_above(item.module.source.splitlines(), item.lineno - 1, "#"))
        return directive("py:data", item.name, lines + "\n" + about)

    def page_of_class(self, item, name, folder):
        """Writes the page of a large class of the module `name`, and returns its name."""
        (folder / name).mkdir(exist_ok=True)
        head = f"# {code(item.name)}\n\n{directive('py:currentmodule', name, '')}\n"
        (folder / name / f"{item.name}.md").write_text(head + self.type(item))
        return f"{name}/{item.name}"

    def parts(self, items):
        """The sections of a module, from the exported items that have no separate page."""
        parts = {"Functions": [], "Classes": [], "Errors": [], "Values": []}
        for key, item in sorted(items.items()):
            if item.is_function:
                parts["Functions"].append(self.function("py:function", key, item))
            elif item.is_class:
                parts["Errors" if is_error(item) else "Classes"].append(self.type(item))
            else:
                parts["Functions" if self.bound(item) else "Values"].append(self.value(item))
        return [f"\n## {title}\n\n" + "\n".join(part) for title, part in parts.items() if part]

    def module(self, module, folder):
        """Writes the page of a module and the pages of its large classes."""
        exported = module.exports or [key for key, item in module.members.items() if not item.is_alias and not key.startswith("_")]
        items = {key: resolved(module.members[key]) for key in exported if key != "__version__"}
        large = {key: item for key, item in items.items() if module is self.package and is_large(item)}
        name = module.path
        text = [f"# {code(name)}\n", directive("py:module", name, ""), self.described(module)]
        text += ["\n## Classes with pages of their own\n"] if large else []
        text += [definition(f"[{code(key)}]({name}/{key}.md)", self.summary(item)) for key, item in large.items()]
        text += self.parts({key: item for key, item in items.items() if key not in large})
        names = [self.page_of_class(item, name, folder) for item in large.values()]
        (folder / f"{name}.md").write_text("\n".join([*text, contents(names)]))


def members_of(item):
    """The members of a class, in the order of the source. griffe lists the overloaded functions of a stub separately."""
    several = {name: next((each for each in found if each.docstring), found[0]) for name, found in item.overloads.items() if name not in item.members}
    return dict(sorted({**item.members, **several}.items(), key=lambda member: member[1].lineno or 0))


def is_large(item):
    """Whether an item is a class with a separate page."""
    return item.is_class and sum(map(is_shown, members_of(item).values())) > MEMBERS


def is_error(item):
    """Whether an item is an exception class."""
    return item.name.endswith("Error")


def is_shown(member):
    """Whether a member has a directive: public members, `__call__`, and special members with a docstring."""
    if member.is_alias or member.name in MAKERS:
        return False
    is_special = member.name.startswith("__") and member.name.endswith("__")
    return not member.name.startswith("_") or is_special and (member.docstring is not None or member.name == "__call__")


def resolved(item):
    """The item that an alias refers to, or the item itself."""
    return item.final_target if item.is_alias else item


def entry(kind, part):
    """The text for an argument, an error or a result of a function."""
    named = part.name if kind in ("parameters", "other parameters") else part.annotation
    return (f"{code(str(named))}: " if named else "") + marked(part.description).strip().replace("\n", "\n  ")


def write(folder, interpreter):
    """Writes `python.md` and the pages below it."""
    reference = Reference(interpreter)
    public = [module for key, module in sorted(reference.package.modules.items()) if not key.startswith("_")]
    modules = [reference.package, *public, reference.package["_types"]]
    (folder / "python").mkdir(parents=True)
    text = ["# Python package\n", "[quaff for Python](../python/README.md) introduces the package. These pages list what each module has.\n"]
    if not reference.docstrings:
        text.append("Members of compiled classes have their first sentences here; `help(quaff.Expr)` prints their whole docstrings.\n")
    for module in modules:
        text.append(definition(f"[{code(module.path)}](python/{module.path}.md)", reference.summary(module)))
        reference.module(module, folder / "python")
    (folder / "python.md").write_text("\n".join([*text, contents([f"python/{module.path}" for module in modules])]))
