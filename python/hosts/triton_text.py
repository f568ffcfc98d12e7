"""Renders Inductor's Triton kernels without a GPU, and counts their machine instructions.

Tensors are fakes on a device ``cuda`` with the properties of an H100. Triton's own compiler compiles the text that Inductor prints, for a
given architecture. The disassembler of Triton's wheel reads the result. Nothing is run.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from unittest import mock

# the default differs between versions of Triton
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

import torch
import torch._dynamo.device_interface as device_interface
from torch._inductor.debug import DebugContext
from torch._inductor.decomposition import select_decomp_table
from torch._inductor.graph import GraphLowering
from torch._inductor.virtualized import V
from torch.fx.experimental.proxy_tensor import make_fx
from torch.fx.passes.fake_tensor_prop import FakeTensorProp

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benches" / "sass"))
from compiler import OTHER  # noqa: E402  the instructions that do not compute on integers

# The properties of a device that Inductor reads, with the values of an H100.
_H100 = SimpleNamespace(
    name="H100",
    major=9,
    minor=0,
    total_memory=80 << 30,
    multi_processor_count=132,
    regs_per_multiprocessor=65536,
    max_threads_per_multi_processor=2048,
    max_threads_per_block=1024,
    warp_size=32,
    L2_cache_size=50 << 20,
    shared_memory_per_multiprocessor=233472,
    shared_memory_per_block=49152,
    shared_memory_per_block_optin=232448,
    gcnArchName="",
)


@contextmanager
def _device_that_renders():
    cuda = device_interface.CudaInterface
    patches = [
        mock.patch.object(cuda.Worker, "get_device_properties", staticmethod(lambda device=None: _H100)),
        mock.patch.object(cuda.Worker, "current_device", staticmethod(lambda: 0)),
        # the interface has its own reference to the function of torch.cuda
        mock.patch.object(cuda, "get_device_properties", staticmethod(lambda device=None: _H100)),
        mock.patch.object(cuda, "is_available", staticmethod(lambda: True)),
        mock.patch.object(cuda, "get_compute_capability", staticmethod(lambda device=None: 90)),
        mock.patch.object(torch.cuda, "get_device_properties", lambda device=None: _H100),
        mock.patch.object(torch.cuda, "get_device_capability", lambda device=None: (9, 0)),
        mock.patch.object(torch.cuda, "current_device", lambda: 0),
        mock.patch.object(torch.cuda, "is_available", lambda: True),
        mock.patch.object(torch.cuda, "device_count", lambda: 1),
        mock.patch("torch.utils._triton.triton_hash_with_backend", lambda: "none"),
        mock.patch("torch.utils._triton.has_triton", lambda *args, **kwargs: True),
        # the scheduler has its own reference to the function, too
        mock.patch("torch._inductor.scheduler.has_triton", lambda *args, **kwargs: True),
        mock.patch("torch._subclasses.fake_tensor.init_gpu_context", lambda device: None),
    ]
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        yield


def _traced(module):
    """The graph of a module and its arguments, as fakes on the rendering device.

    The graph is traced on the CPU, where derivatives need no stream, and is then moved to the device.
    """
    mode = "symbolic" if module.dynamic else "fake"
    graph = make_fx(module.run, tracing_mode=mode, decomposition_table=select_decomp_table())(*module.arguments())
    values = [node.meta["val"] for node in graph.graph.nodes if node.op == "placeholder"]
    fakes = values[0].fake_mode
    for node in graph.graph.nodes:
        if "device" in node.kwargs:
            node.kwargs = {**node.kwargs, "device": torch.device("cuda", 0)}
    graph.recompile()
    with fakes:
        arguments = [torch.empty_strided(v.shape, v.stride(), dtype=v.dtype, device="cuda") for v in values]
    FakeTensorProp(graph, mode=fakes).propagate_dont_convert_inputs(*arguments)
    return graph, arguments, fakes


@dataclass
class Rendered:
    """The result of Inductor for a module.

    Attributes:
        kernels: the texts of its Triton kernels by name.
        sizes: for each kernel of run-time sizes the values of its parameters that are sizes, by name, in the call that was traced.
        seconds: CPU seconds of lowering and printing.
    """

    kernels: dict[str, str]
    sizes: dict[str, dict[str, int]]
    seconds: float


def rendered(module) -> Rendered:
    """Renders the module as Triton kernels."""
    with _device_that_renders():
        graph, arguments, fakes = _traced(module)
        began = time.process_time()
        lowering = GraphLowering(graph, example_inputs=arguments, shape_env=fakes.shape_env)
        with V.set_graph_handler(lowering), V.set_fake_mode(fakes), V.set_debug_handler(DebugContext()):
            lowering.run(*arguments)
            text = lowering.codegen()[0].value
        seconds = time.process_time() - began
    found = dict(re.findall(r"async_compile\.triton\('(\w+)', '''(.*?)'''", text, re.DOTALL))
    known = {str(s): int(value) for s, value in fakes.shape_env.backed_var_to_val.items()} if module.dynamic else {}
    return Rendered(found, _sizes(text, found, known), seconds)


def _sizes(text: str, kernels: dict[str, str], known: dict[str, int]) -> dict[str, dict[str, int]]:
    """The values of the kernels' parameters in the calls in ``text``. The text computes some of them from ``known``."""
    values, found = dict(known), {}
    for line in text.splitlines() if known else ():
        if match := re.match(r"\s+(ps\d+|\w+_[xyz]numel) = (.*)$", line):
            values[match[1]] = int(eval(match[2], {"min": min, "max": max}, values))
        elif match := re.match(r"\s+(triton_\w+)\.run\((.*), stream=\w+\)$", line):
            names = re.search(rf"def triton_\w+\((.*?)\):", kernels[match[1]])[1].split(", ")
            pairs = zip((n.split(":")[0].strip() for n in names), match[2].split(", "))
            found[match[1]] = {name: int(eval(given, {}, values)) for name, given in pairs if "ptr" not in name}
    return found


def kernels(module) -> dict[str, str]:
    """The texts of the kernels of a module by name."""
    return rendered(module).kernels


def divisions(text: str) -> tuple[int, int]:
    """The number of ``//`` and of ``%`` in the body of a kernel, including calls of the helpers that correct signs."""
    body = text[text.index("def triton_") :]
    return (
        body.count(" // ") + body.count("div_floor_integer"),
        body.count(" % ") + body.count("remainder_integer"),
    )


def _function(text: str, folder: pathlib.Path):
    """The kernel in `text` without its autotuning decorators, and the types of its parameters."""
    from torch._inductor.runtime import triton_heuristics, triton_helpers

    captured = {}

    def capturing(*args, **kwargs):
        captured.update(kwargs)
        return lambda function: function

    names = [n for n in dir(triton_heuristics) if re.search(rf"@triton_heuristics\.{n}\b", text)]
    path = folder / "kernel.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location("quaff_bench_kernel", path)
    loaded = importlib.util.module_from_spec(spec)
    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(triton_helpers, "set_driver_to_gpu", lambda: None))
        for name in names:
            stack.enter_context(mock.patch.object(triton_heuristics, name, capturing))
        spec.loader.exec_module(loaded)
    name = re.search(r"def (triton_\w+)", text)[1]
    return getattr(loaded, name), captured


# The block sizes along each axis: the first choice of Inductor's heuristics for kernels of this size.
_BLOCKS = {"XBLOCK": 256, "YBLOCK": 16, "ZBLOCK": 4, "R0_BLOCK": 64, "R1_BLOCK": 16, "RBLOCK": 64}


def integer_instructions(text: str, arch: int = 90) -> int:
    """SASS instructions of a kernel that compute on integers, compiled for `sm_<arch>` with fixed block sizes."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    with tempfile.TemporaryDirectory() as folder:
        function, made = _function(text, pathlib.Path(folder))
        signature = dict(made["triton_meta"]["signature"])
        two = "YBLOCK" in signature or any(n.startswith("R") and n.endswith("BLOCK") for n in signature)
        constants, given = {}, made["triton_meta"]["constants"]
        for name, kind in signature.items():
            if kind == "constexpr":
                constants[name] = 16 if two and name == "XBLOCK" else _BLOCKS.get(name, given.get(name))
        attributes = {}
        for config in made["triton_meta"]["configs"]:
            attributes.update(config if isinstance(config, dict) else {})
        source = ASTSource(function, signature, constants, attributes)
        compiled = triton.compile(source, target=GPUTarget("cuda", arch, 32), options={"num_warps": 4})
        cubin = pathlib.Path(folder) / "kernel.cubin"
        cubin.write_bytes(compiled.asm["cubin"])
        program = pathlib.Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "nvdisasm"
        listing = subprocess.run([program, "-c", "-ndf", cubin], capture_output=True, text=True, check=True).stdout
    lines = re.findall(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][^;]*);", listing, re.MULTILINE)
    return sum(not OTHER.match(line) for line in lines)
