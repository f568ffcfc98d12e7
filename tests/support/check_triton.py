"""Runs and compiles functions for Triton.

`check_triton.py run FILE` runs the functions of a file with what stands in for Triton: values of 32 and 64 bits, `//` and `%` that round towards
zero, and no overflow. Each line `#? NAME POINT VALUES` behind them, two objects and a list in JSON, is a call that is compared; it is made with
values of Triton and with numbers that Triton knows when it compiles. `check_triton.py compile FILE` compiles the functions by Triton itself; exit code
3 where it is not installed.
"""

import ast
import json
import sys
import types


class Value:
    """An integer of 1, 32 or 64 bits."""

    def __init__(self, value, bits):
        self.value, self.bits = int(value), bits
        least, most = (0, 1) if bits == 1 else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        assert least <= self.value <= most, f"{value} leaves {bits} bits"

    def __bool__(self):
        raise TypeError("a tensor has no truth value")

    def to(self, bits):
        return Value(self.value, bits)


def tensor(x):
    if isinstance(x, Value):
        return x
    if isinstance(x, bool):
        return Value(x, 1)
    return Value(x, 32 if -(1 << 31) <= x < 1 << 31 else 64)


def typed(x, other):
    """A number has the type of the tensor beside it, and must fit."""
    return x if isinstance(x, Value) else Value(x, max(other.bits, 32))


def quotient(a, b):
    if b == 0:
        return 0
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def remainder(a, b):
    return a - quotient(a, b) * b


def operator(compute, bits=None):
    def left(a, b):
        a, b = typed(a, b if isinstance(b, Value) else a), typed(b, a if isinstance(a, Value) else b)
        out = bits or max(a.bits, b.bits)
        return Value(compute(a.value, b.value), out)

    return left, lambda b, a: left(a, b)


def shifted(down):
    def compute(a, b):
        assert b >= 0
        return a >> b if down else a << b

    return compute


OPERATORS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "floordiv": quotient,
    "mod": remainder,
    "lshift": shifted(False),
    "rshift": shifted(True),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
for name, compute in OPERATORS.items():
    plain, reflected = operator(compute)
    setattr(Value, f"__{name}__", plain)
    setattr(Value, f"__r{name}__", reflected)
COMPARISONS = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}
for name, compute in COMPARISONS.items():
    setattr(Value, f"__{name}__", operator(compute, 1)[0])
Value.__neg__ = lambda a: Value(-a.value, a.bits)


class Not(ast.NodeTransformer):
    """Python asks a tensor for its truth value; Triton does not."""

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            call = ast.Attribute(ast.Name("tl", ast.Load()), "not_", ast.Load())
            return ast.Call(call, [node.operand], [])
        return node


def where(condition, a, b):
    a, b = tensor(a), tensor(b)
    return Value(a.value if tensor(condition).value else b.value, max(a.bits, b.bits))


def extremum(choose):
    def call(a, b):
        a, b = tensor(a), tensor(b)
        return Value(choose(a.value, b.value), max(a.bits, b.bits))

    return call


POINT = {}


def language():
    tl = types.SimpleNamespace(int32=32, int64=64)
    tl.cast = lambda x, bits: tensor(x).to(bits)
    tl.where, tl.minimum, tl.maximum = where, extremum(min), extremum(max)
    tl.not_ = lambda x: Value(1 - x.value, 1) if isinstance(x, Value) else not x
    tl.program_id = lambda axis: Value(POINT[f"program_id_{axis}"], 32)
    tl.num_programs = lambda axis: Value(POINT[f"num_programs_{axis}"], 32)
    tl.arange = lambda a, b: Value(POINT[f"arange_{a}_{b}"], 32)
    return tl


def run(source):
    scope = {"tl": language(), "triton": types.SimpleNamespace(jit=lambda f: f)}
    tree = ast.fix_missing_locations(Not().visit(ast.parse(source)))
    tree.body = [part for part in tree.body if not isinstance(part, ast.Import)]
    exec(compile(tree, "functions", "exec"), scope)
    compared = 0
    for line in source.splitlines():
        if not line.startswith("#? "):
            continue
        name, rest = line[3:].split(" ", 1)
        POINT.clear()
        arguments, point, wanted = json.loads(rest)
        POINT.update(point)
        for make in (tensor, int):
            found = scope[name](**{k: make(v) for k, v in arguments.items()})
            found = [tensor(f).value for f in (found if isinstance(found, tuple) else (found,))]
            assert found == wanted, f"{line}: {found}"
        compared += 1
    print(f"{compared} calls are right")


def compile_by_triton(path, source):
    try:
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
    except ImportError:
        return 3
    import importlib.util

    functions = [part for part in ast.parse(source).body if isinstance(part, ast.FunctionDef)]
    kernels, signatures = [], {}
    for function in functions:
        names = [a.arg for a in function.args.args]
        returned = function.body[-1].value
        results = len(returned.elts) if isinstance(returned, ast.Tuple) else 1
        # with parameters that are known and with some that are not
        for kind, given in (("values", names), ("numbers", ["1"] * len(names))):
            kernel = f"kernel_{kind}_{function.name}"
            targets = ", ".join(f"quaff_{i}" for i in range(results))
            stores = "\n".join(f"    tl.store(quaff_p + quaff_{i} * 0, quaff_{i})" for i in range(results))
            kernels.append(
                f"\n\n@triton.jit\ndef {kernel}({', '.join(['quaff_p', *names])}):\n"
                f"    {targets} = {function.name}({', '.join(given)})\n{stores}\n"
            )
            signatures[kernel] = {"quaff_p": "*i64", **{n: "i32" for n in names}}
    whole = path + ".kernels.py"
    with open(whole, "w") as file:
        file.write(source + "".join(kernels))
    spec = importlib.util.spec_from_file_location("functions", whole)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for kernel, signature in signatures.items():
        source = ASTSource(fn=getattr(module, kernel), signature=signature, constexprs={})
        triton.compile(source, target=GPUTarget("cuda", 90, 32))
    print(f"{len(functions)} functions compiled by Triton {triton.__version__}")
    return 0


def main():
    mode, path = sys.argv[1:]
    with open(path) as file:
        source = file.read()
    if mode == "run":
        return run(source)
    return compile_by_triton(path, source)


if __name__ == "__main__":
    sys.exit(main())
