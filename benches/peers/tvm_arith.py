"""Compares `bounds`, `congruence` and `detect` with TVM's `const_int_bound`, `modular_set` and `detect_iter_map`."""

import itertools
import operator

from quaff import Simplifier, ask
from table import compared, built, expression, text

RANGES = {"x": 32, "y": 6, "z": 16}
DOMAIN = ", ".join(f"{name}=0..{end - 1}" for name, end in RANGES.items())
SOURCES = ["x", "y", "z", "x*6 + y", "z*6 + y", "x*16 + z", "31 - x"]
DIGITS = ["{}", "{}//2", "{}//4", "{}%4", "{}//2%8", "{}%8", "{}//3", "{}%6"]


def values(formula):
    code = compile(formula, "index", "eval")
    return [eval(code, dict(zip(RANGES, at))) for at in itertools.product(*map(range, RANGES.values()))]


class Peer:
    def __init__(self):
        import tvm
        from tvm import sym, tirx

        self.sym, self.tirx = sym, tirx
        self.vars = {name: tirx.Var(name, "int64") for name in RANGES}
        self.ranges = {self.vars[name]: tvm.ir.Range(0, end) for name, end in RANGES.items()}
        self.analyzer = sym.Analyzer()
        for var, known in self.ranges.items():
            self.analyzer.bind(var, known)
        self.operations = {
            "+": operator.add, "-": operator.sub, "*": operator.mul, "//": tirx.floordiv, "%": tirx.floormod
        }

    def leaf(self, e):
        return self.vars[e] if isinstance(e, str) else self.tirx.const(e, "int64")

    def of_text(self, formula):
        """An expression from a formula, in which Python's parser determines the order of `//` and `%`."""
        import ast

        names = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%"}

        def walk(node):
            if isinstance(node, ast.BinOp):
                return self.operations[names[type(node.op)]](walk(node.left), walk(node.right))
            return self.leaf(node.id if isinstance(node, ast.Name) else node.value)

        return walk(ast.parse(formula, mode="eval").body)


def compare(rng, count, counts):
    peer, simplifier = Peer(), Simplifier()
    for _ in range(count):
        e = expression(rng, list(RANGES))
        formula, theirs = text(e), built(e, peer.leaf, peer.operations)
        if isinstance(e, int):
            continue
        own, all_ = simplifier.bounds(formula, DOMAIN), values(formula)
        known = peer.analyzer.const_int_bound(theirs)
        is_sound = own[0] <= min(all_) and max(all_) <= own[1]
        width = compared(known.max_value - known.min_value, own[1] - own[0])
        counts.add("const_int_bound", width if is_sound else "wrong")
        residue, modulus = simplifier.congruence(formula, DOMAIN)
        known = peer.analyzer.modular_set(theirs)
        is_sound = all(value == residue if modulus == 0 else (value - residue) % modulus == 0 for value in all_)
        infinite = 1 << 40
        counts.add("modular_set", compared(modulus or infinite, known.coeff or infinite) if is_sound else "wrong")
    for _ in range(count):
        outputs = [rng.choice(DIGITS).format(f"({rng.choice(SOURCES)})") for _ in range(rng.randint(1, 3))]
        own = ask.detect(outputs, list(RANGES), DOMAIN)
        theirs, levels = [peer.of_text(o) for o in outputs], peer.sym.iter_affine_map.IterMapLevel
        for question, level, is_ours in [
            ("detect_iter_map", levels.NoCheck, own["outputs"] is not None),
            ("detect_iter_map, bijective", levels.Bijective, own["bijective"] is True),
        ]:
            found = peer.sym.detect_iter_map(theirs, peer.ranges, check_level=level)
            counts.add(question, compared(is_ours, bool(found.indices)))
