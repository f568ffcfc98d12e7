"""`quaff.rewrite` and `quaff.triton`: kernels in text, and kernels that Triton interprets and compiles."""

import pytest

import quaff
import quaff.triton as qt

SOURCE = """\
import triton

@triton.jit
def rows(x_ptr, n, W: tl.constexpr):
    i = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(x_ptr + i // W * W + i % W, 0, mask=i // W * W + i % W < n)
"""


def test_files_are_rewritten():
    found = qt.rewrite(SOURCE, define={"W": 32})
    assert found.is_changed and "tl.store(x_ptr + i, 0, mask=i < n)" in found.text
    (kernel,) = found.kernels
    assert (kernel["name"], kernel["line"]) == ("rows", 3) and kernel["after"] < kernel["before"]
    changes = [(c["line"], c["before"], c["after"]) for c in kernel["changes"]]
    assert changes == [(6, "i // W * W + i % W", "i"), (6, "i // W * W + i % W < n", "i < n")]
    assert kernel["proved"] > 0 and kernel["tried"] == 0
    assert found.diff("rows.py").startswith("--- rows.py\n+++ rows.py\n@@")
    same = qt.rewrite(found.text)
    assert not same.is_changed and same.diff() == ""
    cuda = quaff.rewrite("__global__ void f(int* x) { x[threadIdx.x / 4 * 4 + threadIdx.x % 4] = 0; }", "cuda")
    assert cuda.text == "__global__ void f(int* x) { x[threadIdx.x] = 0; }"


def test_notes_are_facts():
    source = SOURCE.replace("W: tl.constexpr", "W").replace("i // W * W + i % W", "(i + W) % W")
    assert not qt.rewrite(source, notes="W in -9..9").is_changed
    assert qt.rewrite(source, notes=["W in 1..9", "n >= 1"]).is_changed
    with pytest.raises(ValueError, match="`W in`"):
        qt.rewrite(source, notes="W in")
    with pytest.raises(OverflowError, match="is outside of 64 bits"):
        qt.rewrite(source, define={"W": 2**64})
    with pytest.raises(TypeError, match='the value of "W" is an integer'):
        qt.rewrite(source, define={"W": "8"})
    with pytest.raises(ValueError, match="neither cuda, c nor triton"):
        quaff.rewrite(source, "java")


def test_tests_of_triton_need_it():
    pytest.importorskip("triton", reason="Triton is not installed: its kernels are neither interpreted nor compiled")


try:
    import triton
    import triton.language as tl
    from triton import knobs
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource
except ImportError:
    triton = None
else:
    SCALE = tl.constexpr(3)

    def copied(x_ptr, y_ptr, w, n, W: tl.constexpr, BLOCK: tl.constexpr = 64):
        """Copies the elements whose index is below n."""
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        a = i // W * W + i % W
        b = (i // (w * 2) * 2 + i // w % 2) * w + i % w
        values = tl.load(x_ptr + a, mask=a < n, other=0)
        tl.store(y_ptr + b, values * SCALE, mask=a < n)

    def wrong(x_ptr, w, W: tl.constexpr):
        i = tl.program_id(0) * 64 + tl.arange(0, 64)
        a = i // W * W + i % W
        b = a // (w * 2) * 2 + a // w % 2
        tl.nothing(x_ptr + b)

    def helper(i, w):
        return i // (w * 2) * 2 + i // w % 2

    SIGNATURE = {name: "*i32" for name in ("x_ptr", "y_ptr")} | {name: "i32" for name in ("w", "n")}
    SIGNATURE |= {"W": "constexpr", "BLOCK": "constexpr"}
    NOTES = "w in 1..4096"

    def compiled(kernel, **values):
        constexprs = {(kernel.arg_names.index(name),): value for name, value in values.items()}
        signature = {name: SIGNATURE[name] for name in kernel.arg_names}
        source = ASTSource(fn=kernel, signature=signature, constexprs=constexprs)
        return triton.compile(source, target=GPUTarget("cuda", 90, 32))


needs_triton = pytest.mark.skipif(triton is None, reason="Triton is not installed")


@pytest.fixture
def interpreted():
    pytest.importorskip("torch", reason="torch is not installed: Triton interprets kernels over its tensors")
    with knobs.runtime.scope():
        knobs.runtime.interpret = True
        yield


@needs_triton
def test_interpreted_kernels_have_the_same_values(interpreted):
    import torch

    plain, ours = triton.jit(copied), qt.jit(copied, notes=NOTES)
    for width in (8, 32, 7):
        x = torch.arange(256, dtype=torch.int32)
        found = [torch.zeros(256, dtype=torch.int32) for _ in range(2)]
        for kernel, y in zip((plain, ours), found):
            kernel[(4,)](x, y, 16, 200, width)
        assert found[0].equal(found[1]) and found[1][199] == 3 * 199
    assert len(ours.quaff.variants) == 4
    assert "-    a = i // W * W + i % W\n" in ours.quaff.diff
    # `at` is not a launch, and a constant beyond 64 bits is not a constant for the engine
    last = ours.quaff.source
    ours.quaff.at(W=2)
    assert ours.quaff.source == last
    assert ours.quaff._known.keys() >= {(("BLOCK", 64), ("SCALE", 3), ("W", 7))}
    constants = qt._Constants(triton.JITFunction(copied))
    assert dict(constants.values((), {"W": 2**64})) == {"BLOCK": 64, "SCALE": 3}


@needs_triton
def test_autotune_and_heuristics_are_around_it(interpreted):
    import torch

    kernel = triton.heuristics({"BLOCK": lambda args: 32})(qt.jit(notes=NOTES)(copied))
    x, y = torch.arange(64, dtype=torch.int32), torch.zeros(64, dtype=torch.int32)
    kernel[(2,)](x, y, 8, 64, W=16)
    assert y.equal(3 * x)
    assert dict(kernel.fn.quaff._last) == {"W": 16, "BLOCK": 32, "SCALE": 3}


@needs_triton
def test_compiled_kernels_have_fewer_instructions():
    plain, ours = triton.jit(copied), qt.jit(copied, notes=NOTES)
    assert isinstance(ours, triton.JITFunction) and ours.__doc__ == copied.__doc__
    variant = ours._variant(ours._constants.values((), {"W": 7}))
    plain_text, own_text = (compiled(kernel, W=7, BLOCK=64).asm["ptx"] for kernel in (plain, variant))
    # Triton's compiler does not find out that the divisions by w cancel
    assert plain_text.count("div.") > 0 and own_text.count("div.") == 0
    assert plain.cache_key not in {ours.cache_key, variant.cache_key}
    assert ours._variant(variant._values) is variant


@needs_triton
def test_errors_have_the_lines_of_the_function_as_written():
    kernel = qt.jit(wrong, notes=NOTES)
    variant = kernel._variant((("W", 8),))
    assert "a = i // W" not in variant.quaff._text(variant._values)
    messages = []
    for function in (triton.jit(wrong), variant):
        with pytest.raises(triton.CompilationError) as error:
            compiled(function, W=8)
        messages.append(str(error.value))
    assert messages[0] == messages[1] and "at 5:4" in messages[0] and "a = i // W * W + i % W" in messages[0]


@needs_triton
def test_functions_of_other_kernels():
    def user(x_ptr, y_ptr, w, W: tl.constexpr):
        i = tl.arange(0, 64)
        tl.store(y_ptr + inner(i, W), tl.load(x_ptr + inner(i, w)))

    inner = qt.jit(helper, notes="w in 1..99, i in 0..65535")
    assert "return i // w\n" in inner.quaff.source
    own = compiled(qt.jit(user), W=8).asm["ptx"]
    inner = triton.jit(helper)
    assert own.count("div.") < compiled(triton.jit(user), W=8).asm["ptx"].count("div.")


@needs_triton
def test_options_and_wrong_notes():
    assert qt.jit(copied, do_not_specialize=["n"], debug=True).do_not_specialize == ["n"]
    with pytest.raises(ValueError, match="`n in`"):
        qt.jit(copied, notes="n in")
