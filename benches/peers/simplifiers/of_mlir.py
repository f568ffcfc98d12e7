"""The adapter of MLIR, from IREE's wheel. It canonicalizes `affine.apply` in loops over the ranges. Operations that are not affine are
written in `arith`.

MLIR's patterns know only the bounds of loops about a variable. The operands of `affine.apply` are loop variables. Therefore every operation
on the result of a choice is written in `arith`.
"""

import functools

import quaff
from iree.compiler import ir, passmanager
from simplifiers.terms import INT64, Refused, System, in_range

PASSES = "canonicalize,cse,affine-simplify-with-bounds,affine-simplify-min-max,canonicalize,cse"
COMPARE = ["eq", "ne", "lt", "le", "gt", "ge", "lt", "le", "gt", "ge"]
PREDICATES = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
# The operations of `arith` in answers. Unsigned operations have operands that are not negative.
READ = {
    "addi": "add", "subi": "sub", "muli": "mul", "floordivsi": "floordiv", "divsi": "truncdiv", "remsi": "truncmod", "divui": "floordiv",
    "remui": "mod", "minsi": "min", "maxsi": "max", "minui": "min", "maxui": "max", "select": "select",
}  # fmt: skip
LOGIC = {"andi": "and", "ori": "or", "xori": "ne"}


@functools.cache
def context():
    with ir.Context() as made:
        # one thread suffices for one function, and only the time of this thread is measured
        made.enable_multithreading(False)
        return made, passmanager.PassManager.parse(f"builtin.module(func.func({PASSES}))")


class Affine:
    """An affine expression as a text over loop variables."""

    def __init__(self, text, constant=None):
        self.text, self.constant = text, constant


class Mlir(System):
    def __init__(self, ranges, line):
        super().__init__(ranges, line)
        self.lines, self.context, self.passes = [], *context()
        for ends in ranges.values():
            for end in ends:
                in_range(end + 1, INT64, "a range beyond 64 bits")
        # a variable with a single value is written as a number
        self.loops = {own: ends for own, ends in zip(self.names, ranges.values()) if ends[0] < ends[1]}

    def constant(self, c):
        return Affine(f"({in_range(c, INT64, 'a constant beyond 64 bits')})", c)

    def value(self, x):
        """The name of an SSA value of type `index`."""
        if isinstance(x, Affine):
            dims, operands = ", ".join(self.loops), ", ".join("%" + own for own in self.loops)
            return self.emit(f"affine.apply affine_map<({dims}) -> ({x.text})>({operands})")
        name, kind = x
        return name if kind == "index" else self.emit(f"arith.index_castui {name} : i1 to index")

    def truth(self, x):
        if not isinstance(x, Affine) and x[1] == "i1":
            return x[0]
        return self.emit(f"arith.cmpi ne, {self.value(x)}, {self.value(self.constant(0))} : index")

    def emit(self, text):
        self.lines.append(f"%t{len(self.lines)} = {text}")
        return f"%t{len(self.lines) - 1}"

    def arithmetic(self, name, a, b):
        return self.emit(f"arith.{name} {self.value(a)}, {self.value(b)} : index"), "index"

    def both(self, sign, name):
        """An operation that is affine for affine operands."""

        def f(a, b):
            affine = isinstance(a, Affine) and isinstance(b, Affine)
            return Affine(f"({a.text} {sign} {b.text})") if affine else self.arithmetic(name, a, b)

        return f

    def product(self, a, b):
        known = [x for x in (a, b) if isinstance(x, Affine) and x.constant is not None]
        return self.both("*", "muli")(a, b) if known else self.arithmetic("muli", a, b)

    def divided(self, sign):
        def f(a, b):
            if isinstance(a, Affine) and isinstance(b, Affine) and (b.constant or 0) > 0:
                return Affine(f"({a.text} {sign} {b.text})")
            quotient = self.arithmetic("floordivsi", a, b)
            return quotient if sign == "floordiv" else self.arithmetic("subi", a, self.arithmetic("muli", quotient, b))

        return f

    def logic(self, name):
        return lambda a, b: (self.emit(f"arith.{name} {self.truth(a)}, {self.truth(b)} : i1"), "i1")

    def operations(self):
        def compared(predicate):
            return lambda a, b: (self.emit(f"arith.cmpi {predicate}, {self.value(a)}, {self.value(b)} : index"), "i1")

        def negated(a):
            truth = self.truth(a)
            return self.emit(f"arith.xori {truth}, {self.emit('arith.constant true')} : i1"), "i1"

        return {
            "add": self.both("+", "addi"), "sub": self.both("-", "subi"), "mul": self.product, "floordiv": self.divided("floordiv"),
            "mod": self.divided("mod"), "neg": lambda a: self.product(a, self.constant(-1)),
            "min": lambda a, b: self.arithmetic("minsi", a, b), "max": lambda a, b: self.arithmetic("maxsi", a, b),
            "and": self.logic("andi"), "or": self.logic("ori"), "not": negated,
            "select": lambda c, a, b: (self.emit(f"arith.select {self.truth(c)}, {self.value(a)}, {self.value(b)} : index"), "index"),
            **{name: compared(predicate) for name, predicate in PREDICATES.items()},
        }  # fmt: skip

    def read(self, text):
        self.lines = []
        variables = {given: Affine(own) if own in self.loops else self.constant(self.ranges[given][0]) for own, given in self.names.items()}
        root = self.value(self.built(text, self.constant, variables.__getitem__, self.operations()))
        opens = [f"affine.for %{own} = {lower} to {upper + 1} {{" for own, (lower, upper) in self.loops.items()]
        body = [*opens, *self.lines, f"memref.store {root}, %m[%c0] : memref<1xindex>", "}" * len(opens)]
        source = ["func.func @f(%m: memref<1xindex>) {", "%c0 = arith.constant 0 : index", *body, "return", "}"]
        with self.context:
            return ir.Module.parse("\n".join(source))

    def simplify(self, module):
        with self.context:
            self.passes.run(module.operation)
        return module

    def write(self, module):
        with self.context:
            self.left = list(self.loops)
            found = self.stored(module.operation, {})
        return self.given(found)

    def stored(self, operation, values):
        """The stored value, which is searched in the regions of an operation."""
        for region in operation.regions:
            for block in region.blocks:
                for op in block.operations:
                    op = op.operation
                    if op.name == "memref.store":
                        return values[op.operands[0]]
                    if op.name == "affine.for":
                        inner = op.regions[0].blocks[0].arguments[0]
                        values[inner] = quaff.Expr.var(self.left.pop(0))
                    elif len(op.results) == 1:
                        values[op.results[0]] = self.expr(op, [values[x] for x in op.operands])
                    found = self.stored(op, values)
                    if found is not None:
                        return found
        return None

    def expr(self, op, args):
        kind, name = op.name.split(".")
        if op.name == "arith.constant":
            value = op.attributes["value"]
            return quaff.Expr(int(str(value) == "true") if str(value) in ("true", "false") else ir.IntegerAttr(value).value)
        if kind == "affine" and name in ("apply", "min", "max"):
            of_map = ir.AffineMapAttr(op.attributes["map"]).value
            # the operands of dimensions come first
            bound = {f"d{i}" if i < of_map.n_dims else f"s{i - of_map.n_dims}": x for i, x in enumerate(args)}
            parts = [quaff.Expr.parse(str(part), dialect="mlir").subs(bound) for part in of_map.results]
            return functools.reduce(lambda a, b: quaff.Expr.make(name, a, b), parts)
        if op.name == "arith.cmpi":
            return quaff.Expr.make(COMPARE[ir.IntegerAttr(op.attributes["predicate"]).value], *args)
        if name in ("index_castui", "extui"):
            return args[0]
        if name in READ:
            return quaff.Expr.make(READ[name], *args)
        if name in LOGIC and str(op.results[0].type) == "i1":
            return quaff.Expr.make(LOGIC[name], *args)
        raise Refused(f"an answer with `{op.name}`")
