"""``quaff.ask``: questions about indices, and their proved answers."""

import pytest

import quaff
from quaff import ask


def test_lanes():
    domain = "pid=0..65535, t=0..127, n=16..1048576 step 16"
    found = ask.lanes("pid*128 + t", "t", domain, mask="pid*128 + t < n")
    assert found == {
        "lanes": 128, "contiguity": 128, "constancy": 1, "divisibility": 128, "mask_constancy": 16, "vector": 16,
    }
    assert ask.lanes("t", "t", domain, mask="t < n", most=4)["vector"] == 4
    assert ask.lanes("t//2", "t", domain)["mask_constancy"] is None
    with pytest.raises(ValueError, match="16 apart"):
        ask.lanes("t", "n", domain)
    with pytest.raises(ValueError, match="must begin at 0"):
        ask.lanes("t", "t", "t=1..9")
    with pytest.raises(ValueError, match="no variable"):
        ask.lanes("t", "u", domain)
    with pytest.raises(quaff.SimplifyError) as caught:
        ask.lanes("7//t", "t", domain)
    assert caught.value.span == (3, 4)


def test_parts():
    domain = "wg=0..1023, k=0..63, t=0..255, K=8..8192 step 8"
    found = ask.parts("(wg*32 + t//8)*K + k*64 + t%8*8 + 5", [["wg", "k"], ["t"]], domain)
    assert [str(e) for e in found["parts"]] == ["k*64 + wg*K*32", "K*(t//8) + t%8*8"]
    assert str(found["shared"]) == "5" and found["mixed"] == []
    assert [str(e) for e in ask.parts("wg*t", [["wg"], ["t"]], domain)["mixed"]] == ["wg*t"]
    with pytest.raises(ValueError, match="given twice"):
        ask.parts("t", [["t"], ["t"]], domain)


def test_strides():
    found = ask.strides("i//8*64 + i%8*2 + p", ["i"], "i=0..63, p=0..9")
    assert [(d["axis"], d["below"], str(d["extent"]), str(d["stride"])) for d in found["dimensions"]] == [
        ("i", 8, "8", "64"), ("i", 1, "8", "2"),
    ]
    assert str(found["offset"]) == "p"
    tile = "pid=0..99, t=0..127, k=0..63, M=1..8192, K=64..4096"
    rows, columns = ask.strides("(pid*128 + t)%M*K + k", ["t", "k"], tile)["dimensions"]
    assert [str(e) for e in rows["wrap"]] == ["pid*128", "M"] and columns["wrap"] is None
    assert str(ask.strides("i*i", ["i"], "i=0..63")["not_strided"]) == "i*i"


def test_maps():
    matrix = "n=1..4096, m=1..4096, x=0..m-1, y=0..n-1"
    assert ask.injective(["x*n + y"], ["x", "y"], matrix) == (True, None)
    is_so, (a, b) = ask.injective(["x*3 + y*2"], ["x", "y"], "x=0..9, y=0..9")
    assert is_so is False and a != b and a["x"] * 3 + a["y"] * 2 == b["x"] * 3 + b["y"] * 2
    assert ask.injective(["x*n + y*2"], ["x", "y"], matrix) == (None, None)
    assert ask.surjective(["x*n + y"], ["m*n"], ["x", "y"], matrix) == (True, None)
    assert ask.surjective(["x*8 + y"], [32], ["x", "y"], "x=0..7, y=0..3") == (False, [4])
    values, inside = ask.inverse(["i//8", "i%8"], [("tile", 4), ("lane", 8)], ["i"], "i=0..27")
    assert str(values[0]) == "tile*8 + lane" and str(inside) == "tile*8 + lane < 28"
    assert ask.inverse(["i*i"], [("y", 9)], ["i"], "i=0..2") is None
    assert ask.disjoint("t*2", "t*2 + 1", ["t"], "t=0..31") == (True, None)
    assert ask.disjoint("t", "t*t + 5", ["t"], "t=0..31")[0] is False


def test_conditions_on_sizes():
    found = ask.when("(row*ld + t*4)%4 == 0", ["ld"], "row=0..9, t=0..7, ld=1..16")
    assert [([str(e) for e in when.conditions], when.necessary) for when in found] == [(["ld%4 == 0"], True)]
    assert [when.code() for when in found] == ["ld % 4 == 0"]
    assert found[0].code("python") == "ld%4 == 0" and repr(found[0]) == "When(ld%4 == 0, necessary=True)"
    [always] = ask.when("t < n", ["n"], "t=0..31, n=32..99")
    assert (always.conditions, always.necessary, str(always.test)) == ([], True, "1")
    with pytest.raises(ValueError, match="no variable"):
        ask.when("t < n", ["m"], "t=0..31, n=32..99")
    with pytest.raises(ValueError, match="dialect"):
        found[0].code("no such")


def test_conditions_of_vectors_and_of_disjoint_accesses():
    domain = "row=0..9, t=0..31, ld=1..64, n=1..40"
    [found] = ask.when_vector("row*ld + t", 4, "t", ["ld", "n"], domain, mask="t < n")
    assert found.code("c") == "ld % 4 == 0 && n % 4 == 0"
    with pytest.raises(ValueError, match="do not come apart"):
        ask.when_vector("t", 5, "t", ["n"], domain)
    [found] = ask.when_disjoint("t", "t + n", ["t"], ["n"], domain)
    assert (str(found.test), found.necessary) == ("32 <= n", True)


def test_domains_without_points():
    s, domain = quaff.Simplifier(), "x=0..9, assume x > 20"
    with pytest.raises(quaff.EmptyDomainError, match="no point"):
        s.bounds("x", domain)
    with pytest.raises(quaff.EmptyDomainError):
        ask.lanes("x", "x", domain)
    assert s.bounds("x", domain, empty_ok=True) is None and s.congruence("x", domain, empty_ok=True) is None
    assert s.prove("x < 0", domain, empty_ok=True) is True and s.equal("x", "x + 1", domain, empty_ok=True) is True
    assert s.is_multiple_of("x", 7, domain, empty_ok=True) is True
    assert s.bounds("x", "x=0..9", empty_ok=True) == (0, 9) and s.prove("x < 5", "x=0..9", empty_ok=True) is None
    with pytest.raises(quaff.SimplifyError):
        s.bounds("1//x", "x=0..9", empty_ok=True)


def test_iterators():
    domain = "i=0..15, j=0..7"
    found = ask.detect(["(i*8 + j)//4 + 3", "(i*8 + j)%4"], ["i", "j"], domain)
    slow, fast = found["outputs"]
    [one] = slow["iterators"]
    assert [str(e) for e in (one["digit"], one["extent"], one["scale"], slow["base"])] == ["i*2 + j//4", "32", "1", "3"]
    assert [str(one["digit"]) for one in fast["iterators"]] == ["j%4"]
    assert found["bijective"] is True
    assert str(ask.detect(["i*j"], ["i", "j"], domain)["no_iterator"]) == "i*j"


def test_divided_maps():
    domain = "z=0..4, y=0..3, x=0..2, c=0..99"
    [one] = ask.subspace_divide(["z*12 + y*3 + x + c"], ["x", "y", "z"], ["x"], domain)["outputs"]
    assert [str(one[part]) for part in ("outer", "stride", "inner")] == ["z*4 + y", "3", "x + c"]
    assert str(ask.subspace_divide(["z*12 + y*3 + x"], ["x", "y", "z"], ["y"], domain)["mixed"]) == "x"


def test_ranges():
    domain = "s=-99..99, t=0.., assume s//-3 >= -11, assume s//-3 <= -5, assume s%4 == 3"
    s, t = ask.ranges(["s", "t"], domain)
    assert (s["name"], s["least"], s["greatest"], s["ends_are_values"]) == ("s", 15, 31, True)
    assert (s["residue"], s["modulus"]) == (3, 4)
    assert (t["least"], t["greatest"], t["ends_are_values"]) == (0, None, False)
    with pytest.raises(ValueError, match="`s` is given twice"):
        ask.ranges(["s", "s"], domain)
    with pytest.raises(ValueError, match="no variable `u`"):
        ask.ranges(["u"], domain)
    with pytest.raises(quaff.EmptyDomainError):
        ask.ranges(["s"], "s=0..9, assume s > 20")


def test_counted_variables():
    found = ask.rescale(["s//3*4 + t", "s"], ["s", "t"], "s=0..99, t=5..5, assume s%6 == 3")
    assert [str(index) for index in found["indices"]] == ["s_k*8 + 9", "s_k*6 + 3"]
    assert str(found["domain"]) == "s_k=0..16"
    s, t = found["counted"]
    assert (s["counter"], str(s["value"]), str(s["count"])) == ("s_k", "s_k*6 + 3", "(s - 3)//6")
    assert (t["name"], t["counter"], str(t["value"])) == ("t", None, "5")


def test_images():
    found = ask.image("i*20 + j", "i=0..99999, j=0..9")
    assert (found["least"], found["greatest"], found["stride"]) == (0, 1999989, 1)
    assert (found["dense"], found["hole"], found["count"]) == (False, 10, 1_000_000)
    assert ask.image("i*2 + j", "i=0..99999, j=0..1")["dense"] is True
