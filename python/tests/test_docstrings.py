"""Docstrings of the public names: each begins with a sentence and has an example, which runs after `import quaff`.

Only functions, methods and classes need an example. Properties, fields, members of enumerations, constants and names with underscores
around them need none. The operators of `quaff.sympy.Writer` need none either, because the docstring of the class describes them.
"""

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest

import quaff

MODULES = ["quaff", *sorted(f"quaff.{m.name}" for m in pkgutil.iter_modules(quaff.__path__) if not m.name.startswith("_"))]
# the packages that modules and single names need besides quaff
NEEDS = {
    "quaff.inductor": "torch",
    "quaff.results.draw": "matplotlib",
    "quaff.results.figures": "matplotlib",
    "quaff.results.frame": "pandas",
    "quaff.results.to_parquet": "pyarrow",
    "quaff.sweep.sweep": "distributed",
    "quaff.sympy": "sympy",
    "quaff.tinygrad": "tinygrad",
    "quaff.triton.jit": "triton",
    "quaff.tvm": "tvm.tirx",
}
SINGLE = sorted(set(NEEDS) - set(MODULES))


def needed(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed: `{name}` is for it")


def public(module):
    """All public functions, classes and methods of a module, by their names."""
    found = {}
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isclass(value) or inspect.isroutine(value):
            found[f"{module.__name__}.{name}"] = value
        if inspect.isclass(value):
            methods = {own: getattr(value, own) for own in vars(value) if not own.startswith("_")}
            found |= {f"{module.__name__}.{name}.{own}": method for own, method in methods.items() if inspect.isroutine(method)}
    return {name: value for name, value in found.items() if not is_operator_of_writer(name)}


def is_operator_of_writer(name):
    owner, _, own = name.rpartition(".")
    return owner == "quaff.sympy.Writer" and own in quaff.OPERATORS


def properties(module):
    """All public properties of the classes of a module, by their names."""
    for name in module.__all__:
        value = getattr(module, name)
        for own, kind in vars(value).items() if inspect.isclass(value) else ():
            if not own.startswith("_") and (isinstance(kind, property) or inspect.isgetsetdescriptor(kind)):
                yield f"{module.__name__}.{name}.{own}", kind


def loaded(name):
    needed(name)
    return importlib.import_module(name)


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_a_docstring_with_an_example(name):
    module = loaded(name)
    wrong = []
    for own, value in public(module).items():
        docstring = value.__doc__ or ""
        summary = docstring.strip().split("\n\n")[0].strip()
        if not re.search(r"[.:]$", summary):
            wrong.append(f"{own} does not begin with a sentence: {summary!r}")
        if ">>> " not in docstring:
            wrong.append(f"{own} has no example")
    wrong += [f"{own} has no docstring" for own, value in properties(module) if not value.__doc__]
    assert wrong == []


@pytest.mark.parametrize("name", [*MODULES, *SINGLE])
def test_the_examples_run(name):
    needed(name)
    module = loaded(name if name in MODULES else name.rpartition(".")[0])
    chosen = public(module)
    chosen = {own: value for own, value in chosen.items() if (own == name if name in SINGLE else own not in SINGLE)}
    assert chosen
    failures = []
    for own, value in chosen.items():
        test = doctest.DocTestParser().get_doctest(value.__doc__, {"quaff": quaff}, own, None, 0)
        failed, tried = doctest.DocTestRunner().run(test, out=failures.append)
        assert tried, own
    assert failures == [], "".join(failures)


def test_the_names_that_need_something_are_there():
    for name in SINGLE:
        module, _, own = name.rpartition(".")
        assert own in importlib.import_module(module).__all__
