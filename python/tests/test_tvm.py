"""`quaff.tvm`: TVM's expressions, the analyzer with TVM's objects, and the functions. Answers are compared with values at points."""

import itertools
import operator

import pytest

tvm = pytest.importorskip("tvm", reason="tvm is not installed: `quaff.tvm` is for it")
tirx = pytest.importorskip("tvm.tirx", reason="tvm has no `tvm.tirx`: `quaff.tvm` is for TVM 0.27")

import quaff  # noqa: E402
import quaff.tvm as qt  # noqa: E402
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from tvm import sym  # noqa: E402
from tvm.ir import Range  # noqa: E402
from tvm_ffi import structural_equal  # noqa: E402

x, y, z, n = (tirx.Var(name, "int32") for name in ("x", "y", "z", "n"))
wide, byte, word, flag = tirx.Var("wide", "int64"), tirx.Var("byte", "uint8"), tirx.Var("word", "uint32"), tirx.Var("flag", "bool")
buffer = tirx.decl_buffer([16], "int32")


def truncdiv(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATORS = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "FloorDiv": operator.floordiv,
    "FloorMod": operator.mod,
    "Div": truncdiv,
    "Mod": lambda a, b: a - b * truncdiv(a, b),
    "Min": min,
    "Max": max,
    "LT": operator.lt,
    "LE": operator.le,
    "GT": operator.gt,
    "GE": operator.ge,
    "EQ": operator.eq,
    "NE": operator.ne,
    "And": lambda a, b: a and b,
    "Or": lambda a, b: a or b,
    "BitwiseAnd": operator.and_,
    "BitwiseOr": operator.or_,
    "BitwiseXor": operator.xor,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
}


def value(expr, at, lane=0):
    """The value of an expression of TVM at a point, by TVM's rules. Signed arithmetic does not overflow."""
    expr = expr.asobject() if hasattr(expr, "asobject") else expr
    kind, code = type(expr).__name__, str(expr.ty.dtype).partition("x")[0]
    if kind == "IntImm":
        return int(expr)
    if kind == "Var":
        return at[expr.name]
    if kind in OPERATORS:
        found = OPERATORS[kind](value(expr.a, at, lane), value(expr.b, at, lane))
    elif kind == "Not":
        found = not value(expr.a, at, lane)
    elif kind == "BitwiseNot":
        found = ~value(expr.a, at, lane)
    elif kind == "Select":
        found = value(expr.true_value if value(expr.condition, at, lane) else expr.false_value, at, lane)
    elif kind == "Let":
        found = value(expr.body, {**at, expr.var.name: value(expr.value, at)})
    elif kind == "Ramp":
        found = value(expr.base, at) + value(expr.stride, at) * lane
    elif kind == "Broadcast":
        found = value(expr.value, at)
    elif kind == "Cast":
        found = value(expr.value, at, lane)
        found = found != 0 if code == "bool" else found
        if code in ("int8", "int16", "int32"):
            half = 2 ** (int(code[3:]) - 1)
            found = (found + half) % (2 * half) - half
    elif expr.op.name.endswith("if_then_else"):
        found = value(expr.args[1] if value(expr.args[0], at, lane) else expr.args[2], at, lane)
    elif expr.op.name.endswith("likely"):
        found = value(expr.args[0], at, lane)
    else:
        raise AssertionError(f"no value: {expr}")
    return int(found) % 2 ** int(code[4:]) if code.startswith("uint") else int(found)


def box(ranges):
    return [dict(zip(ranges, at)) for at in itertools.product(*(range(lo, hi + 1) for lo, hi in ranges.values()))]


SMALL = {x: Range(-6, 7), y: Range(1, 6)}


@pytest.mark.parametrize(
    "expr, form",
    [
        ((x * 4 + y) // 4, None),
        (tirx.truncdiv(x * 4, 4), x),
        (tirx.truncmod(x, 4), tirx.truncmod(x, 4)),
        (tirx.truncdiv(x, y) * y + tirx.truncmod(x, y), x),
        (tirx.Select(x < y, x, y), tirx.min(x, y)),
        (tirx.if_then_else(x > 0, y // x, 0), tirx.if_then_else(x >= 1, y // x, 0)),
        (tirx.if_then_else(x > 0, x, x), x),
        (tirx.all(x < 3, x < 5, tirx.Not(x > 4)), x < 3),
        (tirx.any(x < 3, x < 5), x < 5),
        (~(~x), x),
        (~x + x, tirx.const(-1, "int32")),
        ((x << 2) >> 2, x),
        (((x & 7) | (x & 8)) ^ 0, None),
        (x.astype("int64") * 4 // 4, x.astype("int64")),
        ((x < y).astype("int32") + 1 - 1, (x < y).astype("int32")),
        ((x.astype("bool")).astype("int32"), None),
        (tirx.Let(z, x + 1, z * 2 - z), x + 1),
        (tirx.likely(x < x + y), tirx.const(True, "bool")),
        (tirx.likely(x + y < 3), tirx.likely(x + y < 3)),
        ((x + 300).astype("int8"), (x + 300).astype("int8")),
        ((x % 100).astype("int8"), None),
        (tirx.max(x, y) + tirx.min(x, y) - y, x),
    ],
)
def test_what_is_simplified_has_its_values_and_its_type(expr, form):
    found = qt.simplify(expr, SMALL)
    assert found.ty == expr.ty
    if form is not None:
        assert structural_equal(found, form), found
    for at in box({"x": (-6, 6), "y": (1, 5)}):
        assert value(found, at) == value(expr, at), (found, at)


def test_unsigned_numbers_wrap_around():
    one, two, four, many = (tirx.const(v, "uint8") for v in (1, 2, 4, 64))
    for expr in [(byte - one) // four, byte * two // two, byte - one < byte, (byte + four) // four, ~byte, byte.astype("int32") - 1, byte % four * one]:
        found = qt.simplify(expr)
        assert found.ty == expr.ty and all(value(found, {"byte": v}) == value(expr, {"byte": v}) for v in range(256)), found
    # the values of the sum are in the type, so the sum does not wrap around
    assert structural_equal(qt.simplify((byte % many * four) // four), byte % many)
    a = qt.Analyzer()
    assert not a.can_prove(byte - one < byte) and a.can_prove(byte <= tirx.const(255, "uint8")) and a.const_int_bound(byte + one).max_value == 255
    assert a.const_int_bound(word.astype("int64") + 1).max_value == 2**32
    assert a.can_prove(x <= 2**31 - 1) and a.const_int_bound(wide).max_value == sym.ConstIntBound.POS_INF
    assert a.const_int_bound(flag.astype("int32") * 2).max_value == 2


def test_a_cast_that_does_not_fit_stands_for_itself():
    a = qt.Analyzer()
    cut = (wide + 0).astype("int32")
    assert a.const_int_bound(cut).min_value == -(2**31) and not a.can_prove(cut == cut + 1)
    # the operand of a cast is simplified, so that equal casts are recognised
    other = ((wide * 4 + 3) // 4).astype("int32")
    assert a.can_prove_equal(cut, other) and structural_equal(a.simplify(other + 0), wide.astype("int32"))
    a.bind(wide, Range(tirx.const(0, "int64"), tirx.const(99, "int64")))
    assert a.const_int_bound(cut).max_value == 98


def test_parts_without_counterpart_stand_for_themselves():
    load = tirx.BufferLoad(buffer, [x * 4 // 4])
    assert structural_equal(qt.simplify(load * 2 - load), tirx.BufferLoad(buffer, [x]))
    a = qt.Analyzer()
    assert a.const_int_bound(tirx.clz(x)).max_value == 32 and a.can_prove_equal(tirx.clz(x + 0), tirx.clz(x * 2 - x))
    # floats may occur as operands of a comparison
    real = tirx.Var("real", "float32")
    assert structural_equal(a.simplify(tirx.all(real < 1.0, real < 1.0)), real < 1.0)


@pytest.mark.parametrize(
    "expr, code",
    [
        (tirx.Var("real", "float32") + 1.0, "quaff::tvm_no_integer"),
        (tirx.call_extern("int32", "f", 1) + 1, "quaff::tvm_effect"),
        (tirx.Var("at", "handle"), "quaff::tvm_no_integer"),
        (tirx.clz(tirx.call_extern("int32", "f", 1)), "quaff::tvm_effect"),
    ],
)
def test_what_is_refused_says_why(expr, code):
    with pytest.raises(quaff.Error) as e:
        qt.simplify(expr)
    assert e.value.code == code and "`" in str(e.value)


def test_vectors_are_simplified_lane_by_lane():
    lanes = tirx.Ramp(x, 1, 4)
    for expr, form in [
        (lanes + tirx.Ramp(y, 2, 4), tirx.Ramp(x + y, 3, 4)),
        (tirx.Ramp(x * 4, 1, 4) // 4, tirx.Broadcast(x, 4)),
        (lanes < tirx.Broadcast(y, 4), None),
        (tirx.Select(lanes < tirx.Broadcast(y, 4), lanes, tirx.Broadcast(0, 4)), None),
        (lanes.astype("int64x4") + tirx.Broadcast(tirx.const(0, "int64"), 4), None),
        (tirx.Ramp(x, 1, tirx.vscale() * 4) + tirx.Broadcast(1, tirx.vscale() * 4), tirx.Ramp(x + 1, 1, tirx.vscale() * 4)),
    ]:
        found = qt.simplify(expr, SMALL)
        assert found.ty == expr.ty
        assert form is None or structural_equal(found, form) or qt.Analyzer().can_prove_equal(found, form), found
        for at, lane in itertools.product(box({"x": (-6, 6), "y": (1, 5)}), range(4)):
            assert value(found, at, lane) == value(expr, at, lane), (found, at, lane)
    with pytest.raises(quaff.Error, match="vector"):
        qt.to_quaff(lanes)


def test_variables_of_one_name_are_two():
    other = tirx.Var("x", "int32")
    a = qt.Analyzer()
    a.bind(x, 3)
    assert a.can_prove(x == 3) and not a.can_prove(other == 3) and not a.can_prove_equal(x, other)
    assert a.const_int_bound(other + x).min_value == 3 - 2**31
    found = a.simplify(other + x)
    assert structural_equal(found, other + 3)


def test_deep_and_shared_trees():
    deep, shared = x, x
    for _ in range(5000):
        deep = deep + 1
    for _ in range(60):
        shared = tirx.max(shared, shared)
    assert structural_equal(qt.simplify(deep), x + 5000) and structural_equal(qt.simplify(shared), x)
    nested = x
    for _ in range(300):
        nested = tirx.clz(nested) + 0
    assert qt.simplify(nested).ty == nested.ty


def test_to_quaff_and_back():
    expr, domain, meaning = qt.to_quaff((x * 4 + y) // 4, {y: Range(0, 4), x: sym.IntervalSet(0, sym.int_set.pos_inf())})
    assert str(expr) == "(x*4 + y)//4" and domain.bounds("y") == (0, 3) and domain.bounds("x")[0] == 0
    answer = quaff.simplify(expr, domain).expr
    assert qt.from_quaff(answer, meaning).same_as(x)
    assert str(qt.from_quaff(quaff.Expr("a + b*2"), {}, "int64").ty) == "int64"
    with pytest.raises(quaff.Error, match="out of the range"):
        qt.from_quaff(quaff.Expr("x + 4294967296"), meaning)


def test_names_of_tvm_with_objects_of_tvm():
    a = qt.Analyzer()
    a.bind(y, x * 4 + 1)
    assert a.simplify(y // 4).same_as(x) and a.can_prove(y % 4 == 1)
    assert isinstance(a.modular_set(y), sym.ModularSet) and (a.modular_set(y).coeff, a.modular_set(y).base) == (4, 1)
    a.bind(n, Range(0, 8))
    bound = a.const_int_bound(n + 1)
    assert isinstance(bound, sym.ConstIntBound) and (bound.min_value, bound.max_value) == (1, 8)
    assert a.const_int_bound_is_bound(n) and not a.const_int_bound_is_bound(z)
    assert a.try_compare(n, 8) is sym.CompareResult.LT
    with pytest.raises(ValueError, match="allow_override"):
        a.bind(n, 3)
    clone = a.clone()
    clone.bind(n, 3, allow_override=True)
    assert clone.can_prove(n == 3) and not a.can_prove(n == 3)
    a.update(z, sym.ConstIntBound(0, sym.ConstIntBound.POS_INF))
    a.update(z, sym.ModularSet(4, 2))
    assert a.can_prove(z >= 2) and a.modular_set(z + n * 2).coeff == 2
    a.update(z, sym.IntervalSet(0, 9), override=True)
    assert a.const_int_bound(z).max_value == 6
    found = a.int_set(x + n, {n: sym.IntervalSet(0, 10)})
    assert isinstance(found, sym.IntervalSet) and found.min_value.same_as(x) and structural_equal(found.max_value, x + 10)
    assert a.int_set(wide).max_value.same_as(wide)
    with pytest.raises(TypeError):
        a.update(z, "no info")
    with a.constraint_scope(z > n):
        assert a.try_compare(n, z) == sym.CompareResult.LT
    a.enabled_extensions = sym.Extension.ComparisonOfProductAndSum
    assert a.enabled_extensions == sym.Extension.ComparisonOfProductAndSum and not a.is_z3_enabled
    # texts and expressions of quaff are answered by quaff's own objects
    assert a.const_int_bound("n + 1") == (1, 8) and str(a.simplify("n*1")) == "n"
    assert set(name for name in dir(sym.Analyzer) if not name.startswith("_")) - set(dir(a)) == {"id_", "is_", "same_as"}


# Functions.

INPUTS = {x: Range(0, 6), y: Range(0, 4), z: Range(0, 8)}
POINTS = box({"x": (0, 5), "y": (0, 3), "z": (0, 7)})
INDICES = [x, y, z, x * 4 + y, x * 8 + z, y * 8 + z, (x * 8 + z) // 4, (x * 8 + z) % 4, z // 2, z % 2, x * 4 + y + 3, 7 - z, x * 5 + y, z // 2 % 2, (x + 7) // 4]


@pytest.mark.parametrize("level", ["nocheck", "surjective", "bijective"])
def test_iterators_have_the_values_of_indices(level):
    found_some = 0
    for indices in [*([i] for i in INDICES), *list(itertools.combinations(INDICES, 2))[::3], (x, y, z), (x * 4 + y, z), (y * 8 + z, x)]:
        found = qt.detect_iter_map(list(indices), INPUTS, check_level=level)
        assert bool(found.indices) != bool(found.errors)
        found_some += bool(found.indices)
        for index, sum_ in zip(indices, found.indices):
            plain = qt.normalize_iter_map_to_expr(sum_)
            assert all(value(plain, at) == value(index, at) for at in POINTS[::5]), (index, plain)
        images = {tuple(value(i, at) for i in indices) for at in POINTS}
        extents = [int(s.args[0].extent) if s.args else 1 for s in found.indices]
        product = 1
        for extent in extents:
            product *= extent
        if found.indices and level != "nocheck" and str(found.padding_predicate) == "T.bool(False)":
            assert len(images) == product, indices
        if found.indices and level == "bijective":
            assert len(images) == len(POINTS), indices
    assert found_some >= {"nocheck": 40, "surjective": 25, "bijective": 3}[level]


def test_iterators_are_what_tvm_takes():
    indices, ranges = [(x * 8 + z) // 4, (x * 8 + z) % 4], {x: Range(0, 16), z: Range(0, 8)}
    found = qt.detect_iter_map(indices, ranges, check_level="bijective")
    outputs = [tirx.Var("a", "int32"), tirx.Var("b", "int32")]
    for invert, normalize in itertools.product((qt.inverse_affine_iter_map, sym.inverse_affine_iter_map), repeat=2):
        inverse = invert(found.indices, outputs)
        for at in box({"x": (0, 15), "z": (0, 7)}):
            to = {"a": value(indices[0], at), "b": value(indices[1], at)}
            assert {v.name: value(inverse[v], to) for v in ranges} == at
    theirs = sym.detect_iter_map(indices, ranges, check_level="bijective")
    inverse = qt.inverse_affine_iter_map(theirs.indices, outputs)
    assert value(inverse[x], {"a": 5, "b": 3}) == 2 and value(inverse[z], {"a": 5, "b": 3}) == 7
    with pytest.raises(ValueError, match="inverse"):
        qt.inverse_affine_iter_map(qt.detect_iter_map([x // 2], {x: Range(0, 6)}).indices, outputs[:1])


def test_predicates_padding_and_bases():
    found = qt.detect_iter_map([x * 10 + y], {x: Range(0, 13), y: Range(0, 10)}, predicate=x * 10 + y < 128)
    assert int(found.indices[0].args[0].extent) == 128
    found = qt.detect_iter_map([x, y], {x: Range(3, 9), y: Range(-2, 2)}, check_level="bijective")
    assert [int(s.args[0].extent) for s in found.indices] == [6, 4] and [int(s.base) for s in found.indices] == [3, -2]
    found = qt.detect_iter_map([(x + 7) // 32, (x + 7) % 32], {x: Range(0, 45)}, check_level="nocheck")
    # the source has 64 places, and 45 of them come from an input
    assert sum(value(found.padding_predicate, {"x": v}) for v in range(-7, 57)) == 64 - 45
    found = qt.detect_iter_map([x // n, x % n], {x: Range(0, n * 4)})
    assert structural_equal(found.indices[1].args[0].extent, n)
    a = qt.Analyzer()
    a.bind(n, 8)
    assert qt.detect_iter_map([x % n], {x: Range(0, 32)}, analyzer=a).indices
    with pytest.raises(TypeError, match="cannot be read"):
        qt.detect_iter_map([x], {x: Range(0, 4)}, analyzer=sym.Analyzer())


def test_sums_of_iterators_have_the_value_of_the_index():
    for index in [x * 8 + y * 3 + n * x * y + n, (x + 2) * n + z, tirx.max(x, n) + y * 2, z // 2 * 6 + z % 2]:
        found = qt.normalize_to_iter_sum(index, INPUTS)
        plain = qt.normalize_iter_map_to_expr(found)
        assert all(value(plain, {**at, "n": 5}) == value(index, {**at, "n": 5}) for at in POINTS), (index, found)
    assert [int(a.scale) for a in qt.normalize_to_iter_sum(y + x * 8, INPUTS).args] == [8, 1]
    (found,) = qt.iter_map_simplify([x * 4 // 4 + 0], INPUTS, predicate=x < 3)
    assert found.same_as(x)


def test_divided_indices_come_together():
    index = z * 12 + y * 3 + x + n
    ranges = {x: Range(0, 3), y: Range(0, 4), z: Range(0, 5)}
    (outer, inner), last = qt.subspace_divide([index], ranges, [x], z * 4 + y < 18)
    parts = [qt.normalize_iter_map_to_expr(m.source) for m in (outer, inner)]
    for at in box({"x": (0, 2), "y": (0, 3), "z": (0, 4), "n": (1, 2)}):
        assert value(parts[0], at) * int(inner.extent) + value(parts[1], at) == value(index, at)
    assert qt.Analyzer().can_prove_equal(last[0].extent, z * 4 + y < 18) and str(last[1].extent) == "T.bool(True)"
    assert qt.subspace_divide([index], ranges, [y]) == []


@pytest.mark.parametrize(
    "condition, all_of_them",
    [
        (x * 4 + y < 17, True),
        (17 - x * 3 >= y, True),
        ((x + y) // 4 > 1, True),
        (x // -3 <= 2, True),
        (y * x + 3 <= 11, True),
        (tirx.all(x + y > 3, x < 8), True),
        (tirx.max(x, y) < 6, True),
        (tirx.min(x * 2, y) < 30, True),
        (x * 2 == y, True),
        (x % 4 < 2, False),
        (x * x < 9, False),
        (x + y != 3, False),
    ],
)
def test_deduced_bounds_are_right_and_the_widest(condition, all_of_them):
    relaxed = {y: sym.IntervalSet(1, 5)}
    found = qt.deduce_bound(x, condition, relaxed, relaxed)
    truth = [v for v in range(-60, 60) if all(value(condition, {"x": v, "y": w}) for w in range(1, 6))]
    lower, upper = (getattr(found, end) for end in ("min_value", "max_value"))
    inside = [
        v
        for v in range(-60, 60)
        if (lower.same_as(sym.int_set.neg_inf()) or (not lower.same_as(sym.int_set.pos_inf()) and v >= int(lower)))
        and (upper.same_as(sym.int_set.pos_inf()) or (not upper.same_as(sym.int_set.neg_inf()) and v <= int(upper)))
    ]
    assert set(inside) <= set(truth), (found, truth)
    assert inside == truth or not all_of_them, (found, truth)


def test_deduced_bounds_have_symbols():
    found = qt.deduce_bound(x, x * 4 + n < 17, {n: sym.IntervalSet(0, 9)}, {})
    assert structural_equal(found.max_value, (16 - n) // 4)


def test_linear_equations_and_clips():
    slope, rest = qt.detect_linear_equation(x * 4 + (x + 1) * n + y * 6 + 7, [x])
    a = qt.Analyzer()
    assert a.can_prove_equal(slope, n + 4) and a.can_prove_equal(rest, n + y * 6 + 7)
    assert qt.detect_linear_equation(x * x + y, [x]) == [] == qt.detect_linear_equation(x // 2, [x])
    assert [int(e) for e in qt.detect_linear_equation(y * 7, [x])[:1]] == [0] and len(qt.detect_linear_equation(y * 7, [])) == 1
    found = qt.detect_clip_bound(tirx.all(x < y * 6, x - 1 > 0, x > 5), [x])
    assert int(found[0]) == 6 and a.can_prove_equal(found[1], y * 6 - 1)
    found = qt.detect_clip_bound(tirx.all(tirx.Min(x, y) > 3, x - 10 < 0), [x, y])
    assert [None if e is None else int(e) for e in found] == [4, 9, 4, None]
    assert qt.detect_clip_bound(x < y, [x, y]) == [] == qt.detect_clip_bound(x * x < 3, [x])


REGIONS = [
    ([(x * 4, 8)], True),
    ([(x * 4, 2)], True),
    ([(x, 2), (x + 2, 2)], True),
    ([(x // 2, 1), (y, 3)], True),
    ([(x * 2 + y, 1)], True),
    ([(7 - z, 2), (x * 2, 2)], True),
    ([(x * 4 + y, 2)], x * 4 + y < 18),
    ([(z, 1)], tirx.all(z > 1, z < 5)),
    ([((x + y) // 2, 1)], True),
]


@pytest.mark.parametrize("region, predicate", REGIONS)
def test_regions_are_covered(region, predicate):
    ranges = [Range.from_min_extent(*r) for r in region]
    inside = [at for at in POINTS if predicate is True or value(predicate, at)]
    points = {p for at in inside for p in itertools.product(*(range(value(first, at), value(first, at) + width) for first, width in region))}

    def box_of(sets):
        return set(itertools.product(*(range(int(s.min_value), int(s.max_value) + 1) for s in sets)))

    strict = qt.estimate_region_strict_bound(ranges, INPUTS, predicate)
    assert strict is None or box_of(strict) == points
    lower = qt.estimate_region_lower_bound(ranges, INPUTS, predicate)
    assert lower is None or box_of(lower) <= points
    assert points <= box_of(qt.estimate_region_upper_bound(ranges, INPUTS, predicate))
    is_box = points == set(itertools.product(*(range(min(c), max(c) + 1) for c in zip(*points))))
    assert (strict is not None) == is_box


@st.composite
def trees(draw):
    """A random integer expression of TVM."""
    leaf = st.one_of(st.sampled_from([x, y, z]), st.integers(-9, 9).map(lambda v: tirx.const(v, "int32")))
    divisor = st.integers(1, 8).map(lambda v: tirx.const(v, "int32"))
    both = [tirx.Add, tirx.Sub, tirx.Mul, tirx.Min, tirx.Max]
    quotients = [tirx.FloorDiv, tirx.FloorMod, tirx.Div, tirx.Mod]
    relations = [tirx.LT, tirx.LE, tirx.EQ, tirx.NE, tirx.GT, tirx.GE]
    tree = st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.tuples(st.sampled_from(both), inner, inner).map(lambda t: t[0](t[1], t[2])),
            st.tuples(st.sampled_from(quotients), inner, divisor).map(lambda t: t[0](t[1], t[2])),
            st.tuples(st.sampled_from(relations), inner, inner, inner, inner).map(lambda t: tirx.Select(t[0](t[1], t[2]), t[3], t[4])),
            st.tuples(st.sampled_from([tirx.BitwiseAnd, tirx.BitwiseXor, tirx.BitwiseOr]), inner, divisor).map(lambda t: t[0](t[1], t[2])),
            st.tuples(st.sampled_from(["int8", "uint8", "int64", "bool", "uint32"]), inner).map(
                lambda t: tirx.Cast("int32", tirx.Cast(t[0], t[1]))
            ),
        ),
        max_leaves=8,
    )
    return draw(tree)


FEW = box({"x": (-4, 4), "y": (0, 5), "z": (-2, 9)})[::7]


@settings(max_examples=60, deadline=None)
@given(trees(), trees())
def test_random_expressions(one, other):
    a = qt.Analyzer()
    for var, ends in ((x, (-4, 4)), (y, (0, 5)), (z, (-2, 9))):
        a.bind(var, ends)
    values = [value(one, at) for at in FEW]
    found = a.simplify(one)
    assert found.ty == one.ty and [value(found, at) for at in FEW] == values, found
    bound, modular = a.const_int_bound(one), a.modular_set(one)
    assert all(bound.min_value <= v <= bound.max_value for v in values)
    assert all((v - modular.base) % modular.coeff == 0 if modular.coeff else v == modular.base for v in values)
    others = [value(other, at) for at in FEW]
    for question, compare in ((one < other, operator.lt), (one <= other, operator.le)):
        assert not a.can_prove(question) or all(map(compare, values, others))
    how = a.try_compare(one, other).name
    checks = {"EQ": operator.eq, "LT": operator.lt, "LE": operator.le, "GT": operator.gt, "GE": operator.ge, "NE": operator.ne}
    assert how == "UNKNOWN" or all(map(checks[how], values, others))
    with a.constraint_scope(one < other):
        inside = [v for v, w in zip(values, others) if v < w]
        try:
            bound = a.const_int_bound(one)
            assert all(bound.min_value <= v <= bound.max_value for v in inside)
        except quaff.DomainError:
            assert not inside
    ends = a.int_set(one, {x: (-4, 4), z: (-2, 9)})
    for at, v in zip(FEW, values):
        for end, sign in ((ends.min_value, 1), (ends.max_value, -1)):
            if not end.same_as(sym.int_set.neg_inf()) and not end.same_as(sym.int_set.pos_inf()):
                assert sign * value(end, at) <= sign * v, (one, ends, at)
