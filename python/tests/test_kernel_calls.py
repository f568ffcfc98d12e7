"""``quaff.Kernel``: reports, and calls that raise exceptions."""

import contextlib
import threading

import pytest

import quaff


def small(name="k"):
    dims = quaff.Dims()
    n, block, thread, step, loaded = dims.new("n=64 block thread=16 step=4 loaded")
    load = dims.new_scope("load")
    dims.eq(n, block * thread)
    dims.eq(loaded, step * thread, scope=load)
    return dims, quaff.Kernel(name, dims), (n, block, thread, step, load)


def test_what_a_report_has():
    dims, k, (n, block, thread, step, load) = small()
    x = k.input("x", "__half", align=256)
    assert (x.name, x.element, repr(x)) == ("x", "__half", "<Buffer x of __half>")
    w = k.scalar("w", (1, 100), multiple=4)
    k.parameter("const float", "scale")
    t = k.bind(thread, "t", "threadIdx.x")
    assert (str(t), k.size(n), k.size("block"), repr(k)) == ("t", 64, 4, "<Kernel k>")
    with k.scope(load), k.loop(step) as i:
        assert str(i) == "step" and str(k.raw("loaded")) == "step*16 + t"
        assert k.indices.why_solved("loaded") == "solved by `loaded = step * thread` (<-)"
        assert k.indices.active == ["scope load", "loop step in 0..4"]
        k.expr("row", (i * 1000 + t) // w)
        k.code("use($row, $|n|, scale);")
        k.assume("t < 8")
    report = k.finish()
    assert str(report) == report.source and report.source.startswith("#include <cuda_fp16.h>\n")
    assert [p["name"] for p in report.contract["params"]] == ["x", "w", "scale"]
    assert report.contract["divisors"][0]["divisor"] == "w" and "quaff_fastdivmod" in report.host
    assert [(i["name"], str(i["raw"])) for i in report.indices] == [("row", "(step*1000 + t)//w")]
    assert 0 < report.cost <= report.input_cost and report.executed <= report.input_executed
    assert report.stop == "saturated" and quaff.prove("t < 16 and w%4 == 0", report.facts)
    assert "use((((step * 1000) + t) / w), 64, scale);" in report.as_built()
    html = report._repr_html_()
    assert "<td><code>row</code></td><td><code>(step*1000 + t)//w</code></td>" in html and "#include &lt;cuda_fp16.h&gt;" in html
    assert repr(report).startswith("<KernelText, ")


def test_a_kernel_over_indices():
    def recorded(declare):
        dims, _, (n, block, thread, step, load) = small()
        ix = dims.init(simplifier=quaff.Simplifier(effort=0))
        ix.set(thread, "t")
        with ix.scope(load), ix.loop(step, "i"):
            k = quaff.Kernel("k", ix)
            # later settings do not affect the kernel
            ix.set(block, 3)
        declare(k)
        with k.frame():
            k.get("loaded")
        assert not k.indices.is_solved(block)
        k.set(block, 1)
        return k.finish().source

    def both(k):
        k.value("t", (0, 15), "threadIdx.x")
        k.scalar("i", (0, 3))

    assert "const int loaded = i * 16 + t;" in recorded(both)
    with said("quaff::unknown_variable", quaff.SimplifyError):
        recorded(lambda k: k.value("t", (0, 15), "threadIdx.x"))


def test_loops_of_one_name_and_of_one_trip():
    _, k, (n, block, thread, step, load) = small()
    for _ in range(2):
        with k.loop(step, "i") as i:
            k.code("use($i);")
    assert str(i) == "i_2"
    dims = quaff.Dims()
    one = dims.new("one=1")
    k1 = quaff.Kernel("one", dims)
    with k1.loop(one) as i, k1.condition(i < 1):
        k1.code("use($one);")
    assert i == quaff.Expr(0) and "{\n  use(0);\n}" in k1.finish().source
    text = k.finish().source
    assert "use(i);" in text and "use(i_2);" in text


def said(code, error=quaff.KernelError):
    """Expects an exception with the given code."""

    @contextlib.contextmanager
    def watched():
        with pytest.raises(error) as caught:
            yield
        assert caught.value.code == code, caught.value

    return watched()


def test_errors_have_codes():
    _, k, (n, block, thread, step, load) = small()
    x = k.input("x")
    with said("quaff::kernel::name"):
        k.output("x")
    with said("quaff::kernel::name"):
        k.value("for", (0, 1), "1")
    with said("quaff::kernel::placeholder"):
        k.code("use($nothing);")
    with said("dims::unsolved", quaff.DimsError):
        k.get(n)
    with said("dims::out_of_range", quaff.DimsError):
        k.set(thread, 16)
    with said("quaff::kernel::name"), k.loop(step, "a b"):
        pass
    with said("dims::vector_size", quaff.DimsError), k.vectorize(step, 8):
        pass
    k.value("huge", None, "load()")
    with said("quaff::lower::width", quaff.LowerError):
        k.expr("sum", "huge * 2")
        k.finish()


def test_places_of_errors():
    _, k, _ = small()
    with pytest.raises(quaff.ParseError) as caught:
        k.condition("a +")
    assert caught.value.source == "a +"
    k.value("q", (0, 9), "load()")
    with pytest.raises(quaff.SimplifyError) as caught, k.condition("3//q < 2"):
        pass
    assert (caught.value.code, caught.value.source, caught.value.span) == ("quaff::zero_divisor", "3//q < 2", (3, 4))
    # the block was not opened
    k.finish()


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        (lambda k, d: k.input("y", "floats"), ValueError, "no element is called .floats."),
        (lambda k, d: k.get("nothing"), KeyError, "no dimension is called"),
        (lambda k, d: k.get(3), TypeError, "a dimension is a Dim or its name"),
        (lambda k, d: k.loop("step", unroll=0), ValueError, "at least 1"),
        (lambda k, d: k.input("y")[3], TypeError, "at a dimension"),
        (lambda k, d: iter(k.input("z")), TypeError, "not iterable"),
        (lambda k, d: quaff.Kernel("k", 3), TypeError, "Dims or its Indices"),
        (lambda k, d: k.scalar("y", "many"), TypeError, "inclusive ends"),
        (lambda k, d: k.transfer(3, 4), TypeError, "tuple"),
    ],
)
def test_what_is_wrong_is_said(wrong, error, text):
    dims, k, _ = small()
    with pytest.raises(error, match=text):
        wrong(k, dims)


def test_dimensions_of_others():
    (_, k, (n, block, thread, step, load)), (_, other, (foreign, *_, scope)) = small(), small()
    x = k.input("x")
    y = other.input("y")
    for wrong in (
        lambda: k.get(foreign),
        lambda: k.set(foreign, 3),
        lambda: k.loop(foreign),
        lambda: k.vectorize(foreign),
        lambda: k.size(foreign),
        lambda: k.scope(scope).__enter__(),
        lambda: k.inside(foreign).__enter__(),
        lambda: k.transfer(x[foreign], x[n]),
    ):
        with said("dims::foreign_dim", quaff.DimsError):
            wrong()
    with said("quaff::kernel::buffer"):
        k.transfer(x[n], y[n])


def test_blocks_are_closed_once_and_in_order():
    _, k, (n, block, thread, step, load) = small()
    loop = k.loop(step, "i")
    with said("quaff::kernel::nesting"):
        loop.__exit__(None, None, None)
    with loop:
        with said("quaff::kernel::nesting"):
            loop.__enter__()
        with said("quaff::kernel::nesting"):
            k.scalar("late", (0, 9))
        with said("quaff::kernel::nesting"):
            k.finish()
        k.code("first($i);")
    with said("quaff::kernel::nesting"):
        loop.__exit__(None, None, None)
    # the block may be opened again
    with loop:
        k.code("second($i);")
    assert "second(i_2);" in k.finish().source
    with said("quaff::kernel::nesting"):
        k.code("late();")
    with said("quaff::kernel::nesting"):
        k.finish()
    with said("quaff::kernel::nesting"), k.loop(step):
        pass
    _, k, (n, block, thread, step, load) = small()
    outer, inner = k.frame(), k.scope(load)
    outer.__enter__()
    inner.__enter__()
    with said("quaff::kernel::nesting"):
        outer.__exit__(None, None, None)
    with said("quaff::kernel::nesting"):
        k.finish()


def test_a_block_that_is_left_with_an_exception_ends_the_kernel():
    _, k, (n, block, thread, step, load) = small()
    with pytest.raises(ZeroDivisionError), k.frame(), k.loop(step, "i"):
        raise ZeroDivisionError
    for late in (lambda: k.code("x"), k.finish, lambda: k.raw(n), lambda: k.indices):
        with pytest.raises(quaff.KernelError, match="left with an exception"):
            late()
    # the exception is caught within another block
    _, k, (n, block, thread, step, load) = small()
    with pytest.raises(quaff.KernelError, match="left with an exception"), k.frame():
        with contextlib.suppress(ZeroDivisionError), k.loop(step, "i"):
            raise ZeroDivisionError
    # the function for the rest raises an exception
    dims = quaff.Dims()
    m, b, v = dims.new("m=7 b v=4")
    dims.covered(m, b * v)
    k = quaff.Kernel("k", dims)
    k.bind(b, "b", "blockIdx.x")
    with pytest.raises(ZeroDivisionError), k.vectorize(v), k.inside(m, rest=lambda: 1 // 0):
        pass
    with pytest.raises(quaff.KernelError, match="left with an exception"):
        k.finish()


def test_calls_that_raise_change_nothing():
    def recorded(wrong):
        _, k, (n, block, thread, step, load) = small()
        x = k.input("x")
        k.bind(block, "b", "blockIdx.x")
        with k.loop(step, "i") as i:
            if wrong:
                for call in (
                    lambda: k.bind(thread, "b", "threadIdx.x"),
                    lambda: k.bind(block, "c", "threadIdx.x"),
                    lambda: k.value("v", (0, 3), "at + $nothing"),
                    lambda: k.code("at = $|n|;\nat = $nothing;"),
                    lambda: k.transfer(x[n], x[n]),
                    lambda: k.loop(thread, "for").__enter__(),
                    lambda: k.condition("i//(b - b) < 3").__enter__(),
                ):
                    with pytest.raises(quaff.Error):
                        call()
            k.value("v", (0, 15), "load()")
            k.set(thread, "v")
            k.get(n, "at")
            k.code("use($at, $at);")
        return k.finish().source

    assert recorded(True) == recorded(False)


def test_variables_stay_in_their_blocks():
    _, k, (n, block, thread, step, load) = small()
    k.bind(block, "b", "blockIdx.x")
    with k.loop(step, "i") as i:
        pass
    k.set(thread, i)
    k.get(n)
    with said("quaff::kernel::hidden"):
        k.finish()


def test_threads_share_a_kernel():
    _, k, (n, block, thread, step, load) = small()

    def record(number):
        for _ in range(50):
            k.code(f"call({number});")

    with k.frame():
        threads = [threading.Thread(target=record, args=(number,)) for number in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    text = k.finish().source
    assert [text.count(f"call({number});") for number in range(4)] == [50] * 4
