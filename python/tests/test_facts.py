"""`Facts`: facts that are kept between questions and within levels."""

import threading

import pytest

import quaff
from quaff import Domain, Facts


def test_levels_are_with_statements():
    facts = quaff.facts("n=1..4096, x=0..9999")
    assert isinstance(facts, Facts)
    assert facts.prove("x < n") is None
    with facts as within:
        assert within is facts
        facts.assume("x < n")
        with facts:
            facts.add({"i": (0, "x")})
            facts.add(Domain(assume=["n <= 8"]))
            assert facts.prove("i < 8") is True
            assert facts.bounds("x + i") == (0, 14)
            assert facts.equal("i//8", 0) is True
            assert [str(c) for c in facts.domain.assumptions] == ["x < n", "n <= 8"]
        assert facts.prove("x < 8") is None
        assert facts.prove("x//n == 0") is True
    assert facts.prove("x < n") is None
    with pytest.raises(ValueError, match="no level"):
        facts.pop()


def test_a_level_ends_where_its_statement_is_left_by_an_error():
    facts = quaff.facts("x=0..9")
    with pytest.raises(KeyError), facts:
        facts.assume("x < 4")
        raise KeyError
    assert facts.bounds("x") == (0, 9)


def test_answers_are_those_of_a_fresh_call():
    domain = "n=1..4096, bx=0..65535, tx=0..127, assume bx*128 + tx < n, assume n % 16 == 0"
    facts = quaff.Simplifier(effort=2).facts(domain)
    for k in range(20):
        asked = f"bx*128 + tx + {k} < n + {k}"
        assert facts.prove(asked) is quaff.prove(asked, domain) is True
        assert facts.bounds(f"bx*128 + {k}") == quaff.bounds(f"bx*128 + {k}", domain)
        assert facts.congruence(f"n*4 + {k}") == quaff.congruence(f"n*4 + {k}", domain) == (k % 64, 64)
        assert facts.is_multiple_of("n*3", 16) and not facts.is_multiple_of(f"n + {k} + 1", 32)


def test_errors_have_their_places():
    facts = quaff.facts("x=0..9")
    with pytest.raises(quaff.ParseError) as error:
        facts.prove("x <")
    assert error.value.source == "x <" and error.value.span is not None
    with pytest.raises(quaff.SimplifyError) as error:
        facts.bounds("4//x")
    assert (error.value.source, error.value.span) == ("4//x", (3, 4))
    facts.push()
    facts.assume("x > 20")
    with pytest.raises(quaff.EmptyDomainError):
        facts.prove("x < 3")
    facts.pop()
    assert facts.prove("x < 10") is True


def test_it_belongs_to_one_thread():
    facts, errors = quaff.facts("x=0..9"), []

    def ask():
        try:
            facts.bounds("x")
        except BaseException as error:  # the binding's own kind
            errors.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert len(errors) == 1
    assert facts.bounds("x") == (0, 9)
