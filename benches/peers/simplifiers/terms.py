"""Helpers for the adapters, which convert expressions of quaff to terms of another system."""

import quaff
from quaff._nodes import nodes_of

INT32 = (-(1 << 31), (1 << 31) - 1)
INT64 = (-(1 << 63), (1 << 63) - 1)


class Refused(Exception):
    """The system cannot express the question, or has no answer."""


class System:
    """One system. `read` converts a text to terms of the system, `simplify` is the timed call, and `write` converts the result to a text.

    Args:
        ranges: the inclusive ends of each variable, as numbers.
        line: the whole line of the corpus.
    """

    def __init__(self, ranges, line):
        self.ranges, self.line = ranges, line
        self.names = {f"v{i}": name for i, name in enumerate(ranges)}

    def read(self, text):
        raise NotImplementedError

    def simplify(self, terms):
        raise NotImplementedError

    def write(self, terms):
        raise NotImplementedError

    def own_name(self, name):
        """The name of a variable inside of the system. It is a valid name in every language."""
        return next(own for own, given in self.names.items() if given == name)

    def given(self, expr):
        """An expression over the system's names, as a text over the names of the corpus."""
        return str(with_truth_values(expr.rename({own: self.names[own] for own in expr.variables if own in self.names})))

    def built(self, text, const, var, operations):
        """The terms of a text. `operations` has a function on terms for each operator. A text with any other operator is refused."""
        words, names, (root,) = quaff.to_nodes([text])
        terms = []
        for name, args in nodes_of(words):
            if name == "const":
                terms.append(const(args[0]))
            elif name == "var":
                terms.append(var(names[args[0]]))
            elif name not in operations:
                raise Refused(f"no `{name}`")
            else:
                terms.append(operations[name](*[terms[a] for a in args]))
        return terms[root]


CONDITIONS = ("lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not")


def with_truth_values(expr):
    """The expression with conditions as quaff writes them. Systems without `not` and `and` compare a condition with a number, or use
    `&`."""
    made = {}
    for part in expr.walk():
        args = [made[a] for a in part.args]
        of_truth = _of_truth(part.op, args)
        made[part] = of_truth if of_truth is not None else quaff.Expr.make(part.op, *args) if args else part
    return made[expr]


def _of_truth(op, args):
    """The node as a condition. None if it is not a test or combination of conditions."""
    if not args or args[0].op not in CONDITIONS:
        return None
    first, values = args[0], [a.value for a in args[1:]]
    if op in ("bitand", "bitor") and args[1].op in CONDITIONS:
        return quaff.Expr.make(op.removeprefix("bit"), *args)
    if (op, values) in (("ne", [1]), ("eq", [0]), ("select", [0, 1])):
        return quaff.Expr.make("not", first)
    return first if (op, values) in (("ne", [0]), ("eq", [1]), ("select", [1, 0])) else None


def in_range(value, ends, what):
    """Returns `value` if it is between `ends`, and raises `Refused` otherwise."""
    if not ends[0] <= value <= ends[1]:
        raise Refused(what)
    return value
