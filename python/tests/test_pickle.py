"""Answers, accesses, views and decisions as pickles and copies."""

import copy
import pickle

import pytest

import quaff


def again(value):
    copied = copy.deepcopy(value)
    assert type(copied) is type(value)
    return pickle.loads(pickle.dumps(value))


def test_answers():
    domain = quaff.Domain({"x": (0, 10**6), "n": (1, 1000), "i": (0, 29)}, uniform="n", assume="i >= 1")
    answer = quaff.simplify_all(["x//n", "(i + 27)%28"], domain, trace=True)
    other = again(answer)
    assert other.exprs == answer.exprs and other.cost == answer.cost and other.input_cost == answer.input_cost
    assert (other.stop, other.rounds, other.nodes) == (answer.stop, answer.rounds, answer.nodes)
    assert [step.rule for step in other.trace] == [step.rule for step in answer.trace] != []
    for language in ("cuda", "c", "rust", "python", "triton"):
        assert other.function("f", language) == answer.function("f", language)
    assert other.contract("cuda") == answer.contract("cuda") and str(other) == str(answer)


def test_answers_with_a_condition():
    dims = quaff.Dims()
    dims.run_time("M", 1, 4096)
    dims.dim("bm")
    dims.dim("TM", 64)
    dims.covered("M", "bm * TM")
    answer = dims.get(["M"], set={"bm": "b", "TM": "t"})
    assert str(again(answer)) == str(answer) == "b*64 + t\nwhere b*64 + t < M"


def test_accesses():
    for access in (
        quaff.Access("i + 1", "i < 5", buffer="x", load="v", element="int"),
        quaff.Access("i", store="2*v"),
        quaff.Access("i", "0"),
    ):
        assert repr(again(access)) == repr(access) and again(access).index == access.index
        both = [quaff.simplify_accesses([a], {"i": (0, 9)}).cuda() for a in (access, again(access))]
        assert both[0] == both[1]


def test_views():
    sized = quaff.View(["n", 12], {"n": (1, 64)}).pad([(0, 0), (2, 2)]).flip([0])
    for view in (quaff.View([4, 6]).permute([1, 0]).reshape([24]), sized):
        assert again(view) == view and str(again(view)) == str(view)


def test_decisions():
    for a, b in (("i*2", "i + i"), ("i", "i + 1"), ("x*x*x + x", "x*(x*x + 2)")):
        decision = quaff.verify(a, b, {"i": (0, 9), "x": None})
        other = again(decision)
        assert (other.equal, other.method, other.witness) == (decision.equal, decision.method, decision.witness)
        assert str(other) == str(decision)


def test_pickles_of_another_version_are_refused():
    kind, (name, (text, _)) = quaff.simplify("i*2", {"i": (0, 9)}).__reduce__()
    with pytest.raises(ValueError, match="not of this version of quaff"):
        kind(name, (text.replace("roots", "root"), False))
