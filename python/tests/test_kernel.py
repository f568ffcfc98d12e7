"""``quaff.Kernel``: kernels that are recorded in Python. They run on this machine instead of a GPU."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

import quaff

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "tests" / "support"
COMPILER = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")

beside_the_sources = pytest.mark.skipif(not SUPPORT.exists(), reason="the tests are not beside the sources")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no compiler of C++: kernels are compiled to be run")

# The number of guard elements on each side of an array. A kernel must neither write nor use these elements.
AROUND = 64
KINDS = {"float": ctypes.c_float, "int": ctypes.c_int}


class Guarded:
    """An array between guard elements, which are checked. It begins at a multiple of 256 bytes."""

    def __init__(self, array):
        np = pytest.importorskip("numpy", reason="numpy is not installed: results are compared with it")
        length, self.strange = array.size + 2 * AROUND, array.dtype.type(-77777)
        raw = np.zeros(length * array.itemsize + 256, dtype=np.uint8)
        start = -raw.ctypes.data % 256
        self.whole = raw[start : start + length * array.itemsize].view(array.dtype)
        self.whole[:] = self.strange
        self.whole[AROUND:-AROUND] = array.ravel()
        self.shape = array.shape

    @property
    def pointer(self):
        return ctypes.c_void_p(self.whole.ctypes.data + AROUND * self.whole.itemsize)

    @property
    def values(self):
        assert (self.whole[:AROUND] == self.strange).all() and (self.whole[-AROUND:] == self.strange).all()
        return self.whole[AROUND:-AROUND].reshape(self.shape)


def run(report, folder, name, grid, block, *arguments):
    """Runs a kernel for all threads. The arguments are numpy arrays and integers, in the order of the parameters. Returns the arrays."""
    np = pytest.importorskip("numpy", reason="numpy is not installed: results are compared with it")
    contract = report.contract
    parameters = ", ".join(f"{p['type']} {p['name']}" for p in contract["params"])
    divisors = "".join(f"const auto {d['name']} = {d['helper']}({d['divisor']});\n" for d in contract["divisors"])
    called = ", ".join([p["name"] for p in contract["params"]] + [d["name"] for d in contract["divisors"]])
    grid, block = ("dim3(" + ", ".join(map(str, sizes)) + ")" for sizes in (grid, block))
    source, program = folder / f"{name}.cpp", folder / f"{name}.so"
    source.write_text(
        f'#include "device.hpp"\n{report.host}{report.source}\nextern "C" void run({parameters}) {{\n{divisors}'
        f"launch({grid}, {block}, [&] {{ {name}({called}); }});\n}}\n"
    )
    options = ["-std=c++17", "-O1", "-fno-strict-aliasing", "-w", "-shared", "-fPIC", f"-I{SUPPORT}"]
    built = subprocess.run([COMPILER, *options, source, "-o", program], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr + report.source
    arrays = [Guarded(a) if isinstance(a, np.ndarray) else a for a in arguments]
    ctypes.CDLL(str(program)).run(*(a.pointer if isinstance(a, Guarded) else ctypes.c_int(a) for a in arrays))
    return [a.values for a in arrays if isinstance(a, Guarded)]


def numbers(shape, seed):
    """An array of small integers. Sums of their products are exact."""
    np = pytest.importorskip("numpy", reason="numpy is not installed: results are compared with it")
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(np.float32)


def golden(path):
    return (ROOT / path).read_text()


def all_are_right(report):
    """Checks that the indices cost less and are equal to the indices that the equations built."""
    assert report.executed <= report.input_executed
    for index in report.indices:
        assert quaff.verify(index["raw"], index["simplified"], report.facts).equal, index


def double_buffered(M, N, K, tile=16):
    """Computes C = A * B by tiles in shared memory. While a pair of tiles is multiplied, the next pair is loaded."""
    dims = quaff.Dims()
    m, n, k = (dims.dim(name, size) for name, size in (("M", M), ("N", N), ("K", K)))
    bm, tm, bn, tn, ck, tk = dims.new(f"bm tm={tile} bn tn={tile} k tk={tile}")
    for size, product in ((m, bm * tm), (n, bn * tn), (k, ck * tk)):
        dims.covered(size, product)
    c, a, b, tile_a, tile_b = dims.new("C A B tile_a tile_b")
    half, step = dims.new(f"half=2 step={dims.size(ck)}")
    for all_of_it, product in ((c, m * n), (a, m * k), (b, k * n)):
        dims.eq(all_of_it, product)
    dims.eq(tile_a, half * tm * tk)
    dims.eq(tile_b, half * tk * tn)

    kernel = quaff.Kernel("matmul", dims)
    A, B, C = kernel.input("a"), kernel.input("b"), kernel.output("c")
    shared_a, shared_b = kernel.shared("shared_a", dims.size(tile_a)), kernel.shared("shared_b", dims.size(tile_b))
    kernel.bind(bm, "by", "blockIdx.y")
    kernel.bind(bn, "bx", "blockIdx.x")
    ty = kernel.value("ty", range(tile), "threadIdx.y")
    tx = kernel.value("tx", range(tile), "threadIdx.x")
    kernel.code("float sum = 0;")

    def load(step, into):
        kernel.set(ck, step)
        kernel.set(half, into)
        with kernel.frame():
            kernel.set(tm, ty)
            kernel.set(tk, tx)
            kernel.transfer(shared_a[tile_a], A[a], zero=True)
        with kernel.frame():
            kernel.set(tk, ty)
            kernel.set(tn, tx)
            kernel.transfer(shared_b[tile_b], B[b], zero=True)

    with kernel.frame():
        load(0, 0)
    with kernel.loop(step, "s") as s:
        kernel.barrier()
        if dims.size(step) > 1:
            with kernel.condition(s < dims.size(step) - 1):
                load(s + 1, (s + 1) % 2)
        with kernel.loop(tk, "i"):
            kernel.set(half, s % 2)
            kernel.set(tm, ty)
            kernel.set(tn, tx)
            kernel.get(tile_a)
            kernel.get(tile_b)
            kernel.code("sum += shared_a[$tile_a] * shared_b[$tile_b];")
    kernel.set(tm, ty)
    kernel.set(tn, tx)
    with kernel.inside(c):
        kernel.get(c)
        kernel.code("c[$C] = sum;")
    return kernel.finish(), dims.size(bm), dims.size(bn)


@beside_the_sources
@needs_compiler
@pytest.mark.parametrize("M, N, K", [(64, 48, 96), (50, 37, 83), (1, 5, 17), (16, 16, 3)])
def test_double_buffering(tmp_path, M, N, K):
    report, bm, bn = double_buffered(M, N, K)
    all_are_right(report)
    a, b = numbers((M, K), 1), numbers((K, N), 2)
    *_, c = run(report, tmp_path, "matmul", (bn, bm), (16, 16), a, b, numbers((M, N), 3))
    assert (c == a @ b).all()


@beside_the_sources
def test_the_text_is_that_of_the_file():
    assert double_buffered(64, 48, 96)[0].source == golden("cli/tests/golden/dims_matmul.cu")


def tiled(m, n, k):
    """The kernel of ``examples/kernels/matmul.rs``: tiles in shared memory and in registers, by vectors."""
    dims = quaff.Dims()
    M, N, K, block_m, block_n, step = dims.new(f"m={m} n={n} k={k} block_m block_n step")
    tile_m, tile_n, tile_k = dims.new("tile_m=64 tile_n=64 tile_k=16")
    dims.eq(M, block_m * tile_m)
    dims.eq(N, block_n * tile_n)
    dims.eq(K, step * tile_k)
    a, b, c, tile_a, tile_b = dims.new("a b c tile_a tile_b")
    for whole, product in ((a, M * K), (b, K * N), (c, M * N), (tile_a, tile_m * tile_k), (tile_b, tile_k * tile_n)):
        dims.eq(whole, product)
    thread_m, thread_n, own_m, own_n, thread, own = dims.new("thread_m thread_n own_m=4 own_n=4 thread own")
    dims.eq(thread, thread_m * thread_n)
    dims.eq(own, own_m * own_n)
    compute, load_a, load_b = (dims.new_scope(name) for name in ("compute", "load_a", "load_b"))
    pass_a, pass_b, lane = dims.new("pass_a pass_b lane=4")
    with dims.scope(compute):
        dims.eq(tile_m, thread_m * own_m)
        dims.eq(tile_n, thread_n * own_n)
    dims.eq(tile_a, pass_a * thread * lane, scope=load_a)
    dims.eq(tile_b, pass_b * thread * lane, scope=load_b)

    kernel = quaff.Kernel("matmul", dims.init())
    A, B, C = kernel.input("A", align=16), kernel.input("B", align=16), kernel.output("C", align=16)
    rows = kernel.scalar("rows", (1, m))
    kernel.bind(block_m, "by", "blockIdx.y")
    kernel.bind(block_n, "bx", "blockIdx.x")
    kernel.bind(thread, "t", "threadIdx.x")
    As, Bs = kernel.shared("As", kernel.size(tile_a)), kernel.shared("Bs", kernel.size(tile_b))
    sums = kernel.registers("sums", kernel.size(own), zero=True)
    with kernel.loop(step, "s", unroll=1):
        with kernel.scope(load_a), kernel.loop(pass_a, "p", unroll=True):
            kernel.transfer(As[tile_a], A[a], lane, below={M: rows}, zero=True)
        with kernel.scope(load_b), kernel.loop(pass_b, "p", unroll=True):
            kernel.transfer(Bs[tile_b], B[b], lane)
        kernel.barrier()
        with kernel.scope(compute), kernel.loop(tile_k, "k", unroll=True):
            left, right = kernel.registers("left", 4), kernel.registers("right", 4)
            kernel.transfer(left[own_m], As[tile_a], own_m)
            kernel.transfer(right[own_n], Bs[tile_b], own_n)
            with kernel.loop(own_m, "i", unroll=True), kernel.loop(own_n, "j", unroll=True):
                kernel.get(own)
                kernel.code("sums[$own] += left[$i] * right[$j];")
        kernel.barrier()
    with kernel.scope(compute), kernel.loop(own_m, "i", unroll=True):
        kernel.transfer(C[c], sums[own], own_n, below={"m": "rows"})
    return kernel.finish()


@beside_the_sources
@needs_compiler
@pytest.mark.parametrize("rows", [128, 101, 64, 1])
def test_tiles_in_shared_memory(tmp_path, rows):
    report = tiled(128, 128, 32)
    a, b = numbers((rows, 32), 5), numbers((32, 128), 7)
    *_, c = run(report, tmp_path, "matmul", (2, 2), (256,), a, b, numbers((rows, 128), 1), rows)
    assert (c == a @ b).all()
    vectors = [access["vectors"] for access in report.accesses]
    assert vectors == [["float4"], ["float4"], [], ["float4"], ["float4"]]
    assert "lanes of `As` are not proved to be neighbours" in report.accesses[2]["reasons"]


@beside_the_sources
def test_the_text_is_that_of_rust():
    assert tiled(4096, 4096, 4096).source == golden("tests/golden/kernels/matmul.cu")


def paged(length=None):
    """The scores of a query against a paged cache. The loop loads the pages, and ``length`` is the number of positions."""
    dims = quaff.Dims()
    position, page, slot, cache, frame, dim = dims.new("position page=6 slot=16 cache frame=32 dim=8")
    query, head, score = dims.new("query head=4 score")
    dims.eq(position, page * slot)
    dims.eq(cache, frame * slot * dim)
    dims.eq(query, head * dim)
    dims.eq(score, head * position)
    kernel = quaff.Kernel("paged_decode", dims)
    kernel.input("q")
    kernel.input("keys")
    kernel.output("scores")
    kernel.input("table", "int")
    limit = kernel.scalar("length", (1, 96)) if length else None
    kernel.bind(head, "bx", "blockIdx.x")
    kernel.bind(slot, "tx", "threadIdx.x")
    with kernel.loop(page, "p"), kernel.condition(kernel.raw(position) < limit) if length else kernel.frame():
        kernel.get(page)
        entry = kernel.value("entry", (0, 31), "table[$page]")
        kernel.set(frame, entry)
        kernel.code("float sum = 0;")
        with kernel.loop(dim, "d"):
            kernel.get(cache)
            kernel.get(query)
            kernel.code("sum += keys[$cache] * q[$query];")
        kernel.get(score)
        kernel.code("scores[$score] = sum;")
    return kernel.finish()


@beside_the_sources
@needs_compiler
@pytest.mark.parametrize("length", [None, 96, 80, 61, 1])
def test_pages_that_are_loaded(tmp_path, length):
    np = pytest.importorskip("numpy", reason="numpy is not installed: results are compared with it")
    report = paged(length)
    all_are_right(report)
    q, keys, table = numbers((4, 8), 1), numbers((32, 16, 8), 2), (np.arange(6, dtype=np.int32) * 11 + 31) % 32
    unset = np.full((4, 96), 5, dtype=np.float32)
    *_, scores, _ = run(report, tmp_path, "paged_decode", (4,), (16,), q, keys, unset, table, *([length] if length else []))
    wanted = np.einsum("hd,psd->hps", q, keys[table]).reshape(4, 96)
    wanted[:, length:] = unset[:, length:] if length else wanted[:, length:]
    assert (scores == wanted).all()


@beside_the_sources
def test_the_text_of_pages_is_that_of_the_file():
    assert paged().source == golden("cli/tests/golden/dims_paged_decode.cu")


def cleared(n, lanes=4, **sizes):
    """Clears ``n`` elements with vectors. The end of the array may cut the last vector."""
    dims = quaff.Dims()
    element = dims.run_time("n", 1, n) if sizes.get("run_time") else dims.new(f"n={n}")
    block, thread, lane = dims.new(f"block thread=64 lane={lanes}")
    dims.covered(element, block * thread * lane)
    kernel = quaff.Kernel("clear", dims)
    kernel.output("x", align=16)
    kernel.bind(block, "b", "blockIdx.x")
    kernel.bind(thread, "t", "threadIdx.x")
    called = []

    def one():
        called.append(kernel.get(element, "at"))
        kernel.code("x[$at] = 0;")

    with kernel.vectorize(lane), kernel.inside(element, rest=one):
        kernel.get(element, "at")
        kernel.code("*(float4*)(x + $at) = float4{};")
    return kernel.finish(), len(called)


@beside_the_sources
@needs_compiler
@pytest.mark.parametrize("n, run_time", [(1002, False), (1024, False), (3, False), (1002, True), (1, True)])
def test_ends_that_cut_vectors(tmp_path, n, run_time):
    report, called = cleared(4096 if run_time else n, run_time=run_time)
    assert called == (n % 4 != 0)
    arguments = [n] if run_time else []
    (x,) = run(report, tmp_path, "clear", ((n + 255) // 256,), (64,), numbers((n,), 4) + 9, *arguments)
    assert (x == 0).all()


@beside_the_sources
@needs_compiler
def test_orders_of_coalescing_and_views(tmp_path):
    np = pytest.importorskip("numpy", reason="numpy is not installed: results are compared with it")
    best = quaff.coalesce(["u%8*32 + u//8"], "u", 256)[0]
    order = best["order"]
    assert order.lanes == 256 and quaff.equal(order.at("u"), best["sigma"], {"u": (0, 255)})
    assert repr(order) == "<LaneOrder of 256 lanes>"
    dims = quaff.Dims()
    step, thread, lane, row, column, one = dims.new("step=4 thread=64 lane row=8 column=32 one=1")
    element, address, y, x = dims.new("element address y=10 x=36")
    dims.eq(lane, step * thread)
    dims.eq(element, column * row * one)
    dims.eq(address, row * column * one)
    kernel = quaff.Kernel("copy", dims)
    source, target = kernel.input("source"), kernel.output("target")
    kernel.output("padded")
    kernel.bind(thread, "t", "threadIdx.x")
    with kernel.loop(step, "s"), kernel.scheduled(element, order, kernel.raw(lane)):
        kernel.transfer(target[address], source[address], one)
    view = quaff.View([8, 32]).pad([(1, 1), (4, 0)])
    with kernel.loop(y), kernel.condition("t < 36"):
        kernel.set(x, "t")
        kernel.load("v", source, view, y, "x")
        kernel.code("padded[$y * $|x| + t] = v;")
    report = kernel.finish()
    values = numbers((8, 32), 6)
    _, copied, padded = run(report, tmp_path, "copy", (1,), (64,), values, 0 * values, numbers((10, 36), 1))
    assert (copied == values).all() and (padded == np.pad(values, ((1, 1), (4, 0)))).all()
