"""Translates texts of the corpora to CUDA, node by node and without algebra. It is used for forms that have no other CUDA text.

There are two ways to translate `//` and `%`. `plain` writes C's `/` and `%` if interval arithmetic shows that they round down, and corrects
them otherwise. `ladder` takes for each `//` and `%` by a constant the cheapest form without division that its range allows. These forms are
constants, shifts and masks, signs, comparisons, unsigned minima, and multiply-high.
"""
import ast
import itertools

INT = (-(1 << 31), (1 << 31) - 1)
COMPARE = {"Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!="}
BITS = {"BitAnd": "&", "BitOr": "|", "BitXor": "^"}


class Unsupported(Exception):
    """A text has no translation, because a part needs more than 64 bits, or a divisor may be 0."""


def multiplier(c, shift=0):
    """`m` and the largest x below 2^32 up to which `x*m >> (32 + shift)` is `x // c`, for c > 1."""
    m = -(-(1 << 32 + shift) // c)
    e = m * c - (1 << 32 + shift)
    if e == 0:
        return m, (1 << 32) - 1
    # for each remainder r, the first x at which the error e*x/c reaches c - r. The last remainder nearly always fails first
    first = None
    for r in range(c - 1, -1, -1):
        least = -(-((c - r) << 32 + shift) // e)
        if first is not None and least > first:
            break
        x = least + (r - least) % c
        first = x if first is None else min(first, x)
    return m, min(first - 1, (1 << 32) - 1)


def hull(*ranges):
    return min(r[0] for r in ranges), max(r[1] for r in ranges)


class Translator:
    """Translates nodes. Each method returns the text of a node and its range."""

    def __init__(self, variables, with_ladder):
        self.variables, self.with_ladder = variables, with_ladder
        self.wide, self.known = False, {}

    def literal(self, value):
        text = str(value) + ("ll" if self.wide else "")
        if value == INT[0] and not self.wide:
            text = "(-2147483647-1)"
        return f"({text})" if value < 0 else text

    def node(self, n):
        key = ast.dump(n)
        if key not in self.known:
            text, r = self.translated(n)
            if r[0] < INT[0] or r[1] > INT[1]:
                self.leaves_int = True
                if r[0] < -(1 << 63) or r[1] >= 1 << 63:
                    raise Unsupported("more than 64 bits")
            self.known[key] = text, r
        return self.known[key]

    def all(self, text):
        """The text and the range of an expression. It is computed in 64 bits if a part needs them."""
        tree = ast.parse(text, mode="eval").body
        self.leaves_int = any(r[0] < INT[0] or r[1] > INT[1] for r in self.variables.values())
        found = self.node(tree)
        if self.leaves_int:
            self.wide, self.known = True, {}
            found = self.node(tree)
        return found

    def translated(self, n):
        kind = type(n).__name__
        if kind == "Constant" and isinstance(n.value, int):
            return self.literal(int(n.value)), (int(n.value),) * 2
        if kind == "Name":
            return n.id, tuple(self.variables[n.id])
        if kind == "UnaryOp":
            text, (lo, hi) = self.node(n.operand)
            if isinstance(n.op, ast.USub):
                return (self.literal(-lo) if lo == hi else f"(-{text})"), (-hi, -lo)
            if isinstance(n.op, ast.Not):
                return f"(!{text})", ((0, 0) if lo > 0 or hi < 0 else (1, 1) if lo == hi else (0, 1))
        if kind == "BinOp":
            return self.binary(type(n.op).__name__, *self.node(n.left), *self.node(n.right))
        if kind == "Compare":
            sides = [self.node(side)[0] for side in (n.left, *n.comparators)]
            parts = [f"({a}{COMPARE[type(o).__name__]}{b})" for a, o, b in zip(sides, n.ops, sides[1:])]
            return (parts[0] if len(parts) == 1 else f"({'&&'.join(parts)})"), (0, 1)
        if kind == "BoolOp":
            # only truth values are allowed, because Python's and C's operators differ for other numbers
            parts = [self.node(v) for v in n.values]
            if any(r[0] < 0 or r[1] > 1 for _, r in parts):
                raise Unsupported("a number as a condition")
            sign = "&&" if isinstance(n.op, ast.And) else "||"
            return f"({sign.join(text for text, _ in parts)})", (0, 1)
        if kind == "Call" and n.func.id == "where":
            (c, _), (a, ra), (b, rb) = map(self.node, n.args)
            return f"({c}?{a}:{b})", hull(ra, rb)
        if kind == "Call" and n.func.id in ("min", "max"):
            text, r = self.node(n.args[0])
            ty, of = "long long" if self.wide else "int", min if n.func.id == "min" else max
            for other, ro in map(self.node, n.args[1:]):
                text, r = f"{n.func.id}(({ty}){text},({ty}){other})", (of(r[0], ro[0]), of(r[1], ro[1]))
            return text, r
        raise Unsupported(ast.dump(n)[:80])

    def binary(self, op, a, ra, b, rb):
        if op == "Add":
            return f"({a}+{b})", (ra[0] + rb[0], ra[1] + rb[1])
        if op == "Sub":
            return f"({a}-{b})", (ra[0] - rb[1], ra[1] - rb[0])
        if op == "Mult":
            corners = [x * y for x in ra for y in rb]
            return f"({a}*{b})", (min(corners), max(corners))
        if op in ("LShift", "RShift") and rb[0] == rb[1]:
            sign, f = ("<<", lambda x: x << rb[0]) if op == "LShift" else (">>", lambda x: x >> rb[0])
            return f"({a}{sign}{b})", (f(ra[0]), f(ra[1]))
        if op in BITS:
            if min(ra[0], rb[0]) >= 0:
                top = (1 << max(ra[1].bit_length(), rb[1].bit_length())) - 1
                return f"({a}{BITS[op]}{b})", (0, min(ra[1], rb[1]) if op == "BitAnd" else top)
            return f"({a}{BITS[op]}{b})", (0, max(ra[0] >= 0 and ra[1], rb[0] >= 0 and rb[1])) if op == "BitAnd" and max(ra[0], rb[0]) >= 0 else INT
        if op in ("FloorDiv", "Mod"):
            if rb[0] <= 0 <= rb[1]:
                raise Unsupported("a divisor may be 0")
            quotients = [x // y for x in ra for y in rb]
            q = min(quotients), max(quotients)
            c = rb[0] if rb[0] == rb[1] else None
            if op == "FloorDiv":
                return self.divided(a, ra, b, rb, c, q), q
            if q[0] == q[1] and c:
                return self.modulo(a, ra, b, rb, c, q), hull(*[(x - q[0] * c,) * 2 for x in ra])
            r = (0, min(rb[1] - 1, ra[1]) if ra[0] >= 0 else rb[1] - 1) if rb[0] > 0 else (rb[0] + 1, 0)
            return self.modulo(a, ra, b, rb, c, q), r
        raise Unsupported(op)

    def corrected(self, sign, a, ra, b, rb, c):
        """C's operator, with a correction if it does not round down."""
        if ra[0] >= 0 and rb[0] > 0:
            return f"({a}{sign}{b})"
        if c and c > 0 and c & (c - 1) == 0:
            return f"({a}>>{c.bit_length() - 1})" if sign == "/" else f"({a}&{c - 1})"
        below = f"({a}%{b}<0)" if rb[0] > 0 else f"((({a}%{b})!=0)&((({a}%{b})^{b})<0))"
        return f"({a}/{b}-{below})" if sign == "/" else f"({a}%{b}+({below}?{b}:0))"

    def exact(self, text):
        return f"((long long){text})" if self.wide else f"((int){text})"

    def high(self, text, most, c):
        """`text // c` for an unsigned text whose value is at most `most`."""
        for shift in range(32):
            m, reach = multiplier(c, shift)
            if m < 1 << 32 and reach >= most:
                return f"(__umulhi({text},{m}u)>>{shift})" if shift else f"__umulhi({text},{m}u)"
        return f"({text}/{c}u)"

    def from_zero(self, a, ra, c):
        """`a + k*c`, which is not negative, as unsigned text, and the factor k. None if the sum exceeds 32 bits."""
        k = -(ra[0] // c) if ra[0] < 0 else 0
        if ra[1] + k * c >= 1 << 32:
            return None, 0
        return (f"((unsigned){a}+{k * c}u)" if k else f"((unsigned){a})"), k

    def signed(self, a, ra, c):
        """The quotient by one multiplication with a 64-bit addend, for numerators of both signs. None if that is not possible."""
        if ra[0] >= 0 or ra[0] < INT[0] or ra[1] > INT[1]:
            return None
        m = -(-(1 << 32) // c)
        e = m * c - (1 << 32)
        addend = -(ra[0] * e // c)
        return self.exact(f"(((long long){a}*{m}ll+{addend}ll)>>32)") if ra[1] * e + addend * c < 1 << 32 else None

    def divided(self, a, ra, b, rb, c, q):
        if c == 1:
            return a
        if not self.with_ladder:
            return self.corrected("/", a, ra, b, rb, c)
        if q[0] == q[1]:
            return self.literal(q[0])
        if c is None or c < 0:
            unsigned = c is None and ra[0] >= 0 and rb[0] > 0 and max(ra[1], rb[1]) < 1 << 32
            return self.exact(f"((unsigned){a}/(unsigned){b})") if unsigned else self.corrected("/", a, ra, b, rb, c)
        if c & (c - 1) == 0:
            return f"({a}>>{c.bit_length() - 1})"
        if q == (-1, 0) and not self.wide:
            return f"({a}>>31)"
        if q == (0, 1) and ra[1] > multiplier(c)[1]:
            return f"({a}>={self.literal(c)})"
        if text := self.signed(a, ra, c):
            return text
        moved, k = self.from_zero(a, ra, c)
        if moved is None:
            return self.corrected("/", a, ra, b, rb, c)
        text = self.exact(self.high(moved, ra[1] + k * c, c))
        return f"({text}-{self.literal(k)})" if k else text

    def modulo(self, a, ra, b, rb, c, q):
        if c == 1:
            return self.literal(0)
        if not self.with_ladder:
            return self.corrected("%", a, ra, b, rb, c)
        if c is None or c < 0:
            unsigned = c is None and ra[0] >= 0 and rb[0] > 0 and max(ra[1], rb[1]) < 1 << 32
            return self.exact(f"((unsigned){a}%(unsigned){b})") if unsigned else self.corrected("%", a, ra, b, rb, c)
        if q[0] == q[1]:
            return f"({a}-{self.literal(q[0] * c)})" if q[0] else a
        if c & (c - 1) == 0:
            return f"({a}&{self.literal(c - 1)})"
        if q[1] == q[0] + 1 and ra[1] - ra[0] < 1 << 31:
            # of the two values x - q*c and x - q*c - c, one is in 0..c and the other one wraps around
            offset = q[0] * c
            t = f"((unsigned){a}{'-' if offset > 0 else '+'}{abs(offset)}u)" if offset else f"((unsigned){a})"
            return self.exact(f"min({t},{t}-{c}u)")
        if text := self.signed(a, ra, c):
            return f"({a}-{self.literal(c)}*{text})"
        moved, k = self.from_zero(a, ra, c)
        if moved is None:
            return self.corrected("%", a, ra, b, rb, c)
        return self.exact(f"({moved}-{c}u*{self.high(moved, ra[1] + k * c, c)})")


def to_c(text, variables, with_ladder):
    """The CUDA text of one expression, and its range. Raises Unsupported."""
    try:
        return Translator(variables, with_ladder).all(text)
    except (KeyError, SyntaxError, AttributeError, RecursionError) as error:
        raise Unsupported(repr(error)[:80]) from error


def value(text, point):
    """The value of a corpus text at a point, by Python's own arithmetic. `where` evaluates both branches."""
    names = {"where": lambda c, a, b: a if c else b, "min": min, "max": max}
    return int(eval(text, {"__builtins__": {}}, {**names, **point}))  # `eval` is safe, because corpora are files of this repository


def points(variables, random, count):
    """At most 16 corners of a box, and random points of it."""
    corners = itertools.islice(itertools.product(*[sorted({lo, hi}) for lo, hi in variables.values()]), 16)
    found = [dict(zip(variables, corner)) for corner in corners]
    return found + [{v: random.randint(lo, hi) for v, (lo, hi) in variables.items()} for _ in range(count)]
