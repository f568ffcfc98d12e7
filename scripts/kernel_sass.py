#!/usr/bin/env python3
"""Counts machine instructions of the kernels in examples/kernels: quaff's text, the indices as the solver builds them,
and index code written by hand. Needs no GPU:

    python3 -m venv /tmp/nv && /tmp/nv/bin/pip install nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-nvdisasm
    /tmp/nv/bin/python scripts/kernel_sass.py [--arch sm_90] [--list KERNEL]

Counted are all instructions of a kernel but padding, and of them the ones that compute on integers: what is left when
memory accesses, floating-point arithmetic, barriers and control flow are taken away.
"""
import argparse
import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ["matmul", "transpose", "swizzled", "copy", "conv", "pool", "attention"]
OTHER = re.compile(
    r"^(LD|ST|F[A-Z]|MUFU|BAR|BRA|EXIT|CALL|RET|NOP|WARPSYNC|BSYNC|BSSY|BREAK|CCTL|DEPBAR|MEMBAR|ULDC|LDC|S2R|S2UR|CS2R|MOV|UMOV|R2UR)"
)


def package(pattern):
    for base in map(pathlib.Path, sys.path):
        for found in base.glob("nvidia/" + pattern):
            return str(found)
    sys.exit(f"{pattern} not found: see the head of this script")


class Compiler:
    def __init__(self, arch):
        library = package("cu13/lib/libnvrtc.so.*")
        ctypes.CDLL(package("cu13/lib/libnvrtc-builtins.so.*"), mode=ctypes.RTLD_GLOBAL)
        self.nvrtc = ctypes.CDLL(library)
        self.options = [f"--gpu-architecture={arch}".encode(), b"--std=c++17", b"-w"]

    def cubin(self, source):
        program = ctypes.c_void_p()
        if self.nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None):
            sys.exit("NVRTC does not work here")
        options = (ctypes.c_char_p * len(self.options))(*self.options)
        failed = self.nvrtc.nvrtcCompileProgram(program, len(self.options), options)
        what = "ProgramLog" if failed else "CUBIN"
        size = ctypes.c_size_t()
        getattr(self.nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        data = ctypes.create_string_buffer(size.value)
        getattr(self.nvrtc, f"nvrtcGet{what}")(program, data)
        self.nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
        if failed:
            sys.exit(data.value.decode())
        return data.raw

    def instructions(self, source):
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(self.cubin(source))
            file.flush()
            command = [package("cu13/bin/nvdisasm"), "-c", file.name]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        lines = re.findall(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][^;]*);", text, re.M)
        while lines and re.match("NOP|BRA", lines[-1]):
            lines.pop()
        return [line.strip() for line in lines]

    def counted(self, source):
        """A cell of a table: all instructions of a kernel, and of them those that compute on integers."""
        lines = self.instructions(source)
        return f"{len(lines)}, {sum(not OTHER.match(line) for line in lines)}"


def of_program(description):
    """For a script that runs quaff: a compiler, and the command line of the program."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--quaff", help="the program; built and run by cargo unless given")
    args = parser.parse_args()
    program = [args.quaff] if args.quaff else "cargo run --quiet --release --bin quaff --".split()
    return args.arch, Compiler(args.arch), program


def text_of(name, flag):
    command = ["cargo", "run", "--quiet", "--example", "kernels", "--", name] + flag
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--list", metavar="KERNEL", help="print the instructions of one kernel")
    args = parser.parse_args()
    compiler = Compiler(args.arch)
    print(f"{args.arch}: instructions, of them integer arithmetic")
    print("| kernel | quaff | as built by the solver | by hand |\n|---|---|---|---|")
    total = [[0, 0], [0, 0], [0, 0]]
    for name in [args.list] if args.list else KERNELS:
        hand = (ROOT / "examples/kernels/by_hand" / f"{name}.cu").read_text()
        cells = []
        for i, source in enumerate([text_of(name, []), text_of(name, ["--raw"]), hand]):
            lines = compiler.instructions(source)
            if args.list:
                print("\n".join(lines) + "\n")
            integer = [line for line in lines if not OTHER.match(line)]
            local = sum(bool(re.match("LDL|STL", line)) for line in lines)
            cells.append(f"{len(lines)}, {len(integer)}" + (f" ({local} local)" if local else ""))
            total[i][0] += len(lines)
            total[i][1] += len(integer)
        print(f"| {name} | " + " | ".join(cells) + " |")
    if not args.list:
        print("| all | " + " | ".join(f"{a}, {b}" for a, b in total) + " |")


if __name__ == "__main__":
    main()
