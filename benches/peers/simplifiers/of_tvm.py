"""The adapter of TVM. It runs `Analyzer.simplify` with bound ranges, in 64 bits."""

import quaff
from quaff.tvm import from_quaff, to_quaff
from simplifiers.terms import Refused, System, with_truth_values
from tvm import sym, tirx
from tvm.ir import Range


class Tvm(System):
    def __init__(self, ranges, line):
        super().__init__(ranges, line)
        self.vars = {name: tirx.Var(own, "int64") for own, name in self.names.items()}
        self.analyzer = sym.Analyzer()
        for name, (lower, upper) in ranges.items():
            self.analyzer.bind(self.vars[name], Range(tirx.const(lower, "int64"), tirx.const(upper + 1, "int64")))

    def read(self, text):
        try:
            return from_quaff(quaff.Expr(text), self.vars, "int64")
        except quaff.Error as e:
            raise Refused(e.message) from e

    def simplify(self, terms):
        return self.analyzer.simplify(terms)

    def write(self, terms):
        expr, _, meaning = to_quaff(terms, {var: self.ranges[name] for name, var in self.vars.items()})
        names = {own: name for own, var in meaning.items() for name, v in self.vars.items() if v.same_as(var)}
        return str(with_truth_values(expr.rename(names)))
