"""Examples in docstrings of modules, and names in `__all__`. `test_docstrings.py` tests the examples of public functions and classes."""

import doctest
import importlib
import pkgutil

import pytest

import quaff

# the package that a module needs besides quaff
NEEDS = {"sympy": "sympy", "inductor": "torch", "torch": "torch", "tinygrad": "tinygrad", "tvm": "tvm.tirx", "sweep": "distributed"}
# private modules whose names other modules export
PARTS = ("_errors", "_int_set", "_many", "_sympy_", "_tvm_")
MODULES = sorted(m.name for m in pkgutil.walk_packages(quaff.__path__, "quaff.") if not m.name.endswith("._quaff"))


@pytest.mark.parametrize("name", ["quaff", *MODULES])
def test_examples_in_docstrings(name):
    # `_tinygrad_cost` is a part of `tinygrad`
    needed = NEEDS.get(name.split(".")[1].strip("_").split("_")[0]) if "." in name else None
    if needed:
        pytest.importorskip(needed, reason=f"{needed} is not installed: `{name}` is for it")
    module = importlib.import_module(name)
    leaf = name.rpartition(".")[2]
    finder = doctest.DocTestFinder(recurse=leaf.startswith("_") and not leaf.startswith(PARTS))
    told: list = []
    for test in finder.find(module, name):
        doctest.DocTestRunner().run(test, out=told.append)
    assert told == [], "".join(told)
    assert module.__doc__


def test_examples_are_tried_at_all():
    assert sum(len(t.examples) for t in doctest.DocTestFinder(recurse=False).find(quaff)) >= 4


def test_every_public_name_is_there_and_has_a_docstring():
    assert len(set(quaff.__all__)) == len(quaff.__all__)
    for name in quaff.__all__:
        assert getattr(quaff, name).__doc__, name
