"""What the adapters share: expressions of quaff as terms of another system."""

import quaff
from quaff._nodes import nodes_of

INT32 = (-(1 << 31), (1 << 31) - 1)
INT64 = (-(1 << 63), (1 << 63) - 1)


class Refused(Exception):
    """What a system cannot express, or has no answer for."""


class System:
    """One system. `read` makes its terms of a text, `simplify` is the call that is timed, and `write` gives a text back.

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
        """The name that a variable has inside of the system: one that is a name in every language."""
        return next(own for own, given in self.names.items() if given == name)

    def given(self, expr):
        """An expression over own names as a text over the names of the corpus."""
        return str(with_truth_values(expr.rename({own: self.names[own] for own in expr.variables if own in self.names})))

    def built(self, text, const, var, operations):
        """The terms of a text. `operations` has a function of terms for each operator; a text with another one is refused."""
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
    """The same with conditions as quaff writes them: systems without `not`, or with `&` alone, compare a condition with a number."""
    made = {}
    for part in expr.walk():
        args = [made[a] for a in part.args]
        of_truth = _of_truth(part.op, args)
        made[part] = of_truth if of_truth is not None else quaff.Expr.make(part.op, *args) if args else part
    return made[expr]


def _of_truth(op, args):
    """A node of conditions; None where it is none."""
    if not args or args[0].op not in CONDITIONS:
        return None
    first, values = args[0], [a.value for a in args[1:]]
    if op in ("bitand", "bitor") and args[1].op in CONDITIONS:
        return quaff.Expr.make(op.removeprefix("bit"), *args)
    if (op, values) in (("ne", [1]), ("eq", [0]), ("select", [0, 1])):
        return quaff.Expr.make("not", first)
    return first if (op, values) in (("ne", [0]), ("eq", [1]), ("select", [1, 0])) else None


def in_range(value, ends, what):
    """A number that a type has."""
    if not ends[0] <= value <= ends[1]:
        raise Refused(what)
    return value
