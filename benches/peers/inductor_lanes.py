"""Compares `lanes` with `analyze_lane_contiguity` of PyTorch's Inductor."""

import operator

from quaff import ask
from table import compared, built, expression, text

LANES = 64
DOMAIN = f"lane=0..{LANES - 1}, row=0..127, n=8..4096 step 8"
MOST = 16


class Peer:
    def __init__(self):
        import sympy
        from torch._inductor.sizevars import SizeVarAllocator
        from torch.utils._sympy.functions import FloorDiv, ModularIndexing

        self.integer, self.sizes = sympy.Integer, SizeVarAllocator()
        self.vars = {name: sympy.Symbol(name, integer=True, nonnegative=True) for name in ("lane", "row", "n")}
        self.operations = {
            "+": operator.add, "-": operator.sub, "*": operator.mul, "//": FloorDiv,
            "%": lambda a, b: ModularIndexing(a, 1, b),
        }

    def leaf(self, e):
        return self.vars[e] if isinstance(e, str) else self.integer(e)

    def widths(self, e):
        """The largest numbers of lanes, up to MOST, that are contiguous, and that have the same value."""
        found = self.sizes.analyze_lane_contiguity(built(e, self.leaf, self.operations), self.vars["lane"])
        powers = [1 << k for k in range(MOST.bit_length())]
        return [max(w for w in powers if w == 1 or covers(w)) for covers in (found.is_contiguous_for, found.is_uniform_for)]


def compare(rng, count, counts):
    peer = Peer()
    for _ in range(count):
        e = expression(rng, ["lane", "lane", "row", "n"])
        found = ask.lanes(text(e), "lane", DOMAIN)
        # a group of lanes can be split into groups whose size is this power of two
        own = [min(MOST, width & -width) for width in (found["contiguity"], found["constancy"])]
        for question, ours, theirs in zip(("contiguous width", "uniform width"), own, peer.widths(e)):
            counts.add(f"analyze_lane_contiguity, {question}", compared(ours, theirs))
