"""Lines of corpora: the question for a system, and the points at which values are compared."""

import functools
import itertools
import json
import math
import random

import quaff
from quaff.corpus import LineError, _domain, _fields

# The fields of a line with facts about its variables.
FACTS = ("vars", "symbolic", "step", "assume", "uniform", "loop", "defined")
# The most points of a domain that is enumerated, and the number of random points of a larger domain.
ALL_POINTS, DRAWN = 2048, 600


# The exceptions that reading, pricing and evaluating a line may raise.
UNREADABLE = (
    quaff.Error, SyntaxError, RecursionError, MemoryError, NameError, ArithmeticError, ValueError, TypeError, KeyError, AttributeError
)  # fmt: skip


class Line:
    """The expressions of a line, and the facts about their variables.

    Attributes:
        corpus: the name of the corpus file.
        number: the number of the line, counted from 1.
        facts: the fields with facts about variables.
        exprs: the texts of the expressions. For `accesses`, these are indices and gates.
    """

    def __init__(self, corpus, number, id, facts, exprs):
        self.corpus, self.number, self.id, self.facts, self.exprs = corpus, number, id, facts, exprs

    @classmethod
    def parse(cls, corpus, number, text):
        """Reads a line. None if it has no expressions.

        Raises:
            LineError: the line is not valid, or its expressions have no price.
        """
        said = _fields(text)
        if "exprs" in said:
            exprs = said["exprs"]
        elif "accesses" in said:
            accesses = [a if isinstance(a, dict) else {} for a in said["accesses"]]
            exprs = [a.get("expr") for a in accesses] + [a["gate"] for a in accesses if a.get("gate") is not None]
        elif "expr" in said:
            exprs = [said["expr"]]
        else:
            return None
        if not isinstance(exprs, list) or not exprs or not all(isinstance(e, str) for e in exprs):
            raise LineError("its expressions are no texts")
        line = cls(corpus, number, str(said.get("id", number)), {k: said[k] for k in FACTS if k in said}, exprs)
        try:
            for expr in map(quaff.Expr, exprs):
                if missing := next((v for v in expr.variables if v not in line.domain), None):
                    raise LineError(f"the variable `{missing}` has no range")
            # Python compares the values, so Python must be able to read the texts
            for needed in ("input_cost", "values"):
                getattr(line, needed)
        except UNREADABLE as e:
            raise LineError(getattr(e, "message", str(e)) or type(e).__name__) from e
        return line

    @functools.cached_property
    def domain(self):
        return _domain(self.facts)

    @functools.cached_property
    def input_cost(self):
        return self.cost(self.exprs)

    @functools.cached_property
    def ranges(self):
        """The ends of each variable as numbers. A symbolic end is replaced by a number beyond all its values."""
        found = {name: self.domain.bounds(name) for name in self.domain.vars}
        if open_ := next((name for name, ends in found.items() if None in ends), None):
            raise LineError(f"the range of `{open_}` is open")
        if odd := next((name for name in found if not name.isidentifier()), None):
            raise LineError(f"`{odd}` is no identifier of Python")
        return found

    def has_relations(self):
        """Whether the line has more facts than intervals. Only quaff gets these facts."""
        return bool({"symbolic", "step", "assume"} & set(self.facts)) or not all(
            isinstance(end, int) for ends in self.facts.get("vars", {}).values() for end in ends
        )

    def cost(self, exprs):
        """The cost of texts together, as they are written. A search begins with this price."""
        return _prices.simplify_all(exprs, self.domain).input_cost

    def record(self):
        """The line as `quaff batch` reads it."""
        return {**self.facts, **({"expr": self.exprs[0]} if len(self.exprs) == 1 else {"exprs": self.exprs})}

    @functools.cached_property
    def points(self):
        """All points of a small domain, or corners and random points of a large domain. Each run uses the same points."""
        return list(self._points())

    def _points(self):
        ranges, rng = self.ranges, random.Random(f"{self.corpus} {self.id}")
        size = 1
        for lower, upper in ranges.values():
            size *= upper - lower + 1
        conditions = [compiled(str(c), ranges) for c in self.domain.assumptions]
        if size <= ALL_POINTS:
            found = (dict(zip(ranges, at)) for at in itertools.product(*[range(lo, hi + 1) for lo, hi in ranges.values()]))
        else:
            found = (self.drawn(rng, k) for k in range(DRAWN))
        ends = [(name, end, at) for name, pair in self.ends.items() for at, end in enumerate(pair)]
        steps = self.facts.get("step") or {}
        for point in found:
            if not all(point[n] <= end(**point) if at else point[n] >= end(**point) for n, end, at in ends):
                continue
            if all((point[n] - first) % step == 0 for n, (step, first) in steps.items()) and all(c(**point) for c in conditions):
                yield point

    @functools.cached_property
    def ends(self):
        """The ends of ranges as functions of a point."""
        symbolic, names = self.facts.get("symbolic") or {}, self.ranges
        pairs = {name: (pair[0], symbolic.get(name, pair[1])) for name, pair in self.facts.get("vars", {}).items()}
        return {name: [compiled(str(end), names) for end in pair] for name, pair in pairs.items()}

    @functools.cached_property
    def values(self):
        """The values of the expressions at all points."""
        functions = [compiled(expr, self.ranges) for expr in self.exprs]
        return [[int(f(**point)) for f in functions] for point in self.points]

    def drawn(self, rng, k):
        """A random point. In the first points, each variable is at an end of its range."""
        point = {name: lower for name, (lower, _) in self.ranges.items()}
        steps, ends = self.facts.get("step") or {}, self.ends
        # an end may depend on variables that are drawn later, so there is a second round
        for _ in range(2):
            for name, (lower, upper) in ends.items():
                low, high = lower(**point), upper(**point)
                corner = k < DRAWN // 8 or rng.random() < 0.1
                point[name] = rng.choice((low, high)) if corner or high < low else rng.randint(low, high)
                step, first = steps.get(name, (1, 0))
                point[name] -= (point[name] - first) % step
        return point


_prices = quaff.Simplifier(rounds=0)


def _truncdiv(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


GLOBALS = {
    "__builtins__": {}, "where": lambda c, a, b: a if c else b, "min": min, "max": max, "gcd": math.gcd, "truncdiv": _truncdiv,
    "truncmod": lambda a, b: a - b * _truncdiv(a, b),
}  # fmt: skip


def compiled(text, names):
    """A text as a function of Python, which computes with exact integers."""
    return eval(f"lambda {', '.join(names)}: ({text})", dict(GLOBALS))


def wrong(line, exprs):
    """A text about the first point at which an answer differs from its expression. None if there is no such point."""
    try:
        functions = [(k, compiled(answer, line.ranges)) for k, answer in enumerate(exprs) if answer != line.exprs[k]]
    except (SyntaxError, RecursionError, MemoryError) as e:
        return f"Python cannot read the answer: {e}"
    for point, values in zip(line.points, line.values):
        for k, answer in functions:
            wanted = values[k]
            try:
                found = int(answer(**point))
            except ZeroDivisionError:
                found = "a division by 0"
            if wanted != found:
                return f"{found} and not {wanted} at " + ", ".join(f"{n}={v}" for n, v in point.items())
    return None


def load(path, limit=None):
    """The lines of a corpus with expressions, and `(number, why)` for each line that cannot be read. Only `limit` evenly spaced lines are
    used."""
    texts = [(n, t) for n, t in enumerate(path.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1) if t.strip()]
    lines, bad = [], []
    for number, text in sampled(texts, limit):
        try:
            line = Line.parse(path.stem, number, text.decode())
        except (LineError, UnicodeDecodeError) as e:
            bad.append((number, str(e).splitlines()[0]))
        else:
            lines += [line] if line else []
    return lines, bad


def sampled(items, limit):
    """`count` evenly spaced items."""
    if not limit or len(items) <= limit:
        return items
    return [items[k * len(items) // limit] for k in range(limit)]


def dumped(line):
    """The text of a line for another process."""
    return json.dumps({"corpus": line.corpus, "number": line.number, "id": line.id, "facts": line.facts, "exprs": line.exprs})
