"""``quaff.Dims``: sizes and indices from products of dimensions."""

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
    dims.scope("load")
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
