"""Compares `quaff.tvm` with the members and functions of TVM's analysis. The questions are random, and answers are checked at all
points."""

import collections
import contextlib
import itertools
import operator

import quaff
import quaff.tvm
from quaff import Expr
from table import compared

RANGES = {"x": (0, 11), "y": (0, 5), "z": (-3, 4)}
POINTS = [dict(zip(RANGES, at)) for at in itertools.product(*(range(lo, hi + 1) for lo, hi in RANGES.values()))]
COMPARISONS = {"<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne}
DIGITS = ["{}", "{}//2", "{}//3", "{}%2", "{}//2%3", "{}%4"]
SOURCES = ["x", "y", "x*6 + y", "y*12 + x", "x*2 + y", "11 - x", "x*6 + y + 2"]


class Questions:
    """Random expressions of TVM over `x`, `y` and `z`, and verdicts on the answers about them."""

    def __init__(self, rng):
        from tvm import sym, tirx
        from tvm.ir import Range

        self.rng, self.sym, self.tirx, self.range = rng, sym, tirx, Range
        self.vars = {name: tirx.Var(name, "int32") for name in RANGES}
        self.scales = quaff.Simplifier(rounds=0)
        self.refuted = collections.Counter()

    def judged(self, counts, member, is_right, is_peer_right, own, peer):
        """Adds a verdict. An answer of quaff that a point refutes is wrong. A refuted answer of TVM counts as weaker than a right
        answer."""
        self.refuted[member] += not is_peer_right
        counts.add(member, "wrong" if not is_right else "above" if not is_peer_right else compared(own, peer))

    def expression(self, depth=3):
        """A random expression with operators that both systems have."""
        rng, tirx = self.rng, self.tirx
        if depth == 0 or rng.random() < 0.15:
            return rng.choice([*self.vars.values(), *self.vars.values(), tirx.const(rng.randint(-4, 16), "int32")])
        left, right, number = self.expression(depth - 1), self.expression(depth - 1), tirx.const(rng.choice([2, 3, 4, 6, 8]), "int32")
        return rng.choice(
            [
                lambda: tirx.Add(left, right), lambda: tirx.Sub(left, right), lambda: tirx.Mul(left, number),
                lambda: tirx.FloorDiv(left, number), lambda: tirx.FloorMod(left, number), lambda: tirx.Div(left, number),
                lambda: tirx.Mod(left, number), lambda: tirx.Min(left, right), lambda: tirx.Max(left, right),
                lambda: tirx.Select(self.condition(depth - 1), left, right),
            ]
        )()

    def condition(self, depth=2):
        kind = self.rng.choice([self.tirx.LT, self.tirx.LE, self.tirx.EQ, self.tirx.GT])
        return kind(self.expression(depth), self.expression(depth))

    def index(self):
        """A random digit of a sum of inputs, like TVM's iterators."""
        formula = self.rng.choice(DIGITS).format(f"({self.rng.choice(SOURCES)})")
        return eval(formula, dict(self.vars))

    def analyzers(self):
        found = self.sym.Analyzer(), quaff.tvm.Analyzer()
        for name, (lo, hi) in RANGES.items():
            for analyzer in found:
                analyzer.bind(self.vars[name], self.range(lo, hi + 1))
        return found

    def read(self, expr):
        return quaff.tvm.to_quaff(expr)[0]

    def values(self, expr, points=POINTS, **more):
        function = self.read(expr).lambdify(*RANGES, *more)
        return [function(*at.values(), *more.values()) for at in points]

    def price(self, expr):
        read, domain, _ = quaff.tvm.to_quaff(expr, {self.vars[n]: ends for n, ends in RANGES.items()})
        return self.scales.simplify(read, domain).input_cost


def of_analyzer(questions, count, counts):
    """Compares the members of the analyzer."""
    theirs, ours = questions.analyzers()
    for _ in range(count):
        expr, other = questions.expression(), questions.expression()
        values, others = questions.values(expr), questions.values(other)
        for member in ("simplify", "rewrite_simplify", "canonical_simplify"):
            own = getattr(ours, member)(expr)
            peer = getattr(theirs, member)(expr)
            right = [questions.values(answer) == values for answer in (own, peer)]
            questions.judged(counts, member, *right, questions.price(peer), questions.price(own))
        own, peer = ours.const_int_bound(expr), theirs.const_int_bound(expr)
        right = [a.min_value <= min(values) and max(values) <= a.max_value for a in (own, peer)]
        questions.judged(counts, "const_int_bound", *right, peer.max_value - peer.min_value, own.max_value - own.min_value)
        own, peer, infinite = ours.modular_set(expr), theirs.modular_set(expr), 1 << 40
        right = [all((v - a.base) % a.coeff == 0 if a.coeff else v == a.base for v in values) for a in (own, peer)]
        questions.judged(counts, "modular_set", *right, own.coeff or infinite, peer.coeff or infinite)
        sign, compare = questions.rng.choice(list(COMPARISONS.items()))
        condition = {"<": questions.tirx.LT, "<=": questions.tirx.LE, "==": questions.tirx.EQ, "!=": questions.tirx.NE}[sign](expr, other)
        truth = all(map(compare, values, others))
        own, peer = ours.can_prove(condition), theirs.can_prove(condition)
        questions.judged(counts, "can_prove", truth or not own, truth or not peer, own, peer)
        same = ours.simplify(expr) if questions.rng.random() < 0.5 else other
        own, peer = ours.can_prove_equal(expr, same), theirs.can_prove_equal(expr, same)
        truth = values == questions.values(same)
        questions.judged(counts, "can_prove_equal", truth or not own, truth or not peer, own, peer)
        own, peer = ours.try_compare(expr, other), theirs.try_compare(expr, other)
        checks = {"EQ": operator.eq, "LT": operator.lt, "LE": operator.le, "GT": operator.gt, "GE": operator.ge, "NE": operator.ne}
        names = [questions.sym.CompareResult(answer).name for answer in (own, peer)]
        right = [name == "UNKNOWN" or all(map(checks[name], values, others)) for name in names]
        questions.judged(counts, "try_compare", *right, own != 7, peer != 7)
        of_scope(questions, theirs, ours, expr, condition, list(zip(values, others)), compare, counts)
        of_set(questions, theirs, ours, expr, values, counts)


def of_scope(questions, theirs, ours, expr, condition, values, compare, counts):
    """Compares the bounds of an expression within a scope."""
    inside = [v for v, w in values if compare(v, w)]
    if not inside:
        return
    with theirs.constraint_scope(condition):
        peer = theirs.const_int_bound(expr)
    with ours.constraint_scope(condition):
        own = ours.const_int_bound(expr)
    right = [a.min_value <= min(inside) and max(inside) <= a.max_value for a in (own, peer)]
    questions.judged(counts, "constraint_scope", *right, peer.max_value - peer.min_value, own.max_value - own.min_value)


def ends(questions, found, points, **more):
    """The ends of an interval at points. None if an end is open."""
    infinite = questions.sym.int_set.neg_inf(), questions.sym.int_set.pos_inf()
    for end in (found.min_value, found.max_value):
        yield None if any(end.same_as(i) for i in infinite) else questions.values(end, points, **more)


def of_set(questions, theirs, ours, expr, values, counts):
    """Compares intervals with `y` as a symbol."""
    domains = {questions.vars[n]: questions.sym.IntervalSet(*RANGES[n]) for n in ("x", "z")}
    own, peer = (list(ends(questions, a.int_set(expr, domains), POINTS)) for a in (ours, theirs))
    right = [all(end is None or all(sign * e <= sign * v for e, v in zip(end, values)) for end, sign in zip(a, (1, -1))) for a in (own, peer)]
    sizes = [float("inf") if None in found else sum(b - a for a, b in zip(*found)) for found in (own, peer)]
    questions.judged(counts, "int_set", *right, sizes[1], sizes[0])


def of_maps(questions, count, counts):
    """Compares maps of indices with the inputs `x` and `y`."""
    sym, ours = questions.sym, quaff.tvm
    inputs = {questions.vars[n]: questions.range(RANGES[n][0], RANGES[n][1] + 1) for n in ("x", "y")}
    points = [{**at, "z": 0} for at in POINTS if at["z"] == 0]
    for _ in range(count):
        indices = [questions.index() for _ in range(questions.rng.randint(1, 2))]
        values = [questions.values(i, points) for i in indices]
        for level in ("nocheck", "surjective", "bijective"):
            own, peer = (m.detect_iter_map(indices, inputs, check_level=level) for m in (ours, sym))
            is_right = all(questions.values(ours.normalize_iter_map_to_expr(s), points) == v for s, v in zip(own.indices, values))
            is_right &= level != "bijective" or not own.indices or len(set(zip(*values))) == len(points)
            counts.add(f"detect_iter_map, {level}", compared(bool(own.indices), bool(len(peer.indices))) if is_right else "wrong")
        own, peer = (m.detect_iter_map(indices, inputs, check_level="bijective") for m in (ours, sym))
        if len(peer.indices) or own.indices:
            of_inverse(questions, own, peer, values, points, counts)
        inner = [questions.vars[questions.rng.choice(["x", "y"])]]
        own, peer = (m.subspace_divide(indices, inputs, inner) for m in (ours, sym))
        is_right = all(
            [a * int(pair[1].extent) + b for a, b in zip(*(questions.values(ours.normalize_iter_map_to_expr(m.source), points) for m in pair))] == v
            for pair, v in zip(own[:-1], values)
        )
        counts.add("subspace_divide", compared(bool(own), bool(len(peer))) if is_right else "wrong")
        for own, peer, v in zip(*(m.iter_map_simplify(indices, inputs) for m in (ours, sym)), values):
            is_right = questions.values(own, points) == v
            counts.add("iter_map_simplify", compared(questions.price(peer), questions.price(own)) if is_right else "wrong")
        whole = indices[0] * questions.rng.choice([1, 2, 4]) + questions.rng.choice([questions.vars["z"], questions.vars["x"] * questions.vars["y"]])
        own, peer = (m.normalize_to_iter_sum(whole, inputs) for m in (ours, sym))
        is_right = questions.values(ours.normalize_iter_map_to_expr(own), points) == questions.values(whole, points)
        left = [len({"x", "y"} & set(questions.read(s.base).variables)) for s in (own, peer)]
        counts.add("normalize_to_iter_sum", compared(left[1], left[0]) if is_right else "wrong")


def of_inverse(questions, own, peer, values, points, counts):
    outputs = [questions.tirx.Var(f"o{k}", "int32") for k in range(len(values))]
    found = []
    for module, sums in ((quaff.tvm, own), (questions.sym, peer)):
        with contextlib.suppress(Exception):
            found.append((module, module.inverse_affine_iter_map(sums.indices, outputs) if len(sums.indices) else None))
    by = dict(found)
    own, peer = by.get(quaff.tvm), by.get(questions.sym)
    is_right = True
    for name in ("x", "y") if own else ():
        function = questions.read(own[questions.vars[name]]).lambdify("o0", "o1")
        is_right &= all(function(*(v[k] for v in values), *[0] * (2 - len(values))) == at[name] for k, at in enumerate(points))
    counts.add("inverse_affine_iter_map", compared(own is not None, peer is not None) if is_right else "wrong")


def of_regions(questions, count, counts):
    """Compares regions of accesses with the inputs `x` and `y`."""
    inputs = {questions.vars[n]: questions.range(RANGES[n][0], RANGES[n][1] + 1) for n in ("x", "y")}
    points = [{**at, "z": 0} for at in POINTS if at["z"] == 0]
    for _ in range(count):
        region = [(questions.index() * questions.rng.choice([1, 1, 2]), questions.rng.choice([1, 2])) for _ in range(questions.rng.randint(1, 2))]
        ranges = [questions.range.from_min_extent(first, width) for first, width in region]
        firsts = [questions.values(first, points) for first, _ in region]
        truth = {p for at in zip(*firsts) for p in itertools.product(*(range(f, f + width) for f, (_, width) in zip(at, region)))}
        for kind, check in (("lower", lambda box: box <= truth), ("strict", lambda box: box == truth), ("upper", lambda box: truth <= box)):
            boxes = []
            for module in (quaff.tvm, questions.sym):
                found = getattr(module, f"estimate_region_{kind}_bound")(ranges, inputs, True)
                sides = None if found is None else [[questions.values(e, points[:1])[0] for e in (s.min_value, s.max_value)] for s in found]
                boxes.append(None if sides is None else set(itertools.product(*(range(lo, hi + 1) for lo, hi in sides))))
            right = [b is None or check(b) for b in boxes]
            sizes = [-1 if b is None else len(b) for b in boxes]
            questions.judged(counts, f"estimate_region_{kind}_bound", *right, *(sizes if kind != "upper" else sizes[::-1]))


def of_conditions(questions, count, counts):
    """Compares conditions that are solved for `x`, and linear equations."""
    sym, x, y = questions.sym, questions.vars["x"], questions.vars["y"]
    infinite = {"neg_inf": -(10**9), "pos_inf": 10**9}
    for _ in range(count):
        c, d, k = (questions.rng.choice([-3, -2, 1, 2, 4, 5]) for _ in range(3))
        left = questions.rng.choice([x * c + y * d, (x * c + y) // abs(d), (x + y * k) * c, x // 3 * c - y, (x + k) // 4 + y])
        condition = questions.rng.choice([left < k * 7, left >= k * 3, left <= k * 5, left > k])
        domains = {y: sym.IntervalSet(*RANGES["y"])}
        function = questions.read(condition).lambdify("x", "y")
        truth = [v for v in range(-90, 90) if all(function(v, w) for w in range(RANGES["y"][0], RANGES["y"][1] + 1))]
        inside = []
        for module in (quaff.tvm, sym):
            found = module.deduce_bound(x, condition, domains, domains)
            lo, hi = (infinite.get(getattr(e, "name", ""), None) if hasattr(e, "name") else int(e) for e in (found.min_value, found.max_value))
            inside.append([v for v in range(-90, 90) if lo <= v <= hi])
        right = [set(found) <= set(truth) for found in inside]
        questions.judged(counts, "deduce_bound", *right, len(inside[0]), len(inside[1]))
        expr = questions.rng.choice([x * c + y * d + k, (x + y) * c - x, x * y * c + y + k, x // 2 + y, questions.expression(2)])
        own, peer = (m.detect_linear_equation(expr, [x]) for m in (quaff.tvm, sym))
        is_right = not own or questions.values(own[0] * x + own[1]) == questions.values(expr)
        counts.add("detect_linear_equation", compared(bool(own), bool(len(peer))) if is_right else "wrong")
        clips = questions.tirx.all(x * abs(c) + y * d < k * 7, x + k > y)
        own, peer = (m.detect_clip_bound(clips, [x]) for m in (quaff.tvm, sym))
        truth = questions.values(clips)
        within = [True] * len(POINTS)
        for end, sign in zip(own, (1, -1)):
            if end is not None:
                within = [w and sign * e <= sign * at["x"] for w, e, at in zip(within, questions.values(end), POINTS)]
        is_right = not own or [bool(t) for t in truth] == within
        counts.add("detect_clip_bound", compared(bool(own), bool(len(peer))) if is_right else "wrong")


def compare(rng, count, counts):
    questions = Questions(rng)
    of_analyzer(questions, count, counts)
    of_maps(questions, count // 3, counts)
    of_regions(questions, count // 3, counts)
    of_conditions(questions, count // 3, counts)
    refuted = ", ".join(f"{member} {n}" for member, n in questions.refuted.items() if n)
    print(f"answers of TVM that the points refute, above: {refuted or 'none'}\n")
