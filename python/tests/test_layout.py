"""Layouts and their algebra."""

import pytest

import quaff
from quaff import Layout, LayoutError


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
