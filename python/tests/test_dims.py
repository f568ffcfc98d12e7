"""``quaff.Dims``: sizes and indices from products of dimensions."""

import contextlib
import json
from pathlib import Path

import pytest

import quaff


def gemv():
    dims = quaff.Dims()
    dims.dim("thread", 256)
    dims.dim("lane", 32)
    dims.dim("warp")
    dims.eq("thread", "warp * lane")
    dims.dim("row", 4096)
    dims.dim("steps")
    dims.dim("vector", 8)
    dims.new_scope("load")
    dims.eq("row", ["steps", "lane", "vector"], scope="load")
    return dims


def test_sizes():
    dims = gemv()
    assert dims.size("warp") == 8
    assert dims.size("steps") == 16
    assert dims.names == ["lane", "row", "steps", "thread", "vector", "warp"]


def test_indices():
    answer = gemv().get(["warp", "lane"], set={"thread": "t"})
    assert [str(e) for e in answer.exprs] == ["t//32", "t%32"]
    assert "t >> 5" in answer.cuda()


def test_indices_in_scopes_loops_and_vectors():
    enter = ["load", ("loop", "steps", "i"), ("vector", "vector")]
    answer = gemv().get(["row"], set={"thread": "t"}, enter=enter)
    for t in range(0, 256, 37):
        for i in range(16):
            assert answer.expr.eval(t=t, i=i) == i * 256 + t % 32 * 8
    raw = gemv().get_raw(["row"], set={"thread": quaff.var("t")}, enter=enter)
    assert quaff.equal(raw[0], answer.expr, {"t": (0, 255), "i": (0, 15)})


def test_sizes_at_run_time():
    dims = quaff.Dims()
    dims.run_time("N", 4, 4096, 4)
    dims.dim("block")
    dims.dim("thread", 256)
    dims.dim("lane", 4)
    dims.covered("N", "block * thread * lane")
    assert str(dims.size("block")) == "(N + 1023)//1024"


def covering():
    dims = quaff.Dims()
    dims.run_time("M", 1, 4096)
    dims.dim("bm")
    dims.dim("TM", 64)
    dims.covered("M", "bm * TM")
    return dims


def test_what_covers_has_its_condition():
    answer = covering().get(["M"], set={"bm": "b", "TM": "t"})
    assert [str(e) for e in answer.exprs] == ["b*64 + t"]
    assert str(answer.inside) == "b*64 + t < M"
    assert str(answer) == "b*64 + t\nwhere b*64 + t < M"
    assert "out[1] = " in answer.cuda() and "< M" in answer.cuda()
    assert len(answer.to_nodes()[2]) == 2
    inside = gemv().get(["lane"], set={"thread": "t"})
    assert inside.inside is None and "return" in inside.cuda()


def test_an_index_along_a_vector():
    dims = quaff.Dims()
    for name, size in [("N", 1002), ("thread", 64), ("v", 4), ("block", None)]:
        dims.dim(name, size)
    dims.dim("apart")
    dims.eq("apart", "v * thread")
    dims.covered("N", "block * thread * v")
    answer = dims.get(["N"], set={"block": "b", "thread": "t"}, enter=[("vector", "v")])
    for b, t in [(0, 0), (3, 57), (3, 58), (3, 63)]:
        assert answer.inside.eval(b=b, t=t) == (b * 256 + t * 4 + 3 < 1002)
    with pytest.raises(quaff.DimsError, match="neighbours"):
        dims.get(["apart"], set={"thread": "t"}, enter=[("vector", "v")])


def test_an_index_is_inside_of_its_dimension():
    with pytest.raises(quaff.DimsError, match="not proved to be an index"):
        gemv().get(["warp"], set={"lane": "i * 4"}, enter=["load", ("loop", "steps", "i")])


def test_a_stride_and_an_assumption():
    dims = quaff.Dims()
    dims.dim("x")
    dims.dim("y", 12)
    dims.eq("x * 4", "y")
    assert dims.size("x") == 3


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        (lambda d: d.size("nothing"), KeyError, "no dimension is called"),
        (lambda d: d.dim("row", 3), ValueError, "already"),
        (lambda d: d.get(["row"]), quaff.DimsError, "row"),
        (lambda d: d.get(["row"], enter=["nothing"]), KeyError, "no scope is called"),
        (lambda d: d.get(["row"], enter=[("spin", "steps", "i")]), ValueError, "vector"),
        (lambda d: d.get(["row"], enter=[3]), TypeError, "vector"),
        (lambda d: d.eq("row", "steps * nothing"), KeyError, "nothing"),
        (lambda d: d.get(["warp"], set={"thread": "t +"}), quaff.ParseError, "t \\+"),
    ],
)
def test_what_is_wrong_is_said(wrong, error, text):
    with pytest.raises(error, match=text):
        wrong(gemv())


def test_sizes_that_contradict_one_another():
    dims = quaff.Dims()
    dims.dim("a", 3)
    dims.dim("b", 4)
    dims.eq("a", "b")
    with pytest.raises(quaff.DimsError) as caught:
        dims.size("a")
    assert caught.value.code


def loads():
    """Dimensions of a row of steps, lanes and vectors, which warps load."""
    dims = quaff.Dims()
    thread, warp, lane, row, steps, vector = dims.new("thread=256 warp lane=32 row=4096 steps vector=8")
    dims.eq(thread == warp * lane)
    load = dims.new_scope("load")
    with dims.scope(load):
        dims.eq(row, steps * lane * vector)
    return dims, (thread, warp, lane, row, steps, vector), load


def test_dimensions_are_objects():
    dims, (thread, warp, lane, row, steps, vector), load = loads()
    assert dims.size(warp) == 8 and dims.size("warp") == 8
    ix = dims.init()
    ix[thread] = "t"
    with ix.scope(load), ix.loop(steps) as i:
        assert str(i) == "steps" and ix.active == ["scope load", "loop steps in 0..16"]
        with ix.vectorize(vector, 8):
            assert str(ix[row]) == "steps*256 + t%32*8"
            assert str(ix.raw(row)) == "steps*256 + t%32*8 + 0"
    assert [str(e) for e in ix[warp, lane]] == ["t//32", "t%32"]
    assert ix.get(warp, lane).cost <= 2 and ix.size(steps) == 16
    assert ix.why_solved(lane) == "solved by `thread = warp * lane` (->)"
    assert ix.why_solved(thread) == "set to `t`"
    # the block has ended
    with pytest.raises(quaff.DimsError) as caught:
        ix[row]
    assert caught.value.code == "dims::unsolved"
    assert not ix.is_solved(row)
    assert quaff.simplify("t//32*32 + t%32", ix.facts).cost == 0


def test_products_and_equations_are_values():
    dims = quaff.Dims()
    X, Y = dims.new("X Y=32")
    one = dims.new("Z=4")
    assert isinstance(one, quaff.Dim) and one.name == "Z"
    assert str(X * 4 == Y) == "X * 4 = Y" and str(2 * X) == "2 * X"
    dims.eq(X * 4 == Y)
    assert dims.size(X) == 8
    # dimensions can be keys of dicts and items of lists
    assert {X: 1, Y: 2}[Y] == 2 and X in [Y, X] and X not in [Y] and X != Y
    again = dims.new("X=8")
    assert again.name == "X#2" and again != X
    assert str(dims.get([Y], set={X: "x"}).expr) == "x*4"


def test_another_dims_is_an_error():
    (_, (thread, *_), load), (other, *_) = loads(), loads()
    for wrong in (lambda: other.size(thread), lambda: other.eq(thread, 4), lambda: other.init().set(thread, "t")):
        with pytest.raises(quaff.DimsError) as caught:
            wrong()
        assert caught.value.code == "dims::foreign_dim"
    with pytest.raises(quaff.DimsError):
        other.init().scope(load).__enter__()


def test_scopes_have_parents():
    dims = quaff.Dims()
    n, b, t = dims.new("N=64 B=8 T=8")
    outer = dims.new_scope("outer")
    inner = dims.new_scope("inner", outer)
    with dims.scope(outer):
        assert dims.new_scope("other").name == "other"
    dims.eq(n, b * t, scope=inner)
    ix = dims.init()
    with pytest.raises(quaff.DimsError) as caught, ix.scope(inner):
        pass
    assert caught.value.code == "dims::scope_parent"
    ix[b], ix[t] = "b", "t"
    with ix.scope(outer), ix.scope(inner):
        assert str(ix[n]) == "b*8 + t"
    assert ix.active == []


def test_blocks_end_with_exceptions():
    dims, (thread, warp, *_), load = loads()
    ix = dims.init()
    with contextlib.suppress(ZeroDivisionError), ix.scope(load):
        ix[thread] = "t"
        raise ZeroDivisionError
    assert not ix.is_solved(warp)
    region = ix.frame()
    with region, pytest.raises(RuntimeError, match="open already"):
        region.__enter__()
    with pytest.raises(quaff.DimsError, match="never an index"), ix.frame():
        ix.set(warp, 8)
    with ix.frame():
        ix.assume("q >= 0")
        ix.assume("q < 8")
        ix.set(warp, "q")


def test_loops_have_names_of_their_own():
    dims = quaff.Dims()
    n, i, j = dims.new("n I=3 i=4")
    dims.eq(n, i * j)
    ix = dims.init()
    with ix.loop(i, unroll=True) as a, ix.loop(j, unroll=2) as b:
        assert (str(a), str(b)) == ("i", "i_2")
        assert str(ix[n]) == "i*4 + i_2"
    with pytest.raises(quaff.DimsError, match="reserved"), ix.loop(i, "while"):
        pass
    with pytest.raises(ValueError, match="at least 1"):
        ix.loop(i, unroll=0)


def test_the_condition_of_a_cover():
    dims = covering()
    ix = dims.init()
    ix["bm"], ix["TM"] = "b", "t"
    assert str(ix.inside("M")) == "b*64 + t < M"
    assert ix.inside("TM") is None
    assert str(ix.get("M").inside) == "b*64 + t < M"
    assert dims.init(simplifier=quaff.Simplifier(effort=0)).why_partial("M") == []


def test_a_table_of_indices():
    dims, (thread, *_), _ = loads()
    ix = dims.init()
    ix.set(thread, "t&31")
    html = ix._repr_html_()
    assert "<td>lane</td><td>32</td><td>(t &amp; 31)%32</td><td>solved by `thread = warp * lane` (-&gt;)</td>" in html
    assert "not solved" in html and repr(ix).startswith("<Indices thread=t & 31, warp=")


SCENARIOS = Path(__file__).parents[2] / "tests/data/dims_scenarios.jsonl"


class Run:
    """One program of `dims_scenarios.jsonl`."""

    def __init__(self, scenario):
        self.dims, self.ix = quaff.Dims(), None
        self.names, self.scopes, self.blocks = {}, {}, []
        self.vars = scenario["vars"]

    def side(self, side):
        factors = side if isinstance(side, list) else [side]
        return [f if isinstance(f, int) else self.names[f] for f in factors]

    def fails(self, kind, work):
        with pytest.raises(quaff.DimsError) as caught:
            work()
        assert caught.value.code == f"dims::{kind}"

    def entered(self, block):
        opened = block.__enter__()
        self.blocks.append(block)
        return opened

    def set(self, dim, value):
        used = [str(v) for v in quaff.Expr(value).variables]
        for name in used:
            lo, hi = self.vars[name]
            self.ix.assume(f"{name} >= {lo} and {name} <= {hi}")
        self.ix.set(self.names[dim], value)

    def same(self, got, wanted):
        ranges = {name: tuple(ends) for name, ends in self.vars.items()}
        assert quaff.equal(got, wanted, ranges), f"{got} is not {wanted}"

    def step(self, name, *args):
        dims, ix = self.dims, self.ix
        match name:
            case "dim":
                base = args[0].split("#")[0]
                self.names[args[0]] = dims.new(base if args[1] is None else f"{base}={args[1]}")
            case "foreign":
                self.names[args[0]] = quaff.Dims().new(f"{args[0]}=1")
            case "dim_error":
                text = args[0] if args[1] is None else f"{args[0]}={args[1]}"
                self.fails(args[2], lambda: dims.new(text) if " " not in args[0] else dims.dim(args[0], args[1]))
            case "eq":
                dims.eq(self.side(args[0]), self.side(args[1]))
            case "eq_error":
                self.fails(args[2], lambda: dims.eq(self.side(args[0]), self.side(args[1])))
            case "scope":
                self.scopes[args[0]] = dims.new_scope(args[0])
            case "in":
                self.entered(dims.scope(self.scopes[args[0]]))
            case "out" | "exit":
                self.blocks.pop().__exit__(None, None, None)
            case "size":
                assert dims.size(self.names[args[0]]) == args[1]
            case "size_error":
                self.fails(args[1], lambda: dims.size(self.names[args[0]]))
            case "init":
                self.ix = dims.init()
            case "init_error":
                self.fails(args[0], dims.init)
            case "set":
                self.set(*args)
            case "set_error":
                self.fails(args[2], lambda: ix.set(self.names[args[0]], args[1]))
            case "get":
                self.same(ix.raw(self.names[args[0]]), args[1])
            case "get_error":
                self.fails(args[1], lambda: ix.raw(self.names[args[0]]))
            case "why_solved":
                words = {"size_one": "0, as its size is 1", "external": "set to", "loop": "loop variable", "vectorize": "0, as it is vectorised", "eq": "solved by"}
                assert ix.why_solved(self.names[args[0]]).startswith(words[args[1]])
            case "why_solved_error":
                self.fails(args[1], lambda: ix.why_solved(self.names[args[0]]))
            case "partial":
                assert [e.split("`")[1] for e in ix.why_partial(self.names[args[0]])] == args[1]
            case "enter":
                self.entered(ix.frame() if args[0] is None else ix.scope(self.scopes[args[0]]))
            case "enter_error":
                self.fails(args[1], ix.scope(self.scopes[args[0]]).__enter__)
            case "loop":
                variable = self.entered(ix.loop(self.names[args[0]], args[1]))
                assert (variable == quaff.Expr(0)) == (args[2] is None)
            case "loop_error":
                self.fails(args[1], ix.loop(self.names[args[0]], "unused").__enter__)
            case "vectorize":
                self.entered(ix.vectorize(self.names[args[0]], args[1]))
            case "vectorize_error":
                self.fails(args[2], ix.vectorize(self.names[args[0]], args[1]).__enter__)
            # Python has no function for a size that may be unknown
            case "size_or_none":
                pass
            case _:
                raise AssertionError(name)


def scenarios():
    if not SCENARIOS.exists():
        return []
    all_of_them = map(json.loads, SCENARIOS.read_text().splitlines())
    # scenario 021 tests the absence of an option that Python always sets
    return [s for s in all_of_them if s["id"] != "dims/021"]


@pytest.mark.skipif(not SCENARIOS.exists(), reason="the tests are not beside the sources")
@pytest.mark.parametrize("scenario", scenarios(), ids=lambda s: s["id"])
def test_scenarios(scenario):
    run = Run(scenario)
    for step in scenario["program"]:
        run.step(*step)


def window(height=8):
    dims = quaff.Dims()
    pixel, ih, iw = dims.new(f"pixel ih={height} iw=8")
    oh, ky = dims.new("oh=4 ky=3")
    dims.eq(pixel == ih * iw)
    return dims, pixel, ih, iw, oh, ky


def test_an_index_is_a_sum_of_others():
    dims, pixel, ih, iw, oh, ky = window()
    stride = quaff.var("stride")
    equation = ih == oh * stride + ky - 1
    assert str(equation) == "ih = oh*stride + ky - 1"
    assert equation.__class__ is quaff.Equation and not equation
    dims.eq(equation)
    ix = dims.init()
    ix.assume("1 <= stride and stride <= 3")
    ix.set(oh, "y")
    ix.set(ky, "k")
    ix.set(iw, "x")
    index, inside = ix[pixel], ix.inside(pixel)
    for s in (1, 3):
        for y in range(4):
            for k in range(3):
                at = y * s + k - 1
                point = {"stride": s, "y": y, "k": k, "x": 5}
                assert bool(inside.eval(**point)) == (0 <= at < 8)
                assert index.eval(**point) == at * 8 + 5


def test_sums_go_the_other_way():
    dims, pixel, ih, iw, oh, ky = window()
    dims.eq("ih", "2*oh - ky + 1")
    ix = dims.init()
    ix.set(ih, "y")
    ix.set(ky, "k")
    assert str(ix.raw(oh)) == "(y + k - 1)//2"
    found = {(y, k): [o for o in range(4) if o * 2 - k + 1 == y] for y in range(8) for k in range(3)}
    for (y, k), all_of in found.items():
        assert bool(ix.inside(oh).eval(y=y, k=k)) == bool(all_of)
        if all_of:
            assert ix.raw(oh).eval(y=y, k=k) == all_of[0]


def test_operators_of_sums():
    _, pixel, ih, iw, oh, ky = window()
    s = quaff.var("s")
    assert str(-(oh - ky * 2) * s + 3 - s) == "oh*-s + ky*(s*2) + (3 - s)"
    assert str(1 + oh - ky) == "oh - ky + 1"
    assert str(1 - oh) == "-oh + 1"
    assert str(-oh + oh * 3) == "oh*2"
    assert str(s * oh + s) == "oh*s + s"
    with pytest.raises(TypeError, match="one index in each term"):
        oh * ky + 1
    with pytest.raises(TypeError):
        oh + "1"
    dims, pixel, ih, iw, oh, ky = window()
    with pytest.raises(TypeError, match="the index of one dimension"):
        dims.eq(ih * iw, oh + ky)
    with pytest.raises(quaff.DimsError) as caught:
        dims.eq(ih, ih + ky)
    assert caught.value.code == "dims::not_affine"
    other = window()[4]
    with pytest.raises(quaff.DimsError) as caught:
        dims.eq(ih, other + ky)
    assert caught.value.code == "dims::foreign_dim"


def test_the_sign_of_a_coefficient_is_known():
    dims, pixel, ih, iw, oh, ky = window()
    dims.eq(ih == oh * quaff.var("stride") + ky)
    ix = dims.init()
    ix.set(ky, "k")
    with pytest.raises(quaff.DimsError, match="assume `1 <= stride`"):
        ix.set(ih, "y")
    ix.assume("stride > 1")
    ix.set(ih, "y")
    assert str(ix.raw(oh)) == "(y - k)//stride"
