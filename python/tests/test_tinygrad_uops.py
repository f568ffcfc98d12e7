"""Converts the integer part of tinygrad kernels to quaff's expressions and back. The tests build the UOps, and compile nothing."""

import itertools
import random

import pytest

pytest.importorskip("tinygrad", reason="UOps are read where tinygrad is installed")

from tinygrad.dtype import dtypes
from tinygrad.uop.ops import AxisType, Ops, ParamArg, UOp, graph_rewrite, python_alu
from tinygrad.uop.symbolic import sym
from tinygrad.uop.weak import pm_lower_index_dtype

from quaff import simplify_accesses
from quaff._tinygrad_uops import Kernel, is_asked, is_read, sound_range, widths_of
from quaff._tinygrad_writer import Refused


def buffer(slot, dtype=dtypes.float, size=1 << 20):
    return UOp(Ops.PARAM, src=(UOp.const(size),), arg=ParamArg(slot, dtype))


def variable(name, lo, hi, multiple_of=1):
    return UOp.variable(name, lo, hi, multiple_of=multiple_of, param=True)


def kernel(*loads):
    """A kernel that loads at the given indices, and stores each value at the number of its load."""
    stores = [buffer(0).index(UOp.const(i)).store(buffer(1).index(index).load()) for i, index in enumerate(loads)]
    return UOp.sink(*stores)


def indices(sink):
    """The indices of the loads in a result of `kernel`. tinygrad removes a load that never happens."""
    stores = sorted((u for u in sink.toposort() if u.op is Ops.STORE), key=lambda u: u.src[0].src[1].val)
    return [u.src[1].src[0].src[1] for u in stores if u.src[1].op is Ops.LOAD]


def value(u, env):
    """The value of an index by tinygrad's own arithmetic. None if the index is Invalid."""
    done = dict(env)
    for part in u.toposort(gate=lambda p: p not in done):
        if part.op is Ops.CONST:
            done[part] = None if part.is_invalid else part.val
        elif part.op is Ops.WHERE:
            done[part] = done[part.src[1]] if done[part.src[0]] else done[part.src[2]]
        elif part.op is Ops.CAST:
            done[part] = int(done[part.src[0]])
        else:
            done[part] = python_alu[part.op](*(done[s] for s in part.src))
    return done[u]


def rebuilt(sink, with_gates=True):
    read = Kernel(sink)
    accesses, domain = read.question()
    new, after = read.rebuilt(read.answer(simplify_accesses(accesses, domain).accesses), with_gates)
    return new, [root.user for root in read.roots], after


def prices(sink):
    """The prices of a kernel, of the answer, and of the answer under the kernel's own conditions."""
    read = Kernel(sink)
    accesses, domain = read.question()
    return read.prices(read.answer(simplify_accesses(accesses, domain).accesses))


def price(*loads):
    """The price of the unchanged kernel."""
    return prices(kernel(*loads))[0]


def test_a_comparison_as_an_index_has_the_type_of_an_index():
    thread = UOp.special(8, "lidx0")
    index, gate = (thread + 1) // 2 - 3, UOp.const(4) < thread
    new, _, (value_of_it,) = rebuilt(kernel(index.valid(gate)))
    answer = value_of_it.src[1]
    assert answer.op is Ops.WHERE and answer.src[0].dtype is dtypes.bool and answer.dtype is dtypes.weakint, answer
    for t in range(5, 8):
        assert value(answer, {thread: t}) == (t + 1) // 2 - 3
    lowered = graph_rewrite(new, pm_lower_index_dtype, ctx={})
    assert not any(u.op is Ops.INDEX and u.src[1].dtype is dtypes.bool for u in lowered.toposort())


class Maker:
    """Random indices over a launch dimension, a loop, a size and a loaded value."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.size = variable("n", 1, 6)
        self.thread = UOp.special(12, "lidx0")
        self.loop = UOp.range(5, 0, AxisType.REDUCE)
        self.rows = UOp.range(self.size, 1, AxisType.REDUCE)
        self.loaded = buffer(2, dtypes.uint8).index(UOp.const(3)).load().cast(dtypes.weakint)
        self.leaves = [self.thread, self.loop, self.rows, self.size, self.loaded]

    def points(self):
        """Values of the variables."""
        for _ in range(60):
            n = self.random.randint(1, 6)
            values = self.random.randrange(12), self.random.randrange(5), self.random.randrange(n), n, self.random.randrange(256)
            yield dict(zip(self.leaves, values))

    def integer(self, depth):
        r = self.random
        if depth == 0:
            return r.choice(self.leaves) if r.random() < 0.7 else UOp.const(r.randint(-9, 40))
        a = self.integer(depth - 1)
        match r.randrange(9):
            case 0 | 1:
                return a.alu(Ops.ADD, self.integer(depth - 1))
            case 2:
                return a.alu(Ops.MUL, UOp.const(r.choice([-3, -1, 2, 5, 8, 12])))
            case 3 | 4:
                return a.alu(Ops.FLOORDIV, UOp.const(r.choice([1, 2, 3, 4, 7, 12, 16])))
            case 5:
                return a.alu(Ops.FLOORMOD, UOp.const(r.choice([1, 2, 3, 4, 7, 12, 16])))
            case 6:
                return a.alu(r.choice([Ops.FLOORDIV, Ops.FLOORMOD]), self.size)
            case 7:
                return a.alu(Ops.MAX, self.integer(depth - 1))
            case 8:
                return self.condition(depth - 1).where(a, self.integer(depth - 1))

    def condition(self, depth):
        r = self.random
        if depth > 1 and r.random() < 0.4:
            return self.condition(depth - 1).alu(r.choice([Ops.AND, Ops.OR, Ops.CMPNE]), self.condition(depth - 1))
        c = self.integer(depth).alu(r.choice([Ops.CMPLT, Ops.CMPLT, Ops.CMPNE]), self.integer(depth))
        return c.logical_not() if r.random() < 0.3 else c

    def index(self):
        index = self.integer(4)
        return index.valid(self.condition(2)) if self.random.random() < 0.6 else index


@pytest.mark.parametrize("with_gates", [True, False])
@pytest.mark.parametrize("seed", range(60))
def test_random_indices_keep_their_values(seed, with_gates):
    maker = Maker(seed)
    sink = kernel(*(maker.index() for _ in range(3)))
    # half of the kernels have been through tinygrad's own rules, as in the hook
    sink = graph_rewrite(sink, sym) if seed % 2 else sink
    try:
        new, before, after = rebuilt(sink, with_gates)
    except Refused as e:
        assert str(e) in ("an access that never happens", "an answer that divides by what can be 0")
        return
    assert len(before) == len(after)
    assert len(indices(new)) == len(indices(sink))
    for env in maker.points():
        for old, now in zip(indices(sink), indices(new)):
            assert value(now, env) == value(old, env)


def test_a_row_of_blocks():
    i = UOp.range(96, 0, AxisType.REDUCE)
    t = UOp.special(12, "lidx0")
    flat = i * 12 + t
    sink = kernel((flat // 96 * 128 + flat % 96))
    new, _, _ = rebuilt(sink)
    (index,) = indices(new)
    assert not any(u.op is Ops.FLOORMOD for u in index.toposort())
    before, after, _ = prices(sink)
    assert after < before
    for a, b in itertools.product(range(96), range(12)):
        assert value(index, {i: a, t: b}) == value(indices(sink)[0], {i: a, t: b})


def loop(n, axis=0):
    return UOp.range(n, axis, AxisType.REDUCE)


def test_the_order_of_a_sum_has_no_price():
    a, b, c = UOp.special(8, "lidx0"), UOp.special(9, "lidx1"), loop(7)
    assert price((a * 63 + b * 7) + c) == price(a * 63 + (c + b * 7)) == 2
    # a sum is computed only once
    assert price(a * 63 + b * 7 + c, c + a * 63) == 2
    # the constant of an address is part of the instruction that uses the address
    assert price(a * 63 + b * 7 + c, a * 63 + b * 7 + c + 5) == 2


def test_the_order_of_conditions_has_no_price():
    a, b = UOp.special(8, "lidx0"), UOp.special(9, "lidx1")
    left, right = a < 5, b < 3
    one = price(a.valid(left & right))
    assert price(a.valid(left & right), (a + 1).valid(right & left)) == one
    # a comparison is one instruction, also if it must be false
    assert price(a.valid(left & right), (a + 1).valid(right & left.logical_not())) == one + 2


def test_sides_of_comparisons():
    a, r = UOp.special(64, "lidx0"), loop(64)
    # the condition uses the sum of the address
    shared = price((a + r - 45).valid(UOp.const(45) < a + r))
    # a difference that only the condition uses costs one more instruction
    assert price((a + r - 45).valid((r < UOp.const(46) + a * -1).logical_not())) == shared + 1


def test_a_test_of_a_loop_alone_splits_the_loop():
    a, r = UOp.special(64, "lidx0"), loop(64)
    assert price((a + r).valid(r < 5)) == price((a + r).valid(a < 5)) + 3


def test_prices_of_divisions():
    t = UOp.special(64, "lidx0")
    assert price(t // 8) == price(t % 8) == 1
    assert price(t // 7) == 2
    # a remainder needs the division, and the two together cost one more than the division
    assert price(t % 7) == price(t // 7, t % 7) == 3
    assert price((t - 40) // 7) > price(t // 7) + 1
    n = variable("n", 1, 60)
    assert price(t // n) >= 20


def test_an_affine_kernel_is_not_asked():
    a, r = UOp.special(64, "lidx0"), loop(64)
    assert not is_asked(kernel((a * 5 + r).valid((a + r < 60) & (UOp.const(2) < r))))
    assert is_asked(kernel(a * 5 + r // 3))
    assert is_asked(kernel(a.alu(Ops.MAX, r)))
    assert is_asked(kernel((a < 5).where(a, r)))


def test_widths():
    t = UOp.special(64, "lidx0")
    assert widths_of([t * 5 // 3]) == (False, 0)
    assert widths_of([(t - 9) // 3, (t - 9) // 4]) == (False, 1)
    assert widths_of([(t * 2**30 // 3).valid(t < 9)]) == (True, 0)


def test_an_answer_that_compares_conditions():
    a, b = UOp.special(8, "lidx0"), UOp.special(9, "lidx1")
    sink = kernel((a * 3 // 2).valid((a < 5).alu(Ops.CMPNE, b < 4)))
    new, _, (after,) = rebuilt(sink)
    for x, y in itertools.product(range(8), range(9)):
        assert value(after, {a: x, b: y}) == value(indices(sink)[0], {a: x, b: y})
    # no condition was converted to a number
    assert all(u.src[1].op is Ops.CONST for u in new.toposort() if u.op is Ops.WHERE and u.dtype is dtypes.weakint and not u.src[2].is_invalid)


def test_an_index_uses_its_gate():
    t = UOp.special(64, "lidx0")
    sink = kernel(((t + 3) // 8 * 8 + (t + 3) % 8).valid(t < 5), (t % 8).valid(t < 8))
    new, _, _ = rebuilt(sink)
    assert indices(new)[1] is t.valid(t < 8)


def test_a_condition_that_always_holds_is_dropped():
    t = UOp.special(64, "lidx0")
    new, _, _ = rebuilt(kernel((t + 1).valid(t // 8 < 8)))
    assert indices(new) == [t + 1]


def test_a_size_that_is_a_multiple():
    n = variable("n", 16, 256, multiple_of=16)
    new, _, _ = rebuilt(kernel(n % 16 + n // 16 * 16))
    assert indices(new) == [n]


def test_the_index_of_a_loaded_index_is_replaced_too():
    t = UOp.special(64, "lidx0")
    inner = buffer(2, dtypes.int).index((t * 4 + 3) // 4)
    sink = kernel((inner.load().cast(dtypes.weakint) + t * 2 // 2))
    new, _, _ = rebuilt(sink)
    loads = [u for u in new.toposort() if u.op is Ops.INDEX and u.src[0].arg.slot == 2]
    assert [u.src[1] for u in loads] == [t]


def test_truncation_is_no_floor():
    t = UOp.special(64, "lidx0")
    assert is_read((t - 9).alu(Ops.FLOORDIV, UOp.const(3)))
    assert not is_read((t - 9).alu(Ops.CDIV, UOp.const(3)))
    assert not is_read((t - 9).alu(Ops.CMOD, UOp.const(3)))
    # a negative divisor is not read either
    assert not is_read(t.alu(Ops.FLOORDIV, UOp.const(-3)))


def test_machine_arithmetic_is_no_index_arithmetic():
    x = buffer(1, dtypes.int).index(UOp.const(0)).load()
    assert not is_read(x + x)
    assert not is_read((x + x).cast(dtypes.weakint))
    assert is_read(x.cast(dtypes.weakint) + x.cast(dtypes.weakint))


def test_bounds_hold_where_machine_arithmetic_wraps():
    small = buffer(1, dtypes.uint8).index(UOp.const(0)).load().cast(dtypes.int)
    large = buffer(2, dtypes.int).index(UOp.const(0)).load()
    assert sound_range(small + small, {}) == (0, 510)
    # tinygrad's bounds are the bounds of a sum that does not wrap around
    assert (large + large).vmax > dtypes.int.max
    assert sound_range(large + large, {}) == (dtypes.int.min, dtypes.int.max)
    assert (large + large + 5 < 2**40).vmin
    assert sound_range(((large + large) // 4), {}) == (dtypes.int.min, dtypes.int.max)
    # a cast to a narrower type wraps around, too
    assert sound_range((large.cast(dtypes.long) * 8).cast(dtypes.int), {}) == (dtypes.int.min, dtypes.int.max)


@pytest.mark.parametrize(
    "index, reason",
    [
        (lambda: UOp.special(64, "lidx0").valid(UOp.special(64, "lidx0") > 70), "never happens"),
        (lambda: UOp.range(UOp.const(0), 0, AxisType.REDUCE) * 2 % 3, "an empty loop"),
        (lambda: UOp.special(64, "lidx0") + (1 << 70), "64 bits"),
    ],
)
def test_what_is_refused(index, reason):
    with pytest.raises(Refused, match=reason):
        rebuilt(kernel(index()))


def test_images_are_refused():
    t = UOp.special(64, "lidx0")
    sink = UOp.sink(buffer(0).index(t // 4, t % 4).store(UOp.const(1.0)))
    with pytest.raises(Refused, match="several dimensions"):
        Kernel(sink)
