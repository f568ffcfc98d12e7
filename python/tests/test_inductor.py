"""``quaff.inductor``: compiled modules have the same results with and without it, and its counters are right."""

import pathlib
import re
import sys

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: the tests of quaff.inductor need it")
if not torch.__version__.startswith("2.15."):
    pytest.skip(f"quaff.inductor does not know torch {torch.__version__}", allow_module_level=True)

import quaff.inductor as inductor  # noqa: E402
import sympy  # noqa: E402
import torch._inductor.config  # noqa: E402
import torch._inductor.sizevars as sizevars  # noqa: E402
import torch.utils._sympy.functions as functions  # noqa: E402
from quaff._inductor_forms import forms, host_cost, is_printed, overflows  # noqa: E402
from torch._inductor.codegen.cpp_utils import CppPrinter  # noqa: E402
from torch._inductor.codegen.triton import TritonPrinter  # noqa: E402
from torch.utils._sympy.functions import FloorDiv, ModularIndexing, PythonMod, Where  # noqa: E402
from torch.utils._sympy.functions import Min as TorchMin  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "hosts"))
import triton_by_numpy  # noqa: E402
import triton_text  # noqa: E402
from inductor_modules import MODULES  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    """Clears all caches, and sets the counters to 0."""
    torch._dynamo.reset()
    inductor.stats(reset=True)
    with torch._inductor.config.patch(fx_graph_cache=False):
        yield
    inductor.uninstall()


def test_there_are_enough_modules():
    assert len(MODULES) >= 35
    assert len({m.name for m in MODULES}) == len(MODULES)


@pytest.mark.parametrize("module", MODULES, ids=lambda m: m.name)
def test_results_are_those_of_eager_mode(module):
    arguments = module.arguments()
    expected = module.run(*arguments)
    with inductor.installed():
        found = torch.compile(module.run, dynamic=module.dynamic)(*arguments)
    assert inductor.stats()["calls"] > 0, "the hook was never called"
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_indices_change():
    shuffle = next(m for m in MODULES if m.name == "pixel_shuffle")
    with inductor.installed():
        torch.compile(shuffle.run)(*shuffle.arguments())
    assert inductor.stats()["changed"] > 0


def symbols(names):
    return [sympy.Symbol(n, integer=True, nonnegative=True) for n in names.split()]


def simplified(expr, ranges):
    """The result of the hook for an index, as Inductor calls it before a kernel is printed."""
    with inductor.installed():
        return sizevars.SizeVarAllocator().simplify_with_ranges(expr, ranges)


def printed(expr, ranges):
    """quaff's form of a single index when it is printed."""
    return forms(sizevars.SizeVarAllocator(), [expr], ranges)[0]


def values(expr, ranges):
    """All values of an index whose sizes are numbers."""
    names = list(ranges)
    points = [{}]
    for name in names:
        points = [{**p, name: v} for p in points for v in range(ranges[name])]
    return [int(expr.subs(p)) for p in points]


@pytest.mark.parametrize(
    "build, extents",
    [
        (lambda a, b: FloorDiv(8 * a + b, 8), (6, 8)),
        (lambda a, b: ModularIndexing(8 * a + b, 8, 4), (16, 8)),
        (lambda a, b: ModularIndexing(8 * a + b, 1, 24) + FloorDiv(8 * a + b, 24) * 24, (16, 8)),
        (lambda a, b: PythonMod(32 * a + b + 32, 33), (12, 33)),
        (lambda a, b: sympy.Abs(a - 3) * 5 + FloorDiv(b + 10, 5), (9, 5)),
        (lambda a, b: ModularIndexing(a + 3, 1, 5) * 7 + ModularIndexing(b, 2, 3), (11, 13)),
        # digits of a sum in which one number carries into the digits of the other
        (lambda a, b: 128 * a + ModularIndexing(b, 1, 64) + 64 * ModularIndexing(b + 64 * a, 64, 2), (6, 128)),
        (lambda a, b: ModularIndexing(a + 6 * FloorDiv(b, 3), 6, 5) - FloorDiv(a, 6), (6, 15)),
        # nested digits
        (lambda a, b: FloorDiv(ModularIndexing(a, 2, 12), 3) + 4 * FloorDiv(a, 24) + b, (72, 4)),
        (lambda a, b: ModularIndexing(ModularIndexing(a, 1, 24), 4, 3) + 3 * b, (96, 5)),
        # strides with common factors
        (lambda a, b: FloorDiv(12 * a + 4 * b, 8) * 8 + ModularIndexing(12 * a + 4 * b, 1, 8), (9, 7)),
        # a mirrored index, and an index with a minimum
        (lambda a, b: FloorDiv(35 - (5 * a + b), 5) * 5 + ModularIndexing(35 - (5 * a + b), 1, 5), (7, 5)),
        (lambda a, b: FloorDiv(TorchMin(8 * a + b, 40), 8) + ModularIndexing(TorchMin(8 * a + b, 40), 1, 8), (6, 8)),
    ],
)
def test_values_of_indices(build, extents):
    a, b = symbols("a b")
    expr, ranges = build(a, b), dict(zip((a, b), extents))
    for answer in (simplified(expr, ranges), printed(expr, ranges)):
        assert values(answer, ranges) == values(expr, ranges)
        assert host_cost(answer) <= host_cost(expr)


def test_a_quotient_in_range_is_gone():
    a, b = symbols("a b")
    assert simplified(FloorDiv(8 * a + b, 8), {a: 6, b: 8}) == a
    assert simplified(ModularIndexing(8 * a + b, 1, 8), {a: 6, b: 8}) == b


def test_terms_of_a_remainder_stay_visibly_non_negative():
    q1, q2 = symbols("q1 q2")
    answer = simplified(ModularIndexing(32 * q1 + q2 + 32, 1, 33), {q1: 40, q2: 33})
    for part in sympy.preorder_traversal(answer):
        if isinstance(part, (ModularIndexing, FloorDiv)):
            assert part.args[0].is_nonnegative, part
    assert not answer.has(PythonMod)


def test_answers_are_chosen_for_a_host_that_truncates():
    a, b = symbols("a b")
    # on a GPU, `b - 3*a - 9*((b - 2*a)//8)` is cheaper. On a host, this quotient needs a correction
    x = 6 * a + b
    answer = printed(ModularIndexing(x, 1, 8) - ModularIndexing(x, 8, 9), {a: 12, b: 6})
    assert all(part.args[0].is_nonnegative for part in answer.atoms(FloorDiv, ModularIndexing))
    # inside of a remainder, another remainder costs more than it saves
    window = ModularIndexing(7 * ModularIndexing(a, 4, 4) + ModularIndexing(b, 7, 7) + 3, 1, 28)
    answer = printed(window, {a: 16, b: 49})
    assert len(answer.atoms(ModularIndexing)) == 1
    assert values(answer, {a: 16, b: 49}) == values(window, {a: 16, b: 49})


def test_what_may_be_negative_is_left_to_the_host():
    # quaff has no operator for the remainder that C computes for a negative number
    x = sympy.Symbol("x", integer=True)
    a = symbols("a")[0]
    own = sizevars.SizeVarAllocator()._simplify_with_ranges(ModularIndexing(x - 9, 1, 4) + FloorDiv(4 * a, 4), {a: 9})
    assert simplified(ModularIndexing(x - 9, 1, 4) + FloorDiv(4 * a, 4), {a: 9}) == own


def test_answers_have_only_what_inductor_prints():
    a, b = symbols("a b")
    ranges = {a: 14, b: 8}
    bits = functions.BitwiseFn_bitwise_xor(FloorDiv(8 * a + b, 8), ModularIndexing(8 * a + b, 1, 8))
    answer = simplified(bits, ranges)
    assert answer.func == functions.BitwiseFn_bitwise_xor and set(answer.args) == {a, b}
    assert values(answer, ranges) == values(bits, ranges)
    assert not is_printed(sympy.Piecewise((1, a < 3), (0, True)) + b, FloorDiv(a, 3) + b)
    assert is_printed(Where(a < 3, b, a), a + b)


def test_a_condition_as_a_number_is_printed():
    a = symbols("a")[0]
    expr, ranges = ModularIndexing(a + 3, 1, 7) + 7 * FloorDiv(a + 3, 7), {a: 7}
    conditions = 5 * FloorDiv(a + 3, 7) + a
    answer = printed(conditions, ranges)
    assert answer.has(Where) and not answer.has(sympy.Piecewise), answer
    assert values(answer, ranges) == values(conditions, ranges)
    assert "tl.where(" in TritonPrinter().doprint(answer)
    assert " ? " in CppPrinter().doprint(answer)
    assert printed(expr, ranges) == a + 3


def test_digits_of_digits_are_digits():
    # for a compiler, the division of numbers with few bits costs more
    a, b = symbols("a b")
    answer = printed(FloorDiv(ModularIndexing(a, 5, 12), 4) + b, {a: 900, b: 7})
    assert answer == ModularIndexing(a, 20, 3) + b


def test_parts_of_a_price_are_counted_once():
    a, b = symbols("a b")
    quotient, remainder = FloorDiv(a, 7), ModularIndexing(a, 1, 7)
    assert host_cost(quotient, remainder) == host_cost(remainder) < host_cost(quotient) + host_cost(remainder)
    assert host_cost(quotient + b, quotient + b) == host_cost(quotient + b)
    assert host_cost(FloorDiv(a, b)) > host_cost(quotient)
    assert host_cost(FloorDiv(a - b, 7)) > host_cost(FloorDiv(a + b, 7)), "what may be negative is corrected"


def test_numerators_have_32_bits():
    a, b = symbols("a b")
    assert overflows([b + FloorDiv(5 * a + 1, 7)], {a: 2**30, b: 4})
    assert not overflows([b + FloorDiv(a + 1, 7), 5 * a], {a: 2**30, b: 4})


ASKED_TOGETHER = """pad_rows pad_planes unfold_pad swin_reverse relative_shift roll interleave avg_pool_backward patch_sum
dynamic_patches dynamic_roll dynamic_unfold"""


@pytest.mark.parametrize("name", ASKED_TOGETHER.split())
def test_triton_kernels_store_the_same(name):
    module = next(m for m in MODULES if m.name == name)
    own = triton_text.rendered(module)
    with inductor.installed():
        ours = triton_text.rendered(module)
    assert inductor.stats()["kernels"] > 0, "the hook was never called"
    assert own.kernels.keys() == ours.kernels.keys()
    assert own.kernels != ours.kernels
    for kernel in filter(lambda k: triton_by_numpy.is_pointwise(own.kernels[k]), own.kernels):
        stored = triton_by_numpy.run(own.kernels[kernel], own.sizes.get(kernel))
        assert any(stored) and stored == triton_by_numpy.run(ours.kernels[kernel], ours.sizes.get(kernel))


def test_indices_of_a_kernel_are_functions_of_its_flat_index():
    rows = next(m for m in MODULES if m.name == "pad_rows")
    with inductor.installed():
        (text,) = triton_text.kernels(rows).values()
    assert inductor.stats()["kernels_changed"] == 1
    # both the mask and the address use only a division by 14, and no division by 7
    assert set(re.findall(r"(?://|%) (\d+)", text)) == {"14"}, text


def test_blocks_of_pointers_keep_inductors_forms():
    rows = next(m for m in MODULES if m.name == "pad_rows")
    with inductor.installed(), torch._inductor.config.patch({"triton.use_block_ptr": True}):
        triton_text.kernels(rows)
    assert inductor.stats()["kernels"] == 0


def test_symbolic_extents():
    a, b = symbols("a b")
    n = sympy.Symbol("s0", integer=True, positive=True)
    answer = simplified(FloorDiv(n * a + b, n) + ModularIndexing(n * a + b, 1, n), {a: 16, b: n})
    assert answer == a + b


def test_static_questions():
    n = sympy.Symbol("s0", integer=True, positive=True)
    known, unknown = 3 * FloorDiv(n, 3) <= n, sympy.Eq(PythonMod(n, 4), 1, evaluate=False)
    assert not sizevars.SizeVarAllocator().statically_known_true(known), "torch answers it itself: ask another one"
    with inductor.installed():
        assert sizevars.SizeVarAllocator().statically_known_true(known)
        assert not sizevars.SizeVarAllocator().statically_known_true(unknown)
        assert not sizevars.SizeVarAllocator().statically_known_true(unknown)
    assert inductor.stats()["proved"] == 1
    assert inductor._is_proved.cache_info().hits >= 1, "the same question is asked once"


def test_install_and_uninstall():
    own = sizevars.SizeVarAllocator._simplify_with_ranges
    tag = torch.compiler.config.cache_key_tag
    inductor.install()
    inductor.install()
    assert sizevars.SizeVarAllocator._simplify_with_ranges is not own
    assert "quaff" in torch.compiler.config.cache_key_tag, "code of both kinds must not share a cache"
    with inductor.installed():
        pass
    assert sizevars.SizeVarAllocator._simplify_with_ranges is not own, "it was installed before the `with`"
    inductor.uninstall()
    inductor.uninstall()
    assert sizevars.SizeVarAllocator._simplify_with_ranges is own
    assert torch.compiler.config.cache_key_tag == tag


def test_another_version_is_refused(monkeypatch):
    monkeypatch.setattr(torch, "__version__", "1.13.0")
    with pytest.raises(ImportError, match="1.13.0"):
        inductor._check_version()
