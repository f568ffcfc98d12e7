"""Texts of other languages."""

import pytest

import quaff


def test_a_text_is_read_with_the_meaning_of_its_language():
    e = quaff.Expr.parse("x / 4 * 4 + x % 4", dialect="c")
    assert str(quaff.simplify(e, {"x": (-9, 9)}).expr) == "x"
    assert str(quaff.Expr.parse("tl.cdiv(n, 32)", dialect="triton").eval({"n": 33})) == "2"
    with pytest.raises(quaff.ParseError) as error:
        quaff.Expr.parse("x + 0.5f", dialect="c")
    assert error.value.span is not None
    with pytest.raises(ValueError, match="no dialect"):
        quaff.Expr.parse("x", dialect="fortran")
    with pytest.raises(ValueError, match="quaff.read"):
        quaff.Expr.parse("affine_map<(d0) -> (d0, d0)>", dialect="mlir")


def test_an_error_of_an_infix_text_names_a_dialect_that_reads_it():
    def help_of(read, text):
        with pytest.raises(quaff.ParseError) as error:
            read(text)
        return error.value.help

    def read(text):
        return quaff.read(text, "infix")

    for call in (quaff.Expr, quaff.Expr.parse, read, lambda text: quaff.simplify(text, {})):
        assert help_of(call, "x > 3 && y") == '`Expr.parse(text, dialect="c")` reads this text'
        assert help_of(call, "(x + 1) / 4").endswith('`Expr.parse(text, dialect="c")` reads this text')
        assert help_of(call, "x + 0.5") == "all values are integers"


def test_a_map_brings_its_results_and_ranges():
    results, domain, required = quaff.read("(d0) -> (d0 mod 8, d0), domain: d0 in [0, 7]", "xla")
    assert [str(quaff.simplify(e, domain).expr) for e in results] == ["d0", "d0"] and not required
    _, _, required = quaff.read("(size_t)(x - 4) / 3", "c")
    assert [(str(value), low) for value, low, _, _ in required] == [("x - 4", 0)]


def test_an_answer_is_written_in_a_dialect():
    answer = quaff.simplify("(threadIdx.x*8 + 3)//8", {"threadIdx.x": (0, 255)})
    assert answer.text("cuda") == "threadIdx.x" and answer.text("c") == "threadIdx_x"
    assert answer.renamed("cuda") == {} and answer.renamed("c") == {"threadIdx.x": "threadIdx_x"}
    grid = quaff.simplify("program_id_0 + 1", {"program_id_0": (0, 9)})
    assert grid.renamed("triton") == {"program_id_0": "tl.program_id(0)"}
    with pytest.raises(ValueError, match="no dialect"):
        grid.renamed("fortran")
    with pytest.raises(quaff.LowerError):
        quaff.simplify("x & y", {"x": (0, 9), "y": (0, 9)}).text("mlir")
