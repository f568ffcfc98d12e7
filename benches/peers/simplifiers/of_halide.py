"""The adapter of Halide. Halide's package has no function that simplifies, so the lowering of a loop nest is measured. It simplifies under
the loops.

The time is the time of the whole lowering. Definitions of loop-invariant values and common parts are substituted into the expression.
"""

import re
import tempfile

import halide as hl
import quaff
from simplifiers.terms import INT32, Refused, System, in_range

VALUE = re.compile(r"^\s*q\[.*?\] = (.*)$", re.M)
INNER = re.compile(r"let (\S+) = (.*?) in (.*)$")
LET = re.compile(r"^\s*let (\S+) = (.*)$", re.M)


class Halide(System):
    def __init__(self, ranges, line):
        super().__init__(ranges, line)
        for ends in ranges.values():
            for end in ends:
                in_range(end, INT32, "a range beyond 32 bits")
        self.vars = {name: hl.Var(own) for own, name in self.names.items()}
        self.file = tempfile.NamedTemporaryFile(suffix=".stmt")

    def read(self, text):
        domain, number = self.line.domain, lambda c: hl.cast(hl.Int(32), c)
        if any(quaff.bounds(part.args[1], domain)[0] <= 0 for part in quaff.Expr(text).walk() if part.op in ("floordiv", "mod")):
            # a remainder of Halide is never negative, so its quotient is not rounded down for a negative divisor
            raise Refused("a divisor that may be negative")
        operations = {
            "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "neg": lambda a: -a, "mul": lambda a, b: a * b,
            "floordiv": lambda a, b: a / b, "mod": lambda a, b: a % b, "min": hl.min, "max": hl.max,
        }  # fmt: skip
        conditions = {
            "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
            "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
        }  # fmt: skip

        def integer(x):
            return hl.select(x, number(1), number(0)) if x.type() == hl.Bool() else x

        def truth(x):
            return x if x.type() == hl.Bool() else x != 0

        def of(f, kind):
            return lambda *args: f(*map(kind, args))

        table = {name: of(f, integer) for name, f in {**operations, **conditions}.items()}
        table.update({"and": of(lambda a, b: a & b, truth), "or": of(lambda a, b: a | b, truth)})
        table["not"] = of(lambda a: a == hl.cast(hl.Bool(), 0), truth)
        table["select"] = lambda c, a, b: hl.select(truth(c), integer(a), integer(b))
        leaf = lambda name: hl.Expr(self.vars[name])  # noqa: E731
        whole = self.built(text, lambda c: number(in_range(c, INT32, "a constant beyond 32 bits")), leaf, table)
        # Halide adds a number to the name of every further function `q`, so `write` reads the name from the function
        function, loops = hl.Func("q"), list(self.vars.values()) or [hl.Var("v0")]
        function[tuple(loops)] = integer(whole)
        for var, (lower, upper) in zip(loops, self.ranges.values() or [(0, 0)]):
            in_range(upper - lower + 1, INT32, "a range beyond 32 bits")
            function.bound(var, lower, upper - lower + 1).partition(var, hl.Partition.Never)
        return function

    def simplify(self, function):
        function.compile_to_lowered_stmt(self.file.name, [], hl.StmtOutputFormat.Text)
        return function

    def write(self, function):
        name = function.name()
        with open(self.file.name, encoding="utf-8") as f:
            text = f.read().replace(f"{name}.s0.", "").replace(f"{name}[", "q[")
        found = VALUE.findall(text)
        if len(found) != 1:
            raise Refused("a lowered loop nest with several stores")
        return self.given(self.expr(found[0], dict(LET.findall(text))))

    def expr(self, text, lets):
        """A text of Halide as an expression. No divisor is negative, so `/` and `%` round down."""
        if inner := INNER.match(text):
            name, value, body = inner.groups()
            return self.expr(body, {**lets, name: value})
        # all parts have the types `int32` and `uint1`, so the names of these types are removed
        text = re.sub(r"\(u?int(?:1|32)\)|\bu?int(?:1|32)(?=\()", "", text)
        for theirs, ours in [("&&", " and "), ("||", " or "), ("/", "//"), ("select(", "where(")]:
            text = text.replace(theirs, ours)
        expr = quaff.Expr.parse(re.sub(r"!(?!=)", " not ", text))
        meaning = {n: self.expr(lets[n], lets) for n in expr.variables if n in lets}
        # Halide moves a loop with another first value to 0
        rebased = ((own, lower) for own, (lower, _) in zip(self.names, self.ranges.values()))
        return expr.subs({**meaning, **{f"{own}.rebased": quaff.Expr.var(own) - lower for own, lower in rebased}})
