"""`Expr.subs`, `rename`, `walk`, `lambdify`, and expressions together with arrays."""

import pytest

import quaff
from quaff import Expr

i, j = quaff.variables("i, j")


def test_subs_replaces_variables_and_parts_at_once():
    e = Expr("i*16 + j")
    assert e.subs({"i": "j", "j": 5}) == Expr("j*16 + 5")
    assert e.subs(i=j + 1) == Expr("(j + 1)*16 + j")
    assert e.subs({i: j, j: i}) == Expr("j*16 + i")
    assert Expr("(i*16 + j)//4").subs({e: "k", "i": 0}) == Expr("k//4")
    assert Expr("i*16 + i").subs({16: 8}) == Expr("i*8 + i")
    assert e.subs() == e
    with pytest.raises(TypeError):
        e.subs({"i": 1.5})
    with pytest.raises(quaff.ParseError):
        e.subs(i="i +")


def test_what_is_shared_stays_shared():
    e = i
    for _ in range(200):
        e = e + e
    grown = e.rename(i="k")
    assert grown.variables == ["k"] and len(list(grown.walk())) == 201


def test_rename_keeps_variables_apart():
    e = Expr("i*16 + j")
    assert e.rename(i="j", j="i") == Expr("j*16 + i")
    assert e.rename({"i": "threadIdx.x"}) == Expr("threadIdx.x*16 + j")
    assert e.rename(k="l") == e
    with pytest.raises(ValueError, match="two variables would have the name .j."):
        e.rename(i="j")


def test_walk_has_operands_first_and_each_part_once():
    parts = list(Expr("(i + j)*(i + j) + 3").walk())
    assert parts[-1] == Expr("(i + j)*(i + j) + 3")
    assert len(parts) == len(set(parts)) == 6
    for at, part in enumerate(parts):
        assert all(operand in parts[:at] for operand in part.args)


def test_lambdify_is_eval():
    f = Expr("i*16 + j//3").lambdify("j", "i")
    assert f.names == ("j", "i")
    assert f(5, 2) == 33 and f(-1, 2**40) == 2**44 - 1
    assert Expr("i*i").lambdify()(2**60) == 2**120
    assert Expr("7").lambdify()() == 7
    with pytest.raises(KeyError, match="`j` has no value"):
        Expr("i + j").lambdify("i")
    with pytest.raises(TypeError, match="takes 2 values, and was called with 1"):
        f(1)
    with pytest.raises(TypeError, match="an integer or an array, and not float"):
        f(1, 2.0)
    with pytest.raises(ZeroDivisionError, match="division by zero, at i=0"):
        Expr("5//i").lambdify()(0)


def test_lambdify_takes_arrays():
    np = pytest.importorskip("numpy")
    rows, columns = np.arange(-5, 7)[:, None], np.arange(1, 9, dtype=np.uint8)
    f = Expr("where(i < j, (i*16 + j)//j, i%j) + (i ^ j)").lambdify("i", "j")
    found = f(rows, columns)
    assert found.shape == (12, 8) and found.dtype == np.int64
    wanted = [[f(int(a), int(b)) for b in columns] for a in rows[:, 0]]
    assert found.tolist() == wanted
    found[0, 0] = 5
    assert f(rows, 3).shape == (12, 1) and f(np.int64(3), 3).shape == ()
    assert f([1, 2], 3).tolist() == [f(1, 3), f(2, 3)]
    assert f(np.zeros((0, 3), dtype=int), 3).shape == (0, 3)
    with pytest.raises(TypeError, match="are integers, and not float64"):
        f(rows / 2, 1)
    with pytest.raises(ZeroDivisionError, match="division by zero, at i=0"):
        Expr("5//i").lambdify()(np.array([1, 0]))
    with pytest.raises(OverflowError, match="value outside of 64 bits, at i=4611686018427387904"):
        Expr("i*2").lambdify()(np.array([1, 2**62]))
    with pytest.raises(OverflowError, match="outside of 64 bits with sign"):
        Expr("i").lambdify()(np.array([2**63], dtype=np.uint64))


def test_arrays_take_expressions_apart():
    np = pytest.importorskip("numpy")
    for found in (i + np.arange(3), np.arange(3) + i):
        assert found.dtype == object and [e.eval(i=5) for e in found] == [5, 6, 7]
    assert [e.eval(i=1) for e in np.less(i, np.arange(3), dtype=object)] == [0, 0, 1]
    assert i + np.int64(3) == i + np.array(3) == Expr("i + 3")
    with pytest.raises(TypeError):
        i + 1.5


def test_powers_that_are_no_products_are_refused():
    for exponent in (-1, 65):
        with pytest.raises(ValueError, match="exponent from 0 to 64"):
            i**exponent
    for power in (lambda: i**j, lambda: 3**i, lambda: i**0.5):
        with pytest.raises(TypeError):
            power()
    with pytest.raises(ValueError):
        pow(i, 2, 5)


def test_format_is_that_of_texts():
    assert f"{i + 1:>8}|{i:<3}|{i}" == "   i + 1|i  |i"
