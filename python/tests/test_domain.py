"""`Domain`: every spelling of a fact, the effect of the fact, and refused arguments."""

import pickle

import pytest

import quaff
from quaff import Domain, Expr


def test_ranges_in_every_spelling_are_the_same():
    spelled = [
        Domain({"i": (0, 15)}),
        Domain({"i": [0, 15]}),
        Domain({"i": range(16)}),
        Domain({"i": ("0", Expr(15))}),
        Domain("i=0..15"),
        Domain(Domain({"i": (0, 15)})),
        Domain().extended({"i": (0, 15)}),
        Domain().extended("i=0..15"),
        Domain().extended(Domain("i=0..15")),
    ]
    assert all(d == spelled[0] and hash(d) == hash(spelled[0]) for d in spelled)
    assert all(d.bounds("i") == (0, 15) for d in spelled)
    assert Domain({"i": 5}).bounds("i") == (5, 5)
    assert Domain({"i": None}).bounds("i") == Domain({"i": (None, None)}).bounds("i") == (None, None)
    assert Domain({"i": (None, 3)}).bounds("i") == (None, 3)


def test_symbolic_ends_reach_what_they_can():
    d = Domain({"n": (1, 64), "i": (0, "n - 1"), "j": (Expr.var("i"), 99)})
    assert (d.bounds("i"), d.bounds("j")) == ((0, 63), (0, 99))
    assert d.vars == ["n", "i", "j"] and len(d) == 3 and "n" in d and "x" not in d
    with pytest.raises(KeyError):
        d.bounds("x")


# keywords, an expression, and its simplest forms with and without these keywords
USED = [
    (dict(assume="i < 4"), "i//4", "0", "i//4"),
    (dict(assume=["i < 8", Expr("i >= 4")]), "i//4", "1", "i//4"),
    (dict(step={"i": 4}), "i%4", "0", "i%4"),
    (dict(step={"i": (4, 1)}), "i%4", "1", "i%4"),
]


@pytest.mark.parametrize("keywords, text, told, untold", USED, ids=[str(u[0]) for u in USED])
def test_what_is_said_is_used(keywords, text, told, untold):
    d = {"i": (0, 15)}
    assert str(quaff.simplify(text, Domain(d, **keywords)).expr) == told
    assert str(quaff.simplify(text, Domain(d).extended(**keywords)).expr) == told
    assert str(quaff.simplify(text, d).expr) == untold


def test_uniform_loops_and_opaque_texts_reach_the_answer():
    d = Domain({"x": (0, 10**6), "n": (1, 1000)})
    assert "/" in quaff.simplify("x//n", d).cuda()
    assert "/" not in quaff.simplify("x//n", d.extended(uniform="n")).cuda().split("__device__")[-1]
    assert "rows[3]" in quaff.simplify("r + 1", Domain({"r": (0, 9)}, opaque={"r": "rows[3]"})).cuda()
    nest = Domain({"i": (0, 63), "k": (0, 63)}, loop=["i", "k"])
    assert Domain(str(nest)) == nest != Domain({"i": (0, 63), "k": (0, 63)})
    two = Domain({"i": (0, 63), "k": (0, 63)}, loop=[["i"], ["k"]])
    assert two != nest
    assert "unrolled" in str(Domain({"u": (0, 3)}, unrolled=["u"]))


def test_defined_vouches_for_divisors():
    vars = {"i": (0, 99), "k": (0, 8)}
    with pytest.raises(quaff.SimplifyError, match="can be 0"):
        quaff.simplify("i*k//k", vars)
    assert str(quaff.simplify("i*k//k", Domain(vars, defined=True)).expr) == "i"


def test_domains_read_back_from_their_text_and_pickle():
    d = Domain(
        {"i": (0, 9), "n": (1, None), "u": (0, 3)},
        assume=["i < n", "n != 7"],
        step={"i": (2, 1)},
        uniform="n",
        loop=["i"],
        unrolled="u",
        opaque={"row": "rows[i]"},
        defined=True,
    )
    assert Domain(str(d)) == d == pickle.loads(pickle.dumps(d))
    assert eval(repr(d), {"quaff": quaff}) == d
    assert [str(a) for a in d.assumptions] == ["i < n", "n != 7"]


@pytest.mark.parametrize("name", ["größe", "a b", "", "1x", "not"])
def test_names_that_texts_do_not_read_are_refused(name):
    for make in (
        lambda: Domain({name: (0, 3)}),
        lambda: Domain(opaque={name: "rows[i]"}),
        lambda: Expr.var(name),
        lambda: Expr.make("var", name),
        lambda: quaff.from_nodes([1, 0], [name], [0]),
        lambda: Expr("i").rename(i=name),
        lambda: Expr("i").subs({name: 3}),
    ):
        with pytest.raises(ValueError, match="is no name of a variable"):
            make()


def test_all_that_was_said_still_holds():
    d = Domain({"i": (0, 15)}, assume="i < 8")
    more = d.extended({"j": (0, 3), "i": (2, None)}, step={"i": 2})
    assert more.bounds("i") == (2, 14)
    assert quaff.bounds("i", more) == (2, 6)
    assert d.bounds("i") == (0, 15) and "j" not in d


def test_text_and_keywords_together():
    d = Domain("i=0..15, assume i < 8", step={"i": 2})
    assert quaff.bounds("i", d) == (0, 6)
    assert Domain("i=0..15").extended("j=0..3, assume j < i").vars == ["i", "j"]
    both = Domain("i=0..15, assume i > 2").extended(Domain({"j": (0, 3)}, step={"j": 2}), assume="j < i")
    assert both.vars == ["i", "j"] and both.bounds("j") == (0, 2) and len(both.assumptions) == 2


@pytest.mark.parametrize(
    "make, kind, says",
    [
        (lambda: Domain({"i": 1.5}), TypeError, "not float"),
        (lambda: Domain({"i": (1, 2, 3)}), TypeError, "inclusive"),
        (lambda: Domain({"i": (0.5, 2)}), TypeError, "not float"),
        (lambda: Domain({3: (0, 1)}), TypeError, "names"),
        (lambda: Domain([("i", 1)]), TypeError, "dict"),
        (lambda: Domain({"i": range(0, 10, 2)}), ValueError, "step"),
        (lambda: Domain({"i": (0, 2**64)}), OverflowError, "64 bits"),
        (lambda: Domain({"i": range(2**70)}), OverflowError, "large|64 bits"),
        (lambda: Domain({"i": (0, "n -")}), quaff.ParseError, "expected"),
        (lambda: Domain("i=0..n-1, , x"), quaff.DomainError, "expected `=`"),
        (lambda: Domain({"i": (0, 3)}, assume="i <"), quaff.ParseError, "expected"),
        (lambda: Domain({"i": (0, 3)}, assume=3.5), TypeError, "iterable|not"),
        (lambda: Domain({"i": (0, 3)}, step={"j": 2}), KeyError, "declare it"),
        (lambda: Domain({"i": (0, 3)}, uniform=["j"]), KeyError, "declare it"),
        (lambda: Domain({"i": (0, 3)}, loop="j"), KeyError, "declare it"),
        (lambda: Domain({"i": (0, 3)}, unrolled="j"), KeyError, "declare it"),
        (lambda: Domain({"i": (5, 3)}).bounds("i"), quaff.DomainError, "empty"),
        (lambda: Domain({"i": (0, "i")}).bounds("i"), quaff.DomainError, "depend"),
        (lambda: quaff.simplify("i", Domain({"i": (5, 3)})), quaff.DomainError, "empty"),
        (lambda: quaff.simplify("i", {"i": (0, 9), "j": (0, "m")}), quaff.Error, "m"),
    ],
)
def test_what_cannot_be_is_refused(make, kind, says):
    with pytest.raises(kind, match=says):
        make()


def test_a_range_is_a_fact_where_its_variable_is_used():
    domain = quaff.Domain({"n": (0, 100), "x": (0, "n - 1")})
    assert str(quaff.simplify("where(n > 0, 5, 7)", domain)) == "where(n >= 1, 5, 7)"
    assert str(quaff.simplify("where(n > 0, x, 7)", domain)) == "x"
    promised = domain.extended(nonempty=["x"])
    assert str(quaff.simplify("where(n > 0, 5, 7)", promised)) == "5"
    with pytest.raises(KeyError, match="nonempty"):
        domain.extended(nonempty="y")
