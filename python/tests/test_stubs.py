"""The stubs have the names, methods and parameters of the compiled module."""

import ast
import inspect
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import quaff
from quaff import _quaff

STUBS = Path(quaff.__file__).with_name("_quaff.pyi")


def parameters(function: ast.FunctionDef) -> list[str]:
    a = function.args
    names = [p.arg for p in (*a.posonlyargs, *a.args)]
    names += ["*" + a.vararg.arg] if a.vararg else []
    names += [p.arg for p in a.kwonlyargs]
    names += ["**" + a.kwarg.arg] if a.kwarg else []
    return [n for n in names if n not in ("self", "cls")]


def actual(function) -> list[str]:
    signs = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    found = inspect.signature(function).parameters.values()
    return [signs.get(p.kind, "") + p.name for p in found if p.name not in ("self", "$self")]


def is_property(function: ast.FunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "property" for d in function.decorator_list)


def test_every_name_method_and_parameter_stands_in_both():
    tree = ast.parse(STUBS.read_text())
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    public = {n for n in dir(_quaff) if not n.startswith("_")}
    assert set(classes) | set(functions) | {"OPERATORS"} == public
    for name, function in functions.items():
        assert parameters(function) == actual(getattr(_quaff, name)), name
        assert ast.get_docstring(function), name
    for name, stub in classes.items():
        kind = getattr(_quaff, name)
        methods = {n.name: n for n in stub.body if isinstance(n, ast.FunctionDef)}
        told = {m for m in methods if not m.startswith("_")}
        assert told == {m for m in vars(kind) if not m.startswith("_")}, name
        for method in told:
            assert ast.get_docstring(methods[method]), f"{name}.{method}"
            if is_property(methods[method]):
                assert inspect.isgetsetdescriptor(vars(kind)[method]), f"{name}.{method}"
            else:
                assert parameters(methods[method]) == actual(getattr(kind, method)), f"{name}.{method}"
        if "__new__" in methods:
            assert parameters(methods["__new__"]) == actual(kind), name


HERE = Path(__file__).resolve().parent
CONFIG = HERE.parent / "pyproject.toml"
# packages that parts of quaff import
HOSTS = ["sympy", "torch", "triton", "tinygrad", "tvm", "distributed", "pyarrow", "tqdm"]


def mypy(module, *arguments):
    """Runs a module of mypy, which must find no error."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_says_that_it_is_typed():
    assert STUBS.with_name("py.typed").is_file() and STUBS.is_file()


def test_mypy_agrees_with_the_stubs():
    pytest.importorskip("mypy.stubtest", reason="mypy is not installed: names and parameters are compared by the other test")
    mypy("mypy.stubtest", "quaff._quaff")


def test_mypy_agrees_with_the_whole_package():
    pytest.importorskip("mypy.stubtest", reason="mypy is not installed")
    missing = [host for host in HOSTS if find_spec(host) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    mypy("mypy.stubtest", "quaff", "--mypy-config-file", str(CONFIG), "--allowlist", str(HERE / "stubtest.txt"))


def test_mypy_finds_nothing_in_the_package():
    pytest.importorskip("mypy", reason="mypy is not installed: it checks the types of the package")
    # the modules are given by name, because mypy would take files of an installed package for top-level modules
    names = ["quaff", *(f"quaff.{name}" for name in ("_errors", "_int_set", "_known", "_many", "_nodes", "_types", "analyzer", "corpus", "triton"))]
    modules = [word for name in names for word in ("-m", name)]
    mypy("mypy", "--config-file", str(CONFIG), *modules)
