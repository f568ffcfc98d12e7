"""Compiles CUDA text to machine instructions, without a GPU or a driver. The compiler and the disassembler are two wheels from PyPI.

    python3 -m venv venv && venv/bin/pip install -r benches/sass/requirements.txt
"""
import argparse
import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The instructions that do not compute on integers: memory, floating point, barriers, control flow, copies.
OTHER = re.compile(
    r"^(LD|ST|F[A-Z]|MUFU|BAR|BRA|EXIT|CALL|RET|NOP|WARPSYNC|BSYNC|BSSY|BREAK|CCTL|DEPBAR|MEMBAR|ULDC|LDC|S2R|S2UR|CS2R|MOV|UMOV|R2UR)"
)


def package(pattern):
    """The path of a file of the wheels."""
    for base in map(pathlib.Path, sys.path):
        for found in base.glob("nvidia/" + pattern):
            return str(found)
    sys.exit(
        f"nvidia/{pattern} is not installed for this Python ({sys.executable}). benches/sass needs two wheels:\n"
        "    python3 -m venv venv && venv/bin/pip install -r benches/sass/requirements.txt\n"
        "and is then run by venv/bin/python."
    )


class Compiler:
    """The compiler for one architecture."""

    def __init__(self, arch):
        library = package("cu13/lib/libnvrtc.so.*")
        ctypes.CDLL(package("cu13/lib/libnvrtc-builtins.so.*"), mode=ctypes.RTLD_GLOBAL)
        self.nvrtc = ctypes.CDLL(library)
        self.options = [f"--gpu-architecture={arch}".encode(), b"--std=c++17", b"-w"]

    def cubin(self, source):
        """The program of `source` for the GPU. An error of the compiler ends this process, because all texts should compile."""
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

    def all_instructions(self, source):
        """The instructions of each kernel in a source, by name, without the padding after the end."""
        return self.disassembled(self.cubin(source))

    def disassembled(self, cubin):
        """The instructions of each kernel of a program for the GPU."""
        with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
            file.write(cubin)
            file.flush()
            command = [package("cu13/bin/nvdisasm"), "-c", "-ndf", file.name]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        kernels, lines = {}, []
        for line in text.splitlines():
            if section := re.match(r"\s*\.section\s+\.text\.([\w$]+)", line):
                lines = kernels.setdefault(section[1], [])
            elif found := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][^;]*);", line):
                lines.append(found[1].strip())
        for lines in kernels.values():
            while lines and re.match("NOP|BRA", lines[-1]):
                lines.pop()
            lines[:] = [line for line in lines if not line.startswith("NOP")]
        return kernels

    def instructions(self, source):
        """The instructions of the only kernel in `source`."""
        (lines,) = self.all_instructions(source).values()
        return lines

    def counted(self, source):
        """A cell of a table: the number of all instructions of a kernel, and of the instructions that compute on integers."""
        lines = self.instructions(source)
        return f"{len(lines)}, {sum(not OTHER.match(line) for line in lines)}"


def parser_for(description):
    """The arguments that all scripts of this folder have that run quaff."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quaff", help="the program; built and run by cargo unless given")
    return parser


def program_of(args):
    """The command line of the program quaff."""
    return [args.quaff] if args.quaff else "cargo run --quiet --release --bin quaff --".split()


def of_program(description):
    """Reads the arguments of a script about one architecture. Returns the architecture, a compiler, and the command line of quaff."""
    parser = parser_for(description)
    parser.add_argument("--arch", default="sm_90")
    args = parser.parse_args()
    return args.arch, Compiler(args.arch), program_of(args)
