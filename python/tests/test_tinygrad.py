"""`quaff.tinygrad`: values with and without quaff are equal, on tinygrad's device CPU. The tests need a C compiler."""

import os
import pickle
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

tinygrad = pytest.importorskip("tinygrad", reason="the hook in tinygrad's compiler is tested where tinygrad is installed")

import tinygrad.codegen
from tinygrad import Tensor, Variable
from tinygrad.codegen import to_program, to_program_cache, to_program_key
from tinygrad.helpers import Context
from tinygrad.renderer.cstyle import ClangRenderer
from tinygrad.uop.ops import Ops

import quaff.tinygrad
from quaff._tinygrad_uops import Kernel

computes = pytest.mark.skipif(
    shutil.which(os.environ.get("CC", "clang")) is None, reason="tinygrad's device CPU computes with clang, which is not installed"
)


@pytest.fixture(autouse=True)
def restored():
    """Each test begins and ends without the hook."""
    quaff.tinygrad.uninstall()
    quaff.tinygrad.reset()
    to_program_cache.clear()
    # compile in this process
    with Context(PARALLEL=0):
        yield
    quaff.tinygrad.uninstall()


def of(*shape):
    """A tensor of different small numbers, which are exact as floats."""
    return Tensor(np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape) % 251, device="CPU")


def n():
    return Variable("n", 1, 12).bind(7)


# each name maps to a function that returns a tensor, and to whether the kernel must change
CASES = {
    "transposed split": (lambda: of(24, 30).T.reshape(36, 20).T.contiguous(), True),
    "pad and split": (lambda: of(2, 3, 6, 6).pad(((0, 0), (0, 0), (1, 1), (1, 1))).reshape(6, 64).T.reshape(8, -1).contiguous(), False),
    "shrink and split": (lambda: of(100, 96)[:, 5:89].reshape(60, 140).contiguous(), False),
    "strides": (lambda: of(97, 61)[::3, 1::2].reshape(-1).contiguous(), False),
    "flips": (lambda: of(31, 17).flip(0).reshape(17, 31).flip(1).contiguous(), False),
    "cat": (lambda: of(5, 40).cat(of(7, 40), of(9, 40)).reshape(28, 30).contiguous(), False),
    "cat of columns": (lambda: of(64, 10).cat(of(64, 14), dim=1).reshape(-1).contiguous(), False),
    "roll": (lambda: of(13, 29).roll((3, 5), (0, 1)).contiguous(), False),
    "diagonal": (lambda: of(12, 12).pad(((0, 0), (0, 1))).reshape(-1)[:144].reshape(12, 12).T.contiguous(), False),
    "circular pad": (lambda: of(1, 2, 5, 6).pad((2, 2, 3, 3), mode="circular").contiguous(), False),
    "sum of a view": (lambda: of(4, 3, 10, 31).permute(3, 1, 0, 2).reshape(93, -1)[:, 7:30].sum(0), True),
    "average pool": (lambda: of(2, 3, 15, 15).avg_pool2d(3, 2, padding=1), False),
    "max pool": (lambda: of(2, 3, 15, 15).max_pool2d(3, 2), False),
    "conv": (lambda: of(2, 3, 9, 9).conv2d(of(4, 3, 3, 3), padding=1), False),
    "conv with stride": (lambda: of(1, 3, 12, 12).conv2d(of(4, 3, 5, 5), padding=2, stride=2), False),
    "conv of groups": (lambda: of(2, 6, 8, 8).conv2d(of(12, 2, 3, 3), groups=3, padding=1), False),
    "transposed conv": (lambda: of(1, 3, 6, 6).conv_transpose2d(of(3, 2, 3, 3), stride=2, padding=1, output_padding=1), False),
    "cumsum": (lambda: of(3, 300).cumsum(1), False),
    "gather": (lambda: of(50, 36)[Tensor([3, 49, 0, 7], device="CPU")].reshape(12, 12).contiguous(), False),
    "gather below zero": (lambda: of(50, 36)[Tensor([-3, 49, -50, 7], device="CPU")].reshape(12, 12).contiguous(), False),
    "arange": (lambda: Tensor.arange(1200).reshape(30, 40).T.reshape(50, 24).contiguous(), False),
    # comparisons that are used as indices
    "nonzero": (lambda: Tensor([[1, 0], [0, 2]], device="CPU").nonzero(), False),
    "repeat and pad": (lambda: Tensor([3, 4], device="CPU").repeat_interleave(4).pad((3, 3)) + 0, False),
    "one hot": (lambda: Tensor([3, 1, 4], device="CPU").one_hot(6), False),
    "triangle": (lambda: of(23, 23).tril().reshape(-1).contiguous(), False),
    "rows at run time": (lambda: of(12, 20)[: n()].sum(0), False),
    "columns at run time": (lambda: of(20, 12)[:, : n()].sum(1), False),
    "blocks at run time": (lambda: of(12, 20)[: n()].reshape(n(), 4, 5).sum((0, 2)), False),
}


@computes
@pytest.mark.parametrize("name", CASES)
def test_the_same_values(name):
    make, has_to_change = CASES[name]
    without = make().numpy()
    with quaff.tinygrad.installed():
        answer = make().numpy()
    stats = quaff.tinygrad.stats()
    assert stats.kernels > 0
    assert stats.changed + sum(stats.refused.values()) == stats.asked
    if has_to_change:
        assert stats.changed > 0, stats
    # the sums are integers below 2**24, so their order does not matter
    np.testing.assert_array_equal(answer, without)


@computes
@pytest.mark.parametrize("with_gates", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_every_answer_has_the_same_values(name, with_gates, monkeypatch):
    """Answers that are not used because they are not cheaper must be right, too."""
    without = CASES[name][0]().numpy()
    unchanged = []

    def rebuilt(kernel, answer, _):
        new, values = Kernel.rebuilt(kernel, answer, with_gates)
        unchanged.append(new is kernel.sink)
        return new, values

    forced = {"rebuilt": rebuilt, "prices": lambda kernel, answer: (1, 0, 0)}
    monkeypatch.setattr(quaff.tinygrad, "Kernel", type("Forced", (Kernel,), forced))
    # this includes kernels for which quaff has nothing to gain
    monkeypatch.setattr(quaff.tinygrad, "is_asked", lambda sink: any(root.index is not None for root in Kernel(sink).roots))
    with quaff.tinygrad.installed():
        np.testing.assert_array_equal(CASES[name][0]().numpy(), without)
    # if only the conditions of an answer are new, the kernel without these conditions is the input
    if not any(unchanged):
        assert "not clearly fewer instructions" not in quaff.tinygrad.stats().refused


@computes
@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("name", ["nonzero", "repeat and pad", "roll", "circular pad"])
def test_answers_pass_the_verifier(name, level, monkeypatch):
    """A comparison that is used as an index must have the type of an index in all of tinygrad's passes."""
    monkeypatch.setattr(quaff.tinygrad, "_CLEARLY", float("inf"))
    with quaff.tinygrad.installed(), Context(SPEC=level):
        CASES[name][0]().numpy()
    assert quaff.tinygrad.stats().asked > 0


@computes
def test_values_of_a_backward_pass():
    def gradient():
        x, w = of(1, 3, 9, 9), of(4, 3, 3, 3)
        return x.conv2d(w, padding=1, stride=2).relu().max_pool2d(2).sum().gradient(w)[0].numpy()

    without = gradient()
    with quaff.tinygrad.installed():
        np.testing.assert_array_equal(gradient(), without)
    assert quaff.tinygrad.stats().kernels > 0


# programs without a device


def kernel_of(tensor):
    """The single kernel that computes `tensor`, and a renderer for the kernel."""
    linear, _ = tensor.linear_with_vars()
    (kernel,) = dict.fromkeys(u.src[0] for u in linear.toposort() if u.op is Ops.CALL and u.src[0].op is Ops.SINK)
    return kernel


def text_of(kernel):
    return to_program(kernel, RENDERER).src[2].arg


class Text(ClangRenderer):
    """C text that is not compiled."""

    class compiler:
        @staticmethod
        def compile_cached(text):
            return text.encode()

    def __init__(self):
        from tinygrad.helpers import Target
        from tinygrad.renderer.cstyle import CStyleLanguage

        CStyleLanguage.__init__(self, Target(device="CPU", renderer="CLANG", arch="x86_64,x86-64"))


RENDERER = Text()


def transposed_split():
    return kernel_of(Tensor.empty(24, 30, device="NULL").T.reshape(36, 20).T.contiguous())


def test_a_kernel_gets_fewer_divisions():
    kernel = transposed_split()
    without = text_of(kernel)
    with quaff.tinygrad.installed():
        text = text_of(kernel)
    assert quaff.tinygrad.stats().changed == 1
    # the text for clang divides by multiplications and shifts
    assert text.count(">>") + text.count("/") + text.count("%") < without.count(">>") + without.count("/") + without.count("%")


@computes
def test_an_index_that_is_a_comparison_is_an_integer(monkeypatch):
    kernel = kernel_of(Tensor.empty(2, device="NULL").repeat_interleave(4).pad((3, 3)) + 0)
    # accept every answer, at any cost
    monkeypatch.setattr(quaff.tinygrad, "_CLEARLY", float("inf"))
    with quaff.tinygrad.installed():
        assert text_of(kernel)
    assert quaff.tinygrad.stats().changed == 1, quaff.tinygrad.stats()


def test_the_cache_of_programs_does_not_mix():
    kernel = transposed_split()
    without, key = text_of(kernel), to_program_key(kernel, RENDERER)
    with quaff.tinygrad.installed():
        assert to_program_key(kernel, RENDERER) != key
        text = text_of(kernel)
        assert text != without
        with Context(QUAFF=0):
            assert text_of(kernel) == without
        assert text_of(kernel) == text
    assert to_program_key(kernel, RENDERER) == key
    assert text_of(kernel) == without
    assert quaff.tinygrad.stats().kernels == 1


def test_install_twice_and_back():
    import tinygrad.codegen.opt.search
    import tinygrad.engine.realize

    def wrapped():
        return (
            tinygrad.codegen.graph_rewrite,
            tinygrad.codegen.to_program_config,
            tinygrad.codegen.to_program_context,
            tinygrad.engine.realize._compile_kernel,
            tinygrad.engine.realize.to_program_context,
            tinygrad.codegen.opt.search._try_compile,
        )

    before = wrapped()
    quaff.tinygrad.install()
    once = wrapped()
    quaff.tinygrad.install()
    assert wrapped() == once
    assert all(a is not b for a, b in zip(before, once))
    with quaff.tinygrad.installed():
        pass
    # quaff was installed before the block, and still is after it
    assert quaff.tinygrad.is_installed()
    quaff.tinygrad.uninstall()
    assert all(a is b for a, b in zip(wrapped(), before))
    quaff.tinygrad.uninstall()
    assert not quaff.tinygrad.is_installed()


def test_another_tinygrad_is_refused(monkeypatch):
    monkeypatch.setattr(quaff.tinygrad.metadata, "version", lambda name: "0.15.2")
    with pytest.raises(ImportError, match=r"knows tinygrad 0\.14, and this is 0\.15\.2"):
        quaff.tinygrad.install()
    monkeypatch.setattr(quaff.tinygrad.metadata, "version", lambda name: "0.14.3")
    monkeypatch.setattr(quaff.tinygrad, "_PASS", "a pass that is not there")
    with pytest.raises(ImportError, match="no pass"):
        quaff.tinygrad.install()
    assert not quaff.tinygrad.is_installed()


def test_what_is_refused_is_counted(monkeypatch):
    kernel = transposed_split()
    # with this threshold, no answer is cheap enough
    monkeypatch.setattr(quaff.tinygrad, "_CLEARLY", 0)
    with quaff.tinygrad.installed():
        text_of(kernel)
    stats = quaff.tinygrad.stats()
    assert (stats.kernels, stats.changed) == (1, 0)
    assert sum(stats.refused.values()) == stats.asked == 1, stats


def test_sums_and_comparisons_are_not_asked():
    kernel = kernel_of(Tensor.empty(64, device="NULL").pad((3, 5)).contiguous())
    with quaff.tinygrad.installed():
        text_of(kernel)
    stats = quaff.tinygrad.stats()
    assert (stats.kernels, stats.asked) == (1, 0)


def test_the_result_of_a_worker_brings_its_counts():
    kernel = transposed_split()
    context = {v.key: v.value for v in tinygrad.codegen.to_program_context}
    task = (3, (kernel, RENDERER), {**context, "QUAFF": 1})
    sent = pickle.dumps(quaff.tinygrad._compile_kernel(task))
    assert not quaff.tinygrad.is_installed()
    quaff.tinygrad.reset()
    at, program = pickle.loads(sent)
    assert (at, program.op) == (3, Ops.PROGRAM)
    stats = quaff.tinygrad.stats()
    assert (stats.kernels, stats.changed) == (1, 1)
    assert 0 < stats.in_quaff < stats.seconds


@computes
def test_beam_search(monkeypatch):
    import tinygrad.codegen.opt.search as search

    # a few of the schedules suffice for the test
    monkeypatch.setattr(search, "actions", search.actions[:12])
    # accept every answer, because few schedules gain much
    monkeypatch.setattr(quaff.tinygrad, "_CLEARLY", float("inf"))
    a = of(24, 30).realize()
    with quaff.tinygrad.installed(), Context(BEAM=1, IGNORE_BEAM_CACHE=1, CACHELEVEL=0):
        answer = a.T.reshape(36, 20).T.contiguous().realize()
    assert quaff.tinygrad.stats().changed > 1
    np.testing.assert_array_equal(answer.numpy(), a.numpy().T.reshape(36, 20).T)


@computes
def test_worker_processes_compile_with_it(tmp_path):
    """tinygrad compiles several kernels at once in spawned processes. Their texts must equal the texts of this process."""
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(
            """
            import numpy as np
            import quaff.tinygrad
            from tinygrad import Tensor
            from tinygrad.codegen import to_program_cache
            from tinygrad.helpers import Context
            from tinygrad.engine import worker

            def texts():
                # the texts of two kernels, and the number of kernels that this process compiled
                to_program_cache.clear()
                quaff.tinygrad.reset()
                x, y = a.T.reshape(36, 20).T.contiguous(), b.T.reshape(60, 20).T.contiguous()
                x.realize(y)
                found = sorted(p.src[2].arg for p in to_program_cache.values())
                here = quaff.tinygrad.stats().kernels
                np.testing.assert_array_equal(x.numpy(), a.numpy().T.reshape(36, 20).T)
                np.testing.assert_array_equal(y.numpy(), b.numpy().T.reshape(60, 20).T)
                return found, here

            if __name__ == "__main__":
                a = Tensor(np.arange(720, dtype=np.float32).reshape(24, 30), device="CPU").realize()
                b = Tensor(np.arange(1200, dtype=np.float32).reshape(24, 50), device="CPU").realize()
                quaff.tinygrad.install()
                with Context(PARALLEL=0):
                    alone, here = texts()
                    assert len(alone) == here == 2
                    assert worker.worker_pool is None
                apart, here = texts()
                # worker processes compile the kernels, and this process counts them
                assert here == 2
                assert worker.worker_pool is not None
                assert apart == alone
                quaff.tinygrad.uninstall()
                without, _ = texts()
                assert not set(without) & set(apart)
                print("done")
            """
        )
    )
    env = {**os.environ, "PARALLEL": "2", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "done"
