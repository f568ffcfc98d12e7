"""Tests of views, banks of shared memory, and coalescing."""

import itertools

import pytest

import quaff
from quaff import Expr, View

PADDED = "shape(64, 56, 56).pad((0, 0), (1, 1), (1, 1)).permute(1, 2, 0).reshape(3364, 64)"


def test_movements_are_those_of_numpy():
    numpy = pytest.importorskip("numpy", reason="numpy is not installed: it says what movements mean")
    memory = numpy.arange(8 * 12).reshape(8, 12)
    cases = [
        (View([8, 12]), memory),
        (View([8, 12]).permute([1, 0]), memory.T),
        (View([8, 12]).reshape([4, 24]), memory.reshape(4, 24)),
        (View([8, 12]).flip([1]), memory[:, ::-1]),
        (View([8, 12]).shrink([(1, 5), (2, 12)]), memory[1:5, 2:12]),
        (View([8, 12]).stride([2, 3]), memory[::2, ::3]),
        (View([8, 12]).permute([1, 0]).reshape([96]), memory.T.reshape(96)),
        (View([8, 1, 12]).expand([8, 3, 12]), numpy.broadcast_to(memory[:, None], (8, 3, 12))),
        (View([8, 12]).pad([(1, 1), (0, 2)]), numpy.pad(memory, [(1, 1), (0, 2)], constant_values=-1)),
        (View([8, 12]).pad([(1, 1), (0, 2)]).reshape([140]), numpy.pad(memory, [(1, 1), (0, 2)], constant_values=-1).reshape(140)),
    ]
    for view, expected in cases:
        assert [s.value for s in view.shape] == list(expected.shape)
        simplified = view.simplify().accesses[0]
        for at in itertools.product(*(range(0, n, 1 + n // 5) for n in expected.shape)):
            address, valid = view.at(at)
            value = address.eval() if valid.eval() else -1
            assert value == expected[at]
            named = {f"i{k}": v for k, v in enumerate(at)}
            holds = simplified.gate is None or simplified.gate.eval(named)
            assert (simplified.index.eval(named) if holds else -1) == expected[at]


def test_properties_of_views():
    v = View([8, 12])
    assert v.is_contiguous and v.depth == 1 and [s.value for s in v.strides] == [12, 1]
    assert v == View.parse("shape(8, 12)") and v != v.permute([1, 0])
    assert not v.permute([1, 0]).is_contiguous
    p = View.parse(PADDED)
    assert p.depth == 2 and [s.value for s in p.strides] == [1, 3136]
    assert View.parse("shape(8, 12).permute(1, 0).reshape(96)").strides == [None]
    a = p.simplify(["pixel", "channel"])
    assert a.cost < a.input_cost and "pixel" in a.cuda()
    assert "<svg" in v.svg("a title") and v._repr_svg_().startswith("<svg")


def test_views_are_built_merged_composed_and_read_back():
    v = View([2, 2, 2], strides=[4, 2, 1])
    assert [[e.value for e in group] for group in v.merge()] == [[8, 1, 8]]
    padded = View([2, 6, 12], strides=[12, 24, 1], offset=-24, mask=[(0, 2), (1, 5), (0, 12)])
    assert str(padded) == "(2, 6, 12):(12, 24, 1) - 24, mask (0, 2) (1, 5) (0, 12)"
    assert View.parse(str(padded)) == padded and str(padded) in repr(padded)
    # the addresses of the second view are indices of the first view
    columns, every_fourth = View([4, 6]).permute([1, 0]), View([6], strides=[4])
    assert str(columns @ every_fourth) == "(6):(1)"
    for x in range(6):
        address, _ = every_fourth.at([x])
        row, column = divmod(address.eval(), 4)
        assert columns.at([row, column])[0].eval() == (columns @ every_fourth).at([x])[0].eval()
    assert str(View([2]).expand([2, 2, 2])) == "(2, 2, 2):(0, 0, 1)"
    assert View.parse("shape((n*8) >> 1, 2)", {"n": (1, 9)}, dialect="c").shape[0].eval(n=3) == 12
    with pytest.raises(TypeError, match="need strides"):
        View([2], offset=1)
    with pytest.raises(quaff.ViewError):
        View([4]) @ View([5])
    with pytest.raises(TypeError):
        View([4]) @ 3


def test_views_with_sizes_at_run_time():
    v = View(["h", "w"], {"h": (1, 99), "w": (1, 99)}).permute([1, 0])
    assert [str(s) for s in v.shape] == ["w", "h"] and [str(s) for s in v.strides] == ["1", "w"]
    address, valid = v.at(["x", "y"])
    assert address.eval(x=3, y=5, h=7, w=9) == 5 * 9 + 3
    assert v._repr_svg_() is None
    with pytest.raises(quaff.ViewError):
        v.svg()


@pytest.mark.parametrize(
    "make",
    [
        lambda v: v.reshape([7, 7]),
        lambda v: v.permute([0, 0]),
        lambda v: v.permute([0]),
        lambda v: v.permute([0, 5]),
        lambda v: v.expand([9, 12]),
        lambda v: v.shrink([(0, 99), (0, 1)]),
        lambda v: v.pad([(-1, 0), (0, 0)]),
        lambda v: v.flip([7]),
        lambda v: v.stride([0, 1]),
        lambda v: v.at([1]),
        lambda v: v.simplify(["only"]),
    ],
)
def test_movements_that_cannot_be_are_refused(make):
    with pytest.raises(quaff.ViewError):
        make(View([8, 12]))


def banks_of(index, lane, bytes=4, count=32):
    """The degree by its definition: the largest number of distinct words in one bank."""
    words = {index.eval({lane: t}) * bytes // 4 for t in range(32)}
    return max(sum(1 for w in words if w % count == b) for b in range(count))


@pytest.mark.parametrize("text", ["t", "t*2", "t*32", "t*33", "t//2", "t*4 + t//8", "(t%8)*36 + t//8", "0"])
def test_bank_conflicts_are_those_of_the_definition(text):
    found = quaff.bank_conflicts(text, "t", {"t": (0, 31)})
    assert found["degree"] == banks_of(Expr(text), "t")
    assert set(found) == {"degree", "transactions", "broadcast", "at", "points", "svg", "html"}


def test_the_worst_point_of_the_other_variables_is_named():
    found = quaff.bank_conflicts("t*k", "t", {"t": (0, 31), "k": (1, 33)})
    assert (found["degree"], found["at"]) == (32, {"k": 32})
    wide = quaff.bank_conflicts("t*4", "t", {"t": (0, 31)}, width=4)
    # each lane reads 16 bytes, so the warp is served in four parts, each without a conflict
    assert wide["degree"] == 1 and wide["transactions"] == 4
    bytes_ = quaff.bank_conflicts("t*8", "t", {"t": (0, 31)}, bytes=2, width=8)
    assert (bytes_["degree"], bytes_["transactions"]) == (1, 4)
    with pytest.raises(quaff.BankError):
        quaff.bank_conflicts("t", "t", {"t": (0, None)})


def test_schedules_touch_the_memory_they_say():
    best, *_ = found = quaff.coalesce(["(i%8)*32 + i//8"], "i", 256)
    assert (best["gap"], best["sectors"]) == (0, 32)
    assert (best["contract"]["params"], best["contract"]["results"]) == ([{"name": "u", "type": "int"}], ["int"])
    assert [s["gap"] for s in found] == sorted(s["gap"] for s in found)
    for schedule in found:
        order = [schedule["sigma"].eval(u=u) for u in range(256)]
        assert sorted(order) == list(range(256))
        index = [(i % 8) * 32 + i // 8 for i in order]
        assert [schedule["indices"][0].eval(u=u) for u in range(256)] == index
        sectors = sum(len({a * 4 // 32 for a in index[w : w + 32]}) for w in range(0, 256, 32))
        assert schedule["sectors"] == sectors
    with pytest.raises(quaff.CoalesceError):
        quaff.coalesce(["i"], "i", 33)
    with pytest.raises(quaff.CoalesceError):
        quaff.coalesce([], "i", 64)


def test_a_function_of_ones_own_chooses_the_schedule():
    """The measure that `coalesce` minimises may be any number about a schedule, or a function of these numbers."""
    strides = ["3*(i%16) + 2*(i//16)"]
    weighted = quaff.coalesce(strides, "i", 64, by=lambda taken: 2 * taken["sectors"] + taken["cost"])
    assert weighted[0]["sigma"] == quaff.coalesce(strides, "i", 64, by="2*sectors + cost")[0]["sigma"]
    for by in ("gap", "distance", "lines"):
        found = quaff.coalesce(strides, "i", 64, by=by)
        assert found[0][by] == min(s[by] for s in found)
    assert found[0]["identity"] == {"sectors": 13, "gap": 266} and found[0]["optimum"]["gap"] == 4
    with pytest.raises(KeyError):
        quaff.coalesce(strides, "i", 64, by=lambda taken: taken["sector"])
    with pytest.raises(quaff.CoalesceError):
        quaff.coalesce(strides, "i", 64, by="sector")


def test_schedules_of_blocks_keep_their_number():
    """A symbol stays in the index, and threads process the elements in steps."""
    best, *_ = quaff.coalesce(["i%64*64 + i//64 + pid"], "i", 256, uniform={"pid": (0, 7)}, threads=64)
    for pid, t, s in itertools.product(range(8), range(0, 64, 5), range(4)):
        i = best["steps"].eval(t=t, s=s)
        assert best["indices"][0].eval(u=t + 64 * s, pid=pid) == i % 64 * 64 + i // 64 + pid
    assert best["fetches"] <= best["lines"]
    vectors, *_ = quaff.coalesce(["i%16*64 + i//16"], "i", 1024, vector=4)
    gated, *_ = quaff.coalesce(["i%16*64 + i//16"], "i", 1024, gate="i < 512")
    assert vectors["vector"] == 4 and vectors["sectors"] == 2 * gated["sectors"] == 128
    with pytest.raises(quaff.CoalesceError):
        quaff.coalesce(["i + j"], "i", 64, uniform={"j": (0, None)})


def test_index_types_say_what_copies_share():
    """The type, the shared part, the copies, and the operator after which the copies share nothing."""
    digits = quaff.IndexType("i//4*64 + i%4", {"i": (0, 64, 8)})
    assert digits.text == "{0, 1, 2, 3, 64, 65, 66, 67} + 128*(0..8)" and len(digits) == 8
    assert digits.adds == [0, 1, 2, 3, 64, 65, 66, 67] and digits.lost is None
    for s, copy in enumerate(digits.copies):
        assert copy.eval(i=16) == (16 + s) // 4 * 64 + (16 + s) % 4
    product = quaff.IndexType("i*x", {"i": (0, 64, 4)}, {"x": (0, 99)})
    assert [str(e) for e in product.shared] == ["i*x", "x"] and product.adds is None
    assert [copy.eval(i=8, x=7) for copy in product.copies] == [8 * 7, 9 * 7, 10 * 7, 11 * 7]
    assert quaff.IndexType("i%5", {"i": (16, 48, 8)}).set == [0, 1, 2, 3, 4]
    # the shared expression is simplified. If nothing is shared, the expression of each copy is simplified
    assert [str(e) for e in digits.shared] == ["i*16"]
    apart = quaff.IndexType("(i*3 + x)//3", {"i": (0, 64, 4)}, {"x": (0, 2)})
    assert [copy.eval(i=8, x=2) for copy in apart.copies] == [8, 9, 10, 11]
    operator, why = quaff.IndexType("(i + x)//3", {"i": (0, 64, 4)}, {"x": (0, 99)}).lost
    assert str(operator) == "(i + x)//3" and "straddle" in why
    assert quaff.IndexType("x", {"x": (0, 2**64, 1)}).text == f"idx<0..1, 0..{2**64}>"
    assert quaff.IndexType.parts(0, 10, 4) == [(0, 8, 4), (8, 10, 2)]
    assert quaff.IndexType("i*4", {"i": (0, 64, 4)}).banks(8)["degree"] == 2
    with pytest.raises(quaff.SimplifyError):
        quaff.IndexType("i", {"i": (0, 10, 4)})
    with pytest.raises(quaff.BankError):
        quaff.IndexType("(i + x)//3", {"i": (0, 64, 4)}, {"x": (0, 99)}).banks(8)


def test_sums_of_quotients_are_the_function():
    """The canonical sum of floors, with symbols."""
    form = quaff.canonical("((2*x + 1)//3 + x//4)//5")
    assert form["cases"][0]["period"] == 60 and form["cases"][0]["rise"] == 11
    assert all(form["sum"].eval(x=x) == ((2 * x + 1) // 3 + x // 4) // 5 for x in range(-100, 100))
    shifted = quaff.canonical("(i + pid)//2//3", along="i")
    assert str(shifted["sum"]) == "(i + pid)//6"
    apart = quaff.canonical("(x + p//2)//2", along="x")
    assert apart["sum"] is None and [c["where"]["p"] for c in apart["cases"]] == [(r, 4) for r in range(4)]
    with pytest.raises(ValueError):
        quaff.canonical("x + y")


def test_machines_serve_other_lanes_together():
    degree = lambda **machine: quaff.bank_conflicts(
        "t%16*64 + t//16*8", "t", {"t": (0, 63)}, bytes=2, width=8, **machine
    )["degree"]
    assert (degree(), degree(machine="cdna3"), degree(machine="cdna3-write")) == (8, 4, 8)
    with pytest.raises(quaff.BankError):
        degree(machine="rdna")


def dims_of_two_splits():
    dims = quaff.Dims()
    for name, size in {"row": 256, "other": 128, "step": 2}.items():
        dims.dim(name, size)
    dims.eq("row", "other * step")
    return dims


def looked_up(simplifier):
    indices = dims_of_two_splits().init(simplifier=simplifier)
    indices.set("row", "r")
    return indices["other"]


FRONTS = {
    "access": lambda with_: with_.simplify_accesses([quaff.Access("x//2")], {"x": (0, 99)}),
    "shared": lambda with_: quaff.IndexType("i + x//2", {"i": (0, 64, 8)}, {"x": (0, 999)}, simplifier=with_).shared,
    "copies": lambda with_: quaff.IndexType("(i + x)//2", {"i": (0, 9, 3)}, {"x": (0, 99)}, simplifier=with_).copies,
    "schedule": lambda with_: quaff.coalesce(["i//2"], "i", 64, simplifier=with_),
    "view": lambda with_: quaff.View.parse("shape(8).reshape(8, 1).expand(8, 2).reshape(16)").simplify(simplifier=with_),
    "dims": lambda with_: dims_of_two_splits().get(["other"], set={"row": "r"}, simplifier=with_),
    "indices": looked_up,
}


@pytest.mark.parametrize("front", FRONTS)
def test_a_simplifier_of_ones_own_is_used_by_every_front_end(front, tmp_path):
    FRONTS[front](quaff.Simplifier())
    (tmp_path / "mine.rules").write_text('(rule halves "wrong" (match (// ?x 2)) (yield ?x))')
    with pytest.raises(quaff.Error, match="halves"):
        FRONTS[front](quaff.Simplifier(add_rules=tmp_path))
