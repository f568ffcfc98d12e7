"""Layouts and their algebra."""

import pytest

import quaff
from quaff import Layout, LayoutError, LinearLayout, SymbolicLayout


def test_a_composition_is_one_layout_after_another():
    a, b = Layout("(10,2):(16,4)"), Layout("(3,4):(1,5)")
    assert str(a @ b) == "(3,(2,2)):(16,(80,4))"
    assert all((a @ b)(c) == a(b(c)) for c in range(b.size))
    assert Layout("(10,2):(16,4) o (3,4):(1,5)") == a @ b == a.compose("(3,4):(1,5)")
    with pytest.raises(LayoutError, match="at coordinate 4 the index is 9") as error:
        Layout("(4,6,8):(2,3,5)") @ "6:3"
    assert error.value.code == "quaff::layout::no_layout"


def test_tiles_of_a_layout():
    rows = Layout.row_major([128, 64])
    assert str(rows.zipped_divide((32, 16))) == "((32,16),(4,4)):((64,1),(2048,16))"
    assert str(rows.logical_divide((32, "16:1")).modes[0]) == "(32,4):(64,2048)"
    assert rows.tiled_divide((32, 16)).sizes == [512, 4, 4]
    assert len(rows.flat_divide((32, 16))) == 4
    assert Layout("10:1").logical_divide(4).size == 12
    assert str(Layout("(2,2):(4,1)").logical_product(6)) == "((2,2),(2,3)):((4,1),(2,8))"


def test_complements_and_inverses():
    a = Layout("(4,2):(1,8)")
    assert str(a.complement(64)) == "(2,4):(4,16)"
    rows = Layout("(4,8):(8,1)")
    inverse = rows.left_inverse()
    assert all(inverse(rows(c)) == c for c in range(32)) and rows.right_inverse() == inverse
    assert (a.size, a.cosize, a.is_injective, a.is_surjective) == (8, 12, True, False)
    with pytest.raises(LayoutError, match="no complement"):
        Layout("(2,2):(2,3)").complement(9)


def test_indices_views_and_pictures():
    assert str(Layout.of_index("i%4*8 + i//4 + j*32", [("i", 8), ("j", 2)])) == "((4,2),2):((8,1),32)"
    with pytest.raises(LayoutError, match="at coordinate 3 the index is 9"):
        Layout.of_index("i*i", [("i", 4)])
    a = Layout("(4,(2,2)):(1,(8,4))")
    assert str(a.to_view()) == "(4, 2, 2):(1, 8, 4)"
    assert str(Layout.of_view(quaff.View([4, 8]))) == "(4,8):(8,1)"
    assert a(3, 2) == 7 and a.index(["i", "j"]) == quaff.Expr.parse("i + j%2*8 + j//2*4")
    assert "return" in a.simplify(["i", "j"]).cuda()
    assert a.svg().count("<g>") == 16


def test_what_is_no_layout_is_refused():
    with pytest.raises(LayoutError) as error:
        Layout("(4,8):(8,1) o (3")
    assert error.value.span == (16, 16)
    with pytest.raises(LayoutError, match="2 coordinates for 1 mode"):
        Layout("4:1")(1, 2)
    with pytest.raises(TypeError):
        Layout("4:1") @ 1.5
    assert repr(Layout("4:1")) == "quaff.Layout('4:1')" and hash(Layout("4:1")) == hash(Layout("4"))


def test_functions_of_bits():
    tile = LinearLayout("{register: [(0,1), (8,0)], lane: [(0,2), (0,4), (1,0), (2,0), (4,0)]} -> {row: 16, column: 8}")
    assert tile.ins == {"register": 4, "lane": 32} and tile.outs == {"row": 16, "column": 8}
    assert tile(3, 5) == (9, 3) and tile.rank == 7 and tile.is_injective and tile.is_surjective
    assert tile.bases["register"] == [[0, 1], [8, 0]] and tile.free_masks == {"register": 0, "lane": 0}
    assert tile == LinearLayout.of_bases(tile.bases, tile.outs) == LinearLayout(str(tile))
    inverse = tile.invert()
    assert all(inverse(*tile(r, lane)) == (r, lane) for r in range(4) for lane in range(32))
    assert inverse @ tile == LinearLayout.identity(4, "register", "register") * LinearLayout.identity(32, "lane", "lane")
    assert [str(e) for e in tile.simplify().exprs] == ["register//2*8 + lane//4", "register%2 + lane%4*2"]
    assert tile.index([3, "t"])[0].eval({"t": 5}) == 9
    assert repr(LinearLayout("{x: [1]}")) == "quaff.LinearLayout('{x: [1]} -> {dim0: 2}')"


def test_products_quotients_and_other_names_of_functions_of_bits():
    low = LinearLayout.strided(4, 2, "x", "y")
    product = low * "{x: [1], z: [2]} -> {y: 4}"
    assert product.divide_left(low) * LinearLayout.zeros(1, "x", "y") == LinearLayout("{x: [1], z: [2]} -> {y: 4}")
    assert product.divide_right("{x: [1], z: [2]} -> {y: 4}").sublayout(["x"], ["y"]) == low
    assert product.divide_left("{x: [1]} -> {y: 2}") is None
    assert product.flatten_ins("t").flatten_outs("u").ins == {"t": 16}
    turned = product.transpose_ins(["z", "x"]).reshape_outs({"row": 4, "column": 8}).transpose_outs(["column", "row"])
    assert turned.outs == {"column": 8, "row": 4} and turned.reshape_ins({"c": 16})(1) == (4, 0)
    rows = LinearLayout.of_layout("(4,8):(8,1)", ["i", "j"], "k")
    assert rows(2, 3) == (19,) and rows.to_layout() == Layout("(4,8):(8,1)")
    found = LinearLayout.of_layout("(4,8):(1,4)", ["i", "j"], "k").invert_and_compose(rows)
    assert found(1, 0) == (0, 1) and rows.left_inverse() == rows.right_inverse()


def test_what_is_no_function_of_bits_is_refused():
    with pytest.raises(LayoutError, match="no power of two"):
        LinearLayout.identity(3, "x", "y")
    with pytest.raises(LayoutError, match="expected bases in brackets") as error:
        LinearLayout("{x: 4}")
    assert error.value.span == (4, 5)
    with pytest.raises(LayoutError, match="not injective"):
        LinearLayout("{x: [1, 1]}").invert()
    with pytest.raises(LayoutError, match="one number for each input"):
        LinearLayout("{x: [1, 2]}")(4)
    with pytest.raises(TypeError):
        LinearLayout("{x: [1]}") * 2


def test_layouts_with_names():
    domain = quaff.Domain("M=8..4096 step 8, N=1..4096")
    rows = SymbolicLayout("(M,N):(N,1)", domain)
    assert rows == SymbolicLayout.row_major(["M", "N"], domain) == SymbolicLayout.of_view(rows.to_view())
    assert (str(rows.size), str(rows.cosize)) == ("M*N", "M*N") and [str(e) for e in rows.sizes] == ["M", "N"]
    assert rows.is_injective and rows.is_surjective and SymbolicLayout("(M,N):(1,4)", domain).is_injective is None
    tiles = rows.zipped_divide((8, "N"))
    assert str(tiles) == "((8,N),(M//8,1)):((N,1),(N*8,0))" and len(tiles) == 2
    assert tiles.evaluated({"M": 16, "N": 3}) == Layout("((8,3),(2,1)):((3,1),(24,0))")
    columns = SymbolicLayout.column_major(["M", "N"], domain)
    assert str(columns @ "(N,M):(M,1)") == "(N,M):(M,1)" == str(columns.compose(SymbolicLayout("(N,M):(M,1)", domain)))
    assert str(columns.coalesce()) == "M*N:1" and str(rows.modes[0].complement("M*N")) == "N:1"
    assert str(rows.simplify(["i", "j"]).expr) == "j + N*i" and rows.index(["i", "j"]) == quaff.Expr.parse("i*N + j")
    assert repr(rows.flatten()) == "<quaff.SymbolicLayout (M,N):(N,1)>" and str(rows.domain) == str(domain)
    assert rows.left_inverse() == rows.right_inverse() and str(rows.left_inverse()) == "(N,M):(M,1)"
    with pytest.raises(LayoutError, match="it is not proved that `16%M == 0`") as error:
        rows.compose(16)
    assert error.value.code == "quaff::layout::not_proved" and str(rows.compose(3)) == "3:N"
    with pytest.raises(LayoutError, match="the name `X` is not declared"):
        SymbolicLayout("(M,X):(1,M)", domain)
    with pytest.raises(TypeError):
        rows @ 1.5
