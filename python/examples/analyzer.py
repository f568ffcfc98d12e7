"""`Analyzer` in a toy compiler. Loops bind ranges, conditions open scopes, and proved conditions are removed."""

from quaff import Analyzer, Expr

# A program: loops, branches, and stores `(buffer, index, value)`.
PROGRAM = ("for", "tile", "(n + 31)//32", [
    ("for", "lane", 32, [
        ("if", "tile*32 + lane < n", [
            ("store", "out", "(tile*32 + lane)//32*40 + (tile*32 + lane)%32", "in[tile*32 + lane]"),
            ("if", "tile*32 + lane < n + 5", [("store", "log", "lane//32", "1")]),
        ]),
    ]),
])  # fmt: skip


def lower(statement, analyzer, depth=0):
    """The lines of C for `statement`, under the facts of `analyzer` at its place."""
    indent = "  " * depth
    if statement[0] == "for":
        _, name, extent, body = statement
        trips = analyzer.simplify(extent)
        inner = Analyzer(analyzer.domain)
        inner.bind(name, (0, trips - 1))
        yield f"{indent}for (int {name} = 0; {name} < {trips}; ++{name}) {{"
        for s in body:
            yield from lower(s, inner, depth + 1)
        yield f"{indent}}}"
    elif statement[0] == "if":
        _, condition, body = statement
        if analyzer.can_prove(condition):
            # the condition is proved, so no branch is needed
            for s in body:
                yield from lower(s, analyzer, depth)
            return
        yield f"{indent}if ({analyzer.simplify(condition)}) {{"
        with analyzer.constraint_scope(condition):
            for s in body:
                yield from lower(s, analyzer, depth + 1)
        yield f"{indent}}}"
    else:
        _, buffer, index, value = statement
        yield f"{indent}{buffer}[{analyzer.simplify(index)}] = {value};"


print("n is unknown:")
print("\n".join(lower(PROGRAM, Analyzer({"n": (1, 4096)}))))
print("n is a multiple of 32:")
analyzer = Analyzer({"n": (32, 4096)})
aligned = Analyzer(analyzer.domain.extended(step={"n": 32}))
print("\n".join(lower(PROGRAM, aligned)))

# questions that differ only in the names of variables are computed once
memo = Analyzer({f"{v}{n}": (0, top) for n in range(100) for v, top in (("i", 63), ("j", 3))})
for n in range(100):
    assert memo.simplify(Expr(f"(i{n}*4 + j{n})//4")) == Expr(f"i{n}")
print(memo.counts())
