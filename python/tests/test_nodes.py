"""Flat lists of nodes: reading and writing."""

import pytest

import quaff
from quaff import OPERATORS, Expr, from_nodes, to_nodes

CONST, VAR = OPERATORS["const"], OPERATORS["var"]


def test_a_list_says_what_the_documentation_says():
    words = [VAR, 0, CONST, 16, OPERATORS["mul"], 0, 1]
    assert from_nodes(words, ["i"], [2]) == [Expr("i*16")]
    assert from_nodes(words, ["i"], [2, 0, 2]) == [Expr("i*16"), Expr("i"), Expr("i*16")]
    assert from_nodes([], [], []) == []


def test_round_trip_keeps_order_names_and_sharing():
    texts = ["(i*16 + j)//4", "where(i < j, -(i*16 + j), min(i, 3))", "7", "k", "(i*16 + j)//4"]
    exprs = [Expr(t) for t in texts]
    words, names, roots = to_nodes(texts)
    assert from_nodes(words, names, roots) == exprs
    assert names == ["i", "j", "k"]
    assert roots[0] == roots[4]
    # the shared part i*16 + j occurs in the list once
    assert words.count(16) == 1 and to_nodes(exprs) == (words, names, roots)


def test_names_may_have_dots():
    words, names, roots = to_nodes([Expr.var("shape.x") + 1])
    assert names == ["shape.x"] and from_nodes(words, names, roots) == [Expr.var("shape.x") + 1]


@pytest.mark.parametrize(
    "words, names, roots, place",
    [
        ([OPERATORS["neg"], 5], [], [0], "word 1"),
        ([OPERATORS["neg"], 0], [], [0], "word 1"),
        ([OPERATORS["neg"], -1], [], [0], "word 1"),
        ([99], [], [0], "word 0"),
        ([-3, 0], [], [0], "word 0"),
        ([VAR, 0], [], [0], "word 1"),
        ([VAR, -1], ["i"], [0], "word 1"),
        ([CONST, 1], [], [3], "root 3"),
        ([CONST, 1], [], [-1], "root -1"),
        ([CONST], [], [], "word"),
        ([CONST, 1, OPERATORS["add"], 0], [], [1], "word"),
    ],
)
def test_wrong_lists_are_refused_with_the_place(words, names, roots, place):
    with pytest.raises(ValueError, match=place):
        from_nodes(words, names, roots)


def test_wrong_types_are_refused():
    for args in (([1.5], [], []), ("x", [], []), ([0, 2**70], [], [0]), ([0, 1], [3], [0]), (None, [], [])):
        with pytest.raises((TypeError, OverflowError)):
            from_nodes(*args)
    with pytest.raises(TypeError):
        to_nodes([1.5])
    with pytest.raises(quaff.ParseError):
        to_nodes(["i +"])


def test_a_list_is_simplified_without_expressions():
    texts = ["(i*16 + j)//16", "(i*16 + j)%16 + 0*k"]
    domain = {"i": (0, 7), "j": (0, 15), "k": (0, 3)}
    answer = quaff.simplify_nodes(*to_nodes(texts), domain)
    assert answer.exprs == quaff.simplify_all(texts, domain).exprs == [Expr("i"), Expr("j")]
    assert answer.to_nodes() == to_nodes(answer.exprs) == ([VAR, 0, VAR, 1], ["i", "j"], [0, 1])
    with pytest.raises(ValueError, match="word 0"):
        quaff.simplify_nodes([99], [], [0])
    with pytest.raises(quaff.SimplifyError):
        quaff.simplify_nodes(*to_nodes(["i//j"]), domain)


def test_an_answer_says_what_no_form_costs_less_than():
    domain = {"i": (0, 63), "j": (0, 15)}
    answer = quaff.simplify("(i*16 + j)//32*8 + (i*16 + j)%32//4", domain)
    assert 0 < answer.least_cost <= answer.cost <= answer.input_cost


def test_every_node_of_an_answer_has_a_range():
    answer = quaff.simplify("where(j >= i, j - i, 0)//4", quaff.Domain({"i": (0, 7), "j": None}, assume="j >= i"))
    assert str(answer) == "(-i + j)//4"
    words, names, _ = answer.to_nodes()
    parts = quaff.from_nodes(words, names, range(len(answer.ranges())))
    known = {str(part): ends for part, ends in zip(parts, answer.ranges())}
    # the ranges of the operands alone would give the lower end -7
    assert known["-i + j"] == (0, None) and known["i"] == (0, 7) and known["(-i + j)//4"] == (0, None)
    assert len(quaff.simplify_all(["i + 1", "i*2"], {"i": (0, 7)}).ranges()) == 5
