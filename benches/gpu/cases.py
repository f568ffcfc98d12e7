"""The timed kernels, and their forms: as written, in the form of their source system, and as quaff prints them.

There are two kinds of kernels. *Kernels of accesses* come from `examples/accesses`, and from Inductor and tinygrad in
`tests/data/kernels.jsonl`. Each of these kernels adds up its loads, and its stores write the sum. *Sources* are kernels of
`examples/sources`, which `quaff rewrite` changes as a whole.
"""

import ctypes
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benches" / "sass"))

from ladder import to_c  # noqa: E402
from sources import of_device, rewritten  # noqa: E402

FORMS = {"written": "as written", "source": "source system", "quaff": "quaff", "prepared": "quaff, host divisors"}
# the approximate number of threads of a block
THREADS = 256
# the most blocks in the third dimension of a grid
MOST_BLOCKS = 65535

# Each name is an `id` of the corpus, with the number of copies. Each copy has its own buffers, so that all buffers together exceed the
# caches.
CORPUS = {
    "inductor/unfold3221/0": 16384,
    "inductor/pixshuf2/0": 65536,
    "inductor/ropeh/4": 131072,
    "inductor/rollred/0": 65536,
    "inductor/chain/0": 49152,
    "inductor/swin/4": 4096,
    "tinygrad/im2col_12x12_k2s2d1_bwd/0.l16": 32768,
}
# the names of files in `examples/accesses`, with the number of copies
ACCESSES = {"conv": 128}


@dataclass
class Buffer:
    """An array that a kernel reads or writes: the elements of a copy, the number of copies, and whether the kernel takes the distance of
    copies as an argument."""

    name: str
    elements: int
    copies: int = 1
    is_output: bool = False
    takes_step: bool = False

    @property
    def bytes(self):
        return 4 * self.elements * self.copies

    @property
    def step(self):
        return self.elements if self.copies > 1 else 0


@dataclass
class Form:
    """A text with the kernel that is launched, and the prepared divisors that the kernel takes after all other arguments."""

    text: str
    symbol: str
    divisors: list = field(default_factory=list)


@dataclass
class Case:
    """A kernel with its arguments, which are buffers and integers, and its launch."""

    name: str
    buffers: str
    arguments: list
    grid: tuple
    block: tuple
    forms: dict

    @property
    def arrays(self):
        return [a for a in self.arguments if isinstance(a, Buffer)]

    @property
    def bytes(self):
        return sum(a.bytes for a in self.arrays)


class Divisor(ctypes.Structure):
    """`quaff_divisor` of `quaff rewrite --host`, with the values that its constructor computes."""

    _fields_ = [("d", ctypes.c_int), ("m", ctypes.c_uint), ("s", ctypes.c_uint)]

    def __init__(self, divisor):
        d = max(divisor, 1)
        s = (d - 1).bit_length()
        super().__init__(d, -(-(((1 << s) - d) << 32) // d) & 0xFFFFFFFF, s)


def named(kernel, form):
    """A unique name for a form of a kernel, by which its counters are found."""
    return re.sub(r"\W", "_", kernel) + "__" + form


# kernels of accesses


def loops_of(line, access):
    return access.get("loops") or []


def as_nested_loops(line, field, gate_field, ladder):
    """The text of the accesses in nested loops, in the order of the file."""
    variables = {v: tuple(r) for v, r in line["vars"].items()}
    lines, nest = [], []
    for number, access in enumerate(line["accesses"]):
        wanted = loops_of(line, access)
        common = next((i for i, (a, b) in enumerate(zip(nest, wanted)) if a != b), min(len(nest), len(wanted)))
        lines += ["}"] * (len(nest) - common)
        for v in wanted[common:]:
            lo, hi = variables[v]
            lines.append(f"for (int {v} = {lo}; {v} < {hi + 1}; ++{v}) {{")
        nest = wanted
        index = to_c(access.get(field, access["expr"]), variables, ladder)[0]
        gate = access.get(gate_field, access.get("gate"))
        gate = to_c(gate, variables, ladder)[0] if gate else None
        if access.get("kind") == "store":
            lines.append(f"{f'if ({gate}) ' if gate else ''}{access['buf']}[{index}] = value;")
        else:
            lines.append(f"const float v{number} = {f'{gate} ? ' if gate else ''}{access['buf']}[{index}]{' : 0' if gate else ''};")
            lines.append(f"value += v{number};")
    return "\n".join(lines + ["}"] * len(nest))


def by_quaff(program, line):
    """The text that `quaff kernel` prints, with code that adds up the loaded values."""
    own = {key: line[key] for key in ("vars", "kinds", "accesses") if key in line}
    own["accesses"] = [{k: a[k] for k in ("expr", "gate", "buf", "kind", "loops") if k in a} for a in line["accesses"]]
    command = [*program, "kernel", "-", "--emit", "cuda"]
    text = subprocess.run(command, cwd=ROOT, input=json.dumps(own), capture_output=True, text=True, check=True).stdout
    found, count = re.subn(r"^( *)((?:const float )?(v\d*) = .*;)$", r"\1\2\n\1value += \3;", text, flags=re.MULTILINE)
    loads = sum(a.get("kind") != "store" for a in line["accesses"])
    if count != loads:
        raise ValueError(f"{line['id']}: {count} of {loads} loads are found in the text of quaff:\n{text}")
    return found


def launch_of(line):
    """Lines that define the variables of the grid, the blocks of one copy, and the threads of one copy."""
    kinds, ranges = line["kinds"], line["vars"]
    loops = {v for access in line["accesses"] for v in loops_of(line, access)}
    blocks, threads = ([v for v in ranges if kinds.get(v) == kind and v not in loops] for kind in ("block", "thread"))
    if any(ranges[v][0] for v in blocks + threads) or max(len(blocks), len(threads)) > 2:
        raise ValueError(f"{line['id']}: its variables are no two dimensions of a grid")
    counts = {v: ranges[v][1] + 1 for v in blocks + threads}
    grid, block, text = [1, 1], [1, 1], []
    if blocks:
        for at, v in enumerate(blocks):
            grid[at] = counts[v]
            text.append(f"const int {v} = blockIdx.{'xy'[at]};")
    for at, v in enumerate(threads):
        block[at] = counts[v] if blocks else {1: 64, 2: [32, 8][at]}[len(threads)]
        own = f"threadIdx.{'xy'[at]}"
        if not blocks:
            # without a block variable, the range of a thread variable is a multiple of a power of two. The gates have the real end
            if counts[v] % block[at]:
                raise ValueError(f"{line['id']}: {v} has {counts[v]} values, no multiple of {block[at]}")
            grid[at] = counts[v] // block[at]
            own = f"(int)(blockIdx.{'xy'[at]} * {block[at]} + threadIdx.{'xy'[at]})"
        text.append(f"const int {v} = {own};")
    return "\n".join(text), tuple(grid), tuple(block)


def extents(line):
    """The number of elements of each buffer, in the order of the accesses. It exceeds the largest index by interval arithmetic."""
    variables, found = {v: tuple(r) for v, r in line["vars"].items()}, {}
    for access in line["accesses"]:
        most = to_c(access.get("expected", access["expr"]), variables, False)[1][1]
        found[access["buf"]] = max(found.get(access["buf"], 0), most + 1)
    # the sizes are multiples of 64 bytes, so that each copy is aligned
    return {name: -(-count // 16) * 16 for name, count in found.items()}


def of_accesses(program, line, copies, small):
    """The cases of a kernel: each copy with its own buffers, and all copies with the same buffers. On the processor, only the first case is
    used."""
    variables, grid, block = launch_of(line)
    in_block = max(1, min(64, THREADS // (block[0] * block[1])))
    copies = 2 * in_block if small else copies
    if copies % in_block or copies // in_block > MOST_BLOCKS:
        raise ValueError(f"{line['id']}: {copies} copies are no multiple of {in_block}, or more than {MOST_BLOCKS} blocks")
    stored = {a["buf"] for a in line["accesses"] if a.get("kind") == "store"}
    sizes = extents(line)
    parameters = ", ".join(f"{'' if b in stored else 'const '}float* __restrict__ {b}, long long {b}_step" for b in sizes)
    copy = "const long long copy = blockIdx.z * blockDim.z + threadIdx.z;"
    moves = [f"{b} += copy * {b}_step;" for b in sizes]
    texts = {"written": as_nested_loops(line, "expr", "gate", False), "quaff": by_quaff(program, line)}
    if any("expected" in a for a in line["accesses"]):
        texts["source"] = as_nested_loops(line, "expected", "expected_gate", True)
    forms = {}
    for form in (f for f in FORMS if f in texts):
        symbol = named(line["id"], form)
        head = f'extern "C" __global__ void __launch_bounds__({block[0] * block[1] * in_block}) {symbol}({parameters}) {{'
        forms[form] = Form("\n".join([head, copy, *moves, variables, "float value = 0;", texts[form], "}"]), symbol)
    for kind, of_each in [("own", copies), ("shared", 1)][: 1 if small else 2]:
        arrays = [Buffer(b, count, of_each, b in stored, True) for b, count in sizes.items()]
        yield Case(line["id"], kind, arrays, (*grid, copies // in_block), (*block, in_block), forms)


# sources


@dataclass
class Source:
    """A kernel of `examples/sources`: its sizes by name, in the order of its parameters, and smaller sizes for the processor. The arrays
    (inputs, then outputs, in the order of the parameters) and the blocks are functions of the sizes."""

    file: str
    kernel: str
    sizes: dict
    small: dict
    arrays: object
    blocks: object


def _per_thread(count):
    return -(-count // THREADS)


SOURCES = [
    Source(
        "im2col.cu", "im2col_batched",
        dict(batch=8, channels=64, height=126, width=126), dict(batch=2, channels=3, height=13, width=9),
        lambda batch, channels, height, width: dict(images=batch * channels * height * width, columns_=9 * batch * channels * height * width),
        lambda batch, channels, height, width: _per_thread(batch * channels * height * width),
    ),
    Source(
        "transpose.cu", "transpose_batched",
        dict(batch=48, rows=1000, cols=1000), dict(batch=2, rows=45, cols=70),
        lambda batch, rows, cols: dict(matrices=batch * rows * cols, out_=batch * rows * cols),
        lambda batch, rows, cols: batch * -(-rows // 32) * -(-cols // 32),
    ),
    Source(
        "upsample.cu", "upsample_nearest_backward",
        dict(planes=512, height=100, width=100, scale=3), dict(planes=3, height=7, width=10, scale=3),
        lambda planes, height, width, scale: dict(grad=planes * height * width * scale**2, out_=planes * height * width),
        lambda planes, height, width, scale: _per_thread(planes * height * width),
    ),
    Source(
        "pool_nhwc.cu", "window_mean",
        dict(height=252, width=252, channels=64, ws=7, shift=3), dict(height=14, width=21, channels=5, ws=7, shift=3),
        lambda height, width, channels, ws, shift: dict(image=height * width * channels, out_=height * width * channels // ws**2),
        lambda height, width, channels, ws, shift: _per_thread(height * width * channels // ws**2),
    ),
]


def entry_point(text, kernel, symbol):
    """The text of a file, in which one kernel has a given name for the linker."""
    text, count = re.subn(rf"__global__([^;{{]*?)\b{kernel}\(", rf'extern "C" __global__\g<1>{symbol}(', text)
    if count != 1:
        raise ValueError(f"the kernel {kernel} is {count} times in its file")
    return of_device(text)


def of_source(program, source, small):
    """The case for a kernel of a source file."""
    path = ROOT / "examples" / "sources" / source.file
    sizes = source.small if small else source.sizes
    texts = {"written": (path.read_text(), []), "quaff": (rewritten(program, path)["text"], [])}
    found = rewritten(program, path, "--host")
    report = next(k for k in found["kernels"] if k["name"] == source.kernel)
    if report["prepared"]:
        texts["prepared"] = found["text"], [eval(p["divisor"], {"__builtins__": {}}, dict(sizes)) for p in report["prepared"]]
    forms = {}
    for form, (text, divisors) in texts.items():
        symbol = named(source.kernel, form)
        forms[form] = Form(entry_point(text, source.kernel, symbol), symbol, divisors)
    arrays = [Buffer(name, count, is_output=name.endswith("_")) for name, count in source.arrays(**sizes).items()]
    return Case(source.kernel, "one set", [*arrays, *sizes.values()], (source.blocks(**sizes), 1, 1), (THREADS, 1, 1), forms)


def cases(program, only="", small=False):
    """All kernels whose names contain `only`. With `small`, they are small enough for the processor."""
    corpus = [json.loads(line) for line in (ROOT / "tests" / "data" / "kernels.jsonl").read_text().splitlines()]
    by_name = {line["id"]: line for line in corpus}
    for name in ACCESSES:
        by_name[name] = json.loads((ROOT / "examples" / "accesses" / f"{name}.json").read_text())
    for name, copies in {**CORPUS, **ACCESSES}.items():
        if only in name:
            yield from of_accesses(program, by_name[name], copies, small)
    for source in SOURCES:
        if only in source.kernel:
            yield of_source(program, source, small)
