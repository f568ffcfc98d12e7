"""The inputs of an index map, and whether the map is a map of iterators, decided by ``quaff.ask``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tvm import ir
from tvm.sym.iter_affine_map import IterMapLevel

from quaff import ask
from quaff._errors import Error
from quaff._quaff import Domain, Expr
from quaff._tvm_analyzer import Analyzer, with_ranges
from quaff._types import ExprLike

# The prefix of the names of counted inputs. No variable of a question has this prefix.
OWN = "_iter_"


class Inputs:
    """The inputs of a map. A new variable counts each input from 0. Therefore only the range in the question applies to
    the input, and no other facts. If a variable is an extent, or a factor of an extent, it is assumed to be at least 1.

    Attributes:
        analyzer: the known facts.
        names: the names of the counted inputs.
        extents: the number of values of each input.
        predicate: a condition that the inputs satisfy.
    """

    def __init__(self, input_iters: Mapping[Any, ir.Range], predicate: Any, analyzer: Analyzer | None):
        self.analyzer = with_ranges(None, analyzer)
        self._into: dict[str | Expr, ExprLike] = {}
        self._back: dict[str | Expr, ExprLike] = {}
        self.extents: dict[str, Expr] = {}
        self.kinds = list(input_iters)
        for k, (var, range_) in enumerate(input_iters.items()):
            name, own = self.analyzer._name(var), f"{OWN}{k}"
            first = expr_of(self.analyzer._read(range_.min))
            self.extents[own] = expr_of(self.analyzer._read(range_.extent))
            self._into[name] = Expr.var(own) if first == Expr(0) else Expr.var(own) + first
            self._back[own] = Expr.var(name) if first == Expr(0) else Expr.var(name) - first
        self.names = list(self.extents)
        self.predicate = self.read(predicate)
        self._domain: tuple[Domain, Domain] | None = None

    @property
    def domain(self) -> Domain:
        """The domain of the counted inputs and of all variables that were read."""
        outer = self.analyzer.domain
        if self._domain is None or self._domain[0] is not outer:
            ranges = {own: (0, minus_one(extent)) for own, extent in self.extents.items()}
            is_true = self.predicate.op == "const" and self.predicate.value != 0
            sizes = {v: (1, None) for extent in self.extents.values() for v in factors(extent)}
            self._domain = outer, outer.extended({**sizes, **ranges}, assume=[] if is_true else [self.predicate])
        return self._domain[1]

    def read(self, expr: Any) -> Expr:
        """Reads an expression over the counted inputs."""
        return expr_of(self.analyzer._read(expr)).subs(self._into)

    def write(self, expr: Expr) -> Any:
        """Writes an expression over the original inputs."""
        simple = self.analyzer._memo.simplify_all([expr], self.domain)[0]
        return self.analyzer.write(self.analyzer._simplified([simple.subs(self._back)])[0], self.kinds)

    def write_condition(self, expr: Expr) -> Any:
        """Writes a condition over the original inputs that is right for all values of the inputs, even outside of their
        ranges."""
        return self.analyzer.write(self.analyzer._simplified([expr.subs(self._back)])[0], self.kinds, is_condition=True)

    def has_input(self, expr: Expr) -> bool:
        """Whether an expression contains an input."""
        return any(v in self.extents for v in expr.variables)


def expr_of(read: Any) -> Expr:
    return read if isinstance(read, Expr) else Expr(read)


def factors(extent: Expr) -> list[str]:
    """The variables that are factors of the extent."""
    found: list[str] = []
    todo = [extent]
    while todo:
        part = todo.pop()
        todo.extend(part.args if part.op == "mul" else [])
        if part.name is not None:
            found.append(part.name)
    return found


def minus_one(extent: Expr) -> Expr:
    """The last of ``extent`` values that are counted from 0."""
    return extent - 1 if extent.value is None else Expr(extent.value - 1)


def level_of(level: Any) -> IterMapLevel:
    return IterMapLevel.from_str(level) if level is None or isinstance(level, str) else IterMapLevel(level)


def detected(inputs: Inputs, asked: list[Expr], level: IterMapLevel) -> tuple[dict[str, Any] | None, str]:
    """The answer of ``ask.detect`` to the expressions as given, or else in their simplest form. None and the reason if
    neither succeeds."""
    why = ""
    for exprs in (asked, None):
        exprs = inputs.analyzer._memo.simplify_all(asked, inputs.domain) if exprs is None else exprs
        try:
            found = ask.detect(exprs, inputs.names, inputs.domain)
        except (Error, ValueError) as e:
            return None, why or str(e)
        if "no_iterator" in found:
            reason = f"no iterator: {found['no_iterator']}"
        elif any(len(output["iterators"]) > 1 for output in found["outputs"]):
            reason = "more than one iterator in an index"
        else:
            reason = _unmet(level, found, inputs) or ""
            if not reason:
                return found, ""
        why = why or reason
    return None, why


def _unmet(level: IterMapLevel, found: Mapping[str, Any], inputs: Inputs) -> str | None:
    """The reason why a map does not meet a check level, such as "bijective". None if it meets the level."""
    if level == IterMapLevel.NoCheck or found["bijective"] is True:
        return None
    if level == IterMapLevel.Bijective:
        return "the map is not proved to be bijective"
    digits = [i for output in found["outputs"] for i in output["iterators"]]
    used = [n for n in inputs.names if any(n in i["digit"].variables for i in digits)]
    if not digits:
        return None
    try:
        is_surjective, _ = ask.surjective([i["digit"] for i in digits], [i["extent"] for i in digits], inputs.names, inputs.domain)
        if is_surjective is not True and len(used) < len(inputs.names) and inputs.predicate.op == "const":
            # inputs that are not used have no effect on the map
            again = ask.detect([i["digit"] for i in digits], used, inputs.domain)
            is_surjective = again.get("bijective")
    except (Error, ValueError) as e:
        return str(e)
    return None if is_surjective is True else "the iterators are not proved to take all values together"
