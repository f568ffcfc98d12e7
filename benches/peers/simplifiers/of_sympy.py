"""The adapters of sympy and of Inductor. Indices of Inductor are sympy expressions with additional functions."""

import sympy
import quaff
from quaff.sympy import Writer, from_sympy
from simplifiers.terms import Refused, System, with_truth_values


class Sympy(System):
    """`sympy.simplify`. From a range, sympy only gets whether a variable may be negative."""

    writer = Writer

    def __init__(self, ranges, line):
        super().__init__(ranges, line)
        self.symbols = {}
        for own, name in self.names.items():
            lower, upper = ranges[name]
            signs = {"positive": True} if lower > 0 else {"nonnegative": True} if lower == 0 else {"negative": True} if upper < 0 else {}
            self.symbols[name] = sympy.Symbol(own, integer=True, **signs)

    def read(self, text):
        writer = self.writer(self.symbols)
        return writer.number(writer.write([quaff.Expr(text)])[0])

    def simplify(self, terms):
        return sympy.simplify(terms)

    def write(self, terms):
        expr, _, meaning = from_sympy(terms, {symbol: self.ranges[name] for name, symbol in self.symbols.items()})
        given = {symbol: name for name, symbol in self.symbols.items()}
        if opaque := next((part for part in meaning.values() if part not in given), None):
            raise Refused(f"an answer with `{type(opaque).__name__}`, which has no value among integers")
        return str(with_truth_values(expr.rename({own: given[symbol] for own, symbol in meaning.items()})))


class Inductor(Sympy):
    """`SizeVarAllocator.simplify_with_ranges`. It gets only ranges that begin at 0, because loops of Inductor begin at 0."""

    def __init__(self, ranges, line):
        from quaff._inductor_forms import HostWriter
        from torch._inductor.sizevars import SizeVarAllocator

        super().__init__(ranges, line)
        self.writer, self.sizes = HostWriter, SizeVarAllocator()
        self.loops = {self.symbols[name]: sympy.Integer(upper + 1) for name, (lower, upper) in ranges.items() if lower == 0}

    def simplify(self, terms):
        return self.sizes.simplify_with_ranges(terms, self.loops)
