"""The adapter of tinygrad. It runs the rewrites `symbolic`, as `UOp.simplify` does."""

import quaff
from quaff._nodes import nodes_of
from quaff._tinygrad_writer import Refused as Unwritable
from quaff._tinygrad_writer import Writer
from simplifiers.terms import INT64, Refused, System, in_range
from tinygrad.uop.ops import UOp, graph_rewrite
from tinygrad.uop.symbolic import symbolic


class Tinygrad(System):
    def read(self, text):
        words, names, (root,) = quaff.to_nodes([text])
        leaves = []
        for name in names:
            lower, upper = (in_range(end, INT64, "a range beyond 64 bits") for end in self.ranges[name])
            leaves.append(UOp.variable(self.own_name(name), lower, upper) if lower < upper else UOp.const(lower))
        try:
            return Writer(nodes_of(words), leaves, {}).integer(root)
        except Unwritable as e:
            raise Refused(str(e).removeprefix("an answer ")) from e

    def simplify(self, terms):
        return graph_rewrite(terms, symbolic)

    def write(self, terms):
        return self.given(quaff.Expr.parse(terms.render(simplify=False), dialect="tinygrad"))
